//===- test/unit/modules/Probe.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Compares allocations with those that real LibTorch was recorded to make
// (test/oracle/recorded/probe-*.json, written by test/oracle/oracle.py probe).

#pragma once

#include "lib/torch/Runtime.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

namespace vramlint {

using Sizes = std::vector<int64_t>;

/// The recorded list called \p Name of probe-<Stem>.json.
inline std::optional<Sizes> recorded(llvm::StringRef Stem, llvm::StringRef Name) {
  static std::map<std::string, llvm::json::Value> Files;
  auto It = Files.find(Stem.str());
  if (It == Files.end()) {
    std::string Path = std::string(VRAMLINT_SOURCE_DIR) +
                       "/test/oracle/recorded/probe-" + Stem.str() + ".json";
    auto Buffer = llvm::MemoryBuffer::getFile(Path);
    if (!Buffer)
      return std::nullopt;
    auto Parsed = llvm::json::parse((*Buffer)->getBuffer());
    if (!Parsed) {
      llvm::consumeError(Parsed.takeError());
      return std::nullopt;
    }
    It = Files.emplace(Stem.str(), std::move(*Parsed)).first;
  }
  const llvm::json::Array *A = It->second.getAsObject()->getArray(Name);
  if (!A)
    return std::nullopt;
  Sizes Out;
  for (const llvm::json::Value &V : *A)
    Out.push_back(*V.getAsInteger());
  return Out;
}

/// "+8 -8 …", so that a difference shows where it is.
inline std::string print(const Sizes &S) {
  std::string Text;
  for (int64_t N : S)
    Text += (N < 0 ? " " : " +") + std::to_string(N);
  return Text;
}

/// A runtime for the CPU, and what it allocates from a point on.
struct Bench {
  Trace Out;
  Runtime R;
  size_t From = 0;

  explicit Bench(unsigned Major = 1, unsigned Minor = 13)
      : R(config(Major, Minor), Out) {}
  static TargetConfig config(unsigned Major, unsigned Minor) {
    TargetConfig C;
    C.TorchMajor = Major;
    C.TorchMinor = Minor;
    C.Target = DeviceKind::CPU;
    return C;
  }
  void start() { From = Out.Events.size(); }
  /// +size for an allocation, -size for a release, since start().
  Sizes events() const {
    Sizes S;
    for (size_t I = From; I < Out.Events.size(); ++I) {
      const Event &E = Out.Events[I];
      if (E.Kind == EventKind::Alloc)
        S.push_back(Out.Storages[E.Id].SizeBytes);
      else if (E.Kind == EventKind::Free)
        S.push_back(-Out.Storages[E.Id].SizeBytes);
    }
    return S;
  }
  TensorRef tensor(std::vector<int64_t> Lengths, bool RequiresGrad = true,
                   DType T = DType::Float32) {
    Shape S;
    for (int64_t L : Lengths)
      S.Dims.push_back(Dim(L));
    TensorRef X = R.make(S, T, Device{}, Category::Input, "rand");
    X->RequiresGrad = RequiresGrad;
    return X;
  }
};

} // namespace vramlint
