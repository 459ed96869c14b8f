//===- tool/vramlint/Lists.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The verbs that print what vramlint knows.

#include "tool/vramlint/Lists.h"

#include "lib/frontend/CompileFlags.h"
#include "lib/gpu/FactSheet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

namespace vramlint::tool {

using llvm::StringRef;

namespace {

struct CheckInfo {
  StringRef Name, Category;
  StringRef Profile; ///< "Strict", "Default", "Hint".
  StringRef Summary;
};

struct CheckPage {
  StringRef Name; ///< Without "torch-".
  StringRef Text;
};

} // namespace

static const CheckInfo AllChecks[] = {
#define VRAMLINT_CHECK(NAME, CLASS, CATEGORY, PROFILE, SUMMARY)                \
  {NAME, CATEGORY, #PROFILE, SUMMARY},
#include "checks/Checks.def"
};

/// docs/checks/*.md, compiled in by CMakeLists.txt.
static const CheckPage Pages[] = {
#include "tool/vramlint/CheckPages.inc"
    {"", ""}};

StringRef versionText() { return VRAMLINT_VERSION; }

int complain(const llvm::Twine &Message) {
  llvm::errs() << "vramlint: error: " << Message << '\n';
  return 2;
}

static std::string pageUri(StringRef Check) {
  Check.consume_front("torch-");
  return (VRAMLINT_DOCS_URI "/checks/" + Check + ".md").str();
}

std::vector<report::RuleInfo> ruleInfos() {
  std::vector<report::RuleInfo> Rules;
  for (const CheckInfo &C : AllChecks)
    Rules.push_back({C.Name.str(), C.Summary.str(), C.Category.str(),
                     pageUri(C.Name)});
  return Rules;
}

int listChecks(const CommandLine &C, llvm::raw_ostream &OS) {
  if (C.Output == Format::Json) {
    llvm::json::Array All;
    for (const CheckInfo &Check : AllChecks)
      All.push_back(llvm::json::Object{{"name", Check.Name},
                                       {"category", Check.Category},
                                       {"default_on", Check.Profile != "Hint"},
                                       {"profile", Check.Profile.lower()},
                                       {"summary", Check.Summary},
                                       {"page", pageUri(Check.Name)}});
    OS << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"schema_version", 1}, {"checks", std::move(All)}}));
    return 0;
  }
  using A = report::Table::Align;
  report::Table Rows({A::Left, A::Left, A::Left, A::Left, A::Left});
  for (const CheckInfo &Check : AllChecks)
    Rows.row({Check.Name.str(), Check.Profile == "Hint" ? "off" : "on",
              Check.Profile.lower(), Check.Category.str(), Check.Summary.str()});
  Rows.print(OS);
  return 0;
}

int explainCheck(StringRef Name, llvm::raw_ostream &OS) {
  std::vector<StringRef> Names;
  for (const CheckInfo &Check : AllChecks) {
    Names.push_back(Check.Name);
    if (Check.Name != Name && Check.Name != ("torch-" + Name).str())
      continue;
    StringRef Stem = Check.Name;
    Stem.consume_front("torch-");
    for (const CheckPage &Page : Pages)
      if (Page.Name == Stem) {
        OS << Page.Text;
        return 0;
      }
    OS << Check.Name << ": " << Check.Summary << '\n';
    return 0;
  }
  StringRef Near = nearest(Name, Names);
  if (Near.empty())
    Near = nearest(("torch-" + Name).str(), Names);
  return complain("unknown check '" + Name + "'" +
                  (Near.empty() ? std::string("; see vramlint checks")
                                : "; did you mean '" + Near.str() + "'?"));
}

static int listGpusJson(const CommandLine &C, const GpuCatalog &Catalog,
                        StringRef Pattern, llvm::raw_ostream &OS) {
  llvm::json::Array Gpus, Systems;
  for (const GpuSpec *Gpu : Catalog.matching(Pattern))
    Gpus.push_back(gpuToJson(*Gpu));
  for (const GpuSystem *System : Catalog.matchingSystems(Pattern))
    Systems.push_back(systemToJson(*System));
  if (Gpus.empty() && Systems.empty())
    return complain("no GPU or system matches '" + Pattern + "'");
  OS << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                     {"schema_version", 1},
                                     {"gpus", std::move(Gpus)},
                                     {"systems", std::move(Systems)}}));
  return 0;
}

int listGpus(const CommandLine &C, const GpuCatalog &Catalog,
             llvm::raw_ostream &OS) {
  std::string Pattern = C.Files.empty() ? "" : C.Files.front();
  if (C.Output == Format::Json)
    return listGpusJson(C, Catalog, Pattern, OS);
  if (printFactSheet(Pattern, Catalog, OS))
    return 0;
  // The catalog's own error suggests the nearest names.
  llvm::Expected<const GpuSpec *> Found = Catalog.find(Pattern);
  if (!Found)
    return complain(llvm::toString(Found.takeError()));
  printGpuDetail(**Found, OS);
  return 0;
}

int printVersion(const CommandLine &C, llvm::raw_ostream &OS) {
  OS << "vramlint " << versionText() << "\nLLVM " << LLVM_VERSION_STRING
     << '\n';
  FlagOptions Options;
  Options.BuildDir = C.BuildDir;
  FlagFinder Finder(Options);
  if (const std::optional<LibTorch> &Torch = Finder.libTorch())
    OS << "LibTorch " << Torch->version() << " ("
       << (Torch->IncludeRoots.empty() ? "" : Torch->IncludeRoots.front())
       << ", by " << Torch->FoundBy << ")\n";
  else
    OS << "LibTorch: none found (Torch_DIR, CMAKE_PREFIX_PATH, TORCH_HOME, "
          "python3's torch, the system include path)\n";
  return 0;
}

} // namespace vramlint::tool
