//===- lib/frontend/Invocation.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// From a compile command to a compiler that is ready to run.

#pragma once

#include "lib/frontend/CompileFlags.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace clang {
class CompilerInstance;
class CompilerInvocation;
class DiagnosticConsumer;
} // namespace clang

namespace vramlint {

/// Runs clang's driver on \p Command: language options, include paths of the
/// system's own headers, target. No warnings, analyzer's macro defined.
llvm::Expected<std::shared_ptr<clang::CompilerInvocation>>
makeInvocation(const CompileCommand &Command, llvm::vfs::FileSystem &FS);

/// A compiler on \p FS that reports to \p Diagnostics (not owned).
std::unique_ptr<clang::CompilerInstance>
makeCompiler(std::shared_ptr<clang::CompilerInvocation> Invocation,
             FileSystemPtr FS, clang::DiagnosticConsumer &Diagnostics);

} // namespace vramlint
