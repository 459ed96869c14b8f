//===- lib/torch/rules/Counted.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The rows of the long tail that need no temporaries. Each was run in real
// LibTorch, in random programs (test/oracle/random), forward and backward, and
// what was allocated was what its rule states, to the byte.

#include "lib/torch/Tail.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint {

// In the order of the alphabet.
static constexpr llvm::StringLiteral Counted[] = {
    "addbmm",
    "addbmm_",
    "addmm_",
    "addmv",
    "addmv_",
    "addr",
    "addr_",
    "baddbmm_",
    "bernoulli",
    "binomial",
    "chain_matmul",
    "complex",
    "cosine_embedding_loss",
    "cross",
    "cumulative_trapezoid",
    "einsum",
    "float_power",
    "float_power_",
    "index_copy",
    "index_copy_",
    "kron",
    "ldexp",
    "ldexp_",
    "linalg_cross",
    "linalg_multi_dot",
    "linalg_vecdot",
    "lp_pool1d",
    "lp_pool2d",
    "matrix_power",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "multi_margin_loss",
    "pairwise_distance",
    "pdist",
    "poisson",
    "poisson_nll_loss",
    "put",
    "put_",
    "scatter_reduce",
    "slow_conv3d",
    "slow_conv_dilated2d",
    "slow_conv_dilated3d",
    "slow_conv_transpose2d",
    "slow_conv_transpose3d",
    "thnn_conv2d",
    "trapezoid",
    "trapz",
    "triplet_margin_with_distance_loss",
    "unflatten_dense_tensors",
    "vdot",
};

bool isCounted(llvm::StringRef Name) {
  return llvm::binary_search(Counted, Name);
}

} // namespace vramlint
