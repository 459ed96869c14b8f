//===- lib/interp/stdlib/Chrono.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <chrono>, <complex>, <bitset>: values that no figure rests on. They
// are unknown without a report; conditions on them are decisions all the same.

#include "lib/interp/stdlib/Native.h"

using namespace clang;

namespace vramlint::stdlib {

template <const char *What> static Operand quiet(Machine &M, CallSite &S) {
  return quietUnknown(M, What);
}
/// Methods that change the object: it is as unknown as before.
template <const char *What> static Operand changed(Machine &M, CallSite &S) {
  if (S.Object)
    S.Object->set(quietUnknown(M, What));
  return self(S);
}

static constexpr char Time[] = "time";
static constexpr char Other[] = "number of a class that is not followed";

#define TIME(Name) {"std::chrono::" Name, quiet<Time>}
#define CHANGES(C, Name, What) {"std::" C "::" Name, changed<What>}

static constexpr NativeEntry ChronoEntries[] = {
    TIME("system_clock::now"),
    TIME("steady_clock::now"),
    TIME("high_resolution_clock::now"),
    TIME("system_clock::to_time_t"),
    TIME("system_clock::from_time_t"),
    TIME("duration::duration"),
    TIME("duration::count"),
    TIME("duration::zero"),
    TIME("duration::min"),
    TIME("duration::max"),
    TIME("duration::operator-"),
    TIME("duration::operator+"),
    TIME("time_point::time_point"),
    TIME("time_point::time_since_epoch"),
    TIME("time_point::min"),
    TIME("time_point::max"),
    TIME("duration_cast"),
    TIME("time_point_cast"),
    TIME("floor"),
    TIME("ceil"),
    TIME("round"),
    TIME("abs"),
    TIME("operator+"),
    TIME("operator-"),
    TIME("operator*"),
    TIME("operator/"),
    TIME("operator%"),
    TIME("operator=="),
    TIME("operator!="),
    TIME("operator<"),
    TIME("operator<="),
    TIME("operator>"),
    TIME("operator>="),
    TIME("operator<=>"),
    {"std::operator\"\"ms", quiet<Time>},
    {"std::operator\"\"us", quiet<Time>},
    {"std::operator\"\"ns", quiet<Time>},
    {"std::operator\"\"min", quiet<Time>},
    {"std::operator\"\"h", quiet<Time>},
    CHANGES("chrono::duration", "operator+=", Time),
    CHANGES("chrono::duration", "operator-=", Time),
    CHANGES("chrono::duration", "operator*=", Time),
    CHANGES("chrono::duration", "operator/=", Time),
    CHANGES("chrono::duration", "operator++", Time),
    CHANGES("chrono::time_point", "operator+=", Time),
    CHANGES("chrono::time_point", "operator-=", Time),
    {"std::complex::complex", quiet<Other>},
    {"std::complex::real", quiet<Other>},
    {"std::complex::imag", quiet<Other>},
    {"std::real", quiet<Other>},
    {"std::imag", quiet<Other>},
    {"std::conj", quiet<Other>},
    {"std::norm", quiet<Other>},
    {"std::arg", quiet<Other>},
    {"std::polar", quiet<Other>},
    CHANGES("complex", "operator+=", Other),
    CHANGES("complex", "operator-=", Other),
    CHANGES("complex", "operator*=", Other),
    CHANGES("complex", "operator/=", Other),
    {"std::bitset::bitset", quiet<Other>},
    {"std::bitset::operator[]", quiet<Other>},
    {"std::bitset::test", quiet<Other>},
    {"std::bitset::count", quiet<Other>},
    {"std::bitset::any", quiet<Other>},
    {"std::bitset::none", quiet<Other>},
    {"std::bitset::all", quiet<Other>},
    {"std::bitset::to_string", quiet<Other>},
    {"std::bitset::to_ulong", quiet<Other>},
    CHANGES("bitset", "set", Other),
    CHANGES("bitset", "reset", Other),
    CHANGES("bitset", "flip", Other),
};
const Table ChronoTable = ChronoEntries;

} // namespace vramlint::stdlib
