//===- lib/report/ModelDiff.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a change did to models: parameters, what a forward keeps for backward,
// and the peak of the program, before and after.

#pragma once

#include "lib/report/Summary.h"

namespace vramlint::report {

/// The figures of one file's models.
struct ModelFigures {
  std::string Class;
  Quantity Parameters, Kept;
};
struct FileFigures {
  std::vector<ModelFigures> Models;
  std::optional<Quantity>
      Peak; ///< Of live tensors; nothing: no program is run.
};
FileFigures figuresOf(const FileReport &R);

/// One row of the table; a side without it has nothing.
struct FigureChange {
  std::string File, Model; ///< Model: empty for the program as such.
  struct Side {
    std::optional<Quantity> Parameters, Kept, Peak;
  } Before, After;

  bool isChange() const;
};

/// The models of both sides, paired by class and order; the program's peak
/// stands in the first row of its file.
std::vector<FigureChange> changesOf(llvm::StringRef File,
                                    const FileFigures &Before,
                                    const FileFigures &After);

/// Only what changed. \p Markdown: for a review's comment.
void printModelDiff(llvm::ArrayRef<FigureChange> Rows, bool Markdown,
                    llvm::raw_ostream &OS);

} // namespace vramlint::report
