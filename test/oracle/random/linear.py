# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: products of matrices and vectors."""
from templates import op


@op("matmul", 2)
def matmul(p):
    rng = p.rng
    x = p.tensor(1, 3)
    inner = x.shape[-1]
    other = rng.weighted([(1, 1), (2, 3), (3, 1)])
    if other == 1:
        y = p.shaped((inner,))
        shape = x.shape[:-1]
    else:
        batch = () if other == 2 else (x.shape[0],) if x.rank == 3 else (rng.between(2, 3),)
        y = p.shaped(batch + (inner, rng.between(2, 5)))
        lead = x.shape[:-2] if x.rank > 2 else batch
        shape = lead + (x.shape[-2:-1] if x.rank > 1 else ()) + y.shape[-1:]
    text = rng.one([f"{x.t}.matmul({y.text})", f"torch::matmul({x.text}, {y.text})",
                    f"torch::linalg_matmul({x.text}, {y.text})"])
    return p.result(text, [x, y], shape, saves="in", contig=False)


@op("mm", 2)
def mm(p):
    x = p.tensor(2, 2)
    y = p.shaped((x.shape[1], p.rng.between(2, 6)))
    text = p.rng.one([f"{x.t}.mm({y.text})", f"torch::mm({x.text}, {y.text})"])
    return p.result(text, [x, y], (x.shape[0], y.shape[1]), saves="in", contig=True)


@op("bmm", 1.5)
def bmm(p):
    x = p.tensor(3, 3)
    y = p.shaped((x.shape[0], x.shape[2], p.rng.between(2, 4)))
    text = p.rng.one([f"{x.t}.bmm({y.text})", f"torch::bmm({x.text}, {y.text})"])
    return p.result(text, [x, y], x.shape[:2] + y.shape[2:], saves="in", contig=True)


@op("mv", 1)
def mv(p):
    x = p.tensor(2, 2)
    y = p.shaped((x.shape[1],))
    text = p.rng.one([f"{x.t}.mv({y.text})", f"torch::mv({x.text}, {y.text})"])
    return p.result(text, [x, y], (x.shape[0],), saves="in", contig=True)


@op("dot", 1)
def dot(p):
    x = p.tensor(1, 1)
    y = p.shaped(x.shape)
    text = p.rng.one([f"{x.t}.dot({y.text})", f"torch::dot({x.text}, {y.text})"])
    return p.result(text, [x, y], (), saves="in")


@op("outer", 1)
def outer(p):
    x, y = p.tensor(1, 1), p.tensor(1, 1)
    name = p.rng.one(["outer", "ger"])
    text = p.rng.one([f"{x.t}.{name}({y.text})", f"torch::{name}({x.text}, {y.text})"])
    return p.result(text, [x, y], x.shape + y.shape, saves="in", contig=True)


@op("inner", 0.7)
def inner(p):
    x = p.tensor(1, 3)
    y = p.shaped((p.rng.between(2, 4), x.shape[-1]))
    text = p.rng.one([f"{x.t}.inner({y.text})", f"torch::inner({x.text}, {y.text})"])
    return p.result(text, [x, y], x.shape[:-1] + y.shape[:1], contig=False)


@op("addmm", 1.5)
def addmm(p):
    x = p.tensor(2, 2)
    y = p.shaped((x.shape[1], p.rng.between(2, 5)))
    shape = (x.shape[0], y.shape[1])
    bias = p.shaped(p.rng.one([shape, shape[1:], (1, shape[1])]))
    scale = p.rng.weighted([("", 3), (", 0.5, 2", 1)])
    text = p.rng.one([f"{bias.t}.addmm({x.text}, {y.text}{scale})",
                      f"torch::addmm({bias.text}, {x.text}, {y.text}{scale})"])
    return p.result(text, [bias, x, y], shape, saves="in", contig=True)


@op("baddbmm", 1)
def baddbmm(p):
    x = p.tensor(3, 3)
    y = p.shaped((x.shape[0], x.shape[2], p.rng.between(2, 4)))
    shape = x.shape[:2] + y.shape[2:]
    bias = p.shaped(p.rng.one([shape, shape[2:]]))
    text = p.rng.one([f"{bias.t}.baddbmm({x.text}, {y.text})",
                      f"torch::baddbmm({bias.text}, {x.text}, {y.text})"])
    return p.result(text, [bias, x, y], shape, saves="in", contig=True)


@op("linear", 2)
def linear(p):
    x = p.tensor(1, 4)
    out = p.rng.between(2, 6)
    w = p.shaped((out, x.shape[-1]))
    shape = x.shape[:-1] + (out,)
    name = p.rng.one(["torch::linear", "F::linear"])
    if p.rng.chance(0.6):
        b = p.shaped((out,))
        return p.result(f"{name}({x.text}, {w.text}, {b.text})", [x, w, b], shape,
                        contig=False)
    return p.result(f"{name}({x.text}, {w.text})", [x, w], shape, contig=False)


@op("tensordot", 0.7)
def tensordot(p):
    x = p.tensor(2, 3)
    y = p.shaped((x.shape[-1], p.rng.between(2, 4)))
    text = f"torch::tensordot({x.text}, {y.text}, {{{x.rank - 1}}}, {{0}})"
    return p.result(text, [x, y], x.shape[:-1] + y.shape[1:], contig=False)


@op("cosine_similarity", 0.7)
def cosine_similarity(p):
    x = p.tensor(2, 3)
    y = p.shaped(x.shape)
    dim = p.rng.below(x.rank)
    shape = tuple(s for i, s in enumerate(x.shape) if i != dim)
    if p.rng.chance(0.5):
        return p.result(f"torch::cosine_similarity({x.text}, {y.text}, {dim})", [x, y],
                        shape, contig=False)
    return p.result(f"F::cosine_similarity({x.text}, {y.text}, "
                    f"F::CosineSimilarityFuncOptions().dim({dim}))", [x, y], shape,
                    contig=False)


@op("normalize", 0.7)
def normalize(p):
    x = p.tensor(2, 4)
    dim = p.rng.below(x.rank)
    return p.result(f"F::normalize({x.text}, F::NormalizeFuncOptions().dim({dim}))",
                    [x], x.shape, contig=False)
