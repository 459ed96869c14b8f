//===- lib/torch/modules/Registry.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Joins all rows of torch::nn modules, and what they share: options, parameters,
// the forward of rows that are one op.

#include "lib/torch/modules/ModuleRow.h"

#include "llvm/Support/Format.h"

#include "lib/torch/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

namespace vramlint {

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

llvm::ArrayRef<const ModuleRow *> allModules() {
  static const std::vector<const ModuleRow *> All = [] {
    std::vector<const ModuleRow *> Rows;
    for (llvm::ArrayRef<ModuleRow> Family :
         {activationModules(), attentionModules(), containerModules(),
          convModules(), dropoutModules(), embeddingModules(), linearModules(),
          lossModules(), normModules(), paddingModules(), poolModules(),
          rnnModules(), visionModules()})
      for (const ModuleRow &Row : Family)
        Rows.push_back(&Row);
    llvm::sort(Rows, [](auto *A, auto *B) { return A->Class < B->Class; });
    return Rows;
  }();
  return All;
}

const ModuleRow *findModule(llvm::StringRef Class) {
  static const llvm::StringMap<const ModuleRow *> Index = [] {
    llvm::StringMap<const ModuleRow *> M;
    for (const ModuleRow *Row : allModules()) {
      bool New = M.try_emplace(Row->Class, Row).second;
      assert(New && "two rows of one class");
      (void)New;
    }
    return M;
  }();
  Class.consume_front("torch::nn::");
  Class.consume_back("Impl");
  auto It = Index.find(Class);
  return It == Index.end() ? nullptr : It->second;
}

ModuleRef makeBuiltinModule(Runtime &R, llvm::StringRef Class,
                            const OptionMap &Options, std::string &Why) {
  const ModuleRow *Row = findModule(Class);
  if (!Row) {
    Why = ("no row for the module " + Class).str();
    return nullptr;
  }
  return std::make_shared<BuiltinModule>(R, *Row, Options);
}

//===----------------------------------------------------------------------===//
// BuiltinModule
//===----------------------------------------------------------------------===//

/// An option as reports print it: "3", "3×3", "false", "?".
static std::string printOption(const Arg &A) {
  if (const auto *N = std::get_if<int64_t>(&A.V))
    return llvm::itostr(*N);
  if (const auto *B = std::get_if<bool>(&A.V))
    return *B ? "true" : "false";
  if (const auto *F = std::get_if<double>(&A.V)) {
    std::string Text;
    llvm::raw_string_ostream(Text) << llvm::format("%g", *F);
    return Text;
  }
  const auto *L = std::get_if<Arg::Ints>(&A.V);
  if (!L || L->empty())
    return "?";
  bool Same = llvm::all_equal(*L);
  std::string Text;
  for (const Arg::Int &I : *L) {
    if (!Text.empty())
      Text += "×";
    Text += I ? llvm::itostr(*I) : "?";
    if (Same)
      break;
  }
  return Text;
}

static std::string printOptions(const ModuleRow &Row, const OptionMap &Options) {
  llvm::SmallVector<llvm::StringRef, 4> Names;
  Row.Shown.split(Names, ',', -1, /*KeepEmpty=*/false);
  std::string Text = (Row.Class + "(").str();
  bool First = true;
  for (llvm::StringRef Name : Names) {
    auto It = Options.find(Name.str());
    Text += First ? "" : ", ";
    Text += It == Options.end() ? "?" : printOption(It->second);
    First = false;
  }
  return Text + ")";
}

BuiltinModule::BuiltinModule(Runtime &R, const ModuleRow &Row,
                             const OptionMap &Options)
    : Module(R, Row.Class), Row(Row),
      Options(std::make_shared<OptionMap>(Options)) {
  Builtin = true;
  Given.add("options", Arg(this->Options));
  R.Out.Modules[Id].Options = printOptions(Row, Options);
  if (Row.Build)
    Row.Build(*this);
  if (!Problem.empty())
    R.Out.Failures.push_back({R.CurrentStack, intern(ClassName), Problem});
  describe();
}

ModuleRef BuiltinModule::clone() {
  ModuleRef Copy = std::make_shared<BuiltinModule>(R, Row, *Options);
  Copy->Training = Training;
  auto CopyData = [&](const std::vector<std::pair<std::string, TensorRef>> &From,
                      std::vector<std::pair<std::string, TensorRef>> &To,
                      Category C) {
    for (unsigned I = 0; I < From.size() && I < To.size(); ++I)
      if (From[I].second && To[I].second) {
        TensorRef New = R.make(From[I].second->Sizes, From[I].second->Type,
                               From[I].second->Dev, C, "Module::clone");
        To[I].second->Store = New->Store; // set_data(tensor.clone())
        To[I].second->Type = New->Type;
        To[I].second->Dev = New->Dev;
      }
  };
  CopyData(Parameters, Copy->Parameters, Category::Parameter);
  CopyData(Buffers, Copy->Buffers, Category::Buffer);
  for (Child &C : Children)
    if (ModuleRef M = C.M ? C.M->clone() : nullptr)
      Copy->registerModule(C.Name, M, M);
  Copy->describe();
  return Copy;
}

Dim BuiltinModule::dim(llvm::StringRef Name) {
  if (std::optional<int64_t> N = Given.integer(Name))
    return Dim(*N);
  const Arg *A = Given.find(Name);
  const auto *U = A ? std::get_if<Arg::UnknownArg>(&A->V) : nullptr;
  Unknowns.Why = intern(U ? U->Why : (Name + " of " + ClassName + " not known").str());
  return Dim();
}

std::string BuiltinModule::keyword(llvm::StringRef Name,
                                   llvm::StringRef Default) {
  std::string Text = Given.text(Name, Default);
  llvm::StringRef T = Text;
  T = T.rsplit("::").second.empty() ? T : T.rsplit("::").second;
  if (T.size() > 1 && T[0] == 'k' && T[1] >= 'A' && T[1] <= 'Z')
    T = T.drop_front();
  return T.lower();
}

Shape BuiltinModule::shape(llvm::ArrayRef<Dim> Dims) {
  Shape S;
  S.Dims.assign(Dims.begin(), Dims.end());
  if (llvm::any_of(Dims, [](Dim D) { return !D.known(); }))
    S.Why = Unknowns.Why;
  return S;
}

TensorRef BuiltinModule::parameter(llvm::StringRef Name,
                                   llvm::ArrayRef<Dim> Dims, bool Defined) {
  TensorRef T;
  if (Defined)
    T = R.make(shape(Dims), R.DefaultDType, Device{}, Category::Parameter,
               Row.Class);
  return registerParameter(Name, T, /*RequiresGrad=*/Defined);
}

TensorRef BuiltinModule::buffer(llvm::StringRef Name, llvm::ArrayRef<Dim> Dims,
                                DType T, bool Defined) {
  TensorRef B;
  if (Defined)
    B = R.make(shape(Dims), T, Device{}, Category::Buffer, Row.Class);
  return registerBuffer(Name, B);
}

BuiltinModule *BuiltinModule::child(llvm::StringRef Name, llvm::StringRef Class,
                                    const OptionMap &Options) {
  const ModuleRow *Row = findModule(Class);
  assert(Row && "a child's class has a row");
  auto M = std::make_shared<BuiltinModule>(R, *Row, Options);
  registerModule(Name, M, M);
  return M.get();
}

TensorRef BuiltinModule::own(llvm::StringRef Name) const {
  for (auto *List : {&Parameters, &Buffers})
    for (const auto &[N, T] : *List)
      if (N == Name)
        return T;
  return nullptr;
}

Module *BuiltinModule::childNamed(llvm::StringRef Name) const {
  for (const Child &C : Children)
    if (C.Name == Name)
      return C.M.get();
  return nullptr;
}

const Arg &nth(const Args &A, unsigned I) {
  static const Arg Nothing;
  return I < A.List.size() ? A.List[I].second : Nothing;
}

TensorRef nthTensor(const Args &A, unsigned I) {
  const auto *T = std::get_if<TensorRef>(&nth(A, I).V);
  return T ? *T : nullptr;
}

OpResult BuiltinModule::forward(Args &A) {
  if (Row.Forward)
    return Row.Forward(*this, A);
  if (Row.Op.empty())
    return OpResult::notModelled((Row.Class + " has no forward").str());
  Args Call;
  llvm::SmallVector<llvm::StringRef, 3> Names;
  Row.Inputs.split(Names, ',');
  for (unsigned I = 0; I < Names.size(); ++I)
    Call.add(Names[I].str(), nth(A, I));
  Call.add("training", Arg(Training));
  Call.add("options", Arg(Options));
  bool InPlace = boolean("inplace", false);
  return R.call(InPlace ? Row.Op.str() + "_" : Row.Op.str(), Call);
}

} // namespace vramlint
