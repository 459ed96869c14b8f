#!/usr/bin/env python3
"""Stamps out what a new check, op, module or GPU consists of; ./x new-… calls it.

  new.py check NAME "SUMMARY" [--category autograd|memory|…]
  new.py op NAME --family FAMILY
  new.py module CLASS --family FAMILY
  new.py gpu STEM
"""

import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import project  # noqa: E402

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")


def write(path, text):
    full = os.path.join(project.ROOT, path)
    if os.path.exists(full):
        sys.exit(f"{path} is there already")
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"wrote {path}")


def rewrite(path, change):
    text = project.read(path)
    new = change(text)
    if new == text:
        sys.exit(f"{path}: no place found for the new line")
    with open(os.path.join(project.ROOT, path), "w", encoding="utf-8") as file:
        file.write(new)
    print(f"changed {path}")


def stamp(template, words):
    with open(os.path.join(TEMPLATES, template), encoding="utf-8") as file:
        text = file.read()
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


# ---- checks

def insert_sorted(text, pattern, line, key):
    """Puts `line` before the first match of `pattern` whose group 1 is greater
    than `key`, else after the last match."""
    last = None
    for match in re.finditer(pattern, text, re.M | re.S):
        if match.group(1) > key:
            return text[:match.start()] + line + text[match.start():]
        last = match
    return text if last is None else text[:last.end()] + line + text[last.end():]


def new_check(args):
    stem = args.name.removeprefix("torch-")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", stem):
        sys.exit("a check's name is words-joined-by-dashes")
    if re.match(r"(avoid|no|use)-", stem):
        sys.exit("name the problem, not the cure")
    summary = args.summary.rstrip(".")
    words = {"stem": stem, "summary": summary,
             "Summary": summary[:1].upper() + summary[1:],
             "Class": "".join(w.capitalize() for w in stem.split("-")) + "Check"}
    write(f"checks/{words['Class']}.h", stamp("check.h.in", words))
    write(f"checks/{words['Class']}.cpp", stamp("check.cpp.in", words))
    write(f"test/checks/{stem}.cpp", stamp("check-test.cpp.in", words))
    write(f"docs/checks/{stem}.md", stamp("check-page.md.in", words))
    quoted = summary.replace("\\", "\\\\").replace('"', '\\"')
    row = (f'VRAMLINT_CHECK("torch-{stem}", {words["Class"]}, "{args.category}",\n'
           f'               Default, "{quoted}")\n')
    rewrite("checks/Checks.def", lambda text: insert_sorted(
        text, r'^VRAMLINT_CHECK\("(torch-[^"]+)".*?"\)\n', row, f"torch-{stem}"))
    include = f'#include "checks/{words["Class"]}.h"\n'
    rewrite("checks/TorchModule.cpp", lambda text: insert_sorted(
        text, r'^#include "checks/(\w+Check)\.h"\n', include, words["Class"]))
    lists = project.read("checks/CMakeLists.txt")
    if "GLOB" not in lists:
        rewrite("checks/CMakeLists.txt", lambda text: insert_sorted(
            text, r"^ +(\w+Check)\.cpp\n", f"    {words['Class']}.cpp\n", words["Class"]))
    rewrite("CHANGELOG.md", lambda text: re.sub(
        r"(## Unreleased[^\n]*\n\n)", rf"\1- New check `torch-{stem}`: {summary}.\n",
        text, count=1))
    print(f"Next: write test/checks/{stem}.cpp, see it fail, then the check and its "
          "page; ./x ready")


# ---- ops and modules

def family_file(folder, family):
    """The file of a family of rows, however the name was spelt."""
    files = [f for f in project.files()
             if re.fullmatch(rf"lib/torch/{folder}/\w+\.cpp", f)]
    for path in files:
        if os.path.basename(path)[:-4].lower() == family.lower():
            return path
    names = sorted(os.path.basename(f)[:-4] for f in files)
    sys.exit(f"no family '{family}'; there are: {', '.join(names)}. A new one is a file "
             f"in lib/torch/{folder} and a line in lib/torch/CMakeLists.txt")


def new_op(args):
    path = family_file("ops", args.family)
    if f'"{args.name}"' in project.read(path):
        sys.exit(f"{args.name} stands in {path} already")
    family = os.path.basename(path)[:-4]
    parts = re.split(r"[_.]", args.name)
    words = {"name": args.name,
             "identifier": parts[0] + "".join(p.capitalize() for p in parts[1:])}

    def change(text):
        head = re.search(rf"^void add{family}Ops\(OpTable &Rows\) \{{$", text, re.M)
        end = text.index("\n}\n", head.end()) + 1 if head else -1
        hidden = text.rfind("} // namespace\n", 0, head.start()) if head else -1
        if hidden < 0:
            return text
        row = f'  Rows.push_back({{"{args.name}", {words["identifier"]}Row}});\n'
        return (text[:hidden] + stamp("op.cpp.in", words) + text[hidden:end] + row +
                text[end:])
    rewrite(path, change)
    cases = f"test/oracle/ops/cases/{family.lower()}.txt"
    full = os.path.join(project.ROOT, cases)
    old = project.read(cases) if os.path.exists(full) else f"# {family}.\n"
    with open(full, "w", encoding="utf-8") as file:
        file.write(old.rstrip("\n") + "\n" + stamp("op-case.txt.in", words))
    print(f"changed {cases}")
    print("Next: complete the case and record it with real LibTorch "
          "(test/oracle/ops/record_ops.cpp says how), see the unit test fail, then "
          "write the row; ./x ready")


def new_module(args):
    path = family_file("modules", args.family)
    name = args.name.removeprefix("torch::nn::").removesuffix("Impl")
    if f'"{name}"' in project.read(path):
        sys.exit(f"{name} stands in {path} already")
    op = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    row = stamp("module.cpp.in", {"class": name, "op": op})
    rewrite(path, lambda text: insert_sorted(
        text, r'^      \{\.Class = "(\w+)"[^}]*\},\n', row, name))
    print("Next: say what it registers (.Build) and which op its forward runs; "
          "lib/torch/modules/ModuleRow.h explains each field. Add it to "
          "test/oracle/probes/modules.cpp and record it; ./x ready")


# ---- GPUs

def new_gpu(args):
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", args.name):
        sys.exit("a GPU's name is <vendor>-<model>[-<memory>], as in nvidia-t4")
    schema = json.loads(project.read("gpu-specs/schema.json"))["$defs"]["gpu"]
    spec = {}
    for key in schema["required"]:
        kinds = schema["properties"].get(key, {}).get("type", "string")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        spec[key] = None if "null" in kinds else \
            {"array": [], "boolean": False, "integer": 0, "number": 0}.get(kinds[0], "")
    spec["id"], spec["vendor"] = args.name, args.name.split("-")[0]
    path = f"gpu-specs/{args.name}.json"
    write(path, json.dumps(spec, indent=2, ensure_ascii=False) + "\n")
    print("Next: fill it in; gpu-specs/schema.json says what each key means, null is "
          "\"not known\". Name each document under sources with the date it was read. "
          "Then ./x ready")


def main():
    parser = argparse.ArgumentParser(prog="./x new-…", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="kind", required=True)
    check = verbs.add_parser("check")
    check.add_argument("name")
    check.add_argument("summary")
    check.add_argument("--category", default="memory")
    for kind in ("op", "module"):
        verb = verbs.add_parser(kind)
        verb.add_argument("name")
        verb.add_argument("--family", required=True)
    verbs.add_parser("gpu").add_argument("name")
    args = parser.parse_args()
    if args.kind == "check":
        new_check(args)
    else:
        {"op": new_op, "module": new_module, "gpu": new_gpu}[args.kind](args)


main()
