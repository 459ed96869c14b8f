//===- tool/vramlint/InputFiles.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The files that the command line names.

#include "tool/vramlint/InputFiles.h"

#include "lib/frontend/CompileFlags.h"
#include "lib/frontend/IncludeScan.h"
#include "tool/vramlint/CommandLine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

namespace vramlint::tool {

static std::string missingText(const std::string &Name) {
  llvm::StringRef Verb = nearestVerb(Name);
  if (Verb.empty() || !llvm::sys::path::extension(Name).empty())
    return "no such file";
  return "no such file; did you mean the verb '" + Verb.str() + "'?";
}

std::vector<InputFile> expandInputs(llvm::vfs::FileSystem &FS,
                                    llvm::ArrayRef<std::string> Names) {
  std::vector<InputFile> Files;
  llvm::StringSet<> Seen;
  for (const std::string &Name : Names) {
    if (!FS.exists(Name)) {
      Files.push_back({Name, missingText(Name)});
      continue;
    }
    llvm::Expected<std::vector<std::string>> Sources = expandFiles(FS, Name);
    if (!Sources) {
      Files.push_back({Name, llvm::toString(Sources.takeError())});
      continue;
    }
    if (Sources->empty())
      Files.push_back({Name, "no C++ files in this folder"});
    for (const std::string &Source : *Sources)
      if (Seen.insert(absolutePath(Source)).second)
        // Below "." a name is typed without it.
        Files.push_back(
            {llvm::sys::path::remove_leading_dotslash(Source).str(), ""});
  }
  return Files;
}

} // namespace vramlint::tool
