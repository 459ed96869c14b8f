# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs with real LibTorch and with vramlint, many to a file.

Both sides give the same for each program: a list of statements in the order in
which they ended, [line from the program's first, bytes alive after it, highest
bytes since the statement before ended, every allocation and release, how much higher
it may have been]. Bytes count from the program's start.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import oracle  # noqa: E402
from instrument import Instrumenter  # noqa: E402

FILE = "programs.cpp"
SECONDS_MAX = 600
HEAD = "#include <torch/torch.h>\n\n#include <map>\n#include <optional>\n\nnamespace F = torch::nn::functional;\nnamespace nn = torch::nn;\n\n"
NAMESPACE = re.compile(r"^namespace (\w+) \{$", re.M)


class Problem(Exception):
    """A program that real LibTorch or vramlint did not run."""


class File:
    """Programs, [(name, text)], in one file; where each begins and ends."""

    def __init__(self, programs):
        self.places, parts, line = {}, [HEAD], HEAD.count("\n") + 1
        for name, text in programs:
            count = text.count("\n")
            self.places[name] = (line, line + count)
            parts.append(text)
            line += count
        self.body = "".join(parts)

    def text(self, guarded=False):
        """The file; guarded: a program that throws says so, and the rest run."""
        calls = []
        for name in self.places:
            call = f"{name}::run();"
            if guarded:   # The last statement is marked whatever happened.
                call = (f"try {{ {call} }} catch (const std::exception &E) {{ "
                        f'std::fprintf(stderr, "threw {name}: %.300s\\n", E.what()); }} '
                        f"std::fflush(stderr);")
            calls.append(f"  {call}\n")
        return self.body + "int main() {\n" + "".join(calls) + "}\n"

    def program_at(self, line):
        for name, (first, end) in self.places.items():
            if first <= line < end:
                return name, line - first
        return None, 0


# ---------------------------------------------------------------- real LibTorch

LOOP = re.compile(r"\s*(for \(|while \(|\})")


def read_events(path, file):
    """The statements of all programs that the oracle wrote down, in order."""
    marks, alive, peak, sizes = [], 0, 0, []
    source = file.text().split("\n")
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "mark":
            line = int(words[1].rsplit(":", 1)[1])
            if LOOP.match(source[line - 1]):
                continue   # Of a loop's own steps vramlint prints no end.
            name, relative = file.program_at(line)
            marks.append((name, relative, alive, peak, sizes, 0))
            peak, sizes = alive, []
        else:
            alive = int(words[-1])
            peak = max(peak, alive)
            sizes.append(words[0])
    return marks


def by_program(marks, file):
    """Marks in order as {program: statements}, bytes from its start."""
    found, before = {}, 0
    for name, line, alive, peak, sizes, bound in marks:
        if name is None:   # A statement of main: a program has ended.
            before = alive
            continue
        found.setdefault(name, []).append(
            [line, alive - before, peak - before, sizes, bound])
    return found


def measure(file, builder):
    """({program: statements}, {program: what it threw}) with real LibTorch."""
    worker = Instrumenter(file.text(guarded=True), FILE, {}, [], [], [])
    program = builder.build({FILE: worker.run()}, [])
    with tempfile.TemporaryDirectory() as scratch:
        events = Path(scratch) / "events"
        done = oracle.run([str(program)], cwd=scratch, timeout=SECONDS_MAX,
                          env=dict(os.environ, ORACLE_OUT=str(Path(scratch) / "out"),
                                   ORACLE_EVENTS=str(events), OMP_NUM_THREADS="1"))
        if done.returncode:
            raise Problem(f"it ended with {done.returncode}: {done.stderr[-800:]}")
        marks = read_events(events, file)
    threw = dict(re.findall(r"^threw (\w+): (.*)$", done.stderr, re.M))
    return by_program(marks, file), threw


# ---------------------------------------------------------------- vramlint

PLACE = re.compile(r"^(\S+):(\d+):(\d+)$")
MEMORY = re.compile(r"^  (alloc|free) #\d+ (\S+)(?: B)? ")


def trace_of(tool, file, compiler, include):
    """What --dump-trace prints of the file, as if `compiler` built it."""
    import json
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_text(file.text())
        (Path(folder) / "compile_commands.json").write_text(json.dumps([{
            "directory": folder, "file": str(path),
            "arguments": [compiler, "-std=c++17", *include, "-c", str(path)]}]))
        done = subprocess.run([tool, "--dump-trace", str(path), "-p", folder,
                               "--device", "cpu"], capture_output=True, text=True,
                              timeout=SECONDS_MAX)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Problem(f"vramlint ended with {done.returncode}: "
                      f"{done.stdout[:800]}{done.stderr[-800:]}")
    return done.stdout


class Prediction:
    """A printed trace as statements; the ops of each program; what is not known."""

    def __init__(self, trace, file):
        self.marks, self.ops, self.unknown, self.failed = [], {}, {}, {}
        self.file, self.loops = file, {}
        at, alive, peak, sizes = 0, 0, 0, []
        self.bound = 0
        for line in trace.splitlines():
            place = PLACE.match(line)
            if place:
                at = int(place.group(2))
                continue
            memory = MEMORY.match(line)
            if memory:
                size = int(memory.group(2)) if memory.group(2) != "?" else 0
                alive += size if memory.group(1) == "alloc" else -size
                peak = max(peak, alive)
                sizes.append(f"{'+' if memory.group(1) == 'alloc' else '-'}{size}")
            elif line == "  statement end":
                name, relative = file.program_at(at)
                self.marks.append((name, relative, alive, peak, sizes, self.bound))
                peak, sizes, self.bound = alive, [], 0
            elif line.startswith("  op ") and line != "  op end":
                sizes.append('[' + line[5:line.index('(')] + ']')
                self.op(at, line)
            elif line.startswith("  loop "):
                alive = self.loop(line.split(), alive)
            elif line.startswith("unknown "):
                self.note(self.unknown, line)
            elif line.startswith("failure "):
                self.note(self.failed, line)
        self.statements = by_program(self.marks, file)

    def op(self, at, line):
        name = self.file.program_at(at)[0]
        row = line[5:line.index("(")]
        scratch = re.search(r", scratch up to (\d+) B$", line)
        self.bound = max(self.bound, int(scratch.group(1)) if scratch else 0)
        self.ops.setdefault(name, []).append(row)

    def loop(self, words, alive):
        """Iterations that are not run are like the one before."""
        name, what = words[1], words[2]
        if what == "iteration":
            self.loops[name] = (len(self.marks), alive)
        elif what == "jumps":
            first, before = self.loops[name]
            once = self.marks[first:]
            for i in range(1, int(words[3]) + 1):
                more = i * (alive - before)
                self.marks += [(n, l, a + more, p + more, s, b)
                               for n, l, a, p, s, b in once]
            return alive + int(words[3]) * (alive - before)
        return alive

    def note(self, where, line):
        match = re.match(r"\w+ \S+?:(\d+):\d+ (.*)$", line)
        name = self.file.program_at(int(match.group(1)))[0] if match else None
        where.setdefault(name, []).append(match.group(2) if match else line)


def predict(tool, programs, compiler, include):
    """{program: (statements, ops, what is not known or would throw)}."""
    found = {}
    while programs:
        file = File(programs)
        said = Prediction(trace_of(tool, file, compiler, include), file)
        reached = [n for n, _ in programs if n in said.statements]
        for name in reached or [programs[0][0]]:
            found[name] = (said.statements.get(name, []), said.ops.get(name, []),
                           said.unknown.get(name, []) + said.failed.get(name, []))
        # An exception ends the run: the programs after it are another file.
        last = [n for n, _ in programs].index((reached or [programs[0][0]])[-1])
        programs = programs[last + 1:]
    return found


# ---------------------------------------------------------------- comparison

def only(statements, lines):
    """The statements that end on some lines, with what happened since the last."""
    kept, peak, sizes, bound = [], 0, [], 0
    for line, alive, highest, events, more in statements:
        peak, sizes, bound = max(peak, highest), sizes + events, max(bound, more)
        if line in lines:
            kept.append([line, alive, peak, sizes, bound])
            peak, sizes, bound = 0, [], 0
    return kept


def difference(measured, predicted):
    """The first statement that differs: (line, text), or None."""
    for real, said in zip(measured, predicted):
        if real[0] != said[0]:
            return real[0], f"vramlint runs line {said[0]} there"
        if real[1] != said[1]:
            return real[0], f"alive: measured {real[1]}, vramlint {said[1]}"
        if not said[2] <= real[2] <= said[2] + said[4]:
            return real[0], f"peak: measured {real[2]}, vramlint {said[2]}"
    if len(measured) != len(predicted):
        return 0, f"{len(measured)} statements ran, vramlint ran {len(predicted)}"
    return None
