#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a random LibTorch program.

  generate.py SEED        prints the program of a seed

The same seed yields the same text everywhere. A program is a namespace pSEED with
functions, classes and run(): at least ten ops, two scopes, one backward.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import arrange  # noqa: E402,F401
import layers  # noqa: E402,F401
import listed  # noqa: E402
import linear  # noqa: E402,F401
import modules  # noqa: E402,F401
import pointwise  # noqa: E402,F401
import reduce  # noqa: E402,F401
import views  # noqa: E402,F401
from program import Program, Refused  # noqa: E402
from statements import attempt, backward, block, body  # noqa: E402

OPS_MIN, OPS_MAX = 12, 26


def program(seed):
    p = Program(seed)
    body(p, 4)
    block(p)
    name = listed.due(seed)  # The call whose turn it is.
    attempt(p, lambda: listed.listed(p, name))
    body(p, p.rng.between(OPS_MIN, OPS_MAX))
    while True:
        try:
            backward(p)
            break
        except Refused:
            p.fresh(p.some_shape(), grad=True)
    body(p, p.ops + 2)
    lines = [f"namespace p{seed} {{", *p.before, "void run() {", *p.lines, "}",
             f"}} // namespace p{seed}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(program(int(sys.argv[1])))
