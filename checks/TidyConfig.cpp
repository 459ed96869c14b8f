//===- checks/TidyConfig.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TidyConfig.h.

#include "checks/TidyConfig.h"
#include "checks/TorchCheck.h"
#include "checks/TorchModule.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang-tidy/GlobList.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

using namespace clang::tidy;

namespace vramlint {

using Sources = std::vector<ClangTidyOptionsProvider::OptionsSource>;

static llvm::Error problem(const llvm::Twine &Text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Text);
}

/// "; did you mean 'x'?" for the nearest of \p Names, or "".
static std::string suggestion(llvm::StringRef Name,
                              const std::vector<std::string> &Names) {
  unsigned Best = std::max<unsigned>(3, Name.size() / 3) + 1;
  llvm::StringRef Nearest;
  for (llvm::StringRef N : Names)
    if (unsigned D = Name.edit_distance_insensitive(N, true, Best); D < Best) {
      Best = D;
      Nearest = N;
    }
  return Nearest.empty() ? "" : ("; did you mean '" + Nearest + "'?").str();
}

static std::vector<std::string> checkNames() {
  std::vector<std::string> Names;
  for (const CheckInfo &C : allChecks())
    Names.push_back(C.Name.str());
  return Names;
}

static constexpr std::pair<llvm::StringLiteral, Profile> Profiles[] = {
    {"strict", Profile::Strict},
    {"default", Profile::Default},
    {"hints", Profile::Hint}};

/// The checks of \p In, as globs.
static std::string globsOf(Profile In) {
  std::string Globs;
  for (const CheckInfo &C : allChecks())
    if (C.In <= In)
      Globs += (Globs.empty() ? "" : ",") + C.Name.str();
  return Globs;
}

/// Likewise of the profile called \p Name, and nothing else of ours: what was
/// told on the command line goes before what a file says. Empty: no such
/// profile.
static std::string profileGlobs(llvm::StringRef Name) {
  for (const auto &[Known, In] : Profiles)
    if (Known == Name)
      return "-torch-*," + globsOf(In);
  return "";
}

static llvm::Error checkProfile(llvm::StringRef Name) {
  if (Name.empty() || !profileGlobs(Name).empty())
    return llvm::Error::success();
  std::vector<std::string> Names;
  for (const auto &[Known, In] : Profiles)
    Names.push_back(Known.str());
  return problem("--profile: no profile is called '" + Name +
                 "': strict, default or "
                 "hints" +
                 suggestion(Name, Names));
}

static std::vector<llvm::StringRef> splitGlobs(llvm::StringRef Globs) {
  llvm::SmallVector<llvm::StringRef, 8> Parts;
  Globs.split(Parts, ',', -1, false);
  std::vector<llvm::StringRef> Out;
  for (llvm::StringRef P : Parts) {
    // A list may also be split over lines, as in `.clang-tidy`.
    P = P.trim(" \t\r\n\"'");
    if (!P.empty())
      Out.push_back(P);
  }
  return Out;
}

static bool namesTorch(llvm::StringRef Globs) {
  for (llvm::StringRef G : splitGlobs(Globs)) {
    G.consume_front("-");
    if (G.starts_with("torch-"))
      return true;
  }
  return false;
}

/// A torch- glob must match something: it is a misspelling if it doesn't.
static llvm::Error checkGlobs(llvm::StringRef Globs, llvm::StringRef From) {
  for (llvm::StringRef G : splitGlobs(Globs)) {
    G.consume_front("-");
    if (!G.starts_with("torch-"))
      continue;
    bool Matches = false;
    for (const CheckInfo &C : allChecks())
      Matches |= GlobList(G).contains(C.Name);
    if (!Matches)
      return problem(From + ": no check is called '" + G + "'" +
                     suggestion(G, checkNames()));
  }
  return llvm::Error::success();
}

/// All options that our checks read, from the checks themselves.
static std::vector<std::string> optionNames() {
  ClangTidyContext Context(std::make_unique<DefaultOptionsProvider>(
      ClangTidyGlobalOptions(), ClangTidyOptions::getDefaults()));
  ClangTidyCheckFactories Factories;
  for (const auto &Entry : ClangTidyModuleRegistry::entries())
    Entry.instantiate()->addCheckFactories(Factories);
  ClangTidyOptions::OptionMap Map;
  for (const auto &[Name, Make] : Factories)
    Make(Name, &Context)->storeOptions(Map);
  std::vector<std::string> Names;
  for (const auto &[Name, Value] : Map)
    Names.push_back(Name.str());
  llvm::sort(Names);
  return Names;
}

static llvm::Error checkOptionNames(const ClangTidyOptions &Options,
                                    llvm::StringRef From) {
  std::vector<std::string> Known, Given;
  for (const auto &[Name, Value] : Options.CheckOptions)
    if (Name.starts_with("torch-") || Name.starts_with("torch."))
      Given.push_back(Name.str());
  llvm::sort(Given);
  if (!Given.empty())
    Known = optionNames();
  for (const std::string &Name : Given)
    if (!llvm::is_contained(Known, Name))
      return problem(From + ": no option is called '" + Name + "'" +
                     suggestion(Name, Known));
  return llvm::Error::success();
}

namespace {
/// FileOptionsProvider with the profile in front or behind, that keeps what is
/// wrong with a file instead of printing it.
class ProfileProvider : public FileOptionsProvider {
public:
  ProfileProvider(const ClangTidyOptions &Defaults, ConfigOptions Options,
                  std::shared_ptr<std::string> Broken)
      : FileOptionsProvider(ClangTidyGlobalOptions(), Defaults,
                            ClangTidyOptions(), handlers(std::move(Broken))),
        Told(std::move(Options)) {
    if (Told.FS)
      FS = Told.FS;
  }

  Sources getRawOptions(llvm::StringRef File) override {
    Sources All = FileOptionsProvider::getRawOptions(File);
    bool Named = false;
    for (const auto &[O, From] : All)
      Named |= O.Checks && namesTorch(*O.Checks);
    ClangTidyOptions Ours;
    std::string Globs;
    if (!Told.Profile.empty())
      Globs = profileGlobs(Told.Profile);
    else if (!Named)
      Globs = globsOf(Profile::Default);
    if (!Told.Checks.empty())
      Globs += (Globs.empty() ? "" : ",") + Told.Checks;
    if (!Globs.empty())
      Ours.Checks = Globs;
    if (!Told.HeaderFilter.empty())
      Ours.HeaderFilterRegex = Told.HeaderFilter;
    All.emplace_back(std::move(Ours), OptionsSourceTypeCheckCommandLineOption);
    return All;
  }

private:
  static ConfigFileHandlers handlers(std::shared_ptr<std::string> Broken) {
    auto Read =
        [Broken](
            llvm::MemoryBufferRef Text) -> llvm::ErrorOr<ClangTidyOptions> {
      auto Keep = [&](const llvm::SMDiagnostic &D) {
        if (Broken->empty())
          *Broken = (D.getFilename() + ":" + llvm::Twine(D.getLineNo()) + ":" +
                     llvm::Twine(D.getColumnNo() + 1) + ": " + D.getMessage())
                        .str();
      };
      auto Options = parseConfigurationWithDiags(Text, Keep);
      if (!Options && Broken->empty())
        *Broken =
            (Text.getBufferIdentifier() + ": " + Options.getError().message())
                .str();
      return Options ? *Options : ClangTidyOptions();
    };
    ConfigFileHandlers Handlers;
    Handlers.emplace_back(".clang-tidy", Read);
    return Handlers;
  }

  ConfigOptions Told;
};
} // namespace

llvm::Expected<std::unique_ptr<ClangTidyOptionsProvider>>
makeConfig(llvm::StringRef File, const ConfigOptions &Options) {
  if (llvm::Error E = checkGlobs(Options.Checks, "--checks"))
    return std::move(E);
  if (llvm::Error E = checkProfile(Options.Profile))
    return std::move(E);
  ClangTidyOptions Defaults = ClangTidyOptions::getDefaults();
  Defaults.Checks = "";
  if (!Options.ProjectRoot.empty())
    Defaults.HeaderFilterRegex = "^" + llvm::Regex::escape(Options.ProjectRoot);
  auto Broken = std::make_shared<std::string>();
  auto Provider = std::make_unique<ProfileProvider>(Defaults, Options, Broken);
  // From here on what was read is cached, and Broken is final.
  llvm::SmallString<256> Absolute(File);
  llvm::sys::fs::make_absolute(Absolute);
  Sources All = Provider->getRawOptions(Absolute);
  if (!Broken->empty())
    return problem(*Broken);
  for (const auto &[O, From] : All) {
    if (O.Checks)
      if (llvm::Error E = checkGlobs(*O.Checks, From))
        return std::move(E);
    if (llvm::Error E = checkOptionNames(O, From))
      return std::move(E);
  }
  return std::move(Provider);
}

llvm::Expected<std::vector<ConfigSource>>
configSources(llvm::StringRef File, const ConfigOptions &Options) {
  auto Provider = makeConfig(File, Options);
  if (!Provider)
    return Provider.takeError();
  llvm::SmallString<256> Absolute(File);
  llvm::sys::fs::make_absolute(Absolute);
  std::vector<ConfigSource> All;
  for (const auto &[O, From] : (*Provider)->getRawOptions(Absolute)) {
    ConfigSource S;
    S.From = From == ClangTidyOptionsProvider::
                         OptionsSourceTypeCheckCommandLineOption
                 ? "command line, profile"
             : From == ClangTidyOptionsProvider::OptionsSourceTypeDefaultBinary
                 ? "built in"
                 : From;
    for (auto [Name, Value] :
         {std::pair("Checks", O.Checks),
          std::pair("WarningsAsErrors", O.WarningsAsErrors),
          std::pair("HeaderFilterRegex", O.HeaderFilterRegex)})
      if (Value && !Value->empty())
        S.Settings[Name] = *Value;
    for (const auto &[Name, Value] : O.CheckOptions)
      if (Name.starts_with("torch-") || Name.starts_with("torch."))
        S.Settings[Name.str()] = Value.Value;
    if (!S.Settings.empty())
      All.push_back(std::move(S));
  }
  return All;
}

llvm::Expected<std::vector<std::string>> activeChecks(llvm::StringRef Globs) {
  if (llvm::Error E = checkGlobs(Globs, "--checks"))
    return std::move(E);
  GlobList List(Globs);
  std::vector<std::string> Names;
  for (const CheckInfo &C : allChecks())
    if (List.contains(C.Name))
      Names.push_back(C.Name.str());
  return Names;
}

llvm::Expected<std::vector<std::string>>
activeChecksFor(llvm::StringRef File, const ConfigOptions &Options) {
  auto Provider = makeConfig(File, Options);
  if (!Provider)
    return Provider.takeError();
  llvm::SmallString<256> Absolute(File);
  llvm::sys::fs::make_absolute(Absolute);
  ClangTidyOptions Merged = (*Provider)->getOptions(Absolute);
  return activeChecks(Merged.Checks.value_or(""));
}

} // namespace vramlint
