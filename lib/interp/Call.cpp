//===- lib/interp/Call.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls: arguments, virtual dispatch, and who answers: the domain, a native
// model, the function's body (from this unit or another), or nobody.

#include "lib/interp/Internal.h"
#include "lib/interp/SemaScope.h"
#include "llvm/ADT/DenseMap.h"

using namespace clang;

namespace vramlint {

Operand Machine::evalArg(const Expr *E) {
  if (E->isGLValue())
    return Operand(evalPlace(E));
  if (E->getType()->isRecordType()) {
    CellRef C = makeCell();
    evalInto(C, E);
    return Operand(C->take());
  }
  return Operand(evalValue(E));
}

void Machine::evalArgs(CallSite &Site, const FunctionDecl *Callee,
                       llvm::ArrayRef<const Expr *> Args, bool Reverse) {
  size_t First = Site.Args.size();
  Site.Args.resize(First + Args.size());
  for (size_t I = 0; I < Args.size(); ++I) {
    size_t K = Reverse ? Args.size() - 1 - I : I;
    Site.Args[First + K] = evalArg(Args[K]);
  }
}

/// The object that a member access or call is made on.
CellRef Machine::calleeObject(const Expr *Base, bool Arrow) {
  if (!Arrow) {
    CellRef C = evalPlace(Base);
    return C;
  }
  Operand O = eval(Base);
  Value &V = O.value();
  if (V.isPointer())
    return V.pointer().Target
               ? V.pointer().Target
               : makeCell(unknown("a null pointer is followed"));
  if (V.isUnknown())
    return makeCell(unknown(V.unknown()));
  return O.Place ? O.Place : makeCell(std::move(O.V));
}

Operand Machine::evalCall(const CallExpr *E) {
  at(E->getExprLoc().isValid() && !isExternal(E->getExprLoc())
         ? E->getExprLoc()
         : E->getBeginLoc());
  SourcePos Here = Current ? Current->Pos : SourcePos();
  CallSite Site;
  Site.E = E;
  Site.Callee = E->getDirectCallee();
  llvm::SmallVector<const Expr *, 8> Args(E->arguments());
  if (auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
    if (auto *ME = dyn_cast<MemberExpr>(strip(M->getCallee()))) {
      if (isa<CXXDestructorDecl>(ME->getMemberDecl()))
        return Operand(Value());
      Site.Object = calleeObject(ME->getBase(), ME->isArrow());
      auto *Method = dyn_cast<CXXMethodDecl>(ME->getMemberDecl());
      if (Method && Method->isVirtual() && !ME->hasQualifier())
        Site.Callee = dispatch(Method, Site.Object);
      if (Method && Method->isStatic())
        Site.Object = nullptr;
    } else { // (object.*pointer)(…)
      Value Fn = evalValue(M->getCallee());
      Site.Object = BoundObject;
      Site.Callee = Fn.isFunction() ? Fn.function().Fn : nullptr;
      if (auto *Method = dyn_cast_or_null<CXXMethodDecl>(Site.Callee);
          Method && Method->isVirtual())
        Site.Callee = dispatch(Method, Site.Object);
    }
  } else if (!Site.Callee) {
    Value Fn = evalValue(E->getCallee());
    if (Fn.isFunction())
      Site.Callee = Fn.function().Fn;
    else if (!Fn.isPointer() || !Fn.pointer().isNull()) {
      evalArgs(Site, nullptr, Args, RightToLeft);
      return callCallable(Fn, Site.Args);
    }
  }
  if (!Site.Callee) {
    evalArgs(Site, nullptr, Args, RightToLeft);
    return Operand(unknownFrom(Site, "a call of an unknown function"));
  }
  evalArgs(Site, Site.Callee, Args, RightToLeft);
  if (Unwinding || Stopped)
    return Operand(Value());
  if (Current && Current->UserCode && Current->Pos != Here && Here.isValid()) {
    Current->Pos = Here; // The arguments moved the place.
    Plugin.moved(*this);
  }
  return callFunction(Site);
}

Operand Machine::evalOperatorCall(const CXXOperatorCallExpr *E) {
  if (!isExternal(E->getOperatorLoc()))
    at(E->getOperatorLoc());
  SourcePos Here = Current ? Current->Pos : SourcePos();
  CallSite Site;
  Site.E = E;
  Site.Callee = E->getDirectCallee();
  llvm::SmallVector<const Expr *, 4> Args(E->arguments());
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(Site.Callee);
  // C++17 sequences the right side of an assignment first, and the left side of
  // shifts, subscripts and calls; the rest is the compiler's choice.
  bool Reverse = RightToLeft;
  if (E->isAssignmentOp())
    Reverse = true;
  else if (E->getOperator() == OO_LessLess || E->getOperator() == OO_GreaterGreater ||
           E->getOperator() == OO_Subscript || E->getOperator() == OO_Arrow ||
           E->getOperator() == OO_Comma || E->getOperator() == OO_ArrowStar)
    Reverse = false;
  if (E->getOperator() == OO_Call && Method) {
    Site.Object = evalPlace(Args[0]);
    evalArgs(Site, Site.Callee, llvm::ArrayRef(Args).drop_front(), RightToLeft);
  } else {
    evalArgs(Site, Site.Callee, Args, Reverse);
    if (Method && !Method->isStatic()) {
      Site.Object = Site.Args[0].Place ? Site.Args[0].Place
                                       : makeCell(std::move(Site.Args[0].V));
      Site.Args.erase(Site.Args.begin());
    } else if (Method && E->getOperator() != OO_Call) {
      Site.Args.erase(Site.Args.begin());
    }
  }
  if (Unwinding || Stopped)
    return Operand(Value());
  if (!Site.Callee)
    return Operand(unknownFrom(Site, "an operator that is not resolved"));
  if (Method && Method->isVirtual())
    Site.Callee = dispatch(Method, Site.Object);
  if (Current && Current->UserCode && Current->Pos != Here && Here.isValid()) {
    Current->Pos = Here;
    Plugin.moved(*this);
  }
  return callFunction(Site);
}

/// The final overrider of \p M in the dynamic class of \p Object, which becomes
/// the subobject of the overrider's class.
const FunctionDecl *Machine::dispatch(const CXXMethodDecl *M, CellRef &Object) {
  if (!Object)
    return M;
  CellRef Whole(&Object->complete());
  auto *R = Whole->V.as<Record>();
  if (!R || !R->Decl || !R->Decl->hasDefinition())
    return M;
  const CXXMethodDecl *Final = nullptr;
  if (&R->Decl->getASTContext() == &M->getASTContext())
    Final = M->getCorrespondingMethodInClass(R->Decl, /*MayBeBase=*/true);
  else // Another unit's class: by name and number of parameters.
    for (const CXXMethodDecl *C : R->Decl->methods())
      if (C->getDeclName().getAsString() == M->getDeclName().getAsString() &&
          C->getNumParams() == M->getNumParams())
        Final = C;
  if (!Final)
    return M;
  if (CellRef Sub = subobject(Whole, classId(*Final->getParent())))
    Object = Sub;
  return Final;
}

/// A library's headers may lie in the project; a name without a namespace is then
/// the project's own.
NativeFn Machine::libraryNative(llvm::StringRef Name, SourceLocation Loc) const {
  return Name.contains("::") || isExternal(Loc) ? LibraryNatives.lookup(Name)
                                                : nullptr;
}

NativeFn Machine::nativeFor(const FunctionDecl &F) {
  auto [It, New] = Natives.try_emplace(&F, nullptr);
  if (!New)
    return It->second;
  auto Found = NativesByName.find(nameOf(F));
  NativeFn Fn = Found == NativesByName.end() ? nullptr : Found->second;
  std::string Name = nameOf(F).str();
  // Conversions: the tables name "X::operator bool", else "X::operator T".
  if (auto *C = dyn_cast<CXXConversionDecl>(&F); C && !Fn) {
    Name = (nameOf(*C->getParent()) +
            (C->getConversionType()->isBooleanType() ? "::operator bool"
                                                     : "::operator T"))
               .str();
    Fn = NativesByName.lookup(Name);
  }
  // A user's own function of a library's name has its own body; ours are for
  // functions from outside.
  if (Fn && !isExternal(F.getLocation()))
    Fn = F.getLocation().isInvalid() ? Fn : nullptr;
  if (!Fn)
    Fn = libraryNative(Name, F.getLocation());
  return Natives[&F] = Fn;
}

/// The definition of \p F that can be run, and the unit it is in.
const FunctionDecl *Machine::bodyOf(const FunctionDecl *F, UnitView &Where) {
  NoBody.clear();
  const FunctionDecl *Def = nullptr;
  Units[Where.Context] = Where;
  if (&F->getASTContext() != Where.Context)
    if (UnitView Its = Units.lookup(&F->getASTContext()); Its.Context)
      Where = Its;
  if (F->getBody(Def))
    return Def;
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
  if (Pattern && Where.Sema && &F->getASTContext() == Where.Context &&
      Pattern->getBody()) {
    if (!Where.Sema->getDiagnostics().hasUncompilableErrorOccurred()) {
      SemaScope Scope(*Where.Sema);
      Where.Sema->InstantiateFunctionDefinition(
          F->getLocation(), const_cast<FunctionDecl *>(F), /*Recursive=*/true,
          /*DefinitionRequired=*/false);
      if (F->getBody(Def))
        return Def;
    }
  }
  if (!Others || isExternal(F->getLocation()))
    return nullptr;
  // Another file may have to be parsed: that isn't the program's time.
  auto Began = computingTime();
  Def = Others->definitionOf(*F, Where);
  NoBody = Def ? "" : Others->whyNot();
  auto Parsing = computingTime() - Began;
  Deadline += Parsing;
  Started += Parsing;
  if (Def)
    Units[Where.Context] = Where;
  return Def;
}

/// Assignment operators that nobody wrote: memberwise, or of library objects.
bool Machine::assignGenerically(CallSite &Site, Operand &Result) {
  auto *M = dyn_cast<CXXMethodDecl>(Site.Callee);
  if (!M || !Site.Object || Site.Args.size() != 1 ||
      !(M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()))
    return false;
  if (M->isUserProvided() && !isExternal(M->getLocation()))
    return false;
  if (M->isUserProvided() && Site.Object->V.as<Record>() && M->hasBody())
    return false;
  Value New = take(Site, 0);
  assign(*Site.Object, std::move(New));
  Result = Operand(Site.Object);
  return true;
}

/// Gives \p Dest the value \p New; the places of a record's fields stay.
void Machine::assign(Cell &Dest, Value New) {
  auto *To = Dest.V.as<Record>();
  auto *From = New.as<Record>();
  if (To && From && To->Class == From->Class) {
    for (size_t I = 0; I < To->Bases.size() && I < From->Bases.size(); ++I)
      assign(*To->Bases[I], From->Bases[I]->take());
    for (size_t I = 0; I < To->Fields.size() && I < From->Fields.size(); ++I)
      if (!To->IsReference[I])
        assign(*To->Fields[I], From->Fields[I]->take());
    return;
  }
  store(Dest, std::move(New));
}

/// Builtins that the machine computes itself; nothing for all others.
static std::optional<Operand> builtin(const FunctionDecl &F, CallSite &Site) {
  switch (F.getBuiltinID()) {
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_expect_with_probability:
  case Builtin::BI__builtin_assume_aligned:
  case Builtin::BIas_const:
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BImove_if_noexcept:
    if (!Site.Args.empty())
      return std::move(Site.Args[0]);
    return std::nullopt;
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
  case Builtin::BI__builtin_addressof:
    if (!Site.Args.empty() && Site.Args[0].Place)
      return Operand(Value(PointerValue{Site.Args[0].Place, nullptr, 0}));
    return std::nullopt;
  case Builtin::BI__builtin_is_constant_evaluated:
    return Operand(Value::integer(0));
  case Builtin::BI__builtin_unreachable:
  case Builtin::BI__builtin_trap:
  case Builtin::BI__assume:
  case Builtin::BI__builtin_assume:
    return Operand(Value());
  default:
    return std::nullopt;
  }
}

/// The elements or characters in \p C; -1 if it has none.
static int64_t sizeIn(const CellRef &C) {
  if (!C)
    return -1;
  if (C->V.isString())
    return C->V.string().size();
  auto *S = C->V.as<Sequence>();
  return S ? (int64_t)S->Elements.size() : -1;
}

/// A function of numbers (std::min, std::round), called with one that is drawn.
std::optional<Operand> Machine::callOverDraw(NativeFn Fn, CallSite &Site) {
  if (Site.Object || !Site.Callee || Site.Args.empty() ||
      !Site.Callee->getReturnType().getNonReferenceType()->isArithmeticType() ||
      llvm::none_of(Site.Args, [](Operand &A) {
        return A.value().isUnknown() && A.value().unknown()->Draw;
      }))
    return std::nullopt;
  llvm::SmallVector<const Value *, 4> Of;
  for (Operand &A : Site.Args)
    Of.push_back(&A.value());
  auto V = overDraw(Of, [&](llvm::MutableArrayRef<Value> Numbers) {
    CallSite One{Site.Callee, nullptr, {}, Site.E, Site.Type};
    for (Value &N : Numbers)
      One.Args.push_back(Operand(makeCell(std::move(N))));
    Operand Result = Fn(*this, One);
    return copy(Result.value());
  });
  if (!V)
    return std::nullopt;
  if (Site.Callee->getReturnType()->isReferenceType())
    return Operand(makeCell(std::move(*V)));
  return Operand(std::move(*V));
}

/// Calls a native model and tells the loops whether its object grew.
Operand Machine::callNative(NativeFn Fn, CallSite &Site) {
  if (std::optional<Operand> Drawn = callOverDraw(Fn, Site))
    return std::move(*Drawn);
  CellRef Object = Trackers.empty() ? nullptr : Site.Object;
  int64_t Before = sizeIn(Object);
  Operand Result = Fn(*this, Site);
  if (Before >= 0 && sizeIn(Object) != Before)
    for (LoopTracker *T : Trackers)
      T->resized(*Object);
  return Result;
}

Operand Machine::callFunction(CallSite &Site) {
  if (!step() || Unwinding)
    return Operand(Value());
  const FunctionDecl *F = Site.Callee;
  if (F->getBuiltinID())
    if (std::optional<Operand> O = builtin(*F, Site))
      return std::move(*O);
  llvm::StringRef Name = nameOf(*F);
  Operand Result;
  // __builtin_isnan and the like are their namesakes of the C library.
  if (F->getBuiltinID() && Name.consume_front("__builtin_"))
    if (NativeFn Fn = native(("std::" + Name).str()))
      return Fn(*this, Site);
  if (Plugin.call(*this, Name, Site, Result))
    return Result;
  if (NativeFn Fn = nativeFor(*F))
    return callNative(Fn, Site);
  if (assignGenerically(Site, Result))
    return Result;
  UnitView Where = Unit;
  if (const FunctionDecl *Def = bodyOf(F, Where))
    return runBody(Def, Where, Site);
  return unknownCall(Site, Name);
}

void Machine::bindParams(Frame &F, const FunctionDecl *Fn, CallSite &Site) {
  for (unsigned I = 0; I < Fn->getNumParams(); ++I) {
    const ParmVarDecl *P = Fn->getParamDecl(I);
    CellRef C;
    if (I < Site.Args.size()) {
      Operand &A = Site.Args[I];
      if (P->getType()->isReferenceType())
        C = A.Place ? A.Place : makeCell(std::move(A.V));
      else
        C = makeCell(A.Place ? copy(A.Place->V) : std::move(A.V));
      if (!A.Place)
        keepTemporary(C); // Parameters die with the caller's full-expression.
    } else if (P->hasDefaultArg() && !P->hasUninstantiatedDefaultArg() &&
               !P->hasUnparsedDefaultArg()) {
      C = makeCell();
      evalInto(C, P->getDefaultArg());
      keepTemporary(C);
    } else {
      C = makeCell(unknown("parameter " + P->getName()));
    }
    F.Params.push_back(C);
    F.Vars[P] = C;
  }
}

Operand Machine::runBody(const FunctionDecl *Fn, UnitView Where,
                         CallSite &Site) {
  if (Depth >= Limits.MaxCallDepth) {
    stop("calls nested deeper than " + llvm::Twine(Limits.MaxCallDepth));
    return Operand(Value());
  }
  ++Depth;
  UnitView SavedUnit = Unit;
  Frame F;
  F.Fn = Fn;
  F.This = Site.Object;
  F.Unit = Where;
  F.Name = nameOf(*Fn);
  bindParams(F, Fn, Site);
  Unit = Where;
  F.UserCode = !isExternal(Fn->getLocation());
  if (auto *M = dyn_cast<CXXMethodDecl>(Fn); M && M->getParent()->isLambda())
    bindCaptures(F, *M->getParent(), Site.Object);
  F.Caller = Current;
  Current = &F;
  if (F.UserCode) {
    at(Fn->getLocation());
    Plugin.enter(*this, *Fn, Site.Object);
  }
  Scope *SavedBlock = Block;
  if (auto *C = dyn_cast<CXXConstructorDecl>(Fn))
    constructBody(*C, Site);
  else
    exec(Fn->getBody());
  Block = SavedBlock;
  if (F.UserCode)
    Plugin.leave(*this, *Fn, Site.Object, F.Return);
  Current = F.Caller;
  Unit = SavedUnit;
  --Depth;
  if (F.UserCode && Current)
    Plugin.moved(*this);
  if (Fn->isMain() && F.Return.V.isVoid())
    F.Return = Operand(Value::integer(0));
  if (!F.Return.Place && F.Return.V.isVoid() && !Fn->getReturnType()->isVoidType() &&
      !isa<CXXConstructorDecl>(Fn) && !Unwinding && !Stopped)
    F.Return = Operand(unknown("a function that does not return"));
  return std::move(F.Return);
}

void Machine::bindCaptures(Frame &F, const CXXRecordDecl &Lambda,
                           CellRef Closure) {
  auto *R = Closure ? Closure->V.as<Record>() : nullptr;
  if (!R)
    return;
  llvm::DenseMap<const ValueDecl *, FieldDecl *> Fields;
  FieldDecl *This = nullptr;
  Lambda.getCaptureFields(Fields, This);
  for (auto &[Var, Field] : Fields)
    if (Field->getFieldIndex() < R->Fields.size())
      F.Captures[Var] = R->Fields[Field->getFieldIndex()];
  F.This = nullptr;
  if (!This || This->getFieldIndex() >= R->Fields.size())
    return;
  CellRef C = R->Fields[This->getFieldIndex()];
  F.This = C->V.isPointer() ? C->V.pointer().Target : C;
}

/// Nobody knows what the call does: plain values that it could write are unknown
/// from here on, objects of the domain keep what is known of them. A method may
/// have set what its object lacked.
Operand Machine::unknownCall(CallSite &Site, llvm::StringRef Name) {
  const FunctionDecl *F = Site.Callee;
  QualType T = F->getReturnType();
  bool System = Name.starts_with("std::") || Name.starts_with("__");
  UnknownRef Cause;
  auto GetCause = [&] {
    if (!Cause) {
      std::string Reason = System ? (Name + "() is not modelled").str()
                                  : ("no body of " + Name + "() to be seen").str() +
                                        whyNoBody();
      Value U = unknown(Reason);
      Cause = U.unknown();
    }
    return Cause;
  };
  for (size_t I = 0; I < Site.Args.size() && I < F->getNumParams(); ++I) {
    QualType P = F->getParamDecl(I)->getType();
    CellRef Target;
    if (P->isLValueReferenceType() && !P->getPointeeType().isConstQualified())
      Target = Site.Args[I].Place;
    else if (P->isPointerType() && !P->getPointeeType().isConstQualified() &&
             Site.Args[I].value().isPointer())
      Target = Site.Args[I].value().pointer().Target;
    if (Target)
      forget(*Target, GetCause, Forget::Plain);
  }
  if (const auto *Method = dyn_cast<CXXMethodDecl>(F);
      Method && Site.Object && !Method->isConst() && !System)
    forget(*Site.Object, GetCause, Forget::Unset);
  if (T->isVoidType())
    return Operand(Value());
  if (T->isReferenceType() && Site.Object && Site.E &&
      context().hasSameUnqualifiedType(T.getNonReferenceType(),
                                       Site.E->getType()) &&
      Site.Callee->getOverloadedOperator() == OO_LessLess)
    return Operand(Site.Args.empty() ? Site.Object : Site.Object);
  Value U = unknown(GetCause());
  return T->isReferenceType() ? Operand(makeCell(std::move(U)))
                              : Operand(std::move(U));
}

/// Makes numbers, strings and containers of them in \p C unknown, or only what
/// holds nothing; undefined tensors and null pointers do either way.
void Machine::forget(Cell &C, llvm::function_ref<UnknownRef()> Cause,
                     Forget What, unsigned Level) {
  if (Level > 4)
    return;
  bool Unset = C.V.isVoid() || (C.V.isPointer() && C.V.pointer().isNull());
  if (C.V.isObject()) {
    auto *P = C.V.as<SmartPtr>();
    Unset = P ? !P->Target : Plugin.isUnset(C.V.object());
  }
  if (Unset || (What == Forget::Plain && (C.V.isNumber() || C.V.isString()))) {
    store(C, Value(Cause()));
  } else if (auto *S = C.V.as<Sequence>()) {
    if (S->Elements.empty() && S->Tag != Sequence::CArray &&
        S->Tag != Sequence::Array) {
      C.set(Value(Cause()));
      return;
    }
    for (CellRef &E : S->Elements)
      forget(*E, Cause, What, Level + 1);
  } else if (auto *R = C.V.as<Record>()) {
    for (size_t I = 0; I < R->Fields.size(); ++I)
      if (R->Fields[I] && !R->IsReference[I])
        forget(*R->Fields[I], Cause, What, Level + 1);
  }
}

static const CXXMethodDecl *callOperator(const CXXRecordDecl &D, size_t Arity) {
  if (!D.hasDefinition())
    return nullptr;
  for (const Decl *Member : D.decls()) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(Member)) {
      if (T->getDeclName().getCXXOverloadedOperator() != OO_Call)
        continue;
      for (const FunctionDecl *Spec : T->specializations())
        if (Spec->getNumParams() == Arity)
          return dyn_cast<CXXMethodDecl>(Spec);
    }
    auto *M = dyn_cast<CXXMethodDecl>(Member);
    if (M && M->getOverloadedOperator() == OO_Call &&
        Arity <= M->getNumParams() && Arity >= M->getMinRequiredArguments())
      return M;
  }
  return nullptr;
}

Operand Machine::callCallable(Value &Callable,
                              llvm::MutableArrayRef<Operand> Args) {
  CallSite Site;
  for (Operand &A : Args)
    Site.Args.push_back(A.Place ? Operand(A.Place) : Operand(std::move(A.V)));
  if (auto *F = Callable.as<FunctionObject>())
    return callCallable(F->Callable, Site.Args);
  if (Callable.isPointer() && Callable.pointer().Target)
    return callCallable(Callable.pointer().Target->V, Site.Args);
  if (Callable.isFunction() && Callable.function().Fn) {
    Site.Callee = Callable.function().Fn;
    // A pointer to member: the first argument is the object.
    if (auto *M = dyn_cast<CXXMethodDecl>(Site.Callee);
        M && !M->isStatic() && !Site.Args.empty()) {
      Value &First = Site.Args[0].value();
      Site.Object = First.isPointer() ? First.pointer().Target
                    : First.as<SmartPtr>() ? First.as<SmartPtr>()->Target
                                           : Site.Args[0].Place;
      Site.Args.erase(Site.Args.begin());
      if (M->isVirtual())
        Site.Callee = dispatch(M, Site.Object);
    }
    return callFunction(Site);
  }
  if (auto *R = Callable.as<Record>())
    if (const CXXMethodDecl *M = callOperator(*R->Decl, Args.size())) {
      Site.Callee = M;
      Site.Object = R->Self && &R->Self->V == &Callable ? CellRef(R->Self) : nullptr;
      if (Site.Object)
        return callFunction(Site);
      // The closure is in no place (a prvalue): give it one for the call.
      CellRef C = makeCell(std::move(Callable));
      Site.Object = C;
      Operand Result = callFunction(Site);
      Callable = C->take();
      return Result;
    }
  return Operand(Callable.isUnknown() ? unknown(Callable.unknown())
                                      : unknown("a call of something unknown"));
}

const CXXMethodDecl *Machine::findMethod(const CXXRecordDecl &D,
                                         llvm::StringRef Name, size_t Arity) {
  if (!D.hasDefinition())
    return nullptr;
  for (const Decl *Member : D.decls()) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(Member)) {
      if (T->getDeclName().getAsString() == Name)
        for (const FunctionDecl *Spec : T->specializations())
          if (Spec->getNumParams() == Arity)
            return dyn_cast<CXXMethodDecl>(Spec);
      continue;
    }
    auto *M = dyn_cast<CXXMethodDecl>(Member);
    if (M && M->getDeclName().getAsString() == Name &&
        Arity <= M->getNumParams() && Arity >= M->getMinRequiredArguments())
      return M;
  }
  for (const CXXBaseSpecifier &B : D.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
      if (const CXXMethodDecl *M = findMethod(*Base, Name, Arity))
        return M;
  return nullptr;
}

bool Machine::hasMethod(const Record &R, llvm::StringRef Name) {
  for (const CXXMethodDecl *M : R.Decl->methods())
    if (M->getDeclName().isIdentifier() && M->getName() == Name)
      return true;
  for (const CellRef &B : R.Bases)
    if (auto *Base = B->V.as<Record>(); Base && hasMethod(*Base, Name))
      return true;
  return false;
}

Operand Machine::callMethod(CellRef Object, llvm::StringRef Name,
                            llvm::MutableArrayRef<Operand> Args) {
  CellRef Whole(&Object->complete());
  auto *R = Whole->V.as<Record>();
  const CXXMethodDecl *M = R ? findMethod(*R->Decl, Name, Args.size()) : nullptr;
  if (!M)
    return Operand(unknown("no method " + Name + " with " +
                           llvm::Twine(Args.size()) + " arguments"));
  CallSite Site;
  Site.Callee = M;
  Site.Object = Whole;
  if (CellRef Sub = subobject(Whole, classId(*M->getParent())))
    Site.Object = Sub;
  for (Operand &A : Args)
    Site.Args.push_back(A.Place ? Operand(A.Place) : Operand(std::move(A.V)));
  // A statement of the library's own: its arguments die here, not with the program's.
  FullExpression Full(*this);
  return callFunction(Site);
}

} // namespace vramlint
