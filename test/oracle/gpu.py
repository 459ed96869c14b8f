#!/usr/bin/env python3
# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the driver shows of real cards, against what vramlint says it will show.

  gpu.py --vramlint PATH --build DIR [--slow] [--rows FILE]

--slow: all rows, written to DIR/gpu.json for docs/generated/gpu-accuracy.md.

The rows (recorded/measured-gpu.json) are peaks of training runs that others measured,
with their sources. They ran PyTorch releases that load all of CUDA's kernels at once
and don't name their optimizer: SGD with momentum is taken. Each model here is that of
test/models in a plain training loop at the row's batch. timm's transformer calls the
attention that PyTorch 2 fuses: it is analysed with LibTorch 2.6's headers, or left out
where they can't be had.
"""
import argparse
import collections
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
ROWS = HERE / "recorded" / "measured-gpu.json"
MiB = 1 << 20

# model of a row: (files included, how it is built)
BUILT = {
    "resnet18": (["resnet/resnet.h"], "resnet18(1000)"),
    "resnet50": (["resnet/resnet.h"], "resnet50(1000)"),
    "vgg16": (["vgg/vgg.h"], "vgg::vgg16(1000)"),
    "densenet121": (["zoo/densenet121.cpp"], "DenseNet(1000, 32)"),
    "mobilenetv2_100": (["zoo/mobilenet_v2.cpp"], "mobilenet::MobileNetV2(1000, 1.0)"),
    "convnext_tiny": (["zoo/convnext_tiny.cpp"],
                      "ConvNeXt(std::vector<int64_t>{3, 3, 9, 3}, "
                      "std::vector<int64_t>{96, 192, 384, 768}, 1000)"),
    "vit_base_patch16_224": (["zoo/vit_timm.cpp"], "Vit(VitOptions{})"),
}
FUSED = {"vit_base_patch16_224"}
# Cards of which the rows tell the number of multiprocessors only: the ones of that
# time that have as many.
CARDS = {"gpu_13sm": "nvidia-k80", "gpu_80sm": "nvidia-v100-sxm2-16gb"}

PROGRAM = """#include <torch/torch.h>
#define main model_main
{includes}
#undef main
int main(int, char **argv) {{
  const int64_t batch = std::stoi(argv[1]);
  torch::Device device(torch::kCUDA);
  auto net = {built};
  net->to(device);
  net->train();
  torch::optim::SGD optimizer(net->parameters(),
                              torch::optim::SGDOptions(0.1).momentum(0.9));
  for (int step = 0; step < 20; ++step) {{
    auto images = torch::randn({{batch, 3, 224, 224}}, device);
    auto labels = torch::randint(1000, {{batch}}, torch::dtype(torch::kLong).device(device));
    optimizer.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(images), labels);
    loss.backward();
    optimizer.step();
  }}
}}
"""


def flags_of_2_6(build):
    """How Clang parses LibTorch 2.6's headers; empty: they can't be had here."""
    run = subprocess.run([HERE.parents[1] / "tool" / "dev" / "get-libtorch", "2.6.0",
                          build.resolve().parent / "libtorch" / "2.6.0"],
                         text=True, capture_output=True, check=False)
    return run.stdout.split() if run.returncode == 0 else []


def predict(tool, folder, model, batch, gpus, flags):
    """gpu id: {"lowerBytes": …, "expectedBytes": …, "upperBytes": …}."""
    files, built = BUILT[model]
    source = folder / f"{model}.cpp"
    includes = "\n".join(f'#include "{MODELS / f}"' for f in files)
    source.write_text(PROGRAM.format(includes=includes, built=built))
    command = [tool, "--format", "json", "--args", str(batch)]
    for gpu in gpus:
        command += ["--gpu", gpu]
    run = subprocess.run(command + [str(source)] + (["--", *flags] if flags else []),
                         capture_output=True, text=True, check=False)
    if run.returncode > 1:
        sys.exit(f"{model}: {run.stderr}")
    report = json.loads(run.stdout)
    return {v["gpu"]: v for v in report["files"][0]["fits"]}


def error(row):
    return abs(row["value"] - row["measured_mib"]) / row["measured_mib"]


def summary(results):
    """The figures that docs and tests state, per set and over all."""
    figures = {}
    for name in sorted({r["set"] for r in results}) + ["all"]:
        rows = [r for r in results if name in (r["set"], "all")]
        measured = [r["measured_mib"] for r in rows]
        figures[name] = {
            "rows": len(rows),
            "median_error_percent": round(100 * statistics.median(map(error, rows)), 1),
            "upper_covers_percent": round(
                100 * sum(r["upper"] >= r["measured_mib"] for r in rows) / len(rows), 1),
            "upper_over_measured_median": round(
                statistics.median(r["upper"] / m for r, m in zip(rows, measured)), 2),
            "lower_above_measured": sum(r["lower"] > r["measured_mib"] for r in rows),
        }
    return figures


# What the summary over all rows must be: (figure, holds, in words).
BARS = [
    ("median_error_percent", lambda v: v <= 10, "at most 10"),
    ("upper_covers_percent", lambda v: v >= 95, "at least 95"),
    ("upper_over_measured_median", lambda v: v <= 1.3, "at most 1.3"),
    ("lower_above_measured", lambda v: v == 0, "0"),
]


def compare(args, rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["model"], row["batch"]].append(row)
    results = []
    args.build.mkdir(parents=True, exist_ok=True)
    fused = flags_of_2_6(args.build)
    with tempfile.TemporaryDirectory(dir=args.build) as folder:
        for (model, batch), group in groups.items():
            if model in FUSED and not fused:
                print(f"SKIP: gpu/{model}-{batch}: no headers of LibTorch 2.6")
                continue
            cards = [r["gpu_id"] or CARDS[r["gpu"]] for r in group]
            found = predict(args.vramlint, Path(folder), model, batch, cards,
                            fused if model in FUSED else [])
            for row, card in zip(group, cards):
                need = found[card]["need_bytes"]
                results.append({
                    "set": row["set"], "model": model, "batch": batch, "gpu": card,
                    "measured_mib": row["peak_mib"],
                    **{k: round(need[k] / MiB, 1) for k in ("lower", "value", "upper")}})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vramlint", required=True)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--rows", default=str(ROWS))
    parser.add_argument("--slow", action="store_true",
                        help="all rows; else those of batch 8 and 64")
    args = parser.parse_args()
    rows = json.loads(Path(args.rows).read_text())["memory"]
    if not args.slow:
        rows = [r for r in rows if r["batch"] in (8, 64)]
    results = compare(args, rows)
    figures = summary(results)
    if args.slow:
        (args.build / "gpu.json").write_text(
            json.dumps({"summary": figures, "rows": results}, indent=1) + "\n")
    failed = 0
    for name, holds, words in BARS:
        value = figures["all"][name]
        failed += not holds(value)
        print(f"PASS: gpu/{name}" if holds(value) else
              f"FAIL: gpu/{name}: {value}, must be {words}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
