#!/usr/bin/env python3
"""Runs vramlint on one file and compares its findings with what the file says.

  // RUN: %check_torch %s torch-shape-mismatch %t
  // RUN: %check_torch --suffix=T4 %s torch-vram-overflow %t -- --gpu t4
  // RUN: %check_torch %s torch-missing-eval %t -- --quiet -- -std=c++17 -I%S

In the file, beside the code:
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: text of it [torch-shape-mismatch]
  // CHECK-NOTES: likewise, and then every note must be expected too
  // CHECK-FIXES: a line of the file after --fix
A finding that nobody expects fails the test, so a file without any expectation
says that there are none. With --suffix=X only CHECK-MESSAGES-X and so on count.
Where fixes are expected, the fixed file must still compile (--no-recompile turns
that off), and the findings that had fixes must be gone from it (--no-recheck).
"""

import argparse
import os
import re
import subprocess
import sys


def fail(message, *outputs):
    for text in outputs:
        if text:
            print(text)
    sys.exit(f"check_torch: {message}")


def split_arguments(argv):
    """[ours] -- [options of vramlint] -- [flags of the compiler]"""
    parts = [[]]
    for word in argv:
        if word == "--" and len(parts) < 3:
            parts.append([])
        else:
            parts[-1].append(word)
    return (parts + [[], []])[:3]


class Test:
    def __init__(self, argv):
        own, self.options, self.flags = split_arguments(argv)
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--vramlint", required=True)
        parser.add_argument("--filecheck", default="FileCheck")
        parser.add_argument("--suffix", default="")
        parser.add_argument("--no-recompile", action="store_true")
        parser.add_argument("--no-recheck", action="store_true")
        parser.add_argument("file")
        parser.add_argument("checks", help="globs, as in --checks")
        parser.add_argument("temp", help="where to put the fixed copy")
        self.args = parser.parse_args(own)
        with open(self.args.file, encoding="utf-8", errors="replace") as file:
            self.text = file.read()

    def prefixes(self, kind):
        """The prefixes of this kind that the file has."""
        suffix = f"-{self.args.suffix}" if self.args.suffix else ""
        name = f"CHECK-{kind}{suffix}"
        there = re.search(rf"// {name}(-NEXT|-SAME|-DAG|-NOT|-COUNT-\d+)?:",
                          self.text)
        return [name] if there else []

    def run_tool(self, file, *more):
        command = [self.args.vramlint, "check",
                   f"--checks=-*,{self.args.checks}", *more, *self.options,
                   file]
        if self.flags:
            command += ["--", *self.flags]
        run = subprocess.run(command, text=True, capture_output=True,
                             errors="replace")
        if run.returncode not in (0, 1):
            fail(f"{' '.join(command)}\n  ended with status {run.returncode}",
                 run.stdout, run.stderr)
        return run

    def file_check(self, input_file, prefixes, *more):
        command = [self.args.filecheck, f"--input-file={input_file}",
                   self.args.file, f"--check-prefixes={','.join(prefixes)}",
                   "--allow-unused-prefixes", *more]
        run = subprocess.run(command, text=True, capture_output=True)
        if run.returncode:
            with open(input_file, encoding="utf-8") as file:
                output = file.read()
            fail("the output isn't the expected one", output, run.stderr)

    def check_messages(self):
        run = self.run_tool(self.args.file)
        messages, notes = self.prefixes("MESSAGES"), self.prefixes("NOTES")
        unexpected = "warning|error|remark" + ("|note" if notes else "")
        if not messages and not notes:
            found = [line for line in run.stdout.splitlines()
                     if re.search(rf":\d+:\d+: ({unexpected}): ", line)]
            if found:
                fail("a finding that the file does not expect", run.stdout)
            if run.returncode != 0:
                fail(f"no finding, but status {run.returncode}", run.stderr)
            return
        output = self.args.temp + ".messages"
        with open(output, "w", encoding="utf-8") as file:
            file.write(run.stdout)
        self.file_check(output, messages + notes,
                        f"--implicit-check-not={{{{: ({unexpected}):}}}}")

    def check_fixes(self):
        prefixes = self.prefixes("FIXES")
        if not prefixes:
            return
        # Same number of lines; no comment may match an expectation by itself.
        stripped = re.sub(r"// *CHECK-[A-Z0-9-]*:.*", "//", self.text)
        fixed = self.args.temp + os.path.splitext(self.args.file)[1]
        with open(fixed, "w", encoding="utf-8") as file:
            file.write(stripped)
        run = self.run_tool(fixed, "--fix")
        self.file_check(fixed, prefixes, "--strict-whitespace")
        if self.args.no_recompile:
            return
        again = self.run_tool(fixed)  # status 2: no longer compiles
        if not self.args.no_recheck and "fix available" in again.stdout:
            fail("the fixed file has findings that can be fixed",
                 run.stdout, again.stdout)


test = Test(sys.argv[1:])
os.makedirs(os.path.dirname(os.path.abspath(test.args.temp)), exist_ok=True)
test.check_messages()
test.check_fixes()
