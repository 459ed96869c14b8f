#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle: what real LibTorch does, against what vramlint says it does.

  oracle.py measure [--case NAME] [--compiler CXX] [--record]
      compiles the programs of cases.json with marks, runs them on the CPU and
      writes what was measured (with --record into recorded/)
  oracle.py test --vramlint PATH
      measures again where LibTorch is installed, compares with the recorded
      figures, and both with `vramlint annotate` and `vramlint summary`; prints
      a line PASS, FAIL or XFAIL for each case and a table
  oracle.py probe [NAME]
      records what single modules and optimizers allocate (probes/*.cpp)

Needs nothing but Python 3, a compiler and LibTorch.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import compare  # noqa: E402
from instrument import Instrumenter  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODELS = HERE.parent / "models"
RECORDED = HERE / "recorded"
COMPILERS = ["g++", "clang++-19"]


# ---------------------------------------------------------------- LibTorch

def libtorch():
    """(include flags, link flags, version), or None if there is none."""
    for prefix in filter(None, [os.environ.get("TORCH_HOME"),
                                "/usr", "/usr/local", "/opt/libtorch"]):
        include = Path(prefix) / "include"
        api = include / "torch/csrc/api/include"
        if not (api / "torch/torch.h").exists():
            continue
        flags = ["-isystem", str(api)]
        link = []
        if prefix != "/usr":
            flags += ["-isystem", str(include)]
            link += [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib"]
        link += ["-ltorch", "-ltorch_cpu", "-lc10"]
        version = "?"
        header = api / "torch/version.h"
        if header.exists():
            parts = {}
            for line in header.read_text().splitlines():
                words = line.split()
                if len(words) == 3 and words[1].startswith("TORCH_VERSION_"):
                    parts[words[1][14:]] = words[2]
            version = ".".join(parts.get(k, "?")
                               for k in ("MAJOR", "MINOR", "PATCH"))
        return flags, link, version
    return None


def run(command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, **kwargs)


def compiler_version(compiler):
    return run([compiler, "--version"]).stdout.splitlines()[0]


class Builder:
    """Compiles instrumented programs, with LibTorch's headers precompiled."""

    def __init__(self, compiler, folder):
        self.compiler = compiler
        self.include, self.link, self.version = libtorch()
        self.flags = ["-std=c++17", "-O0", "-w", *self.include]
        key = hashlib.sha256(
            (compiler_version(compiler) + self.version + " ".join(self.flags) +
             (HERE / "oracle.h").read_text()).encode()).hexdigest()[:12]
        self.folder = Path(folder) / f"{compiler}-{key}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clang = "clang" in compiler

    def compile(self, command, out):
        """Runs one compilation; a half-written result never stays."""
        part = out.with_name(f"{out.name}.{os.getpid()}.part")
        done = run([*command, "-o", str(part)])
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr[-4000:]}")
        part.rename(out)

    def prefix_flags(self):
        header = self.folder / "oracle.h"
        if not header.exists():
            shutil.copy(HERE / "oracle.h", header)
        pch = self.folder / ("oracle.h.pch" if self.clang else "oracle.h.gch")
        if not pch.exists():
            self.compile([self.compiler, *self.flags, "-x", "c++-header",
                          str(header)], pch)
        if self.clang:
            return ["-include-pch", str(pch)]
        return ["-include", str(header)]

    def build(self, files, includes):
        """Compiles {name: text} and links; returns the program."""
        include_flags = [f"-I{path}" for path in includes]
        objects = []
        headers = "".join(t for n, t in sorted(files.items())
                          if not n.endswith(".cpp"))
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            for name, text in files.items():
                path = Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for name, text in files.items():
                if not name.endswith(".cpp"):
                    continue
                key = hashlib.sha256((name + text + headers).encode()).hexdigest()[:16]
                obj = self.folder / f"{key}.o"
                if not obj.exists():
                    self.compile([self.compiler, *self.prefix_flags(),
                                  *self.flags, *include_flags, "-c",
                                  str(Path(scratch) / name)], obj)
                objects.append(str(obj))
        key = hashlib.sha256(" ".join(objects).encode()).hexdigest()[:16]
        program = self.folder / f"{key}.exe"
        if not program.exists():
            self.compile([self.compiler, *objects, *self.link], program)
        return program


# ---------------------------------------------------------------- measuring

def cases(names=None):
    found = json.loads((HERE / "cases.json").read_text())["cases"]
    if names:
        unknown = set(names) - {c["name"] for c in found}
        if unknown:
            sys.exit(f"oracle: no such case: {', '.join(sorted(unknown))}")
        found = [c for c in found if c["name"] in names]
    return found


def case_files(case):
    """All sources and headers of the case's folder, instrumented."""
    folder = MODELS / Path(case["sources"][0]).parent
    files, loop_ids, unused = {}, [], []
    for path in sorted(folder.iterdir()):
        if path.suffix not in (".h", ".hpp", ".cpp"):
            continue
        hooks = [(h[1], h[2]) for h in case["hooks"] if h[0] == path.name]
        worker = Instrumenter(path.read_text(), path.name,
                              case.get("limits", {}), hooks, loop_ids,
                              case["functions"])
        files[path.name] = worker.run()
        unused += [h[0] for h in hooks if h[0] not in worker.used_hooks]
    if unused:
        raise RuntimeError(f"{case['name']}: no statement has {unused}")
    return files


def idx_file(path, header, count):
    with open(path, "wb") as out:
        for word in header:
            out.write(word.to_bytes(4, "big"))
        out.truncate(len(header) * 4 + count)


def make_mnist(folder):
    """The MNIST files, all zeros; sparse, so they take no room."""
    folder.mkdir(exist_ok=True)
    for name, count in (("train", 60000), ("t10k", 10000)):
        idx_file(folder / f"{name}-images-idx3-ubyte", [2051, count, 28, 28],
                 count * 784)
        idx_file(folder / f"{name}-labels-idx1-ubyte", [2049, count], count)


def measure(case, builder, events=None):
    program = builder.build(case_files(case), [])
    with tempfile.TemporaryDirectory() as scratch:
        if case.get("data") == "mnist":
            make_mnist(Path(scratch) / "data")
        out = Path(scratch) / "out.json"
        env = dict(os.environ, ORACLE_OUT=str(out), OMP_NUM_THREADS="1")
        if events:
            env["ORACLE_EVENTS"] = str(Path(events).resolve())
        done = run([str(program), *case["args"]], cwd=scratch, env=env,
                   timeout=1800)
        if done.returncode or not out.exists():
            raise RuntimeError(f"{case['name']} ended with {done.returncode}\n"
                               f"{done.stderr[-3000:]}")
        result = json.loads(out.read_text())
    result["conditions"] = {
        "libtorch": builder.version,
        "compiler": compiler_version(builder.compiler),
        "threads": 1, "onednn": False, "device": "cpu",
    }
    return result


def recorded_path(case, compiler):
    kind = "clang" if "clang" in compiler else "gcc"
    return RECORDED / f"{case['name']}.{kind}.json"


def write_recorded(path, result):
    lines = ["{"]
    lines.append(f'"conditions": {json.dumps(result["conditions"])},')
    for key in ("models", "shapes", "marks"):
        rows = ",\n  ".join(json.dumps(r) for r in result[key])
        lines.append(f'"{key}": [\n  {rows}\n],')
    lines.append(f'"alive_at_end": {result["alive_at_end"]}')
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n}\n")


def main_measure(options):
    if not libtorch():
        sys.exit("oracle: no LibTorch found; install libtorch-dev")
    for compiler in options.compiler or COMPILERS:
        builder = Builder(compiler, options.build)
        for case in cases(options.case):
            result = measure(case, builder, options.events)
            peak = max(m["peak_bytes"] for m in result["marks"])
            print(f"{case['name']:10} {compiler:12} peak {peak:,} B, "
                  f"{len(result['marks'])} marks", flush=True)
            if options.record:
                write_recorded(recorded_path(case, compiler), result)
            elif options.print:
                for m in result["marks"]:
                    print(f"  {m['file']}:{m['line']:<4} hit {m['hit']} "
                          f"+{m['allocated_bytes']:,} -{m['freed_bytes']:,} "
                          f"alive {m['alive_after_bytes']:,} "
                          f"peak {m['peak_bytes']:,}")


# ---------------------------------------------------------------- comparing

class Results:
    """Collects and prints one line per case, as the test runner counts them."""

    def __init__(self):
        self.failed = 0
        self.figures = []  # What docs/generated/accuracy.md is made of.

    def add_rows(self, case, compiler, found):
        sources = compare.source_lines(case)
        for row in found:
            text = sources[row.file][row.line - 1].strip().replace("|", "\\|")
            known = compare.xfail_reason(case, row, compiler)
            for index, what in enumerate(("alive after", "peak in")):
                self.figures.append({
                    "program": case["name"], "compiler": kind_of(compiler),
                    "what": f"{what} {row.file}:{row.line} `{text[:48]}`",
                    "measured": row.real[index],
                    "predicted": row.tool[index] if row.tool else None,
                    "changes": row.changes,
                    "tolerance": "0" if row.exact and not index else "1 %",
                    "verdict": "agrees" if row.agrees() else
                    f"known to differ: {known}" if known else "differs"})

    def line(self, verdict, name, why=""):
        self.failed += verdict == "FAIL"
        why = " ".join(why.split())
        print(f"{verdict}: {name}{f': {why}' if why else ''}", flush=True)

    def group(self, name, found, case, compiler):
        """Passes when all rows agree; known differences must still differ."""
        differing = [r for r in found if not r.agrees()]
        known = {id(r): compare.xfail_reason(case, r, compiler) for r in found}
        surprise = [r for r in differing if not known[id(r)]]
        healed = [r for r in found if r.agrees() and known[id(r)]]
        if surprise:
            row = surprise[0]
            tool = row.tool or ("?", "?")
            self.line("FAIL", name, f"{len(surprise)} of {len(found)} lines differ, first "
                      f"{row.file}:{row.line}: expected alive {row.real[0]} peak "
                      f"{row.real[1]}, got {tool[0]} and {tool[1]}")
        elif differing:
            self.line("XFAIL", name, "; ".join(
                sorted({known[id(r)] for r in differing})))
        elif healed:
            self.line("FAIL", name, f"{healed[0].file}:{healed[0].line} agrees now: "
                      "take its entry out of cases.json")
        else:
            self.line("PASS", name)


def kind_of(compiler):
    return "clang" if "clang" in compiler else "gcc"


def load_recorded(case, compiler):
    path = recorded_path(case, compiler)
    return json.loads(path.read_text()) if path.exists() else None


def check_models(results, name, case, measured, tool, compiler):
    """Parameters, buffers and output shapes against vramlint summary."""
    try:
        summary = tool.run("summary", case, compiler)
    except (compare.ToolError, ValueError, OSError,
            subprocess.TimeoutExpired) as error:
        results.line("FAIL", f"{name}/parameters", str(error))
        return
    problem = compare.model_problem(measured, summary)
    results.line("FAIL" if problem else "PASS", f"{name}/parameters", problem)
    problem = compare.shape_problem(measured, summary)
    results.line("FAIL" if problem else "PASS", f"{name}/shapes", problem)


def check_case(results, case, compiler, measured, tool, verbose):
    name = f"{case['name']}.{kind_of(compiler)}"
    check_models(results, name, case, measured, tool, compiler)
    try:
        annotated = tool.run("annotate", case, compiler)
        found = compare.rows(case, measured, annotated)
    except (compare.ToolError, ValueError, KeyError, OSError,
            subprocess.TimeoutExpired) as error:
        for group in compare.GROUPS:
            results.line("FAIL", f"{name}/{group}", f"{type(error).__name__}: {error}")
        return
    results.add_rows(case, compiler, found)
    if verbose:
        conditions = measured["conditions"]
        print(f"{case['name']}, LibTorch {conditions['libtorch']}, "
              f"{conditions['compiler']}, one thread, oneDNN off")
        compare.table(found, print)
    for group in compare.GROUPS:
        rows = [r for r in found if r.group == group]
        if rows:
            results.group(f"{name}/{group}", rows, case, compiler)


def remeasure(results, case, compiler, builder):
    """Measures again; the record must say the same for the same LibTorch."""
    recorded = load_recorded(case, compiler)
    name = f"{case['name']}.{kind_of(compiler)}/recorded"
    try:
        measured = measure(case, builder)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        results.line("FAIL", name, str(error).strip().split("\n")[-1])
        return recorded
    if not recorded:
        results.line("FAIL", name, "no record; run oracle.py measure --record")
    elif recorded["conditions"]["libtorch"] == builder.version:
        problem = compare.same_measurement(measured, recorded)
        results.line("FAIL" if problem else "PASS", name, problem)
    else:
        results.line("PASS", name, f"LibTorch {builder.version}; the record is of "
                     f"{recorded['conditions']['libtorch']}")
    return measured


def compilers_for(case):
    """g++ for all; clang++ too where its order of evaluation moves a figure."""
    first, second = (load_recorded(case, c) for c in COMPILERS)
    if first and second and first["marks"] == second["marks"]:
        return COMPILERS[:1]
    return COMPILERS


def same_release(measured, torch):
    """Is the record of the LibTorch installed, but for its patch level?"""
    recorded = measured["conditions"]["libtorch"].split(".")[:2]
    return recorded == torch[2].split(".")[:2]


def main_test(options):
    results, torch = Results(), libtorch()
    tool = compare.Tool(options.vramlint, torch[0] if torch else [])
    for case in cases(options.case):
        for compiler in compilers_for(case):
            measured = load_recorded(case, compiler)
            if torch and shutil.which(compiler) and not options.recorded and \
                    (options.slow or not case.get("slow")):
                builder = Builder(compiler, options.build)
                measured = remeasure(results, case, compiler, builder)
            elif measured and torch and not same_release(measured, torch):
                # The tool foretells what the LibTorch that it finds would do.
                results.line("SKIP", f"{case['name']}.{kind_of(compiler)}",
                             f"the record is of LibTorch "
                             f"{measured['conditions']['libtorch']}, here is "
                             f"{torch[2]}; --slow measures it")
                continue
            if measured:
                check_case(results, case, compiler, measured, tool,
                           options.verbose)
            else:
                results.line("SKIP", f"{case['name']}.{kind_of(compiler)}",
                             "no record of this compiler yet")
    if options.figures:
        out = Path(options.figures)
        out.parent.mkdir(parents=True, exist_ok=True)
        version = torch[2] if torch and not options.recorded else "as recorded"
        out.write_text(json.dumps({"libtorch": version,
                                   "measurements": results.figures}, indent=1))
    return 1 if results.failed else 0


def main_probe(options):
    """Runs probes/*.cpp; records each one's list of allocations."""
    if not libtorch():
        sys.exit("oracle: no LibTorch found; install libtorch-dev")
    builder = Builder(COMPILERS[0], options.build)
    for path in sorted((HERE / "probes").glob("*.cpp")):
        if options.name and path.stem not in options.name:
            continue
        files = {path.name: path.read_text(),
                 "probe.h": (path.parent / "probe.h").read_text()}
        program = builder.build(files, [str(HERE)])
        with tempfile.TemporaryDirectory() as scratch:
            make_mnist(Path(scratch) / "data")
            done = run([str(program)], cwd=scratch, timeout=600,
                       env=dict(os.environ, OMP_NUM_THREADS="1",
                                ORACLE_RECORDED=str(RECORDED)))
        if done.returncode:
            print(done.stderr[-2000:], file=sys.stderr)
        out = RECORDED / f"probe-{path.stem}.json"
        json.loads(done.stdout)
        out.parent.mkdir(exist_ok=True)
        out.write_text(done.stdout)
        print(f"probe {path.stem}: {done.stdout.count(': [')} entries")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build/oracle"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("measure")
    verb.add_argument("--compiler", action="append")
    verb.add_argument("--record", action="store_true")
    verb.add_argument("--print", action="store_true")
    verb.add_argument("--events", help="write every allocation to this file")
    verb.set_defaults(work=main_measure)
    verb = verbs.add_parser("test")
    verb.add_argument("--recorded", action="store_true",
                      help="do not measure again, use the recorded figures")
    verb.add_argument("--verbose", action="store_true", help="print the tables")
    verb.add_argument("--slow", action="store_true",
                      help="measure again the cases marked slow too")
    verb.set_defaults(work=main_test)
    for verb in verbs.choices.values():
        verb.add_argument("--case", action="append")
    verb = verbs.add_parser("probe")
    verb.add_argument("name", nargs="*")
    verb.set_defaults(work=main_probe)
    verbs.choices["test"].add_argument("--vramlint", required=True)
    verbs.choices["test"].add_argument("--figures", help="write all figures to this file as JSON")
    options = parser.parse_args()
    sys.exit(options.work(options) or 0)


if __name__ == "__main__":
    main()
