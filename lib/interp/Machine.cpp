//===- lib/interp/Machine.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The machine's surroundings: places, names, subobjects, unknowns, budgets.

#include "lib/interp/Internal.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include <ctime>

using namespace clang;

namespace vramlint {

Domain::~Domain() = default;

/// The time that this process has computed: what a busy machine takes away does
/// not count, so that the same program gives the same answer there.
std::chrono::steady_clock::time_point Machine::computingTime() {
  return std::chrono::steady_clock::time_point(
      std::chrono::microseconds(int64_t(std::clock()) * 1'000'000 / CLOCKS_PER_SEC));
}

Machine::Machine(UnitView Unit, UnitProvider *Others, Domain &Plugin,
                 Budget Limits)
    : Unit(Unit), Others(Others), Plugin(Plugin), Limits(Limits) {
  Started = computingTime();
  Deadline = Started + std::chrono::microseconds((int64_t)(Limits.MaxSeconds * 1e6));
  for (llvm::ArrayRef<NativeEntry> Table : nativeTables())
    for (const NativeEntry &Row : Table)
      NativesByName.try_emplace(Row.Name, Row.Fn);
  for (llvm::ArrayRef<NativeEntry> Table : libraryTables())
    for (const NativeEntry &Row : Table)
      LibraryNatives.try_emplace(Row.Name, Row.Fn);
}

Cell &Machine::libraryState(llvm::StringRef Name) {
  CellRef &C = LibraryStates[Name];
  if (!C)
    C = makeCell();
  return *C;
}

Machine::~Machine() = default;

/// Globals with initializers that do something live as long as the program.
void Machine::makeGlobals(llvm::ArrayRef<Decl *> Decls) {
  for (Decl *D : Decls) {
    if (!isa<TranslationUnitDecl>(D) && isExternal(D->getLocation()))
      continue;
    if (isa<TranslationUnitDecl, NamespaceDecl>(D)) // The whole unit: clang-tidy's.
      makeGlobals(llvm::SmallVector<Decl *, 16>(cast<DeclContext>(D)->noload_decls()));
    auto *V = dyn_cast<VarDecl>(D);
    if (V && V->hasGlobalStorage() && V->hasInit() &&
        !V->getType()->isDependentType())
      globalCell(V);
  }
}

Operand Machine::run(const FunctionDecl &F,
                     llvm::MutableArrayRef<Operand> Args) {
  makeGlobals(context().getTraversalScope());
  CallSite Site;
  Site.Callee = &F;
  for (Operand &A : Args)
    Site.Args.push_back(std::move(A));
  FullExpression Full(*this);
  UnitView Where = Unit;
  const FunctionDecl *Def = bodyOf(&F, Where);
  return Def ? runBody(Def, Where, Site) : Operand();
}

bool Machine::buildAndDrop(QualType Type, llvm::MutableArrayRef<Operand> Args,
                           llvm::ArrayRef<QualType> ArgTypes,
                           llvm::function_ref<void(CellRef)> Use) {
  Frame F;
  F.Unit = Unit;
  F.UserCode = true;
  F.Name = "(class)";
  if (auto *D = Type->getAsCXXRecordDecl())
    F.Pos = posOf(D->getLocation());
  F.Caller = Current;
  Current = &F;
  Plugin.moved(*this);
  bool Built;
  {
    FullExpression Full(*this);
    CellRef C = makeCell();
    if (Args.empty())
      defaultInit(C, Type);
    else
      constructAt(C, Type, Args, ArgTypes);
    Built = !Unwinding && !Stopped && !C->V.isUnknown();
    if (Built)
      Use(C);
    destroyCell(*C);
  }
  Unwinding = false;
  Current = F.Caller;
  return Built;
}

// --- Budgets and the end of a run -------------------------------------------

bool Machine::step(int64_t Cost) {
  if (Stopped)
    return false;
  int64_t Before = Steps;
  Steps += Cost;
  if (Steps > Limits.MaxSteps) {
    stop("more than " + llvm::Twine(Limits.MaxSteps) + " steps");
    return false;
  }
  // The clock is read once per 4,096 steps: it costs more than a step.
  if ((Before >> 12) != (Steps >> 12) &&
      computingTime() > Deadline) {
    stop("the time limit");
    return false;
  }
  return true;
}

void Machine::stop(llvm::Twine Reason) {
  if (Stopped)
    return;
  UnknownInfo Info;
  Info.Reason = Reason.str();
  Info.Pos = currentPos();
  Stopped = true;
  Plugin.stopped(*this, Info);
}

void Machine::throwException(std::string Message) {
  if (!Unwinding)
    Thrown = std::move(Message);
  Unwinding = true;
}

// --- Unknowns ----------------------------------------------------------------

Value Machine::unknown(llvm::Twine Reason, llvm::Twine Tell) {
  UnknownRef Info(new UnknownInfo());
  Info->Reason = Reason.str();
  Info->Tell = Tell.str();
  Info->Pos = currentPos();
  if (Reported.insert({Info->Pos, Info->Reason}).second)
    Plugin.unknown(*this, *Info);
  return Value(Info);
}

Value Machine::unknownFrom(CallSite &Site, llvm::Twine Reason) {
  if (Site.Object && Site.Object->V.isUnknown())
    return unknown(Site.Object->V.unknown());
  for (Operand &A : Site.Args)
    if (A.value().isUnknown())
      return unknown(A.value().unknown());
  return unknown(Reason);
}

std::optional<bool> Machine::truth(const Value &V) {
  if (V.isInt())
    return V.asInt() != 0;
  if (V.isFloat())
    return V.asFloat() != 0;
  if (V.isPointer())
    return !V.pointer().isNull();
  if (V.isFunction())
    return V.function().Fn != nullptr;
  if (V.isString())
    return true; // A const char * that is not null.
  if (auto *P = V.as<SmartPtr>())
    return P->Target != nullptr;
  if (auto *S = V.as<Sequence>(); S && S->Tag == Sequence::Optional)
    return !S->Elements.empty();
  if (auto *F = V.as<FunctionObject>())
    return !F->Callable.isVoid();
  if (V.isUnknown() && V.unknown()->Draw) {
    auto Holds = [](const Number &N) {
      return std::visit([](auto X) { return X != 0; }, N);
    };
    const std::vector<Number> &May = V.unknown()->May;
    if (llvm::all_of(May, Holds) || llvm::none_of(May, Holds))
      return Holds(May.front());
  }
  return std::nullopt;
}

bool Machine::decide(const Value &Cond, bool Default) {
  if (std::optional<Value> V = drawn(Cond))
    return *truth(*V);
  ++Decided;
  SourcePos Pos = currentPos();
  bool Side = Default;
  if (auto It = Choices.Chosen.find(Pos); It != Choices.Chosen.end())
    Side = It->second;
  for (auto &[P, S] : Choices.Asked)
    if (P == Pos)
      return S;
  Choices.Asked.push_back({Pos, Side});
  return Side;
}

// --- Places ------------------------------------------------------------------

SourcePos Machine::posOf(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return {};
  const SourceManager &SM = context().getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  if (P.isInvalid())
    return {};
  return {intern(P.getFilename()), P.getLine(), P.getColumn()};
}

bool Machine::isExternal(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return true;
  const SourceManager &SM = context().getSourceManager();
  Loc = SM.getExpansionLoc(Loc);
  // Headers from the precompiled preamble are from outside the project.
  if (SM.isInSystemHeader(Loc) ||
      (SM.isLoadedSourceLocation(Loc) && !Unit.OwnHeadersInPreamble))
    return true;
  // A library's headers need not be marked as a system's (-I instead of
  // -isystem).
  FileID File = SM.getFileID(Loc);
  auto [It, New] = ExternalFiles.try_emplace(
      {&SM, File.getHashValue()}, false);
  if (New)
    It->second = Plugin.ownsFile(SM.getFilename(Loc));
  return It->second;
}

SourcePos Machine::currentPos() const {
  for (const Frame *F = Current; F; F = F->Caller)
    if (F->UserCode && F->Pos.isValid())
      return F->Pos;
  return {};
}

llvm::SmallVector<Machine::StackFrame, 8> Machine::callStack() const {
  llvm::SmallVector<StackFrame, 8> Stack;
  for (const Frame *F = Current; F; F = F->Caller)
    if (F->UserCode && F->Pos.isValid())
      Stack.push_back({F->Pos, F->Name});
  std::reverse(Stack.begin(), Stack.end());
  return Stack;
}

llvm::ArrayRef<CellRef> Machine::params() const {
  return Current ? llvm::ArrayRef<CellRef>(Current->Params)
                 : llvm::ArrayRef<CellRef>();
}

void Machine::at(SourceLocation Loc) {
  if (!Current || !Current->UserCode)
    return;
  // Expressions that the machine builds itself stand at the file's start.
  const SourceManager &SM = context().getSourceManager();
  if (Loc == SM.getLocForStartOfFile(SM.getMainFileID()))
    return;
  SourcePos Pos = posOf(Loc);
  if (!Pos.isValid() || Pos == Current->Pos)
    return;
  Current->Pos = Pos;
  Plugin.moved(*this);
}

// --- Names -------------------------------------------------------------------

static void appendName(const DeclContext *DC, std::string &Out) {
  if (!DC || DC->isTranslationUnit())
    return;
  appendName(DC->getParent(), Out);
  if (auto *NS = dyn_cast<NamespaceDecl>(DC)) {
    if (NS->isInline() || NS->isAnonymousNamespace())
      return;
    Out += NS->getName();
    Out += "::";
  } else if (auto *R = dyn_cast<RecordDecl>(DC)) {
    Out += R->getName();
    Out += "::";
  }
}

llvm::StringRef Machine::nameOf(const NamedDecl &D) {
  auto [It, New] = Names.try_emplace(&D);
  if (!New)
    return It->second;
  std::string Text;
  appendName(D.getDeclContext(), Text);
  if (auto *C = dyn_cast<CXXConstructorDecl>(&D))
    Text += C->getParent()->getName();
  else if (isa<CXXConversionDecl>(&D))
    Text += "operator " +
            cast<CXXConversionDecl>(&D)->getConversionType().getAsString(
                D.getASTContext().getPrintingPolicy());
  else
    Text += D.getDeclName().getAsString();
  return Names[&D] = intern(Text);
}

ClassId Machine::classId(const CXXRecordDecl &D) {
  const CXXRecordDecl *Key = D.getCanonicalDecl();
  auto [It, New] = Classes.try_emplace(Key);
  if (!New)
    return It->second;
  // Classes of one name in two anonymous namespaces, and closures, are told
  // apart by their declaration; others by their USR, so that a class is the same
  // in every unit that includes its header.
  llvm::SmallString<128> Usr;
  ClassId Id = Key;
  if (!D.isLambda() && !D.isInAnonymousNamespace() &&
      !index::generateUSRForDecl(Key, Usr) && !D.isLocalClass())
    Id = intern(Usr).data();
  return Classes[Key] = Id;
}

// --- Subobjects --------------------------------------------------------------

CellRef Machine::findSubobject(CellRef C,
                               llvm::function_ref<bool(const Value &)> Pred) {
  if (!C)
    return nullptr;
  if (Pred(C->V))
    return C;
  if (auto *R = C->V.as<Record>())
    for (CellRef &B : R->Bases)
      if (CellRef Found = findSubobject(B, Pred))
        return Found;
  return nullptr;
}

CellRef Machine::subobject(CellRef C, ClassId Id) {
  return findSubobject(std::move(C), [Id](const Value &V) {
    auto *R = V.as<Record>();
    return R && R->Class == Id;
  });
}

CellRef Machine::field(CellRef C, llvm::StringRef Name) {
  auto *R = C ? C->V.as<Record>() : nullptr;
  if (!R)
    return nullptr;
  for (const FieldDecl *F : R->Decl->fields())
    if (F->getName() == Name && F->getFieldIndex() < R->Fields.size())
      return R->Fields[F->getFieldIndex()];
  for (CellRef &B : R->Bases)
    if (CellRef Found = field(B, Name))
      return Found;
  return nullptr;
}

// --- Copies, moves, destruction ----------------------------------------------

Value Machine::copy(const Value &V) {
  if (V.isUnknown())
    return Value(UnknownValue(V.unknownValue()));
  if (V.isInt())
    return Value::integer(V.asInt());
  if (V.isFloat())
    return Value::real(V.asFloat());
  if (V.isString())
    return Value(V.string());
  if (V.isPointer())
    return Value(V.pointer());
  if (V.isFunction())
    return Value(V.function());
  if (!V.isObject())
    return Value();
  if (!step())
    return unknown("the budget is spent");
  if (auto *R = V.as<Record>())
    if (const FunctionDecl *C = userCopy(*R, /*Move=*/false)) {
      CellRef From(new Cell()), Dest(new Cell());
      // The copy constructor sees the original: lend it, then put it back.
      CallSite Site;
      Site.Callee = C;
      Site.Type = context().getRecordType(R->Decl);
      Site.Args.push_back(Operand(placeOf(*R)));
      if (Site.Args[0].Place) {
        constructInto(Dest, Site);
        return Dest->take();
      }
    }
  return Value(V.object().copy(*this));
}

/// The cell around a record, where it is a complete object that said so.
CellRef Machine::placeOf(Record &R) { return R.Self ? CellRef(R.Self) : nullptr; }

const FunctionDecl *Machine::userCopy(const Record &R, bool Move) {
  if (!R.Decl || R.Decl->isLambda())
    return nullptr;
  for (const CXXConstructorDecl *C : R.Decl->ctors())
    if ((Move ? C->isMoveConstructor() : C->isCopyConstructor()) &&
        C->isUserProvided())
      return C;
  return nullptr;
}

Value Machine::moveOut(Cell &From) {
  Value &V = From.V;
  if (V.isString()) {
    std::string Text = std::move(V.string());
    V = Value(std::string());
    return Value(std::move(Text));
  }
  if (!V.isObject())
    return copy(V);
  if (auto *R = V.as<Record>())
    if (const FunctionDecl *C = userCopy(*R, /*Move=*/true)) {
      CellRef Dest(new Cell());
      CallSite Site;
      Site.Callee = C;
      Site.Type = context().getRecordType(R->Decl);
      Site.Args.push_back(Operand(CellRef(&From)));
      constructInto(Dest, Site);
      return Dest->take();
    }
  return Value(V.object().move(*this));
}

Value Machine::take(CallSite &Site, unsigned I) {
  if (I >= Site.Args.size())
    return unknown("missing argument");
  Operand &A = Site.Args[I];
  if (!A.Place)
    return std::move(A.V);
  bool Rvalue = Site.Callee && I < Site.Callee->getNumParams() &&
                Site.Callee->getParamDecl(I)->getType()->isRValueReferenceType();
  return Rvalue ? moveOut(*A.Place) : copy(A.Place->V);
}

void Machine::destroyBackwards(llvm::SmallVectorImpl<CellRef> &Cells) {
  while (!Cells.empty()) {
    CellRef C = std::move(Cells.back());
    Cells.pop_back();
    destroyCell(*C);
  }
}

void Machine::destroyCell(Cell &C) {
  if (auto *R = C.V.as<Record>(); R && R->Decl && !Stopped) {
    const CXXDestructorDecl *D =
        R->Decl->hasDefinition() ? R->Decl->getDestructor() : nullptr;
    if (D && D->isUserProvided()) {
      UnitView Where = Unit;
      if (const FunctionDecl *Def = bodyOf(D, Where)) {
        CallSite Site;
        Site.Callee = Def;
        Site.Object = CellRef(&C);
        // A destructor runs during unwinding as well.
        bool Was = Unwinding;
        Unwinding = false;
        runBody(Def, Where, Site);
        Unwinding = Was;
      }
    }
  }
  C.destroy();
}

void Machine::keepTemporary(CellRef C) {
  if (Temporaries)
    Temporaries->Cells.push_back(std::move(C));
}

} // namespace vramlint
