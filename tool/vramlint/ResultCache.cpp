//===- tool/vramlint/ResultCache.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Results by content.

#include "tool/vramlint/ResultCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"

namespace vramlint::tool {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// What may decide which headers and which LibTorch are found.
static constexpr StringRef Environment[] = {"HOME",
                                            "Torch_DIR",
                                            "CMAKE_PREFIX_PATH",
                                            "TORCH_HOME",
                                            "LIBTORCH",
                                            "LIBTORCH_HOME",
                                            "VIRTUAL_ENV",
                                            "CONDA_PREFIX",
                                            "PYTHONPATH",
                                            "CPATH",
                                            "C_INCLUDE_PATH",
                                            "CPLUS_INCLUDE_PATH",
                                            "CCC_OVERRIDE_OPTIONS",
                                            "VRAMLINT_RESOURCE_DIR"};

/// This vramlint: another build may answer otherwise without another version.
static std::string identity() {
  std::string Self = fs::getMainExecutable(nullptr, nullptr);
  fs::file_status S;
  if (fs::status(Self, S))
    return Self;
  return Self + " " + std::to_string(S.getSize()) + " " +
         std::to_string(S.getLastModificationTime().time_since_epoch().count());
}

/// The python3 that may be asked where its torch is.
static std::string pythonUsed() {
  llvm::ErrorOr<std::string> Python = llvm::sys::findProgramByName("python3");
  return Python ? *Python : "";
}

ResultCache::ResultCache(const CommandLine &C, PreambleCache &Headers,
                         std::string Salt, const RecordingFileSystem &Shared,
                         RecordingFileSystem &Own)
    : Headers(Headers), Salt(std::move(Salt)), Shared(Shared), Own(Own) {
  if (!C.NoCache && !C.dumps() && !Headers.dir().empty())
    Dir = Headers.dir() + "/results";
  auto Add = [&](StringRef Text) { this->Salt += '\0' + Text.str(); };
  Add(identity());
  Add(C.ResultOptions);
  Add(absolutePath("."));
  Add(pythonUsed());
  for (StringRef Name : Environment)
    Add(llvm::sys::Process::GetEnv(Name).value_or(""));
}

std::string ResultCache::pathOf(StringRef File) const {
  llvm::SHA256 Hash;
  Hash.update(Salt);
  // The name as typed is printed.
  Hash.update('\0' + File.str() + '\0' + absolutePath(File));
  auto Sum = Hash.final();
  return Dir + "/" + llvm::toHex(llvm::ArrayRef<uint8_t>(Sum.data(), 16), true);
}

void ResultCache::begin() {
  Own.clear();
  (void)Headers.takeUsed();
}

std::optional<FileOutput> ResultCache::find(StringRef File) {
  if (Dir.empty())
    return std::nullopt;
  std::string Path = pathOf(File);
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return std::nullopt;
  StringRef Text = (*Buffer)->getBuffer();
  std::optional<FileManifest> Inputs = FileManifest::parse(Text);
  bool TimesChanged = false;
  if (!Inputs || !Inputs->holds(TimesChanged))
    return std::nullopt;
  while (Text.consume_front("pch ")) {
    StringRef Pch;
    std::tie(Pch, Text) = Text.split('\n');
    if (!Headers.stillHolds(Pch))
      return std::nullopt;
  }
  std::optional<FileOutput> O = unpack(Text);
  // The manifest with the new times is as good, and cheaper next time.
  if (O && TimesChanged) {
    std::string New;
    llvm::raw_string_ostream OS(New);
    Inputs->print(OS);
    StringRef Old = (*Buffer)->getBuffer();
    OS << Old.drop_front(Old.find("\nend\n") + 5);
    writeWhole(Path, OS.str());
  }
  return O;
}

void ResultCache::keep(StringRef File, const FileOutput &O) {
  std::vector<std::string> Compiled = Headers.takeUsed();
  FileManifest Inputs;
  if (Dir.empty() || !Shared.addTo(Inputs) || !Own.addTo(Inputs))
    return;
  // Made anew, if only of changed headers, it is another one.
  for (const std::string &Pch : Compiled)
    if (!Inputs.addLargeFile(Pch))
      return;
  if (fs::create_directories(Dir))
    return;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Inputs.print(OS);
  for (const std::string &Pch : Compiled)
    OS << "pch " << Pch << '\n';
  OS << pack(O);
  writeWhole(pathOf(File), OS.str());
  prune();
}

/// Once a process: removes the entries written longest ago beyond the limit.
void ResultCache::prune() {
  constexpr uint64_t MaxBytes = 64 << 20;
  if (std::exchange(Pruned, true))
    return;
  std::vector<std::tuple<llvm::sys::TimePoint<>, std::string, uint64_t>> All;
  uint64_t Total = 0;
  std::error_code EC;
  for (fs::directory_iterator I(Dir, EC), End; !EC && I != End;
       I.increment(EC)) {
    fs::file_status S;
    if (fs::status(I->path(), S))
      continue;
    Total += S.getSize();
    All.emplace_back(S.getLastModificationTime(), I->path(), S.getSize());
  }
  llvm::sort(All);
  for (const auto &[Time, Path, Size] : All) {
    if (Total <= MaxBytes)
      break;
    fs::remove(Path);
    Total -= Size;
  }
}

} // namespace vramlint::tool
