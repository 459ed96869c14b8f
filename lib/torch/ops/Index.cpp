//===- lib/torch/ops/Index.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Scattering, masks in place, and ops that move elements about.

#include "lib/torch/Rules.h"

namespace vramlint {

namespace {

using T = TensorRef;

OpResult scatterRow(Runtime &R, const Args &A, bool Add, bool InPlace) {
  T X = A.tensor("self"), Index = A.tensor("index"), Source = A.tensor("src");
  if (!X || !Index)
    return OpResult::failed("scatter of an undefined tensor", FailureKind::Other);
  Record Rec(R, Add ? "ScatterAddBackward0" : "ScatterBackward0", {X, Source});
  Rec.save(Index);
  Rec.backward([Add](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(0))
      Out[0] = Add ? G[0] : aten::emptyLike(R, G[0]);
    if (N.needs(1)) // grad.gather(dim, index)
      Out[1] = R.make(N.saved(0)->Sizes, G[0]->Type, G[0]->Dev);
    return Out;
  });
  if (InPlace)
    return Rec.inPlace(X) ? one(X) : one(nullptr);
  return one(Rec.output(aten::emptyLike(R, X)));
}

OpResult maskedFillInPlace(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Mask = A.tensor("mask");
  if (!X || !Mask)
    return OpResult::failed("masked_fill_ of an undefined tensor", FailureKind::Other);
  Record Rec(R, "MaskedFillBackward0", {X});
  Rec.save(Mask);
  Rec.backward([](Runtime &R, Node &N, Grads &G) {
    return Grads{aten::maskedFill(R, G[0], N.saved(0))};
  });
  return Rec.inPlace(X) ? one(X) : one(nullptr);
}

/// tril and triu: batches whose matrices do not lie one behind the other are copied
/// (checkTrilTriuBatchContiguous).
T triangle(Runtime &R, const T &X) {
  T Out = aten::emptyContiguous(R, X);
  if (X->onCuda() || X->isContiguous() || X->rank() < 3 || !X->Sizes.known())
    return Out;
  auto S = X->strides();
  unsigned Rank = X->rank();
  int64_t Expected = saturatingMul({X->size(Rank - 1).Length, X->size(Rank - 2).Length});
  for (unsigned I = Rank - 2; I-- > 0;) {
    if (Expected != S[I]) {
      aten::contiguous(R, X);
      break;
    }
    Expected = saturatingMul({Expected, X->size(I).Length});
  }
  return Out;
}

/// Ops whose result has the input's shape, and whose gradient is the same op.
OpResult sameShapeRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed((Name + " of an undefined tensor").str());
  if (Name.starts_with("tri") && X->rank() < 2)
    return OpResult::failed((Name + " expects at least two dimensions").str());
  Record Rec(R, Name, {X});
  if (Name.starts_with("tri"))
    return one(Rec.result(triangle(R, X), [](Runtime &R, Node &, Grads &G) {
      return Grads{triangle(R, G[0])};
    }));
  if (Name == "flip")
    return one(Rec.result(aten::emptyLike(R, X), [](Runtime &R, Node &, Grads &G) {
      return Grads{aten::emptyLike(R, G[0])};
    }));
  bool Again = A.ints("dims").size() > 1; // One by one.
  T First = Again ? aten::emptyContiguous(R, X) : nullptr;
  return one(Rec.result(aten::emptyContiguous(R, X), [Again](Runtime &R, Node &, Grads &G) {
    T First = Again ? aten::emptyContiguous(R, G[0]) : nullptr;
    return Grads{aten::emptyContiguous(R, G[0])};
  }));
}

OpResult oneHotRow(Runtime &R, const Args &A) {
  T X = A.tensor(A.has("tensor") ? "tensor" : "self");
  if (!X)
    return OpResult::failed("one_hot of an undefined tensor", FailureKind::Other);
  auto Classes = A.integer("num_classes");
  BelowAutograd Guard(R);
  Shape S = X->Sizes;
  S.Dims.push_back(Classes && *Classes >= 0 ? Dim(*Classes) : Dim());
  if (!S.Dims.back().known())
    S.Why = "the number of classes is in the data";
  if (!X->onCuda()) {
    R.make(Shape(), X->Type, X->Dev); // min() and max(), for the checks.
    R.make(Shape(), X->Type, X->Dev);
  }
  return one(R.make(S, DType::Int64, X->Dev));
}

OpResult outerRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Y = A.tensor("vec2");
  if (!X || !Y || X->rank() != 1 || Y->rank() != 1) {
    R.fail("outer expects two 1-dimensional tensors");
    return one(nullptr);
  }
  Shape S;
  S.Dims = {X->size(0), Dim(1)};
  return one(aten::mul(R, aten::reshape(R, X, S), Y));
}

OpResult baddbmmRow(Runtime &R, const Args &A) {
  T Self = A.tensor("self"), X = A.tensor("batch1"), Y = A.tensor("batch2");
  if (!Self || !X || !Y)
    return OpResult::failed("baddbmm of an undefined tensor", FailureKind::Other);
  T Out;
  Record Rec(R, "BaddbmmBackward0", {X, Y, Self});
  Rec.saveIf(Rec.needs(1), X).saveIf(Rec.needs(0), Y);
  Out = aten::bmm(R, X, Y);
  if (Out)
    aten::broadcast(R, Out->Sizes, Self->Sizes);
  return one(Rec.result(R.failed() ? nullptr : Out,
                        [](Runtime &R, Node &N, Grads &G) {
                          Grads Out(3);
                          if (N.needs(0))
                            Out[0] = aten::bmm(
                                R, G[0], aten::transpose(R, N.saved(1), 1, 2));
                          if (N.needs(1))
                            Out[1] = aten::bmm(
                                R, aten::transpose(R, N.saved(0), 1, 2), G[0]);
                          if (N.needs(2))
                            Out[2] = G[0];
                          return Out;
                        }));
}

} // namespace

void addIndexOps(OpTable &Rows) {
  for (llvm::StringRef Name : {"scatter", "scatter_add"})
    for (bool InPlace : {false, true}) {
      bool Add = Name == "scatter_add";
      Rows.push_back({InPlace ? intern((Name + "_").str()) : Name,
                      [Add, InPlace](Runtime &R, const Args &A) {
                        return scatterRow(R, A, Add, InPlace);
                      },
                      "value"});
    }
  Rows.push_back({"masked_fill_", maskedFillInPlace, "value"});
  for (llvm::StringRef Name : {"tril", "triu", "flip", "roll"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      return sameShapeRow(R, A, Name);
                    },
                    "diagonal,shifts"});
  Rows.push_back({"one_hot", oneHotRow});
  for (llvm::StringRef Name : {"outer", "ger"})
    Rows.push_back({Name, outerRow});
  Rows.push_back({"baddbmm", baddbmmRow, "beta,alpha"});
}

} // namespace vramlint
