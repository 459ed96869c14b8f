//===- lib/interp/Construct.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Constructors: bases, members and bodies in the order C++ runs them, and
// constructions that natives ask for (make_shared, emplace_back).

#include "lib/interp/Internal.h"
#include "lib/interp/SemaScope.h"

using namespace clang;

namespace vramlint {

std::unique_ptr<Record> Machine::makeRecord(const CXXRecordDecl *D) {
  auto R = std::make_unique<Record>();
  if (const CXXRecordDecl *Def = D->getDefinition())
    D = Def;
  R->Decl = D;
  R->Class = classId(*D);
  if (!D->hasDefinition())
    return R;
  for (unsigned I = 0; I < D->getNumBases(); ++I)
    R->Bases.push_back(makeCell());
  for (const FieldDecl *F : D->fields()) {
    R->Fields.push_back(makeCell());
    R->IsReference.push_back(F->getType()->isReferenceType());
  }
  return R;
}

Value Machine::defaultRecord(const CXXRecordDecl &Class) {
  CellRef C = makeCell();
  auto R = makeRecord(&Class);
  Record *Raw = R.get();
  C->set(Value(std::move(R)));
  initImplicitly(C, *Raw);
  return C->take();
}

/// In-class initializers and default constructors of all bases and members.
void Machine::initImplicitly(CellRef Dest, Record &R) {
  unsigned I = 0;
  for (const CXXBaseSpecifier &B : R.Decl->bases())
    defaultInit(R.Bases[I++], B.getType());
  CellRef SavedThis = Current ? Current->This : nullptr;
  if (Current)
    Current->This = Dest;
  for (const FieldDecl *F : R.Decl->fields()) {
    CellRef &C = R.Fields[F->getFieldIndex()];
    const Expr *Init = F->hasInClassInitializer() ? F->getInClassInitializer() : nullptr;
    if (Init && F->getType()->isReferenceType())
      C = evalPlace(Init);
    else if (Init)
      evalInto(C, Init);
    else
      defaultInit(C, F->getType());
  }
  if (Current)
    Current->This = SavedThis;
}

std::unique_ptr<Sequence> Machine::defaultArray(QualType Element, uint64_t N) {
  auto List = std::make_unique<Sequence>(Sequence::CArray);
  if (Element->isArithmeticType()) { // Not initialized.
    if (step(N / 8 + 1))
      List->Elements.append(N, Value());
    return List;
  }
  for (uint64_t I = 0; I < N && step(); ++I) {
    List->Elements.push_back(makeCell());
    defaultInit(List->Elements.back(), Element);
  }
  return List;
}

void Machine::defaultInit(CellRef Dest, QualType T) {
  if (const ConstantArrayType *A = context().getAsConstantArrayType(T)) {
    uint64_t N = A->getSize().getLimitedValue();
    if (N > (uint64_t)Limits.MaxElements)
      return Dest->set(unknown("an array too large to follow"));
    return Dest->set(Value(defaultArray(A->getElementType(), N)));
  }
  const CXXRecordDecl *D = T->getAsCXXRecordDecl();
  if (!D || !D->hasDefinition())
    return; // A scalar: not initialized.
  CallSite Site;
  Site.Type = T;
  for (const CXXConstructorDecl *C : D->ctors())
    if (C->isDefaultConstructor() && !C->isDeleted())
      Site.Callee = C;
  if (Site.Callee)
    return constructInto(Dest, Site);
  Operand Result;
  Value V;
  std::string Name = (nameOf(*D) + "::" + D->getName()).str();
  if (Plugin.construct(*this, Name, Site, V))
    return Dest->set(std::move(V));
  NativeFn Fn = NativesByName.lookup(Name);
  if (!Fn)
    Fn = libraryNative(Name, D->getLocation());
  if (Fn)
    return Dest->set(std::move(Fn(*this, Site).V));
  auto R = makeRecord(D);
  Record *Raw = R.get();
  Dest->set(Value(std::move(R)));
  initImplicitly(Dest, *Raw);
}

Value Machine::defaultValue(QualType T) {
  T = T.getNonReferenceType();
  if (T->isIntegralOrEnumerationType())
    return Value::integer(0);
  if (T->isFloatingType())
    return Value::real(0);
  if (T->isAnyPointerType() || T->isNullPtrType() || T->isMemberPointerType())
    return Value(PointerValue{});
  CellRef C = makeCell();
  defaultInit(C, T);
  zeroFill(*C, T);
  return C->take();
}

/// Value-initialization: scalars that no constructor set are zero.
void Machine::zeroFill(Cell &C, QualType T) {
  if (const ConstantArrayType *A = context().getAsConstantArrayType(T)) {
    if (auto *S = C.V.as<Sequence>())
      for (CellRef &E : S->Elements)
        zeroFill(*E, A->getElementType());
    return;
  }
  auto *R = C.V.as<Record>();
  if (!R) {
    if (C.V.isVoid() && T->isScalarType())
      C.set(defaultValue(T));
    return;
  }
  for (const FieldDecl *F : R->Decl->fields())
    if (F->getFieldIndex() < R->Fields.size() && !F->getType()->isReferenceType())
      zeroFill(*R->Fields[F->getFieldIndex()], F->getType());
}

void Machine::evalConstruct(CellRef Dest, const CXXConstructExpr *E) {
  if (const ConstantArrayType *A = context().getAsConstantArrayType(E->getType()))
    return defaultInit(Dest, QualType(A, 0));
  if (!isExternal(E->getExprLoc()))
    at(E->getExprLoc());
  SourcePos Here = Current ? Current->Pos : SourcePos();
  CallSite Site;
  Site.E = E;
  Site.Type = E->getType();
  Site.Callee = E->getConstructor();
  llvm::SmallVector<const Expr *, 8> Args(E->arguments());
  evalArgs(Site, Site.Callee, Args,
           RightToLeft && !E->isListInitialization());
  if (Unwinding || Stopped)
    return;
  if (Current && Current->UserCode && Current->Pos != Here && Here.isValid()) {
    Current->Pos = Here;
    Plugin.moved(*this);
  }
  constructInto(Dest, Site);
  if (E->requiresZeroInitialization())
    zeroFill(*Dest, E->getType());
}

/// Tells the plug-in of a constructor that nobody wrote, as of one with a body.
static void tellBuilt(Domain &Plugin, Machine &M, const CXXConstructorDecl &C,
                      CellRef Dest) {
  if (M.isExternal(C.getParent()->getLocation()))
    return;
  Operand None;
  Plugin.enter(M, C, Dest);
  Plugin.leave(M, C, Dest, None);
}

/// Constructors that nobody wrote: copies, moves, and defaults.
bool Machine::constructGenerically(CellRef Dest, CallSite &Site) {
  auto *C = cast<CXXConstructorDecl>(Site.Callee);
  const CXXRecordDecl *D = C->getParent();
  bool FromSame = C->isCopyOrMoveConstructor() && Site.Args.size() >= 1;
  if (FromSame && Site.Args[0].Place) {
    Cell &From = *Site.Args[0].Place;
    bool Written = C->isUserProvided() && !isExternal(C->getLocation());
    if (Written && !nativeFor(*C)) // A library's object is copied as the value it is.
      return false;
    // A derived object where a base is wanted: only that part.
    CellRef Part = subobject(&From, classId(*D));
    Cell &Source = Part ? *Part : From;
    auto *Rec = Source.V.as<Record>();
    if (Rec && Rec->Decl && C->isUserProvided() &&
        Rec->Decl->getCanonicalDecl() == D->getCanonicalDecl())
      // Part by part: copy() and moveOut() would ask this constructor again.
      Dest->set(Value(C->isMoveConstructor() ? Source.V.object().move(*this)
                                             : Source.V.object().copy(*this)));
    else
      Dest->set(C->isMoveConstructor() ? moveOut(Source) : copy(Source.V));
    return true;
  }
  if (C->isDefaultConstructor() && !C->isUserProvided() && !C->getBody()) {
    // A container's state is not its fields; what is empty has none.
    if (isExternal(D->getLocation()) && nameOf(*D).starts_with("std::") &&
        !D->isEmpty())
      return false;
    auto R = makeRecord(D);
    Record *Raw = R.get();
    Dest->set(Value(std::move(R)));
    initImplicitly(Dest, *Raw);
    tellBuilt(Plugin, *this, *C, Dest);
    return true;
  }
  return false;
}

void Machine::constructInto(CellRef Dest, CallSite &Site) {
  if (!step() || Unwinding)
    return;
  auto *C = cast<CXXConstructorDecl>(Site.Callee);
  llvm::StringRef Name = nameOf(*C);
  Value V;
  if (Plugin.construct(*this, Name, Site, V))
    return Dest->set(std::move(V));
  if (NativeFn Fn = nativeFor(*C); Fn && !C->isCopyOrMoveConstructor()) {
    Operand O = Fn(*this, Site);
    return Dest->set(O.Place ? copy(O.Place->V) : std::move(O.V));
  }
  if (constructGenerically(Dest, Site))
    return;
  if (C->isInheritingConstructor())
    return runInherited(Dest, *C, Site);
  UnitView Where = Unit;
  if (const FunctionDecl *Def = bodyOf(C, Where)) {
    runConstructor(Dest, cast<CXXConstructorDecl>(Def), Where, Site);
    return;
  }
  Dest->set(unknownFrom(Site, "no body of the constructor " + Name + " to be seen" +
                                  whyNoBody()));
}

void Machine::runInherited(CellRef Dest, const CXXConstructorDecl &C,
                           CallSite &Site) {
  const CXXConstructorDecl *Base = C.getInheritedConstructor().getConstructor();
  auto R = makeRecord(C.getParent());
  Record *Raw = R.get();
  Dest->set(Value(std::move(R)));
  unsigned I = 0;
  for (const CXXBaseSpecifier &B : Raw->Decl->bases()) {
    CellRef Cell = Raw->Bases[I++];
    const CXXRecordDecl *D = B.getType()->getAsCXXRecordDecl();
    bool Holds = D && (D->getCanonicalDecl() == Base->getParent()->getCanonicalDecl());
    if (!Holds && D && D->isDerivedFrom(Base->getParent()))
      Holds = true;
    if (!Holds) {
      defaultInit(Cell, B.getType());
      continue;
    }
    CallSite Inner;
    Inner.Callee = Base;
    Inner.Type = B.getType();
    Inner.E = Site.E;
    for (Operand &A : Site.Args)
      Inner.Args.push_back(A.Place ? Operand(A.Place) : Operand(std::move(A.V)));
    if (D->getCanonicalDecl() == Base->getParent()->getCanonicalDecl())
      constructInto(Cell, Inner);
    else
      runInheritedThrough(Cell, *D, Inner);
  }
  initFields(Dest, *Raw);
  tellBuilt(Plugin, *this, C, Dest);
}

/// `using Base::Base` over two levels: the class between has one as well.
void Machine::runInheritedThrough(CellRef Dest, const CXXRecordDecl &D,
                                  CallSite &Site) {
  for (const CXXConstructorDecl *C : D.ctors())
    if (C->isInheritingConstructor() &&
        C->getInheritedConstructor().getConstructor() == Site.Callee)
      return runInherited(Dest, *C, Site);
  defaultInit(Dest, Site.Type);
}

/// Members as their in-class initializers and default constructors say.
void Machine::initFields(CellRef Dest, Record &R) {
  CellRef SavedThis = Current ? Current->This : nullptr;
  if (Current)
    Current->This = Dest;
  for (const FieldDecl *F : R.Decl->fields()) {
    CellRef C = R.Fields[F->getFieldIndex()];
    if (F->hasInClassInitializer() && F->getInClassInitializer())
      evalInto(C, F->getInClassInitializer());
    else
      defaultInit(C, F->getType());
  }
  if (Current)
    Current->This = SavedThis;
}

void Machine::runConstructor(CellRef Dest, const CXXConstructorDecl *C,
                             UnitView Where, CallSite &Site) {
  auto *Existing = Dest->V.as<Record>();
  if (!Existing || Existing->Class != classId(*C->getParent()))
    Dest->set(Value(makeRecord(C->getParent())));
  Site.Object = Dest;
  runBody(C, Where, Site);
}

/// What a constructor does, in its own frame: initializers, then the body.
void Machine::constructBody(const CXXConstructorDecl &C, CallSite &Site) {
  CellRef Dest = Site.Object;
  auto *R = Dest->V.as<Record>();
  if (!R)
    return;
  initMembers(Dest, *R, &C, Site);
  if (!Unwinding && !Stopped)
    exec(C.getBody());
}

void Machine::initMembers(CellRef Dest, Record &R, const CXXConstructorDecl *C,
                          CallSite &Site) {
  for (const CXXCtorInitializer *I : C->inits()) {
    if (Unwinding || Stopped)
      return;
    FullExpression Full(*this);
    const Expr *Init = I->getInit();
    if (I->getSourceLocation().isValid() && I->isWritten())
      at(I->getSourceLocation());
    if (I->isDelegatingInitializer()) {
      evalInto(Dest, Init);
      return;
    }
    if (I->isBaseInitializer()) {
      unsigned Index = 0;
      for (const CXXBaseSpecifier &B : C->getParent()->bases()) {
        if (Index < R.Bases.size() &&
            context().hasSameUnqualifiedType(B.getType(),
                                             QualType(I->getBaseClass(), 0)))
          evalInto(R.Bases[Index], Init);
        ++Index;
      }
      continue;
    }
    const FieldDecl *F = I->getAnyMember();
    if (!F)
      continue;
    if (I->isIndirectMemberInitializer()) {
      evalInto(memberOf(Dest, *F).Place, Init);
      continue;
    }
    if (F->getFieldIndex() >= R.Fields.size())
      continue;
    CellRef &Field = R.Fields[F->getFieldIndex()];
    if (F->getType()->isReferenceType())
      Field = evalPlace(Init);
    else
      evalInto(Field, Init);
    if (I->isWritten())
      statementDone();
  }
}

/// Overload resolution without Sema: the first constructor that takes that many
/// arguments and is no template.
const FunctionDecl *
Machine::pickConstructor(const CXXRecordDecl *D,
                         llvm::MutableArrayRef<Operand> Args) {
  if (!D->hasDefinition())
    return nullptr;
  for (const CXXConstructorDecl *C : D->ctors()) {
    if (C->isDeleted() || Args.size() > C->getNumParams() ||
        Args.size() < C->getMinRequiredArguments())
      continue;
    bool Copies = C->isCopyOrMoveConstructor();
    bool SameClass = Args.size() == 1 && Args[0].value().as<Record>() &&
                     Args[0].value().as<Record>()->Class == classId(*D);
    if (Copies == SameClass)
      return C;
  }
  return nullptr;
}

Value Machine::construct(QualType Type, llvm::MutableArrayRef<Operand> Args,
                         llvm::ArrayRef<QualType> ArgTypes) {
  Type = Type.getNonReferenceType().getUnqualifiedType();
  if (Args.empty())
    return defaultValue(Type);
  if (!Type->getAsCXXRecordDecl()) {
    Operand &A = Args[0];
    return convert(A.Place ? copy(A.Place->V) : std::move(A.V), Type);
  }
  CellRef C = makeCell();
  constructAt(C, Type, Args, ArgTypes);
  return C->take();
}

void Machine::constructAt(CellRef Dest, QualType Type,
                          llvm::MutableArrayRef<Operand> Args,
                          llvm::ArrayRef<QualType> ArgTypes) {
  const CXXRecordDecl *D = Type->getAsCXXRecordDecl();
  if (Sema *S = Unit.Sema; S && ArgTypes.size() == Args.size()) {
    SourceLocation Loc = context().getSourceManager().getLocForStartOfFile(
        context().getSourceManager().getMainFileID());
    llvm::SmallVector<Expr *, 8> Exprs;
    for (size_t I = 0; I < Args.size(); ++I) {
      QualType T = ArgTypes[I];
      ExprValueKind Kind = T->isLValueReferenceType()   ? VK_LValue
                           : T->isRValueReferenceType() ? VK_XValue
                                                        : VK_PRValue;
      auto *O = new (context()) OpaqueValueExpr(Loc, T.getNonReferenceType(), Kind);
      Opaque[O] = &Args[I];
      Exprs.push_back(O);
    }
    ExprResult Built;
    {
      SemaScope Scope(*S);
      Built = S->BuildCXXTypeConstructExpr(
          context().getTrivialTypeSourceInfo(Type, Loc), Loc, Exprs, Loc,
          /*ListInitialization=*/false);
    }
    bool Fits = Built.isUsable() && !Built.get()->containsErrors();
    if (Fits)
      evalInto(Dest, Built.get());
    for (Expr *E : Exprs)
      Opaque.erase(E);
    if (Fits)
      return;
  }
  CallSite Site;
  Site.Type = Type;
  Site.Callee = pickConstructor(D, Args);
  for (Operand &A : Args)
    Site.Args.push_back(A.Place ? Operand(A.Place) : Operand(std::move(A.V)));
  if (!Site.Callee)
    return Dest->set(unknownFrom(Site, "no constructor of " + nameOf(*D) + " fits"));
  constructInto(Dest, Site);
}

} // namespace vramlint
