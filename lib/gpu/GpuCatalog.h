//===- lib/gpu/GpuCatalog.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All GPUs that can be named: the built-in ones, and those of --gpu-specs.

#pragma once

#include "lib/gpu/GpuSpec.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <string>
#include <vector>

namespace vramlint {

class GpuCatalog {
public:
  /// The specs compiled into the binary.
  static const GpuCatalog &builtin();
  /// A copy of builtin(), to add to.
  static GpuCatalog withBuiltin();
  GpuCatalog() = default;

  /// Adds \p Spec; one with an id that is there already replaces it. Fails if
  /// an alias belongs to another GPU. \p File and its \p Text are for the
  /// message.
  llvm::Error add(const GpuSpec &Spec, llvm::StringRef File = "",
                  llvm::StringRef Text = "");
  llvm::Error add(const GpuSystem &System, llvm::StringRef File = "",
                  llvm::StringRef Text = "");
  /// --gpu-specs DIR: reads DIR/*.json and DIR/systems/*.json (schema.json is
  /// left out). A file with a built-in's id overrides it. Fails on the first
  /// broken file, on an alias of another GPU, or if DIR has none.
  llvm::Error addDirectory(llvm::vfs::FileSystem &FS, llvm::StringRef Dir);

  /// The GPU called \p Name (id, name or alias; case, spaces, dashes and
  /// "NVIDIA GeForce" do not matter). The error suggests the nearest names.
  /// "native" is not for here: see NativeGpu.h.
  llvm::Expected<const GpuSpec *> find(llvm::StringRef Name) const;
  const GpuSpec *byId(llvm::StringRef Id) const;
  llvm::Expected<const GpuSystem *> findSystem(llvm::StringRef Name) const;

  const std::vector<GpuSpec> &gpus() const { return Gpus; } ///< By id.
  const std::vector<GpuSystem> &systems() const { return Systems; }
  /// GPUs whose id, name, alias, architecture, vendor or market contains
  /// \p Pattern (normalised); all for an empty one. By id.
  std::vector<const GpuSpec *> matching(llvm::StringRef Pattern) const;
  std::vector<const GpuSystem *> matchingSystems(llvm::StringRef Pattern) const;

private:
  llvm::Error addFile(llvm::vfs::FileSystem &FS, llvm::StringRef Path,
                      bool OfSystem);

  std::vector<GpuSpec> Gpus;
  std::vector<GpuSystem> Systems;
  llvm::StringMap<llvm::StringRef> GpuByAlias, SystemByAlias; ///< To the id.
};

} // namespace vramlint
