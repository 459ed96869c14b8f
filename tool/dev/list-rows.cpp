//===- tool/dev/list-rows.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Prints the name of every row, one a line: "op conv2d", "module Conv2d"; "estimate
// einsum" of a row that does not count its temporaries. What
// docs/generated/op-coverage.md is made of.

#include "lib/torch/Optim.h"
#include "lib/torch/Registry.h"
#include "lib/torch/modules/ModuleRow.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  for (const vramlint::OpEntry *Row : vramlint::allOps()) {
    llvm::outs() << "op " << Row->Name << '\n';
    if (Row->ScratchUnknown)
      llvm::outs() << "estimate " << Row->Name << '\n';
  }
  for (const vramlint::ModuleRow *Row : vramlint::allModules())
    llvm::outs() << "module " << Row->Class << '\n';
  for (const vramlint::OptimizerRow &Row : vramlint::allOptimizers())
    llvm::outs() << "optimizer " << Row.Name << '\n';
  return 0;
}
