//===- checks/TorchNames.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What LibTorch's classes are called, over versions: guards, modules, holders.

#pragma once

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Type.h"

namespace vramlint {

/// The record behind \p T, through references, pointers, smart pointers and
/// module holders; null if there is none.
const clang::CXXRecordDecl *recordOf(clang::QualType T);

/// True if \p R is, or derives from, the class of that qualified name. Inline
/// namespaces do not count.
bool isOrDerivesFrom(const clang::CXXRecordDecl *R, llvm::StringRef Name);

/// How a guard class acts.
enum class GuardKind {
  NotAGuard,
  NoGrad,        ///< Always turns gradients off: NoGradGuard.
  GradMode,      ///< By its first argument: AutoGradMode.
  InferenceMode, ///< By its first argument, true by default.
  Other,         ///< Devices, streams, dispatch keys: nothing to do with grad.
};
/// The kind of guard that \p T is: one of LibTorch's, one derived from it, or a
/// user's class that holds one.
GuardKind guardKind(clang::QualType T);
/// True for std::optional, a smart pointer or a container of a grad guard.
bool holdsGradGuard(clang::QualType T);
/// True if \p R or a base of it has a field that is, or holds, a grad guard.
bool holdsGradGuardInside(const clang::CXXRecordDecl &R);
/// True for std::thread, std::jthread and Boost's.
bool isThread(clang::QualType T);

bool isJitModule(clang::QualType T);  ///< torch::jit::Module, or a pointer to one.
bool isJitMethod(clang::QualType T);  ///< torch::jit::Method, or optional of it.
bool isNNModule(clang::QualType T);   ///< torch::nn::Module's, holders, AnyModule.
/// Either, or a container of them.
bool holdsModule(clang::QualType T);
bool isOptimizer(clang::QualType T);
/// Tensors, IValues and whatever may hold them: not numbers, strings, streams.
bool mayHoldTensor(clang::QualType T);

/// Code of the project: in the main file, or in a header that is neither a system
/// header nor below a LibTorch's include root.
bool isProjectCode(clang::SourceLocation Loc, const clang::SourceManager &SM);

/// Inside what a macro expands to, arguments excepted.
bool isInMacro(clang::SourceLocation Loc, const clang::ASTContext &Context);

/// The last part of \p D's name; empty for null and for operators.
llvm::StringRef nameOf(const clang::NamedDecl *D);
/// "torch::jit::load": the qualified name without inline namespaces.
std::string qualifiedName(const clang::NamedDecl &D);

} // namespace vramlint
