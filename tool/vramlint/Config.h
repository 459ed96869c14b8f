//===- tool/vramlint/Config.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `config`: where a file's configuration comes from, and what wins.

#pragma once

#include "tool/vramlint/CommandLine.h"

namespace vramlint::tool {

/// Without files: the order of precedence. Returns the exit code.
int showConfig(const CommandLine &C, llvm::raw_ostream &OS);

} // namespace vramlint::tool
