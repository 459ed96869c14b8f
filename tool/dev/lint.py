#!/usr/bin/env python3
"""The house rules that a script can check; ./x lint and test/lint/ run it.

  tool/dev/lint.py [--root DIR] [--list] [RULE...]

Each message says how to fix what it found. A rule is one function below whose
name starts with rule_; it yields (path, line, message).
"""

import argparse
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import project  # noqa: E402

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 800
CPP = (".cpp", ".h")
OWN_CODE = ("lib/", "checks/", "tool/")
# Tables of rows, whose length is the number of things they know.
TABLES = ("lib/torch/ops/", "lib/torch/modules/", "lib/torch/optim/",
          "lib/interp/stdlib/")
PAGE_SECTIONS = ["What it finds", "Why it matters", "Example", "How to fix",
                 "Limits", "Options"]


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = project.files(root)
        self.texts = {}

    def read(self, path):
        if path not in self.texts:
            self.texts[path] = project.read(path, self.root)
        return self.texts[path]

    def cpp(self, *folders):
        return [f for f in self.files
                if f.endswith(CPP) and f.startswith(folders or OWN_CODE)]


def lines_matching(text, pattern):
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match


def may_see_clang(path):
    layer = project.layer(path)
    if layer == "torch":
        return path.startswith(("lib/torch/plugin/", "lib/torch/Program."))
    return layer in ("frontend", "interp", "checks", "tool")


def rule_includes(tree):
    """A layer includes only itself and the layers before it; only some see Clang."""
    for path in tree.cpp():
        own = project.layer(path)
        if own not in project.LAYERS:
            yield path, 1, (f"'{own}' is no layer; put the file into one of "
                            f"{', '.join(project.LAYERS)}, or decide on a new layer "
                            "in docs/decisions and list it in tool/dev/project.py")
            continue
        # Strings stay: an include's name is one.
        text = project.without_comments(tree.read(path))
        for line, match in lines_matching(text, r'#\s*include\s*["<]([^">]+)[">]'):
            name = match.group(1)
            other = project.layer(name)
            if other in project.LAYERS and \
               project.LAYERS.index(other) > project.LAYERS.index(own):
                yield path, line, (f"{own} must not include {name}: {other} stands "
                                   "above it; move the code up, or what it needs down")
            if name.startswith(("clang/", "clang-tidy/", "clang-c/")) and \
               not may_see_clang(path):
                yield path, line, (f"{path} must not see Clang ({name}); pass it "
                                   "plain data (SourcePos, strings) instead")


def rule_interp_words(tree):
    """The abstract machine knows C++, nothing of LibTorch or GPUs."""
    for path in tree.cpp("lib/interp/"):
        text = project.without_comments(tree.read(path))
        for line, match in lines_matching(text, r"(?i)torch|tensor|\bgpu|cuda|\baten\b"):
            yield path, line, (f"'{match.group(0)}' in lib/interp, which must not know "
                               "LibTorch; let the plug-in answer through Domain.h")


def rule_opening(tree):
    """Each file opens with the licence block and a sentence on what it is."""
    for path in tree.cpp(*OWN_CODE, "test/unit/"):
        lines = tree.read(path).split("\n")
        if not lines[0].startswith(f"//===- {path}"):
            yield path, 1, f"the first line must be '//===- {path}'"
        elif "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in \
                "".join(lines[:5]):
            yield path, 2, "the licence block is missing; copy it from lib/support/Bytes.h"
        else:
            body = [l for l in lines[4:9] if re.match(r"// +[\w\"`(<]", l)
                    and "SPDX" not in l]
            if not body:
                yield path, 5, ("no sentence on what the file is after the licence "
                                "block; write one as in lib/support/Bytes.h")
    for path in tree.files:
        if path.endswith((".py", ".sh", ".cmake")) or path == "x":
            head = tree.read(path).lstrip("\n").split("\n")[:3]
            if tree.read(path).strip() and \
               not any(l.startswith(("# ", '"""')) for l in head):
                yield path, 1, "open the file with a comment on what it is"


def functions(text):
    """(line, number of lines, header) of each function, by clang-format's layout:
    a body ends at the first '}' in the column where its header starts."""
    lines = project.without_comments(text, strings=False).split("\n")
    for index, line in enumerate(lines):
        if not re.search(r"(\)|\bconst|\bnoexcept|\boverride|\bfinal|>|\w)\s*\{$", line):
            continue
        start = index
        while start > 0 and lines[start - 1].strip() and \
                not re.search(r"[;{}:]$", lines[start - 1].rstrip()) and \
                not lines[start - 1].startswith("#"):
            start -= 1
        indent = len(lines[start]) - len(lines[start].lstrip())
        header = " ".join(l.strip() for l in lines[start:index + 1])
        # void addConvOps(OpTable &Rows): a table in a function's clothes.
        if re.search(r"\b(add\w+Ops|\w+Modules)\(", header):
            continue
        if "(" not in header or indent > 2 or re.match(
                r"(namespace|struct|class|enum|union|extern|if|for|while|switch|do|else|return)\b",
                header):
            continue
        for end in range(index + 1, len(lines)):
            if lines[end].startswith(" " * indent + "}"):
                yield start + 1, end - start + 1, header
                break


def rule_length(tree):
    """Functions of 70 lines at most, files of 800."""
    for path in tree.cpp():
        text = tree.read(path)
        count = text.count("\n")
        if count > FILE_LINES_MAX and not path.startswith(TABLES):
            yield path, count, (f"{count} lines; split the file by topic before "
                                f"{FILE_LINES_MAX}")
        for line, length, header in functions(text):
            if length > FUNCTION_LINES_MAX:
                yield path, line, (f"{length} lines in '{header[:60]}'; give its "
                                   f"parts names and functions of at most "
                                   f"{FUNCTION_LINES_MAX} lines")


def rule_words(tree):
    """No FIXME, std::cout, dynamic_cast, exceptions."""
    banned = [
        (r"\bstd::c(out|err)\b", "print through llvm::outs()/errs(), or return text"),
        (r"\bdynamic_cast\b", "LLVM is built without RTTI; use llvm::dyn_cast"),
        (r"\bthrow\b(?! *\()|\btry\s*\{|\bcatch\s*\(",
         "no exceptions in our code; return llvm::Expected or an Unknown"),
        (r"\b(?<!:)exit\(", "only tool/ ends the process; return an error"),
    ]
    for path in tree.cpp():
        code = project.without_comments(tree.read(path), strings=False)
        for pattern, advice in banned:
            if "exit" in pattern and path.startswith("tool/"):
                continue
            for line, match in lines_matching(code, pattern):
                yield path, line, f"'{match.group(0)}': {advice}"
    # Spelt in two parts here, so that this file passes.
    word = "FIX" + "ME"
    for path in tree.cpp(*OWN_CODE, "test/unit/"):
        for line, _ in lines_matching(tree.read(path), rf"\b{word}\b"):
            yield path, line, (f"{word} is for before review only; mend it, or make "
                               "it a FN_/FP_ test and a line in the page's Limits")


def rule_paths(tree):
    """No paths of a developer's machine."""
    pattern = r"(?<![\w$}.*])/(work|root|home/\w+|tmp)/[\w.]+"
    for path in tree.files:
        if path.startswith(("test/unit/", "test/fuzz/")) or \
           path.endswith((".json", ".patch")) or \
           path in ("tool/dev/get-libtorch", "test/debian13.sh"):
            continue
        for line, match in lines_matching(tree.read(path), pattern):
            yield path, line, (f"'{match.group(0)}' is a path of one machine; take it "
                               "from an option, or %t in a lit test")


def check_files(name, class_name):
    stem = name.removeprefix("torch-")
    camel = "".join(w.capitalize() for w in stem.split("-"))
    return stem, class_name or camel + "Check"


def rule_checks(tree):
    """Every check has its line, pair, page and test, and every page a check."""
    stems = set()
    for line, row in project.checks(tree.root):
        names = [a for a in row if re.fullmatch(r"torch-[a-z0-9-]+", a)]
        if not names:
            yield "checks/Checks.def", line, "no check name 'torch-…' in this row"
            continue
        stem = names[0].removeprefix("torch-")
        stems.add(stem)
        if re.match(r"(avoid|no|use)-", stem):
            yield "checks/Checks.def", line, "name the problem, not the cure"
        classes = [a for a in row if re.fullmatch(r"\w+Check", a)]
        camel = classes[0] if classes else check_files(names[0], "")[1]
        for path in (f"checks/{camel}.h", f"checks/{camel}.cpp",
                     f"docs/checks/{stem}.md"):
            if path not in tree.files:
                yield "checks/Checks.def", line, (f"{names[0]} has no {path}; "
                                                  "./x new-check shows what belongs")
        if not any(f.startswith(f"test/checks/{stem}") for f in tree.files):
            yield "checks/Checks.def", line, f"{names[0]} has no test/checks/{stem}.cpp"
    if not stems:
        return
    for path in tree.files:
        match = re.fullmatch(r"docs/checks/([a-z0-9-]+)\.md", path)
        if not match:
            continue
        if match.group(1) not in stems:
            yield path, 1, "a page without a check in checks/Checks.def; remove it"
            continue
        have = re.findall(r"^## (.*)$", tree.read(path), re.M)
        for section in PAGE_SECTIONS:
            if section not in have:
                yield path, 1, f"the section '## {section}' is missing"


def rule_sorted(tree):
    """Lists whose order means nothing are sorted."""
    names = [next((a for a in row if a.startswith("torch-")), "")
             for _, row in project.checks(tree.root)]
    for (line, _), before, name in zip(project.checks(tree.root)[1:], names, names[1:]):
        if name < before:
            yield "checks/Checks.def", line, f"{name} must stand before {before}"
    for path in tree.files:
        if not path.startswith(("lib/torch/ops/", "lib/torch/modules/")) or \
           not path.endswith(".cpp"):
            continue
        seen = {}
        for line, match in lines_matching(tree.read(path), r'\.(?:Name|Class) = "([^"]+)"'):
            if match.group(1) in seen:
                yield path, line, (f"{match.group(1)} has a row in line "
                                   f"{seen[match.group(1)]} already; keep one")
            seen[match.group(1)] = line


def rule_cmake(tree):
    """Each source file is built."""
    whole = "\n".join(tree.read(f) for f in tree.files if f.endswith("CMakeLists.txt"))
    for path in tree.cpp(*OWN_CODE, "test/unit/"):
        if not path.endswith(".cpp"):
            continue
        folder, found = os.path.dirname(path), f"/{path}" in whole
        while folder and not found:
            name = os.path.join(folder, "CMakeLists.txt")
            if name in tree.files:
                text = tree.read(name)
                relative = os.path.relpath(path, folder)
                found = bool(re.search(rf"(?<![\w/]){re.escape(relative)}(?![\w])", text)) \
                    or re.search(r"GLOB", text)
            folder = os.path.dirname(folder)
        if not found:
            yield path, 1, "not in a CMakeLists.txt: add it to its folder's SOURCES"


def rule_links(tree):
    """Relative links in the documents lead somewhere."""
    for path in tree.files:
        if not path.endswith(".md") or "/templates/" in path:
            continue
        text = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                      tree.read(path), flags=re.M | re.S)
        for line, match in lines_matching(text, r"\[[^\]\n]*\]\(([^)#\s]+)[^)]*\)"):
            target = match.group(1)
            if "://" in target or target.startswith("mailto:"):
                continue
            if not os.path.exists(os.path.join(tree.root, os.path.dirname(path), target)):
                yield path, line, f"the link to '{target}' leads nowhere; mend or drop it"


def rule_map(tree):
    """Each folder has a line in docs/architecture.md."""
    if "docs/architecture.md" not in tree.files:
        yield "docs/architecture.md", 1, "the map of the project is missing"
        return
    text = tree.read("docs/architecture.md")
    if text.count("\n") > 300:
        yield "docs/architecture.md", 300, "more than 300 lines; it's a map, shorten it"
    folders = collections.Counter()
    for path in tree.files:
        parts = path.split("/")[:-1]
        if parts and not parts[0].startswith("."):
            folders["/".join(parts[:2 if parts[0] in ("lib", "tool", "test", "docs") else 1])] += 1
    for folder in sorted(folders):
        if f"{folder.split('/')[-1]}/" not in text:
            yield "docs/architecture.md", 1, f"no line on the folder {folder}/; add one"


def rule_generated(tree):
    """docs/generated is what ./x generate would write."""
    script = os.path.join(tree.root, "tool", "dev", "generate.py")
    run = subprocess.run([sys.executable, script, "all", "--check"], text=True,
                         capture_output=True)
    for line in run.stdout.splitlines():
        if line.startswith("stale: "):
            yield line.removeprefix("stale: "), 1, "stale; run ./x generate and commit it"
    if run.returncode not in (0, 1):
        yield "tool/dev/generate.py", 1, f"failed: {run.stderr.strip()[-500:]}"


RULES = {name.removeprefix("rule_").replace("_", "-"): function
         for name, function in list(globals().items()) if name.startswith("rule_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=project.ROOT)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("rules", nargs="*")
    args = parser.parse_args()
    if args.list:
        for name, function in sorted(RULES.items()):
            print(f"{name:14}{function.__doc__}")
        return
    tree, found = Tree(args.root), 0
    for name in args.rules or sorted(RULES):
        if name not in RULES:
            sys.exit(f"no rule '{name}': {', '.join(sorted(RULES))}")
        for path, line, message in RULES[name](tree):
            print(f"{path}:{line}: {message} [{name}]")
            found += 1
    if found:
        sys.exit(f"{found} found")


if __name__ == "__main__":
    main()
