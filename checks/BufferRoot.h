//===- checks/BufferRoot.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Whose memory a pointer points to: v.data(), &v[0], mat.data, an array, through
// casts, offsets and pointer variables.

#pragma once

#include "checks/BodyView.h"
#include <string>

namespace vramlint {

struct BufferRoot {
  enum KindTy {
    None,      ///< Not known, or nothing that dies here.
    Local,     ///< A variable of this function, which owns the memory.
    Parameter, ///< Passed by value.
    Temporary, ///< Dies with the full expression.
  } Kind = None;
  const clang::VarDecl *Var = nullptr;
  const clang::Expr *Temp = nullptr;
  std::string Name; ///< "'v'", "the vector that makeBuffer() returns".
};
BufferRoot bufferRoot(const clang::Expr *Pointer, const BodyView &View);

/// A type whose objects own what data(), [] or get() give out.
bool ownsItsData(clang::QualType T);

} // namespace vramlint
