//===- lib/torch/plugin/TestCases.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The test cases of a file without main: what GoogleTest, doctest, Catch2 and
// Boost.Test make of their macros. Each is a program of its own.

#pragma once

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace vramlint {

class Machine;

struct TestCase {
  const clang::FunctionDecl *Body = nullptr;
  /// The fixture whose method the body is; null for a function.
  const clang::CXXRecordDecl *Fixture = nullptr;
};

/// In the order of the source.
std::vector<TestCase> findTestCases(Machine &M,
                                    llvm::ArrayRef<const clang::Decl *> Own);

/// Runs \p Case; an exception ends it alone.
void runTestCase(Machine &M, const TestCase &Case);

} // namespace vramlint
