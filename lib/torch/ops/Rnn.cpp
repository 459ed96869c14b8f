//===- lib/torch/ops/Rnn.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of recurrent networks. Mirrors ATen/native/RNN.cpp as it runs on the CPU:
// one linear over the whole input, then the cells step by step. On CUDA cuDNN does
// it in one kernel with a reserve space of its own; the trace says that this is not
// modelled.

#include "lib/torch/Rules.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// Weights of one layer in one direction.
struct CellParams {
  T WeightIh, WeightHh, BiasIh, BiasHh, WeightHr;
  T linearIh(Runtime &R, const T &X) const { return aten::linear(R, X, WeightIh, BiasIh); }
  T linearHh(Runtime &R, const T &H) const { return aten::linear(R, H, WeightHh, BiasHh); }
};

/// Hidden state: the second is LSTM's cell state.
struct Hidden {
  T H, C;
};

enum class Cell { Tanh, Relu, Lstm, Gru };

T run(Runtime &R, llvm::StringRef Op, const T &Self, const T &Other = nullptr) {
  Args A;
  A.add("self", Self);
  if (Other)
    A.add("other", Other);
  OpResult Result = R.call(Op, A);
  if (Result.Kind == OpResult::Failed)
    R.fail(Result.Message);
  else if (Result.Kind == OpResult::NotModelled)
    R.failNotModelled(Result.Message);
  const T *Out = Result.Values.empty() ? nullptr
                                       : std::get_if<T>(&Result.Values[0].V);
  return Out ? *Out : nullptr;
}

/// unsafe_chunk along the last dimension: parts that autograd takes for tensors
/// of their own.
std::vector<T> chunk(Runtime &R, const T &X, unsigned Parts) {
  std::vector<T> Out;
  if (!X || X->rank() == 0)
    return std::vector<T>(Parts);
  Record Rec(R, "UnsafeSplitBackward0", {X});
  Rec.backward([From = X->Sizes, Type = X->Type, Dev = X->Dev](
                   Runtime &R, Node &, Grads &) {
    return Grads{R.make(From, Type, Dev)};
  });
  for (unsigned I = 0; I < Parts; ++I) {
    T Part = R.alias(X);
    Part->Strides = X->Sizes.known() ? X->strides() : Part->Strides;
    Part->Sizes.Dims.back() = X->Sizes.Dims.back() / Dim(Parts);
    Out.push_back(Rec.output(Part));
  }
  return Out;
}

Hidden lstmStep(Runtime &R, const T &Input, const Hidden &Before,
                const CellParams &P, bool Precomputed) {
  T Gates = P.linearHh(R, Before.H);
  Gates = run(R, "add_", Gates, Precomputed ? Input : P.linearIh(R, Input));
  std::vector<T> Parts = chunk(R, Gates, 4);
  T In = run(R, "sigmoid_", Parts[0]), Forget = run(R, "sigmoid_", Parts[1]);
  T New = run(R, "tanh_", Parts[2]), Out = run(R, "sigmoid_", Parts[3]);
  T Kept = aten::mul(R, Forget, Before.C);
  T State = run(R, "add_", Kept, aten::mul(R, In, New));
  T Result = aten::mul(R, Out, aten::tanh(R, State));
  if (P.WeightHr)
    Result = aten::matmul(R, Result, aten::t(R, P.WeightHr));
  return {Result, State};
}

Hidden gruStep(Runtime &R, const T &Input, const Hidden &Before,
               const CellParams &P, bool Precomputed) {
  std::vector<T> I = chunk(R, Precomputed ? Input : P.linearIh(R, Input), 3);
  std::vector<T> H = chunk(R, P.linearHh(R, Before.H), 3);
  T Reset = run(R, "sigmoid_", run(R, "add_", H[0], I[0]));
  T In = run(R, "sigmoid_", run(R, "add_", H[1], I[1]));
  T Scaled = run(R, "mul_", H[2], Reset);
  T New = run(R, "tanh_", aten::add(R, I[2], Scaled));
  T Result = run(R, "mul_", aten::sub(R, Before.H, New), In);
  return {run(R, "add_", Result, New), nullptr};
}

Hidden simpleStep(Runtime &R, const T &Input, const Hidden &Before,
                  const CellParams &P, bool Precomputed, bool Relu) {
  // Both sums live until the result is there: one expression in RNN.cpp.
  T Sum = P.linearHh(R, Before.H);
  T FromInput = Precomputed ? Input : P.linearIh(R, Input);
  Sum = run(R, "add_", Sum, FromInput);
  return {Relu ? aten::relu(R, Sum) : aten::tanh(R, Sum), nullptr};
}

Hidden step(Runtime &R, Cell Kind, const T &Input, const Hidden &Before,
            const CellParams &P, bool Precomputed) {
  switch (Kind) {
  case Cell::Lstm:
    return lstmStep(R, Input, Before, P, Precomputed);
  case Cell::Gru:
    return gruStep(R, Input, Before, P, Precomputed);
  case Cell::Tanh:
  case Cell::Relu:
    break;
  }
  return simpleStep(R, Input, Before, P, Precomputed, Kind == Cell::Relu);
}

T stack(Runtime &R, std::vector<T> Ts) {
  Args A;
  A.add("tensors", std::move(Ts));
  OpResult Result = R.call("stack", A);
  const T *Out = Result.Values.empty() ? nullptr
                                       : std::get_if<T>(&Result.Values[0].V);
  return Out ? *Out : nullptr;
}

std::vector<T> unbind(Runtime &R, const T &X) {
  Args A;
  A.add("self", X);
  OpResult Result = R.call("unbind", A);
  std::vector<T> Out;
  if (Result.Kind != OpResult::Ok)
    R.failNotModelled(Result.Message);
  for (const Arg &V : Result.Values) {
    if (const T *One = std::get_if<T>(&V.V))
      Out.push_back(*One);
    else if (const auto *L = std::get_if<std::vector<T>>(&V.V))
      Out.insert(Out.end(), L->begin(), L->end());
  }
  return Out;
}

/// The steps of one layer in one direction, their outputs in the input's order;
/// \p State becomes the final state.
std::vector<T> runSteps(Runtime &R, Cell Kind, std::vector<T> Steps,
                        Hidden &State, const CellParams &P, bool Reverse) {
  std::vector<T> Outputs;
  if (Reverse)
    std::reverse(Steps.begin(), Steps.end());
  for (const T &X : Steps) {
    State = step(R, Kind, X, State, P, /*Precomputed=*/true);
    if (R.failed())
      return {};
    Outputs.push_back(State.H);
  }
  if (Reverse)
    std::reverse(Outputs.begin(), Outputs.end());
  return Outputs;
}

/// One layer in one direction.
T runLayer(Runtime &R, Cell Kind, const T &Input, Hidden &State,
           const CellParams &P) {
  T All = P.linearIh(R, Input);
  if (!All || R.failed())
    return nullptr;
  std::vector<T> Outputs = runSteps(R, Kind, unbind(R, All), State, P, false);
  return R.failed() ? nullptr : stack(R, std::move(Outputs));
}

/// One layer in both: the first direction's steps and outputs stay until the end,
/// its projected input until the second one's is there.
T runBoth(Runtime &R, Cell Kind, const T &Input, Hidden *States,
          const CellParams *P) {
  T All = P[0].linearIh(R, Input);
  if (!All || R.failed())
    return nullptr;
  std::vector<T> Steps = unbind(R, All);
  std::vector<T> First = runSteps(R, Kind, Steps, States[0], P[0], false);
  if (R.failed())
    return nullptr;
  T Forward = stack(R, First);
  All = P[1].linearIh(R, Input);
  Steps = unbind(R, All);
  std::vector<T> Second = runSteps(R, Kind, Steps, States[1], P[1], true);
  if (R.failed())
    return nullptr;
  T Backward = stack(R, Second);
  return Forward && Backward
             ? aten::cat(R, {Forward, Backward}, Forward->rank() - 1)
             : nullptr;
}

struct Network {
  Cell Kind;
  std::vector<CellParams> Params; ///< By layer, then direction.
  int64_t Layers;
  bool Both;
  double Drop;
  bool Train;
};

T runLayers(Runtime &R, const Network &N, T Input, std::vector<Hidden> &States) {
  unsigned At = 0;
  for (int64_t L = 0; L < N.Layers; ++L) {
    T Output;
    if (N.Both) {
      Output = runBoth(R, N.Kind, Input, &States[At], &N.Params[At]);
      At += 2;
    } else {
      Output = runLayer(R, N.Kind, Input, States[At], N.Params[At]);
      ++At;
    }
    if (!Output || R.failed())
      return nullptr;
    Input = Output;
    if (N.Drop != 0 && N.Train && L + 1 < N.Layers)
      Input = aten::dropout(R, Input, N.Drop, true);
  }
  return Input;
}

std::vector<CellParams> gather(const std::vector<T> &Flat, bool Biases,
                               bool Projected) {
  unsigned Each = (Biases ? 4 : 2) + (Projected ? 1 : 0);
  std::vector<CellParams> Out;
  for (unsigned I = 0; I + Each <= Flat.size(); I += Each) {
    CellParams P{Flat[I], Flat[I + 1], nullptr, nullptr, nullptr};
    if (Biases) {
      P.BiasIh = Flat[I + 2];
      P.BiasHh = Flat[I + 3];
    }
    if (Projected)
      P.WeightHr = Flat[I + Each - 1];
    Out.push_back(P);
  }
  return Out;
}

/// lstm.input, gru.input, rnn_tanh.input, rnn_relu.input.
OpResult networkRow(Runtime &R, const Args &A, Cell Kind) {
  T Input = A.tensor("input");
  std::vector<T> Hx = A.tensors("hx");
  if (!Input || Hx.empty() || !Hx[0] || (Kind == Cell::Lstm && Hx.size() < 2))
    return OpResult::notModelled("a packed sequence");
  if (Input->rank() != 3)
    return OpResult::failed("RNN: expected input to be 3-dimensional, got " +
                            Input->Sizes.str());
  if (Input->onCuda())
    R.Out.Unknowns.push_back({R.Out.posOf(R.CurrentStack),
                              "cuDNN's reserve space of a recurrent layer",
                              "not modelled: counted as on the CPU", ""});
  bool Projected = Kind == Cell::Lstm && Hx[0]->rank() == 3 &&
                   !(Hx[0]->Sizes == Hx[1]->Sizes);
  Network N;
  N.Kind = Kind;
  N.Params = gather(A.tensors("params"), A.boolean("has_biases", true), Projected);
  N.Layers = A.integer("num_layers", 1);
  N.Both = A.boolean("bidirectional", false);
  N.Drop = A.number("dropout", 0);
  N.Train = A.boolean("train", false);
  bool BatchFirst = A.boolean("batch_first", false);
  if (int64_t(N.Params.size()) != N.Layers * (N.Both ? 2 : 1))
    return OpResult::notModelled("an RNN with other weights than its layers need");
  if (BatchFirst)
    Input = aten::transpose(R, Input, 0, 1);
  std::vector<T> H = unbind(R, Hx[0]), C;
  if (Kind == Cell::Lstm)
    C = unbind(R, Hx[1]);
  if (R.failed() || H.size() < N.Params.size() ||
      (Kind == Cell::Lstm && C.size() < N.Params.size()))
    return OpResult::failed("RNN: expected hidden size of " +
                            std::to_string(N.Params.size()) + " layers, got " +
                            Hx[0]->Sizes.str());
  std::vector<Hidden> States;
  for (unsigned I = 0; I < N.Params.size(); ++I)
    States.push_back({H[I], C.empty() ? nullptr : C[I]});
  H.clear();
  C.clear();
  T Output = runLayers(R, N, Input, States);
  if (!Output)
    return one(nullptr);
  std::vector<T> FinalH, FinalC;
  for (Hidden &S : States) {
    FinalH.push_back(std::move(S.H));
    FinalC.push_back(std::move(S.C));
  }
  T StackedC; // First: g++, which builds LibTorch, evaluates from the right.
  if (Kind == Cell::Lstm)
    StackedC = stack(R, FinalC);
  T StackedH = stack(R, FinalH);
  if (BatchFirst)
    Output = aten::transpose(R, Output, 0, 1);
  return Kind == Cell::Lstm ? tuple({Output, StackedH, StackedC})
                            : tuple({Output, StackedH});
}

/// lstm_cell, gru_cell, rnn_tanh_cell, rnn_relu_cell.
OpResult cellRow(Runtime &R, const Args &A, Cell Kind) {
  std::vector<T> Hx = A.tensors("hx");
  T Input = A.tensor("input");
  if (!Input || Hx.empty() || (Kind == Cell::Lstm && Hx.size() < 2))
    return OpResult::notModelled("a cell without input or hidden state");
  CellParams P{A.tensor("w_ih"), A.tensor("w_hh"), A.tensor("b_ih"),
               A.tensor("b_hh"), nullptr};
  Hidden Before{Hx[0], Hx.size() > 1 ? Hx[1] : nullptr};
  Hidden After = step(R, Kind, Input, Before, P, /*Precomputed=*/false);
  return Kind == Cell::Lstm ? tuple({After.H, After.C}) : one(After.H);
}

} // namespace

void addRnnOps(OpTable &Rows) {
  struct {
    const char *Name;
    Cell Kind;
  } Kinds[] = {{"gru", Cell::Gru}, {"lstm", Cell::Lstm}, {"rnn_relu", Cell::Relu},
               {"rnn_tanh", Cell::Tanh}};
  for (auto [Name, Kind] : Kinds) {
    Rows.push_back({intern(Name), [Kind = Kind](Runtime &R, const Args &A) {
                      return networkRow(R, A, Kind);
                    }, "dropout"});
    Rows.push_back({intern(std::string(Name) + "_cell"),
                    [Kind = Kind](Runtime &R, const Args &A) {
                      return cellRow(R, A, Kind);
                    }});
  }
}

} // namespace vramlint
