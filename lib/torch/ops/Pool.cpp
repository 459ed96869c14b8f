//===- lib/torch/ops/Pool.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Pooling. Max pooling keeps int64 indices; a global average is a mean.

#include "lib/torch/Layout.h"

namespace vramlint {

namespace {

using T = TensorRef;

struct Pooling {
  llvm::SmallVector<Dim, 3> Kernel, Stride, Padding, Dilation;
  bool Ceil = false;
};

llvm::SmallVector<Dim, 3> dimList(const Args &A, llvm::StringRef Name,
                                  unsigned N, int64_t Default) {
  llvm::SmallVector<Dim, 3> Out;
  for (const Arg::Int &I : A.ints(Name, N, Default))
    Out.push_back(toDim(I));
  Out.resize(N);
  return Out;
}

Pooling poolingArgs(const Args &A, unsigned N) {
  Pooling P;
  P.Kernel = dimList(A, "kernel_size", N, 1);
  // An empty stride means the kernel's size.
  P.Stride = A.ints("stride").empty() ? P.Kernel : dimList(A, "stride", N, 1);
  P.Padding = dimList(A, "padding", N, 0);
  P.Dilation = dimList(A, "dilation", N, 1);
  P.Ceil = A.boolean("ceil_mode", false);
  return P;
}

/// pooling_output_shape.
Dim pooledLength(Runtime &R, Dim L, const Pooling &P, unsigned I) {
  Dim Padded = L + P.Padding[I] * Dim(2);
  Dim Extent = P.Dilation[I] * (P.Kernel[I] - Dim(1)) + Dim(1);
  if (!Padded.known() || !Extent.known() || !P.Stride[I].known() ||
      P.Stride[I].Length == 0)
    return Dim();
  int64_t Room = Padded.Length - Extent.Length;
  int64_t S = P.Stride[I].Length;
  int64_t Extra = P.Ceil ? S - 1 : 0;
  int64_t Out = Room + Extra < 0 ? 0 : (Room + Extra) / S + 1;
  if (P.Ceil && (Out - 1) * S >= L.Length + P.Padding[I].Length)
    --Out;
  if (Out < 1)
    R.fail("pooling a length of " + std::to_string(L.Length) + " by a kernel of " +
           std::to_string(P.Kernel[I].Length) + " leaves nothing");
  return Dim(Out);
}

/// The pooled shape, or nothing after a failure.
std::optional<Shape> pooled(Runtime &R, const T &X, const Pooling &P,
                            unsigned N) {
  if (X->rank() != N + 2 && X->rank() != N + 1) {
    R.fail("pooling expects " + std::to_string(N + 1) + " or " +
           std::to_string(N + 2) + " dimensions, got " + X->Sizes.str());
    return std::nullopt;
  }
  Shape S = X->Sizes;
  unsigned First = X->rank() - N;
  for (unsigned I = 0; I < N; ++I)
    S.Dims[First + I] = pooledLength(R, X->size(First + I), P, I);
  if (R.failed())
    return std::nullopt;
  return S;
}

/// Gradient of the input first, then the copy of a gradient with holes.
Grads inputGradient(Runtime &R, const T &Like, const T &G) {
  bool Last = isChannelsLast(Like);
  T Out = makeAs(R, Like->Sizes, Like, Last);
  T Own = contiguousAs(R, G, Last);
  return Grads{Out};
}

std::pair<T, T> maxPool(Runtime &R, const T &X, const Shape &S,
                        llvm::StringRef NodeName) {
  Record Rec(R, NodeName, {X});
  Rec.save(X);
  R.flops(S.elements());
  bool Last = isChannelsLast(X);
  T Own = contiguousAs(R, X, Last);
  T Out = makeAs(R, S, X, Last);
  T Indices = R.make(S, DType::Int64, X->Dev);
  Rec.saveResult(Indices);
  Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    return inputGradient(R, N.saved(0), G[0]);
  });
  return {Out, Indices};
}

OpResult maxPoolRow(Runtime &R, const Args &A, unsigned N, bool WithIndices) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("pooling of an undefined tensor", FailureKind::Other);
  Pooling P = poolingArgs(A, N);
  auto S = pooled(R, X, P, N);
  if (!S)
    return one(nullptr);
  static const llvm::StringRef Nodes[] = {"MaxPool2DWithIndicesBackward0",
                                          "MaxPool2DWithIndicesBackward0",
                                          "MaxPool3DWithIndicesBackward0"};
  bool Records = R.recording() && X->needsGrad();
  if (N == 1 && !WithIndices && !Records && !X->onCuda()) {
    // Without a gradient to come, one dimension is pooled without indices.
    BelowAutograd Guard(R);
    return one(R.make(*S, X->Type, X->Dev));
  }
  auto [Out, Indices] = maxPool(R, X, *S, Nodes[N - 1]);
  return WithIndices ? tuple({Out, Indices}) : one(Out);
}

T averaged(Runtime &R, const T &X, const Shape &S, llvm::StringRef NodeName) {
  Record Rec(R, NodeName, {X});
  Rec.save(X);
  R.flops(X->elements());
  bool Last = isChannelsLast(X);
  T Own = contiguousAs(R, X, Last);
  return Rec.result(makeAs(R, S, X, Last),
                    [](Runtime &R, Node &N, Grads &G) {
                      return inputGradient(R, N.saved(0), G[0]);
                    });
}

OpResult avgPoolRow(Runtime &R, const Args &A, unsigned N) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("pooling of an undefined tensor", FailureKind::Other);
  auto S = pooled(R, X, poolingArgs(A, N), N);
  return one(S ? averaged(R, X, *S,
                          N == 3 ? "AvgPool3DBackward0" : "AvgPool2DBackward0")
               : nullptr);
}

std::optional<Shape> adaptiveShape(Runtime &R, const Args &A, const T &X,
                                   unsigned N) {
  if (X->rank() != N + 2 && X->rank() != N + 1) {
    R.fail("adaptive pooling expects " + std::to_string(N + 1) + " or " +
           std::to_string(N + 2) + " dimensions, got " + X->Sizes.str());
    return std::nullopt;
  }
  // Modules and functional options repeat a single length; at:: does not.
  bool Plain = A.has("self") && !A.has("options");
  if (size_t Given = A.ints("output_size").size(); Plain && Given && Given != N) {
    R.fail("adaptive pooling expects an output_size of " + std::to_string(N) +
           " numbers, got " + std::to_string(Given));
    return std::nullopt;
  }
  Shape S = X->Sizes;
  Arg::Ints Sizes = A.ints("output_size", N, 1);
  const int64_t Keep = -1; // nullopt in C++: the input's length.
  for (unsigned I = 0; I < N && I < Sizes.size(); ++I)
    if (!(Sizes[I] && *Sizes[I] == Keep))
      S.Dims[X->rank() - N + I] = toDim(Sizes[I]);
  return S;
}

OpResult adaptiveAvgRow(Runtime &R, const Args &A, unsigned N) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("pooling of an undefined tensor", FailureKind::Other);
  auto S = adaptiveShape(R, A, X, N);
  if (!S)
    return one(nullptr);
  unsigned First = X->rank() - N;
  bool Global = true;
  llvm::SmallVector<int64_t, 3> Over;
  for (unsigned I = First; I < X->rank(); ++I) {
    Global &= S->Dims[I] == Dim(1);
    Over.push_back(I);
  }
  if (Global)
    return one(aten::mean(R, X, Over, true));
  return one(averaged(R, X, *S,
                      N == 3 ? "AdaptiveAvgPool3DBackward0"
                             : "AdaptiveAvgPool2DBackward0"));
}

OpResult adaptiveMaxRow(Runtime &R, const Args &A, unsigned N, bool Tuple) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("pooling of an undefined tensor", FailureKind::Other);
  auto S = adaptiveShape(R, A, X, N);
  if (!S)
    return one(nullptr);
  auto [Out, Indices] = maxPool(R, X, *S, "AdaptiveMaxPool2DBackward0");
  return Tuple ? tuple({Out, Indices}) : one(Out);
}

} // namespace

void addPoolOps(OpTable &Rows) {
  auto Name = [](llvm::StringRef Base, unsigned N, llvm::StringRef Suffix = "") {
    return intern((Base + llvm::Twine(N) + "d" + Suffix).str());
  };
  for (unsigned N = 1; N <= 3; ++N) {
    const llvm::StringRef Harmless = "count_include_pad,divisor_override";
    Rows.push_back({Name("max_pool", N), [N](Runtime &R, const Args &A) {
                      return maxPoolRow(R, A, N, false);
                    }});
    Rows.push_back({Name("max_pool", N, "_with_indices"),
                    [N](Runtime &R, const Args &A) {
                      return maxPoolRow(R, A, N, true);
                    }});
    Rows.push_back({Name("avg_pool", N),
                    [N](Runtime &R, const Args &A) {
                      return avgPoolRow(R, A, N);
                    },
                    Harmless});
    Rows.push_back({Name("adaptive_avg_pool", N),
                    [N](Runtime &R, const Args &A) {
                      return adaptiveAvgRow(R, A, N);
                    }});
    Rows.push_back({Name("adaptive_max_pool", N),
                    [N](Runtime &R, const Args &A) {
                      // F::adaptive_max_pool2d takes options and gives one
                      // tensor; at:: gives the pair.
                      return adaptiveMaxRow(R, A, N, A.has("self") && !A.has("options"));
                    }});
  }
}

} // namespace vramlint
