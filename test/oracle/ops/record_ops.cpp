//===- test/oracle/ops/record_ops.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs op cases in real LibTorch and prints, as JSON, every allocation (+bytes)
// and release (-bytes) in order, statement by statement.
//
//   record_ops [--mkldnn] cases/*.txt > recorded.json
//
// A case is "case NAME" and statements, one a line:
//   y = add.Tensor self=x other=2.5     any ATen op, by schema argument names
//   a, b = chunk self=x chunks=2        several results (a list is spread)
//   grad x | nograd x                   x.set_requires_grad(true | false)
//   backward y [retain] [create] [by g] y.backward(g, retain, create)
//   gradients a b = y wrt x w [create]  torch::autograd::grad({y}, {x, w})
//   take g x                            g = x.grad()
//   free x y                            the handles die, in order
//   dropgrad x                          x.mutable_grad().reset()
//   mode grad | nograd                  GradMode
// Values: x (a variable), 1, 1.5, true, none, [1, 2], [x, y], 'text', float,
// double, half, bfloat16, long, int, bool, byte (dtypes).
// The same text runs on the abstract runtime in test/unit/torch.

#include <ATen/core/ivalue.h>
#include <torch/torch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "../CaseText.h"

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace {

std::vector<int64_t> Events;

struct Reporter : c10::MemoryReportingInfoBase {
  void reportMemoryUsage(void *, int64_t Size, int64_t, int64_t,
                         c10::Device) override {
    Events.push_back(Size);
  }
  bool memoryProfilingEnabled() const override { return true; }
};

using Env = std::map<std::string, at::Tensor>;

const std::map<std::string, at::ScalarType> DTypes = {
    {"float", at::kFloat}, {"double", at::kDouble}, {"half", at::kHalf},
    {"bfloat16", at::kBFloat16}, {"long", at::kLong}, {"int", at::kInt},
    {"bool", at::kBool}, {"byte", at::kByte}};

using cases::splitList;

bool isNumber(const std::string &T) {
  return !T.empty() && (isdigit(T[0]) || T[0] == '-' || T[0] == '.');
}
bool isInt(const std::string &T) {
  return isNumber(T) && T.find_first_of(".e") == std::string::npos;
}

/// The value of \p Text if it can be an argument of type \p Type.
c10::optional<c10::IValue> value(const std::string &Text, const c10::Type &Type,
                                 const Env &Vars) {
  using c10::TypeKind;
  auto Kind = Type.kind();
  if (Kind == TypeKind::OptionalType) {
    if (Text == "none")
      return c10::IValue();
    return value(Text, *Type.castRaw<c10::OptionalType>()->getElementType(),
                 Vars);
  }
  if (Kind == TypeKind::TensorType) {
    auto It = Vars.find(Text);
    if (It != Vars.end())
      return c10::IValue(It->second);
    return c10::nullopt;
  }
  if (Kind == TypeKind::ListType) {
    const auto &E = *Type.castRaw<c10::ListType>()->getElementType();
    if (Text.front() != '[') {
      auto One = value(Text, E, Vars);
      if (!One || E.kind() != TypeKind::IntType)
        return c10::nullopt;
      return c10::IValue(c10::List<int64_t>({One->toInt()}));
    }
    auto Parts = splitList(Text.substr(1, Text.size() - 2));
    if (E.kind() == TypeKind::IntType) {
      c10::List<int64_t> L;
      for (auto &P : Parts) {
        if (!isInt(P))
          return c10::nullopt;
        L.push_back(std::stoll(P));
      }
      return c10::IValue(L);
    }
    if (E.kind() == TypeKind::BoolType) {
      c10::List<bool> L;
      for (auto &P : Parts)
        L.push_back(P == "true");
      return c10::IValue(L);
    }
    if (E.kind() == TypeKind::FloatType) {
      c10::List<double> L;
      for (auto &P : Parts) {
        if (!isNumber(P))
          return c10::nullopt;
        L.push_back(std::stod(P));
      }
      return c10::IValue(L);
    }
    if (E.kind() == TypeKind::TensorType) {
      c10::List<at::Tensor> L;
      for (auto &P : Parts) {
        if (!Vars.count(P))
          return c10::nullopt;
        L.push_back(Vars.at(P));
      }
      return c10::IValue(L);
    }
    if (E.kind() == TypeKind::OptionalType) {
      c10::List<c10::optional<at::Tensor>> L;
      for (auto &P : Parts)
        L.push_back(P == "none" ? c10::optional<at::Tensor>()
                                : c10::optional<at::Tensor>(Vars.at(P)));
      return c10::IValue(L);
    }
    return c10::nullopt;
  }
  if (Vars.count(Text))
    return c10::nullopt;
  if (Kind == TypeKind::StringType)
    return Text.front() == '\'' ? c10::make_optional(c10::IValue(
                                      Text.substr(1, Text.size() - 2)))
                                : c10::nullopt;
  if (Text == "true" || Text == "false") {
    if (Kind == TypeKind::BoolType || Kind == TypeKind::NumberType)
      return c10::IValue(Text == "true");
    return c10::nullopt;
  }
  if (DTypes.count(Text))
    return Kind == TypeKind::IntType
               ? c10::make_optional(c10::IValue(int64_t(DTypes.at(Text))))
               : c10::nullopt;
  if (!isNumber(Text))
    return c10::nullopt;
  if (Kind == TypeKind::FloatType)
    return c10::IValue(std::stod(Text));
  if (Kind == TypeKind::NumberType)
    return isInt(Text) ? c10::IValue(int64_t(std::stoll(Text)))
                       : c10::IValue(std::stod(Text));
  if (Kind == TypeKind::IntType && isInt(Text))
    return c10::IValue(int64_t(std::stoll(Text)));
  return c10::nullopt;
}

using Named = std::vector<std::pair<std::string, std::string>>;

/// Fills \p S for \p Schema; false if the arguments do not suit it.
bool bind(const c10::FunctionSchema &Schema, const Named &Given,
          const Env &Vars, torch::jit::Stack &S) {
  size_t Used = 0;
  for (const auto &A : Schema.arguments()) {
    const std::string *Text = nullptr;
    for (auto &G : Given)
      if (G.first == A.name())
        Text = &G.second;
    if (Text) {
      auto V = value(*Text, *A.type(), Vars);
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
  return Used == Given.size();
}

std::vector<at::Tensor> callOp(const std::string &Op, const Named &Given,
                               const Env &Vars) {
  auto Dot = Op.find('.');
  std::string Base = Op.substr(0, Dot);
  std::string Overload = Dot == std::string::npos ? "" : Op.substr(Dot + 1);
  auto &D = c10::Dispatcher::singleton();
  std::vector<std::string> Overloads = {Overload};
  if (Dot == std::string::npos)
    for (auto &O : torch::jit::getAllOperatorsFor(
             c10::Symbol::fromQualString("aten::" + Base)))
      Overloads.push_back(O->schema().overload_name());
  for (auto &Name : Overloads) {
    auto H = D.findSchema({"aten::" + Base, Name});
    torch::jit::Stack S;
    if (!H || !bind(H->schema(), Given, Vars, S))
      continue;
    H->callBoxed(&S);
    std::vector<at::Tensor> Out;
    for (auto &V : S) {
      if (V.isTensor())
        Out.push_back(std::move(V).toTensor());
      else if (V.isTensorList())
        for (const at::Tensor &T : V.toTensorVector())
          Out.push_back(T);
    }
    return Out;
  }
  throw std::runtime_error("no overload of " + Op + " takes these arguments");
}

void runStatement(const std::string &Line, Env &Vars) {
  std::stringstream In(Line);
  std::string Word, X;
  In >> Word;
  if (Word == "grad" || Word == "nograd") {
    while (In >> X)
      Vars.at(X).set_requires_grad(Word == "grad");
  } else if (Word == "backward") {
    In >> X;
    std::string Flag;
    at::Tensor G;
    bool Retain = false, Create = false;
    while (In >> Flag) {
      Retain |= Flag == "retain";
      Create |= Flag == "create";
      if (Flag == "by" && In >> Flag)
        G = Vars.at(Flag);
    }
    Vars.at(X).backward(G, Retain || Create, Create);
  } else if (Word == "gradients") {
    std::vector<std::string> Names;
    torch::autograd::variable_list Inputs;
    while (In >> X && X != "=")
      Names.push_back(X);
    In >> X;
    torch::autograd::variable_list Roots = {Vars.at(X)};
    In >> X;
    bool Create = false;
    while (In >> X)
      if (X == "create")
        Create = true;
      else
        Inputs.push_back(Vars.at(X));
    auto Out = torch::autograd::grad(Roots, Inputs, {}, Create, Create);
    Roots.clear();
    Inputs.clear();
    for (size_t I = 0; I < Names.size(); ++I)
      Vars[Names[I]] = std::move(Out[I]);
  } else if (Word == "take") {
    std::string From;
    In >> X >> From;
    Vars[X] = Vars.at(From).grad();
  } else if (Word == "free") {
    while (In >> X)
      Vars.erase(X);
  } else if (Word == "dropgrad") {
    while (In >> X)
      Vars.at(X).mutable_grad().reset();
  } else if (Word == "mode") {
    In >> X;
    at::GradMode::set_enabled(X == "grad");
  } else {
    auto E = Line.find(" = ");
    std::string Call = E == std::string::npos ? Line : Line.substr(E + 3);
    auto Space = std::min(Call.find(' '), Call.size());
    auto Out = callOp(Call.substr(0, Space),
                      cases::splitArgs(Call.substr(std::min(Space + 1, Call.size()))),
                      Vars);
    if (E == std::string::npos)
      return;
    auto Names = splitList(Line.substr(0, E));
    for (size_t I = 0; I < Names.size() && I < Out.size(); ++I)
      Vars[Names[I]] = std::move(Out[I]);
  }
}

} // namespace

int main(int Argc, char **Argv) {
  torch::set_num_threads(1);
  bool OneDNN = Argc > 1 && std::string(Argv[1]) == "--mkldnn";
  at::globalContext().setUserEnabledMkldnn(OneDNN);
  { // Start the engine before anything is measured.
    auto W = torch::ones({1}, torch::requires_grad());
    (W * W).sum().backward();
  }
  auto Info = std::make_shared<Reporter>();
  c10::DebugInfoGuard Guard(c10::DebugInfoKind::PROFILER_STATE, Info);
  std::cout << "{\"conditions\": {\"libtorch\": \"" << TORCH_VERSION
            << "\", \"device\": \"cpu\", \"threads\": 1, \"onednn\": "
            << (OneDNN ? "true" : "false") << "},\n\"cases\": [";
  const char *Sep = "\n";
  int Failed = 0;
  for (int I = OneDNN ? 2 : 1; I < Argc; ++I) {
    std::ifstream File(Argv[I]);
    Env Vars;
    bool Open = false, Skip = false;
    const char *Inner = "\n";
    auto Close = [&] {
      if (Open)
        std::cout << "]}";
      Open = false;
      Vars.clear();
      at::GradMode::set_enabled(true);
    };
    for (std::string Line; std::getline(File, Line);) {
      if (Line.empty() || Line[0] == '#')
        continue;
      if (Line.rfind("case ", 0) == 0) {
        Close();
        std::cout << Sep << "{\"case\": \"" << Line.substr(5)
                  << "\", \"statements\": [";
        Sep = ",\n";
        Inner = "\n";
        Open = true;
        Skip = false;
        continue;
      }
      if (Skip)
        continue;
      Events.clear();
      try {
        runStatement(Line, Vars);
      } catch (const std::exception &E) {
        std::string What = E.what();
        std::cerr << Argv[I] << ": " << Line << ": "
                  << What.substr(0, What.find('\n')) << "\n";
        ++Failed;
        Skip = true;
        continue;
      }
      std::cout << Inner << "  [\"" << Line << "\", [";
      for (size_t K = 0; K < Events.size(); ++K)
        std::cout << (K ? ", " : "") << Events[K];
      std::cout << "]]";
      Inner = ",\n";
    }
    Close();
  }
  std::cout << "\n]}\n";
  return Failed != 0;
}
