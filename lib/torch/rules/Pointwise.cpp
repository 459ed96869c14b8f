//===- lib/torch/rules/Pointwise.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// TensorIterator without data, and the arithmetic that backward formulas use.

#include "lib/torch/Rules.h"

namespace vramlint::aten {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isComplex(DType T) {
  return T == DType::ComplexFloat || T == DType::ComplexDouble;
}

/// c10::promoteTypes.
static DType promote(DType A, DType B) {
  if (A == B)
    return A;
  if (A == DType::Unknown || B == DType::Unknown)
    return DType::Unknown;
  if (isComplex(A) || isComplex(B)) {
    bool Wide = A == DType::ComplexDouble || B == DType::ComplexDouble ||
                A == DType::Float64 || B == DType::Float64;
    return Wide ? DType::ComplexDouble : DType::ComplexFloat;
  }
  if (isFloating(A) && isFloating(B)) {
    if (itemSize(A) == itemSize(B)) // float16 and bfloat16
      return DType::Float32;
    return itemSize(A) > itemSize(B) ? A : B;
  }
  if (isFloating(A) || isFloating(B))
    return isFloating(A) ? A : B;
  if (A == DType::Bool || B == DType::Bool)
    return A == DType::Bool ? B : A;
  if (itemSize(A) != itemSize(B)) {
    DType Wide = itemSize(A) > itemSize(B) ? A : B;
    return Wide;
  }
  return DType::Int16; // uint8 and int8
}

static int category(DType T) {
  if (isComplex(T))
    return 3;
  if (isFloating(T))
    return 2;
  return T == DType::Bool ? 0 : 1;
}

/// at::native::result_type: tensors with dimensions first, then 0-dimensional
/// ones, then numbers; a lower group counts only if its kind is higher.
DType resultType(llvm::ArrayRef<TensorRef> Ts) {
  std::optional<DType> Groups[3];
  for (const TensorRef &T : Ts) {
    if (!T)
      continue;
    DType Type = T->Type;
    if (T->WrappedNumber && Type == DType::Float64)
      Type = DType::Float32;
    int G = T->WrappedNumber ? 2 : T->Sizes.RankKnown && T->rank() == 0 ? 1 : 0;
    Groups[G] = Groups[G] ? promote(*Groups[G], Type) : Type;
  }
  std::optional<DType> Result;
  for (auto &G : Groups) {
    if (!G)
      continue;
    if (!Result)
      Result = G;
    else if (category(*G) > category(*Result))
      Result = *Result == DType::Bool ? *G : promote(*Result, *G);
  }
  return Result.value_or(DType::Float32);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Shape broadcast(Runtime &R, const Shape &A, const Shape &B) {
  if (!A.RankKnown)
    return A;
  if (!B.RankKnown)
    return B;
  const Shape &Long = A.Dims.size() >= B.Dims.size() ? A : B;
  const Shape &Short = A.Dims.size() >= B.Dims.size() ? B : A;
  Shape S = Long;
  size_t Offset = Long.Dims.size() - Short.Dims.size();
  for (size_t I = 0; I < Short.Dims.size(); ++I) {
    Dim &L = S.Dims[Offset + I];
    Dim X = Short.Dims[I];
    if (X == L || X.Length == 1)
      continue;
    if (L.Length == 1 || !L.known()) {
      L = X.known() ? X : L.Length == 1 ? X : L;
      continue;
    }
    if (!X.known())
      continue;
    R.fail("shapes cannot be broadcast together: " + A.str() + " and " +
           B.str());
    return S;
  }
  if (S.Why.empty())
    S.Why = Short.Why;
  return S;
}

/// The strides of \p T seen as \p S: 0 where it is repeated.
static llvm::SmallVector<int64_t, 4> broadcastStrides(const TensorImpl &T,
                                                      const Shape &S) {
  llvm::SmallVector<int64_t, 4> Out(S.Dims.size(), 0);
  llvm::SmallVector<int64_t, 4> Own = T.strides();
  size_t Offset = S.Dims.size() - T.rank();
  for (size_t I = 0; I < T.rank(); ++I)
    if (!(T.size(I).Length == 1 && S.Dims[Offset + I].Length != 1))
      Out[Offset + I] = Own[I];
  return Out;
}

/// TensorIteratorBase::reorder_dimensions: the result's dimensions are laid out
/// in the order that the operands' strides say.
static llvm::SmallVector<int64_t, 4>
resultStrides(llvm::ArrayRef<TensorRef> Operands, const Shape &S) {
  bool AllContiguous = true;
  for (const TensorRef &T : Operands)
    AllContiguous &= T->isContiguous();
  if (AllContiguous || !S.known())
    return {};
  size_t Rank = S.Dims.size();
  std::vector<llvm::SmallVector<int64_t, 4>> Strides;
  for (const TensorRef &T : Operands)
    Strides.push_back(broadcastStrides(*T, S));
  auto ShouldSwap = [&](unsigned A, unsigned B) {
    for (auto &Of : Strides) {
      if (Of[A] == 0 || Of[B] == 0)
        continue;
      if (Of[A] != Of[B])
        return Of[A] < Of[B] ? -1 : 1;
      if (S.Dims[A].Length > S.Dims[B].Length)
        return 1;
    }
    return 0;
  };
  llvm::SmallVector<unsigned, 4> Order;
  for (unsigned I = Rank; I-- > 0;)
    Order.push_back(I);
  for (unsigned I = 1; I < Rank; ++I)
    for (unsigned Moving = I, J = I; J-- > 0;) {
      int C = ShouldSwap(Order[J], Order[Moving]);
      if (C < 0)
        break;
      if (C > 0) {
        std::swap(Order[J], Order[Moving]);
        Moving = J;
      }
    }
  llvm::SmallVector<int64_t, 4> Out(Rank, 1);
  Bytes Next{1};
  for (unsigned D : Order) {
    Out[D] = Next.Count;
    Next = Next * S.Dims[D].Length;
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// New tensors like others
//===----------------------------------------------------------------------===//

TensorRef wrapped(Runtime &R, Scalar S) {
  TensorRef T = R.make(Shape(), S.type(), Device{});
  T->WrappedNumber = true;
  return T;
}

TensorRef scalarLike(Runtime &R, const TensorRef &Like) {
  return Like ? R.make(Shape(), Like->Type, Like->Dev) : nullptr;
}

TensorRef emptyContiguous(Runtime &R, const TensorRef &T) {
  return T ? R.make(T->Sizes, T->Type, T->Dev) : nullptr;
}

TensorRef emptyLike(Runtime &R, const TensorRef &T,
                    std::optional<DType> Type) {
  if (!T)
    return nullptr;
  DType D = Type.value_or(T->Type);
  if (T->Strides.empty())
    return R.make(T->Sizes, D, T->Dev);
  if (T->isDense())
    return R.make(T->Sizes, T->Strides, D, T->Dev);
  return R.make(T->Sizes, resultStrides({T}, T->Sizes), D, T->Dev);
}

//===----------------------------------------------------------------------===//
// TensorIterator
//===----------------------------------------------------------------------===//

TensorRef iterate(Runtime &R, llvm::ArrayRef<TensorRef> Operands, Iter How,
                  const TensorRef &Out, TensorRef *Owned) {
  if (R.failed())
    return nullptr;
  Shape S;
  Device D;
  for (const TensorRef &T : Operands) {
    if (!T)
      return nullptr;
    S = &T == &Operands[0] ? T->Sizes : broadcast(R, S, T->Sizes);
    if (T->onCuda())
      D = T->Dev;
  }
  if (R.failed())
    return nullptr;
  for (const TensorRef &T : Operands)
    if (T->Dev.Kind != D.Kind && !T->DeviceOfFile &&
        !(T->Sizes.RankKnown && T->rank() == 0)) {
      R.fail("expected all tensors to be on the same device, but found cuda "
             "and cpu", FailureKind::Other);
      return nullptr;
    }
  if (Out && !(Out->Sizes == S) && Out->Sizes.known() && S.known()) {
    R.fail("an in-place result of shape " + Out->Sizes.str() +
           " does not match the broadcast shape " + S.str());
    return nullptr;
  }
  DType Common = resultType(Operands);
  if (How == Iter::IntToFloat && !isFloating(Common))
    Common = R.DefaultDType;
  if (Out && How != Iter::Compare && category(Common) > category(Out->Type) &&
      Out->Type != DType::Unknown && Common != DType::Unknown) {
    R.fail("a result of type " + dtypeName(Common).str() +
           " cannot be cast to the in-place tensor's " + dtypeName(Out->Type).str(),
           FailureKind::Other);
    return nullptr;
  }
  llvm::SmallVector<TensorRef, 4> Casts;
  bool Cast = D.Kind == DeviceKind::CPU;
  if (Cast && Out && Out->Type != Common && How != Iter::Compare)
    Casts.push_back(emptyLike(R, Out, Common));
  for (const TensorRef &T : Operands)
    if (Cast && T->Type != Common && T != Out)
      Casts.push_back(emptyLike(R, T, Common));
  R.flops(S.elements());
  TensorRef Result = Out;
  if (!Result) {
    DType Type = How == Iter::Compare ? DType::Bool : Common;
    Result = R.make(S, resultStrides(Operands, S), Type, D);
  }
  if (Owned)
    *Owned = nullptr;
  while (!Casts.empty())
    Casts.pop_back();
  return Result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TensorRef maybeMultiply(Runtime &R, const TensorRef &G, Scalar S) {
  return S.Value == 1 ? G : mul(R, G, S);
}

/// handle_r_to_c: complex gradients of real operands; not needed for real ones.
TensorRef add(Runtime &R, const TensorRef &A, const TensorRef &B,
              Scalar Alpha) {
  Record Rec(R, "AddBackward0", {A, B});
  return Rec.result(iterate(R, {A, B}),
                    [Alpha](Runtime &R, Node &N, Grads &G) {
                      Grads Out(2);
                      if (N.needs(1))
                        Out[1] = maybeMultiply(R, G[0], Alpha);
                      if (N.needs(0))
                        Out[0] = G[0];
                      return Out;
                    });
}

TensorRef add(Runtime &R, const TensorRef &A, Scalar B) {
  Record Rec(R, "AddBackward1", {A});
  TensorRef W = wrapped(R, B);
  return Rec.result(iterate(R, {A, W}),
                    [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; });
}

TensorRef sub(Runtime &R, const TensorRef &A, const TensorRef &B,
              Scalar Alpha) {
  Record Rec(R, "SubBackward0", {A, B});
  return Rec.result(iterate(R, {A, B}),
                    [Alpha](Runtime &R, Node &N, Grads &G) {
                      Grads Out(2);
                      if (N.needs(1)) {
                        TensorRef Negative = neg(R, G[0]);
                        Out[1] = maybeMultiply(R, Negative, Alpha);
                      }
                      if (N.needs(0))
                        Out[0] = G[0];
                      return Out;
                    });
}

TensorRef sub(Runtime &R, const TensorRef &A, Scalar B) {
  Record Rec(R, "SubBackward1", {A});
  TensorRef W = wrapped(R, B);
  return Rec.result(iterate(R, {A, W}),
                    [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; });
}

TensorRef rsub(Runtime &R, const TensorRef &A, Scalar B) {
  Record Rec(R, "RsubBackward1", {A});
  TensorRef W = wrapped(R, B);
  return Rec.result(iterate(R, {W, A}), [](Runtime &R, Node &, Grads &G) {
    return Grads{neg(R, G[0])};
  });
}

TensorRef mul(Runtime &R, const TensorRef &A, const TensorRef &B) {
  Record Rec(R, "MulBackward0", {A, B});
  Rec.saveIf(Rec.needs(1), A).saveIf(Rec.needs(0), B);
  return Rec.result(iterate(R, {A, B}), [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(1))
      Out[1] = mul(R, G[0], N.saved(0));
    if (N.needs(0))
      Out[0] = mul(R, G[0], N.saved(1));
    return Out;
  });
}

TensorRef mul(Runtime &R, const TensorRef &A, Scalar B) {
  Record Rec(R, "MulBackward1", {A});
  TensorRef W = wrapped(R, B);
  return Rec.result(iterate(R, {A, W}), [B](Runtime &R, Node &, Grads &G) {
    return Grads{mul(R, G[0], B)};
  });
}

TensorRef div(Runtime &R, const TensorRef &A, const TensorRef &B) {
  Record Rec(R, "DivBackward0", {A, B});
  Rec.saveIf(Rec.needs(1), A).save(B);
  return Rec.result(
      iterate(R, {A, B}, Iter::IntToFloat), [](Runtime &R, Node &N, Grads &G) {
        Grads Out(2);
        if (N.needs(1)) {
          TensorRef Negative = neg(R, G[0]);
          Out[1] = mul(R, Negative,
                       div(R, div(R, N.saved(0), N.saved(1)), N.saved(1)));
        }
        if (N.needs(0))
          Out[0] = div(R, G[0], N.saved(1));
        return Out;
      });
}

TensorRef div(Runtime &R, const TensorRef &A, Scalar B) {
  Record Rec(R, "DivBackward1", {A});
  TensorRef W = wrapped(R, B);
  return Rec.result(iterate(R, {A, W}, Iter::IntToFloat),
                    [B](Runtime &R, Node &, Grads &G) {
                      return Grads{div(R, G[0], B)};
                    });
}

TensorRef compare(Runtime &R, const TensorRef &A, const TensorRef &B) {
  BelowAutograd Guard(R);
  return iterate(R, {A, B}, Iter::Compare);
}

TensorRef compare(Runtime &R, const TensorRef &A, Scalar B) {
  BelowAutograd Guard(R);
  llvm::SmallVector<TensorRef, 2> Operands = {A, wrapped(R, B)};
  return iterate(R, Operands, Iter::Compare, nullptr, &Operands[1]);
}

TensorRef elementwiseGradient(Runtime &R, const TensorRef &G,
                              const TensorRef &Saved) {
  BelowAutograd Guard(R);
  return iterate(R, {G, Saved});
}

void addInPlace(Runtime &R, const TensorRef &Self, const TensorRef &Other) {
  if (!Self || !Other)
    return;
  iterate(R, {Self, Other}, Iter::Plain, Self);
  ++Self->Store->Version;
}

void scalarInPlace(Runtime &R, const TensorRef &Self, Scalar S) {
  if (!Self)
    return;
  TensorRef W = wrapped(R, S);
  iterate(R, {Self, W}, Iter::Plain, Self);
  ++Self->Store->Version;
}

} // namespace vramlint::aten
