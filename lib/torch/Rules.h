//===- lib/torch/Rules.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// ATen on tensors without data: the functions that op rows, backward formulas,
// modules and optimizers are written in. Each allocates what the ATen function of
// the same name allocates, in its order, and records its autograd node. Null
// tensors are undefined ones; after Runtime::fail() all results are null.
//
// Memory is what these mirror, so a formula is written as in LibTorch's
// derivatives.yaml: its temporaries die at the end of the full expression.

#pragma once

#include "lib/torch/OpEntry.h"
#include "lib/torch/Runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace vramlint {

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

Dim operator+(Dim A, Dim B); ///< Saturating; unknown if either is.
Dim operator-(Dim A, Dim B); ///< Not below zero.
Dim operator*(Dim A, Dim B);
Dim operator/(Dim A, Dim B); ///< Rounds down; unknown for a divisor of 0.
/// The length of an Arg's integer: absent and negative ones are unknown.
Dim toDim(const Arg::Int &I);
/// \p DimIndex from 0 to \p Rank - 1 (negative ones count from the end), or
/// nothing after a failure.
std::optional<unsigned> wrapDim(Runtime &R, int64_t DimIndex, unsigned Rank);
int64_t saturatingMul(std::initializer_list<int64_t> Factors); ///< -1 poisons.

/// A C++ number: only its kind matters.
struct Scalar {
  enum KindTy { Integer, Floating, Boolean } Kind = Floating;
  double Value = 0;
  Scalar() = default;
  Scalar(int N) : Kind(Integer), Value(N) {}
  Scalar(int64_t N) : Kind(Integer), Value(double(N)) {}
  Scalar(double F) : Kind(Floating), Value(F) {}
  Scalar(bool B) : Kind(Boolean), Value(B) {}
  DType type() const {
    return Kind == Integer ? DType::Int64
                           : Kind == Boolean ? DType::Bool : DType::Float64;
  }
};
/// The number bound to \p Name; \p Default if there is none.
Scalar scalarArg(const Args &A, llvm::StringRef Name, Scalar Default);

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

/// The autograd side of one op, in the order of LibTorch's VariableType: the node
/// is made and inputs saved before the kernel runs, results are bound after.
///
///   Record Rec(R, "TanhBackward0", {Self});   // from here on ops record nothing
///   TensorRef Out = …kernel…;
///   return Rec.result(Out, {}, {Out}, [](Runtime &R, Node &N, auto &G) {…});
inline namespace recording { // The machine has a Record of its own.
class Record {
public:
  Record(Runtime &R, llvm::StringRef Name, llvm::ArrayRef<TensorRef> Inputs);
  ~Record();
  Record(const Record &) = delete;

  /// There is a node: some input needs a gradient.
  explicit operator bool() const { return bool(N); }
  bool needs(unsigned I) const { return N && N->needs(I); }
  /// Keeps \p T (null: an empty slot); slots are numbered in order.
  Record &save(const TensorRef &T);
  Record &saveIf(bool Wanted, const TensorRef &T) {
    return save(Wanted ? T : TensorRef());
  }
  Record &saveResult(const TensorRef &T);
  /// Binds \p T as the next output. It is returned as it came.
  TensorRef output(const TensorRef &T);
  void backward(Node::BackwardFn Fn);
  TensorRef result(const TensorRef &T, Node::BackwardFn Fn);
  /// Makes the node the history of \p Self, which an in-place op has changed.
  /// False after a failure. Set the backward function first.
  bool inPlace(const TensorRef &Self);

private:
  Runtime &R;
  NodeRef N;
};
} // namespace recording

/// While alive, ops record no nodes (below autograd's dispatch key).
class BelowAutograd {
public:
  explicit BelowAutograd(Runtime &R) : R(R) { ++R.Below; }
  ~BelowAutograd() { --R.Below; }
  BelowAutograd(const BelowAutograd &) = delete;

private:
  Runtime &R;
};

using Grads = Node::Gradients;

/// One result, or the failure that Runtime::fail left.
OpResult one(const TensorRef &T);
OpResult tuple(std::initializer_list<TensorRef> Ts);
OpResult list(std::vector<TensorRef> Ts);

namespace aten {

//===----------------------------------------------------------------------===//
// Elementwise (rules/Pointwise.cpp)
//===----------------------------------------------------------------------===//

DType resultType(llvm::ArrayRef<TensorRef> Ts);
/// The shape that \p A and \p B broadcast to; fails if they do not.
Shape broadcast(Runtime &R, const Shape &A, const Shape &B);

enum class Iter : uint8_t {
  Plain,        ///< The result has the common dtype.
  IntToFloat,   ///< Integers become floats (div, exp, sigmoid …).
  Compare,      ///< The result is bool.
};
/// TensorIterator: casts operands to the common dtype (CPU only), allocates the
/// result, lets the casts die. \p Out: an in-place operand, cast back if needed.
/// \p Owned: an operand that the iterator owns; it dies before the casts.
TensorRef iterate(Runtime &R, llvm::ArrayRef<TensorRef> Operands,
                  Iter How = Iter::Plain, const TensorRef &Out = nullptr,
                  TensorRef *Owned = nullptr);
/// The 0-dimensional CPU tensor that ATen makes of a C++ number.
TensorRef wrapped(Runtime &R, Scalar S);
/// at::scalar_tensor(s, like.options()).
TensorRef scalarLike(Runtime &R, const TensorRef &Like);
/// New storage of the shape and strides of \p T (empty_like, preserve_format).
TensorRef emptyLike(Runtime &R, const TensorRef &T,
                    std::optional<DType> Type = std::nullopt);
TensorRef emptyContiguous(Runtime &R, const TensorRef &T);

TensorRef add(Runtime &R, const TensorRef &A, const TensorRef &B,
              Scalar Alpha = 1);
TensorRef add(Runtime &R, const TensorRef &A, Scalar B);
TensorRef sub(Runtime &R, const TensorRef &A, const TensorRef &B,
              Scalar Alpha = 1);
TensorRef sub(Runtime &R, const TensorRef &A, Scalar B);
TensorRef rsub(Runtime &R, const TensorRef &A, Scalar B);
TensorRef mul(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef mul(Runtime &R, const TensorRef &A, Scalar B);
TensorRef div(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef div(Runtime &R, const TensorRef &A, Scalar B);
/// The gradient of an operand that was scaled by \p S: 1 costs nothing.
TensorRef maybeMultiply(Runtime &R, const TensorRef &G, Scalar S);
TensorRef neg(Runtime &R, const TensorRef &A);
TensorRef pow(Runtime &R, const TensorRef &A, Scalar Exponent);
TensorRef sqrt(Runtime &R, const TensorRef &A);
TensorRef relu(Runtime &R, const TensorRef &A);
TensorRef tanh(Runtime &R, const TensorRef &A);
TensorRef sigmoid(Runtime &R, const TensorRef &A);
TensorRef exp(Runtime &R, const TensorRef &A);
TensorRef log(Runtime &R, const TensorRef &A);
TensorRef absInPlace(Runtime &R, const TensorRef &A);
TensorRef clamp(Runtime &R, const TensorRef &Self, bool Min, bool Max);
/// The same, by a limit that may make floats of integers.
TensorRef clampTo(Runtime &R, const TensorRef &Self, bool Min, bool Max, Scalar Limit);
TensorRef maximum(Runtime &R, const TensorRef &A, const TensorRef &B);
/// Comparison with a tensor or a number.
TensorRef compare(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef compare(Runtime &R, const TensorRef &A, Scalar B);
TensorRef where(Runtime &R, const TensorRef &Condition, const TensorRef &A,
                const TensorRef &B);
TensorRef maskedFill(Runtime &R, const TensorRef &Self, const TensorRef &Mask);
/// self.op_(other) for add_, sub_, mul_, div_ and their kin on raw memory: no
/// autograd.
/// What most backward kernels allocate: one tensor like gradient and \p Saved.
TensorRef elementwiseGradient(Runtime &R, const TensorRef &G,
                              const TensorRef &Saved);
void addInPlace(Runtime &R, const TensorRef &Self, const TensorRef &Other);
void scalarInPlace(Runtime &R, const TensorRef &Self, Scalar S);

//===----------------------------------------------------------------------===//
// Copies, layouts and views (rules/View.cpp)
//===----------------------------------------------------------------------===//

TensorRef clone(Runtime &R, const TensorRef &T);
TensorRef contiguous(Runtime &R, const TensorRef &T);
TensorRef toDType(Runtime &R, const TensorRef &T, DType Type);
TensorRef to(Runtime &R, const TensorRef &T, std::optional<Device> D,
             std::optional<DType> Type, bool Copy = false);
void copyInPlace(Runtime &R, const TensorRef &Self, const TensorRef &Source);
TensorRef expand(Runtime &R, const TensorRef &T, const Shape &To);
TensorRef view(Runtime &R, const TensorRef &T, const Shape &To);
TensorRef reshape(Runtime &R, const TensorRef &T, const Shape &To);
/// A shape from view's or reshape's argument, -1 filled in; fails if it cannot.
std::optional<Shape> inferShape(Runtime &R, const TensorRef &T,
                                const Arg::Ints &Sizes);
TensorRef transpose(Runtime &R, const TensorRef &T, int64_t A, int64_t B);
TensorRef t(Runtime &R, const TensorRef &T);
TensorRef permute(Runtime &R, const TensorRef &T, llvm::ArrayRef<int64_t> Order);
TensorRef unsqueeze(Runtime &R, const TensorRef &T, int64_t DimIndex);
TensorRef squeeze(Runtime &R, const TensorRef &T, int64_t DimIndex);
/// Tensor::squeeze_(dim).
TensorRef squeezeInPlace(Runtime &R, const TensorRef &T, int64_t DimIndex);
/// \p At: the index, where it is known; out of range is refused.
TensorRef select(Runtime &R, const TensorRef &T, int64_t DimIndex,
                 std::optional<int64_t> At = std::nullopt);
/// \p Length elements with \p Step along \p DimIndex.
TensorRef slice(Runtime &R, const TensorRef &T, int64_t DimIndex, Dim Start,
                Dim Length, int64_t Step = 1);
TensorRef narrow(Runtime &R, const TensorRef &T, int64_t DimIndex, Dim Start,
                 Dim Length);
TensorRef cat(Runtime &R, llvm::ArrayRef<TensorRef> Ts, int64_t DimIndex);
TensorRef zeros(Runtime &R, Shape S, DType T, Device D);
/// Strides that an empty_strided of the same layout takes; empty: contiguous.
llvm::SmallVector<int64_t, 4> emptyStridesLike(const TensorImpl &T);
TensorRef zerosLike(Runtime &R, const TensorRef &T);
/// A raw view, no autograd: same storage, given shape and strides.
TensorRef rawView(Runtime &R, const TensorRef &T, Shape S,
                  llvm::ArrayRef<int64_t> Strides);
/// The node of \p View as an as_strided of \p Base.
NodeRef asStridedNode(Runtime &R, const TensorRef &Base, const TensorImpl &View);
/// as_strided_backward: from the gradient of a view that of a tensor of shape
/// \p From; both with their strides.
TensorRef asStridedBackward(Runtime &R, TensorRef G, const Shape &From,
                            llvm::ArrayRef<int64_t> FromStrides,
                            llvm::ArrayRef<int64_t> Strides);
/// Tensor::detach().
TensorRef detach(Runtime &R, const TensorRef &T);

/// utils::obeys_layout_contract: a gradient may be taken over for \p Leaf.
bool obeysLayout(const TensorImpl &Gradient, const TensorImpl &Leaf);
/// utils::clone_obey_contract.
TensorRef cloneLike(Runtime &R, const TensorRef &Gradient,
                    const TensorImpl &Leaf);

//===----------------------------------------------------------------------===//
// Reductions (rules/Reduce.cpp)
//===----------------------------------------------------------------------===//

/// at::sum_to: what backward does to a gradient of a broadcast operand.
TensorRef sumTo(Runtime &R, const TensorRef &T, const Shape &To);
TensorRef sum(Runtime &R, const TensorRef &T,
              std::optional<DType> Type = std::nullopt);
TensorRef sum(Runtime &R, const TensorRef &T, llvm::ArrayRef<int64_t> DimIndices,
              bool KeepDim, std::optional<DType> Type = std::nullopt);
TensorRef mean(Runtime &R, const TensorRef &T);
TensorRef mean(Runtime &R, const TensorRef &T,
               llvm::ArrayRef<int64_t> DimIndices, bool KeepDim,
               std::optional<DType> Type = std::nullopt);
/// \p G, the gradient of a reduced tensor, seen with the shape before: views.
TensorRef unreduce(Runtime &R, TensorRef G, const Shape &To,
                   llvm::ArrayRef<int64_t> DimIndices, bool KeepDim);
/// unsqueeze_multiple: \p G with a length of 1 again where it was reduced.
TensorRef unsqueezeAll(Runtime &R, TensorRef G, unsigned Rank,
                       llvm::ArrayRef<int64_t> DimIndices);
/// The shape after reducing \p DimIndices (empty: all).
Shape reducedShape(Runtime &R, const TensorRef &T,
                   llvm::ArrayRef<int64_t> DimIndices, bool KeepDim);

//===----------------------------------------------------------------------===//
// Products (ops/Matmul.cpp)
//===----------------------------------------------------------------------===//

TensorRef mm(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef bmm(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef addmm(Runtime &R, const TensorRef &Self, const TensorRef &A,
                const TensorRef &B, Scalar Beta = 1, Scalar Alpha = 1);
TensorRef mv(Runtime &R, const TensorRef &A, const TensorRef &V);
TensorRef dot(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef matmul(Runtime &R, const TensorRef &A, const TensorRef &B);
TensorRef linear(Runtime &R, const TensorRef &Input, const TensorRef &Weight,
                 const TensorRef &Bias);
/// torch::nn::functional::linear: at::linear folds batches of matrices, this not.
TensorRef functionalLinear(Runtime &R, const TensorRef &Input,
                           const TensorRef &Weight, const TensorRef &Bias);

//===----------------------------------------------------------------------===//
// Softmax, loss, dropout (ops/Loss.cpp, ops/Dropout.cpp)
//===----------------------------------------------------------------------===//

TensorRef softmax(Runtime &R, const TensorRef &T, int64_t DimIndex,
                  std::optional<DType> Type = std::nullopt);
TensorRef logSoftmax(Runtime &R, const TensorRef &T, int64_t DimIndex,
                     std::optional<DType> Type = std::nullopt);
/// The loss reduced as 0 none, 1 mean, 2 sum.
TensorRef meanLoss(Runtime &R, const TensorRef &Loss, int64_t Reduce);
TensorRef dropout(Runtime &R, const TensorRef &T, double P, bool Train);

} // namespace aten
} // namespace vramlint
