//===- checks/WaysOut.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See WaysOut.h.

#include "checks/WaysOut.h"

namespace vramlint {

namespace {
class Finder {
public:
  Finder(const Analysis &A, const Fit &F)
      : A(A), F(F), Multiple(trainingMultiple(*A.trace())) {}

  std::vector<WayOut> find() {
    tryNoGrad();
    tryPrecision();
    tryOptimizer();
    tryPooling();
    llvm::sort(Ways, [](const WayOut &X, const WayOut &Y) {
      return X.LessBytes != Y.LessBytes ? X.LessBytes > Y.LessBytes
                                        : X.What < Y.What;
    });
    return std::move(Ways);
  }

private:
  void run(std::string What, const ProgramOptions &P) {
    std::shared_ptr<const Timeline> T = A.rerun(P);
    if (!T || T->Highest.EventIndex == None)
      return;
    Fit Then = computeFit(*T, F.Gpu, A.options().Fit);
    add(std::move(What), Then.Need.expected(),
        A.timeline()->Highest.SizeBytes - T->Highest.SizeBytes);
  }

  void add(std::string What, int64_t Need, int64_t Less) {
    if (Less < 0)
      return;
    Ways.push_back({std::move(What), Need <= F.Usable.Count, Need, Less});
  }

  /// Only where nothing needs the graph.
  void tryNoGrad() {
    if (Multiple.Trains || A.options().Program.NoGrad)
      return;
    bool Records = false;
    for (const OpRecord &O : A.trace()->Ops)
      Records |= O.RecordsGraph;
    if (!Records)
      return;
    ProgramOptions P = A.options().Program;
    P.NoGrad = true;
    run("a NoGradGuard", P);
  }

  void tryPrecision() {
    if (A.options().Program.Precision)
      return;
    ProgramOptions P = A.options().Program;
    bool BF16 = F.Gpu.cudaCapability() >= 80 || F.Gpu.Bf16TensorTflops;
    P.Precision = BF16 ? DType::BFloat16 : DType::Float16;
    run(BF16 ? "parameters and inputs in bfloat16"
             : "parameters and inputs in float16 (this card has no bfloat16)",
        P);
  }

  void tryOptimizer() {
    if (!Multiple.Trains || !Multiple.StateCopies ||
        Multiple.Optimizer.empty() || A.options().Program.Optimizer)
      return;
    ProgramOptions P = A.options().Program;
    P.Optimizer = "SGD";
    run("SGD instead of " + Multiple.Optimizer, P);
  }

  /// Not run again: what the smaller layer saves is known.
  void tryPooling() {
    for (const OversizedLinear &L :
         findOversizedLinears(*A.trace(), OversizedLimits())) {
      if (!L.Channels)
        continue;
      Bytes Less = (Bytes{L.SizeBytes} - Bytes{L.PooledBytes}) *
                   Multiple.factor();
      add("global average pooling before " + L.Name,
          F.Need.expected() - Less.Count, Less.Count);
      return;
    }
  }

  const Analysis &A;
  const Fit &F;
  TrainingMultiple Multiple;
  std::vector<WayOut> Ways;
};
} // namespace

std::vector<WayOut> findWaysOut(const Analysis &A, const Fit &F) {
  return Finder(A, F).find();
}

} // namespace vramlint
