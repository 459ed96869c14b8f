//===- lib/report/Json.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reports as JSON, after docs/vramlint.schema.json: sizes are integer bytes, and
// every figure says how far it can be trusted and why.

#pragma once

#include "lib/gpu/FitTable.h"
#include "lib/memory/LineTable.h"
#include "lib/report/Closing.h"
#include "lib/report/Summary.h"
#include "llvm/Support/JSON.h"

namespace vramlint::report {

/// The version of the schema: grows when a key changes its meaning or goes.
inline constexpr int JsonSchemaVersion = 1;

/// {"value": 640, "kind": "exact", "lower": …, "upper": …, "causes": [...]}.
llvm::json::Object toJson(const Quantity &Q);
llvm::json::Object toJson(const Finding &F, const PathPrinter &Paths);
llvm::json::Object toJson(const FitRow &Row, llvm::StringRef From);

struct JsonReport {
  std::string Verb;
  std::string Version;     ///< vramlint's own.
  std::string LlvmVersion;
  std::vector<FileReport> Files;
  /// `fit`: the rows of each file, else empty.
  std::vector<std::vector<FitRow>> FitRows;
  /// `annotate`: the lines of each file, else empty.
  std::vector<LineTable> Lines;
  bool WithSummary = false; ///< `summary`: tables and the rule of thumb.
  Totals Counted;
  int ExitCode = 0;
};

void printJson(const JsonReport &R, const PathPrinter &Paths,
               llvm::raw_ostream &OS);

} // namespace vramlint::report
