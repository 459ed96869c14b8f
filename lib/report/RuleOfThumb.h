//===- lib/report/RuleOfThumb.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The estimate that people make by hand, printed beside the exact figures so
// that a reader can check them:
//   parameters × (1 + gradient + optimizer state)
//   + every layer's feature map B×C×H×W (× 2 in training)

#pragma once

#include "lib/support/Bytes.h"
#include <string>

namespace vramlint::report {

struct RuleOfThumb {
  int ParameterFactor = 1;
  std::string ParameterWhy; ///< "Adam", "SGD with momentum", "inference".
  int MapFactor = 1;
  Quantity ParameterBytes;  ///< With the factor.
  Quantity MapBytes;        ///< With the factor.
  Quantity PeakBytes;       ///< Their sum.
};

/// Copies of the parameters that training with \p Optimizer ("SGD momentum
/// 0.5", "Adam", …) keeps: 1 for no optimizer, 2, 3 or 4. \p Why: how the rule
/// calls it.
int parameterFactor(llvm::StringRef Optimizer, std::string &Why);

RuleOfThumb ruleOfThumb(const Quantity &ParameterBytes,
                        const Quantity &FeatureMapBytes, bool Training,
                        llvm::StringRef Optimizer);

} // namespace vramlint::report
