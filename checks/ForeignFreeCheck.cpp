//===- checks/ForeignFreeCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ForeignFreeCheck.h.

#include "checks/ForeignFreeCheck.h"
#include "checks/AliasFlow.h"
#include "checks/FromBlob.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

/// How memory is allocated or freed.
enum class Heap { Unknown, Malloc, New, NewArray, Cuda };

static llvm::StringRef freeName(Heap H) {
  switch (H) {
  case Heap::Malloc:
    return "free";
  case Heap::New:
    return "delete";
  case Heap::NewArray:
    return "delete[]";
  case Heap::Cuda:
    return "cudaFree";
  case Heap::Unknown:
    break;
  }
  return "";
}

static Heap freeKind(llvm::StringRef Function) {
  return llvm::StringSwitch<Heap>(Function)
      .Case("free", Heap::Malloc)
      .Case("cudaFree", Heap::Cuda)
      .Default(Heap::Unknown);
}

/// What \p S frees, and how: free(p), delete p, delete[] p, cudaFree(p).
struct Freed {
  const Expr *At = nullptr;
  const Expr *What = nullptr;
  Heap How = Heap::Unknown;
  explicit operator bool() const { return At; }
};
static Freed freedBy(const Stmt *S) {
  if (const auto *D = dyn_cast<CXXDeleteExpr>(S))
    return {D, D->getArgument(), D->isArrayForm() ? Heap::NewArray : Heap::New};
  const auto *C = dyn_cast<CallExpr>(S);
  if (!C || isa<CXXMemberCallExpr>(C) || C->getNumArgs() != 1)
    return {};
  Heap How = freeKind(nameOf(C->getDirectCallee()));
  return How == Heap::Unknown ? Freed() : Freed{C, C->getArg(0), How};
}

static const Expr *withoutCasts(const Expr *E) {
  while (E) {
    E = bare(E);
    const auto *C = dyn_cast<CastExpr>(E);
    if (!C)
      return E;
    E = C->getSubExpr();
  }
  return E;
}

/// The variable that a pointer expression is; null for others.
static const VarDecl *pointerVariable(const Expr *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(withoutCasts(E));
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->getType()->isPointerType() ? V : nullptr;
}

static Heap allocatedBy(const Expr *E, const BodyView &View) {
  E = withoutCasts(View.originOf(withoutCasts(E)));
  if (const auto *N = dyn_cast<CXXNewExpr>(E))
    return N->isArray() ? Heap::NewArray : Heap::New;
  if (const auto *C = dyn_cast<CallExpr>(E))
    return llvm::StringSwitch<Heap>(nameOf(C->getDirectCallee()))
        .Cases("malloc", "calloc", "realloc", "aligned_alloc", Heap::Malloc)
        .Default(Heap::Unknown);
  return Heap::Unknown;
}

/// What a deleter does with its argument; Unknown if it isn't only that.
static Heap deleterKind(const Expr *Deleter) {
  Heap Found = Heap::Unknown;
  unsigned Count = 0;
  forEachStmt(Deleter, [&](const Stmt *S) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (Heap H = freeKind(nameOf(Ref->getDecl())); H != Heap::Unknown) {
        Found = H;
        ++Count;
      }
    const auto *L = dyn_cast<LambdaExpr>(S);
    if (!L || L->getCallOperator()->param_size() != 1)
      return;
    const ParmVarDecl *P = L->getCallOperator()->getParamDecl(0);
    forEachStmt(L->getBody(), [&](const Stmt *In) {
      if (Freed F = freedBy(In); F && pointerVariable(F.What) == P) {
        Found = F.How;
        ++Count;
      }
    });
  });
  return Count == 1 ? Found : Heap::Unknown;
}

static bool anyFromBlob(const UnitFacts &Unit) {
  for (const FunctionFacts &F : Unit.Functions)
    for (const CallSite &C : F.Calls)
      if (nameOf(C.Callee) == "from_blob" || nameOf(C.Callee) == "for_blob")
        return true;
  return false;
}

/// Is the memory of \p Tensor LibTorch's for certain?
static bool ownsItsMemory(const Expr *Tensor, const BodyView &View,
                          bool AnyFromBlob) {
  const Expr *E = Tensor;
  for (int Steps = 0; Steps < 16; ++Steps) {
    E = View.originOf(E);
    if (fromBlob(E))
      return false;
    TensorCall Op = tensorCall(E);
    if (!Op) {
      const auto *C = dyn_cast<CallExpr>(bare(E));
      const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
      // A factory, or made where no tensor is made of foreign memory.
      return (F && isLibTorch(F)) || !AnyFromBlob;
    }
    if (sharingOf(Op.Name) == Sharing::Copy)
      return true;
    E = Op.Self;
  }
  return false;
}

/// free(t.data_ptr())
void ForeignFreeCheck::tensorMemory(const Freed &F, const BodyView &View,
                                    bool AnyFromBlob) {
  const CXXMemberCallExpr *C = dataPtrIn(F.What);
  if (!C)
    C = dataPtrIn(View.originOf(withoutCasts(F.What)));
  if (!C || !ownsItsMemory(C->getImplicitObjectArgument(), View, AnyFromBlob))
    return;
  if (!Done.insert(F.At->getBeginLoc()).second)
    return;
  diag(F.At->getBeginLoc(),
       "'%0' frees memory that belongs to tensor '%1', which frees it again")
      << freeName(F.How)
      << textOf(bare(C->getImplicitObjectArgument()), View.Context);
}

/// A buffer freed while its tensor is still used.
void ForeignFreeCheck::buffer(const FromBlob &Blob, llvm::ArrayRef<Freed> All,
                              const BodyView &View) {
  const VarDecl *V = pointerVariable(Blob.Pointer);
  if (!V || View.writeAt(*View.usesOf(V).begin()))
    return;
  for (const Freed &F : All) {
    if (pointerVariable(F.What) != V || View.begin(F.At) < View.end(Blob.Call))
      continue;
    const Stmt *Statement = View.statementOf(F.At);
    const Stmt *Scope = View.parent(Statement);
    FlowState State;
    State.DType = dtypeOf(Blob, View);
    if (Blob.Deleter && deleterKind(Blob.Deleter) == Heap::Unknown)
      return;
    if (Blob.Deleter && Done.insert(F.At->getBeginLoc()).second) {
      diag(F.At->getBeginLoc(), "'%0' frees '%1', and the deleter of the tensor "
                                "made from it frees it again")
          << freeName(F.How) << V->getName();
      note(Blob.Start->getBeginLoc(), "the tensor is made here");
      return;
    }
    for (const FlowEnd &End : followAlias(Blob.Call, State, View)) {
      if (End.Kind == FlowEnd::Called || End.State.MaybeSame || !Scope ||
          View.begin(End.At) < View.end(F.At) || !View.isInside(End.At, Scope))
        continue;
      if (!Done.insert(F.At->getBeginLoc()).second)
        return;
      diag(F.At->getBeginLoc(), "'%0' frees '%1' while a tensor still uses it")
          << freeName(F.How) << V->getName();
      note(Blob.Start->getBeginLoc(), "the tensor is made here");
      note(End.At->getBeginLoc(), "and used here");
      return;
    }
  }
}

void ForeignFreeCheck::deleter(const FromBlob &Blob, const BodyView &View) {
  Heap Made = allocatedBy(Blob.Pointer, View);
  Heap Freed = Blob.Deleter ? deleterKind(Blob.Deleter) : Heap::Unknown;
  if (Made == Heap::Unknown || Freed == Heap::Unknown || Made == Freed ||
      !Done.insert(Blob.Deleter->getBeginLoc()).second)
    return;
  diag(Blob.Deleter->getBeginLoc(),
       "expected '%0' for memory from '%1', got a deleter that calls '%2'")
      << freeName(Made)
      << (Made == Heap::Malloc     ? "malloc"
          : Made == Heap::NewArray ? "new[]"
                                   : "new")
      << freeName(Freed);
}

void ForeignFreeCheck::onAnalysis(const Analysis &A) {
  Done.clear();
  bool AnyFromBlob = anyFromBlob(A.unit());
  for (const FunctionFacts &F : A.unit().Functions) {
    llvm::SmallVector<Freed, 4> All;
    llvm::SmallVector<FromBlob, 4> Blobs;
    forEachStmt(F.Body, [&](const Stmt *S) {
      if (isInMacro(S->getBeginLoc(), A.context()))
        return;
      if (Freed Each = freedBy(S))
        All.push_back(Each);
      if (FromBlob Blob = fromBlob(S))
        Blobs.push_back(Blob);
    });
    if (All.empty() && Blobs.empty())
      continue;
    BodyView View(F, A.context());
    for (const Freed &Each : All)
      tensorMemory(Each, View, AnyFromBlob);
    for (const FromBlob &Blob : Blobs) {
      deleter(Blob, View);
      buffer(Blob, All, View);
    }
  }
}

} // namespace vramlint
