//===- checks/MissingEvalCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See MissingEvalCheck.h.

#include "checks/MissingEvalCheck.h"
#include "checks/Insertion.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

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
static bool hasMode(const CXXRecordDecl *R, const ASTContext &Context,
                    int Depth = 0) {
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
        hasMode(recordOf(F->getType()), Context, Depth + 1))
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

/// The trace's word: does anything in it depend on the mode of the module that
/// ran at \p S? Nothing if it did not run.
static std::optional<bool> ranInTraining(const Analysis &A,
                                         const ForwardSite &S) {
  std::shared_ptr<const Trace> T = A.trace();
  SourcePos Pos = A.posOf(S.Loc);
  std::optional<bool> Answer;
  for (const ForwardCall &F : T->Forwards) {
    SourcePos At = A.posOf(A.ownLocation(*T, F.Stack));
    if (At.Line == Pos.Line && At.File == Pos.File)
      Answer = Answer.value_or(false) || F.TrainingMode;
  }
  return Answer;
}

void MissingEvalCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<const ObjectFacts *> Done;
  for (const FunctionFacts &F : U.Functions)
    for (const ForwardSite &S : F.Forwards) {
      const ObjectFacts *O = U.object(S.Object);
      if (!O || O->LoadLoc.isInvalid() || O->ModeTouched || O->Escapes ||
          O->Frozen || O->InTraining || (O->ParametersTaken && U.AnyOptimizer) ||
          F.Trains || F.InTest || F.InModule || U.isInMacroBody(O->LoadLoc) ||
          !Done.insert(O).second)
        continue;
      if (!S.Jit) {
        const auto *V = dyn_cast_or_null<ValueDecl>(S.Object);
        if (!V || !hasMode(recordOf(V->getType()), A.context()) ||
            ranInTraining(A, S) == false)
          continue;
      }
      report(A, S, *O);
    }
}

void MissingEvalCheck::report(const Analysis &A, const ForwardSite &S,
                              const ObjectFacts &O) {
  std::optional<FixItHint> Fix;
  if (const auto *V = dyn_cast_or_null<ValueDecl>(O.LoadedInto);
      V && !isa<FunctionDecl>(V)) {
    bool Arrow = recordOf(V->getType()) !=
                 V->getType().getNonReferenceType()->getAsCXXRecordDecl();
    Fix = insertAfter(O.LoadLoc, O.LoadEnd,
                      V->getNameAsString() + (Arrow ? "->" : ".") + "eval();",
                      A.context());
  }
  {
    auto D = diag(O.LoadLoc,
                  S.Jit ? "'%0' runs in the mode it was saved in: no eval() "
                          "follows %1"
                        : "'%0' runs in training mode: no eval() follows %1")
             << S.ObjectName << O.LoadedBy;
    if (Fix)
      D << *Fix;
  }
  note(S.Loc, S.Jit ? "run here; if it was saved in training mode, dropout drops "
                      "values and batch norm uses and updates statistics"
                    : "run here; dropout drops values and batch norm uses and "
                      "updates the batch's statistics");
}

} // namespace vramlint
