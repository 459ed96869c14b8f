//===- lib/torch/ops/Pointwise.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of elementwise ops. Those of one tensor are one line each: what they save
// and the formula of their gradient, as in LibTorch's derivatives.yaml.

#include "lib/torch/Tail.h"

namespace vramlint {

using aten::iterate;
using aten::Iter;

namespace {

using T = TensorRef;

enum class Keep : uint8_t { Nothing, Self, Result };

/// An elementwise op of one tensor.
struct UnaryRule {
  llvm::StringRef Name, Node;
  Keep Saves;
  Iter How;
  /// The gradient, from that of the result and the tensor saved.
  T (*Formula)(Runtime &R, const T &G, const T &Saved);
  /// The in-place form saves its result instead of a copy of what it overwrites.
  bool InPlaceSavesResult = false;
};

T plain(Runtime &R, const T &X) { return iterate(R, {X}, Iter::IntToFloat); }
T mulNumber(Runtime &R, const T &X) { return aten::mul(R, X, Scalar(2.0)); }
T addNumber(Runtime &R, const T &X) { return aten::add(R, X, Scalar(1)); }

/// The usual backward kernel: one new tensor from gradient and saved tensor.
T kernel(Runtime &R, const T &G, const T &Saved) {
  return iterate(R, {G, Saved});
}
/// Kernels whose derivative is the kernel again and, for the tensor saved, zeros:
/// piecewise linear ones.
T linearKernel(Runtime &R, const T &G, const T &Saved) {
  Record Rec(R, "ThresholdBackwardBackward0", {G, Saved});
  Rec.saveIf(Rec.needs(0), Saved);
  return Rec.result(kernel(R, G, Saved), [](Runtime &R, Node &N, Grads &GG) {
    T First = N.needs(0) ? linearKernel(R, GG[0], N.saved(0)) : T();
    return Grads{First, N.needs(1) ? aten::zerosLike(R, GG[0]) : T()};
  });
}
/// grad * (1 - result * result), in one kernel.
T tanhKernel(Runtime &R, const T &G, const T &Result) {
  Record Rec(R, "TanhBackwardBackward0", {G, Result});
  Rec.saveIf(Rec.needs(1), G).save(Result);
  return Rec.result(kernel(R, G, Result), [](Runtime &R, Node &N, Grads &GG) {
    T First = N.needs(0) ? tanhKernel(R, GG[0], N.saved(1)) : T(), Second;
    if (N.needs(1)) {
      T Twice = mulNumber(R, N.saved(1));
      Second = aten::mul(R, aten::mul(R, GG[0], Twice), N.saved(0));
    }
    return Grads{First, Second};
  });
}
/// grad * (1 - result) * result, in one kernel.
T sigmoidKernel(Runtime &R, const T &G, const T &Result) {
  Record Rec(R, "SigmoidBackwardBackward0", {G, Result});
  Rec.saveIf(Rec.needs(1), G).save(Result);
  return Rec.result(kernel(R, G, Result), [](Runtime &R, Node &N, Grads &GG) {
    T First = N.needs(0) ? sigmoidKernel(R, GG[0], N.saved(1)) : T(), Second;
    if (N.needs(1)) {
      T Twice = mulNumber(R, N.saved(1)), Sum = addNumber(R, Twice);
      Second = aten::mul(R, aten::mul(R, GG[0], N.saved(0)), Sum);
    }
    return Grads{First, Second};
  });
}
T zeroGradient(Runtime &R, const T &G, const T &) { return aten::emptyLike(R, G); }
T negGradient(Runtime &R, const T &G, const T &) { return aten::neg(R, G); }

const UnaryRule UnaryRules[] = {
    {"abs", "AbsBackward0", Keep::Self, Iter::Plain,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, iterate(R, {S})); // grad * self.sgn()
     }},
    {"acos", "AcosBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Negative = aten::neg(R, S), Product = aten::mul(R, Negative, S);
       T Sum = addNumber(R, Product), Root = plain(R, Sum);
       return aten::mul(R, G, aten::neg(R, Root));
     }},
    {"asin", "AsinBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Negative = aten::neg(R, S), Product = aten::mul(R, Negative, S);
       T Sum = addNumber(R, Product);
       return aten::mul(R, G, plain(R, Sum));
     }},
    {"atan", "AtanBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::div(R, G, addNumber(R, aten::mul(R, S, S)));
     }},
    {"ceil", "CeilBackward0", Keep::Nothing, Iter::Plain, zeroGradient},
    {"cos", "CosBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, aten::neg(R, plain(R, S)));
     }},
    {"cosh", "CoshBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, plain(R, S));
     }},
    {"elu", "EluBackward0", Keep::Self, Iter::Plain, kernel, true},
    {"erf", "ErfBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Power = aten::pow(R, S, Scalar(2));
       T Negative = aten::neg(R, Power);
       T Exp = plain(R, Negative);
       return aten::mul(R, mulNumber(R, Exp), G);
     }},
    {"exp", "ExpBackward0", Keep::Result, Iter::IntToFloat, kernel},
    {"expm1", "Expm1Backward0", Keep::Result, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, addNumber(R, S));
     }},
    {"floor", "FloorBackward0", Keep::Nothing, Iter::Plain, zeroGradient},
    {"frac", "FracBackward0", Keep::Nothing, Iter::Plain,
     [](Runtime &, const T &G, const T &) { return G; }},
    {"gelu", "GeluBackward0", Keep::Self, Iter::Plain, kernel},
    {"hardshrink", "HardshrinkBackward0", Keep::Self, Iter::Plain, kernel},
    {"hardsigmoid", "HardsigmoidBackward0", Keep::Self, Iter::Plain, kernel},
    {"hardswish", "HardswishBackward0", Keep::Self, Iter::Plain, kernel},
    {"hardtanh", "HardtanhBackward0", Keep::Self, Iter::Plain, linearKernel},
    {"leaky_relu", "LeakyReluBackward0", Keep::Self, Iter::Plain, linearKernel, true},
    {"log", "LogBackward0", Keep::Self, Iter::IntToFloat, kernel},
    {"log10", "Log10Backward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::div(R, G, mulNumber(R, S));
     }},
    {"log1p", "Log1PBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::div(R, G, addNumber(R, S));
     }},
    {"log2", "Log2Backward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::div(R, G, mulNumber(R, S));
     }},
    {"mish", "MishBackward0", Keep::Self, Iter::Plain, kernel},
    {"neg", "NegBackward0", Keep::Nothing, Iter::Plain, negGradient},
    {"reciprocal", "ReciprocalBackward0", Keep::Result, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Negative = aten::neg(R, G);
       return aten::mul(R, Negative, aten::mul(R, S, S));
     }},
    {"relu", "ReluBackward0", Keep::Result, Iter::Plain, linearKernel},
    {"relu6", "HardtanhBackward0", Keep::Self, Iter::Plain, linearKernel},
    {"round", "RoundBackward0", Keep::Nothing, Iter::Plain, zeroGradient},
    {"rsqrt", "RsqrtBackward0", Keep::Result, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Power = aten::pow(R, S, Scalar(3));
       return aten::mul(R, mulNumber(R, G), Power);
     }},
    {"selu", "EluBackward0", Keep::Self, Iter::Plain, kernel, true},
    {"celu", "EluBackward0", Keep::Self, Iter::Plain, kernel, true},
    {"sigmoid", "SigmoidBackward0", Keep::Result, Iter::IntToFloat, sigmoidKernel},
    {"sign", "SignBackward0", Keep::Nothing, Iter::Plain, zeroGradient},
    {"silu", "SiluBackward0", Keep::Self, Iter::Plain, kernel},
    {"sin", "SinBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, plain(R, S));
     }},
    {"sinh", "SinhBackward0", Keep::Self, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::mul(R, G, plain(R, S));
     }},
    {"softplus", "SoftplusBackward0", Keep::Self, Iter::Plain, kernel},
    {"softshrink", "SoftshrinkBackward0", Keep::Self, Iter::Plain, kernel},
    {"sqrt", "SqrtBackward0", Keep::Result, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       return aten::div(R, G, mulNumber(R, S));
     }},
    {"tan", "TanBackward0", Keep::Result, Iter::IntToFloat,
     [](Runtime &R, const T &G, const T &S) {
       T Power = aten::pow(R, S, Scalar(2));
       return aten::mul(R, G, addNumber(R, Power));
     }},
    {"tanh", "TanhBackward0", Keep::Result, Iter::IntToFloat, tanhKernel},
    {"threshold", "ThresholdBackward0", Keep::Self, Iter::Plain, linearKernel},
    {"trunc", "TruncBackward0", Keep::Nothing, Iter::Plain, zeroGradient},
};

Node::BackwardFn unaryBackward(const UnaryRule &Rule) {
  auto Formula = Rule.Formula;
  return [Formula](Runtime &R, Node &N, Grads &G) {
    return Grads{Formula(R, G[0], N.Saved.empty() ? T() : N.saved(0))};
  };
}

/// What LibTorch refuses, and abs of complex numbers, which is real; null: neither.
std::optional<T> unusual(Runtime &R, const UnaryRule &Rule, const T &Self) {
  if (!Self)
    return std::nullopt;
  if (Rule.Name == "neg" && Self->Type == DType::Bool) {
    R.fail("neg: a bool tensor has no negative; use logical_not", FailureKind::Other);
    return T();
  }
  if (Rule.Name != "abs" || realType(Self->Type) == Self->Type)
    return std::nullopt;
  Record Rec(R, Rule.Node, {Self});
  Rec.save(Self);
  T Out = aten::emptyLike(R, Self, realType(Self->Type));
  aten::emptyLike(R, Self); // The kernel's complex result.
  return Rec.result(Out, unaryBackward(Rule));
}

T unary(Runtime &R, const UnaryRule &Rule, const T &Self) {
  if (std::optional<T> Done = unusual(R, Rule, Self))
    return *Done;
  Record Rec(R, Rule.Node, {Self});
  if (Rule.Saves == Keep::Self)
    Rec.save(Self);
  T Out = iterate(R, {Self}, Rule.How);
  if (Rule.Saves == Keep::Result)
    Rec.saveResult(Out);
  return Rec.result(Out, unaryBackward(Rule));
}

T unaryInPlace(Runtime &R, const UnaryRule &Rule, const T &Self) {
  if (!Self)
    return nullptr;
  Record Rec(R, Rule.Node, {Self});
  bool SavesResult = Rule.Saves == Keep::Result || Rule.InPlaceSavesResult;
  if (Rec && Rule.Saves == Keep::Self && !SavesResult)
    Rec.save(aten::clone(R, Self)); // It is about to be overwritten.
  iterate(R, {Self}, Rule.How, Self);
  if (SavesResult)
    Rec.saveResult(Self);
  Rec.backward(unaryBackward(Rule));
  return Rec.inPlace(Self) ? Self : nullptr;
}

const UnaryRule &unaryRule(llvm::StringRef Name) {
  for (const UnaryRule &Rule : UnaryRules)
    if (Rule.Name == Name)
      return Rule;
  llvm_unreachable("no such unary op");
}

} // namespace

namespace aten {

T neg(Runtime &R, const T &A) { return unary(R, unaryRule("neg"), A); }
T relu(Runtime &R, const T &A) { return unary(R, unaryRule("relu"), A); }
T tanh(Runtime &R, const T &A) { return unary(R, unaryRule("tanh"), A); }
T sigmoid(Runtime &R, const T &A) { return unary(R, unaryRule("sigmoid"), A); }
T sqrt(Runtime &R, const T &A) { return unary(R, unaryRule("sqrt"), A); }
T exp(Runtime &R, const T &A) { return unary(R, unaryRule("exp"), A); }
T log(Runtime &R, const T &A) { return unary(R, unaryRule("log"), A); }
T absInPlace(Runtime &R, const T &A) {
  return unaryInPlace(R, unaryRule("abs"), A);
}

static T powBackward(Runtime &R, const T &G, const T &Self, Scalar Exponent) {
  if (Exponent.Value == 0)
    return emptyLike(R, G);
  T Power = pow(R, Self, Scalar(Exponent.Value - 1));
  return mul(R, G, mul(R, Power, Exponent));
}

/// The type that \p A and a number give together.
static DType typeWith(const T &A, Scalar Number) {
  T N(new TensorImpl);
  N->Type = Number.type();
  N->WrappedNumber = true;
  return resultType({A, N});
}

/// A kernel of one tensor and a number, which may make floats of integers.
static T withNumber(Runtime &R, const T &A, Scalar Number) {
  if (!A || R.failed())
    return nullptr;
  DType Type = typeWith(A, Number);
  if (Type == A->Type)
    return iterate(R, {A});
  T Out = emptyLike(R, A, Type);
  emptyLike(R, A, Type); // The cast, while it runs.
  return Out;
}

T pow(Runtime &R, const T &A, Scalar Exponent) {
  Record Rec(R, "PowBackward0", {A});
  Rec.save(A);
  return Rec.result(withNumber(R, A, Exponent), [Exponent](Runtime &R, Node &N, Grads &G) {
    return Grads{powBackward(R, G[0], N.saved(0), Exponent)};
  });
}

T where(Runtime &R, const T &Condition, const T &A, const T &B) {
  if (!Condition || !A || !B || R.failed())
    return nullptr;
  Record Rec(R, "WhereBackward0", {Condition, A, B});
  Rec.save(Condition);
  Shape S = broadcast(R, broadcast(R, Condition->Sizes, A->Sizes), B->Sizes);
  if (R.failed())
    return nullptr;
  DType Type = resultType({A, B});
  T CastA = A->Type == Type ? A : emptyLike(R, A, Type);
  T CastB = B->Type == Type ? B : emptyLike(R, B, Type);
  Device D = Condition->onCuda() ? Condition->Dev : A->onCuda() ? A->Dev : B->Dev;
  T Out = R.make(S, Type, D);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(3);
    for (unsigned I : {2u, 1u})
      if (N.needs(I)) {
        T Zero = scalarLike(R, G[0]);
        Out[I] = where(R, N.saved(0), G[0], Zero);
      }
    return Out;
  });
}

T maskedFill(Runtime &R, const T &Self, const T &Mask) {
  if (!Self || !Mask || R.failed())
    return nullptr;
  Record Rec(R, "MaskedFillBackward0", {Self});
  Rec.save(Mask);
  broadcast(R, Self->Sizes, Mask->Sizes);
  return Rec.result(emptyLike(R, Self), [](Runtime &R, Node &N, Grads &G) {
    return Grads{maskedFill(R, G[0], N.saved(0))};
  });
}

/// clamp(self, min, max) with numbers; the gradient passes where neither bit.
static Node::BackwardFn clampBackward(bool Min, bool Max) {
  return [Min, Max](Runtime &R, Node &N, Grads &G) {
    T Zero = scalarLike(R, G[0]);
    T Upper = Max ? compare(R, N.saved(0), Scalar(1)) : nullptr;
    T Lower = Min ? compare(R, N.saved(0), Scalar(1)) : nullptr;
    return Grads{where(R, Lower ? Lower : Upper, G[0], Zero)};
  };
}

T clamp(Runtime &R, const T &Self, bool Min, bool Max) {
  return clampTo(R, Self, Min, Max, Scalar(1));
}

T clampTo(Runtime &R, const T &Self, bool Min, bool Max, Scalar Limit) {
  Record Rec(R, "ClampBackward1", {Self});
  Rec.save(Self);
  return Rec.result(withNumber(R, Self, Limit), clampBackward(Min, Max));
}

/// clamp's gradients where self lies between two limits, and of these.
static Grads clampBackwardBoth(Runtime &R, Node &N, Grads &G) {
  Grads Out(3);
  const T &Self = N.saved(0), &Min = N.saved(1), &Max = N.saved(2);
  auto Where = [&](const T &A, const T &B, const T &C, const T &D, const T &Zero) {
    T First = compare(R, A, B), Second = compare(R, C, D);
    iterate(R, {First, Second}, Iter::Plain, First); // logical_and_
    return where(R, First, G[0], Zero);
  };
  if (N.needs(1) || N.needs(2)) {
    T Zero = scalarLike(R, G[0]);
    if (N.needs(1))
      Out[1] = Where(Self, Min, Min, Max, Zero);
    if (N.needs(2))
      Out[2] = Where(Self, Max, Max, Min, Zero);
  }
  if (N.needs(0)) {
    T Zero = scalarLike(R, G[0]);
    Out[0] = Where(Self, Min, Self, Max, Zero);
  }
  return Out;
}

/// clamp with tensors as limits: one of them may be missing.
static T clampTensors(Runtime &R, const T &Self, const T &Min, const T &Max) {
  llvm::SmallVector<T, 3> In = {Self};
  for (const T &L : {Min, Max})
    if (L)
      In.push_back(L);
  Record Rec(R, "ClampBackward0", In);
  for (const T &X : In)
    Rec.save(X);
  T Out = iterate(R, In);
  if (In.size() == 3)
    return Rec.result(Out, clampBackwardBoth);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    for (unsigned I : {1u, 0u})
      if (N.needs(I)) {
        T Zero = scalarLike(R, G[0]);
        T Passes = compare(R, N.saved(0), N.saved(1));
        Out[I] = where(R, Passes, G[0], Zero);
      }
    return Out;
  });
}

static T clampInPlace(Runtime &R, const T &Self, bool Min, bool Max) {
  if (!Self)
    return nullptr;
  Record Rec(R, "ClampBackward1", {Self});
  if (Rec)
    Rec.save(clone(R, Self));
  iterate(R, {Self}, Iter::Plain, Self);
  Rec.backward(clampBackward(Min, Max));
  return Rec.inPlace(Self) ? Self : nullptr;
}

/// maximum and minimum: a tie's gradient is shared.
T maximum(Runtime &R, const T &A, const T &B) {
  Record Rec(R, "MaximumBackward0", {A, B});
  Rec.save(A).save(B);
  return Rec.result(iterate(R, {A, B}), [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    for (unsigned I : {1u, 0u})
      if (N.needs(I)) {
        T Half = div(R, G[0], Scalar(2));
        T Tie = compare(R, N.saved(0), N.saved(1));
        Out[I] = where(R, Tie, Half, G[0]);
        compare(R, N.saved(0), N.saved(1)); // masked_fill_(self < other, 0)
      }
    return Out;
  });
}

/// The end of an op that may work in place.
static T finish(Record &Rec, const T &Self, const T &Out, bool InPlace, Node::BackwardFn Back) {
  if (!InPlace)
    return Rec.result(Out, std::move(Back));
  Rec.backward(std::move(Back));
  return Rec.inPlace(Self) ? Self : nullptr;
}

static T addc(Runtime &R, const T &Self, const T &A, const T &B, Scalar Value,
              bool Divide, bool InPlace) {
  Record Rec(R, Divide ? "AddcdivBackward0" : "AddcmulBackward0", {Self, A, B});
  if (Divide)
    Rec.saveIf(Rec.needs(2), A).save(B);
  else
    Rec.saveIf(Rec.needs(2), A).saveIf(Rec.needs(1), B);
  T Out = iterate(R, {Self, A, B}, Iter::Plain, InPlace ? Self : T());
  if (Divide)
    return finish(Rec, Self, Out, InPlace, [Value](Runtime &R, Node &N, Grads &G) {
      Grads Out(3);
      if (N.needs(0))
        Out[0] = G[0];
      if (N.needs(1)) { // grad * (value / tensor2)
        T Ratio = emptyLike(R, N.saved(1));
        Out[1] = mul(R, G[0], Ratio);
      }
      if (N.needs(2)) { // -grad * (value * tensor1 / (tensor2 * tensor2))
        T Square = mul(R, N.saved(1), N.saved(1));
        T Scaled = mul(R, N.saved(0), Value);
        T Ratio = div(R, Scaled, Square);
        T Negative = neg(R, G[0]);
        Out[2] = mul(R, Negative, Ratio);
      }
      return Out;
    });
  return finish(Rec, Self, Out, InPlace, [Value](Runtime &R, Node &N, Grads &G) {
    Grads Out(3);
    if (N.needs(0))
      Out[0] = G[0];
    if (N.needs(1))
      Out[1] = mul(R, G[0], mul(R, N.saved(1), Value));
    if (N.needs(2))
      Out[2] = mul(R, G[0], mul(R, N.saved(0), Value));
    return Out;
  });
}

/// div with a rounding mode: integers stay integers, gradients are zero.
static T divRounded(Runtime &R, const T &A, const T &B) {
  Record Rec(R, "DivBackward2", {A, B});
  Rec.save(A).saveIf(!B->WrappedNumber, B);
  Shape ShapeB = B->Sizes;
  return Rec.result(iterate(R, {A, B}), [ShapeB](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(0))
      Out[0] = emptyLike(R, G[0]);
    if (N.needs(1))
      Out[1] = sumTo(R, emptyLike(R, G[0]), ShapeB);
    return Out;
  });
}

static T lerp(Runtime &R, const T &Self, const T &End, bool InPlace) {
  Record Rec(R, "LerpBackward0", {Self, End});
  T Out = iterate(R, {Self, End}, Iter::Plain, InPlace ? Self : T());
  return finish(Rec, Self, Out, InPlace, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(1))
      Out[1] = mul(R, G[0], Scalar(0.5));
    if (N.needs(0))
      Out[0] = mul(R, G[0], Scalar(0.5));
    return Out;
  });
}

static T lerpTensor(Runtime &R, const T &Self, const T &End, const T &Weight, bool InPlace) {
  Record Rec(R, "LerpBackward1", {Self, End, Weight});
  T Before = InPlace && Rec.needs(2) ? clone(R, Self) : Self;
  Rec.save(Weight).saveIf(Rec.needs(2), Before).saveIf(Rec.needs(2), End);
  T Out = iterate(R, {Self, End, Weight}, Iter::Plain, InPlace ? Self : T());
  return finish(Rec, Self, Out, InPlace, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(3);
    if (N.needs(1))
      Out[1] = mul(R, G[0], N.saved(0));
    if (N.needs(0)) // grad * (1 - weight)
      Out[0] = mul(R, G[0], emptyLike(R, N.saved(0)));
    if (N.needs(2))
      Out[2] = mul(R, G[0], sub(R, N.saved(2), N.saved(1)));
    return Out;
  });
}

} // namespace aten

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

/// A number that C++ code wrote first: "1 - x", "2 / x". ATen makes a tensor of
/// it, then works in place.
OpResult numberFirst(Runtime &R, const Args &A, llvm::StringRef Op) {
  T Other = A.tensor("other");
  if (!Other)
    return OpResult::notModelled((Op + " of two numbers").str());
  if (Op == "add" || Op == "mul")
    return one(Op == "add" ? aten::add(R, Other, scalarArg(A, "self", 1))
                           : aten::mul(R, Other, scalarArg(A, "self", 1)));
  T Filled = aten::emptyLike(R, Other);
  bool Sub = Op == "sub";
  Record Rec(R, Sub ? "SubBackward0" : "DivBackward0", {Filled, Other});
  if (!Sub)
    Rec.saveIf(Rec.needs(1), Rec.needs(1) ? aten::clone(R, Filled) : T()).save(Other);
  iterate(R, {Filled, Other}, Sub ? Iter::Plain : Iter::IntToFloat, Filled);
  return one(Rec.result(Filled, [Sub](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (Sub)
      Out[1] = aten::neg(R, G[0]);
    else
      Out[1] = aten::mul(R, aten::neg(R, G[0]),
                         aten::div(R, aten::div(R, N.saved(0), N.saved(1)),
                                   N.saved(1)));
    return Out;
  }));
}

OpResult binary(Runtime &R, const Args &A, llvm::StringRef Op) {
  T Self = A.tensor("self"), Other = A.tensor("other");
  if (!Self)
    return numberFirst(R, A, Op);
  if (Op == "sub" && Other && Self->Type == DType::Bool && Other->Type == DType::Bool)
    return OpResult::failed("sub: two bool tensors cannot be subtracted; use ^ or logical_xor", FailureKind::Other);
  Scalar Number = scalarArg(A, "other", 1.0), Alpha = scalarArg(A, "alpha", 1);
  if (Op == "add")
    return one(Other ? aten::add(R, Self, Other, Alpha)
                     : aten::add(R, Self, Number));
  if (Op == "sub")
    return one(Other ? aten::sub(R, Self, Other, Alpha)
                     : aten::sub(R, Self, Number));
  if (Op == "mul")
    return one(Other ? aten::mul(R, Self, Other) : aten::mul(R, Self, Number));
  if (!A.text("rounding_mode", "").empty())
    return one(aten::divRounded(R, Self, Other ? Other : aten::wrapped(R, Number)));
  return one(Other ? aten::div(R, Self, Other) : aten::div(R, Self, Number));
}

OpResult binaryInPlace(Runtime &R, const Args &A, llvm::StringRef Op) {
  T Self = A.tensor("self"), Other = A.tensor("other");
  if (!Self)
    return OpResult::notModelled("in-place op on no tensor");
  Scalar Number = scalarArg(A, "other", 1.0), Alpha = scalarArg(A, "alpha", 1);
  bool Mul = Op == "mul", Div = Op == "div", Sub = Op == "sub";
  llvm::StringRef NodeName = Mul   ? "MulBackward0"
                             : Div ? "DivBackward0"
                             : Sub ? "SubBackward0"
                                   : "AddBackward0";
  Record Rec(R, NodeName, {Self, Other});
  if (Rec && Other && (Mul || Div)) {
    bool Original = Rec.needs(1);
    Rec.saveIf(Original, Original ? aten::clone(R, Self) : T());
    Rec.saveIf(Rec.needs(0) || Div, Other);
  }
  {
    T Wrapped = Other ? Other : aten::wrapped(R, Number);
    iterate(R, {Self, Wrapped}, Div ? Iter::IntToFloat : Iter::Plain, Self);
  }
  bool Tensors = bool(Other);
  Rec.backward([=](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (!Tensors) {
      Out[0] = Mul   ? aten::mul(R, G[0], Number)
               : Div ? aten::div(R, G[0], Number)
                     : G[0];
      return Out;
    }
    if (N.needs(1)) {
      if (Mul)
        Out[1] = aten::mul(R, G[0], N.saved(0));
      else if (Div)
        Out[1] = aten::mul(R, aten::neg(R, G[0]),
                           aten::div(R, aten::div(R, N.saved(0), N.saved(1)),
                                     N.saved(1)));
      else if (Sub)
        Out[1] = aten::neg(R, G[0]);
      else
        Out[1] = Alpha.Value == 1 ? G[0] : aten::mul(R, G[0], Alpha);
    }
    if (N.needs(0))
      Out[0] = Mul   ? aten::mul(R, G[0], N.saved(1))
               : Div ? aten::div(R, G[0], N.saved(1))
                     : G[0];
    return Out;
  });
  return Rec.inPlace(Self) ? one(Self) : one(nullptr);
}

/// pow_backward_exponent: grad * where(self == 0 && exponent >= 0, 0,
/// result * log(self)).
T powBackwardExponent(Runtime &R, const T &G, const T &Self, const T &Exponent,
                      const T &Result) {
  T Certain;
  {
    T Zero = aten::compare(R, Self, Scalar(0));
    T Positive = aten::compare(R, Exponent, Scalar(0));
    Certain = aten::compare(R, Zero, Positive); // logical_and
  }
  T Log = aten::log(R, Self);
  T Product = aten::mul(R, Result, Log);
  T Zero = aten::scalarLike(R, G);
  T Chosen = aten::where(R, Certain, Zero, Product);
  return aten::mul(R, G, Chosen);
}

/// pow_backward_self: where(exponent == 0, 0, grad * (exponent * self ^
/// (exponent - 1))).
T powBackwardSelf(Runtime &R, const T &G, const T &Self, const T &Exponent) {
  T Less = aten::sub(R, Exponent, Scalar(1));
  T Power = iterate(R, {Self, Less});
  T Scaled = aten::mul(R, Exponent, Power);
  T Product = aten::mul(R, G, Scaled);
  T Zero = aten::scalarLike(R, G);
  T Flat = aten::compare(R, Exponent, Scalar(0.0));
  return aten::where(R, Flat, Zero, Product);
}

/// A power of a tensor's elements by another's. In place, Self is kept as a copy.
Node::BackwardFn powTensorsBackward() {
  return [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    if (N.needs(1))
      Out[1] = powBackwardExponent(R, G[0], N.saved(0), N.saved(1), N.saved(2));
    if (N.needs(0))
      Out[0] = powBackwardSelf(R, G[0], N.saved(0), N.saved(1));
    return Out;
  };
}

/// pow with tensors or numbers on either side.
OpResult powRow(Runtime &R, const Args &A) {
  T Self = A.tensor("self"), Exponent = A.tensor("exponent");
  if (Self && !Exponent)
    return one(aten::pow(R, Self, scalarArg(A, "exponent", 2.0)));
  Record Rec(R, Self ? "PowBackward1" : "PowBackward2", {Self, Exponent});
  if (Self) {
    Rec.save(Self).save(Exponent);
    T Out = iterate(R, {Self, Exponent});
    Rec.saveIf(Rec.needs(1), Rec.needs(1) ? R.alias(Out) : T());
    return one(Rec.result(Out, powTensorsBackward()));
  }
  Rec.save(Exponent);
  // 2 ** x: the number becomes a tensor, and its kind the result's.
  T Out = iterate(R, {Exponent});
  {
    T Wrapped = aten::wrapped(R, scalarArg(A, "self", 2.0));
    T Cast = R.make(Shape(), Out ? Out->Type : DType::Float32, Device{});
  }
  Rec.saveResult(Out);
  return one(Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    Out[1] = aten::mul(R, G[0], mulNumber(R, N.saved(1)));
    return Out;
  }));
}

/// Activations whose gradient of the result needs a buffer beside it.
OpResult logSigmoidRow(Runtime &R, const Args &A) {
  T Self = A.tensor("self");
  Record Rec(R, "LogSigmoidBackward0", {Self});
  T Out = iterate(R, {Self});
  T Buffer = Self && !Self->onCuda() ? aten::emptyContiguous(R, Self) : nullptr;
  if (Buffer)
    aten::contiguous(R, Self);
  Rec.save(Self).saveResult(Buffer);
  return one(Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    return Grads{kernel(R, G[0], N.saved(0))};
  }));
}

void addUnaryRows(OpTable &Rows) {
  const llvm::StringRef Numbers =
      "negative_slope,alpha,scale,input_scale,lambd,beta,threshold,value,"
      "min_val,max_val,inplace,approximate,decimals,min,max";
  for (const UnaryRule &Rule : UnaryRules) {
    Rows.push_back({Rule.Name,
                    [&Rule](Runtime &R, const Args &A) {
                      if (A.boolean("inplace", false))
                        return one(unaryInPlace(R, Rule, A.tensor("self")));
                      return one(unary(R, Rule, A.tensor("self")));
                    },
                    Numbers, true});
    Rows.push_back({intern((Rule.Name + "_").str()),
                    [&Rule](Runtime &R, const Args &A) {
                      return one(unaryInPlace(R, Rule, A.tensor("self")));
                    },
                    Numbers, true});
  }
}

void addBinaryRows(OpTable &Rows) {
  for (llvm::StringRef Op : {"add", "sub", "mul", "div"}) {
    Rows.push_back({Op,
                    [Op](Runtime &R, const Args &A) { return binary(R, A, Op); },
                    "other,alpha", true});
    Rows.push_back(
        {intern((Op + "_").str()),
         [Op](Runtime &R, const Args &A) { return binaryInPlace(R, A, Op); },
         "other,alpha", true});
  }
  Rows.push_back({"rsub",
                  [](Runtime &R, const Args &A) {
                    T Other = A.tensor("other");
                    if (Other)
                      return one(aten::sub(R, Other, A.tensor("self")));
                    return one(aten::rsub(R, A.tensor("self"),
                                          scalarArg(A, "other", 1.0)));
                  },
                  "other,alpha", true});
  for (llvm::StringRef Op : {"eq", "ne", "lt", "le", "gt", "ge"})
    Rows.push_back({Op,
                    [](Runtime &R, const Args &A) {
                      T Self = A.tensor("self"), Other = A.tensor("other");
                      if (!Self)
                        return one(aten::compare(R, Other,
                                                 scalarArg(A, "self", 1.0)));
                      return one(Other ? aten::compare(R, Self, Other)
                                       : aten::compare(R, Self, scalarArg(A, "other", 1.0)));
                    },
                    "other,self", true});
  for (llvm::StringRef Op : {"maximum", "minimum"})
    Rows.push_back({Op, [](Runtime &R, const Args &A) {
                      return one(aten::maximum(R, A.tensor("self"),
                                               A.tensor("other")));
                    }});
}

/// Ops of integers and bools, and others whose gradient is not modelled.
OpResult plainBinary(Runtime &R, const Args &A, llvm::StringRef Op,
                     bool InPlace) {
  T Self = A.tensor("self"), Other = A.tensor("other");
  if (!Self)
    return OpResult::notModelled((Op + llvm::Twine(" of a number")).str());
  Record Rec(R, Op, {Self, Other});
  llvm::StringRef Name = Op;
  Rec.backward([Name](Runtime &R, Node &N, Grads &) {
    R.failNotModelled(("backward of " + llvm::Twine(Name)).str());
    return Grads(N.Next.size());
  });
  T Number = Other ? Other : aten::wrapped(R, scalarArg(A, "other", 1.0));
  if (InPlace) {
    iterate(R, {Self, Number}, Iter::Plain, Self);
    return Rec.inPlace(Self) ? one(Self) : one(nullptr);
  }
  return one(Rec.output(iterate(R, {Self, Number})));
}

void addPlainRows(OpTable &Rows) {
  for (llvm::StringRef Op : {"bitwise_and", "bitwise_or", "bitwise_xor"})
    for (bool InPlace : {false, true}) {
      llvm::StringRef Name = InPlace ? intern((Op + llvm::Twine("_")).str()) : Op;
      Rows.push_back({Name,
                      [Op, InPlace](Runtime &R, const Args &A) {
                        return plainBinary(R, A, Op, InPlace);
                      },
                      "other", true});
    }
  Rows.push_back({"bitwise_not",
                  [](Runtime &R, const Args &A) {
                    T Self = A.tensor("self");
                    return one(Self ? aten::emptyLike(R, Self) : nullptr);
                  },
                  "", true});
}

/// Other names of rows that are there.
void addAliases(OpTable &Rows) {
  static const std::pair<llvm::StringRef, llvm::StringRef> Names[] = {
      {"absolute", "abs"},   {"clip", "clamp"},        {"divide", "div"},
      {"multiply", "mul"},   {"negative", "neg"},      {"subtract", "sub"},
      {"true_divide", "div"}};
  for (auto &[Alias, Name] : Names)
    for (const OpEntry &Row : OpTable(Rows))
      if (Row.Name == Name) {
        Rows.push_back(Row);
        Rows.back().Name = Alias;
      }
}

void addClampRows(OpTable &Rows) {
  for (llvm::StringRef Op : {"clamp", "clamp_min", "clamp_max"}) {
    bool Min = Op != "clamp_max", Max = Op != "clamp_min";
    auto Has = [Min, Max, Op](const Args &A) {
      return Op == "clamp" ? std::pair(A.has("min"), A.has("max"))
                           : std::pair(Min, Max);
    };
    Rows.push_back({Op,
                    [Has](Runtime &R, const Args &A) {
                      auto [Lower, Upper] = Has(A);
                      if (A.tensor("min") || A.tensor("max"))
                        return one(aten::clampTensors(R, A.tensor("self"), A.tensor("min"),
                                                      A.tensor("max")));
                      Scalar Limit = scalarArg(A, Lower ? "min" : "max", 1);
                      if (Lower && Upper && Limit.Kind == Scalar::Integer)
                        Limit = scalarArg(A, "max", 1);
                      return one(aten::clampTo(R, A.tensor("self"), Lower, Upper, Limit));
                    },
                    "min,max", true});
    Rows.push_back({intern((Op + "_").str()),
                    [Has](Runtime &R, const Args &A) {
                      auto [Lower, Upper] = Has(A);
                      return one(
                          aten::clampInPlace(R, A.tensor("self"), Lower, Upper));
                    },
                    "min,max", true});
  }
}

} // namespace

void addPointwiseOps(OpTable &Rows) {
  addUnaryRows(Rows);
  addBinaryRows(Rows);
  addClampRows(Rows);
  addPlainRows(Rows);
  addAliases(Rows);
  Rows.push_back({"pow", powRow, "exponent,self", true});
  Rows.push_back({"pow_",
                  [](Runtime &R, const Args &A) {
                    T Self = A.tensor("self");
                    Scalar Exponent = scalarArg(A, "exponent", 2.0);
                    Record Rec(R, "PowBackward0", {Self});
                    if (Rec)
                      Rec.save(aten::clone(R, Self));
                    iterate(R, {Self}, Iter::Plain, Self);
                    Rec.backward([Exponent](Runtime &R, Node &N, Grads &G) {
                      return Grads{
                          aten::powBackward(R, G[0], N.saved(0), Exponent)};
                    });
                    return Rec.inPlace(Self) ? one(Self) : one(nullptr);
                  },
                  "exponent", true});
  Rows.push_back({"square",
                  [](Runtime &R, const Args &A) {
                    return one(aten::pow(R, A.tensor("self"), Scalar(2)));
                  },
                  "", true});
  Rows.push_back({"log_sigmoid", logSigmoidRow, "", true});
  Rows.push_back({"logsigmoid", logSigmoidRow, "", true});
  Rows.push_back({"where", [](Runtime &R, const Args &A) {
                    if (!A.has("self") && !A.has("other"))
                      return R.call("nonzero_numpy", A);
                    T X = A.tensor("self"), Y = A.tensor("other");
                    auto Number = [&](const char *Name, const T &Other) {
                      Scalar S = scalarArg(A, Name, 1.0);
                      DType Type = Other ? aten::typeWith(Other, S) : S.type();
                      if (Type == DType::Float64 && !Other)
                        Type = R.DefaultDType;
                      return R.make(Shape(), Type, Device{});
                    };
                    T Left = X ? X : Number("self", Y);
                    return one(aten::where(R, A.tensor("condition"), Left,
                                           Y ? Y : Number("other", X)));
                  },
                  "self,other"});
  Rows.push_back({"masked_fill",
                  [](Runtime &R, const Args &A) {
                    T X = A.tensor("self"), Mask = A.tensor("mask"), Value = A.tensor("value");
                    if (!Value || !Mask || !X)
                      return one(aten::maskedFill(R, X, Mask));
                    aten::broadcast(R, X->Sizes, Mask->Sizes);
                    return one(tailOne(R, {"MaskedFillBackward1", "2"}, {X, Value, Mask},
                                       [&] { return aten::emptyLike(R, X); }));
                  },
                  "value"});
  for (bool InPlace : {false, true}) {
    for (bool Divide : {false, true})
      Rows.push_back({Divide ? InPlace ? "addcdiv_" : "addcdiv" : InPlace ? "addcmul_" : "addcmul",
                      [Divide, InPlace](Runtime &R, const Args &A) {
                        return one(aten::addc(R, A.tensor("self"), A.tensor("tensor1"), A.tensor("tensor2"),
                                              scalarArg(A, "value", 1), Divide, InPlace));
                      },
                      "value"});
    Rows.push_back({InPlace ? "lerp_" : "lerp",
                    [InPlace](Runtime &R, const Args &A) {
                      if (T Weight = A.tensor("weight"))
                        return one(aten::lerpTensor(R, A.tensor("self"), A.tensor("end"), Weight, InPlace));
                      return one(aten::lerp(R, A.tensor("self"), A.tensor("end"), InPlace));
                    },
                    "weight"});
  }
  for (llvm::StringRef Op : {"logical_not", "isnan", "isinf", "isfinite"})
    Rows.push_back({Op,
                    [Op](Runtime &R, const Args &A) {
                      T Self = A.tensor("self");
                      BelowAutograd Guard(R);
                      bool Size = Op.ends_with("inf") || Op.ends_with("finite");
                      if (!Self || !Size || !isFloating(Self->Type))
                        return one(Self ? aten::emptyLike(R, Self, DType::Bool) : nullptr);
                      if (realType(Self->Type) != Self->Type)
                        R.scratch({Self});
                      T Abs = aten::emptyLike(R, Self, realType(Self->Type));
                      T Compared = aten::compare(R, Abs, Scalar(1.0));
                      if (Op == "isinf")
                        return one(Compared);
                      T NotNan = aten::compare(R, Self, Self);
                      return one(aten::mul(R, NotNan, Compared));
                    },
                    ""});
}

} // namespace vramlint
