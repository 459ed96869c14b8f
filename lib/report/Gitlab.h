//===- lib/report/Gitlab.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as GitLab's code quality report: an array of issues, which a merge
// request shows as better or worse than the target branch by their
// fingerprints.

#pragma once

#include "lib/report/Fingerprint.h"
#include "lib/report/RunFacts.h"

namespace vramlint::report {

void printGitlab(llvm::ArrayRef<FileOutcome> Files, SourceText &Sources,
                 const PathPrinter &Paths, llvm::raw_ostream &OS);

} // namespace vramlint::report
