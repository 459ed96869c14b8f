//===- lib/report/Summary.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `vramlint summary`: one table per model, a row per op in order of execution.
//
//   trace of one forward ─► outermost ops ─► rows (ops of one built-in module
//   are one row) ─► what the graph keeps, each storage once, at the op whose
//   result it is

#pragma once

#include "lib/report/Format.h"
#include "lib/torch/Models.h"
#include "lib/report/RuleOfThumb.h"
#include "lib/report/RunFacts.h"
#include "lib/report/SourceText.h"
#include <string>
#include <vector>

namespace vramlint::report {

struct SummaryRow {
  std::string Module;     ///< "layer1.0.conv1"
  std::string Op;         ///< "Conv2d" of a built-in module, else the op's name.
  TensorDesc Output;
  bool HasOutput = false; ///< False: a module that this forward does not run.
  bool HasParameters = false;
  bool Repeated = false;  ///< Its parameters stand in an earlier row.
  Quantity Parameters;    ///< Elements.
  Quantity OutputBytes;   ///< One feature map of the rule of thumb.
  Quantity KeptBytes;     ///< Held for backward at the end of the forward.
  Quantity Flops;
  SourcePos Pos;
};

struct ModelSummary {
  Model Which;
  bool Training = false;
  std::vector<TensorDesc> Inputs;
  SourcePos CallPos;
  std::vector<SummaryRow> Rows;
  Quantity KeptBytes, Flops, FeatureMapBytes;
};

/// The table of \p M: of the forward that stands for it, or, where it is never
/// run, of the modules that hold parameters.
ModelSummary summarize(const Trace &T, const Model &M);

/// The models of \p R and their tables, the ones that are run first.
std::vector<ModelSummary> summarizeAll(const Trace &T);

/// Where the shape of \p S's input comes from; null: the program's own code.
const Assumption *inputAssumption(const Trace &T, const ModelSummary &S);

/// A module class of the file and what was built of it.
struct ClassRow {
  const ClassNote *Note = nullptr;
  size_t Built = 0;           ///< Modules of the class, in the program or by itself.
  Quantity Smallest, Largest; ///< Parameters of one, with those of its parts.
  bool ByItself = false;      ///< Not by the program.
};
std::vector<ClassRow> classRows(const FileReport &R);

/// The tables of what the program builds. Without a main: of what it builds and
/// runs, or nothing else shows.
std::vector<ModelSummary> programModels(const FileReport &R);
/// The tables of the user's classes that were built by themselves.
std::vector<ModelSummary> classModels(const FileReport &R);

/// The rule of thumb for all models of \p Models that are run.
RuleOfThumb ruleOfThumb(const Trace &T, const std::vector<ModelSummary> &Models);

/// Prints the tables, the rule of thumb beside the exact figures, and what was
/// not understood.
void printSummary(const FileReport &R, SourceText &Sources,
                  const PathPrinter &Paths, llvm::raw_ostream &OS);

/// The source at \p P, without indentation and semicolon: "loss.backward()".
/// Empty where it can't be read or is too long for a sentence.
std::string statementText(SourceText &Sources, const SourcePos &P);

} // namespace vramlint::report
