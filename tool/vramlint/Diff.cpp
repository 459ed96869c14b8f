//===- tool/vramlint/Diff.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What changed in the models since a commit.
//
//   files as they were ─► analysis ─► figures ─┐
//   files as they are  ─► analysis ─► figures ─┴─► pairs ─► table

#include "tool/vramlint/Diff.h"

#include "lib/report/ModelDiff.h"
#include "tool/vramlint/Git.h"
#include "tool/vramlint/InputFiles.h"
#include "tool/vramlint/Lists.h"
#include "llvm/Support/Path.h"
#include <set>

namespace vramlint::tool {

using report::FileOutcome;

namespace {

/// Hides files that were not there then.
class WithoutNewFiles : public llvm::vfs::ProxyFileSystem {
public:
  WithoutNewFiles(FileSystemPtr FS, std::set<std::string> New)
      : ProxyFileSystem(std::move(FS)), New(std::move(New)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override {
    if (isNew(Path))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(Path);
  }
  bool exists(const llvm::Twine &Path) override {
    return !isNew(Path) && ProxyFileSystem::exists(Path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override {
    if (isNew(Path))
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::openFileForRead(Path);
  }

private:
  bool isNew(const llvm::Twine &Path) const {
    llvm::SmallString<256> Full;
    Path.toVector(Full);
    (void)makeAbsolute(Full);
    llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
    return New.count(std::string(Full)) != 0;
  }
  std::set<std::string> New;
};

} // namespace

/// Whether a file's text may decide what the analysis finds.
static bool counts(llvm::StringRef Path) {
  static constexpr llvm::StringLiteral Ends[] = {
      ".cpp", ".cc",         ".cxx",  ".c++", ".C",   ".cu",  ".h",
      ".hh",  ".hpp",        ".hxx",  ".cuh", ".inl", ".ipp", ".tpp",
      ".inc", ".clang-tidy", ".json", ".cfg", ".txt"};
  return llvm::any_of(Ends,
                      [&](llvm::StringRef End) { return Path.ends_with(End); });
}

/// The real file system as it was at \p Then.
static llvm::Expected<FileSystemPtr> fileSystemThen(const Revision &Then) {
  llvm::Expected<std::vector<ChangedFile>> Changed = changedFiles(Then);
  if (!Changed)
    return Changed.takeError();
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Old(
      new llvm::vfs::InMemoryFileSystem());
  std::set<std::string> New;
  for (const ChangedFile &File : *Changed) {
    if (File.IsNew)
      New.insert(File.Path);
    if (File.IsNew || !counts(File.Path))
      continue;
    llvm::Expected<std::string> Text = textThen(Then, File.Path);
    if (!Text)
      return Text.takeError();
    Old->addFile(File.Path, 0,
                 llvm::MemoryBuffer::getMemBufferCopy(*Text, File.Path));
  }
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> Both(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::createPhysicalFileSystem()));
  Both->pushOverlay(Old);
  return FileSystemPtr(new WithoutNewFiles(Both, std::move(New)));
}

/// The files that \p Names stand for, then or now, sorted.
static std::vector<std::string> filesOfBoth(llvm::vfs::FileSystem &Then,
                                            llvm::vfs::FileSystem &Now,
                                            llvm::ArrayRef<std::string> Names, int &Code) {
  report::PathPrinter Paths(absolutePath("."));
  std::set<std::string> Files;
  for (const InputFile &File : expandInputs(Then, Names))
    if (File.Problem.empty())
      Files.insert(Paths.file(absolutePath(File.Name)));
  for (const InputFile &File : expandInputs(Now, Names)) {
    std::string Name = Paths.file(absolutePath(File.Name));
    if (File.Problem.empty())
      Files.insert(Name);
    else if (!Files.count(Name)) {
      llvm::errs() << File.Name << ": " << File.Problem << '\n';
      Code = 2;
    }
  }
  return {Files.begin(), Files.end()};
}

/// The figures of \p File; says what is wrong with it.
static report::FileFigures figuresOf(Analyser &Analyse,
                                     llvm::vfs::FileSystem &FS,
                                     const std::string &File,
                                     llvm::StringRef When, int &Code) {
  if (!FS.exists(absolutePath(File)))
    return {};
  FileResult R = Analyse.run(File);
  if (R.Report.Is == FileOutcome::State::NotAnalysed) {
    llvm::errs() << File << ", as it " << When << ": not analysed"
                 << (R.Report.Problem.empty() ? "" : ": " + R.Report.Problem)
                 << '\n';
    Code = 2;
  }
  return report::figuresOf(R.Report);
}

int showDiff(const CommandLine &C, const GpuCatalog &Catalog,
             Analyser::Setup S) {
  llvm::Expected<Revision> Then = findRevision(C.Files.front());
  if (!Then)
    return complain("diff: " + llvm::toString(Then.takeError()));
  llvm::Expected<FileSystemPtr> Old = fileSystemThen(*Then);
  if (!Old)
    return complain("diff: " + llvm::toString(Old.takeError()));
  FileSystemPtr Now = llvm::vfs::createPhysicalFileSystem();
  llvm::ArrayRef<std::string> Names = llvm::ArrayRef(C.Files).drop_front();
  int Code = 0;
  std::vector<std::string> Files = filesOfBoth(**Old, *Now, Names, Code);
  S.Files = Files;
  S.SharedFS = Now;
  S.Say = [](llvm::StringRef Text) { llvm::errs() << Text << '\n'; };
  S.FS = *Old;
  Analyser Before(C, Catalog, S);
  S.FS = Now;
  Analyser After(C, Catalog, S);
  std::vector<report::FigureChange> Rows;
  for (const std::string &File : Files) {
    report::FileFigures Was = figuresOf(Before, **Old, File, "was", Code);
    report::FileFigures Is = figuresOf(After, *Now, File, "is", Code);
    for (report::FigureChange &Row : report::changesOf(File, Was, Is))
      Rows.push_back(std::move(Row));
  }
  report::printModelDiff(Rows, C.Output == Format::Markdown, llvm::outs());
  return Code;
}

} // namespace vramlint::tool
