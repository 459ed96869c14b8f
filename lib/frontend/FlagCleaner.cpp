//===- lib/frontend/FlagCleaner.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Turns the flags of g++, clang++ and nvcc into those that matter here: language,
// macros, include paths. All else only makes cache entries differ.

#include "lib/frontend/CompileFlags.h"

#include "clang/Driver/Options.h"
#include "lib/frontend/ForeignFlags.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace options = clang::driver::options;

namespace vramlint {

HostCompiler hostCompilerOf(const std::vector<std::string> &CommandLine) {
  for (StringRef Arg : CommandLine) {
    StringRef Name = sys::path::filename(Arg);
    if (isCompilerWrapper(Arg))
      continue;
    return Name.contains("clang") || Name == "icpx" || Name == "hipcc"
               ? HostCompiler::Clang
               : HostCompiler::Gcc;
  }
  return HostCompiler::Gcc;
}

/// nvcc's own options that take the next argument.
static bool nvccTakesNext(StringRef Arg) {
  static const StringSet<> Names = {
      "-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code",
      "--gpu-code", "-ccbin", "--compiler-bindir", "-Xptxas",
      "--ptxas-options", "-Xcudafe", "--cudafe-options", "-Xnvlink",
      "--nvlink-options", "--default-stream", "-t", "--threads", "-maxrregcount",
      "--maxrregcount", "-diag-suppress", "--diag-suppress", "-rdc",
      "--relocatable-device-code", "-Xfatbin", "--options-file",
      "-cudart", "--cudart"};
  return Names.contains(Arg);
}

static bool isNvccOnly(StringRef Arg) {
  StringRef Name = Arg.split('=').first;
  static const StringSet<> Alone = {
      "-dc", "--device-c", "-lineinfo", "--generate-line-info",
      "-use_fast_math", "--use_fast_math", "--expt-relaxed-constexpr",
      "--expt-extended-lambda", "-expt-relaxed-constexpr", "--extended-lambda",
      "-expt-extended-lambda", "-forward-unknown-to-host-compiler",
      "--forward-unknown-to-host-compiler", "-res-usage", "--resource-usage",
      "-G", "--device-debug"};
  return Alone.contains(Arg) || (Arg.contains('=') && nvccTakesNext(Name));
}

/// Unwraps -Xcompiler, drops what only nvcc knows.
static std::vector<std::string>
withoutNvcc(const std::vector<std::string> &Flags,
            std::vector<std::string> &Dropped) {
  std::vector<std::string> Result;
  auto Unwrap = [&](StringRef Text) {
    SmallVector<StringRef, 4> Parts;
    Text.trim("\"'").split(Parts, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Part : Parts)
      Result.push_back(Part.str());
  };
  for (size_t I = 0; I < Flags.size(); ++I) {
    StringRef Arg = Flags[I];
    bool HasNext = I + 1 < Flags.size();
    if ((Arg == "-Xcompiler" || Arg == "--compiler-options") && HasNext) {
      Unwrap(Flags[++I]);
    } else if (Arg.consume_front("-Xcompiler=") ||
               Arg.consume_front("--compiler-options=")) {
      Unwrap(Arg);
    } else if (Arg.consume_front("-isystem=")) {
      Result.insert(Result.end(), {"-isystem", Arg.str()});
    } else if (nvccTakesNext(Arg) && HasNext) {
      Dropped.push_back(Flags[I] + " " + Flags[I + 1]);
      ++I;
    } else if (isNvccOnly(Arg)) {
      Dropped.push_back(Flags[I]);
    } else if (Arg == "-x" && HasNext && Flags[I + 1] == "cu") {
      Result.insert(Result.end(), {"-x", "cuda"});
      ++I;
    } else {
      Result.push_back(Flags[I]);
    }
  }
  return Result;
}

/// -f options that change what a program means or whether it parses.
static bool keepsMeaning(StringRef Spelled) {
  for (StringRef Prefix :
       {"-fchar8_t", "-fno-char8_t", "-fexceptions", "-fno-exceptions",
        "-fcxx-exceptions", "-fno-cxx-exceptions", "-frtti", "-fno-rtti",
        "-fsigned-char", "-funsigned-char", "-fms-extensions", "-fshort-",
        "-fcoroutines", "-ftemplate-depth", "-fconstexpr-", "-faligned-",
        "-fno-aligned-", "-fblocks", "-fno-operator-names", "-fsized-",
        "-fno-sized-", "-fwchar", "-fshort-wchar", "-fdollars-",
        "-fno-access-control", "-fgnu", "-fbracket-depth"})
    if (Spelled.starts_with(Prefix))
      return true;
  return false;
}

/// The options that are carried over, by their id.
static bool isWanted(const opt::Arg &A) {
  const opt::Option &O = A.getOption();
  for (unsigned Id :
       {options::OPT_D, options::OPT_U, options::OPT_I, options::OPT_isystem,
        options::OPT_iquote, options::OPT_idirafter, options::OPT_isysroot,
        options::OPT_include, options::OPT_imacros, options::OPT_std_EQ,
        options::OPT_stdlib_EQ, options::OPT_x, options::OPT_nostdinc,
        options::OPT_nostdincxx, options::OPT_nostdlibinc, options::OPT_target,
        options::OPT_m32, options::OPT_m64, options::OPT_F, options::OPT_ansi,
        options::OPT_iframework, options::OPT__sysroot_EQ,
        options::OPT__sysroot, options::OPT_cxx_isystem, options::OPT_iprefix,
        options::OPT_iwithprefix, options::OPT_iwithprefixbefore,
        options::OPT_undef, options::OPT_resource_dir,
        options::OPT_gcc_toolchain, options::OPT_gcc_install_dir_EQ,
        options::OPT_cuda_path_EQ, options::OPT_nogpuinc,
        options::OPT_cuda_host_only, options::OPT_stdlibxx_isystem})
    if (O.matches(Id))
      return true;
  if (O.matches(options::OPT_f_Group))
    return keepsMeaning(A.getSpelling());
  return false;
}

/// gnu++17 and c++17 give the same answers and would make two cache entries.
static std::string plainStandard(StringRef Value) {
  if (Value.consume_front("gnu++"))
    return ("c++" + Value).str();
  return Value.str();
}

static void render(const opt::Arg &A, std::vector<std::string> &Result) {
  const opt::Option &O = A.getOption();
  if (O.matches(options::OPT_std_EQ)) {
    Result.push_back("-std=" + plainStandard(A.getValue()));
    return;
  }
  StringRef Value = A.getNumValues() ? A.getValue() : "";
  // A compiled header of another compiler is of no use; its source is.
  if (O.matches(options::OPT_include) &&
      (Value.ends_with(".pch") || Value.ends_with(".gch")))
    return;
  for (unsigned Id : {options::OPT_D, options::OPT_U, options::OPT_I})
    if (O.matches(Id)) { // In one word, as people write them.
      Result.push_back((A.getSpelling() + Value).str());
      return;
    }
  opt::ArgStringList Strings;
  opt::InputArgList Empty;
  A.render(Empty, Strings);
  for (const char *S : Strings)
    Result.push_back(S);
}

std::vector<std::string> cleanFlags(const std::vector<std::string> &Flags,
                                    std::vector<std::string> &Dropped) {
  std::vector<std::string> Plain = withoutNvcc(Flags, Dropped);
  std::vector<const char *> Pointers;
  for (const std::string &F : Plain)
    Pointers.push_back(F.c_str());
  unsigned MissingIndex = 0, MissingCount = 0;
  opt::InputArgList Args = clang::driver::getDriverOptTable().ParseArgs(
      Pointers, MissingIndex, MissingCount,
      opt::Visibility(options::ClangOption));
  std::vector<std::string> Result;
  for (const opt::Arg *A : Args) {
    if (A->getOption().matches(options::OPT_UNKNOWN))
      Dropped.push_back(A->getAsString(Args));
    else if (isWanted(*A))
      render(*A, Result);
  }
  return Result;
}

} // namespace vramlint
