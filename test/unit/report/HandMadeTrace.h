//===- test/unit/report/HandMadeTrace.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A small training run written down by hand: Linear(4, 3), relu, backward.

#pragma once

#include "lib/report/RunFacts.h"
#include "lib/torch/Trace.h"

namespace vramlint::report {

/// Builds traces event by event.
struct TraceMaker {
  Trace T;

  StackId at(unsigned Line, llvm::StringRef Function = "main",
             llvm::StringRef File = "train.cpp") {
    return T.addStack({{{intern(File), Line, 3}, intern(Function)}});
  }
  StorageId storage(int64_t SizeBytes, Category C, StackId Where,
                    llvm::StringRef Op = "") {
    StorageInfo S;
    S.SizeBytes = SizeBytes;
    S.Cat = C;
    S.Stack = Where;
    S.Op = intern(Op);
    T.Storages.push_back(S);
    StorageId Id = T.Storages.size() - 1;
    event(EventKind::Alloc, Id, 0, Where);
    return Id;
  }
  void event(EventKind K, uint32_t Id, int64_t Value = 0, StackId Where = 0) {
    T.Events.push_back({K, Id, Value, Where});
  }
  TensorDesc tensor(std::initializer_list<int64_t> Shape, StorageId Storage) {
    TensorDesc D;
    D.Shape.assign(Shape);
    D.DType = "float32";
    D.Storage = Storage;
    return D;
  }
  OpId beginOp(llvm::StringRef Name, StackId Where) {
    OpRecord Op;
    Op.Name = intern(Name);
    Op.Stack = Where;
    T.Ops.push_back(Op);
    event(EventKind::OpBegin, T.Ops.size() - 1, 0, Where);
    return T.Ops.size() - 1;
  }
  void endOp(OpId Id, StackId Where) { event(EventKind::OpEnd, Id, 0, Where); }
};

/// Net (train.cpp:5) { fc: Linear(4, 3) }, input 2×4, relu, one backward.
/// Parameters 60 B; the relu's result (24 B) is kept, the Linear's dies.
inline Trace makeTraining() {
  TraceMaker M;
  Trace &T = M.T;
  StackId Build = M.at(10), Call = M.at(14), Back = M.at(15);
  StorageId Weight = M.storage(48, Category::Parameter, Build);
  StorageId Bias = M.storage(12, Category::Parameter, Build);
  ModuleInfo Fc;
  Fc.Class = "Linear";
  Fc.Builtin = Fc.HasParent = true;
  Fc.Options = "Linear(4, 3)";
  Fc.Parameters = {{"weight", M.tensor({3, 4}, Weight), 12, 48},
                   {"bias", M.tensor({3}, Bias), 3, 12}};
  ModuleInfo Net;
  Net.Class = "Net";
  Net.ClassPos = {"train.cpp", 5, 8};
  Net.Children = {{"fc", 1}};
  T.Modules = {Net, Fc};

  StorageId X = M.storage(32, Category::Input, M.at(13));
  OpId Linear = M.beginOp("linear", Call);
  StorageId H = M.storage(24, Category::Activation, Call, "linear");
  M.event(EventKind::Save, X);
  T.Ops[Linear].ModulePath = "fc";
  T.Ops[Linear].ModuleClass = "Linear";
  T.Ops[Linear].BuiltinModule = true;
  T.Ops[Linear].Module = 1;
  T.Ops[Linear].Outputs.push_back(M.tensor({2, 3}, H));
  T.Ops[Linear].Flops = Quantity::exact(48);
  M.endOp(Linear, Call);
  OpId Relu = M.beginOp("relu", Call);
  StorageId Y = M.storage(24, Category::Activation, Call, "relu");
  M.event(EventKind::Save, Y);
  T.Ops[Relu].ModuleClass = "Net";
  T.Ops[Relu].Module = 0;
  T.Ops[Relu].Outputs.push_back(M.tensor({2, 3}, Y));
  M.endOp(Relu, Call);
  M.event(EventKind::Free, H);

  ForwardCall F;
  F.Stack = Call;
  F.Module = 0;
  F.Method = "forward";
  F.ReachedBackward = true;
  F.FirstOp = Linear;
  F.EndOp = Relu + 1;
  F.Inputs.push_back(M.tensor({2, 4}, X));
  T.Forwards.push_back(F);

  M.event(EventKind::PhaseBegin, None, int64_t(Phase::Backward), Back);
  M.storage(48, Category::Gradient, Back);
  M.storage(12, Category::Gradient, Back);
  M.event(EventKind::Unsave, Y);
  M.event(EventKind::Free, Y);
  M.event(EventKind::PhaseEnd, None, int64_t(Phase::Backward), Back);
  T.Entry = "main";
  T.Assumptions = {
      {"batch", "2", {"train.cpp", 11, 9}, "data loader"},
      {"input", "2×4 float32", {"train.cpp", 13, 9}, "torch::randn"},
      {"optimizer", "SGD momentum 0.5", {"train.cpp", 12, 3}, ""}};
  return T;
}

inline FileReport makeReport(Trace T) {
  FileReport R;
  R.File = "train.cpp";
  R.Is = FileReport::State::Analysed;
  R.Run = std::make_shared<Trace>(std::move(T));
  R.On.Device = DeviceKind::CPU;
  R.On.TorchVersion = "1.13.1";
  R.Line = std::make_shared<Timeline>(computeTimeline(R.Run, DeviceKind::CPU));
  return R;
}

} // namespace vramlint::report
