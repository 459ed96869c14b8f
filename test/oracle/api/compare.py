#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What vramlint knows of each SHOW(…) of a program against what real LibTorch had.

  compare.py SOURCE RECORDED [--known FILE] < the output of vramlint --dump-trace SOURCE

RECORDED is the output of the compiled program. The lines of FILE ("what SHOW has
in its parentheses   # reason") are known to differ. Exits with 1 if anything else
does, or if a known one agrees.
"""
import re
import sys
from pathlib import Path


def shown(source):
    """{line number: the expression} of each SHOW."""
    lines = Path(source).read_text(encoding="utf-8").splitlines()
    return {i: m.group(1) for i, line in enumerate(lines, 1)
            if (m := re.match(r"\s*SHOW\((.*)\);$", line))}


def recorded(path):
    pairs = (line.split(" ", 1) for line in
             Path(path).read_text(encoding="utf-8").splitlines())
    return {int(number): text for number, text in pairs}


def revealed(text, source):
    name = re.escape(Path(source).name)
    return {int(m.group(1)): m.group(2) for m in
            re.finditer(rf"^\s*reveal \S*{name}:(\d+):\d+:? (.*)$", text, re.M)}


def known(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines() if path else []
    texts = (line.split("   #")[0].strip() for line in lines if not line.startswith("#"))
    return {text for text in texts if text}


def main():
    source, record = sys.argv[1:3]
    expected = known(sys.argv[4] if len(sys.argv) > 4 else None)
    want, got = recorded(record), revealed(sys.stdin.read(), source)
    bad = 0
    for line, text in shown(source).items():
        if line not in want:
            print(f"{source}:{line}: not recorded: {text}")
            bad = 1
            continue
        same = want[line] == got.get(line) or \
            (want[line] == "refused" and "?" in got.get(line, "?"))
        if same == (text in expected):
            bad = 1
            print(f"{source}:{line}: {text}\n    LibTorch: {want[line]}\n"
                  f"    vramlint: {got.get(line, 'nothing')}"
                  + ("\n    agrees now: take it out of the list" if same else ""))
    return bad


if __name__ == "__main__":
    sys.exit(main())
