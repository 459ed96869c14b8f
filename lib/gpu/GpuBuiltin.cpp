//===- lib/gpu/GpuBuiltin.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The catalog of the specs that are compiled in.

#include "lib/gpu/EmbeddedSpecs.h"
#include "lib/gpu/GpuCatalog.h"
#include "llvm/Support/ErrorHandling.h"

namespace vramlint {

GpuCatalog GpuCatalog::withBuiltin() {
  GpuCatalog Catalog;
  // embed-specs added the same ones without an error when we were built.
  for (const GpuSpec &Spec : embeddedGpus())
    llvm::cantFail(Catalog.add(Spec));
  for (const GpuSystem &System : embeddedSystems())
    llvm::cantFail(Catalog.add(System));
  return Catalog;
}

const GpuCatalog &GpuCatalog::builtin() {
  static const GpuCatalog Catalog = withBuiltin();
  return Catalog;
}

} // namespace vramlint
