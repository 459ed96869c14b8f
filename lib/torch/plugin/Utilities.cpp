//===- lib/torch/plugin/Utilities.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The rest of LibTorch's C++ surface: guards, devices, options, indices,
// optimizers, serialization, checks.

#include "lib/torch/plugin/TorchDomain.h"

#include "llvm/Support/Format.h"
#include <cstdio>
#include <limits>

using namespace clang;

namespace vramlint {

// --- Guards ------------------------------------------------------------------------

bool TorchDomain::constructGuard(llvm::StringRef Class, Machine &M,
                                 CallSite &Site, Value &Result) {
  llvm::StringRef Name = Class.rsplit("::").second;
  bool Off = true;
  if (!Site.Args.empty())
    Off = M.truth(Site.Args[0].value()).value_or(true);
  auto G = std::make_unique<GuardObject>(R);
  if (Name == "NoGradGuard")
    R.GradMode = false;
  else if (Name == "AutoGradMode")
    R.GradMode = !Site.Args.empty() && Off;
  else if (Name == "InferenceMode")
    R.InferenceMode = Off;
  else if (!Name.ends_with("Guard"))
    return G->Active = false;
  Result = Value(std::move(G));
  return true;
}

// --- Small value classes ------------------------------------------------------------

static std::unique_ptr<TensorOptionsObject> optionsFrom(TorchDomain &D, Machine &M,
                                                        const Value &V, QualType T) {
  auto O = std::make_unique<TensorOptionsObject>();
  if (auto *Old = V.as<TensorOptionsObject>()) {
    O->Fields = Old->Fields;
    return O;
  }
  Arg A = D.toArg(M, V, T);
  if (std::holds_alternative<Device>(A.V))
    O->Fields["device"] = A;
  else if (std::holds_alternative<DType>(A.V))
    O->Fields["dtype"] = A;
  return O;
}

static Device deviceFromText(llvm::StringRef Text) {
  Device D;
  D.Kind = Text.starts_with("cuda") ? DeviceKind::CUDA : DeviceKind::CPU;
  auto [Kind, Index] = Text.split(':');
  if (!Index.empty() && Index.getAsInteger(10, D.Index))
    D.Index = 0;
  return D;
}

static Value arrayRef(Machine &M, CallSite &Site) {
  auto List = std::make_unique<Sequence>(Sequence::InitList);
  List->Owns = false; // A view of what is somewhere else.
  if (Site.Args.empty())
    return Value(std::move(List));
  Value &V = Site.Args[0].value();
  if (V.isUnknown())
    return Value(V.unknown());
  Sequence *S = V.as<Sequence>();
  if (V.isPointer() && V.pointer().Array)
    S = V.pointer().Array->V.as<Sequence>();
  if (S) {
    size_t N = S->Elements.size();
    if (V.isPointer() && Site.Args.size() > 1 && Site.Args[1].value().isInt())
      N = std::min<size_t>(N, std::max<int64_t>(0, Site.Args[1].value().asInt()));
    List->Elements.assign(S->Elements.begin(), S->Elements.begin() + N);
    return Value(std::move(List));
  }
  // One element: its place if it has one.
  List->Elements.push_back(Site.Args[0].Place ? Site.Args[0].Place
                                              : makeCell(std::move(Site.Args[0].V)));
  return Value(std::move(List));
}

static Value indexFrom(TorchDomain &D, Machine &M, CallSite &Site) {
  if (Site.Args.empty())
    return Value(std::make_unique<IndexObject>(Arg(Arg::NoneIndex{})));
  Value &V = Site.Args[0].value();
  if (V.as<IndexObject>())
    return M.take(Site, 0);
  if (V.isString())
    return Value(std::make_unique<IndexObject>(Arg(Arg::Ellipsis{})));
  if (auto *S = V.as<Sequence>(); S && S->Tag == Sequence::Optional)
    return Value(std::make_unique<IndexObject>(Arg(Arg::NoneIndex{})));
  return Value(std::make_unique<IndexObject>(D.toArg(M, V, QualType())));
}

static Value sliceFrom(TorchDomain &D, Machine &M, CallSite &Site) {
  Arg::Slice S;
  Arg::Bound *Parts[] = {&S.Start, &S.Stop, &S.Step};
  Arg Given[3];
  for (size_t I = 0; I < Site.Args.size() && I < 3; ++I) {
    Given[I] = D.toArg(M, Site.Args[I].value(), QualType());
    Parts[I]->Given = !std::holds_alternative<Arg::Absent>(Given[I].V) &&
                      !std::holds_alternative<Arg::NoneIndex>(Given[I].V);
    if (auto *N = std::get_if<int64_t>(&Given[I].V))
      Parts[I]->At = *N;
  }
  auto *Start = std::get_if<Arg::UnknownArg>(&Given[0].V);
  auto *Stop = std::get_if<Arg::UnknownArg>(&Given[1].V);
  if (Start && Stop && Start->Name && Start->Name == Stop->Name)
    S.Span = Stop->Addend - Start->Addend;
  return Value(std::make_unique<IndexObject>(Arg(S)));
}

/// Options whose constructors have no body here: a parameter sets the field of
/// its name.
static Value optionsRecord(Machine &M, CallSite &Site) {
  auto *Ctor = cast<CXXConstructorDecl>(Site.Callee);
  Value V = M.defaultRecord(*Ctor->getParent());
  CellRef C = makeCell(std::move(V));
  for (size_t I = 0; I < Site.Args.size() && I < Ctor->getNumParams(); ++I) {
    std::string Name = Ctor->getParamDecl(I)->getName().str();
    CellRef F = M.field(C, Name + "_");
    if (!F)
      F = M.field(C, Name);
    // TransformerEncoderOptions makes a layer of encoder_layer_options.
    if (!F && llvm::StringRef(Name).ends_with("_options"))
      F = M.field(C, llvm::StringRef(Name).drop_back(strlen("options")).str());
    if (F)
      F->set(M.take(Site, I));
  }
  return C->take();
}

/// The element type of a vector or array that is torch::tensor's data; null where it
/// is a number or braces.
static QualType elementOfList(const CallSite &Site) {
  auto *Call = dyn_cast_or_null<CallExpr>(Site.E);
  if (!Call || Call->getNumArgs() == 0)
    return {};
  auto *Data = dyn_cast<CXXConstructExpr>(Call->getArg(0)->IgnoreImplicit());
  if (!Data || Data->getNumArgs() == 0)
    return {};
  auto *List = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Data->getArg(0)->IgnoreImplicit()->getType()->getAsCXXRecordDecl());
  if (!List || List->getTemplateArgs().size() == 0 ||
      List->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return {};
  return List->getTemplateArgs()[0].getAsType();
}

/// torch::tensor({{1, 2}, {3, 4}}): the shape follows from the braces, the dtype
/// from the first number.
static bool tensorLiteral(TorchDomain &D, Machine &M, CallSite &Site,
                          Operand &Result) {
  Shape S;
  DType T = D.R.DefaultDType;
  const Value *V = &Site.Args[0].value();
  while (auto *List = V->as<Sequence>()) {
    S.Dims.push_back(Dim(List->Elements.size()));
    if (List->Elements.empty())
      break;
    V = &List->Elements[0]->V;
  }
  if (V->isInt())
    T = DType::Int64;
  // A number that is not known is a number all the same; a vector has a length.
  if (QualType Element = elementOfList(Site);
      V->isUnknown() && S.Dims.empty() && !Element.isNull()) {
    S.Dims.push_back(Dim());
    S.Why = intern(V->unknown()->Reason);
    if (Element->isIntegralOrEnumerationType())
      T = Element->isBooleanType() ? DType::Bool : DType::Int64;
  }
  Args A = D.bind(M, Site);
  T = A.dtype("options").value_or(A.dtype("dtype").value_or(T));
  TensorRef New = D.R.make(S, T, Device(), Category::Input, "tensor");
  if (std::optional<Device> Dev = A.device("device");
      Dev && Dev->Kind != DeviceKind::CPU)
    New = D.R.make(S, T, *Dev, Category::Input, "tensor");
  if (A.boolean("requires_grad", false))
    New->RequiresGrad = true;
  Result = Operand(D.tensorValue(std::move(New)));
  return true;
}

/// torch::Device("cuda:0"), torch::Device(torch::kCUDA, 1).
static Value deviceFrom(TorchDomain &T, Machine &M, CallSite &Site) {
  Value &V = Site.Args[0].value();
  if (V.isString())
    return Value(std::make_unique<DeviceObject>(deviceFromText(V.string())));
  Arg A = T.toArg(M, V, Site.Callee->getParamDecl(0)->getType());
  auto *D = std::get_if<Device>(&A.V);
  if (D && Site.Args.size() > 1 && Site.Args[1].value().isInt())
    D->Index = Site.Args[1].value().asInt();
  return D ? Value(std::make_unique<DeviceObject>(*D))
           : T.quiet(M, "a device that is not known");
}

bool TorchDomain::constructUtility(Machine &M, llvm::StringRef Class,
                                   CallSite &Site, Value &Result) {
  bool Text = Class == "c10::basic_string_view"; // The text that it looks at.
  if (Text || Class == "torch::detail::TensorDataContainer") {
    Result = !Site.Args.empty() ? M.take(Site, 0)
             : Text             ? Value(std::string())
                                : Value(std::make_unique<Sequence>(Sequence::Vector));
    return true;
  }
  if (Class == "c10::ArrayRef" || Class == "c10::OptionalArrayRef" ||
      Class == "at::OptionalIntArrayRef" || Class == "c10::IListRef" ||
      Class == "c10::MaybeOwned" || Class == "c10::List") {
    Result = arrayRef(M, Site);
    return true;
  }
  if (constructFree(M, Class, Site, Result))
    return true;
  if (Class == "c10::Device") {
    Result = deviceFrom(*this, M, Site);
    return true;
  }
  if (Class == "c10::TensorOptions") {
    Result = Site.Args.empty()
                 ? Value(std::make_unique<TensorOptionsObject>())
                 : Value(optionsFrom(*this, M, Site.Args[0].value(),
                                     Site.Callee->getParamDecl(0)->getType()));
    return true;
  }
  if (Class == "caffe2::TypeMeta") {
    Result = Site.Args.empty() ? Value::integer(6) : M.take(Site, 0);
    return true;
  }
  if (Class == "at::indexing::TensorIndex") {
    Result = indexFrom(*this, M, Site);
    return true;
  }
  if (Class == "at::indexing::Slice") {
    Result = sliceFrom(*this, M, Site);
    return true;
  }
  llvm::StringRef Last = Class.rsplit("::").second;
  if (Last.ends_with("Options") && isa_and_nonnull<CXXConstructorDecl>(Site.Callee)) {
    auto *C = cast<CXXConstructorDecl>(Site.Callee);
    const FunctionDecl *Body = nullptr;
    // A template's, which is instantiated when it is run.
    const FunctionDecl *Pattern = C->getTemplateInstantiationPattern();
    if (C->isCopyOrMoveConstructor() || C->getBody(Body) ||
        (Pattern && Pattern->getBody(Body)) ||
        (C->isDefaultConstructor() && !C->isUserProvided()))
      return false;
    Result = optionsRecord(M, Site);
    return true;
  }
  if (Class.starts_with("torch::serialize::") || Class.starts_with("torch::optim::") ||
      Class.starts_with("c10::") || Class.starts_with("torch::cuda") ||
      Class.starts_with("at::") || Class.starts_with("torch::jit")) {
    if (Last.ends_with("ParamState") || Last == "Error")
      return false;
    if (Class.starts_with("torch::optim::") && !Last.contains("LR") &&
        Last != "OptimizerParamGroup")
      return false;
    auto O = std::make_unique<OpaqueObject>(intern(Class));
    for (size_t I = 0; I < Site.Args.size(); ++I)
      if (!Site.Args[I].Place)
        O->Parts.push_back(std::move(Site.Args[I].V));
    Result = Value(std::move(O));
    return true;
  }
  return false;
}

/// TORCH_ARG: `x(value)` sets the field x_ and gives the object, `x()` the field.
bool TorchDomain::optionCall(Machine &M, CallSite &Site, Operand &Result) {
  auto *Method = dyn_cast<CXXMethodDecl>(Site.Callee);
  if (!Method || !Site.Object || !Method->getDeclName().isIdentifier())
    return false;
  if (auto *O = Site.Object->V.as<TensorOptionsObject>()) {
    llvm::StringRef Name = Method->getName();
    if (Site.Args.empty()) {
      Result = Operand(toValue(M, O->Fields[Name.str()], QualType()));
      return true;
    }
    auto New = std::make_unique<TensorOptionsObject>();
    New->Fields = O->Fields;
    std::string Key = Name == "device_index" ? "device" : Name.str();
    New->Fields[Key] = Key == "dtype" || Key == "device" || Key == "requires_grad"
                           ? toArg(M, Site.Args[0].value(),
                                   Method->getParamDecl(0)->getType())
                           : Arg();
    if (Name == "device_index")
      New->Fields[Key] = Arg(Device{DeviceKind::CUDA, 0});
    if (Method->getReturnType()->isReferenceType()) {
      Site.Object->set(Value(std::move(New)));
      Result = Operand(Site.Object);
    } else {
      Result = Operand(Value(std::move(New)));
    }
    return true;
  }
  if (!Site.Object->V.as<Record>() || Site.Args.size() > 1)
    return false;
  CellRef F = M.field(Site.Object, (Method->getName() + "_").str());
  if (!F)
    return false;
  if (Site.Args.empty()) {
    Result = Operand(F);
  } else {
    F->set(M.take(Site, 0));
    Result = Operand(Site.Object);
  }
  return true;
}

// --- Optimizers ----------------------------------------------------------------------

static void collectParameters(TorchDomain &D, Machine &M, const Value &V,
                              std::vector<TensorRef> &List) {
  if (auto *T = V.as<TensorObject>()) {
    if (T->T)
      List.push_back(T->T);
    return;
  }
  if (auto *S = V.as<Sequence>())
    for (const CellRef &C : S->Elements)
      collectParameters(D, M, C->V, List);
  if (auto *O = V.as<OpaqueObject>())
    for (const Value &P : O->Parts)
      collectParameters(D, M, P, List);
}

bool TorchDomain::constructOptimizer(Machine &M, llvm::StringRef Class,
                                     CallSite &Site, Value &Result) {
  if (!Class.starts_with("torch::optim::"))
    return false;
  llvm::StringRef Name = Class.substr(14);
  if (Name == "Optimizer" || Name.contains("LR") || Name.ends_with("Options") ||
      Name == "OptimizerParamGroup" || Name.contains("State"))
    return false;
  std::vector<TensorRef> Parameters;
  OptionMap Map;
  for (Operand &A : Site.Args) {
    if (A.value().as<Record>())
      Map = toOptions(M, A.value());
    else
      collectParameters(*this, M, A.value(), Parameters);
  }
  std::string Kind = Options.Optimizer.value_or(Name.str());
  if (Options.Optimizer && Kind != Name)
    Map = {};
  auto O = makeOptimizer(R, Kind, std::move(Parameters), Map);
  if (!O) {
    M.unknown("optimizer " + Name + " is not modelled");
    Result = Value(std::make_unique<OpaqueObject>(intern(Class)));
    return true;
  }
  // "SGD momentum 0.9": the momentum is one more copy of the parameters.
  std::string Label = Kind;
  if (auto It = Map.find("momentum"); It != Map.end())
    if (auto *M = std::get_if<double>(&It->second.V); M && *M != 0) {
      llvm::raw_string_ostream OS(Label);
      OS << " momentum " << llvm::format("%g", *M);
    }
  assume("optimizer", Label, Options.Optimizer ? SourcePos() : M.currentPos(),
         Options.Optimizer ? "--optimizer" : "program");
  Result = Value(std::make_unique<OptimizerObject>(std::move(O)));
  return true;
}

bool TorchDomain::optimCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                            Operand &Result) {
  if (!Name.starts_with("torch::optim::"))
    return false;
  llvm::StringRef Method = Name.rsplit("::").second;
  auto *O = Site.Object ? Site.Object->complete().V.as<OptimizerObject>() : nullptr;
  if (!O) {
    if (Site.Object && Site.Object->V.as<OpaqueObject>()) {
      Result = Operand(quiet(M, Method));
      return true;
    }
    return false;
  }
  if (Method == "step") {
    if (!Site.Args.empty() && M.truth(Site.Args[0].value()).value_or(false)) {
      // LBFGS and friends evaluate the loss themselves.
      Operand Loss = M.callCallable(Site.Args[0].value(), {});
      O->O->step(R);
      Result = Loss.Place ? Operand(M.copy(Loss.Place->V)) : std::move(Loss);
      return true;
    }
    O->O->step(R);
    Result = Operand(tensorValue(nullptr));
    return true;
  }
  if (Method == "zero_grad") {
    std::optional<bool> None;
    if (!Site.Args.empty())
      None = M.truth(Site.Args[0].value());
    O->O->zeroGrad(R, None);
    Result = Operand(Value());
    return true;
  }
  if (Method == "add_param_group" || Method == "add_parameters") {
    for (Operand &A : Site.Args)
      collectParameters(*this, M, A.value(), O->O->Parameters);
    Result = Operand(Value());
    return true;
  }
  if (Method == "parameters") {
    auto S = std::make_unique<Sequence>(Sequence::Vector);
    for (const TensorRef &T : O->O->Parameters)
      S->Elements.push_back(makeCell(tensorValue(T)));
    Result = Operand(Value(std::move(S)));
    return true;
  }
  if (Method == "size") {
    Result = Operand(Value::integer(O->O->Parameters.size()));
    return true;
  }
  // Groups, state and learning rates change no memory.
  Value Q = Method == "param_groups"
                ? Value(std::make_unique<Sequence>(Sequence::Vector))
                : quiet(M, Method);
  Result = Site.Callee->getReturnType()->isReferenceType() ? Operand(makeCell(std::move(Q)))
                                                           : Operand(std::move(Q));
  return true;
}

// --- Everything else --------------------------------------------------------------------

static bool factoryOfOptions(TorchDomain &D, Machine &M, llvm::StringRef Last,
                             CallSite &Site, Operand &Result) {
  if (Last != "dtype" && Last != "device" && Last != "requires_grad" &&
      Last != "layout" && Last != "memory_format")
    return false;
  auto O = std::make_unique<TensorOptionsObject>();
  if (!Site.Args.empty() && (Last == "dtype" || Last == "device" || Last == "requires_grad"))
    O->Fields[Last.str()] = D.toArg(M, Site.Args[0].value(),
                                    Site.Callee->getParamDecl(0)->getType());
  else if (Last == "requires_grad")
    O->Fields["requires_grad"] = Arg(true);
  Result = Operand(Value(std::move(O)));
  return true;
}

static bool deviceCall(TorchDomain &D, Machine &M, llvm::StringRef Method,
                       DeviceObject &Dev, Operand &Result) {
  if (Method == "is_cuda" || Method == "is_cpu")
    Result = Operand(Value::integer((Dev.D.Kind == DeviceKind::CUDA) == (Method == "is_cuda")));
  else if (Method == "type")
    Result = Operand(Value::integer(Dev.D.Kind == DeviceKind::CUDA ? 1 : 0));
  else if (Method == "index")
    Result = Operand(Value::integer(Dev.D.Index));
  else if (Method == "has_index")
    Result = Operand(Value::integer(1));
  else if (Method == "str")
    Result = Operand(Value(std::string(Dev.D.Kind == DeviceKind::CUDA ? "cuda" : "cpu")));
  else
    return false;
  return true;
}

/// OrderedDict by name.
static bool keyedCall(llvm::StringRef Method, Sequence &S, CallSite &Site,
                      Operand &Result) {
  if ((Method != "contains" && Method != "find" && Method != "operator[]") ||
      Site.Args.empty() || !Site.Args[0].value().isString())
    return false;
  for (const CellRef &C : S.Elements)
    if (auto *P = C->V.as<Sequence>();
        P && P->Elements.size() == 2 && P->Elements[0]->V.isString() &&
        P->Elements[0]->V.string() == Site.Args[0].value().string()) {
      Result = Method == "contains" ? Operand(Value::integer(1))
               : Method == "find"
                   ? Operand(Value(PointerValue{P->Elements[1], nullptr, 0}))
                   : Operand(P->Elements[1]);
      return true;
    }
  Result = Method == "contains" ? Operand(Value::integer(0))
                                : Operand(makeCell(Value(PointerValue{})));
  return true;
}

/// ArrayRef's slice(first) and slice(first, count).
static bool sliceCall(Machine &M, Sequence &S, CallSite &Site, Operand &Result) {
  int64_t Size = S.Elements.size(), Arguments[2] = {0, 0};
  for (size_t I = 0; I < Site.Args.size() && I < 2; ++I) {
    if (!Site.Args[I].value().isInt()) {
      Result = Operand(M.unknownFrom(Site, "part of a list"));
      return true;
    }
    Arguments[I] = Site.Args[I].value().asInt();
  }
  int64_t First = Arguments[0];
  int64_t Count = Site.Args.size() > 1 ? Arguments[1] : Size - First;
  if (First < 0 || Count < 0 || First > Size || Count > Size - First) {
    M.throwException("ArrayRef: a slice beyond the list");
    Result = Operand(Value());
    return true;
  }
  auto Part = std::make_unique<Sequence>(Sequence::Vector);
  for (int64_t I = First; I < First + Count; ++I)
    Part->Elements.push_back(makeCell(M.copy(S.Elements[I]->V)));
  Result = Operand(Value(std::move(Part)));
  return true;
}

/// Lists of integers that LibTorch has its own class for.
static bool arrayCall(Machine &M, llvm::StringRef Method, CallSite &Site,
                      Operand &Result) {
  auto *S = Site.Object->V.as<Sequence>();
  if (!S && Site.Object->V.isUnknown() && !Site.Callee->getReturnType()->isReferenceType()) {
    Result = Operand(M.unknown(Site.Object->V.unknown()));
    return true;
  }
  if (!S)
    return false;
  if (keyedCall(Method, *S, Site, Result))
    return true;
  for (const char *Class : {"std::vector::", "std::array::"})
    if (NativeFn Fn = M.native((Class + Method).str())) {
      Result = Fn(M, Site);
      return true;
    }
  if (Method == "slice")
    return sliceCall(M, *S, Site, Result);
  if (Method == "vec") {
    Value V = M.copy(Site.Object->V);
    V.as<Sequence>()->Tag = Sequence::Vector;
    Result = Operand(std::move(V));
    return true;
  }
  // OrderedDict::Item and pairs.
  unsigned Index = Method == "key" ? 0 : Method == "value" || Method == "operator*" ? 1 : 2;
  if (S->Tag == Sequence::Pair && Index < 2) {
    Result = Operand(S->Elements[Index]);
    return true;
  }
  return false;
}

static bool checkCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                      CallSite &Site, Operand &Result) {
  if (!Name.starts_with("c10::detail::torchCheckFail") &&
      !Name.starts_with("c10::detail::torchInternalAssertFail") &&
      Name != "c10::Error::Error" && Name != "c10::ThrowEnforceNotMet")
    return false;
  std::string Text = "a check fails";
  for (Operand &A : Site.Args)
    if (A.value().isString() && A.value().string().size() > Text.size())
      Text = A.value().string();
  M.throwException(Text);
  Result = Operand(Value());
  return true;
}

/// c10::irange(n), irange(first, last): a list of integers.
static bool rangeCall(TorchDomain &D, Machine &M, CallSite &Site, Operand &Result) {
  int64_t Bounds[2] = {0, 0};
  for (size_t I = 0; I < Site.Args.size() && I < 2; ++I) {
    Value &V = Site.Args[I].value();
    if (!V.isInt()) {
      Result = Operand(M.unknownFrom(Site, "the bounds of irange"));
      return true;
    }
    Bounds[Site.Args.size() == 1 ? 1 : I] = V.asInt();
  }
  if (Bounds[1] - Bounds[0] > M.limits().MaxElements) {
    Result = Operand(M.unknown("a range too large to follow"));
    return true;
  }
  auto S = std::make_unique<Sequence>(Sequence::Vector);
  for (int64_t I = Bounds[0]; I < Bounds[1] && M.step(); ++I)
    S->Elements.push_back(makeCell(Value::integer(I)));
  Result = Operand(Value(std::move(S)));
  return true;
}

/// c10::str: its arguments as a stream would print them.
static void strCall(TorchDomain &D, Machine &M, CallSite &Site, Operand &Result) {
  std::string Text;
  for (size_t I = 0; I < Site.Args.size(); ++I) {
    Value &V = Site.Args[I].value();
    QualType Type = Site.Callee->getParamDecl(I)->getType().getNonReferenceType();
    if (V.isString()) {
      Text += V.string();
    } else if (V.isInt() && Type->isAnyCharacterType()) {
      Text += char(V.asInt());
    } else if (V.isInt()) {
      Text += std::to_string(V.asInt());
    } else if (V.isFloat()) {
      char Digits[32];
      std::snprintf(Digits, sizeof(Digits), "%g", V.asFloat());
      Text += Digits;
    } else {
      Result = Operand(D.quiet(M, "a text of what is not known"));
      return;
    }
  }
  Result = Operand(Value(std::move(Text)));
}

/// TransformerImpl::generate_square_subsequent_mask(n): triu(full({n, n}, -inf), 1).
static Operand subsequentMask(TorchDomain &D, Machine &M, CallSite &Site) {
  Arg N = D.toArg(M, Site.Args[0].value(), QualType());
  auto *Length = std::get_if<int64_t>(&N.V);
  Arg::Int L = Length ? Arg::Int(*Length) : std::nullopt;
  Args Full, Triu;
  Full.add("size", Arg(Arg::Ints{L, L}));
  Full.add("fill_value", Arg(-std::numeric_limits<double>::infinity()));
  OpResult Filled = D.R.call("full", Full);
  if (Filled.Kind != OpResult::Ok)
    return Operand(M.unknown("a mask whose size is not known"));
  Triu.add("self", Filled.Values[0]);
  Triu.add("diagonal", Arg(int64_t(1)));
  Filled.Values.clear();
  OpResult Res = D.R.call("triu", Triu);
  return D.fromResult(M, Res, Site);
}

/// Functions whose body is as simple as this.
static bool plainCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                      CallSite &Site, Operand &Result) {
  if (Name == "c10::irange")
    return rangeCall(D, M, Site, Result);
  if (Name == "c10::str" || Name == "c10::detail::_str_wrapper::call") {
    strCall(D, M, Site, Result);
    return true;
  }
  if (Name == "torch::nn::TransformerImpl::generate_square_subsequent_mask" &&
      Site.Args.size() == 1) {
    Result = subsequentMask(D, M, Site);
    return true;
  }
  return false;
}

/// A c10::Scalar's number as the type \p T.
static Value scalarAs(Machine &M, const Value &V, QualType T) {
  if (V.isInt() && T->isFloatingType())
    return Value::real(V.asNumber());
  const double IntegerMax = 9.2e18; // What is beyond is undefined in C++ too.
  if (V.isFloat() && T->isIntegerType() && std::abs(V.asFloat()) < IntegerMax)
    return Value::integer(int64_t(V.asFloat()));
  return M.copy(V);
}

bool TorchDomain::utilityCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                              Operand &Result) {
  llvm::StringRef Last = Name.rsplit("::").second;
  if (Name == "torch::tensor" && !Site.Args.empty())
    return tensorLiteral(*this, M, Site, Result);
  if (plainCall(*this, M, Name, Site, Result) || checkCall(*this, M, Name, Site, Result))
    return true;
  if (Name == "torch::cuda::is_available" || Name == "torch::cuda::cudnn_is_available" ||
      Name == "at::hasCUDA" || Name == "at::cuda::is_available") {
    Result = Operand(Value::integer(R.Config.Target == DeviceKind::CUDA));
    return true;
  }
  if (Name == "torch::cuda::device_count") {
    Result = Operand(Value::integer(R.Config.Target == DeviceKind::CUDA));
    return true;
  }
  if (Last == "set_enabled" && Name.contains("GradMode") && Site.Args.size() == 1) {
    R.GradMode = M.truth(Site.Args[0].value()).value_or(true);
    return true;
  }
  if (Last == "is_enabled" && Name.contains("GradMode")) {
    Result = Operand(Value::integer(R.GradMode));
    return true;
  }
  if (!Site.Object && Site.Args.size() <= 1 &&
      factoryOfOptions(*this, M, Last, Site, Result))
    return true;
  if (Site.Object) {
    if (auto *Dev = Site.Object->V.as<DeviceObject>())
      return deviceCall(*this, M, Last, *Dev, Result);
    if (auto *O = Site.Object->V.as<OpaqueObject>()) {
      Result = Operand(quiet(M, Last + " of " + O->Class));
      return true;
    }
    if (Name.starts_with("c10::Scalar::to")) { // toLong(), to<double>(), ...
      Result = Operand(scalarAs(M, Site.Object->V, Site.Callee->getReturnType()));
      return true;
    }
    if (Name.starts_with("torch::OrderedDict") &&
        dictionaryCall(M, Last, Site, Result))
      return true;
    if (Name.starts_with("c10::") || Name.starts_with("torch::OrderedDict"))
      return arrayCall(M, Last, Site, Result);
    return false;
  }
  if (Name == "torch::load" && Site.Args.size()) {
    if (Handle H = moduleOf(M, Site.Args[0].value()))
      H.M->loaded();
    else if (auto *T = Site.Args[0].Place ? Site.Args[0].Place->V.as<TensorObject>() : nullptr)
      T->T = R.opaque("torch::load", Args(), "a tensor read from a file");
    Result = Operand(Value());
    return true;
  }
  static const char *const Silent[] = {
      "torch::save", "torch::manual_seed", "at::manual_seed", "torch::set_num_threads",
      "at::set_num_threads", "torch::set_num_interop_threads",
      "at::set_num_interop_threads", "torch::cuda::synchronize",
      "torch::cuda::manual_seed", "torch::cuda::manual_seed_all", "at::globalContext",
      "c10::cuda::CUDACachingAllocator::emptyCache", "torch::init_num_threads"};
  for (const char *S : Silent)
    if (Name == S) {
      Result = Operand(Site.Callee->getReturnType()->isReferenceType()
                           ? Operand(makeCell(quiet(M, Name)))
                           : Operand(quiet(M, Name)));
      return true;
    }
  return false;
}

} // namespace vramlint
