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
  oracle.py report --vramlint PATH --out docs/generated/accuracy.md
      writes the comparison as a page

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build/oracle"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("measure")
    verb.add_argument("--case", action="append")
    verb.add_argument("--compiler", action="append")
    verb.add_argument("--record", action="store_true")
    verb.add_argument("--print", action="store_true")
    verb.add_argument("--events", help="write every allocation to this file")
    options = parser.parse_args()
    main_measure(options)


if __name__ == "__main__":
    main()
