//===- checks/ModuleMode.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ModuleMode.h.

#include "checks/ModuleMode.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

/// Does a built-in module behave differently in training? Those that hold
/// others may.
static bool builtinHasMode(llvm::StringRef Class) {
  Class.consume_back("Impl");
  return !llvm::StringSwitch<bool>(Class)
              .Cases("Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", true)
              .Cases("ReLU", "ReLU6", "LeakyReLU", "ELU", "GELU", "SiLU", true)
              .Cases("Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Identity", true)
              .Cases("MaxPool1d", "MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d",
                     "Flatten", true)
              .Cases("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
                     "LayerNorm", "GroupNorm", "Upsample", true)
              .Cases("MSELoss", "CrossEntropyLoss", "NLLLoss", "BCELoss", true)
              .Default(false);
}

/// Could the mode of \p R, a torch::nn::Module's class, matter? True if we can't
/// see that it doesn't.
bool mayHaveMode(const CXXRecordDecl *R, const ASTContext &Context,
                    int Depth) {
  if (!R || !R->getIdentifier() || Depth > 8)
    return true;
  std::string Name = qualifiedName(*R);
  if (llvm::StringRef Class(Name); Class.consume_front("torch::nn::"))
    return builtinHasMode(Class);
  R = R->getDefinition();
  if (!R)
    return true;
  llvm::StringRef Text = Lexer::getSourceText(
      CharSourceRange::getTokenRange(R->getSourceRange()),
      Context.getSourceManager(), Context.getLangOpts());
  for (llvm::StringRef Word : {"dropout", "is_training", "batch_norm"})
    if (Text.contains_insensitive(Word))
      return true;
  for (const FieldDecl *F : R->fields())
    if (isNNModule(F->getType()) &&
        mayHaveMode(recordOf(F->getType()), Context, Depth + 1))
      return true;
  // A method defined elsewhere may do anything.
  for (const CXXMethodDecl *M : R->methods())
    if (!M->isImplicit() && !M->isDefaulted() && !M->isDeleted() &&
        M->getIdentifier() && M->getName() == "forward" &&
        (!M->isDefined() || M->isOutOfLine() ||
         !M->getDefinition()->getLexicalParent()->Equals(R)))
      return true;
  return false;
}

bool builtinIsModal(llvm::StringRef Class) {
  return Class.contains("Dropout") || Class.starts_with("BatchNorm");
}

/// A built-in module whose mode matters by itself.
static bool isModal(const CXXRecordDecl &R) {
  std::string Name = qualifiedName(R);
  llvm::StringRef Class(Name);
  return Class.consume_front("torch::nn::") && builtinIsModal(Class);
}

static bool findModal(const CXXRecordDecl *R, const UnitFacts &U,
                      std::vector<const CXXRecordDecl *> &Seen) {
  if (!R || !R->getIdentifier() || Seen.size() > 24)
    return false;
  if (isModal(*R))
    return true;
  R = R->getDefinition();
  if (!R || !U.isUserCode(R->getLocation()) ||
      !isOrDerivesFrom(R, "torch::nn::Module") || llvm::is_contained(Seen, R))
    return false;
  Seen.push_back(R);
  auto Makes = [&](const Stmt *S) {
    return anyBelow(S, [&](const Stmt &Part) {
      const auto *K = dyn_cast<CXXConstructExpr>(&Part);
      return K && isNNModule(K->getType()) &&
             findModal(recordOf(K->getType()), U, Seen);
    });
  };
  for (const FieldDecl *F : R->fields())
    if (isNNModule(F->getType()) && (findModal(recordOf(F->getType()), U, Seen) ||
                                     Makes(F->getInClassInitializer())))
      return true;
  // Sequential's and ModuleList's parts are made in the methods.
  for (const CXXMethodDecl *M : R->methods()) {
    const FunctionFacts *Facts = U.function(M);
    if (!Facts)
      continue;
    if (Makes(Facts->Body))
      return true;
    if (const auto *K = dyn_cast<CXXConstructorDecl>(Facts->Decl))
      for (const CXXCtorInitializer *I : K->inits())
        if (Makes(I->getInit()))
          return true;
  }
  return false;
}

bool surelyHasMode(const CXXRecordDecl *R, const UnitFacts &U) {
  std::vector<const CXXRecordDecl *> Seen;
  return findModal(R, U, Seen);
}

} // namespace vramlint
