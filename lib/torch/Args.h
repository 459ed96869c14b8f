//===- lib/torch/Args.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How an op or module is called: arguments bound to the parameter names of the
// LibTorch declaration, without Clang. The plug-in makes these from the AST;
// unit tests make them by hand.

#pragma once

#include "lib/torch/Tensor.h"
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace vramlint {

class Module;
using ModuleRef = std::shared_ptr<Module>;

struct Arg;
/// An options struct (Conv2dOptions, DropoutFuncOptions, TensorOptions …): field
/// names as their setters are called, without the trailing underscore.
using OptionMap = std::map<std::string, Arg>;

/// One argument. An absent optional is Absent; what the machine could not
/// evaluate is UnknownArg with the reason.
struct Arg {
  struct Absent {};
  /// Of the same Name, other than 0: numbers that differ by their Addends.
  struct UnknownArg {
    std::string Why;
    uint64_t Name = 0;
    int64_t Addend = 0;
  };
  /// Integers with unknown ones among them (-1 is a value here, as in view(-1)).
  using Int = std::optional<int64_t>;
  using Ints = std::vector<Int>;
  /// None (the default), a number, or unknown.
  struct Bound {
    bool Given = false;
    Int At = std::nullopt;
  };
  struct Slice {
    Bound Start, Stop, Step;
    Int Span = std::nullopt; ///< Stop - Start, where the two are unknown: h and h + 32.
  };
  struct Ellipsis {};
  struct NoneIndex {};
  std::variant<Absent, UnknownArg, bool, int64_t, double, std::string, TensorRef,
               Ints, std::vector<double>, std::vector<TensorRef>, DType, Device,
               std::shared_ptr<OptionMap>, ModuleRef, Slice, Ellipsis, NoneIndex,
               std::vector<Arg>>
      V;
  Arg() = default;
  template <typename T> Arg(T X) : V(std::move(X)) {}
};

/// Calls \p F with each defined tensor in \p A, those in lists too.
template <typename Fn> void eachTensor(const Arg &A, Fn F) {
  if (const auto *T = std::get_if<TensorRef>(&A.V)) {
    if (*T)
      F(*T);
  } else if (const auto *L = std::get_if<std::vector<TensorRef>>(&A.V)) {
    for (const TensorRef &T : *L)
      if (T)
        F(T);
  } else if (const auto *L = std::get_if<std::vector<Arg>>(&A.V)) {
    for (const Arg &E : *L)
      eachTensor(E, F);
  }
}

/// \p A with each defined tensor in it replaced by \p F's.
Arg mapTensors(const Arg &A, llvm::function_ref<TensorRef(const TensorRef &)> F);

/// The bound arguments of one call. Look-ups by name fall back to the fields of
/// an argument named "options", so that conv2d(x, w, b, stride …) and
/// F::conv2d(x, w, Conv2dFuncOptions().stride(2)) read alike.
class Args {
public:
  void add(std::string Name, Arg A) { List.emplace_back(std::move(Name), std::move(A)); }
  const Arg *find(llvm::StringRef Name) const;
  bool has(llvm::StringRef Name) const;     ///< There and not Absent.
  TensorRef tensor(llvm::StringRef Name) const;             ///< Null: absent.
  std::vector<TensorRef> tensors(llvm::StringRef Name) const;
  bool boolean(llvm::StringRef Name, bool Default) const;
  std::optional<int64_t> integer(llvm::StringRef Name) const; ///< Nothing: absent or unknown.
  int64_t integer(llvm::StringRef Name, int64_t Default) const;
  double number(llvm::StringRef Name, double Default) const;
  /// A list of \p N integers; a single one is repeated (IntArrayRef stride = 1).
  Arg::Ints ints(llvm::StringRef Name, unsigned N, int64_t Default) const;
  Arg::Ints ints(llvm::StringRef Name) const;
  std::string text(llvm::StringRef Name, llvm::StringRef Default) const;
  std::optional<DType> dtype(llvm::StringRef Name) const; ///< Also inside TensorOptions.
  std::optional<Device> device(llvm::StringRef Name) const;
  /// The reason if any argument is unknown, for an op that then cannot be run.
  std::optional<std::string> firstUnknown() const;

  std::vector<std::pair<std::string, Arg>> List;
};

/// What a call gives: values, or the reason why there are none.
struct OpResult {
  enum KindTy { Ok, Failed, NotModelled } Kind = Ok;
  std::vector<Arg> Values;      ///< One per result; a tuple's elements in order.
  bool IsList = false;          ///< The C++ result is one std::vector<Tensor>.
  bool IsTuple = false;         ///< The C++ result is a std::tuple.
  std::string Message;          ///< Failed: what LibTorch would say, both shapes.
  FailureKind Why = FailureKind::Shape;
  OpId FailedOp = None;         ///< Failed: its record in the trace.

  static OpResult one(Arg A) { OpResult R; R.Values.push_back(std::move(A)); return R; }
  static OpResult failed(std::string M, FailureKind Why = FailureKind::Shape) {
    OpResult R;
    R.Kind = Failed;
    R.Message = std::move(M);
    R.Why = Why;
    return R;
  }
  static OpResult notModelled(std::string Why) { OpResult R; R.Kind = NotModelled; R.Message = std::move(Why); return R; }
};

} // namespace vramlint
