//===- lib/frontend/PreambleManifest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The manifest is text, one file a line: size, time, hash, path.

#include "lib/frontend/PreambleManifest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace llvm;

namespace vramlint {

static constexpr StringLiteral Header = "vramlint preamble 1\n";
static constexpr StringLiteral Footer = "end\n";

/// Writes beside and renames, so that readers see all or nothing.
static bool replaceFile(StringRef Path, StringRef Text) {
  SmallString<256> Beside;
  int Descriptor;
  if (sys::fs::createUniqueFile(Path + "-%%%%%%.tmp", Descriptor, Beside))
    return false;
  raw_fd_ostream File(Descriptor, /*shouldClose=*/true);
  File << Text;
  File.close();
  bool Good = !File.has_error();
  File.clear_error();
  if (Good && !sys::fs::rename(Beside, Path))
    return true;
  sys::fs::remove(Beside);
  return false;
}

static std::optional<uint64_t> hashOf(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return std::nullopt;
  return xxh3_64bits((*Buffer)->getBuffer());
}

static int64_t timeOf(const sys::fs::file_status &S) {
  return S.getLastModificationTime().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

bool PreambleManifest::note(StringRef Path, Item &I) {
  sys::fs::file_status S;
  if (sys::fs::status(Path, S))
    return false;
  auto Hash = hashOf(Path);
  if (!Hash)
    return false;
  I.Size = S.getSize();
  I.Time = timeOf(S);
  I.Hash = *Hash;
  return true;
}

bool PreambleManifest::record(StringRef Pch,
                              const std::vector<std::string> &Inputs) {
  Items.assign(1, Item());
  if (!note(Pch, Items.front()))
    return false;
  for (const std::string &Path : Inputs) {
    Item I;
    I.Path = Path;
    if (!note(Path, I))
      return false;
    Items.push_back(std::move(I));
  }
  return true;
}

bool PreambleManifest::stillHolds(StringRef Path, Item &I, bool &Changed) {
  sys::fs::file_status S;
  if (sys::fs::status(Path, S) || S.getSize() != I.Size)
    return false;
  if (timeOf(S) == I.Time)
    return true;
  auto Hash = hashOf(Path);
  if (!Hash || *Hash != I.Hash)
    return false;
  I.Time = timeOf(S);
  Changed = true;
  return true;
}

bool PreambleManifest::matches(StringRef Pch, bool &Changed) {
  for (Item &I : Items)
    if (!stillHolds(I.Path.empty() ? Pch : StringRef(I.Path), I, Changed))
      return false;
  return !Items.empty();
}

bool PreambleManifest::save(StringRef Path) const {
  std::string Text = Header.str();
  raw_string_ostream OS(Text);
  for (const Item &I : Items)
    OS << I.Size << ' ' << I.Time << ' ' << utohexstr(I.Hash) << ' ' << I.Path
       << '\n';
  OS << Footer;
  return replaceFile(Path, Text);
}

std::optional<PreambleManifest> PreambleManifest::load(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return std::nullopt;
  StringRef Text = (*Buffer)->getBuffer();
  if (!Text.consume_front(Header) || !Text.consume_back(Footer))
    return std::nullopt;
  PreambleManifest Result;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    Item I;
    auto [Size, Rest] = Line.split(' ');
    auto [Time, Rest2] = Rest.split(' ');
    auto [Hash, Name] = Rest2.split(' ');
    if (Size.getAsInteger(10, I.Size) || Time.getAsInteger(10, I.Time) ||
        Hash.getAsInteger(16, I.Hash))
      return std::nullopt;
    I.Path = Name.str();
    Result.Items.push_back(std::move(I));
  }
  sys::fs::file_status S;
  if (!sys::fs::status(Path, S))
    Result.Old = std::chrono::system_clock::now() -
                     S.getLastModificationTime() > std::chrono::hours(24);
  return Result;
}

bool writeWhole(StringRef Path, StringRef Text) {
  if (auto Buffer = MemoryBuffer::getFile(Path))
    if ((*Buffer)->getBuffer() == Text)
      return true;
  return replaceFile(Path, Text);
}

} // namespace vramlint
