"""What the developer scripts share: the project's files, and C++ text without
its comments."""

import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Each may include itself and what stands before it.
LAYERS = ["support", "frontend", "interp", "torch", "memory", "gpu", "checks",
          "report", "tool"]


def files(root=ROOT):
    """Every file of the project: tracked, or new and not ignored."""
    run = subprocess.run(["git", "-C", root, "-c", "safe.directory=*",
                          "ls-files", "-co", "--exclude-standard"],
                         text=True, capture_output=True)
    if run.returncode == 0:
        names = run.stdout.splitlines()
    else:  # an exported tree
        names = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, found in os.walk(root) for name in found
                 if not os.path.relpath(folder, root).startswith(("build", ".git"))]
    return sorted(n for n in set(names) if os.path.isfile(os.path.join(root, n)))


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def layer(path):
    """The layer of a file, or None where the rules of layers don't apply."""
    parts = path.split("/")
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ("checks", "tool") else None


TOKEN = re.compile(
    r'R"([^()\s]*)\(.*?\)\1"'             # raw string
    r'|"(?:\\.|[^"\\\n])*"'               # string
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'"  # character, not 1'000
    r"|//[^\n]*|/\*.*?\*/",               # comments
    re.S)


def without_comments(text, strings=True):
    """The text with comments (and, where told, strings) blanked; its lines stay."""
    def blank(match):
        part = match.group(0)
        if part.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", part)
        return part if strings else '"' + re.sub(r"[^\n]", " ", part[1:-1]) + '"'
    return TOKEN.sub(blank, text)


def checks(root=ROOT):
    """The rows of checks/Checks.def: (line, [its arguments as text])."""
    path = os.path.join(root, "checks", "Checks.def")
    if not os.path.exists(path):
        return []
    text = without_comments(read(path, root))
    rows = []
    for match in re.finditer(r"^(?!\s*#)\s*\w+\(((?:\"(?:\\.|[^\"\\])*\"|[^\")])*)\)",
                             text, re.M):
        line = text.count("\n", 0, match.start(1)) + 1
        arguments, depth = [], match.group(1)
        for part in re.findall(r'(?:"(?:\\.|[^"\\])*"\s*)+|[^,"]+', depth):
            part = part.strip()
            if part.startswith('"'):
                part = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', part))
                part = part.replace('\\"', '"')
            if part:
                arguments.append(part)
        rows.append((line, arguments))
    return rows
