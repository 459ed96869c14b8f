//===- checks/TensorUses.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What becomes of a variable that holds tensors, within its function: is it only
// read as numbers, does a backward pass go through it, is it changed in a loop.
// For checks on training loops. Where a use isn't understood the answer is the one
// that keeps a check silent.

#pragma once

#include "checks/BodyView.h"
#include "llvm/ADT/SmallVector.h"

namespace vramlint {

/// The variable that \p E names; a part of a structured binding counts as the
/// whole. Null: something else.
const clang::VarDecl *variableIn(const clang::Expr *E);

/// Is \p T a container of tensors: std::vector<torch::Tensor>, a list, a deque?
bool isTensorContainer(clang::QualType T);

bool isLoopStmt(const clang::Stmt *S);
/// The body of a loop, and its condition and increment: what is repeated.
bool isRepeatedBy(const clang::Stmt *Loop, const clang::Stmt *S,
                  const BodyView &View);

/// Is the call \p C `x.backward()` of a tensor, or torch::autograd::backward/grad?
bool isBackwardCall(const clang::CallExpr &C);
/// Every backward pass in \p View.
llvm::SmallVector<const clang::CallExpr *, 4> backwardCalls(const BodyView &View);

/// Does a backward pass inside \p Within go through what \p V holds: V.backward(), or
/// through a variable that is made of it?
bool reachesBackward(const clang::VarDecl *V, const clang::Stmt *Within,
                     const BodyView &View);

/// Is \p V, but for what \p Skip takes out, only read as numbers or detached,
/// printed or replaced? Then no backward pass can go through it.
bool endsInNumbers(const clang::VarDecl *V, const BodyView &View,
                   llvm::function_ref<bool(const clang::Stmt *)> Skip);

/// Is the call \p C under a guard of its function, or of what surrounds that?
bool isGuardedCall(const clang::CallExpr &C, const FunctionFacts &F);

/// Is the name of an op one whose result keeps the graph of its input, value for
/// value or by arithmetic: sum, to, view, "operator"?
bool keepsGraph(llvm::StringRef Op);

} // namespace vramlint
