//===- test/unit/torch/ShapeCasesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every op once on the abstract runtime, against what real LibTorch gave
// (test/oracle/shapes/recorded.txt): shapes, dtypes, strides, views, whether
// there is an autograd node, and bytes. Rows that say that they don't model their temporaries may stay
// below the real peak, but not by more than they say.

#include "lib/torch/Registry.h"
#include "lib/torch/Rules.h"
#include "test/oracle/CaseText.h"

#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace vramlint;

namespace {

const std::filesystem::path Folder =
    std::filesystem::path(VRAMLINT_SOURCE_DIR) / "test/oracle/shapes";

const std::map<std::string, DType> DTypes = {
    {"f32", DType::Float32}, {"f64", DType::Float64}, {"f16", DType::Float16},
    {"bf16", DType::BFloat16}, {"i64", DType::Int64}, {"i32", DType::Int32},
    {"i16", DType::Int16}, {"i8", DType::Int8}, {"u8", DType::UInt8},
    {"bool", DType::Bool}, {"c64", DType::ComplexFloat}, {"c128", DType::ComplexDouble}};

std::string typeName(DType T) {
  for (auto &[Name, Type] : DTypes)
    if (Type == T)
      return Name;
  return "?";
}

/// As c10::ScalarType numbers them.
int scalarTypeNumber(DType T) {
  static const DType Order[] = {DType::UInt8, DType::Int8, DType::Int16, DType::Int32,
                                DType::Int64, DType::Float16, DType::Float32, DType::Float64};
  for (int I = 0; I < 8; ++I)
    if (Order[I] == T)
      return I;
  return -1;
}

/// What one case gave, in the words of recorded.txt.
struct Outcome {
  std::vector<std::string> Forms;
  std::string Node;
  std::vector<int64_t> Plain, Graph, Back; ///< Bytes after, bytes at the peak.
  int64_t Plus[3] = {0, 0, 0};             ///< What each peak may be above that.
  bool Failed = false, BackFailed = false;
  std::string Message;
};

/// One op on the abstract runtime.
class Case {
public:
  Case(const cases::Call &C, bool Grad) : C(C), Grad(Grad), R({DeviceKind::CPU, false, 1, 13, 1}, Out) {}
  ~Case() { Result = OpResult(); }

  void run(Outcome &O);

private:
  Arg value(const cases::Value &V, bool Own);
  TensorRef make(const cases::Value &V, bool Own);
  void collect();
  std::string describe(const Arg &A) const;
  void back(Outcome &O);
  /// Bytes since event \p First: after it all, and at the peak.
  std::vector<int64_t> bytesSince(size_t First) const;
  int64_t plusSince(size_t FirstOp) const;

  const cases::Call &C;
  bool Grad;
  Trace Out;
  Runtime R;
  std::vector<TensorRef> Leaves, Passed;
  OpResult Result;
  std::vector<Arg> Values;
};

TensorRef Case::make(const cases::Value &V, bool Own) {
  Shape S;
  for (int64_t L : V.Sizes)
    S.Dims.push_back(Dim(L));
  TensorRef X = R.make(S, DTypes.at(V.Type), Device{});
  unsigned N = X->rank();
  if (V.Layout == 't' && N >= 2) {
    X->Strides = X->strides();
    X->Strides[N - 2] = 1;
    X->Strides[N - 1] = V.Sizes[N - 2];
  }
  if (V.Layout == 'n' && N == 4)
    X->Strides = {V.Sizes[1] * V.Sizes[2] * V.Sizes[3], 1, V.Sizes[1] * V.Sizes[3], V.Sizes[1]};
  bool Needs = Grad && V.Layout != 'x' && isFloating(X->Type);
  X->RequiresGrad = Needs;
  Leaves.push_back(X);
  Passed.push_back(Needs && Own ? aten::clone(R, X) : X);
  return Passed.back();
}

Arg Case::value(const cases::Value &V, bool Own) {
  switch (V.Kind) {
  case cases::Value::Tensor:
    return Arg(make(V, Own));
  case cases::Value::Text:
    return Arg(V.Spelling);
  case cases::Value::Integer:
    return Arg(V.integer());
  case cases::Value::Real:
    return Arg(V.real());
  case cases::Value::List: {
    bool Ints = true, Reals = !V.Elements.empty();
    for (const cases::Value &E : V.Elements) {
      Ints &= E.Kind == cases::Value::Integer;
      Reals &= E.Kind == cases::Value::Integer || E.Kind == cases::Value::Real;
    }
    if (Ints) {
      Arg::Ints L;
      for (const cases::Value &E : V.Elements)
        L.push_back(E.integer());
      return Arg(std::move(L));
    }
    if (Reals) {
      std::vector<double> L;
      for (const cases::Value &E : V.Elements)
        L.push_back(E.real());
      return Arg(std::move(L));
    }
    std::vector<TensorRef> L;
    for (const cases::Value &E : V.Elements)
      L.push_back(E.Kind == cases::Value::Tensor ? make(E, Own) : TensorRef());
    return Arg(std::move(L));
  }
  case cases::Value::Word:
    break;
  }
  if (V.Spelling == "true" || V.Spelling == "false")
    return Arg(V.Spelling == "true");
  auto It = DTypes.find(V.Spelling);
  return It == DTypes.end() ? Arg() : Arg(It->second);
}

std::string Case::describe(const Arg &A) const {
  if (const bool *B = std::get_if<bool>(&A.V))
    return *B ? "true" : "false";
  if (const int64_t *N = std::get_if<int64_t>(&A.V))
    return std::to_string(*N);
  if (std::holds_alternative<double>(A.V))
    return "number";
  if (const DType *T = std::get_if<DType>(&A.V))
    return std::to_string(scalarTypeNumber(*T));
  const TensorRef *P = std::get_if<TensorRef>(&A.V);
  if (!P)
    return "?";
  if (!*P)
    return "undefined";
  const TensorImpl &T = **P;
  if (!T.Sizes.RankKnown)
    return typeName(T.Type) + "?";
  std::string Text = typeName(T.Type) + "[";
  for (unsigned I = 0; I < T.rank(); ++I)
    Text += (I ? "," : "") + (T.size(I).known() ? std::to_string(T.size(I).Length) : "?");
  Text += "]";
  if (!T.isContiguous() && T.Sizes.known()) {
    auto S = T.strides();
    Text += "{";
    for (unsigned I = 0; I < T.rank(); ++I)
      Text += (I ? "," : "") + std::to_string(S[I]);
    Text += "}";
  }
  for (const TensorRef &X : Passed)
    if (X == *P)
      return Text + " self";
  for (const TensorRef &X : Passed)
    if (X->Store == T.Store)
      return Text + " view";
  return Text;
}

void Case::collect() {
  for (Arg &V : Result.Values) {
    if (auto *L = std::get_if<std::vector<TensorRef>>(&V.V))
      for (TensorRef &T : *L)
        Values.push_back(Arg(std::move(T)));
    else
      Values.push_back(std::move(V));
  }
  Result.Values.clear();
}

std::vector<int64_t> Case::bytesSince(size_t First) const {
  int64_t Live = 0, Peak = 0;
  for (size_t I = First; I < Out.Events.size(); ++I) {
    if (Out.Events[I].Kind == EventKind::Alloc)
      Live += Out.Events[I].Value;
    if (Out.Events[I].Kind == EventKind::Free)
      Live -= Out.Events[I].Value;
    Peak = std::max(Peak, Live);
  }
  return {Live, Peak};
}

int64_t Case::plusSince(size_t FirstOp) const {
  int64_t Plus = 0;
  for (size_t I = FirstOp; I < Out.Ops.size(); ++I)
    Plus = std::max(Plus, Out.Ops[I].ScratchBytesMax);
  return Plus;
}

void Case::back(Outcome &O) {
  std::vector<TensorRef> Roots, Ones, Wanted;
  for (Arg &V : Values)
    if (auto *T = std::get_if<TensorRef>(&V.V); T && *T && (*T)->GradFn)
      Roots.push_back(*T);
  if (Roots.empty()) {
    O.Node = "none";
    return;
  }
  O.Node = Roots[0]->GradFn->Name.str();
  for (const TensorRef &T : Roots)
    Ones.push_back(aten::emptyLike(R, T));
  for (const TensorRef &T : Leaves)
    if (T->RequiresGrad)
      Wanted.push_back(T);
  Values.clear();
  size_t First = Out.Events.size(), FirstOp = Out.Ops.size();
  OpResult G = R.grad(Roots, Ones, Wanted, false, false, true);
  O.Back = bytesSince(First);
  O.Plus[2] = plusSince(FirstOp);
  O.BackFailed = G.Kind != OpResult::Ok;
  if (O.BackFailed)
    O.Message = G.Message;
  for (const Arg &V : G.Values)
    if (auto *T = std::get_if<TensorRef>(&V.V); T && *T && !(*T)->Sizes.known())
      O.Message = "a gradient of unknown shape";
}

void Case::run(Outcome &O) {
  R.GradMode = Grad;
  Args A;
  bool Own = cases::isInPlace(C.Op);
  for (auto &[Name, V] : C.Args) {
    A.add(Name, value(V, Grad && Own));
    Own = false;
  }
  size_t First = Out.Events.size(), FirstOp = Out.Ops.size();
  Result = R.call(llvm::StringRef(C.Op).split('.').first, A);
  A.List.clear();
  if (Result.Kind != OpResult::Ok) {
    O.Failed = Result.Kind == OpResult::Failed;
    O.Message = Result.Message;
    return;
  }
  collect();
  (Grad ? O.Graph : O.Plain) = bytesSince(First);
  O.Plus[Grad] = plusSince(FirstOp);
  if (Grad)
    return back(O);
  for (const Arg &V : Values)
    O.Forms.push_back(describe(V));
}

/// "f32[?,3]" agrees with "f32[2,3]" where sizes are in the data.
bool sameForm(const std::string &Want, const std::string &Got, bool InData) {
  if (Want == Got)
    return true;
  if (Want == "number" || Want == "true" || Want == "false")
    return Got == "?" || Got == Want;
  if (!InData)
    return false;
  size_t I = 0, J = 0;
  std::string Have = Want.substr(0, Want.find_first_of(" {"));
  for (; I < Have.size() && J < Got.size(); ++I, ++J) {
    if (Got[J] == '?') {
      while (I + 1 < Have.size() && std::isdigit((unsigned char)Have[I + 1]))
        ++I;
      continue;
    }
    if (Have[I] != Got[J])
      return false;
  }
  return I == Have.size() && J == Got.size();
}

std::vector<std::string> split(const std::string &Text, const std::string &By) {
  std::vector<std::string> Parts;
  size_t From = 0;
  for (size_t To; (To = Text.find(By, From)) != std::string::npos; From = To + By.size())
    Parts.push_back(Text.substr(From, To - From));
  Parts.push_back(Text.substr(From));
  return Parts;
}

/// Compares \p Got, bytes after and at the peak, with the text of the record.
void compareBytes(const char *What, const std::string &Want,
                  const std::vector<int64_t> &Got, int64_t Plus, std::string &Report) {
  std::stringstream In(Want);
  int64_t After = 0, Peak = 0;
  In >> After >> Peak;
  bool Same = Got.size() == 2 && Got[0] == After && Got[1] <= Peak && Peak <= Got[1] + Plus;
  if (!Same)
    Report += std::string("  ") + What + ": want " + Want + ", got " +
              (Got.size() == 2 ? std::to_string(Got[0]) + " " + std::to_string(Got[1])
                               : std::string("nothing")) +
              (Plus ? " and up to " + std::to_string(Plus) + " more" : "") + "\n";
}

std::string compare(const cases::Call &C, const std::string &Recorded, bool InData) {
  Outcome O;
  Case(C, false).run(O);
  std::vector<std::string> Parts = split(Recorded.substr(3), " | ");
  if (Parts[0] == "error")
    return O.Failed ? "" : "  want a refusal, got " +
                               (O.Forms.empty() ? O.Message : O.Forms[0]) + "\n";
  if (O.Forms.empty() && !O.Message.empty())
    return "  want " + Parts[0] + ", got: " + O.Message + "\n";
  std::vector<std::string> Want = Parts[0].empty() ? std::vector<std::string>() : split(Parts[0], "; ");
  std::string Report, Got;
  bool Same = Want.size() == O.Forms.size() || (InData && !O.Forms.empty());
  for (size_t I = 0; I < O.Forms.size(); ++I) {
    Same &= I < Want.size() && sameForm(Want[I], O.Forms[I], InData);
    Got += (I ? "; " : "") + O.Forms[I];
  }
  if (!Same)
    Report += "  form: want " + Parts[0] + ", got " + Got + "\n";
  if (InData)
    return Report;
  compareBytes("bytes", Parts[1], O.Plain, O.Plus[0], Report);
  if (Parts[2] == "error")
    return Report;
  Case(C, true).run(O);
  auto Space = Parts[2].find(' ');
  std::string Node = Parts[2].substr(0, Space);
  if (Node == "none") // A function that can't be differentiated: no matter.
    return Report + (O.Node == "none" ? "" : "  node: want none, got " + O.Node + "\n");
  if (O.Node == "none") // Nodes may have other names here; that there is one counts.
    return Report + "  node: want " + Node + ", got none\n";
  compareBytes("bytes with gradients", Parts[2].substr(Space + 1), O.Graph, O.Plus[1], Report);
  if (Parts[3] == "error")
    return Report;
  if (O.BackFailed)
    Report += "  backward: " + O.Message + "\n";
  else
    compareBytes("backward's bytes", Parts[3], O.Back, O.Plus[2], Report);
  return Report;
}

/// The lines of expected-failures.txt: "CASE   # reason".
std::set<std::string> knownToDiffer() {
  std::set<std::string> Lines;
  std::ifstream In(Folder / "expected-failures.txt");
  for (std::string Line; std::getline(In, Line);) {
    std::string Text = Line.substr(0, Line.find('#'));
    while (!Text.empty() && Text.back() == ' ')
      Text.pop_back();
    if (!Text.empty())
      Lines.insert(Text);
  }
  return Lines;
}

TEST(ShapeCases, AgreeWithLibTorch) {
  std::set<std::string> Known = knownToDiffer();
  std::ifstream In(Folder / "recorded.txt");
  unsigned Count = 0;
  for (std::string Line, Recorded; std::getline(In, Line) && std::getline(In, Recorded);) {
    ASSERT_EQ(Recorded.substr(0, 2), " =") << Line;
    bool InData = Line[0] == '?';
    std::string Text = InData ? Line.substr(2) : Line;
    cases::Reader Reader(Text);
    cases::Call C = Reader.call();
    ASSERT_TRUE(Reader.Ok) << Line;
    std::string Report = compare(C, Recorded, InData);
    ++Count;
    if (!Report.empty() && !Known.count(Line))
      ADD_FAILURE() << Line << "\n" << Report;
    else if (Report.empty() && Known.count(Line))
      ADD_FAILURE() << Line << " agrees now: take it out of the list";
    else if (!Report.empty() && getenv("VRAMLINT_SHOW_KNOWN"))
      std::printf("%s\n%s", Line.c_str(), Report.c_str());
  }
  std::printf("%u cases, %zu are known to differ\n", Count, Known.size());
  EXPECT_GT(Count, 0u);
}

/// Each case has a record, in the order of the files.
TEST(ShapeCases, AreRecorded) {
  std::set<std::string> Recorded;
  std::ifstream In(Folder / "recorded.txt");
  for (std::string Line; std::getline(In, Line);)
    Recorded.insert(Line);
  for (auto &F : std::filesystem::directory_iterator(Folder / "cases")) {
    std::ifstream Cases(F.path());
    for (std::string Line; std::getline(Cases, Line);)
      if (!Line.empty() && Line[0] != '#')
        EXPECT_TRUE(Recorded.count(Line)) << F.path() << ": " << Line;
  }
}

} // namespace
