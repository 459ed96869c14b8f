//===- tool/clangd/Main.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// vramlint-clangd: clangd with the checks of Checks.def.

#include "checks/TorchModule.h"

namespace clang::clangd {
int clangdMain(int argc, char *argv[]);
}

int main(int argc, char *argv[]) {
  // Asking for the list links the module in, which registers itself.
  if (vramlint::allChecks().empty())
    return 1;
  return clang::clangd::clangdMain(argc, argv);
}
