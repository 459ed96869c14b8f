//===- checks/FromBlob.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls of from_blob, and for_blob(…)….make_tensor(), with what they say: the
// pointer, the options, the deleter.

#pragma once

#include "checks/BodyView.h"
#include "clang/AST/Expr.h"
#include <string>

namespace vramlint {

struct FromBlob {
  const clang::CallExpr *Call = nullptr;   ///< The one that returns the tensor.
  const clang::CallExpr *Start = nullptr;  ///< from_blob or for_blob itself.
  const clang::Expr *Pointer = nullptr;
  const clang::Expr *Options = nullptr;    ///< Null: left to the default.
  const clang::Expr *Deleter = nullptr;    ///< Or a context: someone owns it.
  explicit operator bool() const { return Call; }
};
FromBlob fromBlob(const clang::Stmt *S);
/// Calls \p F with each from_blob in the unit's code, macros' bodies excepted, and
/// the body that it stands in. Instantiations share their text: places repeat.
void forEachFromBlob(const UnitFacts &Unit,
                     llvm::function_ref<void(const FromBlob &, const BodyView &)> F);

/// The element type that some options name.
struct DTypeFact {
  enum KindTy {
    Unknown,
    Absent,  ///< The default type: float32 unless the program changes it.
    Known,
  } Kind = Unknown;
  std::string Name;                    ///< "Float".
  const clang::Expr *Said = nullptr;   ///< The constant, if it stands in the call.
};
DTypeFact dtypeOf(const clang::Expr *Options, const BodyView &View);
/// "Float" for what \p Blob's tensor holds; empty if not known.
std::string dtypeOf(const FromBlob &Blob, const BodyView &View);

/// Does some function of the unit call torch::set_default_dtype?
bool setsDefaultDType(const UnitFacts &Unit);

/// "torch::" or "at::", as the user spells \p Call.
std::string namespaceOf(const clang::CallExpr *Call,
                        const clang::ASTContext &Context);

} // namespace vramlint
