//===- tool/vramlint/Completion.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is derived from the tables of verbs and options: completion in shells,
// and the manual page.

#pragma once

#include "llvm/Support/raw_ostream.h"

namespace vramlint::tool {

/// \p Shell: "bash", "zsh" or "fish".
void printCompletion(llvm::StringRef Shell, llvm::raw_ostream &OS);
/// In troff's man macros.
void printManPage(llvm::StringRef Version, llvm::raw_ostream &OS);

} // namespace vramlint::tool
