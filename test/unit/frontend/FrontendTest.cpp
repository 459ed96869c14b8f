//===- test/unit/frontend/FrontendTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A unit parsed and kept alive.

#include "lib/frontend/Frontend.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Sema/Sema.h"
#include "test/unit/frontend/TestProject.h"
#include "gmock/gmock.h"

namespace vramlint {
namespace {

using testing::HasSubstr;

const clang::FunctionDecl *function(const clang::DeclContext *In,
                                    llvm::StringRef Name) {
  for (const clang::Decl *D : In->decls()) {
    if (const auto *F = llvm::dyn_cast<clang::FunctionDecl>(D);
        F && F->getNameAsString() == Name)
      return F;
    if (const auto *C = llvm::dyn_cast<clang::DeclContext>(D);
        C && llvm::isa<clang::NamespaceDecl>(D))
      if (const auto *F = function(C, Name))
        return F;
  }
  return nullptr;
}

llvm::Expected<std::unique_ptr<Unit>> load(TestProject &P,
                                           llvm::StringRef Text,
                                           const ConsumerHook &Hook = {}) {
  std::string File = P.write("project/main.cpp", Text);
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  return loadUnit(*C, FrontendOptions(), Hook);
}

TEST(Frontend, ScopeIsTheProjectsOwnCode) {
  TestProject P;
  P.write("project/model.h", "#pragma once\nstruct Model { int F() { return 1; } };\n");
  auto U = load(P, "#include <torch/torch.h>\n#include <vector>\n"
                   "#include \"model.h\"\nint main() { return Model().F(); }\n");
  ASSERT_TRUE(bool(U)) << llvm::toString(U.takeError());
  EXPECT_FALSE((*U)->hasErrors()) << (*U)->diagnostics().front().Text;
  UnitView V = (*U)->view();
  auto Scope = V.Context->getTraversalScope();
  ASSERT_EQ(Scope.size(), 2u); // Model, main
  EXPECT_FALSE((*U)->isExternal(Scope[0]->getLocation()));
  const auto *TU = V.Context->getTranslationUnitDecl();
  const auto *Skipped = function(TU, "skipped");
  ASSERT_TRUE(Skipped);
  EXPECT_TRUE((*U)->isExternal(Skipped->getLocation()));
  EXPECT_TRUE((*U)->isExternal(clang::SourceLocation()));
  // Its body names nothing that exists: only skipping it makes this compile.
  EXPECT_FALSE(Skipped->hasBody());
  EXPECT_TRUE(function(TU, "kept")->hasBody());
}

// What a file includes by a path from itself is no package, wherever it lies.
TEST(Frontend, HeadersBesideTheProjectAreItsOwn) {
  TestProject P;
  P.write("common/model.h", "#pragma once\nstruct Model { int F() { return 1; } };\n");
  auto U = load(P, "#include <torch/torch.h>\n#include \"../common/model.h\"\n"
                   "int main() { return Model().F(); }\n");
  ASSERT_TRUE(bool(U)) << llvm::toString(U.takeError());
  ASSERT_FALSE((*U)->hasErrors()) << (*U)->diagnostics().front().Text;
  EXPECT_EQ((*U)->view().Context->getTraversalScope().size(), 2u);
}

TEST(Frontend, ErrorsAreKeptAsClangPrintsThem) {
  TestProject P;
  auto U = load(P, "int main() {\n  return nope;\n}\n");
  ASSERT_TRUE(bool(U));
  ASSERT_EQ((*U)->diagnostics().size(), 1u);
  const CompilerDiagnostic &D = (*U)->diagnostics().front();
  EXPECT_EQ(D.Message, "use of undeclared identifier 'nope'");
  EXPECT_EQ(D.Pos.Line, 2u);
  EXPECT_EQ(D.Pos.Column, 10u);
  EXPECT_THAT(D.Text, HasSubstr("main.cpp:2:10: error: use of undeclared"));
  EXPECT_THAT(D.Text, HasSubstr("^"));
}

TEST(Frontend, MissingHeaderIsNamed) {
  TestProject P;
  auto U = load(P, "#include <opencv2/no_such.hpp>\nint main() {}\n");
  ASSERT_TRUE(bool(U));
  ASSERT_TRUE((*U)->hasErrors());
  EXPECT_EQ((*U)->diagnostics().front().MissingHeader, "opencv2/no_such.hpp");
}

TEST(Frontend, CommentsInOtherEncodings) {
  TestProject P;
  auto U = load(P, "// \xc4\xe3\xba\xc3 (GBK), caf\xe9 (Latin-1)\n"
                   "int main() { return 0; } /* \xff\xfe */\n");
  ASSERT_TRUE(bool(U));
  EXPECT_FALSE((*U)->hasErrors());
}

TEST(Frontend, BinaryMissingAndFolder) {
  TestProject P;
  CompileCommand C;
  C.Directory = P.path("project");
  for (auto [Path, Text] :
       {std::pair(P.write("project/a.cpp", llvm::StringRef("a\0b", 3)),
                  "binary"),
        std::pair(P.path("project/none.cpp"), "no such file"),
        std::pair(P.path("project"), "is a directory")}) {
    C.File = Path;
    auto U = loadUnit(C, FrontendOptions());
    ASSERT_FALSE(bool(U));
    EXPECT_THAT(llvm::toString(U.takeError()), HasSubstr(Text));
  }
}

TEST(Frontend, SemaInstantiatesOnDemand) {
  TestProject P;
  auto U = load(P, "template <class T> struct Box { T V; int f() { return 3; } };\n"
                   "Box<int> *B; int use(Box<int> &X) { return X.V; }\n");
  ASSERT_TRUE(bool(U));
  UnitView V = (*U)->view();
  clang::CXXMethodDecl *Method = nullptr;
  for (clang::Decl *D : V.Context->getTraversalScope())
    if (auto *T = llvm::dyn_cast<clang::ClassTemplateDecl>(D))
      for (auto *S : T->specializations())
        for (auto *M : S->methods())
          if (M->getNameAsString() == "f")
            Method = M;
  ASSERT_TRUE(Method);
  EXPECT_FALSE(Method->hasBody());
  V.Sema->InstantiateFunctionDefinition(Method->getLocation(), Method,
                                        /*Recursive=*/true,
                                        /*DefinitionRequired=*/false);
  EXPECT_TRUE(Method->hasBody());
  EXPECT_FALSE((*U)->hasErrors());
}

TEST(Frontend, ExtraConsumerRunsWhenAsked) {
  struct Counter : clang::ASTConsumer {
    explicit Counter(int &Ends, int &Decls) : Ends(Ends), Decls(Decls) {}
    void HandleTranslationUnit(clang::ASTContext &C) override {
      ++Ends;
      Decls = C.getTraversalScope().size();
    }
    int &Ends, &Decls;
  };
  TestProject P;
  int Ends = 0, Decls = 0;
  auto U = load(P, "#include <torch/torch.h>\nint a; int b;\n",
                [&](clang::CompilerInstance &, llvm::StringRef) {
                  return std::make_unique<Counter>(Ends, Decls);
                });
  ASSERT_TRUE(bool(U));
  EXPECT_EQ(Ends, 0);
  (*U)->runExtraConsumers();
  (*U)->runExtraConsumers();
  EXPECT_EQ(Ends, 1);
  EXPECT_EQ(Decls, 2);
}

TEST(Frontend, CrashStaysInside) {
  llvm::Error E = runGuarded("test", [] {
    volatile int *Null = nullptr;
    *Null = 1;
  });
  EXPECT_THAT(llvm::toString(std::move(E)), HasSubstr("crashed"));
  EXPECT_FALSE(bool(runGuarded("test", [] {})));
}

TEST(Frontend, AnalyzerMacroIsDefined) {
  TestProject P;
  auto U = load(P, "#ifndef __clang_analyzer__\n#error no\n#endif\n");
  ASSERT_TRUE(bool(U));
  EXPECT_FALSE((*U)->hasErrors());
}

} // namespace
} // namespace vramlint
