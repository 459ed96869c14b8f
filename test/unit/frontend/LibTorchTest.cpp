//===- test/unit/frontend/LibTorchTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where LibTorch is found, and what is read of it.

#include "lib/frontend/LibTorch.h"
#include "test/unit/frontend/TestProject.h"
#include "gtest/gtest.h"

namespace vramlint {
namespace {

TEST(LibTorch, FoundByEnvironment) {
  TestProject P;
  auto FS = llvm::vfs::getRealFileSystem();
  auto T = findLibTorch(*FS, P.environment());
  ASSERT_TRUE(T.has_value());
  EXPECT_EQ(T->version(), "2.6.1");
  EXPECT_EQ(T->FoundBy, "TORCH_HOME");
  EXPECT_EQ(T->Standard, "c++17");
  ASSERT_EQ(T->IncludeRoots.size(), 2u);
  EXPECT_EQ(T->IncludeRoots[0], P.path("libtorch/include"));
}

TEST(LibTorch, FoundFromEveryPlaceThatPeopleName) {
  TestProject P;
  P.write("libtorch/share/cmake/Torch/TorchConfig.cmake", "");
  auto FS = llvm::vfs::getRealFileSystem();
  for (const char *Place :
       {"libtorch", "libtorch/include", "libtorch/share/cmake/Torch",
        "libtorch/include/torch/csrc/api/include", ""}) {
    auto T = libTorchAt(*FS, P.path(Place));
    ASSERT_TRUE(T.has_value()) << Place;
    EXPECT_EQ(T->IncludeRoots[0], P.path("libtorch/include")) << Place;
  }
  EXPECT_FALSE(libTorchAt(*FS, P.path("project")).has_value());
}

TEST(LibTorch, PackageIsSurerThanHeader) {
  TestProject P;
  auto FS = llvm::vfs::getRealFileSystem();
  P.write("libtorch/build-version", "2.6.3+cpu\n");
  EXPECT_EQ(libTorchAt(*FS, P.path("libtorch"))->version(), "2.6.3");
  P.write("libtorch/build-version", "1.0.0\n"); // Another release's: not ours.
  EXPECT_EQ(libTorchAt(*FS, P.path("libtorch"))->version(), "2.6.1");
}

TEST(LibTorch, StandardThatHeadersAskFor) {
  TestProject P;
  auto FS = llvm::vfs::getRealFileSystem();
  P.write("libtorch/include/torch/csrc/api/include/torch/all.h",
          "#if __cplusplus < 202002L\n#error C++20\n#endif\n");
  EXPECT_EQ(libTorchAt(*FS, P.path("libtorch"))->Standard, "c++20");
}

TEST(LibTorch, Contains) {
  LibTorch T;
  T.IncludeRoots = {"/usr/include", "/usr/include/torch/csrc/api/include"};
  EXPECT_TRUE(T.contains("/usr/include/ATen/ATen.h"));
  EXPECT_TRUE(T.contains("/usr/include/torch/csrc/api/include/torch/nn.h"));
  EXPECT_FALSE(T.contains("/usr/include/stdio.h"));
  EXPECT_FALSE(T.contains("/usr/includes/torch/x.h"));
  EXPECT_TRUE(isLibTorchInclude("torch/torch.h"));
  EXPECT_TRUE(isLibTorchInclude("torchvision/vision.h"));
  EXPECT_FALSE(isLibTorchInclude("torch.h"));
  EXPECT_FALSE(isLibTorchInclude("mytorch/torch.h"));
}

} // namespace
} // namespace vramlint
