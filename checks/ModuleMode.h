//===- checks/ModuleMode.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Whether a torch::nn module behaves differently in training: dropout, batch norm
// and what contains them.

#pragma once

#include "checks/UnitFacts.h"

namespace vramlint {

/// Could the mode of \p R, a torch::nn::Module's class, matter? True if we can't
/// see that it doesn't.
bool mayHaveMode(const clang::CXXRecordDecl *R, const clang::ASTContext &Context,
                 int Depth = 0);

/// Is \p Class of torch::nn one whose own mode matters?
bool builtinIsModal(llvm::StringRef Class);

/// True if some part of \p R is seen to be one whose mode matters.
bool surelyHasMode(const clang::CXXRecordDecl *R, const UnitFacts &U);

} // namespace vramlint
