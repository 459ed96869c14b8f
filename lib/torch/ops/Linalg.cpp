//===- lib/torch/ops/Linalg.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of torch::linalg. LAPACK leaves matrices by columns; LU factors and pivots
// that only the gradient needs are kept by the node.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// The matrices: called A, self or input.
T matrix(const Args &A) {
  T X = A.tensor("A");
  X = X ? X : A.tensor("self");
  if (!X)
    for (const auto &[Name, V] : A.List)
      if (const auto *P = std::get_if<T>(&V.V); P && *P && !X)
        X = *P;
  return X;
}

/// False after a failure: \p X is no batch of (square) matrices.
bool checkMatrices(Runtime &R, const T &X, llvm::StringRef Op, bool Square) {
  bool Ok = X && X->Sizes.RankKnown && X->rank() >= 2;
  if (Ok && Square) {
    Dim M = X->size(X->rank() - 2), N = X->size(X->rank() - 1);
    Ok = !M.known() || !N.known() || M == N;
  }
  if (!Ok)
    R.fail(Op.str() + " expects " + (Square ? "square matrices" : "matrices") + ", got " +
           (X ? X->Sizes.str() : "nothing"));
  return Ok;
}

Dim rowsOf(const T &X) { return X->size(X->rank() - 2); }
Dim columnsOf(const T &X) { return X->size(X->rank() - 1); }

OpResult resultOf(std::vector<T> Out, unsigned Shown) {
  if (Out.size() < Shown)
    return one(nullptr);
  if (Shown == 1)
    return one(Out[0]);
  OpResult Res;
  Res.IsTuple = true;
  for (unsigned I = 0; I < Shown; ++I)
    Res.Values.push_back(Arg(std::move(Out[I])));
  return Res;
}

//===----------------------------------------------------------------------===//
// One result of square matrices
//===----------------------------------------------------------------------===//

struct SquareTail {
  llvm::StringRef Name;
  TailRule How;
  bool Columns = true;
  bool Info = false; ///< An int32 per matrix beside it.
};

const SquareTail Squares[] = {
    {"linalg_inv", {"LinalgInvExBackward0", "a"}},
    {"inverse", {"LinalgInvExBackward0", "a"}},
    {"linalg_inv_ex", {"LinalgInvExBackward0", "a"}, true, true},
    {"linalg_cholesky", {"LinalgCholeskyExBackward0", "a"}},
    {"linalg_cholesky_ex", {"LinalgCholeskyExBackward0", "a"}, true, true},
    {"cholesky", {"CholeskyBackward0", "a"}},
    {"cholesky_inverse", {"CholeskyInverseBackward0", "0a"}},
    {"linalg_matrix_exp", {"LinalgMatrixExpBackward0", "0"}, false},
    {"matrix_exp", {"LinalgMatrixExpBackward0", "0"}, false},
};

OpResult squareRow(Runtime &R, const Args &A, const SquareTail &Rule) {
  T X = matrix(A);
  if (!checkMatrices(R, X, Rule.Name, true))
    return one(nullptr);
  return resultOf(tail(R, Rule.How, {X}, [&] {
                    std::vector<T> Out{Rule.Columns ? makeColumns(R, X, X->Sizes, X->Type)
                                                    : aten::emptyContiguous(R, X)};
                    if (Rule.Info)
                      Out.push_back(makeLike(R, X, batched(X, {}), DType::Int32));
                    return Out;
                  }),
                  Rule.Info ? 2 : 1);
}

/// The determinant, with the LU factors that its gradient needs.
OpResult detRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  T X = matrix(A);
  if (!checkMatrices(R, X, Op, true))
    return one(nullptr);
  bool Log = Op == "logdet", Sign = Op.ends_with("slogdet");
  TailRule How = Log    ? TailRule{"WhereBackward0", "bcde"}
                 : Sign ? TailRule{"LinalgSlogdetBackward0", "0acd"}
                        : TailRule{"LinalgDetBackward0", "0abc"};
  return resultOf(tail(R, How, {X}, [&] {
                    Shape S = batched(X, {});
                    std::vector<T> Out{makeLike(R, X, S)};
                    if (Log || Sign)
                      Out.push_back(makeLike(R, X, S));
                    Out.push_back(makeColumns(R, X, X->Sizes, X->Type));
                    Out.push_back(makeLike(R, X, batched(X, {columnsOf(X)}), DType::Int32));
                    if (Log)
                      Out.push_back(makeLike(R, X, S, DType::Bool));
                    return Out;
                  }),
                  Sign ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

struct Svd { T U, S, V; };

std::vector<T> svdKernel(Runtime &R, const T &X, bool Full) {
  Dim M = rowsOf(X), N = columnsOf(X), K = smaller(M, N);
  return {makeColumns(R, X, batched(X, {M, Full ? M : K}), X->Type),
          makeLike(R, X, batched(X, {K}), realType(X->Type)),
          makeColumns(R, X, batched(X, {Full ? N : K, N}), X->Type)};
}

OpResult svdRow(Runtime &R, const Args &A, bool Old) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "svd", false))
    return one(nullptr);
  bool Full = Old ? !A.boolean("some", true) : A.boolean("full_matrices", true);
  auto Out = tail(R, {"LinalgSvdBackward0", "abc"}, {X}, [&] { return svdKernel(R, X, Full); });
  if (Out.size() != 3)
    return one(nullptr);
  T V = Out[2];
  if (Old && V)
    V = aten::transpose(R, V, -2, -1);
  if (Old && !A.boolean("compute_uv", true)) // Zeros stand for the vectors.
    return tuple({makeLike(R, X, batched(X, {rowsOf(X), rowsOf(X)})), Out[1],
                  makeColumns(R, X, batched(X, {columnsOf(X), columnsOf(X)}), X->Type)});
  return tuple({Out[0], Out[1], V});
}

/// Singular values alone; the vectors are made only for a gradient.
T svdvals(Runtime &R, const T &X) {
  if (!checkMatrices(R, X, "svdvals", false))
    return nullptr;
  bool Grad = R.recording() && X->needsGrad();
  auto Out = tail(R, {"LinalgSvdBackward0", "abc"}, {X}, [&] {
    if (!Grad)
      return std::vector<T>{makeLike(R, X, batched(X, {smaller(rowsOf(X), columnsOf(X))}),
                                     realType(X->Type))};
    std::vector<T> All = svdKernel(R, X, false);
    std::swap(All[0], All[1]);
    return All;
  });
  return Out.empty() ? nullptr : Out[0];
}

OpResult qrRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "qr", false))
    return one(nullptr);
  std::string Mode = A.text("mode", A.boolean("some", true) ? "reduced" : "complete");
  Dim M = rowsOf(X), N = columnsOf(X), K = Mode == "complete" ? M : smaller(M, N);
  return resultOf(tail(R, {"LinalgQrBackward0", "ab"}, {X}, [&] {
                    return std::vector<T>{
                        Mode == "r" ? makeLike(R, X, shapeOf({Dim(0)}))
                                    : makeColumns(R, X, batched(X, {M, K}), X->Type),
                        makeColumns(R, X, batched(X, {K, N}), X->Type)};
                  }),
                  2);
}

/// Eigenvalues, and the vectors if they are asked for or a gradient needs them.
OpResult eigenRow(Runtime &R, const Args &A, bool Hermitian, bool Vectors) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "an eigenvalue decomposition", true))
    return one(nullptr);
  DType Values = Hermitian ? realType(X->Type) : complexType(X->Type);
  DType Type = Hermitian ? X->Type : complexType(X->Type);
  bool Grad = R.recording() && X->needsGrad();
  TailRule How{Hermitian ? "LinalgEighBackward0" : "LinalgEigBackward0", "ab"};
  return resultOf(tail(R, How, {X}, [&] {
                    std::vector<T> Out{makeLike(R, X, batched(X, {columnsOf(X)}), Values)};
                    if (Vectors || Grad)
                      Out.push_back(makeColumns(R, X, X->Sizes, Type));
                    return Out;
                  }),
                  Vectors ? 2 : 1);
}

OpResult symeigRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "symeig", true))
    return one(nullptr);
  bool Vectors = A.boolean("eigenvectors", false);
  return resultOf(tail(R, {Vectors ? "SymeigBackward0" : "!SymeigBackward0", "ab"}, {X}, [&] {
                    return std::vector<T>{
                        makeLike(R, X, batched(X, {columnsOf(X)}), realType(X->Type)),
                        Vectors ? makeColumns(R, X, X->Sizes, X->Type)
                                : makeLike(R, X, shapeOf({Dim(0)}))};
                  }),
                  2);
}

OpResult luRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  bool Unpack = Op == "lu_unpack";
  T X = Unpack ? A.tensor("LU_data") : matrix(A);
  if (!checkMatrices(R, X, Op, false))
    return one(nullptr);
  Dim M = rowsOf(X), N = columnsOf(X), K = smaller(M, N);
  if (Op.contains("factor")) {
    bool Info = Op.ends_with("_ex");
    return resultOf(tail(R, {"LinalgLuFactorExBackward0", "ab"}, {X}, [&] {
                      std::vector<T> Out{makeColumns(R, X, X->Sizes, X->Type),
                                         makeLike(R, X, batched(X, {K}), DType::Int32)};
                      if (Info)
                        Out.push_back(makeLike(R, X, batched(X, {}), DType::Int32));
                      return Out;
                    }),
                    Info ? 3 : 2);
  }
  TailRule How = Unpack ? TailRule{"LuUnpackBackward0", "0"} : TailRule{"LinalgLuBackward0", "abc"};
  return resultOf(tail(R, How, {X}, [&] {
                    return std::vector<T>{makeLike(R, X, batched(X, {M, M})),
                                          makeLike(R, X, batched(X, {M, K})),
                                          makeLike(R, X, batched(X, {K, N}))};
                  }),
                  3);
}

OpResult ldlRow(Runtime &R, const Args &A, bool Info) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "ldl_factor", true))
    return one(nullptr);
  return resultOf(tail(R, {"!NotImplemented", ""}, {X}, [&] {
                    std::vector<T> Out{makeColumns(R, X, X->Sizes, X->Type),
                                       makeLike(R, X, batched(X, {columnsOf(X)}), DType::Int32)};
                    if (Info)
                      Out.push_back(makeLike(R, X, batched(X, {}), DType::Int32));
                    return Out;
                  }),
                  Info ? 3 : 2);
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

OpResult solveRow(Runtime &R, const Args &A, bool Info) {
  T X = matrix(A), B = A.tensor("B");
  B = B ? B : A.tensor("other");
  if (!B || !checkMatrices(R, X, "solve", true))
    return one(nullptr);
  bool Vector = B->rank() == 1 || (B->rank() + 1 == X->rank() && B->rank() >= 1 &&
                                   B->size(B->rank() - 1) == rowsOf(X));
  Dim Rows = B->size(Vector ? B->rank() - 1 : B->rank() - 2);
  if (Rows.known() && rowsOf(X).known() && Rows != rowsOf(X)) {
    R.fail("solve: matrices of " + X->Sizes.str() + " and a right side of " + B->Sizes.str());
    return one(nullptr);
  }
  auto Out = tail(R, {"LinalgSolveExBackward0", "0abc"}, {X, B}, [&] {
    std::vector<T> All{Vector ? makeLike(R, B, B->Sizes) : makeColumns(R, B, B->Sizes, B->Type),
                       makeColumns(R, X, X->Sizes, X->Type),
                       makeLike(R, X, batched(X, {columnsOf(X)}), DType::Int32)};
    if (Info)
      All.push_back(makeLike(R, X, batched(X, {}), DType::Int32));
    return All;
  });
  if (Out.size() < 3)
    return one(nullptr);
  return Info ? tuple({Out[0], Out[3]}) : one(Out[0]);
}

/// Equations whose result has the form of one input, by columns.
struct SolveTail {
  llvm::StringRef Name;
  llvm::SmallVector<llvm::StringRef, 3> Inputs;
  unsigned Like;
  TailRule How;
};

const SolveTail Solves[] = {
    {"linalg_solve_triangular", {"self", "B"}, 1, {"LinalgSolveTriangularBackward0", "0a"}},
    {"cholesky_solve", {"self", "input2"}, 0, {"CholeskySolveBackward0", "01a"}},
    {"linalg_lu_solve", {"LU", "pivots", "B"}, 2, {"LinalgLuSolveBackward0", "01a", "nun"}},
    {"lu_solve", {"LU_data", "LU_pivots", "self"}, 2, {"LinalgLuSolveBackward0", "01a", "nun"}},
    {"linalg_householder_product", {"input", "tau"}, 0, {"LinalgHouseholderProductBackward0", "01a"}},
    {"orgqr", {"self", "input2"}, 0, {"LinalgHouseholderProductBackward0", "01a"}},
    {"ormqr", {"input3", "self", "input2"}, 0, {"!OrmqrBackward0", ""}},
    {"linalg_ldl_solve", {"B", "LD", "pivots"}, 0, {"!NotImplemented", ""}},
};

OpResult solveTail(Runtime &R, const Args &A, const SolveTail &Rule) {
  llvm::SmallVector<T, 3> In;
  for (llvm::StringRef Name : Rule.Inputs)
    In.push_back(A.tensor(Name));
  T Like = In[Rule.Like];
  if (!Like || Like->rank() < 2 || !In[0])
    return OpResult::failed((Rule.Name + " expects matrices").str());
  return one(tailOne(R, Rule.How, In,
                     [&] { return makeColumns(R, Like, Like->Sizes, Like->Type); }));
}

OpResult triangularSolveRow(Runtime &R, const Args &A) {
  T B = A.tensor("self"), X = A.tensor("A");
  if (!B || !checkMatrices(R, X, "triangular_solve", true))
    return one(nullptr);
  return resultOf(tail(R, {"TriangularSolveBackward0", "01a"}, {B, X}, [&] {
                    return std::vector<T>{makeColumns(R, B, B->Sizes, B->Type),
                                          makeColumns(R, X, X->Sizes, X->Type)};
                  }),
                  2);
}

OpResult lstsqRow(Runtime &R, const Args &A) {
  T X = matrix(A), B = A.tensor("b");
  B = B ? B : A.tensor("B");
  if (!B || B->rank() < 2 || !checkMatrices(R, X, "lstsq", false))
    return one(nullptr);
  return resultOf(tail(R, {"LinalgLstsqBackward0", "01"}, {X, B}, [&] {
                    T Full = makeColumns(R, B, B->Sizes, B->Type);
                    Full->Strides = Full->strides();
                    Full->Sizes.Dims[B->rank() - 2] = columnsOf(X);
                    auto None = [&] { return makeLike(R, X, shapeOf({Dim(0)})); };
                    return std::vector<T>{Full, None(),
                                          makeLike(R, X, batched(X, {}), DType::Int64), None()};
                  }),
                  4);
}

OpResult geqrfRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "geqrf", false))
    return one(nullptr);
  return resultOf(tail(R, {"!GeqrfBackward0", ""}, {X}, [&] {
                    return std::vector<T>{
                        makeColumns(R, X, X->Sizes, X->Type),
                        makeLike(R, X, batched(X, {smaller(rowsOf(X), columnsOf(X))}))};
                  }),
                  2);
}

OpResult pinvRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "pinv", false))
    return one(nullptr);
  return one(tailOne(R, {"LinalgPinvBackward0", "0a"}, {X}, [&] {
    return makeLike(R, X, batched(X, {columnsOf(X), rowsOf(X)}));
  }));
}

OpResult rankRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!checkMatrices(R, X, "matrix_rank", false))
    return one(nullptr);
  BelowAutograd Guard(R);
  return one(makeLike(R, X, batched(X, {}), DType::Int64));
}

/// at::native::linalg_matrix_power: small powers spelled out, others by squaring.
OpResult powerRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  auto N = A.integer("n");
  if (!N || !checkMatrices(R, X, "matrix_power", true))
    return N ? one(nullptr) : OpResult::notModelled("matrix_power by an unknown number");
  if (*N == 0)
    return one(tailOne(R, {"CopyBackwards", "", "e"}, {X},
                       [&] { return aten::emptyContiguous(R, X); }));
  if (*N < 0)
    X = callOne(R, "linalg_inv", {{"A", Arg(X)}});
  // Not -N, which the least number has not.
  uint64_t Left = *N < 0 ? 0 - uint64_t(*N) : uint64_t(*N);
  if (Left <= 3) {
    T Out = X;
    for (uint64_t I = 1; I < Left; ++I)
      Out = aten::matmul(R, Out, X);
    return one(Out);
  }
  T Square, Out;
  for (; Left; Left /= 2) {
    Square = Square ? aten::matmul(R, Square, Square) : X;
    if (Left % 2)
      Out = Out ? aten::matmul(R, Out, Square) : Square;
  }
  return one(Out);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

T vectorNorm(Runtime &R, const T &X, llvm::ArrayRef<int64_t> Over, bool Keep,
             std::optional<DType> Type) {
  if (!X || R.failed())
    return nullptr;
  Shape S = aten::reducedShape(R, X, Over, Keep);
  if (R.failed())
    return nullptr;
  return tailOne(R, {"LinalgVectorNormBackward0", "0a"}, {X}, [&] {
    R.flops(saturatingMul({2, X->elements()}));
    return makeLike(R, X, S, Type.value_or(realType(X->Type)));
  });
}

T extreme(Runtime &R, const T &X, int64_t D, bool Keep) {
  return callOne(R, "amax", {{"self", Arg(X)}, {"dim", Arg(Arg::Ints{D})}, {"keepdim", Arg(Keep)}});
}

/// A matrix norm by \p Ord: "fro", "nuc", 2, or another number.
T matrixNorm(Runtime &R, const T &X, const Args &A, bool Keep) {
  std::string Text = A.text("ord", "");
  auto Type = A.dtype("dtype");
  Arg::Ints Given = A.ints("dim");
  int64_t D0 = Given.size() == 2 ? Given[0].value_or(-2) : -2;
  int64_t D1 = Given.size() == 2 ? Given[1].value_or(-1) : -1;
  bool Number = Text.empty() && A.has("ord");
  if (!Number && Text != "nuc")
    return vectorNorm(R, X, {D0, D1}, Keep, Type);
  double Ord = A.number("ord", 2);
  bool Singular = Text == "nuc" || Ord == 2 || Ord == -2;
  if (!Singular) {
    bool Columns = Ord == 1 || Ord == -1;
    auto Sum = wrapDim(R, Columns ? D0 : D1, X->rank());
    auto Of = wrapDim(R, Columns ? D1 : D0, X->rank());
    T Sums = Sum && Of ? vectorNorm(R, X, {int64_t(*Sum)}, Keep, Type) : nullptr;
    return Sums ? extreme(R, Sums, int64_t(*Of) - (!Keep && *Of > *Sum), Keep) : nullptr;
  }
  if (Given.size() == 2 && (D0 != -2 || D1 != -1)) {
    auto A0 = wrapDim(R, D0, X->rank()), A1 = wrapDim(R, D1, X->rank());
    if (!A0 || !A1)
      return nullptr;
    if (*A0 + 2 != X->rank() || *A1 + 1 != X->rank()) {
      R.failNotModelled("a norm of singular values along other dimensions");
      return nullptr;
    }
  }
  T S = svdvals(R, X);
  T Out = Text == "nuc" ? aten::sum(R, S, {-1}, Keep) : extreme(R, S, -1, Keep);
  return Keep ? aten::unsqueeze(R, Out, -1) : Out;
}

OpResult normRow(Runtime &R, const Args &A, llvm::StringRef Op) {
  T X = matrix(A);
  if (!X)
    return OpResult::failed("norm of an undefined tensor", FailureKind::Other);
  if (!isFloating(X->Type))
    return OpResult::failed("norm expects floating point numbers, got " + dtypeName(X->Type).str(),
                            FailureKind::Other);
  bool Keep = A.boolean("keepdim", false);
  llvm::SmallVector<int64_t, 4> Over = dimsOf(A);
  bool Matrix = Op == "linalg_matrix_norm" ||
                (Op == "linalg_norm" && A.has("ord") &&
                 (Over.size() == 2 || (Over.empty() && X->rank() == 2)));
  if (Matrix)
    return checkMatrices(R, X, Op, false) ? one(matrixNorm(R, X, A, Keep)) : one(nullptr);
  return one(vectorNorm(R, X, Over, Keep, A.dtype("dtype")));
}

OpResult condRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  T S = svdvals(R, X);
  if (!S)
    return one(nullptr);
  T Top = aten::select(R, S, -1), Bottom = aten::select(R, S, -1);
  return one(aten::div(R, Top, Bottom));
}

OpResult nuclearRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  return one(aten::sum(R, svdvals(R, X), {-1}, A.boolean("keepdim", false)));
}

//===----------------------------------------------------------------------===//
// Inverses of many dimensions
//===----------------------------------------------------------------------===//

Dim product(llvm::ArrayRef<Dim> Dims) {
  Dim N(1);
  for (Dim D : Dims)
    N = N * D;
  return N;
}

OpResult tensorinvRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  int64_t Ind = A.integer("ind", 2);
  if (!X || Ind < 1 || Ind >= int64_t(X->rank()))
    return OpResult::failed("tensorinv expects more dimensions than ind");
  llvm::ArrayRef<Dim> All = X->Sizes.Dims;
  Shape S;
  S.Dims.append(All.begin() + Ind, All.end());
  S.Dims.append(All.begin(), All.begin() + Ind);
  T Flat = aten::reshape(R, X, shapeOf({product(All.take_front(Ind)), product(All.drop_front(Ind))}));
  return one(aten::reshape(R, callOne(R, "linalg_inv", {{"A", Arg(Flat)}}), S));
}

OpResult tensorsolveRow(Runtime &R, const Args &A) {
  T X = matrix(A), B = A.tensor("other");
  B = B ? B : A.tensor("B");
  if (!X || !B || B->rank() > X->rank())
    return OpResult::failed("tensorsolve expects a right side of fewer dimensions");
  if (!A.ints("dims").empty())
    return OpResult::notModelled("tensorsolve with dims");
  llvm::ArrayRef<Dim> Rest = llvm::ArrayRef<Dim>(X->Sizes.Dims).drop_front(B->rank());
  Dim N = product(Rest);
  Shape S;
  S.Dims.append(Rest.begin(), Rest.end());
  T Flat = aten::reshape(R, X, shapeOf({Dim(N), Dim(N)}));
  T Right = aten::reshape(R, B, shapeOf({product(B->Sizes.Dims)}));
  return one(aten::reshape(R, callOne(R, "linalg_solve", {{"A", Arg(Flat)}, {"B", Arg(Right)}}), S));
}

OpResult vanderRow(Runtime &R, const Args &A) {
  T X = matrix(A);
  if (!X || X->rank() == 0)
    return OpResult::failed("vander expects at least one dimension");
  Shape S = X->Sizes;
  S.Dims.push_back(A.has("N") ? toDim(A.integer("N")) : X->size(X->rank() - 1));
  return one(tailOne(R, {"FlipBackward0", ""}, {X}, [&] { return makeLike(R, X, S); }));
}

void addDecompositions(OpTable &Rows) {
  for (bool Old : {false, true})
    Rows.push_back({Old ? "svd" : "linalg_svd",
                    [Old](Runtime &R, const Args &A) { return svdRow(R, A, Old); },
                    "driver", false, true});
  Rows.push_back({"linalg_svdvals",
                  [](Runtime &R, const Args &A) { return one(svdvals(R, matrix(A))); },
                  "driver", false, true});
  for (llvm::StringRef Name : {"linalg_qr", "qr"})
    Rows.push_back({Name, qrRow, "", false, true});
  static const std::tuple<llvm::StringRef, bool, bool> Eigen[] = {
      {"linalg_eig", false, true}, {"linalg_eigh", true, true},
      {"linalg_eigvals", false, false}, {"linalg_eigvalsh", true, false}};
  for (auto &[Name, Hermitian, Vectors] : Eigen)
    Rows.push_back({Name,
                    [H = Hermitian, V = Vectors](Runtime &R, const Args &A) {
                      return eigenRow(R, A, H, V);
                    },
                    "UPLO", false, true});
  Rows.push_back({"symeig", symeigRow, "upper", false, true});
  for (llvm::StringRef Name : {"linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex", "lu_unpack"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) { return luRow(R, A, Name); },
                    "pivot,check_errors", false, true});
  for (bool Info : {false, true})
    Rows.push_back({Info ? "linalg_ldl_factor_ex" : "linalg_ldl_factor",
                    [Info](Runtime &R, const Args &A) { return ldlRow(R, A, Info); },
                    "", false, true});
  Rows.push_back({"geqrf", geqrfRow, "", false, true});
}

} // namespace

void addLinalgOps(OpTable &Rows) {
  for (const SquareTail &Rule : Squares)
    Rows.push_back({Rule.Name,
                    [&Rule](Runtime &R, const Args &A) { return squareRow(R, A, Rule); },
                    "upper,check_errors", false, true});
  for (llvm::StringRef Name : {"det", "linalg_det", "logdet", "slogdet", "linalg_slogdet"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) { return detRow(R, A, Name); },
                    "", false, true});
  addDecompositions(Rows);
  for (bool Info : {false, true})
    Rows.push_back({Info ? "linalg_solve_ex" : "linalg_solve",
                    [Info](Runtime &R, const Args &A) { return solveRow(R, A, Info); },
                    "left", false, true});
  for (const SolveTail &Rule : Solves)
    Rows.push_back({Rule.Name,
                    [&Rule](Runtime &R, const Args &A) { return solveTail(R, A, Rule); },
                    "upper,left,unitriangular,transpose,adjoint", false, true});
  Rows.push_back({"triangular_solve", triangularSolveRow, "", false, true});
  Rows.push_back({"linalg_lstsq", lstsqRow, "rcond,driver", false, true});
  for (llvm::StringRef Name : {"linalg_pinv", "pinverse"})
    Rows.push_back({Name, pinvRow, "rcond,rtol,atol,hermitian", false, true});
  Rows.push_back({"linalg_matrix_rank", rankRow, "tol,rtol,atol,hermitian", false, true});
  for (llvm::StringRef Name : {"linalg_matrix_power", "matrix_power"})
    Rows.push_back({Name, powerRow, "", false, true});
  for (llvm::StringRef Name : {"linalg_norm", "linalg_vector_norm", "linalg_matrix_norm"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) { return normRow(R, A, Name); },
                    "", false, true});
  Rows.push_back({"linalg_cond", condRow, "p", false, true});
  Rows.push_back({"nuclear_norm", nuclearRow, "", false, true});
  Rows.push_back({"linalg_tensorinv", tensorinvRow, "", false, true});
  Rows.push_back({"linalg_tensorsolve", tensorsolveRow, "", false, true});
  for (llvm::StringRef Name : {"vander", "linalg_vander"})
    Rows.push_back({Name, vanderRow, "increasing", false, true});
}

} // namespace vramlint
