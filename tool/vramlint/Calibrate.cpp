//===- tool/vramlint/Calibrate.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The program's text. Its witness is an object that lives around main: renaming main
// would make a function of it that must return.

#include "tool/vramlint/Calibrate.h"

#include "lib/gpu/Calibration.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace vramlint::tool {

/// @FILE@ as named, @PATH@ absolute.
static constexpr llvm::StringLiteral Program = R"cpp(// Made by `vramlint calibrate @FILE@`.
//
// Runs the program of @FILE@ and measures what it takes of this machine's GPU: tensors,
// what the caching allocator reserves for them, and what the driver shows.
//
// Build it as you build @FILE@ (instead of it, with the same flags and libraries, linking
// CUDA's runtime and, before glibc 2.34, dl), and run it with the arguments that the program
// gets. It writes vramlint-calibration.json every second and at the end: it may be stopped
// when the figures no longer change. No other program should use the GPU meanwhile. Then:
//
//   vramlint check @FILE@ --gpu … --calibration vramlint-calibration.json
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace vramlint_calibration {

/// Live tensors as vramlint predicts them, in blocks of 512 bytes; -1: not known.
constexpr long long predicted_bytes = @PREDICTED@;
/// Threads that multiply matrices: each gets a workspace of cuBLAS's.
constexpr long long multiplying_threads = @THREADS@;

/// NVML, loaded by hand: it need not be there when this is built.
class Driver {
 public:
  Driver() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    auto init = find<int (*)()>(library, "nvmlInit_v2");
    by_index_ = find<int (*)(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
    by_bus_ = find<int (*)(const char*, void**)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
    memory_ = find<int (*)(void*, Memory*)>(library, "nvmlDeviceGetMemoryInfo");
    name_ = find<int (*)(void*, char*, unsigned)>(library, "nvmlDeviceGetName");
    if (!init || !by_index_ || !by_bus_ || !memory_ || !name_ || init() != 0) return;
    void* device = nullptr;
    for (unsigned i = 0; i < 16 && by_index_(i, &device) == 0; ++i)
      before_.push_back({device, used(device)});
  }

  /// The device that the program uses; null: none, or not known.
  void* device() const {
    char bus[32] = "";
    void* found = nullptr;
    if (before_.empty() || cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess ||
        by_bus_(bus, &found) != 0)
      return nullptr;
    return found;
  }
  /// Bytes that came into use since the program began; -1: not known.
  long long taken(void* device) const {
    for (const auto& [handle, bytes] : before_)
      if (handle == device) return used(device) - bytes;
    return -1;
  }
  std::string name(void* device) const {
    char text[96] = "";
    return device && name_(device, text, sizeof text) == 0 ? text : "";
  }

 private:
  struct Memory {
    unsigned long long total, free, used;
  };
  template <typename Function>
  static Function find(void* library, const char* symbol) {
    return library ? reinterpret_cast<Function>(dlsym(library, symbol)) : nullptr;
  }
  long long used(void* device) const {
    Memory m{};
    return memory_(device, &m) == 0 ? static_cast<long long>(m.used) : -1;
  }

  int (*by_index_)(unsigned, void**) = nullptr;
  int (*by_bus_)(const char*, void**) = nullptr;
  int (*memory_)(void*, Memory*) = nullptr;
  int (*name_)(void*, char*, unsigned) = nullptr;
  std::vector<std::pair<void*, long long>> before_;
};

class Witness {
 public:
  Witness() : thread_([this] { watch(); }) {}
  ~Witness() {
    done_ = true;
    thread_.join();
    write();
  }

 private:
  void watch() {
    for (unsigned i = 1; !done_; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      look();
      if (i % 50 == 0) write();
    }
  }

  void look() {
    try {
      auto before = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
      if (!device_) device_ = driver_.device();
      long long taken = device_ ? driver_.taken(device_) : -1;
      auto after = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
      long long reserved = after.reserved_bytes[0].current;
      allocated_ = std::max<long long>(allocated_, after.allocated_bytes[0].peak);
      reserved_ = std::max<long long>(reserved_, after.reserved_bytes[0].peak);
      if (taken < 0 || reserved == 0 || before.reserved_bytes[0].current != reserved) return;
      taken_ = std::max(taken_, taken);
      context_ = std::max(context_, taken - reserved);
    } catch (const std::exception&) {
      // The program has not used the GPU yet.
    }
  }

  /// What the allocator held beyond the tensors and cuBLAS's workspaces; -1: not known.
  long long workspace() const {
    int major = 0;
    if (predicted_bytes < 0 || allocated_ <= 0 ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess)
      return -1;
    long long cublas = (major >= 9 ? 32768LL : 8320LL) * 1024 * multiplying_threads;
    return std::max(allocated_ - predicted_bytes - cublas, 0LL);
  }

  static std::string bytes(long long n) { return n < 0 ? "null" : std::to_string(n); }

  void write() const {
    std::FILE* file = std::fopen("vramlint-calibration.json", "w");
    if (!file) return;
    std::fprintf(file,
                 "{\n  \"vramlint_calibration\": @VERSION@,\n  \"gpu\": \"%s\",\n"
                 "  \"context_bytes\": %s,\n  \"workspace_bytes\": %s,\n"
                 "  \"peak_allocated_bytes\": %s,\n  \"peak_reserved_bytes\": %s,\n"
                 "  \"peak_driver_bytes\": %s\n}\n",
                 driver_.name(device_).c_str(), bytes(context_).c_str(),
                 bytes(workspace()).c_str(), bytes(allocated_).c_str(),
                 bytes(reserved_).c_str(), bytes(taken_).c_str());
    std::fclose(file);
  }

  Driver driver_;
  void* device_ = nullptr;
  long long allocated_ = -1, reserved_ = -1, taken_ = -1, context_ = -1;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

Witness witness;

}  // namespace vramlint_calibration

#include "@PATH@"
)cpp";

std::string calibrationProgram(llvm::StringRef File, const Timeline &Line,
                               const FitOptions &Options) {
  llvm::SmallString<128> Path(File);
  llvm::sys::fs::make_absolute(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  int64_t Predicted = Line.Live.isUnknown()
                          ? -1
                          : computeReserved(Line, CardTerms(), Options).AllocatedBytes;
  int Threads = !Line.MultipliesHere ? 0 : Line.MultipliesInBackward ? 2 : 1;
  std::string Text = Program.str();
  const std::pair<llvm::StringRef, std::string> Words[] = {
      {"@FILE@", File.str()},
      {"@PATH@", Path.str().str()},
      {"@PREDICTED@", std::to_string(Predicted)},
      {"@THREADS@", std::to_string(Threads)},
      {"@VERSION@", std::to_string(CalibrationVersion)}};
  for (const auto &[Word, By] : Words)
    for (size_t At = Text.find(Word); At != std::string::npos;
         At = Text.find(Word, At + By.size()))
      Text.replace(At, Word.size(), By);
  return Text;
}

} // namespace vramlint::tool
