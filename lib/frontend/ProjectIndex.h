//===- lib/frontend/ProjectIndex.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds function bodies in the project's other files.
//
//   declaration ─► files that may define it (by a lexer's look) ─► the nearest
//   are loaded ─► the definition with the same USR

#pragma once

#include "lib/frontend/Frontend.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>
#include <memory>
#include <string>
#include <vector>

namespace vramlint {

struct ProjectIndexOptions {
  /// The files named on the command line.
  std::vector<std::string> Files;
  /// Other units that are loaded at most; each takes 0.3 to 0.9 s and 55 MB.
  unsigned MaxUnits = 8;
  /// Files that are looked at at most.
  unsigned MaxFiles = 400;
};

class ProjectIndex : public UnitProvider {
public:
  /// \p Flags and what \p Options refers to must outlive the index.
  ProjectIndex(FlagFinder &Flags, FrontendOptions Options,
               ProjectIndexOptions Index);
  ~ProjectIndex() override;

  /// Makes a unit that the caller owns known, so that it isn't loaded again: the
  /// first one is where the program starts. Must outlive the index.
  void addUnit(Unit &U);

  const clang::FunctionDecl *definitionOf(const clang::FunctionDecl &F,
                                          UnitView &Unit) override;
  std::vector<SourceWords> filesNaming(const clang::FunctionDecl &F) override;

  /// Why the last definitionOf() gave nothing: "no file defines it", "several
  /// files define it: a.cpp, b.cpp" …
  const std::string &lastReason() const { return Reason; }
  std::string whyNot() const override { return Mendable ? Reason : ""; }
  /// The loaded unit whose AST \p Context is, or null.
  Unit *unitOf(const clang::ASTContext &Context) const;

private:
  struct Known {
    Unit *U = nullptr; // Null: can't be parsed.
    std::unique_ptr<Unit> Owned;
    std::map<std::string, const clang::FunctionDecl *> ByUsr;
    std::set<std::string> Broken; // USRs of functions with errors in them.
    bool Indexed = false;
  };
  struct Rank {
    int OtherTarget = 0, Distance = 0;
    friend auto operator<=>(const Rank &, const Rank &) = default;
  };
  std::vector<std::string> candidates(const clang::FunctionDecl &F);
  void addFolder(llvm::StringRef Folder, std::vector<std::string> &Files);
  bool mayDefine(const std::string &File,
                 const std::vector<std::string> &Names);
  Rank rankOf(const std::string &File);
  Known *load(const std::string &File);
  const clang::FunctionDecl *inUnit(Known &K, const std::string &Usr);
  static bool onlyBodiesBroken(Known &K);

  FlagFinder &Flags;
  FrontendOptions Options;
  ProjectIndexOptions Index;
  std::map<std::string, Known> Units;               // By absolute path.
  std::map<std::string, llvm::StringSet<>> Defined; // By absolute path.
  std::map<std::string, std::string> Answers;       // USR -> file, "" for none.
  std::map<std::string, std::string> Refused;       // USR -> why not.
  std::string Start, StartTarget, Reason;
  bool Mendable = false; ///< Reason says what the user can do about it.
  unsigned Loaded = 0;
};

} // namespace vramlint
