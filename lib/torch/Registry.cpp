//===- lib/torch/Registry.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Joins all op tables: name -> row.

#include "lib/torch/Registry.h"

#include "lib/torch/Tail.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace vramlint {

static const OpTable &rows() {
  static const OpTable Rows = [] {
    OpTable All;
    addAttentionOps(All);
    addPointwiseOps(All);
    addRnnOps(All);
    addReduceOps(All);
    addViewOps(All);
    addFactoryOps(All);
    addMatmulOps(All);
    addConvOps(All);
    addPoolOps(All);
    addNormOps(All);
    addLossOps(All);
    addDropoutOps(All);
    addResampleOps(All);
    addIndexOps(All);
    addTensorOps(All);
    addArrangeOps(All);
    addContractOps(All);
    addCriterionOps(All);
    addFftOps(All);
    addGatherOps(All);
    addLayerOps(All);
    addLinalgOps(All);
    addRandomOps(All);
    addSpecialOps(All);
    addStatisticsOps(All);
    addAliasOps(All);
    for (OpEntry &E : All)
      E.ScratchUnknown &= !isCounted(E.Name);
    return All;
  }();
  return Rows;
}

const OpEntry *findOp(llvm::StringRef Name) {
  static const llvm::StringMap<const OpEntry *> Index = [] {
    llvm::StringMap<const OpEntry *> M;
    for (const OpEntry &E : rows()) {
      bool New = M.try_emplace(E.Name, &E).second;
      assert(New && "two rows of one name");
      (void)New;
    }
    return M;
  }();
  auto It = Index.find(Name);
  return It == Index.end() ? nullptr : It->second;
}

std::vector<const OpEntry *> allOps() {
  std::vector<const OpEntry *> All;
  for (const OpEntry &E : rows())
    All.push_back(&E);
  llvm::sort(All, [](auto *A, auto *B) { return A->Name < B->Name; });
  return All;
}

} // namespace vramlint
