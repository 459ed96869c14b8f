//===- lib/torch/Trace.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The trace: what one run of the program did, in order. Everything above this
// layer (memory, gpu, checks, report) reads this and nothing else of the run.
//
// Storages, ops, modules and call stacks are tables; events refer to them by
// index. The counter of live bytes is part of the run itself (autograd decides
// when a storage dies), so Alloc and Free here are final: `memory` only replays
// them through an allocator.

#pragma once

#include "lib/support/Bytes.h"
#include "lib/support/SourcePos.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vramlint {

enum class DeviceKind : uint8_t { CPU, CUDA };

/// What a storage is for. A category is given when the storage is made and may
/// be corrected later by a Recategorize event. Whether an Activation is kept for
/// backward at some moment follows from the Save and Unsave events.
enum class Category : uint8_t {
  Parameter,
  Buffer,
  Gradient,       ///< A leaf's .grad.
  OptimizerState,
  Activation,     ///< The result of an op; kept for backward while saved.
  Temporary,      ///< Made and freed inside one op, backward or step.
  Input,          ///< Made by the data loader, a factory or from_blob.
  Workspace,
};
llvm::StringRef categoryName(Category C); ///< "parameters", "gradients", …

using StackId = uint32_t;   ///< Index into Trace::Stacks.
using StorageId = uint32_t; ///< Index into Trace::Storages.
using OpId = uint32_t;      ///< Index into Trace::Ops.
using ModuleId = uint32_t;  ///< Index into Trace::Modules.
inline constexpr uint32_t None = ~0u;

enum class Phase : uint8_t { Other, Forward, Backward, OptimizerStep };

enum class EventKind : uint8_t {
  Alloc,          ///< Id: StorageId.
  Free,           ///< Id: StorageId.
  Save,           ///< Id: StorageId. An autograd node now holds it.
  Unsave,         ///< Id: StorageId. One node less holds it.
  Recategorize,   ///< Id: StorageId, Value: the new Category.
  OpBegin,        ///< Id: OpId.
  OpEnd,          ///< Id: OpId.
  PhaseBegin,     ///< Value: Phase (Backward or OptimizerStep).
  PhaseEnd,       ///< Value: Phase.
  StatementEnd,   ///< A statement of user code has run, temporaries destroyed.
  LoopIteration,  ///< Id: loop number, Value: iteration from 0, at its start.
  LoopJump,       ///< Id: loop number, Value: iterations not run, each like the
                  ///< one before.
  LoopEnd,        ///< Id: loop number.
  Copy,           ///< Id: StorageId of the destination; host to device or back.
};

struct Event {
  EventKind Kind;
  uint32_t Id = None;
  int64_t Value = 0;
  StackId Stack = 0;
};

/// One frame of a call stack: the statement or call being run there.
struct Frame {
  SourcePos Pos;
  llvm::StringRef Function; ///< Qualified name, interned: "main", "Net::forward".
  friend bool operator==(const Frame &, const Frame &) = default;
};

struct StorageInfo {
  int64_t SizeBytes = 0;     ///< What the program asks for. Saturated.
  bool SizeKnown = true;     ///< Else SizeBytes is a lower bound (0 if nothing is known).
  llvm::StringRef Unknown;   ///< Why the size is not known.
  DeviceKind Device = DeviceKind::CPU;
  Category Cat = Category::Activation;
  llvm::StringRef Op;        ///< "conv2d", "Adam::step", … (interned)
  llvm::StringRef ModulePath;///< "layer1.0.conv1"; empty outside any module.
  llvm::StringRef ModuleClass;///< "Conv2d".
  StackId Stack = 0;         ///< Where it was made.
};

/// A tensor as reports print it. A dimension of -1 is unknown.
struct TensorDesc {
  llvm::SmallVector<int64_t, 4> Shape;
  bool ShapeKnown = true;    ///< False: not even the rank is known.
  llvm::StringRef DType;     ///< "float32", "int64", …
  DeviceKind Device = DeviceKind::CPU;
  bool RequiresGrad = false;
  StorageId Storage = None;
};

struct OpRecord {
  llvm::StringRef Name;        ///< LibTorch's schema name: "conv2d", "relu_".
  llvm::StringRef ModulePath;  ///< Innermost module whose forward runs.
  llvm::StringRef ModuleClass; ///< Its class ("Conv2d", or the user's "Net").
  bool BuiltinModule = false;  ///< ModulePath is a torch::nn module's.
  ModuleId Module = None;
  Phase In = Phase::Forward;
  llvm::SmallVector<TensorDesc, 3> Inputs;
  llvm::SmallVector<TensorDesc, 1> Outputs;
  bool RecordsGraph = false;   ///< An autograd node was made.
  bool ResultIsView = false;
  Quantity Flops;              ///< A multiply-add counts 2.
  /// Temporaries that no event tells of take at most this much above what is
  /// alive. 0: all are modelled.
  int64_t ScratchBytesMax = 0;
  StackId Stack = 0;
};

struct ParameterInfo {
  llvm::StringRef Name;
  TensorDesc Tensor;
  int64_t Elements = 0;        ///< -1: unknown.
  int64_t SizeBytes = 0;       ///< -1: unknown.
};

struct ModuleInfo {
  llvm::StringRef Class;       ///< "Net", "Conv2d" (without Impl and namespace).
  bool Builtin = false;        ///< A torch::nn class, not the user's.
  SourcePos ClassPos;          ///< Where the user's class is defined.
  StackId Created = 0;
  std::vector<ParameterInfo> Parameters, Buffers; ///< Own ones only.
  struct Child { llvm::StringRef Name; ModuleId Id; };
  std::vector<Child> Children; ///< Registered ones, in order.
  bool HasParent = false;      ///< Registered in some other module.
  std::string Options;         ///< "Linear(25088, 4096)": as reports print it.
  bool FromFile = false;       ///< Weights were loaded into it (torch::load).
  bool Jit = false;            ///< A TorchScript module: its forward isn't modelled.
  bool WeightsRead = false;    ///< … but its archive was read.
  std::string WeightsUnknown;  ///< … why not: "'model.pt' is not here".
};

/// A forward of a module (or TorchScript method) called from code that is not
/// itself a module's forward.
struct ForwardCall {
  StackId Stack = 0;           ///< The call.
  ModuleId Module = None;
  llvm::StringRef Method;      ///< "forward".
  bool GradMode = true;        ///< Gradients were being recorded on this thread.
  bool TrainingMode = true;    ///< The module's is_training().
  bool ReachedBackward = false;///< A backward went through its result.
  bool Jit = false;
  int64_t SavedBytes = 0;      ///< Kept by its graph beyond what stays anyway.
  bool SavedKnown = true;
  llvm::SmallVector<TensorDesc, 2> Inputs, Outputs;
  /// The ops that ran inside it: Trace::Ops[FirstOp, EndOp). None: not recorded.
  OpId FirstOp = None, EndOp = None;
};

/// Why LibTorch refuses an operation.
enum class FailureKind : uint8_t {
  Shape, ///< Sizes, ranks or indices that don't fit each other.
  Other, ///< Types, devices, undefined tensors, in-place on a leaf …
};

/// An operation that LibTorch would refuse: the program throws there.
struct Failure {
  StackId Stack = 0;
  llvm::StringRef Op;
  std::string Message;         ///< As findings read: expected before actual.
  FailureKind Kind = FailureKind::Shape;
  OpId Id = None;              ///< The op, with its inputs; None: not an op's call.
  bool Certain = true;         ///< Whichever side unknown conditions take.
};

/// Something the run could not know or did not model.
struct UnknownNote {
  SourcePos Pos;
  std::string What;            ///< "batch size", "at::foo", "std::stoi(argv[1])".
  std::string Why;
  std::string Tell;            ///< What to tell vramlint: "--args \"32\"". May be empty.
};

/// A fact that verdicts rest on, with where it came from.
struct Assumption {
  std::string What;            ///< "batch", "input", "optimizer", "dtype".
  std::string Value;           ///< "64", "64×3×448×448 float32", "Adam".
  SourcePos Pos;               ///< Invalid: from the command line or a default.
  std::string From;            ///< "data loader", "--batch", "default".
};

/// A variable that is called as the side of an image, with its first value.
struct NamedSize {
  SourcePos Pos;
  int64_t Value = 0;
};

/// What vramlint_reveal(x) showed: how tests ask the machine.
struct Reveal {
  StackId Stack = 0;
  std::string Text;            ///< "float32 64×10, cpu, 2560 bytes".
};

struct Trace {
  std::vector<Event> Events;
  std::vector<StorageInfo> Storages;
  std::vector<OpRecord> Ops;
  std::vector<ModuleInfo> Modules;
  std::vector<std::vector<Frame>> Stacks = {{}}; ///< Outermost first; 0: empty.
  std::vector<ForwardCall> Forwards;
  std::vector<Failure> Failures;
  std::vector<Reveal> Reveals;
  std::vector<UnknownNote> Unknowns;
  std::vector<Assumption> Assumptions;
  bool UsesAutocast = false;
  std::vector<NamedSize> ImageSizes;
  std::string Entry;           ///< "main", or the function the run began with.
  bool Complete = true;        ///< False: a budget ran out; Unknowns say which.

  StackId addStack(std::vector<Frame> Frames);
  /// The innermost frame's place, or an invalid one.
  SourcePos posOf(StackId Id) const;
};

/// Prints \p T, a line per event; what --dump-trace shows.
void printTrace(const Trace &T, llvm::raw_ostream &OS);

} // namespace vramlint
