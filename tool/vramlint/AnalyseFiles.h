//===- tool/vramlint/AnalyseFiles.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All files of the command line, from their names to the exit code: each one
// out of the cache of results or analysed, here or in processes of their own,
// and printed in their order.

#pragma once

#include "lib/frontend/RecordingFileSystem.h"
#include "tool/vramlint/Analyser.h"

namespace vramlint::tool {

/// \p S: what the options gave; files and file systems are added here. \p
/// Shared: by which that was read.
int analyseFiles(const CommandLine &C, const GpuCatalog &Catalog,
                 Analyser::Setup S,
                 llvm::IntrusiveRefCntPtr<RecordingFileSystem> Shared);

} // namespace vramlint::tool
