//===- lib/torch/modules/Conv.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: convolutions and transposed convolutions of one to three dimensions.

#include "lib/torch/modules/ModuleRow.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint {

/// Registers weight and bias as ConvNdImpl::reset does.
static void build(BuiltinModule &M, unsigned Rank, bool Transposed) {
  Dim In = M.dim("in_channels"), Out = M.dim("out_channels");
  int64_t Groups = M.integer("groups", 1);
  auto Divides = [&](Dim D) { return !D.known() || D.Length % Groups == 0; };
  if (Groups <= 0 || !Divides(In))
    M.Problem = "in_channels must be divisible by groups";
  else if (!Divides(Out))
    M.Problem = "out_channels must be divisible by groups";
  if (!M.Problem.empty())
    Groups = 1;
  auto PerGroup = [&](Dim D) { return D.known() ? Dim(D.Length / Groups) : D; };
  llvm::SmallVector<Dim, 5> Weight;
  if (Transposed)
    Weight = {In, PerGroup(Out)};
  else
    Weight = {Out, PerGroup(In)};
  Arg::Ints Kernel = M.Given.ints("kernel_size", Rank, -1);
  Kernel.resize(Rank);
  if (llvm::any_of(Kernel, [](const Arg::Int &K) { return !K || *K < 0; }))
    M.dim("kernel_size"); // Says why.
  for (const Arg::Int &K : Kernel)
    Weight.push_back(K ? Dim(*K) : Dim());
  M.parameter("weight", Weight);
  M.parameter("bias", {Out}, M.boolean("bias", true));
}

template <unsigned Rank> static void buildConv(BuiltinModule &M) {
  build(M, Rank, false);
}
template <unsigned Rank> static void buildTransposed(BuiltinModule &M) {
  build(M, Rank, true);
}

/// F::pad's list of what padding_mode other than zeros adds on each side, last
/// dimension first.
static Arg::Ints paddingTwice(BuiltinModule &M, unsigned Rank) {
  Arg::Ints Twice(2 * Rank, 0);
  std::string Text = M.keyword("padding", "");
  Arg::Ints Padding = M.Given.ints("padding", Rank, 0);
  Arg::Ints Kernel = M.Given.ints("kernel_size", Rank, 1);
  Arg::Ints Dilation = M.Given.ints("dilation", Rank, 1);
  Padding.resize(Rank);
  for (unsigned I = 0; I < Rank; ++I) {
    Arg::Int Left = Padding[I], Right = Padding[I];
    if (Text == "same" && Kernel[I] && Dilation[I]) {
      int64_t Total = *Dilation[I] * (*Kernel[I] - 1);
      Left = Total / 2;
      Right = Total - Total / 2;
    } else if (Text == "valid") {
      Left = Right = 0;
    }
    Twice[2 * (Rank - 1 - I)] = Left;
    Twice[2 * (Rank - 1 - I) + 1] = Right;
  }
  return Twice;
}

static void addCommon(BuiltinModule &M, Args &Call, unsigned Rank) {
  Call.add("weight", M.own("weight"));
  Call.add("bias", M.own("bias"));
  Call.add("stride", Arg(M.Given.ints("stride", Rank, 1)));
  Call.add("dilation", Arg(M.Given.ints("dilation", Rank, 1)));
  Call.add("groups", Arg(M.integer("groups", 1)));
}

static OpResult forward(BuiltinModule &M, const Args &A, unsigned Rank,
                        llvm::StringRef Op) {
  Args Call;
  std::string Mode = M.keyword("padding_mode", "zeros");
  std::string Text = M.keyword("padding", "");
  if (Mode != "zeros") {
    Args Pad;
    Pad.add("input", nth(A, 0));
    Pad.add("pad", Arg(paddingTwice(M, Rank)));
    Pad.add("mode", Arg(Mode));
    OpResult Padded = M.R.call("pad", Pad);
    if (Padded.Kind != OpResult::Ok || Padded.Values.empty())
      return Padded;
    Call.add("input", Padded.Values[0]);
    Call.add("padding", Arg(Arg::Ints(Rank, 0)));
  } else {
    Call.add("input", nth(A, 0));
    if (!Text.empty())
      Call.add("padding", Arg(Text));
    else
      Call.add("padding", Arg(M.Given.ints("padding", Rank, 0)));
  }
  addCommon(M, Call, Rank);
  return M.R.call(Op, Call);
}

static OpResult forwardTransposed(BuiltinModule &M, const Args &A,
                                  unsigned Rank, llvm::StringRef Op) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("padding", Arg(M.Given.ints("padding", Rank, 0)));
  Call.add("output_padding", Arg(M.Given.ints("output_padding", Rank, 0)));
  addCommon(M, Call, Rank);
  return M.R.call(Op, Call);
}

static OpResult forward1(BuiltinModule &M, Args &A) { return forward(M, A, 1, "conv1d"); }
static OpResult forward2(BuiltinModule &M, Args &A) { return forward(M, A, 2, "conv2d"); }
static OpResult forward3(BuiltinModule &M, Args &A) { return forward(M, A, 3, "conv3d"); }
static OpResult transposed1(BuiltinModule &M, Args &A) { return forwardTransposed(M, A, 1, "conv_transpose1d"); }
static OpResult transposed2(BuiltinModule &M, Args &A) { return forwardTransposed(M, A, 2, "conv_transpose2d"); }
static OpResult transposed3(BuiltinModule &M, Args &A) { return forwardTransposed(M, A, 3, "conv_transpose3d"); }

llvm::ArrayRef<ModuleRow> convModules() {
  static const char Shown[] = "in_channels,out_channels,kernel_size";
  static const ModuleRow Rows[] = {
      {.Class = "Conv1d", .Build = buildConv<1>, .Forward = forward1, .Shown = Shown},
      {.Class = "Conv2d", .Build = buildConv<2>, .Forward = forward2, .Shown = Shown},
      {.Class = "Conv3d", .Build = buildConv<3>, .Forward = forward3, .Shown = Shown},
      {.Class = "ConvTranspose1d", .Build = buildTransposed<1>, .Forward = transposed1, .Shown = Shown},
      {.Class = "ConvTranspose2d", .Build = buildTransposed<2>, .Forward = transposed2, .Shown = Shown},
      {.Class = "ConvTranspose3d", .Build = buildTransposed<3>, .Forward = transposed3, .Shown = Shown},
  };
  return Rows;
}

} // namespace vramlint
