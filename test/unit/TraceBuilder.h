//===- test/unit/TraceBuilder.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Builds traces by hand for tests: storages, events and one-frame stacks.

#pragma once

#include "lib/torch/Trace.h"
#include <memory>

namespace vramlint {

class TraceBuilder {
public:
  Trace T;
  DeviceKind Device = DeviceKind::CUDA;

  /// The stack of line \p Line of "train.cpp" in main, and, if given, of a line
  /// of a function called there.
  StackId at(unsigned Line, unsigned Callee = 0) {
    std::vector<Frame> Frames = {{{"train.cpp", Line, 3}, "main"}};
    if (Callee)
      Frames.push_back({{"net.h", Callee, 3}, "Net::forward"});
    for (StackId I = 0; I < T.Stacks.size(); ++I)
      if (T.Stacks[I] == Frames)
        return I;
    T.Stacks.push_back(Frames);
    return T.Stacks.size() - 1;
  }

  StorageId alloc(int64_t Size, Category Cat = Category::Activation,
                  StackId Stack = 0, llvm::StringRef Op = "op",
                  llvm::StringRef Module = "") {
    StorageInfo S;
    S.SizeBytes = Size;
    S.Device = Device;
    S.Cat = Cat;
    S.Op = Op;
    S.ModulePath = Module;
    S.Stack = Stack;
    T.Storages.push_back(S);
    StorageId Id = T.Storages.size() - 1;
    event(EventKind::Alloc, Id, Size, Stack);
    return Id;
  }
  void free(StorageId Id, StackId Stack = 0) {
    event(EventKind::Free, Id, 0, Stack);
  }
  void event(EventKind K, uint32_t Id = None, int64_t Value = 0,
             StackId Stack = 0) {
    T.Events.push_back({K, Id, Value, Stack});
  }
  void endStatement(unsigned Line) {
    event(EventKind::StatementEnd, None, 0, at(Line));
  }
  void iteration(uint32_t Loop, int64_t Number) {
    event(EventKind::LoopIteration, Loop, Number);
  }
  void phase(Phase P, bool Begin, StackId Stack = 0) {
    event(Begin ? EventKind::PhaseBegin : EventKind::PhaseEnd, None,
          static_cast<int64_t>(P), Stack);
  }
  /// An op with its events around what \p Body allocates.
  template <typename Fn>
  void op(llvm::StringRef Name, std::vector<StorageId> Inputs, Fn Body) {
    OpRecord Op;
    Op.Name = Name;
    auto Desc = [&](StorageId Id) {
      TensorDesc D;
      D.Device = Device;
      D.Storage = Id;
      return D;
    };
    for (StorageId Id : Inputs)
      Op.Inputs.push_back(Desc(Id));
    T.Ops.push_back(Op);
    OpId Id = T.Ops.size() - 1;
    event(EventKind::OpBegin, Id);
    T.Ops[Id].Outputs.push_back(Desc(Body()));
    event(EventKind::OpEnd, Id);
  }

  std::shared_ptr<const Trace> take() {
    return std::make_shared<const Trace>(std::move(T));
  }
};

} // namespace vramlint
