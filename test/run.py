#!/usr/bin/env python3
"""Runs every test of a build and sums up; ./x test calls it.

  test/run.py --build-dir DIR [--kinds unit,lit,oracle] [FILTER]

A test's name is unit/<layer>/<Suite>.<Test>, lit/<path> or oracle/<name>; FILTER
is a regular expression searched in it. The last line is always
"N passed, N failed, N skipped". Expected failures are counted and named in the
lines before; they are neither passed nor failed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ("unit", "lit", "oracle")
# No single program of ours may hang the run.
UNIT_SECONDS_MAX = 600
# hosts/parity.test sends every check's tests through clang-tidy: 5 minutes on two cores.
LIT_TEST_SECONDS_MAX = 1800


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.expected = 0, [], [], []

    def add(self, name, status, detail=""):
        if status == "PASS":
            self.passed += 1
            return
        {"FAIL": self.failed, "SKIP": self.skipped,
         "XFAIL": self.expected}[status].append((name, detail))
        if status == "FAIL":
            print(f"FAIL: {name}", flush=True)
            if detail:
                print(re.sub(r"^", "    ", detail.rstrip(), flags=re.M),
                      flush=True)

    def close(self):
        for title, items in (("skipped", self.skipped),
                             ("expected failures", self.expected),
                             ("failed", self.failed)):
            if items:
                print(f"\n{title} ({len(items)}):")
            for name, detail in items:
                reason = detail.strip().splitlines()[0] if detail.strip() else ""
                reason = "" if title == "failed" else reason
                print(f"  {name}" + (f": {reason}" if reason else ""))
        print()
        if self.expected:
            print(f"{len(self.expected)} expected failures")
        print(f"{self.passed} passed, {len(self.failed)} failed, "
              f"{len(self.skipped)} skipped", flush=True)
        return 1 if self.failed or self.passed == 0 else 0


class Timer:
    """Prints how long one kind of tests took."""

    def __init__(self, title):
        self.title = title

    def __enter__(self):
        print(f"== {self.title}", flush=True)
        self.start = time.time()

    def __exit__(self, *_):
        print(f"== {self.title}: {time.time() - self.start:.0f} s", flush=True)


# ---- GoogleTest

def gtest_names(program):
    run = subprocess.run([program, "--gtest_list_tests"], text=True,
                         capture_output=True, timeout=UNIT_SECONDS_MAX)
    names, suite = [], ""
    for line in run.stdout.splitlines():
        line = line.split("#")[0].rstrip()
        if line.endswith(".") and not line.startswith(" "):
            suite = line
        elif line.startswith("  "):
            names.append(suite + line.strip())
    return names


def gtest_report(tally, prefix, report):
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{prefix}/{suite['name']}.{case['name']}"
            failures = case.get("failures", [])
            if failures:
                tally.add(name, "FAIL",
                          "\n".join(f.get("failure", "") for f in failures))
            elif case.get("status") == "NOTRUN":
                continue
            elif case.get("result") == "SKIPPED":
                tally.add(name, "SKIP", "skipped by the test itself")
            else:
                tally.add(name, "PASS")


def run_program(tally, args, layer, program):
    if not os.path.exists(program):
        tally.add(f"{layer}/{os.path.basename(program)}", "FAIL",
                  f"{program} isn't built")
        return
    options = []
    if args.filter:
        names = [n for n in gtest_names(program)
                 if re.search(args.filter, f"{layer}/{n}")]
        if not names:
            return
        options = ["--gtest_filter=" + ":".join(names)]
    output = program + ".json"
    if os.path.exists(output):
        os.unlink(output)
    try:
        run = subprocess.run([program, f"--gtest_output=json:{output}",
                              "--gtest_brief=1", *options], text=True,
                             capture_output=True, errors="replace",
                             timeout=UNIT_SECONDS_MAX)
        status, text = run.returncode, run.stdout + run.stderr
    except subprocess.TimeoutExpired:
        status, text = -1, f"no end after {UNIT_SECONDS_MAX} s"
    if os.path.exists(output):
        with open(output, encoding="utf-8", errors="replace") as file:
            gtest_report(tally, layer, json.load(file))
    # A crash leaves no report; a failure is in it.
    if status not in (0, 1) or not os.path.exists(output):
        tally.add(f"{layer}/{os.path.basename(program)}", "FAIL",
                  f"ended with status {status}\n{text[-4000:]}")


def known_differences(tally, args):
    """What the unit tests know to differ from LibTorch: "name reason" a line."""
    path = os.path.join(ROOT, "test", "oracle", "ops", "expected-failures.txt")
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    for line in lines:
        name, _, reason = line.partition(" ")
        if name and not name.startswith("#") and \
           re.search(args.filter, f"unit/torch/{name}"):
            tally.add(f"unit/torch/{name}", "XFAIL", reason.lstrip("# "))


def run_unit(tally, args):
    path = os.path.join(args.build_dir, "test", "unit-tests.json")
    with open(path, encoding="utf-8") as file:
        for entry in json.load(file):
            run_program(tally, args, entry["layer"], entry["path"])
    known_differences(tally, args)


# ---- lit

def find_lit(build_dir):
    site = os.path.join(build_dir, "test", "lit.site.cfg.py")
    with open(site, encoding="utf-8") as file:
        tools = re.search(r'llvm_tools_dir = r"(.*)"', file.read()).group(1)
    lit = os.path.join(tools, "..", "build", "utils", "lit", "lit.py")
    if os.path.exists(lit):
        return [sys.executable, lit]
    return [sys.executable, "-m", "lit.main"]


def run_lit(tally, args):
    report = os.path.join(args.build_dir, "test", "lit-report.json")
    if os.path.exists(report):
        os.unlink(report)
    command = [*find_lit(args.build_dir), "-q", "--ignore-fail",
               "--show-skipped", f"-j{args.jobs}", "--output", report,
               "--allow-empty-runs", os.path.join(args.build_dir, "test")]
    environment = dict(os.environ)
    run = subprocess.run(command + (["--filter", lit_filter(args.filter)]
                                    if args.filter else []),
                         text=True, capture_output=True, env=environment)
    if not os.path.exists(report):
        tally.add("lit", "FAIL", run.stdout + run.stderr)
        return
    with open(report, encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        name = "lit/" + test["name"].split(" :: ", 1)[-1]
        if args.filter and not re.search(args.filter, name):
            continue
        code, output = test["code"], test.get("output", "")
        if code in ("PASS", "FLAKYPASS"):
            tally.add(name, "PASS")
        elif code == "UNSUPPORTED":
            tally.add(name, "SKIP", output or "a feature is missing")
        elif code == "XFAIL":
            tally.add(name, "XFAIL", "fails today as its XFAIL line says")
        elif code in ("EXCLUDED", "SKIPPED"):
            continue
        else:
            tally.add(name, "FAIL", f"{code}\n{output}")


def lit_filter(pattern):
    """lit's names start "vramlint :: "; ours start "lit/"."""
    return re.sub(r"^\^?lit/", "", pattern) or "."


# ---- the oracle

def run_oracle(tally, args):
    script = os.path.join(ROOT, "test", "oracle", "run.py")
    if not os.path.exists(script):
        return
    command = [sys.executable, script, "--build-dir", args.build_dir]
    if args.filter:
        command += ["--filter", re.sub(r"^\^?oracle/", "", args.filter)]
    process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, errors="replace")
    context, seen = [], 0
    for line in process.stdout:
        match = re.match(r"(PASS|FAIL|XFAIL|SKIP): ([^\s:]+)(?:: ?(.*))?$",
                         line.rstrip())
        if not match:
            context.append(line)
            continue
        seen += 1
        status, name, reason = match.groups()
        detail = reason or ""
        if status == "FAIL":
            detail = "".join(context[-20:]) + detail
        tally.add(f"oracle/{name}", status, detail)
        context = []
    status = process.wait()
    if status != 0 and (status != 1 or not seen):
        tally.add("oracle", "FAIL",
                  f"run.py ended with status {status}\n" + "".join(context[-40:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("filter", nargs="?", default="")
    args = parser.parse_args()
    args.build_dir = os.path.abspath(args.build_dir)
    kinds = args.kinds.split(",")
    tally = Tally()
    for kind, title, run in (("unit", "unit tests (GoogleTest)", run_unit),
                             ("lit", "lit tests", run_lit),
                             ("oracle", "oracle: real LibTorch", run_oracle)):
        prefix = args.filter.lstrip("^").split("/")[0]
        if kind not in kinds or (prefix in KINDS and prefix != kind):
            continue
        with Timer(title):
            run(tally, args)
    sys.exit(tally.close())


if __name__ == "__main__":
    main()
