//===- lib/frontend/PreambleCache.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Makes, checks and prunes the cache's entries.

#include "lib/frontend/PreambleCache.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "lib/frontend/BodyFilter.h"
#include "lib/frontend/Frontend.h"
#include "lib/frontend/HeaderHoist.h"
#include "lib/frontend/Invocation.h"
#include "lib/frontend/FileManifest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace vramlint {

/// Raised when what an entry's files look like changes.
static constexpr int FormatVersion = 1;

struct PreambleCache::Entry {
  std::string Key, Text;
  std::shared_ptr<clang::CompilerInvocation> Invocation;
  unsigned FailsAt = 0; ///< The line of Text with the first header with errors.
};

std::string PreambleCache::defaultDir(const Environment &Env) {
  if (auto Given = Env("VRAMLINT_CACHE_DIR"); Given && !Given->empty())
    return absolutePath(*Given);
  if (auto Xdg = Env("XDG_CACHE_HOME"); Xdg && !Xdg->empty())
    return absolutePath(*Xdg + "/vramlint");
  if (auto Home = Env("HOME"); Home && !Home->empty())
    return absolutePath(*Home + "/.cache/vramlint");
  return "";
}

PreambleCache::PreambleCache(PreambleCacheOptions Options)
    : Options(std::move(Options)) {
  Dir = this->Options.Dir.empty() ? defaultDir(this->Options.Env)
                                  : absolutePath(this->Options.Dir);
}

PreambleCache::~PreambleCache() {
  if (!Temporary.empty())
    sys::fs::remove_directories(Temporary);
}

/// The flags under which the headers are compiled: the unit's, without what is
/// only the unit's (its name, the project's own include folders).
static std::shared_ptr<clang::CompilerInvocation>
headerInvocation(const clang::CompilerInvocation &Unit, const Project &Files,
                 StringRef Directory) {
  auto Copy = std::make_shared<clang::CompilerInvocation>(Unit);
  Copy->getCodeGenOpts() = clang::CodeGenOptions();
  Copy->getDependencyOutputOpts() = clang::DependencyOutputOptions();
  Copy->getFileSystemOpts().WorkingDir.clear();
  auto &Frontend = Copy->getFrontendOpts();
  Frontend.Inputs.clear();
  Frontend.OutputFile.clear();
  Frontend.ProgramAction = clang::frontend::GeneratePCH;
  Frontend.SkipFunctionBodies = true;
  auto &Entries = Copy->getHeaderSearchOpts().UserEntries;
  for (auto &E : Entries)
    E.Path = absolutePath(E.Path, Directory);
  erase_if(Entries, [&](const clang::HeaderSearchOptions::Entry &E) {
    return Files.owns(E.Path + "/x");
  });
  return Copy;
}

static std::string keyOf(const clang::CompilerInvocation &Invocation,
                         StringRef Text) {
  SHA256 Hash;
  for (const std::string &Arg : Invocation.getCC1CommandLine()) {
    Hash.update(Arg);
    Hash.update(StringRef("\0", 1));
  }
  Hash.update(clang::getClangFullVersion());
  Hash.update(std::to_string(FormatVersion) + "." +
              std::to_string(BodyFilterVersion));
  Hash.update(Text);
  auto Sum = Hash.final();
  return toHex(ArrayRef<uint8_t>(Sum.data(), 12), /*LowerCase=*/true);
}

/// Marks all namespaces as referenced. The writer asks that of each of the
/// thousands of times that namespace at is opened, and for an unreferenced one
/// clang looks at all of them: a tenth of the whole time.
static void markNamespaces(const clang::DeclContext &In) {
  for (clang::Decl *D : In.decls())
    if (auto *N = dyn_cast<clang::NamespaceDecl>(D)) {
      N->setReferenced();
      markNamespaces(*N);
    }
}

namespace {

/// Writes a precompiled header in which the filter's bodies are left out.
class HeaderAction : public clang::GeneratePCHAction {
public:
  explicit HeaderAction(BodyFilter::Predicate IsExternal)
      : Filter(std::move(IsExternal)) {}

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &CI, StringRef File) override {
    auto Writer = GeneratePCHAction::CreateASTConsumer(CI, File);
    if (!Writer)
      return nullptr;
    std::vector<std::unique_ptr<clang::ASTConsumer>> All;
    All.push_back(std::move(Writer));
    return std::make_unique<Consumer>(std::move(All), Filter);
  }

private:
  struct Consumer : clang::MultiplexConsumer {
    Consumer(std::vector<std::unique_ptr<clang::ASTConsumer>> All,
             BodyFilter &Filter)
        : MultiplexConsumer(std::move(All)), Filter(Filter) {}
    bool shouldSkipFunctionBody(clang::Decl *D) override {
      return Filter.shouldSkip(*D);
    }
    void HandleTranslationUnit(clang::ASTContext &Context) override {
      markNamespaces(*Context.getTranslationUnitDecl());
      MultiplexConsumer::HandleTranslationUnit(Context);
    }
    BodyFilter &Filter;
  };
  BodyFilter Filter;
};

/// Remembers the line of the main file that leads to the first error.
class FirstError : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    if (Level < clang::DiagnosticsEngine::Error || Line != 0 ||
        !Info.hasSourceManager() || Info.getLocation().isInvalid())
      return;
    const clang::SourceManager &SM = Info.getSourceManager();
    clang::SourceLocation At = SM.getExpansionLoc(Info.getLocation());
    while (At.isValid() && SM.getFileID(At) != SM.getMainFileID())
      At = SM.getIncludeLoc(SM.getFileID(At));
    if (At.isValid())
      Line = SM.getExpansionLineNumber(At);
  }
  unsigned Line = 0;
};

/// All files that a compilation reads.
class AllDependencies : public clang::DependencyCollector {
public:
  bool sawDependency(StringRef Name, bool, bool, bool, bool) override {
    return !Name.empty() && Name.front() != '<';
  }
  bool needSystemDependencies() override { return true; }
};

} // namespace

/// Compiles <Stem>.h into \p Output. The inputs, or nothing where it failed; then
/// \p FailsAt is the line that does, if one does.
static std::vector<std::string>
compileHeader(std::shared_ptr<clang::CompilerInvocation> Invocation,
              const std::string &Text, const std::string &Output,
              FileSystemPtr FS, unsigned &FailsAt) {
  Invocation = std::make_shared<clang::CompilerInvocation>(*Invocation);
  auto &Frontend = Invocation->getFrontendOpts();
  clang::InputKind Kind(clang::Language::CXX);
  if (Invocation->getLangOpts().CUDA)
    Kind = clang::InputKind(clang::Language::CUDA);
  Frontend.Inputs = {clang::FrontendInputFile(Text, Kind.getHeader())};
  Frontend.OutputFile = Output;
  // Hash instead of time: entries are the same wherever they are made.
  Frontend.IncludeTimestamps = false;
  FirstError Errors;
  auto Compiler = makeCompiler(std::move(Invocation), std::move(FS), Errors);
  auto Inputs = std::make_shared<AllDependencies>();
  Compiler->addDependencyCollector(Inputs);
  HeaderAction Action([](clang::SourceLocation) { return true; });
  bool Good = Compiler->ExecuteAction(Action) && sys::fs::exists(Output);
  FailsAt = Good ? 0 : Errors.Line;
  if (!Good)
    return {};
  return Inputs->getDependencies().vec();
}

bool PreambleCache::make(Entry &E, const std::string &Folder,
                         FileSystemPtr FS) {
  std::string Stem = Folder + "/" + E.Key;
  if (!writeWhole(Stem + ".h", E.Text))
    return false;
  SmallString<256> Output;
  int Descriptor;
  if (sys::fs::createUniqueFile(Stem + "-%%%%%%.tmp", Descriptor, Output))
    return false;
  sys::fs::file_t Handle = sys::fs::convertFDToNativeFile(Descriptor);
  sys::fs::closeFile(Handle);
  std::vector<std::string> Inputs;
  // Who reads the user's file may note what is read for it; these headers have a
  // manifest of their own.
  FileSystemPtr Own = vfs::createPhysicalFileSystem();
  if (ErrorOr<std::string> Here = FS->getCurrentWorkingDirectory())
    Own->setCurrentWorkingDirectory(*Here);
  Error Crash = runGuarded("reading LibTorch's headers", [&] {
    Inputs = compileHeader(E.Invocation, Stem + ".h", std::string(Output), Own,
                           E.FailsAt);
  });
  bool Good = !Crash && !Inputs.empty();
  consumeError(std::move(Crash));
  if (!Good) {
    sys::fs::remove(Output);
    return false;
  }
  FileManifest Manifest;
  Good = Manifest.record(Output, Inputs) &&
         !sys::fs::rename(Output, Stem + ".pch") &&
         Manifest.save(Stem + ".manifest");
  if (!Good)
    sys::fs::remove(Output);
  return Good;
}

std::vector<std::string> PreambleCache::takeUsed() {
  std::lock_guard<std::mutex> Guard(Lock);
  return std::exchange(Used, {});
}

bool PreambleCache::stillHolds(StringRef Pch) {
  std::lock_guard<std::mutex> Guard(Lock);
  return Pch.consume_back(".pch") && isValid(Pch.str());
}

bool PreambleCache::isValid(const std::string &Stem) {
  bool &Known = Checked[Stem];
  if (Known)
    return true;
  auto Manifest = FileManifest::load(Stem + ".manifest");
  if (!Manifest || !sys::fs::exists(Stem + ".h"))
    return false;
  bool Changed = false;
  if (!Manifest->matches(Stem + ".pch", Changed))
    return false;
  // Same contents under other times (a copied cache, a reinstalled package), or
  // a mark that the entry is in use: the manifest's own time orders pruning.
  if (Changed || Manifest->isOlderThanADay())
    Manifest->save(Stem + ".manifest");
  return Known = true;
}

/// The line at which the entry of \p Stem could not be made lately, or 0. A day later
/// the header may have been installed.
static unsigned failureOf(const std::string &Stem) {
  sys::fs::file_status S;
  if (sys::fs::status(Stem + ".fails", S) ||
      std::chrono::system_clock::now() - S.getLastModificationTime() >
          std::chrono::hours(24))
    return 0;
  auto Text = MemoryBuffer::getFile(Stem + ".fails");
  unsigned Line = 0;
  return Text && to_integer((*Text)->getBuffer(), Line) ? Line : 0;
}

/// The lines of \p Text before line \p Line.
static std::string linesBefore(StringRef Text, unsigned Line) {
  size_t End = 0;
  for (unsigned I = 1; I < Line && End < Text.size(); ++I)
    End = std::min(Text.find('\n', End), Text.size() - 1) + 1;
  return Text.take_front(End).str();
}

/// The entry in \p Folder, valid, or "".
std::string PreambleCache::inFolder(Entry &E, const std::string &Folder,
                                    FileSystemPtr FS) {
  std::string Stem = Folder + "/" + E.Key;
  std::string Pch = Stem + ".pch";
  if (isValid(Stem))
    return Pch;
  E.FailsAt = failureOf(Folder + "/" + E.Key);
  if (E.FailsAt != 0)
    return "";
  if (sys::fs::create_directories(Folder))
    return "";
  int Descriptor;
  if (sys::fs::openFileForReadWrite(Folder + "/" + E.Key + ".lock", Descriptor,
                                    sys::fs::CD_OpenAlways,
                                    sys::fs::OF_None))
    return "";
  say(Folder, Folder == Dir);
  // Another process may be at it: wait for it, then look again.
  bool Locked = !sys::fs::lockFile(Descriptor);
  bool Good = isValid(Stem) || make(E, Folder, std::move(FS));
  if (Locked)
    (void)sys::fs::unlockFile(Descriptor);
  sys::fs::file_t Handle = sys::fs::convertFDToNativeFile(Descriptor);
  sys::fs::closeFile(Handle);
  if (E.FailsAt != 0)
    writeWhole(Folder + "/" + E.Key + ".fails", std::to_string(E.FailsAt));
  if (!Good)
    return "";
  Checked[Folder + "/" + E.Key] = true;
  if (Folder == Dir)
    prune(Folder, E.Key);
  return Pch;
}

std::string PreambleCache::preambleFor(const clang::CompilerInvocation &Unit,
                                       FileSystemPtr FS, const Project &Files,
                                       StringRef Directory) {
  HoistedHeaders Headers;
  Error Crash = runGuarded("finding the headers", [&] {
    Headers = hoistHeaders(Unit, FS, Files, Directory);
  });
  consumeError(std::move(Crash));
  if (Headers.Text.empty())
    return "";
  std::lock_guard<std::mutex> Guard(Lock);
  Entry E;
  E.Invocation = headerInvocation(Unit, Files, Directory);
  E.Text = std::move(Headers.Text);
  while (!E.Text.empty()) {
    E.Key = keyOf(*E.Invocation, E.Text);
    E.FailsAt = 0;
    std::string Pch = Dir.empty() ? "" : inFolder(E, Dir, FS);
    if (Pch.empty() && E.FailsAt == 0)
      if (std::string Folder = temporaryFolder(); !Folder.empty())
        Pch = inFolder(E, Folder, FS);
    if (!Pch.empty())
      Used.push_back(Pch);
    if (!Pch.empty() || E.FailsAt == 0)
      return Pch;
    // The unit will fail there too, sooner with the headers before it at hand.
    E.Text = linesBefore(E.Text, E.FailsAt);
    if (!StringRef(E.Text).contains("torch/") && !StringRef(E.Text).contains("ATen/"))
      break;
  }
  return "";
}

std::string PreambleCache::temporaryFolder() {
  if (Temporary.empty()) {
    SmallString<128> Path;
    if (!sys::fs::createUniqueDirectory("vramlint", Path))
      Temporary = std::string(Path);
  }
  return Temporary;
}

void PreambleCache::reject(StringRef Pch) {
  std::lock_guard<std::mutex> Guard(Lock);
  StringRef Stem = Pch;
  Stem.consume_back(".pch");
  Checked.erase(Stem.str());
  sys::fs::remove(Stem + ".manifest");
  sys::fs::remove(Pch);
}

void PreambleCache::say(StringRef Folder, bool Kept) {
  if (Said || !Options.Say)
    return;
  Said = true;
  std::string Shown = Folder.str();
  if (auto Home = Options.Env("HOME"); Home && !Home->empty())
    if (StringRef(Shown).starts_with(*Home + "/"))
      Shown = "~" + Shown.substr(Home->size());
  if (Kept)
    Options.Say("reading LibTorch's headers once (about 10 s; later runs use "
                "the cache in " + Shown + ")");
  else
    Options.Say("reading LibTorch's headers (about 10 s, again in each run: " +
                (Dir.empty() ? std::string("no cache folder is known")
                             : Dir + " can't be written") +
                "; --cache-dir names another)");
}

/// Removes the entries used longest ago beyond the limit, and what a killed
/// process left behind.
void PreambleCache::prune(const std::string &Folder, StringRef KeepKey) {
  struct Kept {
    sys::TimePoint<> Used;
    std::string Stem;
    uint64_t Bytes;
  };
  std::vector<Kept> All;
  uint64_t Total = 0;
  auto Now = std::chrono::system_clock::now();
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End;
       I.increment(EC)) {
    StringRef Path = I->path();
    sys::fs::file_status S;
    if (sys::fs::status(Path, S))
      continue;
    if (Path.ends_with(".tmp") &&
        Now - S.getLastModificationTime() > std::chrono::hours(24))
      sys::fs::remove(Path);
    if (!Path.consume_back(".pch"))
      continue;
    Total += S.getSize();
    sys::fs::file_status M;
    bool Listed = !sys::fs::status(Path + ".manifest", M);
    if (sys::path::filename(Path) != KeepKey)
      All.push_back({Listed ? M.getLastModificationTime() : sys::TimePoint<>(),
                     Path.str(), S.getSize()});
  }
  sort(All, [](const Kept &A, const Kept &B) {
    return A.Used != B.Used ? A.Used < B.Used : A.Stem < B.Stem;
  });
  for (const Kept &K : All) {
    if (Total <= Options.MaxBytes)
      break;
    for (StringRef End : {".manifest", ".pch", ".h", ".lock", ".fails"})
      sys::fs::remove(K.Stem + End.str());
    Total -= K.Bytes;
  }
}

} // namespace vramlint
