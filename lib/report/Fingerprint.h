//===- lib/report/Fingerprint.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What stays the same of a finding while lines move. SARIF, GitLab's code
// quality and the baseline all know findings by it.

#pragma once

#include "lib/report/Format.h"
#include "lib/report/SourceText.h"
#include "lib/support/Finding.h"
#include <map>

namespace vramlint::report {

/// Gives each finding its fingerprint: "<hash of check, file and text of its
/// line>:<which of several such it is, from 1>".
class Fingerprinter {
public:
  Fingerprinter(SourceText &Sources, const PathPrinter &Paths)
      : Sources(Sources), Paths(Paths) {}
  /// Requires: called once per finding, in an order that does not change.
  std::string next(const Finding &F);

private:
  SourceText &Sources;
  const PathPrinter &Paths;
  std::map<std::string, unsigned> Occurrences; ///< By hash.
};

} // namespace vramlint::report
