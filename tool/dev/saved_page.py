#!/usr/bin/env python3
"""docs/generated/saved-bytes.md: which rows' bytes kept for backward were measured."""

import json
import re

import project
import random_page

CASES = "test/oracle/ops/cases/"


def event_cases():
    """The rows of the op cases that run backward: every allocation and release agrees."""
    names = set()
    known = set()
    for line in project.read("test/oracle/ops/expected-failures.txt").splitlines():
        known |= {line.split(" ", 1)[0]} if line and line[0] != "#" else set()
    for path in project.files():
        if not path.startswith(CASES):
            continue
        for case in re.split(r"^case ", project.read(path), flags=re.M)[1:]:
            if case.split("\n", 1)[0] not in known and "\nbackward" in case:
                names |= set(re.findall(r"^(?:[\w, ]+ = )?([a-z_]\w*)(?:\.\w+)? \w+=", case, re.M))
    return names


def shape_cases():
    """(measured with a node, measured and without one): rows of the shape cases."""
    differ = set(project.read("test/oracle/shapes/expected-failures.txt").splitlines())
    lines = project.read("test/oracle/shapes/recorded.txt").splitlines()
    kept, free = set(), set()
    for call, result in zip(lines, lines[1:]):
        parts = result[3:].split(" | ")
        if call.startswith(" ") or not result.startswith(" = ") or len(parts) < 3 or call in differ:
            continue
        name = call.removeprefix("? ").split(" ", 1)[0].split(".")[0]
        (free if parts[2].startswith("none") else kept).add(name)
    return kept, free - kept


def page(rows):
    events, (kept, free) = event_cases(), shape_cases()
    programs = json.loads(project.read("test/oracle/random/figures.json"))["rows"]
    known = random_page.known_to_differ()
    groups = [("Forward and backward agree with LibTorch's event by event, or alive and at the peak", lambda n: n in events),
              ("Bytes alive after the call with gradients agree", lambda n: n in kept),
              ("Measured: LibTorch makes no node, so nothing is kept", lambda n: n in free),
              ("Bytes alive agree in random programs alone", lambda n: n in programs)]
    left, text = list(rows["op"]), ""
    for title, holds in groups:
        some = [n for n in left if holds(n)]
        left = [n for n in left if not holds(n)]
        text += f"\n## {title} ({len(some)})\n\n" + " ".join(f"`{n}`" for n in some) + "\n"
    reasons = {}
    for name in left:
        reasons.setdefault(random_page.reason(name, known), []).append(name)
    text += f"\n## Unproven ({len(left)})\n"
    for why, some in sorted(reasons.items()):
        text += f"\n{why[0].upper() + why[1:]} ({len(some)}): {' '.join(f'`{n}`' for n in some)}\n"
    return (f"What autograd keeps for backward, measured with LibTorch 1.13 for each of "
            f"{len(rows['op'])} op rows and compared to the byte (`test/oracle/ops`, "
            f"`test/oracle/shapes`, `test/oracle/random`); {len(rows['op']) - len(left)} are "
            "proven. A module keeps what the ops of its forward keep.\n" + text)
