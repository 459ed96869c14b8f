//===- tool/vramlint/Lists.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The verbs that print what vramlint knows: gpus, checks, explain, --version.

#pragma once

#include "lib/gpu/GpuCatalog.h"
#include "lib/report/Sarif.h"
#include "tool/vramlint/CommandLine.h"

namespace vramlint::tool {

/// All checks, by name, with their pages.
std::vector<report::RuleInfo> ruleInfos();

/// `checks` without a file: a line per check. Returns the exit code, as all here.
int listChecks(const CommandLine &C, llvm::raw_ostream &OS);
/// `explain CHECK`: its page. Unknown: an error that suggests the nearest.
int explainCheck(llvm::StringRef Name, llvm::raw_ostream &OS);
int listGpus(const CommandLine &C, const GpuCatalog &Catalog,
             llvm::raw_ostream &OS);
int printVersion(const CommandLine &C, llvm::raw_ostream &OS);

/// "vramlint: error: \p Message" to stderr; returns 2.
int complain(const llvm::Twine &Message);

/// vramlint's own version, "0.1.0".
llvm::StringRef versionText();

} // namespace vramlint::tool
