//===- checks/MatFacts.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What an OpenCV matrix holds at some place of a function: cv::Mat::data is
// unsigned char * whatever the elements are, and the object may share its data
// with others.

#pragma once

#include "checks/BodyView.h"

namespace vramlint {

bool isMat(clang::QualType T);

struct MatFact {
  int Depth = -1;       ///< CV_8U (0) … CV_16F (7), as cv::Mat::depth(); -1: unknown.
  bool Own = false;     ///< Its data is its own: dies with it.
  bool Empty = false;   ///< Made and not yet filled.
  const clang::Stmt *Since = nullptr; ///< What made it so.
};
/// \p V, a local cv::Mat, before \p Where.
MatFact matAt(const clang::VarDecl *V, const clang::Stmt *Where,
              const BodyView &View);
/// "float", …; empty for an unknown depth.
llvm::StringRef depthName(int Depth);

} // namespace vramlint
