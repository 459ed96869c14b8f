//===- checks/ModuleFields.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Fields of torch::nn::Module's classes that hold modules or tensors, and whether
// it matters that a registry knows them.

#pragma once

#include "checks/FieldFlow.h"
#include "checks/TorchCheck.h"

namespace vramlint {

/// What of a module a registry is needed for.
enum class ModuleState {
  None,    ///< Neither weights nor a mode: ReLU, MaxPool2d.
  Mode,    ///< It acts by is_training(): Dropout.
  Weights, ///< Parameters or buffers.
  Unknown, ///< Depends on what it contains: Sequential, AnyModule.
};

/// The module classes that \p T holds by value, holder, smart pointer or container;
/// raw pointers, references and weak_ptr hold nothing. \p Tensors: tensors too.
struct HeldTypes {
  llvm::SmallVector<const clang::CXXRecordDecl *, 2> Modules;
  bool Tensors = false;
};
HeldTypes heldTypes(clang::QualType T);
ModuleState stateOf(const clang::CXXRecordDecl *Module,
                    const clang::ASTContext &Context);
/// What \p Flow's field holds, by its type and what is put there.
ModuleState stateOf(const clang::FieldDecl &Field, const FieldFlow &Flow,
                    const clang::ASTContext &Context);

/// The classes of the unit that derive from torch::nn::Module and can be judged:
/// every constructor and method that may register something has its body here.
std::vector<const clang::CXXRecordDecl *> judgeableClasses(const Mentions &Index);

/// One field of tensor type, by how it is used.
struct TensorField {
  bool Registered = false, ByHand = false, Unclear = false, Shared = false;
  bool Learned = false;         ///< requires_grad, or initialised as weights are.
  bool Changes = false;         ///< Written outside constructors and reset().
  const clang::Expr *Use = nullptr; ///< First read outside of them.
  std::vector<Origin> Origins;
  bool unregistered() const {
    return !Registered && !ByHand && !Unclear && !Shared && !Changes && Use &&
           !Origins.empty();
  }
};
TensorField tensorField(const Mentions &Index, const clang::FieldDecl &F);

/// What the run saw of the modules that are made at \p Origins.
struct SeenModules {
  bool Any = false;
  bool Registered = false;      ///< Each of them has a parent.
  int64_t Elements = 0;         ///< Parameters of one; -1: unknown.
};
SeenModules seenModules(const Analysis &A, const clang::FieldDecl &F,
                        llvm::ArrayRef<Origin> Origins);

/// Wraps what \p O makes in \p Call("field", …); nothing where that isn't safe.
std::optional<clang::FixItHint> registrationFix(const Mentions &Index,
                                                const clang::FieldDecl &F,
                                                const Origin &O,
                                                llvm::StringRef Call);

/// The first in the text.
clang::SourceLocation firstUse(const std::vector<Mention> &Uses,
                               const clang::SourceManager &SM);

} // namespace vramlint
