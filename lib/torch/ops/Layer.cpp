//===- lib/torch/ops/Layer.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of layers that are used rarely: unfolding, unpooling, sampling at a grid,
// fractional pooling, packed sequences, and the functions of
// torch::nn::functional that are made of other ops.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

Dim lengthAt(const Arg::Ints &L, size_t I) { return I < L.size() ? toDim(L[I]) : Dim(); }

/// The input, whatever the declaration calls it (F::gumbel_softmax: logits).
T inputOf(const Args &A) {
  T X = A.tensor("self");
  for (const auto &[Name, V] : A.List)
    if (const auto *P = std::get_if<T>(&V.V); P && !X)
      X = *P;
  return X;
}

//===----------------------------------------------------------------------===//
// Unfolding
//===----------------------------------------------------------------------===//

/// How many places a kernel has along a length.
Dim places(Dim L, Dim Kernel, Dim Dilation, Dim Padding, Dim Stride) {
  Dim Extent = Dilation * (Kernel - Dim(1)) + Dim(1), Padded = L + Padding * Dim(2);
  if (Padded.known() && Extent.known() && Padded.Length < Extent.Length)
    return Dim(0);
  return (Padded - Extent) / Stride + Dim(1);
}

struct Unfolding {
  Arg::Ints Kernel, Dilation, Padding, Stride;
  explicit Unfolding(const Args &A)
      : Kernel(A.ints("kernel_size", 2, 1)), Dilation(A.ints("dilation", 2, 1)),
        Padding(A.ints("padding", 2, 0)), Stride(A.ints("stride", 2, 1)) {}
  Dim at(unsigned I, Dim L) const {
    return places(L, lengthAt(Kernel, I), lengthAt(Dilation, I), lengthAt(Padding, I),
                  lengthAt(Stride, I));
  }
  Dim area() const { return lengthAt(Kernel, 0) * lengthAt(Kernel, 1); }
};

/// A tensor like the input that is then resized to \p S: it stays in that memory where
/// it fits.
T resized(Runtime &R, const T &X, const Shape &S) {
  T Own = aten::contiguous(R, X), First = aten::emptyContiguous(R, X);
  if (S.elements() < 0 || S.elements() > X->elements())
    return makeLike(R, X, S);
  First->Sizes = S;
  return First;
}

OpResult resizedRow(Runtime &R, const T &X, const Shape &S, llvm::StringRef Node) {
  Record Rec(R, Node, {X});
  return one(Rec.result(resized(R, X, S), [From = X->Sizes](Runtime &R, vramlint::Node &, Grads &G) {
    return Grads{resized(R, G[0], From)};
  }));
}

/// im2col, F::unfold: N×C×H×W -> N×(C·kernel)×places.
OpResult unfoldRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  if (!X || X->rank() < 3 || X->rank() > 4) {
    R.fail("unfold expects three or four dimensions, got " + (X ? X->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  Unfolding U(A);
  unsigned C = X->rank() - 3;
  Dim N = U.at(0, X->size(C + 1)) * U.at(1, X->size(C + 2));
  if (N == Dim(0)) {
    R.fail("unfold: a kernel larger than the input of " + X->Sizes.str());
    return one(nullptr);
  }
  Shape S;
  if (C)
    S.Dims.push_back(X->size(0));
  S.Dims.append({X->size(C) * U.area(), N});
  return resizedRow(R, X, S, "Im2ColBackward0");
}

/// col2im, F::fold: the way back to \p output_size.
OpResult foldRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  if (!X || X->rank() < 2 || X->rank() > 3) {
    R.fail("fold expects two or three dimensions, got " + (X ? X->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  Unfolding U(A);
  Arg::Ints Size = A.ints("output_size", 2, 1);
  unsigned C = X->rank() - 2;
  Dim Want = U.at(0, lengthAt(Size, 0)) * U.at(1, lengthAt(Size, 1));
  if (Want.known() && X->size(C + 1).known() && Want != X->size(C + 1)) {
    R.fail("fold: expected " + std::to_string(Want.Length) + " places, got an input of " +
           X->Sizes.str());
    return one(nullptr);
  }
  Shape S;
  if (C)
    S.Dims.push_back(X->size(0));
  S.Dims.append({X->size(C) / U.area(), lengthAt(Size, 0), lengthAt(Size, 1)});
  return resizedRow(R, X, S, "Col2ImBackward0");
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

OpResult fractionalRow(Runtime &R, const Args &A, unsigned N, bool WithIndices) {
  T X = inputOf(A);
  if (!X || X->rank() < N + 1)
    return OpResult::failed("fractional pooling expects more dimensions");
  Shape S = X->Sizes;
  unsigned First = X->rank() - N;
  Arg::Ints Size = A.ints("output_size");
  const Arg *Ratio = A.find("output_ratio");
  for (unsigned I = 0; I < N; ++I) {
    Dim &L = S.Dims[First + I];
    if (!Size.empty())
      L = lengthAt(Size, Size.size() == 1 ? 0 : I);
    else if (const auto *D = Ratio ? std::get_if<std::vector<double>>(&Ratio->V) : nullptr)
      L = L.known() && !D->empty() ? Dim(int64_t(double(L.Length) * (*D)[I % D->size()])) : Dim();
    else
      L = Dim();
  }
  T Samples = A.tensor("random_samples");
  if (!Samples && A.find("options")) { // F:: draws them itself.
    Dim Batch = First == 2 ? X->size(0) : Dim(1);
    Samples = makeLike(R, X, shapeOf({Batch, X->size(First - 1), Dim(int64_t(N))}));
  }
  auto Out = tail(R, {N == 2 ? "FractionalMaxPool2DBackward0" : "FractionalMaxPool3DBackward0", "0b"},
                  {X}, [&] {
                    return std::vector<T>{makeLike(R, X, S), makeLike(R, X, S, DType::Int64)};
                  });
  if (Out.size() != 2)
    return one(nullptr);
  return WithIndices ? tuple({Out[0], Out[1]}) : one(Out[0]);
}

/// max_unpool: the output's size is given, or follows from kernel and stride.
OpResult unpoolRow(Runtime &R, const Args &A, unsigned N) {
  T X = inputOf(A), Indices = A.tensor("indices");
  if (!X || !Indices || X->rank() < N + 1)
    return OpResult::failed("max_unpool expects an input and its indices");
  if (X->Sizes.known() && Indices->Sizes.known() && !(X->Sizes == Indices->Sizes)) {
    R.fail("max_unpool: expected indices of " + X->Sizes.str() + ", got " + Indices->Sizes.str());
    return one(nullptr);
  }
  Shape S = X->Sizes;
  unsigned First = X->rank() - N;
  Arg::Ints Size = A.ints("output_size"), Kernel = A.ints("kernel_size", N, 1);
  Arg::Ints Stride = A.ints("stride").empty() ? Kernel : A.ints("stride", N, 1);
  Arg::Ints Padding = A.ints("padding", N, 0);
  for (unsigned I = 0; I < N; ++I) {
    Dim &L = S.Dims[First + I];
    if (Size.size() >= N)
      L = lengthAt(Size, Size.size() - N + I);
    else
      L = (L - Dim(1)) * lengthAt(Stride, I) + lengthAt(Kernel, I) - lengthAt(Padding, I) * Dim(2);
  }
  return one(tailOne(R, {N == 3 ? "MaxUnpool3DBackward0" : "MaxUnpool2DBackward0", "1", "eu"},
                     {X, Indices}, [&] { return makeLike(R, X, S); }));
}

/// F::lp_pool: (avg_pool(x^p) · k)^(1/p), by its ops.
OpResult lpPoolRow(Runtime &R, const Args &A, unsigned N) {
  double P = A.number("norm_type", 2);
  T Out;
  {
    T Power = aten::pow(R, inputOf(A), Scalar(P));
    Args Pool;
    Pool.add("self", Arg(Power));
    for (const char *Name : {"kernel_size", "stride", "ceil_mode"})
      if (const Arg *V = A.find(Name))
        Pool.add(Name, *V);
    Power = nullptr;
    OpResult Res = R.call(N == 1 ? "avg_pool1d" : "avg_pool2d", Pool);
    if (Res.Kind != OpResult::Ok)
      return Res;
    Out = std::get<T>(Res.Values[0].V);
  }
  // (sign(out) * relu(abs(out))).mul(k).pow(1 / p)
  T Sign = callOne(R, "sign", {{"self", Arg(Out)}});
  T Abs = callOne(R, "abs", {{"self", Arg(Out)}});
  T Positive = aten::relu(R, Abs);
  T Product = aten::mul(R, Sign, Positive);
  T Scaled = aten::mul(R, Product, Scalar(2.0));
  return one(aten::pow(R, Scaled, Scalar(1 / (P ? P : 1))));
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

OpResult gridSampleRow(Runtime &R, const Args &A) {
  T X = inputOf(A), Grid = A.tensor("grid");
  if (!X || !Grid || X->rank() != Grid->rank() || X->rank() < 4 || X->rank() > 5) {
    R.fail("grid_sample expects an input and a grid of four or five dimensions, got " +
           (X ? X->Sizes.str() : "nothing") + " and " + (Grid ? Grid->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  Shape S = X->Sizes;
  for (unsigned I = 2; I < X->rank(); ++I)
    S.Dims[I] = Grid->size(I - 1);
  TailRule How{X->rank() == 4 ? "GridSampler2DBackward0" : "GridSampler3DBackward0", "01", "e"};
  return one(tailOne(R, How, {X, Grid}, [&] { return makeLike(R, X, S); }));
}

OpResult affineGridRow(Runtime &R, const Args &A) {
  T Theta = A.tensor("theta");
  Arg::Ints Size = A.ints("size");
  if (!Theta || Theta->rank() != 3 || Size.size() < 4 || Size.size() > 5)
    return OpResult::failed("affine_grid expects matrices and a size of four or five");
  Shape S = shapeOf({lengthAt(Size, 0)});
  for (size_t I = 2; I < Size.size(); ++I)
    S.Dims.push_back(lengthAt(Size, I));
  S.Dims.push_back(Dim(int64_t(Size.size()) - 2));
  return one(tailOne(R, {"AffineGridGeneratorBackward0", ""}, {Theta},
                     [&] { return makeLike(R, Theta, S); }));
}

//===----------------------------------------------------------------------===//
// Convolutions under other names
//===----------------------------------------------------------------------===//

OpResult convolutionRow(Runtime &R, const Args &A, unsigned N, bool Transposed) {
  T X = inputOf(A), W = A.tensor("weight");
  if (!X || !W)
    return OpResult::failed("a convolution of an undefined tensor", FailureKind::Other);
  if (!N)
    N = W->rank() >= 3 ? W->rank() - 2 : 0;
  Transposed |= A.boolean("transposed", false);
  if (N < 1 || N > 3)
    return OpResult::failed("a convolution by a weight of " + W->Sizes.str());
  Args Call;
  Call.add("input", Arg(X));
  for (const char *Name : {"weight", "bias", "stride", "padding", "dilation", "output_padding", "groups"})
    if (const Arg *V = A.find(Name))
      Call.add(Name, *V);
  return R.call(("conv" + llvm::Twine(Transposed ? "_transpose" : "") + llvm::Twine(N) + "d").str(),
                Call);
}

OpResult convTbcRow(Runtime &R, const Args &A) {
  T X = inputOf(A), W = A.tensor("weight"), B = A.tensor("bias");
  if (!X || !W || X->rank() != 3 || W->rank() != 3)
    return OpResult::failed("conv_tbc expects three dimensions");
  Dim Time = X->size(0) + toDim(A.integer("pad", 0)) * Dim(2) - W->size(0) + Dim(1);
  return one(tailOne(R, {"ConvTbcBackward0", "012"}, {X, W, B}, [&] {
    return makeLike(R, X, shapeOf({Time, X->size(1), W->size(2)}));
  }));
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

OpResult nativeNormRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  T X = A.tensor("input"), W = A.tensor("weight"), B = A.tensor("bias");
  if (!X || X->rank() < 2)
    return OpResult::failed((Op + " expects at least two dimensions").str());
  Shape Stat = shapeOf({X->size(1)});
  if (Op == "native_layer_norm") {
    Stat = X->Sizes;
    size_t Normal = A.ints("normalized_shape").size();
    for (size_t I = 0; I < Normal && I < Stat.Dims.size(); ++I)
      Stat.Dims[Stat.Dims.size() - 1 - I] = Dim(1);
  } else if (Op == "native_group_norm") {
    Stat = shapeOf({X->size(0), toDim(A.integer("group"))});
  }
  llvm::StringRef Node = Op == "native_layer_norm"   ? "NativeLayerNormBackward0"
                         : Op == "native_group_norm" ? "NativeGroupNormBackward0"
                                                     : "NativeBatchNormBackward0";
  auto Out = tail(R, {Node, "012bc"}, {X, W, B}, [&] {
    return std::vector<T>{aten::emptyContiguous(R, X), makeLike(R, X, Stat), makeLike(R, X, Stat)};
  });
  return Out.size() == 3 ? tuple({Out[0], Out[1], Out[2]}) : one(nullptr);
}

/// F::local_response_norm: x / (k + alpha · mean of squares of neighbours) ^ beta.
OpResult localResponseNormRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  if (!X || X->rank() < 3)
    return OpResult::failed("local_response_norm expects at least three dimensions");
  auto Size = A.integer("size");
  if (!Size)
    return OpResult::notModelled("local_response_norm of an unknown size");
  bool Line = X->rank() == 3;
  T Div = aten::unsqueeze(R, aten::mul(R, X, X), 1);
  if (!Line) {
    Shape S = shapeOf({X->size(0), Dim(1), X->size(1), X->size(2), Dim(1)});
    for (unsigned I = 3; I < X->rank(); ++I)
      S.Dims[4] = S.Dims[4] * X->size(I);
    S.Why = X->Sizes.Why;
    Div = aten::view(R, Div, S);
  }
  Arg::Ints Pad(Line ? 2 : 4, 0), Kernel{*Size, 1}, Stride(Line ? 2 : 3, 1);
  Pad.insert(Pad.end(), {*Size / 2, (*Size - 1) / 2});
  if (!Line)
    Kernel.push_back(1);
  Div = callOne(R, "constant_pad_nd", {{"self", Arg(Div)}, {"pad", Arg(Pad)}});
  Div = callOne(R, Line ? "avg_pool2d" : "avg_pool3d",
                {{"self", Arg(Div)}, {"kernel_size", Arg(Kernel)}, {"stride", Arg(Stride)}});
  Div = Div ? aten::squeeze(R, Div, 1) : Div;
  if (!Line && Div)
    Div = aten::view(R, Div, X->Sizes);
  {
    T Scaled = aten::mul(R, Div, Scalar(0.5)), Sum = aten::add(R, Scaled, Scalar(1.0));
    Div = aten::pow(R, Sum, Scalar(0.75));
  }
  return one(aten::div(R, X, Div));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

OpResult padSequenceRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("sequences");
  if (Ts.empty() || !Ts[0] || Ts[0]->rank() == 0)
    return OpResult::failed("pad_sequence expects a list of sequences");
  Dim Longest(0);
  for (const T &X : Ts)
    Longest = X && X->rank() && X->size(0).known() && Longest.known()
                  ? Dim(std::max(Longest.Length, X->size(0).Length)) : Dim();
  Shape S;
  Dim Count(int64_t(Ts.size()));
  if (A.boolean("batch_first", false))
    S.Dims.append({Count, Longest});
  else
    S.Dims.append({Longest, Count});
  S.Dims.append(Ts[0]->Sizes.Dims.begin() + 1, Ts[0]->Sizes.Dims.end());
  if (!Longest.known())
    S.Why = Ts[0]->Sizes.Why;
  return one(tailOne(R, {"CopySlices", ""}, Ts, [&] { return makeLike(R, Ts[0], S); }));
}

/// _pack_padded_sequence: as many rows as the lengths sum up to.
OpResult packRow(Runtime &R, const Args &A) {
  T X = A.tensor("input");
  if (!X || X->rank() < 2)
    return OpResult::failed("pack_padded_sequence expects at least two dimensions");
  auto Out = tail(R, {"PackPaddedSequenceBackward0", "b"}, {X}, [&] {
    Shape S, Sizes = shapeOf({Dim()});
    S.Dims.push_back(Dim());
    S.Dims.append(X->Sizes.Dims.begin() + 2, X->Sizes.Dims.end());
    S.Why = Sizes.Why = "the lengths are in the data";
    return std::vector<T>{makeLike(R, X, S), makeLike(R, X, Sizes, DType::Int64)};
  });
  return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
}

OpResult unpackRow(Runtime &R, const Args &A) {
  T X = A.tensor("data"), Sizes = A.tensor("batch_sizes");
  if (!X || !Sizes || X->rank() < 1)
    return OpResult::failed("pad_packed_sequence expects packed data");
  auto Out = tail(R, {"CopySlices", ""}, {X}, [&] {
    Dim Time = Sizes->rank() ? Sizes->size(0) : Dim(), Batch;
    Shape S = A.boolean("batch_first", false) ? shapeOf({Batch, Time}) : shapeOf({Time, Batch});
    S.Dims.append(X->Sizes.Dims.begin() + 1, X->Sizes.Dims.end());
    Shape Lengths = shapeOf({Batch});
    S.Why = Lengths.Why = "the batch is in the data";
    return std::vector<T>{makeLike(R, X, S), makeLike(R, X, Lengths, DType::Int64)};
  });
  return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
}

/// Does LibTorch take a kernel that never holds the matrix of scores? On CUDA
/// since 2.0 (flash, memory-efficient:
/// aten/src/ATen/native/transformers/cuda/sdp_utils.cpp), on the CPU since 2.2
/// (flash: transformers/sdp_utils_cpp.cpp); masks came with 2.1.
bool attentionIsFused(Runtime &R, const T &Q, const T &K, const T &V,
                      const T &Mask, double Dropout) {
  bool Cuda = Q->Dev.Kind == DeviceKind::CUDA;
  if (!R.Config.atLeast(2, Cuda ? 0 : 2) || (!Cuda && Dropout > 0))
    return false;
  for (const T &X : {Q, K, V})
    if (X->rank() != 4 || !X->Sizes.known() || !isFloating(X->Type) ||
        X->Type != Q->Type || X->Type == DType::Float64 || !(X->size(3) == Q->size(3)))
      return false;
  if (Mask && (Mask->needsGrad() || !R.Config.atLeast(2, 1)))
    return false;
  // CUDA's kernels load several elements of a head at once.
  int64_t Together = Q->Type == DType::Float32 ? 4 : 8;
  return !Cuda || (Q->size(3).Length % Together == 0 &&
                   V->size(3).Length % Together == 0);
}

/// How much of the scores a kernel of the CPU holds at once: rows times columns.
/// (aten/src/ATen/native/cpu/FlashAttentionKernel.cpp; measured with 2.6.0.)
struct ScoreTile {
  int64_t Rows, Columns;
  ScoreTile(const T &Q, const T &K) {
    int64_t Length = Q->size(2).Length;
    Rows = std::min<int64_t>(Length, Length >= 768 ? 256 : Length >= 192 ? 64 : 32);
    Columns = std::min<int64_t>(K->size(2).Length, 512);
  }
};

/// A kernel's own memory, for one thread.
T buffer(Runtime &R, const T &Q, int64_t Elements, DType Type) {
  return makeLike(R, Q, shapeOf({Dim(R.Config.Threads), Dim(Elements)}), Type);
}

/// What a kernel makes of \p X, whose elements of a head lie together: [B, L, H, D]
/// in memory.
T likeHeads(Runtime &R, const T &X) {
  return aten::transpose(
      R, makeLike(R, X, shapeOf({X->size(0), X->size(2), X->size(1), X->size(3)})), 1, 2);
}

Grads fusedAttentionBackward(Runtime &R, Node &N, Grads &G) {
  T Q = N.saved(0), K = N.saved(1), V = N.saved(2);
  bool Cuda = Q->Dev.Kind == DeviceKind::CUDA, Half = Q->Type != DType::Float32;
  T Grad = aten::contiguous(R, aten::transpose(R, G[0], 1, 2));
  Grads Out = {likeHeads(R, Q), likeHeads(R, K), likeHeads(R, V)};
  if (Cuda) {
    T Delta = makeLike(R, Q, shapeOf({Q->size(0), Q->size(1), Q->size(2)}), DType::Float32);
    T Sums = Half ? makeLike(R, Q, Q->Sizes, DType::Float32) : nullptr;
    R.scratch({Delta}); // Workspaces depend on the card.
  } else {
    ScoreTile Tile(Q, K);
    T Scores = buffer(R, Q, 2 * Tile.Rows * Tile.Columns, DType::Float32);
    T Rounded = Half ? buffer(R, Q, 2 * Tile.Rows * Tile.Columns, Q->Type) : nullptr;
    T Sums = buffer(R, Q, Tile.Rows, DType::Float32);
  }
  return Out;
}

/// What backward needs of the scores is the logarithm of each row's sum.
T fusedAttention(Runtime &R, const T &Q, const T &K, const T &V, const T &Mask) {
  bool Cuda = Q->Dev.Kind == DeviceKind::CUDA;
  // A mask of bool becomes one of numbers.
  T Added = Mask && Mask->Type == DType::Bool ? makeLike(R, Mask, Mask->Sizes, Q->Type) : Mask;
  Record Rec(R,
             Cuda ? "ScaledDotProductEfficientAttentionBackward0"
                  : "ScaledDotProductFlashAttentionForCpuBackward0",
             {Q, K, V});
  Rec.save(Q).save(K).save(V);
  Dim Rows = Q->size(2);
  // CUDA's kernel writes rows in blocks of 32, and none where no graph is recorded.
  constexpr int64_t Block = 32;
  if (Cuda)
    Rows = Rec ? Dim((Rows.Length + Block - 1) / Block * Block) : Dim(0);
  T Out = Cuda ? likeHeads(R, Q) : aten::emptyContiguous(R, Q);
  T Sums = makeLike(R, Q, shapeOf({Q->size(0), Rows, Q->size(1)}), DType::Float32);
  if (!Cuda) {
    ScoreTile Tile(Q, K);
    T Scores = buffer(R, Q,
                      Tile.Rows * Tile.Columns + 2 * Tile.Rows + Tile.Rows * Q->size(3).Length,
                      DType::Float32);
    T Rounded = Q->Type == DType::Float32
                    ? nullptr
                    : buffer(R, Q, Tile.Rows * Tile.Columns, Q->Type);
  }
  if (Cuda || !R.Config.atLeast(2, 6))
    R.scratch({Sums}); // Not measured.
  Rec.saveIf(bool(Added), Added);
  Rec.saveResult(Out).saveResult(Sums);
  return Rec.result(Out, fusedAttentionBackward);
}

/// softmax(q · k^T / sqrt(d)) · v, as the math path does it, or fused.
OpResult attentionRow(Runtime &R, const Args &A, bool WithWeights) {
  T Q = A.tensor("query"), K = A.tensor("key"), V = A.tensor("value"),
    Mask = A.tensor("attn_mask");
  if (!Q || !K || !V || Q->rank() < 2)
    return OpResult::failed("attention expects query, key and value");
  if (!WithWeights &&
      attentionIsFused(R, Q, K, V, Mask, A.number("dropout_p", 0)))
    return one(fusedAttention(R, Q, K, V, Mask));
  T Weights, Out;
  {
    T Scaled = aten::div(R, Q, Scalar(2.0));
    T Scores = aten::matmul(R, Scaled, aten::transpose(R, K, -2, -1));
    Scaled = nullptr;
    if (Mask)
      Scores = aten::add(R, Scores, Mask);
    Weights = aten::softmax(R, Scores, -1);
  }
  double P = A.number("dropout_p", 0);
  if (P > 0)
    Weights = aten::dropout(R, Weights, P, true);
  Out = aten::matmul(R, Weights, V);
  R.scratch({Q, K, V, Mask, Out, WithWeights ? Weights : nullptr});
  return WithWeights ? tuple({Out, Weights}) : one(Out);
}

//===----------------------------------------------------------------------===//
// Functions made of other ops
//===----------------------------------------------------------------------===//

OpResult softsignRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  T Abs = callOne(R, "abs", {{"self", Arg(X)}});
  T Below = aten::add(R, Abs, Scalar(1));
  return one(aten::div(R, X, Below));
}

OpResult tanhshrinkRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  return one(aten::sub(R, X, aten::tanh(R, X)));
}

OpResult gumbelSoftmaxRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  if (!X)
    return OpResult::failed("gumbel_softmax of an undefined tensor", FailureKind::Other);
  T Sum;
  {
    T Noise;
    {
      BelowAutograd Guard(R);
      Noise = aten::neg(R, aten::log(R, aten::emptyLike(R, X)));
    }
    Sum = aten::add(R, X, Noise);
  }
  T Soft = aten::softmax(R, aten::div(R, Sum, Scalar(1.0)), A.integer("dim", -1));
  if (!A.boolean("hard", false))
    return one(Soft);
  T Hard = aten::emptyLike(R, X);
  return one(aten::add(R, aten::sub(R, Hard, aten::detach(R, Soft)), Soft));
}

/// rrelu: with training, a random slope per element is kept.
OpResult rreluRow(Runtime &R, const Args &A, bool InPlace) {
  T X = inputOf(A);
  InPlace |= A.boolean("inplace", false);
  T Noise = X ? aten::emptyLike(R, X) : nullptr;
  TailRule How{"RreluWithNoiseBackward0", InPlace ? "1a" : "01", "n"};
  if (InPlace)
    return one(tailInPlace(R, How, {X, Noise}, [] {}));
  return one(tailOne(R, How, {X, Noise}, [&] { return aten::emptyLike(R, X); }));
}

OpResult rot90Row(Runtime &R, const Args &A) {
  T X = inputOf(A);
  Arg::Ints Dims = A.ints("dims");
  if (Dims.size() < 2)
    Dims = {int64_t(0), int64_t(1)};
  auto D0 = X ? wrapDim(R, Dims[0].value_or(0), X->rank()) : std::nullopt;
  auto D1 = X ? wrapDim(R, Dims[1].value_or(1), X->rank()) : std::nullopt;
  auto K = A.integer("k").value_or(1);
  if (!D0 || !D1 || *D0 == *D1)
    return OpResult::failed("rot90 expects two dimensions that differ");
  bool Turned = K % 2 != 0;
  return one(tailOne(R, {"Rot90Backward0", ""}, {X}, [&] {
    T Out = makeLike(R, X, X->Sizes);
    if (!Turned || !X->Sizes.known())
      return Out;
    Out->Strides = Out->strides();
    std::swap(Out->Strides[*D0], Out->Strides[*D1]);
    std::swap(Out->Sizes.Dims[*D0], Out->Sizes.Dims[*D1]);
    return Out;
  }));
}

OpResult tileRow(Runtime &R, const Args &A) {
  T X = inputOf(A);
  Arg::Ints Times = A.ints("dims");
  if (!X)
    return OpResult::failed("tile of an undefined tensor", FailureKind::Other);
  while (Times.size() < X->rank())
    Times.insert(Times.begin(), int64_t(1));
  return one(callOne(R, "repeat", {{"self", Arg(X)}, {"repeats", Arg(Times)}}));
}

/// resize_: the storage grows if it must, never shrinks.
OpResult resizeRow(Runtime &R, const Args &A) {
  T X = inputOf(A), Like = A.tensor("the_template");
  if (!X)
    return OpResult::failed("resize_ of an undefined tensor", FailureKind::Other);
  if (X->needsGrad())
    return OpResult::failed("cannot resize variables that require grad", FailureKind::Other);
  Shape S;
  if (Like)
    S = Like->Sizes;
  for (const Arg::Int &I : A.ints("size"))
    S.Dims.push_back(toDim(I));
  Bytes Need = S.elements() < 0 ? Bytes{0} : Bytes{S.elements()} * itemSize(X->Type);
  if (!S.known() || Need.Count > X->Store->SizeBytes)
    X->Store = R.make(S, X->Type, X->Dev)->Store;
  X->Sizes = S;
  X->Strides.clear();
  ++X->Store->Version;
  return one(X);
}

OpResult flattenDenseRow(Runtime &R, const Args &A) {
  std::vector<T> Flat;
  for (const T &X : A.tensors("tensors"))
    Flat.push_back(X ? aten::reshape(R, X, shapeOf({Dim(X->elements())})) : X);
  return one(aten::cat(R, Flat, 0));
}

OpResult unflattenDenseRow(Runtime &R, const Args &A) {
  T Flat = A.tensor("flat");
  std::vector<T> Out;
  for (const T &X : A.tensors("tensors"))
    if (Flat && X)
      Out.push_back(aten::view(R, aten::narrow(R, Flat, 0, Dim(0), Dim(X->elements())), X->Sizes));
  return list(std::move(Out));
}

//===----------------------------------------------------------------------===//
// torch::nn::utils
//===----------------------------------------------------------------------===//

/// clip_grad_norm_: the norm of each gradient, stacked, and the norm of these.
OpResult clipGradNormRow(Runtime &R, const Args &A) {
  std::vector<T> Norms;
  BelowAutograd Guard(R);
  for (const T &P : A.tensors("parameters"))
    if (P && P->Grad)
      Norms.push_back(makeLike(R, P->Grad, Shape()));
  if (!Norms.empty())
    callOne(R, "stack", {{"tensors", Arg(Norms)}, {"dim", Arg(int64_t(0))}});
  return OpResult::one(Arg::UnknownArg{"the norm of gradients is in the data"});
}

OpResult parametersToVector(Runtime &R, const Args &A) {
  std::vector<T> Flat;
  for (const T &P : A.tensors("parameters"))
    if (P)
      Flat.push_back(aten::reshape(R, P, shapeOf({P->elements() < 0 ? Dim() : Dim(P->elements())})));
  return one(aten::cat(R, Flat, 0));
}

/// The parameters become views of the vector.
OpResult vectorToParameters(Runtime &R, const Args &A) {
  T Vector = A.tensor("vec");
  if (Vector)
    for (const T &P : A.tensors("parameters"))
      if (P && P->Type == Vector->Type)
        P->Store = Vector->Store;
  return OpResult();
}

OpResult invertPermutationRow(Runtime &R, const Args &A) {
  T X = A.tensor("permutation");
  T Out = X ? aten::emptyContiguous(R, X) : X;
  T Range = X ? R.make(X->Sizes, DType::Int64, X->Dev) : X;
  return one(Out);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void addFacts(OpTable &Rows) {
  struct Fact {
    llvm::StringRef Name;
    bool (*Holds)(const T &X);
  };
  static const Fact Facts[] = {
      {"is_floating_point", [](const T &X) { return isFloating(X->Type) && realType(X->Type) == X->Type; }},
      {"is_complex", [](const T &X) { return realType(X->Type) != X->Type; }},
      {"is_signed", [](const T &X) { return X->Type != DType::UInt8 && X->Type != DType::Bool; }},
      {"is_cpu", [](const T &X) { return !X->onCuda(); }},
      {"is_inference", [](const T &) { return false; }},
      {"is_conj", [](const T &) { return false; }},
      {"is_neg", [](const T &) { return false; }},
      {"is_view", [](const T &X) { return bool(X->Base); }},
      {"is_non_overlapping_and_dense", [](const T &X) { return X->isDense(); }},
  };
  for (const Fact &F : Facts)
    Rows.push_back({F.Name,
                    [Holds = F.Holds](Runtime &, const Args &A) {
                      T X = inputOf(A);
                      return X ? OpResult::one(Holds(X)) : OpResult::failed("an undefined tensor", FailureKind::Other);
                    },
                    "", true});
  Rows.push_back({"is_same_size",
                  [](Runtime &, const Args &A) {
                    T X = inputOf(A), Y = A.tensor("other");
                    if (!X || !Y || !X->Sizes.known() || !Y->Sizes.known())
                      return OpResult::one(Arg::UnknownArg{"sizes not known"});
                    return OpResult::one(X->Sizes == Y->Sizes);
                  },
                  "", true});
  Rows.push_back({"stride",
                  [](Runtime &R, const Args &A) {
                    T X = inputOf(A);
                    auto D = X ? wrapDim(R, A.integer("dim", 0), X->rank()) : std::nullopt;
                    if (!D || X->rank() == 0)
                      return one(nullptr);
                    if (!X->Sizes.known())
                      return OpResult::one(Arg::UnknownArg{"sizes not known"});
                    return OpResult::one(X->strides()[*D]);
                  },
                  "", true});
}

/// promote_types, result_type, can_cast: questions about dtypes.
void addTypeFacts(OpTable &Rows) {
  Rows.push_back({"promote_types",
                  [](Runtime &R, const Args &A) {
                    auto X = A.dtype("type1"), Y = A.dtype("type2");
                    if (!X || !Y)
                      return OpResult::notModelled("promote_types of unknown types");
                    BelowAutograd Guard(R);
                    T A1(new TensorImpl), B1(new TensorImpl);
                    A1->Sizes = B1->Sizes = shapeOf({Dim(1)});
                    A1->Type = *X;
                    B1->Type = *Y;
                    return OpResult::one(aten::resultType({A1, B1}));
                  },
                  "", true});
  Rows.push_back({"result_type",
                  [](Runtime &R, const Args &A) {
                    auto Part = [&](const char *Name, const char *Or) {
                      T X = A.tensor(Name) ? A.tensor(Name) : A.tensor(Or);
                      const Arg *N = A.find(Name) ? A.find(Name) : A.find(Or);
                      return X || !N ? X : aten::wrapped(R, scalarArg(A, A.find(Name) ? Name : Or, 1));
                    };
                    T X = Part("tensor", "scalar1"), Y = Part("other", "scalar2");
                    return X && Y ? OpResult::one(aten::resultType({X, Y}))
                                  : OpResult::notModelled("result_type of nothing");
                  },
                  "", true});
}

/// Copies, and a question about dtypes.
void addCopies(OpTable &Rows) {
  Rows.push_back({"can_cast", [](Runtime &, const Args &A) {
                    auto From = A.dtype("from"), To = A.dtype("to");
                    if (!From || !To)
                      return OpResult::notModelled("can_cast of unknown types");
                    auto Rank = [](DType D) {
                      return D == DType::Bool ? 0 : realType(D) != D ? 3 : isFloating(D) ? 2 : 1;
                    };
                    return OpResult::one(Rank(*From) <= Rank(*To));
                  }});
  Rows.push_back({"alias_copy", [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    return one(X ? aten::clone(R, X) : X);
                  }});
  Rows.push_back({"narrow_copy", [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    return one(tailOne(R, {"!NotImplemented", ""}, {X}, [&] {
                      T Out = aten::emptyContiguous(R, X), V = aten::narrow(R, X, A.integer("dim", 0), Dim(0), toDim(A.integer("length")));
                      if (V)
                        Out->Sizes = V->Sizes;
                      return Out;
                    }));
                  }, "start", false, true});
}

void addFunctionals(OpTable &Rows) {
  Rows.push_back({"softsign", softsignRow});
  Rows.push_back({"tanhshrink", tanhshrinkRow});
  Rows.push_back({"gumbel_softmax", gumbelSoftmaxRow, "tau,eps", false, true});
  for (bool InPlace : {false, true})
    Rows.push_back({InPlace ? "rrelu_" : "rrelu",
                    [InPlace](Runtime &R, const Args &A) { return rreluRow(R, A, InPlace); },
                    "lower,upper,training,generator", true, true});
  for (llvm::StringRef Name : {"fliplr", "flipud"})
    Rows.push_back({Name, [](Runtime &R, const Args &A) { return R.call("flip", A); }});
  Rows.push_back({"rot90", rot90Row, "", false, true});
  Rows.push_back({"tile", tileRow});
  Rows.push_back({"pin_memory", [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    return one(X ? aten::emptyLike(R, X) : X);
                  }, "*", true});
  Rows.push_back({"fill",
                  [](Runtime &R, const Args &A) {
                    T X = inputOf(A);
                    return one(tailOne(R, {"FillBackward0", "", "e"}, {X},
                                       [&] { return aten::emptyLike(R, X); }));
                  },
                  "value", true});
  Rows.push_back({"fill_diagonal_",
                  [](Runtime &R, const Args &A) {
                    return one(tailInPlace(R, {"CopySlices", ""}, {inputOf(A)}, [] {}));
                  },
                  "*", true, true});
  for (llvm::StringRef Name : {"resize_", "resize_as_"})
    Rows.push_back({Name, resizeRow, "memory_format"});
  Rows.push_back({"channel_shuffle",
                  [](Runtime &R, const Args &A) {
                    T X = inputOf(A);
                    return one(tailOne(R, {"!NotImplemented", ""}, {X},
                                       [&] { return aten::emptyContiguous(R, X); }));
                  },
                  "groups", false, true});
  Rows.push_back({"flatten_dense_tensors", flattenDenseRow});
  Rows.push_back({"unflatten_dense_tensors", unflattenDenseRow, "", false, true});
  Rows.push_back({"log_sigmoid_forward",
                  [](Runtime &R, const Args &A) {
                    T X = inputOf(A);
                    auto Out = tail(R, {"LogSigmoidBackward0", "0b"}, {X}, [&] {
                      return std::vector<T>{aten::emptyLike(R, X), aten::emptyLike(R, X)};
                    });
                    return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
                  },
                  "", false, true});
}

} // namespace

void addLayerOps(OpTable &Rows) {
  for (llvm::StringRef Name : {"im2col", "functional_unfold"})
    Rows.push_back({Name, unfoldRow, ""});
  for (llvm::StringRef Name : {"col2im", "fold"})
    Rows.push_back({Name, foldRow, ""});
  const llvm::StringRef Samples = "random_samples,output_ratio,output_size";
  for (unsigned N : {2u, 3u})
    for (bool Indices : {false, true}) {
      std::string Name = "fractional_max_pool" + std::to_string(N) + "d" +
                         (Indices ? "_with_indices" : "");
      Rows.push_back({intern(Name),
                      [N, Indices](Runtime &R, const Args &A) {
                        // at:: gives both, F:: the pair under another name.
                        return fractionalRow(R, A, N, Indices || !A.find("options"));
                      },
                      Samples, false, true});
    }
  for (unsigned N : {1u, 2u, 3u})
    Rows.push_back({intern("max_unpool" + std::to_string(N) + "d"),
                    [N](Runtime &R, const Args &A) { return unpoolRow(R, A, N); },
                    "", false, true});
  for (unsigned N : {2u, 3u})
    Rows.push_back({intern("adaptive_max_pool" + std::to_string(N) + "d_with_indices"),
                    [N](Runtime &R, const Args &A) {
                      Args Call;
                      Call.add("self", Arg(inputOf(A)));
                      if (const Arg *Size = A.find("output_size"))
                        Call.add("output_size", *Size);
                      return R.call("adaptive_max_pool" + std::to_string(N) + "d", Call);
                    }});
  for (unsigned N : {1u, 2u})
    Rows.push_back({intern("lp_pool" + std::to_string(N) + "d"),
                    [N](Runtime &R, const Args &A) { return lpPoolRow(R, A, N); },
                    "norm_type", false, true});
  for (llvm::StringRef Name : {"grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"})
    Rows.push_back({Name, gridSampleRow, "mode,padding_mode,align_corners", false, true});
  for (llvm::StringRef Name : {"affine_grid", "affine_grid_generator"})
    Rows.push_back({Name, affineGridRow, "align_corners", false, true});
  static const std::tuple<llvm::StringRef, unsigned, bool> Convolutions[] = {
      {"convolution", 0, false},         {"thnn_conv2d", 2, false},
      {"slow_conv3d", 3, false},         {"slow_conv_dilated2d", 2, false},
      {"slow_conv_dilated3d", 3, false}, {"slow_conv_transpose2d", 2, true},
      {"slow_conv_transpose3d", 3, true}, {"conv_depthwise3d", 3, false}};
  for (auto &[Name, N, Transposed] : Convolutions)
    Rows.push_back({Name,
                    [Rank = N, Back = Transposed](Runtime &R, const Args &A) {
                      return convolutionRow(R, A, Rank, Back);
                    },
                    "", false, /*ScratchUnknown=*/Name != "convolution"});
  Rows.push_back({"conv_tbc", convTbcRow, "", false, true});
  for (llvm::StringRef Name : {"native_batch_norm", "native_layer_norm", "native_group_norm"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) { return nativeNormRow(R, A, Name); },
                    "eps,momentum,N,C,HxW", false, true});
  Rows.push_back({"cross_map_lrn2d",
                  [](Runtime &R, const Args &A) { // A function of its own, with what it needs.
                    T X = inputOf(A);
                    return one(tailOne(R, {"CrossMapLRN2d", "0ab"}, {X},
                                       [&] { return aten::emptyContiguous(R, X); }));
                  },
                  "size,alpha,beta,k", false, true});
  Rows.push_back({"local_response_norm", localResponseNormRow, "alpha,beta,k"});
  Rows.push_back({"pad_sequence", padSequenceRow, "padding_value", false, true});
  Rows.push_back({"_pack_padded_sequence", packRow, "lengths", false, true});
  Rows.push_back({"_pad_packed_sequence", unpackRow, "padding_value,total_length", false, true});
  for (bool Weights : {false, true})
    Rows.push_back({Weights ? "_scaled_dot_product_attention" : "scaled_dot_product_attention",
                    [Weights](Runtime &R, const Args &A) { return attentionRow(R, A, Weights); },
                    "scale,is_causal,need_attn_weights,enable_gqa"});
  Rows.push_back({"clip_grad_norm_", clipGradNormRow, "*", true, true});
  Rows.push_back({"clip_grad_value_", [](Runtime &, const Args &) { return OpResult(); }, "*", true});
  Rows.push_back({"parameters_to_vector", parametersToVector});
  Rows.push_back({"vector_to_parameters", vectorToParameters});
  Rows.push_back({"invert_permutation", invertPermutationRow});
  addCopies(Rows);
  addFunctionals(Rows);
  addFacts(Rows);
  addTypeFacts(Rows);
}

} // namespace vramlint
