//===- lib/report/Baseline.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The findings that a project knows of.

#include "lib/report/Baseline.h"

#include "llvm/Support/JSON.h"
#include <algorithm>

namespace vramlint::report {

using llvm::json::Object;
using llvm::json::Value;

/// Grows when a fingerprint is computed otherwise: old ones would know nothing.
static constexpr int64_t BaselineVersion = 1;

static llvm::Error damaged(const llvm::Twine &Why) {
  return llvm::createStringError("not a baseline: " + Why);
}

llvm::Expected<Baseline> Baseline::parse(llvm::StringRef Text) {
  llvm::Expected<Value> Root = llvm::json::parse(Text);
  if (!Root)
    return damaged(llvm::toString(Root.takeError()));
  const Object *O = Root->getAsObject();
  std::optional<int64_t> Version =
      O ? O->getInteger("vramlint_baseline") : std::nullopt;
  if (!Version)
    return damaged("no \"vramlint_baseline\" in it");
  if (*Version != BaselineVersion)
    return damaged("version " + llvm::Twine(*Version) +
                   ", this vramlint reads " + llvm::Twine(BaselineVersion) +
                   "; write it again with --write-baseline");
  const llvm::json::Array *Findings = O->getArray("findings");
  if (!Findings)
    return damaged("no list of findings in it");
  Baseline B;
  for (const Value &V : *Findings) {
    const Object *F = V.getAsObject();
    std::optional<llvm::StringRef> Print =
        F ? F->getString("fingerprint") : std::nullopt;
    if (!Print)
      return damaged("a finding without a fingerprint");
    B.Prints.insert(*Print);
  }
  return B;
}

void Baseline::add(const Finding &F, llvm::StringRef File,
                   std::string Fingerprint) {
  Prints.insert(Fingerprint);
  Entries.push_back({File.str(), F.Check, std::move(Fingerprint)});
}

std::string Baseline::text() const {
  std::vector<Entry> Sorted = Entries;
  std::sort(Sorted.begin(), Sorted.end());
  std::string Text =
      "{\n  \"vramlint_baseline\": " + std::to_string(BaselineVersion) +
      ",\n  \"findings\": [";
  llvm::raw_string_ostream OS(Text);
  const char *Separator = "\n    ";
  for (const Entry &E : Sorted) {
    OS << Separator
       << Value(Object{{"check", E.Check},
                       {"file", llvm::json::fixUTF8(E.File)},
                       {"fingerprint", E.Fingerprint}});
    Separator = ",\n    ";
  }
  OS << (Sorted.empty() ? "" : "\n  ") << "]\n}\n";
  return OS.str();
}

} // namespace vramlint::report
