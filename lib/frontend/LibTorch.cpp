//===- lib/frontend/LibTorch.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds LibTorch the ways its users tell CMake about it, then where packages
// put it.

#include "lib/frontend/LibTorch.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace vramlint {

static std::string joined(StringRef A, const Twine &B) {
  SmallString<256> P(A);
  sys::path::append(P, B);
  sys::path::remove_dots(P, /*remove_dot_dot=*/true);
  return std::string(P);
}

static std::string textOf(vfs::FileSystem &FS, const Twine &Path) {
  auto Buffer = FS.getBufferForFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

std::string LibTorch::version() const {
  return (Twine(Major) + "." + Twine(Minor) + "." + Twine(Patch)).str();
}

/// The first component of an include path below a LibTorch root.
static bool isLibTorchFolder(StringRef First) {
  return First == "torch" || First == "ATen" || First == "c10" ||
         First == "caffe2" || First == "torchgen";
}

bool LibTorch::contains(StringRef Path) const {
  for (StringRef Root : IncludeRoots) {
    if (!Path.starts_with(Root) || Path.size() <= Root.size() ||
        !sys::path::is_separator(Path[Root.size()]))
      continue;
    StringRef Below = Path.drop_front(Root.size() + 1);
    if (isLibTorchFolder(Below.split('/').first))
      return true;
    // Below a root of its own (not /usr/include), all is LibTorch's.
    if (Root.contains("torch") && !Root.ends_with("/api/include"))
      return true;
  }
  return false;
}

bool isLibTorchInclude(StringRef Spelled) {
  StringRef First = Spelled.split('/').first;
  if (First == Spelled)
    return false;
  return isLibTorchFolder(First) || First == "torchvision" ||
         First == "torchaudio" || First == "torch_tensorrt" ||
         First == "torch-scatter" || First == "torchscatter" ||
         First == "torchsparse";
}

std::optional<std::string> processEnvironment(StringRef Name) {
  return sys::Process::GetEnv(Name);
}

static int macroNumber(StringRef Text, StringRef Name) {
  size_t At = Text.find(("#define " + Name + " ").str());
  if (At == StringRef::npos)
    return -1;
  Text = Text.drop_front(At + 8 + Name.size()).ltrim();
  int Number = -1;
  Text.take_while(isDigit).getAsInteger(10, Number);
  return Number;
}

/// Reads "1.13.1" (and anything after it) into \p T if it is the same release
/// line; 1.13.1's own header says 1.13.0.
static void refineVersion(LibTorch &T, StringRef Version) {
  int Major = 0, Minor = 0, Patch = 0;
  auto [A, Rest] = Version.trim().split('.');
  auto [B, Last] = Rest.split('.');
  if (A.getAsInteger(10, Major) || B.getAsInteger(10, Minor) ||
      Last.take_while(isDigit).getAsInteger(10, Patch))
    return;
  if (Major == T.Major && Minor == T.Minor)
    T.Patch = Patch;
}

/// The release by the package around it, which is surer than the header.
static void refineVersion(vfs::FileSystem &FS, LibTorch &T, StringRef Root) {
  StringRef Above = sys::path::parent_path(Root);
  if (std::string V = textOf(FS, Above + "/build-version"); !V.empty())
    return refineVersion(T, V);
  if (std::string V = textOf(FS, Above + "/version.py"); !V.empty()) {
    StringRef Rest = StringRef(V).split("__version__ = ").second;
    return refineVersion(T, Rest.ltrim("'\""));
  }
  if (Root != "/usr/include" || T.Patch != 0)
    return;
  std::string Status = textOf(FS, "/var/lib/dpkg/status");
  StringRef Package = StringRef(Status).split("\nPackage: libtorch-dev\n").second;
  Package = Package.split("\n\n").first;
  refineVersion(T, Package.split("\nVersion: ").second);
}

/// The standard that the headers ask for by an #error.
static std::string standardOf(vfs::FileSystem &FS, StringRef Api) {
  std::string All = textOf(FS, Api + "/torch/all.h");
  StringRef Rest = All;
  long Asked = 0;
  while (true) {
    Rest = Rest.split("__cplusplus < ").second;
    if (Rest.empty())
      break;
    long Number = 0;
    Rest.take_while(isDigit).getAsInteger(10, Number);
    Asked = std::max(Asked, Number);
  }
  return Asked > 202002 ? "c++23" : Asked > 201703 ? "c++20" : "c++17";
}

static std::optional<LibTorch> atIncludeRoot(vfs::FileSystem &FS,
                                             StringRef Root) {
  std::string Api = joined(Root, "torch/csrc/api/include");
  std::string Version = textOf(FS, Api + "/torch/version.h");
  if (Version.empty())
    return std::nullopt;
  LibTorch T;
  T.Major = macroNumber(Version, "TORCH_VERSION_MAJOR");
  T.Minor = macroNumber(Version, "TORCH_VERSION_MINOR");
  T.Patch = macroNumber(Version, "TORCH_VERSION_PATCH");
  // Since 2.9 the numbers live in torch/headeronly/version.h.
  if (T.Major < 0) {
    Version = textOf(FS, joined(Root, "torch/headeronly/version.h"));
    T.Major = macroNumber(Version, "TORCH_VERSION_MAJOR");
    T.Minor = macroNumber(Version, "TORCH_VERSION_MINOR");
    T.Patch = macroNumber(Version, "TORCH_VERSION_PATCH");
  }
  T.Major = std::max(T.Major, 0);
  T.Minor = std::max(T.Minor, 0);
  T.Patch = std::max(T.Patch, 0);
  T.IncludeRoots = {joined(Root, ""), Api};
  T.Standard = standardOf(FS, Api);
  refineVersion(FS, T, T.IncludeRoots.front());
  return T;
}

std::optional<LibTorch> libTorchOfFolder(vfs::FileSystem &FS,
                                         StringRef Folder) {
  if (auto T = atIncludeRoot(FS, Folder))
    return T;
  // The API folder given alone: its root is four folders up.
  if (!Folder.ends_with("torch/csrc/api/include"))
    return std::nullopt;
  return atIncludeRoot(FS, joined(Folder, "../../../.."));
}

std::optional<LibTorch> libTorchAt(vfs::FileSystem &FS, StringRef Prefix) {
  if (Prefix.empty())
    return std::nullopt;
  if (auto T = libTorchOfFolder(FS, Prefix))
    return T;
  for (StringRef Below : {"include", "libtorch/include", "torch/include"})
    if (auto T = atIncludeRoot(FS, joined(Prefix, Below)))
      return T;
  // Torch_DIR is <root>/share/cmake/Torch or <prefix>/lib/<triple>/cmake/Torch.
  if (sys::path::filename(Prefix) == "Torch")
    for (StringRef Up : {"../../../include", "../../../../include"})
      if (auto T = atIncludeRoot(FS, joined(Prefix, Up)))
        return T;
  return std::nullopt;
}

/// <Folder>/python3*/{site,dist}-packages/torch.
static std::optional<LibTorch> inPythonFolder(vfs::FileSystem &FS,
                                              StringRef Folder) {
  std::error_code EC;
  for (vfs::directory_iterator I = FS.dir_begin(Folder, EC), E;
       !EC && I != E; I.increment(EC)) {
    if (!sys::path::filename(I->path()).starts_with("python3"))
      continue;
    for (StringRef Kind : {"site-packages/torch", "dist-packages/torch"})
      if (auto T = libTorchAt(FS, joined(I->path(), Kind)))
        return T;
  }
  return std::nullopt;
}

/// Asks the python3 of the path where its torch lies, without importing it.
static std::optional<LibTorch> askPython(vfs::FileSystem &FS) {
  auto Python = sys::findProgramByName("python3");
  SmallString<128> Out;
  if (!Python || sys::fs::createTemporaryFile("vramlint", "txt", Out))
    return std::nullopt;
  const char *Code = "import importlib.util as u; s = u.find_spec('torch'); "
                     "print(s.submodule_search_locations[0] if s else '')";
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Out),
                                          StringRef("")};
  int Status = sys::ExecuteAndWait(*Python, {*Python, "-c", Code}, std::nullopt,
                                   Redirects, /*SecondsToWait=*/5);
  std::string Answer;
  if (auto Buffer = MemoryBuffer::getFile(Out))
    Answer = (*Buffer)->getBuffer().trim().str();
  sys::fs::remove(Out);
  if (Status != 0 || Answer.empty())
    return std::nullopt;
  return libTorchAt(FS, Answer);
}

static std::optional<LibTorch> fromEnvironment(vfs::FileSystem &FS,
                                               const Environment &Env) {
  for (StringRef Name : {"Torch_DIR", "CMAKE_PREFIX_PATH", "TORCH_HOME",
                         "LIBTORCH", "LIBTORCH_HOME"}) {
    auto Value = Env(Name);
    if (!Value)
      continue;
    SmallVector<StringRef, 4> Parts;
    SplitString(*Value, Parts, Name == "CMAKE_PREFIX_PATH" ? ":;" : ";");
    for (StringRef Part : Parts)
      if (auto T = libTorchAt(FS, Part)) {
        T->FoundBy = Name.str();
        return T;
      }
  }
  return std::nullopt;
}

static std::optional<LibTorch> fromPython(vfs::FileSystem &FS,
                                          const Environment &Env) {
  for (StringRef Name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (auto Prefix = Env(Name))
      if (auto T = inPythonFolder(FS, joined(*Prefix, "lib")))
        return T;
  if (auto Home = Env("HOME"))
    if (auto T = inPythonFolder(FS, joined(*Home, ".local/lib")))
      return T;
  return inPythonFolder(FS, "/usr/local/lib");
}

std::optional<LibTorch> findLibTorch(vfs::FileSystem &FS,
                                     const Environment &Env) {
  if (auto T = fromEnvironment(FS, Env))
    return T;
  if (auto T = fromPython(FS, Env)) {
    T->FoundBy = "Python's torch package";
    return T;
  }
  for (StringRef Prefix : {"/usr/local", "/usr", "/usr/local/libtorch",
                           "/opt/libtorch", "/usr/lib/libtorch"})
    if (auto T = libTorchAt(FS, Prefix)) {
      T->FoundBy = Prefix.ends_with("libtorch") ? Prefix.str()
                                                : "the system include path";
      return T;
    }
  if (auto T = askPython(FS)) {
    T->FoundBy = "python3's torch package";
    return T;
  }
  return std::nullopt;
}

} // namespace vramlint
