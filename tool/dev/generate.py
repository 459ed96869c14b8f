#!/usr/bin/env python3
"""Writes docs/generated/ from the one place where each fact stands.

  tool/dev/generate.py all|checks|op-coverage|gpus|accuracy [--check] [--build-dir DIR]

checks.md comes from checks/Checks.def, op-coverage.md from the rows in lib/torch
and their tests, gpus.md from gpu-specs/. accuracy.md comes from a run of the
oracle (./x accuracy) and is not part of "all". --check writes nothing, prints
"stale: FILE" for each file that would change, and exits with 1.
"""

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import project  # noqa: E402

NOTE = "<!-- Made by ./x {verb}; don't edit. -->\n\n"


def table(titles, rows, right=()):
    """A Markdown table; the columns named in `right` hold numbers."""
    lines = ["| " + " | ".join(titles) + " |",
             "|" + "|".join(" ---: " if t in right else " --- " for t in titles) + "|"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# ---- checks

def make_checks(_):
    rows = []
    for _, row in project.checks():
        if len(row) < 5:
            continue
        name, _, category, default, summary = row[:5]
        page = f"../checks/{name.removeprefix('torch-')}.md"
        rows.append([f"[`{name}`]({page})", category,
                     "yes" if default == "true" else "no", summary])
    return ("# Checks\n\n" + NOTE.format(verb="generate") +
            f"{len(rows)} checks; \"default\" says whether a check is on without any "
            "configuration.\n\n" +
            table(["check", "category", "default", "what it does"], rows))


# ---- ops and modules

def all_rows(build_dir):
    """{kind: [name]} of every row, as vramlint-list-rows prints them; None if it
    isn't built."""
    program = os.path.join(build_dir, "bin", "vramlint-list-rows")
    if not os.path.exists(program):
        return None
    output = subprocess.run([program], text=True, capture_output=True, check=True)
    rows = {}
    for line in output.stdout.splitlines():
        kind, name = line.split(" ", 1)
        rows.setdefault(kind, set()).add(name)
    return {kind: sorted(names) for kind, names in rows.items()}


def module_families():
    """{family: [class]}, by the file in which the row stands."""
    families = {}
    for path in project.files():
        if re.fullmatch(r"lib/torch/modules/\w+\.cpp", path):
            names = re.findall(r'\.Class = "(\w+)"', project.read(path))
            if names:
                families[os.path.splitext(os.path.basename(path))[0]] = sorted(names)
    return families


def proven():
    """The names that ran in real LibTorch: in the op cases and the probes."""
    names = set()
    for path in project.files():
        if re.fullmatch(r"test/oracle/ops/cases/\w+\.txt", path):
            for line in project.read(path).splitlines():
                match = re.match(r"(?:[\w, ]+ = )?([a-z_]\w*)(?: |$)", line)
                names |= {match.group(1)} if match else set()
        elif re.fullmatch(r"test/oracle/recorded/probe-\w+\.json", path):
            names |= {key.split(".")[0] for key in json.loads(project.read(path))}
    return names


def make_op_coverage(args):
    rows, ran = all_rows(args.build_dir), proven()
    if rows is None:
        return None
    parts = ["# What the tables know\n\n" + NOTE.format(verb="generate"),
             "An op without a row gives a tensor of unknown shape and is listed under "
             "\"not understood\" in the report. A row is *proven* when a case or probe "
             "of `test/oracle` ran it alone with real LibTorch and its allocations were "
             "recorded; the whole programs there prove more ([accuracy](accuracy.md)).\n"]
    def listed(names):
        return " ".join(f"`{n}`" for n in names) or "none"

    for kind, title in (("op", "Ops"), ("optimizer", "Optimizers")):
        names = rows.get(kind, [])
        yes = [n for n in names if n in ran]
        no = [n for n in names if n not in ran]
        parts.append(f"\n## {title}: {len(names)}\n\nProven ({len(yes)}): {listed(yes)}\n\n"
                     f"Not proven ({len(no)}): {listed(no)}\n")
    names = rows.get("module", [])
    parts.append(f"\n## Modules: {len(names)}, proven {sum(n in ran for n in names)}\n\n")
    parts.append(table(
        ["family", "proven", "not proven"],
        [[f, listed([n for n in m if n in ran]), listed([n for n in m if n not in ran])]
         for f, m in sorted(module_families().items())]))
    return "".join(parts)


# ---- GPUs

def gib(count):
    return f"{count / 2**30:.1f}" if isinstance(count, (int, float)) else "?"


def specs(folder):
    for path in project.files():
        if re.fullmatch(rf"{folder}/[^/]+\.json", path) and \
           not path.endswith("schema.json"):
            yield os.path.basename(path)[:-5], json.loads(project.read(path))


def make_gpus(_):
    rows = []
    for stem, spec in specs("gpu-specs"):
        bandwidth = spec.get("memory_bandwidth_gb_s")
        usable = spec.get("usable_vram_bytes")
        rows.append([f"`{stem}`", spec["name"], spec.get("architecture") or "?",
                     gib(spec.get("vram_bytes")), gib(usable) if usable else "nominal",
                     f"{bandwidth:,.0f}" if bandwidth else "?"])
    systems = [[f"`{stem}`", spec["name"],
                f"{spec.get('gpu_count', '?')} × `{spec.get('gpu_id', '?')}`"]
               for stem, spec in specs("gpu-specs/systems")]
    text = ("# GPUs\n\n" + NOTE.format(verb="generate") +
            f"{len(rows)} files of `gpu-specs/`; `--gpu` takes the name in the first "
            "column or any alias in the file, which also names the sources of its "
            "figures. Where usable memory isn't known the nominal size is used, and "
            "the report says so.\n\n" +
            table(["--gpu", "name", "architecture", "GiB", "usable GiB", "GB/s"], rows,
                  ("GiB", "usable GiB", "GB/s")))
    if systems:
        text += f"\n## Systems: {len(systems)}\n\n" + \
            table(["--gpu", "name", "GPUs"], systems)
    return text


# ---- accuracy

def make_accuracy(args):
    path = os.path.join(args.build_dir, "test", "oracle", "accuracy.json")
    if not os.path.exists(path):
        sys.exit(f"{path} is missing; run ./x accuracy")
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    rows = []
    for entry in data["measurements"]:
        real, ours = entry["measured"], entry["predicted"]
        off = "?" if ours is None else "0" if ours == real else \
            f"{(ours - real) * 100 / real:+.2f} %" if real else f"{ours:+d}"
        rows.append([entry["program"], entry["compiler"], entry["what"],
                     f"{real:,}", "?" if ours is None else f"{ours:,}", off,
                     entry.get("tolerance", ""), entry["verdict"]])
    text = ("# Accuracy\n\n" + NOTE.format(verb="accuracy") +
            f"The programs of `test/models`, compiled and run with LibTorch "
            f"{data['libtorch']} on the CPU (one thread, oneDNN off) under a memory "
            "reporter, against what vramlint predicts for `--device cpu`. Bytes, unless "
            "the figure is a count.\n\n" +
            table(["program", "compiler", "figure", "LibTorch", "vramlint", "off",
                   "allowed", "verdict"], rows, ("LibTorch", "vramlint", "off")))
    return text


FILES = {"checks": make_checks, "op-coverage": make_op_coverage, "gpus": make_gpus,
         "accuracy": make_accuracy}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["all", *FILES])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build-dir", default=os.environ.get(
        "VRAMLINT_BUILD_DIR", os.path.join(project.ROOT, "build", "release")))
    args = parser.parse_args()
    names = [n for n in FILES if n != "accuracy"] if args.what == "all" else [args.what]
    stale = False
    for name in names:
        path = os.path.join("docs", "generated", f"{name}.md")
        new = FILES[name](args)
        if new is None:
            if not args.check:
                sys.exit(f"{path} needs the built vramlint-list-rows; run ./x generate")
            print(f"not checked, vramlint-list-rows isn't built: {path}")
            continue
        full = os.path.join(project.ROOT, path)
        old = project.read(path) if os.path.exists(full) else None
        if new == old:
            continue
        if args.check:
            print(f"stale: {path}")
            stale = True
            continue
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"wrote {path}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
