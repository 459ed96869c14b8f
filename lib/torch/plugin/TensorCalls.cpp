//===- lib/torch/plugin/TensorCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Methods of Tensor that are no ops, operators, and the ops themselves.

#include "lib/torch/plugin/TorchDomain.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static Operand known(Dim D, TorchDomain &Dom, Machine &M) {
  return Operand(D.known() ? Value::integer(D.Length)
                           : Dom.quiet(M, "a size that is not known"));
}

static Operand sizesOf(TorchDomain &D, Machine &M, const TensorRef &T) {
  if (!T->Sizes.RankKnown)
    return Operand(D.quiet(M, "a shape that is not known"));
  auto S = std::make_unique<Sequence>(Sequence::Vector);
  for (Dim L : T->Sizes.Dims)
    S->Elements.push_back(makeCell(std::move(known(L, D, M).V)));
  return Operand(Value(std::move(S)));
}

/// t.size(i).
static Operand sizeAt(TorchDomain &D, Machine &M, const TensorRef &T,
                      const Value &I) {
  int64_t Rank = T->rank();
  if (!I.isInt() || !T->Sizes.RankKnown)
    return Operand(D.quiet(M, "a size that is not known"));
  int64_t K = I.asInt() < 0 ? I.asInt() + Rank : I.asInt();
  if (K >= 0 && K < Rank)
    return known(T->size(K), D, M);
  D.failure(M, "size",
            "dimension " + std::to_string(I.asInt()) + " of a tensor with " +
                std::to_string(Rank) + " dimensions");
  return Operand(D.quiet(M, "a dimension out of range"));
}

/// Facts about a tensor: sizes, dtype, device, flags.
static bool tensorFact(TorchDomain &D, Machine &M, llvm::StringRef Method,
                       const TensorRef &T, CallSite &Site, Operand &Result) {
  auto Bool = [&](bool B) {
    Result = Operand(Value::integer(B));
    return true;
  };
  if (Method == "defined")
    return Bool(T != nullptr);
  if (!T)
    return false;
  if (Method == "dim" || Method == "ndimension") {
    Result = Operand(T->Sizes.RankKnown ? Value::integer(T->rank())
                                        : D.quiet(M, "a rank that is not known"));
    return true;
  }
  if (Method == "size" && Site.Args.size() == 1) {
    Result = sizeAt(D, M, T, Site.Args[0].value());
    return true;
  }
  if (Method == "sizes" || Method == "sym_sizes") {
    Result = sizesOf(D, M, T);
    return true;
  }
  if (Method == "numel" || Method == "sym_numel") {
    int64_t N = T->elements();
    Result = Operand(N >= 0 ? Value::integer(N) : D.quiet(M, "a size that is not known"));
    return true;
  }
  if (Method == "is_cuda")
    return Bool(T->onCuda());
  if (Method == "is_cpu")
    return Bool(!T->onCuda());
  if (Method == "requires_grad")
    return Bool(T->needsGrad());
  if (Method == "is_leaf")
    return Bool(!T->GradFn);
  if (Method == "is_contiguous")
    return Bool(T->isContiguous());
  if (Method == "is_floating_point")
    return Bool(isFloating(T->Type));
  if (Method == "element_size" || Method == "itemsize") {
    Result = Operand(Value::integer(itemSize(T->Type)));
    return true;
  }
  if (Method == "nbytes") {
    int64_t N = T->elements();
    Result = Operand(N >= 0 ? Value::integer((Bytes{N} * itemSize(T->Type)).Count)
                            : D.quiet(M, "a size that is not known"));
    return true;
  }
  if (Method == "scalar_type" || Method == "dtype") {
    Result = Operand(D.toValue(M, Arg(T->Type), QualType()));
    return true;
  }
  if (Method == "device") {
    Result = Operand(D.toValue(M, Arg(T->Dev), QualType()));
    return true;
  }
  if (Method == "options") {
    auto O = std::make_unique<TensorOptionsObject>();
    O->Fields["dtype"] = Arg(T->Type);
    O->Fields["device"] = Arg(T->Dev);
    Result = Operand(Value(std::move(O)));
    return true;
  }
  return false;
}

/// The handle in \p Place becomes \p New; so does the gradient whose place it is.
static void setHandle(TorchDomain &D, CellRef Place, Value New) {
  auto *Old = Place->V.as<TensorObject>();
  TensorRef Owner = Old ? Old->GradientOf : nullptr;
  Place->set(std::move(New));
  auto *Now = Place->V.as<TensorObject>();
  if (!Owner || !Now)
    return;
  Now->GradientOf = Owner;
  Owner->Grad = Now->T;
  D.R.recategorize(Owner->Grad, Category::Gradient);
}

/// The places of a tensor that the autograd calls reach: grad, backward …
static bool gradCall(TorchDomain &D, Machine &M, llvm::StringRef Method,
                     const TensorRef &T, CallSite &Site, Operand &Result) {
  if (Method == "grad" || Method == "mutable_grad") {
    CellRef Place = makeCell(D.tensorValue(T ? T->Grad : nullptr));
    if (auto *O = Place->V.as<TensorObject>(); O && Method == "mutable_grad")
      O->GradientOf = T;
    Result = Operand(Place);
    if (!Site.Callee->getReturnType()->isReferenceType())
      Result = Operand(D.tensorValue(T ? T->Grad : nullptr));
    return true;
  }
  if (Method == "requires_grad_" || Method == "set_requires_grad") {
    bool On = Site.Args.empty() || M.truth(Site.Args[0].value()).value_or(true);
    if (T)
      T->RequiresGrad = On;
    Result = Operand(Site.Object);
    return true;
  }
  if (Method == "backward") {
    Args A = D.bind(M, Site);
    if (!T)
      return true;
    D.reachedBackward(T);
    bool Keep = A.boolean("retain_graph", A.boolean("keep_graph", false)) ||
                A.boolean("create_graph", false);
    OpResult Res = D.R.backward(T, A.tensor("gradient"), Keep,
                                A.boolean("create_graph", false));
    if (Res.Kind == OpResult::Failed)
      D.failure(M, "backward", Res);
    else if (Res.Kind == OpResult::NotModelled)
      M.unknown(Res.Message);
    Result = Operand(Value());
    return true;
  }
  if (Method == "set_data" && T && Site.Args.size() == 1) {
    if (TensorRef Other = D.tensorOf(M, Site.Args[0].value())) {
      T->Store = Other->Store;
      T->Sizes = Other->Sizes;
      T->Strides = Other->Strides;
      T->Type = Other->Type;
      T->Dev = Other->Dev;
    }
    Result = Operand(Value());
    return true;
  }
  if (Method == "reset" && Site.Object) {
    setHandle(D, Site.Object, D.tensorValue(nullptr));
    Result = Operand(Value());
    return true;
  }
  if (Method == "retain_grad" || Method == "print" || Method == "register_hook") {
    Result = Operand(D.quiet(M, "the result of " + Method));
    return true;
  }
  return false;
}

bool TorchDomain::tensorCall(Machine &M, llvm::StringRef Method, CallSite &Site,
                             Operand &Result) {
  if (!Site.Object)
    return false;
  if (Method == "defined" && Site.Object->V.isUnknown()) {
    Result = Operand(quiet(M, "whether a tensor is defined"));
    return true;
  }
  TensorRef T = tensorOf(M, Site.Object->V);
  if (tensorFact(*this, M, Method, T, Site, Result) ||
      gradCall(*this, M, Method, T, Site, Result))
    return true;
  if (!T && Site.Object->V.as<TensorObject>()) {
    failure(M, Method, ("a call of " + Method + " on an undefined tensor").str(),
            FailureKind::Other);
    Result = Operand(quiet(M, "an undefined tensor"));
    return true;
  }
  if (!T) { // Our gap, not the program's mistake.
    Result = Operand(M.unknown("a call of " + Method + " on what is no tensor here"));
    return true;
  }
  if (Method == "item")
    if (const Numbers *Known = contentsOf(T)) {
      auto *Object = Site.Object->V.as<TensorObject>();
      if (Known->Random)
        Result = Operand(M.drawBetween(Known->First, Known->Last));
      else if (Object && Object->Element && isFloating(T->Type))
        Result = Operand(Value::real(*Object->Element));
      else if (Object && Object->Element)
        Result = Operand(Value::integer(*Object->Element));
      if (!Result.value().isVoid())
        return true;
    }
  if (Method == "item" || Method == "data_ptr" || Method == "const_data_ptr" ||
      Method == "mutable_data_ptr" || Method == "accessor" ||
      Method == "packed_accessor" || Method == "packed_accessor32" ||
      Method == "packed_accessor64" || Method == "is_nonzero" ||
      Method == "storage" || Method == "unsafeGetTensorImpl" ||
      Method == "grad_fn" || Method == "name" || Method == "toString" ||
      Method == "use_count" || Method == "equal" || Method == "allclose" ||
      Method == "strides" || Method == "stride" || Method == "is_same" ||
      Method == "_version" || Method == "is_alias_of" || Method == "has_names" ||
      Method == "layout" || Method == "is_sparse" || Method == "get_device" ||
      Method == "storage_offset" || Method == "has_storage" || Method == "is_pinned" ||
      Method == "is_set_to" || Method == "retains_grad" || Method == "output_nr" ||
      Method == "sparse_dim" || Method == "dense_dim" || Method == "is_coalesced" ||
      Method == "remove_hook" ||
      Method == "suggest_memory_format" || Method == "key_set") {
    Result = Operand(quiet(M, "the result of " + Method + "()"));
    return true;
  }
  if (Method == "tensor_data" || Method == "variable_data")
    Method = "detach";
  if (Method == "cpu" || Method == "cuda") {
    Args A;
    A.add("self", Arg(T));
    A.add("device", Arg(Device{Method == "cuda" ? DeviceKind::CUDA : DeviceKind::CPU, 0}));
    OpResult Res = R.call("to", A);
    Result = fromResult(M, Res, Site);
    return true;
  }
  return opCall(M, Method, Site, Result);
}

const TorchDomain::Numbers *TorchDomain::contentsOf(const TensorRef &T) const {
  if (!T || !T->Store || T->Store->Version != 0)
    return nullptr;
  auto It = Contents.find(T->Store->Id);
  return It == Contents.end() ? nullptr : &It->second;
}

void TorchDomain::noteContents(llvm::StringRef Op, const Args &A, const OpResult &Res) {
  if (Res.Values.empty() || (Op != "randint" && Op != "linspace" && Op != "arange"))
    return;
  auto *T = std::get_if<TensorRef>(&Res.Values[0].V);
  if (!T || !*T || !(*T)->Store || (*T)->elements() < 1)
    return;
  auto Number = [&](llvm::StringRef Name, std::optional<double> Default) {
    const Arg *X = A.find(Name);
    if (!X)
      return Default;
    if (auto *I = std::get_if<int64_t>(&X->V))
      return std::optional<double>(*I);
    auto *D = std::get_if<double>(&X->V);
    return D ? std::optional(*D) : std::nullopt;
  };
  bool Random = Op == "randint";
  std::optional<double> First = Number(Random ? "low" : "start", 0), Last;
  if (Op == "arange") {
    if (std::optional<double> Step = Number("step", 1); Step && First)
      Last = *First + *Step * ((*T)->elements() - 1);
  } else {
    Last = Number(Random ? "high" : "end", std::nullopt);
    if (Random && Last)
      Last = *Last - 1;
  }
  if (First && Last)
    Contents[(*T)->Store->Id] = {Random, *First, *Last};
}

std::optional<double> TorchDomain::elementOf(const TensorRef &T, int64_t Index) const {
  const Numbers *Known = contentsOf(T);
  if (!Known || Known->Random || T->rank() != 1 || !T->Strides.empty())
    return std::nullopt;
  int64_t N = T->elements();
  if (T->Store->SizeBytes != N * itemSize(T->Type))
    return std::nullopt; // A part of it.
  Index = Index < 0 ? Index + N : Index;
  if (Index < 0 || Index >= N)
    return std::nullopt;
  double Step = N > 1 ? (Known->Last - Known->First) / (N - 1) : 0;
  double Value = Known->First + Step * Index;
  return T->Type == DType::Float32 ? static_cast<float>(Value) : Value;
}

bool TorchDomain::opCall(Machine &M, llvm::StringRef Op, CallSite &Site,
                         Operand &Result) {
  R.OpenList = false;
  Args A = bind(M, Site);
  OpResult Res = R.call(Op, A);
  R.OpenList = false;
  QualType T = Site.Callee->getReturnType();
  if (Res.Kind == OpResult::Failed) {
    failure(M, Op, Res);
    Result = Operand(quiet(M, Res.Message));
    return true;
  }
  if (Res.Kind == OpResult::NotModelled) {
    auto *Rec = T.getNonReferenceType()->getAsCXXRecordDecl();
    bool GivesTensor = Rec && M.nameOf(*Rec) == "at::Tensor";
    std::string Why = Res.Message.empty() ? (Op + " is not modelled").str() : Res.Message;
    if (T->isVoidType() || T->isBooleanType() || T->isArithmeticType()) {
      Result = Operand(T->isVoidType() ? Value() : quiet(M, Why));
      return true;
    }
    Value U = M.unknown(Why);
    if (GivesTensor) {
      Result = Operand(tensorValue(R.opaque(Op, A, intern(Why))));
      if (T->isReferenceType())
        Result = Operand(Site.Object ? Site.Object : makeCell(std::move(Result.V)));
      return true;
    }
    Result = T->isReferenceType() ? Operand(makeCell(std::move(U)))
                                  : Operand(std::move(U));
    return true;
  }
  noteContents(Op, A, Res);
  Result = fromResult(M, Res, Site);
  return true;
}

static llvm::StringRef operatorOp(OverloadedOperatorKind K, size_t Operands) {
  switch (K) {
  case OO_Plus: return "add";
  case OO_Minus: return Operands == 1 ? "neg" : "sub";
  case OO_Star: return Operands == 2 ? "mul" : "";
  case OO_Slash: return "div";
  case OO_Percent: return "remainder";
  case OO_PlusEqual: return "add_";
  case OO_MinusEqual: return "sub_";
  case OO_StarEqual: return "mul_";
  case OO_SlashEqual: return "div_";
  case OO_Less: return "lt";
  case OO_LessEqual: return "le";
  case OO_Greater: return "gt";
  case OO_GreaterEqual: return "ge";
  case OO_EqualEqual: return "eq";
  case OO_ExclaimEqual: return "ne";
  case OO_Tilde: return "bitwise_not";
  case OO_Exclaim: return "logical_not";
  case OO_Amp: return Operands == 2 ? "bitwise_and" : "";
  case OO_Pipe: return "bitwise_or";
  case OO_Caret: return "bitwise_xor";
  case OO_AmpEqual: return "bitwise_and_";
  case OO_PipeEqual: return "bitwise_or_";
  default: return "";
  }
}

/// `t[i] = x` writes through the view; `t = x` rebinds the handle.
static bool assignsThrough(const FunctionDecl &F) {
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  return Method && Method->getRefQualifier() == RQ_RValue;
}

/// Writes the right side into the elements of the left.
static void writeThrough(TorchDomain &D, Machine &M, CallSite &Site) {
  Args A;
  A.add("self", D.toArg(M, Site.Object->V, QualType()));
  bool Number = Site.Args[0].value().isNumber();
  A.add(Number ? "value" : "src",
        D.toArg(M, Site.Args[0].value(), QualType()));
  OpResult Res = D.R.call(Number ? "fill_" : "copy_", A);
  if (Res.Kind == OpResult::Failed)
    D.failure(M, "copy_", Res);
}

/// t[i]: a view; t[tensor]: gathered elements.
static Operand subscript(TorchDomain &D, Machine &M, CallSite &Site) {
  Value &I = Site.Args[0].value();
  Args A;
  A.add("self", D.toArg(M, Site.Object->V, QualType()));
  bool ByTensor = I.as<TensorObject>() != nullptr;
  if (ByTensor) {
    A.add("indices", Arg(std::vector<Arg>{D.toArg(M, I, QualType())}));
  } else {
    A.add("dim", Arg((int64_t)0));
    A.add("index", D.toArg(M, I, QualType()));
  }
  OpResult Res = D.R.call(ByTensor ? "index" : "select", A);
  if (Res.Kind == OpResult::Failed)
    D.failure(M, "select", Res);
  if (Res.Kind != OpResult::Ok)
    return Operand(D.quiet(M, Res.Message));
  Operand Element = D.fromResult(M, Res, Site);
  if (auto *Whole = Site.Object->V.as<TensorObject>(); Whole && I.isInt())
    if (auto *One = Element.value().as<TensorObject>())
      One->Element = D.elementOf(Whole->T, I.asInt());
  return Element;
}

bool TorchDomain::operatorCall(Machine &M, CallSite &Site, Operand &Result) {
  OverloadedOperatorKind K = Site.Callee->getOverloadedOperator();
  llvm::SmallVector<Value *, 2> Operands;
  if (Site.Object)
    Operands.push_back(&Site.Object->V);
  for (Operand &A : Site.Args)
    Operands.push_back(&A.value());
  if (K == OO_LessLess || K == OO_GreaterGreater) { // Streams.
    Result = Site.Args.size() && Site.Args[0].Place ? Operand(Site.Args[0].Place)
                                                     : Operand(makeCell());
    return true;
  }
  // Devices and dtypes compare as plain values.
  if ((K == OO_EqualEqual || K == OO_ExclaimEqual) && Operands.size() == 2) {
    auto *DA = Operands[0]->as<DeviceObject>(), *DB = Operands[1]->as<DeviceObject>();
    if (DA || DB) {
      Result = DA && DB ? Operand(Value::integer((DA->D == DB->D) == (K == OO_EqualEqual)))
                        : Operand(quiet(M, "a comparison of devices"));
      return true;
    }
    if (Operands[0]->isInt() && Operands[1]->isInt()) {
      bool Same = Operands[0]->asInt() == Operands[1]->asInt();
      Result = Operand(Value::integer(Same == (K == OO_EqualEqual)));
      return true;
    }
  }
  bool HasTensor = false;
  for (Value *V : Operands)
    HasTensor |= V->as<TensorObject>() != nullptr;
  auto *Method = dyn_cast<CXXMethodDecl>(Site.Callee);
  if (!HasTensor && !(Method && (M.nameOf(*Method).starts_with("at::Tensor"))))
    return false;
  if (K == OO_Equal) {
    if (!assignsThrough(*Site.Callee)) {
      if (!Site.Object || Site.Args.size() != 1)
        return false;
      auto *O = Site.Object->V.as<TensorObject>();
      if (O && O->GradientOf)
        setHandle(*this, Site.Object, M.take(Site, 0));
      else
        M.assign(*Site.Object, M.take(Site, 0));
      Result = Operand(Site.Object);
      return true;
    }
    writeThrough(*this, M, Site);
    Result = Operand(Site.Object);
    return true;
  }
  if (K == OO_Subscript) {
    Result = subscript(*this, M, Site);
    return true;
  }
  llvm::StringRef Op = operatorOp(K, Operands.size());
  if (Op.empty())
    return false;
  Args A;
  const char *const Names[] = {"self", "other"};
  for (size_t I = 0; I < Operands.size() && I < 2; ++I)
    A.add(Names[I], toArg(M, *Operands[I], QualType()));
  OpResult Res = R.call(Op, A);
  if (Res.Kind == OpResult::Failed)
    failure(M, Op, Res);
  Result = Res.Kind == OpResult::Ok
               ? fromResult(M, Res, Site)
               : Operand(Res.Kind == OpResult::Failed ? quiet(M, Res.Message)
                                                      : M.unknown(Res.Message));
  return true;
}

} // namespace vramlint
