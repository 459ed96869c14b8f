//===- lib/torch/OpEntry.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The row type of the op tables.
//
// A row's function mirrors the ATen function of the same name: it allocates its
// results and temporaries in the same order and lets them die at the same
// places, by calling the functions of Rules.h as ATen calls itself. So the bytes
// alive at each moment follow from the code's own scopes. To add an op: write
// its function beside its relatives in ops/, add the row, add a case to
// test/oracle/ops/cases and record it in real LibTorch.

#pragma once

#include "lib/torch/Args.h"
#include "lib/torch/Runtime.h"

namespace vramlint {

using OpFn = std::function<OpResult(Runtime &R, const Args &A)>;

struct OpEntry {
  /// The schema name without overload, or the name in torch::nn::functional.
  llvm::StringRef Name;
  OpFn Run;
  /// Parameters whose value may be unknown without any effect on shapes or
  /// memory ("p,value"). An unknown value of another one makes the result's
  /// shape unknown. "*": the row looks itself.
  llvm::StringRef MayBeUnknown = "";
  /// The row can take tensors whose rank is not known.
  bool AnyRank = false;
  /// The results and what is saved are exact, but temporaries of the kernel are
  /// not modelled: Runtime::scratch bounds them.
  bool ScratchUnknown = false;
};

using OpTable = std::vector<OpEntry>;

// The families, one file each in ops/.
void addAttentionOps(OpTable &Rows);
void addRnnOps(OpTable &Rows);
void addPointwiseOps(OpTable &Rows);
void addReduceOps(OpTable &Rows);
void addViewOps(OpTable &Rows);
void addFactoryOps(OpTable &Rows);
void addMatmulOps(OpTable &Rows);
void addConvOps(OpTable &Rows);
void addPoolOps(OpTable &Rows);
void addNormOps(OpTable &Rows);
void addLossOps(OpTable &Rows);
void addDropoutOps(OpTable &Rows);
void addResampleOps(OpTable &Rows);
void addIndexOps(OpTable &Rows);
void addTensorOps(OpTable &Rows);
// The long tail (Tail.h).
void addArrangeOps(OpTable &Rows);
void addContractOps(OpTable &Rows);
void addCriterionOps(OpTable &Rows);
void addFftOps(OpTable &Rows);
void addGatherOps(OpTable &Rows);
void addLayerOps(OpTable &Rows);
void addLinalgOps(OpTable &Rows);
void addRandomOps(OpTable &Rows);
void addSpecialOps(OpTable &Rows);
void addStatisticsOps(OpTable &Rows);
/// Other names for rows that are there; call it last.
void addAliasOps(OpTable &Rows);

} // namespace vramlint
