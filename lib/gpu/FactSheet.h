//===- lib/gpu/FactSheet.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What `vramlint gpus [PATTERN]` prints: a table, or one GPU with its sources.

#pragma once

#include "lib/gpu/GpuCatalog.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace vramlint {

/// A row per GPU: name, the shortest alias, memory (usable), bandwidth, FP32
/// and FP16 rates.
void printGpuTable(llvm::ArrayRef<const GpuSpec *> Gpus, llvm::raw_ostream &OS);
void printSystemTable(llvm::ArrayRef<const GpuSystem *> Systems,
                      const GpuCatalog &Catalog, llvm::raw_ostream &OS);
/// All facts of one GPU, its aliases, sources and notes.
void printGpuDetail(const GpuSpec &Gpu, llvm::raw_ostream &OS);
/// The table, or the detail if exactly one matches, and matching systems.
/// Returns false (and prints nothing) if nothing matches.
bool printFactSheet(llvm::StringRef Pattern, const GpuCatalog &Catalog,
                    llvm::raw_ostream &OS);
/// Keys as in gpu-specs/, null where not known.
llvm::json::Object gpuToJson(const GpuSpec &Gpu);
llvm::json::Object systemToJson(const GpuSystem &System);

} // namespace vramlint
