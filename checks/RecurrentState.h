//===- checks/RecurrentState.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Recurrent states that live through a training loop with their graph: given to an
// RNN, LSTM or GRU, assigned from what it returns, and never detached, with a
// backward pass in each iteration.

#pragma once

#include "checks/Analysis.h"
#include <vector>

namespace vramlint {

struct CarriedState {
  const FunctionFacts *In = nullptr;
  const clang::VarDecl *State = nullptr;
  const clang::Stmt *Loop = nullptr;
  const ForwardSite *Forward = nullptr;
  const clang::Expr *Assigned = nullptr;   ///< `h = …`, `std::tie(out, h) = …`.
  const clang::CallExpr *Backward = nullptr;
  bool KeepsGraph = false; ///< retain_graph: it grows instead of throwing.
};

/// What Analysis::carriedStates() holds.
std::vector<CarriedState> findCarriedStates(const Analysis &A);

/// Is \p Op, as traces name it, a step of a recurrent layer?
bool isRecurrentOp(llvm::StringRef Op);

/// Is \p Loc the backward() of one of \p States that throws the second time?
bool isBackwardOf(llvm::ArrayRef<CarriedState> States, clang::SourceLocation Loc,
                  const Analysis &A);

} // namespace vramlint
