//===- test/unit/interp/TestProgram.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Code in, value out: runs the function `test` of a piece of C++ on the machine
// and gives its result as describe() prints it.

#pragma once

#include "lib/interp/Machine.h"
#include "clang/Tooling/Tooling.h"
#include <string>

namespace vramlint {

/// A domain that knows nothing; it counts what it is told.
class EmptyDomain : public Domain {
public:
  bool call(Machine &, llvm::StringRef Name, CallSite &, Operand &Result) override {
    if (Name != "event")
      return false;
    ++Events;
    Result = Operand(Value());
    return true;
  }
  bool construct(Machine &, llvm::StringRef, CallSite &, Value &) override {
    return false;
  }
  bool global(Machine &, llvm::StringRef, clang::QualType, Operand &) override {
    return false;
  }
  bool member(Machine &, CellRef, llvm::StringRef, Operand &) override {
    return false;
  }
  bool iterate(Machine &, CellRef, llvm::function_ref<bool(CellRef)>) override {
    return false;
  }
  size_t mark() override { return Events; }
  uint64_t digest(size_t Mark) override { return Events - Mark; }
  void loopJump(Machine &, unsigned, int64_t) override { ++Jumps; }
  std::optional<std::string> readFile(llvm::StringRef Name) override {
    auto It = Files.find(Name.str());
    return It == Files.end() ? std::nullopt : std::optional(It->second);
  }
  void assumed(Machine &, llvm::StringRef What, llvm::StringRef) override {
    Assumed.push_back(What.str());
  }
  void unknown(Machine &, const UnknownInfo &Info) override {
    Reasons.push_back(Info.Reason);
  }
  void stopped(Machine &, const UnknownInfo &Info) override {
    Reasons.push_back(Info.Reason);
  }

  uint64_t Events = 0, Jumps = 0;
  std::vector<std::string> Reasons, Assumed;
  std::map<std::string, std::string> Files; ///< That the program may open.
};

struct TestResult {
  std::string Value; ///< describe() of what `test` returned.
  uint64_t Events = 0, Jumps = 0;
  std::vector<std::string> Reasons; ///< What was not understood.
  std::vector<std::string> Assumed;
  bool Stopped = false;
};

/// Runs `test` of \p Code. \p Code: a whole file; `void event();` is a call that
/// the domain counts.
inline TestResult runTest(const std::string &Code, bool RightToLeft = true,
                          Budget Limits = {},
                          std::map<std::string, std::string> Files = {}) {
  TestResult Result;
  std::unique_ptr<clang::ASTUnit> AST = clang::tooling::buildASTFromCodeWithArgs(
      "void event();\n" + Code,
      {"-std=c++17", "-resource-dir", VRAMLINT_RESOURCE_DIR, "-w"}, "test.cpp");
  if (!AST || AST->getDiagnostics().hasErrorOccurred()) {
    Result.Value = "does not compile";
    return Result;
  }
  clang::ASTContext &Context = AST->getASTContext();
  EmptyDomain Domain;
  Domain.Files = std::move(Files);
  Machine M({&Context, AST->hasSema() ? &AST->getSema() : nullptr}, nullptr, Domain, Limits);
  M.RightToLeft = RightToLeft;
  for (clang::Decl *D : Context.getTranslationUnitDecl()->decls()) {
    auto *F = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (!F || !F->hasBody() || !F->getDeclName().isIdentifier() || F->getName() != "test")
      continue;
    Operand O = M.run(*F, {});
    Result.Value = describe(O.value());
    if (M.unwinding())
      Result.Value = "throws " + M.exceptionText().str();
  }
  Result.Events = Domain.Events;
  Result.Jumps = Domain.Jumps;
  Result.Reasons = Domain.Reasons;
  Result.Assumed = Domain.Assumed;
  Result.Stopped = M.stopped();
  return Result;
}

} // namespace vramlint
