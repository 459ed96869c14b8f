//===- tool/vramlint/Config.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where a file's configuration comes from.

#include "tool/vramlint/Config.h"

#include "checks/TidyConfig.h"
#include "lib/frontend/CompileFlags.h"
#include "lib/report/Format.h"
#include "tool/vramlint/Lists.h"
#include "llvm/ADT/StringExtras.h"

namespace vramlint::tool {

/// Options of the command line that win over an option of .clang-tidy.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> Same[] = {
    {"torch.Gpu", "--gpu"},
    {"torch.BatchSize", "--batch"},
    {"torch.Optimizer", "--optimizer"},
    {"torch.Precision", "--precision"},
    {"torch.Construct", "--construct"},
    {"torch.Input", "--input"},
};

static void printOrder(llvm::raw_ostream &OS) {
  OS << "What configures a file, later ones win:\n"
        "  1. built in: the profile 'default', unless a .clang-tidy names "
        "torch- checks\n"
        "  2. .clang-tidy, from the file's folder upward: the nearest, and "
        "those above it\n"
        "     as long as InheritParentConfig is true; the nearer one wins, "
        "Checks add up\n"
        "  3. comments in the source: // vramlint: construct(…), input(…) at "
        "their class\n"
        "  4. the command line: --profile, then --checks, added to Checks; ";
  const char *Separator = "";
  for (const auto &[Option, Flag] : Same) {
    OS << Separator << Flag;
    Separator = ", ";
  }
  OS << "\n     instead of ";
  Separator = "";
  for (const auto &[Option, Flag] : Same) {
    OS << Separator << Option;
    Separator = ", ";
  }
  OS << "\nOf what is found, NOLINT comments hide their line's, --lines, "
        "--diff and "
        "--baseline what is not new.\n";
}

/// "--gpu=t4\n…" as flags and values.
static std::map<std::string, std::string> optionsTyped(const CommandLine &C) {
  std::map<std::string, std::string> All;
  llvm::SmallVector<llvm::StringRef> Lines;
  llvm::StringRef(C.ResultOptions).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Line : Lines) {
    auto [Name, Value] = Line.split('=');
    std::string &Known = All[Name.str()];
    Known += (Known.empty() ? "" : ", ") + Value.str();
  }
  return All;
}

static void printFile(const CommandLine &C,
                      const std::vector<ConfigSource> &Sources,
                      const report::PathPrinter &Paths, llvm::raw_ostream &OS) {
  std::map<std::string, std::pair<std::string, std::string>> InEffect;
  for (const ConfigSource &S : Sources) {
    OS << "  " << Paths.file(S.From) << '\n';
    for (const auto &[Name, Value] : S.Settings) {
      // Long lists of checks are written over lines.
      llvm::SmallVector<llvm::StringRef> Words;
      llvm::SplitString(Value, Words);
      OS << "    " << Name << ": " << llvm::join(Words, " ") << '\n';
      if (llvm::StringRef(Name).starts_with("torch"))
        InEffect[Name] = {Value, Paths.file(S.From)};
    }
  }
  std::map<std::string, std::string> Typed = optionsTyped(C);
  for (const auto &[Option, Flag] : Same)
    if (auto T = Typed.find(Flag.str()); T != Typed.end())
      InEffect[Option.str()] = {T->second, Flag.str()};
  OS << "  in effect" << (InEffect.empty() ? ": no torch options\n" : "\n");
  for (const auto &[Name, What] : InEffect)
    OS << "    " << Name << ": " << What.first << " (" << What.second << ")\n";
}

int showConfig(const CommandLine &C, llvm::raw_ostream &OS) {
  if (C.Files.empty())
    printOrder(OS);
  report::PathPrinter Paths(absolutePath("."));
  for (const std::string &File : C.Files) {
    ConfigOptions Config;
    Config.Checks = C.Checks;
    Config.Profile = C.Profile;
    Config.FS = llvm::vfs::getRealFileSystem();
    llvm::Expected<std::vector<ConfigSource>> Sources =
        configSources(absolutePath(File), Config);
    if (!Sources)
      return complain(llvm::toString(Sources.takeError()));
    OS << File << ", later ones win:\n";
    printFile(C, *Sources, Paths, OS);
  }
  return 0;
}

} // namespace vramlint::tool
