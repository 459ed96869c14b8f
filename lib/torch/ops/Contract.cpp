//===- lib/torch/ops/Contract.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of products that sum over dimensions: einsum, tensordot, bilinear, and
// the distances between rows.

#include "lib/torch/Tail.h"

#include "llvm/ADT/MapVector.h"

namespace vramlint {

namespace {

using T = TensorRef;

bool differ(Dim A, Dim B) { return A.known() && B.known() && A != B; }

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

/// An equation taken apart: the label of each dimension, '.' counted from 1000
/// for those of the ellipsis.
struct Equation {
  std::vector<llvm::SmallVector<int, 6>> Operands;
  llvm::SmallVector<int, 6> Result;
  std::map<int, Dim> Lengths;
  std::map<int, unsigned> Uses;
};

constexpr int EllipsisLabel = 1000;

/// The labels of one operand's text; false if it does not fit \p Rank.
bool readLabels(llvm::StringRef Text, unsigned Rank, unsigned EllipsisRank,
                llvm::SmallVectorImpl<int> &Out) {
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == ' ')
      continue;
    if (Text.substr(I).starts_with("...")) {
      for (unsigned K = 0; K < EllipsisRank; ++K)
        Out.push_back(EllipsisLabel + int(K));
      I += 2;
      continue;
    }
    if (!std::isalpha(static_cast<unsigned char>(Text[I])))
      return false;
    Out.push_back(Text[I]);
  }
  return Rank == ~0u || Out.size() == Rank;
}

unsigned letters(llvm::StringRef Text) {
  unsigned N = 0;
  for (char C : Text)
    N += std::isalpha(static_cast<unsigned char>(C)) != 0;
  return N;
}

/// Reads \p Text for \p Ts; false after a failure.
bool readEquation(Runtime &R, llvm::StringRef Text, llvm::ArrayRef<T> Ts,
                  Equation &E) {
  auto [Left, Right] = Text.split("->");
  bool HasResult = Text.contains("->");
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Left.split(Parts, ',');
  if (Parts.size() != Ts.size()) {
    R.fail("einsum: expected " + std::to_string(Parts.size()) +
           " operands, got " + std::to_string(Ts.size()));
    return false;
  }
  unsigned EllipsisRank = 0;
  for (size_t I = 0; I < Ts.size(); ++I)
    if (Parts[I].contains("...") && Ts[I]->rank() >= letters(Parts[I]))
      EllipsisRank = std::max(EllipsisRank, Ts[I]->rank() - letters(Parts[I]));
  for (size_t I = 0; I < Ts.size(); ++I) {
    llvm::SmallVector<int, 6> Labels;
    if (!readLabels(Parts[I], Ts[I]->rank(), EllipsisRank, Labels)) {
      R.fail("einsum: the subscript '" + Parts[I].str() +
             "' does not fit an operand of " + Ts[I]->Sizes.str());
      return false;
    }
    for (unsigned D = 0; D < Labels.size(); ++D) {
      Dim &L = E.Lengths.try_emplace(Labels[D], Dim(1)).first->second;
      Dim Own = Ts[I]->size(D);
      if (L == Dim(1))
        L = Own;
      else if (differ(L, Own) && Own != Dim(1)) {
        R.fail("einsum: the subscript " + std::string(1, char(Labels[D])) +
               " has length " + std::to_string(Own.Length) + " and " +
               std::to_string(L.Length));
        return false;
      }
      ++E.Uses[Labels[D]];
    }
    E.Operands.push_back(std::move(Labels));
  }
  if (HasResult)
    return readLabels(Right, ~0u, EllipsisRank, E.Result);
  for (unsigned K = 0; K < EllipsisRank; ++K)
    E.Result.push_back(EllipsisLabel + int(K));
  for (auto &[Label, N] : E.Uses) // Sorted: those that occur once.
    if (Label < EllipsisLabel && N == 1)
      E.Result.push_back(Label);
  return true;
}

/// One operand with its dimensions in the order of \p Labels, each once:
/// diagonals for repeated ones, length 1 for missing ones.
T arranged(Runtime &R, T X, llvm::SmallVector<int, 6> Own,
           llvm::ArrayRef<int> Labels) {
  for (unsigned I = 0; I < Own.size(); ++I)
    for (unsigned J = I + 1; J < Own.size(); ++J)
      if (Own[I] == Own[J]) {
        X = callOne(R, "diagonal",
                    {{"self", Arg(X)},
                     {"dim1", Arg(int64_t(I))},
                     {"dim2", Arg(int64_t(J))}});
        int Label = Own[I];
        Own.erase(Own.begin() + J);
        Own.erase(Own.begin() + I);
        Own.push_back(Label);
        return arranged(R, X, std::move(Own), Labels);
      }
  llvm::SmallVector<int64_t, 4> Order;
  for (int L : Labels) {
    auto It = llvm::find(Own, L);
    if (It == Own.end()) {
      X = aten::unsqueeze(R, X, Own.size());
      Own.push_back(L);
      Order.push_back(Own.size() - 1);
    } else {
      Order.push_back(It - Own.begin());
    }
  }
  return X ? aten::permute(R, X, Order) : X;
}

/// at::native::sumproduct_pair: one batched product over \p Summed.
T productOf(Runtime &R, const T &A, const T &B,
            llvm::ArrayRef<unsigned> Summed) {
  // Dimensions: in both (batch), summed, only in A, only in B.
  llvm::SmallVector<int64_t, 6> Batch, Sum, OnlyA, OnlyB;
  T X = A, Y = B;
  for (unsigned I = 0; I < A->rank(); ++I) {
    bool InA = A->size(I) != Dim(1), InB = B->size(I) != Dim(1);
    if (llvm::is_contained(Summed, I)) {
      if (InA && InB)
        Sum.push_back(I);
      else if (InA)
        X = aten::sum(R, X, {int64_t(I)}, true);
      else if (InB)
        Y = aten::sum(R, Y, {int64_t(I)}, true);
      if (!InA || !InB)
        Batch.push_back(I); // Of length 1 from now on.
    } else {
      (InA && InB ? Batch : InA ? OnlyA : InB ? OnlyB : Batch).push_back(I);
    }
  }
  auto Size = [](const T &V, llvm::ArrayRef<int64_t> Ds) {
    Dim N(1);
    for (int64_t D : Ds)
      N = N * V->size(D);
    return N;
  };
  if (!X || !Y)
    return nullptr;
  auto Ordered = [&](const T &V,
                     std::initializer_list<llvm::ArrayRef<int64_t>> Groups) {
    llvm::SmallVector<int64_t, 6> Order;
    for (llvm::ArrayRef<int64_t> G : Groups)
      Order.append(G.begin(), G.end());
    return aten::permute(R, V, Order);
  };
  Dim N = Size(X, Batch);
  T Left = aten::reshape(R, Ordered(X, {Batch, OnlyA, Sum, OnlyB}),
                         shapeOf({N, Size(X, OnlyA), Size(X, Sum)}));
  T Right = aten::reshape(R, Ordered(Y, {Batch, Sum, OnlyB, OnlyA}),
                          shapeOf({N, Size(Y, Sum), Size(Y, OnlyB)}));
  T Out = aten::bmm(R, Left, Right);
  if (!Out)
    return nullptr;
  Left = Right = nullptr;
  Shape S;
  llvm::SmallVector<int64_t, 6> Now;
  for (llvm::ArrayRef<int64_t> G :
       {llvm::ArrayRef<int64_t>(Batch), llvm::ArrayRef<int64_t>(OnlyA),
        llvm::ArrayRef<int64_t>(Sum), llvm::ArrayRef<int64_t>(OnlyB)})
    for (int64_t D : G) {
      bool IsSum = llvm::is_contained(Summed, unsigned(D));
      S.Dims.push_back(IsSum                  ? Dim(1)
                       : A->size(D) != Dim(1) ? A->size(D)
                                              : B->size(D));
      Now.push_back(D);
    }
  Out = aten::view(R, Out, S);
  llvm::SmallVector<int64_t, 6> Back(Now.size(), 0);
  for (unsigned I = 0; I < Now.size(); ++I)
    Back[Now[I]] = I;
  return Out ? aten::permute(R, Out, Back) : Out;
}

OpResult einsumRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors("tensors");
  std::string Text = A.text("equation", "");
  for (const T &X : Ts)
    if (!X)
      return OpResult::failed("einsum of an undefined tensor",
                              FailureKind::Other);
  Equation E;
  if (Text.empty() || Ts.empty() || !readEquation(R, Text, Ts, E))
    return OpResult::failed("einsum: the equation '" + Text +
                                "' is not understood",
                            FailureKind::Other);
  llvm::SmallVector<int, 8> All(E.Result.begin(), E.Result.end());
  for (auto &[Label, N] : E.Uses)
    if (!llvm::is_contained(All, Label))
      All.push_back(Label);
  unsigned Kept = E.Result.size();
  T Out = arranged(R, Ts[0], E.Operands[0], All);
  for (size_t I = 1; I < Ts.size() && Out; ++I) {
    T Next = arranged(R, Ts[I], E.Operands[I], All);
    if (!Next)
      return one(nullptr);
    // Labels that no later operand has are summed now.
    llvm::SmallVector<unsigned, 6> Summed;
    for (unsigned D = Kept; D < All.size(); ++D) {
      bool Later = false;
      for (size_t K = I + 1; K < Ts.size(); ++K)
        Later |= llvm::is_contained(E.Operands[K], All[D]);
      if (!Later)
        Summed.push_back(D);
    }
    Out = Summed.empty() ? aten::mul(R, Out, Next)
                         : productOf(R, Out, Next, Summed);
  }
  if (!Out)
    return one(nullptr);
  llvm::SmallVector<int64_t, 6> Over;
  for (unsigned D = Kept; D < Out->rank(); ++D)
    Over.push_back(D);
  if (Over.empty())
    return one(Out);
  if (Ts.size() == 1)
    return one(aten::sum(R, Out, Over, false));
  for (size_t I = Over.size(); I-- > 0;)
    Out = aten::squeeze(R, Out, Over[I]);
  return one(Out);
}

//===----------------------------------------------------------------------===//
// tensordot and its kin
//===----------------------------------------------------------------------===//

OpResult tensordotRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("other");
  Arg::Ints DX = A.ints("dims_self"), DY = A.ints("dims_other");
  if (!X || !Y || DX.size() != DY.size())
    return OpResult::failed(
        "tensordot expects as many dimensions of either side");
  llvm::SmallVector<int64_t, 4> SumX, SumY, RestX, RestY;
  for (size_t I = 0; I < DX.size(); ++I) {
    auto A1 = wrapDim(R, DX[I].value_or(0), X->rank()),
         B1 = wrapDim(R, DY[I].value_or(0), Y->rank());
    if (!A1 || !B1 || *A1 >= X->rank() || *B1 >= Y->rank())
      return one(nullptr);
    if (differ(X->size(*A1), Y->size(*B1)) && X->size(*A1) != Dim(1) &&
        Y->size(*B1) != Dim(1)) {
      R.fail("tensordot: contracted dimensions need to match, got " +
             X->Sizes.str() + " and " + Y->Sizes.str());
      return one(nullptr);
    }
    SumX.push_back(*A1);
    SumY.push_back(*B1);
  }
  Shape S;
  Dim M(1), K(1), N(1);
  // A length of 1 stands for any: the other side is summed first.
  for (size_t I = 0; I < SumX.size(); ++I)
    if (Y->size(SumY[I]) == Dim(1))
      X = aten::sum(R, X, {SumX[I]}, true);
    else if (X->size(SumX[I]) == Dim(1))
      Y = aten::sum(R, Y, {SumY[I]}, true);
  for (unsigned I = 0; I < X->rank(); ++I)
    if (!llvm::is_contained(SumX, I)) {
      RestX.push_back(I);
      S.Dims.push_back(X->size(I));
      M = M * X->size(I);
    }
  for (int64_t D : SumX)
    K = K * X->size(D);
  for (unsigned I = 0; I < Y->rank(); ++I)
    if (!llvm::is_contained(SumY, I)) {
      RestY.push_back(I);
      S.Dims.push_back(Y->size(I));
      N = N * Y->size(I);
    }
  llvm::SmallVector<int64_t, 4> OrderX(RestX), OrderY(SumY);
  OrderX.append(SumX.begin(), SumX.end());
  OrderY.append(RestY.begin(), RestY.end());
  T Left = aten::reshape(R, aten::permute(R, X, OrderX), shapeOf({M, K}));
  T Right = aten::reshape(R, aten::permute(R, Y, OrderY), shapeOf({K, N}));
  return one(aten::reshape(R, aten::mm(R, Left, Right), S));
}

OpResult innerRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("other");
  if (!X || !Y)
    return OpResult::failed("inner of an undefined tensor", FailureKind::Other);
  if (X->rank() == 0 || Y->rank() == 0)
    return one(aten::mul(R, X, Y));
  return one(callOne(R, "tensordot",
                     {{"self", Arg(X)},
                      {"other", Arg(Y)},
                      {"dims_self", Arg(Arg::Ints{-1})},
                      {"dims_other", Arg(Arg::Ints{-1})}}));
}

/// Of three matrices, whether the last two are cheaper to multiply first.
bool secondFirst(llvm::ArrayRef<T> Ts) {
  for (const T &X : Ts)
    if (!X || X->rank() != 2 || !X->Sizes.known())
      return false;
  int64_t A = Ts[0]->size(0).Length, B = Ts[1]->size(0).Length;
  int64_t C = Ts[1]->size(1).Length, D = Ts[2]->size(1).Length;
  Bytes First =
      Bytes{saturatingMul({A, B, C})} + Bytes{saturatingMul({A, C, D})};
  Bytes Second =
      Bytes{saturatingMul({B, C, D})} + Bytes{saturatingMul({A, B, D})};
  return Second < First;
}

OpResult multiDotRow(Runtime &R, const Args &A) {
  std::vector<T> Ts = A.tensors(A.has("matrices") ? "matrices" : "tensors");
  if (Ts.size() < 2)
    return OpResult::failed("multi_dot expects at least two tensors");
  bool First = Ts.front() && Ts.front()->rank() == 1,
       Last = Ts.back() && Ts.back()->rank() == 1;
  Shape S;
  if (First)
    Ts.front() = aten::unsqueeze(R, Ts.front(), 0);
  else
    S.Dims.push_back(Ts.front() ? Ts.front()->size(0) : Dim());
  if (Last)
    Ts.back() = aten::unsqueeze(R, Ts.back(), 1);
  else
    S.Dims.push_back(Ts.back() && Ts.back()->rank() == 2 ? Ts.back()->size(1)
                                                         : Dim());
  T Out;
  if (Ts.size() == 3 && secondFirst(Ts))
    Out = aten::mm(R, Ts[0], aten::mm(R, Ts[1], Ts[2]));
  else
    for (const T &X : Ts)
      Out = Out ? aten::mm(R, Out, X) : X;
  return one(aten::view(R, Out, S));
}

OpResult kronRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("other");
  if (!X || !Y)
    return OpResult::failed("kron of an undefined tensor", FailureKind::Other);
  unsigned Rank = std::max(X->rank(), Y->rank());
  Shape S, WideX, WideY;
  for (unsigned I = 0; I < Rank; ++I) {
    Dim LX = I + X->rank() >= Rank ? X->size(I + X->rank() - Rank) : Dim(1);
    Dim LY = I + Y->rank() >= Rank ? Y->size(I + Y->rank() - Rank) : Dim(1);
    S.Dims.push_back(LX * LY);
    WideX.Dims.append({LX, Dim(1)});
    WideY.Dims.append({Dim(1), LY});
  }
  T Product =
      aten::mul(R, aten::reshape(R, X, WideX), aten::reshape(R, Y, WideY));
  return one(tailOne(R, {"UnsafeViewBackward0", "", "v"}, {Product}, [&] {
    T V = R.alias(Product);
    V->Sizes = S;
    V->Strides.clear();
    return V;
  }));
}

/// The sum over i and j of input1[i] · weight[k][i][j] · input2[j].
OpResult bilinearRow(Runtime &R, const Args &A) {
  T X = A.tensor("input1"), Y = A.tensor("input2"), W = A.tensor("weight"),
    B = A.tensor("bias");
  if (!X || !Y || !W || W->rank() != 3 || X->rank() == 0 || Y->rank() == 0)
    return OpResult::failed(
        "bilinear expects two inputs and a weight of three dimensions");
  if (differ(X->size(X->rank() - 1), W->size(1)) ||
      differ(Y->size(Y->rank() - 1), W->size(2))) {
    R.fail("bilinear: inputs of " + X->Sizes.str() + " and " + Y->Sizes.str() +
           " do not fit a weight of " + W->Sizes.str());
    return one(nullptr);
  }
  Shape S = X->Sizes;
  S.Dims.back() = W->size(0);
  T Out = tailOne(R, {"TrilinearBackward0", "012"}, {X, W, Y},
                  [&] { return makeLike(R, X, S); });
  return one(B ? aten::add(R, Out, B) : Out);
}

//===----------------------------------------------------------------------===//
// Sums into a matrix: addmv, addr, addbmm
//===----------------------------------------------------------------------===//

/// What the node of a product keeps: each factor, if the other needs its gradient.
llvm::StringRef factorsKept(const T &A, const T &B, bool AfterSelf = false) {
  if (A->needsGrad() && B->needsGrad())
    return AfterSelf ? "12" : "01";
  if (A->needsGrad())
    return AfterSelf ? "2" : "1";
  return !B->needsGrad() ? "" : AfterSelf ? "1" : "0";
}

struct AddProduct {
  llvm::StringRef Name, First, Second;
  TailRule How; ///< Inputs: self, first, second.
  unsigned RankA, RankB;
};

const AddProduct AddProducts[] = {
    {"addmv", "mat", "vec", {"AddmvBackward0", "12", "gn"}, 2, 1},
    {"addr", "vec1", "vec2", {"AddrBackward0", "12", "gn"}, 1, 1},
    {"addbmm", "batch1", "batch2", {"AddbmmBackward0", "12", "gn"}, 3, 3},
    {"addmm_", "mat1", "mat2", {"AddmmBackward0", "12", "gn"}, 2, 2},
    {"baddbmm_", "batch1", "batch2", {"BaddbmmBackward0", "12", "gn"}, 3, 3},
};

OpResult addProductRow(Runtime &R, const Args &A, const AddProduct &P,
                       bool InPlace) {
  T X = A.tensor("self"), M = A.tensor(P.First), V = A.tensor(P.Second);
  if (!X || !M || !V || M->rank() != P.RankA || V->rank() != P.RankB)
    return OpResult::failed((P.Name + " expects operands of " +
                             llvm::Twine(P.RankA) + " and " +
                             llvm::Twine(P.RankB) + " dimensions")
                                .str());
  bool Matrix = P.RankB == 1;
  if (P.Name != "addr" &&
      differ(M->size(M->rank() - 1), V->size(Matrix ? 0 : V->rank() - 2))) {
    R.fail(P.Name.str() + ": operands of " + M->Sizes.str() + " and " +
           V->Sizes.str() + " cannot be multiplied");
    return one(nullptr);
  }
  Shape S = P.Name == "addmv"  ? shapeOf({M->size(0)})
            : P.Name == "addr" ? shapeOf({M->size(0), V->size(0)})
            : P.Name == "baddbmm_"
                ? shapeOf({M->size(0), M->size(1), V->size(2)})
            : P.Name == "addbmm" ? shapeOf({M->size(1), V->size(2)})
                                 : shapeOf({M->size(0), V->size(1)});
  aten::broadcast(R, S, X->Sizes);
  TailRule How = P.How;
  How.Saves = factorsKept(M, V, /*AfterSelf=*/true);
  if (InPlace)
    return one(tailInPlace(R, How, {X, M, V}, [] {}));
  return one(tailOne(R, How, {X, M, V}, [&] { return makeLike(R, X, S); }));
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

OpResult cdistRow(Runtime &R, const Args &A) {
  T X = A.tensor("x1"), Y = A.tensor("x2");
  if (!X || !Y || X->rank() < 2 || Y->rank() < 2 ||
      differ(X->size(X->rank() - 1), Y->size(Y->rank() - 1))) {
    R.fail("cdist expects rows of one length, got " +
           (X ? X->Sizes.str() : "nothing") + " and " +
           (Y ? Y->Sizes.str() : "nothing"));
    return one(nullptr);
  }
  Shape Batch = aten::broadcast(R, batched(X, {}), batched(Y, {}));
  Batch.Dims.push_back(X->size(X->rank() - 2));
  Batch.Dims.push_back(Y->size(Y->rank() - 2));
  if (R.failed())
    return one(nullptr);
  return one(tailOne(R, {"CdistBackward0", "01a"}, {X, Y},
                     [&] { return makeLike(R, X, Batch); }));
}

OpResult pdistRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || X->rank() != 2)
    return OpResult::failed("pdist expects a matrix");
  Dim N = X->size(0);
  Dim Pairs =
      N.known() ? Dim(((Bytes{N.Length} * (N.Length - 1)).Count) / 2) : Dim();
  return one(tailOne(R, {"PdistBackward0", "0a"}, {X},
                     [&] { return makeLike(R, X, shapeOf({Pairs})); }));
}

/// (x1 - x2 + eps).norm(p, last dimension).
OpResult pairwiseDistanceRow(Runtime &R, const Args &A) {
  T X = A.tensor("x1"), Y = A.tensor("x2");
  T Difference = aten::sub(R, X, Y); // Until the norm is there, as the sum.
  T Shifted = aten::add(R, Difference, Scalar(0.5));
  return one(callOne(R, "norm",
                     {{"self", Arg(Shifted)},
                      {"p", Arg(A.number("p", 2))},
                      {"dim", Arg(Arg::Ints{-1})},
                      {"keepdim", Arg(A.boolean("keepdim", false))}}));
}

OpResult crossRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("other");
  if (!X || !Y)
    return OpResult::failed("cross of an undefined tensor", FailureKind::Other);
  Shape S = aten::broadcast(R, X->Sizes, Y->Sizes);
  if (R.failed())
    return one(nullptr);
  return one(tailOne(R, {"LinalgCrossBackward0", factorsKept(X, Y)}, {X, Y},
                     [&] { return makeLike(R, X, S); }));
}

OpResult vdotRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("other");
  if (!X || !Y || X->rank() != 1 || Y->rank() != 1 ||
      differ(X->size(0), Y->size(0)))
    return OpResult::failed("vdot expects two vectors of one length");
  return one(tailOne(R, {"VdotBackward0", factorsKept(X, Y)}, {X, Y},
                     [&] { return makeLike(R, X, Shape()); }));
}

} // namespace

void addContractOps(OpTable &Rows) {
  Rows.push_back({"einsum", einsumRow, "path", false, true});
  Rows.push_back({"tensordot", tensordotRow});
  Rows.push_back({"inner", innerRow});
  for (llvm::StringRef Name : {"chain_matmul", "linalg_multi_dot"})
    Rows.push_back({Name, multiDotRow, "", false, true});
  Rows.push_back({"kron", kronRow, "", false, true});
  Rows.push_back({"bilinear", bilinearRow, "", false, true});
  for (const AddProduct &P : AddProducts)
    for (bool InPlace : {false, true}) {
      bool Has = P.Name.ends_with("_");
      if (Has && !InPlace)
        continue;
      Rows.push_back({InPlace && !Has ? intern((P.Name + "_").str()) : P.Name,
                      [&P, InPlace](Runtime &R, const Args &A) {
                        return addProductRow(R, A, P, InPlace);
                      },
                      "beta,alpha", false, true});
    }
  Rows.push_back({"cdist", cdistRow, "p,compute_mode", false, true});
  Rows.push_back({"pdist", pdistRow, "p", false, true});
  Rows.push_back(
      {"pairwise_distance", pairwiseDistanceRow, "eps", false, true});
  for (llvm::StringRef Name : {"cross", "linalg_cross"})
    Rows.push_back({Name, crossRow, "", false, true});
  Rows.push_back({"vdot", vdotRow, "", false, true});
  Rows.push_back({"linalg_matmul", [](Runtime &R, const Args &A) {
                    return R.call("matmul", A);
                  }});
  Rows.push_back({"linalg_vecdot",
                  [](Runtime &R, const Args &A) {
                    return one(
                        aten::sum(R, aten::mul(R, A.tensor("x"), A.tensor("y")),
                                  {A.integer("dim", -1)}, false));
                  },
                  "", false, true});
}

} // namespace vramlint
