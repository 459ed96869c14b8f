//===- lib/frontend/CompileFlags.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Chooses where a file's flags come from, and makes them up where nothing says.

#include "lib/frontend/CompileFlags.h"

#include "clang/Basic/Version.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "lib/frontend/ForeignFlags.h"
#include "lib/frontend/Project.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using clang::tooling::CompilationDatabase;
using clang::tooling::JSONCompilationDatabase;

namespace vramlint {

std::string absolutePath(StringRef Path, StringRef Directory) {
  SmallString<256> P;
  if (!sys::path::is_absolute(Path) && !Directory.empty())
    P = Directory;
  sys::path::append(P, Path);
  if (!sys::path::is_absolute(P))
    sys::fs::make_absolute(P);
  sys::path::remove_dots(P, /*remove_dot_dot=*/true);
  return std::string(P);
}

std::string clangResourceDir() {
  static const std::string Found = [] {
    std::string Release = std::to_string(CLANG_VERSION_MAJOR);
    std::string Self = sys::fs::getMainExecutable(nullptr, nullptr);
    std::string Bin = sys::path::parent_path(Self).str();
    SmallVector<std::string, 6> Places;
    if (auto Given = processEnvironment("VRAMLINT_RESOURCE_DIR"))
      Places.push_back(*Given);
    Places.push_back(Bin + "/../lib/clang/" + Release);
    Places.push_back(std::string(VRAMLINT_LLVM_PREFIX) + "/lib/clang/" +
                     Release);
    Places.push_back("/usr/lib/llvm-" + Release + "/lib/clang/" + Release);
    Places.push_back("/usr/lib/clang/" + Release);
    Places.push_back("/usr/local/lib/clang/" + Release);
    for (const std::string &P : Places)
      if (sys::fs::exists(P + "/include/stddef.h"))
        return absolutePath(P);
    return std::string();
  }();
  return Found;
}

FlagFinder::FlagFinder(FlagOptions Options) : Options(std::move(Options)) {
  if (!this->Options.FS)
    this->Options.FS = vfs::getRealFileSystem();
  // Where we work changes with the units that are read.
  if (!this->Options.BuildDir.empty())
    BuildDir = absolutePath(this->Options.BuildDir);
}

FlagFinder::~FlagFinder() = default;

const std::optional<LibTorch> &FlagFinder::libTorch() {
  if (!Torch)
    Torch = findLibTorch(*Options.FS, Options.Env);
  return *Torch;
}

Expected<const FlagFinder::Database *> FlagFinder::load(StringRef Path) {
  std::unique_ptr<Database> &Slot = Loaded[Path.str()];
  if (Slot)
    return Slot.get();
  std::string Message;
  std::unique_ptr<CompilationDatabase> Listed;
  auto Text = Options.FS->getBufferForFile(Path);
  // Clang's reader prints its complaints; ours are for the caller to show.
  if (!Text)
    Message = Text.getError().message();
  else if (auto Json = json::parse((*Text)->getBuffer()); !Json)
    Message = toString(Json.takeError());
  else if (auto D = JSONCompilationDatabase::loadFromBuffer(
               (*Text)->getBuffer(), Message,
               clang::tooling::JSONCommandLineSyntax::AutoDetect))
    Listed = expandResponseFiles(std::move(D), Options.FS);
  if (!Listed) {
    Loaded.erase(Path.str());
    return createStringError(inconvertibleErrorCode(),
                             "%s: not a compile database: %s",
                             Path.str().c_str(), Message.c_str());
  }
  Slot = std::make_unique<Database>();
  Slot->Path = Path.str();
  Slot->Listed = std::move(Listed);
  return Slot.get();
}

/// The databases of one folder and of the usual build folders in it, newest
/// build first.
static void addDatabasesIn(vfs::FileSystem &FS, const std::string &Folder,
                           std::vector<std::string> &Paths) {
  std::string Own = Folder + "/compile_commands.json";
  if (FS.exists(Own))
    Paths.push_back(Own);
  std::vector<std::pair<sys::TimePoint<>, std::string>> Builds;
  auto AddFrom = [&](const std::string &Place, bool Deeper, auto &Self) -> void {
    std::error_code EC;
    for (vfs::directory_iterator I = FS.dir_begin(Place, EC), E;
         !EC && I != E; I.increment(EC)) {
      StringRef Name = sys::path::filename(I->path());
      bool IsBuild = Name.starts_with("build") || Name == "out" ||
                     Name.starts_with("cmake-build") || Name == "_build" ||
                     Name == "Release" || Name == "Debug";
      if (!IsBuild && Deeper)
        continue;
      if (auto S = FS.status(I->path() + "/compile_commands.json"))
        Builds.push_back({S->getLastModificationTime(), S->getName().str()});
      else if (Deeper)
        Self(I->path().str(), false, Self);
    }
  };
  AddFrom(Folder, true, AddFrom);
  stable_sort(Builds, [](auto &A, auto &B) {
    return A.first != B.first ? A.first > B.first : A.second < B.second;
  });
  for (auto &[Time, Path] : Builds)
    Paths.push_back(Path);
}

void FlagFinder::findUpward(StringRef File, std::vector<std::string> &Paths) {
  StringRef Folder = sys::path::parent_path(File);
  auto Home = Options.Env("HOME");
  while (!Folder.empty() && Folder != sys::path::root_path(Folder) &&
         !(Home && Folder == *Home)) {
    addDatabasesIn(*Options.FS, Folder.str(), Paths);
    // A repository's own root is where its builds end.
    if (!Paths.empty() || Options.FS->exists(Folder + "/.git"))
      return;
    Folder = sys::path::parent_path(Folder);
  }
}

/// Requires: \p File is absolute. Null: no database.
Expected<const FlagFinder::Database *>
FlagFinder::databaseOf(StringRef File) {
  std::vector<std::string> Paths;
  if (!BuildDir.empty()) {
    if (StringRef(BuildDir).ends_with(".json"))
      Paths.push_back(BuildDir);
    else
      addDatabasesIn(*Options.FS, BuildDir, Paths);
    if (Paths.empty())
      return createStringError(inconvertibleErrorCode(),
                               "-p %s: no compile_commands.json there",
                               Options.BuildDir.c_str());
  } else {
    findUpward(File, Paths);
  }
  const Database *First = nullptr;
  Error Problems = Error::success();
  for (const std::string &Path : Paths) {
    auto D = load(Path);
    if (!D) {
      Problems = joinErrors(std::move(Problems), D.takeError());
      continue;
    }
    First = First ? First : *D;
    if (!(*D)->Listed->getCompileCommands(File).empty()) {
      consumeError(std::move(Problems));
      return *D;
    }
  }
  if (!First && Problems)
    return std::move(Problems);
  consumeError(std::move(Problems));
  return First;
}

std::vector<std::string> FlagFinder::databaseFiles(StringRef File) {
  auto D = databaseOf(absolutePath(File));
  if (!D) {
    // Reported when the file's own command was asked for.
    consumeError(D.takeError());
    return {};
  }
  std::vector<std::string> Files;
  if (*D)
    for (const std::string &F : (*D)->Listed->getAllFiles())
      Files.push_back(absolutePath(F));
  return Files;
}

/// \p Flags with the words of the files that they name: "@flags.rsp", and nvcc's
/// --options-file, which CMake uses. One that can't be read stays as it is.
static std::vector<std::string> withFiles(vfs::FileSystem &FS,
                                          const std::vector<std::string> &Flags,
                                          StringRef Directory, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8;
  std::vector<std::string> Result;
  for (size_t I = 0; I < Flags.size(); ++I) {
    StringRef Name = Flags[I];
    bool Next = (Name == "--options-file" || Name == "-optf") && I + 1 < Flags.size();
    if (Next)
      Name = Flags[I + 1];
    bool Names = Next || Name.consume_front("@") || Name.consume_front("--options-file=");
    auto Text = Names && Depth < MaxDepth
                    ? FS.getBufferForFile(absolutePath(Name, Directory))
                    : std::error_code();
    if (!Names || !Text) {
      Result.push_back(Flags[I]);
      continue;
    }
    I += Next;
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *> Words;
    cl::TokenizeGNUCommandLine((*Text)->getBuffer(), Saver, Words);
    for (std::string &Word : withFiles(FS, {Words.begin(), Words.end()}, Directory, Depth + 1))
      Result.push_back(std::move(Word));
  }
  return Result;
}

/// argv without compiler, input and "--", for clang.
static std::vector<std::string>
flagsOf(vfs::FileSystem &FS, const clang::tooling::CompileCommand &Command,
        std::vector<std::string> &Dropped) {
  std::vector<std::string> Flags;
  std::string Input = absolutePath(Command.Filename, Command.Directory);
  bool SawCompiler = false, Msvc = false;
  for (StringRef Arg : Command.CommandLine) {
    if (!SawCompiler) { // "ccache g++ …": both go.
      SawCompiler = !isCompilerWrapper(Arg);
      Msvc = SawCompiler && isMsvcDriver(Arg);
      continue;
    }
    if (Arg == "--" || (!Arg.starts_with("-") &&
                        absolutePath(Arg, Command.Directory) == Input))
      continue;
    Flags.push_back(Arg.str());
  }
  Flags = withFiles(FS, Flags, Command.Directory);
  return cleanFlags(Msvc ? fromMsvc(Flags, Dropped) : Flags, Dropped);
}

/// The include folders that \p Flags name.
static std::vector<std::string> includeFolders(const CompileCommand &C) {
  std::vector<std::string> Result;
  for (size_t I = 0; I < C.Flags.size(); ++I) {
    StringRef F = C.Flags[I];
    bool HasNext = I + 1 < C.Flags.size();
    if ((F == "-I" || F == "-isystem" || F == "-idirafter") && HasNext)
      Result.push_back(absolutePath(C.Flags[++I], C.Directory));
    else if (F.consume_front("-I") || F.consume_front("-isystem"))
      Result.push_back(absolutePath(F, C.Directory));
  }
  return Result;
}

static bool reachesLibTorch(vfs::FileSystem &FS,
                            const clang::tooling::CompileCommand &Command) {
  std::vector<std::string> Dropped;
  CompileCommand C;
  C.Directory = absolutePath(Command.Directory);
  C.Flags = flagsOf(FS, Command, Dropped);
  return any_of(includeFolders(C), [&](const std::string &Folder) {
    return FS.exists(Folder + "/torch/torch.h") ||
           FS.exists(Folder + "/torch/csrc");
  });
}

void FlagFinder::fromDatabase(const Database &D, CompileCommand &C) {
  auto Commands = D.Listed->getCompileCommands(C.File);
  if (Commands.empty()) {
    // A header, or a file that no target builds: the nearest file's flags.
    std::string Message;
    auto Again = JSONCompilationDatabase::loadFromFile(
        D.Path, Message, clang::tooling::JSONCommandLineSyntax::AutoDetect);
    if (Again)
      Commands = inferMissingCompileCommands(std::move(Again))
                     ->getCompileCommands(C.File);
    // A database of code without LibTorch says nothing about this file.
    if (Commands.empty() || !reachesLibTorch(*Options.FS, Commands.front()))
      return makeUp(C);
    C.Note = "not in " + D.Path + ": flags of " +
             Commands.front().Heuristic + " used";
    StringRef Heuristic = Commands.front().Heuristic;
    if (Heuristic.consume_front("inferred from "))
      C.Note = "not in " + D.Path + ": flags of " + Heuristic.str() + " used";
  }
  const auto &Command = Commands.front();
  C.Source = FlagSource::Database;
  C.Database = D.Path;
  C.Directory = absolutePath(Command.Directory);
  C.Compiler = hostCompilerOf(Command.CommandLine);
  if (!Command.Output.empty())
    C.Output = absolutePath(Command.Output, Command.Directory);
  C.Flags = flagsOf(*Options.FS, Command, C.Dropped);
}

/// Headers that packages put below a folder of their own.
static void addPackageFolders(vfs::FileSystem &FS, CompileCommand &C) {
  for (StringRef Folder :
       {"/usr/include/opencv4", "/usr/local/include/opencv4",
        "/usr/include/eigen3", "/usr/local/cuda/include"})
    if (FS.exists(Folder))
      C.Flags.insert(C.Flags.end(), {"-isystem", Folder.str()});
}

void FlagFinder::makeUp(CompileCommand &C) {
  C.Source = FlagSource::MadeUp;
  const std::optional<LibTorch> &T = libTorch();
  std::string Standard = T ? T->Standard : "c++17";
  C.Flags = {"-std=" + Standard};
  std::string Root = projectRootOf(*Options.FS, C.File, Options.Env);
  // The usual places of headers beside the file and above it, nearest first.
  for (std::string Folder = sys::path::parent_path(C.File).str();
       Folder.size() > 1;
       Folder = sys::path::parent_path(Folder).str()) {
    for (StringRef Below : {"", "/include", "/inc", "/src"})
      if (Options.FS->exists(Folder + Below.str()))
        C.Flags.push_back("-I" + Folder + Below.str());
    if (Folder == Root || !StringRef(Folder).starts_with(Root))
      break;
  }
  addPackageFolders(*Options.FS, C);
  C.Note = "flags made up: -std=" + Standard;
  if (T)
    C.Note += ", LibTorch " + T->version() + " by " + T->FoundBy;
  else
    C.Note += "; no LibTorch found (set Torch_DIR or CMAKE_PREFIX_PATH, or "
              "give -p BUILD_DIR)";
}

/// Records the LibTorch that the flags reach; adds one where they reach none.
void FlagFinder::addLibTorch(CompileCommand &C) {
  for (const std::string &Folder : includeFolders(C))
    if (auto T = libTorchOfFolder(*Options.FS, Folder)) {
      C.Torch = T;
      C.Torch->FoundBy = "-I of the compile command";
      break;
    }
  if (!C.Torch && libTorch())
    C.Torch = libTorch();
  if (!C.Torch)
    return;
  // Both roots, once; the system's own root needs no flag.
  std::vector<std::string> Have = includeFolders(C);
  for (const std::string &Root : C.Torch->IncludeRoots)
    if (!is_contained(Have, Root) && Root != "/usr/include" &&
        Root != "/usr/local/include")
      C.Flags.insert(C.Flags.end(), {"-isystem", Root});
  bool Cxx20 = any_of(C.Flags, [](StringRef F) {
    return F.consume_front("-std=c++") &&
           (F.starts_with("2") && !F.starts_with("1"));
  });
  // LibTorch 1.x in C++20 needs IValue complete before its own headers ask.
  if (C.Torch->Major == 1 && Cxx20)
    C.Flags.insert(C.Flags.end(), {"-include", "ATen/core/ivalue.h"});
}

/// What is not carried over is told: it may matter after all.
static void noteDropped(CompileCommand &C) {
  constexpr size_t MaxNames = 3;
  if (C.Dropped.empty())
    return;
  C.Note += (C.Note.empty() ? "" : "; ") + std::string("dropped what clang doesn't know: ");
  for (size_t I = 0; I < C.Dropped.size() && I < MaxNames; ++I)
    C.Note += (I ? ", " : "") + C.Dropped[I];
  if (C.Dropped.size() > MaxNames)
    C.Note += " and " + std::to_string(C.Dropped.size() - MaxNames) + " more";
}

Expected<CompileCommand> FlagFinder::commandFor(StringRef File) {
  CompileCommand C;
  C.File = absolutePath(File);
  C.Directory = absolutePath(".");
  bool FlagsAlone = Options.Flags && Options.BuildDir.empty();
  if (!FlagsAlone) {
    auto D = databaseOf(C.File);
    if (!D)
      return D.takeError();
    if (*D)
      fromDatabase(**D, C);
    else if (!Options.Flags)
      makeUp(C);
  }
  if (Options.Flags) {
    if (FlagsAlone)
      C.Source = FlagSource::CommandLine;
    auto Extra = cleanFlags(withFiles(*Options.FS, *Options.Flags, absolutePath(".")),
                            C.Dropped);
    C.Flags.insert(C.Flags.end(), Extra.begin(), Extra.end());
    bool HasStd = any_of(C.Flags, [](StringRef F) {
      return F.starts_with("-std=");
    });
    if (!HasStd && libTorch())
      C.Flags.push_back("-std=" + libTorch()->Standard);
  }
  addLibTorch(C);
  noteDropped(C);
  return C;
}

} // namespace vramlint
