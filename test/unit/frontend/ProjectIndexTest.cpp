//===- test/unit/frontend/ProjectIndexTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Bodies in other files.

#include "lib/frontend/ProjectIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "test/unit/frontend/TestProject.h"
#include "gmock/gmock.h"

namespace vramlint {
namespace {

using testing::HasSubstr;

class ProjectIndexTest : public testing::Test {
protected:
  /// Loads main.cpp and asks for \p Name, "Class::method" or "function".
  const clang::FunctionDecl *find(llvm::StringRef Text, llvm::StringRef Name,
                                  ProjectIndexOptions O = {}) {
    std::string File = P.write("project/main.cpp", Text);
    Flags = std::make_unique<FlagFinder>(P.flagOptions());
    auto C = Flags->commandFor(File);
    auto U = loadUnit(*C, FrontendOptions());
    EXPECT_TRUE(bool(U) && !(*U)->hasErrors());
    Main = std::move(*U);
    Index = std::make_unique<ProjectIndex>(*Flags, FrontendOptions(), O);
    Index->addUnit(*Main);
    for (clang::Decl *D : Main->view().Context->getTraversalScope())
      if (const auto *F = named(D, Name))
        return Index->definitionOf(*F, Other);
    ADD_FAILURE() << "no declaration of " << Name.str();
    return nullptr;
  }
  static const clang::FunctionDecl *named(const clang::Decl *D,
                                          llvm::StringRef Name) {
    if (const auto *F = llvm::dyn_cast<clang::FunctionDecl>(D);
        F && F->getQualifiedNameAsString() == Name)
      return F;
    if (const auto *C = llvm::dyn_cast<clang::DeclContext>(D);
        C && !llvm::isa<clang::FunctionDecl>(D))
      for (const clang::Decl *Inner : C->decls())
        if (const auto *F = named(Inner, Name))
          return F;
    return nullptr;
  }

  TestProject P;
  std::unique_ptr<FlagFinder> Flags;
  std::unique_ptr<Unit> Main;
  std::unique_ptr<ProjectIndex> Index;
  UnitView Other;
};

TEST_F(ProjectIndexTest, HeaderAndSourceBeside) {
  P.write("project/model.h", "#pragma once\nstruct Net { Net(int); int f(); };\n");
  P.write("project/model.cpp", "#include \"model.h\"\n"
                               "Net::Net(int) {}\nint Net::f() { return 1; }\n");
  const auto *F = find("#include \"model.h\"\nint main() { return Net(1).f(); }\n",
                       "Net::f");
  ASSERT_TRUE(F) << Index->lastReason();
  EXPECT_TRUE(F->doesThisDeclarationHaveABody());
  EXPECT_EQ(&F->getASTContext(), Other.Context);
  EXPECT_NE(Other.Context, Main->view().Context);
  EXPECT_TRUE(Other.Sema);
  ASSERT_TRUE(Index->unitOf(*Other.Context));
}

TEST_F(ProjectIndexTest, SourceFolderBesideInclude) {
  P.write("project/include/net/model.h", "#pragma once\nint width(int);\n");
  P.write("project/src/model.cpp",
          "#include <net/model.h>\nint width(int w) { return w; }\n");
  const auto *F = find("#include <net/model.h>\nint x = width(1);\n", "width");
  ASSERT_TRUE(F) << Index->lastReason();
}

TEST_F(ProjectIndexTest, NearestFolderOfSeveral) {
  P.write("project/net.cpp", "int width() { return 1; }\n");
  P.write("project/far/away/net.cpp", "int width() { return 2; }\n");
  ProjectIndexOptions O;
  O.Files = {P.path("project/far/away/net.cpp")};
  const auto *F = find("int width(); int x = width();\n", "width", O);
  ASSERT_TRUE(F) << Index->lastReason();
  EXPECT_EQ(Index->unitOf(*Other.Context)->command().File,
            P.path("project/net.cpp"));
}

TEST_F(ProjectIndexTest, SeveralBesideEachOtherAreNone) {
  P.write("project/one.cpp", "int width() { return 1; }\n");
  P.write("project/two.cpp", "int width() { return 2; }\n");
  EXPECT_FALSE(find("int width(); int x = width();\n", "width"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("several files define it"));
}

TEST_F(ProjectIndexTest, OverloadsAndNamespacesAreTold) {
  P.write("project/a.cpp", "namespace n { int g(double) { return 1; } }\n"
                           "int g(int) { return 2; }\n");
  EXPECT_FALSE(find("namespace n { int g(int); } int x = n::g(1);\n", "n::g"));
  EXPECT_TRUE(find("namespace n { int g(double); } int x = n::g(1);\n", "n::g"));
}

TEST_F(ProjectIndexTest, ExplicitInstantiation) {
  P.write("project/box.h", "#pragma once\n"
                           "template <class T> struct Box { T get(); T V; };\n");
  P.write("project/box.cpp",
          "#include \"box.h\"\n"
          "template <class T> T Box<T>::get() { return V; }\n"
          "template struct Box<int>;\n");
  std::string Text = "#include \"box.h\"\n"
                     "int use(Box<int> &b) { return b.get(); }\n";
  find(Text, "use");
  for (clang::Decl *D : Main->view().Context->getTraversalScope())
    if (auto *T = llvm::dyn_cast<clang::ClassTemplateDecl>(D))
      for (auto *S : T->specializations())
        for (auto *M : S->methods())
          if (M->getNameAsString() == "get") {
            EXPECT_TRUE(Index->definitionOf(*M, Other)) << Index->lastReason();
          }
}

TEST_F(ProjectIndexTest, StaticAndUnparsableAreNone) {
  P.write("project/a.cpp", "int broken() { return nope; }\n");
  EXPECT_FALSE(find("int broken(); int x = broken();\n", "broken"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("doesn't compile"));
  EXPECT_FALSE(find("static int s(); int x = 1;\n", "s"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("no linkage"));
}

TEST_F(ProjectIndexTest, AnErrorInABodyIsThatFunctionsOnly) {
  P.write("project/model.h", "#pragma once\nstruct Net { Net(int); int f(); };\n");
  P.write("project/model.cpp", "#include \"model.h\"\n"
                               "int note() { return nope; }\n"
                               "Net::Net(int) {}\nint Net::f() { return note() + nope; }\n");
  std::string Text = "#include \"model.h\"\nint main() { return Net(1).f(); }\n";
  EXPECT_TRUE(find(Text, "Net::Net")) << Index->lastReason();
  const auto *Note = named(Other.Context->getTranslationUnitDecl(), "note");
  EXPECT_TRUE(Note && !Note->hasBody());
  EXPECT_FALSE(find(Text, "Net::f"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("model.cpp doesn't compile there"));
}

TEST_F(ProjectIndexTest, ABrokenFunctionWithoutATypeIsTheWholeFiles) {
  // Clang drops the statements that call it without a word.
  P.write("project/a.cpp", "static auto line() { return nope; }\n"
                           "int width() { return line() + 1; }\nint other() { return 2; }\n");
  EXPECT_FALSE(find("int width(); int x = width();\n", "width"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("a.cpp doesn't compile"));
  EXPECT_FALSE(find("int other(); int x = other();\n", "other"));
}

TEST_F(ProjectIndexTest, AnErrorElsewhereIsTheWholeFiles) {
  P.write("project/a.cpp", "struct Part { Nope field; };\nint width() { return sizeof(Part); }\n");
  EXPECT_FALSE(find("int width(); int x = width();\n", "width"));
  EXPECT_THAT(Index->lastReason(), HasSubstr("a.cpp doesn't compile"));
  P.write("project/a.cpp", "Nope base();\nint width() { return 1; }\n");
  EXPECT_FALSE(find("int width(); int x = width();\n", "width"));
  P.write("project/a.cpp", "int width() { struct Part { Nope field; }; return sizeof(Part); }\n");
  EXPECT_FALSE(find("int width(); int x = width();\n", "width"));
}

} // namespace
} // namespace vramlint
