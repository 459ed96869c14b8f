//===- test/oracle/probes/probe.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Small measurements: every allocation (+bytes) and release (-bytes) that real
// LibTorch makes in one expression, in order. Unit tests replay the same on the
// abstract LibTorch and expect the same list.

#pragma once

#include "oracle.h"

namespace probe {

struct Recorder : c10::MemoryReportingInfoBase {
  using Total = oracle::Reporter::Total;
  std::vector<int64_t> Events;
  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void *, int64_t Size, Total, Total,
                         c10::Device) override {
    Events.push_back(Size);
  }
  void reportOutOfMemory(int64_t, Total, Total, c10::Device) override {}
};

inline bool First = true;

/// Runs \p F and prints what it allocated and released as a JSON member.
template <typename Fn> auto run(const std::string &Name, Fn F) {
  auto R = std::make_shared<Recorder>();
  struct Print {
    const std::string &Name;
    Recorder &R;
    ~Print() {
      std::printf("%s\n  \"%s\": [", First ? "" : ",", Name.c_str());
      for (size_t I = 0; I < R.Events.size(); ++I)
        std::printf("%s%lld", I ? ", " : "", (long long)R.Events[I]);
      std::printf("]");
      First = false;
    }
  };
  c10::DebugInfoGuard Guard(c10::DebugInfoKind::PROFILER_STATE, R);
  Print P{Name, *R};
  return F();
}

struct Session {
  Session() {
    torch::set_num_threads(1);
    at::globalContext().setUserEnabledMkldnn(false);
    std::printf("{");
  }
  ~Session() { std::printf("\n}\n"); }
};

} // namespace probe
