//===- lib/torch/plugin/Convert.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Values of the machine to arguments of the abstract LibTorch, and back.

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

/// c10::ScalarType's enumerators, in order.
static DType scalarType(int64_t N) {
  switch (N) {
  case 0: return DType::UInt8;
  case 1: return DType::Int8;
  case 2: return DType::Int16;
  case 3: return DType::Int32;
  case 4: return DType::Int64;
  case 5: return DType::Float16;
  case 6: return DType::Float32;
  case 7: return DType::Float64;
  case 9: return DType::ComplexFloat;
  case 10: return DType::ComplexDouble;
  case 11: return DType::Bool;
  case 15: return DType::BFloat16;
  default: return DType::Unknown;
  }
}

static int64_t scalarTypeNumber(DType T) {
  for (int64_t I = 0; I < 16; ++I)
    if (scalarType(I) == T)
      return I;
  return 26; // Undefined
}

static Device deviceOfType(int64_t N) {
  return {N == 1 ? DeviceKind::CUDA : DeviceKind::CPU, 0};
}

/// The class or enum name of \p T without references: "c10::ScalarType".
static llvm::StringRef typeName(Machine &M, QualType T) {
  if (T.isNull())
    return "";
  T = T.getNonReferenceType();
  if (auto *R = T->getAsCXXRecordDecl())
    return M.nameOf(*R);
  if (auto *E = T->getAs<EnumType>())
    return M.nameOf(*E->getDecl());
  return "";
}

/// T of optional<T>, ArrayRef<T>, vector<T>; \p T itself of anything else.
static QualType elementType(QualType T) {
  if (T.isNull())
    return T;
  T = T.getNonReferenceType();
  if (auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
          T->getAsCXXRecordDecl()))
    if (S->getTemplateArgs().size() &&
        S->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
      return S->getTemplateArgs()[0].getAsType();
  return T;
}

Value TorchDomain::quiet(Machine &M, llvm::Twine Reason) {
  UnknownRef Info(new UnknownInfo());
  Info->Reason = Reason.str();
  Info->Pos = M.currentPos();
  return Value(Info);
}

Value TorchDomain::tensorValue(TensorRef T) {
  return Value(std::make_unique<TensorObject>(std::move(T)));
}

TensorRef TorchDomain::tensorOf(Machine &M, const Value &V) {
  if (auto *T = V.as<TensorObject>())
    return T->T;
  if (V.isUnknown())
    return R.opaque("unknown", Args(), intern(V.unknown()->Reason));
  if (auto *I = V.as<IndexObject>())
    if (auto *T = std::get_if<TensorRef>(&I->A.V))
      return *T;
  if (auto *P = V.as<SmartPtr>(); P && P->Target)
    return tensorOf(M, P->Target->V);
  if (auto *S = V.as<Sequence>(); S && S->Tag == Sequence::Optional && !S->Elements.empty())
    return tensorOf(M, S->Elements[0]->V);
  return nullptr;
}

OptionMap TorchDomain::toOptions(Machine &M, const Value &V) {
  OptionMap Map;
  if (auto *O = V.as<TensorOptionsObject>())
    return O->Fields;
  auto *Rec = V.as<Record>();
  if (!Rec)
    return Map;
  for (const CellRef &B : Rec->Bases)
    for (auto &[K, A] : toOptions(M, B->V))
      Map[K] = A;
  for (const FieldDecl *F : Rec->Decl->fields()) {
    unsigned I = F->getFieldIndex();
    if (I >= Rec->Fields.size() || !Rec->Fields[I])
      continue;
    llvm::StringRef Name = F->getName();
    Name.consume_back("_");
    Map[Name.str()] = toArg(M, Rec->Fields[I]->V, F->getType());
  }
  return Map;
}

static Arg integerArg(Machine &M, int64_t N, QualType Type) {
  llvm::StringRef Name = typeName(M, Type);
  if (Name == "c10::ScalarType" || Name == "caffe2::TypeMeta")
    return Arg(scalarType(N));
  if (Name == "c10::DeviceType" || Name == "c10::Device")
    return Arg(deviceOfType(N));
  if (!Type.isNull() && Type.getNonReferenceType()->isBooleanType())
    return Arg(N != 0);
  return Arg(N);
}

static Arg sequenceArg(TorchDomain &D, Machine &M, const Sequence &S,
                       QualType Type) {
  QualType Element = elementType(Type);
  llvm::StringRef Name = typeName(M, Element);
  if (Name == "at::Tensor" ||
      (!S.Elements.empty() && S.Elements[0]->V.as<TensorObject>())) {
    std::vector<TensorRef> List;
    for (const CellRef &C : S.Elements)
      List.push_back(D.tensorOf(M, C->V));
    D.R.OpenList |= S.Open;
    return Arg(std::move(List));
  }
  if (S.Elements.empty())
    return Arg(Arg::Ints());
  bool Ints = true, Numbers = true;
  Arg::Ints IntList;
  std::vector<double> RealList;
  for (const CellRef &C : S.Elements) {
    std::optional<Value> Drawn = M.drawn(C->V);
    const Value &V = Drawn ? *Drawn : C->V;
    Ints &= V.isInt() || V.isUnknown();
    Numbers &= V.isNumber() || V.isUnknown();
    IntList.push_back(V.isInt() ? Arg::Int(V.asInt()) : std::nullopt);
    RealList.push_back(V.isNumber() ? V.asNumber() : 0);
  }
  if (Ints)
    return Arg(std::move(IntList));
  if (Numbers)
    return Arg(std::move(RealList));
  std::vector<Arg> List;
  for (const CellRef &C : S.Elements)
    List.push_back(D.toArg(M, C->V, Element));
  return Arg(std::move(List));
}

static Arg recordArg(TorchDomain &D, Machine &M, const Record &Rec,
                     const Value &V) {
  llvm::StringRef Name = M.nameOf(*Rec.Decl);
  if (Name.starts_with("torch::enumtype::"))
    return Arg(Name.substr(17).str());
  if (Name.starts_with("torch::ExpandingArray"))
    if (!Rec.Fields.empty())
      return D.toArg(M, Rec.Fields[0]->V, QualType());
  if (auto H = D.moduleOf(M, V))
    return Arg(H.M);
  for (const CellRef &B : Rec.Bases) // ExpandingArrayWithOptionalElem and the like.
    if (auto *Base = B->V.as<Record>();
        Base && M.nameOf(*Base->Decl).starts_with("torch::ExpandingArray"))
      return recordArg(D, M, *Base, B->V);
  return Arg(std::make_shared<OptionMap>(D.toOptions(M, V)));
}

Arg TorchDomain::toArg(Machine &M, const Value &V, QualType Type) {
  llvm::StringRef Name = typeName(M, Type);
  if (Name == "at::Tensor" || V.as<TensorObject>())
    return Arg(tensorOf(M, V));
  if (Name == "c10::optional" || Name == "std::optional") {
    if (auto *S = V.as<Sequence>(); S && S->Tag == Sequence::Optional)
      return S->Elements.empty() ? Arg()
                                 : toArg(M, S->Elements[0]->V, elementType(Type));
    if (V.isObject() || V.isNumber())
      return toArg(M, V, elementType(Type));
  }
  if (V.isUnknown() && V.unknown()->Draw &&
      std::holds_alternative<int64_t>(V.unknown()->May.front()))
    return toArg(M, *M.drawn(V), Type);
  if (V.isUnknown())
    return Arg(Arg::UnknownArg{V.unknown()->Reason, V.unknownValue().Name,
                               V.unknownValue().Addend});
  if (V.isInt())
    return integerArg(M, V.asInt(), Type);
  if (V.isFloat())
    return Arg(V.asFloat());
  if (V.isString())
    return Arg(V.string());
  if (auto *S = V.as<Sequence>()) {
    if (S->Tag == Sequence::Optional)
      return S->Elements.empty() ? Arg() : toArg(M, S->Elements[0]->V, elementType(Type));
    if (S->Tag == Sequence::Variant && S->Elements.size() == 1)
      return toArg(M, S->Elements[0]->V, QualType());
    return sequenceArg(*this, M, *S, Type);
  }
  if (auto *D = V.as<DeviceObject>())
    return Arg(D->D);
  if (auto *I = V.as<IndexObject>())
    return I->A;
  if (auto *O = V.as<TensorOptionsObject>())
    return Arg(std::make_shared<OptionMap>(O->Fields));
  if (auto H = moduleOf(M, V))
    return Arg(H.M);
  if (auto *Rec = V.as<Record>())
    return recordArg(*this, M, *Rec, V);
  if (V.isVoid() || V.isPointer())
    return Arg();
  return Arg(Arg::UnknownArg{"a value that is not modelled"});
}

Args TorchDomain::bind(Machine &M, CallSite &Site) {
  Args A;
  if (Site.Object)
    A.add("self", toArg(M, Site.Object->V, QualType()));
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    QualType Type;
    std::string Name = "arg" + std::to_string(I);
    if (I < Site.Callee->getNumParams()) {
      Type = Site.Callee->getParamDecl(I)->getType();
      if (!Site.Callee->getParamDecl(I)->getName().empty())
        Name = Site.Callee->getParamDecl(I)->getName().str();
    }
    A.add(std::move(Name), toArg(M, Site.Args[I].value(), Type));
  }
  return A;
}

Value TorchDomain::toValue(Machine &M, const Arg &A, QualType Type) {
  if (auto *T = std::get_if<TensorRef>(&A.V))
    return tensorValue(*T);
  if (auto *B = std::get_if<bool>(&A.V))
    return Value::integer(*B);
  if (auto *N = std::get_if<int64_t>(&A.V))
    return Value::integer(*N);
  if (auto *D = std::get_if<double>(&A.V))
    return Value::real(*D);
  if (auto *S = std::get_if<std::string>(&A.V))
    return Value(*S);
  if (auto *T = std::get_if<DType>(&A.V))
    return Value::integer(scalarTypeNumber(*T));
  if (auto *D = std::get_if<Device>(&A.V))
    return Value(std::make_unique<DeviceObject>(*D));
  if (auto *U = std::get_if<Arg::UnknownArg>(&A.V))
    return quiet(M, U->Why);
  if (auto *L = std::get_if<Arg::Ints>(&A.V)) {
    auto S = std::make_unique<Sequence>(Sequence::Vector);
    for (const Arg::Int &I : *L)
      S->Elements.push_back(makeCell(I ? Value::integer(*I)
                                       : quiet(M, "a size that is not known")));
    return Value(std::move(S));
  }
  if (auto *L = std::get_if<std::vector<TensorRef>>(&A.V)) {
    auto S = std::make_unique<Sequence>(Sequence::Vector);
    for (const TensorRef &T : *L)
      S->Elements.push_back(makeCell(tensorValue(T)));
    return Value(std::move(S));
  }
  if (auto *L = std::get_if<std::vector<Arg>>(&A.V)) {
    auto S = std::make_unique<Sequence>(Sequence::Tuple);
    for (const Arg &E : *L)
      S->Elements.push_back(makeCell(toValue(M, E, QualType())));
    return Value(std::move(S));
  }
  if (auto *O = std::get_if<std::shared_ptr<OptionMap>>(&A.V)) {
    auto T = std::make_unique<TensorOptionsObject>();
    T->Fields = **O;
    return Value(std::move(T));
  }
  return quiet(M, "a result that is not modelled");
}

Operand TorchDomain::fromResult(Machine &M, OpResult &Res, CallSite &Site) {
  QualType T = Site.Callee->getReturnType();
  if (Res.IsList && Res.Values.size() == 1)
    return Operand(toValue(M, Res.Values[0], T));
  if (Res.IsTuple || Res.Values.size() > 1) {
    auto S = std::make_unique<Sequence>(Sequence::Tuple);
    for (Arg &A : Res.Values)
      S->Elements.push_back(makeCell(toValue(M, A, QualType())));
    return Operand(Value(std::move(S)));
  }
  if (T->isVoidType() || Res.Values.empty())
    return Operand(Value());
  if (T->isReferenceType()) { // In-place and out= forms return their tensor.
    if (Site.Object)
      return Operand(Site.Object);
    if (!Site.Args.empty() && Site.Args[0].Place)
      return Operand(Site.Args[0].Place);
  }
  return Operand(toValue(M, Res.Values[0], T));
}

} // namespace vramlint
