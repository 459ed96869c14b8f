//===- lib/torch/modules/Rnn.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: recurrent layers and cells. Mirrors torch/csrc/api/src/nn/modules/rnn.cpp.

#include "lib/torch/modules/ModuleRow.h"

#include "lib/torch/Rules.h"

namespace vramlint {

static Dim times(Dim D, int64_t N) { return D * Dim(N); }

/// RNNImplBase::reset: all four or five tensors of a layer are made before they are
/// registered, biases that are not wanted too.
static void buildLayers(BuiltinModule &M, int64_t Gates) {
  Dim In = M.dim("input_size"), Hidden = M.dim("hidden_size");
  int64_t Projection = M.integer("proj_size", 0);
  Dim Real = Projection > 0 ? Dim(Projection) : Hidden;
  int64_t Directions = M.boolean("bidirectional", false) ? 2 : 1;
  int64_t Layers = std::min<int64_t>(M.integer("num_layers", 1), 1024);
  bool Bias = M.boolean("bias", true);
  for (int64_t L = 0; L < Layers; ++L)
    for (int64_t D = 0; D < Directions; ++D) {
      std::string Suffix = "_l" + std::to_string(L) + (D ? "_reverse" : "");
      Dim LayerIn = L ? times(Real, Directions) : In;
      auto Make = [&](llvm::ArrayRef<Dim> Dims) {
        return M.R.make(M.shape(Dims), M.R.DefaultDType, Device{},
                        Category::Parameter, M.Row.Class);
      };
      TensorRef Ih = Make({times(Hidden, Gates), LayerIn});
      TensorRef Hh = Make({times(Hidden, Gates), Real});
      TensorRef BiasIh = Make({times(Hidden, Gates)});
      TensorRef BiasHh = Make({times(Hidden, Gates)});
      TensorRef Hr = Projection > 0 ? Make({Real, Hidden}) : nullptr;
      M.registerParameter("weight_ih" + Suffix, Ih, true);
      M.registerParameter("weight_hh" + Suffix, Hh, true);
      if (Bias) {
        M.registerParameter("bias_ih" + Suffix, BiasIh, true);
        M.registerParameter("bias_hh" + Suffix, BiasHh, true);
      }
      if (Hr)
        M.registerParameter("weight_hr" + Suffix, Hr, true);
    }
}

static void buildRnn(BuiltinModule &M) { buildLayers(M, 1); }
static void buildLstm(BuiltinModule &M) { buildLayers(M, 4); }
static void buildGru(BuiltinModule &M) { buildLayers(M, 3); }

static TensorRef zeros(BuiltinModule &M, std::initializer_list<Dim> Dims,
                       const TensorRef &Like) {
  return M.R.make(M.shape(Dims), Like->Type, Like->Dev, Category::Activation, "zeros");
}

/// The state that forward is given: a tensor, or a tuple of two.
static std::vector<TensorRef> givenState(const Args &A) {
  std::vector<TensorRef> Hx;
  const Arg &Given = nth(A, 1);
  if (const auto *T = std::get_if<TensorRef>(&Given.V)) {
    if (*T)
      Hx.push_back(*T);
  } else if (const auto *L = std::get_if<std::vector<TensorRef>>(&Given.V)) {
    Hx = *L;
  } else if (const auto *L = std::get_if<std::vector<Arg>>(&Given.V)) {
    for (const Arg &E : *L)
      if (const auto *T = std::get_if<TensorRef>(&E.V))
        Hx.push_back(*T);
  }
  return Hx;
}

RecurrentSizes recurrentSizes(Module &Of) {
  auto &M = static_cast<BuiltinModule &>(Of);
  int64_t Projection = M.integer("proj_size", 0);
  int64_t Directions = M.boolean("bidirectional", false) ? 2 : 1;
  Dim Cell = M.dim("hidden_size"), Hidden = Projection > 0 ? Dim(Projection) : Cell;
  return {times(Hidden, Directions), Hidden, Cell,
          Dim(M.integer("num_layers", 1) * Directions)};
}

static OpResult forwardLayers(BuiltinModule &M, const Args &A,
                              llvm::StringRef Op, bool Lstm) {
  TensorRef Input = nthTensor(A, 0);
  if (!Input || !Input->Sizes.RankKnown)
    return OpResult::notModelled(M.ClassName + ": input of unknown shape");
  if (Input->rank() != 3)
    return OpResult::failed("RNN: expected input to be 3-dimensional, got " +
                            Input->Sizes.str());
  bool BatchFirst = M.boolean("batch_first", false);
  Dim Batch = Input->size(BatchFirst ? 0 : 1), Hidden = M.dim("hidden_size");
  int64_t Projection = M.integer("proj_size", 0);
  int64_t Count = M.integer("num_layers", 1) *
                  (M.boolean("bidirectional", false) ? 2 : 1);
  std::vector<TensorRef> Hx = givenState(A);
  if (Hx.empty()) {
    Hx.push_back(zeros(M, {Dim(Count), Batch, Projection > 0 ? Dim(Projection) : Hidden}, Input));
    if (Lstm)
      Hx.push_back(zeros(M, {Dim(Count), Batch, Hidden}, Input));
  }
  Args Call;
  Call.add("input", Input);
  Call.add("hx", Hx);
  std::vector<TensorRef> Params;
  for (const auto &[Name, T] : M.Parameters)
    Params.push_back(T);
  Call.add("params", Params);
  Call.add("has_biases", Arg(M.boolean("bias", true)));
  Call.add("num_layers", Arg(M.integer("num_layers", 1)));
  Call.add("dropout", Arg(M.number("dropout", 0)));
  Call.add("train", Arg(M.Training));
  Call.add("bidirectional", Arg(M.boolean("bidirectional", false)));
  Call.add("batch_first", Arg(BatchFirst));
  OpResult Result = M.R.call(Op, Call);
  if (Lstm && Result.Kind == OpResult::Ok && Result.Values.size() == 3) {
    // (output, (h, c)), as the C++ module returns them.
    std::vector<Arg> State{Result.Values[1], Result.Values[2]};
    Result.Values = {Result.Values[0], Arg(State)};
  }
  return Result;
}

static OpResult forwardRnn(BuiltinModule &M, Args &A) {
  bool Relu = M.keyword("nonlinearity", "tanh") == "relu";
  return forwardLayers(M, A, Relu ? "rnn_relu" : "rnn_tanh", false);
}
static OpResult forwardLstm(BuiltinModule &M, Args &A) { return forwardLayers(M, A, "lstm", true); }
static OpResult forwardGru(BuiltinModule &M, Args &A) { return forwardLayers(M, A, "gru", false); }

static void buildCell(BuiltinModule &M, int64_t Gates) {
  Dim In = M.dim("input_size"), Hidden = M.dim("hidden_size");
  bool Bias = M.boolean("bias", true);
  M.parameter("weight_ih", {times(Hidden, Gates), In});
  M.parameter("weight_hh", {times(Hidden, Gates), Hidden});
  M.parameter("bias_ih", {times(Hidden, Gates)}, Bias);
  M.parameter("bias_hh", {times(Hidden, Gates)}, Bias);
}

static void buildRnnCell(BuiltinModule &M) { buildCell(M, 1); }
static void buildLstmCell(BuiltinModule &M) { buildCell(M, 4); }
static void buildGruCell(BuiltinModule &M) { buildCell(M, 3); }

static OpResult forwardCell(BuiltinModule &M, const Args &A, llvm::StringRef Op,
                            bool Lstm) {
  TensorRef Input = nthTensor(A, 0);
  if (Input && !Input->Sizes.RankKnown)
    return OpResult::notModelled(M.ClassName + ": input of unknown shape");
  if (!Input || Input->rank() != 2)
    return OpResult::failed(M.ClassName + ": expected a batch of vectors");
  std::vector<TensorRef> Hx = givenState(A);
  if (Hx.empty())
    Hx.push_back(zeros(M, {Input->size(0), M.dim("hidden_size")}, Input));
  if (Lstm && Hx.size() < 2)
    Hx.push_back(Hx[0]); // One tensor of zeros serves as both.
  Args Call;
  Call.add("input", Input);
  Call.add("hx", Hx);
  Call.add("w_ih", M.own("weight_ih"));
  Call.add("w_hh", M.own("weight_hh"));
  Call.add("b_ih", M.own("bias_ih"));
  Call.add("b_hh", M.own("bias_hh"));
  return M.R.call(Op, Call);
}

static OpResult forwardRnnCell(BuiltinModule &M, Args &A) {
  bool Relu = M.keyword("nonlinearity", "tanh") == "relu";
  return forwardCell(M, A, Relu ? "rnn_relu_cell" : "rnn_tanh_cell", false);
}
static OpResult forwardLstmCell(BuiltinModule &M, Args &A) { return forwardCell(M, A, "lstm_cell", true); }
static OpResult forwardGruCell(BuiltinModule &M, Args &A) { return forwardCell(M, A, "gru_cell", false); }

llvm::ArrayRef<ModuleRow> rnnModules() {
  static const char Shown[] = "input_size,hidden_size";
  static const ModuleRow Rows[] = {
      {.Class = "GRU", .Build = buildGru, .Forward = forwardGru, .Shown = Shown},
      {.Class = "GRUCell", .Build = buildGruCell, .Forward = forwardGruCell, .Shown = Shown},
      {.Class = "LSTM", .Build = buildLstm, .Forward = forwardLstm, .Shown = Shown},
      {.Class = "LSTMCell", .Build = buildLstmCell, .Forward = forwardLstmCell, .Shown = Shown},
      {.Class = "RNN", .Build = buildRnn, .Forward = forwardRnn, .Shown = Shown},
      {.Class = "RNNCell", .Build = buildRnnCell, .Forward = forwardRnnCell, .Shown = Shown},
  };
  return Rows;
}

} // namespace vramlint
