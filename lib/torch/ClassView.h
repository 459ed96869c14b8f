//===- lib/torch/ClassView.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The module classes of a unit as reports see them.

#pragma once

#include "lib/torch/Trace.h"
#include <memory>
#include <string>
#include <vector>

namespace vramlint {

/// A module class of the unit's project.
struct ClassNote {
  llvm::StringRef Class; ///< "Net", without Impl.
  SourcePos Pos;
  std::string Problem;   ///< Why none was built; empty: in a trace.
  std::string Tell;      ///< What to tell vramlint then.
};

/// The module classes of a unit, whether its program builds them or not.
struct ClassView {
  std::shared_ptr<const Trace> Run; ///< Of those that the program doesn't.
  std::vector<ClassNote> Classes;   ///< All, in the order of the source.
};

} // namespace vramlint
