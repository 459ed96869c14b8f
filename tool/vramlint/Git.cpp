//===- tool/vramlint/Git.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is asked of git.

#include "tool/vramlint/Git.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace vramlint::tool {

using llvm::StringRef;

llvm::Expected<std::string> git(llvm::ArrayRef<StringRef> Arguments) {
  llvm::ErrorOr<std::string> Program = llvm::sys::findProgramByName("git");
  if (!Program)
    return llvm::createStringError("git is not installed");
  llvm::SmallString<128> Out, Err;
  if (llvm::sys::fs::createTemporaryFile("vramlint-git", "out", Out) ||
      llvm::sys::fs::createTemporaryFile("vramlint-git", "err", Err))
    return llvm::createStringError("no temporary file can be made");
  llvm::FileRemover RemoveOut(Out), RemoveErr(Err);
  std::vector<StringRef> Words = {*Program};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Out),
                                          StringRef(Err)};
  int Code =
      llvm::sys::ExecuteAndWait(*Program, Words, std::nullopt, Redirects);
  auto Read = [](StringRef Path) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : std::string();
  };
  if (Code == 0)
    return Read(Out);
  std::string Complaint = Read(Err);
  StringRef First = StringRef(Complaint).split('\n').first;
  First.consume_front("fatal: ");
  return llvm::createStringError(First.empty() ? "git failed" : First.str());
}

llvm::Expected<Revision> findRevision(StringRef Name) {
  llvm::Expected<std::string> Top = git({"rev-parse", "--show-toplevel"});
  if (!Top)
    return Top.takeError();
  StringRef Rev = Name;
  bool Fork = Rev.consume_back("...");
  std::string Wanted = (Rev + "^{commit}").str();
  llvm::Expected<std::string> Commit =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", Wanted});
  if (!Commit) {
    llvm::consumeError(Commit.takeError());
    return llvm::createStringError("no commit '" + Rev +
                                   "' in this repository");
  }
  if (Fork) {
    Commit = git({"merge-base", StringRef(*Commit).trim(), "HEAD"});
    if (!Commit)
      return Commit.takeError();
  }
  return Revision{StringRef(*Top).trim().str(),
                  StringRef(*Commit).trim().str()};
}

llvm::Expected<std::vector<ChangedFile>> changedFiles(const Revision &Since) {
  llvm::Expected<std::string> Listed =
      git({"-C", Since.Root, "diff", "--name-status", "-z", "--no-renames",
           "--ignore-submodules", Since.Commit, "--"});
  if (!Listed)
    return Listed.takeError();
  llvm::SmallVector<StringRef> Words;
  StringRef(*Listed).split(Words, '\0', -1, /*KeepEmpty=*/false);
  std::vector<ChangedFile> Files;
  for (size_t I = 0; I + 1 < Words.size(); I += 2)
    Files.push_back({Since.Root + "/" + Words[I + 1].str(), Words[I] == "A"});
  return Files;
}

llvm::Expected<std::string> textThen(const Revision &Then, StringRef Path) {
  StringRef Below = Path;
  Below.consume_front(Then.Root);
  Below.consume_front("/");
  return git({"-C", Then.Root, "show", (Then.Commit + ":" + Below).str()});
}

} // namespace vramlint::tool
