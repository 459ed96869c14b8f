//===- lib/interp/Machine.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The abstract machine: runs C++ over the Clang AST.
//
//   function ─► Stmt.cpp (statements, scopes, loops) ─► Expr.cpp (expressions)
//                    ▲                                     │
//                    └── Call.cpp (bodies, natives, domain) ◄┘── Construct.cpp
//
// Evaluation is total: every expression yields a value, at worst Unknown with a
// cause. No input may crash, hang or exhaust it: steps, call depth, elements and
// seconds are limited by Budget, and running out ends the run with what is known
// until then.
//
// A condition that is unknown is a decision: this run takes one side, and the
// caller may run the program again with the other (Decisions). That keeps the
// order of constructions and destructions exact on each path.

#pragma once

#include "lib/interp/Budget.h"
#include "lib/interp/Domain.h"
#include "lib/frontend/UnitProvider.h"
#include "lib/interp/Turns.h"
#include "lib/interp/Value.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace vramlint {

/// A native model of a standard-library function: returns what the call gives.
/// The machine has evaluated the arguments already.
using NativeFn = Operand (*)(Machine &M, CallSite &Site);
/// One row of a table of native models. Name: "std::vector::push_back"; for
/// constructors "std::vector::vector"; inline namespaces left out. Global objects
/// ("std::cout", "std::nullopt") are rows too, called with an empty site.
/// Conversion functions: "X::operator bool" or, to any other type, "X::operator T".
struct NativeEntry {
  const char *Name;
  NativeFn Fn;
};
/// The tables of stdlib/*.cpp.
llvm::ArrayRef<llvm::ArrayRef<NativeEntry>> nativeTables();
/// The tables of libs/*.cpp: libraries whose headers may lie in the project itself.
llvm::ArrayRef<llvm::ArrayRef<NativeEntry>> libraryTables();

/// How a run answers unknown conditions. Keyed by place: the same place decides
/// alike throughout a run.
struct Decisions {
  std::map<SourcePos, bool> Chosen; ///< Set by the caller before a run.
  /// The places that were asked, in order, with the side taken.
  std::vector<std::pair<SourcePos, bool>> Asked;

  /// Random draws likewise, by the index of the choice. Without a wish the one that
  /// is greatest where it first matters.
  std::map<SourcePos, size_t> Drawn;
  struct Draw {
    DrawInfo Info;
    size_t Taken = 0;
    size_t Least = 0; ///< The choice that is smallest there.
    std::string Value, From, To; ///< The number taken, the smallest and the greatest.
  };
  std::vector<Draw> Draws;
};


class LoopTracker;

class Machine {
public:
  Machine(UnitView Unit, UnitProvider *Others, Domain &Plugin, Budget Limits);
  ~Machine();

  /// Runs the global initializers that main can see, then \p F.
  Operand run(const clang::FunctionDecl &F, llvm::MutableArrayRef<Operand> Args);

  /// Makes a `Type(Args…)`, lets \p Use work with it, and destroys it. False if it
  /// could not be made: no constructor fits, or it throws.
  bool buildAndDrop(clang::QualType Type, llvm::MutableArrayRef<Operand> Args,
                    llvm::ArrayRef<clang::QualType> ArgTypes,
                    llvm::function_ref<void(CellRef)> Use);
  /// The message of the exception that ended the run.
  llvm::StringRef exceptionText() const { return Thrown; }

  // --- For natives and the domain ------------------------------------------

  /// A copy as the copy constructor of \p V's class makes one.
  Value copy(const Value &V);
  /// What the move constructor takes out of \p From.
  Value moveOut(Cell &From);
  /// The argument as a value of its own: moved if it is a prvalue or \p E says
  /// xvalue (rvalue-reference parameter), else copied.
  Value take(CallSite &Site, unsigned ArgIndex);
  /// A new object of \p Type from \p Args as `Type(args…)` would make one
  /// (overload resolution by Sema where there is one). \p ArgTypes: their types;
  /// references say lvalue or rvalue.
  Value construct(clang::QualType Type, llvm::MutableArrayRef<Operand> Args,
                  llvm::ArrayRef<clang::QualType> ArgTypes);
  /// The same in place; Unknown where no constructor fits. Requires: a class.
  void constructAt(CellRef Dest, clang::QualType Type,
                   llvm::MutableArrayRef<Operand> Args,
                   llvm::ArrayRef<clang::QualType> ArgTypes);
  /// `Type()`: zero, null, or the default constructor.
  Value defaultValue(clang::QualType Type);
  /// Calls a closure, function pointer, std::function or object with operator().
  Operand callCallable(Value &Callable, llvm::MutableArrayRef<Operand> Args);
  /// Calls the method \p Name of the object in \p Object with \p Args (virtual
  /// dispatch included); overloads are told apart by the number of arguments.
  Operand callMethod(CellRef Object, llvm::StringRef Name,
                     llvm::MutableArrayRef<Operand> Args);
  /// Does the class of \p R, or a base of it in the project, have that method?
  bool hasMethod(const Record &R, llvm::StringRef Name);
  /// True, false, or nothing if unknown.
  std::optional<bool> truth(const Value &V);
  /// Answers an unknown condition at the current place.
  /// \p Default: the side to take where the caller has no wish.
  bool decide(const Value &Cond, bool Default = true);

  /// The native model of that name, or null.
  NativeFn native(llvm::StringRef Name) const { return NativesByName.lookup(Name); }
  /// What the natives of the library \p Name keep for the run.
  Cell &libraryState(llvm::StringRef Name);

  /// An Unknown with a reason at the current place; reported to the domain.
  Value unknown(llvm::Twine Reason, llvm::Twine Tell = "");
  // --- Random draws (Draw.cpp) ------------------------------------------------

  using Number = std::variant<int64_t, double>;
  /// A number that is drawn here: one of \p May.
  Value draw(std::vector<Number> May, bool EndsOnly = false);
  /// A whole number from \p First to \p Last.
  Value drawBetween(int64_t First, int64_t Last);
  /// \p Fn of numbers of which some are drawn, for each choice. Nothing if none is
  /// drawn, they are drawn at different places, or \p Fn gives no number.
  std::optional<Value>
  overDraw(llvm::ArrayRef<const Value *> Of,
           llvm::function_ref<Value(llvm::MutableArrayRef<Value>)> Fn);
  /// Something hangs on \p V: what it is in this run. Nothing if it is not drawn.
  std::optional<Value> drawn(const Value &V);

  /// An Unknown that follows from another; not reported again.
  static Value unknown(const UnknownRef &Cause) { return Value(Cause); }
  /// The first argument or object of \p Site that is Unknown, as the cause of an
  /// Unknown result, else a new one with \p Reason.
  Value unknownFrom(CallSite &Site, llvm::Twine Reason);

  /// Starts unwinding: the program throws here.
  void throwException(std::string Message);
  bool unwinding() const { return Unwinding; }
  /// Somebody outside the program catches what it throws.
  void caught() { Unwinding = false; }
  // --- Threads: natives run them in place, until they would wait for others ---

  struct Thread;
  /// The one that runs, innermost; null: the program's first.
  Thread *Running = nullptr;
  /// Those that wait and may begin again when they are told.
  std::vector<std::shared_ptr<Thread>> Sleeping;
  /// Leaves the running thread's function.
  void sleep() { Asleep = Unwinding = true; }
  /// Has the thread that was run gone to sleep? Ends that.
  bool fellAsleep() {
    bool Was = Asleep;
    Unwinding &= !Was;
    Asleep = false;
    return Was;
  }
  /// True when the run must end (budget, exit()).
  bool stopped() const { return Stopped; }
  void stop(llvm::Twine Reason);
  /// Counts work; false when a limit is reached.
  bool step(int64_t Cost = 1);
  /// Tells the loops that run which element was asked for. \p E: by what.
  void indexed(const void *E, const Places &Elements, int64_t Index);
  /// Computing time since the machine was made, without the parsing of other files.
  std::chrono::duration<double> spent() const { return computingTime() - Started; }

  // --- Where the program is -------------------------------------------------

  /// The innermost place in user code, and the stack of such places.
  SourcePos currentPos() const;
  struct StackFrame { SourcePos Pos; llvm::StringRef Function; };
  llvm::SmallVector<StackFrame, 8> callStack() const;
  SourcePos posOf(clang::SourceLocation Loc) const;
  /// The parameters of the function that runs.
  llvm::ArrayRef<CellRef> params() const;
  clang::ASTContext &context() const { return *Unit.Context; }
  clang::Sema *sema() const { return Unit.Sema; }
  /// Is this place in a header from outside the project?
  bool isExternal(clang::SourceLocation Loc) const;

  // --- Names ------------------------------------------------------------------

  /// "std::vector::push_back": inline and anonymous namespaces and template
  /// arguments left out. Cached.
  llvm::StringRef nameOf(const clang::NamedDecl &D);
  ClassId classId(const clang::CXXRecordDecl &D);
  /// The base subobject (or the object itself) of class \p Id in \p C; null if
  /// there is none.
  CellRef subobject(CellRef C, ClassId Id);
  /// The first subobject, depth first, for which \p Pred holds.
  CellRef findSubobject(CellRef C, llvm::function_ref<bool(const Value &)> Pred);
  /// The part of \p From that has class \p To, below or around it.
  CellRef castPlace(CellRef From, clang::QualType To);
  /// Does the complete object around \p C have a part of class \p Class?
  bool isA(CellRef C, clang::QualType Class);
  /// A field of a Record by name, searched in bases too; null if there is none.
  CellRef field(CellRef C, llvm::StringRef Name);

  Domain &domain() { return Plugin; }
  const Budget &limits() const { return Limits; }
  Decisions Choices;
  /// --set: constants by name, as text.
  std::map<std::string, std::string> Overrides;
  /// Evaluate call arguments and operands right to left, as g++ does.
  bool RightToLeft = true;

  /// An object of a user's or options class with its in-class initializers run,
  /// but no constructor.
  Value defaultRecord(const clang::CXXRecordDecl &Class);
  /// Assignment: gives \p Dest the value \p New; the places of fields stay.
  void assign(Cell &Dest, Value New);
  /// Calls Site.Callee (virtual dispatch done) as the program would.
  Operand callFunction(CallSite &Site);


private:
  friend class LoopTracker;

  /// One active function of the program.
  struct Frame {
    const clang::FunctionDecl *Fn = nullptr;
    CellRef This;
    llvm::SmallVector<CellRef, 6> Params;
    llvm::DenseMap<const clang::ValueDecl *, CellRef> Vars;
    /// Lambda bodies: captured variable to the closure's field.
    llvm::DenseMap<const clang::ValueDecl *, CellRef> Captures;
    Operand Return;
    UnitView Unit;
    SourcePos Pos;
    llvm::StringRef Name;
    bool UserCode = false;
    Frame *Caller = nullptr;
  };
  /// The temporaries of the full-expression that is being evaluated.
  class FullExpression;
  /// The automatic variables of one block.
  class Scope;
  /// How often a loop with an unknown bound is run.
  static constexpr int64_t UnknownLoopIterations = 4;
  /// After so many, `while (true)` without a tensor in it is left where only unknown
  /// conditions would leave it: it waits for input.
  static constexpr int64_t IdleLoopIterations = 64;
  enum class Flow { Normal, Break, Continue, Return };

  // Stmt.cpp
  Flow exec(const clang::Stmt *S);
  Flow execCompound(const clang::CompoundStmt *S);
  Flow execIf(const clang::IfStmt *S);
  Flow execSwitch(const clang::SwitchStmt *S);
  Flow execTry(const clang::CXXTryStmt *S);
  void execReturn(const clang::ReturnStmt *S);
  void declare(const clang::Decl *D);
  void declareVar(const clang::VarDecl *D);
  void declareBindings(const clang::DecompositionDecl *D, CellRef Whole);
  void at(clang::SourceLocation Loc);
  void statementDone();
  // Loop.cpp
  Flow execFor(const clang::ForStmt *S);
  Flow execWhile(const clang::WhileStmt *S);
  Flow execDo(const clang::DoStmt *S);
  Flow execRangeFor(const clang::CXXForRangeStmt *S);
  Flow execRangeByIterators(const clang::CXXForRangeStmt *S);
  void bindLoopVariable(const clang::VarDecl *V, CellRef Element);
  Flow runLoop(const clang::Stmt *Loop, const clang::Expr *Cond,
               const clang::VarDecl *CondVar, const clang::Stmt *Body,
               const clang::Expr *Inc, bool TestFirst);
  std::optional<int64_t> remaining(const clang::Expr *Cond, LoopTracker &T);
  /// What is left of a loop whose iterations repeat.
  enum class Rest { Nothing, LastIteration, FromTurn };
  Rest skipAhead(const clang::Expr *Cond, LoopTracker &T);
  bool isConstantTrue(const clang::Expr *Cond);
  Value conditionValue(const clang::Expr *E, const clang::VarDecl *V);
  std::optional<bool> condition(const clang::Expr *E, const clang::VarDecl *V);
  // Expr.cpp
  Operand eval(const clang::Expr *E);
  Operand evalUncounted(const clang::Expr *E);
  Operand evalRare(const clang::Expr *E);
  CellRef evalPlace(const clang::Expr *E);
  Value evalValue(const clang::Expr *E);
  void evalInto(CellRef Dest, const clang::Expr *E);
  void evalInitList(CellRef Dest, const clang::InitListExpr *E);
  Operand evalDeclRef(const clang::Expr *E, const clang::ValueDecl *D);
  Operand evalMember(const clang::MemberExpr *E);
  Operand memberOf(CellRef Base, const clang::FieldDecl &F);
  Operand evalStmtExpr(const clang::StmtExpr *E);
  std::optional<Value> constant(const clang::Expr *E);
  void overrideVar(const clang::VarDecl &D, Cell &C);
  Operand evalSubscript(const clang::ArraySubscriptExpr *E);
  Operand evalConditional(const clang::AbstractConditionalOperator *E);
  Operand evalLambda(const clang::LambdaExpr *E);
  Operand evalNew(const clang::CXXNewExpr *E);
  Operand evalDelete(const clang::CXXDeleteExpr *E);
  Operand evalMaterialize(const clang::MaterializeTemporaryExpr *E);
  CellRef globalCell(const clang::VarDecl *D);
  // Operators.cpp
  Operand evalCast(const clang::CastExpr *E);
  Operand evalClassCast(const clang::CastExpr *E);
  std::optional<Operand> evalAllocation(const clang::CastExpr *E);
  Operand evalUnary(const clang::UnaryOperator *E);
  Operand evalBinary(const clang::BinaryOperator *E);
  void watch(const clang::BinaryOperator &E, int64_t L, int64_t R);
  void compared(const void *E, clang::BinaryOperatorKind Op, int64_t L, int64_t R,
                const void *Remainder = nullptr);
  Operand evalLogical(const clang::BinaryOperator *E);
  Operand evalAssign(const clang::BinaryOperator *E);
  Value arithmetic(clang::BinaryOperatorKind Op, Value L, Value R,
                   clang::QualType Type, clang::QualType Operands);
  Value pointerArithmetic(clang::BinaryOperatorKind Op, Value L, Value R);
  Value convert(Value V, clang::QualType To);
  void store(Cell &C, Value V);
  // Call.cpp
  Operand evalCall(const clang::CallExpr *E);
  Operand evalOperatorCall(const clang::CXXOperatorCallExpr *E);
  void evalArgs(CallSite &Site, const clang::FunctionDecl *Callee,
                llvm::ArrayRef<const clang::Expr *> Args, bool RightToLeft);
  Operand evalArg(const clang::Expr *E);
  const clang::FunctionDecl *dispatch(const clang::CXXMethodDecl *M,
                                      CellRef &Object);
  const clang::FunctionDecl *bodyOf(const clang::FunctionDecl *F,
                                    UnitView &Where);
  Operand runBody(const clang::FunctionDecl *F, UnitView Where, CallSite &Site);
  Operand unknownCall(CallSite &Site, llvm::StringRef Name);
  Operand callNative(NativeFn Fn, CallSite &Site);
  std::optional<Operand> callOverDraw(NativeFn Fn, CallSite &Site);
  NativeFn nativeFor(const clang::FunctionDecl &F);
  NativeFn libraryNative(llvm::StringRef Name, clang::SourceLocation Loc) const;
  bool assignGenerically(CallSite &Site, Operand &Result);
  void bindCaptures(Frame &F, const clang::CXXRecordDecl &Lambda,
                    CellRef Closure);
  enum class Forget { Plain, Unset };
  void forget(Cell &C, llvm::function_ref<UnknownRef()> Cause, Forget What,
              unsigned Level = 0);
  const clang::CXXMethodDecl *findMethod(const clang::CXXRecordDecl &D,
                                         llvm::StringRef Name, size_t Arity);
  CellRef calleeObject(const clang::Expr *Base, bool Arrow);
  void bindParams(Frame &F, const clang::FunctionDecl *Fn, CallSite &Site);
  // Construct.cpp
  void constructInto(CellRef Dest, CallSite &Site);
  void evalConstruct(CellRef Dest, const clang::CXXConstructExpr *E);
  bool constructGenerically(CellRef Dest, CallSite &Site);
  void runConstructor(CellRef Dest, const clang::CXXConstructorDecl *C,
                      UnitView Where, CallSite &Site);
  void initMembers(CellRef Dest, Record &R, const clang::CXXConstructorDecl *C,
                   CallSite &Site);
  std::unique_ptr<Record> makeRecord(const clang::CXXRecordDecl *D);
  void defaultInit(CellRef Dest, clang::QualType T);
  /// T[N], default-initialized: scalars hold nothing yet.
  std::unique_ptr<Sequence> defaultArray(clang::QualType Element, uint64_t N);
  void zeroFill(Cell &C, clang::QualType T);
  void initImplicitly(CellRef Dest, Record &R);
  void initFields(CellRef Dest, Record &R);
  void runInherited(CellRef Dest, const clang::CXXConstructorDecl &C,
                    CallSite &Site);
  void runInheritedThrough(CellRef Dest, const clang::CXXRecordDecl &D,
                           CallSite &Site);
  void constructBody(const clang::CXXConstructorDecl &C, CallSite &Site);
  const clang::FunctionDecl *pickConstructor(const clang::CXXRecordDecl *D,
                                             llvm::MutableArrayRef<Operand> Args);
  // Machine.cpp
  void makeGlobals(llvm::ArrayRef<clang::Decl *> Decls);
  void destroyCell(Cell &C);
  void destroyBackwards(llvm::SmallVectorImpl<CellRef> &Cells);
  void keepTemporary(CellRef C);
  CellRef placeOf(Record &R);
  const clang::FunctionDecl *userCopy(const Record &R, bool Move);

  UnitView Unit;
  /// Those that the run has been in: a method of an object made in another unit is
  /// called on that unit's declaration.
  llvm::DenseMap<const clang::ASTContext *, UnitView> Units;
  UnitProvider *Others;
  Domain &Plugin;
  Budget Limits;
  bool Unwinding = false;
  bool Asleep = false; ///< Unwinding, but no exception.
  bool Stopped = false;
  /// Why bodyOf() gave nothing the last time; may be empty.
  std::string NoBody;
  std::string whyNoBody() const { return NoBody.empty() ? "" : ": " + NoBody; }
  std::string Thrown; ///< The message of the exception being thrown.
  int64_t Steps = 0;
  unsigned Depth = 0;
  unsigned NextLoop = 0;
  uint64_t LastName = 0; ///< Of UnknownValue.
  /// What the run's thread has computed so far.
  static std::chrono::steady_clock::time_point computingTime();
  std::chrono::steady_clock::time_point Started;
  uint64_t Decided = 0; ///< Unknown conditions met so far.
  std::chrono::steady_clock::time_point Deadline;
  Frame *Current = nullptr;
  FullExpression *Temporaries = nullptr;
  Scope *Block = nullptr;
  CellRef BoundObject; ///< Left side of a .* or ->* whose call comes next.
  llvm::DenseMap<const clang::Expr *, Operand *> Opaque;
  std::vector<CellRef> Heap; ///< Objects made by new: they live until deleted.
  std::map<std::string, CellRef> GlobalsByUsr;
  llvm::DenseMap<const clang::VarDecl *, CellRef> Globals;
  llvm::DenseMap<const clang::NamedDecl *, llvm::StringRef> Names;
  llvm::DenseMap<const clang::CXXRecordDecl *, ClassId> Classes;
  llvm::DenseMap<const clang::FunctionDecl *, NativeFn> Natives;
  /// By source manager and file; a cache.
  mutable llvm::DenseMap<std::pair<const clang::SourceManager *, unsigned>, bool>
      ExternalFiles;
  llvm::StringMap<NativeFn> NativesByName;
  llvm::StringMap<NativeFn> LibraryNatives;
  llvm::StringMap<CellRef> LibraryStates;
  /// Cells whose numbers changed, per active loop; for extrapolation.
  std::vector<LoopTracker *> Trackers;
  std::set<std::pair<SourcePos, std::string>> Reported;
};

/// Watches one loop of the program: when iterations repeat, and how its counters
/// move, so that the rest can be skipped.
class LoopTracker {
public:
  explicit LoopTracker(Machine &M);
  ~LoopTracker();
  /// Call at the start of each iteration.
  void begin();
  /// Call at the end of each iteration. True: it did what the ones before did,
  /// and so will all the rest.
  bool end();
  /// Lets counters advance as if \p Iterations had run; others become Unknown.
  void jump(int64_t Iterations);
  int64_t iteration() const { return Iteration; }
  /// The head's values again, without an iteration: after the increment.
  void beginSilently();
  /// Did anything that the domain records happen in the loop?
  bool digestSeen() const { return !Digests.empty() && Digests.back() != 0; }
  /// Did the last iteration change nothing that is still there? Then it waits.
  bool idle() const;
  /// The last iterations did the same, and each left as much more behind.
  bool grows() const;
  /// A number in \p C is about to change.
  void written(Cell &C);
  /// A container or text in \p C has another size now.
  void resized(Cell &C);
  /// Nobody knows how often the loop runs: numbers that it changes are unknown, and
  /// so is how much is in what it fills.
  void forget();
  /// `x % Modulus` was computed in the loop.
  void modulus(int64_t N);
  /// What the loop computes that can turn; null in iterations that do nothing of
  /// interest to the domain.
  Turns *turns() { return digestSeen() ? &Turning : nullptr; }
  /// Lets the loop jump to the iteration in which something turns, if it has one
  /// before the last of \p Left iterations. False: it has none.
  bool jumpToTurn(int64_t Left);
  /// The change per iteration of the integer in \p C; nothing if not constant.
  std::optional<int64_t> delta(Cell &C) const;

private:
  struct History {
    CellRef C;
    /// Its values at the last heads, the newest last.
    llvm::SmallVector<std::optional<int64_t>, 3> AtHead;
  };
  void dropDead();
  bool isDead(const History &H) const;
  Machine &M;
  unsigned Loop;
  /// A loop in a library's function is part of the statement that calls it.
  bool OfUser;
  int64_t Iteration = -1;
  int64_t Period = 1;
  size_t Mark = 0; ///< Of what the domain recorded, at the iteration's start.
  bool sameFor(size_t Periods) const;
  bool fills() const;
  void openResized();
  Turns Turning;
  std::set<uint64_t> Known; ///< The digests so far.
  int64_t Checking = 0;     ///< Iterations that are still to be run for a turn.
  bool FoundNew = false;    ///< Did one of those do what none did before?
  std::vector<uint64_t> Digests;
  std::vector<int64_t> Levels; ///< Of what is alive, after each iteration.
  std::vector<History> Written;
  size_t MostWritten = 64; ///< Then those that died are dropped.
  llvm::DenseMap<Cell *, unsigned> WrittenIndex;
  std::vector<CellRef> Resized;
};

} // namespace vramlint
