//===- tool/vramlint/Jobs.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Work that is spread over processes. Clang is not made to be run by several
// threads at once, and what crashes one process takes only its file with it.
//
//   this process ─ number of a piece ─► worker ─ its result ─► this process
//
// A worker is forked once and asked for one piece after the other; one that
// dies is replaced.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <optional>
#include <string>

namespace vramlint::tool {

/// Does one piece: its number to its result.
using Worker = std::function<std::string(size_t Piece)>;

struct JobCallbacks {
  /// Called in each new process.
  std::function<Worker()> MakeWorker;
  std::function<void(size_t Piece)> Started;
  /// Called in the order of the pieces, whichever is done first. Nothing: the
  /// process died of it.
  std::function<void(size_t Piece, std::optional<std::string> Result)> Done;
};

/// Does \p Pieces pieces in at most \p Jobs processes. Requires: this process
/// has one thread.
void runJobs(size_t Pieces, unsigned Jobs, const JobCallbacks &Callbacks);

} // namespace vramlint::tool
