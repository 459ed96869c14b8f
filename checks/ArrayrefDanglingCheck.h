//===- checks/ArrayrefDanglingCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-arrayref-dangling: finds array references to elements that are already destroyed.

#pragma once

#include "checks/TorchCheck.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include <set>

namespace vramlint {

class BodyView;

class ArrayrefDanglingCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void variable(const clang::VarDecl &V, const BodyView &View);
  void member(const clang::FieldDecl &Field, const clang::Expr &Init,
              const clang::ASTContext &Context);
  void assignment(const clang::CXXOperatorCallExpr &Op,
                  const clang::ASTContext &Context);
  void report(clang::SourceLocation Loc, llvm::StringRef Name,
              llvm::StringRef What, clang::SourceRange Type,
              llvm::StringRef With);
  std::set<clang::SourceLocation> Done; ///< Instantiations share their text.
};

} // namespace vramlint
