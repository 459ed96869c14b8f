//===- checks/PointerElement.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What elements a pointer points to, through casts to void and to bytes, and
// which LibTorch types may be used to read them.

#pragma once

#include "checks/BodyView.h"
#include <string>

namespace vramlint {

struct PointerElement {
  enum KindTy {
    Unknown,
    Scalars,  ///< Elements of one built-in or LibTorch type.
    Object,   ///< The object of a container, not its elements.
    Pointers, ///< An array of pointers.
  } Kind = Unknown;
  std::string Name;               ///< "double", "std::vector<float>".
  std::string DType;              ///< "Double": how from_blob should read it.
  bool Exact = false;             ///< Naming DType changes no value.
  bool ViaBytes = false;          ///< Cast to char * or the like on the way.
  bool PlainBytes = false;        ///< Raw bytes: they may hold anything.
  const clang::Stmt *Since = nullptr; ///< Where a cv::Mat got that type.
  std::string Matrix;             ///< The cv::Mat's name.
};
PointerElement elementOf(const clang::Expr *Pointer, const BodyView &View);

/// May memory of \p Element be read as \p DType ("Float")?
bool mayRead(const PointerElement &Element, llvm::StringRef DType);

} // namespace vramlint
