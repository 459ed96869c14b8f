//===- lib/report/Annotate.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `vramlint annotate`: the source with what each line allocates and frees, in
// the sense of Python's memory_profiler, without running anything.

#pragma once

#include "lib/memory/LineTable.h"
#include "lib/report/Format.h"
#include "lib/report/RunFacts.h"
#include "lib/report/SourceText.h"

namespace vramlint::report {

/// A stretch of one file that is printed in one go: a function, with the lambdas
/// that stand inside it.
struct AnnotatedSection {
  llvm::StringRef File;
  llvm::StringRef Function;
  unsigned FirstLine = 0, LastLine = 0;
};

/// The sections of \p Lines, \p MainFile's first, by line.
std::vector<AnnotatedSection> sectionsOf(const LineTable &Lines,
                                         llvm::StringRef MainFile);

void printAnnotated(const FileReport &R, const LineTable &Lines,
                    SourceText &Sources, const PathPrinter &Paths,
                    llvm::raw_ostream &OS);

} // namespace vramlint::report
