//===- test/oracle/shapes/record_shapes.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs each op of a list once in real LibTorch and prints what it gave: the form of
// its results, the node that autograd made, and bytes.
//
//   record_shapes cases/*.txt > recorded.txt
//
// A line of the list is a call (test/oracle/CaseText.h). With "? " before it, sizes
// of its results are in the data. After it comes what was measured:
//
//   cumprod self=f32[2,3] dim=1
//    = f32[2,3] | 24 24 | CumprodBackward0 24 24 | 24 96
//
// results | bytes after and at the peak without gradients | the first result's node,
// bytes after and at the peak with gradients | bytes after and at the peak of
// torch::autograd::grad. "view": on an argument's storage; "self": the argument.
// "error": LibTorch refused. ShapeCasesTest.cpp compares the abstract LibTorch.

#include <ATen/core/ivalue.h>
#include <torch/torch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "../CaseText.h"

#include <fstream>
#include <iostream>
#include <map>

namespace {

using at::Tensor;

struct Reporter : c10::MemoryReportingInfoBase {
  int64_t Live = 0, Peak = 0;
  void reportMemoryUsage(void *, int64_t Size, int64_t, int64_t,
                         c10::Device) override {
    Live += Size;
    Peak = std::max(Peak, Live);
  }
  bool memoryProfilingEnabled() const override { return true; }
};
std::shared_ptr<Reporter> Memory = std::make_shared<Reporter>();

const std::map<std::string, at::ScalarType> DTypes = {
    {"f32", at::kFloat}, {"f64", at::kDouble}, {"f16", at::kHalf},
    {"bf16", at::kBFloat16}, {"i64", at::kLong}, {"i32", at::kInt},
    {"i16", at::kShort}, {"i8", at::kChar}, {"u8", at::kByte},
    {"bool", at::kBool}, {"c64", at::kComplexFloat}, {"c128", at::kComplexDouble}};

std::string typeName(at::ScalarType T) {
  for (auto &[Name, Type] : DTypes)
    if (Type == T)
      return Name;
  return "?";
}

Tensor makeTensor(const cases::Value &V) {
  at::ScalarType Type = DTypes.at(V.Type);
  if (!V.Given.empty() || (V.Sizes == std::vector<int64_t>{0}))
    return torch::tensor(V.Given, at::kLong).to(Type);
  int64_t N = 1;
  for (int64_t L : V.Sizes)
    N *= L;
  Tensor Count = torch::arange(N, at::kLong);
  Tensor X;
  if (V.Below)
    X = Count.remainder(V.Below);
  else if (Type == at::kBool)
    X = Count.remainder(2);
  else if (at::isIntegralType(Type, false))
    X = Count.remainder(5) + 1;
  else
    X = (Count * 7).remainder(11).to(at::kDouble) * 0.07 + 0.1;
  X = X.reshape(V.Sizes).to(Type);
  if (V.Layout == 's')
    X = X.matmul(X.transpose(-1, -2)) + torch::eye(V.Sizes.back(), X.options()) * 3;
  if (V.Layout == 't')
    X = X.transpose(-1, -2).contiguous().transpose(-1, -2);
  if (V.Layout == 'n')
    X = X.contiguous(at::MemoryFormat::ChannelsLast);
  return X;
}

using Tensors = std::vector<Tensor>;

/// One run's tensors, made before anything is measured, in the order of the text.
struct Pool {
  Tensors Leaves;  ///< One per tensor in the text.
  Tensors Passed;  ///< What the op gets: an in-place op's own is no leaf.
  size_t Next = 0;
};

void makeAll(const cases::Value &V, Pool &P, bool Grad, bool Copy) {
  for (const cases::Value &E : V.Elements)
    makeAll(E, P, Grad, Copy);
  if (V.Kind != cases::Value::Tensor)
    return;
  Tensor X = makeTensor(V);
  if (Grad && V.Layout != 'x' && (at::isFloatingType(X.scalar_type()) || at::isComplexType(X.scalar_type())))
    X.set_requires_grad(true);
  P.Leaves.push_back(X);
  P.Passed.push_back(Grad && Copy && X.requires_grad() ? X.clone() : X);
}

c10::optional<c10::IValue> value(const cases::Value &V, const c10::Type &Type, Pool &P);

template <typename T, typename Fn>
c10::optional<c10::IValue> listOf(const cases::Value &V, const c10::Type &E,
                                  Pool &P, c10::List<T> L, Fn Get) {
  for (const cases::Value &X : V.Elements) {
    auto One = value(X, E, P);
    if (!One)
      return c10::nullopt;
    L.push_back(Get(*One));
  }
  return c10::IValue(L);
}

c10::optional<c10::IValue> listValue(const cases::Value &V, const c10::Type &E, Pool &P) {
  using c10::TypeKind;
  if (V.Kind != cases::Value::List) {
    auto One = value(V, E, P);
    if (!One || E.kind() != TypeKind::IntType)
      return c10::nullopt;
    return c10::IValue(c10::List<int64_t>({One->toInt()}));
  }
  switch (E.kind()) {
  case TypeKind::IntType:
    return listOf(V, E, P, c10::List<int64_t>(), [](auto &X) { return X.toInt(); });
  case TypeKind::BoolType:
    return listOf(V, E, P, c10::List<bool>(), [](auto &X) { return X.toBool(); });
  case TypeKind::FloatType:
    return listOf(V, E, P, c10::List<double>(), [](auto &X) { return X.toDouble(); });
  case TypeKind::NumberType:
    return listOf(V, E, P, c10::List<at::Scalar>(), [](auto &X) { return X.toScalar(); });
  case TypeKind::TensorType:
    return listOf(V, E, P, c10::List<Tensor>(), [](auto &X) { return X.toTensor(); });
  case TypeKind::OptionalType:
    return listOf(V, E, P, c10::List<c10::optional<Tensor>>(), [](auto &X) {
      return X.isNone() ? c10::optional<Tensor>() : c10::optional<Tensor>(X.toTensor());
    });
  default:
    return c10::nullopt;
  }
}

/// \p V as an argument of type \p Type, if it can be one.
c10::optional<c10::IValue> value(const cases::Value &V, const c10::Type &Type, Pool &P) {
  using c10::TypeKind;
  using cases::Value;
  auto Kind = Type.kind();
  if (Kind == TypeKind::OptionalType) {
    if (V.Kind == Value::Word && V.Spelling == "none")
      return c10::IValue();
    return value(V, *Type.castRaw<c10::OptionalType>()->getElementType(), P);
  }
  if (Kind == TypeKind::ListType)
    return listValue(V, *Type.castRaw<c10::ListType>()->getElementType(), P);
  if (V.Kind == Value::Tensor) {
    if (Kind != TypeKind::TensorType)
      return c10::nullopt;
    return c10::IValue(P.Passed.at(P.Next++));
  }
  if (V.Kind == Value::Text)
    return Kind == TypeKind::StringType ? c10::make_optional(c10::IValue(V.Spelling))
                                        : c10::nullopt;
  if (V.Kind == Value::Integer || V.Kind == Value::Real) {
    if (Kind == TypeKind::FloatType)
      return c10::IValue(V.real());
    if (Kind == TypeKind::NumberType)
      return V.Kind == Value::Integer ? c10::IValue(V.integer()) : c10::IValue(V.real());
    if (Kind == TypeKind::IntType && V.Kind == Value::Integer)
      return c10::IValue(V.integer());
    return c10::nullopt;
  }
  if (V.Spelling == "true" || V.Spelling == "false") {
    if (Kind == TypeKind::BoolType || Kind == TypeKind::NumberType)
      return c10::IValue(V.Spelling == "true");
    return c10::nullopt;
  }
  auto It = DTypes.find(V.Spelling);
  if (It != DTypes.end() && Kind == TypeKind::IntType)
    return c10::IValue(int64_t(It->second));
  return c10::nullopt;
}

bool bind(const c10::FunctionSchema &Schema, const cases::Call &C, Pool &P,
          torch::jit::Stack &S) {
  size_t Used = 0;
  for (const auto &A : Schema.arguments()) {
    const cases::Value *Given = nullptr;
    P.Next = 0;
    for (auto &G : C.Args) {
      if (G.first == A.name()) {
        Given = &G.second;
        break;
      }
      Pool Count;
      makeAll(G.second, Count, false, false);
      P.Next += Count.Leaves.size();
    }
    if (Given) {
      auto V = value(*Given, *A.type(), P);
      if (!V)
        return false;
      S.push_back(*V);
      ++Used;
    } else if (A.default_value()) {
      S.push_back(*A.default_value());
    } else if (A.type()->kind() == c10::TypeKind::OptionalType) {
      S.push_back(c10::IValue());
    } else {
      return false;
    }
  }
  return Used == C.Args.size();
}

/// The overload that takes the arguments; they are on \p S.
c10::OperatorHandle overload(const cases::Call &C, Pool &P, torch::jit::Stack &S) {
  auto Dot = C.Op.find('.');
  std::string Base = C.Op.substr(0, Dot);
  auto &D = c10::Dispatcher::singleton();
  std::vector<std::string> Overloads = {Dot == std::string::npos ? "" : C.Op.substr(Dot + 1)};
  if (Dot == std::string::npos)
    for (auto &O : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString("aten::" + Base)))
      Overloads.push_back(O->schema().overload_name());
  for (auto &Name : Overloads) {
    auto H = D.findSchema({"aten::" + Base, Name});
    S.clear();
    if (H && bind(H->schema(), C, P, S))
      return *H;
  }
  throw std::logic_error("no overload of " + C.Op + " takes these arguments");
}

std::string describe(const c10::IValue &V, const Pool &P) {
  if (V.isTensor()) {
    const Tensor &T = V.toTensor();
    if (!T.defined())
      return "undefined";
    std::string Text = typeName(T.scalar_type()) + "[";
    for (int64_t I = 0; I < T.dim(); ++I)
      Text += (I ? "," : "") + std::to_string(T.size(I));
    Text += "]";
    bool Strided = T.layout() == at::kStrided;
    if (!Strided)
      return Text + " sparse";
    if (!T.is_contiguous()) {
      Text += "{";
      for (int64_t I = 0; I < T.dim(); ++I)
        Text += (I ? "," : "") + std::to_string(T.stride(I));
      Text += "}";
    }
    for (const Tensor &X : P.Passed)
      if (X.is_same(T))
        return Text + " self";
    for (const Tensor &X : P.Passed)
      if (X.layout() == at::kStrided && X.storage().unsafeGetStorageImpl() ==
                                            T.storage().unsafeGetStorageImpl())
        return Text + " view";
    return Text;
  }
  if (V.isBool())
    return V.toBool() ? "true" : "false";
  if (V.isInt())
    return std::to_string(V.toInt());
  return V.isDouble() || V.isScalar() ? "number" : "?";
}

void spread(torch::jit::Stack &S, std::vector<c10::IValue> &Out) {
  for (c10::IValue &V : S) {
    if (V.isTensorList()) {
      for (const Tensor &T : V.toTensorVector())
        Out.push_back(T);
    } else {
      Out.push_back(std::move(V));
    }
  }
  S.clear();
}

std::string measured(int64_t Before) {
  return std::to_string(Memory->Live - Before) + " " + std::to_string(Memory->Peak - Before);
}

struct Run {
  Pool P;
  std::vector<c10::IValue> Out;
  std::string Bytes;

  Run(const cases::Call &C, bool Grad) {
    bool First = true;
    for (auto &A : C.Args) {
      makeAll(A.second, P, Grad, First && cases::isInPlace(C.Op));
      First = false;
    }
    torch::jit::Stack S;
    at::AutoGradMode Mode(Grad);
    auto H = overload(C, P, S);
    int64_t Before = Memory->Live;
    Memory->Peak = Before;
    H.callBoxed(&S);
    spread(S, Out);
    Bytes = measured(Before);
  }
};

std::string withGradients(const cases::Call &C) {
  Run R(C, true);
  Tensors Roots, Ones, Leaves;
  for (c10::IValue &V : R.Out)
    if (V.isTensor() && V.toTensor().defined() && V.toTensor().grad_fn())
      Roots.push_back(V.toTensor());
  if (Roots.empty())
    return " | none";
  std::string Text = " | " + Roots[0].grad_fn()->name() + " " + R.Bytes;
  for (const Tensor &T : Roots)
    Ones.push_back(torch::ones_like(T));
  for (const Tensor &T : R.P.Leaves)
    if (T.requires_grad())
      Leaves.push_back(T);
  R.Out.clear();
  int64_t Before = Memory->Live;
  Memory->Peak = Before;
  try {
    auto G = torch::autograd::grad(Roots, Leaves, Ones, false, false, true);
    Text += " | " + measured(Before);
  } catch (const std::exception &E) {
    Text += " | error";
  }
  return Text;
}

std::string firstLine(const std::exception &E) {
  std::string What = E.what();
  return What.substr(0, What.find('\n'));
}

/// What real LibTorch did, or why the case can't be run at all.
std::string record(const cases::Call &C, bool &Broken) {
  std::string Text = " =";
  try {
    Run R(C, false);
    for (size_t I = 0; I < R.Out.size(); ++I)
      Text += (I ? "; " : " ") + describe(R.Out[I], R.P);
    Text += " | " + R.Bytes;
  } catch (const std::logic_error &E) {
    Broken = true;
    return E.what();
  } catch (const std::exception &E) {
    std::cerr << C.Op << ": " << firstLine(E) << "\n";
    return " = error";
  }
  try {
    Text += withGradients(C);
  } catch (const std::exception &E) {
    std::cerr << C.Op << " with gradients: " << firstLine(E) << "\n";
    Text += " | error";
  }
  return Text;
}

} // namespace

int main(int Argc, char **Argv) {
  torch::set_num_threads(1);
  at::globalContext().setUserEnabledMkldnn(false);
  { // Start the engine before anything is measured.
    auto W = torch::ones({1}, torch::requires_grad());
    (W * W).sum().backward();
  }
  c10::DebugInfoGuard Guard(c10::DebugInfoKind::PROFILER_STATE, Memory);
  int Failed = 0;
  for (int I = 1; I < Argc; ++I) {
    std::ifstream File(Argv[I]);
    for (std::string Line; std::getline(File, Line);) {
      if (Line.empty() || Line[0] == '#')
        continue;
      std::string Text = Line[0] == '?' ? Line.substr(2) : Line;
      cases::Reader In(Text);
      cases::Call C = In.call();
      bool Broken = !In.Ok;
      std::string Result = Broken ? "cannot be read" : record(C, Broken);
      if (Broken) {
        std::cerr << Argv[I] << ": " << Line << ": " << Result << "\n";
        ++Failed;
        continue;
      }
      std::cout << Line << "\n" << Result << "\n";
    }
  }
  return Failed != 0;
}
