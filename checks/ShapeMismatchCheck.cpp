//===- checks/ShapeMismatchCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ShapeMismatchCheck.h.

#include "checks/ShapeMismatchCheck.h"
#include "checks/RefusedOperations.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Does a fully connected layer soon take a tensor of the shape of \p Out?
static bool feedsLinear(const Trace &T, OpId Id, const TensorDesc &Out) {
  static constexpr OpId LookAhead = 4; // An activation, a dropout.
  for (OpId Next = Id + 1; Next < T.Ops.size() && Next <= Id + LookAhead; ++Next)
    if (T.Ops[Next].Name == "linear" && !T.Ops[Next].Inputs.empty() &&
        T.Ops[Next].Inputs.front().Shape == Out.Shape)
      return true;
  return false;
}

/// Do the rows of a view straddle samples? They are neither whole samples, nor
/// several, nor equal parts of one, and a layer takes them for samples.
static bool mixesSamples(const Trace &T, OpId Id) {
  const OpRecord &Op = T.Ops[Id];
  if ((Op.Name != "view" && Op.Name != "reshape") || Op.Inputs.empty() ||
      Op.Outputs.empty())
    return false;
  const TensorDesc &In = Op.Inputs.front(), &Out = Op.Outputs.front();
  if (!In.ShapeKnown || !Out.ShapeKnown || In.Shape.size() < 2 || Out.Shape.size() < 2 ||
      In.Shape[0] == Out.Shape[0])
    return false;
  auto PerSample = [](const TensorDesc &D) {
    Bytes N{1};
    for (int64_t L : llvm::drop_begin(D.Shape)) {
      if (L <= 0)
        return int64_t(0);
      N = N * L;
    }
    return N.Count;
  };
  int64_t Before = PerSample(In), After = PerSample(Out);
  return In.Shape[0] > 0 && Before > 0 && After > 0 && Before % After != 0 &&
         After % Before != 0 && feedsLinear(T, Id, Out);
}

/// Does a view that mixes samples lead to \p Id?
static bool followsMixingView(const Trace &T, OpId Id) {
  if (Id >= T.Ops.size())
    return false;
  // Backwards: the storages that flow into the op.
  std::set<StorageId> Wanted;
  for (const TensorDesc &In : T.Ops[Id].Inputs)
    Wanted.insert(In.Storage);
  for (OpId Back = Id; Back-- > 0;) {
    const OpRecord &Op = T.Ops[Back];
    if (llvm::none_of(Op.Outputs, [&](const TensorDesc &Out) {
          return Wanted.count(Out.Storage) != 0;
        }))
      continue;
    if (mixesSamples(T, Back))
      return true;
    for (const TensorDesc &In : Op.Inputs)
      Wanted.insert(In.Storage);
  }
  return false;
}

void ShapeMismatchCheck::onAnalysis(const Analysis &A) {
  std::shared_ptr<const Trace> T = A.trace();
  // A view that takes the wrong number of features gives another batch: what then
  // does not fit it has the same cause.
  std::set<SourceLocation> Views;
  for (OpId Id = 0; Id < T->Ops.size(); ++Id)
    if (mixesSamples(*T, Id))
      reportView(A, T->Ops[Id], Id, Views);
  for (const RefusedOperation &R : refusedOperations(A, FailureKind::Shape)) {
    if (followsMixingView(*T, R.What->Id))
      continue;
    diag(R.Loc, "LibTorch throws here: %0") << R.What->Message;
    for (const ShapeStep &S : R.History)
      note(S.Loc, S.Text);
  }
}

void ShapeMismatchCheck::reportView(const Analysis &A, const OpRecord &Op, OpId Id,
                                    std::set<SourceLocation> &Done) {
  static constexpr unsigned MaxSteps = 3;
  SourceLocation Loc = A.findingLocation(*A.trace(), Op.Stack);
  if (Loc.isInvalid() || !Done.insert(Loc).second)
    return;
  const TensorDesc &In = Op.Inputs.front(), &Out = Op.Outputs.front();
  diag(Loc, "this %0 mixes samples: %1 becomes %2, a batch of %3 instead of %4")
      << Op.Name.str() << shapeOf(In) << shapeOf(Out) << std::to_string(Out.Shape[0])
      << std::to_string(In.Shape[0]);
  for (const ShapeStep &S : historyOf(A, In, Id, MaxSteps))
    note(S.Loc, S.Text);
}

} // namespace vramlint
