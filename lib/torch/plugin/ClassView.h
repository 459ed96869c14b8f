//===- lib/torch/plugin/ClassView.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Module classes by themselves: built with default arguments or with those that the
// user states, and run on the input that is stated or that their layers ask for.

#pragma once

#include "lib/torch/Program.h"
#include "clang/AST/DeclCXX.h"

namespace vramlint {

class Machine;
class TorchDomain;

/// A module class of the project, as found in the unit.
struct ModuleClass {
  const clang::CXXRecordDecl *Decl = nullptr; ///< Null: a template without instance.
  llvm::StringRef Name;                       ///< Without Impl, interned.
  SourcePos Pos;
};

/// The module classes of \p Own, in the order of the source.
std::vector<ModuleClass> findModuleClasses(Machine &M,
                                           llvm::ArrayRef<const clang::Decl *> Own);

/// What the user says of a class: a comment above it before the options.
/// \p Problem: what is wrong with the comment.
StatedModel statedFor(const ModuleClass &C, const ProgramOptions &Options,
                      const clang::ASTContext &Context, std::string &Problem);

/// Builds \p C as stated and runs its forward on \p Inputs (a batch of \p Batch), if
/// there are any. \p Unknown: on tensors of unknown shape. Nothing on success, else
/// why it can't be built.
struct ClassRun {
  llvm::ArrayRef<StatedInput> Inputs;
  int64_t Batch = 1;
  std::string From;         ///< Who says so: an assumption of the trace. May be empty.
  bool UnknownInput = false;
};
std::string runClass(Machine &M, TorchDomain &D, const ModuleClass &C,
                     const StatedModel &Stated, const ClassRun &Run);

} // namespace vramlint
