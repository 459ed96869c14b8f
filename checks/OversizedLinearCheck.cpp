//===- checks/OversizedLinearCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See OversizedLinearCheck.h.

#include "checks/OversizedLinearCheck.h"
#include "llvm/Support/Format.h"
#include <set>

using namespace clang;

namespace vramlint {

OversizedLinearCheck::OversizedLinearCheck(llvm::StringRef Name,
                                           tidy::ClangTidyContext *Context)
    : TorchCheck(Name, Context),
      Limits{Options.get("MinSharePercent", OversizedLimits().MinSharePercent),
             Options.get("MinBytes", OversizedLimits().MinBytes)} {}

void OversizedLinearCheck::storeOptions(
    tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "MinSharePercent", Limits.MinSharePercent);
  Options.store(Opts, "MinBytes", Limits.MinBytes);
}

/// "102.8 M", "960,000": as people speak of parameters.
static std::string millions(int64_t N) {
  if (N < 1'000'000)
    return formatCount(N);
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.1f M", N / 1e6);
  return Text;
}

void OversizedLinearCheck::onAnalysis(const Analysis &A) {
  std::shared_ptr<const Trace> T = A.trace();
  TrainingMultiple Multiple = trainingMultiple(*T);
  std::set<SourceLocation> Done; // Two models made by the same line.
  for (const OversizedLinear &L : findOversizedLinears(*T, Limits)) {
    StackId Stack = T->Modules[L.Module].Created;
    SourceLocation Made = A.ownLocation(*T, Stack);
    SourceLocation Loc = A.findingLocation(*T, Stack);
    if (Loc.isInvalid() || !Done.insert(Made).second)
      continue;
    std::string Text =
        L.Name + " holds " + millions(L.Elements) + " of the model's " +
        millions(L.ModelElements) + " parameters (" +
        std::to_string((L.Elements * 100 + L.ModelElements / 2) /
                       L.ModelElements) +
        " %): " + formatBytes(Bytes{L.SizeBytes});
    if (Multiple.Trains) {
      Text += ", " + formatBytes(Bytes{L.SizeBytes} * Multiple.factor()) +
              " with gradient";
      if (Multiple.StateCopies && !Multiple.Optimizer.empty())
        Text += " and " + Multiple.Optimizer + " state";
    }
    diag(Loc, "%0", L.FromFile ? DiagnosticIDs::Remark : DiagnosticIDs::Warning)
        << Text;
    if (Made != Loc && Made.isValid())
      note(Made, "the layer is made here");
    if (!L.Channels)
      continue;
    Bytes Less = Bytes{L.SizeBytes} - Bytes{L.PooledBytes};
    Text = "after global average pooling it would be Linear(" +
           std::to_string(L.Channels) + ", " + std::to_string(L.OutFeatures) +
           "), " + formatBytes(Bytes{L.PooledBytes}) + ": " +
           formatBytes(Less) + " less";
    if (Multiple.Trains)
      Text += ", " + formatBytes(Less * Multiple.factor()) + " less in training";
    note(Made.isValid() ? Made : Loc,
         Text + "; this changes the model, trained weights no longer match");
  }
}

} // namespace vramlint
