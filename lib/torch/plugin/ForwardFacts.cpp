//===- lib/torch/plugin/ForwardFacts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls of forward, from outside of any module, as facts of the trace: what went in
// and came out, what the graph keeps, whether a backward reached it.

#include "lib/torch/plugin/TorchDomain.h"

using namespace clang;

namespace vramlint {

static void describeTensors(TorchDomain &D, const Value &V,
                            llvm::SmallVectorImpl<TensorDesc> &List,
                            llvm::SmallVectorImpl<Node *> &Nodes) {
  if (auto *S = V.as<Sequence>()) {
    for (const CellRef &C : S->Elements)
      describeTensors(D, C->V, List, Nodes);
    return;
  }
  auto *T = V.as<TensorObject>();
  if (!T || !T->T)
    return;
  List.push_back(describeTensor(T->T));
  if (T->T->GradFn)
    Nodes.push_back(T->T->GradFn.get());
}

void TorchDomain::beganForward(ModuleRef Mod, llvm::StringRef Method, bool Jit,
                               llvm::ArrayRef<CellRef> Inputs) {
  if (R.If.Freeze && Mod && Mod->Training)
    freezeBelowLast(*Mod);
  if (R.If.Autocast) // As if each forward stood in a scope of its own.
    R.clearAutocastCache();
  ForwardCall F;
  F.Stack = R.CurrentStack;
  F.Module = Mod ? Mod->Id : None;
  F.Method = intern(Method);
  F.GradMode = R.recording();
  F.TrainingMode = Mod ? Mod->Training : true;
  F.Jit = Jit;
  F.FirstOp = Out.Ops.size();
  for (const CellRef &C : Inputs) {
    llvm::SmallVector<Node *, 2> Ignored;
    describeTensors(*this, C->V, F.Inputs, Ignored);
  }
  Out.Forwards.push_back(F);
  Open.push_back({(uint32_t)(Out.Forwards.size() - 1), Out.Events.size(),
                  Out.Ops.size(), (unsigned)R.Modules.size()});
}

void TorchDomain::endedForward(Machine &M, Operand &Result) {
  OpenForward O = Open.back();
  Open.pop_back();
  ForwardCall &F = Out.Forwards[O.Index];
  F.EndOp = Out.Ops.size();
  // A call that ran no op (a getter, a setter) is no forward.
  if (Out.Ops.size() == O.FirstOp && !F.Jit) {
    if (O.Index + 1 == Out.Forwards.size())
      Out.Forwards.pop_back();
    return;
  }
  llvm::SmallVector<Node *, 2> Nodes;
  describeTensors(*this, Result.value(), F.Outputs, Nodes);
  for (Node *N : Nodes)
    Recorded.push_back({O.Index, N});
  // What the graph keeps: saved during the call and still saved, parameters and
  // what came in aside.
  std::map<StorageId, int> Count;
  for (size_t I = O.FirstEvent; I < Out.Events.size(); ++I) {
    const Event &E = Out.Events[I];
    if (E.Kind == EventKind::Save)
      ++Count[E.Id];
    else if (E.Kind == EventKind::Unsave)
      --Count[E.Id];
  }
  for (auto [Id, N] : Count) {
    const StorageInfo &S = Out.Storages[Id];
    if (N <= 0 || S.Cat == Category::Parameter || S.Cat == Category::Buffer ||
        S.Cat == Category::Input)
      continue;
    F.SavedBytes = (Bytes{F.SavedBytes} + Bytes{S.SizeBytes}).Count;
    F.SavedKnown &= S.SizeKnown;
  }
}

/// Marks the forward calls whose graphs \p Root reaches.
void TorchDomain::reachedBackward(const TensorRef &Root) {
  if (Recorded.empty() || !Root->GradFn)
    return;
  llvm::DenseMap<Node *, bool> Seen;
  std::vector<Node *> Work{Root->GradFn.get()};
  while (!Work.empty() && Seen.size() < 1'000'000) {
    Node *N = Work.back();
    Work.pop_back();
    if (!Seen.try_emplace(N, true).second)
      continue;
    for (const Edge &E : N->Next)
      if (E.Fn)
        Work.push_back(E.Fn.get());
  }
  for (auto &[Index, N] : Recorded)
    if (Seen.count(N))
      Out.Forwards[Index].ReachedBackward = true;
  Recorded.clear();
}

} // namespace vramlint
