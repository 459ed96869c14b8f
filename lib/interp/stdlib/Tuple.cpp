//===- lib/interp/stdlib/Tuple.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <tuple> and pair. One with references among its elements (tie) does not own
// them: they are the program's own places.

#include "lib/interp/stdlib/Native.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Making ------------------------------------------------------------===//

static Operand noSuchElement(Machine &M, CallSite &S) {
  return unknownPlace(M.unknownFrom(S, "element of an object that is not known"));
}

static unsigned elementCount(const CallSite &S) {
  unsigned N = 0;
  while (!classTypeArg(S, N).isNull())
    ++N;
  return N;
}

/// Element-wise from another pair or tuple.
static Operand convert(Machine &M, CallSite &S, Sequence &From,
                       Sequence::TagTy Tag) {
  auto New = makeSequence(Tag);
  bool Moving = From.Owns && paramType(S, 0)->isRValueReferenceType();
  for (size_t I = 0; I < From.Elements.size(); ++I) {
    CellRef C = From.Elements[I];
    if (!C)
      return noSuchElement(M, S);
    Value V = Moving ? M.moveOut(*C) : M.copy(C->V);
    New->Elements.push_back(
        makeCell(fitted(M, classTypeArg(S, I), std::move(V))));
  }
  return Value(std::move(New));
}

/// piecewise_construct: each element from a tuple of arguments.
static Operand piecewise(Machine &M, CallSite &S) {
  auto New = makeSequence(Sequence::Pair);
  for (unsigned I = 1; I < S.Args.size(); ++I) {
    SmallVector<Operand, 4> Args;
    SmallVector<QualType, 4> Types;
    if (auto *T = argValue(S, I).as<Sequence>())
      for (CellRef &C : T->Elements)
        Args.push_back(C);
    for (auto &A : templateArgsOf(paramType(S, I)))
      if (A.getKind() == TemplateArgument::Type)
        Types.push_back(A.getAsType());
    Types.resize(Args.size());
    New->Elements.push_back(
        makeCell(M.construct(classTypeArg(S, I - 1), Args, Types)));
  }
  return Value(std::move(New));
}

template <Sequence::TagTy Tag>
static Operand construct(Machine &M, CallSite &S) {
  unsigned N = elementCount(S);
  if (isClass(paramType(S, 0), "piecewise_construct_t"))
    return piecewise(M, S);
  if (S.Args.size() == 1 && N != 1) {
    if (auto *From = argValue(S, 0).as<Sequence>())
      return convert(M, S, *From, Tag);
    return M.unknownFrom(S, "pair or tuple that is not known");
  }
  auto New = makeSequence(Tag);
  // libstdc++ makes a tuple's elements last to first.
  std::vector<CellRef> Elements(N);
  for (unsigned K = 0; K < N; ++K) {
    unsigned I = Tag == Sequence::Tuple ? N - 1 - K : K;
    QualType Type = classTypeArg(S, I);
    if (Type->isReferenceType() && hasArg(S, I)) {
      New->Owns = false;
      Elements[I] = placeOf(S, I);
    } else {
      Elements[I] = makeCell(hasArg(S, I) ? argAs(M, S, I, Type)
                                          : M.defaultValue(Type));
    }
  }
  New->Elements = std::move(Elements);
  return Value(std::move(New));
}

/// make_pair, make_tuple: the arguments' values.
template <Sequence::TagTy Tag> static Operand make(Machine &M, CallSite &S) {
  auto New = makeSequence(Tag);
  for (unsigned I = 0; I < S.Args.size(); ++I)
    New->Elements.push_back(makeCell(M.take(S, I)));
  return Value(std::move(New));
}

/// tie, forward_as_tuple: the arguments' places.
static Operand tie(Machine &M, CallSite &S) {
  auto New = makeSequence(Sequence::Tuple);
  New->Owns = false;
  for (unsigned I = 0; I < S.Args.size(); ++I)
    New->Elements.push_back(placeOf(S, I));
  return Value(std::move(New));
}

/// Is \p Type that of std::ignore, which drops what it is assigned?
static bool ignores(QualType Type) {
  if (Type.isNull())
    return false;
  auto *D = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return D && D->isInStdNamespace() &&
         (D->getName() == "_Swallow_assign" || D->getName() == "__ignore_t" ||
          D->getName() == "__ignore_type");
}

/// Element by element into the places there: what tie is for.
static Operand assign(Machine &M, CallSite &S) {
  auto *To = S.Object ? S.Object->V.as<Sequence>() : nullptr;
  auto *From = argValue(S, 0).as<Sequence>();
  if (!To)
    return self(S);
  if (!From || From->Elements.size() != To->Elements.size()) {
    Value U = M.unknownFrom(S, "pair or tuple that is not known");
    for (CellRef &C : To->Elements)
      if (C)
        C->set(Value(U.unknown()));
    return self(S);
  }
  bool Moving = From->Owns && paramType(S, 0)->isRValueReferenceType();
  for (size_t I = 0; I < To->Elements.size(); ++I) {
    CellRef A = To->Elements[I], B = From->Elements[I];
    if (!A || !B || A == B)
      continue;
    QualType Type = classTypeArg(S, I);
    if (ignores(Type))
      continue;
    Value V = Moving ? M.moveOut(*B) : M.copy(B->V);
    A->set(fitted(M, Type, std::move(V)));
  }
  return self(S);
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

//===-- Elements ----------------------------------------------------------===//

static QualType plain(QualType T) {
  return T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

/// The index that get<I>, or get<T>, names.
static std::optional<int64_t> indexNamed(CallSite &S) {
  if (std::optional<int64_t> I = functionIntArg(S, 0))
    return I;
  QualType Wanted = functionTypeArg(S, 0);
  if (Wanted.isNull())
    return std::nullopt;
  int64_t I = 0;
  for (const TemplateArgument &A : templateArgsOf(
           paramType(S, 0)->isPointerType() ? paramType(S, 0)->getPointeeType()
                                            : paramType(S, 0))) {
    if (A.getKind() == TemplateArgument::Type &&
        plain(A.getAsType()) == plain(Wanted))
      return I;
    ++I;
  }
  return std::nullopt;
}

static Operand get(Machine &M, CallSite &S) {
  std::optional<int64_t> I = indexNamed(S);
  auto *Q = argValue(S, 0).as<Sequence>();
  if (!I || !Q)
    return noSuchElement(M, S);
  if (Q->Tag == Sequence::Variant) {
    if (Q->Alternative == *I && !Q->Elements.empty())
      return Q->Elements[0];
    M.throwException("bad_variant_access");
    return nothing();
  }
  if (*I < 0 || *I >= (int64_t)Q->Elements.size())
    return noSuchElement(M, S);
  placeOf(S, 0); // The elements live as long as their object.
  return Q->Elements[*I];
}

static Operand getIf(Machine &M, CallSite &S) {
  std::optional<int64_t> I = indexNamed(S);
  Value &P = argValue(S, 0);
  PointerValue Found;
  if (P.isPointer() && P.pointer().isNull())
    return Value(std::move(Found));
  auto *Q = P.isPointer() && P.pointer().Target
                ? P.pointer().Target->V.as<Sequence>()
                : nullptr;
  if (!Q || !I)
    return M.unknownFrom(S, "variant that is not known");
  if (Q->Alternative == *I && !Q->Elements.empty())
    Found.Target = Q->Elements[0];
  return Value(std::move(Found));
}

static Operand holds(Machine &M, CallSite &S) {
  std::optional<int64_t> I = indexNamed(S);
  auto *Q = argValue(S, 0).as<Sequence>();
  if (!Q || !I)
    return M.unknownFrom(S, "variant that is not known");
  return integer(Q->Alternative == *I);
}

//===-- Algorithms --------------------------------------------------------===//

static Operand apply(Machine &M, CallSite &S) {
  auto *T = argValue(S, 1).as<Sequence>();
  if (!T)
    return M.unknownFrom(S, "tuple that is not known");
  SmallVector<Operand, 6> Args;
  SmallVector<QualType, 6> Types;
  for (CellRef &C : T->Elements)
    Args.push_back(C);
  for (const TemplateArgument &A : templateArgsOf(paramType(S, 1)))
    if (A.getKind() == TemplateArgument::Type)
      Types.push_back(M.context().getLValueReferenceType(
          A.getAsType().getNonReferenceType()));
  return invoke(M, argValue(S, 0), Args, Types);
}

static Operand makeFromTuple(Machine &M, CallSite &S) {
  auto *T = argValue(S, 0).as<Sequence>();
  if (!T)
    return M.unknownFrom(S, "tuple that is not known");
  SmallVector<Operand, 6> Args;
  SmallVector<QualType, 6> Types;
  for (CellRef &C : T->Elements)
    Args.push_back(C);
  for (const TemplateArgument &A : templateArgsOf(paramType(S, 0)))
    if (A.getKind() == TemplateArgument::Type)
      Types.push_back(A.getAsType());
  Types.resize(Args.size());
  return M.construct(functionTypeArg(S, 0), Args, Types);
}

static Operand concatenate(Machine &M, CallSite &S) {
  auto New = makeSequence(Sequence::Tuple);
  for (unsigned I = 0; I < S.Args.size(); ++I) {
    auto *T = argValue(S, I).as<Sequence>();
    if (!T)
      return M.unknownFrom(S, "tuple that is not known");
    for (CellRef &C : T->Elements)
      if (!T->Owns) {
        New->Owns = false;
        New->Elements.push_back(C);
      } else {
        New->Elements.push_back(makeCell(M.copy(C->V)));
      }
  }
  return Value(std::move(New));
}

static constexpr NativeEntry TupleEntries[] = {
    {"std::pair::pair", construct<Sequence::Pair>},
    {"std::pair::operator=", assign},
    {"std::pair::swap", swap},
    {"std::tuple::tuple", construct<Sequence::Tuple>},
    {"std::tuple::operator=", assign},
    {"std::tuple::swap", swap},
    {"std::make_pair", make<Sequence::Pair>},
    {"std::make_tuple", make<Sequence::Tuple>},
    {"std::tie", tie},
    {"std::forward_as_tuple", tie},
    {"std::get", get},
    {"std::get_if", getIf},
    {"std::holds_alternative", holds},
    {"std::apply", apply},
    {"std::make_from_tuple", makeFromTuple},
    {"std::tuple_cat", concatenate},
};
const Table TupleTable = TupleEntries;

} // namespace vramlint::stdlib
