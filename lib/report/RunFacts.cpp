//===- lib/report/RunFacts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What one analysed file is for the reports.

#include "lib/report/RunFacts.h"

#include "lib/report/Format.h"
#include "lib/report/Text.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

namespace vramlint::report {

std::string Platform::text() const {
  std::string Text =
      "LibTorch " + (TorchVersion.empty() ? "?" : TorchVersion);
  if (Device == DeviceKind::CPU)
    Text += OneDNN ? ", CPU, oneDNN on" : ", CPU, oneDNN off";
  return Text;
}

std::vector<Finding> allFindings(llvm::ArrayRef<FileOutcome> Files) {
  std::vector<Finding> All;
  for (const FileOutcome &File : Files)
    if (File.Is == FileOutcome::State::Analysed)
      All.insert(All.end(), File.Findings.begin(), File.Findings.end());
  return sortedFindings(std::move(All));
}

const Assumption *findAssumption(const Trace &T, llvm::StringRef What) {
  for (const Assumption &A : T.Assumptions)
    if (A.What == What)
      return &A;
  return nullptr;
}

std::string tensorText(const TensorDesc &D) {
  return shapeText(D.Shape, D.ShapeKnown) +
         (D.DType.empty() ? "" : " " + D.DType.str());
}

const ModuleInfo *jitModule(const Trace &T) {
  const ModuleInfo *Found = nullptr;
  for (const ModuleInfo &M : T.Modules)
    if (M.Jit && (!Found || (Found->WeightsRead && !M.WeightsRead)))
      Found = &M;
  return Found;
}

static bool isState(Category C) {
  return C == Category::Parameter || C == Category::Gradient ||
         C == Category::OptimizerState;
}

Quantity largestStates(const Trace &T, DeviceKind Device) {
  llvm::DenseMap<StorageId, Category> Alive;
  int64_t Now = 0, Most = 0;
  llvm::StringRef Why;
  auto Count = [&](StorageId Id, Category C, int64_t Sign) {
    if (!isState(C))
      return;
    Now += Sign * T.Storages[Id].SizeBytes;
    Most = std::max(Most, Now);
    if (!T.Storages[Id].SizeKnown)
      Why = T.Storages[Id].Unknown;
  };
  for (const Event &E : T.Events) {
    bool OfStorage = E.Kind == EventKind::Alloc || E.Kind == EventKind::Free ||
                     E.Kind == EventKind::Recategorize;
    if (!OfStorage || E.Id >= T.Storages.size() ||
        T.Storages[E.Id].Device != Device)
      continue;
    auto It = Alive.find(E.Id);
    if (It != Alive.end())
      Count(E.Id, It->second, -1);
    if (E.Kind == EventKind::Alloc)
      Count(E.Id, Alive[E.Id] = T.Storages[E.Id].Cat, 1);
    else if (It != Alive.end() && E.Kind == EventKind::Recategorize)
      Count(E.Id, It->second = static_cast<Category>(E.Value), 1);
    else if (It != Alive.end())
      Alive.erase(It);
  }
  return Why.empty() ? Quantity::exact(Most)
                     : Quantity::unknown(Why.str(), Most);
}

} // namespace vramlint::report
