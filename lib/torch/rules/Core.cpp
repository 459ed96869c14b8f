//===- lib/torch/rules/Core.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Arithmetic on lengths, C++ numbers as arguments, and recording of nodes.

#include "lib/torch/Rules.h"

namespace vramlint {

Dim operator+(Dim A, Dim B) {
  return A.known() && B.known()
             ? Dim((Bytes{A.Length} + Bytes{B.Length}).Count)
             : Dim();
}
Dim operator-(Dim A, Dim B) {
  return A.known() && B.known() ? Dim(std::max<int64_t>(A.Length - B.Length, 0))
                                : Dim();
}
Dim operator*(Dim A, Dim B) {
  return A.known() && B.known() ? Dim((Bytes{A.Length} * B.Length).Count)
                                : Dim();
}
Dim operator/(Dim A, Dim B) {
  return A.known() && B.known() && B.Length > 0 ? Dim(A.Length / B.Length)
                                                : Dim();
}
Dim toDim(const Arg::Int &I) { return I && *I >= 0 ? Dim(*I) : Dim(); }

int64_t saturatingMul(std::initializer_list<int64_t> Factors) {
  Bytes N{1};
  for (int64_t F : Factors) {
    if (F < 0)
      return -1;
    N = N * F;
  }
  return N.Count;
}

std::optional<unsigned> wrapDim(Runtime &R, int64_t DimIndex, unsigned Rank) {
  int64_t N = std::max<int64_t>(Rank, 1);
  if (DimIndex >= -N && DimIndex < N)
    return unsigned(DimIndex < 0 ? DimIndex + N : DimIndex);
  R.fail("dimension out of range: expected " + std::to_string(-N) + " to " +
         std::to_string(N - 1) + ", got " + std::to_string(DimIndex));
  return std::nullopt;
}

Scalar scalarArg(const Args &A, llvm::StringRef Name, Scalar Default) {
  const Arg *X = A.find(Name);
  if (!X)
    return Default;
  if (const auto *B = std::get_if<bool>(&X->V))
    return Scalar(*B);
  if (const auto *N = std::get_if<int64_t>(&X->V))
    return Scalar(*N);
  if (const auto *F = std::get_if<double>(&X->V))
    return Scalar(*F);
  return Default;
}

Record::Record(Runtime &R, llvm::StringRef Name,
               llvm::ArrayRef<TensorRef> Inputs)
    : R(R) {
  bool Needed = false;
  if (R.recording() && !R.failed())
    for (const TensorRef &T : Inputs)
      Needed |= T && T->needsGrad();
  if (Needed) {
    N = new Node;
    N->Name = intern(Name);
    N->Sequence = R.NextSequence++;
    N->Stack = R.CurrentStack;
    if (!R.Modules.empty()) {
      N->Module = R.Modules.back().Id;
      N->ModulePath = R.Modules.back().Path;
      N->ModuleClass = R.Modules.back().Class;
      N->BuiltinModule = R.Modules.back().Builtin;
    }
    for (const TensorRef &T : Inputs)
      N->Next.push_back(gradientEdge(T));
  }
  ++R.Below;
}

Record::~Record() { --R.Below; }

Record &Record::save(const TensorRef &T) {
  if (N)
    N->Saved.emplace_back(R, T);
  return *this;
}

Record &Record::saveResult(const TensorRef &T) {
  if (N)
    N->Saved.emplace_back(R, T ? R.alias(T) : T);
  return *this;
}

TensorRef Record::output(const TensorRef &T) {
  if (!N || !T)
    return T;
  T->GradFn = N;
  T->OutputNr = N->Outputs.size();
  for (SavedTensor &S : N->Saved) // A result among what was saved.
    if (S.get() && S.get() != T && S.get()->Store == T->Store &&
        !S.get()->GradFn && !S.get()->RequiresGrad)
      S.setResultNr(int(T->OutputNr));
  N->Outputs.push_back({T->Sizes, T->Type, T->Dev});
  return T;
}

void Record::backward(Node::BackwardFn Fn) {
  if (N)
    N->Backward = std::move(Fn);
}

TensorRef Record::result(const TensorRef &T, Node::BackwardFn Fn) {
  backward(std::move(Fn));
  return output(T);
}

bool Record::inPlace(const TensorRef &Self) {
  if (Self->Store)
    ++Self->Store->Version;
  if (!N)
    return true;
  if (Self->RequiresGrad && !Self->GradFn) {
    R.fail("a leaf Variable that requires grad is being used in an in-place "
           "operation", FailureKind::Other);
    return false;
  }
  if (!Self->Base) {
    output(Self);
    return true;
  }
  // CopySlices: the base gets a node that cuts this view's part out of the
  // gradient, runs the recorded node on it and puts the result back.
  TensorRef Base = Self->Base;
  NodeRef Inner = N;
  NodeRef Outer(new Node);
  Outer->Name = "CopySlices";
  Outer->Sequence = R.NextSequence++;
  Outer->Stack = R.CurrentStack;
  Outer->ModulePath = N->ModulePath;
  Outer->ModuleClass = N->ModuleClass;
  Outer->Module = N->Module;
  Outer->BuiltinModule = N->BuiltinModule;
  Outer->Next.push_back(gradientEdge(Base));
  for (size_t I = 1; I < N->Next.size(); ++I)
    Outer->Next.push_back(N->Next[I]);
  Shape ViewShape = Self->Sizes;
  llvm::SmallVector<int64_t, 4> ViewStrides = Self->Strides;
  bool Wanted = Inner->needs(0); // Else the view had no history.
  Inner->Outputs.push_back({Self->Sizes, Self->Type, Self->Dev});
  Outer->Outputs.push_back({Base->Sizes, Base->Type, Base->Dev});
  Outer->Backward = [=](Runtime &R, Node &N, Grads &G) {
    TensorRef Result = R.make(N.Outputs[0].Sizes, G[0]->Type, G[0]->Dev);
    TensorRef Part = aten::rawView(R, Result, ViewShape, ViewStrides);
    Grads InnerIn;
    InnerIn.push_back(aten::clone(R, Part));
    if (Wanted)
      Inner->Next[0].Fn = &N; // Any node will do.
    Grads Out = Inner->Backward ? Inner->Backward(R, *Inner, InnerIn) : Grads();
    Inner->Next[0].Fn = nullptr;
    Out.resize(N.Next.size());
    Out[0] = Result;
    for (SavedTensor &S : Inner->Saved)
      S.reset();
    return Out;
  };
  Base->GradFn = Outer;
  Base->OutputNr = 0;
  if (!Self->FollowsBase) {
    Self->GradFn = Outer;
    Self->OutputNr = 0;
  }
  Self->renewHistory();
  return true;
}

OpResult one(const TensorRef &T) { return OpResult::one(T); }

OpResult tuple(std::initializer_list<TensorRef> Ts) {
  OpResult R;
  R.IsTuple = true;
  for (const TensorRef &T : Ts)
    R.Values.push_back(T);
  return R;
}

OpResult list(std::vector<TensorRef> Ts) {
  OpResult R = OpResult::one(std::move(Ts));
  R.IsList = true;
  return R;
}

} // namespace vramlint
