//===- tool/vramlint/CommandLine.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The command line.

#include "tool/vramlint/CommandLine.h"

#include "lib/support/Sizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/Threading.h"
#include <algorithm>

namespace vramlint::tool {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

template <typename... Ts> static Error fail(const Ts &...Parts) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  (OS << ... << Parts);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), OS.str());
}

static constexpr VerbInfo Verbs[] = {
    {"check", Verb::Check, "", "print findings (the verb when none is given)"},
    {"summary", Verb::Summary, "", "a table per model, a row per layer"},
    {"annotate", Verb::Annotate, "", "the source with the bytes of each line"},
    {"fit", Verb::Fit, "", "a row per GPU: fits or not, largest batch"},
    {"diff", Verb::Diff, "REV", "what changed in the models since this commit of git"},
    {"calibrate", Verb::Calibrate, "FILE",
     "a C++ program that measures FILE's on your own GPU"},
    {"gpus", Verb::Gpus, "[PATTERN]", "the GPUs that --gpu takes, or one with its facts"},
    {"checks", Verb::Checks, "[FILE]", "the checks; with a file, those that are on for it"},
    {"explain", Verb::Explain, "CHECK", "what a check finds and how to mend it"},
    {"config", Verb::Config, "[FILE]",
     "what wins over what; with a file, where its options come from"},
};

llvm::ArrayRef<VerbInfo> allVerbs() { return Verbs; }

static const std::pair<StringRef, Format> Formats[] = {
    {"text", Format::Text},     {"json", Format::Json},
    {"sarif", Format::Sarif},   {"github", Format::Github},
    {"gitlab", Format::Gitlab}, {"markdown", Format::Markdown},
};

StringRef verbName(Verb V) {
  for (const VerbInfo &Info : Verbs)
    if (Info.Value == V)
      return Info.Name;
  return "check";
}

StringRef nearest(StringRef Word, llvm::ArrayRef<StringRef> Words) {
  StringRef Best;
  // More than a third of the letters wrong is another word.
  unsigned BestDistance = std::max<unsigned>(1, Word.size() / 3) + 1;
  for (StringRef Other : Words) {
    unsigned Distance = Word.edit_distance_insensitive(Other, true, BestDistance);
    if (Distance < BestDistance) {
      BestDistance = Distance;
      Best = Other;
    }
  }
  return Best;
}

StringRef nearestVerb(StringRef Word) {
  std::vector<StringRef> Names;
  for (const VerbInfo &Info : Verbs)
    Names.push_back(Info.Name);
  return nearest(Word, Names);
}

namespace {

using Setter = Error (*)(CommandLine &, StringRef Value);

/// Of an option, beside what it does.
enum OptionKind {
  Plain,
  Hidden,  ///< For our own tests.
  OfRun,   ///< Changes nothing of what is found in a file and how that is printed.
};

/// One option. Value null: a flag.
struct OptionSpec {
  StringRef Name;
  const char *Value;
  const char *Help;
  Setter Set;
  OptionKind Kind = Plain;
};

} // namespace

static Error parseInto(std::optional<int64_t> &Out, StringRef Text) {
  Expected<int64_t> N = parseBytes(Text);
  if (!N)
    return N.takeError();
  Out = *N;
  return Error::success();
}

static Error setReserve(CommandLine &C, StringRef V) {
  std::optional<int64_t> N;
  if (Error E = parseInto(N, V))
    return E;
  C.ReserveBytes = *N;
  return Error::success();
}

static Error setAllocatorConf(CommandLine &C, StringRef V) {
  Expected<AllocatorConf> Conf = AllocatorConf::parse(V);
  if (!Conf)
    return fail("--alloc-conf: ", llvm::toString(Conf.takeError()));
  C.Allocator = *Conf;
  return Error::success();
}

static Error setDevice(CommandLine &C, StringRef V) {
  if (V != "cpu" && V != "cuda")
    return fail("unknown device '", V, "': cpu or cuda");
  C.Device = V == "cpu" ? DeviceKind::CPU : DeviceKind::CUDA;
  return Error::success();
}

static Error setOneDnn(CommandLine &C, StringRef V) {
  if (V != "on" && V != "off")
    return fail("--onednn is on or off, not '", V, "'");
  C.OneDNN = V == "on";
  return Error::success();
}

static Error setBatch(CommandLine &C, StringRef V) {
  int64_t N;
  if (V.getAsInteger(10, N) || N <= 0)
    return fail("not a batch size: '", V, "'");
  C.Batch = N;
  return Error::success();
}

static Error setJobs(CommandLine &C, StringRef V) {
  constexpr unsigned MaxJobs = 256;
  if (V.getAsInteger(10, C.Jobs) || C.Jobs > MaxJobs)
    return fail("--jobs is a number up to ", MaxJobs, ", not '", V, "'");
  if (C.Jobs == 0)
    C.Jobs = llvm::hardware_concurrency().compute_thread_count();
  return Error::success();
}

static Error setOptimizer(CommandLine &C, StringRef V) {
  static const StringRef Known[] = {"SGD",     "Adam",    "AdamW",
                                    "RMSprop", "Adagrad", "LBFGS"};
  for (StringRef Name : Known)
    if (Name.equals_insensitive(V)) {
      C.Optimizer = Name.str();
      return Error::success();
    }
  StringRef Near = nearest(V, Known);
  return fail("unknown optimizer '", V, "'",
              Near.empty() ? ": " + llvm::join(llvm::ArrayRef(Known), ", ")
                           : "; did you mean '" + Near.str() + "'?");
}

static Error setPrecision(CommandLine &C, StringRef V) {
  static const std::pair<StringRef, StringRef> Known[] = {
      {"float32", "float32"},   {"fp32", "float32"},  {"float16", "float16"},
      {"fp16", "float16"},      {"half", "float16"},  {"bfloat16", "bfloat16"},
      {"bf16", "bfloat16"},     {"float64", "float64"}, {"double", "float64"},
      {"fp64", "float64"}};
  for (const auto &[Name, Type] : Known)
    if (Name.equals_insensitive(V)) {
      C.Precision = Type.str();
      return Error::success();
    }
  return fail("unknown precision '", V,
              "': float32, float16, bfloat16 or float64");
}

static Error setArgs(CommandLine &C, StringRef V) {
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Words;
  llvm::cl::TokenizeGNUCommandLine(V, Saver, Words);
  C.Args.emplace(Words.begin(), Words.end());
  return Error::success();
}

static Error setConstant(CommandLine &C, StringRef V) {
  auto [Name, Value] = V.split('=');
  if (Name.empty() || Name.size() == V.size())
    return fail("--set needs NAME=VALUE, not '", V, "'");
  C.Set[Name.str()] = Value.str();
  return Error::success();
}

static Error setArchive(CommandLine &C, StringRef V) {
  auto [Name, Path] = V.split('=');
  if (Name.empty() || Path.empty())
    return fail("--archive needs NAME=PATH, not '", V, "'");
  C.Archives[Name.str()] = Path.str();
  return Error::success();
}

static Error setConstruct(CommandLine &C, StringRef V) {
  return stateConstruct(C.Stated, V);
}

static Error setInput(CommandLine &C, StringRef V) {
  return stateInput(C.Stated, V);
}

static Error setFormat(CommandLine &C, StringRef V) {
  for (const auto &[Name, Value] : Formats)
    if (V == Name) {
      C.Output = Value;
      return Error::success();
    }
  return fail("unknown format '", V, "': text, json, sarif, github, gitlab or "
              "markdown");
}

static Error setColor(CommandLine &C, StringRef V) {
  if (V == "auto")
    C.Color = ColorWhen::Auto;
  else if (V == "always")
    C.Color = ColorWhen::Always;
  else if (V == "never")
    C.Color = ColorWhen::Never;
  else
    return fail("unknown colour setting '", V, "': auto, always or never");
  return Error::success();
}

static Error setCompletion(CommandLine &C, StringRef V) {
  if (V != "bash" && V != "zsh" && V != "fish")
    return fail("unknown shell '", V, "': bash, zsh or fish");
  C.Completion = V.str();
  return Error::success();
}

#define TEXT_OPTION(FIELD)                                                     \
  [](CommandLine &C, StringRef V) -> Error {                                            \
    C.FIELD = V.str();                                                         \
    return Error::success();                                                   \
  }
#define FLAG_OPTION(FIELD)                                                     \
  [](CommandLine &C, StringRef) -> Error {                                            \
    C.FIELD = true;                                                            \
    return Error::success();                                                   \
  }

/// In the order in which --help shows them.
static const OptionSpec Options[] = {
    {"--gpu", "NAME", "judge against this GPU (repeatable; \"t4\", \"rtx 3060 "
                      "laptop\", native: this machine's)",
     [](CommandLine &C, StringRef V) -> Error {
       C.Gpus.push_back(V.str());
       return Error::success();
     }},
    {"--gpu-specs", "DIR", "add or override GPU facts with DIR/*.json",
     TEXT_OPTION(GpuSpecsDir)},
    {"--reserve", "BYTES", "memory that a display or other processes take "
                           "(512MiB)",
     setReserve},
    {"--cuda-context", "BYTES", "replaces the estimate of the CUDA context",
     [](CommandLine &C, StringRef V) -> Error { return parseInto(C.ContextBytes, V); }},
    {"--cudnn-workspace", "BYTES", "replaces the estimate of cuDNN's workspace",
     [](CommandLine &C, StringRef V) -> Error {
       return parseInto(C.CudnnWorkspaceBytes, V);
     }},
    {"--calibration", "FILE", "takes what the program of vramlint calibrate measured on "
                              "its card instead (repeatable)",
     [](CommandLine &C, StringRef V) -> Error {
       C.Calibrations.push_back(V.str());
       return Error::success();
     }},
    {"--alloc-conf", "KEY:VALUE,…", "as PYTORCH_CUDA_ALLOC_CONF: expandable_segments, "
                                    "max_split_size_mb",
     setAllocatorConf},
    {"--host-memory", "BYTES", "judge the host's memory too",
     [](CommandLine &C, StringRef V) -> Error {
       return parseInto(C.HostMemoryBytes, V);
     }},
    {"--device", "cpu|cuda", "where the program runs (cuda)", setDevice},
    {"--onednn", "on|off", "whether convolutions on the CPU use oneDNN (off)",
     setOneDnn},
    {"--batch", "N", "as if the program's batch were N", setBatch},
    {"--optimizer", "NAME", "as if it trained with SGD, Adam, AdamW, RMSprop, "
                            "Adagrad or LBFGS",
     setOptimizer},
    {"--precision", "TYPE", "as if it computed in float32, float16, bfloat16 or "
                            "float64",
     setPrecision},
    {"--args", "\"…\"", "what main gets as argv", setArgs},
    {"--set", "NAME=VALUE", "the value of a constant (repeatable)", setConstant},
    {"--construct", "CLASS(…)", "how a model class is built that the code does not "
                                "build: \"Net(3, {2, 2})\" (repeatable)",
     setConstruct},
    {"--input", "[CLASS=]CxHxW", "shape of one input, where the code does not tell: "
                                 "3x224x224, Net=16:int64 (repeatable)",
     setInput},
    {"--archive", "NAME=PATH", "the TorchScript file that the program loads as NAME "
                               "(repeatable)",
     setArchive},
    {"--require-known", nullptr, "exit 1 where the fit could not be judged",
     FLAG_OPTION(RequireKnown), OfRun},
    {"-p", "DIR", "folder of compile_commands.json", TEXT_OPTION(BuildDir)},
    {"--checks", "GLOBS", "more checks on or off, as clang-tidy's --checks",
     TEXT_OPTION(Checks)},
    {"--profile", "strict|default|hints", "which checks, instead of .clang-tidy's",
     TEXT_OPTION(Profile)},
    {"--fix", nullptr, "apply the fixes", FLAG_OPTION(Fix)},
    {"--baseline", "FILE", "report only what is not in FILE", TEXT_OPTION(Baseline), OfRun},
    {"--write-baseline", nullptr, "write what is found to that file, report nothing",
     FLAG_OPTION(WriteBaseline), OfRun},
    {"--diff", "REV", "report only on lines that changed since this commit of git "
                      "(REV...: since the branch left REV)",
     TEXT_OPTION(DiffRev), OfRun},
    {"--lines", "FILE:A-B,…", "report only on these lines (repeatable)",
     [](CommandLine &C, StringRef V) -> Error {
       C.Lines.push_back(V.str());
       return Error::success();
     },
     OfRun},
    {"--format", "text|json|sarif|github|gitlab|markdown",
     "of the output (text)", setFormat},
    {"--color", "auto|always|never", "colours (auto: on a terminal without "
                                     "NO_COLOR)",
     setColor},
    {"--quiet", nullptr, "no closing lines", FLAG_OPTION(Quiet), OfRun},
    {"--output", "FILE", "write there what would go to stdout, all or nothing",
     TEXT_OPTION(OutputFile), OfRun},
    {"--jobs", "N", "files analysed at once (1; 0: one per processor)", setJobs, OfRun},
    {"--cache-dir", "DIR", "of LibTorch's parsed headers and of results "
                           "(~/.cache/vramlint)",
     TEXT_OPTION(CacheDir), OfRun},
    {"--no-cache", nullptr, "analyse unchanged files too, keep no results",
     FLAG_OPTION(NoCache), OfRun},
    {"--version", nullptr, "print the versions of vramlint, LLVM and the "
                           "LibTorch found",
     FLAG_OPTION(Version)},
    {"--completion", "bash|zsh|fish", "print what this shell needs to complete words",
     setCompletion, OfRun},
    {"--help", nullptr, "print this", FLAG_OPTION(Help)},
    {"--man", nullptr, "print the manual page", FLAG_OPTION(ManPage), Hidden},
    {"--dump-trace", nullptr, "print what the program did", //
     FLAG_OPTION(DumpTrace), Hidden},
    {"--dump-timeline", nullptr, "print its allocations in order",
     FLAG_OPTION(DumpTimeline), Hidden},
    {"--dump-statements", nullptr, "print its statements and their memory",
     FLAG_OPTION(DumpStatements), Hidden},
    {"--dump-fit", nullptr, "print the parts of the need per GPU",
     FLAG_OPTION(DumpFit), Hidden},
    {"-h", nullptr, "--help", FLAG_OPTION(Help), Hidden},
    {"-q", nullptr, "--quiet", FLAG_OPTION(Quiet), Hidden},
};

#undef TEXT_OPTION
#undef FLAG_OPTION

static Error unknownOption(StringRef Name) {
  std::vector<StringRef> Names;
  for (const OptionSpec &O : Options)
    if (O.Kind != Hidden)
      Names.push_back(O.Name);
  StringRef Near = nearest(Name, Names);
  return fail("unknown option '", Name, "'",
              Near.empty() ? std::string("; see vramlint --help")
                           : "; did you mean '" + Near.str() + "'?");
}

/// Reads the option at \p Argv[I] and moves \p I to its last word.
static Error readOption(CommandLine &C, llvm::ArrayRef<const char *> Argv,
                        size_t &I) {
  auto [Name, Value] = StringRef(Argv[I]).split('=');
  bool Joined = Name.size() != StringRef(Argv[I]).size();
  const OptionSpec *Spec = nullptr;
  for (const OptionSpec &O : Options)
    if (O.Name == Name)
      Spec = &O;
  if (!Spec)
    return unknownOption(Name);
  if (!Spec->Value && Joined)
    return fail("option '", Name, "' takes no value");
  if (Spec->Value && !Joined) {
    if (I + 1 == Argv.size() || StringRef(Argv[I + 1]) == "--")
      return fail("option '", Name, "' needs a value: ", Name, " ",
                  Spec->Value);
    Value = Argv[++I];
  }
  if (Spec->Kind != OfRun)
    C.ResultOptions += (Name + "=" + Value + "\n").str();
  return Spec->Set(C, Value);
}

static Error checkCombination(const CommandLine &C) {
  bool OfFiles = C.What == Verb::Check || C.What == Verb::Summary ||
                 C.What == Verb::Annotate || C.What == Verb::Fit ||
                 C.What == Verb::Calibrate;
  if (C.Help || C.Version || C.ManPage || !C.Completion.empty())
    return Error::success();
  if (OfFiles && C.Files.empty())
    return fail("no files given; see vramlint --help");
  if (C.What == Verb::Explain && C.Files.size() != 1)
    return fail("explain needs the name of one check; see vramlint checks");
  if (C.What == Verb::Gpus && C.Files.size() > 1)
    return fail("gpus takes one pattern");
  if (C.Fix && C.What != Verb::Check)
    return fail("--fix goes with check only");
  for (const auto &[Name, Value] : Formats)
    if (C.Output == Value && Value != Format::Text && Value != Format::Json &&
        C.What != (Value == Format::Markdown ? Verb::Diff : Verb::Check))
      return fail("--format ", Name, " goes with ",
                  Value == Format::Markdown ? "diff" : "check", " only");
  if (C.What == Verb::Diff && C.Files.size() < 2)
    return fail("diff needs a commit and files: vramlint diff REV FILES…");
  if (C.What == Verb::Diff && C.Output == Format::Json)
    return fail("diff prints text or markdown");
  if (C.WriteBaseline && C.Baseline.empty())
    return fail("--write-baseline needs the file: --baseline FILE");
  bool Filtered = !C.Lines.empty() || !C.DiffRev.empty();
  if (C.What != Verb::Check && (Filtered || !C.Baseline.empty()))
    return fail(C.Baseline.empty() ? "--lines and --diff go" : "--baseline goes",
                " with check only");
  if (!C.Lines.empty() && !C.DiffRev.empty())
    return fail("--lines and --diff exclude each other");
  if (Filtered && C.WriteBaseline)
    return fail("a baseline of some lines only would bring back the others later: "
                "no --lines or --diff with --write-baseline");
  if (C.Device == DeviceKind::CPU && !C.Gpus.empty())
    return fail("--gpu and --device cpu exclude each other");
  if (C.What == Verb::Calibrate && C.Files.size() != 1)
    return fail("calibrate needs one file");
  if (C.What == Verb::Calibrate && C.Output != Format::Text)
    return fail("calibrate prints a program; it has no --format");
  if (C.Device == DeviceKind::CPU && (C.What == Verb::Fit || C.What == Verb::Calibrate))
    return fail(verbName(C.What), " is about GPUs; it has no --device cpu");
  return Error::success();
}

Expected<CommandLine> parseCommandLine(llvm::ArrayRef<const char *> Argv) {
  CommandLine C;
  bool VerbSeen = false;
  for (size_t I = 0; I < Argv.size(); ++I) {
    StringRef Word = Argv[I];
    if (Word == "--") {
      C.Flags.emplace(Argv.begin() + I + 1, Argv.end());
      break;
    }
    if (Word.starts_with("-") && Word != "-") {
      if (Error E = readOption(C, Argv, I))
        return std::move(E);
      continue;
    }
    const VerbInfo *V =
        llvm::find_if(Verbs, [&](const VerbInfo &I) { return I.Name == Word; });
    if (!VerbSeen && C.Files.empty() && V != std::end(Verbs)) {
      C.What = V->Value;
      VerbSeen = true;
      continue;
    }
    C.Files.push_back(Word.str());
  }
  C.ResultOptions += verbName(C.What).str() + "\n";
  for (const std::string &Flag : C.Flags.value_or(std::vector<std::string>()))
    C.ResultOptions += "flag " + Flag + "\n";
  if (C.Flags)
    C.ResultOptions += "--\n";
  if (Error E = checkCombination(C))
    return std::move(E);
  return C;
}

std::vector<OptionInfo> visibleOptions() {
  std::vector<OptionInfo> All;
  for (const OptionSpec &O : Options)
    if (O.Kind != Hidden)
      All.push_back({O.Name, O.Value, O.Help});
  return All;
}

void printHelp(llvm::raw_ostream &OS) {
  OS << "vramlint [VERB] [options] FILES… [-p BUILD_DIR] [-- FLAGS]\n\n"
        "Says what C++ programs that use LibTorch do to GPU memory, without "
        "running them.\nA directory stands for its C++ files.\n\nVerbs:\n";
  for (const VerbInfo &V : Verbs) {
    std::string Head = (V.Name + (V.Arguments.empty() ? "" : " ") + V.Arguments).str();
    OS << "  " << llvm::left_justify(Head, 18) << V.Help << '\n';
  }
  OS << "\nOptions:\n";
  for (const OptionInfo &O : visibleOptions()) {
    std::string Head = "  " + O.Name.str();
    if (O.Value)
      Head += std::string(" ") + O.Value;
    OS << Head;
    static constexpr unsigned Column = 28;
    unsigned Width = Head.size() - (StringRef(Head).contains("…") ? 2 : 0);
    OS.indent(Width < Column ? Column - Width : 1) << O.Help << '\n';
  }
  OS << "\nExit code: 0 nothing at warning level, 1 warnings, 2 some file could "
        "not be\nanalysed. Findings go to stdout, closing lines to stderr.\n";
}

} // namespace vramlint::tool
