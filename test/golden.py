#!/usr/bin/env python3
"""Compares what a command prints with a golden file; ./x update rewrites it.

  %golden FILE [--stderr] -- COMMAND...

The command's exit status must be 0 or 1 (findings). Paths below the project's
root are printed as $ROOT, so that a golden file holds on every machine.
"""

import argparse
import difflib
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True)
    parser.add_argument("--stderr", action="store_true",
                        help="compare the closing lines too")
    parser.add_argument("file")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ["--"] else args.command

    run = subprocess.run(command, text=True, capture_output=True)
    if run.returncode not in (0, 1):
        print(run.stdout, run.stderr, sep="\n")
        sys.exit(f"{command[0]} failed with status {run.returncode}")
    got = run.stdout + (run.stderr if args.stderr else "")
    got = got.replace(args.root, "$ROOT")

    if os.environ.get("VRAMLINT_UPDATE"):
        with open(args.file, "w", encoding="utf-8") as out:
            out.write(got)
        return
    want = ""
    if os.path.exists(args.file):
        with open(args.file, encoding="utf-8") as file:
            want = file.read()
    if want == got:
        return
    sys.stdout.writelines(difflib.unified_diff(
        want.splitlines(True), got.splitlines(True), args.file, "now"))
    sys.exit(f"{args.file} differs; if the new output is right: ./x update")


main()
