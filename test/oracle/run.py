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
    names = [c["name"] for c in oracle.cases()
             if re.search(args.filter.split("/")[0].split(".")[0], c["name"])]
    command = [sys.executable, str(HERE / "oracle.py"),
               "--build", str(build / "test/oracle"), "test",
               "--vramlint", str(tools[0]),
               "--figures", str(build / "test/oracle/accuracy.json")]
    for name in names:
        command += ["--case", name]
    command += ["--slow"] * args.slow + ["--verbose"] * args.verbose
    status = 0
    if names:
        status = subprocess.run(command).returncode
        command = [sys.executable, str(HERE / "vary.py"), "--vramlint", str(tools[0]),
                   "--build", str(build / "test/oracle")]
        for name in names:
            command += ["--case", name]
        status = max(status, subprocess.run(command).returncode)
    command = [sys.executable, str(HERE / "zoo.py"), "--build",
               str(build / "test/oracle"), "test", "--vramlint", str(tools[0]),
               "--filter", args.filter]
    status = max(status, subprocess.run(command).returncode)
    command = [sys.executable, str(HERE / "matrix.py"), "--build",
               str(build / "test/oracle"), "test", "--vramlint", str(tools[0]),
               "--filter", args.filter,
               "--figures", str(build / "test/oracle/matrix.json")]
    command += ["--slow"] * args.slow
    status = max(status, subprocess.run(command).returncode)
    status = max(status, random_programs(build, tools[0], ["test", "--filter", args.filter]))
    if re.search(args.filter, "gpu/"):
        command = [sys.executable, str(HERE / "gpu.py"), "--vramlint", str(tools[0]),
                   "--build", str(build / "test/oracle")] + ["--slow"] * args.slow
        status = max(status, subprocess.run(command).returncode)
    return status


def random_programs(build, tool, verb):
    command = [sys.executable, str(HERE / "random/run.py"), "--build", str(build / "test/oracle"),
               *verb, "--vramlint", str(tool)]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
