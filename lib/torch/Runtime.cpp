//===- lib/torch/Runtime.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls of ops, new tensors, and what is written to the trace for them.

#include "lib/torch/Runtime.h"

#include "lib/torch/Registry.h"
#include "llvm/ADT/StringExtras.h"

namespace vramlint {

Runtime::Runtime(TargetConfig Config, Trace &Out) : Config(Config), Out(Out) {
  // Moved when it grows, a long trace costs as much as all else. What isn't touched
  // takes no memory.
  constexpr size_t Usual = 1 << 18;
  Out.Events.reserve(4 * Usual);
  Out.Storages.reserve(Usual);
  Out.Ops.reserve(Usual / 2);
}
Runtime::~Runtime() = default;

void Runtime::event(EventKind K, uint32_t Id, int64_t Value) {
  Out.Events.push_back({K, Id, Value, CurrentStack});
}

void Runtime::addLive(DeviceKind D, int64_t N) {
  Bytes &Now = reinterpret_cast<Bytes &>(Live[int(D)]);
  Now += Bytes{N};
  Peak[int(D)] = std::max(Peak[int(D)], Live[int(D)]);
}

void Runtime::recategorize(const TensorRef &T, Category C) {
  if (!T || !T->Store || T->Store->Cat == C)
    return;
  T->Store->Cat = C;
  event(EventKind::Recategorize, T->Store->Id, int64_t(C));
}

void Runtime::fail(std::string Message, FailureKind Why) {
  if (!Error)
    Error = OpResult::failed(std::move(Message), Why);
}

void Runtime::failNotModelled(std::string Why) {
  if (!Error)
    Error = OpResult::notModelled(std::move(Why));
}

void Runtime::flops(int64_t N) {
  if (RunningOp == None)
    return;
  Quantity &Q = Out.Ops[RunningOp].Flops;
  Q += N < 0 ? Quantity::unknown("shape not known") : Quantity::exact(N);
}

void Runtime::scratch(llvm::ArrayRef<TensorRef> Ts) {
  if (RunningOp == None)
    return;
  Bytes Most{ScratchBytesLeast};
  for (const TensorRef &T : Ts)
    if (T && T->elements() > 0)
      Most += Bytes{T->elements()} * itemSize(T->Type) * ScratchFactor;
  int64_t &Max = Out.Ops[RunningOp].ScratchBytesMax;
  Max = std::max(Max, Most.Count);
}

//===----------------------------------------------------------------------===//
// New tensors
//===----------------------------------------------------------------------===//

TensorRef Runtime::make(Shape S, DType T, Device D, Category C,
                        llvm::StringRef Op) {
  TensorRef Result(new TensorImpl);
  int64_t N = S.elements();
  bool Known = N >= 0 && T != DType::Unknown;
  int64_t Size = Known ? (Bytes{N} * itemSize(T)).Count : 0;
  Result->Store = new Storage(*this, Size, Known, D, C, intern(Op));
  if (!Known)
    Out.Storages.back().Unknown =
        S.Why.empty() ? llvm::StringRef("shape not known") : S.Why;
  Result->Sizes = std::move(S);
  Result->Type = T;
  Result->Dev = D;
  return Result;
}

TensorRef Runtime::make(Shape S, DType T, Device D) {
  Category C =
      In == Phase::Forward ? Category::Activation : Category::Temporary;
  return make(std::move(S), T, D, C, CurrentOp);
}

TensorRef Runtime::make(Shape S, llvm::ArrayRef<int64_t> Strides, DType T,
                        Device D) {
  TensorRef Result = make(std::move(S), T, D);
  Result->Strides.assign(Strides.begin(), Strides.end());
  return Result;
}

TensorRef Runtime::alias(const TensorRef &T) {
  TensorRef Result(new TensorImpl);
  Result->Sizes = T->Sizes;
  Result->Strides = T->Strides;
  Result->Type = T->Type;
  Result->Dev = T->Dev;
  Result->Store = T->Store;
  Result->FromJit = T->FromJit;
  Result->DeviceOfFile = T->DeviceOfFile;
  return Result;
}

TensorRef Runtime::view(const TensorRef &Base, Shape S) {
  TensorRef Result = alias(Base);
  Result->Sizes = std::move(S);
  Result->Strides.clear();
  Result->Base = Base->Base ? Base->Base : Base;
  Result->FollowsBase = GradMode && In != Phase::Backward;
  Result->HistoryVersion = Result->Store ? Result->Store->Version : 0;
  return Result;
}

TensorRef Runtime::opaque(llvm::StringRef Name, const Args &A,
                          llvm::StringRef Why) {
  NodeRef N;
  const TensorImpl *Like = nullptr;
  auto Visit = [&](const TensorRef &T) {
    if (!T)
      return;
    if (!Like || (isFloating(T->Type) && !isFloating(Like->Type)))
      Like = T.get();
    if (!recording() || !T->needsGrad())
      return;
    if (!N) {
      N = new Node;
      N->Name = intern(Name);
      N->Sequence = NextSequence++;
      N->Stack = CurrentStack;
    }
    N->Next.push_back(gradientEdge(T));
    N->Saved.emplace_back(*this, T);
  };
  for (const auto &[ArgName, Value] : A.List) {
    if (const auto *T = std::get_if<TensorRef>(&Value.V))
      Visit(*T);
    else if (const auto *L = std::get_if<std::vector<TensorRef>>(&Value.V))
      for (const TensorRef &T : *L)
        Visit(T);
  }
  TensorRef Result = make(Shape::unknown(Why), Like ? Like->Type : DefaultDType,
                          Like ? Like->Dev : Device{});
  if (!N)
    return Result;
  N->Backward = [](Runtime &R, Node &N, Node::Gradients &) {
    Node::Gradients Out;
    for (SavedTensor &S : N.Saved)
      Out.push_back(R.make(S.get()->Sizes, S.get()->Type, S.get()->Dev));
    return Out;
  };
  N->Outputs.push_back({Result->Sizes, Result->Type, Result->Dev});
  Result->GradFn = std::move(N);
  return Result;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool onDifferentDevices(const TensorRef &A, const TensorRef &B) {
  return A->Dev.Kind != B->Dev.Kind && !A->DeviceOfFile && !B->DeviceOfFile;
}

TensorDesc describeTensor(const TensorRef &T) {
  TensorDesc D;
  D.ShapeKnown = T->Sizes.RankKnown;
  for (Dim L : T->Sizes.Dims)
    D.Shape.push_back(L.Length);
  D.DType = dtypeName(T->Type);
  D.Device = T->Dev.Kind;
  D.RequiresGrad = T->needsGrad();
  if (T->Store)
    D.Storage = T->Store->Id;
  return D;
}

/// Why \p Op cannot be run on \p A; empty if it can.
static std::string cannotRun(const OpEntry &Op, const Args &A) {
  std::string Why;
  llvm::SmallVector<llvm::StringRef, 4> Allowed;
  Op.MayBeUnknown.split(Allowed, ',');
  for (const auto &[Name, Value] : A.List) {
    if (!Op.AnyRank)
      eachTensor(Value, [&](const TensorRef &T) {
        if (!T->Sizes.RankKnown)
          Why = T->Sizes.Why.str();
      });
    auto Look = [&](llvm::StringRef Name, const Arg &V) {
      const auto *U = std::get_if<Arg::UnknownArg>(&V.V);
      if (U && Op.MayBeUnknown != "*" && !llvm::is_contained(Allowed, Name))
        Why = U->Why;
    };
    Look(Name, Value);
    if (const auto *Options = std::get_if<std::shared_ptr<OptionMap>>(&Value.V);
        Options && *Options)
      for (const auto &[Field, V] : **Options)
        Look(Field, V);
    if (!Why.empty())
      return Why;
  }
  return Why;
}

/// Fills in what only the results tell.
static void finishRecord(OpRecord &Op, const Args &A, const OpResult &Result,
                         uint64_t FirstSequence) {
  for (const Arg &V : Result.Values)
    eachTensor(V, [&](const TensorRef &T) {
      Op.Outputs.push_back(describeTensor(T));
      Op.RecordsGraph |= T->GradFn && T->GradFn->Sequence >= FirstSequence;
      for (const auto &[Name, In] : A.List)
        eachTensor(In, [&](const TensorRef &I) {
          Op.ResultIsView |= I != T && I->Store == T->Store;
        });
    });
}

static std::vector<TensorRef> allTensors(const Args &A, const OpResult &Result) {
  std::vector<TensorRef> All;
  auto Add = [&](const TensorRef &T) { All.push_back(T); };
  for (const auto &[Name, Value] : A.List)
    eachTensor(Value, Add);
  for (const Arg &V : Result.Values)
    eachTensor(V, Add);
  return All;
}

OpRecord &Runtime::beginOp(llvm::StringRef Name) {
  RunningOp = OpId(Out.Ops.size());
  OpRecord Op;
  Name.consume_front("functional_"); // What tells F::linear from at::linear.
  Op.Name = intern(Name);
  Op.In = In;
  Op.Stack = CurrentStack;
  if (!Modules.empty()) {
    const ModuleScope &M = Modules.back();
    Op.ModulePath = M.Path;
    Op.ModuleClass = M.Class;
    Op.BuiltinModule = M.Builtin;
    Op.Module = M.Id;
  }
  CurrentOp = Op.Name;
  Out.Ops.push_back(std::move(Op));
  event(EventKind::OpBegin, RunningOp);
  return Out.Ops.back();
}

void Runtime::endOp(OpId Before, llvm::StringRef OpBefore) {
  event(EventKind::OpEnd, RunningOp);
  RunningOp = Before;
  CurrentOp = OpBefore;
}

OpResult Runtime::call(llvm::StringRef Name, const Args &A) {
  const OpEntry *Entry = findOp(Name);
  if (!Entry)
    return OpResult::notModelled(("no row for " + Name).str());
  if (std::string Why = cannotRun(*Entry, A); !Why.empty())
    return OpResult::one(opaque(Name, A, Why));
  if (If.InPlace && OpDepth == 0)
    if (const OpEntry *Own = inPlaceForm(*this, Name, A))
      return run(*Own, A);
  Args Cast;
  return run(*Entry, autocast(Name, A, Cast) ? Cast : A);
}

OpResult Runtime::run(const OpEntry &Entry, const Args &A) {
  bool Outermost = OpDepth++ == 0;
  uint64_t FirstSequence = NextSequence;
  OpId Record = None, Before = RunningOp;
  llvm::StringRef OpBefore = CurrentOp;
  if (Outermost) {
    OpRecord &Op = beginOp(Entry.Name);
    Record = RunningOp;
    for (const auto &[ArgName, Value] : A.List)
      eachTensor(Value,
                 [&](const TensorRef &T) { Op.Inputs.push_back(describeTensor(T)); });
  }
  std::optional<OpResult> Outer;
  std::swap(Outer, Error);
  OpResult Result = Entry.Run(*this, A);
  if (Error)
    Result = std::move(*Error);
  std::swap(Outer, Error);
  if (Entry.ScratchUnknown && Result.Kind == OpResult::Ok)
    scratch(allTensors(A, Result));
  if (Outermost) {
    if (Result.Kind == OpResult::Failed)
      Result.FailedOp = Record;
    finishRecord(Out.Ops[Record], A, Result, FirstSequence);
    endOp(Before, OpBefore);
  }
  --OpDepth;
  return Result;
}

} // namespace vramlint
