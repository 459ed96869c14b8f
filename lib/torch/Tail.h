//===- lib/torch/Tail.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The long tail of ops: rows that state what a call gives, what its one
// autograd node keeps and which gradients it makes, but not the temporaries of
// its kernels. Runtime::scratch bounds those, so that figures which rest on
// them say that they are estimates. Shapes, dtypes, views and saved bytes are
// exact all the same (test/oracle/shapes).

#pragma once

#include "lib/torch/Rules.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace vramlint {

struct TailRule {
  /// Empty: no gradient flows. "!…": a node whose backward LibTorch refuses.
  llvm::StringRef Node;
  /// What the node keeps: "0" to "9" are the inputs, "a" to "j" the results.
  llvm::StringRef Saves = "";
  /// The gradient of each input: n(ew, of the input's form), the same without
  /// temporaries (e), c(omplex memory of which the real part is taken), of the
  /// s(ize) of the result's, the result's gradient g(oes on), v(iew of that),
  /// u(ndefined).
  /// The last letter stands for the inputs after it; nothing is "n".
  llvm::StringRef Grads = "n";
};

/// Was the row \p Name measured to need no memory but what its rule states,
/// forward and backward? Then its temporaries are counted: there are none.
bool isCounted(llvm::StringRef Name);

using TailKernel = llvm::function_ref<std::vector<TensorRef>()>;

/// Runs \p Kernel below autograd as one op of \p Inputs. The floating ones
/// among its results are the node's outputs.
std::vector<TensorRef> tail(Runtime &R, const TailRule &How,
                            llvm::ArrayRef<TensorRef> Inputs,
                            TailKernel Kernel);
/// The same with one result.
TensorRef tailOne(Runtime &R, const TailRule &How,
                  llvm::ArrayRef<TensorRef> Inputs,
                  llvm::function_ref<TensorRef()> Kernel);
/// Inputs[0] is changed. If it is kept, then as a copy of what it was.
TensorRef tailInPlace(Runtime &R, const TailRule &How,
                      llvm::ArrayRef<TensorRef> Inputs,
                      llvm::function_ref<void()> Kernel);
/// A view of Inputs[0], made by \p Kernel.
TensorRef tailView(Runtime &R, const TailRule &How, const TensorRef &Input,
                   llvm::function_ref<TensorRef()> Kernel);

/// The dimensions of \p T but the last two, then \p Last.
Shape batched(const TensorRef &T, std::initializer_list<Dim> Last);
Shape shapeOf(std::initializer_list<Dim> Dims);
TensorRef makeLike(Runtime &R, const TensorRef &T, Shape S);
TensorRef makeLike(Runtime &R, const TensorRef &T, Shape S, DType Type);
/// Matrices whose columns lie together, as LAPACK leaves them.
TensorRef makeColumns(Runtime &R, const TensorRef &T, Shape S, DType Type);
Dim smaller(Dim A, Dim B);
DType realType(DType T);
DType complexType(DType T);
/// The numbers of \p L; one that is not known is 0.
llvm::SmallVector<int64_t, 4> orZero(const Arg::Ints &L);
/// The dimensions bound to "dim": one or a list; none is all of them.
llvm::SmallVector<int64_t, 4> dimsOf(const Args &A);
/// A loss's "reduction": 0 none, 1 mean (nothing given), 2 sum; nothing if
/// unknown.
std::optional<int64_t> reductionOf(const Args &A);
using LossFn = TensorRef (*)(Runtime &R, const Args &A, int64_t Reduce);
/// A row of a loss, whose reduction must be known.
void addLoss(OpTable &Rows, llvm::StringRef Name, LossFn Fn,
             llvm::StringRef MayBeUnknown, bool ScratchUnknown);
/// Calls the row \p Name on the arguments given; its first tensor, or null.
TensorRef callOne(Runtime &R, llvm::StringRef Name,
                  std::initializer_list<std::pair<const char *, Arg>> Given);

} // namespace vramlint
