//===- lib/torch/plugin/Objects.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LibTorch's C++ objects as values of the abstract machine.

#pragma once

#include "lib/interp/Machine.h"
#include "lib/torch/Module.h"
#include "lib/torch/Optim.h"
#include "lib/torch/Runtime.h"
#include "lib/torch/data/Data.h"
#include "lib/torch/jit/JitModule.h"

namespace vramlint {

enum TorchKind : unsigned {
  TensorKind = Object::FirstDomainKind,
  ModuleKind,
  TensorOptionsKind,
  DeviceKindTag,
  IndexKind,
  OptimizerKind,
  GuardKind,
  DatasetKind,
  LoaderKind,
  JitModuleKind,
  AnyModuleKind,
  TransformKind,
  OpaqueKind,
  FunctionContextKind,
};

/// torch::Tensor.
class TensorObject : public Object {
public:
  TensorRef T; ///< Null: an undefined tensor.
  TensorRef GradientOf; ///< mutable_grad(): what is assigned here is its gradient.
  std::optional<double> Element; ///< A single element whose value is known.
  explicit TensorObject(TensorRef T = nullptr)
      : Object(TensorKind), T(std::move(T)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    auto New = std::make_unique<TensorObject>(T);
    New->Element = Element;
    return New;
  }
  std::unique_ptr<Object> move(Machine &) override {
    auto New = std::make_unique<TensorObject>(std::move(T));
    New->Element = Element;
    return New;
  }
  static bool classof(const Object *O) { return O->Kind == TensorKind; }
};

/// torch::autograd::AutogradContext: what a user's Function keeps for its backward.
class FunctionContext : public Object {
public:
  std::vector<TensorRef> Saved; ///< Given by forward; in backward the node's.
  FunctionContext() : Object(FunctionContextKind) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    auto New = std::make_unique<FunctionContext>();
    New->Saved = Saved;
    return New;
  }
  std::unique_ptr<Object> move(Machine &M) override { return copy(M); }
  static bool classof(const Object *O) { return O->Kind == FunctionContextKind; }
};

/// torch::nn::Module: a base subobject of the user's class, or a built-in module
/// as a whole.
class ModuleObject : public Object {
public:
  ModuleRef M;
  /// Members that the program reads or writes (`conv->weight`, `->options`).
  std::map<std::string, CellRef> Members;
  explicit ModuleObject(ModuleRef M) : Object(ModuleKind), M(std::move(M)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<ModuleObject>(M); // Copies share, as LibTorch's do.
  }
  static bool classof(const Object *O) { return O->Kind == ModuleKind; }
};

/// torch::TensorOptions.
class TensorOptionsObject : public Object {
public:
  OptionMap Fields; ///< dtype, device, requires_grad.
  TensorOptionsObject() : Object(TensorOptionsKind) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    auto C = std::make_unique<TensorOptionsObject>();
    C->Fields = Fields;
    return C;
  }
  static bool classof(const Object *O) { return O->Kind == TensorOptionsKind; }
};

class DeviceObject : public Object {
public:
  Device D;
  explicit DeviceObject(Device D) : Object(DeviceKindTag), D(D) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<DeviceObject>(D);
  }
  static bool classof(const Object *O) { return O->Kind == DeviceKindTag; }
};

/// at::indexing::TensorIndex and Slice.
class IndexObject : public Object {
public:
  Arg A;
  explicit IndexObject(Arg A) : Object(IndexKind), A(std::move(A)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<IndexObject>(A);
  }
  static bool classof(const Object *O) { return O->Kind == IndexKind; }
};

class OptimizerObject : public Object {
public:
  std::shared_ptr<Optimizer> O;
  explicit OptimizerObject(std::shared_ptr<Optimizer> O)
      : Object(OptimizerKind), O(std::move(O)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<OptimizerObject>(O);
  }
  static bool classof(const Object *O) { return O->Kind == OptimizerKind; }
};

/// NoGradGuard, AutoGradMode, InferenceMode: restores the modes when it dies.
class GuardObject : public Object {
public:
  Runtime &R;
  bool Grad, Inference;
  explicit GuardObject(Runtime &R)
      : Object(GuardKind), R(R), Grad(R.GradMode), Inference(R.InferenceMode) {}
  ~GuardObject() override {
    if (Active) {
      R.GradMode = Grad;
      R.InferenceMode = Inference;
    }
  }
  bool Active = true;
  std::unique_ptr<Object> copy(Machine &) const override {
    auto C = std::make_unique<GuardObject>(R);
    C->Active = false;
    return C;
  }
  std::unique_ptr<Object> move(Machine &) override {
    auto C = std::make_unique<GuardObject>(R);
    C->Grad = Grad;
    C->Inference = Inference;
    Active = false;
    return C;
  }
  static bool classof(const Object *O) { return O->Kind == GuardKind; }
};

/// A dataset, with the transforms mapped onto it.
class DatasetObject : public Object {
public:
  DatasetRef D;
  explicit DatasetObject(DatasetRef D) : Object(DatasetKind), D(std::move(D)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<DatasetObject>(D);
  }
  std::unique_ptr<Object> move(Machine &) override {
    return std::make_unique<DatasetObject>(std::move(D));
  }
  static bool classof(const Object *O) { return O->Kind == DatasetKind; }
};

class TransformObject : public Object {
public:
  TransformRef T;
  explicit TransformObject(TransformRef T)
      : Object(TransformKind), T(std::move(T)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<TransformObject>(T);
  }
  static bool classof(const Object *O) { return O->Kind == TransformKind; }
};

class LoaderObject : public Object {
public:
  std::shared_ptr<DataLoader> L;
  std::string BatchUnknown; ///< Why the batch size is not known; empty if it is.
  explicit LoaderObject(std::shared_ptr<DataLoader> L)
      : Object(LoaderKind), L(std::move(L)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    auto C = std::make_unique<LoaderObject>(L);
    C->BatchUnknown = BatchUnknown;
    return C;
  }
  static bool classof(const Object *O) { return O->Kind == LoaderKind; }
};

/// torch::jit::Module and its methods.
class JitModuleObject : public Object {
public:
  JitModuleRef M;
  explicit JitModuleObject(JitModuleRef M) : Object(JitModuleKind), M(std::move(M)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<JitModuleObject>(M);
  }
  static bool classof(const Object *O) { return O->Kind == JitModuleKind; }
};

/// torch::nn::AnyModule, NamedAnyModule: a module handle, perhaps with a name.
class AnyModuleObject : public Object {
public:
  std::string Name;
  Value Handle; ///< A SmartPtr.
  AnyModuleObject() : Object(AnyModuleKind) {}
  std::unique_ptr<Object> copy(Machine &M) const override {
    auto C = std::make_unique<AnyModuleObject>();
    C->Name = Name;
    C->Handle = M.copy(Handle);
    return C;
  }
  static bool classof(const Object *O) { return O->Kind == AnyModuleKind; }
};

/// An object of LibTorch that has no effect on shapes or memory (schedulers,
/// archives, generators): kept, passed around, and silent.
class OpaqueObject : public Object {
public:
  llvm::StringRef Class;
  std::vector<Value> Parts;
  explicit OpaqueObject(llvm::StringRef Class)
      : Object(OpaqueKind), Class(Class) {}
  std::unique_ptr<Object> copy(Machine &M) const override {
    auto C = std::make_unique<OpaqueObject>(Class);
    for (const Value &P : Parts)
      C->Parts.push_back(M.copy(P));
    return C;
  }
  static bool classof(const Object *O) { return O->Kind == OpaqueKind; }
};

} // namespace vramlint
