"""The names of LibTorch's public C++ interface, read from its headers.

  tool/dev/libtorch_api.py INCLUDE-ROOT     prints them, "kind name", sorted

docs/generated/libtorch-api.txt is this for LibTorch 1.13.1, committed so that
coverage can be told on a machine without LibTorch. Names alone: no text of the
headers is kept.
"""

import glob
import os
import re
import sys

# What the patterns below take for a function and isn't.
NOT_METHODS = {"operator", "return", "if", "while", "for", "switch", "Tensor",
               "TensorBase", "using"}
# Base classes and helpers that no program names to get something done.
NOT_DATA = re.compile(r"Options|Cloneable|Iterator|Base$|^(Batch)?Transform$|is_optional|"
                      r"WorkerException|BatchDataBuffer|^Sampler$|^StatefulDataset$|"
                      r"^BatchDataset$|^CustomBatchRequest$|^BatchSize$|^Dataset$|"
                      r"^TensorTransform$|^DistributedSampler$")


def read(*parts):
    path = os.path.join(*parts)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def module_classes(api):
    for path in glob.glob(os.path.join(api, "nn", "modules", "**", "*.h"), recursive=True):
        yield from re.findall(r"^\s*TORCH_MODULE(?:_IMPL)?\((\w+)", read(path), re.M)
        yield from re.findall(r"^class (?:TORCH_API )?(\w+) : public (?:torch::nn::)?ModuleHolder",
                              read(path), re.M)
    yield "AnyModule"


def functionals(api):
    for path in glob.glob(os.path.join(api, "nn", "functional", "*.h")):
        text = re.sub(r"namespace detail \{.*?\}\s*(?=#endif)", "", read(path), flags=re.S)
        for name in re.findall(r"^(?:inline|TORCH_API)\s[\w:<>,&\s]*?\s\*?&?(\w+)\s*\(",
                               text, re.M):
            if not name.startswith("_"):
                yield name


def free_functions(path):
    """Not the forms with out=."""
    for name in re.findall(r"^(?:inline|TORCH_API|template\s*<[^>]*>\s*inline)\s[\w:<>,&\s]*?"
                           r"[\s>&](\w+)\s*\(", read(path), re.M):
        if not name.startswith("_") and not name.endswith("_out"):
            yield name


def tensor_methods(root):
    for header, first in (("TensorBody.h", r"class TORCH_API Tensor\s*:"),
                          ("TensorBase.h", r"class TORCH_API TensorBase\s*\{")):
        text = read(root, "ATen", "core", header)
        text = text[re.search(first, text).end():]
        text = text[:re.search(r"^\};", text, re.M).start()]
        text = re.sub(r"\s*:\s*(?=TensorBase\()", "", text)
        for name in re.findall(r"^  (?:inline\s+)?(?:const\s+)?[\w:<>,&*\s]+?[\s>&*](\w+)\s*\("
                               r"[^;{]*\)\s*(?:const|noexcept|&|\s)*(?=[;{=])", text, re.M):
            if not name.startswith("_") and name not in NOT_METHODS:
                yield name


def aten_functions(root):
    for path in glob.glob(os.path.join(root, "ATen", "ops", "*.h")):
        stem = os.path.basename(path)[:-2]
        if stem.startswith("_") or re.search(r"_(ops|native|dispatch|meta)$", stem) or \
           re.search(r"_(cpu|cuda|meta|composite\w*)_dispatch$", stem):
            continue
        for name in set(re.findall(r"^inline [\w:<>,&\s]*?[\s>&](\w+)\s*\(", read(path), re.M)):
            if not name.startswith("_") and not name.endswith(("_out", "_outf")):
                yield name


def classes(folder):
    for path in glob.glob(os.path.join(folder, "**", "*.h"), recursive=True):
        if os.path.basename(os.path.dirname(path)) == "detail":
            continue
        for name in re.findall(r"^(?:class|struct)\s+(?:TORCH_API\s+)?(\w+)\s*(?:final\s*)?[:{]",
                               read(path), re.M):
            yield name


def names(root):
    """{kind: {name}} of the LibTorch under the include folder `root`."""
    api = os.path.join(root, "torch", "csrc", "api", "include", "torch")
    found = {
        "module": set(module_classes(api)),
        "functional": set(functionals(api)),
        "init": set(free_functions(os.path.join(api, "nn", "init.h"))),
        "utils": set().union(*(free_functions(p) for p in
                               glob.glob(os.path.join(api, "nn", "utils", "*.h")))),
        "optim": {n for n in classes(os.path.join(api, "optim"))
                  if not re.search(r"Options|State|ParamGroup|Cloneable", n)},
        "data": {n for n in classes(os.path.join(api, "data"))
                 if not NOT_DATA.search(n)},
        "method": set(tensor_methods(root)),
        "function": set(aten_functions(root)) | {
            n for n in free_functions(os.path.join(
                root, "torch", "csrc", "autograd", "generated", "variable_factories.h"))},
    }
    for name in ("fft", "linalg", "special"):
        found[name] = set(free_functions(os.path.join(api, f"{name}.h")))
    return found


def version(root):
    """"1.13.0" as torch/version.h says it; None without LibTorch."""
    text = read(root, "torch", "csrc", "api", "include", "torch", "version.h")
    parts = [re.search(rf"TORCH_VERSION_{part} (\d+)", text)
             for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(m.group(1) for m in parts) if all(parts) else None


def listing(root):
    """The committed file's text."""
    return "".join(f"{kind} {name}\n" for kind, members in sorted(names(root).items())
                   for name in sorted(members))


if __name__ == "__main__":
    sys.stdout.write(listing(sys.argv[1] if len(sys.argv) > 1 else "/usr/include"))
