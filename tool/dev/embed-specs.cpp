//===- tool/dev/embed-specs.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Build-time tool: checks every file of gpu-specs/ with the parser of lib/gpu
// and writes them as constant tables (no parsing, no constructors at start-up).
//
//   embed-specs DIR OUT.cpp      exit code 1, and one line per broken file

#include "lib/gpu/GpuCatalog.h"
#include "lib/gpu/SpecFields.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace vramlint;

namespace {

/// The files of \p Dir, sorted; schema.json is none.
std::vector<std::string> specsIn(llvm::StringRef Dir) {
  std::vector<std::string> Paths;
  std::error_code Failed;
  for (llvm::sys::fs::directory_iterator It(Dir, Failed), End;
       !Failed && It != End; It.increment(Failed))
    if (llvm::StringRef(It->path()).ends_with(".json") &&
        llvm::sys::path::filename(It->path()) != "schema.json")
      Paths.push_back(It->path());
  std::sort(Paths.begin(), Paths.end());
  return Paths;
}

/// Reads all of \p Paths into \p Catalog; prints what is wrong with each and
/// returns how many are broken.
template <typename T>
unsigned readAll(llvm::ArrayRef<std::string> Paths, GpuCatalog &Catalog,
                 llvm::Expected<T> (*Parse)(llvm::StringRef, llvm::StringRef)) {
  unsigned Broken = 0;
  auto Report = [&](const llvm::Twine &Message) {
    llvm::errs() << "error: " << Message << '\n';
    ++Broken;
  };
  for (const std::string &Path : Paths) {
    auto Buffer = llvm::MemoryBuffer::getFile(Path);
    if (!Buffer) {
      Report(Path + ": " + Buffer.getError().message());
      continue;
    }
    llvm::Expected<T> Spec = Parse((*Buffer)->getBuffer(), Path);
    if (!Spec)
      Report(llvm::toString(Spec.takeError()));
    else if (llvm::Error E = Catalog.add(*Spec, Path, (*Buffer)->getBuffer()))
      Report(llvm::toString(std::move(E)));
    else if (Spec->Sources.empty())
      Report(Path + ":" +
             llvm::Twine(lineOfKey((*Buffer)->getBuffer(), "sources")) +
             ": key 'sources': expected at least one source");
  }
  return Broken;
}

/// Prints values as C++ initialisers. Lists go to arrays of their own before
/// the table: \p Lists.
struct Emitter {
  llvm::raw_ostream &Lists, &Table;
  unsigned NextList = 0;

  static void text(llvm::raw_ostream &OS, llvm::StringRef T) {
    OS << '"';
    for (unsigned char C : T)
      if (C == '"' || C == '\\' || C == '?' || C < 32 || C > 126)
        OS << llvm::format("\\%03o", C);
      else
        OS << C;
    OS << '"';
  }
  void emit(llvm::StringRef T) { text(Table, T); }
  void emit(llvm::ArrayRef<llvm::StringRef> List) {
    if (List.empty()) {
      Table << "{}";
      return;
    }
    Table << "L" << NextList;
    Lists << "constexpr llvm::StringRef L" << NextList++ << "[] = {";
    for (llvm::StringRef T : List) {
      text(Lists, T);
      Lists << ", ";
    }
    Lists << "};\n";
  }
  void emit(int64_t N) { Table << "int64_t(" << N << ")"; }
  void emit(double N) { Table << llvm::format("double(%.17g)", N); }
  void emit(bool B) { Table << (B ? "true" : "false"); }
  template <typename T> void emit(const std::optional<T> &N) {
    if (N)
      emit(*N);
    else
      Table << "std::nullopt";
  }
  template <typename T>
  void emit(const T &Spec, llvm::ArrayRef<SpecField<T>> Fields) {
    Table << "    {";
    for (const SpecField<T> &F : Fields) {
      std::visit([&](auto Member) { emit(Spec.*Member); }, F.Where);
      Table << ", ";
    }
    Table << "},\n";
  }
};

template <typename T>
void emitTable(llvm::StringRef Type, llvm::StringRef Name,
               const std::vector<T> &Specs, llvm::ArrayRef<SpecField<T>> Fields,
               unsigned &NextList, llvm::raw_ostream &OS) {
  std::string Lists, Table;
  llvm::raw_string_ostream ListsOS(Lists), TableOS(Table);
  Emitter E{ListsOS, TableOS, NextList};
  for (const T &Spec : Specs)
    E.emit(Spec, Fields);
  NextList = E.NextList;
  OS << Lists << "constexpr " << Type << " " << Name << "[] = {\n"
     << Table << "};\n";
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 3) {
    llvm::errs() << "usage: embed-specs DIR OUT.cpp\n";
    return 2;
  }
  llvm::SmallString<128> Systems(Argv[1]);
  llvm::sys::path::append(Systems, "systems");
  GpuCatalog Catalog;
  unsigned Broken = readAll(specsIn(Argv[1]), Catalog, parseGpuSpec);
  Broken += readAll(specsIn(Systems), Catalog, parseGpuSystem);
  for (const GpuSystem &S : Catalog.systems())
    if (!Catalog.byId(S.GpuId)) {
      llvm::errs() << "error: " << Systems << "/" << S.Id
                   << ".json: key 'gpu_id': no GPU '" << S.GpuId << "'\n";
      ++Broken;
    }
  if (Catalog.gpus().empty()) {
    llvm::errs() << "error: no GPU specs in " << Argv[1] << '\n';
    ++Broken;
  }
  if (Broken)
    return 1;
  std::error_code Failed;
  llvm::raw_fd_ostream OS(Argv[2], Failed);
  if (Failed) {
    llvm::errs() << "error: " << Argv[2] << ": " << Failed.message() << '\n';
    return 1;
  }
  unsigned NextList = 0;
  OS << "// Made from gpu-specs/ by embed-specs.\n"
        "#include \"lib/gpu/EmbeddedSpecs.h\"\n\nnamespace vramlint {\n"
        "namespace {\n";
  emitTable("GpuSpec", "Gpus", Catalog.gpus(), gpuFields(), NextList, OS);
  emitTable("GpuSystem", "Systems", Catalog.systems(), systemFields(), NextList,
            OS);
  OS << "} // namespace\n"
        "llvm::ArrayRef<GpuSpec> embeddedGpus() { return Gpus; }\n"
        "llvm::ArrayRef<GpuSystem> embeddedSystems() { return Systems; }\n"
        "} // namespace vramlint\n";
  return 0;
}
