#!/usr/bin/env python3
"""Tries what docs/ci.md and action.yml tell people to copy.

usage: ci_docs.py ROOT VRAMLINT

YAML must parse, and vramlint must take every command line in it.
"""

import pathlib
import re
import shlex
import subprocess
import sys

import yaml

root, tool = pathlib.Path(sys.argv[1]), sys.argv[2]


def scripts(value):
    """All texts below \\p value that a shell runs."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("run", "script", "before_script"):
                yield from [below] if isinstance(below, str) else below
            else:
                yield from scripts(below)
    elif isinstance(value, list):
        for below in value:
            yield from scripts(below)


texts = re.findall(r"```yaml\n(.*?)```", (root / "docs/ci.md").read_text(), re.S)
texts.append((root / "action.yml").read_text())
tried = 0
for text in texts:
    for script in scripts(yaml.safe_load(text)):
        for line in script.splitlines():
            if not line.strip().startswith("vramlint "):
                continue
            words = [w for w in shlex.split(line)[1:] if not w.startswith("$")]
            if words[-1] == "--output":  # Its value was a variable.
                words.append("x")
            words = [w if w != "--output" or not words[i + 1].startswith("-") else "--quiet"
                     for i, w in enumerate(words[:-1])] + words[-1:]
            run = subprocess.run([tool, *words, "--help"], text=True, capture_output=True)
            if run.returncode:
                sys.exit(f"{line.strip()}\n{run.stderr}")
            tried += 1
print(f"{len(texts)} files, {tried} command lines")
