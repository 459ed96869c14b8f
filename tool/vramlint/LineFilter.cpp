//===- tool/vramlint/LineFilter.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The lines whose findings are wanted.

#include "tool/vramlint/LineFilter.h"

#include "tool/vramlint/Git.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <climits>

namespace vramlint::tool {

using llvm::StringRef;

/// git and the compiler may each name a file through other links.
static std::string realPath(StringRef File) {
  llvm::SmallString<256> Real;
  if (!llvm::sys::fs::real_path(File, Real))
    return std::string(Real);
  Real = File;
  llvm::sys::fs::make_absolute(Real);
  llvm::sys::path::remove_dots(Real, /*remove_dot_dot=*/true);
  return std::string(Real);
}

void LineFilter::addRange(StringRef File, Range R) {
  Files[realPath(File)].push_back(R);
}

llvm::Error LineFilter::add(StringRef Text) {
  auto Bad = [&] {
    return llvm::createStringError("--lines needs FILE:A-B[,C-D], not '" +
                                   Text + "'");
  };
  auto [File, Ranges] = Text.rsplit(':');
  if (File.empty() || Ranges.empty())
    return Bad();
  llvm::SmallVector<StringRef> Parts;
  Ranges.split(Parts, ',');
  for (StringRef Part : Parts) {
    auto [First, Last] = Part.split('-');
    Range R;
    if (First.getAsInteger(10, R.First) || R.First == 0)
      return Bad();
    R.Last = R.First;
    if (Part.contains('-') &&
        (Last.getAsInteger(10, R.Last) || R.Last < R.First))
      return Bad();
    addRange(File, R);
  }
  return llvm::Error::success();
}

/// A name as diffs write it: in quotes, with escapes, where it has odd
/// characters.
static std::string unquoted(StringRef Name) {
  if (!Name.consume_front("\""))
    return Name.str();
  Name.consume_back("\"");
  std::string Out;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (Name[I] != '\\' || I + 1 == Name.size()) {
      Out += Name[I];
      continue;
    }
    char C = Name[++I];
    unsigned Code;
    if (!Name.substr(I, 3).getAsInteger(8, Code) && Code < 256) {
      Out += static_cast<char>(Code);
      I += 2;
    } else {
      Out += C == 't' ? '\t' : C == 'n' ? '\n' : C == 'r' ? '\r' : C;
    }
  }
  return Out;
}

void LineFilter::addDiff(StringRef Diff, StringRef Root) {
  std::string File;
  unsigned Left =
      0; // Of the hunk that is read, so that "+++ x" in it is no name.
  while (!Diff.empty()) {
    StringRef Line;
    std::tie(Line, Diff) = Diff.split('\n');
    if (Left && Line.starts_with("+")) {
      --Left;
      continue;
    }
    if (Line.consume_front("+++ ")) {
      std::string Name = unquoted(Line.rtrim('\t'));
      StringRef Rest = Name;
      File = Rest.consume_front("b/") ? (Root + "/" + Rest).str() : "";
      continue;
    }
    if (!Line.consume_front("@@ ") || File.empty())
      continue;
    StringRef New = Line.split('+').second.split(' ').first;
    auto [First, Count] = New.split(',');
    Range R;
    unsigned N = 1;
    if (First.getAsInteger(10, R.First) ||
        (New.contains(',') && Count.getAsInteger(10, N)) || N == 0)
      continue; // Only taken away.
    R.Last = R.First + N - 1;
    Left = N;
    addRange(File, R);
  }
}

llvm::Expected<LineFilter> LineFilter::changedSince(StringRef Rev) {
  llvm::Expected<Revision> Since = findRevision(Rev);
  if (!Since)
    return llvm::createStringError("--diff: " +
                                   llvm::toString(Since.takeError()));
  auto Fail = [](llvm::Error E) {
    return llvm::createStringError("--diff: " + llvm::toString(std::move(E)));
  };
  StringRef Root = Since->Root;
  // A user's own settings for diffs don't count.
  llvm::Expected<std::string> Diff =
      git({"-c", "core.quotePath=false", "-C", Root, "diff", "-U0",
           "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/",
           "--dst-prefix=b/", "--ignore-submodules", Since->Commit, "--"});
  if (!Diff)
    return Fail(Diff.takeError());
  llvm::Expected<std::string> New =
      git({"-C", Root, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!New)
    return Fail(New.takeError());
  LineFilter Filter;
  Filter.addDiff(*Diff, Root);
  llvm::SmallVector<StringRef> Names;
  StringRef(*New).split(Names, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    Filter.addRange((Root + "/" + Name).str(), {1, UINT_MAX});
  return Filter;
}

bool LineFilter::contains(const SourcePos &P) const {
  if (!P.isValid())
    return false;
  std::string &Real = RealPaths[P.File];
  if (Real.empty())
    Real = realPath(P.File);
  auto Found = Files.find(Real);
  return Found != Files.end() &&
         llvm::any_of(Found->second, [&](const Range &R) {
           return R.First <= P.Line && P.Line <= R.Last;
         });
}

} // namespace vramlint::tool
