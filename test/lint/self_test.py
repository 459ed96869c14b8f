"""The rules find what they must and leave alone what they may not touch."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tool", "dev"))
import lint  # noqa: E402
import project  # noqa: E402

OPENING = """//===- {path}
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A file of this test.
"""


def found(rule, files):
    """What the rule says of a tree of these files: [(path, line)]."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return [(path, line) for path, line, _ in lint.RULES[rule](lint.Tree(root))]


class Includes(unittest.TestCase):
    def test_up_is_refused(self):
        self.assertEqual(found("includes", {
            "lib/gpu/A.cpp": '\n#include "lib/report/B.h"\n'}), [("lib/gpu/A.cpp", 2)])

    def test_down_and_own(self):
        self.assertEqual(found("includes", {
            "lib/gpu/A.cpp": '#include "lib/memory/B.h"\n#include "lib/gpu/A.h"\n'}), [])

    def test_clang(self):
        self.assertEqual(found("includes", {
            "lib/memory/A.h": '#include "clang/AST/Decl.h"\n',
            "lib/torch/plugin/A.cpp": '#include "clang/AST/Decl.h"\n',
            "lib/torch/ops/Conv.cpp": '#include "clang/AST/Decl.h"\n'}),
            [("lib/memory/A.h", 1), ("lib/torch/ops/Conv.cpp", 1)])

    def test_comment_is_no_include(self):
        self.assertEqual(found("includes", {
            "lib/gpu/A.cpp": '// #include "tool/x.h"\n'}), [])


class Words(unittest.TestCase):
    def test_in_code_only(self):
        self.assertEqual(found("words", {
            "lib/gpu/A.cpp": 'void f() {\n  throw 1; // try { }\n  g("throw x");\n}\n'}),
            [("lib/gpu/A.cpp", 2)])

    def test_output(self):
        self.assertEqual(found("words", {
            "lib/gpu/A.cpp": 'auto &O = std::cout;\n'}), [("lib/gpu/A.cpp", 1)])

    def test_interp(self):
        self.assertEqual(found("interp-words", {
            "lib/interp/A.h": '// not a tensor\nint Tensors;\n'}), [("lib/interp/A.h", 2)])


class Length(unittest.TestCase):
    def function(self, lines):
        return "static int f(int A,\n             int B) {\n" + "  ++A;\n" * (lines - 3) + "}\n"

    def test_limit(self):
        self.assertEqual(found("length", {"lib/gpu/A.cpp": self.function(70)}), [])
        self.assertEqual(found("length", {"lib/gpu/A.cpp": "\n" + self.function(71)}),
                         [("lib/gpu/A.cpp", 2)])

    def test_method_in_class(self):
        text = "class A {\n  void f() {\n" + "    ++B;\n" * 70 + "  }\n};\n"
        self.assertEqual(found("length", {"lib/gpu/A.h": text}), [("lib/gpu/A.h", 2)])

    def test_namespace_and_table_are_no_functions(self):
        text = "namespace a {\nconst int T[] = {\n" + "  1,\n" * 200 + "};\n} // namespace a\n"
        self.assertEqual(found("length", {"lib/gpu/A.cpp": text}), [])

    def test_file(self):
        self.assertEqual(len(found("length", {"lib/gpu/A.cpp": "\n" * 801})), 1)
        self.assertEqual(found("length", {"lib/torch/ops/A.cpp": "\n" * 801}), [])


class Openings(unittest.TestCase):
    def test_path_in_it(self):
        self.assertEqual(found("opening", {
            "lib/gpu/A.cpp": OPENING.format(path="lib/gpu/A.cpp"),
            "lib/gpu/B.cpp": OPENING.format(path="lib/gpu/A.cpp"),
            "lib/gpu/C.cpp": "int X;\n"}), [("lib/gpu/B.cpp", 1), ("lib/gpu/C.cpp", 1)])


class Checks(unittest.TestCase):
    TABLE = 'VRAMLINT_CHECK("torch-a-b", ABCheck, "memory",\n  Strict, "finds (a), b")\n'

    def test_row(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "checks"))
            with open(os.path.join(root, "checks", "Checks.def"), "w") as file:
                file.write("// A(b)\n" + self.TABLE)
            self.assertEqual(project.checks(root), [
                (2, ["torch-a-b", "ABCheck", "memory", "Strict", "finds (a), b"])])

    def test_what_belongs(self):
        files = {"checks/Checks.def": self.TABLE, "checks/ABCheck.h": "",
                 "checks/ABCheck.cpp": "", "test/checks/a-b.cpp": "",
                 "docs/checks/a-b.md": "".join(f"## {s}\n" for s in lint.PAGE_SECTIONS)}
        self.assertEqual(found("checks", files), [])
        for path in list(files)[1:]:
            less = {p: t for p, t in files.items() if p != path}
            self.assertEqual(found("checks", less), [("checks/Checks.def", 1)], path)

    def test_page_without_check(self):
        files = {"checks/Checks.def": self.TABLE, "docs/checks/gone.md": ""}
        self.assertIn(("docs/checks/gone.md", 1), found("checks", files))


class Others(unittest.TestCase):
    def test_cmake(self):
        self.assertEqual(found("cmake", {
            "lib/gpu/CMakeLists.txt": "SOURCES A.cpp stdlib/C.cpp", "lib/gpu/A.cpp": "",
            "lib/gpu/AA.cpp": "", "lib/gpu/stdlib/C.cpp": ""}), [("lib/gpu/AA.cpp", 1)])

    def test_paths(self):
        bad = "/" + "work/main/x"
        self.assertEqual(found("paths", {"docs/a.md": f"see {bad}\n",
                                         "docs/b.md": "$root/work/x a/tmp/b\n"}),
                         [("docs/a.md", 1)])

    def test_links(self):
        self.assertEqual(found("links", {
            "docs/a.md": "[a](b.md) [c](http://x.y/z) [d](gone.md#part)\n",
            "docs/b.md": "```\n[](gone.md)\n```\n"}), [("docs/a.md", 1)])


class New(unittest.TestCase):
    """./x new-… in a copy of the tree leaves one that the rules accept."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        for path in project.files(ROOT):
            if path.startswith(("checks/", "docs/checks/", "lib/torch/", "gpu-specs/",
                                "test/checks/", "test/oracle/ops/cases/", "tool/dev/",
                                "CHANGELOG.md")):
                os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
                shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))
        self.addCleanup(self.folder.cleanup)

    def new(self, *words):
        script = os.path.join(self.root, "tool", "dev", "new.py")
        return subprocess.run([sys.executable, script, *words], text=True,
                              capture_output=True)

    def text(self, path):
        return project.read(path, self.root)

    def test_check(self):
        run = self.new("check", "zero-sized-batch", "finds batches of nothing.")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = [row[0] for _, row in project.checks(self.root)]
        self.assertEqual(names, sorted(names))
        self.assertIn("torch-zero-sized-batch", names)
        self.assertIn("ZeroSizedBatchCheck.cpp\n", self.text("checks/CMakeLists.txt"))
        self.assertIn("ZeroSizedBatchCheck.h", self.text("checks/TorchModule.cpp"))
        tree = lint.Tree(self.root)
        for rule in ("checks", "opening", "cmake", "sorted"):
            said = [m for p, _, m in lint.RULES[rule](tree)
                    if "zero-sized" in p + m or "ZeroSized" in p + m]
            self.assertEqual(said, [], rule)
        self.assertNotEqual(self.new("check", "zero-sized-batch", "x").returncode, 0)
        self.assertNotEqual(self.new("check", "avoid-this", "x").returncode, 0)

    def test_op_and_module(self):
        run = self.new("op", "my_op", "--family", "norm")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn('Rows.push_back({"my_op", myOpRow});', self.text("lib/torch/ops/Norm.cpp"))
        self.assertIn("\ncase myOp\n", self.text("test/oracle/ops/cases/norm.txt"))
        run = self.new("module", "torch::nn::MyThing2dImpl", "--family", "Pool")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn('{.Class = "MyThing2d", .Op = "my_thing2d"',
                      self.text("lib/torch/modules/Pool.cpp"))
        self.assertIn("there are:", self.new("op", "x", "--family", "nothing").stderr)

    def test_gpu(self):
        run = self.new("gpu", "nvidia-x1-1gb")
        self.assertEqual(run.returncode, 0, run.stderr)
        spec = json.loads(self.text("gpu-specs/nvidia-x1-1gb.json"))
        self.assertEqual((spec["id"], spec["vendor"]), ("nvidia-x1-1gb", "nvidia"))


if __name__ == "__main__":
    unittest.main()
