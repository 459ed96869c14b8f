#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model zoo: whole programs of test/models/zoo, each against real LibTorch.

  zoo.py record [NAME...]    compiles the programs with real LibTorch, runs them
                             and writes down what they have (none named: those
                             without a valid record)
  zoo.py test --vramlint PATH [--filter PATTERN]
                             compares vramlint with the record, no tolerance,
                             and measures two of the programs again
  zoo.py diff NAME --vramlint PATH
                             the parameters, buffers and shapes that differ

Comments in a program tell the harness what to do:
  // published: NAME         near the top: entry of published.json whose count of
                             parameters the program must have
  // oracle: model(net)      the root module whose parameters and buffers count
  // oracle: shape(y)        a tensor whose shape and dtype count
  ... 16 ...  // vary: 8 32  the line's one integer literal may be one of these;
                             two versions with such numbers are measured too
  // matrix: ...             what matrix.py measures
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402

ZOO = oracle.MODELS / "zoo"
RECORD = oracle.RECORDED / "zoo.json"
VERSIONS = ("as written", "varied 1", "varied 2")
SECONDS_MAX = 120

MARK = re.compile(r"^([ \t]*)// oracle: (model|shape)\((.+)\)[ \t]*$", re.M)
VARY = re.compile(r"^(.*?)// vary:((?: -?\d+)+)[ \t]*$", re.M)
PUBLISHED = re.compile(r"published: (\S+)")
# No digit of a name (conv2d), a float (0.5, 1e3) or a longer literal.
INTEGER = re.compile(r"(?<![\w.])\d+(?![\w.])")
MAIN = re.compile(r"^int main\s*\(([^)]*)\)\s*\{", re.M)
REVEAL = "template <typename T> void vramlint_reveal(const T &) {} "
# All versions in one file, since what costs is the compiler; the first argument
# says which one runs. The zoo's figures don't depend on how convolutions are
# computed: the fast way.
RUN_MAIN = """
int main(int argc, char **argv) {
  oracle::Session session;
  torch::set_num_threads(2);
  at::globalContext().setUserEnabledMkldnn(true);
  switch (std::atoi(argv[1])) {
  case 0: version0::zoo_main(argc - 1, argv + 1); break;
  case 1: version1::zoo_main(argc - 1, argv + 1); break;
  default: version2::zoo_main(argc - 1, argv + 1);
  }
  return 0; // A main without return is no such function.
}
"""


class Problem(Exception):
    """What is wrong with a program, its record or vramlint's answer."""


# ---------------------------------------------------------------- programs

def programs():
    return sorted(p.stem for p in ZOO.glob("*.cpp"))


def source(name):
    return (ZOO / f"{name}.cpp").read_text()


def own(text):
    """The text without what it says to the memory matrix."""
    return re.sub(r"^[ \t]*// matrix:.*\n", "", text, flags=re.M)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def varied(name, version):
    """The text of a version; version 0 is the program as it stands."""
    text, pick = source(name), random.Random(name)

    def change(match):
        code, values = match.group(1), match.group(2).split()
        if len(INTEGER.findall(code)) != 1:
            raise Problem(f"a line with `// vary:` needs exactly one integer: "
                          f"{code.strip()}")
        order = pick.sample(values, len(values))
        value = order[(version - 1) % len(order)]
        return INTEGER.sub(value, code) + f"// varied: {value}"

    if not VARY.search(text):
        raise Problem("no line of it says `// vary: ...`")
    return VARY.sub(change, text) if version else text


def marked(text, function):
    """The text with calls in place of its `// oracle:` lines."""
    if not any(kind == "model" for _, kind, _ in MARK.findall(text)):
        raise Problem("no line of it says `// oracle: model(...)`")
    if not MAIN.search(text):
        raise Problem("no `int main(` at the start of a line")
    return MARK.sub(lambda m: m.group(1) + function(m.group(2), m.group(3)), text)


def published_count(name):
    match = PUBLISHED.search(source(name))
    if not match:
        return None
    table = json.loads((oracle.HERE / "published.json").read_text())
    if match.group(1) not in table:
        raise Problem(f"published.json has no `{match.group(1)}`")
    return table[match.group(1)]["parameters"]


# ---------------------------------------------------------------- real LibTorch

def listed(items):
    """Parameters or buffers as {"name shape": count}: names may repeat."""
    counts = {}
    for item in items:
        key = f"{item['name']} {item['shape']}"
        counts[key] = counts.get(key, 0) + 1
    return counts


def tensors_record(model, kind):
    lines = sorted(f"{i['name']} {i['shape']}" for i in model[kind])
    return {"tensors": len(lines), "elements": model[f"{kind}_elements"],
            "bytes": model[f"{kind}_bytes"], "digest": digest("\n".join(lines))}


def program_of(name, builder):
    """The program of all versions, each in a namespace of its own."""
    parts = []
    for version in range(len(VERSIONS)):
        text = marked(varied(name, version), lambda kind, what:
                      f"oracle::{kind}({json.dumps(what.replace(chr(34), chr(39)))}, "
                      f"{what});")
        text = MAIN.sub(lambda m: f"int zoo_main({m.group(1) or 'int, char **'}) {{",
                        text, count=1)
        includes = re.findall(r"^#include.*$", text, re.M)
        text = re.sub(r"^#include", "// #include", text, flags=re.M)
        parts += ["\n".join(includes) + "\n"] if version == 0 else []
        parts.append(f"namespace version{version} {{\n{text}\n}}\n")
    return builder.build({f"{name}.cpp": "".join(parts) + RUN_MAIN}, [])


def measure(name, version, program):
    """What the oracle's session writes down of a version of a program."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.json"
        done = oracle.run([str(program), str(version)], cwd=scratch,
                          timeout=SECONDS_MAX,
                          env=dict(os.environ, ORACLE_OUT=str(out)))
        if done.returncode or not out.exists():
            raise Problem(f"{VERSIONS[version]}: it ended with {done.returncode}: "
                          f"{done.stderr.strip()[:800]}")
        return json.loads(out.read_text())


def record_of(measured):
    return {"models": [{"name": m["name"],
                        "parameters": tensors_record(m, "parameters"),
                        "buffers": tensors_record(m, "buffers")}
                       for m in measured["models"]],
            "shapes": measured["shapes"]}


def load_record():
    if not RECORD.exists():
        return {"conditions": {}, "programs": {}}
    return json.loads(RECORD.read_text())


def save_record(record):
    lines = ["{", f'"conditions": {json.dumps(record["conditions"])},',
             '"programs": {']
    names = sorted(record["programs"])
    for name in names:
        entry = record["programs"][name]
        rows = ",\n  ".join(json.dumps(v) for v in entry["versions"])
        lines.append(f'"{name}": {{"source": "{entry["source"]}", "versions": '
                     f'[\n  {rows}]}}{"," if name != names[-1] else ""}')
    RECORD.write_text("\n".join(lines) + "\n}\n}\n")


def check_published(name, entry):
    count = published_count(name)
    real = [m["parameters"]["elements"] for m in entry["versions"][0]["models"]]
    if count is not None and count not in real:
        raise Problem(f"published are {count} parameters, real LibTorch counts {real}")


def main_record(options):
    if not oracle.libtorch():
        sys.exit("zoo: no LibTorch found; install libtorch-dev")
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    conditions = {"libtorch": builder.version, "device": "cpu",
                  "compiler": oracle.compiler_version(builder.compiler)}
    failed = 0
    for name in options.name or programs():
        old = load_record()["programs"].get(name)
        if not options.name and old and old["source"] == digest(own(source(name))):
            continue
        try:
            program = program_of(name, builder)
            entry = {"source": digest(own(source(name))),
                     "versions": [record_of(measure(name, v, program))
                                  for v in range(len(VERSIONS))]}
            check_published(name, entry)
        except (Problem, RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name}: not recorded: {error}", flush=True)
            failed = 1
            continue
        record = load_record()  # Another run may have written meanwhile.
        record["conditions"] = conditions
        record["programs"][name] = entry
        record["programs"] = {n: e for n, e in record["programs"].items()
                              if n in programs()}
        save_record(record)
        counts = [m["parameters"]["elements"] for v in entry["versions"]
                  for m in v["models"]]
        print(f"{name}: parameters {counts}", flush=True)
    return failed


# ---------------------------------------------------------------- vramlint

def vramlint(tool, arguments, file):
    torch = oracle.libtorch()
    command = [tool, *arguments, str(file), "--device", "cpu", "--", "-std=c++17",
               *(torch[0] if torch else [])]
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=SECONDS_MAX)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Problem(f"{' '.join(command)}: exit code {done.returncode}: "
                      f"{done.stderr.strip()[-800:]}")
    return done.stdout


def summary_problem(text, wanted, folder, tool):
    """The program as users have it: some model of `summary` has each figure."""
    file = folder / "program.cpp"
    file.write_text(text)
    summary = json.loads(vramlint(tool, ["summary", "--format", "json"], file))
    for file in summary["files"]:
        for unknown in file["unknowns"]:
            return (f"summary: not understood: line {unknown.get('line')}: "
                    f"{unknown['what']}: {unknown['why']}")
        if not file["complete"]:
            return "summary: a limit cut the run short"
    models = [m for f in summary["files"] for m in f.get("models", [])]
    found = [tuple(m[key]["value"] if m[key]["kind"] == "exact" else None
                   for key in ("parameters", "parameter_bytes", "buffer_bytes"))
             for m in models]
    for model in wanted["models"]:
        real = (model["parameters"]["elements"], model["parameters"]["bytes"],
                model["buffers"]["bytes"])
        if real not in found:
            return (f"summary: {model['name']}: expected {real} (parameters, their "
                    f"bytes, bytes of buffers), got {found}")
    return ""


MODULE = re.compile(r"^module (\d+) \S+(.*)$", re.M)
TENSOR = re.compile(r" (\S+?):(scalar|[\d?x]+) (\w+)((?: cuda| grad| buffer)*)")
CHILD = re.compile(r" ([^\s:=]+)=(\d+)")
REVEALED = re.compile(r"^reveal \S+?:(\d+):\d+ (.*)$", re.M)
DTYPES = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool",
          "float16": "Half", "bfloat16": "BFloat16", "int32": "Int",
          "uint8": "Byte", "complex64": "ComplexFloat"}


def sizes(text):
    if text == "scalar":
        return "[]"
    return "[" + ", ".join(re.split("[x×]", text)) + "]"


def module_tensors(modules, root, prefix, out):
    """All names and shapes below a module of the printed trace."""
    for name, shape, _, flags in TENSOR.findall(modules[root]):
        out["buffers" if "buffer" in flags else "parameters"].append(
            {"name": prefix + name, "shape": json.loads(sizes(shape).replace("?", "-1"))})
    rest = TENSOR.sub("", modules[root])
    for name, child in CHILD.findall(rest):
        module_tensors(modules, int(child), f"{prefix}{name}.", out)
    return out


def answers(text, tool, folder):
    """What the machine says of each `// oracle:` line: (kind, what, answer)."""
    file = folder / "revealing.cpp"
    file.write_text(MAIN.sub(lambda m: REVEAL + m.group(), marked(
        text, lambda _, what: f"vramlint_reveal({what});"), count=1))
    trace = vramlint(tool, ["--dump-trace"], file)
    modules = {int(i): rest for i, rest in MODULE.findall(trace)}
    said = {}
    for line, answer in REVEALED.findall(trace):
        said.setdefault(int(line), []).append(answer)
    for match in MARK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found = said.get(line)
        if not found:
            yield match.group(2), match.group(3), "not reached"
            continue
        for answer in found:
            index = re.match(r"module (\d+)$", answer)
            yield match.group(2), match.group(3), answer if not index else \
                module_tensors(modules, int(index.group(1)), "",
                               {"parameters": [], "buffers": []})


def shape_answer(answer):
    match = re.match(r"(\S+) (\S+),", answer) if isinstance(answer, str) else None
    if not match:
        return answer
    return f"{DTYPES.get(match.group(1), match.group(1))} {sizes(match.group(2))}"


def answer_problem(text, wanted, folder, tool):
    """Names and shapes of all parameters and buffers; the shapes asked for."""
    models, shapes = list(wanted["models"]), list(wanted["shapes"])
    for kind, what, answer in answers(text, tool, folder):
        if kind == "shape":
            real = shapes.pop(0) if shapes else {"dtype": "no more", "shape": "runs"}
            expected = f"{real['dtype']} {real['shape']}"
            if shape_answer(answer) != expected:
                return f"shape of {what}: expected {expected}, got {shape_answer(answer)}"
            continue
        model = models.pop(0)
        if isinstance(answer, str):
            return f"model {what}: the machine knows no module there: {answer}"
        for part, items in answer.items():
            lines = sorted(f"{i['name']} {i['shape']}" for i in items)
            if len(lines) != model[part]["tensors"] or \
                    digest("\n".join(lines)) != model[part]["digest"]:
                return (f"{part} of {what}: expected {model[part]['tensors']} tensors, "
                        f"got {len(lines)}, or their names or shapes differ")
    return f"{len(models) + len(shapes)} marks not reached" if models or shapes else ""


def program_problem(name, entry, tool):
    """What differs between vramlint and the record of a program, or nothing."""
    if not entry:
        return f"no record; run test/oracle/zoo.py record {name}"
    if entry["source"] != digest(own(source(name))):
        return f"the source changed; run test/oracle/zoo.py record {name}"
    check_published(name, entry)
    with tempfile.TemporaryDirectory() as scratch:
        for version, wanted in enumerate(entry["versions"]):
            text = varied(name, version)
            problem = summary_problem(text, wanted, Path(scratch), tool)
            if not problem and version == 0:
                problem = answer_problem(text, wanted, Path(scratch), tool)
            if problem:
                return f"{VERSIONS[version]}: {problem}"
    return ""


# ---------------------------------------------------------------- testing

def remeasured(names, results, record, build):
    """Two programs a day, in turn, are measured again."""
    torch = oracle.libtorch()
    if not torch or torch[2] != record["conditions"].get("libtorch"):
        results.line("SKIP", "zoo/recorded", "the record's LibTorch is not installed")
        return
    builder = oracle.Builder(oracle.COMPILERS[0], build)
    today = datetime.date.today().toordinal()
    known = [n for n in names if n in record["programs"]]
    for name in {known[(2 * today + i) % len(known)] for i in (0, 1)}:
        version = today % len(VERSIONS)
        problem = ""
        try:
            now = record_of(measure(name, version, program_of(name, builder)))
            if now != record["programs"][name]["versions"][version]:
                problem = f"{VERSIONS[version]}: measured now: {json.dumps(now)}"
        except (Problem, RuntimeError, subprocess.TimeoutExpired) as error:
            problem = str(error)
        results.line("FAIL" if problem else "PASS", f"zoo/{name}/recorded", problem)


def main_test(options):
    results, record = oracle.Results(), load_record()
    names = [n for n in programs() if re.search(options.filter, f"zoo/{n}")]

    def judge(name):
        try:
            return program_problem(name, record["programs"].get(name), options.vramlint)
        except (Problem, ValueError, OSError, subprocess.TimeoutExpired) as error:
            return f"{type(error).__name__}: {error}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, problem in zip(names, pool.map(judge, names)):
            results.line("FAIL" if problem else "PASS", f"zoo/{name}", problem)
    if names and not options.recorded:
        remeasured(names, results, record, options.build)
    return 1 if results.failed else 0


def main_diff(options):
    """Measures again and shows each tensor that one side has alone."""
    builder = oracle.Builder(oracle.COMPILERS[0], options.build)
    program = program_of(options.name, builder)
    measured = measure(options.name, options.version, program)
    models, shapes = list(measured["models"]), list(measured["shapes"])
    text = varied(options.name, options.version)
    with tempfile.TemporaryDirectory() as scratch:
        for kind, what, answer in answers(text, options.vramlint, Path(scratch)):
            if kind == "shape":
                real = shapes.pop(0)
                print(f"shape {what}: real {real['dtype']} {real['shape']}, "
                      f"vramlint {shape_answer(answer)}")
                continue
            real = models.pop(0)
            if isinstance(answer, str):
                print(f"model {what}: {answer}")
                continue
            for part, items in answer.items():
                ours, theirs = listed(items), listed(real[part])
                print(f"{part} of {what}: real {len(real[part])}, vramlint {len(items)}")
                for key in sorted(set(ours) | set(theirs)):
                    if ours.get(key) != theirs.get(key):
                        print(f"  {key}: real {theirs.get(key, 0)}, "
                              f"vramlint {ours.get(key, 0)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(oracle.ROOT / "build/oracle"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("record")
    verb.add_argument("name", nargs="*")
    verb.set_defaults(work=main_record)
    verb = verbs.add_parser("test")
    verb.add_argument("--vramlint", required=True)
    verb.add_argument("--filter", default="")
    verb.add_argument("--recorded", action="store_true",
                      help="measure nothing again")
    verb.set_defaults(work=main_test)
    verb = verbs.add_parser("diff")
    verb.add_argument("name")
    verb.add_argument("--vramlint", required=True)
    verb.add_argument("--version", type=int, default=0)
    verb.set_defaults(work=main_diff)
    options = parser.parse_args()
    sys.exit(options.work(options) or 0)


if __name__ == "__main__":
    main()
