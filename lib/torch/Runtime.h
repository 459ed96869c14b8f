//===- lib/torch/Runtime.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The abstract LibTorch: runs ops, modules, autograd and optimizers on tensors
// without data, and writes down what happens as a Trace.
//
//   call in the program ─► Args ─► Runtime::call ─► row of ops/ ─► tensors
//                                        └─► Trace (Alloc, Save, Op …)
//
// Like LibTorch it has one counter of live bytes per device, grad mode per
// thread, and an autograd engine. Requires: one Runtime per run, one thread; all
// tensors die before it.

#pragma once

#include "lib/torch/Args.h"
#include "lib/torch/Tensor.h"
#include "lib/torch/Trace.h"
#include "lib/torch/WhatIf.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace vramlint {

struct OpEntry;

/// What the run is for.
struct TargetConfig {
  DeviceKind Target = DeviceKind::CUDA; ///< What torch::cuda::is_available() means.
  bool OneDNN = false;                  ///< CPU only: at::globalContext().userEnabledMkldnn().
  unsigned TorchMajor = 1, TorchMinor = 13;
  unsigned Threads = 1;
  bool atLeast(unsigned Major, unsigned Minor) const {
    return TorchMajor != Major ? TorchMajor > Major : TorchMinor >= Minor;
  }
};

class Runtime {
public:
  Runtime(TargetConfig Config, Trace &Out);
  ~Runtime();

  const TargetConfig Config;
  Trace &Out;

  // Where the program is. The machine keeps these up to date; everything that is
  // recorded takes its place from here.
  StackId CurrentStack = 0;

  // Grad mode of the running thread (NoGradGuard, InferenceMode, GradMode).
  bool GradMode = true;
  /// Modules that are not destroyed yet.
  int64_t AliveModules = 0;
  /// The list of tensors that an op is given may be longer than what is known of it.
  bool OpenList = false;
  bool InferenceMode = false;
  DType DefaultDType = DType::Float32;
  /// By device kind: the lower type of at::autocast; nothing: off.
  std::optional<DType> Autocast[2];
  /// at::autocast::clear_cache().
  void clearAutocastCache() { AutocastCache.clear(); }
  WhatIf If; ///< What a re-run changes.

  // Module path of the forward that runs: pushed by Module::callForward.
  struct ModuleScope { llvm::StringRef Path, Class; bool Builtin; ModuleId Id; };
  std::vector<ModuleScope> Modules;
  Phase In = Phase::Forward;
  unsigned Constructing = 0; ///< Constructors of modules that run.

  /// Runs the op \p Name (schema name or F:: name, "relu", "max_pool2d") with
  /// \p A. A method call binds its object to "self". In-place forms have a
  /// trailing underscore and return "self".
  OpResult call(llvm::StringRef Name, const Args &A);

  /// A tensor of unknown shape that depends on the tensors of \p A (gradients
  /// flow through it), for a call that could not be run.
  TensorRef opaque(llvm::StringRef Name, const Args &A, llvm::StringRef Why);

  /// A new tensor with its own storage.
  TensorRef make(Shape S, DType T, Device D, Category C, llvm::StringRef Op);
  /// A view on \p Base's storage.
  TensorRef view(const TensorRef &Base, Shape S);

  /// A new contiguous tensor for a result of the op that runs; its category
  /// follows from the phase.
  TensorRef make(Shape S, DType T, Device D);
  /// The same with strides (elements), for results that are not contiguous.
  TensorRef make(Shape S, llvm::ArrayRef<int64_t> Strides, DType T, Device D);
  /// A handle without history on the same storage, as Tensor::detach() gives.
  TensorRef alias(const TensorRef &T);

  /// Corrects what \p T's storage is for.
  void recategorize(const TensorRef &T, Category C);

  /// Refuses the op that runs, as LibTorch would; rows then return null tensors.
  void fail(std::string Message, FailureKind Why = FailureKind::Shape);
  void failNotModelled(std::string Why);
  bool failed() const { return Error.has_value(); }
  /// The op that runs has temporaries that are not modelled. Real LibTorch showed
  /// at most this many times the bytes of its inputs and results, and a little
  /// for small ones (test/oracle/shapes).
  static constexpr int64_t ScratchFactor = 12, ScratchBytesLeast = 4096;
  void scratch(llvm::ArrayRef<TensorRef> Ts);
  /// Adds to the FLOPs of the op that runs; a multiply-add is 2. -1: unknown.
  void flops(int64_t N);
  /// Ops record autograd nodes now.
  bool recording() const { return GradMode && !InferenceMode && Below == 0; }
  unsigned Below = 0;           ///< Inside a kernel: its own ops record nothing.
  llvm::StringRef CurrentOp;    ///< Interned name of the outermost op that runs.

  /// torch::Tensor::backward. \p Gradient null: ones (a scalar is required).
  OpResult backward(const TensorRef &Root, TensorRef Gradient, bool RetainGraph,
                    bool CreateGraph);
  /// torch::autograd::backward of several roots.
  OpResult backward(llvm::ArrayRef<TensorRef> Roots,
                    llvm::ArrayRef<TensorRef> Gradients, bool RetainGraph,
                    bool CreateGraph);
  /// torch::autograd::grad: the gradients of \p Inputs, nothing accumulated.
  OpResult grad(llvm::ArrayRef<TensorRef> Roots,
                llvm::ArrayRef<TensorRef> Gradients,
                llvm::ArrayRef<TensorRef> Inputs, bool RetainGraph,
                bool CreateGraph, bool AllowUnused);

  int64_t liveBytes(DeviceKind D) const { return Live[(int)D]; }
  int64_t peakBytes(DeviceKind D) const { return Peak[(int)D]; }
  void event(EventKind K, uint32_t Id = None, int64_t Value = 0);

  void addLive(DeviceKind D, int64_t N);

  /// Counters and state of the autograd engine (Autograd.cpp).
  uint64_t NextSequence = 0;

  /// Runs \p F as one op called \p Name that the trace records: a backward node,
  /// an optimizer's step.
  template <typename Fn> void asOp(llvm::StringRef Name, Fn F) {
    OpId Before = RunningOp;
    llvm::StringRef OpBefore = CurrentOp;
    beginOp(Name);
    ++OpDepth;
    F();
    --OpDepth;
    endOp(Before, OpBefore);
  }

  std::optional<OpResult> Error; ///< Set by fail(); taken by call().

private:
  /// \p A as \p Op gets it under autocast, in \p Cast. False: unchanged.
  bool autocast(llvm::StringRef Op, const Args &A, Args &Cast);
  TensorRef autocastTo(const TensorRef &T, DType Type);
  std::vector<std::pair<TensorRef, TensorRef>> AutocastCache;
  OpResult run(const OpEntry &Entry, const Args &A);
  /// Appends an op record and makes it the running one.
  OpRecord &beginOp(llvm::StringRef Name);
  void endOp(OpId Before, llvm::StringRef OpBefore);

  unsigned OpDepth = 0;
  OpId RunningOp = None;
  int64_t Live[2] = {0, 0}, Peak[2] = {0, 0};
};

} // namespace vramlint
