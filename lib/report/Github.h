//===- lib/report/Github.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as GitHub's workflow commands: each shows beside its line in a pull
// request. GitHub shows ten warnings and ten errors of a step; the log has all.

#pragma once

#include "lib/report/Format.h"
#include "lib/report/RunFacts.h"

namespace vramlint::report {

/// A line per finding, "::warning file=src/a.cpp,line=3,col=5,title=…::…", and
/// one per file that could not be analysed. Paths are as PathPrinter prints
/// them: GitHub wants them relative to the repository's root.
void printGithub(llvm::ArrayRef<FileOutcome> Files, const PathPrinter &Paths,
                 llvm::raw_ostream &OS);

} // namespace vramlint::report
