//===- lib/interp/libs/Libraries.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The list of the libraries' tables.

#include "lib/interp/libs/Libraries.h"

namespace vramlint {

llvm::ArrayRef<llvm::ArrayRef<NativeEntry>> libraryTables() {
  using namespace stdlib;
  static const Table All[] = {ArgparseTable, BoostOptionsTable, Cli11Table,
                              CxxoptsTable,  GetoptTable,       GflagsTable,
                              JsonTable};
  return All;
}

} // namespace vramlint
