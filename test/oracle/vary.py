#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Widths, depths and class counts at random: what does real LibTorch count then?

  vary.py --vramlint PATH [--seed N] [--count N] [--case NAME] [--keep DIR]

Copies the programs of test/models, changes their numbers, builds each with real
LibTorch up to the place where its model stands, and compares the parameters
with `vramlint summary` on the same copy. Seeded: the same seed gives the same
programs everywhere.
"""
import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import compare  # noqa: E402
import oracle  # noqa: E402
from instrument import Instrumenter  # noqa: E402

STOP = " { oracle::Session done; } std::_Exit(0);"


def vary_mnist(pick):
    a, b, h, c = pick(3, 40), pick(3, 60), pick(8, 200), pick(2, 200)
    return {"train.cpp": [
        ("Conv2dOptions(1, 10,", f"Conv2dOptions(1, {a},"),
        ("Conv2dOptions(10, 20,", f"Conv2dOptions({a}, {b},"),
        ("fc1(320, 50), fc2(50, 10)", f"fc1({b * 16}, {h}), fc2({h}, {c})"),
        ("view({-1, 320})", f"view({{-1, {b * 16}}})")]}


def vary_dcgan(pick):
    return {"dcgan.cpp": [
        ("noise = 100", f"noise = {pick(5, 300)}"),
        ("features = 64", f"features = {pick(2, 96)}"),
        ("channels = 3", f"channels = {pick(1, 5)}")]}


def vary_resnet(pick):
    widths = [8 * pick(1, 20) for _ in range(4)]
    depths = ", ".join(str(pick(1, 4)) for _ in range(4))
    header = [("conv_options(3, 64, 7, 2, 3)), bn1(64), fc(512 *",
               f"conv_options(3, {widths[0]}, 7, 2, 3)), bn1({widths[0]}), fc({widths[3]} *"),
              ("int64_t inplanes = 64;", f"int64_t inplanes = {widths[0]};")]
    header += [(f"_make_layer({old},", f"_make_layer({new},")
               for old, new in zip((64, 128, 256, 512), widths)]
    return {"resnet.h": header,
            "resnet.cpp": [("{2, 2, 2, 2}", "{" + depths + "}"),
                           ("{3, 4, 6, 3}", "{" + depths + "}")],
            "main.cpp": [("kClasses = 1000", f"kClasses = {pick(2, 2000)}")]}


def vary_vgg(pick):
    layers, width = [], 0
    for _ in range(5):
        for _ in range(pick(1, 3)):
            width = 4 * pick(1, 40)
            layers.append(str(width))
        layers.append("kPool")
    h1, h2 = pick(16, 900), pick(16, 900)
    old = ("Layers{64, 64, kPool, 128, 128, kPool, 256, 256, 256, kPool,\n"
           "                    512, 512, 512, kPool, 512, 512, 512, kPool}")
    return {"vgg.h": [(old, "Layers{" + ", ".join(layers) + "}"),
                      ("Linear(512 * 7 * 7, 4096)", f"Linear({width} * 7 * 7, {h1})"),
                      ("Linear(4096, 4096)", f"Linear({h1}, {h2})"),
                      ("Linear(4096, num_classes)", f"Linear({h2}, num_classes)")],
            "train.cpp": [("num_classes = 1000", f"num_classes = {pick(2, 2000)}")]}


VARIATIONS = {"mnist": vary_mnist, "dcgan": vary_dcgan, "resnet18": vary_resnet,
              "resnet50": vary_resnet, "vgg16": vary_vgg}


def copies(case, edits):
    """The case's files with the edits; each edit must apply."""
    folder = oracle.MODELS / Path(case["sources"][0]).parent
    files = {p.name: p.read_text() for p in sorted(folder.iterdir())
             if p.suffix in (".h", ".cpp")}
    for name, changes in edits.items():
        for old, new in changes:
            if old not in files[name]:
                raise RuntimeError(f"{name} has no `{old}` any more; mend vary.py")
            files[name] = files[name].replace(old, new)
    return files


def measure_models(case, files, builder):
    """What real LibTorch counts at the case's model hooks; runs no further."""
    hooks = [h for h in case["hooks"] if "::model(" in h[2]]
    instrumented = {}
    for name, text in files.items():
        here = [(h[1], h[2] + (STOP if h is hooks[-1] else "")) for h in hooks
                if h[0] == name]
        worker = Instrumenter(text, name, {}, here, [], [])
        instrumented[name] = worker.run()
    program = builder.build(instrumented, [])
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.json"
        done = oracle.run([str(program), *case["args"]], cwd=scratch, timeout=300,
                          env=dict(os.environ, ORACLE_OUT=str(out), OMP_NUM_THREADS="1"))
        if not out.exists():
            raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-500:]}")
        return json.loads(out.read_text())


def check(case, seed, builder, tool, keep):
    source = random.Random(f"{case['name']}-{seed}")
    files = copies(case, VARIATIONS[case["name"]](source.randint))
    measured = measure_models(case, files, builder)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(keep or scratch)
        for name, text in files.items():
            path = root / Path(case["sources"][0]).parent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        summary = tool.run("summary", case, builder.compiler, sources=root)
    counts = ", ".join(f"{m['name']} {m['parameters_elements']:,}"
                       for m in measured["models"])
    return compare.model_problem(measured, summary), counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--vramlint", required=True)
    parser.add_argument("--build", default=str(oracle.ROOT / "build/oracle"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--case", action="append")
    parser.add_argument("--keep", help="leave the changed sources in this folder")
    options = parser.parse_args()
    cases = [c for c in oracle.cases(options.case) if c["name"] in VARIATIONS]
    if not oracle.libtorch():
        for case in cases:
            print(f"SKIP: {case['name']}/varied: LibTorch is not installed")
        return 0
    results = oracle.Results()
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    tool = compare.Tool(options.vramlint, builder.include)
    for seed in range(options.seed, options.seed + options.count):
        for case in cases:
            name = f"{case['name']}/varied-{seed}"
            try:
                problem, counts = check(case, seed, builder, tool, options.keep)
            except (RuntimeError, compare.ToolError, ValueError) as error:
                problem, counts = str(error), ""
            results.line("FAIL" if problem else "PASS", name, problem or counts)
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
