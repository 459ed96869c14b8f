//===- lib/torch/ops/Arrange.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of rarer views, joins and splits: diagonals, windows, hstack, meshgrid.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;
using Strides = llvm::SmallVector<int64_t, 4>;

Strides knownStrides(const T &X) {
  return X->Sizes.known() ? X->strides() : Strides();
}

std::optional<unsigned> dimArg(Runtime &R, const Args &A, llvm::StringRef Name,
                               int64_t Default, const T &X, unsigned Extra = 0) {
  return X ? wrapDim(R, A.integer(Name, Default), X->rank() + Extra) : std::nullopt;
}

/// How long the diagonal \p Offset of a matrix of \p Rows × \p Columns is.
Dim diagonalLength(Dim Rows, Dim Columns, int64_t Offset) {
  if (!Rows.known() || !Columns.known())
    return Dim();
  int64_t N = Offset >= 0 ? std::min(Rows.Length, Columns.Length - Offset)
                          : std::min(Rows.Length + Offset, Columns.Length);
  return Dim(std::max<int64_t>(N, 0));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

T diagonalView(Runtime &R, const T &X, int64_t Offset, int64_t Dim1, int64_t Dim2,
               llvm::StringRef Node) {
  auto D1 = X ? wrapDim(R, Dim1, X->rank()) : std::nullopt;
  auto D2 = X ? wrapDim(R, Dim2, X->rank()) : std::nullopt;
  if (!D1 || !D2 || X->rank() < 2 || *D1 == *D2) {
    R.fail("diagonal of a tensor of " + (X ? X->Sizes.str() : std::string("nothing")));
    return nullptr;
  }
  return tailView(R, {Node, "", "e"}, X, [&] {
    Shape S = X->Sizes;
    Strides Own = knownStrides(X);
    Dim L = diagonalLength(S.Dims[*D1], S.Dims[*D2], Offset);
    int64_t Step = Own.empty() ? 0 : Own[*D1] + Own[*D2];
    for (unsigned D : {std::max(*D1, *D2), std::min(*D1, *D2)}) {
      S.Dims.erase(S.Dims.begin() + D);
      if (!Own.empty())
        Own.erase(Own.begin() + D);
    }
    S.Dims.push_back(L);
    if (X->Sizes.known())
      Own.push_back(Step);
    return aten::rawView(R, X, S, Own);
  });
}

OpResult diagonalRow(Runtime &R, const Args &A) {
  bool Linalg = A.has("A");
  T X = A.tensor(Linalg ? "A" : "self");
  return one(diagonalView(R, X, A.integer("offset", 0),
                          A.integer("dim1", Linalg ? -2 : 0),
                          A.integer("dim2", Linalg ? -1 : 1), "DiagonalBackward0"));
}

/// diag: a matrix with \p X on a diagonal, or a copy of a matrix's diagonal.
OpResult diagRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  int64_t Offset = A.integer("diagonal", A.integer("offset", 0));
  if (!X || X->rank() == 0 || X->rank() > 2) {
    R.fail("diag expects one or two dimensions, got " + (X ? X->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  return one(tailOne(R, {"DiagBackward0", "", "e"}, {X}, [&] {
    if (X->rank() == 2)
      return makeLike(R, X, shapeOf({diagonalLength(X->size(0), X->size(1), Offset)}));
    Dim N = X->size(0) + Dim(std::abs(Offset));
    return makeLike(R, X, shapeOf({N, N}));
  }));
}

OpResult diagflatRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("diagflat of an undefined tensor", FailureKind::Other);
  T Flat = aten::reshape(R, X, shapeOf({Dim(X->elements())}));
  return one(callOne(R, "diag", {{"self", Arg(Flat)}, {"diagonal", Arg(A.integer("offset", 0))}}));
}

OpResult diagEmbedRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || X->rank() == 0)
    return OpResult::failed("diag_embed of a tensor without dimensions");
  if (A.integer("dim1", -2) != -2 || A.integer("dim2", -1) != -1)
    return OpResult::notModelled("diag_embed along other dimensions");
  Shape S = X->Sizes;
  S.Dims.back() = S.Dims.back() + Dim(std::abs(A.integer("offset", 0)));
  S.Dims.push_back(S.Dims.back());
  int64_t Offset = A.integer("offset", 0);
  Record Rec(R, "DiagEmbedBackward0", {X});
  return one(Rec.result(makeLike(R, X, S), [Offset](Runtime &R, Node &, Grads &G) {
    return Grads{diagonalView(R, G[0], Offset, -2, -1, "DiagonalBackward0")};
  }));
}

/// as_strided: may look at the storage in any way that stays inside.
OpResult asStridedRow(Runtime &R, const Args &A, bool InPlace) {
  T X = A.tensor("self");
  Arg::Ints Sizes = A.ints("size"), Steps = A.ints("stride");
  if (!X || Sizes.size() != Steps.size())
    return OpResult::failed("as_strided expects as many strides as sizes");
  Shape S;
  Strides Own;
  Bytes Last{A.integer("storage_offset", 0)};
  for (size_t I = 0; I < Sizes.size(); ++I) {
    S.Dims.push_back(toDim(Sizes[I]));
    Own.push_back(Steps[I].value_or(0));
    Last += Bytes{std::max<int64_t>(S.Dims.back().Length - 1, 0)} * Own.back();
  }
  if (S.known() && S.elements() > 0 && X->Store && X->Store->SizeKnown &&
      (Last + Bytes{1}) * itemSize(X->Type) > Bytes{X->Store->SizeBytes}) {
    R.fail("as_strided: sizes and strides reach beyond the storage of " + X->Sizes.str());
    return one(nullptr);
  }
  if (InPlace)
    return one(tailInPlace(R, {"AsStridedBackward1", "", "e"}, {X}, [&] {
      X->Sizes = S;
      X->Strides = Own;
      if (X->isContiguous())
        X->Strides.clear();
    }));
  Record Rec(R, "AsStridedBackward0", {X});
  Shape From = X->Sizes;
  Strides FromStrides = knownStrides(X);
  return one(Rec.result(aten::rawView(R, X, S, Own),
                        [=](Runtime &R, Node &, Grads &G) {
                          return Grads{aten::asStridedBackward(R, G[0], From,
                                                               FromStrides, Own)};
                        }));
}

/// Tensor::unfold: windows of a length along one dimension, as a view.
OpResult windowsRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = dimArg(R, A, "dimension", 0, X);
  auto Size = A.integer("size"), Step = A.integer("step");
  if (!D || X->rank() == 0 || !Size || !Step || *Step <= 0)
    return OpResult::notModelled("unfold by an unknown length");
  Dim L = X->size(*D);
  if (L.known() && *Size > L.Length) {
    R.fail("unfold: a window of " + std::to_string(*Size) + " along a length of " +
           std::to_string(L.Length));
    return one(nullptr);
  }
  return one(tailView(R, {"UnfoldBackward0"}, X, [&] {
    Shape S = X->Sizes;
    Strides Own = knownStrides(X);
    S.Dims[*D] = L.known() ? Dim((L.Length - *Size) / *Step + 1) : Dim();
    S.Dims.push_back(Dim(*Size));
    if (!Own.empty()) {
      Own.push_back(Own[*D]);
      Own[*D] = (Bytes{Own[*D]} * *Step).Count;
    }
    return aten::rawView(R, X, S, Own);
  }));
}

OpResult movedimRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  Arg::Ints From = A.ints("source"), To = A.ints("destination");
  if (!X || From.size() != To.size())
    return OpResult::failed("movedim expects as many destinations as sources");
  llvm::SmallVector<int64_t, 4> Order(X->rank(), -1);
  std::vector<bool> Used(X->rank(), false);
  for (size_t I = 0; I < From.size(); ++I) {
    auto S = wrapDim(R, From[I].value_or(0), X->rank());
    auto D = wrapDim(R, To[I].value_or(0), X->rank());
    if (!S || !D || X->rank() == 0)
      return one(X);
    Order[*D] = *S;
    Used[*S] = true;
  }
  unsigned Next = 0;
  for (int64_t &O : Order) {
    while (O < 0 && Next < Used.size() && Used[Next])
      ++Next;
    if (O < 0)
      O = Next++;
  }
  return one(aten::permute(R, X, Order));
}

/// transpose_, squeeze_ …: the handle itself is changed.
OpResult viewInPlace(Runtime &R, const Args &A, llvm::StringRef Op,
                     llvm::StringRef Node) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed((Op + "_ of an undefined tensor").str());
  Record Rec(R, Node, {X});
  Shape From = X->Sizes;
  bool Squeezes = Op.contains("squeeze");
  Args Back = A;
  for (auto &[Name, Value] : Back.List)
    if (Name == "self")
      Value = Arg(); // The graph does not keep it.
  OpResult Res = R.call(Op, A);
  auto *V = Res.Kind == OpResult::Ok ? std::get_if<T>(&Res.Values[0].V) : nullptr;
  if (!V || !*V) {
    R.fail(Res.Message);
    return one(nullptr);
  }
  X->Sizes = (*V)->Sizes;
  X->Strides = (*V)->Strides;
  Rec.backward([=](Runtime &R, ::vramlint::Node &, Grads &G) {
    if (Squeezes)
      return Grads{aten::view(R, G[0], From)};
    Args Swap; // Its own inverse.
    Swap.add("self", Arg(G[0]));
    for (const auto &[Name, Value] : Back.List)
      if (Name != "self")
        Swap.add(Name, Value);
    OpResult Turned = R.call(Op, Swap);
    auto *Out = Turned.Values.empty() ? nullptr : std::get_if<T>(&Turned.Values[0].V);
    return Grads{Out ? *Out : T()};
  });
  return one(Rec.inPlace(X) ? X : T());
}

OpResult adjointRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || X->rank() < 2)
    return OpResult::failed("adjoint expects at least two dimensions");
  return one(aten::transpose(R, X, -2, -1));
}

T viewAsReal(Runtime &R, const T &X) {
  Record Rec(R, "ViewAsRealBackward0", {X});
  Shape From = X->Sizes, S = From;
  Strides Own = knownStrides(X);
  for (int64_t &St : Own)
    St *= 2;
  if (S.known())
    Own.push_back(1);
  S.Dims.push_back(Dim(2));
  T Pairs = aten::rawView(R, X, S, Own);
  Pairs->Type = realType(X->Type);
  return Rec.result(Pairs, [From](Runtime &R, Node &, Grads &G) {
    T Out = aten::rawView(R, aten::contiguous(R, G[0]), From, {});
    Out->Type = complexType(G[0]->Type);
    return Grads{Out};
  });
}

/// real, imag, view_as_real, view_as_complex: the same memory in pairs.
OpResult complexView(Runtime &R, const Args &A, llvm::StringRef Op) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed((Op + " of an undefined tensor").str());
  bool Complex = realType(X->Type) != X->Type;
  if (Op == "real" && !Complex)
    return one(X);
  if (Op == "view_as_complex") {
    if (X->rank() == 0 || X->size(X->rank() - 1) != Dim(2))
      return OpResult::failed("view_as_complex: the last dimension must be 2, got " +
                              X->Sizes.str());
    return one(tailView(R, {"ViewAsComplexBackward0", "", "v"}, X, [&] {
      Shape S = X->Sizes;
      Strides Own = knownStrides(X);
      S.Dims.pop_back();
      if (!Own.empty())
        Own.pop_back();
      for (int64_t &St : Own)
        St /= 2;
      T V = aten::rawView(R, X, S, Own);
      V->Type = complexType(X->Type);
      return V;
    }));
  }
  if (!Complex)
    return OpResult::failed((Op + " expects a complex tensor").str());
  T Pairs = viewAsReal(R, X);
  return one(Op == "view_as_real" ? Pairs : aten::select(R, Pairs, -1));
}

/// conj: a view of complex tensors, whose values are conjugated when used.
OpResult conjRow(Runtime &R, const Args &A) {
  T X = A.tensor(A.has("tensor") ? "tensor" : "self"); // at::conj's is "tensor".
  if (!X || realType(X->Type) == X->Type)
    return one(X);
  return one(tailView(R, {"ConjBackward0", "", "v"}, X, [&] {
    return aten::rawView(R, X, X->Sizes, X->Strides);
  }));
}

OpResult sameRow(Runtime &, const Args &A) { return one(A.tensor("self")); }

OpResult ravelRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("ravel of an undefined tensor", FailureKind::Other);
  int64_t N = X->elements();
  Shape S = shapeOf({N < 0 ? Dim() : Dim(N)});
  S.Why = X->Sizes.Why;
  return one(aten::view(R, aten::contiguous(R, X), S));
}

/// A tensor of at least \p Rank dimensions.
T atLeast(Runtime &R, const T &X, unsigned Rank) {
  if (!X || X->rank() >= Rank)
    return X;
  if (X->rank() == 0) {
    Shape S;
    S.Dims.assign(Rank, Dim(1));
    return aten::reshape(R, X, S);
  }
  if (Rank == 2)
    return aten::unsqueeze(R, X, 0);
  return aten::unsqueeze(R, X->rank() == 1 ? aten::unsqueeze(R, X, 0) : X, -1);
}

OpResult atLeastRow(Runtime &R, const Args &A, unsigned Rank) {
  if (A.tensor("self"))
    return one(atLeast(R, A.tensor("self"), Rank));
  std::vector<T> Out;
  for (const T &X : A.tensors("tensors"))
    Out.push_back(atLeast(R, X, Rank));
  return list(std::move(Out));
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

OpResult stackedRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  std::vector<T> Ts = A.tensors("tensors");
  bool Columns = Op == "column_stack";
  unsigned Rank = Op == "hstack" ? 1 : Op == "dstack" ? 3 : 2;
  for (T &X : Ts) {
    if (!X)
      return OpResult::failed((Op + " of an undefined tensor").str());
    if (Columns && X->rank() <= 1)
      X = aten::reshape(R, X, shapeOf({Dim(X->elements()), Dim(1)}));
    else
      X = atLeast(R, X, Rank);
  }
  bool AlongFirst = Op == "vstack" || Op == "row_stack" ||
                    (Op == "hstack" && !Ts.empty() && Ts[0] && Ts[0]->rank() == 1);
  return one(aten::cat(R, Ts, AlongFirst ? 0 : Op == "dstack" ? 2 : 1));
}

OpResult broadcastTensorsRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  Shape S;
  for (const T &X : Ts)
    if (X)
      S = aten::broadcast(R, S, X->Sizes);
  for (T &X : Ts)
    X = X ? aten::expand(R, X, S) : X;
  return R.failed() ? one(nullptr) : list(std::move(Ts));
}

OpResult meshgridRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  bool Swap = A.text("indexing", "ij") == "xy" && Ts.size() >= 2;
  if (Swap)
    std::swap(Ts[0], Ts[1]);
  Shape S;
  for (const T &X : Ts) {
    if (!X || X->rank() > 1)
      return OpResult::failed("meshgrid expects tensors of one dimension");
    S.Dims.push_back(X->rank() ? X->size(0) : Dim(1));
  }
  for (size_t I = 0; I < Ts.size(); ++I) {
    Shape Own;
    Own.Dims.assign(Ts.size(), Dim(1));
    Own.Dims[I] = S.Dims[I];
    Ts[I] = aten::expand(R, aten::view(R, Ts[I], Own), S);
  }
  if (Swap)
    std::swap(Ts[0], Ts[1]);
  return list(std::move(Ts));
}

OpResult blockDiagRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  Dim Rows(0), Columns(0);
  for (const T &X : Ts) {
    if (!X || X->rank() > 2)
      return OpResult::failed("block_diag expects matrices");
    Rows = Rows + (X->rank() == 2 ? X->size(0) : Dim(1));
    Columns = Columns + (X->rank() ? X->size(X->rank() - 1) : Dim(1));
  }
  if (Ts.empty())
    return OpResult::notModelled("block_diag of nothing");
  std::vector<Shape> Sizes;
  for (const T &X : Ts)
    Sizes.push_back(X->Sizes);
  Record Rec(R, "BlockDiagBackward0", Ts);
  T Out = R.make(shapeOf({Rows, Columns}), aten::resultType(Ts), Ts[0]->Dev);
  return one(Rec.result(Out, [Sizes](Runtime &R, Node &N, Grads &G) {
    Grads Blocks(Sizes.size());
    for (unsigned I = 0; I < Sizes.size(); ++I) {
      const auto &D = Sizes[I].Dims;
      if (!N.needs(I))
        continue;
      T Block = aten::slice(R, G[0], 0, Dim(0), D.size() == 2 ? D[0] : Dim(1));
      Block = aten::slice(R, Block, 1, Dim(0), D.empty() ? Dim(1) : D.back());
      for (size_t Rank = D.size(); Rank < 2; ++Rank)
        Block = aten::squeeze(R, Block, -1 - int64_t(D.size()));
      Blocks[I] = Block;
    }
    return Blocks;
  }));
}

OpResult cartesianProdRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  if (Ts.size() == 1)
    return one(Ts[0]);
  OpResult Grid = meshgridRow(R, A);
  if (Grid.Kind != OpResult::Ok || Grid.Values.empty())
    return Grid;
  std::vector<T> Parts = A.tensors("tensors");
  if (auto *L = std::get_if<std::vector<T>>(&Grid.Values[0].V))
    Parts = *L;
  for (T &X : Parts)
    X = aten::reshape(R, X, shapeOf({X && X->elements() >= 0 ? Dim(X->elements()) : Dim()}));
  return one(callOne(R, "stack", {{"tensors", Arg(Parts)}, {"dim", Arg(int64_t(1))}}));
}

/// How many ways there are to choose \p K of \p N.
Dim choices(Dim N, int64_t K, bool Again) {
  if (!N.known() || K < 0)
    return Dim();
  Bytes Count{1};
  int64_t From = Again ? N.Length + K - 1 : N.Length;
  const int64_t Most = 64;
  if (K > Most)
    return Dim();
  for (int64_t I = 0; I < K; ++I)
    Count = Bytes{(Count * std::max<int64_t>(From - I, 0)).Count / (I + 1)};
  return Dim(Count.Count);
}

OpResult combinationsRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || X->rank() != 1)
    return OpResult::failed("combinations expects one dimension");
  int64_t K = A.integer("r", 2);
  Dim N = choices(X->size(0), K, A.boolean("with_replacement", false));
  // One column per place: a choice by mask, then a stack.
  std::vector<T> Columns;
  const int64_t PlacesMax = 16;
  for (int64_t I = 0; I < K && I < PlacesMax; ++I)
    Columns.push_back(tailOne(R, {"MaskedSelectBackward0", "0"}, {X},
                              [&] { return makeLike(R, X, shapeOf({N})); }));
  return one(callOne(R, "stack", {{"tensors", Arg(Columns)}, {"dim", Arg(int64_t(1))}}));
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

OpResult tensorSplitAt(Runtime &R, const T &X, unsigned D, const Arg *Sections,
                       const Arg *Indices) {
  Dim L = X->size(D);
  const int64_t PartsMax = 1 << 16;
  llvm::SmallVector<int64_t, 8> Cuts;
  if (!L.known())
    return OpResult::notModelled("tensor_split of an unknown length");
  if (const auto *N = Sections ? std::get_if<int64_t>(&Sections->V) : nullptr) {
    if (*N <= 0 || *N > PartsMax)
      return OpResult::notModelled("tensor_split into such a number of parts");
    int64_t At = 0;
    for (int64_t I = 0; I + 1 < *N; ++I)
      Cuts.push_back(At += L.Length / *N + (I < L.Length % *N));
  } else if (const auto *List = Indices ? std::get_if<Arg::Ints>(&Indices->V) : nullptr) {
    for (const Arg::Int &I : *List) {
      if (!I)
        return OpResult::notModelled("tensor_split at an unknown place");
      Cuts.push_back(std::clamp<int64_t>(*I < 0 ? *I + L.Length : *I, 0, L.Length));
    }
  } else {
    return OpResult::notModelled("tensor_split by a tensor");
  }
  std::vector<T> Parts;
  int64_t From = 0;
  Cuts.push_back(L.Length);
  for (int64_t Cut : Cuts) {
    Parts.push_back(aten::slice(R, X, D, Dim(From), Dim(std::max<int64_t>(Cut - From, 0))));
    From = Cut;
  }
  return list(std::move(Parts));
}

OpResult tensorSplitRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  T X = A.tensor("self");
  if (!X || X->rank() == 0)
    return OpResult::failed((Op + " of a tensor without dimensions").str());
  int64_t D = Op == "vsplit"   ? 0
              : Op == "dsplit" ? 2
              : Op == "hsplit" ? (X->rank() == 1 ? 0 : 1)
                               : A.integer("dim", 0);
  auto At = wrapDim(R, D, X->rank());
  if (!At)
    return one(nullptr);
  const Arg *Sections = A.find("sections"), *Indices = A.find("indices");
  if (!Sections && !Indices)
    Indices = A.find("tensor_indices_or_sections");
  return tensorSplitAt(R, X, *At, Sections, Indices);
}

/// unsafe_split and its kin: the parts are not views for autograd.
OpResult unsafeSplit(Runtime &R, const Args &A, llvm::StringRef Safe,
                     llvm::StringRef Node) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("split of an undefined tensor", FailureKind::Other);
  OpResult Whole;
  std::vector<T> Parts = tail(R, {Node, "", "e"}, {X}, [&] {
    Whole = R.call(Safe, A);
    std::vector<T> Out;
    for (const Arg &V : Whole.Values)
      if (auto *L = std::get_if<std::vector<T>>(&V.V))
        Out = *L;
    Whole.Values.clear();
    for (T &P : Out)
      P->Base = nullptr;
    return Out;
  });
  return Whole.Kind == OpResult::Ok ? list(std::move(Parts)) : std::move(Whole);
}

void addViews(OpTable &Rows) {
  for (llvm::StringRef Name : {"diagonal", "linalg_diagonal"})
    Rows.push_back({Name, diagonalRow});
  Rows.push_back({"diag", diagRow});
  Rows.push_back({"diagflat", diagflatRow});
  Rows.push_back({"diag_embed", diagEmbedRow});
  for (bool InPlace : {false, true})
    Rows.push_back({InPlace ? "as_strided_" : "as_strided",
                    [InPlace](Runtime &R, const Args &A) {
                      return asStridedRow(R, A, InPlace);
                    },
                    "size,stride,storage_offset"});
  Rows.push_back({"unfold", windowsRow, "", false, true});
  for (llvm::StringRef Name : {"movedim", "moveaxis"})
    Rows.push_back({Name, movedimRow});
  static const std::array<llvm::StringRef, 3> Changed[] = {
      {"transpose_", "transpose", "TransposeBackward1"},
      {"swapaxes_", "swapaxes", "TransposeBackward1"},
      {"swapdims_", "swapdims", "TransposeBackward1"},
      {"t_", "t", "TBackward1"},
      {"unsqueeze_", "unsqueeze", "UnsqueezeBackward1"},
      {"squeeze_", "squeeze", "SqueezeBackward3"}};
  for (auto &[Name, Op, Node] : Changed)
    Rows.push_back({Name, [Op, Node](Runtime &R, const Args &A) {
                      return viewInPlace(R, A, Op, Node);
                    }});
  for (llvm::StringRef Name : {"mH", "matrix_H", "adjoint"})
    Rows.push_back({Name, adjointRow});
  for (llvm::StringRef Name : {"real", "imag", "view_as_real", "view_as_complex"})
    Rows.push_back({Name, [Name](Runtime &R, const Args &A) {
                      return complexView(R, A, Name);
                    }});
  Rows.push_back({"conj", conjRow});
  for (llvm::StringRef Name : {"resolve_conj", "resolve_neg", "positive", "conj_physical",
                               "retain_grad", "coalesce", "lift", "lift_fresh",
                               "rename_", "refine_names"})
    Rows.push_back({Name, sameRow, "*", true});
  Rows.push_back({"conj_physical_", [](Runtime &R, const Args &A) {
                    return one(tailInPlace(R, {"ConjPhysicalBackward1", "", "g"},
                                           {A.tensor("self")}, [] {}));
                  }});
  Rows.push_back({"ravel", ravelRow});
  Rows.push_back({"broadcast_to", [](Runtime &R, const Args &A) {
                    return R.call("expand", A);
                  }});
  for (unsigned Rank : {1u, 2u, 3u})
    Rows.push_back({intern("atleast_" + std::to_string(Rank) + "d"),
                    [Rank](Runtime &R, const Args &A) { return atLeastRow(R, A, Rank); }});
}

/// Copies of views: select_copy and the like, and scatters into a copy.
void addCopies(OpTable &Rows) {
  static const std::array<llvm::StringRef, 2> Scatters[] = {
      {"select_scatter", "SelectScatterBackward0"},
      {"slice_scatter", "SliceScatterBackward0"},
      {"diagonal_scatter", "DiagonalScatterBackward0"},
      {"as_strided_scatter", "AsStridedScatterBackward0"}};
  for (auto &[Name, Node] : Scatters) {
    bool Copies = Name != "as_strided_scatter";
    Rows.push_back({Name,
                    [Node, Copies](Runtime &R, const Args &A) {
                      T X = A.tensor("self"), Y = A.tensor("src");
                      if (!X || !Y)
                        return OpResult::failed("scatter of an undefined tensor", FailureKind::Other);
                      TailRule How{Node, "", Copies ? "nv" : "ev"};
                      return one(tailOne(R, How, {X, Y},
                                         [&] { return aten::emptyLike(R, X); }));
                    },
                    "index,start,end,step,offset", false, true});
  }
}

} // namespace

void addArrangeOps(OpTable &Rows) {
  addViews(Rows);
  addCopies(Rows);
  for (llvm::StringRef Name : {"hstack", "vstack", "row_stack", "dstack", "column_stack"})
    Rows.push_back({Name, [Name](Runtime &R, const Args &A) {
                      return stackedRow(R, A, Name);
                    }});
  Rows.push_back({"concatenate", [](Runtime &R, const Args &A) {
                    return one(aten::cat(R, A.tensors("tensors"), A.integer("dim", 0)));
                  }});
  Rows.push_back({"broadcast_tensors", broadcastTensorsRow});
  Rows.push_back({"meshgrid", meshgridRow});
  Rows.push_back({"block_diag", blockDiagRow});
  Rows.push_back({"cartesian_prod", cartesianProdRow});
  Rows.push_back({"combinations", combinationsRow, "", false, true});
  for (llvm::StringRef Name : {"tensor_split", "hsplit", "vsplit", "dsplit"})
    Rows.push_back({Name, [Name](Runtime &R, const Args &A) {
                      return tensorSplitRow(R, A, Name);
                    }});
  static const std::array<llvm::StringRef, 3> Unsafe[] = {
      {"unsafe_chunk", "chunk", "UnsafeSplitBackward0"},
      {"unsafe_split", "split", "UnsafeSplitBackward0"},
      {"unsafe_split_with_sizes", "split_with_sizes", "UnsafeSplitWithSizesBackward0"}};
  for (auto &[Name, Safe, Node] : Unsafe)
    Rows.push_back({Name, [Safe, Node](Runtime &R, const Args &A) {
                      return unsafeSplit(R, A, Safe, Node);
                    }});
}

} // namespace vramlint
