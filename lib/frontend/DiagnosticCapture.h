//===- lib/frontend/DiagnosticCapture.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Keeps the compiler's errors as text, and passes all on to another consumer.

#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "lib/frontend/Frontend.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace vramlint {

/// Life: set up, parse (errors and their notes are kept), freeze() (from then on
/// everything is dropped).
class DiagnosticCapture : public clang::DiagnosticConsumer {
public:
  DiagnosticCapture();

  void setForward(clang::DiagnosticConsumer *C) { Forward = C; }
  void setColors(bool On) { Style->ShowColors = On; }
  void clearAll();
  void freeze() { Frozen = true; }
  const std::vector<CompilerDiagnostic> &all() const { return Kept; }
  std::string firstMessage() const;

  void BeginSourceFile(const clang::LangOptions &LO,
                       const clang::Preprocessor *PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;

private:
  clang::DiagnosticConsumer *Forward = nullptr;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> Style;
  std::string Buffer;
  llvm::raw_string_ostream Stream{Buffer};
  std::unique_ptr<clang::TextDiagnosticPrinter> Printer;
  std::vector<CompilerDiagnostic> Kept;
  bool Frozen = false, LastKept = false;
};

} // namespace vramlint
