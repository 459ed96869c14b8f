#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory matrix: each program of the zoo in inference and in training with
SGD, momentum and Adam, at two batch sizes, statement by statement.

  matrix.py record [NAME...] [--onednn off|on]
                             compiles the drivers with real LibTorch, runs them
                             and writes down what was alive after each statement
                             and the peak inside it (none named: those without a
                             valid record)
  matrix.py test --vramlint PATH [--filter PATTERN]
                             compares vramlint with the records and measures one
                             of the programs again
  matrix.py diff NAME --vramlint PATH [--onednn off|on]
                             the statements that differ
  matrix.py driver NAME      the driver's source

A driver is made from the program: its main up to the first `// matrix:` line
builds the model, the `// matrix:` lines are one forward of N samples, of which
the last defines `loss`. A line `// matrix: batch 2 4` gives other batch sizes
than 1 and 4 and says why: batch norm refuses to train on one value.
"""
import argparse
import base64
import concurrent.futures
import datetime
import difflib
import json
import lzma
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
import zoo  # noqa: E402
from instrument import Instrumenter  # noqa: E402

RECORD = oracle.RECORDED / "matrix.json"
MEMORY_MAX = 8 << 30
SECONDS_MAX = 1500
LINE = re.compile(r"^[ \t]*// matrix: (.*)$", re.M)
MODEL = re.compile(r"^[ \t]*// oracle: model\((\w+)\)", re.M)
# Programs without a record, and why.
LEFT_OUT = {
    "tcn": "its gains are made from its weights with their graph: LibTorch refuses the "
           "second backward through that",
    "tinyllama": "its cache of keys keeps the graph of the step before: LibTorch refuses "
                 "the second backward through that",
}
# Programs that miss their bars, and why.
EXPECTED = {
    "gru_tagger": "the lengths of packed sequences are data, and are said to be unknown",
    "mixtral": "how many tokens each expert gets is data, and is said to be unknown",
}
QUICK_SECONDS = 5
CONDITIONS = ("off", "on")  # oneDNN.
OPTIMIZERS = {
    "sgd": "SGD matrix_optimizer(matrix_parameters, torch::optim::SGDOptions(0.01))",
    "momentum": "SGD matrix_optimizer(matrix_parameters, "
                "torch::optim::SGDOptions(0.01).momentum(0.9))",
    "adam": "Adam matrix_optimizer(matrix_parameters, torch::optim::AdamOptions(0.001))",
}


# ---------------------------------------------------------------- drivers

def scopes(name):
    """(function, its lines, batch sizes) of each scope of a program."""
    text = zoo.source(name)
    main = zoo.MAIN.search(text)
    found = list(LINE.finditer(text, main.end()))
    if not found:
        raise zoo.Problem("no line of its main says `// matrix: ...`")
    build = text[main.end():found[0].start()].rstrip("\n ").split("\n")[1:]
    if main.group(1).strip():
        build.insert(0, "  int argc = 1; char *argv[] = {nullptr};")
    lines, batches = [m.group(1) for m in found], (1, 4)
    if lines[0].startswith("batch "):
        batches = tuple(int(word) for word in lines.pop(0).split()[1:])
    models = MODEL.findall(text, main.end())
    dots = {m: "->" if re.search(rf"\b{m}->", text[main.end():]) else "." for m in models}
    yield "inference", batches, [
        *build, *(f"  {m}{dots[m]}eval();" for m in models),
        "  torch::NoGradGuard matrix_guard;", *(f"  {line}" for line in lines[:-1])]
    for optimizer, made in OPTIMIZERS.items():
        yield optimizer, batches, [
            *build, *(f"  {m}{dots[m]}train();" for m in models),
            f"  auto matrix_parameters = {models[0]}{dots[models[0]]}parameters();",
            *(f"  for (auto &p : {m}{dots[m]}parameters()) matrix_parameters.push_back(p);"
              for m in models[1:]),
            f"  torch::optim::{made};",
            "  for (int matrix_step = 0; matrix_step < 2; ++matrix_step) {",
            *(f"    {line}" for line in lines),
            "    matrix_optimizer.zero_grad();", "    loss.backward();",
            "    matrix_optimizer.step();", "  }"]


def driver(name):
    """The program with all scopes in place of its main."""
    text = zoo.source(name)
    out, calls = [text[:zoo.MAIN.search(text).start()].rstrip("\n"), ""], []
    for function, batches, lines in scopes(name):
        leaves = any(re.search(r"\breturn\b", line) for line in lines)
        out += [f"static {'int' if leaves else 'void'} matrix_{function}(const int64_t N) {{",
                *lines, *(["  return 0;"] * leaves), "}", ""]
        calls += [f"  matrix_{function}({batch});" for batch in batches]
    return "\n".join([*out, "int main() {", *calls, "  return 0;", "}", ""])


def instrumented(name):
    text = driver(name)
    worker = Instrumenter(text, f"{name}.cpp", {}, [], [], [], every=True)
    return worker.run()


# ---------------------------------------------------------------- real LibTorch

def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX, MEMORY_MAX))


def built(name, builder):
    return builder.build({f"{name}.cpp": instrumented(name)}, [])


def measure(program, onednn):
    """[(first line, last line, alive after, peak)] of the statements that changed
    bytes, in the order in which they ended."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.json"
        env = dict(os.environ, ORACLE_OUT=str(out), OMP_NUM_THREADS="1")
        if onednn:
            env["ORACLE_ONEDNN"] = "1"
        done = oracle.run([str(program)], cwd=scratch, timeout=SECONDS_MAX, env=env,
                          preexec_fn=limit_memory)
        if done.returncode or not out.exists():
            raise zoo.Problem(f"it ended with {done.returncode}: "
                              f"{done.stderr.strip()[:800]}")
        marks = json.loads(out.read_text())["marks"]
    return [(m["line"], m["end_line"], m["alive_after_bytes"], m["peak_bytes"])
            for m in marks if m["allocated_bytes"] or m["freed_bytes"]]


def packed(rows):
    """Rows as text: differences, in bytes of seven bits, compressed."""
    out, before = bytearray(), (0, 0, 0, 0)
    for row in rows:
        line, end, alive, peak = row
        for value in (line - before[0], end - line, alive - before[2],
                      peak - max(alive, before[2])):
            value = value * 2 if value >= 0 else -value * 2 - 1
            while value > 127:
                out.append(value & 127 | 128)
                value >>= 7
            out.append(value)
        before = row
    return base64.b85encode(lzma.compress(bytes(out), lzma.FORMAT_ALONE,
                                          preset=9)).decode()


def unpacked(text):
    values, value, shift = [], 0, 0
    for byte in lzma.decompress(base64.b85decode(text)):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value // 2 if value % 2 == 0 else -(value + 1) // 2)
            value = shift = 0
    rows, before = [], (0, 0, 0, 0)
    for at in range(0, len(values), 4):
        line, extent, alive, peak = values[at:at + 4]
        line, alive = line + before[0], alive + before[2]
        before = (line, line + extent, alive, peak + max(alive, before[2]))
        rows.append(before)
    return rows


def load_record():
    if not RECORD.exists():
        return {"conditions": {}, "programs": {}}
    return json.loads(RECORD.read_text())


def save_record(record):
    """A line per program and condition."""
    lines = ["{", f'"conditions": {json.dumps(record["conditions"])},', '"programs": {']
    names = sorted(record["programs"])
    for name in names:
        entry = record["programs"][name]
        rows = ",\n  ".join(f'{json.dumps(key)}: {json.dumps(entry[key])}'
                            for key in sorted(entry))
        lines.append(f'"{name}": {{\n  {rows}}}{"," if name != names[-1] else ""}')
    RECORD.write_text("\n".join(lines) + "\n}\n}\n")


def main_record(options):
    if not oracle.libtorch():
        sys.exit("matrix: no LibTorch found; install libtorch-dev")
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    conditions = {"libtorch": builder.version, "device": "cpu", "threads": 1,
                  "compiler": oracle.compiler_version(builder.compiler)}
    failed = 0
    for name in options.name or [n for n in zoo.programs() if n not in LEFT_OUT]:
        source = zoo.digest(driver(name))
        entry = load_record()["programs"].get(name, {})
        entry = entry if entry.get("source") == source else {"source": source}
        if options.onednn in entry and not options.name:
            continue
        try:
            program = built(name, builder)
            start = time.monotonic()
            rows = measure(program, options.onednn == "on")
        except (zoo.Problem, RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name}: not recorded: {error}", flush=True)
            failed = 1
            continue
        entry["seconds"] = round(time.monotonic() - start)
        entry[options.onednn] = packed(rows)
        assert unpacked(entry[options.onednn]) == rows
        record = load_record()  # Another run may have written meanwhile.
        record["conditions"] = conditions
        record["programs"][name] = entry
        save_record(record)
        print(f"{name}: {len(rows)} statements, {len(entry[options.onednn])} B", flush=True)
    return failed


# ---------------------------------------------------------------- vramlint

USE = re.compile(r"^\+(\d+) +-(\d+) +(\d+) +(\d+) (.+):(\d+):\d+$", re.M)


def predicted(name, tool, onednn):
    """[(line, alive after, peak)] of the statements that change bytes, as vramlint
    sees the driver, and what it did not understand."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / f"{name}.cpp"
        file.write_text(driver(name))
        said = zoo.vramlint(tool, ["--dump-statements", "--onednn", onednn], file)
    return [(int(line), int(alive), int(peak))
            for _, _, alive, peak, path, line in USE.findall(said)
            if Path(path).name == f"{name}.cpp"]


def runs(keys):
    """[(key, start, end)] of equal neighbours."""
    out, start = [], 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[start]:
            out.append((keys[start], start, at))
            start = at
    return out


def paired(real, tool):
    """Per real statement vramlint's, or None. A statement that vramlint sees in
    several steps (a lambda's body within it) is its last step."""
    pairs = [None] * len(real)
    ours, theirs = runs([r[0] for r in real]), runs([t[0] for t in tool])
    matcher = difflib.SequenceMatcher(None, [r[0] for r in ours], [t[0] for t in theirs],
                                      autojunk=False)
    for left, right, count in matcher.get_matching_blocks():
        for (_, a, b), (_, c, d) in zip(ours[left:left + count], theirs[right:right + count]):
            for back in range(1, min(b - a, d - c) + 1):
                pairs[b - back] = tool[d - back]
    return pairs


def sections(rows, main):
    """The rows of each call in main, in order."""
    out = [[]]
    for row in rows:
        out[-1].append(row)
        if row[0] >= main:
            out.append([])
    return out


def compared(name, entry, tool, onednn):
    """[(real row, vramlint's row or None)] of a program."""
    real = unpacked(entry[onednn])
    spans = sorted({(r[0], r[1]) for r in real}, key=lambda s: (s[1] - s[0], s))
    start = {}
    for first, last in reversed(spans):  # The shortest span that has the line.
        start.update({line: first for line in range(first, last + 1)})
    said = [(start[line], alive, peak) for line, alive, peak in predicted(name, tool, onednn)
            if line in start]
    main = driver(name).split("\n").index("int main() {") + 1
    ours, theirs = sections(real, main), sections(said, main)
    theirs += [[]] * (len(ours) - len(theirs))
    return [pair for left, right in zip(ours, theirs)
            for pair in zip(left, paired(left, right))]


def off(real, tool, which):
    """The relative error of alive (1) or peak (2), from the end."""
    if tool is None:
        return float("inf")
    return abs(tool[which] - real[which + 1]) / max(real[which + 1], 1)


def bands(errors):
    """How many are equal, within 0.1 %, 1 %, 5 %, and further off."""
    limits = (-1, 0, 0.001, 0.01, 0.05, float("inf"))
    return [sum(low < e <= high for e in errors) for low, high in zip(limits, limits[1:])]


def figures(rows):
    alive = [off(real, tool, 1) for real, tool in rows]
    peak = [off(real, tool, 2) for real, tool in rows]
    share = lambda errors, most: sum(e <= most for e in errors) / max(len(errors), 1)
    return {"statements": len(rows), "equal": share(alive, 0), "alive": share(alive, 0.01),
            "peak": share(peak, 0.01), "worst_peak": max(peak, default=0),
            "missed": sum(tool is None for _, tool in rows),
            "alive_bands": bands(alive), "peak_bands": bands(peak)}


def problem(f, onednn):
    """The bar that a program misses, or nothing. What oneDNN needs inside an op
    depends on the processor: there the peak is told, not judged."""
    of = f"of {f['statements']} statements{', oneDNN on' if onednn == 'on' else ''}"
    if f["equal"] < 0.95:
        return f"alive bytes equal on {f['equal']:.1%} {of}"
    if f["alive"] < 0.99:
        return f"alive bytes within 1 % on {f['alive']:.1%} {of}"
    if onednn == "on":
        return ""
    if f["peak"] < 0.95:
        return f"peak within 1 % on {f['peak']:.1%} {of}"
    if f["worst_peak"] > 0.05:
        return f"peak off by {f['worst_peak']:.1%} on one {of}"
    return ""


# ---------------------------------------------------------------- testing

def judge(name, entry, tool):
    """(verdict, why, figures by condition) of a program's record."""
    if not entry:
        return "SKIP", f"no record yet; test/oracle/matrix.py record {name}", None
    if entry["source"] != zoo.digest(driver(name)):
        return "FAIL", f"the driver changed; run test/oracle/matrix.py record {name}", None
    found, why = {}, ""
    try:
        for onednn in CONDITIONS:
            if onednn in entry:
                found[onednn] = figures(compared(name, entry, tool, onednn))
                why = why or problem(found[onednn], onednn)
    except (zoo.Problem, ValueError, OSError, subprocess.TimeoutExpired) as error:
        return "FAIL", f"{type(error).__name__}: {error}", None
    known = EXPECTED.get(name)
    if why and known:
        return "XFAIL", f"{known} ({why})", found
    if known:
        return "FAIL", "it meets its bars now: take it out of EXPECTED", found
    return ("FAIL", why, found) if why else ("PASS", "", found)


def remeasured(names, results, record, options):
    """One quick program a day, in turn, is measured again; all with --slow."""
    torch = oracle.libtorch()
    if not torch or torch[2] != record["conditions"].get("libtorch"):
        results.line("SKIP", "matrix/recorded", "the record's LibTorch is not installed")
        return
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    known = [n for n in names if n in record["programs"]]
    if not options.slow:
        quick = [n for n in known if record["programs"][n].get("seconds", 99) <= QUICK_SECONDS]
        today = datetime.date.today().toordinal()
        known = [quick[today % len(quick)]] if quick else []
    for name in known:
        try:
            same = measure(built(name, builder), False) == unpacked(record["programs"][name]["off"])
            why = "" if same else "measured now is not what was recorded"
        except (zoo.Problem, RuntimeError, subprocess.TimeoutExpired) as error:
            why = str(error)
        results.line("FAIL" if why else "PASS", f"matrix/{name}/recorded", why)


def main_test(options):
    results, record = oracle.Results(), load_record()
    names = [n for n in zoo.programs() if re.search(options.filter, f"matrix/{n}")
             and n not in LEFT_OUT]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda n: judge(n, record["programs"].get(n), options.vramlint),
                          names)
        for name, (verdict, why, found) in zip(names, judged):
            results.line(verdict, f"matrix/{name}", why)
            if found:
                rows.append({"program": name, "verdict": verdict, "why": why, **found})
    if options.figures:
        out = Path(options.figures)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps({"conditions": record["conditions"],
                                   "left_out": LEFT_OUT, "programs": rows,
                                   "unrecorded": [n for n in names if n not in
                                                  record["programs"]]}, indent=1))
    if names and not options.recorded:
        remeasured(names, results, record, options)
    return 1 if results.failed else 0


def main_diff(options):
    """The statements on which the two differ, in program order."""
    lines = driver(options.name).split("\n")
    rows = compared(options.name, load_record()["programs"][options.name],
                    options.vramlint, options.onednn)
    for real, tool in rows:
        if options.all or tool is None or tool[1:] != real[2:]:
            said = "missed" if tool is None else \
                f"alive {tool[1] - real[2]:+,} peak {tool[2] - real[3]:+,}"
            print(f"{real[0]:5} {real[2]:14,} {real[3]:14,}  {said:40} "
                  f"{lines[real[0] - 1].strip()[:90]}")
    print(figures(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(oracle.ROOT / "build/oracle"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("record")
    verb.add_argument("name", nargs="*")
    verb.set_defaults(work=main_record)
    verb = verbs.add_parser("test")
    verb.add_argument("--vramlint", required=True)
    verb.add_argument("--filter", default="")
    verb.add_argument("--figures", help="write the figures to this file as JSON")
    verb.add_argument("--recorded", action="store_true", help="measure nothing again")
    verb.add_argument("--slow", action="store_true", help="measure all again")
    verb.set_defaults(work=main_test)
    verb = verbs.add_parser("diff")
    verb.add_argument("name")
    verb.add_argument("--vramlint", required=True)
    verb.add_argument("--all", action="store_true", help="the others too")
    verb.set_defaults(work=main_diff)
    for verb in ("record", "diff"):
        verbs.choices[verb].add_argument("--onednn", choices=CONDITIONS, default="off")
    verb = verbs.add_parser("driver")
    verb.add_argument("name")
    verb.set_defaults(work=lambda options: print(driver(options.name), end=""))
    options = parser.parse_args()
    sys.exit(options.work(options) or 0)


if __name__ == "__main__":
    main()
