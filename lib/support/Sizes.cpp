//===- lib/support/Sizes.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes and counts as people write them.

#include "lib/support/Sizes.h"

#include "llvm/ADT/ArrayRef.h"

namespace vramlint {

using Unit = std::pair<llvm::StringLiteral, double>;

/// Nothing: not a number with one of these units.
static std::optional<int64_t> parse(llvm::StringRef Text,
                                    llvm::ArrayRef<Unit> Units) {
  llvm::StringRef Number = Text.trim();
  double Factor = 1;
  for (const auto &[Name, Size] : Units)
    if (Number.consume_back_insensitive(Name)) {
      Factor = Size;
      break;
    }
  double N;
  if (Number.rtrim().getAsDouble(N) || !(N >= 0) || N * Factor > 9e18)
    return std::nullopt;
  return static_cast<int64_t>(N * Factor);
}

llvm::Expected<int64_t> parseBytes(llvm::StringRef Text) {
  static constexpr Unit Units[] = {
      {"KiB", 1024.},
      {"MiB", 1024. * 1024},
      {"GiB", 1024. * 1024 * 1024},
      {"TiB", 1024. * 1024 * 1024 * 1024},
      {"KB", 1e3},
      {"MB", 1e6},
      {"GB", 1e9},
      {"TB", 1e12},
      {"B", 1},
  };
  if (std::optional<int64_t> N = parse(Text, Units))
    return *N;
  return llvm::createStringError("not a size: '" + Text +
                                 "' (as 512MiB, 1.5GiB or 1000000)");
}

llvm::Expected<int64_t> parseCount(llvm::StringRef Text) {
  static constexpr Unit Units[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
  if (std::optional<int64_t> N = parse(Text, Units))
    return *N;
  return llvm::createStringError("not a count: '" + Text +
                                 "' (as 25M or 1000000)");
}

} // namespace vramlint
