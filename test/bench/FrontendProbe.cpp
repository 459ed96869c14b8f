//===- test/bench/FrontendProbe.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs the frontend alone on files and prints what each step costs:
//   frontend-probe [--no-cache] [--cache-dir DIR] [-p DIR] FILES… [-- FLAGS]

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "lib/frontend/Frontend.h"
#include "lib/frontend/PreambleCache.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace vramlint;

static double cpuSeconds() {
  sys::TimePoint<> Now;
  std::chrono::nanoseconds User, System;
  sys::Process::GetTimeUsage(Now, User, System);
  return std::chrono::duration<double>(User).count();
}

static int probe(FlagFinder &Flags, const FrontendOptions &Options,
                 StringRef File) {
  double Start = cpuSeconds();
  auto Command = Flags.commandFor(File);
  if (!Command) {
    errs() << toString(Command.takeError()) << '\n';
    return 2;
  }
  double Found = cpuSeconds();
  outs() << File << ": " << Command->Note << "\n  flags:";
  for (const std::string &F : Command->Flags)
    outs() << ' ' << F;
  outs() << "\n";
  auto U = loadUnit(*Command, Options);
  if (!U) {
    errs() << toString(U.takeError()) << '\n';
    return 2;
  }
  double Parsed = cpuSeconds();
  for (const CompilerDiagnostic &D : (*U)->diagnostics())
    outs() << D.Text;
  outs() << "  own top-level declarations: "
         << (*U)->view().Context->getTraversalScope().size()
         << ((*U)->usedPreamble() ? ", preamble used" : "");
  int Bad = (*U)->hasErrors();
  U->reset();
  outs() << format("\n  user CPU: flags %.3f, parse %.3f, destroy %.3f\n",
                   Found - Start, Parsed - Found, cpuSeconds() - Parsed);
  return Bad;
}

int main(int ArgCount, char **Args) {
  FlagOptions FlagChoice;
  FrontendOptions Options;
  PreambleCacheOptions CacheChoice;
  CacheChoice.Say = [](StringRef Text) { errs() << Text << '\n'; };
  bool UseCache = true;
  std::vector<std::string> Files;
  for (int I = 1; I < ArgCount; ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--") {
      FlagChoice.Flags.emplace(Args + I + 1, Args + ArgCount);
      break;
    }
    if (Arg == "-p" && I + 1 < ArgCount)
      FlagChoice.BuildDir = Args[++I];
    else if (Arg == "--all-bodies")
      Options.KeepAllBodies = true;
    else if (Arg == "--no-cache")
      UseCache = false;
    else if (Arg == "--cache-dir" && I + 1 < ArgCount)
      CacheChoice.Dir = Args[++I];
    else
      Files.push_back(Arg.str());
  }
  PreambleCache Cache(CacheChoice);
  if (UseCache)
    Options.Cache = &Cache;
  FlagFinder Flags(FlagChoice);
  int Status = 0;
  for (const std::string &File : Files)
    Status = std::max(Status, probe(Flags, Options, File));
  return Status;
}
