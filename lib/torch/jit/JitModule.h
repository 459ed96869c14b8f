//===- lib/torch/jit/JitModule.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::jit::Module: the tensors of its archive, where that is known. What its
// forward does is not modelled. Mirrors torch/csrc/jit/api/module.cpp and
// serialization/unpickler.cpp of LibTorch 1.13.

#pragma once

#include "lib/torch/Module.h"
#include "lib/torch/jit/Archive.h"

namespace vramlint {

class JitModule : public Module {
public:
  explicit JitModule(Runtime &R);

  /// torch::jit::load(): each storage is read into CPU memory, and from there
  /// copied to \p D. Requires: called once.
  void load(const ScriptArchive &Archive, Device D);
  /// Module::to: parameters and buffers, integers among them. Other attributes and
  /// the constants of a frozen module stay as they are.
  void to(std::optional<Device> D, std::optional<DType> T);

private:
  /// How many of Parameters and Buffers to() reaches; the rest follows them.
  size_t MovedParameters = 0, MovedBuffers = 0;
};
using JitModuleRef = std::shared_ptr<JitModule>;

} // namespace vramlint
