//===- lib/frontend/HeaderHoist.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A preprocessor run in which external headers are hollow.

#include "lib/frontend/HeaderHoist.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "lib/frontend/Invocation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

namespace {

/// An empty file under a real one's name.
class HollowFile : public vfs::File {
public:
  explicit HollowFile(vfs::Status S) : Stat(std::move(S)) {}
  ErrorOr<vfs::Status> status() override { return Stat; }
  ErrorOr<std::unique_ptr<MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t, bool, bool) override {
    return MemoryBuffer::getMemBuffer("", Name.str());
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status Stat;
};

/// Shows files that the project doesn't own as empty.
class HollowFileSystem : public vfs::ProxyFileSystem {
public:
  HollowFileSystem(FileSystemPtr FS, const Project &Files, StringRef Directory)
      : ProxyFileSystem(std::move(FS)), Files(Files),
        Directory(Directory.str()) {}

  ErrorOr<vfs::Status> status(const Twine &Path) override {
    auto S = ProxyFileSystem::status(Path);
    if (!S || S->isDirectory() || owns(Path))
      return S;
    return hollow(*S);
  }
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    if (owns(Path))
      return ProxyFileSystem::openFileForRead(Path);
    auto S = ProxyFileSystem::status(Path);
    if (!S)
      return S.getError();
    if (S->isDirectory())
      return std::make_error_code(std::errc::is_a_directory);
    return std::make_unique<HollowFile>(hollow(*S));
  }

private:
  bool owns(const Twine &Path) const {
    return Files.owns(absolutePath(Path.str(), Directory));
  }
  static vfs::Status hollow(const vfs::Status &S) {
    return vfs::Status(S.getName(), S.getUniqueID(),
                       S.getLastModificationTime(), S.getUser(), S.getGroup(),
                       /*Size=*/0, S.getType(), S.getPermissions());
  }

  const Project &Files;
  std::string Directory;
};

/// One line of the preamble to be.
struct Line {
  enum KindType { Include, Define, Undefine } Kind;
  std::string Text;           // The directive, without a newline.
  std::string Name;           // Of the macro, or of the header as written.
  clang::FileID File;         // Where it stands.
  bool IsTorch = false;
};

class Recorder : public clang::PPCallbacks {
public:
  Recorder(clang::CompilerInstance &CI, const Project &Files,
           StringRef Directory)
      : CI(CI), Files(Files), Directory(Directory.str()) {}

  void InclusionDirective(clang::SourceLocation Hash, const clang::Token &,
                          StringRef FileName, bool IsAngled,
                          clang::CharSourceRange, clang::OptionalFileEntryRef File,
                          StringRef SearchPath, StringRef RelativePath,
                          const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override;
  void MacroDefined(const clang::Token &Name,
                    const clang::MacroDirective *MD) override;
  void MacroUndefined(const clang::Token &Name, const clang::MacroDefinition &,
                      const clang::MacroDirective *) override;

  std::vector<Line> Lines;
  std::vector<std::string> Missing;
  StringSet<> Seen;

private:
  bool isWritten(clang::SourceLocation Loc) const {
    const auto &SM = CI.getSourceManager();
    return Loc.isValid() && !SM.isWrittenInBuiltinFile(Loc) &&
           !SM.isWrittenInCommandLineFile(Loc) &&
           !SM.isWrittenInScratchSpace(Loc);
  }

  clang::CompilerInstance &CI;
  const Project &Files;
  std::string Directory;
};

} // namespace

/// C's and C++'s own headers, and small system headers: never hoisted.
static bool isStandardHeader(StringRef Path, StringRef Spelled) {
  if (isLibTorchInclude(Spelled))
    return false;
  if (Path.contains("/c++/") || Path.contains("/lib/clang/") ||
      Path.contains("/lib/gcc/"))
    return true;
  StringRef Folder = sys::path::parent_path(Path);
  if (Folder == "/usr/include")
    return true;
  if (!Folder.consume_front("/usr/include/"))
    return false;
  // "sys/time.h", "x86_64-linux-gnu/bits/…", "netinet/in.h".
  StringRef First = Folder.split('/').first;
  return First == "sys" || First == "bits" || First == "linux" ||
         First == "netinet" || First == "arpa" || First == "net" ||
         First.contains("-linux-gnu");
}

void Recorder::InclusionDirective(
    clang::SourceLocation Hash, const clang::Token &, StringRef FileName,
    bool IsAngled, clang::CharSourceRange, clang::OptionalFileEntryRef File,
    StringRef SearchPath, StringRef, const clang::Module *, bool,
    clang::SrcMgr::CharacteristicKind) {
  if (!isWritten(Hash))
    return;
  if (!File) {
    Missing.push_back(FileName.str());
    return;
  }
  std::string Path = absolutePath(File->getName(), Directory);
  if (Files.owns(Path) || isStandardHeader(Path, FileName) ||
      !Seen.insert(Path).second)
    return;
  const auto &SM = CI.getSourceManager();
  auto Includer = SM.getFileEntryRefForID(SM.getFileID(Hash));
  bool Beside = !IsAngled && Includer &&
                SearchPath == sys::path::parent_path(Includer->getName());
  std::string Spelled = IsAngled ? ("<" + FileName + ">").str()
                                 : ("\"" + FileName + "\"").str();
  if (Beside)
    Spelled = "\"" + Path + "\"";
  Lines.push_back({Line::Include, "#include " + Spelled, FileName.str(),
                   SM.getFileID(Hash), isLibTorchInclude(FileName)});
}

void Recorder::MacroDefined(const clang::Token &Name,
                            const clang::MacroDirective *MD) {
  const clang::MacroInfo *MI = MD->getMacroInfo();
  if (!MI || !isWritten(MI->getDefinitionLoc()))
    return;
  const auto &SM = CI.getSourceManager();
  auto Range = clang::CharSourceRange::getTokenRange(
      MI->getDefinitionLoc(), MI->getDefinitionEndLoc());
  StringRef Text =
      clang::Lexer::getSourceText(Range, SM, CI.getLangOpts());
  if (Text.empty())
    Text = Name.getIdentifierInfo()->getName();
  Lines.push_back({Line::Define, ("#define " + Text).str(),
                   Name.getIdentifierInfo()->getName().str(),
                   SM.getFileID(MI->getDefinitionLoc())});
}

void Recorder::MacroUndefined(const clang::Token &Name,
                              const clang::MacroDefinition &,
                              const clang::MacroDirective *) {
  if (!isWritten(Name.getLocation()))
    return;
  StringRef Macro = Name.getIdentifierInfo()->getName();
  Lines.push_back({Line::Undefine, ("#undef " + Macro).str(), Macro.str(),
                   CI.getSourceManager().getFileID(Name.getLocation())});
}

namespace {

/// Preprocesses only, then drops the macros that are include guards.
class HoistAction : public clang::PreprocessOnlyAction {
public:
  HoistAction(const Project &Files, StringRef Directory)
      : Files(Files), Directory(Directory.str()) {}

  std::vector<Line> Lines;
  std::vector<std::string> Missing;

protected:
  void ExecuteAction() override {
    clang::CompilerInstance &CI = getCompilerInstance();
    auto Owned = std::make_unique<Recorder>(CI, Files, Directory);
    Recorder &R = *Owned;
    CI.getPreprocessor().addPPCallbacks(std::move(Owned));
    PreprocessOnlyAction::ExecuteAction();
    StringSet<> Guards;
    auto &Search = CI.getPreprocessor().getHeaderSearchInfo();
    for (const Line &L : R.Lines)
      if (auto File = CI.getSourceManager().getFileEntryRefForID(L.File))
        if (const auto *Guard =
                Search.getFileInfo(*File).getControllingMacro(nullptr))
          Guards.insert(Guard->getName());
    for (Line &L : R.Lines)
      if (L.Kind == Line::Include || !Guards.contains(L.Name))
        Lines.push_back(std::move(L));
    Missing = std::move(R.Missing);
  }

private:
  const Project &Files;
  std::string Directory;
};

} // namespace

/// The text of \p Lines up to the last include. What the project's macros were
/// is forgotten at its end: the unit defines them again.
static std::string preambleText(std::vector<Line> Lines) {
  while (!Lines.empty() && Lines.back().Kind != Line::Include)
    Lines.pop_back();
  bool AllTorch = all_of(Lines, [](const Line &L) { return L.IsTorch; });
  if (AllTorch) // Their order doesn't matter; torch/torch.h holds most others.
    stable_sort(Lines, [](const Line &A, const Line &B) {
      bool WholeA = A.Name == "torch/torch.h", WholeB = B.Name == "torch/torch.h";
      return WholeA != WholeB ? WholeA : A.Name < B.Name;
    });
  std::string Text;
  std::vector<std::string> Defined;
  for (const Line &L : Lines) {
    Text += L.Text + "\n";
    if (L.Kind == Line::Define && !is_contained(Defined, L.Name))
      Defined.push_back(L.Name);
  }
  for (const std::string &Name : Defined)
    Text += "#undef " + Name + "\n";
  return Text;
}

HoistedHeaders hoistHeaders(const clang::CompilerInvocation &Invocation,
                            FileSystemPtr FS, const Project &Files,
                            StringRef Directory) {
  auto Copy = std::make_shared<clang::CompilerInvocation>(Invocation);
  Copy->getFrontendOpts().ProgramAction = clang::frontend::RunPreprocessorOnly;
  clang::IgnoringDiagConsumer Ignore;
  FileSystemPtr Hollow = makeIntrusiveRefCnt<HollowFileSystem>(
      std::move(FS), Files, Directory);
  auto Compiler = makeCompiler(Copy, Hollow, Ignore);
  HoistAction Action(Files, Directory);
  HoistedHeaders Result;
  if (!Action.BeginSourceFile(*Compiler,
                              Compiler->getFrontendOpts().Inputs.front()))
    return Result;
  // Errors here are found again, and reported, by the unit's own parse.
  consumeError(Action.Execute());
  Action.EndSourceFile();
  Result.Missing = Action.Missing;
  if (any_of(Action.Lines, [](const Line &L) { return L.IsTorch; }))
    Result.Text = preambleText(std::move(Action.Lines));
  return Result;
}

} // namespace vramlint
