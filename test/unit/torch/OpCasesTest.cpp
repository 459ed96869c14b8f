//===- test/unit/torch/OpCasesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs the op cases that real LibTorch recorded (test/oracle/ops) on the abstract
// runtime: every allocation and release must be the same, in bytes and in order.
// Cases in expected-failures.txt are known to differ, with the reason.

#include "lib/torch/Registry.h"
#include "test/oracle/CaseText.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace vramlint;

namespace {

const std::filesystem::path Folder =
    std::filesystem::path(VRAMLINT_SOURCE_DIR) / "test/oracle/ops";

using cases::splitList;

/// The statements of a case, run on the abstract runtime.
class CaseRunner {
public:
  explicit CaseRunner(TargetConfig Config) : R(Config, Out) {}

  /// The allocations and releases of \p Line; what went wrong in \p Error.
  std::vector<int64_t> run(const std::string &Line, std::string &Error);

private:
  void statement(const std::string &Line, std::string &Error);
  Arg value(const std::string &Text);
  void bind(const std::string &Text, Args &A);
  void assign(const std::string &Names, OpResult Result, std::string &Error);

  Trace Out;
  Runtime R;
  std::map<std::string, TensorRef> Vars;
};

Arg CaseRunner::value(const std::string &Text) {
  if (Text.front() == '[') {
    auto Parts = splitList(Text.substr(1, Text.size() - 2));
    if (!Parts.empty() && Vars.count(Parts[0])) {
      std::vector<TensorRef> L;
      for (auto &P : Parts)
        L.push_back(P == "none" ? TensorRef() : Vars.at(P));
      return Arg(std::move(L));
    }
    Arg::Ints L;
    for (auto &P : Parts)
      L.push_back(std::stoll(P));
    return Arg(std::move(L));
  }
  if (Text.front() == '\'')
    return Arg(Text.substr(1, Text.size() - 2));
  if (Vars.count(Text))
    return Arg(Vars.at(Text));
  if (Text == "none")
    return Arg();
  if (Text == "true" || Text == "false")
    return Arg(Text == "true");
  if (auto T = parseDType(Text))
    return Arg(*T);
  if (Text.find_first_of(".e") != std::string::npos)
    return Arg(std::stod(Text));
  return Arg(int64_t(std::stoll(Text)));
}

void CaseRunner::bind(const std::string &Text, Args &A) {
  for (auto &[Name, Value] : cases::splitArgs(Text))
    A.add(Name, value(Value));
}

void CaseRunner::assign(const std::string &Names, OpResult Result,
                        std::string &Error) {
  if (Result.Kind != OpResult::Ok) {
    Error = Result.Message;
    return;
  }
  std::vector<TensorRef> Values;
  for (Arg &V : Result.Values) {
    if (auto *T = std::get_if<TensorRef>(&V.V))
      Values.push_back(std::move(*T));
    else if (auto *L = std::get_if<std::vector<TensorRef>>(&V.V))
      for (TensorRef &T : *L)
        Values.push_back(std::move(T));
  }
  Result.Values.clear();
  auto Left = splitList(Names);
  for (size_t I = 0; I < Left.size() && I < Values.size(); ++I)
    Vars[Left[I]] = std::move(Values[I]);
}

void CaseRunner::statement(const std::string &Line, std::string &Error) {
  std::stringstream In(Line);
  std::string Word, X;
  In >> Word;
  if (Word == "grad" || Word == "nograd") {
    while (In >> X)
      Vars.at(X)->RequiresGrad = Word == "grad";
  } else if (Word == "backward") {
    In >> X;
    std::string Flag;
    TensorRef G;
    bool Retain = false, Create = false;
    while (In >> Flag) {
      Retain |= Flag == "retain";
      Create |= Flag == "create";
      if (Flag == "by" && In >> Flag)
        G = Vars.at(Flag);
    }
    assign("", R.backward(Vars.at(X), G, Retain, Create), Error);
  } else if (Word == "gradients") {
    std::string Names;
    while (In >> X && X != "=")
      Names += (Names.empty() ? "" : ",") + X;
    In >> X;
    TensorRef Root = Vars.at(X);
    std::vector<TensorRef> Inputs;
    In >> X;
    bool Create = false;
    while (In >> X)
      if (X == "create")
        Create = true;
      else
        Inputs.push_back(Vars.at(X));
    OpResult Out = R.grad(Root, {}, Inputs, Create, Create, false);
    Root = nullptr;
    Inputs.clear();
    assign(Names, std::move(Out), Error);
  } else if (Word == "take") {
    std::string From;
    In >> X >> From;
    Vars[X] = Vars.at(From)->Grad;
  } else if (Word == "free") {
    while (In >> X)
      Vars.erase(X);
  } else if (Word == "dropgrad") {
    while (In >> X)
      Vars.at(X)->Grad = nullptr;
  } else if (Word == "mode") {
    In >> X;
    R.GradMode = X == "grad";
  } else {
    auto E = Line.find(" = ");
    std::string Call = E == std::string::npos ? Line : Line.substr(E + 3);
    auto Space = std::min(Call.find(' '), Call.size());
    std::string Op = Call.substr(0, Space);
    Args A;
    bind(Call.substr(std::min(Space + 1, Call.size())), A);
    OpResult Result = R.call(Op.substr(0, Op.find('.')), A);
    A.List.clear();
    assign(E == std::string::npos ? "" : Line.substr(0, E), std::move(Result),
           Error);
  }
}

std::vector<int64_t> CaseRunner::run(const std::string &Line,
                                     std::string &Error) {
  size_t First = Out.Events.size();
  statement(Line, Error);
  std::vector<int64_t> Deltas;
  for (size_t I = First; I < Out.Events.size(); ++I) {
    if (Out.Events[I].Kind == EventKind::Alloc)
      Deltas.push_back(Out.Events[I].Value);
    if (Out.Events[I].Kind == EventKind::Free)
      Deltas.push_back(-Out.Events[I].Value);
  }
  return Deltas;
}

struct Extremes {
  int64_t Live = 0, Peak = 0;
  bool operator==(const Extremes &) const = default;
};
Extremes extremes(const std::vector<int64_t> &Deltas) {
  Extremes E;
  for (int64_t D : Deltas) {
    E.Live += D;
    E.Peak = std::max(E.Peak, E.Live);
  }
  return E;
}

std::string print(const std::vector<int64_t> &Deltas) {
  std::string S;
  for (int64_t D : Deltas)
    S += (S.empty() ? "" : ", ") + std::to_string(D);
  return "[" + S + "]";
}

/// How a case compares. Order: bytes and order of every event. Peak: what is alive
/// after each statement and at its peak.
enum class Agreement { Order, Peak, None };

Agreement runCase(const nlohmann::json &Case, std::string &Report) {
  CaseRunner Runner{TargetConfig{DeviceKind::CPU, false, 1, 13, 1}};
  Agreement Result = Agreement::Order;
  for (const auto &S : Case["statements"]) {
    std::string Line = S[0], Error;
    std::vector<int64_t> Want = S[1];
    std::vector<int64_t> Got = Runner.run(Line, Error);
    if (!Error.empty()) {
      Report += "  " + Line + "\n    error: " + Error + "\n";
      return Agreement::None;
    }
    if (Got == Want)
      continue;
    bool Same = extremes(Got) == extremes(Want);
    Result = Same && Result != Agreement::None ? Agreement::Peak
                                               : Agreement::None;
    Report += "  " + Line + (Same ? "   (order only)" : "") + "\n    want " +
              print(Want) + "\n    got  " + print(Got) + "\n";
  }
  return Result;
}

/// The case names of \p File, one a line, "#" starts a comment.
std::set<std::string> namesIn(const char *File) {
  std::set<std::string> Names;
  std::ifstream In(Folder / File);
  for (std::string Line; std::getline(In, Line);) {
    std::string Name = Line.substr(0, Line.find_first_of(" #"));
    if (!Name.empty())
      Names.insert(Name);
  }
  return Names;
}

TEST(OpCases, AgreeWithLibTorch) {
  std::set<std::string> Expected = namesIn("expected-failures.txt");
  unsigned Order = 0, Peak = 0;
  std::vector<std::filesystem::path> Files;
  for (auto &F : std::filesystem::directory_iterator(Folder / "recorded"))
    if (F.path().extension() == ".json")
      Files.push_back(F.path());
  std::sort(Files.begin(), Files.end());
  ASSERT_FALSE(Files.empty());
  for (auto &Path : Files) {
    std::ifstream In(Path);
    auto Recorded = nlohmann::json::parse(In, nullptr, false);
    ASSERT_FALSE(Recorded.is_discarded()) << Path;
    for (const auto &Case : Recorded["cases"]) {
      std::string Name = Case["case"], Report;
      Agreement A = runCase(Case, Report);
      Order += A == Agreement::Order;
      Peak += A == Agreement::Peak;
      bool Known = Expected.count(Name);
      if (A == Agreement::None && !Known)
        ADD_FAILURE() << Path.stem().string() << ": " << Name << "\n" << Report;
      else if (A != Agreement::None && Known)
        ADD_FAILURE() << Name << " agrees now: take it out of the list";
      else if (A == Agreement::Peak && getenv("VRAMLINT_SHOW_ORDER"))
        std::printf("order differs in %s\n%s", Name.c_str(), Report.c_str());
    }
  }
  std::printf("%u cases agree event by event, %u in live and peak bytes, %zu "
              "are known to differ\n",
              Order, Peak, Expected.size());
}

} // namespace
