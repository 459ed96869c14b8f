//===- tool/vramlint/Diff.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `diff REV`: what changed in the models since a commit.

#pragma once

#include "tool/vramlint/Analyser.h"

namespace vramlint::tool {

/// Files as they were are read through a file system over the real one, so that
/// the build folder and all its flags count for both sides. Returns the exit
/// code.
int showDiff(const CommandLine &C, const GpuCatalog &Catalog,
             Analyser::Setup S);

} // namespace vramlint::tool
