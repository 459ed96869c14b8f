//===- lib/torch/modules/ModuleRow.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The row of a torch::nn module: what its constructor registers and the ops that
// its forward runs. One file of rows per family; Registry.cpp joins them.
//
// Options keep LibTorch's names; where a program does not set one, the row says
// LibTorch's default. Initialisers (kaiming_uniform_ …) allocate nothing
// (test/oracle/recorded/probe-modules.json), so rows do not name them.

#pragma once

#include "lib/torch/Module.h"
#include "llvm/ADT/ArrayRef.h"

namespace vramlint {

class BuiltinModule;

struct ModuleRow {
  llvm::StringRef Class;
  /// Registers parameters, buffers and children. Null: there are none.
  void (*Build)(BuiltinModule &M) = nullptr;
  /// Null: Op is all that forward does, or there is no forward.
  OpResult (*Forward)(BuiltinModule &M, Args &A) = nullptr;
  /// The op or torch::nn::functional function that forward calls with its inputs
  /// and the module's options; with the option `inplace`, its in-place form.
  llvm::StringRef Op = "";
  /// What forward's tensors are called there.
  llvm::StringRef Inputs = "input";
  /// Options that reports print, in order.
  llvm::StringRef Shown = "";
};

class BuiltinModule : public Module {
public:
  BuiltinModule(Runtime &R, const ModuleRow &Row, const OptionMap &Options);
  ModuleRef clone() override;

  const ModuleRow &Row;
  std::shared_ptr<OptionMap> Options;
  Args Given; ///< The same, for look-ups with defaults.
  std::string Problem; ///< What LibTorch's constructor would throw.

  /// An option as a dimension; unknown if it is not known.
  Dim dim(llvm::StringRef Name);
  int64_t integer(llvm::StringRef Name, int64_t Default) { return Given.integer(Name, Default); }
  bool boolean(llvm::StringRef Name, bool Default) { return Given.boolean(Name, Default); }
  double number(llvm::StringRef Name, double Default) { return Given.number(Name, Default); }
  /// An enumerator (torch::kReflect, "kReflect", "reflect") as "reflect".
  std::string keyword(llvm::StringRef Name, llvm::StringRef Default);

  /// A shape of dimensions, any of which may be unknown.
  Shape shape(llvm::ArrayRef<Dim> Dims);
  /// Allocates and registers. An undefined one keeps its place, as in LibTorch.
  TensorRef parameter(llvm::StringRef Name, llvm::ArrayRef<Dim> Dims, bool Defined = true);
  TensorRef buffer(llvm::StringRef Name, llvm::ArrayRef<Dim> Dims, DType T, bool Defined = true);
  /// Makes and registers a child of a class that has a row.
  BuiltinModule *child(llvm::StringRef Name, llvm::StringRef Class, const OptionMap &Options);
  /// A registered parameter or buffer; null if undefined.
  TensorRef own(llvm::StringRef Name) const;
  Module *childNamed(llvm::StringRef Name) const;

protected:
  OpResult forward(Args &A) override;

private:
  Shape Unknowns; ///< Its Why: why a dimension asked for is not known.
};

/// The \p I-th argument of a forward call, by position.
const Arg &nth(const Args &A, unsigned I);
TensorRef nthTensor(const Args &A, unsigned I);

/// The row called \p Class, without torch::nn:: and Impl; null if there is none.
const ModuleRow *findModule(llvm::StringRef Class);
llvm::ArrayRef<const ModuleRow *> allModules();

llvm::ArrayRef<ModuleRow> activationModules();
llvm::ArrayRef<ModuleRow> attentionModules();
llvm::ArrayRef<ModuleRow> containerModules();
llvm::ArrayRef<ModuleRow> convModules();
llvm::ArrayRef<ModuleRow> dropoutModules();
llvm::ArrayRef<ModuleRow> embeddingModules();
llvm::ArrayRef<ModuleRow> linearModules();
llvm::ArrayRef<ModuleRow> lossModules();
llvm::ArrayRef<ModuleRow> normModules();
llvm::ArrayRef<ModuleRow> paddingModules();
llvm::ArrayRef<ModuleRow> poolModules();
llvm::ArrayRef<ModuleRow> rnnModules();
llvm::ArrayRef<ModuleRow> visionModules();

} // namespace vramlint
