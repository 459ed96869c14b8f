//===- lib/frontend/DefinitionScan.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A lexer's look at a source file: the functions that it seems to define.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace vramlint {

/// Names of the functions that \p Text defines outside a class: "Class::name"
/// (the last two parts as written) or "name"; "~" and "operator+" included. May
/// hold a name too much, never one too few in code without clever macros.
llvm::StringSet<> definedNames(llvm::StringRef Text);

/// The identifiers in \p Text, comments, strings and directives left out.
llvm::StringSet<> wordsIn(llvm::StringRef Text);

} // namespace vramlint
