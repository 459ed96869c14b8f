//===- lib/torch/ops/Resample.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Padding, up- and downsampling, pixel shuffle (ReflectionPad.cpp,
// UpSample*.cpp).

#include "lib/torch/Layout.h"

namespace vramlint {

namespace {

using T = TensorRef;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The shape of \p X padded by pairs from the last dimension on.
std::optional<Shape> padded(Runtime &R, const T &X, const Arg::Ints &Pad) {
  Shape S = X->Sizes;
  if (Pad.size() % 2 || Pad.size() / 2 > S.Dims.size()) {
    R.fail("padding of length " + std::to_string(Pad.size()) +
           " does not suit a tensor of shape " + S.str());
    return std::nullopt;
  }
  for (size_t I = 0; I < Pad.size(); I += 2) {
    Dim &L = S.Dims[S.Dims.size() - 1 - I / 2];
    if (!L.known() || !Pad[I] || !Pad[I + 1]) {
      L = Dim();
      continue;
    }
    int64_t Length =
        (Bytes{L.Length} + Bytes{*Pad[I]} + Bytes{*Pad[I + 1]}).Count;
    if (Length < 0) {
      R.fail("padding makes a dimension of " + X->Sizes.str() + " negative");
      return std::nullopt;
    }
    L = Dim(Length);
  }
  return S;
}

T constantPad(Runtime &R, const T &X, const Arg::Ints &Pad) {
  auto S = padded(R, X, Pad);
  if (!S)
    return nullptr;
  Record Rec(R, "ConstantPadNdBackward0", {X});
  Shape From = X->Sizes;
  return Rec.result(R.make(*S, X->Type, X->Dev),
                    [From](Runtime &R, Node &, Grads &G) {
                      return Grads{R.make(From, G[0]->Type, G[0]->Dev)};
                    });
}

/// Reflection and replication; the gradient's holes are filled by a copy.
T borderPad(Runtime &R, const T &X, const Arg::Ints &Pad,
            llvm::StringRef NodeName) {
  auto S = padded(R, X, Pad);
  if (!S)
    return nullptr;
  Record Rec(R, NodeName, {X});
  Rec.save(X);
  return Rec.result(R.make(*S, X->Type, X->Dev),
                    [](Runtime &R, Node &N, Grads &G) {
                      T Out = aten::emptyContiguous(R, N.saved(0));
                      T Own = aten::contiguous(R, G[0]);
                      return Grads{Out};
                    });
}

bool says(llvm::StringRef Text, llvm::StringRef Word) {
  return Text.contains_insensitive(Word);
}

/// F::pad and the constant_pad_nd, reflection_padNd, replication_padNd of at::.
OpResult padRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("padding of an undefined tensor",
                            FailureKind::Other);
  Arg::Ints Pad = A.ints(A.has("pad") ? "pad" : "padding");
  std::string Mode = A.text("mode", "constant");
  bool Reflects = says(Name, "reflection") || says(Mode, "reflect");
  for (size_t I = 0; Reflects && I < Pad.size() && I / 2 < X->rank(); ++I) {
    Dim L = X->size(X->rank() - 1 - I / 2);
    if (Pad[I] && L.known() && *Pad[I] >= L.Length) {
      R.fail("padding of " + std::to_string(*Pad[I]) +
             " by reflection of a length of " + std::to_string(L.Length));
      return one(nullptr);
    }
  }
  if (Reflects)
    return one(borderPad(R, X, Pad, "ReflectionPad2DBackward0"));
  if (says(Name, "replication") || says(Mode, "replicate"))
    return one(borderPad(R, X, Pad, "ReplicationPad2DBackward0"));
  if (says(Mode, "circular")) { // Slices copied into an empty tensor.
    OpResult Res = one(borderPad(R, X, Pad, "CopySlices"));
    R.scratch({X});
    return Res;
  }
  return one(constantPad(R, X, Pad));
}

//===----------------------------------------------------------------------===//
// Upsampling
//===----------------------------------------------------------------------===//

/// Does the CPU take the kernel for channels-last? Measured with 1.13.1
/// and 2.6.0 (aten/src/ATen/native/cpu/UpSampleKernel.cpp,
/// _use_vectorized_kernel_cond_2d).
bool goesChannelsLast(Runtime &R, const T &X, const Shape &Out) {
  bool Fits = fitsChannelsLast(X);
  if (!R.Config.atLeast(2, 0) || X->rank() < 4)
    return Fits;
  constexpr int64_t FewChannels = 3, SmallImage = 128;
  if (Fits && X->size(1).known() && X->size(1).Length > FewChannels)
    return true;
  return X->rank() == 4 && Out.known() &&
         Out.Dims[2].Length + Out.Dims[3].Length <= SmallImage;
}

/// \p Taps pairs of indices and weights per output length: 1 nearest, 2 linear,
/// 4 cubic.
T upsample(Runtime &R, const T &X, const Shape &S, unsigned Taps,
           llvm::StringRef NodeName) {
  Record Rec(R, NodeName, {X});
  Shape From = X->Sizes;
  R.flops(saturatingMul({2 * int64_t(Taps), S.elements()}));
  // Cubic ones have no kernel of their own for channels-last.
  bool Cubic = Taps == 4, Last = isChannelsLast(X) && !X->onCuda() && !Cubic;
  T Own = X->onCuda() ? aten::contiguous(R, X) : X;
  T Out = makeAs(R, S, X, Last);
  if (!X->onCuda() && !Cubic && goesChannelsLast(R, X, S)) {
    bool Fits = fitsChannelsLast(X);
    T Turned = Fits ? nullptr : R.make(X->Sizes, X->Type, X->Dev);
    // Its result is copied back.
    T Result =
        Last || X->size(1) == Dim(1) ? nullptr : R.make(S, X->Type, X->Dev);
    Result = nullptr;
  } else if (!X->onCuda()) {
    std::vector<T> Tables;
    for (unsigned I = 2; I < S.Dims.size(); ++I)
      for (unsigned K = 0; K < Taps; ++K) {
        Shape Line;
        Line.Dims = {S.Dims[I]};
        Line.Why = S.Why;
        Tables.push_back(R.make(Line, DType::Int64, X->Dev));
        Tables.push_back(R.make(Line, X->Type, X->Dev));
      }
    for (T &Table : Tables)
      Table = nullptr;
  }
  return Rec.result(Out, [From, Cubic](Runtime &R, Node &, Grads &G) {
    bool Last = isChannelsLast(G[0]) && !G[0]->onCuda() && !Cubic;
    T Out = makeAs(R, From, G[0], Last);
    T Own = Last ? G[0] : aten::contiguous(R, G[0]);
    return Grads{Out};
  });
}

unsigned tapsOf(llvm::StringRef Mode) {
  if (says(Mode, "cubic"))
    return 4;
  return says(Mode, "linear") ? 2 : 1;
}

/// F::interpolate and at::upsample_*: sizes or factors for the last dimensions.
OpResult upsampleRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  T X = A.tensor("self");
  if (!X || X->rank() < 3) {
    R.fail("upsampling expects at least 3 dimensions, got " +
           (X ? X->Sizes.str() : "an undefined tensor"));
    return one(nullptr);
  }
  std::string Mode =
      Name == "interpolate" ? A.text("mode", "nearest") : Name.str();
  if (says(Mode, "area"))
    return OpResult::notModelled("interpolate with mode area");
  unsigned N = X->rank() - 2;
  Shape S = X->Sizes;
  Arg::Ints Sizes = A.ints(Name == "interpolate" ? "size" : "output_size");
  if (!Sizes.empty()) {
    if (Sizes.size() == 1)
      Sizes.assign(N, Sizes[0]);
    for (unsigned I = 0; I < N && I < Sizes.size(); ++I)
      S.Dims[2 + I] = toDim(Sizes[I]);
    return one(upsample(R, X, S, tapsOf(Mode), "UpsampleBackward0"));
  }
  const Arg *Factor =
      A.find(A.has("scale_factor") ? "scale_factor" : "scale_factors");
  std::vector<double> Factors;
  if (Factor) {
    if (const auto *L = std::get_if<std::vector<double>>(&Factor->V))
      Factors = *L;
    else if (const auto *L = std::get_if<Arg::Ints>(&Factor->V))
      for (const Arg::Int &I : *L)
        Factors.push_back(I ? double(*I) : -1);
    else
      Factors.push_back(A.number(
          A.has("scale_factor") ? "scale_factor" : "scale_factors", -1));
  }
  if (Factors.empty())
    return OpResult::notModelled("interpolate without size or factor");
  for (unsigned I = 0; I < N; ++I) {
    double F = Factors[std::min<size_t>(I, Factors.size() - 1)];
    Dim &L = S.Dims[2 + I];
    double Length = double(L.Length) * F;
    L = L.known() && F > 0 && Length < 9e18 ? Dim(int64_t(Length)) : Dim();
  }
  return one(upsample(R, X, S, tapsOf(Mode), "UpsampleBackward0"));
}

OpResult pixelShuffleRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Dim F = toDim(A.integer("upscale_factor"));
  if (!X || X->rank() < 3) {
    R.fail("pixel_shuffle expects at least 3 dimensions");
    return one(nullptr);
  }
  unsigned C = X->rank() - 3;
  Dim Square = F * F;
  if (X->size(C).known() && Square.known() &&
      (Square.Length == 0 || X->size(C).Length % Square.Length != 0)) {
    R.fail("pixel_shuffle: " + std::to_string(X->size(C).Length) +
           " channels are not divisible by " + std::to_string(Square.Length));
    return one(nullptr);
  }
  Record Rec(R, "PixelShuffleBackward0", {X});
  Shape From = X->Sizes, S = From;
  S.Dims[C] = X->size(C) / Square;
  S.Dims[C + 1] = X->size(C + 1) * F;
  S.Dims[C + 2] = X->size(C + 2) * F;
  return one(Rec.result(R.make(S, X->Type, X->Dev),
                        [From](Runtime &R, Node &, Grads &G) {
                          return Grads{R.make(From, G[0]->Type, G[0]->Dev)};
                        }));
}

OpResult pixelUnshuffleRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Dim F = toDim(A.integer("downscale_factor"));
  if (!X || X->rank() < 3) {
    R.fail("pixel_unshuffle expects at least 3 dimensions");
    return one(nullptr);
  }
  unsigned C = X->rank() - 3;
  Record Rec(R, "PixelUnshuffleBackward0", {X});
  Shape From = X->Sizes, S = From;
  S.Dims[C] = X->size(C) * F * F;
  S.Dims[C + 1] = X->size(C + 1) / F;
  S.Dims[C + 2] = X->size(C + 2) / F;
  return one(Rec.result(R.make(S, X->Type, X->Dev),
                        [From](Runtime &R, Node &, Grads &G) {
                          return Grads{R.make(From, G[0]->Type, G[0]->Dev)};
                        }));
}

//===----------------------------------------------------------------------===//
// Activations with parameters or halves
//===----------------------------------------------------------------------===//

OpResult preluRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), W = A.tensor("weight");
  if (!X || !W)
    return OpResult::failed("prelu of an undefined tensor", FailureKind::Other);
  Dim Channels = X->rank() >= 2 ? X->size(1) : Dim(1);
  if (W->elements() > 1 && Channels.known() &&
      W->elements() != Channels.Length) {
    R.fail("prelu: " + std::to_string(W->elements()) +
           " weights for an input of " + X->Sizes.str());
    return one(nullptr);
  }
  Record Rec(R, "PreluBackward0", {X, W});
  Rec.save(X).save(W);
  R.flops(X->elements());
  return one(Rec.result(aten::emptyContiguous(R, X),
                        [](Runtime &R, Node &N, Grads &G) {
                          const T &X = N.saved(0), &W = N.saved(1);
                          Grads Out(2);
                          Out[0] = aten::emptyContiguous(R, X);
                          Out[1] = aten::emptyContiguous(R, W);
                          if (!X->onCuda() || W->elements() != 1) {
                            T Collector = aten::emptyContiguous(R, X);
                            T Sum = aten::emptyContiguous(R, W);
                            Sum = nullptr;
                          }
                          return Out;
                        }));
}

OpResult gluRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", -1), X->rank()) : std::nullopt;
  if (!D || X->rank() == 0)
    return one(nullptr);
  if (X->size(*D).known() && X->size(*D).Length % 2) {
    R.fail("glu: the halved dimension of " + X->Sizes.str() + " is odd");
    return one(nullptr);
  }
  Record Rec(R, "GluBackward0", {X});
  Rec.save(X);
  Shape S = X->Sizes;
  S.Dims[*D] = S.Dims[*D] / Dim(2);
  R.flops(saturatingMul({2, X->elements()}));
  return one(
      Rec.result(R.make(S, X->Type, X->Dev), [](Runtime &R, Node &N, Grads &) {
        return Grads{aten::emptyContiguous(R, N.saved(0))};
      }));
}

} // namespace

void addResampleOps(OpTable &Rows) {
  for (llvm::StringRef Name :
       {"pad", "constant_pad_nd", "reflection_pad1d", "reflection_pad2d",
        "reflection_pad3d", "replication_pad1d", "replication_pad2d",
        "replication_pad3d"})
    Rows.push_back(
        {Name, [Name](Runtime &R, const Args &A) { return padRow(R, A, Name); },
         "value"});
  for (llvm::StringRef Name :
       {"interpolate", "upsample_nearest1d", "upsample_nearest2d",
        "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d",
        "upsample_trilinear3d", "upsample_bicubic2d"})
    Rows.push_back(
        {Name,
         [Name](Runtime &R, const Args &A) { return upsampleRow(R, A, Name); },
         "align_corners,recompute_scale_factor,scales,scales_h,scales_w"});
  Rows.push_back({"pixel_shuffle", pixelShuffleRow});
  Rows.push_back({"pixel_unshuffle", pixelUnshuffleRow});
  Rows.push_back({"prelu", preluRow});
  Rows.push_back({"glu", gluRow});
}

} // namespace vramlint
