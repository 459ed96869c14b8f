//===- lib/frontend/DiagnosticCapture.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Renders each error with clang's own printer.

#include "lib/frontend/DiagnosticCapture.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/LexDiagnostic.h"

using namespace llvm;

namespace vramlint {

DiagnosticCapture::DiagnosticCapture() : Style(new clang::DiagnosticOptions) {
  Printer = std::make_unique<clang::TextDiagnosticPrinter>(Stream, Style.get());
}

void DiagnosticCapture::clearAll() {
  clear();
  Kept.clear();
  Frozen = LastKept = false;
}

std::string DiagnosticCapture::firstMessage() const {
  return Kept.empty() ? "unknown reason" : Kept.front().Message;
}

void DiagnosticCapture::BeginSourceFile(const clang::LangOptions &LO,
                                        const clang::Preprocessor *PP) {
  Printer->BeginSourceFile(LO, PP);
  if (Forward)
    Forward->BeginSourceFile(LO, PP);
}

void DiagnosticCapture::EndSourceFile() {
  Printer->EndSourceFile();
  if (Forward)
    Forward->EndSourceFile();
}

static SourcePos posOf(const clang::Diagnostic &Info) {
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
    return {};
  auto P = Info.getSourceManager().getPresumedLoc(Info.getLocation());
  if (P.isInvalid())
    return {};
  return {intern(P.getFilename()), P.getLine(), P.getColumn()};
}

void DiagnosticCapture::HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                                         const clang::Diagnostic &Info) {
  if (Frozen)
    return;
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Forward)
    Forward->HandleDiagnostic(Level, Info);
  bool IsError = Level >= clang::DiagnosticsEngine::Error;
  bool IsNote = Level == clang::DiagnosticsEngine::Note;
  if (!IsError && !(IsNote && LastKept)) {
    LastKept = LastKept && IsNote;
    return;
  }
  LastKept = true;
  Buffer.clear();
  Printer->HandleDiagnostic(Level, Info);
  SmallString<256> Message;
  Info.FormatDiagnostic(Message);
  CompilerDiagnostic D{IsError, posOf(Info), std::string(Message), Buffer, ""};
  if (Info.getID() == clang::diag::err_pp_file_not_found)
    D.MissingHeader = Info.getArgStdStr(0);
  if (Info.getID() == clang::diag::err_pp_file_not_found_angled_include_not_fatal)
    D.MissingHeader = Info.getArgStdStr(0);
  Kept.push_back(std::move(D));
}

} // namespace vramlint
