# lit's configuration for the whole of test/: which files are tests, what the
# %-words mean, and which features this machine has.
#
#   %vramlint      the tool, with the suite's shared preamble cache
#   %check_torch   test/check_torch.py: runs the tool on a file and rejects any
#                  finding that the file does not expect
#   %exits N       test/exits.py: fails unless the command exits with code N
#   %golden        test/golden.py: compares an output with a file; ./x update
#                  rewrites that file
#   %json_schema   test/json_schema.py: checks JSON on standard input
#   %flags-2.6.0, %flags-2.14.1
#                  the flags for headers of another LibTorch, fetched once
#   %clang_tidy, %tidy_module, %clangd, %cxx, %python, %llvm_major, %root, %build
#
# Features: libtorch, cuda, clangd, tidy-plugin, precommit, ccache, jsonschema, yaml, asan,
# headers-2.6.0, headers-2.14.1.

import os
import shutil
import subprocess

import lit.formats

root = config.vramlint_source_dir
tools = config.llvm_tools_dir
major = config.llvm_version_major

config.name = "vramlint"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["Inputs", "unit", "models", "oracle", "bench", "fuzz",
                   "CMakeLists.txt"]
config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(config.vramlint_binary_dir, "test", "lit")


def tool(name):
    """A tool of the LLVM that we were built with, else one of its release."""
    for path in (os.path.join(tools, name), shutil.which(f"{name}-{major}"),
                 shutil.which(name)):
        if path and os.path.exists(path):
            return path
    return name


# One cache for the suite: all tests that open with the include block of
# Inputs/torch.h share one preamble.
cache = os.path.join(config.vramlint_binary_dir, "test", "cache")
os.makedirs(cache, exist_ok=True)
home = os.path.join(config.vramlint_binary_dir, "test", "home")
os.makedirs(home, exist_ok=True)
config.environment["XDG_CACHE_HOME"] = cache
config.environment["HOME"] = home
config.environment["VRAMLINT_BUILD_DIR"] = config.vramlint_binary_dir
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [tools, config.environment.get("PATH", os.environ["PATH"])])
for name in ("VRAMLINT_UPDATE", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

test = os.path.join(root, "test")
check_torch = (f"'{config.python}' '{test}/check_torch.py' "
               f"--vramlint='{config.vramlint_tool}' "
               f"--filecheck='{tool('FileCheck')}'")
# Longer words first: lit replaces in this order.
config.substitutions += [
    ("%check_torch", check_torch),
    ("%json_schema", f"'{config.python}' '{test}/json_schema.py'"),
    ("%exits", f"'{config.python}' '{test}/exits.py'"),
    ("%golden", f"'{config.python}' '{test}/golden.py' --root='{root}'"),
    ("%lint", f"'{config.python}' '{root}/tool/dev/lint.py' --root='{root}'"),
    ("%tidy_module", config.vramlint_tidy_module),
    ("%vramlint", config.vramlint_tool),
    ("%clang_tidy", tool("clang-tidy")),
    ("%clangd", config.vramlint_clangd),
    ("%llvm_major", major),
    ("%python", config.python),
    ("%cxx", config.cxx_compiler),
    ("%build", config.vramlint_binary_dir),
    ("%root", root),
]
# Bare names in RUN lines are the tools of our LLVM.
for name in ("FileCheck", "not", "split-file", "count"):
    config.substitutions.append((rf"(?<![\w/%.-]){name}(?![\w.-])", tool(name)))


def libtorch_major():
    """The major version of the LibTorch installed, as text; empty: none."""
    probe = ("#if __has_include(<torch/csrc/api/include/torch/version.h>)\n"
             "#include <torch/csrc/api/include/torch/version.h>\n"
             "#else\n#include <torch/version.h>\n#endif\n"
             "major TORCH_VERSION_MAJOR\n")
    run = subprocess.run([config.cxx_compiler, "-E", "-P", "-x", "c++", "-"],
                         input=probe, text=True, capture_output=True)
    words = run.stdout.split()
    return words[-1] if run.returncode == 0 and words else ""


def has_module(name):
    return subprocess.run([config.python, "-c", f"import {name}"],
                          capture_output=True).returncode == 0


def libtorch_flags(version):
    """How Clang parses that LibTorch's headers; empty: they can't be had here."""
    prefix = os.path.join(config.vramlint_binary_dir, "test", "libtorch", version)
    if "VRAMLINT_NO_INSTALL" in os.environ and not os.path.isdir(prefix):
        return ""
    try:
        run = subprocess.run([os.path.join(root, "tool", "dev", "get-libtorch"),
                              version, prefix],
                             text=True, capture_output=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(run.stdout.split()) if run.returncode == 0 else ""


other_headers = {v: libtorch_flags(v) for v in ("2.6.0", "2.14.1")}
config.substitutions += [(f"%flags-{v}", f) for v, f in other_headers.items()]

features = {
    "libtorch": bool(libtorch_major()),
    f"libtorch-{libtorch_major()}": bool(libtorch_major()),
    "cuda": os.path.exists("/dev/nvidia0"),
    "clangd": bool(config.vramlint_clangd),
    "tidy-plugin": bool(config.vramlint_tidy_module),
    "precommit": bool(shutil.which("pre-commit")),
    "ccache": bool(shutil.which("ccache")),
    "jsonschema": has_module("jsonschema"),
    "yaml": has_module("yaml"),
    "asan": bool(config.sanitize),
    "vramlint": bool(config.vramlint_tool),
    **{f"headers-{v}": bool(f) for v, f in other_headers.items()},
}
config.available_features |= {name for name, there in features.items() if there}
