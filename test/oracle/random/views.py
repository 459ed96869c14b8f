# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: views, and what only looks like one."""
from program import Expr, Refused, int_list, ints, numel
from templates import op

TYPES = ("f32", "f32", "f32", "f64", "i64", "bool")


def factored(p, count):
    """A random shape of `count` elements."""
    shape = []
    while count > 1 and len(shape) < 3:
        parts = [d for d in range(2, count + 1) if count % d == 0]
        part = p.rng.one(parts)
        shape.append(part)
        count //= part
    if count > 1:
        shape.append(count)
    return tuple(shape) or (1,)


@op("view", 3)
def view(p):
    x = p.tensor(1, 4, TYPES)
    shape = factored(p, numel(x.shape))
    spelled = list(shape)
    if p.rng.chance(0.4):
        spelled[p.rng.below(len(spelled))] = -1
    if x.impl.contig and p.rng.chance(0.6):
        kind = p.rng.one(["view", "view_as"])
        if kind == "view_as":
            like = p.shaped(shape)
            return p.view(f"{x.t}.view_as({like.text})", x, shape, True)
        return p.view(f"{x.t}.view({ints(spelled)})", x, shape, True)
    kind = p.rng.one(["reshape", "torch", "reshape_as"])
    if kind == "reshape_as":
        like = p.shaped(shape)
        text = f"{x.t}.reshape_as({like.text})"
    else:
        text = f"{x.t}.reshape({ints(spelled)})" if kind == "reshape" else \
            f"torch::reshape({x.text}, {ints(spelled)})"
    return p.view(text, x, shape, x.impl.contig, fixed=not x.impl.contig)


@op("flatten", 1.5)
def flatten(p):
    x = p.tensor(1, 4, TYPES)
    kind = p.rng.one(["all", "from", "range", "ravel"])
    fixed = not x.impl.contig
    if kind == "ravel":
        text = p.rng.one([f"{x.t}.ravel()", f"torch::ravel({x.text})"])
        return p.view(text, x, (numel(x.shape),), True, fixed=fixed)
    start, end = 0, x.rank - 1
    args = ""
    if kind != "all":
        start = p.rng.below(x.rank)
        args = str(start)
    if kind == "range":
        end = p.rng.between(start, x.rank - 1)
        args += f", {end}"
    shape = x.shape[:start] + (numel(x.shape[start:end + 1]),) + x.shape[end + 1:]
    text = f"{x.t}.flatten({args})" if p.rng.chance(0.6) or not args else \
        f"torch::flatten({x.text}, {args})"
    return p.view(text, x, shape, x.impl.contig, fixed=fixed)


@op("unsqueeze", 2)
def unsqueeze(p):
    x = p.tensor(0, 3, TYPES)
    dim = p.rng.between(0, x.rank)
    text = p.rng.one([f"{x.t}.unsqueeze({dim})", f"torch::unsqueeze({x.text}, {dim})"])
    return p.view(text, x, x.shape[:dim] + (1,) + x.shape[dim:], x.impl.contig)


@op("squeeze", 1.5)
def squeeze(p):
    x = p.tensor(1, 4, TYPES, shape=lambda: p.rng.one([(3, 1, 4), (1, 5), (2, 1)]))
    if p.rng.chance(0.4):
        shape = tuple(s for s in x.shape if s != 1)
        text = p.rng.one([f"{x.t}.squeeze()", f"torch::squeeze({x.text})"])
        return p.view(text, x, shape, x.impl.contig)
    dim = p.rng.below(x.rank)
    shape = x.shape if x.shape[dim] != 1 else x.shape[:dim] + x.shape[dim + 1:]
    return p.view(p.rng.one([f"{x.t}.squeeze({dim})", f"torch::squeeze({x.text}, {dim})"]),
                  x, shape, x.impl.contig)


def swapped(shape, a, b):
    out = list(shape)
    out[a], out[b] = out[b], out[a]
    return tuple(out)


@op("transpose", 3)
def transpose(p):
    x = p.tensor(2, 4, TYPES)
    a, b = p.rng.shuffled(range(x.rank))[:2]
    name = p.rng.one(["transpose", "swapaxes", "swapdims"])
    if p.rng.chance(0.3):
        b -= x.rank
    text = p.rng.one([f"{x.t}.{name}({a}, {b})", f"torch::{name}({x.text}, {a}, {b})"])
    return p.view(text, x, swapped(x.shape, a, b))


@op("t", 1.5)
def t(p):
    x = p.tensor(2, 2, TYPES)
    text = p.rng.one([f"{x.t}.t()", f"torch::t({x.text})", f"{x.t}.mT()", f"{x.t}.numpy_T()",
                      f"{x.t}.matrix_H()", f"{x.t}.mH()", f"{x.t}.adjoint()",
                      f"torch::adjoint({x.text})"])
    return p.view(text, x, x.shape[::-1])


@op("permute", 2)
def permute(p):
    x = p.tensor(2, 4, TYPES)
    order = p.rng.shuffled(range(x.rank))
    args = int_list(order)
    text = p.rng.one([f"{x.t}.permute({args})", f"torch::permute({x.text}, {args})"])
    return p.view(text, x, tuple(x.shape[i] for i in order))


@op("movedim", 1)
def movedim(p):
    x = p.tensor(2, 4, TYPES)
    a, b = p.rng.below(x.rank), p.rng.below(x.rank)
    shape = list(x.shape)
    shape.insert(b, shape.pop(a))
    name = p.rng.one(["movedim", "moveaxis"])
    # Two overloads take an int and a list.
    text = f"{x.t}.{name}(int64_t({a}), int64_t({b}))" if p.rng.chance(0.6) else \
        f"torch::{name}({x.text}, int64_t({a}), int64_t({b}))"
    return p.view(text, x, tuple(shape))


@op("narrow", 2)
def narrow(p):
    x = p.tensor(1, 4, TYPES)
    dim = p.rng.below(x.rank)
    start = p.rng.below(x.shape[dim])
    length = p.rng.between(1, x.shape[dim] - start)
    shape = x.shape[:dim] + (length,) + x.shape[dim + 1:]
    kind = p.rng.one(["narrow", "slice", "torch", "index"])
    contig = x.impl.contig and all(s == 1 for s in x.shape[:dim])
    if kind == "narrow":
        text = f"{x.t}.narrow({dim}, {start}, {length})"
    elif kind == "torch":
        text = f"torch::narrow({x.text}, {dim}, {start}, {length})"
    elif kind == "slice":
        step = p.rng.weighted([(1, 3), (2, 1)])
        length = (length + step - 1) // step
        shape = x.shape[:dim] + (length,) + x.shape[dim + 1:]
        end = start + (length - 1) * step + 1
        text = f"{x.t}.slice({dim}, {start}, {end}{f', {step}' if step > 1 else ''})"
        contig = contig and step == 1
    else:
        parts = ["torch::indexing::Slice()"] * dim
        parts.append(f"torch::indexing::Slice({start}, {start + length})")
        text = f"{x.t}.index({{{', '.join(parts)}}})"
    return p.view(text, x, shape, contig)


@op("select", 2)
def select(p):
    x = p.tensor(1, 4, TYPES)
    dim = p.rng.below(x.rank)
    at = p.rng.below(x.shape[dim])
    shape = x.shape[:dim] + x.shape[dim + 1:]
    contig = x.impl.contig and all(s == 1 for s in x.shape[:dim])
    kind = p.rng.one(["select", "torch", "bracket", "index"])
    if kind == "bracket":
        return p.view(f"{x.t}[{at % x.shape[0]}]", x, x.shape[1:], x.impl.contig)
    if kind == "index":
        parts = ["torch::indexing::Slice()"] * dim + [str(at)]
        if p.rng.chance(0.2):
            parts = ['"..."'] + [str(at % x.shape[-1])]
            shape, contig = x.shape[:-1], False
        if p.rng.chance(0.2):
            parts.append("torch::indexing::None")
            if parts[0] == '"..."':
                shape = shape + (1,)
            else:
                shape = x.shape[:dim] + (1,) + x.shape[dim + 1:]
        return p.view(f"{x.t}.index({{{', '.join(parts)}}})", x, shape, contig and
                      x.impl.contig)
    if kind == "torch":
        return p.view(f"torch::select({x.text}, {dim}, {at})", x, shape, contig)
    return p.view(f"{x.t}.select({dim}, {at})", x, shape, contig)


@op("expand", 2)
def expand(p):
    x = p.tensor(0, 3, TYPES, shape=lambda: p.rng.one([(1, 4), (3, 1), (1,)]))
    lead = p.dims(p.rng.between(0, 1), 2, 4)
    shape = lead + tuple(p.rng.between(2, 4) if s == 1 else s for s in x.shape)
    if numel(shape) > 3000 or not shape:
        raise Refused()
    spelled = [-1 if i >= len(lead) and p.rng.chance(0.3) and x.shape[i - len(lead)] == s
               else s for i, s in enumerate(shape)]
    kind = p.rng.one(["expand", "expand_as", "broadcast_to", "torch"])
    if kind == "expand_as":
        like = p.shaped(shape)
        text = f"{x.t}.expand_as({like.text})"
    elif kind == "expand":
        text = f"{x.t}.expand({int_list(spelled)})"
    else:
        text = f"{x.t}.broadcast_to({ints(shape)})" if kind == "broadcast_to" else \
            f"torch::broadcast_to({x.text}, {ints(shape)})"
    return p.view(text, x, shape, shape == x.shape and x.impl.contig, fixed=True)


@op("unflatten", 1)
def unflatten(p):
    x = p.tensor(1, 3, TYPES, shape=lambda: p.rng.one([(6,), (3, 4), (4, 6)]))
    fit = [i for i, s in enumerate(x.shape) if s in (4, 6)]
    if not fit:
        raise Refused()
    dim = p.rng.one(fit)
    parts = (2, x.shape[dim] // 2)
    shape = x.shape[:dim] + parts + x.shape[dim + 1:]
    text = f"{x.t}.unflatten({dim}, {ints(parts)})"
    return p.view(text, x, shape, x.impl.contig)


@op("diagonal", 1)
def diagonal(p):
    x = p.tensor(2, 3, TYPES)
    a, b = (0, 1) if x.rank == 2 else p.rng.one([(0, 1), (1, 2), (0, 2)])
    rest = tuple(s for i, s in enumerate(x.shape) if i not in (a, b))
    shape = rest + (min(x.shape[a], x.shape[b]),)
    text = p.rng.one([f"{x.t}.diagonal(0, {a}, {b})", f"torch::diagonal({x.text}, 0, {a}, {b})",
                      f"torch::linalg_diagonal({x.text}, 0, {a}, {b})"])
    return p.view(text, x, shape)


@op("as_strided", 1)
def as_strided(p):
    x = p.tensor(1, 3, where=lambda i: i.contig and i.base is None and numel(i.shape) >= 4)
    if p.rng.chance(0.7):
        text = f"{x.t}.as_strided({{2, 2}}, {{1, 2}})"
    else:
        text = f"torch::as_strided({x.text}, {{2, 2}}, {{2, 1}})"
    return p.view(text, x, (2, 2), fixed=True)


@op("atleast", 1)
def atleast(p):
    x = p.tensor(0, 3)
    rank = p.rng.between(1, 3)
    text = f"torch::atleast_{rank}d({x.text})"
    if x.rank >= rank:
        return p.same(text, x)
    if rank == 3:
        shape = {0: (1, 1, 1), 1: (1,) + x.shape + (1,), 2: x.shape + (1,)}[x.rank]
    else:
        shape = (1,) * (rank - x.rank) + x.shape
    return p.view(text, x, shape, x.impl.contig)


@op("alias", 1)
def alias(p):
    x = p.tensor(0, 4, TYPES)
    text = p.rng.one([f"{x.t}.alias()", f"torch::alias({x.text})", f"{x.t}.resolve_conj()",
                      f"torch::resolve_neg({x.text})", f"{x.t}.conj()", f"torch::conj({x.text})",
                      f"torch::real({x.text})", f"{x.t}.cpu()", f"{x.t}.data()",
                      f"{x.t}.variable_data()", f"{x.t}.tensor_data()"])
    made = p.same(text, x)
    if "data" in text:
        made.impl.node, made.impl.base = None, None
    return made


@op("contiguous", 2)
def contiguous(p):
    x = p.tensor(1, 4, TYPES)
    if x.impl.contig:
        return p.same(f"{x.t}.contiguous()", x)
    # A copy, or the tensor itself where its layout happens to be so.
    return p.view(f"{x.t}.contiguous()", x, x.shape, True, fixed=True)


@op("complex", 1)
def complex_(p):
    x = p.tensor(1, 4, where=lambda i: i.contig and i.rank and i.shape[-1] == 2,
                 shape=lambda: p.dims(p.rng.between(0, 2)) + (2,))
    z = p.bind(p.view(f"torch::view_as_complex({x.text})", x, x.shape[:-1], True, fixed=True,
                      dtype="c64"), "z")
    p.ops += 1
    kind = p.rng.one(["real", "imag", "view_as_real", "conj", "abs"])
    if kind == "view_as_real":
        return p.view(f"torch::view_as_real({z.text})", z, x.shape, True, fixed=True,
                      dtype="f32")
    if kind == "conj":
        y = p.bind(p.view(f"{z.text}.conj()", z, z.shape, False, fixed=True), "z")
        p.ops += 1
        return p.result(f"torch::real({y.text}).clone()", [y], y.shape, "f32", saves="none",
                        contig=False)
    if kind == "abs":
        return p.result(f"{z.text}.abs()", [z], z.shape, "f32")
    return p.view(f"torch::{kind}({z.text})", z, z.shape, False, fixed=True, dtype="f32")


# ---- several views of one tensor

def several(p, text, x, shapes, unsafe=False):
    """A list of parts; some get names, or one is taken at once."""
    def part(shape):
        if unsafe:
            made = p.result("", [x], shape, saves="none", contig=True)
            return made.impl
        return p.view("", x, shape, False, fixed=True).impl
    if p.rng.chance(0.3):
        at = p.rng.below(len(shapes))
        return Expr(f"{text}[{at}]", part(shapes[at]))
    name = p.name("parts")
    p.emit(f"auto {name} = {text};")
    p.ops += 1
    for at in p.rng.shuffled(range(len(shapes)))[:p.rng.between(1, 2)]:
        p.bind(Expr(f"{name}[{at}]", part(shapes[at])))
    return None


def divided(length, parts):
    size = -(-length // parts)
    out = []
    while length > 0:
        out.append(min(size, length))
        length -= size
    return out


@op("split", 3)
def split(p):
    x = p.tensor(1, 4, TYPES)
    dim = p.rng.below(x.rank)
    length = x.shape[dim]
    kind = p.rng.one(["chunk", "split", "split_with_sizes", "unbind", "tensor_split",
                      "split_list"])
    unsafe = kind in ("chunk", "split", "split_with_sizes") and p.rng.chance(0.25)
    called = f"unsafe_{kind}" if unsafe else kind
    if kind == "chunk":
        count = p.rng.between(2, 3)
        lengths, args = divided(length, count), str(count)
    elif kind == "split":
        size = p.rng.between(1, length)
        lengths, args = [size] * (length // size), str(size)
        if length % size:
            lengths.append(length % size)
    elif kind == "tensor_split":
        count = p.rng.between(2, 3)
        lengths = [length // count + (1 if i < length % count else 0) for i in range(count)]
        args = f"int64_t({count})"
        if 0 in lengths:
            raise Refused()
    else:
        first = p.rng.between(1, length)
        lengths = [first, length - first] if first < length else [length]
        args = ints(lengths) if len(lengths) == 1 else f"torch::IntArrayRef({ints(lengths)})"
        called = "split" if kind == "split_list" else called
    if kind == "unbind":
        shapes = [x.shape[:dim] + x.shape[dim + 1:]] * length
        text = p.rng.one([f"{x.t}.unbind({dim})", f"torch::unbind({x.text}, {dim})"])
        return several(p, text, x, shapes)
    shapes = [x.shape[:dim] + (n,) + x.shape[dim + 1:] for n in lengths]
    text = p.rng.one([f"{x.t}.{called}({args}, {dim})",
                      f"torch::{called}({x.text}, {args}, {dim})"])
    return several(p, text, x, shapes, unsafe)


@op("hsplit", 0.7)
def hsplit(p):
    name, dim = p.rng.one([("hsplit", 1), ("vsplit", 0), ("dsplit", 2)])
    shape = list(p.dims(3))
    shape[dim] = 4
    x = p.tensor(3, 3, where=lambda i: i.shape[dim] % 2 == 0, shape=lambda: tuple(shape))
    half = x.shape[:dim] + (x.shape[dim] // 2,) + x.shape[dim + 1:]
    text = p.rng.one([f"{x.t}.{name}(int64_t(2))", f"torch::{name}({x.text}, int64_t(2))"])
    return several(p, text, x, [half, half])


# ---- the shape changed in place

@op("squeeze_", 1)
def squeeze_in_place(p):
    x = p.changeable_tensor(where=lambda i: i.base is None and 0 < i.rank < 4)
    impl, kind = x.impl, p.rng.one(["unsqueeze_", "squeeze_", "transpose_", "swapaxes_",
                                    "swapdims_", "t_", "squeeze_all"])
    if len([1 for i in impl.store.impls if i is not impl]) or impl.rank < 2:
        kind = "unsqueeze_"
    if any(i is not impl for i in impl.store.impls):
        raise Refused()
    if kind == "unsqueeze_":
        dim = p.rng.between(0, impl.rank)
        p.emit(f"{x.t}.unsqueeze_({dim});")
        impl.shape = impl.shape[:dim] + (1,) + impl.shape[dim:]
    elif kind == "squeeze_":
        dim = p.rng.below(impl.rank)
        p.emit(f"{x.t}.squeeze_({dim});")
        if impl.shape[dim] == 1:
            impl.shape = impl.shape[:dim] + impl.shape[dim + 1:]
    elif kind == "squeeze_all":
        p.emit(f"{x.t}.squeeze_();")
        impl.shape = tuple(s for s in impl.shape if s != 1)
    elif kind == "t_" and impl.rank == 2:
        p.emit(f"{x.t}.t_();")
        impl.shape, impl.contig = impl.shape[::-1], False
    else:
        a, b = p.rng.shuffled(range(impl.rank))[:2]
        name = "transpose_" if kind == "t_" else kind
        p.emit(f"{x.t}.{name}({a}, {b});")
        impl.shape, impl.contig = swapped(impl.shape, a, b), False
    p.changed(impl, [x], [])
    p.ops += 1


@op("detach_", 0.5)
def detach_in_place(p):
    source = p.tensor(1, 4)   # LibTorch refuses views, which many results are.
    x = p.bind(p.result(f"{source.t} * 2", [source], source.shape, saves="none"))
    p.emit(p.rng.one([f"{x.t}.detach_();", f"torch::detach_({x.text});"]))
    x.impl.node = None
    p.ops += 1
