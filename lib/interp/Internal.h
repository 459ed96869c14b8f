//===- lib/interp/Internal.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the machine's own files share: blocks and full-expressions, whose ends
// are where the program's objects die.

#pragma once

#include "lib/interp/Machine.h"

namespace vramlint {

/// While this lives, temporaries are collected; they die in reverse order at its
/// end, as those of a C++ full-expression do.
class Machine::FullExpression {
public:
  explicit FullExpression(Machine &M) : M(M), Outer(M.Temporaries) {
    M.Temporaries = this;
  }
  ~FullExpression() {
    M.destroyBackwards(Cells);
    M.Temporaries = Outer;
  }
  FullExpression(const FullExpression &) = delete;
  llvm::SmallVector<CellRef, 8> Cells;

private:
  Machine &M;
  FullExpression *Outer;
};

/// The automatic variables of one block; they die in reverse order at its end.
class Machine::Scope {
public:
  explicit Scope(Machine &M) : M(M), Outer(M.Block) { M.Block = this; }
  ~Scope() {
    M.destroyBackwards(Cells);
    M.Block = Outer;
  }
  Scope(const Scope &) = delete;
  llvm::SmallVector<CellRef, 8> Cells;

private:
  Machine &M;
  Scope *Outer;
};

/// \p E without parentheses and without the nodes that mean nothing to us.
inline const clang::Expr *strip(const clang::Expr *E) {
  for (;;) {
    if (auto *F = llvm::dyn_cast<clang::FullExpr>(E))
      E = F->getSubExpr();
    else if (auto *P = llvm::dyn_cast<clang::ParenExpr>(E))
      E = P->getSubExpr();
    else if (auto *B = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (auto *S = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(E))
      E = S->getReplacement();
    else
      return E;
  }
}

} // namespace vramlint
