#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random LibTorch programs: what each does to memory, statement by statement, with
real LibTorch and as vramlint says. Without any tolerance.

  run.py record
      measures the seeds and the kept programs that ./x test compares
  run.py test --vramlint PATH [--filter PATTERN]
      compares vramlint with the record, and measures some of it again
  run.py sweep N --vramlint PATH [--first SEED] [--figures FILE]
      measures and compares N seeds, 50 to a file: 2,000 take half an hour;
      ./x accuracy --random N does so and writes figures.json
  run.py show PROGRAM --vramlint PATH
      a seed, or a file with one program: its statements and their allocations

A program is equal when, after each statement, as many bytes are alive as were
measured, and the highest inside it is the same. If it calls ops whose rows say that
temporaries of the kernel are bounded and not counted, it is an estimate: alive is the
same, and the highest lies within the bound. A program that once differed for a reason
of its own is kept in kept/, as small as it still shows it.
"""
import argparse
import collections
import datetime
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import generate  # noqa: E402
import harness  # noqa: E402
from harness import oracle  # noqa: E402

RECORD = harness.HERE / "recorded.json"
KEPT = harness.HERE / "kept"
SEEDS = range(1, 101)   # What ./x test compares.
PER_FILE = 50           # More make the compiler slow.
AGAIN = 3               # Programs that ./x test measures again, others each day.
EQUAL, ESTIMATE, DIFFERS = "equal", "estimate", "differs"


def seed_program(seed):
    return f"p{seed}", generate.program(seed)


def kept_programs():
    """[(name, text)]; a file's comments say what was wrong."""
    found = []
    for path in sorted(KEPT.glob("*.cpp")):
        text = path.read_text()
        found.append((path.stem, text[text.index(f"namespace {path.stem} {{"):]))
    return found


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# ---------------------------------------------------------------- verdicts

def compare(measured, predicted):
    """(verdict, why) of one program. measured: [[line, alive, peak]]."""
    statements, _, problems = predicted
    if problems:
        return DIFFERS, f"vramlint: {problems[0]}"
    said = harness.only(statements, {s[0] for s in measured})
    why = harness.difference(measured, said)
    if why:
        return DIFFERS, why
    return (ESTIMATE if any(s[4] for s in said) else EQUAL), ""


def judged(programs, measured, threw, predicted):
    """[(name, text, verdict, why)]."""
    for name, text in programs:
        if name in threw:
            yield name, text, DIFFERS, f"no valid program: {threw[name]}"
            continue
        verdict, why = compare(measured.get(name, []), predicted[name])
        yield name, text, verdict, why


def pieces(programs):
    for at in range(0, len(programs), PER_FILE):
        yield programs[at:at + PER_FILE]


def measured_all(programs, builder):
    found, threw = {}, {}
    for piece in pieces(programs):
        some, bad = harness.measure(harness.File(piece), builder)
        found.update({n: [s[:3] for s in stmts] for n, stmts in some.items()})
        threw.update(bad)
    return found, threw


def predicted_all(programs, tool):
    torch = oracle.libtorch()
    found = {}
    for piece in pieces(programs):
        found.update(harness.predict(tool, piece, oracle.COMPILERS[0],
                                     torch[0] if torch else []))
    return found


# ---------------------------------------------------------------- the record

def packed(statements):
    return " ".join(":".join(str(n) for n in s) for s in statements)


def unpacked(text):
    return [[int(n) for n in s.split(":")] for s in text.split()]


def recorded_programs():
    return [seed_program(s) for s in SEEDS] + kept_programs()


def main_record(options):
    if not oracle.libtorch():
        sys.exit("random: no LibTorch found; install libtorch-dev")
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    programs = recorded_programs()
    measured, threw = measured_all(programs, builder)
    if threw:
        sys.exit(f"random: not valid: {threw}")
    conditions = {"libtorch": builder.version, "device": "cpu", "threads": 1,
                  "onednn": False,
                  "compiler": oracle.compiler_version(builder.compiler)}
    lines = [f'"{name}": {{"source": "{digest(text)}", "statements": '
             f'"{packed(measured[name])}"}}' for name, text in programs]
    RECORD.write_text('{\n"conditions": %s,\n"programs": {\n%s\n}\n}\n' %
                      (json.dumps(conditions), ",\n".join(lines)))
    print(f"random: {len(programs)} programs recorded")
    return 0


def title(name):
    return f"random/{name[1:] if name[1:].isdigit() else name}"


def stale(record, programs):
    for name, text in programs:
        entry = record["programs"].get(name)
        if not entry or entry["source"] != digest(text):
            return name
    return ""


def main_test(options):
    results = oracle.Results()
    programs = [(n, t) for n, t in recorded_programs()
                if re.search(options.filter, title(n))]
    if not programs:
        return 0
    record = json.loads(RECORD.read_text())
    torch = oracle.libtorch()
    if torch and not oracle.same_release(record, torch):
        results.line("SKIP", "random", f"the record is of LibTorch "
                     f"{record['conditions']['libtorch']}, here is {torch[2]}")
        return 0
    if stale(record, programs):
        results.line("FAIL", title(stale(record, programs)),
                     "the program changed; run test/oracle/random/run.py record")
        return 1
    measured = {n: unpacked(record["programs"][n]["statements"]) for n, _ in programs}
    predicted = predicted_all(programs, options.vramlint)
    for name, text, verdict, why in judged(programs, measured, {}, predicted):
        results.line("FAIL" if verdict == DIFFERS else "PASS", title(name),
                     described(text, why) if why else "")
    if torch:
        measured_again(results, programs, measured, options.build)
    return 1 if results.failed else 0


def measured_again(results, programs, measured, build):
    """Some programs, others each day."""
    today = datetime.date.today().toordinal() * AGAIN
    some = [programs[(today + i) % len(programs)] for i in range(min(AGAIN, len(programs)))]
    try:
        now, threw = measured_all(some, oracle.Builder(oracle.COMPILERS[0], build))
    except (RuntimeError, harness.Problem, subprocess.TimeoutExpired) as error:
        results.line("FAIL", "random/recorded", str(error))
        return
    for name, _ in some:
        same = name not in threw and now[name] == measured[name]
        results.line("PASS" if same else "FAIL", f"{title(name)}/recorded",
                     "" if same else threw.get(name, "measured otherwise now"))


def described(text, why):
    if isinstance(why, str):
        return why
    line, what = why
    return f"{what}, after `{text.splitlines()[line].strip()}`"


# ---------------------------------------------------------------- many seeds

CLASS = re.compile(r"\b(?:nn|optim)::([A-Z]\w*?)(?:Options)?\b")


def called(text, ops):
    """The rows of ops, modules and optimizers that a program calls."""
    return {o for o in ops if not o[0].isupper()} | set(CLASS.findall(text))


def main_sweep(options):
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    counts, rows = collections.Counter(), collections.Counter()
    seeds = range(options.first, options.first + options.count)
    for piece in pieces([seed_program(s) for s in seeds]):
        predicted = predicted_all(piece, options.vramlint)
        measured, threw = measured_all(piece, builder)
        for name, text, verdict, why in judged(piece, measured, threw, predicted):
            counts[verdict] += 1
            if verdict == DIFFERS:
                print(f"{name}: {described(text, why)}", flush=True)
            rows.update(called(text, predicted[name][1]))
    figures = {"libtorch": builder.version, "seeds": options.count, "first": options.first,
               **{v: counts[v] for v in (EQUAL, ESTIMATE, DIFFERS)},
               "rows": dict(sorted(rows.items()))}
    print(f"{options.count} programs: {counts[EQUAL]} equal to the byte, "
          f"{counts[ESTIMATE]} estimates, {counts[DIFFERS]} differ; "
          f"{len(rows)} rows")
    if options.figures:
        Path(options.figures).write_text(json.dumps(figures) + "\n")
    return 1 if counts[DIFFERS] else 0


def main_show(options):
    if options.program.isdigit():
        name, text = seed_program(int(options.program))
    else:
        text = Path(options.program).read_text()
        name = harness.NAMESPACE.search(text).group(1)
        text = text[text.index(f"namespace {name} {{"):]
    file = harness.File([(name, text)])
    predicted = predicted_all([(name, text)], options.vramlint)[name]
    measured, threw = harness.measure(file, oracle.Builder(oracle.COMPILERS[0], options.build))
    real = measured.get(name, [])
    said = harness.only(predicted[0], {s[0] for s in real})
    lines = text.splitlines()
    for problem in predicted[2] + list(threw.values()):
        print(f"!! {problem}")
    for i, (line, alive, peak, sizes, _) in enumerate(real):
        other = said[i] if i < len(said) else [0, 0, 0, [], 0]
        same = [line, alive, peak] == other[:3]
        print(f"{' ' if same else '!'} {alive:>9} {peak:>9}  {lines[line]}")
        if not same or options.all:
            print(f"      measured {' '.join(sizes)}")
            print(f"      vramlint {' '.join(other[3])} -> {other[1]} {other[2]}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(oracle.ROOT / "build/oracle"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("record").set_defaults(work=main_record)
    verb = verbs.add_parser("test")
    verb.set_defaults(work=main_test)
    verb.add_argument("--filter", default="")
    verb = verbs.add_parser("sweep")
    verb.set_defaults(work=main_sweep)
    verb.add_argument("count", type=int)
    verb.add_argument("--first", type=int, default=1)
    verb.add_argument("--figures")
    verb = verbs.add_parser("show")
    verb.set_defaults(work=main_show)
    verb.add_argument("program")
    verb.add_argument("--all", action="store_true", help="allocations of all statements")
    for name in ("test", "sweep", "show"):
        verbs.choices[name].add_argument("--vramlint", required=True)
    options = parser.parse_args()
    sys.exit(options.work(options) or 0)


if __name__ == "__main__":
    main()
