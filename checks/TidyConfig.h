//===- checks/TidyConfig.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The configuration of the CLI's run: `.clang-tidy` read as clang-tidy does, with
// two differences. The default profile is on unless a `torch-` glob is named
// ("-*" alone does not silence it), and what clang-tidy passes over in silence
// (a check or option that does not exist, a broken file) is an error.

#pragma once

#include "clang-tidy/ClangTidyOptions.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vramlint {

struct ConfigOptions {
  std::string Checks;         ///< --checks; after those of `.clang-tidy`.
  std::string Profile;        ///< "strict", "default", "hints"; empty: not told.
  std::string HeaderFilter;   ///< Regular expression; empty: \p ProjectRoot.
  std::string ProjectRoot;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS; ///< Null: the real one.
};

/// What clang-tidy's context asks for options. Fails on the first mistake in
/// \p Options or in the `.clang-tidy` files that count for \p File.
llvm::Expected<std::unique_ptr<clang::tidy::ClangTidyOptionsProvider>>
makeConfig(llvm::StringRef File, const ConfigOptions &Options);

/// One place that configures a file, and what it says.
struct ConfigSource {
  std::string From;                            ///< "/p/.clang-tidy", "built in" …
  std::map<std::string, std::string> Settings; ///< "Checks", "torch.Gpu" …
};

/// All places that configure \p File, later ones win ("Checks" add up). Fails as
/// makeConfig() does.
llvm::Expected<std::vector<ConfigSource>> configSources(llvm::StringRef File,
                                                        const ConfigOptions &Options);

/// The names that \p Globs (a list as in --checks) turns on, sorted. Fails on a
/// `torch-` name that matches no check.
llvm::Expected<std::vector<std::string>> activeChecks(llvm::StringRef Globs);

/// The checks that are on for \p File.
llvm::Expected<std::vector<std::string>>
activeChecksFor(llvm::StringRef File, const ConfigOptions &Options);

} // namespace vramlint
