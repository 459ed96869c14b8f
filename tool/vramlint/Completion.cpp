//===- tool/vramlint/Completion.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is derived from the tables of verbs and options.

#include "tool/vramlint/Completion.h"

#include "tool/vramlint/CommandLine.h"
#include "llvm/ADT/StringExtras.h"

namespace vramlint::tool {

using llvm::StringRef;

namespace {
/// What completes the value of an option.
enum class Values { None, Words, Files, Folders, Anything };
} // namespace

/// By the word that stands for the value in --help.
static Values valuesOf(const OptionInfo &O,
                       llvm::SmallVectorImpl<StringRef> &Words) {
  if (!O.Value)
    return Values::None;
  StringRef V = O.Value;
  if (V == "FILE" || V.ends_with("=PATH"))
    return Values::Files;
  if (V == "DIR")
    return Values::Folders;
  if (!V.contains('|') || V.contains(' '))
    return Values::Anything;
  V.split(Words, '|');
  return Values::Words;
}

static std::string verbNames() {
  std::vector<StringRef> Names;
  for (const VerbInfo &V : allVerbs())
    Names.push_back(V.Name);
  return llvm::join(Names, " ");
}

static void printBash(llvm::raw_ostream &OS) {
  OS << "# Completion of vramlint for bash; vramlint --completion bash prints "
        "it.\n"
        "_vramlint() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  COMPREPLY=()\n"
        "  case $before in\n";
  std::string All;
  for (const OptionInfo &O : visibleOptions()) {
    All += (All.empty() ? "" : " ") + O.Name.str();
    llvm::SmallVector<StringRef> Words;
    Values V = valuesOf(O, Words);
    if (V == Values::None)
      continue;
    OS << "    " << O.Name << ") ";
    if (V == Values::Words)
      OS << "COMPREPLY=($(compgen -W '" << llvm::join(Words, " ")
         << "' -- \"$word\")); ";
    else if (V != Values::Anything)
      OS << "mapfile -t COMPREPLY < <(compgen -"
         << (V == Values::Files ? "f" : "d") << " -- \"$word\"); ";
    OS << "return ;;\n";
  }
  OS << "    explain) COMPREPLY=($(compgen -W \"$(vramlint checks 2>/dev/null "
        "| "
        "cut -d' ' -f1)\" -- \"$word\")); return ;;\n"
        "  esac\n"
        "  if [[ $word == -* ]]; then\n"
        "    COMPREPLY=($(compgen -W '"
     << All
     << "' -- \"$word\"))\n"
        "    return\n"
        "  fi\n"
        "  mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "  if ((COMP_CWORD == 1)); then\n"
        "    COMPREPLY+=($(compgen -W '"
     << verbNames()
     << "' -- \"$word\"))\n"
        "  fi\n"
        "}\n"
        "complete -o filenames -F _vramlint vramlint\n";
}

/// Text inside '…' of a shell, without the characters that mean something in
/// zsh's descriptions.
static std::string quoted(StringRef Text, bool Zsh) {
  std::string Out;
  for (char C : Text) {
    if (C == '\'')
      Out += "'\\''";
    else if (Zsh && (C == '[' || C == ']' || C == ':'))
      Out += std::string("\\") + C;
    else
      Out += C;
  }
  return Out;
}

static void printZsh(llvm::raw_ostream &OS) {
  OS << "#compdef vramlint\n"
        "# Completion of vramlint for zsh; vramlint --completion zsh prints "
        "it.\n"
        "_arguments -S \\\n";
  for (const OptionInfo &O : visibleOptions()) {
    llvm::SmallVector<StringRef> Words;
    Values V = valuesOf(O, Words);
    OS << "  '*" << O.Name << (V == Values::None ? "" : "=") << "["
       << quoted(O.Help, true) << "]";
    if (V == Values::Words)
      OS << ":value:(" << llvm::join(Words, " ") << ")";
    else if (V == Values::Files)
      OS << ":file:_files";
    else if (V == Values::Folders)
      OS << ":folder:_files -/";
    else if (V == Values::Anything)
      OS << ":" << quoted(O.Value, true) << ": ";
    OS << "' \\\n";
  }
  OS << "  '1:verb or file:{ _values verb";
  for (const VerbInfo &V : allVerbs())
    OS << " \"" << V.Name << "[" << quoted(V.Help, true) << "]\"";
  OS << "; _files }' \\\n"
        "  '*:file:_files'\n";
}

static void printFish(llvm::raw_ostream &OS) {
  OS << "# Completion of vramlint for fish; vramlint --completion fish prints "
        "it.\n";
  for (const VerbInfo &V : allVerbs())
    OS << "complete -c vramlint -n __fish_use_subcommand -a " << V.Name
       << " -d '" << quoted(V.Help, false) << "'\n";
  OS << "complete -c vramlint -n '__fish_seen_subcommand_from explain' -f -a "
        "'(vramlint checks | string split -f1 \" \")'\n";
  for (const OptionInfo &O : visibleOptions()) {
    llvm::SmallVector<StringRef> Words;
    Values V = valuesOf(O, Words);
    StringRef Name = O.Name;
    bool Long = Name.consume_front("--");
    if (!Long)
      Name.consume_front("-");
    OS << "complete -c vramlint -" << (Long ? "l " : "s ") << Name;
    if (V == Values::Words)
      OS << " -x -a '" << llvm::join(Words, " ") << "'";
    else if (V == Values::Files)
      OS << " -r -F";
    else if (V == Values::Folders)
      OS << " -x -a '(__fish_complete_directories)'";
    else if (V == Values::Anything)
      OS << " -x";
    OS << " -d '" << quoted(O.Help, false) << "'\n";
  }
}

void printCompletion(StringRef Shell, llvm::raw_ostream &OS) {
  if (Shell == "bash")
    printBash(OS);
  else if (Shell == "zsh")
    printZsh(OS);
  else
    printFish(OS);
}

/// Text that troff takes as it is.
static std::string troff(StringRef Text) {
  std::string Out;
  for (char C : Text) {
    if (C == '\\')
      Out += "\\e";
    else if (C == '-')
      Out += "\\-";
    else
      Out += C;
  }
  if (StringRef(Out).starts_with(".") || StringRef(Out).starts_with("'"))
    Out.insert(0, "\\&");
  return Out;
}

void printManPage(StringRef Version, llvm::raw_ostream &OS) {
  OS << ".\\\" Printed by vramlint itself.\n"
        ".TH VRAMLINT 1 \"\" \"vramlint "
     << Version
     << "\" \"User Commands\"\n"
        ".SH NAME\nvramlint \\- says what C++ programs that use LibTorch do to "
        "GPU memory\n"
        ".SH SYNOPSIS\n.B vramlint\n[\\fIVERB\\fR] [\\fIoptions\\fR] "
        "\\fIFILES\\fR... "
        "[\\fB\\-p\\fR \\fIBUILD_DIR\\fR] [\\fB\\-\\-\\fR \\fIFLAGS\\fR]\n"
        ".SH DESCRIPTION\nReads C++ sources that build, train or run neural "
        "networks with "
        "LibTorch, works out what the program will do to GPU memory without "
        "running it, and "
        "prints findings in the form of clang\\(aqs. A directory stands for "
        "its C++ files.\n"
        ".SH VERBS\n";
  for (const VerbInfo &V : allVerbs())
    OS << ".TP\n\\fB" << V.Name << "\\fR" << (V.Arguments.empty() ? "" : " ")
       << troff(V.Arguments) << '\n'
       << troff(V.Help) << '\n';
  OS << ".SH OPTIONS\n";
  for (const OptionInfo &O : visibleOptions()) {
    OS << ".TP\n\\fB" << troff(O.Name) << "\\fR";
    if (O.Value)
      OS << " \\fI" << troff(O.Value) << "\\fR";
    OS << '\n' << troff(O.Help) << '\n';
  }
  OS << ".SH EXIT STATUS\n.TP\n0\nnothing at warning level\n.TP\n1\nwarnings\n"
        ".TP\n2\nsome file could not be analysed, or the command line is "
        "wrong\n"
        ".SH FILES\n.TP\n.I .clang\\-tidy\nwhich checks are on, and their "
        "options: CheckOptions, "
        "torch.Gpu and others\n.TP\n.I compile_commands.json\nflags of the "
        "compiler, found "
        "upward from each file, or in the folder of \\fB\\-p\\fR\n"
        ".TP\n.I ~/.cache/vramlint\nheaders of LibTorch, parsed, and results\n"
        ".SH ENVIRONMENT\n.TP\n.B VRAMLINT_CACHE_DIR\\fR, "
        "\\fBXDG_CACHE_HOME\nwhere these are "
        "kept instead\n.TP\n.B Torch_DIR\\fR, \\fBCMAKE_PREFIX_PATH\\fR, "
        "\\fBTORCH_HOME\nwhere "
        "LibTorch is looked for\n.TP\n.B NO_COLOR\nno colours\n"
        ".SH SEE ALSO\n.BR clang\\-tidy (1)\n";
}

} // namespace vramlint::tool
