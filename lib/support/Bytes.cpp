//===- lib/support/Bytes.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Arithmetic and printing of sizes and quantities.

#include "lib/support/Bytes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace vramlint {

std::string formatBytes(Bytes B) {
  static const char *const Units[] = {"B",   "KiB", "MiB", "GiB",
                                      "TiB", "PiB", "EiB"};
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  double N = static_cast<double>(B.Count);
  if (N < 0) {
    OS << '-';
    N = -N;
  }
  unsigned Unit = 0;
  // 1023.95 would print as "1024.0 KiB": go to the next unit before that.
  while (Unit + 1 < std::size(Units) && N >= (Unit ? 999.5 : 1024)) {
    N /= 1024;
    ++Unit;
  }
  int Digits = Unit == 0 || N >= 99.95 ? 0 : N >= 9.995 ? 1 : 2;
  OS << llvm::format("%.*f ", Digits, N) << Units[Unit];
  return Text;
}

std::string formatCount(int64_t N) {
  std::string Digits = std::to_string(N);
  std::string Text;
  size_t First = N < 0 ? 1 : 0;
  for (size_t I = 0; I < Digits.size(); ++I) {
    if (I > First && (Digits.size() - I) % 3 == 0)
      Text += ',';
    Text += Digits[I];
  }
  return Text;
}

Quantity Quantity::estimate(int64_t Lower, int64_t Expected, int64_t Upper,
                            std::string Cause) {
  Quantity Q(Certainty::Estimate, Lower, Expected, Upper);
  Q.Causes.push_back(std::move(Cause));
  return Q;
}

Quantity Quantity::unknown(std::string Reason, int64_t Lower) {
  Quantity Q(Certainty::Unknown, Lower, Lower, Bytes::Max);
  Q.Causes.push_back(std::move(Reason));
  return Q;
}

Quantity operator+(const Quantity &A, const Quantity &B) {
  Quantity Q(std::max(A.Kind, B.Kind), (Bytes{A.Lower} + Bytes{B.Lower}).Count,
             (Bytes{A.Expected} + Bytes{B.Expected}).Count,
             (Bytes{A.Upper} + Bytes{B.Upper}).Count);
  Q.Causes = A.Causes;
  for (const std::string &Cause : B.Causes)
    if (std::find(Q.Causes.begin(), Q.Causes.end(), Cause) == Q.Causes.end())
      Q.Causes.push_back(Cause);
  return Q;
}

std::string formatBytes(const Quantity &Q) {
  if (Q.isUnknown())
    return "?";
  return (Q.isExact() ? "" : "~") + formatBytes(Bytes{Q.expected()});
}

} // namespace vramlint
