//===- lib/frontend/ProjectIndex.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Looks textually first, parses last.

#include "lib/frontend/ProjectIndex.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include "lib/frontend/DefinitionScan.h"
#include "lib/frontend/IncludeScan.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

ProjectIndex::ProjectIndex(FlagFinder &Flags, FrontendOptions Options,
                           ProjectIndexOptions Index)
    : Flags(Flags), Options(std::move(Options)), Index(std::move(Index)) {
  if (!this->Options.FS)
    this->Options.FS = vfs::getRealFileSystem();
  // Other units are read for their bodies only.
  this->Options.Diagnostics = nullptr;
}

ProjectIndex::~ProjectIndex() = default;

/// "…/CMakeFiles/train.dir/model.cpp.o" -> "…/CMakeFiles/train.dir".
static std::string targetOf(StringRef Output) {
  size_t At = Output.find(".dir/");
  return At == StringRef::npos ? "" : Output.take_front(At + 4).str();
}

void ProjectIndex::addUnit(Unit &U) {
  const std::string &File = U.command().File;
  if (Start.empty()) {
    Start = File;
    StartTarget = targetOf(U.command().Output);
  }
  Units[File].U = &U;
}

Unit *ProjectIndex::unitOf(const clang::ASTContext &Context) const {
  for (const auto &[File, K] : Units)
    if (K.U && K.U->view().Context == &Context)
      return K.U;
  return nullptr;
}

static std::string usrOf(const clang::Decl &D) {
  SmallString<128> Usr;
  if (clang::index::generateUSRForDecl(&D, Usr))
    return "";
  return std::string(Usr);
}

/// As definedNames() may write it.
static std::vector<std::string> scanNamesOf(const clang::FunctionDecl &F) {
  std::string Name;
  auto Kind = F.getDeclName().getNameKind();
  const auto *Method = dyn_cast<clang::CXXMethodDecl>(&F);
  std::string Class =
      Method ? Method->getParent()->getNameAsString() : std::string();
  if (isa<clang::CXXConstructorDecl>(F))
    Name = Class;
  else if (isa<clang::CXXDestructorDecl>(F))
    Name = "~" + Class;
  else if (Kind == clang::DeclarationName::CXXOperatorName ||
           Kind == clang::DeclarationName::CXXConversionFunctionName)
    Name = "operator";
  else
    Name = F.getNameAsString();
  if (Method)
    return {Class + "::" + Name};
  std::vector<std::string> Names = {Name};
  if (const auto *Space = dyn_cast<clang::NamespaceDecl>(F.getDeclContext()))
    Names.push_back(Space->getNameAsString() + "::" + Name);
  return Names;
}

void ProjectIndex::addFolder(StringRef Folder,
                             std::vector<std::string> &Files) {
  std::error_code EC;
  std::vector<std::string> Found;
  for (vfs::directory_iterator I = Options.FS->dir_begin(Folder, EC), E;
       !EC && I != E; I.increment(EC))
    if (isCxxSource(I->path()))
      Found.push_back(absolutePath(I->path()));
  sort(Found);
  Files.insert(Files.end(), Found.begin(), Found.end());
}

/// Files that may hold the definition, without one twice.
std::vector<std::string>
ProjectIndex::candidates(const clang::FunctionDecl &F) {
  std::vector<std::string> All;
  for (const std::string &File : Index.Files)
    All.push_back(absolutePath(File));
  for (const auto &[File, K] : Units)
    All.push_back(File);
  for (const std::string &File : Flags.databaseFiles(Start))
    All.push_back(File);
  const auto &SM = F.getASTContext().getSourceManager();
  std::string Header = absolutePath(
      SM.getFilename(SM.getExpansionLoc(F.getLocation())),
      sys::path::parent_path(Start));
  for (StringRef From : {StringRef(Header), StringRef(Start)}) {
    StringRef Folder = sys::path::parent_path(From);
    StringRef Above = sys::path::parent_path(Folder);
    addFolder(Folder, All);
    for (StringRef Place : {"src", "source", "lib"}) {
      addFolder((Folder + "/" + Place).str(), All);
      addFolder((Above + "/" + Place).str(), All);
    }
    if (sys::path::filename(Above) == "include") // include/project/model.h
      addFolder((sys::path::parent_path(Above) + "/src").str(), All);
  }
  StringSet<> Seen;
  erase_if(All, [&](const std::string &F) { return !Seen.insert(F).second; });
  if (All.size() > Index.MaxFiles) {
    stable_sort(All, [&](const std::string &A, const std::string &B) {
      return rankOf(A).Distance < rankOf(B).Distance;
    });
    All.resize(Index.MaxFiles);
  }
  return All;
}

bool ProjectIndex::mayDefine(const std::string &File,
                             const std::vector<std::string> &Names) {
  auto [Slot, IsNew] = Defined.try_emplace(File);
  if (IsNew) {
    if (auto Text = readSource(*Options.FS, File))
      Slot->second = definedNames(*Text);
    else // A database may name files that are gone: they define nothing.
      consumeError(Text.takeError());
  }
  return any_of(Names, [&](const std::string &Name) {
    return Slot->second.contains(Name);
  });
}

std::vector<UnitProvider::SourceWords>
ProjectIndex::filesNaming(const clang::FunctionDecl &F) {
  const auto *Maker = dyn_cast<clang::CXXConstructorDecl>(&F);
  std::string Name = Maker ? Maker->getParent()->getNameAsString()
                           : F.getNameAsString();
  const auto &SM = F.getASTContext().getSourceManager();
  std::string Own = absolutePath(
      SM.getFilename(SM.getFileLoc(F.getLocation())),
      sys::path::parent_path(Start));
  std::vector<SourceWords> Found;
  for (const std::string &File : candidates(F)) {
    if (File == Own)
      continue;
    auto Text = readSource(*Options.FS, File);
    if (!Text) { // A database may name files that are gone.
      consumeError(Text.takeError());
      continue;
    }
    if (!StringRef(*Text).contains(Name))
      continue;
    if (StringSet<> Words = wordsIn(*Text); Words.contains(Name))
      Found.push_back({File, std::move(Words), mayDefine(File, scanNamesOf(F))});
  }
  return Found;
}

/// How many folders lie between \p A and \p B.
static int distance(StringRef A, StringRef B) {
  auto I = sys::path::begin(A), EndA = sys::path::end(A);
  auto J = sys::path::begin(B), EndB = sys::path::end(B);
  while (I != EndA && J != EndB && *I == *J)
    ++I, ++J;
  int Steps = 0;
  for (; I != EndA; ++I)
    ++Steps;
  for (; J != EndB; ++J)
    ++Steps;
  return Steps;
}

ProjectIndex::Rank ProjectIndex::rankOf(const std::string &File) {
  Rank R;
  if (!StartTarget.empty()) {
    auto Command = Flags.commandFor(File);
    if (!Command)
      consumeError(Command.takeError());
    else
      R.OtherTarget = targetOf(Command->Output) != StartTarget;
  }
  R.Distance = distance(sys::path::parent_path(Start),
                        sys::path::parent_path(File));
  return R;
}

ProjectIndex::Known *ProjectIndex::load(const std::string &File) {
  auto [Slot, IsNew] = Units.try_emplace(File);
  Known &K = Slot->second;
  if (!IsNew)
    return K.U ? &K : nullptr;
  if (Loaded >= Index.MaxUnits) {
    Reason = "more than " + std::to_string(Index.MaxUnits) +
             " files would have to be read";
    Units.erase(Slot);
    return nullptr;
  }
  ++Loaded;
  auto Command = Flags.commandFor(File);
  if (!Command) {
    Reason = toString(Command.takeError());
    return nullptr;
  }
  auto U = loadUnit(*Command, Options);
  if (!U) {
    Reason = toString(U.takeError());
    return nullptr;
  }
  K.Owned = std::move(*U);
  K.U = K.Owned.get();
  if (K.U->hasErrors() && !onlyBodiesBroken(K)) {
    K.U = nullptr;
    K.Owned.reset();
    Reason = sys::path::filename(File).str() + " doesn't compile";
    return nullptr;
  }
  return &K;
}

namespace {

/// Finds what the compiler could not make sense of. An error elsewhere can be its
/// cause: a call of what did not compile.
class Senseless : public clang::RecursiveASTVisitor<Senseless> {
public:
  bool Found = false;
  bool InTemplate = false;
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitExpr(clang::Expr *E) {
    return !(Found |= E->containsErrors() || (!InTemplate && E->isTypeDependent()));
  }
  bool VisitDecl(clang::Decl *D) { return !(Found |= D->isInvalidDecl()); }
};

/// Collects definitions with external linkage, instantiated ones too.
class DefinitionCollector {
public:
  /// Definitions with errors in them.
  std::set<std::string> Broken;
  std::vector<clang::FunctionDecl *> BrokenDecls; ///< Static ones too.
  /// Errors that are in no definition.
  size_t Elsewhere = 0;

  DefinitionCollector(std::map<std::string, const clang::FunctionDecl *> &ByUsr,
                      ArrayRef<CompilerDiagnostic> Diagnostics)
      : ByUsr(ByUsr) {
    for (const CompilerDiagnostic &D : Diagnostics)
      if (D.IsError)
        Errors.push_back({D.Pos, false});
  }

  void visitAll(ArrayRef<clang::Decl *> Decls) {
    for (const clang::Decl *D : Decls)
      visit(D);
    Elsewhere = count_if(Errors, [](const auto &E) { return !E.second; });
  }

private:

  void visit(const clang::Decl *D) {
    if (const auto *F = dyn_cast<clang::FunctionDecl>(D)) {
      add(*F);
    } else if (const auto *T = dyn_cast<clang::FunctionTemplateDecl>(D)) {
      add(*T->getTemplatedDecl());
      for (const clang::FunctionDecl *S : T->specializations())
        add(*S);
    } else if (const auto *T = dyn_cast<clang::ClassTemplateDecl>(D)) {
      visitContext(T->getTemplatedDecl());
      for (const auto *S : T->specializations())
        visitContext(S);
    } else if (isa<clang::NamespaceDecl, clang::LinkageSpecDecl,
                   clang::CXXRecordDecl>(D)) {
      visitContext(cast<clang::DeclContext>(D));
    }
  }

  void visitContext(const clang::DeclContext *C) {
    for (const clang::Decl *D : C->decls())
      visit(D);
  }
  void add(const clang::FunctionDecl &F) {
    if (!F.doesThisDeclarationHaveABody())
      return;
    bool IsBroken = hasError(F);
    if (IsBroken)
      BrokenDecls.push_back(const_cast<clang::FunctionDecl *>(&F));
    // Without a type statements that call it are dropped, and nothing says so.
    if (IsBroken && (F.isInvalidDecl() ||
                     F.getDeclaredReturnType()->getContainedDeducedType()))
      Errors.push_back({SourcePos(), false});
    std::string Usr = F.isExternallyVisible() ? usrOf(F) : "";
    if (Usr.empty())
      return;
    if (IsBroken)
      Broken.insert(Usr);
    else
      ByUsr.try_emplace(Usr, &F);
  }

  /// Is an error in the body of \p F, or among a constructor's initializers?
  bool hasError(const clang::FunctionDecl &F) {
    if (Errors.empty())
      return false;
    const clang::SourceManager &SM = F.getASTContext().getSourceManager();
    bool Whole = isa<clang::CXXConstructorDecl>(F);
    auto From = SM.getPresumedLoc(SM.getExpansionLoc(
        Whole ? F.getLocation() : F.getBody()->getBeginLoc()));
    auto To = SM.getPresumedLoc(SM.getExpansionLoc(F.getBody()->getEndLoc()));
    if (From.isInvalid() || To.isInvalid())
      return false;
    Senseless Parts;
    Parts.InTemplate = F.isDependentContext();
    Parts.TraverseDecl(const_cast<clang::FunctionDecl *>(&F));
    bool Found = Parts.Found;
    for (auto &[Pos, Placed] : Errors) {
      if (Pos.File != From.getFilename() ||
          std::pair(Pos.Line, Pos.Column) < std::pair(From.getLine(), From.getColumn()) ||
          std::pair(Pos.Line, Pos.Column) > std::pair(To.getLine(), To.getColumn()))
        continue;
      Found = Placed = true;
    }
    return Found;
  }

  std::map<std::string, const clang::FunctionDecl *> &ByUsr;
  std::vector<std::pair<SourcePos, bool>> Errors; ///< And: in a definition.
};

} // namespace

/// An error in a function's body is that function's only, and the others of the file
/// can be run. One in a class or a signature may be anybody's.
bool ProjectIndex::onlyBodiesBroken(Known &K) {
  DefinitionCollector Collect(K.ByUsr, K.U->diagnostics());
  Collect.visitAll(K.U->view().Context->getTraversalScope());
  K.Broken = std::move(Collect.Broken);
  for (clang::FunctionDecl *F : Collect.BrokenDecls)
    F->setBody(nullptr); // Nobody runs it, the file's own functions neither.
  K.Indexed = true;
  return Collect.Elsewhere == 0;
}

const clang::FunctionDecl *ProjectIndex::inUnit(Known &K,
                                                const std::string &Usr) {
  if (!K.Indexed) {
    K.Indexed = true;
    DefinitionCollector Collect(K.ByUsr, {});
    Collect.visitAll(K.U->view().Context->getTraversalScope());
  }
  auto Found = K.ByUsr.find(Usr);
  return Found == K.ByUsr.end() ? nullptr : Found->second;
}

const clang::FunctionDecl *
ProjectIndex::definitionOf(const clang::FunctionDecl &F, UnitView &View) {
  Reason.clear();
  Mendable = false;
  std::string Usr = F.isExternallyVisible() ? usrOf(F) : "";
  if (Usr.empty()) {
    Reason = "it has no linkage to other files";
    return nullptr;
  }
  if (auto Known = Answers.find(Usr); Known != Answers.end()) {
    auto Slot = Units.find(Known->second);
    if (Slot == Units.end() || !Slot->second.U) {
      Reason = Refused[Usr];
      Mendable = !Reason.empty();
      if (!Mendable)
        Reason = "no definition was found before";
      return nullptr;
    }
    View = Slot->second.U->view();
    return inUnit(Slot->second, Usr);
  }
  std::vector<std::string> Names = scanNamesOf(F);
  std::map<Rank, std::vector<std::string>> ByRank;
  for (const std::string &File : candidates(F))
    if (mayDefine(File, Names))
      ByRank[rankOf(File)].push_back(File);
  std::string &Answer = Answers[Usr];
  for (const auto &[R, Group] : ByRank) {
    std::vector<std::pair<std::string, const clang::FunctionDecl *>> Found;
    for (const std::string &File : Group)
      if (Known *K = load(File)) {
        if (const clang::FunctionDecl *D = inUnit(*K, Usr))
          Found.push_back({File, D});
        else if (K->Broken.count(Usr))
          Reason = sys::path::filename(File).str() + " doesn't compile there";
      }
    if (Found.size() > 1) {
      Reason = "several files define it:";
      for (auto &[File, D] : Found)
        Reason += " " + sys::path::filename(File).str();
      Mendable = true;
      Refused[Usr] = Reason;
      return nullptr;
    }
    if (Found.size() == 1) {
      Answer = Found.front().first;
      View = Units[Answer].U->view();
      return Found.front().second;
    }
  }
  Mendable = !Reason.empty();
  Refused[Usr] = Reason;
  if (Reason.empty())
    Reason = "no file of the project defines it";
  return nullptr;
}

} // namespace vramlint
