//===- lib/frontend/Project.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds the project's root by what people put there.

#include "lib/frontend/Project.h"

#include "llvm/ADT/StringSet.h"
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

Project::Project(vfs::FileSystem &FS, const CompileCommand &Command,
                 const Environment &Env)
    : Root(projectRootOf(FS, Command.File, Env)), MainFile(Command.File),
      Torch(Command.Torch) {}

bool Project::owns(StringRef Path) const {
  if (Path == MainFile)
    return true;
  if (!Path.starts_with(Root) || Path.size() <= Root.size() ||
      !sys::path::is_separator(Path[Root.size()]))
    return false;
  if (Torch && Torch->contains(Path))
    return false;
  StringRef Below = Path.drop_front(Root.size() + 1);
  for (auto I = sys::path::begin(Below), E = sys::path::end(Below); I != E; ++I)
    if (isPackageFolder(*I))
      return false;
  return true;
}

} // namespace vramlint
