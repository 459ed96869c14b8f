//===- lib/frontend/IncludeScan.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A textual look at #include lines, and the table of well-known packages.

#include "lib/frontend/IncludeScan.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

bool isCxxSource(StringRef Path) {
  StringRef E = sys::path::extension(Path);
  return E == ".cpp" || E == ".cc" || E == ".cxx" || E == ".c++" ||
         E == ".C" || E == ".cu";
}

Expected<std::string> readSource(vfs::FileSystem &FS, StringRef Path) {
  auto Fail = [&](const char *What) {
    return createStringError(inconvertibleErrorCode(), "%s: %s",
                             Path.str().c_str(), What);
  };
  auto Status = FS.status(Path);
  if (!Status)
    return Fail("no such file");
  if (Status->isDirectory())
    return Fail("is a directory");
  auto Buffer = FS.getBufferForFile(Path);
  if (!Buffer)
    return Fail(Buffer.getError().message().c_str());
  if ((*Buffer)->getBuffer().take_front(8192).contains('\0'))
    return Fail("a binary file, not C++ source");
  return (*Buffer)->getBuffer().str();
}

namespace {

/// One #include as written.
struct WrittenInclude {
  StringRef Name; // "" where it's a macro.
  bool IsAngled = false;
};

/// Follows own headers.
class Scanner {
public:
  Scanner(vfs::FileSystem &FS, const CompileCommand &Command)
      : FS(FS), Files(FS, Command) {
    readFlags(Command);
  }
  bool reaches(StringRef Path, StringRef Text);
  std::vector<std::string> Forced; // -include

private:
  void readFlags(const CompileCommand &Command);
  bool follow(const WrittenInclude &I, StringRef Includer);

  vfs::FileSystem &FS;
  Project Files;
  std::vector<std::string> Quote, Angle;
  StringSet<> Seen;
};

} // namespace

void Scanner::readFlags(const CompileCommand &Command) {
  const auto &Flags = Command.Flags;
  auto Take = [&](size_t &I, StringRef Option) -> std::string {
    StringRef F = Flags[I];
    if (!F.consume_front(Option))
      return "";
    if (F.empty() && I + 1 < Flags.size())
      return Flags[++I];
    return F.str();
  };
  for (size_t I = 0; I < Flags.size(); ++I) {
    if (std::string V = Take(I, "-include"); !V.empty())
      Forced.push_back(V);
    else if (V = Take(I, "-iquote"); !V.empty())
      Quote.push_back(absolutePath(V, Command.Directory));
    else if (V = Take(I, "-isystem"); !V.empty())
      Angle.push_back(absolutePath(V, Command.Directory));
    else if (V = Take(I, "-I"); !V.empty())
      Angle.push_back(absolutePath(V, Command.Directory));
  }
}

/// The include on \p Line, if it is one.
static std::optional<WrittenInclude> includeOn(StringRef Line) {
  Line = Line.ltrim();
  if (!Line.consume_front("#"))
    return std::nullopt;
  Line = Line.ltrim();
  if (!Line.consume_front("include") && !Line.consume_front("import"))
    return std::nullopt;
  Line.consume_front("_next");
  Line = Line.ltrim();
  if (Line.consume_front("<"))
    return WrittenInclude{Line.split('>').first.trim(), true};
  if (Line.consume_front("\""))
    return WrittenInclude{Line.split('"').first.trim(), false};
  return WrittenInclude{};
}

bool Scanner::follow(const WrittenInclude &I, StringRef Includer) {
  // A macro may name anything.
  if (I.Name.empty() || isLibTorchInclude(I.Name))
    return true;
  std::vector<std::string> Places;
  if (!I.IsAngled) {
    Places.push_back(sys::path::parent_path(Includer).str());
    Places.insert(Places.end(), Quote.begin(), Quote.end());
  }
  Places.insert(Places.end(), Angle.begin(), Angle.end());
  for (const std::string &Place : Places) {
    std::string Path = absolutePath(I.Name, Place);
    auto Status = FS.status(Path);
    if (!Status || Status->isDirectory())
      continue;
    if (!Files.owns(Path) || !Seen.insert(Path).second)
      return false;
    auto Buffer = FS.getBufferForFile(Path);
    return Buffer && reaches(Path, (*Buffer)->getBuffer());
  }
  return false;
}

bool Scanner::reaches(StringRef Path, StringRef Text) {
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    if (auto Include = includeOn(Line))
      if (follow(*Include, Path))
        return true;
  }
  return false;
}

Expected<bool> reachesTorch(vfs::FileSystem &FS, const CompileCommand &Command) {
  auto Text = readSource(FS, Command.File);
  if (!Text)
    return Text.takeError();
  Scanner S(FS, Command);
  for (const std::string &F : S.Forced) {
    // The one that we add for LibTorch 1.x in C++20 says nothing.
    if (F != "ATen/core/ivalue.h" &&
        S.reaches(Command.Directory + "/x", "#include \"" + F + "\""))
      return true;
  }
  return S.reaches(Command.File, *Text);
}

/// Folders below which no source of the project is.
static bool isSkippedFolder(StringRef Name) {
  return Name.starts_with(".") || Name.starts_with("build") ||
         Name.starts_with("cmake-build") || Name == "CMakeFiles" ||
         Name == "_deps" || Name == "libtorch" || Name == "node_modules" ||
         Name == "site-packages" || Name == "dist-packages" ||
         Name == "vcpkg_installed";
}

static void sourcesBelow(vfs::FileSystem &FS, const std::string &Folder,
                         int Depth, std::vector<std::string> &Files) {
  constexpr int MaxDepth = 32; // Links may make circles.
  std::error_code EC;
  for (vfs::directory_iterator I = FS.dir_begin(Folder, EC), E;
       !EC && I != E && Depth < MaxDepth; I.increment(EC)) {
    auto Status = FS.status(I->path());
    if (!Status)
      continue;
    if (Status->isDirectory()) {
      if (!isSkippedFolder(sys::path::filename(I->path())) &&
          I->type() != sys::fs::file_type::symlink_file)
        sourcesBelow(FS, I->path().str(), Depth + 1, Files);
    } else if (isCxxSource(I->path())) {
      Files.push_back(I->path().str());
    }
  }
}

Expected<std::vector<std::string>> expandFiles(vfs::FileSystem &FS,
                                               ArrayRef<std::string> Names) {
  std::vector<std::string> Files;
  Error Problems = Error::success();
  for (const std::string &Name : Names) {
    auto Status = FS.status(Name);
    if (!Status) {
      Problems = joinErrors(
          std::move(Problems),
          createStringError(inconvertibleErrorCode(), "%s: no such file",
                            Name.c_str()));
      continue;
    }
    if (!Status->isDirectory()) {
      Files.push_back(Name);
      continue;
    }
    std::vector<std::string> Below;
    sourcesBelow(FS, Name, 0, Below);
    sort(Below);
    Files.insert(Files.end(), Below.begin(), Below.end());
  }
  if (Problems)
    return std::move(Problems);
  StringSet<> Seen;
  erase_if(Files, [&](const std::string &F) {
    return !Seen.insert(absolutePath(F)).second;
  });
  return Files;
}

namespace {
struct PackageRow {
  StringLiteral Start, Package;
};
} // namespace

/// By how an include starts; Debian 12 and 13 names.
static constexpr PackageRow Packages[] = {
    {"Eigen/", "libeigen3-dev"},
    {"boost/", "libboost-dev"},
    {"absl/", "libabsl-dev"},
    {"args.hxx", "libargs-dev"},
    {"argparse/", "libargparse-dev"},
    {"cereal/", "libcereal-dev"},
    {"catch2/", "catch2"},
    {"cnpy.h", "libcnpy-dev"},
    {"cublas_v2.h", "nvidia-cuda-toolkit"},
    {"cuda.h", "nvidia-cuda-toolkit"},
    {"cuda_runtime", "nvidia-cuda-toolkit"},
    {"cuda_fp16.h", "nvidia-cuda-toolkit"},
    {"cudnn.h", "nvidia-cudnn"},
    {"curand", "nvidia-cuda-toolkit"},
    {"cusparse.h", "nvidia-cuda-toolkit"},
    {"nvToolsExt.h", "nvidia-cuda-toolkit"},
    {"thrust/", "libthrust-dev"},
    {"cub/", "libcub-dev"},
    {"cxxopts.hpp", "libcxxopts-dev"},
    {"CLI/", "libcli11-dev"},
    {"docopt", "libdocopt-dev"},
    {"fmt/", "libfmt-dev"},
    {"gflags/", "libgflags-dev"},
    {"glog/", "libgoogle-glog-dev"},
    {"gtest/", "libgtest-dev"},
    {"gmock/", "libgmock-dev"},
    {"benchmark/", "libbenchmark-dev"},
    {"google/protobuf/", "libprotobuf-dev"},
    {"grpcpp/", "libgrpc++-dev"},
    {"GL/", "libgl-dev"},
    {"GLFW/", "libglfw3-dev"},
    {"SDL2/", "libsdl2-dev"},
    {"SFML/", "libsfml-dev"},
    {"hdf5", "libhdf5-dev"},
    {"H5Cpp.h", "libhdf5-dev"},
    {"indicators/", "libindicators-dev"},
    {"json/json.h", "libjsoncpp-dev"},
    {"leveldb/", "libleveldb-dev"},
    {"lmdb", "liblmdb-dev"},
    {"magic_enum", "libmagicenum-dev"},
    {"matplotlibcpp.h", ""},
    {"mpi.h", "libopenmpi-dev"},
    {"nccl.h", "libnccl-dev"},
    {"nlohmann/", "nlohmann-json3-dev"},
    {"NvInfer", "libnvinfer-dev (NVIDIA's repository)"},
    {"omp.h", "libomp-dev"},
    {"opencv2/", "libopencv-dev"},
    {"opencv/", "libopencv-dev"},
    {"pcl/", "libpcl-dev"},
    {"png", "libpng-dev"},
    {"jpeglib.h", "libjpeg-dev"},
    {"pugixml.hpp", "libpugixml-dev"},
    {"pybind11/", "pybind11-dev"},
    {"Python.h", "python3-dev"},
    {"QApplication", "qtbase5-dev"},
    {"QtCore/", "qtbase5-dev"},
    {"rapidjson/", "rapidjson-dev"},
    {"rclcpp/", "ros-<release>-rclcpp (ROS's repository)"},
    {"ros/", "libroscpp-dev"},
    {"sentencepiece", "libsentencepiece-dev"},
    {"spdlog/", "libspdlog-dev"},
    {"sqlite3.h", "libsqlite3-dev"},
    {"tbb/", "libtbb-dev"},
    {"tinyxml2.h", "libtinyxml2-dev"},
    {"toml++/", "libtomlplusplus-dev"},
    {"torchvision/", "libtorchvision-dev"},
    {"torch/", "libtorch-dev"},
    {"ATen/", "libtorch-dev"},
    {"c10/", "libtorch-dev"},
    {"xtensor/", "libxtensor-dev"},
    {"yaml-cpp/", "libyaml-cpp-dev"},
    {"zlib.h", "zlib1g-dev"},
    {"zmq", "libzmq3-dev"},
};

std::string packageOf(StringRef Header) {
  for (const PackageRow &Row : Packages)
    if (Header.starts_with(Row.Start))
      return Row.Package.empty() ? "" : ("the Debian package " + Row.Package).str();
  return "";
}

std::string explainMissingHeader(StringRef Header) {
  std::string Text = ("'" + Header + "' is not found").str();
  if (std::string Package = packageOf(Header); !Package.empty())
    Text += "; it comes with " + Package;
  return Text + "; or give its folder: -p BUILD_DIR of the project's build, or "
                "-- -I DIR";
}

} // namespace vramlint
