//===- lib/frontend/Project.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds the project's root by what people put there.

#include "lib/frontend/Project.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

/// A folder of sources below the project's root.
static bool isSourceFolder(StringRef Name) {
  static const StringSet<> Names = {"src",  "source", "sources",  "app",
                                    "apps", "tools",  "examples", "example",
                                    "test", "tests",  "bin",      "cpp"};
  return Names.contains(Name);
}

/// Folders that hold other people's packages wherever they are.
static bool isPackageFolder(StringRef Name) {
  return Name == "_deps" || Name == "vcpkg_installed" || Name == ".conan" ||
         Name == ".conan2" || Name == "site-packages" ||
         Name == "dist-packages" || Name == "node_modules" ||
         Name == "libtorch";
}

std::string projectRootOf(vfs::FileSystem &FS, StringRef File,
                          const Environment &Env) {
  StringRef Folder = sys::path::parent_path(File);
  auto Home = Env("HOME");
  std::string Topmost;
  for (StringRef F = Folder; !F.empty() && F != sys::path::root_path(F);
       F = sys::path::parent_path(F)) {
    if (FS.exists(F + "/.git"))
      return F.str();
    if (Home && F == *Home)
      break;
    if (FS.exists(F + "/CMakeLists.txt"))
      Topmost = F.str();
  }
  if (!Topmost.empty())
    return Topmost;
  StringRef Above = sys::path::parent_path(Folder);
  if (isSourceFolder(sys::path::filename(Folder)) && !Above.empty() &&
      Above != sys::path::root_path(Above))
    return Above.str();
  return Folder.str();
}

static bool isBelow(StringRef Path, StringRef Folder) {
  return Path.starts_with(Folder) && Path.size() > Folder.size() &&
         sys::path::is_separator(Path[Folder.size()]);
}

/// The folders of the headers that \p File includes by a path from itself.
static std::vector<std::string> foldersBeside(vfs::FileSystem &FS, StringRef File) {
  std::vector<std::string> Folders;
  auto Buffer = FS.getBufferForFile(File);
  StringRef Text = Buffer ? (*Buffer)->getBuffer() : StringRef();
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#") || !(Line = Line.ltrim()).consume_front("include"))
      continue;
    Line = Line.ltrim();
    StringRef Name = Line.consume_front("\"") ? Line.split('"').first : StringRef();
    if (!Name.starts_with("..") && !sys::path::is_absolute(Name))
      continue;
    std::string Path = absolutePath(Name, sys::path::parent_path(File));
    if (FS.exists(Path) && !StringRef(Path).starts_with("/usr/"))
      Folders.push_back(sys::path::parent_path(Path).str());
  }
  return Folders;
}

Project::Project(vfs::FileSystem &FS, const CompileCommand &Command,
                 const Environment &Env)
    : Root(projectRootOf(FS, Command.File, Env)), MainFile(Command.File),
      Beside(foldersBeside(FS, Command.File)), Torch(Command.Torch) {}

bool Project::owns(StringRef Path) const {
  if (Path == MainFile)
    return true;
  if (Torch && Torch->contains(Path))
    return false;
  if (any_of(Beside, [&](const std::string &F) { return isBelow(Path, F); }))
    return true;
  if (!isBelow(Path, Root))
    return false;
  StringRef Below = Path.drop_front(Root.size() + 1);
  for (auto I = sys::path::begin(Below), E = sys::path::end(Below); I != E; ++I)
    if (isPackageFolder(*I))
      return false;
  return true;
}

} // namespace vramlint
