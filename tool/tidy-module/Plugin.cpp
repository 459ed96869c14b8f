//===- tool/tidy-module/Plugin.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The clang-tidy plugin: clang-tidy --load=VramlintTidyModule.so adds the checks
// of Checks.def. Registration happens while it loads (checks/TorchModule.cpp).

#include "checks/TorchModule.h"
#include "llvm/Config/llvm-config.h"

/// What a host with another LLVM would have to find wrong before it crashes.
extern "C" __attribute__((visibility("default"))) const char *
vramlintPluginLLVMVersion() {
  return LLVM_VERSION_STRING;
}

/// Keeps TorchModule.cpp, which registers itself, in the plugin.
extern "C" __attribute__((visibility("default"))) unsigned
vramlintPluginCheckCount() {
  return vramlint::allChecks().size();
}
