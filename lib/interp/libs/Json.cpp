//===- lib/interp/libs/Json.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// nlohmann::json. A JSON value is the value itself: void (null), a number, a
// text, a vector, or a map by name, so that it becomes a C++ value by a copy.
// Booleans are the numbers 0 and 1.

#include "llvm/Support/JSON.h"
#include "lib/interp/libs/Libraries.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Values ------------------------------------------------------------===//

static Sequence *arrayIn(const Value &V) {
  auto *S = V.as<Sequence>();
  return S && S->Tag == Sequence::Vector ? S : nullptr;
}
static Sequence *objectIn(const Value &V) {
  auto *S = V.as<Sequence>();
  return S && S->Tag == Sequence::Map ? S : nullptr;
}

static Value member(std::string Name, Value V) {
  auto Pair = makeSequence(Sequence::Pair);
  Pair->Elements.push_back(makeCell(Value(std::move(Name))));
  Pair->Elements.push_back(makeCell(std::move(V)));
  return Value(std::move(Pair));
}

/// The place of \p Name; null if it isn't there.
static CellRef memberOf(Machine &M, Sequence &Object, llvm::StringRef Name) {
  std::optional<int64_t> I = lowerBound(M, Object, Value(Name.str()));
  if (!I || *I >= (int64_t)Object.Elements.size())
    return nullptr;
  auto *Pair = Object.Elements[*I]->V.as<Sequence>();
  if (!Pair || Pair->Elements[0]->V.string() != Name)
    return nullptr;
  return Pair->Elements[1];
}

static void setMember(Machine &M, Sequence &Object, std::string Name, Value V) {
  if (CellRef Old = memberOf(M, Object, Name))
    Old->set(std::move(V));
  else
    insertSorted(M, Object, member(std::move(Name), std::move(V)), false);
}

static Value fromParsed(Machine &M, const llvm::json::Value &J) {
  if (!M.step() || J.getAsNull())
    return Value();
  if (auto B = J.getAsBoolean())
    return Value::integer(*B);
  if (auto I = J.getAsInteger(); I && J.kind() == llvm::json::Value::Number)
    return Value::integer(*I);
  if (auto D = J.getAsNumber())
    return Value::real(*D);
  if (auto S = J.getAsString())
    return Value(S->str());
  if (auto *A = J.getAsArray()) {
    auto List = makeSequence(Sequence::Vector);
    for (const llvm::json::Value &E : *A)
      List->Elements.push_back(makeCell(fromParsed(M, E)));
    return Value(std::move(List));
  }
  auto Map = makeSequence(Sequence::Map);
  for (auto &[Name, E] : *J.getAsObject())
    insertSorted(M, *Map, member(Name.str(), fromParsed(M, E)), false);
  return Value(std::move(Map));
}

static Value parsed(Machine &M, llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> J = llvm::json::parse(Text);
  if (J)
    return fromParsed(M, *J);
  llvm::consumeError(J.takeError());
  return M.unknown("JSON that can't be read");
}

//===-- From C++ ----------------------------------------------------------===//

/// from_json(json, value) or to_json: the function that a program writes for
/// its class \p D; null if there is none.
static const FunctionDecl *converterOf(Machine &M, const CXXRecordDecl &D,
                                       llvm::StringRef Name, unsigned Param) {
  auto Fits = [&](const Decl *Candidate) -> const FunctionDecl * {
    auto *F = dyn_cast_or_null<FunctionDecl>(Candidate);
    if (!F || F->getNumParams() != 2 || !F->getIdentifier() ||
        F->getName() != Name)
      return nullptr;
    const CXXRecordDecl *P = F->getParamDecl(Param)
                                 ->getType()
                                 .getNonReferenceType()
                                 ->getAsCXXRecordDecl();
    return P && P->getCanonicalDecl() == D.getCanonicalDecl() ? F : nullptr;
  };
  if (D.hasDefinition())
    for (const FriendDecl *Friend : D.friends())
      if (const FunctionDecl *F = Fits(Friend->getFriendDecl()))
        return F;
  IdentifierInfo &Id = M.context().Idents.get(Name);
  for (const DeclContext *C = D.getDeclContext(); C; C = C->getParent())
    for (const NamedDecl *Found : C->getRedeclContext()->lookup(&Id))
      if (const FunctionDecl *F = Fits(Found))
        return F;
  return nullptr;
}

/// A C++ value as JSON.
static Value fromValue(Machine &M, CellRef C) {
  Value &V = C->V;
  if (std::optional<std::string> T = textOf(V))
    return Value(*T);
  if (V.isPointer())
    return V.pointer().isNull() ? Value() : M.unknown("JSON of a pointer");
  if (auto *R = V.as<Record>()) {
    const FunctionDecl *F = converterOf(M, *R->Decl, "to_json", 1);
    if (!F)
      return M.unknown("JSON of an object");
    CellRef Result = makeCell();
    CallSite Site;
    Site.Callee = F;
    Site.Args.push_back(Operand(Result));
    Site.Args.push_back(Operand(C));
    M.callFunction(Site);
    return Result->take();
  }
  auto *S = V.as<Sequence>();
  if (!S || !M.step())
    return M.copy(V);
  if (S->Tag == Sequence::Optional)
    return S->Elements.empty() ? Value() : fromValue(M, S->Elements[0]);
  bool Map = S->Tag == Sequence::Map;
  auto New = makeSequence(Map ? Sequence::Map : Sequence::Vector);
  for (const CellRef &E : S->Elements) {
    auto *Pair = Map ? E->V.as<Sequence>() : nullptr;
    if (Pair && Pair->Elements[0]->V.isString())
      setMember(M, *New, Pair->Elements[0]->V.string(),
                fromValue(M, Pair->Elements[1]));
    else
      New->Elements.push_back(makeCell(fromValue(M, E)));
  }
  return Value(std::move(New));
}

/// `{{"a", 1}, {"b", 2}}` is an object, every other list an array.
static Value fromList(Machine &M, Sequence &List) {
  bool IsObject = llvm::all_of(List.Elements, [](const CellRef &E) {
    Sequence *Pair = arrayIn(E->V);
    return Pair && Pair->Elements.size() == 2 &&
           Pair->Elements[0]->V.isString();
  });
  auto New = makeSequence(IsObject ? Sequence::Map : Sequence::Vector);
  for (const CellRef &E : List.Elements) {
    Sequence *Pair = IsObject ? arrayIn(E->V) : nullptr;
    if (Pair)
      setMember(M, *New, Pair->Elements[0]->V.string(),
                M.copy(Pair->Elements[1]->V));
    else
      New->Elements.push_back(makeCell(M.copy(E->V)));
  }
  return Value(std::move(New));
}

static Operand construct(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return nothing();
  QualType T = paramType(S, 0);
  if (auto *List = argValue(S, 0).as<Sequence>();
      List && isClass(T, "initializer_list"))
    return fromList(M, *List);
  if (!T.isNull() && T->isEnumeralType()) { // value_t: null, object, array …
    std::optional<int64_t> Kind = intArg(S, 0);
    if (Kind == 1 || Kind == 2)
      return Value(makeSequence(Kind == 1 ? Sequence::Map : Sequence::Vector));
    return nothing();
  }
  if (S.Args.size() > 1 && argValue(S, 0).isInt() &&
      isClass(paramType(S, 1), "basic_json")) {
    auto New = makeSequence(Sequence::Vector);
    for (int64_t I = 0; I < argValue(S, 0).asInt() && M.step(); ++I)
      New->Elements.push_back(makeCell(M.copy(argValue(S, 1))));
    return Value(std::move(New));
  }
  return fromValue(M, placeOf(S, 0));
}

static Operand assign(Machine &M, CallSite &S) {
  Value New = fromValue(M, placeOf(S, 0));
  if (S.Object)
    S.Object->set(std::move(New));
  return self(S);
}

template <Sequence::TagTy Tag> static Operand make(Machine &M, CallSite &S) {
  auto *List = S.Args.empty() ? nullptr : argValue(S, 0).as<Sequence>();
  if (!List)
    return Value(makeSequence(Tag));
  Value V = fromList(M, *List);
  if (Tag == Sequence::Map || arrayIn(V))
    return V;
  auto New = makeSequence(Sequence::Vector);
  for (const CellRef &E : List->Elements)
    New->Elements.push_back(makeCell(M.copy(E->V)));
  return Value(std::move(New));
}

/// parse(text), parse(stream).
static Operand parse(Machine &M, CallSite &S) {
  if (auto *Stream = argValue(S, 0).as<StreamObject>()) {
    if (!Stream->Known)
      return Stream->Why ? Value(Stream->Why) : M.unknown("JSON of a stream");
    Value V = parsed(M, Stream->rest());
    Stream->At = Stream->Text.size();
    return V;
  }
  if (std::optional<std::string> T = textArg(S, 0))
    return parsed(M, *T);
  if (hasArg(S, 1))
    if (std::optional<Span> Range = spanArg(M, S, 0);
        Range && Range->First.Container->V.isString())
      return parsed(M, llvm::StringRef(Range->First.Container->V.string())
                           .substr(Range->First.Index, Range->Size));
  return M.unknownFrom(S, "JSON of something that is not known");
}

/// `stream >> json`.
static Operand extract(Machine &M, CallSite &S) {
  CellRef Stream = placeOf(S, 0), To = placeOf(S, 1);
  To->set(std::move(parse(M, S).V));
  return Stream;
}

//===-- To C++ ------------------------------------------------------------===//

static Value toValue(Machine &M, CellRef C, QualType T);

static Value toSequence(Machine &M, const Sequence &From, Sequence::TagTy Tag,
                        QualType T) {
  auto Args = templateArgsOf(T);
  bool Each = Tag == Sequence::Pair || Tag == Sequence::Tuple;
  auto New = makeSequence(Tag);
  for (const CellRef &E : From.Elements) {
    size_t I = Each ? New->Elements.size() : 0;
    QualType Type =
        I < Args.size() && Args[I].getKind() == TemplateArgument::Type
            ? Args[I].getAsType()
            : QualType();
    New->Elements.push_back(makeCell(toValue(M, E, Type)));
  }
  return Value(std::move(New));
}

static Value toMap(Machine &M, const Sequence &From, QualType T) {
  auto Args = templateArgsOf(T);
  QualType Type = Args.size() > 1 && Args[1].getKind() == TemplateArgument::Type
                      ? Args[1].getAsType()
                      : QualType();
  auto New = makeSequence(Sequence::Map);
  for (const CellRef &E : From.Elements)
    if (auto *Pair = E->V.as<Sequence>())
      insertSorted(M, *New,
                   member(Pair->Elements[0]->V.string(),
                          toValue(M, Pair->Elements[1], Type)),
                   false);
  return Value(std::move(New));
}

static std::optional<Sequence::TagTy> listTag(QualType T) {
  static constexpr std::pair<const char *, Sequence::TagTy> Tags[] = {
      {"vector", Sequence::Vector}, {"array", Sequence::Array},
      {"deque", Sequence::Deque},   {"list", Sequence::List},
      {"pair", Sequence::Pair},     {"tuple", Sequence::Tuple},
      {"set", Sequence::Set}};
  for (auto &[Name, Tag] : Tags)
    if (isClass(T, Name))
      return Tag;
  return std::nullopt;
}

/// The JSON value in \p C as a \p T; throws where the library would.
static Value toValue(Machine &M, CellRef C, QualType T) {
  Value &V = C->V;
  if (T.isNull() || V.isUnknown() || isClass(T, "basic_json") || !M.step())
    return M.copy(V);
  T = T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (T->isArithmeticType() || T->isEnumeralType()) {
    if (V.isNumber())
      return fitted(M, T, M.copy(V));
  } else if (isClass(T, "basic_string") || isClass(T, "basic_string_view") ||
             T->isPointerType()) {
    if (V.isString())
      return Value(V.string());
  } else if (isClass(T, "map") || isClass(T, "unordered_map")) {
    if (Sequence *Object = objectIn(V))
      return toMap(M, *Object, T);
  } else if (isClass(T, "optional")) {
    auto New = makeSequence(Sequence::Optional);
    auto Args = templateArgsOf(T);
    if (!V.isVoid() && !Args.empty())
      New->Elements.push_back(makeCell(toValue(M, C, Args[0].getAsType())));
    return Value(std::move(New));
  } else if (std::optional<Sequence::TagTy> Tag = listTag(T)) {
    if (Sequence *Array = arrayIn(V))
      return toSequence(M, *Array, *Tag, T);
  } else if (const CXXRecordDecl *D = T->getAsCXXRecordDecl()) {
    const FunctionDecl *F = converterOf(M, *D, "from_json", 1);
    if (!F)
      return M.unknown("an object made from JSON");
    CellRef Result = makeCell(M.defaultValue(T));
    CallSite Site;
    Site.Callee = F;
    Site.Args.push_back(Operand(C));
    Site.Args.push_back(Operand(Result));
    M.callFunction(Site);
    return Result->take();
  }
  M.throwException("a JSON value of another type than the program expects");
  return Value();
}

static Operand get(Machine &M, CallSite &S) {
  return toValue(M, S.Object, functionTypeArg(S, 0));
}
static Operand convert(Machine &M, CallSite &S) {
  return toValue(M, S.Object, S.Callee->getReturnType());
}
static Operand getTo(Machine &M, CallSite &S) {
  CellRef To = placeOf(S, 0);
  To->set(toValue(M, S.Object, paramType(S, 0)));
  return To;
}

//===-- Elements ----------------------------------------------------------===//

static Operand unknownElement(Machine &M, CallSite &S) {
  return unknownPlace(M.unknownFrom(S, "an element of JSON that is not known"));
}

/// `j["name"]`, `j[3]`: made where it isn't there.
static Operand subscript(Machine &M, CallSite &S) {
  Value &V = S.Object->V;
  if (std::optional<std::string> Name = textArg(S, 0)) {
    if (V.isVoid())
      V = Value(makeSequence(Sequence::Map));
    Sequence *Object = objectIn(V);
    if (!Object)
      return unknownElement(M, S);
    if (CellRef C = memberOf(M, *Object, *Name))
      return C;
    setMember(M, *Object, *Name, Value());
    return memberOf(M, *Object, *Name);
  }
  if (V.isVoid())
    V = Value(makeSequence(Sequence::Vector));
  Sequence *Array = arrayIn(V);
  std::optional<int64_t> I = intArg(S, 0);
  if (!Array || !I || *I < 0 || *I > M.limits().MaxElements)
    return unknownElement(M, S);
  while (*I >= (int64_t)Array->Elements.size() && M.step())
    Array->Elements.push_back(makeCell());
  return Array->Elements[*I];
}

static Operand at(Machine &M, CallSite &S) {
  Value &V = S.Object->V;
  std::optional<std::string> Name = textArg(S, 0);
  Sequence *Object = objectIn(V), *Array = arrayIn(V);
  std::optional<int64_t> I = intArg(S, 0);
  if (V.isUnknown() || (!Name && !I))
    return unknownElement(M, S);
  if (Name && Object)
    if (CellRef C = memberOf(M, *Object, *Name))
      return C;
  if (I && Array && *I >= 0 && *I < (int64_t)Array->Elements.size())
    return Array->Elements[*I];
  M.throwException("JSON without " +
                   (Name ? "'" + *Name + "'" : "that element"));
  return makeCell();
}

/// value("name", default).
static Operand valueOr(Machine &M, CallSite &S) {
  std::optional<std::string> Name = textArg(S, 0);
  if (S.Object->V.isUnknown() || !Name)
    return M.unknownFrom(S, "an element of JSON that is not known");
  Sequence *Object = objectIn(S.Object->V);
  CellRef C = Object ? memberOf(M, *Object, *Name) : nullptr;
  QualType T = S.Callee->getReturnType();
  if (C)
    return toValue(M, C, T);
  if (std::optional<std::string> Text = textArg(S, 1))
    return Value(*Text);
  return M.take(S, 1);
}

static Operand contains(Machine &M, CallSite &S) {
  std::optional<std::string> Name = textArg(S, 0);
  if (S.Object->V.isUnknown() || !Name)
    return M.unknownFrom(S, "an element of JSON that is not known");
  Sequence *Object = objectIn(S.Object->V);
  return integer(Object && memberOf(M, *Object, *Name));
}

static Operand find(Machine &M, CallSite &S) {
  std::optional<std::string> Name = textArg(S, 0);
  Sequence *Object = objectIn(S.Object->V);
  if (S.Object->V.isUnknown() || !Name)
    return M.unknownFrom(S, "an element of JSON that is not known");
  std::optional<int64_t> I = Object && memberOf(M, *Object, *Name)
                                 ? lowerBound(M, *Object, Value(*Name))
                                 : std::nullopt;
  return I ? makeIterator(S.Object, *I) : endOf(S.Object);
}

static Operand size(Machine &M, CallSite &S) {
  if (S.Object->V.isUnknown())
    return M.unknownFrom(S, "size of JSON that is not known");
  auto *Q = S.Object->V.as<Sequence>();
  return integer(Q ? (int64_t)Q->Elements.size() : !S.Object->V.isVoid());
}
static Operand empty(Machine &M, CallSite &S) {
  Operand N = size(M, S);
  return N.V.isInt() ? integer(N.V.asInt() == 0) : std::move(N);
}

static Operand pushBack(Machine &M, CallSite &S) {
  Value &V = S.Object->V;
  if (V.isVoid())
    V = Value(makeSequence(Sequence::Vector));
  if (Sequence *Array = arrayIn(V))
    Array->Elements.push_back(makeCell(fromValue(M, placeOf(S, 0))));
  return self(S);
}

/// update(other): its members replace ours.
static Operand update(Machine &M, CallSite &S) {
  Sequence *To = objectIn(S.Object->V), *From = objectIn(argValue(S, 0));
  if (!To || !From)
    return loseSelf(M, S, "JSON that is not known");
  for (const CellRef &E : From->Elements)
    if (auto *Pair = E->V.as<Sequence>())
      setMember(M, *To, Pair->Elements[0]->V.string(),
                M.copy(Pair->Elements[1]->V));
  return nothing();
}

//===-- Kinds and comparison ----------------------------------------------===//

enum class Kind { Null, Object, Array, Text, Number, Integer, Real };

template <Kind K> static Operand is(Machine &M, CallSite &S) {
  const Value &V = S.Object->V;
  if (V.isUnknown())
    return M.unknownFrom(S, "JSON that is not known");
  switch (K) {
  case Kind::Null:
    return integer(V.isVoid());
  case Kind::Object:
    return integer(objectIn(V) != nullptr);
  case Kind::Array:
    return integer(arrayIn(V) != nullptr);
  case Kind::Text:
    return integer(V.isString());
  case Kind::Number:
    return integer(V.isNumber());
  case Kind::Integer:
    return integer(V.isInt());
  case Kind::Real:
    return integer(V.isFloat());
  }
}

template <bool Negate> static Operand compare(Machine &M, CallSite &S) {
  CellRef A = S.Object ? S.Object : placeOf(S, 0);
  Value B = fromValue(M, placeOf(S, S.Object ? 0 : 1));
  if (A->V.isUnknown() || B.isUnknown())
    return M.unknownFrom(S, "comparison of JSON that is not known");
  Value L = fromValue(M, A);
  std::optional<int> C = compareValues(L, B);
  return integer((C == 0 || (L.isVoid() && B.isVoid())) != Negate);
}

static Operand text(Machine &M, CallSite &S) {
  return quietUnknown(M, "text of JSON");
}

//===-- Iteration ---------------------------------------------------------===//

static Operand begin(Machine &M, CallSite &S) {
  if (S.Object->V.isUnknown())
    return Value(S.Object->V.unknown());
  return beginOf(S.Object);
}
static Operand end(Machine &M, CallSite &S) {
  if (S.Object->V.isUnknown())
    return Value(S.Object->V.unknown());
  return endOf(S.Object);
}

/// items(): pairs of name and place.
static Operand items(Machine &M, CallSite &S) {
  auto *Q = S.Args.empty() ? S.Object->V.as<Sequence>()
                           : argValue(S, 0).as<Sequence>();
  if (!Q)
    return M.unknownFrom(S, "elements of JSON that is not known");
  auto List = makeSequence(Sequence::Vector);
  int64_t I = 0;
  for (const CellRef &E : Q->Elements) {
    auto *Pair = Q->Tag == Sequence::Map ? E->V.as<Sequence>() : nullptr;
    auto Item = makeSequence(Sequence::Pair);
    Item->Elements.push_back(makeCell(Pair ? M.copy(Pair->Elements[0]->V)
                                           : Value(std::to_string(I++))));
    Item->Elements.push_back(Pair ? Pair->Elements[1] : E);
    Item->Owns = false;
    List->Elements.push_back(makeCell(Value(std::move(Item))));
  }
  return Value(std::move(List));
}

/// Part \p I of the member that an iterator, or an item, stands at: 0 its name,
/// 1 its value.
template <unsigned I> static Operand part(Machine &M, CallSite &S) {
  std::optional<Cursor> At = cursorOf(S.Object->V);
  CellRef E = At ? At->element() : S.Object;
  auto *Pair = E ? E->V.as<Sequence>() : nullptr;
  bool IsPair = Pair && Pair->Tag == Sequence::Pair;
  if (IsPair && I < Pair->Elements.size())
    return Pair->Elements[I];
  if (E && At && I == 1)
    return E;
  return unknownPlace(M.unknownFrom(S, "an element of JSON that is not known"));
}
static Operand arrow(Machine &M, CallSite &S) {
  return Value(PointerValue{part<1>(M, S).Place});
}

static constexpr char Next[] = "++", Previous[] = "--", Plus[] = "+";

/// An operator of iterators: that of any other container.
template <const char *Op> static Operand likeVector(Machine &M, CallSite &S) {
  return M.native(std::string("__gnu_cxx::__normal_iterator::operator") +
                  Op)(M, S);
}

template <bool Negate> static Operand samePlace(Machine &M, CallSite &S) {
  std::optional<int> C = compareValues(S.Object->V, argValue(S, 0));
  return boolean(M, S, C ? std::optional(*C == 0) : std::nullopt, Negate);
}

#define JSON(Name, Fn) {"nlohmann::basic_json::" Name, Fn}
#define ITERATOR(Name, Fn) {"nlohmann::detail::iter_impl::" Name, Fn}

static constexpr NativeEntry JsonEntries[] = {
    JSON("basic_json", construct),
    {"nlohmann::detail::json_ref::json_ref", construct},
    JSON("operator=", assign),
    JSON("array", make<Sequence::Vector>),
    JSON("object", make<Sequence::Map>),
    JSON("parse", parse),
    {"nlohmann::operator>>", extract},
    JSON("operator>>", extract),
    JSON("get", get),
    JSON("get_ref", get),
    JSON("operator T", convert),
    JSON("operator bool", convert),
    JSON("get_to", getTo),
    JSON("operator[]", subscript),
    JSON("at", at),
    JSON("value", valueOr),
    JSON("contains", contains),
    JSON("count", contains),
    JSON("find", find),
    JSON("size", size),
    JSON("empty", empty),
    JSON("push_back", pushBack),
    JSON("emplace_back", pushBack),
    JSON("operator+=", pushBack),
    JSON("update", update),
    JSON("is_null", is<Kind::Null>),
    JSON("is_object", is<Kind::Object>),
    JSON("is_array", is<Kind::Array>),
    JSON("is_string", is<Kind::Text>),
    JSON("is_number", is<Kind::Number>),
    JSON("is_number_integer", is<Kind::Integer>),
    JSON("is_number_unsigned", is<Kind::Integer>),
    JSON("is_number_float", is<Kind::Real>),
    JSON("is_boolean", is<Kind::Integer>),
    JSON("dump", text),
    JSON("type_name", text),
    {"nlohmann::operator==", compare<false>},
    {"nlohmann::operator!=", compare<true>},
    JSON("operator==", compare<false>),
    JSON("operator!=", compare<true>),
    JSON("begin", begin),
    JSON("cbegin", begin),
    JSON("end", end),
    JSON("cend", end),
    JSON("items", items),
    JSON("iterator_wrapper", items),
    {"nlohmann::detail::iteration_proxy_value::key", part<0>},
    {"nlohmann::detail::iteration_proxy_value::value", part<1>},
    ITERATOR("key", part<0>),
    ITERATOR("value", part<1>),
    ITERATOR("operator*", part<1>),
    ITERATOR("operator->", arrow),
    ITERATOR("operator++", likeVector<Next>),
    ITERATOR("operator--", likeVector<Previous>),
    ITERATOR("operator+", likeVector<Plus>),
    ITERATOR("operator==", samePlace<false>),
    ITERATOR("operator!=", samePlace<true>),
};
const Table JsonTable = JsonEntries;

} // namespace vramlint::stdlib
