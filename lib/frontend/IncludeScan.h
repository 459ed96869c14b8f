//===- lib/frontend/IncludeScan.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What can be told of files before any is parsed: which are C++ sources, which
// reach LibTorch, what brings a header that is missing.

#pragma once

#include "lib/frontend/Project.h"
#include "llvm/Support/Error.h"

namespace vramlint {

/// True where \p Command's file includes a LibTorch header, itself or through
/// the project's own headers. Read as text: a conditional counts as taken, so a
/// "false" is sure. Fails for a missing or binary file.
llvm::Expected<bool> reachesTorch(llvm::vfs::FileSystem &FS,
                                  const CompileCommand &Command);

/// The files of the command line: each file itself, for a folder the C++ sources
/// below it (builds, hidden folders and packages left out), sorted. Fails for
/// names that don't exist, all of them named.
llvm::Expected<std::vector<std::string>>
expandFiles(llvm::vfs::FileSystem &FS, llvm::ArrayRef<std::string> Names);

/// .cpp, .cc, .cxx, .c++, .C, .cu.
bool isCxxSource(llvm::StringRef Path);

/// What brings \p Header: "the Debian package libopencv-dev"; "" if unknown.
std::string packageOf(llvm::StringRef Header);

/// The line that explains a missing header: its name and what brings it.
std::string explainMissingHeader(llvm::StringRef Header);

/// Reads \p Path; fails with our words where it is missing, a folder, or binary.
llvm::Expected<std::string> readSource(llvm::vfs::FileSystem &FS,
                                       llvm::StringRef Path);

} // namespace vramlint
