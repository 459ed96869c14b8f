//===- tool/vramlint/Git.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is asked of git.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace vramlint::tool {

/// What git prints. Fails with its first complaint.
llvm::Expected<std::string> git(llvm::ArrayRef<llvm::StringRef> Arguments);

/// A commit of the repository around the folder in which we work.
struct Revision {
  std::string Root; ///< The repository's folder.
  std::string Commit;
};

/// \p Name as git knows it; "NAME...": where this branch left NAME. Fails where
/// there is no repository or no such commit.
llvm::Expected<Revision> findRevision(llvm::StringRef Name);

/// A file that is not as it was then.
struct ChangedFile {
  std::string Path; ///< Absolute.
  bool IsNew = false;
};
llvm::Expected<std::vector<ChangedFile>> changedFiles(const Revision &Since);
/// The text that \p Path, an absolute one, had then.
llvm::Expected<std::string> textThen(const Revision &Then,
                                     llvm::StringRef Path);

} // namespace vramlint::tool
