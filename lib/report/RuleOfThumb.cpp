//===- lib/report/RuleOfThumb.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The estimate that people make by hand.

#include "lib/report/RuleOfThumb.h"

#include "llvm/ADT/StringRef.h"

namespace vramlint::report {

int parameterFactor(llvm::StringRef Optimizer, std::string &Why) {
  llvm::StringRef Name = Optimizer.take_until([](char C) {
    return C == ' ' || C == ',' || C == '(';
  });
  Why = Name.str();
  if (Name.empty() || Name == "?") {
    Why = "gradients; optimizer not known";
    return 2;
  }
  if (Name.equals_insensitive("SGD")) {
    size_t At = Optimizer.find("momentum");
    double Momentum = 0;
    if (At == llvm::StringRef::npos ||
        Optimizer.substr(At + 8).ltrim(" =").split(' ').first.rtrim(",)")
            .getAsDouble(Momentum) ||
        Momentum == 0) {
      Why = "SGD";
      return 2;
    }
    Why = "SGD with momentum";
    return 3;
  }
  if (Name.starts_with_insensitive("Adam") ||
      Name.equals_insensitive("LBFGS"))
    return 4;
  return 3; // RMSprop, Adagrad: one copy.
}

/// A product keeps the kind and causes of what is multiplied.
static Quantity times(const Quantity &Q, int N) {
  Quantity Product = Q;
  for (int I = 1; I < N; ++I)
    Product += Q;
  return Product;
}

RuleOfThumb ruleOfThumb(const Quantity &ParameterBytes,
                        const Quantity &FeatureMapBytes, bool Training,
                        llvm::StringRef Optimizer) {
  RuleOfThumb R;
  R.ParameterWhy = "inference";
  if (Training)
    R.ParameterFactor = parameterFactor(Optimizer, R.ParameterWhy);
  R.MapFactor = Training ? 2 : 1;
  R.ParameterBytes = times(ParameterBytes, R.ParameterFactor);
  R.MapBytes = times(FeatureMapBytes, R.MapFactor);
  R.PeakBytes = R.ParameterBytes + R.MapBytes;
  return R;
}

} // namespace vramlint::report
