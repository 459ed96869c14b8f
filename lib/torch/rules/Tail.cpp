//===- lib/torch/rules/Tail.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How the long tail of ops is recorded.

#include "lib/torch/Tail.h"

namespace vramlint {

using T = TensorRef;

/// What the gradient of an input looks like.
namespace {
struct InputForm {
  Shape Sizes;
  DType Type = DType::Float32;
  Device Dev;
  char How = 'n';
};
} // namespace

static std::vector<InputForm> formsOf(const TailRule &How,
                                      llvm::ArrayRef<T> Inputs) {
  std::vector<InputForm> Forms;
  for (size_t I = 0; I < Inputs.size(); ++I) {
    InputForm F;
    if (Inputs[I])
      F = {Inputs[I]->Sizes, Inputs[I]->Type, Inputs[I]->Dev, 'n'};
    if (!How.Grads.empty())
      F.How = How.Grads[std::min(I, How.Grads.size() - 1)];
    Forms.push_back(std::move(F));
  }
  return Forms;
}

static Node::BackwardFn gradientsOf(Runtime &R, const TailRule &How,
                                    llvm::ArrayRef<T> Inputs) {
  if (How.Node.starts_with("!"))
    return [](Runtime &R, Node &N, Grads &) {
      R.fail("the derivative of " + N.Name.str() + " is not implemented");
      return Grads(N.Next.size());
    };
  bool Counted = isCounted(R.CurrentOp);
  return [Forms = formsOf(How, Inputs), Counted](Runtime &R, Node &N,
                                                 Grads &G) {
    Grads Out(Forms.size());
    T From;
    for (const T &X : G)
      From = From ? From : X;
    bool Temporaries = false;
    for (unsigned I = 0; I < Forms.size(); ++I) {
      const InputForm &F = Forms[I];
      if (!N.needs(I) || !From || F.How == 'u')
        continue;
      if (F.How == 'g')
        Out[I] = From;
      else if (F.How == 'v' || F.How == 's' || F.How == 'c') {
        T Whole = F.How == 'v'   ? From
                  : F.How == 's' ? R.make(From->Sizes, F.Type, F.Dev)
                                 : R.make(F.Sizes, complexType(F.Type), F.Dev);
        Out[I] = aten::rawView(R, Whole, F.Sizes, {});
        Out[I]->Type = F.Type;
        if (F.How == 'c' && Out[I]->Sizes.known()) { // Every second number.
          auto Strides = Out[I]->strides();
          for (int64_t &S : Strides)
            S = saturatingMul({S, 2});
          Out[I]->Strides = Strides;
        }
      } else
        Out[I] = R.make(F.Sizes, F.Type, F.Dev);
      Temporaries |= F.How == 'n' || F.How == 'c';
    }
    if (Temporaries && !Counted) {
      std::vector<T> All(G.begin(), G.end());
      for (const SavedTensor &S : N.Saved)
        All.push_back(S.get());
      All.insert(All.end(), Out.begin(), Out.end());
      R.scratch(All);
    }
    return Out;
  };
}

static bool anyMissing(Runtime &R, llvm::ArrayRef<T> Inputs) {
  return R.failed() || Inputs.empty() || !Inputs[0];
}

static llvm::StringRef nodeName(const TailRule &How) {
  return How.Node.ltrim('!');
}

std::vector<T> tail(Runtime &R, const TailRule &How, llvm::ArrayRef<T> Inputs,
                    TailKernel Kernel) {
  if (anyMissing(R, Inputs))
    return {};
  if (How.Node.empty()) {
    BelowAutograd Guard(R);
    return Kernel();
  }
  Record Rec(R, nodeName(How), Inputs);
  for (char C : How.Saves)
    if (C >= '0' && C <= '9' && size_t(C - '0') < Inputs.size())
      Rec.save(Inputs[C - '0']);
  std::vector<T> Results = Kernel();
  for (char C : How.Saves)
    if (C >= 'a' && C <= 'j' && size_t(C - 'a') < Results.size())
      Rec.saveResult(Results[C - 'a']);
  Rec.backward(gradientsOf(R, How, Inputs));
  for (const T &X : Results)
    if (X && isFloating(X->Type))
      Rec.output(X);
  return Results;
}

T tailOne(Runtime &R, const TailRule &How, llvm::ArrayRef<T> Inputs,
          llvm::function_ref<T()> Kernel) {
  std::vector<T> Out =
      tail(R, How, Inputs, [&] { return std::vector<T>{Kernel()}; });
  return Out.empty() ? nullptr : Out[0];
}

T tailInPlace(Runtime &R, const TailRule &How, llvm::ArrayRef<T> Inputs,
              llvm::function_ref<void()> Kernel) {
  if (anyMissing(R, Inputs))
    return nullptr;
  T Self = Inputs[0];
  Record Rec(R, nodeName(How), Inputs);
  Node::BackwardFn Back =
      gradientsOf(R, How, Inputs); // Before the form changes.
  for (char C : How.Saves)
    if (C == '0')
      Rec.saveIf(bool(Rec), Rec ? aten::clone(R, Self) : T());
    else if (C > '0' && C <= '9' && size_t(C - '0') < Inputs.size())
      Rec.save(Inputs[C - '0']);
  Kernel();
  if (How.Saves.contains('a'))
    Rec.saveResult(Self);
  Rec.backward(std::move(Back));
  return Rec.inPlace(Self) ? Self : nullptr;
}

T tailView(Runtime &R, const TailRule &How, const T &Input,
           llvm::function_ref<T()> Kernel) {
  if (!Input || R.failed())
    return nullptr;
  Record Rec(R, nodeName(How), {Input});
  return Rec.result(Kernel(), gradientsOf(R, How, {Input}));
}

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

Shape batched(const T &X, std::initializer_list<Dim> Last) {
  Shape S = X->Sizes;
  S.Dims.resize(S.Dims.size() - std::min<size_t>(2, S.Dims.size()));
  S.Dims.append(Last.begin(), Last.end());
  return S;
}

Shape shapeOf(std::initializer_list<Dim> Dims) {
  Shape S;
  S.Dims.assign(Dims.begin(), Dims.end());
  return S;
}

T makeLike(Runtime &R, const T &X, Shape S) {
  return R.make(std::move(S), X->Type, X->Dev);
}

T makeLike(Runtime &R, const T &X, Shape S, DType Type) {
  return R.make(std::move(S), Type, X->Dev);
}

T makeColumns(Runtime &R, const T &X, Shape S, DType Type) {
  T Out = R.make(S, Type, X->Dev);
  unsigned N = Out->rank();
  if (N < 2 || !S.known())
    return Out;
  llvm::SmallVector<int64_t, 4> Strides = Out->strides();
  Strides[N - 2] = 1;
  Strides[N - 1] = std::max<int64_t>(S.Dims[N - 2].Length, 1);
  Out->Strides = Strides;
  return Out;
}

Dim smaller(Dim A, Dim B) {
  return A.known() && B.known() ? Dim(std::min(A.Length, B.Length)) : Dim();
}

DType realType(DType Type) {
  return Type == DType::ComplexFloat    ? DType::Float32
         : Type == DType::ComplexDouble ? DType::Float64
                                        : Type;
}

DType complexType(DType Type) {
  return Type == DType::Float64 || Type == DType::ComplexDouble
             ? DType::ComplexDouble
             : DType::ComplexFloat;
}

llvm::SmallVector<int64_t, 4> orZero(const Arg::Ints &L) {
  llvm::SmallVector<int64_t, 4> Out;
  for (const Arg::Int &I : L)
    Out.push_back(I.value_or(0));
  return Out;
}

llvm::SmallVector<int64_t, 4> dimsOf(const Args &A) {
  return orZero(A.ints("dim"));
}

T callOne(Runtime &R, llvm::StringRef Name,
          std::initializer_list<std::pair<const char *, Arg>> Given) {
  Args A;
  for (const auto &[Key, Value] : Given)
    A.add(Key, Value);
  OpResult Res = R.call(Name, A);
  if (Res.Kind == OpResult::Ok && !Res.Values.empty())
    if (auto *X = std::get_if<T>(&Res.Values[0].V))
      return *X;
  if (Res.Kind == OpResult::Failed)
    R.fail(Res.Message);
  else if (Res.Kind == OpResult::NotModelled)
    R.failNotModelled(Res.Message);
  return nullptr;
}

} // namespace vramlint
