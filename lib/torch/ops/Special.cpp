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

struct UnaryTail {
  llvm::StringRef Name;
  TailRule How;
  Iter Kind = Iter::IntToFloat;
  bool InPlace = true; ///< There is a form with a trailing underscore.
};

const UnaryTail Unary[] = {
    {"acosh", {"AcoshBackward0", "0"}},
    {"asinh", {"AsinhBackward0", "0"}},
    {"atanh", {"AtanhBackward0", "0"}},
    {"deg2rad", {"Deg2RadBackward0", ""}},
    {"rad2deg", {"Rad2DegBackward0", ""}},
    {"digamma", {"DigammaBackward0", "0"}},
    {"erfc", {"ErfcBackward0", "0"}},
    {"erfinv", {"ErfinvBackward0", "0"}},
    {"exp2", {"Exp2Backward0", "a"}},
    {"i0", {"I0Backward0", "0"}},
    {"lgamma", {"LgammaBackward0", "0"}},
    {"logit", {"LogitBackward0", "0", "e"}},
    {"sinc", {"SincBackward0", "0"}},
    {"nan_to_num", {"NanToNumBackward0", "0"}, Iter::Plain},
    {"sgn", {"SgnBackward0", "0a", "u"}, Iter::Plain},
    {"mvlgamma", {"MvlgammaBackward0", "0"}},
    {"polygamma", {"PolygammaBackward0", "0"}},
    {"special_entr", {"SpecialEntrBackward0", "0"}, Iter::IntToFloat, false},
    {"special_erfcx", {"SpecialErfcxBackward0", "0a"}, Iter::IntToFloat, false},
    {"special_i0e", {"SpecialI0EBackward0", "0a"}, Iter::IntToFloat, false},
    {"special_i1", {"SpecialI1Backward0", "0a"}, Iter::IntToFloat, false},
    {"special_i1e", {"SpecialI1EBackward0", "0a"}, Iter::IntToFloat, false},
    {"special_log_ndtr", {"SpecialLogNdtrBackward0", "0a"}, Iter::IntToFloat, false},
    {"special_ndtri", {"SpecialNdtriBackward0", "a"}, Iter::IntToFloat, false},
    {"special_round", {"RoundBackward1", ""}, Iter::Plain, false},
};

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
  for (const UnaryTail &U : Unary) {
    Rows.push_back({U.Name,
                    [&U](Runtime &R, const Args &A) {
                      T X = A.tensor("self");
                      return one(tailOne(R, U.How, {X}, [&] {
                        return iterate(R, {X}, U.Kind);
                      }));
                    },
                    Numbers, true, true});
    if (!U.InPlace)
      continue;
    Rows.push_back({intern((U.Name + "_").str()),
                    [&U](Runtime &R, const Args &A) {
                      T X = A.tensor("self");
                      // LibTorch has no derivative for these in place.
                      bool None = U.Name.ends_with("sinh") || U.Name.ends_with("cosh") ||
                                  U.Name.ends_with("tanh");
                      TailRule How = None ? TailRule{"!NotImplemented", ""} : U.How;
                      return one(tailInPlace(R, How, {X}, [&] {
                        iterate(R, {X}, U.Kind, X);
                      }));
                    },
                    Numbers, true, true});
  }
  for (llvm::StringRef Name : Underivable)
    Rows.push_back({intern(("special_" + Name).str()),
                    [](Runtime &R, const Args &A) {
                      T X = firstOf(A, "self", "x");
                      BelowAutograd Guard(R);
                      return one(iterate(R, {X}, Iter::IntToFloat));
                    },
                    "", true, true});
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
};

const BinaryTail Binary[] = {
    {"atan2", {"Atan2Backward0", "01"}, Iter::IntToFloat},
    {"fmod", {"FmodBackward1", "1", "gn"}},
    {"remainder", {"RemainderBackward1", "1", "gn"}},
    {"floor_divide", {"!NotImplemented", ""}},
    {"fmax", {"FmaxBackward0", "01"}, Iter::Plain, false},
    {"fmin", {"FminBackward0", "01"}, Iter::Plain, false},
    {"hypot", {"HypotBackward0", "01a"}},
    {"copysign", {"CopysignBackward0", "0a"}, Iter::IntToFloat},
    {"nextafter", {"!NextafterBackward0", ""}},
    {"logaddexp", {"LogaddexpBackward0", "01"}, Iter::Plain, false},
    {"logaddexp2", {"Logaddexp2Backward0", "01"}, Iter::Plain, false},
    {"xlogy", {"XlogyBackward0", "01"}, Iter::IntToFloat},
    {"special_xlogy", {"XlogyBackward0", "01"}, Iter::IntToFloat, false},
    {"special_xlog1py", {"SpecialXlog1PyBackward0", "01"}, Iter::IntToFloat, false},
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

OpResult binaryTail(Runtime &R, const Args &A, const BinaryTail &B,
                    bool InPlace) {
  if (!A.tensor("self") && InPlace)
    return OpResult::failed((B.Name + "_ of an undefined tensor").str());
  std::vector<T> In = operands(R, A, "self", B.Second);
  if (In.empty())
    return OpResult::notModelled((B.Name + " of two numbers").str());
  TailRule How = B.How;
  std::string Saves; // A number is no tensor to keep.
  for (char C : How.Saves)
    if (C == 'a' || (C - '0' < 2 && !In[C - '0']->WrappedNumber))
      Saves += C;
  How.Saves = Saves;
  bool Modulus = B.Name == "fmod" || B.Name == "remainder";
  if (InPlace && Modulus && A.tensor(B.Second))
    How.Saves = "01"; // The quotient is reckoned again from both.
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
                      "other,self", true, true});
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
                    "n,x", true, true});
}

/// addcmul_, addcdiv_, lerp_, tril_, triu_.
void addMoreInPlace(OpTable &Rows) {
  for (llvm::StringRef Name : {"addcmul_", "addcdiv_", "lerp_"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      bool Lerp = Name == "lerp_", Div = Name == "addcdiv_";
                      std::vector<T> In{A.tensor("self"), A.tensor(Lerp ? "end" : "tensor1")};
                      if (T Y = A.tensor(Lerp ? "weight" : "tensor2"))
                        In.push_back(Y);
                      TailRule How = Lerp ? TailRule{"LerpBackward0", In.size() == 3 ? "012" : ""}
                                          : TailRule{Div ? "AddcdivBackward0" : "AddcmulBackward0", "12", "gn"};
                      return one(tailInPlace(R, How, In, [&] { iterate(R, In, Iter::Plain, In[0]); }));
                    },
                    "value,weight", true, true});
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
                    "", true, true});
    Rows.push_back({intern((Op + "_").str()),
                    [](Runtime &R, const Args &A) {
                      std::vector<T> In = operands(R, A, "self", "other");
                      if (In.empty())
                        return OpResult::failed("a logical op of no tensor", FailureKind::Other);
                      return one(tailInPlace(R, {"CloneBackward0", "", "v"}, {In[0]}, [&] {
                        aten::broadcast(R, In[0]->Sizes, In[1]->Sizes);
                      }));
                    },
                    "", true, true});
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
                      if (!A.tensor("other"))
                        In.pop_back();
                      return one(tailInPlace(R, {Node, "", "e"}, In, [&] {
                        if (In.size() == 2)
                          aten::broadcast(R, In[0]->Sizes, In[1]->Sizes);
                      }));
                    },
                    "other", true, true});
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
                    "", true, true});
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
