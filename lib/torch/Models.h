//===- lib/torch/Models.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The models of a run: which modules stand on top, what they hold, and which of
// their forward calls stands for them.

#pragma once

#include "lib/torch/Trace.h"
#include <string>
#include <vector>

namespace vramlint {

/// A module that is registered in no other one.
struct Model {
  ModuleId Root = None;
  llvm::StringRef Class;
  SourcePos Pos;            ///< The class; of a built-in one, where it is made.
  bool Jit = false;
  Quantity Parameters;      ///< Elements, each tensor once.
  Quantity ParameterBytes;
  Quantity BufferBytes;
  /// Index into Trace::Forwards; None: it is never run.
  uint32_t Forward = None;   ///< The one that stands for it: training first.
  uint32_t Inference = None; ///< One that records no graph, if there is one.
};

/// One per distinct model, the ones that are run first, in order of construction.
/// Several of the same class and size that are not run are named once. Built-in
/// modules count if they hold parameters (a loss does not).
std::vector<Model> findModels(const Trace &T);

/// How many sizes its input has, the batch aside, in runs of the kind of M.Forward
/// (the largest of them). Requires: it is run.
size_t inputSizes(const Trace &T, const Model &M);

/// Elements and bytes of a module and all below it; each tensor once.
struct ModuleSize {
  Quantity Elements, Bytes, BufferBytes;
};
ModuleSize sizeOf(const Trace &T, ModuleId Id);

/// Whether the forward is part of training: a graph is recorded, and a backward
/// goes through it or the module is in training mode.
bool isTraining(const ForwardCall &F);

/// "layer1.0.conv1": the path of each module below \p Root, by id; "" for it.
std::vector<std::pair<ModuleId, std::string>> modulePaths(const Trace &T,
                                                          ModuleId Root);

} // namespace vramlint
