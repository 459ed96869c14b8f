//===- lib/gpu/SameStructure.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See SameStructure.h.

#include "lib/gpu/SameStructure.h"

namespace vramlint {

bool sameStructure(const Trace &A, const Trace &B) {
  if (A.Events.size() != B.Events.size() ||
      A.Storages.size() != B.Storages.size())
    return false;
  for (size_t I = 0; I < A.Events.size(); ++I) {
    const Event &X = A.Events[I], &Y = B.Events[I];
    // Other values are sizes and counts of iterations: they may differ.
    bool Tells = X.Kind == EventKind::PhaseBegin ||
                 X.Kind == EventKind::PhaseEnd ||
                 X.Kind == EventKind::Recategorize;
    if (X.Kind != Y.Kind || X.Id != Y.Id || (Tells && X.Value != Y.Value))
      return false;
  }
  for (size_t I = 0; I < A.Storages.size(); ++I)
    if (A.Storages[I].Device != B.Storages[I].Device ||
        A.Storages[I].SizeKnown != B.Storages[I].SizeKnown)
      return false;
  return true;
}

} // namespace vramlint
