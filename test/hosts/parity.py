#!/usr/bin/env python3
"""The command line, clang-tidy with the plugin and vramlint-clangd say the same.

usage: parity.py --vramlint PATH --clang-tidy PATH --plugin PATH --clangd PATH
                 --scratch DIR FILE...

Every FILE, the tests of the checks, goes through the three hosts with the same
`.clang-tidy` and flags. Compared are each finding's line, check and text, and what
the fixes make of the file. A line per file; the exit code is 1 if any differs.
Answers are kept in DIR by the contents of host and file, so that a second run costs
nothing.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import lsp  # noqa: E402

INPUTS = pathlib.Path(__file__).resolve().parent.parent / "Inputs"
FLAGS = ["-std=c++17", "-I/usr/include/torch/csrc/api/include", f"-I{INPUTS}"]
CONFIG = """Checks: '-*,torch-*'
CheckOptions:
  torch.Gpu: t4
"""
FINDING = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):\d+: (?:warning|error|remark): "
                     r"(?P<text>.*) \[(?P<check>torch-[\w-]+)[^\]]*\]$")
HOST_SECONDS_MAX = 600


def digest(*paths):
    whole = hashlib.sha256(CONFIG.encode())
    for path in paths:
        whole.update(pathlib.Path(path).read_bytes())
    return whole.hexdigest()[:24]


class Hosts:
    def __init__(self, options):
        self.options = options
        self.scratch = pathlib.Path(options.scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.server = None
        self.version = 0

    def folder(self, name, text):
        """A project of one file, main.cpp."""
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        main = folder / "main.cpp"
        main.write_text(text)
        (folder / ".clang-tidy").write_text(CONFIG)
        (folder / ".clangd").write_text("Diagnostics:\n  ClangTidy:\n    FastCheckFilter: None\n")
        (folder / "compile_commands.json").write_text(json.dumps([{
            "directory": str(folder), "file": str(main),
            "arguments": ["clang++", *FLAGS, "-c", str(main)]}]))
        return main

    def printed(self, name, text, command, accepted):
        """Findings that a command prints, and the file after its --fix."""
        main = self.folder(name, text)
        done = subprocess.run([command[0], "--fix", *command[1:], str(main)],
                              capture_output=True, text=True, cwd=main.parent,
                              timeout=HOST_SECONDS_MAX)
        log = done.stdout + done.stderr
        broken = "unable to load" in log or "Found compiler error" in log
        if done.returncode not in accepted or broken:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}\n{log[-2000:]}")
        found = set()
        for line in done.stdout.splitlines():
            match = FINDING.match(line)
            if match and match["file"].endswith("main.cpp"):
                shown = re.sub(r" \((fix available: --fix|fixed)\)$", "", match["text"])
                found.add((int(match["line"]), match["check"], shown))
        return sorted(found), main.read_text()

    def cli(self, name, text):
        return self.printed(name, text, [self.options.vramlint], (0, 1))

    def tidy(self, name, text):
        return self.printed(name, text, [self.options.clang_tidy,
                                         f"--load={self.options.plugin}", "--quiet"], (0, 1))

    def start_clangd(self, main):
        self.server = lsp.Server([self.options.clangd, "--background-index=false",
                                  "--log=error"])
        self.server.request("initialize", {
            "processId": os.getpid(), "rootUri": None, "capabilities": {
                "textDocument": {"publishDiagnostics": {"codeActionsInline": True}}}})
        self.server.send("initialized", {})

    def clangd(self, text):
        """One file that changes: files with the same includes share a preamble."""
        main = self.folder("clangd", text)
        uri = main.as_uri()
        self.version += 1
        if not self.server:
            self.start_clangd(main)
            self.server.send("textDocument/didOpen", {"textDocument": {
                "uri": uri, "languageId": "cpp", "version": self.version, "text": text}})
        else:
            self.server.send("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": self.version},
                "contentChanges": [{"text": text}]})
        published = self.server.diagnostics(uri, self.version)
        found, edits = set(), set()
        for diagnostic in published["diagnostics"]:
            check = str(diagnostic.get("code", ""))
            if not check.startswith("torch-"):
                continue
            message = diagnostic["message"].split("\n")[0]
            message = re.sub(r" \(fix(es)? available\)$", "", message)
            found.add((diagnostic["range"]["start"]["line"] + 1, check,
                       message[:1].lower() + message[1:]))
            for action in diagnostic.get("codeActions", []):
                # Others are suggestions, which --fix leaves, and "ignore …".
                title = action["title"]
                if not (re.match(r"(change|insert|remove) ", title) or
                        title.lower() == message.lower()):
                    continue
                for changes in action.get("edit", {}).get("changes", {}).values():
                    for e in changes:
                        start, end = e["range"]["start"], e["range"]["end"]
                        edits.add((start["line"], start["character"], end["line"],
                                   end["character"], e["newText"]))
        return sorted(found), applied(text, edits)


def applied(text, edits):
    """\\p text with LSP's edits; positions count UTF-16 units."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-16-le")) // 2)

    def offset(line, character):
        return starts[min(line, len(lines))] + character

    units = text.encode("utf-16-le")
    for a, b, c, d, new in sorted(edits, reverse=True):
        start, end = offset(a, b) * 2, offset(c, d) * 2
        units = units[:start] + new.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


def kept(folder, key, answer):
    """answer(), or what it was for the same key."""
    path = folder / f"{key}.json"
    if path.exists():
        found, fixed = json.loads(path.read_text())
        return [tuple(f) for f in found], fixed
    result = answer()
    path.write_text(json.dumps(result))
    return result


def lower_first(found):
    """clangd shows a capital letter first."""
    return [(line, check, text[:1].lower() + text[1:]) for line, check, text in found]


def differences(names, answers):
    """What the other hosts say that the first does not, and the reverse."""
    first, fixed = answers[0]
    first = lower_first(first)
    for name, (found, text) in zip(names[1:], answers[1:]):
        found = lower_first(found)
        for only, who in ((set(first) - set(found), f"{names[0]}, not {name}"),
                          (set(found) - set(first), f"{name}, not {names[0]}")):
            for finding in sorted(only):
                yield f"only {who}: main.cpp:{finding[0]}: {finding[2]} [{finding[1]}]"
        if found == first and text != fixed:
            lines = zip(fixed.splitlines(), text.splitlines())
            at = next((i for i, (a, b) in enumerate(lines, 1) if a != b), "end")
            yield f"{name} fixes it otherwise than {names[0]}, from line {at} of the result"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("vramlint", "clang-tidy", "plugin", "clangd", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    for name in ("vramlint", "clang_tidy", "plugin", "clangd", "scratch"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    hosts = Hosts(options)
    texts = {f: pathlib.Path(f).read_text() for f in sorted(options.files)}
    folder = hosts.scratch
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
    cli, tidy, failed = {}, {}, 0
    for file, text in texts.items():
        stem = pathlib.Path(file).stem
        cli[file] = pool.submit(kept, folder, "cli-" + digest(options.vramlint, file),
                                lambda s=stem, t=text: hosts.cli("cli-" + s, t))
        tidy[file] = pool.submit(kept, folder, "tidy-" + digest(options.plugin, file),
                                 lambda s=stem, t=text: hosts.tidy("tidy-" + s, t))
    clangd = {file: kept(folder, "clangd-" + digest(options.clangd, file),
                         lambda t=text: hosts.clangd(t)) for file, text in texts.items()}
    for file in texts:
        answers = [cli[file].result(), tidy[file].result(), clangd[file]]
        problems = list(differences(("vramlint", "clang-tidy", "clangd"), answers))
        failed += bool(problems)
        print(f"{'differ' if problems else 'same'}: {pathlib.Path(file).name}, "
              f"{len(answers[0][0])} findings")
        for problem in problems:
            print(f"  {problem}")
    print(f"{len(texts)} files, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
