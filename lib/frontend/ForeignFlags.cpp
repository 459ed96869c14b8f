//===- lib/frontend/ForeignFlags.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Wrappers of compilers, and the flags of cl and clang-cl as clang's: language,
// macros, include paths. The rest of what they take changes no answer here.

#include "lib/frontend/ForeignFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

bool isCompilerWrapper(StringRef Word) {
  StringRef Name = sys::path::filename(Word);
  // "sccache", "buildcache", "launch-ccache.sh" … too.
  return Name.contains("ccache") || Name.contains("distcc") ||
         Name == "buildcache" || Name == "icecc" || Name == "gomacc" ||
         Name == "env" || Word.contains('=');
}

bool isMsvcDriver(StringRef Program) {
  // A database may come from another system.
  StringRef Name = Program.substr(Program.find_last_of("/\\") + 1);
  Name.consume_back_insensitive(".exe");
  return Name.equals_insensitive("cl") || Name.equals_insensitive("clang-cl");
}

namespace {
/// What an option of cl becomes; its value may stand in the next word.
struct Translation {
  StringRef Msvc, Clang;
  bool OneWord; ///< "-Ix"; else "-isystem", "x".
};
} // namespace

static constexpr Translation Translations[] = {
    {"external:I", "-isystem", false},
    {"imsvc", "-isystem", false},
    {"FI", "-include", false},
    {"I", "-I", true},
    {"D", "-D", true},
    {"U", "-U", true},
};

/// What changes no answer: code generation, warnings, outputs, cl's own
/// behaviour.
static bool isIndifferent(StringRef Name) {
  for (StringRef Prefix : {"O",
                           "W",
                           "w",
                           "M",
                           "EH",
                           "G",
                           "Z",
                           "F",
                           "R",
                           "T",
                           "nologo",
                           "utf-8",
                           "permissive",
                           "bigobj",
                           "sdl",
                           "analyze",
                           "diagnostics",
                           "showIncludes",
                           "fp:",
                           "arch:",
                           "errorReport",
                           "external:W",
                           "source-charset",
                           "execution-charset",
                           "options:"})
    if (Name.starts_with(Prefix))
      return true;
  return Name == "c" || Name == "TP";
}

static std::string standardOf(StringRef Name) {
  return Name == "c++latest" ? "-std=c++20" : ("-std=" + Name).str();
}

std::vector<std::string> fromMsvc(const std::vector<std::string> &Flags,
                                  std::vector<std::string> &Dropped) {
  std::vector<std::string> Result;
  for (size_t I = 0; I < Flags.size(); ++I) {
    StringRef Arg = Flags[I];
    StringRef Name = Arg;
    if (!Name.consume_front("/") && !Name.consume_front("-")) {
      Result.push_back(Flags[I]);
      continue;
    }
    if (Name.consume_front("std:")) {
      Result.push_back(standardOf(Name));
      continue;
    }
    if (Name.consume_front("clang:")) {
      Result.push_back(Name.str());
      continue;
    }
    const Translation *T = find_if(Translations, [&](const Translation &T) {
      return Name.starts_with(T.Msvc);
    });
    if (T == std::end(Translations)) {
      // An option that is spelt as clang's is one: "-fexceptions" to clang-cl.
      if (Arg.starts_with("-"))
        Result.push_back(Flags[I]);
      else if (!isIndifferent(Name))
        Dropped.push_back(Flags[I]);
      continue;
    }
    std::string Value = Name.drop_front(T->Msvc.size()).str();
    if (Value.empty() && I + 1 < Flags.size())
      Value = Flags[++I];
    if (T->OneWord)
      Result.push_back(T->Clang.str() + Value);
    else
      Result.insert(Result.end(), {T->Clang.str(), Value});
  }
  return Result;
}

} // namespace vramlint
