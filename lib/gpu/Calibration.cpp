//===- lib/gpu/Calibration.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Calibration.h.

#include "lib/gpu/Calibration.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace vramlint {

static constexpr llvm::StringLiteral Keys[] = {
    "vramlint_calibration", "gpu",
    "context_bytes",        "workspace_bytes",
    "peak_allocated_bytes", "peak_reserved_bytes",
    "peak_driver_bytes"};

namespace {
/// Makes the errors of one file.
struct Place {
  llvm::StringRef Text, File;

  llvm::Error error(llvm::StringRef Key, const llvm::Twine &What) const {
    unsigned Line = lineOfKey(Text, Key);
    return llvm::createStringError("--calibration: " + File +
                                   (Line ? ":" + llvm::Twine(Line) : "") + ": " + What);
  }
};
} // namespace

/// The number of bytes at \p Key, null as nothing.
static llvm::Expected<std::optional<int64_t>>
bytesAt(const llvm::json::Object &O, llvm::StringRef Key, const Place &At) {
  const llvm::json::Value *V = O.get(Key);
  if (!V)
    return At.error(Key, "'" + Key + "' is missing");
  if (V->kind() == llvm::json::Value::Null)
    return std::nullopt;
  std::optional<int64_t> N = V->getAsInteger();
  if (!N || *N < 0)
    return At.error(Key, "'" + Key + "' must be a number of bytes, or null");
  return N;
}

llvm::Expected<Calibration> parseCalibration(llvm::StringRef Text, llvm::StringRef File,
                                             const GpuCatalog &Catalog) {
  constexpr size_t MaxBytes = 1 << 16; // LLVM's parser recurses.
  Place At{Text, File};
  if (Text.size() > MaxBytes)
    return At.error("", "too large for a calibration");
  llvm::Expected<llvm::json::Value> Root = llvm::json::parse(Text);
  if (!Root)
    return At.error("", llvm::toString(Root.takeError()));
  const llvm::json::Object *O = Root->getAsObject();
  if (!O)
    return At.error("", "not a calibration: no object");
  for (const auto &[Key, Value] : *O)
    if (!llvm::is_contained(Keys, llvm::StringRef(Key)))
      return At.error(Key, "unknown key '" + llvm::StringRef(Key) + "'");
  if (O->getInteger("vramlint_calibration") != CalibrationVersion)
    return At.error("vramlint_calibration",
                    "not a calibration of this version; make it again with the program of "
                    "vramlint calibrate");
  std::optional<llvm::StringRef> Name = O->getString("gpu");
  if (!Name)
    return At.error("gpu", "'gpu' must be the card's name");
  llvm::Expected<const GpuSpec *> Gpu = Catalog.find(*Name);
  if (!Gpu)
    return At.error("gpu", llvm::toString(Gpu.takeError()));
  llvm::Expected<std::optional<int64_t>> Context = bytesAt(*O, "context_bytes", At);
  if (!Context)
    return Context.takeError();
  if (!*Context)
    return At.error("context_bytes", "the program measured no CUDA context: it put nothing "
                                     "on the GPU, or the driver's library was not found");
  llvm::Expected<std::optional<int64_t>> Workspace = bytesAt(*O, "workspace_bytes", At);
  if (!Workspace)
    return Workspace.takeError();
  return Calibration{(*Gpu)->Id, **Context, *Workspace};
}

} // namespace vramlint
