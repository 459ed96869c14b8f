//===- lib/torch/WhatIf.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See WhatIf.h.

#include "lib/torch/WhatIf.h"

#include "lib/torch/Module.h"
#include "lib/torch/Registry.h"
#include "lib/torch/Rules.h"
#include "llvm/ADT/StringSet.h"

namespace vramlint {

void WhatIf::resize(Shape &S) const {
  if (!S.RankKnown || S.Dims.empty())
    return;
  if (Batch && S.Dims[0] == Dim(Batch->From))
    S.Dims[0] = Dim(Batch->To);
  for (size_t I = 0; Size && I + 1 < S.Dims.size(); ++I)
    if (S.Dims[I] == Dim(Size->Height) && S.Dims[I + 1] == Dim(Size->Width)) {
      S.Dims[I] = Dim(Size->scaled(Size->Height));
      S.Dims[I + 1] = Dim(Size->scaled(Size->Width));
      return;
    }
}

const OpEntry *inPlaceForm(Runtime &R, llvm::StringRef Op, const Args &A) {
  static const llvm::StringSet<> Activations = {
      "celu", "elu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
      "mish", "relu", "relu6", "rrelu", "selu", "silu"};
  Op.consume_front("functional_");
  if (!Activations.contains(Op) || A.List.empty())
    return nullptr;
  auto *X = std::get_if<TensorRef>(&A.List[0].second.V);
  // The call's own argument and at most the variable that gets the result.
  constexpr unsigned OwnHandles = 2;
  if (!X || !*X || X->useCount() > OwnHandles || !(*X)->Store ||
      (*X)->Store->Cat == Category::Input || (*X)->RequiresGrad || (*X)->Base)
    return nullptr;
  // The node that made it needs its result again.
  if (const NodeRef &N = (*X)->GradFn)
    for (const SavedTensor &S : N->Saved)
      if (S.resultNr() >= 0 || (S.get() && S.get()->Store == (*X)->Store))
        return nullptr;
  return findOp((Op + "_").str());
}

namespace {

/// The node that runs a forward again.
struct Recomputation {
  Args Given; ///< Its tensors are in the node's slots, in order.
  std::vector<TensorRef> Own;
  std::function<OpResult(Args &)> Run;

  Grads operator()(Runtime &R, Node &N, Grads &G) const;
};

/// Forward inside of a backward.
class ForwardScope {
public:
  explicit ForwardScope(Runtime &R) : R(R), GradMode(R.GradMode), In(R.In) {
    R.GradMode = true;
    R.In = Phase::Forward;
  }
  ~ForwardScope() {
    R.GradMode = GradMode;
    R.In = In;
  }

private:
  Runtime &R;
  bool GradMode;
  Phase In;
};

} // namespace

Grads Recomputation::operator()(Runtime &R, Node &N, Grads &G) const {
  std::vector<TensorRef> Leaves;
  Args A;
  for (const auto &[Name, V] : Given.List)
    A.add(Name, mapTensors(V, [&](const TensorRef &) {
            TensorRef Leaf = R.alias(N.saved(Leaves.size()));
            Leaf->RequiresGrad = N.needs(Leaves.size());
            Leaves.push_back(Leaf);
            return Leaf;
          }));
  Grads Result(Leaves.size() + Own.size());
  std::vector<TensorRef> Roots, Gradients, Wanted;
  {
    ForwardScope Scope(R);
    OpResult Again = Run(A);
    size_t I = 0;
    for (const Arg &V : Again.Values)
      eachTensor(V, [&](const TensorRef &T) {
        if (I < G.size() && G[I] && T->needsGrad()) {
          Roots.push_back(T);
          Gradients.push_back(G[I]);
        }
        ++I;
      });
  }
  A.List.clear();
  std::vector<size_t> Slots;
  for (size_t I = 0; I < Result.size(); ++I)
    if (N.needs(I)) {
      Wanted.push_back(I < Leaves.size() ? Leaves[I] : Own[I - Leaves.size()]);
      Slots.push_back(I);
    }
  if (Roots.empty())
    return Result;
  OpResult Found = R.grad(Roots, Gradients, Wanted, false, false, true);
  for (size_t I = 0; I < Found.Values.size() && I < Slots.size(); ++I)
    if (auto *T = std::get_if<TensorRef>(&Found.Values[I].V))
      Result[Slots[I]] = *T;
  return Result;
}

OpResult recomputed(Runtime &R, llvm::ArrayRef<TensorRef> Own, Args &A,
                    std::function<OpResult(Args &)> Run) {
  if (!R.recording())
    return Run(A);
  Recomputation Again{A, Own.vec(), Run};
  std::vector<TensorRef> Inputs;
  for (const auto &[Name, V] : A.List)
    eachTensor(V, [&](const TensorRef &T) { Inputs.push_back(T); });
  size_t Given = Inputs.size();
  Inputs.insert(Inputs.end(), Own.begin(), Own.end());
  recording::Record Rec(R, "CheckpointFunction", Inputs);
  if (!Rec)
    return Run(A);
  for (size_t I = 0; I < Given; ++I)
    Rec.save(Inputs[I]);
  for (auto &[Name, V] : Again.Given.List) // Kept by the slots alone.
    V = mapTensors(V, [](const TensorRef &) { return TensorRef(new TensorImpl); });
  Inputs.clear();
  OpResult Result = Run(A);
  for (const Arg &V : Result.Values)
    eachTensor(V, [&](const TensorRef &T) { Rec.output(T); });
  Rec.backward(std::move(Again));
  return Result;
}

static Module *lastWithParameters(Module &M) {
  for (const Module::Child &C : llvm::reverse(M.Children))
    if (C.M)
      if (Module *Found = lastWithParameters(*C.M))
        return Found;
  return M.Parameters.empty() ? nullptr : &M;
}

void freezeBelowLast(Module &M) {
  Module *Last = lastWithParameters(M);
  if (!Last)
    return;
  auto Trained = Last->parameters(false);
  for (auto &[Name, T] : M.parameters(true))
    if (T && llvm::none_of(Trained, [&](const auto &P) { return P.second == T; }))
      T->RequiresGrad = false;
}

} // namespace vramlint
