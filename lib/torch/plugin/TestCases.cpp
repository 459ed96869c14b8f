//===- lib/torch/plugin/TestCases.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TestCases.h. Test cases are known by the names that the macros give:
//
//   GoogleTest   class …_Test : testing::Test { void TestBody(); }
//   Catch2       void CATCH2_INTERNAL_TEST_0(), struct … { void test(); }
//   doctest      void DOCTEST_ANON_FUNC_0()
//   Boost.Test   struct … { void test_method(); }

#include "lib/torch/plugin/TestCases.h"

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

/// Is \p F a function that a macro made for a test case?
static bool isTestFunction(const FunctionDecl &F) {
  if (!F.getIdentifier() || F.getNumParams() != 0 ||
      !F.doesThisDeclarationHaveABody() || isa<CXXMethodDecl>(F))
    return false;
  llvm::StringRef Name = F.getName();
  for (llvm::StringRef Prefix :
       {"CATCH2_INTERNAL_TEST_", "C_A_T_C_H_T_E_S_T_", "____C_A_T_C_H____T_E_S_T____",
        "DOCTEST_ANON_FUNC_", "_DOCTEST_ANON_FUNC_"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

/// The body of the test case that \p D is, or null.
static const CXXMethodDecl *testMethod(Machine &M, const CXXRecordDecl &D) {
  bool Google = derivesFrom(M, D, "testing::Test");
  for (const CXXMethodDecl *Method : D.methods()) {
    if (!Method->getIdentifier() || Method->getNumParams() != 0 || !Method->hasBody())
      continue;
    llvm::StringRef Name = Method->getName();
    llvm::StringRef Class = D.getName();
    if ((Google && Name == "TestBody") || Name == "test_method" ||
        (Name == "test" && (Class.starts_with("CATCH2_INTERNAL_TEST_") ||
                            Class.contains("C_A_T_C_H"))))
      return Method;
  }
  return nullptr;
}

static void find(Machine &M, llvm::ArrayRef<const Decl *> Decls,
                 std::vector<TestCase> &Found) {
  for (const Decl *D : Decls) {
    if (M.isExternal(D->getLocation()))
      continue;
    if (auto *N = dyn_cast<NamespaceDecl>(D))
      find(M, llvm::SmallVector<const Decl *, 16>(N->noload_decls()), Found);
    else if (auto *F = dyn_cast<FunctionDecl>(D); F && isTestFunction(*F))
      Found.push_back({F, nullptr});
    else if (auto *C = dyn_cast<CXXRecordDecl>(D);
             C && C->isThisDeclarationADefinition() && C->getIdentifier())
      if (const CXXMethodDecl *Body = testMethod(M, *C))
        Found.push_back({Body, C});
  }
}

std::vector<TestCase> findTestCases(Machine &M, llvm::ArrayRef<const Decl *> Own) {
  std::vector<TestCase> Found;
  find(M, Own, Found);
  return Found;
}

void runTestCase(Machine &M, const TestCase &Case) {
  if (!Case.Fixture) {
    M.run(*Case.Body, {});
    M.caught();
    return;
  }
  M.buildAndDrop(M.context().getRecordType(Case.Fixture), {}, {}, [&](CellRef Object) {
    auto *R = Object->V.as<Record>();
    for (llvm::StringRef Step :
         {llvm::StringRef("SetUp"), Case.Body->getName(), llvm::StringRef("TearDown")})
      if (R && M.hasMethod(*R, Step))
        M.callMethod(Object, Step, {});
  });
  M.caught();
}

} // namespace vramlint
