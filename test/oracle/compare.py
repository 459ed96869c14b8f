# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured against what vramlint says: lines, parameters, shapes.

A line of the program agrees when the bytes alive after it and the peak inside
it differ by at most 1 % from the last time it was run for real (exactly none
for lines that only build models). A data set held in memory is taken off
before the 1 % is computed, or it would hide any error.
"""
import json
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
TOLERANCE = 0.01
GROUPS = ["construction", "training", "inference"]


class ToolError(Exception):
    pass


class Tool:
    """Runs vramlint on a case as if a given compiler built it."""

    def __init__(self, path, include_flags, extra=()):
        self.path, self.include, self.extra = path, include_flags, list(extra)

    def run(self, verb, case, compiler, sources=None, timeout=300):
        folder = MODELS if sources is None else sources
        files = [folder / name for name in case["sources"]]
        with tempfile.TemporaryDirectory() as build:
            commands = [{"directory": str(build), "file": str(path),
                         "arguments": [compiler, "-std=c++17", *self.include,
                                       "-c", str(path)]} for path in files]
            (Path(build) / "compile_commands.json").write_text(
                json.dumps(commands))
            command = [self.path, verb, str(files[0]), "-p", build,
                       "--device", "cpu", "--format", "json",
                       "--args", " ".join(case["args"]), *self.extra]
            done = subprocess.run(command, capture_output=True, text=True,
                                  timeout=timeout)
        if not done.stdout.strip().startswith("{"):
            raise ToolError(f"{' '.join(command)}: exit code "
                            f"{done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout)


class Row:
    """One line of the program: measured and predicted."""

    def __init__(self, mark, predicted, group, slack, exact):
        self.file, self.line = mark["file"], mark["line"]
        self.function, self.group, self.hit = mark["function"], group, mark["hit"]
        self.real = (mark["alive_after_bytes"], mark["peak_bytes"])
        self.tool = predicted and (predicted["alive_after_bytes"],
                                   predicted["peak_bytes"])
        self.slack, self.exact = slack, exact
        self.changes = bool(mark["allocated_bytes"] or mark["freed_bytes"])

    def error(self, which):
        """The relative error, data set not counted; None if not predicted."""
        if not self.tool:
            return None
        real, tool = self.real[which], self.tool[which]
        if real == tool:
            return 0.0
        return (tool - real) / max(real - self.slack if real > self.slack
                                   else real, 1)

    def agrees(self):
        if not self.tool:
            return False
        if self.exact and self.tool[0] != self.real[0]:
            return False
        return all(abs(self.error(w)) <= TOLERANCE for w in (0, 1))


def source_lines(case):
    folder = MODELS / Path(case["sources"][0]).parent
    return {p.name: p.read_text().split("\n") for p in folder.iterdir()
            if p.suffix in (".h", ".cpp")}


def rows(case, measured, annotated):
    """One Row per marked line of the case's functions, in program order."""
    predicted = {}
    for line in annotated["lines"]:
        predicted[(Path(line["file"]).name, line["line"])] = line
    sources = source_lines(case)
    last, order = {}, []
    for mark in measured["marks"]:
        key = (mark["file"], mark["line"])
        if mark["function"] not in case["functions"]:
            continue
        if key not in last:
            order.append(key)
        last[key] = mark
    model_lines = {(h[0], h[1]) for h in case["hooks"] if "::model(" in h[2]}
    found, guard, backward = [], {}, False
    for key in order:
        mark = last[key]
        if mark["line"] > len(sources[mark["file"]]):
            raise ToolError("the record is of an older source; measure again")
        text = sources[mark["file"]][mark["line"] - 1]
        if "NoGradGuard" in text:
            guard[mark["function"]] = mark["line"]
        if "for (" in text:
            backward = True
        inference = mark["function"] in guard and \
            mark["line"] >= guard[mark["function"]]
        group = "inference" if inference else \
            "training" if backward else "construction"
        exact = any(mark["file"] == f and t in text for f, t in model_lines)
        if text.lstrip().startswith(("for ", "while ")):
            continue  # Compared at the closing brace.
        if text.strip() == "}":
            if (mark["file"], mark["line"]) not in predicted:
                continue  # Nothing to say about a loop of loops.
            tool = loop_prediction(predicted, mark, sources[mark["file"]], mark)
        else:
            tool = best_prediction(predicted, mark)
        found.append(Row(mark, tool, group, case.get("dataset_bytes", 0), exact))
    return found


def best_prediction(predicted, mark):
    """The tool's lines of a statement as one: what is alive after the last one
    that allocates or frees, the highest peak."""
    found = [predicted[(mark["file"], line)]
             for line in range(mark["line"], mark["end_line"] + 1)
             if (mark["file"], line) in predicted]
    if not found:
        return None
    acting = [f for f in found if f["allocated_bytes"] or f["freed_bytes"]]
    return {"alive_after_bytes": (acting or found)[-1]["alive_after_bytes"],
            "peak_bytes": max(f["peak_bytes"] for f in found)}


def loop_head(lines, brace):
    """The line of the loop that the closing brace on line `brace` ends."""
    def indent(text):
        return len(text) - len(text.lstrip())
    for number in range(brace - 1, 0, -1):
        text = lines[number - 1]
        if indent(text) == indent(lines[brace - 1]) and \
                text.lstrip().startswith(("for ", "while ")):
            return number
    return None


def loop_prediction(predicted, mark, lines, real):
    """A loop's head and closing brace as one: the step between two iterations
    may be booked on either."""
    head = loop_head(lines, mark["line"])
    found = [predicted[key] for key in ((mark["file"], head),
                                        (mark["file"], mark["line"]))
             if key in predicted]
    if not found:
        return None
    nearest = min(found, key=lambda f: abs(f["alive_after_bytes"] -
                                           real["alive_after_bytes"]))
    return {"alive_after_bytes": nearest["alive_after_bytes"],
            "peak_bytes": max(f["peak_bytes"] for f in found)}


def xfail_reason(case, row, compiler):
    """The written reason why a line is known to differ, or None."""
    kind = "clang" if "clang" in compiler else "gcc"
    text = source_lines(case)[row.file][row.line - 1]
    for known in case.get("xfail", []):
        if known["line"] in text and known.get("compiler", kind) == kind and \
                known.get("group", row.group) == row.group:
            return known["reason"]
    return None


def percent(value):
    return "?" if value is None else "=" if value == 0 else f"{value:+.2%}"


def table(found, out):
    out(f"  {'line':22} {'hit':>3} {'alive, real':>15} {'vramlint':>15} "
        f"{'':>8} {'peak, real':>15} {'vramlint':>15} {'':>8}")
    for row in found:
        tool = [f"{v:,}" for v in row.tool] if row.tool else ["?", "?"]
        out(f"  {row.file + ':' + str(row.line):22} {row.hit:>3} "
            f"{row.real[0]:>15,} {tool[0]:>15} {percent(row.error(0)):>8} "
            f"{row.real[1]:>15,} {tool[1]:>15} {percent(row.error(1)):>8}"
            f"{'' if row.agrees() else '  differs'}")


def same_measurement(now, before):
    """The first difference between two measurements, or an empty text."""
    for key in ("models", "shapes", "marks"):
        if len(now[key]) != len(before[key]):
            return f"{key}: {len(before[key])} recorded, {len(now[key])} now"
        for old, new in zip(before[key], now[key]):
            if old != new:
                return f"{key}: recorded {old}, now {new}"
    return ""


def tool_models(summary):
    return [m for f in summary["files"] for m in f.get("models", [])]


def model_problem(measured, summary):
    """Each measured model needs one of the tool's with the same parameters."""
    models = tool_models(summary)
    for real in measured["models"]:
        same = [m for m in models if m["class"] == real["name"]]
        counts = [m["parameters"]["value"] for m in same]
        if real["parameters_elements"] not in counts:
            return (f"{real['name']}: expected {real['parameters_elements']} "
                    f"parameters, got {counts or 'no such model'}")
        buffers = [m["buffer_bytes"]["value"] for m in same]
        if real["buffers_bytes"] not in buffers:
            return (f"{real['name']}: expected {real['buffers_bytes']} bytes "
                    f"of buffers, got {buffers}")
    return ""


def shape_problem(measured, summary):
    """Each measured output shape must be the output of some row."""
    shapes = [r["output"]["shape"] for m in tool_models(summary)
              for r in m.get("rows", []) if r["output"]]
    seen = set()
    for real in measured["shapes"]:
        if real["name"] in seen:  # Later ones may be of another batch size.
            continue
        seen.add(real["name"])
        if real["shape"] not in shapes:
            return f"{real['name']}: no output of shape {real['shape']}"
    return ""
