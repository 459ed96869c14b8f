//===- lib/torch/Stated.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the user says of a model class where no analysed code tells: how it is
// constructed and what goes into forward.
//
//   --construct "Net(3, {2, 2}, true)"     torch.Construct of .clang-tidy
//   --input "Net=3x224x224,16:int64"       torch.Input
//   // vramlint: construct(3, {2, 2}), input(3x224x224)     above the class

#pragma once

#include "lib/torch/Tensor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vramlint {

/// A literal: a number, a truth value, text in quotes, or a list in braces.
struct StatedValue {
  using List = std::vector<StatedValue>;
  std::variant<int64_t, double, bool, std::string, List> Is;
};

/// The shape of one sample, without the batch: "3x224x224", "16:int64".
struct StatedInput {
  std::vector<int64_t> Sizes;
  DType Type = DType::Float32;
};

struct StatedModel {
  std::optional<std::vector<StatedValue>> Arguments; ///< Of the constructor.
  std::vector<StatedInput> Inputs;                   ///< Of forward, in order.
};

/// By class name without Impl; the empty name is for all classes.
using StatedModels = std::map<std::string, StatedModel>;

/// "Net(3, 64)", several divided by semicolons.
llvm::Error stateConstruct(StatedModels &To, llvm::StringRef Text);
/// "3x224x224" or "Net=3x224x224,16:int64", several divided by semicolons.
llvm::Error stateInput(StatedModels &To, llvm::StringRef Text);
/// What stands after "vramlint:" in a comment: "construct(3, 64), input(3x224x224)".
llvm::Expected<StatedModel> parseStated(llvm::StringRef Text);

/// What \p All says of \p Class: its own entry before that for all.
StatedModel statedFor(const StatedModels &All, llvm::StringRef Class);

} // namespace vramlint
