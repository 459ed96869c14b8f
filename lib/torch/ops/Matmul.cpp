//===- lib/torch/ops/Matmul.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Matrix products. On the CPU, an operand whose strides BLAS cannot read is
// copied for the call (LinearAlgebra.cpp: prepare_matrix_for_blas).

#include "lib/torch/Tail.h"

namespace vramlint {

namespace aten {

using T = TensorRef;
using Strides = llvm::SmallVector<int64_t, 4>;

static bool mismatch(Dim A, Dim B) {
  return A.known() && B.known() && A != B;
}

static int64_t productFlops(std::initializer_list<Dim> Dims) {
  int64_t N = 2;
  for (Dim D : Dims)
    N = saturatingMul({N, D.Length});
  return N;
}

/// A copy of \p M for BLAS, or null if it can be used as it is.
static T copyForBlas(Runtime &R, const T &M) {
  if (M->onCuda() || !M->Sizes.known() || M->rank() != 2 || M->Strides.empty())
    return nullptr;
  auto S = M->strides();
  int64_t Rows = M->size(0).Length, Columns = M->size(1).Length;
  bool Fits = (S[0] == 1 && S[1] >= std::max<int64_t>(1, Rows)) ||
              (S[1] == 1 && S[0] >= std::max<int64_t>(1, Columns));
  return Fits ? nullptr : emptyContiguous(R, M);
}

/// The result of a product of two matrices, with BLAS's copies made and gone.
static T product(Runtime &R, const T &A, const T &B, DType Type) {
  Shape S;
  S.Dims = {A->size(0), B->size(1)};
  S.Why = A->Sizes.Why.empty() ? B->Sizes.Why : A->Sizes.Why;
  R.flops(productFlops({A->size(0), A->size(1), B->size(1)}));
  T Out = R.make(S, Type, A->Dev);
  T CopyA = copyForBlas(R, A), CopyB = copyForBlas(R, B);
  return Out;
}

static bool checkMatrices(Runtime &R, const T &A, const T &B) {
  if (!A || !B || R.failed())
    return false;
  if (A->rank() != 2 || B->rank() != 2 || mismatch(A->size(1), B->size(0))) {
    R.fail("mat1 and mat2 cannot be multiplied: " + A->Sizes.str() + " by " +
           B->Sizes.str());
    return false;
  }
  if (onDifferentDevices(A, B)) {
    R.fail("expected all tensors to be on the same device, but found cuda and "
           "cpu", FailureKind::Other);
    return false;
  }
  if (A->Type != B->Type && A->Type != DType::Unknown &&
      B->Type != DType::Unknown) {
    R.fail("expected both matrices to have the same dtype, got " +
           dtypeName(A->Type).str() + " and " + dtypeName(B->Type).str(),
           FailureKind::Other);
    return false;
  }
  return true;
}

/// Column-major as a transposed weight is: its gradient is made the same way.
static bool isColumnMajor(const T &M) {
  if (!M->Sizes.known() || M->isContiguous())
    return false;
  auto S = M->strides();
  return S[0] == 1 && S[1] == M->size(0).Length;
}

static T mat1Grad(Runtime &R, const T &G, const T &Mat2, bool ColumnMajor) {
  if (ColumnMajor)
    return t(R, mm(R, Mat2, t(R, G)));
  return mm(R, G, t(R, Mat2));
}

static T mat2Grad(Runtime &R, const T &G, const T &Mat1, bool ColumnMajor) {
  if (ColumnMajor)
    return t(R, mm(R, t(R, G), Mat1));
  return mm(R, t(R, Mat1), G);
}

T mm(Runtime &R, const T &A, const T &B) {
  if (!checkMatrices(R, A, B))
    return nullptr;
  Record Rec(R, "MmBackward0", {A, B});
  Rec.saveIf(Rec.needs(1), A).saveIf(Rec.needs(0), B);
  bool ColumnA = isColumnMajor(A), ColumnB = isColumnMajor(B);
  return Rec.result(product(R, A, B, A->Type),
                    [ColumnA, ColumnB](Runtime &R, Node &N, Grads &G) {
                      Grads Out(2);
                      if (N.needs(1))
                        Out[1] = mat2Grad(R, G[0], N.saved(0), ColumnB);
                      if (N.needs(0))
                        Out[0] = mat1Grad(R, G[0], N.saved(1), ColumnA);
                      return Out;
                    });
}

T addmm(Runtime &R, const T &Self, const T &A, const T &B, Scalar Beta,
        Scalar Alpha) {
  if (!Self || !checkMatrices(R, A, B))
    return nullptr;
  Record Rec(R, "AddmmBackward0", {Self, A, B});
  Rec.saveIf(Rec.needs(2), A).saveIf(Rec.needs(1), B);
  Shape S;
  S.Dims = {A->size(0), B->size(1)};
  broadcast(R, S, Self->Sizes);
  if (R.failed())
    return nullptr;
  bool ColumnA = isColumnMajor(A), ColumnB = isColumnMajor(B);
  return Rec.result(product(R, A, B, A->Type),
                    [=](Runtime &R, Node &N, Grads &G) {
                      Grads Out(3);
                      if (N.needs(1))
                        Out[1] = maybeMultiply(
                            R, mat1Grad(R, G[0], N.saved(1), ColumnA), Alpha);
                      if (N.needs(2))
                        Out[2] = maybeMultiply(
                            R, mat2Grad(R, G[0], N.saved(0), ColumnB), Alpha);
                      if (N.needs(0))
                        Out[0] = maybeMultiply(R, G[0], Beta);
                      return Out;
                    });
}

T bmm(Runtime &R, const T &A, const T &B) {
  if (!A || !B || R.failed())
    return nullptr;
  if (A->rank() != 3 || B->rank() != 3 || mismatch(A->size(0), B->size(0)) ||
      mismatch(A->size(2), B->size(1))) {
    R.fail("batches of matrices cannot be multiplied: " + A->Sizes.str() +
           " by " + B->Sizes.str());
    return nullptr;
  }
  Record Rec(R, "BmmBackward0", {A, B});
  Rec.saveIf(Rec.needs(1), A).saveIf(Rec.needs(0), B);
  Shape S;
  S.Dims = {A->size(0).known() ? A->size(0) : B->size(0), A->size(1), B->size(2)};
  S.Why = A->Sizes.Why;
  R.flops(productFlops({S.Dims[0], A->size(1), A->size(2), B->size(2)}));
  return Rec.result(R.make(S, A->Type, A->Dev),
                    [](Runtime &R, Node &N, Grads &G) {
                      Grads Out(2);
                      if (N.needs(1))
                        Out[1] = bmm(R, transpose(R, N.saved(0), 1, 2), G[0]);
                      if (N.needs(0))
                        Out[0] = bmm(R, G[0], transpose(R, N.saved(1), 1, 2));
                      return Out;
                    });
}

T mv(Runtime &R, const T &A, const T &V) {
  if (!A || !V || R.failed())
    return nullptr;
  if (A->rank() != 2 || V->rank() != 1 || mismatch(A->size(1), V->size(0))) {
    R.fail("matrix and vector cannot be multiplied: " + A->Sizes.str() +
           " by " + V->Sizes.str());
    return nullptr;
  }
  Record Rec(R, "MvBackward0", {A, V});
  Rec.saveIf(Rec.needs(1), A).saveIf(Rec.needs(0), V);
  Shape S;
  S.Dims = {A->size(0)};
  R.flops(productFlops({A->size(0), A->size(1)}));
  T Result = R.make(S, A->Type, A->Dev);
  if (!A->isContiguous())
    copyForBlas(R, A);
  return Rec.result(Result, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(0)) // grad.ger(vec)
      Out[0] = mul(R, unsqueeze(R, G[0], 1), unsqueeze(R, N.saved(1), 0));
    if (N.needs(1))
      Out[1] = mv(R, t(R, N.saved(0)), G[0]);
    return Out;
  });
}

T dot(Runtime &R, const T &A, const T &B) {
  if (!A || !B || R.failed())
    return nullptr;
  if (A->rank() != 1 || B->rank() != 1 || mismatch(A->size(0), B->size(0))) {
    R.fail("expected 1-dimensional tensors of one length, got " +
           A->Sizes.str() + " and " + B->Sizes.str());
    return nullptr;
  }
  Record Rec(R, "DotBackward0", {A, B});
  Rec.saveIf(Rec.needs(1), A).saveIf(Rec.needs(0), B);
  R.flops(productFlops({A->size(0)}));
  return Rec.result(R.make(Shape(), A->Type, A->Dev),
                    [](Runtime &R, Node &N, Grads &G) {
                      Grads Out(2);
                      if (N.needs(0))
                        Out[0] = mul(R, G[0], N.saved(1));
                      if (N.needs(1))
                        Out[1] = mul(R, G[0], N.saved(0));
                      return Out;
                    });
}

static T unsafeView(Runtime &R, const T &X, const Shape &To) {
  if (!X)
    return nullptr;
  Record Rec(R, "UnsafeViewBackward0", {X});
  Shape From = X->Sizes;
  T Out = R.alias(X); // Not a view for autograd.
  Out->Sizes = To;
  Out->Strides.clear();
  return Rec.result(Out, [From](Runtime &R, Node &, Grads &G) {
    return Grads{reshape(R, G[0], From)};
  });
}

/// Many-dimensional by matrix or vector: one product of the folded matrix.
/// \p Kept: the folded matrix, for a caller that keeps it.
static T foldedMatmul(Runtime &R, const T &A, const T &B, T *Kept = nullptr) {
  Shape Folded, Out;
  Dim Rows(1);
  for (unsigned I = 0; I + 1 < A->rank(); ++I) {
    Rows = Rows * A->size(I);
    Out.Dims.push_back(A->size(I));
  }
  Folded.Dims = {Rows, A->size(A->rank() - 1)};
  Folded.Why = Out.Why = A->Sizes.Why;
  T Matrix = reshape(R, A, Folded);
  if (Kept)
    *Kept = Matrix;
  if (B->rank() == 1)
    return unsafeView(R, mv(R, Matrix, B), Out);
  Out.Dims.push_back(B->size(1));
  return unsafeView(R, mm(R, Matrix, B), Out);
}

static T batchedMatmul(Runtime &R, const T &A, const T &B) {
  auto Split = [](const T &X) {
    Shape S;
    S.Dims.assign(X->Sizes.Dims.begin(), X->Sizes.Dims.end() - 2);
    return S;
  };
  Shape Batch = broadcast(R, Split(A), Split(B));
  if (R.failed())
    return nullptr;
  Dim N(1);
  for (Dim D : Batch.Dims)
    N = N * D;
  auto Fold = [&](const T &X) {
    Shape Full = Batch, Flat;
    Dim Rows = X->size(X->rank() - 2), Columns = X->size(X->rank() - 1);
    Full.Dims.push_back(Rows);
    Full.Dims.push_back(Columns);
    Flat.Dims = {N, Rows, Columns};
    return reshape(R, expand(R, X, Full), Flat);
  };
  T FlatA = Fold(A), FlatB = Fold(B);
  Shape Out = Batch;
  Out.Dims.push_back(A->size(A->rank() - 2));
  Out.Dims.push_back(B->size(B->rank() - 1));
  Out.Why = A->Sizes.Why;
  return unsafeView(R, bmm(R, FlatA, FlatB), Out);
}

T matmul(Runtime &R, const T &A, const T &B) {
  if (!A || !B || R.failed())
    return nullptr;
  unsigned RankA = A->rank(), RankB = B->rank();
  if (RankA == 0 || RankB == 0) {
    R.fail("both arguments to matmul need to be at least 1-dimensional, got " +
           A->Sizes.str() + " and " + B->Sizes.str());
    return nullptr;
  }
  if (RankA == 1 && RankB == 1)
    return dot(R, A, B);
  if (RankA == 2 && RankB == 1)
    return mv(R, A, B);
  if (RankA == 1 && RankB == 2)
    return squeezeInPlace(R, mm(R, unsqueeze(R, A, 0), B), 0);
  if (RankA == 2 && RankB == 2)
    return mm(R, A, B);
  Dim Inner = B->size(RankB == 1 ? 0 : RankB - 2);
  if (mismatch(A->size(RankA - 1), Inner)) {
    R.fail("mat1 and mat2 cannot be multiplied: " + A->Sizes.str() + " by " +
           B->Sizes.str());
    return nullptr;
  }
  if (RankA >= 3 && RankB <= 2)
    return foldedMatmul(R, A, B);
  if (RankA <= 2) { // Fold the other side: (B^T A^T)^T, copied.
    T Turned = transpose(R, B, -2, -1), Kept;
    T Out = foldedMatmul(R, Turned, RankA == 2 ? t(R, A) : A, &Kept);
    if (RankA == 1 || !Out)
      return Out;
    return contiguous(R, transpose(R, Out, -2, -1));
  }
  return batchedMatmul(R, A, B);
}

T linear(Runtime &R, const T &Input, const T &Weight, const T &Bias) {
  if (!Input || !Weight || R.failed())
    return nullptr;
  unsigned Rank = Input->rank();
  if (Rank == 0 || mismatch(Input->size(Rank - 1), Weight->size(Weight->rank() - 1))) {
    Shape By;
    By.Dims.assign(Weight->Sizes.Dims.rbegin(), Weight->Sizes.Dims.rend());
    R.fail("mat1 and mat2 cannot be multiplied: " + Input->Sizes.str() +
           " by " + By.str());
    return nullptr;
  }
  if (Rank == 2 && Bias)
    return addmm(R, Bias, Input, t(R, Weight));
  if (Rank == 3 && Bias && Input->isContiguous()) {
    Shape Flat, Out = Input->Sizes;
    Flat.Dims = {Input->size(0) * Input->size(1), Input->size(2)};
    Out.Dims.back() = Weight->size(0);
    return view(R, addmm(R, Bias, reshape(R, Input, Flat), t(R, Weight)), Out);
  }
  T Out = matmul(R, Input, t(R, Weight));
  if (!Bias || !Out)
    return Out;
  Args A;
  A.add("self", Out);
  A.add("other", Bias);
  R.call("add_", A);
  return Out;
}

T functionalLinear(Runtime &R, const T &Input, const T &Weight, const T &Bias) {
  if (!Input || Input->rank() != 3 || !Bias)
    return linear(R, Input, Weight, Bias);
  T Out = linear(R, Input, Weight, nullptr);
  if (!Out)
    return nullptr;
  Args A;
  A.add("self", Out);
  A.add("other", Bias);
  R.call("add_", A);
  return Out;
}

} // namespace aten

void addMatmulOps(OpTable &Rows) {
  Rows.push_back({"mm", [](Runtime &R, const Args &A) {
                    return one(aten::mm(R, A.tensor("self"), A.tensor("mat2")));
                  }});
  Rows.push_back({"bmm", [](Runtime &R, const Args &A) {
                    return one(aten::bmm(R, A.tensor("self"), A.tensor("mat2")));
                  }});
  Rows.push_back({"mv", [](Runtime &R, const Args &A) {
                    return one(aten::mv(R, A.tensor("self"), A.tensor("vec")));
                  }});
  Rows.push_back({"dot", [](Runtime &R, const Args &A) {
                    return one(
                        aten::dot(R, A.tensor("self"), A.tensor("tensor")));
                  }});
  Rows.push_back({"addmm",
                  [](Runtime &R, const Args &A) {
                    return one(aten::addmm(
                        R, A.tensor("self"), A.tensor("mat1"), A.tensor("mat2"),
                        scalarArg(A, "beta", 1), scalarArg(A, "alpha", 1)));
                  },
                  "beta,alpha"});
  Rows.push_back({"matmul", [](Runtime &R, const Args &A) {
                    return one(
                        aten::matmul(R, A.tensor("self"), A.tensor("other")));
                  }});
  Rows.push_back({"linear", [](Runtime &R, const Args &A) {
                    return one(aten::linear(R, A.tensor("input"),
                                            A.tensor("weight"),
                                            A.tensor("bias")));
                  }});
  Rows.push_back({"functional_linear", [](Runtime &R, const Args &A) {
                    return one(aten::functionalLinear(R, A.tensor("input"),
                                                      A.tensor("weight"),
                                                      A.tensor("bias")));
                  }});
}

} // namespace vramlint
