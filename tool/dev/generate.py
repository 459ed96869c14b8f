#!/usr/bin/env python3
"""Writes docs/generated/ from the one place where each fact stands.

  tool/dev/generate.py WHAT [--check] [--build-dir DIR]
  WHAT: all, checks, libtorch-api, op-coverage, gpus, accuracy, gpu-accuracy, random
     or saved-bytes

checks.md comes from checks/Checks.def, libtorch-api.txt from LibTorch's headers,
op-coverage.md from it, the rows in lib/torch and their tests, gpus.md from
gpu-specs/, random.md from test/oracle/random/figures.json, saved-bytes.md from the
oracle's records. accuracy.md comes from a run of the oracle (./x accuracy) and is not
part of "all". --check writes nothing, prints "stale: FILE" for each file that would
change, and exits with 1.
"""

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import accuracy_page  # noqa: E402
import libtorch_api  # noqa: E402
import project  # noqa: E402
import random_page  # noqa: E402
import saved_page  # noqa: E402

NOTE = "<!-- Made by ./x {verb}; don't edit. -->\n\n"


def table(titles, rows, right=()):
    """A Markdown table; the columns named in `right` hold numbers."""
    lines = ["| " + " | ".join(titles) + " |",
             "|" + "|".join(" ---: " if t in right else " --- " for t in titles) + "|"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# ---- checks

def make_checks(_):
    rows = []
    for _, row in project.checks():
        if len(row) < 5:
            continue
        name, _, category, profile, summary = row[:5]
        page = f"../checks/{name.removeprefix('torch-')}.md"
        rows.append([f"[`{name}`]({page})", category,
                     profile.lower(), summary])
    return ("# Checks\n\n" + NOTE.format(verb="generate") +
            f"{len(rows)} checks. Those of the profiles strict and default are on without "
            "any configuration; strict ones are fit to fail a build; hints are off "
            "(`--profile strict`, `--profile hints`).\n\n" +
            table(["check", "category", "profile", "what it does"], rows))


# ---- ops and modules

def all_rows(build_dir):
    """{kind: [name]} of every row, as vramlint-list-rows prints them; None if it
    isn't built."""
    program = os.path.join(build_dir, "bin", "vramlint-list-rows")
    if not os.path.exists(program):
        return None
    output = subprocess.run([program], text=True, capture_output=True, check=True)
    rows = {}
    for line in output.stdout.splitlines():
        kind, name = line.split(" ", 1)
        rows.setdefault(kind, set()).add(name)
    return {kind: sorted(names) for kind, names in rows.items()}


def proven():
    """The names that ran in real LibTorch and agreed: in the op cases, the probes,
    the list of shapes and the programs of test/oracle/api."""
    names = set()
    for path in project.files():
        if re.fullmatch(r"test/oracle/ops/cases/\w+\.txt", path):
            for line in project.read(path).splitlines():
                match = re.match(r"(?:[\w, ]+ = )?([a-z_]\w*)(?: |$)", line)
                names |= {match.group(1)} if match else set()
        elif re.fullmatch(r"test/oracle/recorded/probe-\w+\.json", path):
            names |= {key.split(".")[0] for key in json.loads(project.read(path))}
    text = project.read("test/unit/modules/ModuleRowTest.cpp")
    names -= set(re.findall(r'\{"\w+", "(\w+)", .*\}, (?:Bounded|"[^"]+")\},\n', text))
    differ = set(project.read("test/oracle/shapes/expected-failures.txt").splitlines())
    for line in project.read("test/oracle/shapes/recorded.txt").splitlines():
        if not line.startswith(" ") and line not in differ:
            names.add(line.removeprefix("? ").split(" ", 1)[0].split(".")[0])
    return names


def shown():
    """The names that a program of test/oracle/api calls and that agree, by where
    they stand: "F::relu", "nn::Linear", "init::ones_"."""
    differ = project.read("test/oracle/api/known.txt")
    names = set()
    for program in ("functional", "modules"):
        for line in project.read(f"test/oracle/api/{program}.cpp").splitlines():
            match = re.match(r"\s*SHOW\((.*)\);$", line)
            if match and match.group(1) not in differ:
                names |= set(re.findall(r"\b(?:F|nn|init|utils|rnn|fft|linalg|special)::\w+",
                                        match.group(1)))
            elif not match:
                names |= set(re.findall(r"\bnn::\w+(?= [\w(]|\()", line))
    return names


def plugin_names():
    """What the plug-in answers without a row: Tensor::sizes, MNIST, StepLR."""
    names = set()
    for path in ("TensorCalls", "DataCalls", "FreeCalls", "Utilities"):
        text = project.read(f"lib/torch/plugin/{path}.cpp")
        names |= set(re.findall(r'[!=]= "(?:\w+::)*(\w+)"', text))
    # What these give has a class of its own.
    of = {"map": "MapDataset", "make_data_loader": "StatelessDataLoader",
          "SequentialSampler": "RandomSampler"}
    return names | {of[n] for n in names if n in of}


# What is there for LibTorch itself: pieces of other ops, other hardware, quantized
# numbers, functional copies of views.
INTERNAL = re.compile(
    r"_backward|_symint$|^(cudnn|miopen|mkldnn|mps|fbgemm|quantized|q)_|quantize|_jvp$|"
    r"^batch_norm_|_copy$|^rrelu_with_noise|^(sym|unsafe|nested|segment)_|_symint_?$|"
    r"^(from_file|for_blob|is_vulkan_available|is_distributed|infinitely_\w+|int_repr|"
    r"lstm_mps|native_channel_shuffle|choose_qparams\w*|copy_sparse\w*|resize_as_sparse\w*|"
    r"sparse_resize\w*|cummaxmin\w*|convolution_overrideable|slow_conv3d_forward|"
    r"multilabel_margin_loss_forward|nll_loss2d_forward|empty_quantized|normal_functional|"
    r"unsafeGetTensorImpl|getIntrusivePtr|wrap_tensor_impl|unsafeRelease\w+|generic_\w+|"
    r"enforce_invariants|globalDeprecated\w+|typeMetaToScalarType|legacy\w+|TORCH_\w+|"
    r"C10_\w+|static_assert|func|TensorOptions|get_named_tensor_meta|expect_contiguous|"
    r"vulkan|metal|hip|ve|toBackend|(is_)?(xpu|xla|hpu|ipu|ort|mkldnn|lazy|metal|meta|vulkan|"
    r"quantized|hip|ve|mps|nested)|qscheme|quantizer|names|opt_names|align_\w+|refine_names|"
    r"rename|record_stream|fused_moving_avg_obs_fake_quant|sparse_(bsr|bsc)\w*|to_mkldnn|"
    r"to_sparse_bs[rc]|to_padded_tensor|.*(ccol|crow|row|col)_indices.*|dequantize|"
    r"weak_use_count|key_set|layout|is_variable|exponential|cauchy|geometric|log_normal|"
    r"uniform|random|resize|resize_as|set|zero|copy|lift\w*|native_norm|embedding_renorm)$")

KINDS = [
    ("module", "torch::nn modules", "nn"), ("functional", "torch::nn::functional", "F"),
    ("init", "torch::nn::init", "init"), ("utils", "torch::nn::utils", "utils"),
    ("optim", "torch::optim", ""), ("data", "torch::data", ""),
    ("method", "Tensor's methods", ""), ("function", "torch:: functions", ""),
    ("fft", "torch::fft", "fft"), ("linalg", "torch::linalg", "linalg"),
    ("special", "torch::special", "special")]


def make_api(_):
    """LibTorch's names, read from its headers; None where they are not the ones
    that the list is for."""
    root = "/usr/include"
    return libtorch_api.listing(root) if libtorch_api.version(root) == "1.13.0" else None


def modelled(kind, name, rows, plugin):
    if kind == "module":
        return name in rows.get("module", []) or name == "NamedAnyModule"
    if kind == "optim":
        return name in rows.get("optimizer", []) or name in ("Optimizer", "LRScheduler", "StepLR")
    if kind == "init":
        return True  # One rule for all: in place, no allocation.
    names = [name]
    if kind in ("fft", "linalg", "special"):
        names = [f"{kind}_{name}", name]
    elif kind == "functional":
        names = [f"functional_{name}", name]
    return any(n in rows["op"] for n in names) or \
        (kind in ("method", "data", "utils") and name in plugin)


def make_op_coverage(args):
    rows = all_rows(args.build_dir)
    if rows is None:
        return None
    estimates = set(rows.get("estimate", []))
    rows["op"] = set(rows["op"])
    ran, seen, plugin = proven(), shown(), plugin_names()
    api = {}
    for line in project.read("docs/generated/libtorch-api.txt").splitlines():
        kind, name = line.split()
        api.setdefault(kind, []).append(name)
    table_rows, parts = [], []
    for kind, title, prefix in KINDS:
        groups = {"proven": [], "modelled": [], "not modelled": [], "internal": []}
        for name in api.get(kind, []):
            if kind in ("function", "method") and INTERNAL.search(name) and name not in ran:
                groups["internal"].append(name)
            elif not modelled(kind, name, rows, plugin):
                groups["not modelled"].append(name)
            else:
                tried = {name, f"{kind}_{name}"} if kind in ("fft", "linalg", "special") else {name}
                good = bool(tried & ran) or f"{prefix}::{name}" in seen or \
                    (kind == "utils" and f"rnn::{name}" in seen)
                groups["proven" if good else "modelled"].append(name)
        total = sum(len(n) for g, n in groups.items() if g != "internal")
        has = len(groups["proven"]) + len(groups["modelled"])
        table_rows.append([title, total, f"{has * 100 // max(total, 1)} %",
                           f"{len(groups['proven']) * 100 // max(total, 1)} %",
                           len(groups["internal"])])
        parts.append(f"\n## {title}\n")
        for group, names in groups.items():
            marks = [f"`{n}`" + ("~" if kind in ("method", "function") and n in estimates else "")
                     for n in names]
            if names:
                parts.append(f"\n{group.capitalize()} ({len(names)}): {' '.join(marks)}\n")
    return ("# What the tables know\n\n" + NOTE.format(verb="generate") +
            "Every name of LibTorch 1.13.1's public C++ headers "
            "([libtorch-api.txt](libtorch-api.txt)), and whether a row answers it.\n\n"
            "*Proven*: real LibTorch ran it (`test/oracle`), and shapes, dtypes and storages of "
            "the results agreed; for most also strides, views and bytes, with gradients and "
            "without. *Modelled*: there is "
            "a row, but no such case. *Not modelled*: the result has an unknown shape and is "
            "listed under \"not understood\" in the report. *Internal*: pieces of other ops, "
            "other hardware, quantized numbers; no program calls them. `~`: temporaries of the "
            "kernel are bounded, not counted, so that a peak which rests on them is an "
            f"estimate. There are {len(rows['op'])} op rows; the whole programs there prove "
            "more ([accuracy](accuracy.md)).\n\n" +
            table(["where", "names", "modelled", "proven", "internal"], table_rows,
                  ("names", "modelled", "proven", "internal")) + "".join(parts))


# ---- GPUs

def gib(count):
    return f"{count / 2**30:.1f}" if isinstance(count, (int, float)) else "?"


def specs(folder):
    for path in project.files():
        if re.fullmatch(rf"{folder}/[^/]+\.json", path) and \
           not path.endswith("schema.json"):
            yield os.path.basename(path)[:-5], json.loads(project.read(path))


def make_gpus(_):
    rows = []
    for stem, spec in specs("gpu-specs"):
        bandwidth = spec.get("memory_bandwidth_gb_s")
        usable = spec.get("usable_vram_bytes")
        rows.append([f"`{stem}`", spec["name"], spec.get("architecture") or "?",
                     gib(spec.get("vram_bytes")), gib(usable) if usable else "nominal",
                     f"{bandwidth:,.0f}" if bandwidth else "?"])
    systems = [[f"`{stem}`", spec["name"],
                f"{spec.get('gpu_count', '?')} × `{spec.get('gpu_id', '?')}`"]
               for stem, spec in specs("gpu-specs/systems")]
    text = ("# GPUs\n\n" + NOTE.format(verb="generate") +
            f"{len(rows)} files of `gpu-specs/`; `--gpu` takes the name in the first "
            "column or any alias in the file, which also names the sources of its "
            "figures. Where usable memory isn't known the nominal size is used, and "
            "the report says so.\n\n" +
            table(["--gpu", "name", "architecture", "GiB", "usable GiB", "GB/s"], rows,
                  ("GiB", "usable GiB", "GB/s")))
    if systems:
        text += f"\n## Systems: {len(systems)}\n\n" + \
            table(["--gpu", "name", "GPUs"], systems)
    return text


# ---- accuracy

def make_accuracy(args):
    text = accuracy_page.page(table, args.build_dir)
    if text is None:
        sys.exit("no figures in test/oracle of the build folder; run ./x accuracy")
    return "# Accuracy\n\n" + NOTE.format(verb="accuracy") + text


def make_random(args):
    rows = all_rows(args.build_dir)
    return None if rows is None else \
        "# Random programs\n\n" + NOTE.format(verb="accuracy --random N") + \
        random_page.page(table, rows)


def make_saved(args):
    rows = all_rows(args.build_dir)
    return None if rows is None else \
        "# Bytes kept for backward\n\n" + NOTE.format(verb="generate") + saved_page.page(rows)


def make_gpu_accuracy(args):
    path = os.path.join(args.build_dir, "test", "oracle", "gpu.json")
    if not os.path.exists(path):
        sys.exit(f"{path} is missing; run ./x accuracy")
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    sums = [[name, str(s["rows"]), f"{s['median_error_percent']} %",
             f"{s['upper_covers_percent']} %", str(s["upper_over_measured_median"]),
             str(s["lower_above_measured"])] for name, s in data["summary"].items()]
    rows = [[r["model"], r["gpu"], str(r["batch"]), f"{r['measured_mib']:,}",
             f"{r['value']:,.0f}",
             f"{(r['value'] - r['measured_mib']) * 100 / r['measured_mib']:+.1f} %",
             f"{r['lower']:,.0f}", f"{r['upper']:,.0f}"] for r in data["rows"]]
    numbers = ("batch", "measured", "expected", "off", "lower", "upper")
    return ("# Accuracy on real cards\n\n" + NOTE.format(verb="accuracy") +
            "Peaks that others measured in training at the level of the driver (what "
            "nvidia-smi shows), with their sources in "
            "`test/oracle/recorded/measured-gpu.json`, against what vramlint says for "
            "LibTorch 1.13: the models of `test/models`, 224×224 images, SGD with "
            "momentum (the sources don't name the optimizer). MiB. Contexts and the share "
            "of convolution workspaces were fitted to the rows of SchedTune and the "
            "first three models of GPUMemNet; MobileNetV2, ConvNeXt and ViT were not "
            "looked at then. The ViT that was measured keeps no attention weights "
            "(scaled_dot_product_attention), the one here does.\n\n" +
            table(["set", "rows", "median error", "upper covers", "upper / measured, median",
                   "lower above measured"], sums, ("rows",)) + "\n" +
            table(["model", "card", *numbers], rows, numbers))


FILES = {"checks": make_checks, "libtorch-api": make_api, "op-coverage": make_op_coverage,
         "gpus": make_gpus, "accuracy": make_accuracy, "gpu-accuracy": make_gpu_accuracy,
         "random": make_random, "saved-bytes": make_saved}
MEASURED = ("accuracy", "gpu-accuracy")  # By ./x accuracy alone.


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["all", *FILES])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build-dir", default=os.environ.get(
        "VRAMLINT_BUILD_DIR", os.path.join(project.ROOT, "build", "release")))
    args = parser.parse_args()
    names = [n for n in FILES if n not in MEASURED] if args.what == "all" else [args.what]
    stale = False
    for name in names:
        suffix = "txt" if name == "libtorch-api" else "md"
        path = os.path.join("docs", "generated", f"{name}.{suffix}")
        new = FILES[name](args)
        if new is None and name == "libtorch-api":
            print(f"not checked, LibTorch 1.13.1 isn't installed: {path}")
            continue
        if new is None:
            if not args.check:
                sys.exit(f"{path} needs the built vramlint-list-rows; run ./x generate")
            print(f"not checked, vramlint-list-rows isn't built: {path}")
            continue
        full = os.path.join(project.ROOT, path)
        old = project.read(path) if os.path.exists(full) else None
        if new == old:
            continue
        if args.check:
            print(f"stale: {path}")
            stale = True
            continue
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"wrote {path}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
