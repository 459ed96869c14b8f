//===- lib/gpu/GpuCatalog.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Names of GPUs, and directories of them. The built-in ones are added in
// GpuBuiltin.cpp, so that the tool that embeds them can use this file.

#include "lib/gpu/GpuCatalog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <set>

namespace vramlint {

namespace {

/// All names of a spec, normalised.
template <typename T> std::set<std::string> namesOf(const T &Spec) {
  std::set<std::string> Names = {normaliseGpuName(Spec.Id),
                                 normaliseGpuName(Spec.Name)};
  for (llvm::StringRef Alias : Spec.Aliases)
    Names.insert(normaliseGpuName(Alias));
  return Names;
}

template <typename T>
llvm::Error addTo(std::vector<T> &List,
                  llvm::StringMap<llvm::StringRef> &ByAlias, const T &Spec,
                  llvm::StringRef File, llvm::StringRef Text) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> Names = {
      {"id", Spec.Id}, {"name", Spec.Name}};
  for (llvm::StringRef Alias : Spec.Aliases)
    Names.emplace_back("aliases", Alias);
  for (auto [Key, Name] : Names) {
    auto It = ByAlias.find(normaliseGpuName(Name));
    if (It == ByAlias.end() || It->second == Spec.Id)
      continue;
    std::string Where = (File.empty() ? Spec.Id : File).str();
    if (unsigned Line = lineOfKey(Text, Key))
      Where += ":" + std::to_string(Line);
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   Where + ": key '" + Key + "': '" + Name +
                                       "' is also a name of '" + It->second +
                                       "'");
  }
  auto At = std::lower_bound(
      List.begin(), List.end(), Spec.Id,
      [](const T &A, llvm::StringRef Id) { return A.Id < Id; });
  if (At != List.end() && At->Id == Spec.Id) {
    for (const std::string &Name : namesOf(*At))
      ByAlias.erase(Name);
    *At = Spec;
  } else {
    List.insert(At, Spec);
  }
  for (const std::string &Name : namesOf(Spec))
    ByAlias[Name] = Spec.Id;
  return llvm::Error::success();
}

template <typename T>
std::vector<const T *>
matchingIn(const std::vector<T> &List, llvm::StringRef Pattern,
           std::vector<llvm::StringRef> (*Extra)(const T &)) {
  std::string Wanted = normaliseGpuName(Pattern);
  std::vector<const T *> Found;
  for (const T &Spec : List) {
    auto Contains = [&](llvm::StringRef Text) {
      return llvm::StringRef(normaliseGpuName(Text)).contains(Wanted);
    };
    if (Wanted.empty() || Contains(Spec.Id) || Contains(Spec.Name) ||
        llvm::any_of(Spec.Aliases, Contains) ||
        llvm::any_of(Extra(Spec), Contains))
      Found.push_back(&Spec);
  }
  return Found;
}

template <typename T>
const T *findById(const std::vector<T> &List, llvm::StringRef Id) {
  auto At = llvm::find_if(List, [&](const T &S) { return S.Id == Id; });
  return At == List.end() ? nullptr : &*At;
}

struct NameOfGpu {
  llvm::StringRef Alias, Id;
  std::string Normalised;
};

/// The three names nearest to \p Name, each of another GPU. Of an alias's
/// spellings the first is the one that people read ("rtx 3060").
std::vector<llvm::StringRef> nearest(llvm::StringRef Name,
                                     llvm::ArrayRef<NameOfGpu> Names) {
  std::string Wanted = normaliseGpuName(Name);
  std::vector<std::tuple<unsigned, size_t, size_t>> Ranked;
  for (size_t I = 0; I < Names.size(); ++I) {
    llvm::StringRef Norm = Names[I].Normalised;
    unsigned Distance = Norm.edit_distance(Wanted, true, 0);
    if (Wanted.size() >= 2 && Norm.contains(Wanted))
      Distance = 0; // "3060 l": what it is part of comes first.
    if (Distance <= 1 + Wanted.size() / 3)
      Ranked.emplace_back(Distance, Norm.size(), I);
  }
  llvm::sort(Ranked);
  std::vector<llvm::StringRef> Result;
  std::set<llvm::StringRef> Ids;
  for (const auto &[Distance, Size, I] : Ranked)
    if (Result.size() < 3 && Ids.insert(Names[I].Id).second)
      Result.push_back(Names[I].Alias);
  return Result;
}

template <typename T>
llvm::Error notFound(llvm::StringRef What, llvm::StringRef Name,
                     const std::vector<T> &List) {
  std::vector<NameOfGpu> Names;
  for (const T &Spec : List)
    for (llvm::StringRef Alias : Spec.Aliases)
      Names.push_back({Alias, Spec.Id, normaliseGpuName(Alias)});
  std::vector<llvm::StringRef> Near = nearest(Name, Names);
  std::string Message = ("unknown " + What + " '" + Name + "'").str();
  for (size_t I = 0; I < Near.size(); ++I)
    Message += ((I == 0                 ? "; did you mean '"
                 : I + 1 == Near.size() ? "' or '"
                                        : "', '") +
                Near[I])
                   .str();
  if (!Near.empty())
    Message += "'?";
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 Message +
                                     " ('vramlint gpus' lists what is known)");
}

} // namespace

llvm::Error GpuCatalog::add(const GpuSpec &Spec, llvm::StringRef File,
                            llvm::StringRef Text) {
  return addTo(Gpus, GpuByAlias, Spec, File, Text);
}

llvm::Error GpuCatalog::add(const GpuSystem &System, llvm::StringRef File,
                            llvm::StringRef Text) {
  return addTo(Systems, SystemByAlias, System, File, Text);
}

llvm::Error GpuCatalog::addDirectory(llvm::vfs::FileSystem &FS,
                                     llvm::StringRef Dir) {
  size_t Files = 0;
  for (bool OfSystems : {false, true}) {
    llvm::SmallString<128> Folder(Dir);
    if (OfSystems)
      llvm::sys::path::append(Folder, "systems");
    std::error_code Failed;
    std::vector<std::string> Paths;
    for (auto It = FS.dir_begin(Folder, Failed), End = decltype(It)();
         !Failed && It != End; It.increment(Failed))
      if (It->path().ends_with(".json") &&
          llvm::sys::path::filename(It->path()) != "schema.json")
        Paths.push_back(It->path().str());
    if (Failed && !OfSystems)
      return llvm::createStringError(Failed, "cannot read GPU specs in '" +
                                                 Dir +
                                                 "': " + Failed.message());
    llvm::sort(Paths);
    for (const std::string &Path : Paths)
      if (llvm::Error E = addFile(FS, Path, OfSystems))
        return E;
    Files += Paths.size();
  }
  if (!Files)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no GPU specs (*.json) in '" + Dir + "'");
  return llvm::Error::success();
}

llvm::Error GpuCatalog::addFile(llvm::vfs::FileSystem &FS, llvm::StringRef Path,
                                bool OfSystem) {
  auto Buffer = FS.getBufferForFile(Path);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(),
                                   "cannot read GPU spec '" + Path +
                                       "': " + Buffer.getError().message());
  llvm::StringRef Text = (*Buffer)->getBuffer();
  if (OfSystem) {
    llvm::Expected<GpuSystem> System = parseGpuSystem(Text, Path);
    return System ? add(*System, Path, Text) : System.takeError();
  }
  llvm::Expected<GpuSpec> Spec = parseGpuSpec(Text, Path);
  return Spec ? add(*Spec, Path, Text) : Spec.takeError();
}

llvm::Expected<const GpuSpec *> GpuCatalog::find(llvm::StringRef Name) const {
  auto It = GpuByAlias.find(normaliseGpuName(Name));
  if (It != GpuByAlias.end())
    return byId(It->second);
  return notFound("GPU", Name, Gpus);
}

const GpuSpec *GpuCatalog::byId(llvm::StringRef Id) const {
  return findById(Gpus, Id);
}

llvm::Expected<const GpuSystem *>
GpuCatalog::findSystem(llvm::StringRef Name) const {
  auto It = SystemByAlias.find(normaliseGpuName(Name));
  if (It != SystemByAlias.end())
    return findById(Systems, It->second);
  return notFound("system", Name, Systems);
}

std::vector<const GpuSpec *>
GpuCatalog::matching(llvm::StringRef Pattern) const {
  return matchingIn<GpuSpec>(Gpus, Pattern, [](const GpuSpec &S) {
    return std::vector<llvm::StringRef>{S.Architecture, S.Vendor, S.Market};
  });
}

std::vector<const GpuSystem *>
GpuCatalog::matchingSystems(llvm::StringRef Pattern) const {
  return matchingIn<GpuSystem>(Systems, Pattern, [](const GpuSystem &S) {
    return std::vector<llvm::StringRef>{S.GpuId};
  });
}

} // namespace vramlint
