//===- lib/support/Bytes.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes in bytes, and numbers that say how far they can be trusted.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace vramlint {

/// A number of bytes. Arithmetic saturates at the ends of int64_t, so that a
/// 10^18-element tensor is "very much", never negative.
struct Bytes {
  int64_t Count = 0;

  static constexpr int64_t Max = std::numeric_limits<int64_t>::max();

  /// The nearest whole number; negative ones are 0.
  static Bytes rounded(double N) {
    return {N <= 0 ? 0 : N >= static_cast<double>(Max) ? Max : std::llround(N)};
  }

  friend bool operator==(Bytes, Bytes) = default;
  friend auto operator<=>(Bytes, Bytes) = default;
  friend Bytes operator+(Bytes A, Bytes B) {
    int64_t R;
    return __builtin_add_overflow(A.Count, B.Count, &R)
               ? Bytes{A.Count < 0 ? -Max : Max}
               : Bytes{R};
  }
  friend Bytes operator-(Bytes A, Bytes B) { return A + Bytes{-B.Count}; }
  friend Bytes operator*(Bytes A, int64_t N) {
    int64_t R;
    return __builtin_mul_overflow(A.Count, N, &R)
               ? Bytes{(A.Count < 0) != (N < 0) ? -Max : Max}
               : Bytes{R};
  }
  Bytes &operator+=(Bytes B) { return *this = *this + B; }
  Bytes &operator-=(Bytes B) { return *this = *this - B; }
};

/// "784 B", "12.5 KiB", "1.53 GiB": three significant digits, binary units.
std::string formatBytes(Bytes B);
/// "21,840": thousands separated by commas.
std::string formatCount(int64_t N);

/// How far a number can be trusted.
enum class Certainty { Exact, Estimate, Unknown };

/// A number that is exact, or an estimate with its causes, or unknown with its
/// reasons. The three never mix in silence: the sum of an exact figure and an
/// estimate is an estimate with the causes of both; of anything and an unknown,
/// unknown (its lower bound stays).
class Quantity {
public:
  static Quantity exact(int64_t N) { return Quantity(Certainty::Exact, N, N, N); }
  static Quantity estimate(int64_t Lower, int64_t Expected, int64_t Upper,
                           std::string Cause);
  static Quantity unknown(std::string Reason, int64_t Lower = 0);
  Quantity() : Quantity(Certainty::Exact, 0, 0, 0) {}

  Certainty certainty() const { return Kind; }
  bool isExact() const { return Kind == Certainty::Exact; }
  bool isUnknown() const { return Kind == Certainty::Unknown; }
  int64_t lower() const { return Lower; }
  /// The expected value. For an unknown: what is known of it (its lower bound).
  int64_t expected() const { return Expected; }
  /// The upper bound. For an unknown: the largest int64_t.
  int64_t upper() const { return Upper; }
  const std::vector<std::string> &causes() const { return Causes; }

  friend Quantity operator+(const Quantity &A, const Quantity &B);
  Quantity &operator+=(const Quantity &B) { return *this = *this + B; }

private:
  Quantity(Certainty Kind, int64_t Lower, int64_t Expected, int64_t Upper)
      : Kind(Kind), Lower(Lower), Expected(Expected), Upper(Upper) {}

  Certainty Kind;
  int64_t Lower, Expected, Upper;
  std::vector<std::string> Causes;
};

/// "~6.82 GiB" for an estimate, "3.05 MiB" for an exact figure, "?" for unknown.
std::string formatBytes(const Quantity &Q);

} // namespace vramlint
