#!/usr/bin/env python3
"""Speed, as ratios to Clang on the same file in the same run; ./x bench calls it.

  test/bench/run.py [--build-dir DIR] [--rounds N] [--only NAME] [--json FILE]
                    [FILES…]

For each program of test/models, or each file named, user CPU seconds, best of the rounds, the ways
interleaved so that a busy machine slows all of them alike:

  clang    clang++ -fsyntax-only, with the flags that LibTorch needs
  tidy     clang-tidy with one check (one round: it takes 20 s)
  cold     vramlint check with an empty cache (one round)
  warm     vramlint check with a full one, as after an edit of the file
  kept     vramlint check of a file that did not change

Fails where kept is above 0.005 × clang, warm above 0.08 × or cold above 0.8 ×.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = {
    "mnist": "test/models/mnist/train.cpp",
    "dcgan": "test/models/dcgan/dcgan.cpp",
    "resnet": "test/models/resnet/main.cpp",
    "vgg": "test/models/vgg/train.cpp",
    "serve": "test/models/serve/serve.cpp",
}
KEPT_MAX, WARM_MAX, COLD_MAX = 0.005, 0.08, 0.8


def tool(name):
    for candidate in (f"{name}-19", f"/usr/lib/llvm-19/bin/{name}", name):
        if shutil.which(candidate):
            return candidate
    return None


def include_root():
    """Where LibTorch's second include root is, if it's on the system's path."""
    for prefix in ("/usr/include", "/usr/local/include"):
        if os.path.exists(f"{prefix}/torch/csrc/api/include/torch/torch.h"):
            return f"{prefix}/torch/csrc/api/include"
    sys.exit("bench: no LibTorch headers; run ./x setup")


def user_seconds(command, environment, accept=(0,)):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(command, env=environment, text=True, capture_output=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if run.returncode not in accept:
        print(run.stdout[-2000:], run.stderr[-2000:], sep="\n")
        sys.exit(f"bench: {' '.join(command)}\n  ended with status {run.returncode}")
    return seconds


class Bench:
    def __init__(self, args):
        self.args = args
        self.tool = os.path.join(ROOT, args.build_dir, "bin", "vramlint")
        self.flags = ["-std=c++17", f"-isystem{include_root()}"]

    def clang(self, file):
        return user_seconds([tool("clang++"), "-fsyntax-only", *self.flags, file],
                            os.environ)

    def tidy(self, file):
        return user_seconds([tool("clang-tidy"), "--checks=-*,bugprone-unused-raii",
                             "--quiet", file, "--", *self.flags], os.environ)

    def vramlint(self, file, cache, *more):
        environment = dict(os.environ, XDG_CACHE_HOME=cache)
        return user_seconds([self.tool, "check", file, *more], environment, (0, 1))

    def measure(self, name):
        file = os.path.join(ROOT, PROGRAMS.get(name, os.path.abspath(name)))
        with tempfile.TemporaryDirectory(prefix="vramlint-bench-") as cache:
            best = {"cold": self.vramlint(file, cache)}
            ways = {"clang": lambda: self.clang(file),
                    "warm": lambda: self.vramlint(file, cache, "--no-cache"),
                    "kept": lambda: self.vramlint(file, cache)}
            for _ in range(self.args.rounds):
                for way, run in ways.items():
                    seconds = run()
                    best[way] = min(seconds, best.get(way, seconds))
        if self.args.tidy:
            best["tidy"] = self.tidy(file)
        return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="one of " + ", ".join(PROGRAMS))
    parser.add_argument("--no-tidy", dest="tidy", action="store_false")
    parser.add_argument("files", nargs="*", help="instead of test/models")
    parser.add_argument("--json", help="write the figures there too")
    args = parser.parse_args()
    bench, failed, results = Bench(args), [], {}
    print(f"{'program':10}{'clang s':>9}{'cold s':>9}{'ratio':>8}{'warm s':>9}"
          f"{'ratio':>8}{'kept s':>9}{'ratio':>8}" +
          (f"{'tidy s':>9}{'ratio':>8}" if args.tidy else ""))
    for name in args.files or ([args.only] if args.only else PROGRAMS):
        best = results[name] = bench.measure(name)
        base = best["clang"]
        line = f"{os.path.basename(name)[:10]:10}{base:9.2f}"
        for way in ("cold", "warm", "kept") + (("tidy",) if args.tidy else ()):
            line += f"{best[way]:9.2f}{best[way] / base:8.3f}"
        print(line, flush=True)
        for way, limit in (("kept", KEPT_MAX), ("warm", WARM_MAX), ("cold", COLD_MAX)):
            if best[way] > limit * base:
                failed.append(f"{name}: {way} is {best[way] / base:.3f} × clang, "
                              f"allowed {limit}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
    print("User CPU seconds, best of the rounds; ratios to clang++ -fsyntax-only.")
    sys.exit("\n".join(failed) if failed else 0)


main()
