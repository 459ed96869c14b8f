#!/usr/bin/env python3
"""Runs our pre-commit hook in a git repository made for it.

usage: pre_commit.py PROJECT VRAMLINT FOLDER

The hook's `repo` is a throw-away repository that holds the project's
.pre-commit-hooks.yaml: what is tested is that file, not the last commit.
"""

import os
import pathlib
import shutil
import subprocess
import sys

project, tool, folder = map(pathlib.Path, sys.argv[1:])
hooks, user, bin_dir = folder / "hooks", folder / "user", folder / "bin"
env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
           GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@example.org",
           GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@example.org",
           PRE_COMMIT_HOME=str(folder / "pre-commit"))


def git(where, *arguments):
    subprocess.run(["git", "-C", str(where), *arguments], check=True, env=env,
                   stdout=subprocess.DEVNULL)


for where in (hooks, user, bin_dir):
    where.mkdir()
    if where != bin_dir:
        git(where, "init", "-q")
shutil.copy(project / ".pre-commit-hooks.yaml", hooks)
git(hooks, "add", "-A")
git(hooks, "commit", "-qm", "hooks")
revision = subprocess.run(["git", "-C", str(hooks), "rev-parse", "HEAD"],
                          text=True, capture_output=True, env=env).stdout.strip()
(bin_dir / "vramlint").symlink_to(tool)
(user / ".pre-commit-config.yaml").write_text(
    f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: vramlint\n")


def run(title, text, path):
    (user / "serve.cpp").write_text(text)
    (user / "README.md").write_text("Not C++.\n")
    git(user, "add", "-A")
    result = subprocess.run(["pre-commit", "run", "--all-files"], cwd=user,
                            text=True, capture_output=True,
                            env=dict(env, PATH=path))
    print(f"{title}: status {result.returncode}")
    print(result.stdout, result.stderr)


bad = (folder / "serve.cpp").read_text()
good = "#include <torch/script.h>\nint main() {}\n"
with_tool = f"{bin_dir}{os.pathsep}{os.environ['PATH']}"
run("with a finding", bad, with_tool)
run("without", good, with_tool)
run("tool missing", bad, os.environ["PATH"])
