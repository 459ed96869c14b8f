//===- lib/torch/ops/Fft.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of torch::fft and stft. Real input gives half of the last dimension, and
// back; the inverse Hermitian forms are the same with other names.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// What a transform takes and gives.
enum class Kind : uint8_t { Complex, RealToHalf, HalfToReal };

/// The dimensions transformed and the lengths asked for (unknown: as they are).
struct Transformed {
  llvm::SmallVector<unsigned, 4> Dims;
  llvm::SmallVector<std::optional<Dim>, 4> Lengths;
};

std::optional<Transformed> transformed(Runtime &R, const Args &A, const T &X,
                                       llvm::StringRef Name) {
  Transformed F;
  Arg::Ints Dims = A.ints("dim"), Lengths = A.ints("s");
  bool One = !Name.ends_with("2") && !Name.ends_with("n");
  if (One) {
    Dims = {A.integer("dim", -1)};
    Lengths = A.ints("n");
  } else if (Dims.empty()) {
    int64_t Count = Name.ends_with("2") ? 2
                    : !Lengths.empty()  ? int64_t(Lengths.size())
                                        : int64_t(X->rank());
    for (int64_t I = 0; I < Count; ++I)
      Dims.push_back(I - Count);
  }
  for (size_t I = 0; I < Dims.size(); ++I) {
    auto D = wrapDim(R, Dims[I].value_or(-1), X->rank());
    if (!D || X->rank() == 0)
      return std::nullopt;
    F.Dims.push_back(*D);
    bool Given = I < Lengths.size() && !(Lengths[I] && *Lengths[I] == -1);
    F.Lengths.push_back(Given ? std::optional<Dim>(toDim(Lengths[I])) : std::nullopt);
  }
  return F;
}

/// "rfft2" -> real to half.
Kind kindOf(llvm::StringRef Name) {
  if (Name.starts_with("rfft") || Name.starts_with("ihfft"))
    return Kind::RealToHalf;
  if (Name.starts_with("irfft") || Name.starts_with("hfft"))
    return Kind::HalfToReal;
  return Kind::Complex;
}

DType floatingType(Runtime &R, const T &X) {
  return isFloating(X->Type) ? X->Type : R.DefaultDType;
}

OpResult fftRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed(Name.str() + " of an undefined tensor", FailureKind::Other);
  Kind K = kindOf(Name);
  DType Type = floatingType(R, X);
  bool Complex = realType(Type) != Type;
  if (K == Kind::RealToHalf && Complex)
    return OpResult::failed(Name.str() + " expects a real input tensor, but got complex", FailureKind::Other);
  auto F = transformed(R, A, X, Name);
  if (!F || F->Dims.empty())
    return R.failed() ? one(nullptr) : one(aten::clone(R, X));
  Shape S = X->Sizes;
  T From = X;
  for (size_t I = 0; I < F->Dims.size(); ++I) {
    Dim &L = S.Dims[F->Dims[I]];
    bool Last = I + 1 == F->Dims.size();
    bool Half = K == Kind::HalfToReal && Last;
    Dim Own = L;
    if (F->Lengths[I])
      L = *F->Lengths[I];
    else if (Half)
      L = (L - Dim(1)) * Dim(2);
    if (K == Kind::RealToHalf && Last)
      L = L / Dim(2) + Dim(1);
    (void)Own;
  }
  DType Out = K == Kind::HalfToReal ? realType(Type) : complexType(Type);
  TailRule How = K == Kind::HalfToReal ? TailRule{"FftC2RBackward0", ""}
                 : Complex             ? TailRule{"FftC2CBackward0", ""}
                                       : TailRule{"FftR2CBackward0", "0", F->Lengths.size() == 1 && F->Lengths[0] && !(*F->Lengths[0] == X->size(F->Dims[0])) ? "n" : "c"};
  return one(tailOne(R, How, {From}, [&] {
    int64_t N = S.elements();
    R.flops(N < 0 ? -1 : saturatingMul({5, N}));
    return makeLike(R, X, S, Out);
  }));
}

OpResult shiftRow(Runtime &R, const Args &A) {
  T X = A.tensor(A.has("x") ? "x" : "self"); // As torch::fft calls it.
  return one(tailOne(R, {"RollBackward0", ""}, {X}, [&] { return aten::emptyContiguous(R, X); }));
}

OpResult freqRow(Runtime &R, const Args &A, bool Half) {
  Dim N = toDim(A.integer("n"));
  T Out = R.make(shapeOf({Half ? N / Dim(2) + Dim(1) : N}), A.dtype("dtype").value_or(R.DefaultDType),
                 A.device("device").value_or(Device{}), Category::Input, R.CurrentOp);
  aten::scalarInPlace(R, Out, Scalar(2.0)); // Whole numbers, divided.
  return one(Out);
}

/// stft: frames × frequencies, made the other way round.
OpResult stftRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Window = A.tensor("window");
  auto N = A.integer("n_fft");
  if (!X || X->rank() < 1 || X->rank() > 2 || !N || *N <= 0)
    return OpResult::failed("stft expects one or two dimensions and a length of frames");
  int64_t Hop = A.integer("hop_length").value_or(std::max<int64_t>(*N / 4, 1));
  Dim L = X->size(X->rank() - 1);
  bool Center = A.boolean("center", true);
  if (Center)
    L = L + Dim(*N / 2 * 2);
  if (L.known() && (L.Length < *N || Hop <= 0))
    return OpResult::failed("stft: frames of " + std::to_string(*N) + " of a signal of " +
                            X->Sizes.str());
  Dim Frames = (L - Dim(*N)) / Dim(Hop) + Dim(1);
  bool OneSided = A.boolean("onesided", realType(X->Type) == X->Type);
  Dim Frequencies = OneSided ? Dim(*N / 2 + 1) : Dim(*N);
  Shape S = X->rank() == 2 ? shapeOf({X->size(0), Frames, Frequencies})
                           : shapeOf({Frames, Frequencies});
  bool Complex = A.boolean("return_complex", false);
  auto Out = tail(R, {"TransposeBackward1", "ab"}, {X}, [&] {
    std::vector<T> All{makeLike(R, X, S, complexType(X->Type))};
    if (Center && R.recording())
      All.push_back(nullptr);
    return All;
  });
  if (Out.empty() || !Out[0])
    return one(nullptr);
  T Result = Out[0];
  { // transpose_ on the result itself.
    BelowAutograd Guard(R);
    T Turned = aten::transpose(R, Result, -2, -1);
    Result->Sizes = Turned->Sizes;
    Result->Strides = Turned->Strides;
  }
  (void)Window;
  if (Complex)
    return one(Result);
  return one(callOne(R, "view_as_real", {{"self", Arg(Result)}}));
}

OpResult istftRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto N = A.integer("n_fft");
  if (!X || X->rank() < 2 || !N || *N <= 0)
    return OpResult::failed("istft expects at least two dimensions");
  bool Pairs = realType(X->Type) == X->Type;
  unsigned Rank = X->rank() - (Pairs ? 1 : 0);
  if (Rank < 2)
    return OpResult::failed("istft expects at least two dimensions");
  int64_t Hop = A.integer("hop_length").value_or(std::max<int64_t>(*N / 4, 1));
  Dim Frames = X->size(Rank - 1);
  Dim L = Dim(*N) + Dim(Hop) * (Frames - Dim(1));
  if (A.has("length"))
    L = toDim(A.integer("length"));
  else if (A.boolean("center", true))
    L = L - Dim(*N / 2 * 2);
  Shape S;
  if (Rank > 2)
    S.Dims.push_back(X->size(0));
  S.Dims.push_back(L);
  return one(tailOne(R, {"SqueezeBackward1", ""}, {X},
                     [&] { return makeLike(R, X, S, realType(X->Type)); }));
}

} // namespace

void addFftOps(OpTable &Rows) {
  for (llvm::StringRef Name :
       {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2",
        "hfft2", "ihfft2", "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"})
    Rows.push_back({intern(("fft_" + Name).str()),
                    [Name](Runtime &R, const Args &A) { return fftRow(R, A, Name); },
                    "norm,n,s", false, true});
  for (llvm::StringRef Name : {"fft_fftshift", "fft_ifftshift"})
    Rows.push_back({Name, shiftRow, "dim", true, true});
  for (bool Half : {false, true})
    Rows.push_back({Half ? "fft_rfftfreq" : "fft_fftfreq",
                    [Half](Runtime &R, const Args &A) { return freqRow(R, A, Half); },
                    "n,d", true});
  Rows.push_back({"stft", stftRow, "pad_mode,normalized", false, true});
  Rows.push_back({"istft", istftRow, "normalized,length", false, true});
}

} // namespace vramlint
