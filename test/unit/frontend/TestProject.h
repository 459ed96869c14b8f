//===- test/unit/frontend/TestProject.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A project in a temporary folder, with a LibTorch of three small headers, so
// that the frontend's tests need no real one.

#pragma once

#include "lib/frontend/Frontend.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace vramlint {

/// The folder lives as long as the object.
class TestProject {
public:
  TestProject() {
    llvm::SmallString<128> Path;
    llvm::sys::fs::createUniqueDirectory("vramlint-test", Path);
    llvm::SmallString<128> Real;
    llvm::sys::fs::real_path(Path, Real);
    Root = std::string(Real);
    write("project/.git/HEAD", "");
    std::string Api = "libtorch/include/torch/csrc/api/include/torch/";
    write(Api + "version.h", "#define TORCH_VERSION_MAJOR 2\n"
                             "#define TORCH_VERSION_MINOR 6\n"
                             "#define TORCH_VERSION_PATCH 1\n");
    write(Api + "all.h", "#if __cplusplus < 201703L\n#error old\n#endif\n");
    write(Api + "torch.h",
          "#pragma once\n#include <torch/nn.h>\n"
          "namespace torch { struct Tensor { int N = 0; };\n"
          "inline int skipped() { return undeclared_name_in_body(); } }\n");
    write(Api + "nn.h", "#pragma once\n#include <torch/nn/pimpl.h>\n");
    write(Api + "nn/pimpl.h",
          "#pragma once\nnamespace torch::nn {\n"
          "template <class T> struct Holder { T Value; Holder() : Value() {}\n"
          "  T get() const { return Value; } };\n"
          "inline int kept() { return 7; } }\n");
  }
  ~TestProject() { llvm::sys::fs::remove_directories(Root); }

  std::string path(llvm::StringRef Name) const { return Root + "/" + Name.str(); }
  std::string write(llvm::StringRef Name, llvm::StringRef Text) {
    std::string Path = path(Name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path));
    std::error_code EC;
    llvm::raw_fd_ostream(Path, EC) << Text;
    return Path;
  }
  /// The environment in which LibTorch is found by TORCH_HOME.
  Environment environment() const {
    std::string Home = Root;
    return [Home](llvm::StringRef Name) -> std::optional<std::string> {
      if (Name == "TORCH_HOME")
        return Home + "/libtorch";
      if (Name == "HOME")
        return Home;
      return std::nullopt;
    };
  }
  FlagOptions flagOptions() const {
    FlagOptions O;
    O.Env = environment();
    return O;
  }

  std::string Root;
};

} // namespace vramlint
