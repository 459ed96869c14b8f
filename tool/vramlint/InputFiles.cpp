//===- tool/vramlint/InputFiles.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The files that the command line names.

#include "tool/vramlint/InputFiles.h"

#include "tool/vramlint/CommandLine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include <algorithm>

namespace vramlint::tool {

namespace path = llvm::sys::path;

static bool isSource(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(path::extension(Name))
      .Cases(".cpp", ".cc", ".cxx", ".c++", ".C", true)
      .Default(false);
}

static void collect(llvm::vfs::FileSystem &FS, const std::string &Dir,
                    unsigned Depth, std::vector<std::string> &Sources) {
  // Deep enough for any project; links that lead in a circle end here.
  static constexpr unsigned MaxDepth = 40;
  if (Depth > MaxDepth)
    return;
  std::vector<std::pair<std::string, bool>> Entries;
  std::error_code Error;
  for (llvm::vfs::directory_iterator I = FS.dir_begin(Dir, Error), End;
       !Error && I != End; I.increment(Error)) {
    llvm::StringRef Name = path::filename(I->path());
    if (Name.starts_with("."))
      continue;
    // As found: a name below "src" is typed "src/…", not "./src/…".
    llvm::SmallString<128> Path(Dir == "." ? "" : Dir);
    path::append(Path, Name);
    bool IsDir = I->type() == llvm::sys::fs::file_type::directory_file;
    Entries.emplace_back(Path.str().str(), IsDir);
  }
  std::sort(Entries.begin(), Entries.end());
  for (const auto &[Path, IsDir] : Entries) {
    if (IsDir && !FS.exists(Path + "/CMakeCache.txt"))
      collect(FS, Path, Depth + 1, Sources);
    else if (!IsDir && isSource(Path))
      Sources.push_back(Path);
  }
}

std::vector<InputFile> expandInputs(llvm::vfs::FileSystem &FS,
                                    llvm::ArrayRef<std::string> Names) {
  std::vector<InputFile> Files;
  llvm::StringSet<> Seen;
  for (const std::string &Name : Names) {
    llvm::ErrorOr<llvm::vfs::Status> Status = FS.status(Name);
    if (!Status) {
      llvm::StringRef Verb = nearestVerb(Name);
      bool Misspelt = !Verb.empty() && path::extension(Name).empty();
      Files.push_back({Name, "no such file" +
                                 (Misspelt ? "; did you mean the verb '" +
                                                 Verb.str() + "'?"
                                           : "")});
      continue;
    }
    if (Status->getType() != llvm::sys::fs::file_type::directory_file) {
      if (Seen.insert(Name).second)
        Files.push_back({Name, ""});
      continue;
    }
    std::vector<std::string> Sources;
    llvm::StringRef Dir = llvm::StringRef(Name).rtrim('/');
    collect(FS, Dir.empty() ? "/" : Dir.str(), 0, Sources);
    if (Sources.empty())
      Files.push_back({Name, "no C++ files in this folder"});
    for (const std::string &Source : Sources)
      if (Seen.insert(Source).second)
        Files.push_back({Source, ""});
  }
  return Files;
}

} // namespace vramlint::tool
