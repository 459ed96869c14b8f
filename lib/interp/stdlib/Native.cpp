//===- lib/interp/stdlib/Native.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the tables of native models share. See Native.h.

#include "lib/interp/stdlib/Native.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/TemplateBase.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace vramlint {
namespace stdlib {

//===-- Arguments ---------------------------------------------------------===//

std::optional<int64_t> intArg(CallSite &S, unsigned I) {
  if (!hasArg(S, I) || !argValue(S, I).isInt())
    return std::nullopt;
  return argValue(S, I).asInt();
}

std::optional<double> numberArg(CallSite &S, unsigned I) {
  if (!hasArg(S, I) || !argValue(S, I).isNumber())
    return std::nullopt;
  return argValue(S, I).asNumber();
}

/// The characters of an array of char from \p From on, up to its zero.
static std::optional<std::string> textOfArray(const Value &Array,
                                              int64_t From) {
  if (Array.isString() && From >= 0 && From <= (int64_t)Array.string().size())
    return Array.string().substr(From);
  auto *S = Array.as<Sequence>();
  if (!S || From < 0)
    return std::nullopt;
  std::string Text;
  for (size_t I = From; I < S->Elements.size(); ++I) {
    const CellRef &C = S->Elements[I];
    if (!C || !C->V.isInt())
      return std::nullopt;
    if (!C->V.asInt())
      break;
    Text += static_cast<char>(C->V.asInt());
  }
  return Text;
}

std::optional<std::string> textOf(const Value &V) {
  if (V.isString())
    return V.string();
  if (V.isPointer()) {
    const PointerValue &P = V.pointer();
    if (P.Array)
      return textOfArray(P.Array->V, P.Index);
    if (P.Target)
      return textOfArray(P.Target->V, 0);
    return std::nullopt;
  }
  if (auto *S = V.as<Sequence>())
    if (S->Tag == Sequence::CArray || !S->Owns)
      return textOfArray(V, 0);
  return std::nullopt;
}

std::optional<std::string> textArg(CallSite &S, unsigned I) {
  if (!hasArg(S, I))
    return std::nullopt;
  return textOf(argValue(S, I));
}

Value *selfOf(CallSite &S) {
  if (S.Object)
    return &S.Object->V;
  return hasArg(S, 0) ? &argValue(S, 0) : nullptr;
}

CellRef selfCell(CallSite &S) {
  if (S.Object)
    return S.Object;
  return hasArg(S, 0) ? placeOf(S, 0) : nullptr;
}

CellRef placeOf(CallSite &S, unsigned I) {
  Operand &Op = S.Args[I];
  if (!Op.Place)
    Op.Place = makeCell(std::move(Op.V));
  return Op.Place;
}

static void expand(ArrayRef<TemplateArgument> Args,
                   SmallVectorImpl<TemplateArgument> &Out) {
  for (const TemplateArgument &A : Args)
    if (A.getKind() == TemplateArgument::Pack)
      expand(A.pack_elements(), Out);
    else
      Out.push_back(A);
}

static SmallVector<TemplateArgument, 4> argsOf(const CXXRecordDecl *D) {
  SmallVector<TemplateArgument, 4> Args;
  if (auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(D))
    expand(Spec->getTemplateArgs().asArray(), Args);
  return Args;
}

SmallVector<TemplateArgument, 4> templateArgsOf(QualType Type) {
  if (Type.isNull())
    return {};
  return argsOf(Type.getNonReferenceType()->getAsCXXRecordDecl());
}

static SmallVector<TemplateArgument, 4> classArgs(const CallSite &S) {
  if (auto *Method = dyn_cast_or_null<CXXMethodDecl>(S.Callee)) {
    SmallVector<TemplateArgument, 4> Args = argsOf(Method->getParent());
    if (!Args.empty())
      return Args;
  }
  return templateArgsOf(S.Type);
}

static SmallVector<TemplateArgument, 4> functionArgs(const CallSite &S) {
  SmallVector<TemplateArgument, 4> Args;
  if (S.Callee)
    if (auto *List = S.Callee->getTemplateSpecializationArgs())
      expand(List->asArray(), Args);
  return Args;
}

static QualType typeAt(ArrayRef<TemplateArgument> Args, unsigned I) {
  if (I < Args.size() && Args[I].getKind() == TemplateArgument::Type)
    return Args[I].getAsType();
  return QualType();
}

static std::optional<int64_t> intAt(ArrayRef<TemplateArgument> Args,
                                    unsigned I) {
  if (I < Args.size() && Args[I].getKind() == TemplateArgument::Integral)
    return static_cast<int64_t>(
        Args[I].getAsIntegral().extOrTrunc(64).getZExtValue());
  return std::nullopt;
}

QualType classTypeArg(const CallSite &S, unsigned I) {
  return typeAt(classArgs(S), I);
}
std::optional<int64_t> classIntArg(const CallSite &S, unsigned I) {
  return intAt(classArgs(S), I);
}
QualType functionTypeArg(const CallSite &S, unsigned I) {
  return typeAt(functionArgs(S), I);
}
std::optional<int64_t> functionIntArg(const CallSite &S, unsigned I) {
  return intAt(functionArgs(S), I);
}

QualType paramType(const CallSite &S, unsigned I) {
  if (!S.Callee || I >= S.Callee->getNumParams())
    return QualType();
  return S.Callee->getParamDecl(I)->getType();
}

bool isClass(QualType Type, StringRef Name) {
  if (Type.isNull())
    return false;
  const CXXRecordDecl *D = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return D && D->getIdentifier() && D->getName() == Name;
}

unsigned argCount(const CallSite &S) {
  unsigned N = S.Args.size();
  while (N && isClass(paramType(S, N - 1), "allocator"))
    --N;
  return N;
}

bool isTemplate(const CallSite &S) {
  return S.Callee && S.Callee->getPrimaryTemplate();
}

bool isRead(Machine &M, const CallSite &S) {
  if (auto *Method = dyn_cast_or_null<CXXMethodDecl>(S.Callee);
      Method && Method->isConst())
    return true;
  DynTypedNode Node;
  if (S.E)
    Node = DynTypedNode::create(*S.E);
  for (unsigned Depth = 0; S.E && Depth < 4; ++Depth) {
    DynTypedNodeList Parents = M.context().getParents(Node);
    if (Parents.size() != 1)
      return false;
    Node = Parents[0];
    if (Node.get<ParenExpr>())
      continue;
    if (auto *Cast = Node.get<ImplicitCastExpr>())
      return Cast->getCastKind() == CK_LValueToRValue ||
             (Cast->getCastKind() == CK_NoOp &&
              Cast->getType().isConstQualified());
    return Node.get<CXXConstructExpr>() || Node.get<CompoundStmt>();
  }
  return false;
}

Value constructFrom(Machine &M, CallSite &S, QualType Type, unsigned From) {
  if (Type.isNull())
    return M.unknown("type of a forwarded construction");
  SmallVector<Operand, 6> Args;
  SmallVector<QualType, 6> Types;
  for (unsigned I = From; I < S.Args.size(); ++I) {
    Types.push_back(paramType(S, I));
    Args.push_back(std::move(S.Args[I]));
  }
  return M.construct(Type, Args, Types);
}

Value argAs(Machine &M, CallSite &S, unsigned I, QualType Type) {
  QualType Given = paramType(S, I);
  if (Type.isNull() || Given.isNull())
    return M.take(S, I);
  QualType From = Given.getNonReferenceType().getCanonicalType();
  bool Same = From.getUnqualifiedType() ==
              Type.getCanonicalType().getUnqualifiedType();
  if (Same || argValue(S, I).isString() || argValue(S, I).isNumber())
    return fitted(M, Type, M.take(S, I));
  Operand Args[1] = {std::move(S.Args[I])};
  QualType Types[1] = {Given};
  return M.construct(Type, Args, Types);
}

//===-- Results -----------------------------------------------------------===//

Value quietUnknown(Machine &M, Twine Reason) {
  UnknownRef U = new UnknownInfo;
  U->Reason = Reason.str();
  U->Pos = M.currentPos();
  return Value(U);
}

Operand boolean(Machine &M, CallSite &S, std::optional<bool> B, bool Negate) {
  if (!B)
    return M.unknownFrom(S, "comparison of values that are not known");
  return Value::integer(*B != Negate);
}

Operand self(CallSite &S) {
  if (CellRef C = selfCell(S))
    return C;
  return Value();
}

Operand loseSelf(Machine &M, CallSite &S, Twine Reason) {
  Value U = M.unknownFrom(S, Reason);
  if (CellRef C = selfCell(S))
    C->set(Value(U.unknown()));
  return U;
}

std::unique_ptr<Sequence> makeSequence(Sequence::TagTy Tag) {
  return std::make_unique<Sequence>(Tag);
}

Operand asReturned(Machine &M, CallSite &S, Operand Element) {
  QualType T = S.Callee ? S.Callee->getReturnType() : QualType();
  if (!Element.Place || T.isNull() || T->isReferenceType())
    return Element;
  if (!isClass(T, "_Bit_reference"))
    return M.copy(Element.Place->V);
  PointerValue P;
  P.Target = Element.Place;
  return Value(std::move(P));
}

Operand unknownPlace(Value Unknown) { return makeCell(std::move(Unknown)); }

void weaken(Value &V, const UnknownRef &Cause) {
  if (V.isNumber() || V.isString()) {
    V = Value(Cause);
  } else if (auto *S = V.as<Sequence>()) {
    weaken(S->Elements, Cause);
  }
}

void weaken(Places &Elements, const UnknownRef &Cause) {
  Elements.visit([&](Value &V) { weaken(V, Cause); });
}

Value fitted(Machine &M, QualType Type, Value V) {
  if (Type.isNull() || !V.isNumber())
    return V;
  Type = Type.getNonReferenceType().getCanonicalType();
  if (Type->isBooleanType())
    return Value::integer(V.asNumber() != 0);
  if (Type->isRealFloatingType() && V.isInt())
    return Value::real(V.asNumber());
  if (Type->isIntegralOrEnumerationType() && V.isFloat())
    return Value::integer(static_cast<int64_t>(V.asFloat()));
  return V;
}

Value cloned(const Value &V) {
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
  if (V.isUnknown())
    return Value(UnknownValue(V.unknownValue()));
  return Value();
}

//===-- Iterators ---------------------------------------------------------===//

bool isNodeBased(const Sequence &S) {
  return S.Tag == Sequence::List || S.Tag == Sequence::Set ||
         S.Tag == Sequence::Map;
}

std::optional<int64_t> sizeOf(const Value &Container) {
  if (Container.isString())
    return Container.string().size();
  if (auto *S = Container.as<Sequence>())
    return S->Elements.size();
  return std::nullopt;
}

Value makeIterator(CellRef Container, int64_t Index, bool Reverse) {
  auto It = std::make_unique<Iterator>(Container, Index);
  It->Reverse = Reverse;
  if (auto *S = Container->V.as<Sequence>())
    if (isNodeBased(*S) && Index >= 0 && Index < (int64_t)S->Elements.size())
      It->Node = S->Elements[Index];
  return Value(std::move(It));
}

Value beginOf(CellRef Container) {
  return makeIterator(std::move(Container), 0);
}

Value endOf(CellRef Container) {
  int64_t Size = sizeOf(Container->V).value_or(0);
  return makeIterator(std::move(Container), Size);
}

CellRef Cursor::element() const {
  if (!Container)
    return nullptr;
  auto *S = Container->V.as<Sequence>();
  if (!S || Index < 0 || Index >= (int64_t)S->Elements.size())
    return nullptr;
  return S->Elements[Index];
}

Operand Cursor::get(Machine &M) const {
  if (CellRef C = element())
    return C;
  if (Container && Container->V.isString()) {
    const std::string &Text = Container->V.string();
    if (Index >= 0 && Index < (int64_t)Text.size())
      return Value::integer(Text[Index]);
  }
  if (Container && Container->V.isUnknown())
    return Value(Container->V.unknown());
  return M.unknown("element past the end");
}

void Cursor::set(Machine &M, Value V) const {
  if (CellRef C = element()) {
    // Numbers keep the kind of the place.
    if (C->V.isFloat() && V.isInt())
      V = Value::real(V.asNumber());
    else if (C->V.isInt() && V.isFloat())
      V = Value::integer(static_cast<int64_t>(V.asFloat()));
    C->set(std::move(V));
    return;
  }
  if (!Container || !Container->V.isString())
    return;
  std::string &Text = Container->V.string();
  if (V.isUnknown())
    Container->set(std::move(V));
  else if (V.isInt() && Index >= 0 && Index < (int64_t)Text.size())
    Text[Index] = static_cast<char>(V.asInt());
}

Value Cursor::iterator() const {
  if (!IsPointer)
    return makeIterator(Container, Index, Reverse);
  PointerValue P;
  P.Target = element();
  P.Array = Container;
  P.Index = Index;
  return Value(std::move(P));
}

/// The present index of a node's iterator.
static bool findNode(const Sequence &S, const Iterator &It, int64_t &Index) {
  if (!It.Node) {
    Index = It.Reverse ? -1 : S.Elements.size();
    return true;
  }
  if (Index >= 0 && Index < (int64_t)S.Elements.size() &&
      S.Elements[Index] == It.Node)
    return true;
  auto Found = llvm::find(S.Elements, It.Node);
  Index = Found - S.Elements.begin();
  return Found != S.Elements.end();
}

std::optional<Cursor> cursorOf(const Value &V) {
  Cursor C;
  if (auto *It = V.as<Iterator>()) {
    C.Container = It->Container;
    C.Index = It->Index;
    C.Reverse = It->Reverse;
    if (!C.Container)
      return std::nullopt;
    auto *S = C.Container->V.as<Sequence>();
    if (S && isNodeBased(*S) && !findNode(*S, *It, C.Index))
      return std::nullopt;
    if (S || C.Container->V.isString())
      return C;
    return std::nullopt;
  }
  if (!V.isPointer() || !V.pointer().Array)
    return std::nullopt;
  C.Container = V.pointer().Array;
  C.Index = V.pointer().Index;
  C.IsPointer = true;
  if (!sizeOf(C.Container->V))
    return std::nullopt;
  return C;
}

std::optional<Span> spanOf(Machine &M, const Value &First, const Value &Last) {
  auto B = cursorOf(First), E = cursorOf(Last);
  // A null end is that of an istreambuf_iterator: all of the text.
  if (B && !E && B->Container->V.isString() && Last.isPointer() &&
      Last.pointer().isNull() && !B->IsPointer)
    E = cursorOf(endOf(B->Container));
  if (!B || !E || B->Container != E->Container)
    return std::nullopt;
  int64_t Size = B->Reverse ? B->Index - E->Index : E->Index - B->Index;
  int64_t Have = *sizeOf(B->Container->V);
  int64_t Lowest = B->Reverse ? E->Index + 1 : B->Index;
  if (Size < 0 || Lowest < 0 || Lowest + Size > Have || !M.step(Size))
    return std::nullopt;
  return Span{*B, Size};
}

QualType elementTypeOf(Machine &M, QualType Iterator) {
  if (Iterator.isNull())
    return QualType();
  Iterator = Iterator.getNonReferenceType();
  if (Iterator->isPointerType())
    return M.context().getLValueReferenceType(Iterator->getPointeeType());
  auto Args = templateArgsOf(Iterator);
  if (Args.empty() || Args[0].getKind() != TemplateArgument::Type)
    return QualType();
  QualType T = Args[0].getAsType();
  if (isClass(Iterator, "__normal_iterator") ||
      isClass(Iterator, "reverse_iterator") ||
      isClass(Iterator, "move_iterator"))
    return elementTypeOf(M, T);
  return M.context().getLValueReferenceType(T);
}

SmallVector<QualType, 4> paramTypes(const CallSite &S, unsigned From) {
  SmallVector<QualType, 4> Types;
  for (unsigned I = From; I < S.Args.size(); ++I)
    if (QualType T = paramType(S, I); !T.isNull())
      Types.push_back(T);
  return Types;
}

std::optional<Span> spanArg(Machine &M, CallSite &S, unsigned I) {
  if (!hasArg(S, I + 1))
    return std::nullopt;
  std::optional<Span> R = spanOf(M, argValue(S, I), argValue(S, I + 1));
  if (R)
    R->First.Type = elementTypeOf(M, paramType(S, I));
  return R;
}

std::optional<Span> spanOfContainer(Machine &M, CellRef Container) {
  if (!Container)
    return std::nullopt;
  std::optional<int64_t> Size = sizeOf(Container->V);
  if (!Size || !M.step(*Size))
    return std::nullopt;
  Span R;
  R.First.Container = std::move(Container);
  R.Size = *Size;
  return R;
}

bool appendSpan(Machine &M, Sequence &To, const Span &From) {
  if ((int64_t)To.Elements.size() + From.Size > M.limits().MaxElements)
    return false;
  std::vector<CellRef> New;
  for (int64_t I = 0; I < From.Size && !M.stopped(); ++I) {
    Operand Op = From.at(I).get(M);
    New.push_back(makeCell(M.copy(Op.value())));
  }
  To.Elements.insert(To.Elements.end(), New.begin(), New.end());
  if (auto *S = From.First.Container->V.as<Sequence>())
    To.Open |= S->Open;
  return true;
}

static bool appendOut(Machine &M, CellRef Container, int64_t At, Value V) {
  if (Container->V.isString()) {
    if (V.isInt() && At < 0)
      Container->V.string() += static_cast<char>(V.asInt());
    else
      Container->set(M.unknown("text written through an iterator"));
    return true;
  }
  auto *S = Container->V.as<Sequence>();
  if (!S)
    return Container->V.isUnknown();
  if ((int64_t)S->Elements.size() >= M.limits().MaxElements)
    return false;
  if (S->Tag == Sequence::Map || S->Tag == Sequence::Set) {
    if (!insertSorted(M, *S, std::move(V), false))
      Container->set(M.unknown("insertion of an unknown key"));
    return true;
  }
  int64_t Size = S->Elements.size();
  S->Elements.insert(S->Elements.begin() + (At < 0 ? Size : std::min(At, Size)),
                     makeCell(std::move(V)));
  return true;
}

bool writeOut(Machine &M, Value &Out, Value V) {
  if (auto *It = Out.as<Iterator>(); It && It->Container) {
    if (It->Index == AppendMark)
      return appendOut(M, It->Container, -1, std::move(V));
    if (It->Index == PrependMark)
      return appendOut(M, It->Container, 0, std::move(V));
    if (It->Index >= InsertMark)
      return appendOut(M, It->Container, It->Index++ - InsertMark,
                       std::move(V));
  }
  if (Out.as<StreamObject>())
    return true;
  std::optional<Cursor> At = cursorOf(Out);
  if (!At)
    return false;
  At->set(M, std::move(V));
  At->advance(1);
  Out = At->iterator();
  return true;
}

//===-- Calls -------------------------------------------------------------===//

CellRef objectOf(Operand &Op) {
  Value &V = Op.value();
  if (V.isPointer())
    return V.pointer().Target;
  if (auto *P = V.as<SmartPtr>())
    return P->Target;
  if (!Op.Place)
    Op.Place = makeCell(std::move(Op.V));
  return Op.Place;
}

static Operand again(Operand &Op) {
  if (!Op.Place)
    Op.Place = makeCell(std::move(Op.V));
  return Op.Place;
}

static Operand invokeBound(Machine &M, FunctionObject &F,
                           MutableArrayRef<Operand> Args) {
  SmallVector<Operand, 6> All;
  for (FunctionObject::BoundArg &A : F.Bound) {
    if (!A.Placeholder)
      All.push_back(A.Arg);
    else if (A.Placeholder <= Args.size())
      All.push_back(again(Args[A.Placeholder - 1]));
    else if (!A.IsReference) // Else bind_front's: as many as there are.
      return M.unknown("call of a bind expression with too few arguments");
  }
  return invoke(M, F.Callable, All);
}

//===-- Overloads ---------------------------------------------------------===//

/// All call operators of a class and its bases, templates' specializations too.
static void callOperators(const CXXRecordDecl &D,
                          SmallVectorImpl<const CXXMethodDecl *> &Out,
                          bool &HasTemplate) {
  if (!D.hasDefinition())
    return;
  for (const Decl *Member : D.decls()) {
    if (auto *T = dyn_cast<FunctionTemplateDecl>(Member);
        T && T->getDeclName().getCXXOverloadedOperator() == OO_Call) {
      HasTemplate = true;
      for (const FunctionDecl *Spec : T->specializations())
        if (auto *Method = dyn_cast<CXXMethodDecl>(Spec))
          Out.push_back(Method);
    }
    auto *Method = dyn_cast<CXXMethodDecl>(Member);
    if (Method && Method->getOverloadedOperator() == OO_Call)
      Out.push_back(Method);
  }
  for (const CXXBaseSpecifier &B : D.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
      callOperators(*Base, Out, HasTemplate);
}

static QualType plainType(QualType T) {
  return T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

static bool takes(const CXXMethodDecl &Method, ArrayRef<QualType> Types) {
  if (Method.getNumParams() != Types.size())
    return false;
  for (unsigned I = 0; I < Types.size(); ++I)
    if (plainType(Method.getParamDecl(I)->getType()) != plainType(Types[I]))
      return false;
  return true;
}

/// What Sema resolves `object(args…)` to, instantiating a generic lambda.
static const CXXMethodDecl *resolveCall(Machine &M, const CXXRecordDecl &D,
                                        ArrayRef<QualType> Types) {
  Sema *S = M.sema();
  if (!S || S->getDiagnostics().hasUncompilableErrorOccurred() ||
      &D.getASTContext() != &M.context())
    return nullptr;
  ASTContext &C = M.context();
  SourceLocation Loc = D.getLocation();
  auto Opaque = [&](QualType T) -> Expr * {
    return new (C) OpaqueValueExpr(Loc, T.getNonReferenceType(),
                                   T->isLValueReferenceType() ? VK_LValue
                                   : T->isReferenceType()     ? VK_XValue
                                                              : VK_PRValue);
  };
  SmallVector<Expr *, 4> Args;
  for (QualType T : Types)
    Args.push_back(Opaque(T));
  Expr *Object = Opaque(C.getLValueReferenceType(C.getRecordType(&D)));
  bool Was = S->getDiagnostics().getSuppressAllDiagnostics();
  S->getDiagnostics().setSuppressAllDiagnostics(true);
  ExprResult R = S->BuildCallExpr(nullptr, Object, Loc, Args, Loc);
  S->getDiagnostics().setSuppressAllDiagnostics(Was);
  if (!R.isUsable() || R.get()->containsErrors())
    return nullptr;
  auto *Call = dyn_cast<CallExpr>(R.get()->IgnoreImplicit());
  return dyn_cast_or_null<CXXMethodDecl>(Call ? Call->getDirectCallee()
                                              : nullptr);
}

/// The call operator for arguments of these types, where types must choose.
static const CXXMethodDecl *overloadFor(Machine &M, const Record &R,
                                        ArrayRef<QualType> Types) {
  SmallVector<const CXXMethodDecl *, 4> Candidates;
  bool HasTemplate = false;
  if (!R.Decl || llvm::any_of(Types, [](QualType T) { return T.isNull(); }))
    return nullptr;
  callOperators(*R.Decl, Candidates, HasTemplate);
  if (!HasTemplate && Candidates.size() < 2 &&
      (Candidates.empty() || Candidates[0]->getParent() == R.Decl))
    return nullptr;
  for (const CXXMethodDecl *Method : Candidates)
    if (takes(*Method, Types))
      return Method;
  return resolveCall(M, *R.Decl, Types);
}

/// Calls \p Method of the object \p Callable, which may be in no place.
static Operand callOverload(Machine &M, Value &Callable,
                            const CXXMethodDecl &Method,
                            MutableArrayRef<Operand> Args) {
  auto *R = Callable.as<Record>();
  bool Placed = R->Self && &R->Self->V == &Callable;
  CellRef Place = Placed ? CellRef(R->Self) : makeCell(std::move(Callable));
  CallSite Site;
  Site.Callee = &Method;
  Site.Object = M.subobject(Place, M.classId(*Method.getParent()));
  if (!Site.Object)
    Site.Object = Place;
  for (Operand &A : Args)
    Site.Args.push_back(A.Place ? Operand(A.Place) : Operand(std::move(A.V)));
  Operand Result = M.callFunction(Site);
  if (!Placed)
    Callable = Place->take();
  return Result;
}

/// The model of an object like std::plus<int>(); null for any other class.
static NativeFn functorModel(Machine &M, const Record &R) {
  if (!R.Decl || R.Decl->isLambda() || !M.isExternal(R.Decl->getLocation()))
    return nullptr;
  return M.native((M.nameOf(*R.Decl) + "::operator()").str());
}

Operand invoke(Machine &M, Value &Callable, MutableArrayRef<Operand> Args,
               ArrayRef<QualType> Types) {
  if (!M.step())
    return quietUnknown(M, "budget");
  if (auto *F = Callable.as<FunctionObject>()) {
    if (F->IsBind)
      return invokeBound(M, *F, Args);
    if (F->Callable.isVoid()) {
      M.throwException("bad_function_call");
      return Value();
    }
    return invoke(M, F->Callable, Args, Types);
  }
  if (Callable.isPointer() && Callable.pointer().Target)
    return invoke(M, Callable.pointer().Target->V, Args, Types);
  if (auto *R = Callable.as<Record>())
    if (NativeFn Fn = functorModel(M, *R)) {
      CallSite S;
      S.Object = makeCell(Value::integer(0));
      for (Operand &A : Args)
        S.Args.push_back(std::move(A));
      return Fn(M, S);
    }
  if (auto *R = Callable.as<Record>(); R && Types.size() == Args.size())
    if (const CXXMethodDecl *Method = overloadFor(M, *R, Types))
      return callOverload(M, Callable, *Method, Args);
  if (!Callable.isFunction() || !Callable.function().Fn)
    return M.callCallable(Callable, Args);
  auto *Method = dyn_cast<CXXMethodDecl>(Callable.function().Fn);
  if (!Method || Method->isStatic() || Args.empty())
    return M.callCallable(Callable, Args);
  CellRef Object = objectOf(Args[0]);
  if (!Object)
    return M.unknown("call of a member through a pointer that is not known");
  return M.callMethod(Object, Method->getNameAsString(), Args.drop_front());
}

Operand invokeOn(Machine &M, Value &Callable, const Cursor &A) {
  Operand Args[1] = {A.get(M)};
  return invoke(M, Callable, Args,
                A.Type.isNull() ? ArrayRef<QualType>() : A.Type);
}

Operand invokeOn(Machine &M, Value &Callable, const Cursor &A,
                 const Cursor &B) {
  Operand Args[2] = {A.get(M), B.get(M)};
  QualType Types[2] = {A.Type, B.Type};
  bool Known = !A.Type.isNull() && !B.Type.isNull();
  return invoke(M, Callable, Args, Known ? Types : ArrayRef<QualType>());
}

/// The answer of a comparator, else of the values, else of the class's operator.
static std::optional<bool> compareBy(Machine &M, Value *Fn, Operand A,
                                     Operand B, ArrayRef<QualType> Types,
                                     bool Less) {
  if (Fn) {
    Operand Args[2] = {std::move(A), std::move(B)};
    return M.truth(invoke(M, *Fn, Args, Types).value());
  }
  if (std::optional<int> C = compareValues(A.value(), B.value()))
    return Less ? *C < 0 : *C == 0;
  if (!A.Place || !A.Place->V.as<Record>())
    return std::nullopt;
  Operand Args[1] = {std::move(B)};
  return M.truth(
      M.callMethod(A.Place, Less ? "operator<" : "operator==", Args).value());
}

std::optional<bool> lessThan(Machine &M, Value *Less, Operand A, Operand B,
                             ArrayRef<QualType> Types) {
  return compareBy(M, Less, std::move(A), std::move(B), Types, true);
}

std::optional<bool> equal(Machine &M, Value *Equal, Operand A, Operand B,
                          ArrayRef<QualType> Types) {
  return compareBy(M, Equal, std::move(A), std::move(B), Types, false);
}

} // namespace stdlib

llvm::ArrayRef<llvm::ArrayRef<NativeEntry>> nativeTables() {
  using namespace stdlib;
  static const Table All[] = {
      AlgorithmTable,  AnyTable,      ChronoTable,   CmathTable,
      CstdlibTable,    CstringTable,  DequeTable,    ExceptionTable,
      FilesystemTable, FunctionalTable, FutureTable, IteratorTable,
      ListTable,       MapTable,      MemoryTable,   NumericTable,
      OptionalTable,   RandomTable,   SetTable,      StreamTable,
      StringTable,     ThreadTable,   TupleTable,    UtilityTable,
      VariantTable,    VectorTable};
  return All;
}

} // namespace vramlint
