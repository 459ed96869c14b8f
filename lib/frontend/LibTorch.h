//===- lib/frontend/LibTorch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where a LibTorch lies, which release it is, and what its headers ask of the
// compiler.

#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vramlint {

/// One LibTorch on this machine.
struct LibTorch {
  int Major = 0, Minor = 0, Patch = 0;
  /// Absolute: the folder that holds ATen/ and c10/, then the one that holds
  /// torch/torch.h. Usually "<root>" and "<root>/torch/csrc/api/include".
  std::vector<std::string> IncludeRoots;
  /// "Torch_DIR", "the system include path", "-I of the compile command" …
  std::string FoundBy;
  /// What its headers ask for: "c++17", or "c++20" where an #error says so.
  std::string Standard = "c++17";

  bool atLeast(int M, int N) const { return Major != M ? Major > M : Minor >= N; }
  /// "1.13.1".
  std::string version() const;
  /// True for a file of this LibTorch, however it is reached.
  bool contains(llvm::StringRef AbsolutePath) const;
};

using FileSystemPtr = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
using Environment =
    std::function<std::optional<std::string>(llvm::StringRef Name)>;

/// The environment of this process.
std::optional<std::string> processEnvironment(llvm::StringRef Name);

/// The LibTorch whose headers lie below \p Prefix: an include root, an unpacked
/// libtorch/, a Python package's torch/, an install prefix or a cmake folder.
std::optional<LibTorch> libTorchAt(llvm::vfs::FileSystem &FS,
                                   llvm::StringRef Prefix);

/// The LibTorch of which \p Folder is one of the two include roots.
std::optional<LibTorch> libTorchOfFolder(llvm::vfs::FileSystem &FS,
                                         llvm::StringRef Folder);

/// Looks at Torch_DIR, CMAKE_PREFIX_PATH, TORCH_HOME, LIBTORCH, the installed
/// Python packages, the system include path, and at last asks python3.
std::optional<LibTorch> findLibTorch(llvm::vfs::FileSystem &FS,
                                     const Environment &Env);

/// True where an #include's text can only mean LibTorch ("torch/torch.h",
/// "ATen/ATen.h", also what is built on it, as "torchvision/vision.h").
bool isLibTorchInclude(llvm::StringRef Spelled);

} // namespace vramlint
