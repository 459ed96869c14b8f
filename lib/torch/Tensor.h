//===- lib/torch/Tensor.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The abstract LibTorch's objects: storages, tensors and autograd nodes, without
// data. They are owned exactly as in LibTorch (intrusive counts, a node owns
// what it saved, a tensor owns its grad_fn), so a storage dies here when, and
// only when, it dies in the program. Knows nothing of C++ or Clang.

#pragma once

#include "lib/support/Bytes.h"
#include "lib/torch/Trace.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <memory>
#include <optional>

namespace vramlint {

class Runtime;

enum class DType : uint8_t {
  UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64,
  ComplexFloat, ComplexDouble, Bool, BFloat16, Unknown,
};
int64_t itemSize(DType T);              ///< Bytes per element; 0 for Unknown.
llvm::StringRef dtypeName(DType T);     ///< "float32".
std::optional<DType> parseDType(llvm::StringRef Name); ///< "kFloat", "float32", "Float" …
bool isFloating(DType T);               ///< Floating or complex: can need gradients.

struct Device {
  DeviceKind Kind = DeviceKind::CPU;
  int Index = 0;
  friend bool operator==(const Device &, const Device &) = default;
};

/// The length of one dimension; unknown ones poison products, not ranks.
struct Dim {
  int64_t Length = -1;                  ///< -1: unknown.
  Dim() = default;
  Dim(int64_t L) : Length(L) {}
  bool known() const { return Length >= 0; }
  friend bool operator==(Dim, Dim) = default;
};

/// The shape of a tensor: dimensions, or not even a rank, with the reason.
struct Shape {
  llvm::SmallVector<Dim, 4> Dims;
  bool RankKnown = true;
  llvm::StringRef Why;                  ///< Interned; set where something is unknown.

  static Shape unknown(llvm::StringRef Why);
  bool known() const;                   ///< Rank and all lengths are known.
  /// The product of all lengths, saturated; -1 if unknown.
  int64_t elements() const;
  std::string str() const;              ///< "64×10×24×24", "?" for unknown parts.
  friend bool operator==(const Shape &A, const Shape &B) {
    return A.RankKnown == B.RankKnown && A.Dims == B.Dims;
  }
};

/// One allocation. Its constructor appends Alloc to the trace, its destructor Free.
class Storage : public llvm::RefCountedBase<Storage> {
public:
  Storage(Runtime &R, int64_t SizeBytes, bool SizeKnown, Device D, Category C,
          llvm::StringRef Op);
  ~Storage();
  Storage(const Storage &) = delete;

  Runtime &R;
  StorageId Id;
  int64_t SizeBytes;
  bool SizeKnown;
  Device Dev;
  Category Cat;                          ///< What it is for now.
  unsigned Version = 0;                  ///< Bumped by in-place ops, views' as well.
};
using StorageRef = llvm::IntrusiveRefCntPtr<Storage>;

class Node;
class TensorImpl;
/// A tensor handle, as torch::Tensor is one; null is an undefined tensor.
using TensorRef = llvm::IntrusiveRefCntPtr<TensorImpl>;
using NodeRef = llvm::IntrusiveRefCntPtr<Node>;

class TensorImpl : public llvm::RefCountedBase<TensorImpl> {
public:
  Shape Sizes;
  llvm::SmallVector<int64_t, 4> Strides; ///< In elements; empty: contiguous or unknown.
  DType Type = DType::Float32;
  Device Dev;
  StorageRef Store;                      ///< Null only for a tensor not modelled.
  bool RequiresGrad = false;             ///< Set by the user on a leaf.
  NodeRef GradFn;                        ///< Null for a leaf.
  unsigned OutputNr = 0;                 ///< Which output of GradFn.
  TensorRef Grad;                        ///< A leaf's accumulated gradient.
  Node *Accumulator = nullptr;           ///< A leaf's AccumulateGrad, weak as in LibTorch.
  TensorRef Base;                        ///< Set on differentiable views.
  bool FollowsBase = false;              ///< A view whose history an in-place op renews.
  unsigned HistoryVersion = 0;           ///< Such a view's: Store->Version of its GradFn.
  bool IsParameter = false;
  bool DeviceOfFile = false;             ///< torch::load: where it was when saved.
  bool FromJit = false;                  ///< Result of a TorchScript call.
  bool WrappedNumber = false;            ///< Made from a C++ number: promotes less.
  llvm::StringRef Name;                  ///< "conv1.weight"; empty if none.

  bool needsGrad() const {
    renewHistory();
    return RequiresGrad || GradFn;
  }
  /// Variable::grad_fn(): a view that was changed since, itself or through its base,
  /// is from now on the base's, cut out by an as_strided.
  void renewHistory() const;
  bool isContiguous() const;
  /// Every element once, without holes: a permutation of contiguous.
  bool isDense() const;
  /// Strides in elements; contiguous ones where Strides is empty. Requires: the
  /// shape is known.
  llvm::SmallVector<int64_t, 4> strides() const;
  unsigned rank() const { return Sizes.Dims.size(); }
  Dim size(unsigned I) const { return Sizes.Dims[I]; }
  int64_t elements() const { return Sizes.elements(); }
  bool onCuda() const { return Dev.Kind == DeviceKind::CUDA; }
};

/// What a node keeps for backward. Appends Save and Unsave to the trace.
class SavedTensor {
public:
  SavedTensor() = default;
  SavedTensor(Runtime &R, TensorRef T, bool IsOutput = false);
  SavedTensor(SavedTensor &&) noexcept;
  SavedTensor &operator=(SavedTensor &&) noexcept;
  ~SavedTensor();
  const TensorRef &get() const { return T; }
  void reset();
  /// Which output of its own node it is; -1: none.
  int resultNr() const { return ResultNr; }
  void setResultNr(int Nr) { ResultNr = Nr; }
private:
  int ResultNr = -1;
  TensorRef T;  ///< For an output: a copy of the handle without its grad_fn.
  Runtime *R = nullptr;
};

struct Edge { NodeRef Fn; unsigned InputNr = 0; };

/// A node of the autograd graph.
class Node : public llvm::RefCountedBase<Node> {
public:
  using Gradients = llvm::SmallVector<TensorRef, 4>;
  /// From the gradients of the outputs (null: undefined), the gradients of the
  /// inputs, one per edge. Allocates what LibTorch's backward allocates. The
  /// gradients given live until it has returned and its results are checked.
  using BackwardFn = std::function<Gradients(Runtime &, Node &, Gradients &)>;
  /// What an output of the forward call looked like: its gradient is reduced and
  /// cast to this.
  struct OutputMeta { Shape Sizes; DType Type; Device Dev; };

  llvm::StringRef Name;                  ///< "ConvolutionBackward0".
  uint64_t Sequence = 0;
  llvm::SmallVector<Edge, 4> Next;
  llvm::SmallVector<SavedTensor, 4> Saved;
  BackwardFn Backward;
  llvm::SmallVector<OutputMeta, 1> Outputs; ///< One per output of the forward call.
  TensorRef Variable;                    ///< AccumulateGrad: the leaf.
  bool Released = false;                 ///< Backward went through it and dropped what it kept.
  StackId Stack = 0;                     ///< The forward call's place.
  ModuleId Module = None;                ///< Whose forward it was, and its path.
  llvm::StringRef ModulePath, ModuleClass;
  bool BuiltinModule = false;
  ~Node();                               ///< Iterative: graphs may be very deep.
  /// Whether the gradient of input \p I is wanted.
  bool needs(unsigned I) const { return I < Next.size() && Next[I].Fn; }
  const TensorRef &saved(unsigned I) const { return Saved[I].get(); }
};

TensorDesc describeTensor(const TensorRef &T);

/// The node and slot that receive the gradient of \p T, as in LibTorch: its
/// Known to be on different kinds of devices. What was loaded from a file is where it
/// was when it was saved, whatever that was.
bool onDifferentDevices(const TensorRef &A, const TensorRef &B);
/// grad_fn, or for a leaf that needs gradients its AccumulateGrad, made on demand.
/// Nothing if \p T needs no gradient.
Edge gradientEdge(const TensorRef &T);

} // namespace vramlint
