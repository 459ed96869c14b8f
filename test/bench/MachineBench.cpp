//===- test/bench/MachineBench.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a run costs without parsing: ResNet-152 trained on the abstract machine, and
// its trace replayed. The bar is 100 ms for both.

#include "lib/frontend/Frontend.h"
#include "lib/frontend/PreambleCache.h"
#include "lib/memory/Timeline.h"
#include "lib/torch/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>

using namespace vramlint;

/// The program, parsed once.
static Unit &resnet152() {
  static std::unique_ptr<Unit> Parsed = [] {
    FlagOptions Choice;
    FlagFinder Flags(Choice);
    PreambleCacheOptions Where;
    static PreambleCache Cache(Where);
    FrontendOptions Options;
    Options.Cache = &Cache;
    auto Command = llvm::cantFail(
        Flags.commandFor(VRAMLINT_SOURCE_DIR "/test/bench/Inputs/resnet152.cpp"));
    return llvm::cantFail(loadUnit(Command, Options));
  }();
  return *Parsed;
}

static void trainResNet152(benchmark::State &State) {
  UnitView View = resnet152().view();
  size_t Ops = 0;
  for (auto _ : State) {
    auto T = runProgram(View, nullptr, ProgramOptions());
    Timeline Line = computeTimeline(T, DeviceKind::CUDA);
    benchmark::DoNotOptimize(Line.Highest.SizeBytes);
    Ops = T->Ops.size();
  }
  State.counters["ops"] = static_cast<double>(Ops);
}
BENCHMARK(trainResNet152)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

BENCHMARK_MAIN();
