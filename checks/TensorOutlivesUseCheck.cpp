//===- checks/TensorOutlivesUseCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TensorOutlivesUseCheck.h.

#include "checks/TensorOutlivesUseCheck.h"
#include "checks/BodyView.h"
#include "checks/GrowingMemory.h"
#include "checks/Surroundings.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// A storage that is alive at the peak although no op uses it any more.
struct Idle {
  StorageId Id = None;
  int64_t SizeBytes = 0;
  uint32_t LastUse = None; ///< Its last op's event.
  StackId LastStack = 0;
  int64_t SavedBytes = 0;  ///< By how much the peak falls if it dies there.
};
} // namespace

static bool uses(const OpRecord &Op, StorageId Id) {
  auto Is = [&](const TensorDesc &D) { return D.Storage == Id; };
  return llvm::any_of(Op.Inputs, Is) || llvm::any_of(Op.Outputs, Is);
}

/// Does event \p At use storage \p Id?
static bool usesAt(const Trace &T, uint32_t At, StorageId Id) {
  const Event &E = T.Events[At];
  switch (E.Kind) {
  case EventKind::Copy:
  case EventKind::Save:
    return E.Id == Id;
  case EventKind::OpBegin:
  case EventKind::OpEnd:
    return E.Id < T.Ops.size() && uses(T.Ops[E.Id], Id);
  default:
    return false;
  }
}

/// How far the peak falls if \p I dies with its last op, and so does what the same
/// line made in other iterations.
static int64_t savedBytes(const Timeline &L, const Idle &I) {
  const Trace &T = *L.Of;
  const StorageInfo &Like = T.Storages[I.Id];
  std::vector<int64_t> After = L.LiveAfter;
  for (StorageId Id = 0; Id < T.Storages.size(); ++Id) {
    const StorageInfo &S = T.Storages[Id];
    if (S.Stack != Like.Stack || S.Op != Like.Op || S.Device != L.Device)
      continue;
    uint32_t LastUse = None;
    for (uint32_t At = 0; At < After.size(); ++At)
      if (usesAt(T, At, Id))
        LastUse = At;
    for (uint32_t At = LastUse; LastUse != None && ++At < After.size();) {
      if (T.Events[At].Kind == EventKind::Free && T.Events[At].Id == Id)
        break;
      After[At] -= S.SizeBytes;
    }
  }
  return L.Highest.SizeBytes - *std::max_element(After.begin(), After.end());
}

static std::vector<Idle> idleAtPeak(const Timeline &L, int64_t MinBytes) {
  const Trace &T = *L.Of;
  std::vector<Idle> Found;
  for (const AliveStorage &S : L.Highest.Alive) {
    bool Held = S.As == Holding::Activations || S.As == Holding::Inputs;
    if (!Held || S.SizeBytes < MinBytes || !T.Storages[S.Id].SizeKnown)
      continue;
    Idle I{S.Id, S.SizeBytes};
    for (uint32_t At = 0; At < T.Events.size(); ++At)
      if (usesAt(T, At, S.Id)) {
        const Event &E = T.Events[At];
        bool OfOp = E.Kind == EventKind::OpBegin || E.Kind == EventKind::OpEnd;
        I.LastUse = At;
        I.LastStack = OfOp ? T.Ops[E.Id].Stack : E.Stack;
      }
    if (I.LastUse == None || I.LastUse > L.Highest.EventIndex)
      continue;
    I.SavedBytes = savedBytes(L, I);
    if (I.SavedBytes >= MinBytes)
      Found.push_back(I);
  }
  return Found;
}

namespace {
/// The variable that holds a storage, in the function where the peak is reached.
struct Holder {
  const FunctionFacts *In = nullptr;
  const VarDecl *Var = nullptr;
  SourceLocation Peak; ///< The statement of In that reaches it.
};
} // namespace

/// The local variable that the statement at \p Loc fills.
static const VarDecl *filledAt(const BodyView &View, SourceLocation Loc) {
  const SourceManager &SM = View.Context.getSourceManager();
  const VarDecl *Found = nullptr;
  forEachStmt(View.Facts.Body, [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S)) {
      const auto *V =
          D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      if (V && isTensor(V->getType()) && !V->getType()->isReferenceType() &&
          within(Loc, D->getSourceRange(), SM))
        Found = V;
    }
  });
  return Found;
}

static std::optional<Holder> holderOf(const Analysis &A, const Idle &I) {
  std::shared_ptr<const Trace> T = A.trace();
  const SourceManager &SM = A.context().getSourceManager();
  const Timeline &L = *A.timeline();
  for (const FunctionFacts &F : A.unit().Functions) {
    if (!F.Body || F.InTest)
      continue;
    auto Inside = [&](StackId Stack) -> SourceLocation {
      for (const Frame &Each : T->Stacks[Stack])
        if (SourceLocation Loc = A.locate(Each.Pos);
            Loc.isValid() && within(Loc, F.Body->getSourceRange(), SM))
          return Loc;
      return {};
    };
    SourceLocation Made = Inside(T->Storages[I.Id].Stack), Peak = Inside(L.Highest.Stack),
                   Last = Inside(I.LastStack);
    if (Made.isInvalid() || Peak.isInvalid() || Last.isInvalid())
      continue;
    BodyView View(F, A.context());
    const VarDecl *V = filledAt(View, Made);
    if (!V || onSameLine(A, Peak, Last) || onSameLine(A, Peak, Made))
      continue;
    // What the run does not record, printing or a function that isn't known, counts
    // as a use too; and so does whatever else may hold the tensor.
    bool UsedLater = llvm::any_of(View.usesOf(V), [&](const DeclRefExpr *Use) {
      const Stmt *P = View.parent(Use);
      return !SM.isBeforeInTranslationUnit(Use->getBeginLoc(), Peak) ||
             View.writeAt(Use) || (P && isa<LambdaExpr, DeclStmt>(P));
    });
    if (!UsedLater)
      return Holder{&F, V, Peak};
  }
  return std::nullopt;
}

void TensorOutlivesUseCheck::onAnalysis(const Analysis &A) {
  constexpr int64_t MinBytes = int64_t(8) << 20, MinShare = 20;
  std::shared_ptr<const Timeline> L = A.timeline();
  if (L->Highest.EventIndex == None || !L->Of->Complete || L->Live.isUnknown())
    return;
  std::shared_ptr<const Trace> T = A.trace();
  std::set<const VarDecl *> Done;
  for (const Idle &I :
       idleAtPeak(*L, std::max(MinBytes, L->Highest.SizeBytes / MinShare))) {
    std::optional<Holder> H = holderOf(A, I);
    if (!H || !Done.insert(H->Var).second)
      continue;
    SourceLocation Loc = H->Var->getLocation();
    if (!A.options().FindingsInHeaders && !A.context().getSourceManager().isInMainFile(Loc))
      continue;
    std::string Name = H->Var->getNameAsString();
    diag(Loc, "'%0' holds %1 at the peak, but is not used any more: without it the peak "
              "is %2 lower")
        << Name << formatBytes(Bytes{I.SizeBytes}) << formatBytes(Bytes{I.SavedBytes});
    if (SourceLocation Last = A.ownLocation(*T, I.LastStack); Last.isValid())
      note(Last, "last used here");
    note(H->Peak, "the peak is reached here; end the scope of '" + Name +
                      "' before, or assign an empty tensor to it");
  }
}

} // namespace vramlint
