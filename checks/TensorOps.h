//===- checks/TensorOps.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls of tensor operations as the text has them, and whose memory the result
// uses: views share it, copies don't, and `to`, `contiguous` and their like
// return the tensor itself where there is nothing to do.

#pragma once

#include "checks/TorchNames.h"
#include "clang/AST/Expr.h"
#include <optional>
#include <string>

namespace clang {
class CXXMemberCallExpr;
}

namespace vramlint {

class BodyView;

/// at::Tensor or a class it derives from, or a reference to one; no pointer.
bool isTensor(clang::QualType T);

/// \p E without what the compiler added around it: casts, temporaries, copies of
/// tensors, parentheses, std::move.
const clang::Expr *bare(const clang::Expr *E);

/// A member function of a tensor, or a function of at:: or torch:: whose first
/// argument is one.
struct TensorCall {
  const clang::CallExpr *Call = nullptr;
  llvm::StringRef Name;            ///< Empty: not such a call.
  const clang::Expr *Self = nullptr;
  bool Member = false;
  explicit operator bool() const { return !Name.empty(); }
  /// The argument after Self, written by the user; null if there is none.
  const clang::Expr *arg(unsigned Index) const;
  unsigned argCount() const;
};
TensorCall tensorCall(const clang::Expr *E);

/// What the result of an op has to do with its input's memory.
enum class Sharing {
  View,      ///< Always the same memory.
  InPlace,   ///< The tensor itself.
  MaybeSame, ///< The tensor itself if there is nothing to do: to, contiguous.
  MaybeView, ///< A view where it can be one: reshape, flatten.
  Copy,      ///< New memory.
  Unknown,
};
Sharing sharingOf(llvm::StringRef Name);
/// Likewise, of one call: \p DType is its input's type if known, as `kFloat` is
/// called in LibTorch's enumeration ("Float"). \p View may be null.
Sharing sharingOf(const TensorCall &Op, llvm::StringRef DType,
                  const BodyView *View);

/// data_ptr(), const_data_ptr(), mutable_data_ptr() of a tensor.
bool isDataPtr(const clang::CXXMemberCallExpr &C);
/// The call of one that \p E, a pointer, comes from: through casts and offsets.
const clang::CXXMemberCallExpr *dataPtrIn(const clang::Expr *E);

/// Does at::Tensor have a member \p Name?
bool hasTensorMethod(const clang::CXXRecordDecl *Tensor, llvm::StringRef Name);

/// "Float" for an expression that is a constant c10::ScalarType.
std::string scalarTypeOf(const clang::Expr *E,
                         const clang::ASTContext &Context);
/// True if \p E, an argument of `to`, names a CUDA device for certain.
bool isCudaDevice(const clang::Expr *E, const BodyView *View);
bool isCpuDevice(const clang::Expr *E, const BodyView *View);

/// In namespace at or torch (or c10), however deep.
bool isLibTorch(const clang::Decl *D);
/// The text of \p E as the user wrote it.
std::string textOf(const clang::Stmt *E, const clang::ASTContext &Context);
/// The last token's end; invalid inside a macro.
clang::SourceLocation endOf(const clang::Stmt *E,
                            const clang::ASTContext &Context);

} // namespace vramlint
