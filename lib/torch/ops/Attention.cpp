//===- lib/torch/ops/Attention.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// F::multi_head_attention_forward, step by step as its header does it.

#include "lib/torch/Rules.h"

namespace vramlint {

namespace {

using T = TensorRef;

T part(Runtime &R, const T &X, Dim Start, Dim Length) {
  return X ? aten::slice(R, X, 0, Start, Length) : nullptr;
}

/// Queries, keys and values after their projections.
struct Projected {
  T Q, K, V;
};

Projected project(Runtime &R, const Args &A, Dim E) {
  T Query = A.tensor("query"), Key = A.tensor("key"), Value = A.tensor("value");
  T Weight = A.tensor("in_proj_weight"), Bias = A.tensor("in_proj_bias");
  auto Same = [](const T &X, const T &Y) { return X->Store == Y->Store && X->Sizes == Y->Sizes; };
  auto BiasPart = [&](int64_t I) { return part(R, Bias, E * Dim(I), E); };
  if (!Weight)
    return {aten::functionalLinear(R, Query, A.tensor("q_proj_weight"), BiasPart(0)),
            aten::functionalLinear(R, Key, A.tensor("k_proj_weight"), BiasPart(1)),
            aten::functionalLinear(R, Value, A.tensor("v_proj_weight"), BiasPart(2))};
  auto Chunks = [&](const T &All, unsigned N) {
    Args C;
    C.add("self", All);
    C.add("chunks", Arg(int64_t(N)));
    C.add("dim", Arg(int64_t(-1)));
    OpResult Result = R.call("chunk", C);
    std::vector<T> Out;
    for (const Arg &V : Result.Values) {
      if (const T *One = std::get_if<T>(&V.V))
        Out.push_back(*One);
      else if (const auto *L = std::get_if<std::vector<T>>(&V.V))
        Out.insert(Out.end(), L->begin(), L->end());
    }
    if (Out.size() < N)
      R.failNotModelled("projection of unknown size");
    Out.resize(N);
    return Out;
  };
  if (Same(Query, Key) && Same(Key, Value)) {
    T All = aten::functionalLinear(R, Query, Weight, Bias);
    std::vector<T> C = Chunks(All, 3);
    return {C[0], C[1], C[2]};
  }
  T Q = aten::functionalLinear(R, Query, part(R, Weight, Dim(0), E), BiasPart(0));
  if (Same(Key, Value)) {
    T Both = aten::functionalLinear(R, Key, part(R, Weight, E, E * Dim(2)), part(R, Bias, E, E * Dim(2)));
    std::vector<T> C = Chunks(Both, 2);
    return {Q, C[0], C[1]};
  }
  return {Q, aten::functionalLinear(R, Key, part(R, Weight, E, E), BiasPart(1)),
          aten::functionalLinear(R, Value, part(R, Weight, E * Dim(2), E), BiasPart(2))};
}

/// x.contiguous().view({length, batch * heads, head_dim}).transpose(0, 1)
T heads(Runtime &R, const T &X, Dim Batch, Dim Heads, Dim Width) {
  if (!X || R.failed())
    return nullptr;
  Shape S;
  S.Dims = {X->size(0), Batch * Heads, Width};
  S.Why = X->Sizes.Why;
  return aten::transpose(R, aten::view(R, aten::contiguous(R, X), S), 0, 1);
}

/// weights = weights.view(…).sum(1) / heads: the old weights die first, then the sum.
void average(Runtime &R, T &Weights, Dim Batch, Dim Heads) {
  Shape S;
  S.Dims = {Batch, Heads, Weights->size(1), Weights->size(2)};
  Weights = aten::view(R, Weights, S);
  T Sum = aten::sum(R, Weights, {1}, false);
  Weights = Sum ? aten::div(R, Sum, Scalar(int64_t(2))) : nullptr;
}

OpResult attentionRow(Runtime &R, const Args &A) {
  T Query = A.tensor("query"), Key = A.tensor("key"), Value = A.tensor("value");
  if (!Query || !Key || !Value || Query->rank() != 3 || Key->rank() != 3)
    return OpResult::failed("attention: expected inputs of 3 dimensions");
  int64_t HeadCount = A.integer("num_heads", 1);
  Dim E = Query->size(2), Batch = Query->size(1), Heads(HeadCount);
  if (E.known() && (HeadCount <= 0 || E.Length % HeadCount))
    return OpResult::failed("embed_dim must be divisible by num_heads");
  Dim Width = E / Heads;
  Projected P = project(R, A, E);
  if (R.failed() || !P.Q || !P.K || !P.V)
    return one(nullptr);
  P.Q = aten::mul(R, P.Q, Scalar(0.5)); // q * scaling
  P.Q = heads(R, P.Q, Batch, Heads, Width);
  P.K = heads(R, P.K, Batch, Heads, Width);
  P.V = heads(R, P.V, Batch, Heads, Width);
  if (R.failed())
    return one(nullptr);
  T Weights = aten::bmm(R, P.Q, aten::transpose(R, P.K, 1, 2));
  if (T Mask = A.tensor("attn_mask")) {
    Args Add;
    Add.add("self", Weights);
    Add.add("other", aten::unsqueeze(R, Mask, 0));
    R.call("add_", Add);
  }
  if (T Padding = A.tensor("key_padding_mask"); Padding && Weights) {
    Shape S, Back = Weights->Sizes;
    S.Dims = {Batch, Heads, Weights->size(1), Weights->size(2)};
    T Mask = aten::unsqueeze(R, aten::unsqueeze(R, Padding, 1), 2);
    Weights = aten::view(R, aten::maskedFill(R, aten::view(R, Weights, S), Mask), Back);
  }
  if (!Weights || R.failed())
    return one(nullptr);
  Weights = aten::softmax(R, Weights, -1);
  double Drop = A.number("dropout_p", 0);
  Weights = aten::dropout(R, Weights, Drop, A.boolean("training", true));
  T Output = aten::bmm(R, Weights, P.V);
  if (!Output || R.failed())
    return one(nullptr);
  Shape Flat;
  Flat.Dims = {Query->size(0), Batch, E};
  Flat.Why = Query->Sizes.Why;
  Output = aten::view(R, aten::contiguous(R, aten::transpose(R, Output, 0, 1)), Flat);
  Output = aten::functionalLinear(R, Output, A.tensor("out_proj_weight"), A.tensor("out_proj_bias"));
  if (!A.boolean("need_weights", true))
    return tuple({Output, nullptr});
  if (A.boolean("average_attn_weights", true))
    average(R, Weights, Batch, Heads);
  return tuple({Output, Weights});
}

} // namespace

void addAttentionOps(OpTable &Rows) {
  Rows.push_back({"multi_head_attention_forward", attentionRow, "dropout_p"});
}

} // namespace vramlint
