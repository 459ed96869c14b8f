//===- checks/RefusedOperations.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See RefusedOperations.h.

#include "checks/RefusedOperations.h"
#include <set>

using namespace clang;

namespace vramlint {

static bool isKnown(const TensorDesc &D) {
  return D.ShapeKnown && llvm::none_of(D.Shape, [](int64_t N) { return N < 0; });
}

std::string shapeOf(const TensorDesc &D) {
  if (D.Shape.empty())
    return "a scalar";
  std::string Text;
  for (int64_t N : D.Shape)
    Text += (Text.empty() ? "" : "×") + std::to_string(N);
  return Text;
}

/// The last op before \p Before whose result \p D is; None if there is none.
static OpId makerOf(const Trace &T, const TensorDesc &D, OpId Before) {
  for (OpId Id = Before; Id-- > 0;)
    for (const TensorDesc &Out : T.Ops[Id].Outputs)
      if (Out.Storage == D.Storage && Out.Shape == D.Shape)
        return Id;
  return None;
}

static std::string opText(const OpRecord &Op) {
  if (Op.BuiltinModule && !Op.ModulePath.empty())
    return Op.ModuleClass.str() + " '" + Op.ModulePath.str() + "'";
  return Op.Name.str();
}

/// A weight: the layer that holds it and where that was made.
static std::optional<ShapeStep> weightStep(const Analysis &A, const TensorDesc &D) {
  std::shared_ptr<const Trace> T = A.trace();
  for (const ModuleInfo &M : T->Modules)
    for (const ParameterInfo &P : M.Parameters)
      if (P.Tensor.Storage == D.Storage) {
        SourceLocation Loc = A.ownLocation(*T, M.Created);
        if (Loc.isInvalid())
          return std::nullopt;
        std::string Of = M.Options.empty() ? M.Class.str() : M.Options;
        return ShapeStep{Loc, P.Name.str() + " " + shapeOf(D) + " is that of " + Of};
      }
  return std::nullopt;
}

std::vector<ShapeStep> historyOf(const Analysis &A, const TensorDesc &D, OpId Before,
                                 unsigned Max) {
  std::vector<ShapeStep> Steps;
  std::shared_ptr<const Trace> T = A.trace();
  if (std::optional<ShapeStep> Weight = weightStep(A, D)) {
    Steps.push_back(std::move(*Weight));
    return Steps;
  }
  TensorDesc Now = D;
  while (Steps.size() < Max) {
    OpId Id = makerOf(*T, Now, Before);
    if (Id == None)
      break;
    const OpRecord &Op = T->Ops[Id];
    SourceLocation Loc = A.ownLocation(*T, Op.Stack);
    if (Loc.isValid())
      Steps.push_back({Loc, shapeOf(Now) + " comes from " + opText(Op)});
    if (Op.Inputs.empty() || !isKnown(Op.Inputs.front()))
      break;
    Now = Op.Inputs.front();
    Before = Id;
  }
  return Steps;
}

std::vector<RefusedOperation> refusedOperations(const Analysis &A, FailureKind Kind) {
  static constexpr unsigned MaxSteps = 3;
  std::vector<RefusedOperation> Refused;
  std::set<SourceLocation> Done;
  std::shared_ptr<const Trace> T = A.trace();
  for (const Failure &F : T->Failures) {
    SourceLocation Loc = A.findingLocation(*T, F.Stack);
    if (F.Kind != Kind || !F.Certain || Loc.isInvalid())
      continue;
    RefusedOperation R{Loc, &F, {}};
    bool Known = true;
    if (F.Id < T->Ops.size())
      for (const TensorDesc &In : T->Ops[F.Id].Inputs) {
        Known &= isKnown(In);
        for (ShapeStep &S : historyOf(A, In, F.Id, MaxSteps))
          R.History.push_back(std::move(S));
      }
    if (Known && Done.insert(Loc).second)
      Refused.push_back(std::move(R));
  }
  return Refused;
}

bool isTargetType(const Failure &F) {
  return F.Kind == FailureKind::Other &&
         llvm::StringRef(F.Message).contains("expected a target of type int64");
}

} // namespace vramlint
