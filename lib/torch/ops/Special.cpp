//===- lib/torch/ops/Special.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of elementwise ops that are rarely used, torch::special among them: one
// line each, with the node and what it keeps.

#include "lib/torch/Tail.h"

namespace vramlint {

using aten::iterate;
using aten::Iter;

namespace {

using T = TensorRef;

//===----------------------------------------------------------------------===//
// Gradients, as in LibTorch's derivatives.yaml: what they need in between
//===----------------------------------------------------------------------===//

T kernel(Runtime &R, const T &X) { return iterate(R, {X}, Iter::IntToFloat); }
T timesNumber(Runtime &R, const T &X) { return aten::mul(R, X, Scalar(2.0)); }
T plusNumber(Runtime &R, const T &X) { return aten::add(R, X, Scalar(1.0)); }

/// A number as a tensor, and cast to the type of \p Like, while a kernel runs.
void numberBeside(Runtime &R, const T &Like) {
  T Wide = aten::wrapped(R, Scalar(2.0));
  T Cast = Like->Type == DType::Float64 ? T() : R.make(Shape(), Like->Type, Like->Dev);
}

/// The gradient, from the result's and what was kept.
using Formula = T (*)(Runtime &R, const T &G, const T &First, const T &Second);

T newKernel(Runtime &R, const T &G, const T &, const T &) { return aten::emptyLike(R, G); }
T numberTimes(Runtime &R, const T &G, const T &, const T &) { return timesNumber(R, G); }
T none(Runtime &, const T &, const T &, const T &) { return nullptr; }
/// grad * f(self)
T timesKernel(Runtime &R, const T &G, const T &S, const T &) {
  return aten::mul(R, G, kernel(R, S));
}
/// grad * (self² ± 1).rsqrt()
T rootOfSquare(Runtime &R, const T &G, const T &S, const T &) {
  T Square = aten::pow(R, S, Scalar(2.0)), Sum = plusNumber(R, Square), Root = kernel(R, Sum);
  return aten::mul(R, G, Root);
}
T atanhGradient(Runtime &R, const T &G, const T &S, const T &) {
  T Square = aten::pow(R, S, Scalar(2.0)), Rest = aten::emptyLike(R, Square);
  return aten::div(R, timesNumber(R, G), Rest);
}
/// c * exp(-self²) * grad; with erfinv(self) in place of the minus likewise.
T ofExponent(Runtime &R, const T &G, const T &S, const T &) {
  T Square = aten::pow(R, S, Scalar(2.0)), Negative = aten::neg(R, Square);
  T Exp = kernel(R, Negative), Scaled = timesNumber(R, Exp);
  return aten::mul(R, Scaled, G);
}
T exp2Gradient(Runtime &R, const T &G, const T &Y, const T &) {
  T Product = aten::mul(R, G, Y);
  return timesNumber(R, Product);
}
T sincGradient(Runtime &R, const T &G, const T &S, const T &) {
  T Pi = timesNumber(R, S), Square = aten::mul(R, S, S);
  Square = timesNumber(R, Square);
  T Out;
  {
    T Cos = kernel(R, Pi), Product = aten::mul(R, Pi, Cos), Sin = kernel(R, Pi);
    T Difference = aten::sub(R, Product, Sin), Quotient = aten::div(R, Difference, Square);
    Out = aten::mul(R, G, Quotient);
  }
  T Zero = aten::scalarLike(R, G), AtZero = aten::compare(R, Square, Scalar(0.0));
  return aten::where(R, AtZero, Zero, Out);
}
/// grad * isfinite(self)
T whereFinite(Runtime &R, const T &G, const T &S, const T &) {
  T Finite;
  {
    T Size = kernel(R, S), NotInf = aten::compare(R, Size, Scalar(1.0));
    T NotNan = aten::compare(R, S, S);
    Finite = aten::mul(R, NotNan, NotInf);
  }
  return aten::mul(R, G, Finite);
}
T entropyGradient(Runtime &R, const T &G, const T &S, const T &) {
  T Log = kernel(R, S), Sum = plusNumber(R, Log), Negative = aten::neg(R, Sum);
  return aten::mul(R, G, Negative);
}
T erfcxGradient(Runtime &R, const T &G, const T &S, const T &Y) {
  T Twice = timesNumber(R, S), Product = aten::mul(R, Twice, Y);
  T Difference = aten::sub(R, Product, Scalar(1.0));
  return aten::mul(R, Difference, G);
}
T i0eGradient(Runtime &R, const T &G, const T &S, const T &Y) {
  T Sign = kernel(R, S), Product = aten::mul(R, Sign, Y), Bessel = kernel(R, S);
  T Difference = aten::sub(R, Bessel, Product);
  return aten::mul(R, G, Difference);
}
/// Near zero the series of i1 and i1e begins with a half.
T i1Gradient(Runtime &R, const T &G, const T &S, const T &Y, bool Scaled) {
  T Size = kernel(R, S), Big = aten::compare(R, Size, Scalar(1.0));
  Size = nullptr;
  T Least = aten::scalarLike(R, S), Safe = aten::where(R, Big, S, Least), Inner;
  Least = nullptr;
  {
    T Inverse = kernel(R, Safe), Sign = Scaled ? kernel(R, Safe) : nullptr;
    T Sum = Scaled ? aten::add(R, Sign, Inverse) : nullptr;
    T Product = aten::mul(R, Y, Scaled ? Sum : Inverse), Bessel = kernel(R, Safe);
    Inner = aten::sub(R, Bessel, Product);
  }
  T Half = aten::scalarLike(R, S), Factor = aten::where(R, Big, Inner, Half);
  T Out = aten::mul(R, G, Factor);
  Factor = nullptr;
  Half = nullptr;
  Inner = nullptr;
  Safe = nullptr;
  return Out;
}
T i1Plain(Runtime &R, const T &G, const T &S, const T &Y) { return i1Gradient(R, G, S, Y, false); }
T i1Scaled(Runtime &R, const T &G, const T &S, const T &Y) { return i1Gradient(R, G, S, Y, true); }
T logNdtrGradient(Runtime &R, const T &G, const T &S, const T &Y) {
  T Square = aten::pow(R, S, Scalar(2.0)), Half = timesNumber(R, Square);
  T Sum = aten::add(R, Y, Half), Negative = aten::neg(R, Sum), Exp = kernel(R, Negative);
  T Scaled = timesNumber(R, G);
  return aten::mul(R, Scaled, Exp);
}
T ndtriGradient(Runtime &R, const T &G, const T &Y, const T &) {
  T Square = aten::pow(R, Y, Scalar(2.0)), Half = timesNumber(R, Square), Exp = kernel(R, Half);
  T Scaled = timesNumber(R, G);
  return aten::mul(R, Scaled, Exp);
}

/// Gradients of two operands \p X and \p Y; \p Z the result, if it was kept. They
/// are brought to the operands' shapes later.
using PairFormula = void (*)(Runtime &R, Node &N, const T &G, const T &X, const T &Y,
                             const T &Z, Grads &Out);

void atan2Gradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  T Inverse;
  {
    T Second = aten::mul(R, Y, Y), First = aten::mul(R, X, X), Sum = aten::add(R, First, Second);
    Inverse = kernel(R, Sum);
  }
  T A, B, Negative;
  if (N.needs(0)) {
    A = aten::mul(R, G, Y);
    Out[0] = aten::mul(R, A, Inverse);
  }
  if (N.needs(1)) {
    Negative = aten::neg(R, X);
    B = aten::mul(R, G, Negative);
    Out[1] = aten::mul(R, B, Inverse);
  }
}
void moduloGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  if (N.needs(0))
    Out[0] = G;
  if (!N.needs(1))
    return;
  T Quotient = iterate(R, {X, Y}), Negative = aten::neg(R, G);
  Out[1] = aten::mul(R, Negative, Quotient);
}
void extremeGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  for (unsigned I : {0u, 1u})
    if (N.needs(I)) {
      T Larger = aten::compare(R, X, Y), Nan = aten::compare(R, Y, Y);
      Out[I] = aten::maskedFill(R, G, Larger);
    }
}
void hypotGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &Z, Grads &Out) {
  for (unsigned I : {0u, 1u})
    if (N.needs(I))
      Out[I] = aten::mul(R, G, aten::div(R, I ? Y : X, Z));
}
void copysignGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &Z, Grads &Out) {
  if (N.needs(1) && Y)
    Out[1] = aten::emptyLike(R, Y);
  if (!N.needs(0))
    return;
  T Ratio = aten::div(R, Z, X);
  aten::compare(R, X, Scalar(0.0));
  Out[0] = aten::mul(R, G, Ratio);
}
void logaddexpGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  for (unsigned I : {0u, 1u})
    if (N.needs(I)) {
      T Difference = aten::sub(R, I ? X : Y, I ? Y : X), Exp = kernel(R, Difference);
      Out[I] = aten::div(R, G, plusNumber(R, Exp));
    }
}
void logaddexp2Gradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  for (unsigned I : {0u, 1u})
    if (N.needs(I)) {
      T Difference = aten::sub(R, I ? X : Y, I ? Y : X), Power = aten::emptyLike(R, Difference);
      numberBeside(R, Difference);
      Out[I] = aten::div(R, G, plusNumber(R, Power));
    }
}
/// xlogy, or with \p Plus xlog1py.
void xlogGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, Grads &Out, bool Plus) {
  if (!Y) {
    if (N.needs(0))
      Out[0] = timesNumber(R, G);
    return;
  }
  if (N.needs(1)) {
    T Sum = Plus ? plusNumber(R, Y) : nullptr;
    T Product = X ? aten::mul(R, G, X) : timesNumber(R, G);
    Out[1] = aten::div(R, Product, Plus ? Sum : Y);
  }
  if (!N.needs(0))
    return;
  T Log = iterate(R, {G, Y}), Low = aten::compare(R, Y, Scalar(0.0));
  T Zero = aten::compare(R, X, Scalar(0.0)), Both = iterate(R, {Zero, Low});
  Out[0] = aten::maskedFill(R, Log, Both);
}
void xlogyGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  xlogGradients(R, N, G, X, Y, Out, false);
}
void xlog1pyGradients(Runtime &R, Node &N, const T &G, const T &X, const T &Y, const T &, Grads &Out) {
  xlogGradients(R, N, G, X, Y, Out, true);
}

struct UnaryTail {
  llvm::StringRef Name, Node;
  llvm::StringRef Saves; ///< "0" the operand, "a" the result.
  Formula Gradient;
  Iter Kind = Iter::IntToFloat;
  bool InPlace = true; ///< There is a form with a trailing underscore.
};

const UnaryTail Unary[] = {
    {"acosh", "AcoshBackward0", "0", rootOfSquare},
    {"asinh", "AsinhBackward0", "0", rootOfSquare},
    {"atanh", "AtanhBackward0", "0", atanhGradient},
    {"deg2rad", "Deg2RadBackward0", "", numberTimes},
    {"rad2deg", "Rad2DegBackward0", "", numberTimes},
    {"digamma", "DigammaBackward0", "0", timesKernel},
    {"erfc", "ErfcBackward0", "0", ofExponent},
    {"erfinv", "ErfinvBackward0", "0", ofExponent},
    {"exp2", "Exp2Backward0", "a", exp2Gradient},
    {"i0", "I0Backward0", "0", timesKernel},
    {"lgamma", "LgammaBackward0", "0", timesKernel},
    {"logit", "LogitBackward0", "0", newKernel},
    {"sinc", "SincBackward0", "0", sincGradient},
    {"nan_to_num", "NanToNumBackward0", "0", whereFinite, Iter::Plain},
    {"sgn", "SgnBackward0", "0a", none, Iter::Plain},
    {"polygamma", "PolygammaBackward0", "0", timesKernel},
    {"special_entr", "SpecialEntrBackward0", "0", entropyGradient, Iter::IntToFloat, false},
    {"special_erfcx", "SpecialErfcxBackward0", "0a", erfcxGradient, Iter::IntToFloat, false},
    {"special_i0e", "SpecialI0EBackward0", "0a", i0eGradient, Iter::IntToFloat, false},
    {"special_i1", "SpecialI1Backward0", "0a", i1Plain, Iter::IntToFloat, false},
    {"special_i1e", "SpecialI1EBackward0", "0a", i1Scaled, Iter::IntToFloat, false},
    {"special_log_ndtr", "SpecialLogNdtrBackward0", "0a", logNdtrGradient, Iter::IntToFloat, false},
    {"special_ndtri", "SpecialNdtriBackward0", "a", ndtriGradient, Iter::IntToFloat, false},
    {"special_round", "RoundBackward1", "", newKernel, Iter::Plain, false},
};

Node::BackwardFn backwardOf(Formula Gradient) {
  return [Gradient](Runtime &R, Node &N, Grads &G) {
    T First = N.Saved.empty() ? T() : N.saved(0), Second = N.Saved.size() > 1 ? N.saved(1) : T();
    if (First && realType(First->Type) != First->Type)
      R.scratch({G[0], First, Second});
    return Grads{Gradient(R, G[0], First, Second)};
  };
}

T unaryTail(Runtime &R, const UnaryTail &U, const T &X, bool InPlace) {
  if (!X || R.failed())
    return nullptr;
  // LibTorch has no derivative for these in place.
  bool None = InPlace && (U.Name.ends_with("sinh") || U.Name.ends_with("cosh") ||
                          U.Name.ends_with("tanh"));
  if (None)
    return tailInPlace(R, {"!NotImplemented", ""}, {X}, [&] { iterate(R, {X}, U.Kind, X); });
  Record Rec(R, U.Node, {X});
  if (U.Saves.contains('0'))
    Rec.saveIf(bool(Rec), InPlace && Rec ? aten::clone(R, X) : X);
  T Out;
  if (U.Gradient == numberTimes) { // A product with a number.
    Out = InPlace ? X : aten::emptyLike(R, X, isFloating(X->Type) ? X->Type : R.DefaultDType);
    T Number = aten::wrapped(R, Scalar(2.0));
    iterate(R, {X, Number}, Iter::Plain, Out);
  } else {
    Out = iterate(R, {X}, U.Kind, InPlace ? X : T());
  }
  if (U.Saves.contains('a'))
    Rec.saveResult(InPlace ? X : Out);
  if (!InPlace)
    return Rec.result(Out, backwardOf(U.Gradient));
  Rec.backward(backwardOf(U.Gradient));
  return Rec.inPlace(X) ? X : nullptr;
}

/// log Γ in several dimensions: a sum over shifted copies.
T mvlgamma(Runtime &R, const T &X, int64_t Copies, bool InPlace) {
  if (!X || R.failed())
    return nullptr;
  auto Shifted = [Copies](Runtime &R, const T &X) {
    Shape S = X->Sizes;
    S.Dims.push_back(Dim(Copies));
    T Line = makeLike(R, X, shapeOf({Dim(Copies)})), Out = makeLike(R, X, S);
    return Out;
  };
  Record Rec(R, "MvlgammaBackward0", {X});
  Rec.saveIf(bool(Rec), InPlace && Rec ? aten::clone(R, X) : X);
  T Out;
  {
    T All = Shifted(R, X);
    Out = aten::emptyLike(R, X);
    numberBeside(R, X);
    if (InPlace)
      Out = nullptr;
  }
  auto Back = [Shifted](Runtime &R, Node &N, Grads &G) {
    T All = Shifted(R, N.saved(0)), Sum = aten::emptyLike(R, N.saved(0));
    return Grads{aten::mul(R, G[0], Sum)};
  };
  if (!InPlace)
    return Rec.result(Out, Back);
  Rec.backward(Back);
  return Rec.inPlace(X) ? X : nullptr;
}

/// Special functions without a derivative.
const llvm::StringRef Underivable[] = {
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
    "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
    "modified_bessel_k1", "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1", "spherical_bessel_j0"};

const llvm::StringRef Polynomials[] = {
    "chebyshev_polynomial_t", "chebyshev_polynomial_u",
    "chebyshev_polynomial_v", "chebyshev_polynomial_w",
    "hermite_polynomial_h", "hermite_polynomial_he",
    "laguerre_polynomial_l", "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"};

T firstOf(const Args &A, llvm::StringRef One, llvm::StringRef Or) {
  T X = A.tensor(One);
  return X ? X : A.tensor(Or);
}

void addUnaryTails(OpTable &Rows) {
  const llvm::StringRef Numbers = "nan,posinf,neginf,eps,p,n,decimals";
  for (const UnaryTail &U : Unary)
    for (bool InPlace : {false, true})
      if (!InPlace || U.InPlace)
        Rows.push_back({InPlace ? intern((U.Name + "_").str()) : U.Name,
                        [&U, InPlace](Runtime &R, const Args &A) {
                          return one(unaryTail(R, U, A.tensor("self"), InPlace));
                        },
                        Numbers, true});
  for (bool InPlace : {false, true})
    Rows.push_back({InPlace ? "mvlgamma_" : "mvlgamma",
                    [InPlace](Runtime &R, const Args &A) {
                      auto Copies = A.integer("p");
                      if (!Copies || *Copies < 1)
                        return OpResult::failed("mvlgamma: p must be at least 1", FailureKind::Other);
                      return one(mvlgamma(R, A.tensor("self"), *Copies, InPlace));
                    },
                    ""});
  for (llvm::StringRef Name : Underivable)
    Rows.push_back({intern(("special_" + Name).str()),
                    [](Runtime &R, const Args &A) {
                      T X = firstOf(A, "self", "x");
                      BelowAutograd Guard(R);
                      return one(iterate(R, {X}, Iter::IntToFloat));
                    },
                    "", true});
}

//===----------------------------------------------------------------------===//
// Two tensors, or a tensor and a number
//===----------------------------------------------------------------------===//

struct BinaryTail {
  llvm::StringRef Name;
  TailRule How;
  Iter Kind = Iter::Plain;
  bool InPlace = true;
  llvm::StringRef Second = "other";
  PairFormula Gradients = nullptr; ///< Null: How says all.
};

const BinaryTail Binary[] = {
    {"atan2", {"Atan2Backward0", "01"}, Iter::IntToFloat, true, "other",
     atan2Gradients},
    {"fmod", {"FmodBackward1", "1", "gn"}, Iter::Plain, true, "other",
     moduloGradients},
    {"remainder", {"RemainderBackward1", "1", "gn"}, Iter::Plain, true, "other",
     moduloGradients},
    {"floor_divide", {"!NotImplemented", ""}},
    {"fmax", {"FmaxBackward0", "01"}, Iter::Plain, false, "other",
     extremeGradients},
    {"fmin", {"FminBackward0", "01"}, Iter::Plain, false, "other",
     extremeGradients},
    {"hypot", {"HypotBackward0", "01a"}, Iter::Plain, true, "other",
     hypotGradients},
    {"copysign", {"CopysignBackward0", "0a"}, Iter::IntToFloat, true, "other",
     copysignGradients},
    {"nextafter", {"!NextafterBackward0", ""}},
    {"logaddexp", {"LogaddexpBackward0", "01"}, Iter::Plain, false, "other",
     logaddexpGradients},
    {"logaddexp2", {"Logaddexp2Backward0", "01"}, Iter::Plain, false, "other",
     logaddexp2Gradients},
    {"xlogy", {"XlogyBackward0", "01"}, Iter::IntToFloat, true, "other",
     xlogyGradients},
    {"special_xlogy", {"XlogyBackward0", "01"}, Iter::IntToFloat, false, "other",
     xlogyGradients},
    {"special_xlog1py", {"SpecialXlog1PyBackward0", "01"}, Iter::IntToFloat, false, "other",
     xlog1pyGradients},
    {"special_zeta", {"!SpecialZetaBackward0", "01"}, Iter::IntToFloat, false},
    {"heaviside", {"!HeavisideBackward0", ""}, Iter::Plain, true, "values"},
    {"bitwise_left_shift", {"!NotImplemented", ""}},
    {"bitwise_right_shift", {"!NotImplemented", ""}},
    {"gcd", {"", ""}},
    {"lcm", {"", ""}},
    {"igamma", {"!IgammaBackward0", "01"}},
    {"igammac", {"!IgammacBackward0", "01"}},
    {"special_gammainc", {"!IgammaBackward0", "01"}, Iter::Plain, false},
    {"special_gammaincc", {"!IgammacBackward0", "01"}, Iter::Plain, false},
};

/// Both operands, numbers as tensors; none if neither is one.
std::vector<T> operands(Runtime &R, const Args &A, llvm::StringRef First,
                        llvm::StringRef Second) {
  T X = A.tensor(First), Y = A.tensor(Second);
  if (!X && !Y)
    return {};
  return {X ? X : aten::wrapped(R, scalarArg(A, First, 1.0)),
          Y ? Y : aten::wrapped(R, scalarArg(A, Second, 1.0))};
}

/// Whether gradient \p I needs operand \p Which: what one formula alone uses is kept
/// for that one only.
bool keepsFor(const BinaryTail &B, const Record &Rec, char Which) {
  if (B.Gradients == moduloGradients)
    return Rec.needs(1);
  if (B.Gradients == hypotGradients || B.Gradients == copysignGradients)
    return Rec.needs(Which == '1');
  return bool(Rec);
}

/// An op whose gradients are known to the byte; \p In: numbers as tensors.
T pairTail(Runtime &R, const BinaryTail &B, std::vector<T> In, bool InPlace) {
  if (R.failed())
    return nullptr;
  T X = In[0]->WrappedNumber ? T() : In[0], Y = In[1]->WrappedNumber ? T() : In[1];
  Record Rec(R, B.How.Node, {X, Y});
  bool Plain = B.Gradients == moduloGradients && !Y;
  bool Keep = !Plain && keepsFor(B, Rec, '0');
  Rec.saveIf(Keep && X, InPlace && Keep && X ? aten::clone(R, X) : X);
  Rec.saveIf(!Plain && keepsFor(B, Rec, '1'), Y);
  T Out = iterate(R, In, B.Kind, InPlace ? In[0] : T());
  Rec.saveResult(B.How.Saves.contains('a') ? InPlace ? In[0] : Out : T());
  DType Type = X ? X->Type : Y->Type;
  if (realType(Type) != Type)
    R.scratch({X, Y, Out});
  auto SizesOf = [](const T &V) { return V ? V->Sizes : Shape(); };
  auto Back = [Give = B.Gradients, A = SizesOf(X), C = SizesOf(Y)](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    Give(R, N, G[0], N.saved(0), N.saved(1), N.saved(2), Out);
    for (unsigned I : {0u, 1u})
      if (Out[I])
        Out[I] = aten::sumTo(R, Out[I], I ? C : A);
    return Out;
  };
  if (!InPlace)
    return Rec.result(Out, Back);
  Rec.backward(Back);
  return Rec.inPlace(In[0]) ? In[0] : nullptr;
}

OpResult binaryTail(Runtime &R, const Args &A, const BinaryTail &B,
                    bool InPlace) {
  if (!A.tensor("self") && InPlace)
    return OpResult::failed((B.Name + "_ of an undefined tensor").str());
  std::vector<T> In = operands(R, A, "self", B.Second);
  if (In.empty())
    return OpResult::notModelled((B.Name + " of two numbers").str());
  if (B.Gradients)
    return one(pairTail(R, B, In, InPlace));
  TailRule How = B.How;
  std::string Saves; // A number is no tensor to keep.
  for (char C : How.Saves)
    if (C == 'a' || (C - '0' < 2 && !In[C - '0']->WrappedNumber))
      Saves += C;
  How.Saves = Saves;
  std::vector<T> Inputs = In;
  for (T &X : Inputs)
    if (X->WrappedNumber)
      X = nullptr;
  if (!Inputs[0])
    std::swap(Inputs[0], Inputs[1]), How.Saves = Saves.empty() ? "" : "0";
  if (InPlace)
    return one(tailInPlace(R, How, Inputs, [&] { iterate(R, In, B.Kind, In[0]); }));
  return one(tailOne(R, How, Inputs, [&] { return iterate(R, In, B.Kind); }));
}

void addBinaryTails(OpTable &Rows) {
  for (const BinaryTail &B : Binary)
    for (bool InPlace : {false, true}) {
      if (InPlace && !B.InPlace)
        continue;
      Rows.push_back({InPlace ? intern((B.Name + "_").str()) : B.Name,
                      [&B, InPlace](Runtime &R, const Args &A) {
                        return binaryTail(R, A, B, InPlace);
                      },
                      "other,self", true});
    }
  for (llvm::StringRef Name : Polynomials)
    Rows.push_back({intern(("special_" + Name).str()),
                    [](Runtime &R, const Args &A) {
                      std::vector<T> In = operands(R, A, "x", "n");
                      if (In.empty())
                        return OpResult::notModelled("a polynomial of two numbers");
                      BelowAutograd Guard(R);
                      return one(iterate(R, In, Iter::IntToFloat));
                    },
                    "n,x", true});
}

void addMoreInPlace(OpTable &Rows) {
  for (llvm::StringRef Name : {"tril_", "triu_"})
    Rows.push_back({Name,
                    [](Runtime &R, const Args &A) {
                      return one(tailInPlace(R, {"TrilBackward0", "", "e"}, {A.tensor("self")}, [] {}));
                    },
                    "diagonal", true});
}

/// logical_and and its kin; in place, the node is that of a copy.
void addLogical(OpTable &Rows) {
  for (llvm::StringRef Op : {"logical_and", "logical_or", "logical_xor"}) {
    Rows.push_back({Op,
                    [](Runtime &R, const Args &A) {
                      BelowAutograd Guard(R);
                      return one(iterate(R, operands(R, A, "self", "other"), Iter::Compare));
                    },
                    "", true});
    Rows.push_back({intern((Op + "_").str()),
                    [](Runtime &R, const Args &A) {
                      std::vector<T> In = operands(R, A, "self", "other");
                      if (In.empty())
                        return OpResult::failed("a logical op of no tensor", FailureKind::Other);
                      return one(tailInPlace(R, {"CloneBackward0", "", "v"}, {In[0]}, [&] {
                        aten::broadcast(R, In[0]->Sizes, In[1]->Sizes);
                      }));
                    },
                    "", true});
  }
}

/// eq_ and its kin: the outcome is written in the tensor's own type.
void addCompareInPlace(OpTable &Rows) {
  for (llvm::StringRef Op : {"eq", "ne", "lt", "le", "gt", "ge"})
    Rows.push_back({intern((Op + "_").str()),
                    [Op](Runtime &R, const Args &A) {
                      std::vector<T> In = operands(R, A, "self", "other");
                      if (In.empty() || !A.tensor("self"))
                        return OpResult::failed("comparison of no tensor", FailureKind::Other);
                      std::string Node = Op.str() + "_";
                      std::vector<T> Inputs{In[0]};
                      if (A.tensor("other"))
                        Inputs.push_back(In[1]);
                      return one(tailInPlace(R, {Node, "", "e"}, Inputs, [&] {
                        if (aten::resultType(In) == In[0]->Type)
                          iterate(R, In, Iter::Plain, In[0]);
                        else // The outcome is cast back, whatever was compared.
                          R.scratch(In);
                      }));
                    },
                    "other", true});
}

OpResult floatPower(Runtime &R, const Args &A, bool InPlace) {
  T X = A.tensor("self"), Y = A.tensor("exponent");
  auto Wide = [&](const T &V) {
    DType Type = V->Type == DType::ComplexFloat ? DType::ComplexDouble : DType::Float64;
    return aten::toDType(R, V, Type);
  };
  if (InPlace)
    return one(callOne(R, "pow_", {{"self", Arg(X)}, {"exponent", Y ? Arg(Y) : Arg(2.0)}}));
  const Arg *Number = A.find(X ? "exponent" : "self");
  Arg Base = X ? Arg(Wide(X)) : Number ? *Number : Arg(2.0);
  Arg Exponent = Y ? Arg(Wide(Y)) : Number ? *Number : Arg(2.0);
  return one(callOne(R, "pow", {{"self", Base}, {"exponent", Exponent}}));
}

OpResult ldexpRow(Runtime &R, const Args &A, bool InPlace) {
  T X = A.tensor("self"), Y = A.tensor("other");
  T Power = callOne(R, "pow", {{"self", Arg(2.0)}, {"exponent", Arg(Y)}});
  if (InPlace)
    return one(callOne(R, "mul_", {{"self", Arg(X)}, {"other", Arg(Power)}}));
  return one(aten::mul(R, X, Power));
}

void addMixed(OpTable &Rows) {
  for (bool InPlace : {false, true}) {
    Rows.push_back({InPlace ? "float_power_" : "float_power",
                    [InPlace](Runtime &R, const Args &A) {
                      return floatPower(R, A, InPlace);
                    },
                    "exponent,self", true, true});
    Rows.push_back({InPlace ? "ldexp_" : "ldexp",
                    [InPlace](Runtime &R, const Args &A) {
                      return ldexpRow(R, A, InPlace);
                    },
                    "", true, true});
  }
  for (llvm::StringRef Name : {"isneginf", "isposinf", "isreal", "signbit"})
    Rows.push_back({Name,
                    [](Runtime &R, const Args &A) {
                      T X = A.tensor("self");
                      return one(X ? aten::emptyLike(R, X, DType::Bool) : nullptr);
                    },
                    "", true, /*ScratchUnknown=*/Name == "isreal"});
  Rows.push_back({"angle",
                  [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    return one(tailOne(R, {"AngleBackward0", "0"}, {X}, [&] {
                      DType Type = isFloating(X->Type) ? realType(X->Type) : R.DefaultDType;
                      return aten::emptyLike(R, X, Type);
                    }));
                  },
                  "", true, true});
  Rows.push_back({"frexp",
                  [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    auto Out = tail(R, {"FrexpBackward0", "b"}, {X}, [&] {
                      return std::vector<T>{aten::emptyLike(R, X),
                                            aten::emptyLike(R, X, DType::Int32)};
                    });
                    return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
                  },
                  "", true, true});
  for (llvm::StringRef Name : {"complex", "polar"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      bool Polar = Name == "polar";
                      T X = A.tensor(Polar ? "abs" : "real");
                      T Y = A.tensor(Polar ? "angle" : "imag");
                      if (!X || !Y)
                        return OpResult::failed("complex of an undefined tensor", FailureKind::Other);
                      TailRule How{Polar ? "PolarBackward0" : "ComplexBackward0",
                                   Polar ? "a" : "01", Polar ? "c" : "v"};
                      return one(tailOne(R, How, {X, Y}, [&] {
                        return makeLike(R, X, aten::broadcast(R, X->Sizes, Y->Sizes),
                                        complexType(X->Type));
                      }));
                    },
                    "", false, true});
  Rows.push_back({"isclose",
                  [](Runtime &R, const Args &A) {
                    return one(aten::compare(R, A.tensor("self"), A.tensor("other")));
                  },
                  "rtol,atol,equal_nan", true, true});
  Rows.push_back({"isin",
                  [](Runtime &R, const Args &A) {
                    T X = A.tensor(A.tensor("elements") ? "elements" : "element");
                    T Y = A.tensor("test_elements");
                    Device D = X ? X->Dev : Y ? Y->Dev : Device{};
                    return one(R.make(X ? X->Sizes : Shape(), DType::Bool, D));
                  },
                  "element,test_element,assume_unique,invert", true, true});
}

//===----------------------------------------------------------------------===//
// Names for rows that are there
//===----------------------------------------------------------------------===//

const std::pair<llvm::StringRef, llvm::StringRef> Aliases[] = {
    {"arccos", "acos"}, {"arccosh", "acosh"}, {"arcsin", "asin"},
    {"arcsinh", "asinh"}, {"arctan", "atan"}, {"arctanh", "atanh"},
    {"arccos_", "acos_"}, {"arccosh_", "acosh_"}, {"arcsin_", "asin_"},
    {"arcsinh_", "asinh_"}, {"arctan_", "atan_"}, {"arctanh_", "atanh_"},
    {"arctan2", "atan2"}, {"arctan2_", "atan2_"}, {"fix", "trunc"},
    {"fix_", "trunc_"}, {"absolute_", "abs_"}, {"negative_", "neg_"},
    {"clip_", "clamp_"}, {"subtract_", "sub_"}, {"multiply_", "mul_"},
    {"divide_", "div_"}, {"true_divide_", "div_"}, {"not_equal", "ne"},
    {"less", "lt"}, {"less_equal", "le"}, {"greater", "gt"},
    {"greater_equal", "ge"}, {"not_equal_", "ne_"}, {"less_", "lt_"},
    {"less_equal_", "le_"}, {"greater_", "gt_"}, {"greater_equal_", "ge_"},
    {"special_digamma", "digamma"}, {"special_psi", "digamma"},
    {"special_erf", "erf"}, {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"}, {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"}, {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"}, {"special_i0", "i0"},
    {"special_log1p", "log1p"}, {"special_sinc", "sinc"},
    {"special_logit", "logit"}, {"special_multigammaln", "mvlgamma"},
    {"special_polygamma", "polygamma"}, {"special_logsumexp", "logsumexp"},
    {"special_softmax", "softmax"}, {"special_log_softmax", "log_softmax"}};

} // namespace

void addSpecialOps(OpTable &Rows) {
  addUnaryTails(Rows);
  addBinaryTails(Rows);
  addCompareInPlace(Rows);
  addLogical(Rows);
  addMoreInPlace(Rows);
  addMixed(Rows);
  for (llvm::StringRef Name : {"logical_not_", "bitwise_not_"})
    Rows.push_back({Name,
                    [](Runtime &R, const Args &A) {
                      T X = A.tensor("self");
                      return one(tailInPlace(R, {"CloneBackward0", "", "v"}, {X}, [] {}));
                    },
                    "", true});
  Rows.push_back({"square_",
                  [](Runtime &R, const Args &A) {
                    return one(callOne(R, "pow_", {{"self", Arg(A.tensor("self"))},
                                                   {"exponent", Arg(int64_t(2))}}));
                  },
                  "", true});
  // ndtr(x) = (1 + erf(x / sqrt(2))) / 2
  Rows.push_back({"special_ndtr",
                  [](Runtime &R, const Args &A) {
                    T Scaled = aten::mul(R, A.tensor("self"), Scalar(0.7));
                    T Erf = callOne(R, "erf", {{"self", Arg(Scaled)}});
                    Scaled = nullptr;
                    return one(aten::mul(R, aten::add(R, Erf, Scalar(1)), Scalar(0.5)));
                  },
                  "", true, true});
}

void addAliasOps(OpTable &Rows) {
  for (auto &[Alias, Name] : Aliases)
    for (size_t I = 0, E = Rows.size(); I < E; ++I)
      if (Rows[I].Name == Name) {
        OpEntry Row = Rows[I];
        Row.Name = Alias;
        Rows.push_back(std::move(Row));
      }
}

} // namespace vramlint
