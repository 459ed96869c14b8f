//===- lib/frontend/FileManifest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The manifest is text, one file a line: kind, size, time, hash, path.

#include "lib/frontend/FileManifest.h"
#include "lib/frontend/IncludeScan.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace vramlint {

static constexpr StringLiteral Header = "vramlint manifest 2\n";
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

/// Of a folder: of what folders are listed for, their folders and C++ sources, by name.
/// Nothing: it can't be read.
static std::optional<uint64_t> hashOfNames(StringRef Folder) {
  std::vector<std::string> Names;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), E; !EC && I != E;
       I.increment(EC))
    if (I->type() != sys::fs::file_type::regular_file || isCxxSource(I->path()))
      Names.push_back(sys::path::filename(I->path()).str());
  if (EC)
    return std::nullopt;
  std::sort(Names.begin(), Names.end());
  return xxh3_64bits(join(Names, "\n"));
}

std::optional<uint64_t> FileManifest::hashOf(StringRef Path, Kind Is) {
  if (Is == Kind::LargeFile)
    return 0;
  if (Is == Kind::Folder)
    return hashOfNames(Path);
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

bool FileManifest::add(StringRef Path, StringRef ListedAs, Kind Is) {
  sys::fs::file_status S;
  if (sys::fs::status(Path, S))
    return false;
  auto Hash = hashOf(Path, Is);
  if (!Hash)
    return false;
  // A folder's size is the file system's business.
  uint64_t Size = Is == Kind::Folder ? 0 : S.getSize();
  Items.push_back({ListedAs.str(), Is, Size, *Hash, timeOf(S)});
  return true;
}

bool FileManifest::addFile(StringRef Path) {
  return add(Path, Path, Kind::File);
}

bool FileManifest::addLargeFile(StringRef Path) {
  return add(Path, Path, Kind::LargeFile);
}

bool FileManifest::addFolder(StringRef Path) {
  return add(Path, Path, Kind::Folder);
}

void FileManifest::addAbsent(StringRef Path) {
  Items.push_back({Path.str(), Kind::Absent, 0, 0, 0});
}

bool FileManifest::record(StringRef Output,
                          const std::vector<std::string> &Inputs) {
  Items.clear();
  if (!add(Output, "", Kind::File))
    return false;
  return all_of(Inputs, [&](const std::string &Path) { return addFile(Path); });
}

bool FileManifest::stillHolds(StringRef Path, Item &I, bool &Changed) {
  sys::fs::file_status S;
  bool There = !sys::fs::status(Path, S);
  if (I.Is == Kind::Absent)
    return !There;
  if (!There || (I.Is != Kind::Folder && S.getSize() != I.Size) ||
      sys::fs::is_directory(S) != (I.Is == Kind::Folder))
    return false;
  if (timeOf(S) == I.Time)
    return true;
  auto Hash = hashOf(Path, I.Is);
  if (I.Is == Kind::LargeFile || !Hash || *Hash != I.Hash)
    return false;
  I.Time = timeOf(S);
  Changed = true;
  return true;
}

bool FileManifest::holds(bool &Changed) { return matches("", Changed); }

bool FileManifest::matches(StringRef Output, bool &Changed) {
  for (Item &I : Items)
    if (!stillHolds(I.Path.empty() ? Output : StringRef(I.Path), I, Changed))
      return false;
  return !Items.empty();
}

void FileManifest::print(raw_ostream &OS) const {
  OS << Header;
  for (const Item &I : Items)
    OS << static_cast<char>(I.Is) << ' ' << I.Size << ' ' << I.Time << ' '
       << utohexstr(I.Hash) << ' ' << I.Path << '\n';
  OS << Footer;
}

std::optional<FileManifest> FileManifest::parse(StringRef &Text) {
  if (!Text.consume_front(Header))
    return std::nullopt;
  FileManifest Result;
  while (!Text.consume_front(Footer)) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    auto [Is, Rest0] = Line.split(' ');
    auto [Size, Rest] = Rest0.split(' ');
    auto [Time, Rest2] = Rest.split(' ');
    auto [Hash, Name] = Rest2.split(' ');
    Item I;
    if (Is.size() != 1 || !StringRef("fld-").contains(Is) ||
        Size.getAsInteger(10, I.Size) || Time.getAsInteger(10, I.Time) ||
        Hash.getAsInteger(16, I.Hash))
      return std::nullopt;
    I.Is = static_cast<Kind>(Is.front());
    I.Path = Name.str();
    Result.Items.push_back(std::move(I));
  }
  return Result;
}

bool FileManifest::save(StringRef Path) const {
  std::string Text;
  raw_string_ostream OS(Text);
  print(OS);
  return replaceFile(Path, Text);
}

std::optional<FileManifest> FileManifest::load(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return std::nullopt;
  StringRef Text = (*Buffer)->getBuffer();
  std::optional<FileManifest> Result = parse(Text);
  if (!Result || !Text.empty())
    return std::nullopt;
  sys::fs::file_status S;
  if (!sys::fs::status(Path, S))
    Result->Old =
        std::chrono::system_clock::now() - S.getLastModificationTime() >
        std::chrono::hours(24);
  return Result;
}

bool writeWhole(StringRef Path, StringRef Text) {
  if (auto Buffer = MemoryBuffer::getFile(Path))
    if ((*Buffer)->getBuffer() == Text)
      return true;
  return replaceFile(Path, Text);
}

} // namespace vramlint
