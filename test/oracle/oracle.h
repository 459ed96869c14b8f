//===- test/oracle/oracle.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Measures a LibTorch program from inside. oracle.py includes this in front of
// a program and appends a mark to its statements; every allocation and release
// that LibTorch reports is counted between marks. At the end of main all marks
// go to the file $ORACLE_OUT as JSON. With $ORACLE_EVENTS set, every event goes
// to that file as a line of text.
//
// Pinned as in the design: one thread, the CPU, oneDNN off unless $ORACLE_ONEDNN
// is set.

#pragma once

#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace oracle {

/// Bytes since the last mark of one function.
struct Counter {
  int64_t Allocated = 0, Freed = 0, Peak = 0;
};

struct Mark {
  const char *File, *Function;
  int Line, EndLine, Hit;
  int64_t Allocated, Freed, Alive, Peak;
};

struct State {
  bool On = false;
  int64_t Alive = 0;
  std::vector<Counter> Frames;
  std::vector<Mark> Marks;
  std::map<std::pair<std::string, int>, int> Hits;
  std::map<int, int> Loops;
  std::string Models, Shapes;
  std::FILE *Events = nullptr;
};
inline State S;

struct Reporter : c10::MemoryReportingInfoBase {
#if TORCH_VERSION_MAJOR >= 2
  using Total = size_t;
#else
  using Total = int64_t;
#endif
  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void *Pointer, int64_t Size, Total, Total,
                         c10::Device) override {
    if (!S.On)
      return;
    S.Alive += Size;
    if (S.Events)
      std::fprintf(S.Events, "%+lld %p alive %lld\n", (long long)Size, Pointer,
                   (long long)S.Alive);
    for (Counter &C : S.Frames) {
      (Size > 0 ? C.Allocated : C.Freed) += Size > 0 ? Size : -Size;
      if (S.Alive > C.Peak)
        C.Peak = S.Alive;
    }
  }
  void reportOutOfMemory(int64_t, Total, Total, c10::Device) override {}
};

/// A function being run: marks inside it do not disturb its caller's counters.
struct Frame {
  Frame() { S.Frames.push_back({0, 0, S.Alive}); }
  ~Frame() { S.Frames.pop_back(); }
};

inline void mark(const char *File, const char *Function, int Line,
                 int EndLine) {
  if (!S.On || S.Frames.empty())
    return;
  Counter &C = S.Frames.back();
  int Hit = ++S.Hits[{File, Line}];
  S.Marks.push_back({File, Function, Line, EndLine, Hit, C.Allocated, C.Freed,
                     S.Alive, C.Peak});
  C = {0, 0, S.Alive};
  if (S.Events)
    std::fprintf(S.Events, "mark %s:%d hit %d alive %lld\n", File, Line, Hit,
                 (long long)S.Alive);
}

/// The start of an iteration of loop \p Id: marks the loop's line the first time,
/// afterwards its closing brace (what died there, and what the loop's own step
/// made). True when it has run \p Limit iterations already (0: no limit).
inline bool iteration(int Id, int Limit, const char *File, const char *Function,
                      int Line, int EndLine) {
  int Before = S.Loops[Id]++;
  int Where = Before ? EndLine : Line;
  mark(File, Function, Where, Where);
  return Limit && Before >= Limit;
}
inline void enterLoop(int Id) { S.Loops[Id] = 0; }
/// The start of a statement: what came since the last mark counts nowhere.
inline void begin() {
  if (!S.Frames.empty())
    S.Frames.back() = {0, 0, S.Alive};
}

inline void appendList(std::string &Out, c10::IntArrayRef List) {
  Out += '[';
  for (size_t I = 0; I < List.size(); ++I)
    Out += (I ? ", " : "") + std::to_string(List[I]);
  Out += ']';
}

inline const torch::nn::Module &moduleOf(const torch::nn::Module &M) {
  return M;
}
template <typename Pointer>
auto moduleOf(const Pointer &P) -> const std::decay_t<decltype(*P.get())> & {
  return *P.get();
}

/// Writes down the names and shapes of a module's parameters and buffers.
template <typename T> void model(const char *Name, const T &Value) {
  const torch::nn::Module &M = moduleOf(Value);
  auto append = [](const char *Key, const auto &List) {
    S.Models += std::string(", \"") + Key + "\": [";
    bool First = true;
    int64_t Count = 0, SizeBytes = 0;
    for (const auto &Item : List) {
      S.Models += First ? "{\"name\": \"" : ", {\"name\": \"";
      S.Models += Item.key() + "\", \"shape\": ";
      appendList(S.Models, Item.value().sizes());
      S.Models += "}";
      First = false;
      Count += Item.value().numel();
      SizeBytes += Item.value().nbytes();
    }
    S.Models += std::string("], \"") + Key +
                "_elements\": " + std::to_string(Count) + ", \"" + Key +
                "_bytes\": " + std::to_string(SizeBytes);
  };
  S.Models += S.Models.empty() ? "" : ",\n  ";
  S.Models += std::string("{\"name\": \"") + Name + "\"";
  append("parameters", M.named_parameters());
  append("buffers", M.named_buffers());
  S.Models += "}";
}

inline void shape(const char *Name, const torch::Tensor &T) {
  S.Shapes += S.Shapes.empty() ? "" : ",\n  ";
  S.Shapes += std::string("{\"name\": \"") + Name + "\", \"shape\": ";
  appendList(S.Shapes, T.sizes());
  S.Shapes += std::string(", \"dtype\": \"") + c10::toString(T.scalar_type()) +
              "\"}";
}

/// The measurement of one main().
struct Session {
  c10::DebugInfoGuard Guard{c10::DebugInfoKind::PROFILER_STATE,
                            std::make_shared<Reporter>()};
  Session() {
    torch::set_num_threads(1);
    at::globalContext().setUserEnabledMkldnn(std::getenv("ORACLE_ONEDNN"));
    if (const char *Path = std::getenv("ORACLE_EVENTS"))
      S.Events = std::fopen(Path, "w");
    S.On = true;
    S.Frames.push_back({});
  }
  ~Session() {
    S.On = false;
    if (S.Events)
      std::fclose(S.Events);
    const char *Path = std::getenv("ORACLE_OUT");
    std::FILE *Out = Path ? std::fopen(Path, "w") : stdout;
    if (!Out) {
      std::fprintf(stderr, "oracle: cannot write %s\n", Path);
      std::abort();
    }
    std::fprintf(Out, "{\"models\": [\n  %s],\n\"shapes\": [\n  %s],\n",
                 S.Models.c_str(), S.Shapes.c_str());
    std::fprintf(Out, "\"alive_at_end\": %lld,\n\"marks\": [\n",
                 (long long)S.Alive);
    for (size_t I = 0; I < S.Marks.size(); ++I) {
      const Mark &M = S.Marks[I];
      std::fprintf(Out,
                   "  {\"file\": \"%s\", \"function\": \"%s\", \"line\": %d, "
                   "\"end_line\": %d, \"hit\": %d, \"allocated_bytes\": %lld, "
                   "\"freed_bytes\": %lld, \"alive_after_bytes\": %lld, "
                   "\"peak_bytes\": %lld}%s\n",
                   M.File, M.Function, M.Line, M.EndLine, M.Hit,
                   (long long)M.Allocated, (long long)M.Freed,
                   (long long)M.Alive, (long long)M.Peak,
                   I + 1 < S.Marks.size() ? "," : "");
    }
    std::fprintf(Out, "]}\n");
    if (Path)
      std::fclose(Out);
  }
};

} // namespace oracle
