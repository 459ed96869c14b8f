# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the oracle's marks into a C++ source.

Finds function bodies and their statements with a small scanner (no compiler):
good enough for the programs in test/models, and it refuses what it does not
understand by leaving it unmarked. Line numbers stay as they are, since only
text within lines is added.
"""
import re

IDENT = re.compile(r"[A-Za-z_]\w*")
NO_MARK = {"return", "break", "continue", "throw", "using", "typedef", "goto",
           "static_assert", "case", "default", "namespace", "struct", "class"}
OPEN, CLOSE = "([{", ")]}"


class Instrumenter:
    def __init__(self, text, file, limits, hooks, loop_ids, functions, every=False):
        """limits: {line text fragment: iterations}, else 2, in the loops of the
        given functions; other functions' loops run in full.
        hooks: [(line text fragment, code)], added after that statement.
        every: marks the statements of unbraced bodies too, each from where it
        starts: what dies between two statements counts for neither."""
        self.every = every
        self.text, self.file = text, file
        self.limits, self.hooks, self.loop_ids = limits, hooks, loop_ids
        self.functions = functions
        self.blank = self.blanked(text)
        self.inserts = []
        self.lines = text.split("\n")
        self.used_hooks = set()

    @staticmethod
    def blanked(text):
        """The text with comments, literals and directives replaced by blanks."""
        pattern = re.compile(
            r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
            r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
        return pattern.sub(
            lambda m: "".join("\n" if c == "\n" else
                              ("0" if m.group()[0] in "\"'" else " ")
                              for c in m.group()), text)

    def line(self, pos):
        return self.text.count("\n", 0, pos) + 1

    def skip(self, pos):
        while pos < len(self.blank) and self.blank[pos].isspace():
            pos += 1
        return pos

    def group(self, pos):
        """The position after the bracket group that opens at pos."""
        depth = 0
        while pos < len(self.blank):
            if self.blank[pos] in OPEN:
                depth += 1
            elif self.blank[pos] in CLOSE:
                depth -= 1
                if depth == 0:
                    return pos + 1
            pos += 1
        raise ValueError(f"{self.file}: unbalanced brackets")

    def insert(self, pos, code):
        self.inserts.append((pos, code))

    def mark(self, start, end):
        first, last = self.line(start), self.line(end - 1)
        self.insert(end, f' oracle::mark("{self.file}", "{self.function}", '
                         f'{first}, {last});')
        for fragment, code in self.hooks:
            if any(fragment in self.lines[n - 1]
                   for n in range(first, last + 1)):
                self.insert(end, " " + code)
                self.used_hooks.add(fragment)

    # Declarations: namespaces and classes are entered, functions marked.
    def declarations(self, pos, end):
        while True:
            pos = self.skip(pos)
            if pos >= end:
                return
            start = pos
            while pos < end and self.blank[pos] not in ";{}":
                pos = self.group(pos) if self.blank[pos] in "([" else pos + 1
            if pos >= end or self.blank[pos] != "{":
                pos += 1
                continue
            head = self.blank[start:pos]
            while self.braced_member(head):
                pos = self.group(pos)
                while pos < end and self.blank[pos] not in ";{}":
                    pos = self.group(pos) if self.blank[pos] in "([" else pos + 1
                if pos >= end or self.blank[pos] != "{":
                    break
                head = self.blank[start:pos]
            if pos >= end or self.blank[pos] != "{":
                pos += 1
                continue
            close = self.group(pos)
            plain = re.sub(r"^\s*(public|private|protected)\s*:", " ", head)
            plain = re.sub(r"^\s*(template\s*<[^{]*?>\s*)*", "", plain)
            if re.match(r"(inline\s+)?namespace\b|extern\b", plain):
                self.declarations(pos + 1, close - 1)
            elif re.match(r"(class|struct|union)\b", plain) and \
                    not plain.rstrip().endswith(")"):
                self.declarations(pos + 1, close - 1)
            elif "(" in plain and not re.match(r"enum\b", plain) and \
                    "=" not in plain.split("(")[0]:
                self.function_body(plain, pos, close)
            pos = close

    @staticmethod
    def braced_member(head):
        """Whether the brace after head initialises a member or variable."""
        tail = head.rstrip()
        if re.search(r"\)\s*(const|override|final|noexcept|mutable|try)$", tail):
            return False
        if re.match(r"\s*(inline\s+)?(namespace|class|struct|union|enum|extern"
                    r"|template)\b", head):
            return bool(re.search(r"\)\s*:.*[\w>]$", tail, re.S))
        if tail.endswith("="):
            return True
        return "namespace" not in head and bool(re.search(r"[\w>]$", tail)) \
            and not re.match(r"\s*(public|private|protected)\s*:\s*"
                             r"(class|struct)\b", head)

    def function_body(self, head, pos, close):
        if self.every and re.search(r"\bconstexpr\b", head):
            return
        name = re.search(r"([\w:~]+)\s*\($", head[:head.index("(") + 1])
        self.function = name.group(1) if name else "?"
        code = " oracle::Frame oracle_frame;"
        if self.function == "main":
            code = " oracle::Session oracle_session;" + code
        self.insert(pos + 1, code)
        self.block(pos + 1, close - 1)

    def block(self, pos, end):
        while True:
            pos = self.skip(pos)
            if pos >= end:
                return
            pos = self.statement(pos, end, True)

    def keyword(self, pos):
        found = IDENT.match(self.blank, pos)
        return found.group() if found else ""

    def statement(self, pos, end, marked):
        """Marks one statement (unless it is another's body) and returns its end."""
        start, word = pos, self.keyword(pos)
        if self.blank[pos] == "{":
            close = self.group(pos)
            self.block(pos + 1, close - 1)
            return close
        if word in ("if", "for", "while", "switch"):
            pos = self.blank.index("(", pos)
            pos = self.skip(self.group(pos))
            if self.blank[pos] == "{":
                close = self.group(pos)
                if word in ("for", "while"):
                    self.loop(start, pos, close)
                self.block(pos + 1, close - 1)
                pos = close
                simple = False
            else:
                pos = self.body(pos, end)
                simple = not self.every
            after = self.skip(pos)
            if word == "if" and self.keyword(after) == "else":
                return self.body(self.skip(after + 4), end)
            if simple and marked and word != "switch":
                self.mark(start, pos)
            return pos
        if word == "try":
            pos = self.skip(pos + 3)
            close = self.group(pos)
            self.block(pos + 1, close - 1)
            after = self.skip(close)
            while self.keyword(after) == "catch":
                brace = self.blank.index("{", after)
                close = self.group(brace)
                after = self.skip(close)
            return close
        if word == "do":
            pos = self.group(self.skip(pos + 2))
            return self.blank.index(";", pos) + 1
        while self.blank[pos] != ";":
            pos = self.group(pos) if self.blank[pos] in OPEN else pos + 1
            if pos >= end:
                return end
        if marked and word not in NO_MARK:
            if self.every:
                self.insert(start, "oracle::begin(); ")
            self.mark(start, pos + 1)
        return pos + 1

    def body(self, pos, end):
        """A body that may have no braces: gets some, for its mark."""
        if not self.every or self.blank[pos] == "{":
            return self.statement(pos, end, False)
        self.insert(pos, "{ ")
        after = self.statement(pos, end, True)
        self.insert(after, " }")
        return after

    def loop(self, start, brace, close):
        if self.every:
            return
        first, last = self.line(start), self.line(close - 1)
        text = self.lines[first - 1]
        limit = 2 if self.function in self.functions else 0
        for fragment, number in self.limits.items():
            if fragment in text:
                limit = number
        loop_id = len(self.loop_ids)
        self.loop_ids.append(first)
        self.insert(start, f"oracle::enterLoop({loop_id}); ")
        self.insert(brace + 1,
                    f' if (oracle::iteration({loop_id}, {limit}, "{self.file}", '
                    f'"{self.function}", {first}, {last})) break;')
        if limit > 0:
            self.insert(close, " oracle::begin();")

    def run(self):
        self.function = "?"
        self.declarations(0, len(self.blank))
        out, last = [], 0
        for pos, code in sorted(self.inserts, key=lambda i: i[0]):
            out += [self.text[last:pos], code]
            last = pos
        return "".join(out) + self.text[last:]
