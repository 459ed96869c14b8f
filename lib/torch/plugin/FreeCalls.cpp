//===- lib/torch/plugin/FreeCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::autograd's functions, packed sequences, and OrderedDict. A dictionary is
// a list of pairs; a packed sequence is a tuple: data, batch sizes, order, its
// inverse, and the lengths it was made from. How long each sequence is lies in a
// tensor's data, so only what follows from the other sizes is known.

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

namespace {

enum PackedPart { Data, BatchSizes, Sorted, Unsorted, Lengths, PartsCount };

Sequence *packed(const Value &V) {
  auto *S = V.as<Sequence>();
  return S && S->Tag == Sequence::Tuple && S->Elements.size() == PartsCount ? S
                                                                            : nullptr;
}

TensorRef partOf(TorchDomain &D, Machine &M, const Sequence &S, PackedPart P) {
  return D.tensorOf(M, S.Elements[P]->V);
}

/// A result of \p A's tensors whose sizes are known as far as \p S says.
TensorRef dependent(TorchDomain &D, llvm::StringRef Name, const Args &A, Shape S,
                    DType Type, llvm::StringRef Why) {
  for (Dim L : S.Dims)
    if (!L.known())
      S.Why = intern(Why);
  TensorRef Like = D.R.opaque(Name, A, intern(Why));
  TensorRef Out = D.R.make(std::move(S), Type, Like->Dev);
  if (Like->GradFn && isFloating(Type)) {
    Out->GradFn = Like->GradFn;
    Out->GradFn->Outputs[0].Sizes = Out->Sizes;
  }
  return Out;
}

Shape shapeOf(std::initializer_list<Dim> Dims) {
  Shape S;
  S.Dims.append(Dims.begin(), Dims.end());
  return S;
}

const char *const LengthsUnknown = "the lengths of the sequences are data";

/// pack_padded_sequence(input, lengths, batch_first, enforce_sorted).
Operand pack(TorchDomain &D, Machine &M, const Args &A) {
  TensorRef Input = A.tensor("input");
  if (!Input || !Input->Sizes.RankKnown || Input->rank() < 2)
    return Operand(M.unknown("a padded batch of unknown shape"));
  Dim Batch = Input->size(A.boolean("batch_first", false) ? 0 : 1);
  Args Of;
  Of.add("input", Arg(Input));
  Shape S = shapeOf({Dim()});
  S.Dims.append(Input->Sizes.Dims.begin() + 2, Input->Sizes.Dims.end());
  Args None;
  auto Long = [&](Dim N) {
    return makeCell(D.tensorValue(dependent(D, "sort", None, shapeOf({N}), DType::Int64, LengthsUnknown)));
  };
  auto P = std::make_unique<Sequence>(Sequence::Tuple);
  P->Elements.push_back(makeCell(D.tensorValue(
      dependent(D, "_pack_padded_sequence", Of, S, Input->Type, LengthsUnknown))));
  P->Elements.push_back(Long(Dim()));
  for (PackedPart Order : {Sorted, Unsorted}) {
    bool Given = !A.boolean("enforce_sorted", true);
    P->Elements.push_back(Given ? Long(Batch) : makeCell(D.tensorValue(nullptr)));
    (void)Order;
  }
  P->Elements.push_back(Long(Batch));
  return Operand(Value(std::move(P)));
}

/// pad_packed_sequence: (padded, lengths).
Operand unpack(TorchDomain &D, Machine &M, CallSite &Site) {
  Sequence *P = packed(Site.Args[0].value());
  TensorRef In = P ? partOf(D, M, *P, Data) : nullptr;
  TensorRef Long = P ? partOf(D, M, *P, Lengths) : nullptr;
  if (!In || !Long || !In->Sizes.RankKnown || Long->rank() != 1)
    return Operand(M.unknown("a packed sequence that is not known"));
  Args A = D.bind(M, Site), Of;
  Of.add("data", Arg(In));
  auto Total = A.integer("total_length");
  Dim Steps = Total ? Dim(*Total) : Dim(), Batch = Long->size(0);
  Shape S = A.boolean("batch_first", false) ? shapeOf({Batch, Steps}) : shapeOf({Steps, Batch});
  S.Dims.append(In->Sizes.Dims.begin() + 1, In->Sizes.Dims.end());
  auto Out = std::make_unique<Sequence>(Sequence::Tuple);
  Out->Elements.push_back(makeCell(D.tensorValue(
      dependent(D, "_pad_packed_sequence", Of, S, In->Type, LengthsUnknown))));
  Out->Elements.push_back(makeCell(D.tensorValue(
      dependent(D, "lengths", Args(), shapeOf({Batch}), DType::Int64, LengthsUnknown))));
  return Operand(Value(std::move(Out)));
}

/// The parts of a packed sequence; to(), cuda() and cpu() move its data.
bool packedMethod(TorchDomain &D, Machine &M, llvm::StringRef Method,
                  CallSite &Site, Operand &Result) {
  Sequence *P = packed(Site.Object->V);
  if (!P)
    return false;
  static const char *const Names[] = {"data", "batch_sizes", "sorted_indices", "unsorted_indices"};
  for (unsigned I = 0; I < std::size(Names); ++I)
    if (Method == Names[I]) {
      Result = Operand(P->Elements[I]);
      return true;
    }
  if (Method == "is_cuda") {
    TensorRef T = partOf(D, M, *P, Data);
    Result = Operand(Value::integer(T && T->onCuda()));
    return true;
  }
  if (Method != "to" && Method != "cuda" && Method != "cpu" && Method != "pin_memory")
    return false;
  Args A = D.bind(M, Site);
  A.List.clear();
  A.add("self", Arg(partOf(D, M, *P, Data)));
  TorchDomain::MoveTarget To = D.moveTarget(M, Site);
  if (Method == "cuda" || Method == "cpu")
    To.Dev = Device{Method == "cuda" ? DeviceKind::CUDA : DeviceKind::CPU, 0};
  if (To.Dev)
    A.add("device", Arg(*To.Dev));
  if (To.Type)
    A.add("dtype", Arg(*To.Type));
  Value Copy = M.copy(Site.Object->V);
  OpResult Res = D.R.call("to", A);
  if (Res.Kind == OpResult::Ok)
    Copy.as<Sequence>()->Elements[Data]->set(D.toValue(M, Res.Values[0], QualType()));
  Result = Operand(std::move(Copy));
  return true;
}

bool sequenceCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                  CallSite &Site, Operand &Result) {
  if (!Name.consume_front("torch::nn::utils::rnn::"))
    return false;
  if (Name.consume_front("PackedSequence::"))
    return Site.Object && packedMethod(D, M, Name, Site, Result);
  if (Name == "pad_sequence")
    return D.opCall(M, Name, Site, Result);
  if (Name == "pad_packed_sequence" && !Site.Args.empty()) {
    Result = unpack(D, M, Site);
    return true;
  }
  Args A = D.bind(M, Site);
  if (Name == "pack_sequence") {
    OpResult Padded = D.R.call("pad_sequence", A);
    if (Padded.Kind != OpResult::Ok) {
      Result = Operand(M.unknown("sequences that are not known"));
      return true;
    }
    A.add("input", Padded.Values[0]);
  } else if (Name != "pack_padded_sequence") {
    return false;
  }
  Result = pack(D, M, A);
  return true;
}

//===----------------------------------------------------------------------===//
// torch::autograd
//===----------------------------------------------------------------------===//

bool autogradCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                  CallSite &Site, Operand &Result) {
  if (Name != "torch::autograd::grad" && Name != "torch::autograd::backward")
    return false;
  bool Grad = Name.ends_with("grad");
  Args A = D.bind(M, Site);
  bool Create = A.boolean("create_graph", false);
  bool Keep = A.boolean("retain_graph", Create);
  std::vector<TensorRef> Roots = A.tensors(Grad ? "outputs" : "tensors");
  for (const TensorRef &T : Roots)
    if (T)
      D.reachedBackward(T);
  OpResult Res =
      Grad ? D.R.grad(Roots, A.tensors("grad_outputs"), A.tensors("inputs"), Keep,
                      Create, A.boolean("allow_unused", false))
           : D.R.backward(Roots, A.tensors("grad_tensors"), Keep, Create);
  if (Res.Kind == OpResult::Failed) {
    D.failure(M, Name, Res.Message);
    Result = Operand(D.quiet(M, Res.Message));
  } else if (Res.Kind == OpResult::NotModelled) {
    Result = Operand(M.unknown(Res.Message));
  } else {
    Result = Grad ? D.fromResult(M, Res, Site) : Operand(Value());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// torch::OrderedDict
//===----------------------------------------------------------------------===//

CellRef pairOf(Value Key, Value V) {
  auto P = std::make_unique<Sequence>(Sequence::Pair);
  P->Elements.push_back(makeCell(std::move(Key)));
  P->Elements.push_back(makeCell(std::move(V)));
  return makeCell(Value(std::move(P)));
}

/// The keys, the values or the pairs as a vector of copies.
Value partsOf(Machine &M, const Sequence &Dict, llvm::StringRef Method) {
  auto S = std::make_unique<Sequence>(Sequence::Vector);
  for (const CellRef &C : Dict.Elements) {
    auto *P = C->V.as<Sequence>();
    const Value &V = P && Method != "pairs" ? P->Elements[Method == "keys" ? 0 : 1]->V : C->V;
    S->Elements.push_back(makeCell(M.copy(V)));
  }
  return Value(std::move(S));
}

} // namespace

bool TorchDomain::dictionaryCall(Machine &M, llvm::StringRef Method,
                                 CallSite &Site, Operand &Result) {
  auto *S = Site.Object->V.as<Sequence>();
  if (!S || S->Tag != Sequence::Vector)
    return false;
  if (Method == "insert" && Site.Args.size() == 2) {
    S->Elements.push_back(pairOf(M.take(Site, 0), M.take(Site, 1)));
    Result = Operand(S->Elements.back()->V.as<Sequence>()->Elements[1]);
    return true;
  }
  if (Method == "update" && Site.Args.size() == 1) {
    Value Other = M.copy(Site.Args[0].value());
    if (auto *From = Other.as<Sequence>())
      for (CellRef &C : From->Elements)
        S->Elements.push_back(std::move(C));
    Result = Operand(Value());
    return true;
  }
  if (Method == "keys" || Method == "values" || Method == "pairs") {
    Result = Operand(partsOf(M, *S, Method));
    return true;
  }
  if (Method == "items") {
    Result = Operand(Site.Object);
    return true;
  }
  if (Method == "is_empty") {
    Result = Operand(Value::integer(S->Elements.empty()));
    return true;
  }
  if (Method != "erase" || Site.Args.size() != 1 || !Site.Args[0].value().isString())
    return false;
  llvm::erase_if(S->Elements, [&](const CellRef &C) {
    auto *P = C->V.as<Sequence>();
    return P && P->Elements[0]->V.isString() &&
           P->Elements[0]->V.string() == Site.Args[0].value().string();
  });
  Result = Operand(Value());
  return true;
}

bool TorchDomain::constructFree(Machine &M, llvm::StringRef Class, CallSite &Site,
                                Value &Result) {
  if (Class == "torch::OrderedDict::Item" && Site.Args.size() == 2) {
    Value Key = M.take(Site, 0);
    Result = pairOf(std::move(Key), M.take(Site, 1))->take();
    return true;
  }
  if (Class == "torch::OrderedDict") {
    auto S = std::make_unique<Sequence>(Sequence::Vector);
    if (!Site.Args.empty())
      if (auto *From = Site.Args[0].value().as<Sequence>())
        for (const CellRef &C : From->Elements)
          S->Elements.push_back(makeCell(M.copy(C->V)));
    Result = Value(std::move(S));
    return true;
  }
  if (Class != "torch::nn::utils::rnn::PackedSequence" || Site.Args.size() < 2)
    return false;
  auto P = std::make_unique<Sequence>(Sequence::Tuple);
  for (unsigned I = 0; I < PartsCount; ++I)
    P->Elements.push_back(makeCell(I < Site.Args.size() ? M.take(Site, I)
                                                        : tensorValue(nullptr)));
  Result = Value(std::move(P));
  return true;
}

/// LSTM, GRU and RNN on a packed sequence: (packed output, state).
Operand TorchDomain::packedForward(Machine &M, Handle &H, CallSite &Site) {
  Sequence *P = Site.Args.empty() ? nullptr : packed(Site.Args[0].value());
  auto *Row = P && H.M->Builtin ? H.M.get() : nullptr;
  TensorRef In = Row ? partOf(*this, M, *P, Data) : nullptr;
  TensorRef Long = Row ? partOf(*this, M, *P, Lengths) : nullptr;
  if (!In || !Long || Long->rank() != 1)
    return Operand(M.unknown("a packed sequence that is not known"));
  RecurrentSizes Sizes = recurrentSizes(*Row);
  Args A;
  A.add("input", Arg(In));
  std::vector<TensorRef> Params;
  for (auto &[Name, T] : Row->parameters(true))
    Params.push_back(T);
  A.add("params", Arg(Params));
  R.Modules.push_back({intern(pathOf(*Row)), intern(Row->ClassName), true, Row->Id});
  Value Out = M.copy(Site.Args[0].value());
  Out.as<Sequence>()->Elements[Data]->set(tensorValue(
      dependent(*this, Row->ClassName, A, shapeOf({Dim(), Sizes.Output}), In->Type, LengthsUnknown)));
  auto State = [&](Dim Width) {
    return makeCell(tensorValue(dependent(*this, Row->ClassName, A,
                                          shapeOf({Sizes.Layers, Long->size(0), Width}),
                                          In->Type, LengthsUnknown)));
  };
  CellRef Hidden = State(Sizes.Hidden);
  if (Row->ClassName == "LSTM") {
    auto Both = std::make_unique<Sequence>(Sequence::Tuple);
    Both->Elements.push_back(Hidden);
    Both->Elements.push_back(State(Sizes.Cell));
    Hidden = makeCell(Value(std::move(Both)));
  }
  R.Modules.pop_back();
  auto Results = std::make_unique<Sequence>(Sequence::Tuple);
  Results->Elements.push_back(makeCell(std::move(Out)));
  Results->Elements.push_back(Hidden);
  return Operand(Value(std::move(Results)));
}

/// The device that an autocast function is about: its name's, its argument's, or CUDA.
static DeviceKind autocastDevice(TorchDomain &D, Machine &M, llvm::StringRef Last,
                                 CallSite &Site) {
  if (Last.contains("_cpu"))
    return DeviceKind::CPU;
  if (Site.Args.empty())
    return DeviceKind::CUDA;
  Arg A = D.toArg(M, Site.Args[0].value(), QualType());
  auto *Dev = std::get_if<Device>(&A.V);
  return Dev ? Dev->Kind : DeviceKind::CUDA;
}

/// at::autocast: set_enabled, set_autocast_gpu_dtype and the like.
static bool autocastCall(TorchDomain &D, Machine &M, llvm::StringRef Name,
                         CallSite &Site, Operand &Result) {
  if (!Name.consume_front("at::autocast::"))
    return false;
  Runtime &R = D.R;
  DeviceKind On = autocastDevice(D, M, Name, Site);
  std::optional<DType> &Type = R.Autocast[int(On)];
  DType &Lower = D.AutocastType[int(On)];
  if (Name.starts_with("set_") && Name.ends_with("dtype") && !Site.Args.empty()) {
    Arg A = D.toArg(M, Site.Args.back().value(), QualType());
    if (auto *T = std::get_if<DType>(&A.V))
      Lower = *T;
    if (Type)
      Type = Lower;
  } else if (Name.starts_with("set_") && Name.ends_with("enabled") &&
             !Name.contains("cache") && !Site.Args.empty()) {
    bool Enable = M.truth(Site.Args.back().value()).value_or(true);
    Type = Enable ? std::optional(Lower) : std::nullopt;
    D.Out.UsesAutocast |= Enable;
  } else if (Name.starts_with("is_") && Name.ends_with("enabled")) {
    Result = Operand(Value::integer(Type.has_value()));
    return true;
  } else if (Name == "clear_cache") {
    R.clearAutocastCache();
  } else if (Name == "increment_nesting" || Name == "decrement_nesting") {
    D.AutocastNesting += Name == "increment_nesting" ? 1 : -1;
    Result = Operand(Value::integer(D.AutocastNesting));
    return true;
  }
  Result = Operand(Value());
  return true;
}

bool TorchDomain::freeCall(Machine &M, llvm::StringRef Name, CallSite &Site,
                           Operand &Result) {
  return autocastCall(*this, M, Name, Site, Result) ||
         sequenceCall(*this, M, Name, Site, Result) ||
         autogradCall(*this, M, Name, Site, Result);
}

} // namespace vramlint
