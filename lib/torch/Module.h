//===- lib/torch/Module.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Modules: the registries of torch::nn::Module, and the built-in ones, whose
// parameters and forward come from a row (modules/*.cpp).

#pragma once

#include "lib/torch/Args.h"
#include "lib/torch/Runtime.h"
#include <functional>

namespace vramlint {

/// The part of any module that torch::nn::Module holds. A user's class has one
/// as its base-class subobject; a built-in module has a row as well.
class Module : public std::enable_shared_from_this<Module> {
public:
  struct Child {
    std::string Name;
    ModuleRef M;
    std::shared_ptr<void> Owner; ///< Keeps the user's object alive, as the registry's shared_ptr does.
  };
  explicit Module(Runtime &R, llvm::StringRef Class);
  virtual ~Module();

  Runtime &R;
  ModuleId Id;                 ///< Its row in Trace::Modules.
  std::string ClassName;       ///< "Net", "Conv2d": without Impl.
  bool Builtin = false;
  bool Training = true;
  std::vector<std::pair<std::string, TensorRef>> Parameters, Buffers; ///< Own ones, in order.
  std::vector<Child> Children;
  /// Where it was registered last; dead parents take themselves out.
  Module *Parent = nullptr;
  std::string NameInParent;

  TensorRef registerParameter(llvm::StringRef Name, TensorRef T, bool RequiresGrad);
  TensorRef registerBuffer(llvm::StringRef Name, TensorRef T);
  void registerModule(llvm::StringRef Name, ModuleRef M, std::shared_ptr<void> Owner);
  /// parameters(recurse) in LibTorch's order: own ones, then child by child.
  /// As in C++ (unlike Python), a tensor registered twice comes twice.
  std::vector<std::pair<std::string, TensorRef>> parameters(bool Recurse) const;
  std::vector<std::pair<std::string, TensorRef>> buffers(bool Recurse) const;
  void train(bool On);
  /// clone(): new modules with copies of parameters and buffers. Null for a user's
  /// class, whose other fields only the machine knows.
  virtual ModuleRef clone();
  /// Module::to: replaces the data of parameters, buffers and gradients.
  void to(std::optional<Device> D, std::optional<DType> T);
  /// torch::load: its tensors are where they were when they were saved.
  void loaded();
  void zeroGrad(bool SetToNone);
  /// Writes parameters, buffers and children into Trace::Modules[Id].
  void describe();

  /// Set for a user's class: runs its forward in the machine. It may take the
  /// arguments, so that they die where the forward lets them.
  std::function<OpResult(Module &, Args &)> UserForward;
  /// forward(args): opens the module's scope, then the row's or the user's.
  OpResult callForward(Args A);
  /// "layer1.0.conv1": the names from the outermost module that holds it.
  std::string path() const;

protected:
  /// May take the arguments, as a Sequential hands them to its first step.
  virtual OpResult forward(Args &A);

private:
  OpResult runForward(Args &A);
};

/// Makes a built-in module ("Conv2d", "Sequential", …) from its options; the
/// constructor allocates what LibTorch's does, initialisation included. Null
/// with \p Why set if there is no such row.
ModuleRef makeBuiltinModule(Runtime &R, llvm::StringRef Class,
                            const OptionMap &Options, std::string &Why);

/// What an RNN, LSTM or GRU gives: widths, and layers times directions.
struct RecurrentSizes {
  Dim Output, Hidden, Cell, Layers;
};
RecurrentSizes recurrentSizes(Module &M);

} // namespace vramlint
