//===- checks/FromBlobDanglingCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FromBlobDanglingCheck.h.

#include "checks/FromBlobDanglingCheck.h"
#include "checks/AliasFlow.h"
#include "checks/BufferRoot.h"
#include "checks/FromBlob.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

struct Dangling {
  FromBlob Blob;
  BufferRoot Root;
  FlowEnd End;
};

/// Does \p End use the tensor after its memory is gone?
static bool outlives(const FlowEnd &End, const BufferRoot &Root,
                     const FromBlob &Blob, const BodyView &View) {
  if (End.Kind == FlowEnd::Called)
    return false;
  if (Root.Kind == BufferRoot::Temporary)
    return End.Kind != FlowEnd::Used ||
           !View.isInside(End.At, View.statementOf(Blob.Call));
  if (End.Kind != FlowEnd::Used)
    return true;
  // A variable of an outer scope, read after the buffer's scope has ended.
  const Stmt *Scope = View.scopeOf(Root.Var);
  if (!Scope || View.isInside(End.At, Scope))
    return false;
  return View.begin(End.At) > View.end(Scope);
}

static std::optional<Dangling> danglingIn(const FromBlob &Blob,
                                          const BodyView &View) {
  if (Blob.Deleter)
    return std::nullopt;
  Dangling D{Blob, bufferRoot(Blob.Pointer, View), {}};
  if (D.Root.Kind == BufferRoot::None)
    return std::nullopt;
  FlowState State;
  State.DType = dtypeOf(Blob, View);
  for (const ParmVarDecl *P : Blob.Start->getDirectCallee()->parameters())
    State.Strided |= nameOf(P) == "strides";
  std::vector<FlowEnd> Ends = followAlias(Blob.Call, State, View);
  // A way on which it is the same for certain says more than one that depends.
  const FlowEnd *Best = nullptr;
  for (const FlowEnd &End : Ends)
    if (outlives(End, D.Root, Blob, View) &&
        (!Best || (Best->State.MaybeSame && !End.State.MaybeSame)))
      Best = &End;
  if (!Best)
    return std::nullopt;
  D.End = *Best;
  return D;
}

static std::string whereTo(const FlowEnd &End) {
  switch (End.Kind) {
  case FlowEnd::Returned:
    return "is returned";
  case FlowEnd::Member:
    return "is stored in member '" + End.Name + "'";
  case FlowEnd::Static:
    return "is stored in '" + End.Name + "'";
  case FlowEnd::OutParameter:
    return "is stored in parameter '" + End.Name + "'";
  case FlowEnd::Registered:
    return "is registered in the module";
  case FlowEnd::Used:
  case FlowEnd::Called:
    return "is used through '" + End.Name + "' later";
  }
  return "";
}

static std::string lifeOf(const Dangling &D, const BodyView &View) {
  switch (D.Root.Kind) {
  case BufferRoot::Parameter:
    return "parameter " + D.Root.Name + ", passed by value";
  case BufferRoot::Temporary:
    return D.Root.Name + ", destroyed at the end of this statement";
  default:
    break;
  }
  const Stmt *Scope = View.scopeOf(D.Root.Var);
  bool Inner = Scope && View.parent(Scope);
  return "local " + D.Root.Name +
         (Inner ? ", destroyed at the end of its block" : "");
}

void FromBlobDanglingCheck::report(const Dangling &D, const BodyView &View) {
  const CallExpr *To = D.End.State.MaybeSame;
  std::string Name = To ? nameOf(To->getDirectCallee()).str() : "";
  {
    auto Diag = diag(D.Blob.Start->getBeginLoc(),
                     "this tensor uses the memory of %0, and %1")
                << lifeOf(D, View) << whereTo(D.End);
    if (SourceLocation End = endOf(D.Blob.Call, View.Context); End.isValid())
      Diag << FixItHint::CreateInsertion(End, ".clone()");
  }
  if (To)
    note(To->getExprLoc(),
         "'" + Name + "' returns the same tensor where there is nothing to "
         "convert: with a GPU it copies, on the CPU the memory is used after "
         "its end");
  if (!View.isInside(D.End.At, View.statementOf(D.Blob.Call)) &&
      !View.isInside(D.Blob.Call, D.End.At))
    note(D.End.At->getBeginLoc(), "it " + whereTo(D.End) + " here");
}

void FromBlobDanglingCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachFromBlob(A.unit(), [&](const FromBlob &Blob, const BodyView &View) {
    std::optional<Dangling> D = danglingIn(Blob, View);
    if (D && Done.insert(Blob.Start->getBeginLoc()).second)
      report(*D, View);
  });
}

} // namespace vramlint
