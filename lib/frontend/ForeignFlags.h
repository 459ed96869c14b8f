//===- lib/frontend/ForeignFlags.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What compile commands hold that is not for a compiler like clang: the
// programs that stand before it, and the flags of cl.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace vramlint {

/// True for what stands before a compiler: ccache, distcc, "env", "CC=…".
bool isCompilerWrapper(llvm::StringRef Word);

/// True for cl and clang-cl.
bool isMsvcDriver(llvm::StringRef Program);
/// Their flags as clang's; those of theirs that may matter go to \p Dropped.
std::vector<std::string> fromMsvc(const std::vector<std::string> &Flags,
                                  std::vector<std::string> &Dropped);

} // namespace vramlint
