//===- lib/interp/stdlib/Optional.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <optional>, <variant> and <any>: no or one element in a place of its own.
// nullopt is an empty optional. An any keeps a digest of its type.

#include "lib/interp/stdlib/Native.h"
#include "llvm/ADT/Hashing.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- optional ----------------------------------------------------------===//

static Operand wrap(Sequence::TagTy Tag, Value Element, unsigned Which = 0) {
  auto New = makeSequence(Tag);
  New->Alternative = Which;
  New->Elements.push_back(makeCell(std::move(Element)));
  return Value(std::move(New));
}

static Operand makeEmpty(Machine &M, CallSite &S) {
  return Value(makeSequence(Sequence::Optional));
}

static Operand constructOptional(Machine &M, CallSite &S) {
  QualType Type = classTypeArg(S, 0);
  if (S.Args.empty() || isClass(paramType(S, 0), "nullopt_t"))
    return makeEmpty(M, S);
  if (isClass(paramType(S, 0), "in_place_t"))
    return wrap(Sequence::Optional, constructFrom(M, S, Type, 1));
  if (!isClass(paramType(S, 0), "optional"))
    return wrap(Sequence::Optional, argAs(M, S, 0, Type));
  // From another optional, of the same type or another.
  auto *From = argValue(S, 0).as<Sequence>();
  if (!From)
    return M.unknownFrom(S, "optional that is not known");
  if (From->Elements.empty())
    return makeEmpty(M, S);
  CellRef C = From->Elements[0];
  Value V = paramType(S, 0)->isRValueReferenceType() ? M.moveOut(*C)
                                                     : M.copy(C->V);
  return wrap(Sequence::Optional, fitted(M, Type, std::move(V)));
}

static Operand assignOptional(Machine &M, CallSite &S) {
  Operand New = constructOptional(M, S);
  if (S.Object)
    S.Object->set(std::move(New.V));
  return self(S);
}

static Operand makeOptional(Machine &M, CallSite &S) {
  if (S.Callee && S.Callee->getNumParams() == 1 && functionIntArg(S, 0))
    return M.unknownFrom(S, "make_optional");
  QualType Type = functionTypeArg(S, 0);
  bool Explicit = S.Args.size() != 1;
  if (Explicit && !Type.isNull())
    return wrap(Sequence::Optional, constructFrom(M, S, Type, 0));
  return wrap(Sequence::Optional, M.take(S, 0));
}

static Operand hasValue(Machine &M, CallSite &S, Sequence &O) {
  return integer(!O.Elements.empty());
}

static Operand value(Machine &M, CallSite &S, Sequence &O) {
  if (!O.Elements.empty())
    return O.Elements[0];
  M.throwException("bad_optional_access");
  return nothing();
}
static Operand star(Machine &M, CallSite &S, Sequence &O) {
  if (!O.Elements.empty())
    return O.Elements[0];
  return unknownPlace(M.unknown("empty optional dereferenced"));
}
static Operand arrow(Machine &M, CallSite &S, Sequence &O) {
  if (O.Elements.empty())
    return M.unknown("empty optional dereferenced");
  PointerValue P;
  P.Target = O.Elements[0];
  return Value(std::move(P));
}
static Operand valueOr(Machine &M, CallSite &S, Sequence &O) {
  if (!O.Elements.empty())
    return M.copy(O.Elements[0]->V);
  return argAs(M, S, 0, classTypeArg(S, 0));
}
static Operand reset(Machine &M, CallSite &S, Sequence &O) {
  for (CellRef &C : std::exchange(O.Elements, {}))
    C->destroy();
  return nothing();
}
static Operand emplaceOptional(Machine &M, CallSite &S) {
  if (!S.Object)
    return nothing();
  S.Object->set(
      std::move(wrap(Sequence::Optional,
                     constructFrom(M, S, classTypeArg(S, 0), 0)).V));
  return S.Object->V.as<Sequence>()->Elements[0];
}
static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

#define METHOD(C, Name, Fn) {"std::" C "::" Name, on<Sequence, Fn>}

static constexpr NativeEntry OptionalEntries[] = {
    {"std::optional::optional", constructOptional},
    {"std::optional::operator=", assignOptional},
    {"std::optional::emplace", emplaceOptional},
    {"std::optional::swap", swap},
    METHOD("optional", "has_value", hasValue),
    METHOD("optional", "operator bool", hasValue),
    METHOD("optional", "value", value),
    METHOD("optional", "operator*", star),
    METHOD("optional", "operator->", arrow),
    METHOD("optional", "value_or", valueOr),
    METHOD("optional", "reset", reset),
    {"std::make_optional", makeOptional},
    {"std::nullopt_t::nullopt_t", makeEmpty},
    {"std::nullopt", makeEmpty},
};
const Table OptionalTable = OptionalEntries;

//===-- variant -----------------------------------------------------------===//

static QualType plain(QualType T) {
  return T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

static bool isCharacters(QualType T) {
  T = T.getNonReferenceType();
  if (T->isArrayType())
    return T->castAsArrayTypeUnsafe()->getElementType()->isAnyCharacterType();
  return T->isPointerType() && T->getPointeeType()->isAnyCharacterType();
}

/// How well a \p From converts to the alternative \p To: 0 not at all.
static int rank(QualType From, QualType To) {
  if (plain(From) == plain(To))
    return 5;
  if (isCharacters(From))
    return isClass(To, "basic_string") || isClass(To, "basic_string_view") ? 3
           : isCharacters(To)                                             ? 4
                                                                          : 0;
  QualType A = plain(From), B = plain(To);
  if (A->isArithmeticType() && B->isArithmeticType()) {
    if (B->isBooleanType() || A->isFloatingType() != B->isFloatingType())
      return 1;
    return 3;
  }
  const CXXRecordDecl *D = A->getAsCXXRecordDecl(), *E = B->getAsCXXRecordDecl();
  if (D && E && D->hasDefinition() && E->hasDefinition())
    return D->isDerivedFrom(E) ? 3 : D->getName() == E->getName() ? 2 : 0;
  return E && !D ? 1 : 0;
}

static std::optional<unsigned> alternativeFor(const CallSite &S,
                                              QualType From) {
  std::optional<unsigned> Best;
  int BestRank = 0;
  if (From.isNull())
    return std::nullopt;
  for (unsigned I = 0; !classTypeArg(S, I).isNull(); ++I)
    if (int R = rank(From, classTypeArg(S, I)); R > BestRank) {
      Best = I;
      BestRank = R;
    }
  return Best;
}

/// The alternative that in_place_type_t<T> or emplace<T> names.
static std::optional<unsigned> alternativeNamed(const CallSite &S, QualType T) {
  for (unsigned I = 0; !T.isNull() && !classTypeArg(S, I).isNull(); ++I)
    if (plain(classTypeArg(S, I)) == plain(T))
      return I;
  return std::nullopt;
}

static Operand constructVariant(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return wrap(Sequence::Variant, M.defaultValue(classTypeArg(S, 0)));
  if (isClass(paramType(S, 0), "variant"))
    return M.take(S, 0);
  auto InPlace = templateArgsOf(paramType(S, 0));
  std::optional<unsigned> Which;
  if (isClass(paramType(S, 0), "in_place_index_t") && !InPlace.empty())
    Which = InPlace[0].getAsIntegral().getExtValue();
  else if (isClass(paramType(S, 0), "in_place_type_t") && !InPlace.empty())
    Which = alternativeNamed(S, InPlace[0].getAsType());
  if (Which)
    return wrap(Sequence::Variant,
                constructFrom(M, S, classTypeArg(S, *Which), 1), *Which);
  Which = alternativeFor(S, paramType(S, 0));
  if (!Which)
    return M.unknownFrom(S, "variant whose alternative is not known");
  return wrap(Sequence::Variant, argAs(M, S, 0, classTypeArg(S, *Which)),
              *Which);
}

static Operand assignVariant(Machine &M, CallSite &S) {
  Operand New = constructVariant(M, S);
  if (S.Object)
    S.Object->set(std::move(New.V));
  return self(S);
}

static Operand emplaceVariant(Machine &M, CallSite &S) {
  std::optional<unsigned> Which;
  if (std::optional<int64_t> I = functionIntArg(S, 0))
    Which = *I;
  else
    Which = alternativeNamed(S, functionTypeArg(S, 0));
  if (!Which || !S.Object)
    return unknownPlace(
        std::move(loseSelf(M, S, "variant whose alternative is not known").V));
  QualType Type = classTypeArg(S, *Which);
  S.Object->set(std::move(
      wrap(Sequence::Variant, constructFrom(M, S, Type, 0), *Which).V));
  return S.Object->V.as<Sequence>()->Elements[0];
}

static Operand variantIndex(Machine &M, CallSite &S, Sequence &V) {
  return integer(V.Alternative);
}
static Operand never(Machine &M, CallSite &S) { return integer(0); }

/// The visitor's operator() for the alternatives that are held.
static Operand visit(Machine &M, CallSite &S) {
  SmallVector<Operand, 3> Args;
  SmallVector<QualType, 3> Types;
  for (unsigned I = 1; I < S.Args.size(); ++I) {
    auto *V = argValue(S, I).as<Sequence>();
    if (!V || V->Elements.empty())
      return M.unknownFrom(S, "visit of a variant that is not known");
    Args.push_back(V->Elements[0]);
    auto All = templateArgsOf(paramType(S, I));
    if (V->Alternative < All.size() &&
        All[V->Alternative].getKind() == TemplateArgument::Type)
      Types.push_back(M.context().getLValueReferenceType(
          All[V->Alternative].getAsType()));
  }
  return invoke(M, argValue(S, 0), Args, Types);
}

static constexpr NativeEntry VariantEntries[] = {
    {"std::variant::variant", constructVariant},
    {"std::variant::operator=", assignVariant},
    {"std::variant::emplace", emplaceVariant},
    {"std::variant::swap", swap},
    METHOD("variant", "index", variantIndex),
    {"std::variant::valueless_by_exception", never},
    {"std::visit", visit},
};
const Table VariantTable = VariantEntries;

//===-- any ---------------------------------------------------------------===//

static unsigned digestOf(QualType T) {
  if (T.isNull())
    return 0;
  T = T.getNonReferenceType();
  if (isCharacters(T))
    return 1;
  return static_cast<unsigned>(llvm::hash_value(plain(T).getAsString())) | 2;
}

static Operand constructAny(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return Value(makeSequence(Sequence::Any));
  if (isClass(paramType(S, 0), "any"))
    return M.take(S, 0);
  auto InPlace = templateArgsOf(paramType(S, 0));
  if (isClass(paramType(S, 0), "in_place_type_t") && !InPlace.empty()) {
    QualType T = InPlace[0].getAsType();
    return wrap(Sequence::Any, constructFrom(M, S, T, 1), digestOf(T));
  }
  return wrap(Sequence::Any, M.take(S, 0), digestOf(paramType(S, 0)));
}

static Operand assignAny(Machine &M, CallSite &S) {
  Operand New = constructAny(M, S);
  if (S.Object)
    S.Object->set(std::move(New.V));
  return self(S);
}

static Operand makeAny(Machine &M, CallSite &S) {
  QualType T = functionTypeArg(S, 0);
  return wrap(Sequence::Any, constructFrom(M, S, T, 0), digestOf(T));
}

static Operand emplaceAny(Machine &M, CallSite &S) {
  Operand New = makeAny(M, S);
  if (!S.Object)
    return New;
  S.Object->set(std::move(New.V));
  return S.Object->V.as<Sequence>()->Elements[0];
}

static Operand anyCast(Machine &M, CallSite &S) {
  Value &Arg = argValue(S, 0);
  bool ByPointer = Arg.isPointer();
  CellRef Holder = ByPointer ? Arg.pointer().Target : placeOf(S, 0);
  auto *Any = Holder ? Holder->V.as<Sequence>() : nullptr;
  QualType T = functionTypeArg(S, 0);
  if ((ByPointer && !Holder) || T.isNull() || (Holder && !Any))
    return M.unknownFrom(S, "any that is not known");
  bool Match = Any && !Any->Elements.empty() && Any->Alternative == digestOf(T);
  if (ByPointer) {
    PointerValue P;
    P.Target = Match ? Any->Elements[0] : nullptr;
    return Value(std::move(P));
  }
  if (!Match) {
    M.throwException("bad_any_cast");
    return nothing();
  }
  if (T->isReferenceType())
    return Any->Elements[0];
  return paramType(S, 0)->isRValueReferenceType()
             ? M.moveOut(*Any->Elements[0])
             : M.copy(Any->Elements[0]->V);
}

static Operand anyType(Machine &M, CallSite &S) {
  return quietUnknown(M, "type of an any");
}

static constexpr NativeEntry AnyEntries[] = {
    {"std::any::any", constructAny},
    {"std::any::operator=", assignAny},
    {"std::any::emplace", emplaceAny},
    {"std::any::swap", swap},
    METHOD("any", "has_value", hasValue),
    METHOD("any", "reset", reset),
    {"std::any::type", anyType},
    {"std::make_any", makeAny},
    {"std::any_cast", anyCast},
};
const Table AnyTable = AnyEntries;

} // namespace vramlint::stdlib
