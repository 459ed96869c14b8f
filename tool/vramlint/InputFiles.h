//===- tool/vramlint/InputFiles.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The files that the command line names: themselves, or a folder's C++ files.

#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <string>
#include <vector>

namespace vramlint::tool {

/// One file to analyse, or, with Problem set, why there is none.
struct InputFile {
  std::string Name; ///< As the user would type it.
  std::string Problem;
};

/// Folders become their C++ sources (expandFiles). A missing file or a folder
/// without sources keeps its place, with the problem. Each file once.
std::vector<InputFile> expandInputs(llvm::vfs::FileSystem &FS,
                                    llvm::ArrayRef<std::string> Names);

} // namespace vramlint::tool
