//===- lib/report/Format.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How reports print sizes, shapes, places and tables.

#pragma once

#include "lib/support/Bytes.h"
#include "lib/support/SourcePos.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace vramlint::report {

/// "720.0 KiB", "1.41 MiB", "13.67 GiB": a size in a table's column, where the
/// decimals line up. Prose uses formatBytes (three significant digits).
std::string tableBytes(int64_t SizeBytes);
/// The same with "~" before an estimate; "?" for an unknown.
std::string tableBytes(const Quantity &Q);
/// "21,840", "~21,840" or "?".
std::string countText(const Quantity &Q);
/// "64×3×448×448", "?" for each unknown dimension (-1).
std::string shapeText(llvm::ArrayRef<int64_t> Shape, bool RankKnown = true);
/// "1 warning", "2 warnings".
std::string plural(size_t N, llvm::StringRef Word);

/// The units that a whole column or sentence shares.
struct ByteUnit {
  int64_t Size;
  llvm::StringRef Name; ///< "KiB"
  unsigned Decimals;
};
/// The unit in which \p LargestBytes has at most four digits before the point.
ByteUnit commonUnit(int64_t LargestBytes);
/// "3376.2": \p SizeBytes in \p Unit, without its name.
std::string inUnit(int64_t SizeBytes, const ByteUnit &Unit);

/// Prints file names as users know them: relative to the folder they work in
/// where the file lies below it, else as they are.
class PathPrinter {
public:
  PathPrinter() = default;
  explicit PathPrinter(std::string WorkingDir);
  std::string file(llvm::StringRef File) const;
  std::string line(const SourcePos &P) const;   ///< "vgg.h:12"
  std::string place(const SourcePos &P) const;  ///< "vgg.h:31:18"
  /// The compiler's text with its absolute paths made relative likewise.
  std::string text(llvm::StringRef CompilerText) const;

private:
  std::string WorkingDir; ///< With a slash at its end, or empty.
};

/// Rows of text cells, printed in columns. Cells may hold UTF-8.
class Table {
public:
  enum Align { Left, Right };
  /// \p Aligns: one per column. \p Gap: spaces between columns. A row's cells
  /// beyond them are remarks: they follow after one space and widen nothing.
  explicit Table(std::vector<Align> Aligns, unsigned Gap = 3)
      : Aligns(std::move(Aligns)), Gap(Gap) {}
  void row(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  /// Prints the rows; lines have no trailing spaces.
  void print(llvm::raw_ostream &OS, llvm::StringRef Indent = "") const;

private:
  std::vector<Align> Aligns;
  unsigned Gap;
  std::vector<std::vector<std::string>> Rows;
};

/// Columns that \p Text takes on a terminal.
unsigned displayWidth(llvm::StringRef Text);

} // namespace vramlint::report
