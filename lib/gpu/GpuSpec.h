//===- lib/gpu/GpuSpec.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Facts of one GPU, and of one system of several, as gpu-specs/ states them:
// one JSON file each, keys as the fields here. The built-in ones are checked
// and compiled into the binary when vramlint is built
// (tool/dev/embed-specs.cpp).
//
// Texts are interned or static: a GpuSpec can be copied and lives as long as
// the process.

#pragma once

#include "lib/support/Bytes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace vramlint {

/// Rates in TFLOPS (10^12, a multiply-add counts 2), dense; links and bandwidth
/// in GB/s (10^9). No value: not known, or the chip has no such unit.
struct GpuSpec {
  llvm::StringRef Id;   ///< File stem: "nvidia-t4".
  llvm::StringRef Name; ///< "NVIDIA T4".
  llvm::ArrayRef<llvm::StringRef> Aliases;
  llvm::StringRef Vendor;            ///< "nvidia", "amd", "intel", "apple".
  llvm::StringRef Architecture;      ///< "Turing".
  llvm::StringRef ComputeCapability; ///< "7.5", "gfx90a"; empty: none known.
  int64_t ReleaseYear = 0;
  llvm::StringRef
      Market; ///< datacenter, workstation, desktop, laptop, embedded.
  std::optional<int64_t> SmCount, CudaCores, TensorCores;
  int64_t VramBytes = 0;
  std::optional<int64_t> UsableVramBytes; ///< What CUDA reports as total.
  llvm::StringRef MemoryType;
  int64_t MemoryBusBits = 0;
  double MemoryBandwidthGbPerSec = 0;
  std::optional<double> Fp32Tflops, Fp16Tflops, Tf32TensorTflops,
      Fp16TensorTflops, Bf16TensorTflops, Fp8TensorTflops, Int8TensorTops,
      Fp64Tflops;
  std::optional<int64_t> L2CacheBytes, TdpWatts, PcieGeneration, PcieLanes;
  std::optional<double> HostLinkGbPerSec, NvlinkGbPerSec;
  bool UnifiedMemory = false; ///< The host's memory, shared with the CPU.
  llvm::ArrayRef<llvm::StringRef> Sources;
  llvm::StringRef Notes;

  /// What a program can use: as reported by CUDA, else the nominal size.
  Bytes usable() const { return {UsableVramBytes.value_or(VramBytes)}; }
  bool usableIsNominal() const { return !UsableVramBytes; }
  /// "7.5" as 75, or 0 if it is no CUDA compute capability.
  unsigned cudaCapability() const;
};

struct GpuSystem {
  llvm::StringRef Id, Name;
  llvm::ArrayRef<llvm::StringRef> Aliases;
  llvm::StringRef GpuId;
  int64_t GpuCount = 0;
  llvm::StringRef Interconnect;
  std::optional<double> PerGpuLinkGbPerSec, BisectionGbPerSec;
  int64_t TotalMemoryBytes = 0;
  llvm::ArrayRef<llvm::StringRef> Sources;
  llvm::StringRef Notes;
};

/// Reads one spec. The error names \p File, line and key; \p File's stem must
/// be the id.
llvm::Expected<GpuSpec> parseGpuSpec(llvm::StringRef Text,
                                     llvm::StringRef File);
llvm::Expected<GpuSystem> parseGpuSystem(llvm::StringRef Text,
                                         llvm::StringRef File);

/// The line of an outermost key in a spec's text; 0 if it is not there.
unsigned lineOfKey(llvm::StringRef Text, llvm::StringRef Key);

/// "NVIDIA GeForce RTX 3060-Laptop" as "rtx3060laptop": lower case, letters and
/// digits only, without vendor and brand in front.
std::string normaliseGpuName(llvm::StringRef Name);

} // namespace vramlint
