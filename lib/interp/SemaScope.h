//===- lib/interp/SemaScope.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Lets Sema work after its translation unit has ended: templates that are
// instantiated on demand, constructors that are resolved.
//
// Sema reads its current Scope in a few places (range-for, for one). Where the
// unit's parser still lives, in clang-tidy, that is its scope. Elsewhere there is
// none after the end of the file; only a Parser can set it, so a Parser that parses
// nothing does.

#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include <optional>

namespace vramlint {

/// While this lives, Sema may be asked for things; what it has to say is
/// swallowed.
class SemaScope {
public:
  explicit SemaScope(clang::Sema &S)
      : Diags(S.getDiagnostics()), Was(Diags.getSuppressAllDiagnostics()),
        SavedTop(S.TUScope), S(S) {
    Diags.setSuppressAllDiagnostics(true);
    if (!S.getCurScope()) {
      P.emplace(S.getPreprocessor(), S, /*SkipFunctionBodies=*/true);
      P->EnterScope(clang::Scope::DeclScope);
    }
    S.TUScope = S.getCurScope();
  }
  ~SemaScope() {
    S.TUScope = SavedTop;
    if (P)
      P->ExitScope();
    Diags.setSuppressAllDiagnostics(Was);
  }
  SemaScope(const SemaScope &) = delete;

private:
  clang::DiagnosticsEngine &Diags;
  bool Was;
  std::optional<clang::Parser> P;
  clang::Scope *SavedTop;
  clang::Sema &S;
};

} // namespace vramlint
