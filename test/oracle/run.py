#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ./x test and ./x accuracy call: the whole comparison with real LibTorch.

  run.py --build-dir DIR [--filter PATTERN] [--slow] [--verbose] [--random N]

Prints `PASS: name`, `FAIL: name: why`, `XFAIL: name: why` or `SKIP: name: why`
for each case and writes all figures to DIR/test/oracle/accuracy.json and
matrix.json. Without LibTorch the recorded measurements are compared instead.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import oracle  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--random", type=int, metavar="N",
                        help="N random programs and nothing else, measured now")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    build = Path(args.build_dir).resolve()
    tools = [p for p in (build / "bin/vramlint", build / "tool/vramlint/vramlint",
                         build / "tool/vramlint") if p.is_file()]
    if not tools:
        print("SKIP: programs: vramlint is not built")
        return 0
    if args.random:
        return random_programs(build, tools[0], ["sweep", str(args.random), "--figures",
                                                   str(HERE / "random/figures.json")])
    # Most of it waits for a compiler: two at once.
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        return max(pool.map(run_all, commands(args, build, tools[0])))


def commands(args, build, tool):
    """Lists of commands; those of one list run one after the other."""
    folder = ["--build", str(build / "test/oracle")]
    vramlint = ["--vramlint", str(tool)]
    names = [c["name"] for c in oracle.cases()
             if re.search(args.filter.split("/")[0].split(".")[0], c["name"])]
    cases = [word for name in names for word in ("--case", name)]
    slow = ["--slow"] * args.slow
    programs = [
        ["oracle.py", *folder, "test", *vramlint, "--figures",
         str(build / "test/oracle/accuracy.json"), *cases, *slow,
         *["--verbose"] * args.verbose],
        ["vary.py", *vramlint, *folder, *cases]] if names else []
    others = [
        ["zoo.py", *folder, "test", *vramlint, "--filter", args.filter],
        ["matrix.py", *folder, "test", *vramlint, "--filter", args.filter,
         "--figures", str(build / "test/oracle/matrix.json"), *slow],
        ["random/run.py", *folder, "test", "--filter", args.filter, *vramlint]]
    if re.search(args.filter, "gpu/"):
        others.append(["gpu.py", *vramlint, *folder, *slow])
    return [programs, others]


def run_all(chain):
    status = 0
    for script, *words in chain:
        done = subprocess.run([sys.executable, str(HERE / script), *words],
                              stdout=subprocess.PIPE, text=True, check=False)
        # One print a command: lines of two that run at once must not mix.
        print(done.stdout, end="", flush=True)
        status = max(status, done.returncode)
    return status


def random_programs(build, tool, verb):
    command = [sys.executable, str(HERE / "random/run.py"), "--build", str(build / "test/oracle"),
               *verb, "--vramlint", str(tool)]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
