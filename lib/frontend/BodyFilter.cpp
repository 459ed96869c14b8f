//===- lib/frontend/BodyFilter.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The list of LibTorch headers whose bodies are kept.

#include "lib/frontend/BodyFilter.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"

using namespace llvm;

namespace vramlint {

bool keepsBodies(StringRef Path) {
  for (StringRef End :
       {"/torch/nn/pimpl.h", "/torch/nn/pimpl-inl.h",
        "/torch/expanding_array.h", "/torch/arg.h", "/torch/enum.h"})
    if (Path.ends_with(End))
      return true;
  return Path.contains("/torch/nn/options/");
}

bool BodyFilter::shouldSkip(const clang::Decl &D) {
  const clang::SourceManager &SM = D.getASTContext().getSourceManager();
  clang::SourceLocation Place = SM.getExpansionLoc(D.getLocation());
  clang::FileID File = SM.getFileID(Place);
  auto [Slot, IsNew] = Skipped.try_emplace(File, false);
  if (!IsNew)
    return Slot->second;
  bool Skip = IsExternal(Place) && !keepsBodies(SM.getFilename(Place));
  return Skipped[File] = Skip;
}

} // namespace vramlint
