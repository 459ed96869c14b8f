#!/usr/bin/env python3
"""Formats our C++ with clang-format; ./x ready runs it.

  tool/dev/format.py [--check] [--all]

Without --all only the files that differ from the last commit on main, or that
git doesn't know yet.
"""

import argparse
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import project  # noqa: E402


def changed():
    names = set()
    for command in (["diff", "--name-only", "HEAD"],
                    ["diff", "--name-only", "origin/main...HEAD"],
                    ["ls-files", "-o", "--exclude-standard"]):
        run = subprocess.run(["git", "-C", project.ROOT, *command], text=True,
                             capture_output=True)
        names |= set(run.stdout.splitlines())
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    tool = next((t for t in ("clang-format-19", "clang-format") if shutil.which(t)), None)
    if not tool:
        sys.exit("clang-format is missing; run ./x setup")
    own = [f for f in project.files()
           if f.endswith((".cpp", ".h")) and
           f.startswith(("lib/", "checks/", "tool/", "test/unit/"))]
    names = own if args.all else [f for f in own if f in changed()]
    if not names:
        return
    options = ["--dry-run", "--Werror"] if args.check else ["-i"]
    run = subprocess.run([tool, *options, *names], cwd=project.ROOT)
    sys.exit(run.returncode)


main()
