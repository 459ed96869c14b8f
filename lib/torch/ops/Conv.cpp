//===- lib/torch/ops/Conv.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Convolutions. On the CPU without oneDNN LibTorch unfolds the input into columns
// (ConvolutionMM2d.cpp, ConvolutionMM3d.cpp, NaiveDilatedConvolution.cpp,
// NaiveConvolutionTranspose2d.cpp); groups run one after the other on copies. On
// CUDA cuDNN does it in place of all that, on the CPU oneDNN where it is on: their
// scratch depends on machine and version and is not in these rows.

#include "lib/torch/Layout.h"

namespace vramlint {

namespace {

using T = TensorRef;
using Dims = llvm::SmallVector<Dim, 3>;

struct ConvParams {
  unsigned N = 2; ///< Spatial dimensions.
  bool Transposed = false;
  Dims Stride, Padding, Dilation, OutputPadding;
  int64_t Groups = 1;
  bool any(const Dims &D, int64_t Other) const {
    return llvm::any_of(D, [&](Dim X) { return X != Dim(Other); });
  }
};

/// Output lengths; fails if the kernel does not fit.
Dims spatial(Runtime &R, const ConvParams &P, const T &X, const T &W) {
  Dims Out;
  for (unsigned I = 0; I < P.N; ++I) {
    Dim L = X->size(2 + I), K = W->size(2 + I);
    if (P.Transposed) {
      Dim Full = (L - Dim(1)) * P.Stride[I] + P.Dilation[I] * (K - Dim(1)) +
                 P.OutputPadding[I] + Dim(1);
      Out.push_back(Full - P.Padding[I] * Dim(2));
      continue;
    }
    Dim Padded = L + P.Padding[I] * Dim(2);
    Dim Extent = P.Dilation[I] * (K - Dim(1)) + Dim(1);
    if (Padded.known() && Extent.known() && Padded.Length < Extent.Length)
      R.fail("calculated padded input size " + std::to_string(Padded.Length) +
             " is smaller than the kernel size " +
             std::to_string(Extent.Length));
    Out.push_back((Padded - Extent) / P.Stride[I] + Dim(1));
  }
  return Out;
}

Dim product(llvm::ArrayRef<Dim> Ds) {
  Dim N(1);
  for (Dim D : Ds)
    N = N * D;
  return N;
}

Dim kernelArea(const T &W) {
  return product(llvm::ArrayRef<Dim>(W->Sizes.Dims).drop_front(2));
}

/// How LibTorch unfolds: not at all, all samples at once, or one by one.
enum class Unfold { No, Batch, Sample };

Unfold unfolding(const ConvParams &P, const T &W) {
  if (P.any(P.Dilation, 1))
    return Unfold::Sample;
  bool Pointwise = kernelArea(W) == Dim(1) && !P.any(P.Stride, 1) &&
                   !P.any(P.Padding, 0);
  return Pointwise ? Unfold::No : Unfold::Batch;
}

T buffer(Runtime &R, std::initializer_list<Dim> Ds, const T &Like) {
  Shape S;
  S.Dims.assign(Ds.begin(), Ds.end());
  S.Why = Like->Sizes.Why;
  return R.make(S, Like->Type, Like->Dev);
}

T columns(Runtime &R, const ConvParams &P, const T &X, const T &W,
          const Dims &Out, bool Always = false) {
  Unfold How = unfolding(P, W);
  if (How == Unfold::No && !Always)
    return nullptr;
  How = How == Unfold::No ? Unfold::Batch : How;
  Dim N = How == Unfold::Batch ? X->size(0) : Dim(1);
  return buffer(R, {N, X->size(1) * kernelArea(W), product(Out)}, X);
}

T forwardResult(Runtime &R, const T &X, Dim Channels, const Dims &Out) {
  Shape S;
  S.Dims = {X->size(0), Channels};
  S.Dims.append(Out.begin(), Out.end());
  S.Why = X->Sizes.Why;
  return R.make(S, X->Type, X->Dev);
}

/// slow_conv_transpose3d begins with a tensor like the input and resizes it: its
/// memory stays where it is large enough.
T resized(Runtime &R, const T &X, Dim Channels, const Dims &Out) {
  T First = aten::emptyContiguous(R, X);
  Shape S;
  S.Dims = {X->size(0), Channels};
  S.Dims.append(Out.begin(), Out.end());
  S.Why = X->Sizes.Why;
  if (S.elements() < 0 || S.elements() > X->elements())
    return R.make(S, X->Type, X->Dev);
  First->Sizes = S;
  return First;
}

/// One group on the CPU.
T forwardGroup(Runtime &R, const ConvParams &P, const T &X, const T &Weight,
               const T &Bias, const Dims &Out) {
  T W = aten::contiguous(R, Weight);
  if (P.Transposed) {
    T Result = P.N == 3 ? resized(R, X, W->size(1), Out)
                        : forwardResult(R, X, W->size(1), Out);
    T Own = aten::contiguous(R, Bias);
    // Columns of one sample in 1.13, of the whole batch in 2.6 (both measured).
    bool WholeBatch = P.N != 3 && R.Config.atLeast(2, 0);
    T Columns = buffer(R,
                       {WholeBatch ? X->size(0) : Dim(1), W->size(1) * kernelArea(W),
                        product(llvm::ArrayRef<Dim>(X->Sizes.Dims).drop_front(2))},
                       X);
    T Ones = Bias && !WholeBatch ? buffer(R, {product(Out)}, X) : nullptr;
    return Result;
  }
  if (unfolding(P, W) == Unfold::Sample) {
    T Own = aten::contiguous(R, Bias);
    T Result = forwardResult(R, X, W->size(0), Out);
    T Columns = columns(R, P, X, W, Out);
    return Result;
  }
  // Only a single group of points is seen where it lies.
  T Columns = columns(R, P, X, W, Out, P.N == 3 && P.Groups > 1);
  return forwardResult(R, X, W->size(0), Out);
}

/// slow_conv3d runs all groups at once.
bool knowsGroups(const ConvParams &P) {
  return P.N == 3 && !P.Transposed && !P.any(P.Dilation, 1);
}

/// One group of \p X; a copy, in the layout that all of it has.
T part(Runtime &R, const T &X, unsigned DimIndex, int64_t Groups) {
  T Slice = aten::narrow(R, X, DimIndex, Dim(0), X->size(DimIndex) / Dim(Groups));
  if (!isChannelsLast(X))
    return aten::contiguous(R, Slice);
  return R.make(Slice->Sizes, channelsLastStrides(Slice->Sizes), X->Type, X->Dev);
}

/// The unfolding convolution knows channels-last, and copies the weight to it.
bool keepsChannelsLast(const ConvParams &P, const T &X, const T &W) {
  return isChannelsLast(X) && !P.Transposed && unfolding(P, W) != Unfold::Sample;
}

T forwardChannelsLast(Runtime &R, const ConvParams &P, const T &X, const T &W,
                      const Dims &Out) {
  T Weight = contiguousAs(R, W, true);
  T Columns = columns(R, P, X, W, Out);
  Shape S;
  S.Dims = {X->size(0), W->size(0), Out[0], Out[1]};
  T Result = makeAs(R, S, X, true);
  Columns = nullptr;
  return Result;
}

T forwardCpu(Runtime &R, const ConvParams &P, const T &Input, const T &W,
             const T &Bias, const Dims &Out) {
  bool Last = keepsChannelsLast(P, Input, W);
  if (Last && P.Groups == 1)
    return forwardChannelsLast(R, P, Input, W, Out);
  T X = Last ? Input : aten::contiguous(R, Input);
  if (P.Groups == 1 || knowsGroups(P))
    return forwardGroup(R, P, X, W, Bias, Out);
  T Weight = Last ? contiguousAs(R, W, true) : W;
  std::vector<T> Parts;
  T WPart = aten::narrow(R, Weight, 0, Dim(0), W->size(0) / Dim(P.Groups));
  T BiasPart = Bias ? aten::narrow(R, Bias, 0, Dim(0), Bias->size(0) / Dim(P.Groups)) : Bias;
  const int64_t GroupsMax = 1 << 16;
  for (int64_t I = 0; I < std::min(P.Groups, GroupsMax); ++I)
    Parts.push_back(
        Last ? forwardChannelsLast(R, P, part(R, X, 1, P.Groups), WPart, Out)
             : forwardGroup(R, P, part(R, X, 1, P.Groups), WPart, BiasPart, Out));
  if (!Last)
    return aten::cat(R, Parts, 1);
  Shape S;
  S.Dims = {X->size(0), W->size(0), Out[0], Out[1]};
  return makeAs(R, S, X, true);
}

struct Wanted { bool Input, Weight, Bias; };
struct ConvGrads { T Input, Weight, Bias; };

ConvGrads backwardDilated(Runtime &R, const ConvParams &P, const T &Grad,
                          const T &X, const T &W, Wanted Want,
                          const Dims &Out) {
  ConvGrads G;
  T Own = aten::contiguous(R, Grad);
  if (Want.Input)
    G.Input = aten::emptyContiguous(R, X);
  if (Want.Weight)
    G.Weight = aten::emptyContiguous(R, W);
  if (Want.Bias)
    G.Bias = buffer(R, {W->size(0)}, W);
  T Columns = Want.Input || Want.Weight ? columns(R, P, X, W, Out) : nullptr;
  const int64_t SamplesMax = 4096; // Each sums its part of the bias' gradient.
  for (int64_t I = 0; Want.Bias && I < std::min(X->size(0).Length, SamplesMax); ++I)
    buffer(R, {W->size(0)}, W);
  return G;
}

ConvGrads backwardTransposed(Runtime &R, const ConvParams &P, const T &Grad,
                             const T &X, const T &W, Wanted Want) {
  ConvGrads G;
  bool Pointwise = unfolding(P, W) == Unfold::No;
  auto Columns = [&] {
    return buffer(R,
                  {W->size(1) * kernelArea(W),
                   product(llvm::ArrayRef<Dim>(X->Sizes.Dims).drop_front(2))},
                  X);
  };
  if (Want.Input) {
    T Own = aten::contiguous(R, Grad);
    G.Input = aten::emptyContiguous(R, X);
    T Scratch = Pointwise ? nullptr : Columns();
    Scratch = nullptr;
  }
  if (Want.Weight)
    G.Weight = aten::emptyContiguous(R, W);
  if (Want.Bias)
    G.Bias = buffer(R, {W->size(1)}, W);
  if (Want.Weight || Want.Bias) {
    T Own = aten::contiguous(R, Grad);
    T Scratch = Pointwise ? nullptr : Columns();
    Scratch = nullptr;
  }
  return G;
}

ConvGrads backwardUnfolded(Runtime &R, const ConvParams &P, const T &Grad,
                           const T &X, const T &W, Wanted Want,
                           const Dims &Out) {
  ConvGrads G;
  if (Want.Input) {
    T Own = aten::contiguous(R, Grad);
    G.Input = aten::emptyContiguous(R, X);
    T Folded = P.N == 3 ? columns(R, P, X, W, Out, true) : nullptr;
    Folded = nullptr;
  }
  if (Want.Bias)
    G.Bias = buffer(R, {W->size(0)}, W);
  if (Want.Weight) {
    G.Weight = aten::emptyContiguous(R, W);
    T Own = aten::contiguous(R, Grad);
    T Columns = columns(R, P, X, W, Out, P.N == 3 && P.Groups > 1);
    Columns = nullptr;
  }
  return G;
}

ConvGrads backwardGroup(Runtime &R, const ConvParams &P, const T &Grad,
                        const T &X, const T &Weight, Wanted Want,
                        const Dims &Out) {
  T W = aten::contiguous(R, Weight);
  if (P.Transposed)
    return backwardTransposed(R, P, Grad, X, W, Want);
  if (unfolding(P, W) == Unfold::Sample)
    return backwardDilated(R, P, Grad, X, W, Want, Out);
  return backwardUnfolded(R, P, Grad, X, W, Want, Out);
}

ConvGrads backwardChannelsLast(Runtime &R, const ConvParams &P, const T &Grad,
                               const T &X, const T &W, Wanted Want,
                               const Dims &Out) {
  ConvGrads G;
  T Weight = contiguousAs(R, W, true);
  if (Want.Input) {
    T Own = contiguousAs(R, Grad, true);
    G.Input = makeAs(R, X->Sizes, X, true);
  }
  if (Want.Bias)
    G.Bias = buffer(R, {W->size(0)}, W);
  if (Want.Weight) {
    G.Weight = makeAs(R, W->Sizes, W, true);
    T Own = contiguousAs(R, Grad, true);
    T Columns = columns(R, P, X, W, Out);
    Columns = nullptr;
  }
  return G;
}

ConvGrads backwardCpu(Runtime &R, const ConvParams &P, const T &Grad,
                      const T &Input, const T &W, Wanted Want,
                      const Dims &Out) {
  bool Last = keepsChannelsLast(P, Input, W);
  if (Last && P.Groups == 1)
    return backwardChannelsLast(R, P, Grad, Input, W, Want, Out);
  T X = Last ? Input : aten::contiguous(R, Input);
  if (P.Groups == 1 || knowsGroups(P))
    return backwardGroup(R, P, Grad, X, W, Want, Out);
  T Weight = Last ? contiguousAs(R, W, true) : W;
  std::vector<T> Inputs, Weights, Biases;
  T WPart = aten::narrow(R, Weight, 0, Dim(0), W->size(0) / Dim(P.Groups));
  const int64_t GroupsMax = 1 << 16;
  for (int64_t I = 0; I < std::min(P.Groups, GroupsMax); ++I) {
    T GradPart = part(R, Grad, 1, P.Groups), XPart = part(R, X, 1, P.Groups);
    ConvGrads G = Last ? backwardChannelsLast(R, P, GradPart, XPart, WPart, Want, Out)
                       : backwardGroup(R, P, GradPart, XPart, WPart, Want, Out);
    Inputs.push_back(G.Input);
    Weights.push_back(G.Weight);
    Biases.push_back(G.Bias);
    XPart = nullptr;
  }
  ConvGrads G;
  if (Want.Input)
    G.Input = Last ? makeAs(R, X->Sizes, X, true) : aten::cat(R, Inputs, 1);
  if (Want.Weight)
    G.Weight = aten::cat(R, Weights, 0);
  if (Want.Bias)
    G.Bias = aten::cat(R, Biases, 0);
  Biases.clear();
  Weights.clear();
  return G;
}

ConvGrads backwardLibrary(Runtime &R, const T &Grad, const T &X, const T &W,
                       Dim BiasChannels, Wanted Want) {
  ConvGrads G;
  T Own = aten::contiguous(R, Grad);
  if (Want.Input)
    G.Input = aten::emptyContiguous(R, X);
  if (Want.Weight)
    G.Weight = aten::emptyContiguous(R, W);
  if (Want.Bias)
    G.Bias = buffer(R, {BiasChannels}, W);
  return G;
}

bool check(Runtime &R, const ConvParams &P, const T &X, const T &W,
           const T &Bias) {
  if (X->rank() != P.N + 2 || W->rank() != P.N + 2) {
    R.fail("expected " + std::to_string(P.N + 1) + "-dimensional (unbatched) or " +
           std::to_string(P.N + 2) + "-dimensional (batched) input, got " +
           X->Sizes.str() + " with weight " + W->Sizes.str());
    return false;
  }
  Dim Want = P.Transposed ? W->size(0) : W->size(1) * Dim(P.Groups);
  if (Want.known() && X->size(1).known() && Want != X->size(1)) {
    R.fail("expected input with " + std::to_string(Want.Length) +
           " channels, got " + std::to_string(X->size(1).Length) + ": input " +
           X->Sizes.str() + ", weight " + W->Sizes.str());
    return false;
  }
  if (onDifferentDevices(X, W)) {
    R.fail("expected input and weight on the same device, but found cuda and "
           "cpu", FailureKind::Other);
    return false;
  }
  if (X->Type != W->Type && X->Type != DType::Unknown &&
      W->Type != DType::Unknown) {
    R.fail("expected input and weight of the same type, got " +
           dtypeName(X->Type).str() + " and " + dtypeName(W->Type).str(),
           FailureKind::Other);
    return false;
  }
  return true;
}

/// use_mkldnn: float32 and more than one sample or enough elements.
bool usesOneDnn(const Runtime &R, const T &X) {
  const int64_t FewElements = 20480;
  return R.Config.OneDNN && !X->onCuda() && X->Type == DType::Float32 &&
         (X->size(0) != Dim(1) || X->elements() > FewElements);
}

/// view4d and view3d: \p X with a length of 1 more or less at dimension 2, the same
/// memory; no view for autograd.
T withImages(Runtime &R, const T &X, bool More) {
  if (!X)
    return nullptr;
  T Out = R.alias(X);
  auto Strides = X->Sizes.known() ? X->strides() : X->Strides;
  if (More) {
    Out->Sizes.Dims.insert(Out->Sizes.Dims.begin() + 2, Dim(1));
    if (!Strides.empty())
      Strides.insert(Strides.begin() + 2, saturatingMul({Strides[2], X->size(2).Length}));
  } else {
    Out->Sizes.Dims.erase(Out->Sizes.Dims.begin() + 2);
    if (!Strides.empty())
      Strides.erase(Strides.begin() + 2);
  }
  Out->Strides = Strides;
  return Out;
}

ConvParams asImages(ConvParams P) {
  P.N = 2;
  P.Stride.insert(P.Stride.begin(), Dim(1));
  P.Padding.insert(P.Padding.begin(), Dim(0));
  P.Dilation.insert(P.Dilation.begin(), Dim(1));
  P.OutputPadding.insert(P.OutputPadding.begin(), Dim(0));
  return P;
}

/// One dimension is computed as two.
T forwardLine(Runtime &R, const ConvParams &P, const T &X, const T &W,
              const T &Bias, Dims Out) {
  T Own = aten::contiguous(R, X);
  Out.insert(Out.begin(), Dim(1));
  return withImages(R, forwardCpu(R, asImages(P), withImages(R, Own, true),
                                  withImages(R, W, true), Bias, Out), false);
}

ConvGrads backwardLine(Runtime &R, const ConvParams &P, const T &Grad, const T &X,
                       const T &W, Wanted Want, Dims Out) {
  T Own = aten::contiguous(R, X);
  Out.insert(Out.begin(), Dim(1));
  ConvGrads G = backwardCpu(R, asImages(P), withImages(R, Grad, true),
                            withImages(R, Own, true), withImages(R, W, true), Want, Out);
  G.Input = withImages(R, G.Input, false);
  G.Weight = withImages(R, G.Weight, false);
  return G;
}

T convolution(Runtime &R, const ConvParams &P, const T &X, const T &W,
              const T &Bias) {
  if (!X || !W || R.failed() || !check(R, P, X, W, Bias))
    return nullptr;
  Record Rec(R, "ConvolutionBackward0", {X, W, Bias});
  Rec.save(X).save(W);
  Dims Out = spatial(R, P, X, W);
  Dim Channels =
      P.Transposed ? W->size(1) * Dim(P.Groups) : W->size(0);
  if (R.failed())
    return nullptr;
  Dim PerPixel = P.Transposed ? X->size(1) : W->size(1);
  Dim Places = P.Transposed
                   ? product(llvm::ArrayRef<Dim>(X->Sizes.Dims).drop_front(2))
                   : product(Out);
  int64_t Work = saturatingMul({2, X->size(0).Length, Places.Length,
                                PerPixel.Length, kernelArea(W).Length,
                                P.Transposed ? W->size(1).Length
                                             : Channels.Length});
  R.flops(Work);
  bool Library = X->onCuda() || usesOneDnn(R, X);
  T Result = Library    ? forwardResult(R, X, Channels, Out)
             : P.N == 1 ? forwardLine(R, P, X, W, Bias, Out)
                        : forwardCpu(R, P, X, W, Bias, Out);
  return Rec.result(Result, [P, Out, Work, Channels](Runtime &R, Node &N,
                                                      Grads &G) {
    Wanted Want = {N.needs(0), N.needs(1), N.needs(2)};
    R.flops(saturatingMul({int64_t(Want.Input) + Want.Weight, Work}));
    ConvGrads C =
        G[0]->onCuda() || usesOneDnn(R, N.saved(0))
            ? backwardLibrary(R, G[0], N.saved(0), N.saved(1), Channels, Want)
        : P.N == 1
            ? backwardLine(R, P, G[0], N.saved(0), N.saved(1), Want, Out)
            : backwardCpu(R, P, G[0], N.saved(0), N.saved(1), Want, Out);
    return Grads{C.Input, C.Weight, C.Bias};
  });
}

Dims dimList(const Args &A, llvm::StringRef Name, unsigned N, int64_t Default) {
  Dims Out;
  for (const Arg::Int &I : A.ints(Name, N, Default))
    Out.push_back(toDim(I));
  Out.resize(N);
  return Out;
}

/// Fills padding='same' and 'valid'.
void textPadding(ConvParams &P, const Args &A, const T &W) {
  std::string Mode = A.text("padding", "");
  if (Mode.empty())
    return;
  for (unsigned I = 0; I < P.N; ++I)
    P.Padding[I] = Mode == "same"
                       ? P.Dilation[I] * (W->size(2 + I) - Dim(1)) / Dim(2)
                       : Dim(0);
}

OpResult convRow(Runtime &R, const Args &A, unsigned N, bool Transposed) {
  T X = A.tensor("input"), W = A.tensor("weight"), Bias = A.tensor("bias");
  if (!X || !W)
    return OpResult::failed("convolution of an undefined tensor", FailureKind::Other);
  ConvParams P;
  P.N = N;
  P.Transposed = Transposed;
  P.Stride = dimList(A, "stride", N, 1);
  P.Padding = dimList(A, "padding", N, 0);
  P.Dilation = dimList(A, "dilation", N, 1);
  P.OutputPadding = dimList(A, "output_padding", N, 0);
  P.Groups = std::max<int64_t>(A.integer("groups", 1), 1);
  if (W->rank() == N + 2)
    textPadding(P, A, W);
  bool Unbatched = X->rank() == N + 1;
  if (Unbatched)
    X = aten::unsqueeze(R, X, 0);
  T Out = convolution(R, P, X, W, Bias);
  return one(Unbatched && Out ? aten::squeeze(R, Out, 0) : Out);
}

} // namespace

void addConvOps(OpTable &Rows) {
  static const llvm::StringRef Names[] = {"conv1d", "conv2d", "conv3d"};
  static const llvm::StringRef Transposed[] = {
      "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  for (unsigned N = 1; N <= 3; ++N) {
    Rows.push_back({Names[N - 1], [N](Runtime &R, const Args &A) {
                      return convRow(R, A, N, false);
                    }});
    Rows.push_back({Transposed[N - 1], [N](Runtime &R, const Args &A) {
                      return convRow(R, A, N, true);
                    }});
  }
}

} // namespace vramlint
