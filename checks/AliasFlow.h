//===- checks/AliasFlow.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where a tensor made from foreign memory goes within its function, as long as it
// uses that memory: through views, variables, containers and structs, to returns
// and members. A copy ends the way, and so does everything that we don't know.

#pragma once

#include "checks/BodyView.h"
#include <string>
#include <vector>

namespace vramlint {

/// What the tensor has been through so far.
struct FlowState {
  std::string DType;             ///< "Float"; empty if unknown.
  const clang::CallExpr *MaybeSame = nullptr; ///< A `to` that may have copied.
  bool InLambda = false;         ///< Captured: whatever type holds it.
  bool Strided = false;          ///< Permuted or cut: contiguous() copies it.
};

struct FlowEnd {
  enum KindTy {
    Returned,
    Member,    ///< Stored in a member of *this, or of what a pointer points to.
    Static,    ///< Or global.
    OutParameter,
    Registered, ///< register_buffer, register_parameter.
    Used,      ///< An ordinary use of a variable that holds it.
    Called,    ///< Given to a function that we don't know.
  } Kind;
  const clang::Stmt *At = nullptr;
  std::string Name;              ///< The member's, parameter's or variable's.
  const clang::VarDecl *Var = nullptr; ///< Used: the variable.
  FlowState State;
};

/// Follows \p Start, an expression of \p View. The ends in the order of the text
/// for each variable.
std::vector<FlowEnd> followAlias(const clang::Expr *Start, FlowState State,
                                 const BodyView &View);

} // namespace vramlint
