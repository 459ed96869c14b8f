//===- checks/TorchNames.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TorchNames.h.

#include "checks/TorchNames.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace vramlint {

std::string qualifiedName(const NamedDecl &D) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  PrintingPolicy Policy(D.getASTContext().getLangOpts());
  Policy.SuppressUnwrittenScope = true;
  D.printQualifiedName(OS, Policy);
  return Text;
}

static bool hasName(const CXXRecordDecl &R, llvm::StringRef Name) {
  // Compare the cheap part first: names are asked for at every call.
  llvm::StringRef Last = Name.substr(Name.rfind(':') + 1);
  return R.getIdentifier() && R.getName() == Last && qualifiedName(R) == Name;
}

bool isOrDerivesFrom(const CXXRecordDecl *R, llvm::StringRef Name) {
  if (!R)
    return false;
  if (hasName(*R, Name))
    return true;
  R = R->getDefinition();
  if (!R)
    return false;
  for (const CXXBaseSpecifier &B : R->bases())
    if (isOrDerivesFrom(B.getType()->getAsCXXRecordDecl(), Name))
      return true;
  return false;
}

/// The first template argument if \p R is a specialisation of one of \p Names
/// or derives from one (a holder does).
static QualType wrappedIn(const CXXRecordDecl *R,
                          llvm::ArrayRef<llvm::StringRef> Names) {
  if (!R)
    return {};
  if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R))
    if (S->getIdentifier() && llvm::is_contained(Names, S->getName()))
      if (const auto &Args = S->getTemplateArgs(); Args.size() > 0) {
        const TemplateArgument &A = Args[0];
        if (A.getKind() == TemplateArgument::Type)
          return A.getAsType();
      }
  if ((R = R->getDefinition()))
    for (const CXXBaseSpecifier &B : R->bases())
      if (QualType T = wrappedIn(B.getType()->getAsCXXRecordDecl(), Names);
          !T.isNull())
        return T;
  return {};
}

static QualType stripped(QualType T) {
  if (T.isNull())
    return T;
  T = T.getNonReferenceType();
  while (T->isPointerType())
    T = T->getPointeeType();
  if (T->isArrayType())
    T = QualType(T->getBaseElementTypeUnsafe(), 0);
  return T.getCanonicalType().getUnqualifiedType();
}

const CXXRecordDecl *recordOf(QualType T) {
  for (int Depth = 0; Depth < 4 && !T.isNull(); ++Depth) {
    T = stripped(T);
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    QualType Inner =
        wrappedIn(R, {"shared_ptr", "__shared_ptr", "unique_ptr", "ModuleHolder",
                      "optional", "reference_wrapper"});
    if (Inner.isNull())
      return R;
    T = Inner;
  }
  return nullptr;
}

static GuardKind builtinGuard(const CXXRecordDecl &R) {
  if (!R.getIdentifier())
    return GuardKind::NotAGuard;
  GuardKind Kind =
      llvm::StringSwitch<GuardKind>(R.getName())
          .Case("NoGradGuard", GuardKind::NoGrad)
          .Case("AutoGradMode", GuardKind::GradMode)
          .Case("InferenceMode", GuardKind::InferenceMode)
          .Cases("DeviceGuard", "OptionalDeviceGuard", "StreamGuard",
                 "OptionalStreamGuard", "MultiStreamGuard", GuardKind::Other)
          .Cases("CUDAGuard", "OptionalCUDAGuard", "CUDAStreamGuard",
                 "OptionalCUDAStreamGuard", "CUDAMultiStreamGuard",
                 GuardKind::Other)
          .Cases("AutoDispatchBelowAutograd", "AutoDispatchBelowADInplaceOrView",
                 "AutoNonVariableTypeMode", "NoTF32Guard", "DetectAnomalyGuard",
                 GuardKind::Other)
          .Default(GuardKind::NotAGuard);
  if (Kind == GuardKind::NotAGuard)
    return Kind;
  std::string Name = qualifiedName(R);
  bool Ours = llvm::StringRef(Name).starts_with("c10::") ||
              llvm::StringRef(Name).starts_with("at::") ||
              llvm::StringRef(Name).starts_with("torch::");
  return Ours ? Kind : GuardKind::NotAGuard;
}

static GuardKind guardKindOf(const CXXRecordDecl *R, int Depth) {
  if (!R || Depth > 3)
    return GuardKind::NotAGuard;
  if (GuardKind K = builtinGuard(*R); K != GuardKind::NotAGuard)
    return K;
  if (!(R = R->getDefinition()) || R->isLambda())
    return GuardKind::NotAGuard;
  for (const CXXBaseSpecifier &B : R->bases())
    if (GuardKind K = guardKindOf(B.getType()->getAsCXXRecordDecl(), Depth + 1);
        K != GuardKind::NotAGuard)
      return K;
  return GuardKind::NotAGuard;
}

GuardKind guardKind(QualType T) {
  if (T.isNull())
    return GuardKind::NotAGuard;
  return guardKindOf(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl(), 0);
}

static bool isGradGuard(QualType T) {
  GuardKind K = guardKind(T);
  return K != GuardKind::NotAGuard && K != GuardKind::Other;
}

static bool fieldsHoldGuard(const CXXRecordDecl &R, int Depth);

static bool holdsGradGuard(QualType T, int Depth) {
  T = stripped(T);
  if (T.isNull() || Depth > 3)
    return false;
  if (isGradGuard(T))
    return true;
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R || !(R = R->getDefinition()))
    return false;
  if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R)) {
    for (const TemplateArgument &A : S->getTemplateArgs().asArray())
      if (A.getKind() == TemplateArgument::Type &&
          holdsGradGuard(A.getAsType(), Depth + 1))
        return true;
    return false;
  }
  return fieldsHoldGuard(*R, Depth);
}

static bool fieldsHoldGuard(const CXXRecordDecl &R, int Depth) {
  for (const FieldDecl *F : R.fields())
    if (holdsGradGuard(F->getType(), Depth + 1))
      return true;
  for (const CXXBaseSpecifier &B : R.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
      if ((Base = Base->getDefinition()) && Depth <= 3 &&
          fieldsHoldGuard(*Base, Depth + 1))
        return true;
  return false;
}

bool holdsGradGuard(QualType T) { return holdsGradGuard(T, 0); }

bool holdsGradGuardInside(const CXXRecordDecl &R) {
  const CXXRecordDecl *Definition = R.getDefinition();
  return Definition && fieldsHoldGuard(*Definition, 0);
}

bool isThread(QualType T) {
  const CXXRecordDecl *R = T.isNull() ? nullptr : stripped(T)->getAsCXXRecordDecl();
  return R && (hasName(*R, "std::thread") || hasName(*R, "std::jthread") ||
               hasName(*R, "boost::thread"));
}

bool isJitModule(QualType T) {
  const CXXRecordDecl *R = recordOf(T);
  return isOrDerivesFrom(R, "torch::jit::Module") ||
         isOrDerivesFrom(R, "torch::jit::script::Module");
}

bool isJitMethod(QualType T) {
  const CXXRecordDecl *R = recordOf(T);
  return isOrDerivesFrom(R, "torch::jit::Method") ||
         isOrDerivesFrom(R, "torch::jit::script::Method");
}

bool isNNModule(QualType T) {
  const CXXRecordDecl *R = recordOf(T);
  return isOrDerivesFrom(R, "torch::nn::Module") ||
         isOrDerivesFrom(R, "torch::nn::AnyModule");
}

static bool holdsModule(QualType T, int Depth) {
  if (T.isNull() || Depth > 3)
    return false;
  if (isJitModule(T) || isNNModule(T))
    return true;
  T = stripped(T);
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!S || !S->isInStdNamespace() || S->getName() == "function")
    return false;
  for (const TemplateArgument &A : S->getTemplateArgs().asArray())
    if (A.getKind() == TemplateArgument::Type &&
        holdsModule(A.getAsType(), Depth + 1))
      return true;
  return false;
}

bool holdsModule(QualType T) { return holdsModule(T, 0); }

bool isOptimizer(QualType T) {
  return isOrDerivesFrom(recordOf(T), "torch::optim::Optimizer");
}

bool mayHoldTensor(QualType T) {
  T = stripped(T);
  if (T.isNull() || T->isVoidType() || T->isArithmeticType() ||
      T->isEnumeralType())
    return false;
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier())
    return R != nullptr;
  if (const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R)) {
    if (S->getName() == "basic_string")
      return false;
    auto Holds = [](const TemplateArgument &A) {
      return A.getKind() == TemplateArgument::Type && mayHoldTensor(A.getAsType());
    };
    return llvm::any_of(S->getTemplateArgs().asArray(), [&](const TemplateArgument &A) {
      return A.getKind() == TemplateArgument::Pack // A tuple's.
                 ? llvm::any_of(A.getPackAsArray(), Holds)
                 : Holds(A);
    });
  }
  return R->getName() != "basic_ostream" && R->getName() != "Scalar";
}

bool isProjectCode(SourceLocation Loc, const SourceManager &SM) {
  if (Loc.isInvalid())
    return false;
  Loc = SM.getExpansionLoc(Loc);
  if (SM.isInMainFile(Loc))
    return true;
  if (SM.isInSystemHeader(Loc))
    return false;
  llvm::StringRef File = SM.getFilename(Loc);
  for (llvm::StringRef Part : {"/torch/csrc/", "/include/torch/", "/ATen/",
                               "/c10/", "/include/caffe2/"})
    if (File.contains(Part))
      return false;
  return !File.empty();
}

bool isInMacro(SourceLocation Loc, const ASTContext &Context) {
  return Loc.isMacroID() && !Context.getSourceManager().isMacroArgExpansion(Loc);
}

llvm::StringRef nameOf(const NamedDecl *D) {
  return D && D->getIdentifier() ? D->getName() : llvm::StringRef();
}

} // namespace vramlint
