//===- lib/frontend/CompileFlags.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The compiler's flags for one file: from compile_commands.json, from the
// command line, or made up from the LibTorch that is found.
//
//   file ─► -- FLAGS ─► compile_commands.json (-p, or upward) ─► made up
//                 └─────────────┴──► cleaned: what clang doesn't know and what
//                                    changes no answer (-O2, -fPIC …) is dropped

#pragma once

#include "lib/frontend/LibTorch.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang::tooling {
class CompilationDatabase;
}

namespace vramlint {

/// Whose order of evaluation the program follows: g++ evaluates arguments right
/// to left, clang left to right.
enum class HostCompiler { Gcc, Clang };

enum class FlagSource { Database, CommandLine, MadeUp };

/// How one file is compiled.
struct CompileCommand {
  std::string File;      ///< Absolute.
  std::string Directory; ///< Absolute; relative paths start here.
  /// Flags for clang's driver: no compiler, input or output.
  std::vector<std::string> Flags;
  HostCompiler Compiler = HostCompiler::Gcc;
  std::string Output; ///< Object file as the database names it, or "".
  FlagSource Source = FlagSource::MadeUp;
  std::string Database; ///< The compile_commands.json, or "".
  /// Flags that clang doesn't know, as written.
  std::vector<std::string> Dropped;
  /// One line for the closing lines where something was chosen for the user,
  /// as "flags made up: -std=c++17, LibTorch 1.13.1 by the system include path".
  std::string Note;
  /// The LibTorch whose headers these flags reach, if any.
  std::optional<LibTorch> Torch;
};

struct FlagOptions {
  std::string BuildDir;                          ///< -p
  std::optional<std::vector<std::string>> Flags; ///< What stood after "--".
  FileSystemPtr FS;                              ///< Null: the real one.
  Environment Env = processEnvironment;
};

/// Finds the flags of files; keeps databases and the LibTorch it found.
class FlagFinder {
public:
  explicit FlagFinder(FlagOptions Options);
  ~FlagFinder();
  /// Fails where -p names no database, or a database can't be read.
  llvm::Expected<CompileCommand> commandFor(llvm::StringRef File);
  /// The LibTorch of this machine, looked for once.
  const std::optional<LibTorch> &libTorch();
  /// All files of the database that \p File is in, absolute.
  std::vector<std::string> databaseFiles(llvm::StringRef File);

private:
  struct Database {
    std::string Path;
    std::shared_ptr<clang::tooling::CompilationDatabase> Listed;
  };
  llvm::Expected<const Database *> load(llvm::StringRef Path);
  llvm::Expected<const Database *> databaseOf(llvm::StringRef File);
  void findUpward(llvm::StringRef File, std::vector<std::string> &Paths);
  void fromDatabase(const Database &D, CompileCommand &C);
  void makeUp(CompileCommand &C);
  void addLibTorch(CompileCommand &C);

  FlagOptions Options;
  std::string BuildDir; ///< Absolute, or "".
  std::map<std::string, std::unique_ptr<Database>> Loaded;
  std::optional<std::optional<LibTorch>> Torch;
};

/// Flags as clang's driver and vramlint want them; what was dropped because
/// clang doesn't know it goes to \p Dropped.
std::vector<std::string> cleanFlags(const std::vector<std::string> &Flags,
                                    std::vector<std::string> &Dropped);

/// The compiler by argv[0], seen through ccache, distcc and nvcc.
HostCompiler hostCompilerOf(const std::vector<std::string> &CommandLine);

/// Clang's own headers (stddef.h …) of this LLVM release: <…>/lib/clang/19. ""
/// if not found.
std::string clangResourceDir();

/// \p Path from \p Directory, without "." and "..".
std::string absolutePath(llvm::StringRef Path, llvm::StringRef Directory = "");

} // namespace vramlint
