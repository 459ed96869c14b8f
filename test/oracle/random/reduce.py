# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: reductions, sorting, counting."""
from program import Refused, int_list, ints
from templates import op


def without(shape, dims, keep=False):
    return tuple(1 if i in dims else s for i, s in enumerate(shape)
                 if keep or i not in dims)


def reduction(name, forms, dims="0d*", keeps="all", weight=1.0):
    """dims: 0 all, d one dimension, * several."""
    @op(name, weight)
    def fn(p):
        kind = p.rng.one(dims)
        x = p.tensor(1 if kind != "0" else 0, 4)
        args, gone, keep = "", set(range(x.rank)), False
        if kind != "0":
            count = 1 if kind == "d" else p.rng.between(1, x.rank)
            gone = set(p.rng.shuffled(range(x.rank))[:count])
            keep = p.rng.chance(0.4)
            spelled = [g - x.rank if p.rng.chance(0.3) else g for g in sorted(gone)]
            args = str(spelled[0]) if kind == "d" else int_list(spelled)
            if name in ("std", "var", "std_mean", "var_mean"):
                args = f"{int_list(spelled)}, {p.rng.one(['true', 'false'])}"
            if name == "norm":
                args = f"2, {int_list(spelled)}"
            if keep:
                args += ", true"
            elif name == "norm":
                args += ", false"
        text = f"{x.t}.{name}({args})" if p.rng.one(forms) == "m" else \
            f"torch::{name}({x.text}{', ' if args else ''}{args})"
        kept = "in" if name == "mean" and kind != "0" else keeps
        return p.result(text, [x], without(x.shape, gone, keep), saves=kept,
                        contig=True)
    return fn


reduction("sum", "mf", keeps="none", weight=2)
reduction("mean", "mf", keeps="none", weight=2)
reduction("std", "mf")
reduction("var", "mf")
reduction("norm", "mf", "0*")
reduction("logsumexp", "mf", "d*")


def along(name, forms, integer=False):
    @op(name)
    def fn(p):
        x = p.tensor(1, 4)
        dim = p.rng.below(x.rank)
        spelled = dim - x.rank if p.rng.chance(0.3) else dim
        if name == "argsort":   # Two overloads take an int.
            spelled = f"int64_t({spelled})"
        text = f"{x.t}.{name}({spelled})" if p.rng.one(forms) == "m" else \
            f"torch::{name}({x.text}, {spelled})"
        return p.result(text, [x], x.shape, "i64" if integer else None,
                        contig=None)


along("softmax", "mf")
along("log_softmax", "mf")
along("cumsum", "mf")
along("argsort", "mf", True)



@op("extremum", 2)
def extremum(p):
    """max and min: of all, or along a dimension with the indices beside."""
    name = p.rng.one(["max", "min"])
    x = p.tensor(0, 4)
    if p.rng.chance(0.3) or x.rank == 0:
        text = p.rng.one([f"{x.t}.{name}()", f"torch::{name}({x.text})"])
        return p.result(text, [x], ())
    dim = p.rng.below(x.rank)
    keep = p.rng.chance(0.3)
    args = f"{dim}{', true' if keep else ''}"
    text = p.rng.one([f"{x.t}.{name}({args})", f"torch::{name}({x.text}, {args})"])
    return p.pair(text, [x], without(x.shape, {dim}, keep), "i64")


@op("arg", 1)
def arg(p):
    name = p.rng.one(["argmax", "argmin"])
    x = p.tensor(1, 4)
    if p.rng.chance(0.3):
        return p.result(f"{x.t}.{name}()", [x], (), "i64")
    dim = p.rng.below(x.rank)
    keep = p.rng.chance(0.3)
    args = f"{dim}{', true' if keep else ''}"
    text = p.rng.one([f"{x.t}.{name}({args})", f"torch::{name}({x.text}, {args})"])
    return p.result(text, [x], without(x.shape, {dim}, keep), "i64", contig=True)


@op("all_any", 1)
def all_any(p):
    name = p.rng.one(["all", "any"])
    x = p.tensor(1, 4, ("bool", "f32", "u8", "i64"))
    dtype = "u8" if x.dtype == "u8" else "bool"
    if p.rng.chance(0.4):
        return p.result(p.rng.one([f"{x.t}.{name}()", f"torch::{name}({x.text})"]),
                        [x], (), dtype)
    dim = p.rng.below(x.rank)
    keep = p.rng.chance(0.3)
    return p.result(f"{x.t}.{name}({dim}{', true' if keep else ''})", [x],
                    without(x.shape, {dim}, keep), dtype, contig=True)


@op("mean_of_pair", 1)
def std_mean(p):
    name = p.rng.one(["std_mean", "var_mean"])
    x = p.tensor(1, 4)
    dims = sorted(p.rng.shuffled(range(x.rank))[:p.rng.between(1, x.rank)])
    keep = p.rng.chance(0.3)
    args = f"{int_list(dims)}, {p.rng.one(['true', 'false'])}{', true' if keep else ''}"
    return p.pair(f"torch::{name}({x.text}, {args})", [x],
                  without(x.shape, set(dims), keep), x.dtype)


@op("topk", 1)
def topk(p):
    x = p.tensor(1, 4)
    dim = p.rng.below(x.rank)
    k = p.rng.between(1, x.shape[dim])
    text = p.rng.one([f"{x.t}.topk({k}, {dim})", f"torch::topk({x.text}, {k}, {dim})"])
    shape = tuple(k if i == dim else s for i, s in enumerate(x.shape))
    return p.pair(text, [x], shape, "i64")


@op("sort", 1)
def sort(p):
    x = p.tensor(1, 4)
    dim = p.rng.below(x.rank)
    text = p.rng.one([f"{x.t}.sort({dim})", f"torch::sort({x.text}, {dim})",
                      f"{x.t}.sort({dim}, true)"])
    return p.pair(text, [x], x.shape, "i64", contig=x.impl.contig)


@op("sum_dtype", 0.5)
def sum_dtype(p):
    x = p.tensor(1, 4, ("f32", "i64", "bool"))
    kind = p.rng.one(["double", "plain", "sum_to_size", "mean"])
    if kind == "sum_to_size":
        shape = tuple(1 if p.rng.chance(0.5) else s for s in x.shape)
        if shape == x.shape or x.dtype != "f32":
            raise Refused()
        return p.result(f"{x.t}.sum_to_size({ints(shape)})", [x], shape, saves="none")
    if kind == "plain":
        return p.result(f"{x.t}.sum()", [x], (), "i64" if x.dtype != "f32" else "f32",
                        saves="none")
    name = "sum" if kind == "double" else "mean"
    return p.result(f"{x.t}.{name}(torch::kDouble)", [x], (), "f64", saves="none")


@op("norm_p", 0.5)
def norm_p(p):
    x = p.tensor(1, 4)
    text = p.rng.one([f"{x.t}.norm(1)", f"torch::norm({x.text}, 3)", f"{x.t}.norm(0)",
                      f"torch::norm({x.text}, INFINITY)", f"{x.t}.norm(1.5)"])
    return p.result(text, [x], ())


@op("frobenius_norm", 0.5)
def frobenius_norm(p):
    x = p.tensor(2, 4)
    dims = sorted(p.rng.shuffled(range(x.rank))[:p.rng.between(1, 2)])
    keep = p.rng.chance(0.3)
    return p.result(f"torch::frobenius_norm({x.text}, {int_list(dims)}{', true' if keep else ''})",
                    [x], without(x.shape, set(dims), keep), contig=True)


@op("special_reduce", 0.7)
def special(p):
    x = p.tensor(1, 4)
    dim = p.rng.below(x.rank)
    kind = p.rng.one(["logsumexp", "softmax", "log_softmax", "F", "double", "softmin"])
    if kind == "logsumexp":
        return p.result(f"torch::special_logsumexp({x.text}, {dim})", [x],
                        without(x.shape, {dim}), contig=True)
    if kind == "F":
        name, options = p.rng.one([("softmax", "Softmax"), ("log_softmax", "LogSoftmax")])
        return p.result(f"F::{name}({x.text}, F::{options}FuncOptions({dim}))", [x], x.shape)
    if kind == "softmin":
        return p.result(f"F::softmin({x.text}, F::SoftminFuncOptions({dim}))", [x], x.shape)
    if kind == "double":
        name = p.rng.one(["softmax", "log_softmax"])
        return p.result(f"torch::{name}({x.text}, {dim}, torch::kDouble)", [x], x.shape,
                        "f64")
    return p.result(f"torch::special_{kind}({x.text}, {dim}, c10::nullopt)", [x], x.shape)
