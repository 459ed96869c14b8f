//===- lib/torch/jit/Zip.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Zip.h. Offsets are checked before each access; sums can't wrap, since both
// sides are at most the file's size.

#include "lib/torch/jit/Zip.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include <zlib.h>

namespace vramlint {

using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

static constexpr uint64_t EndBytes = 22, LocatorBytes = 20, End64Bytes = 56,
                          CentralBytes = 46, LocalBytes = 30,
                          MaxCommentBytes = 65535;

static llvm::Error damaged(llvm::StringRef Text) {
  return llvm::createStringError(Text);
}

static bool fits(uint64_t At, uint64_t N, uint64_t Size) {
  return At <= Size && N <= Size - At;
}

llvm::Expected<ZipFile> ZipFile::open(llvm::StringRef Bytes,
                                      const ArchiveLimits &Limits) {
  ZipFile Z;
  Z.Bytes = Bytes;
  if (llvm::Error E = Z.readDirectory(Limits))
    return std::move(E);
  return Z;
}

const ZipFile::Entry *ZipFile::find(llvm::StringRef Name) const {
  auto It = ByName.find(Name);
  return It == ByName.end() ? nullptr : &Entries[It->second];
}

/// Where the record that ends the archive begins; npos: there is none.
static size_t findEnd(llvm::StringRef Bytes) {
  if (Bytes.size() < EndBytes)
    return llvm::StringRef::npos;
  size_t First = Bytes.size() > EndBytes + MaxCommentBytes
                     ? Bytes.size() - EndBytes - MaxCommentBytes
                     : 0;
  for (size_t At = Bytes.size() - EndBytes + 1; At-- > First;)
    if (Bytes.substr(At, 4) == "PK\5\6" &&
        At + EndBytes + read16le(Bytes.data() + At + 20) <= Bytes.size())
      return At;
  return llvm::StringRef::npos;
}

llvm::Error ZipFile::readDirectory(const ArchiveLimits &Limits) {
  size_t End = findEnd(Bytes);
  if (End == llvm::StringRef::npos)
    return damaged(Bytes.starts_with("PK") ? "is cut off: its directory is missing"
                                           : "is no zip archive");
  const char *P = Bytes.data() + End;
  uint64_t Count = read16le(P + 10), Size = read32le(P + 12),
           Start = read32le(P + 16);
  if (Count == 0xffff || Size == 0xffffffff || Start == 0xffffffff) {
    if (End < LocatorBytes || Bytes.substr(End - LocatorBytes, 4) != "PK\6\7")
      return damaged("has no 64-bit directory");
    uint64_t At = read64le(P - LocatorBytes + 8);
    if (!fits(At, End64Bytes, End) || Bytes.substr(At, 4) != "PK\6\6")
      return damaged("has no 64-bit directory");
    Count = read64le(Bytes.data() + At + 32);
    Size = read64le(Bytes.data() + At + 40);
    Start = read64le(Bytes.data() + At + 48);
  }
  if (!fits(Start, Size, End))
    return damaged("is cut off: its directory lies outside of it");
  if (Count > Limits.MaxEntries)
    return damaged("has too many files in it");
  uint64_t At = Start;
  for (uint64_t I = 0; I < Count; ++I)
    if (llvm::Error E = readEntry(At, Start + Size, Limits))
      return E;
  return checkRanges(Start);
}

/// The sizes that don't fit in 32 bits, from the entry's extra fields.
static bool readExtra64(llvm::StringRef Extra, ZipFile::Entry &E) {
  bool Wanted[] = {E.Size == 0xffffffff, E.Packed == 0xffffffff,
                   E.Header == 0xffffffff};
  if (!Wanted[0] && !Wanted[1] && !Wanted[2])
    return true;
  while (Extra.size() >= 4) {
    uint16_t Id = read16le(Extra.data()), N = read16le(Extra.data() + 2);
    if (Extra.size() - 4 < N)
      return false;
    llvm::StringRef Body = Extra.substr(4, N);
    Extra = Extra.substr(4 + N);
    if (Id != 1)
      continue;
    uint64_t *Into[] = {&E.Size, &E.Packed, &E.Header};
    for (unsigned I = 0; I < 3; ++I) {
      if (!Wanted[I])
        continue;
      if (Body.size() < 8)
        return false;
      *Into[I] = read64le(Body.data());
      Body = Body.substr(8);
    }
    return true;
  }
  return false;
}

llvm::Error ZipFile::readEntry(uint64_t &At, uint64_t End,
                               const ArchiveLimits &Limits) {
  if (!fits(At, CentralBytes, End) || Bytes.substr(At, 4) != "PK\1\2")
    return damaged("has a damaged directory");
  const char *P = Bytes.data() + At;
  uint64_t NameBytes = read16le(P + 28), ExtraBytes = read16le(P + 30),
           Comment = read16le(P + 32);
  if (!fits(At + CentralBytes, NameBytes + ExtraBytes + Comment, End) ||
      NameBytes > Limits.MaxNameBytes)
    return damaged("has a damaged directory");
  if (read16le(P + 8) & 1)
    return damaged("is encrypted");
  Entry E;
  E.Method = read16le(P + 10);
  E.Crc = read32le(P + 16);
  E.Packed = read32le(P + 20);
  E.Size = read32le(P + 24);
  E.Header = read32le(P + 42);
  E.Name = Bytes.substr(At + CentralBytes, NameBytes).str();
  if (!readExtra64(Bytes.substr(At + CentralBytes + NameBytes, ExtraBytes), E))
    return damaged("has a damaged directory");
  At += CentralBytes + NameBytes + ExtraBytes + Comment;
  if (!ByName.try_emplace(E.Name, Entries.size()).second)
    return damaged("has two files named '" + E.Name + "'");
  Entries.push_back(std::move(E));
  return llvm::Error::success();
}

/// Entries lie before the directory and don't overlap: what makes small archives
/// that unpack to anything.
llvm::Error ZipFile::checkRanges(uint64_t DirectoryStart) const {
  std::vector<std::pair<uint64_t, uint64_t>> Ranges; // Begin, end.
  for (const Entry &E : Entries) {
    if (!fits(E.Header, LocalBytes, DirectoryStart))
      return damaged("is cut off: '" + E.Name + "' lies outside of it");
    const char *P = Bytes.data() + E.Header;
    uint64_t Head = LocalBytes + read16le(P + 26) + read16le(P + 28);
    if (!fits(E.Header, Head, DirectoryStart) ||
        !fits(E.Header + Head, E.Packed, DirectoryStart))
      return damaged("is cut off: '" + E.Name + "' lies outside of it");
    if (E.Method == 0 && E.Packed != E.Size)
      return damaged("is damaged: '" + E.Name + "' has two sizes");
    Ranges.emplace_back(E.Header, E.Header + Head + E.Packed);
  }
  llvm::sort(Ranges);
  for (size_t I = 1; I < Ranges.size(); ++I)
    if (Ranges[I].first < Ranges[I - 1].second)
      return damaged("is damaged: files in it overlap");
  return llvm::Error::success();
}

llvm::Expected<llvm::StringRef> ZipFile::packed(const Entry &E) const {
  const char *P = Bytes.data() + E.Header;
  if (Bytes.substr(E.Header, 4) != "PK\3\4")
    return damaged("is damaged at '" + E.Name + "'");
  uint64_t Head = LocalBytes + read16le(P + 26) + read16le(P + 28);
  return Bytes.substr(E.Header + Head, E.Packed);
}

/// Raw deflate; false if \p In doesn't give just \p Out.size() bytes.
static bool inflateInto(llvm::StringRef In, std::string &Out) {
  z_stream S = {};
  if (inflateInit2(&S, -MAX_WBITS) != Z_OK)
    return false;
  S.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(In.data()));
  S.avail_in = uInt(In.size());
  S.next_out = reinterpret_cast<Bytef *>(Out.data());
  S.avail_out = uInt(Out.size());
  int Status = inflate(&S, Z_FINISH);
  bool Whole = Status == Z_STREAM_END && S.avail_out == 0;
  inflateEnd(&S);
  return Whole;
}

llvm::Expected<std::string> ZipFile::read(const Entry &E,
                                          uint64_t MaxBytes) const {
  // zlib counts in 32 bits.
  if (E.Size > MaxBytes || E.Size > UINT32_MAX || E.Packed > UINT32_MAX)
    return damaged("is refused: '" + E.Name + "' is too large");
  llvm::Expected<llvm::StringRef> In = packed(E);
  if (!In)
    return In.takeError();
  std::string Out;
  if (E.Method == 0) {
    Out = In->str();
  } else if (E.Method == 8) {
    Out.resize(E.Size);
    if (!inflateInto(*In, Out))
      return damaged("is damaged: '" + E.Name + "' can't be unpacked");
  } else {
    return damaged("has '" + E.Name + "' packed in a way that isn't known");
  }
  if (llvm::crc32(llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(Out.data()), Out.size())) != E.Crc)
    return damaged("is damaged: the checksum of '" + E.Name + "' is wrong");
  return Out;
}

} // namespace vramlint
