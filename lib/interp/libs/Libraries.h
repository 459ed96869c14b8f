//===- lib/interp/libs/Libraries.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Native models of libraries in which programs keep what decides the shapes of
// their models: command lines and configuration files. A table per library.

#pragma once

#include "lib/interp/stdlib/Native.h"

namespace vramlint::stdlib {

extern const Table ArgparseTable, BoostOptionsTable, Cli11Table, CxxoptsTable,
    GetoptTable, GflagsTable, JsonTable;

} // namespace vramlint::stdlib
