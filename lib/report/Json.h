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
  std::vector<llvm::json::Object> Files; ///< Of fileJson(), with their findings.
  llvm::json::Array Lines;               ///< `annotate`: of linesJson().
  Totals Counted;
  int ExitCode = 0;
};

/// All of a file but its findings. \p WithSummary: tables and the rule of thumb.
/// \p Rows: of `fit`, else null.
llvm::json::Object fileJson(const FileReport &R, bool WithSummary,
                            const std::vector<FitRow> *Rows,
                            const PathPrinter &Paths);
llvm::json::Array findingsJson(const std::vector<Finding> &Findings,
                               const PathPrinter &Paths);
llvm::json::Array linesJson(const LineTable &Table, const PathPrinter &Paths);

void printJson(JsonReport R, llvm::raw_ostream &OS);

} // namespace vramlint::report
