# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: tensors joined, repeated, turned; made by factories;
read and written by index."""
from program import CPP_TYPE, FLOAT, Expr, Impl, Node, Refused, int_list, ints, numel
from templates import op


def together(p, x, dim, count=None):
    """x and others that fit beside it along dim."""
    parts, length = [x], x.shape[dim]
    for _ in range((count or p.rng.between(2, 3)) - 1):
        other = x.shape[:dim] + (p.rng.between(1, 3),) + x.shape[dim + 1:]
        y = p.shaped(x.shape if p.rng.chance(0.4) else other)
        parts.append(y)
        length += y.shape[dim]
    return parts, x.shape[:dim] + (length,) + x.shape[dim + 1:]


def braces(parts):
    return "{" + ", ".join(x.text for x in parts) + "}"


@op("cat", 3)
def cat(p):
    x = p.tensor(1, 4)
    dim = p.rng.below(x.rank)
    parts, shape = together(p, x, dim)
    name = p.rng.one(["cat", "cat", "concat", "concatenate"])
    spelled = dim - x.rank if p.rng.chance(0.3) else dim
    return p.result(f"torch::{name}({braces(parts)}, {spelled})", parts, shape,
                    saves="none", contig=False)


@op("stack", 2)
def stack(p):
    x = p.tensor(0, 3)
    parts = [x] + [p.shaped(x.shape) for _ in range(p.rng.between(1, 2))]
    dim = p.rng.between(0, x.rank)
    shape = x.shape[:dim] + (len(parts),) + x.shape[dim:]
    return p.result(f"torch::stack({braces(parts)}, {dim})", parts, shape, saves="none",
                    contig=False)


@op("hstack", 1.5)
def hstack(p):
    name = p.rng.one(["hstack", "vstack", "row_stack", "dstack", "column_stack"])
    x = p.tensor(1, 3)
    y = p.shaped(x.shape)
    s = x.shape
    if name in ("hstack",):
        shape = (s[0] * 2,) if len(s) == 1 else (s[0], s[1] * 2) + s[2:]
    elif name in ("vstack", "row_stack"):
        shape = (2, s[0]) if len(s) == 1 else (s[0] * 2,) + s[1:]
    elif name == "dstack":
        shape = (1, s[0], 2) if len(s) == 1 else s + (2,) if len(s) == 2 else \
            s[:2] + (s[2] * 2,)
    else:
        shape = (s[0], 2) if len(s) == 1 else (s[0], s[1] * 2) + s[2:]
    return p.result(f"torch::{name}({braces([x, y])})", [x, y], shape, saves="none",
                    contig=False)


@op("turned", 2.5)
def turned(p):
    x = p.tensor(2, 4)
    dim = p.rng.below(x.rank)
    kind = p.rng.one(["flip", "fliplr", "flipud", "roll", "tril", "triu", "flip2"])
    if kind == "flip":
        text = p.rng.one([f"{x.t}.flip({{{dim}}})", f"torch::flip({x.text}, {{{dim}}})"])
    elif kind == "flip2":
        text = f"{x.t}.flip(torch::IntArrayRef({{0, 1}}))"
    elif kind == "roll":
        text = f"torch::roll({x.text}, {{{p.rng.between(1, 2)}}}, {{{dim}}})"
    else:
        text = p.rng.one([f"{x.t}.{kind}()", f"torch::{kind}({x.text})"])
    return p.result(text, [x], x.shape, saves="none", contig=False)


@op("tril_", 0.5)
def tril_in_place(p):
    x = p.changeable_tensor(where=lambda i: i.rank >= 2)
    p.emit(f"{x.t}.{p.rng.one(['tril_', 'triu_'])}();")
    p.changed(x.impl, [x], [])
    p.ops += 1


@op("repeat", 2)
def repeat(p):
    x = p.tensor(1, 3)
    times = [p.rng.between(1, 2) for _ in range(x.rank)]
    if p.rng.chance(0.3):
        times = [2] + times
    padded = (1,) * (len(times) - x.rank) + x.shape
    shape = tuple(a * b for a, b in zip(times, padded))
    if numel(shape) > 3000:
        raise Refused()
    text = p.rng.one([f"{x.t}.repeat({int_list(times)})", f"{x.t}.tile({int_list(times)})",
                      f"torch::tile({x.text}, {int_list(times)})"])
    return p.result(text, [x], shape, saves="none", contig=False)


@op("block_diag", 0.5)
def block_diag(p):
    x, y = p.tensor(2, 2), p.tensor(2, 2)
    shape = (x.shape[0] + y.shape[0], x.shape[1] + y.shape[1])
    return p.result(f"torch::block_diag({braces([x, y])})", [x, y], shape, contig=False)


@op("diag", 1)
def diag(p):
    x = p.tensor(1, 2)
    kind = p.rng.one(["diag", "diagflat", "diag_embed"])
    text = p.rng.one([f"{x.t}.{kind}()", f"torch::{kind}({x.text})"])
    if kind == "diag":
        shape = x.shape * 2 if x.rank == 1 else (min(x.shape),)
        if x.rank == 2:
            return p.result(text, [x], shape, saves="none", contig=False)
    elif kind == "diagflat":
        shape = (numel(x.shape),) * 2
    else:
        shape = x.shape + x.shape[-1:]
    return p.result(text, [x], shape, saves="none", contig=False)


@op("meshgrid", 0.7)
def meshgrid(p):
    x, y = p.tensor(1, 1), p.tensor(1, 1)
    name = p.name("grid")
    p.emit(f'auto {name} = torch::meshgrid({braces([x, y])}, "ij");')
    shape = x.shape + y.shape
    p.ops += 1
    return p.view(f"{name}[0]", x, shape, fixed=True)


@op("cartesian_prod", 0.5)
def cartesian_prod(p):
    x, y = p.tensor(1, 1), p.tensor(1, 1)
    shape = (x.shape[0] * y.shape[0], 2)
    return p.result(f"torch::cartesian_prod({braces([x, y])})", [x, y], shape,
                    contig=False)


@op("broadcast_tensors", 0.5)
def broadcast_tensors(p):
    x = p.tensor(1, 3)
    y = p.shaped(x.shape[-1:])
    name = p.name("wide")
    p.emit(f"auto {name} = torch::broadcast_tensors({braces([x, y])});")
    p.ops += 1
    return p.view(f"{name}[1]", y, x.shape, fixed=True)


@op("pad", 2)
def pad(p):
    x = p.tensor(2, 4)
    kind = p.rng.one(["constant_pad_nd", "F", "torch"])
    amounts = [p.rng.between(0, 2) for _ in range(2 * p.rng.between(1, 2))]
    shape = list(x.shape)
    for i in range(len(amounts) // 2):
        shape[-1 - i] += amounts[2 * i] + amounts[2 * i + 1]
    spelled = ints(amounts) if len(amounts) != 2 else f"torch::IntArrayRef({ints(amounts)})"
    if kind == "F":
        text = f"F::pad({x.text}, F::PadFuncOptions({ints(amounts)}))"
    elif kind == "torch":
        text = f"torch::pad({x.text}, {spelled})"
    else:
        text = f"torch::constant_pad_nd({x.text}, {spelled}, 0.5)"
    return p.result(text, [x], tuple(shape), saves="none", contig=False)


# ---- factories

@op("factory", 3)
def factory(p):
    rng = p.rng
    shape = p.some_shape(1, 3)
    dtype = rng.weighted([("f32", 5), ("f64", 1), ("i64", 1)])
    grad = dtype in FLOAT and rng.chance(0.4)
    n = rng.between(2, 6)
    options = f"torch::dtype({CPP_TYPE[dtype]})" + (".requires_grad(true)" if grad else "")
    whole = ints(shape)
    text, shape = rng.one([
        (f"torch::zeros({whole}, {options})", shape), (f"torch::ones({whole}, {options})", shape),
        (f"torch::empty({whole}, {options})", shape),
        (f"torch::full({whole}, 2, {options})", shape),
        (f"torch::eye({n}, {options})", (n, n)),
        (f"torch::eye({n}, {n + 1}, {options})", (n, n + 1)),
        (f"torch::arange({n}, {options})", (n,)),
        (f"torch::arange(1, {n + 1}, {options})", (n,)),
        (f"torch::linspace(0, 1, {n}, {options})", (n,)),
        (f"torch::logspace(0, 1, {n}, 10, {options})", (n,)),
        (f"torch::scalar_tensor(2, {options})", ()),
        (f"torch::tensor({{{', '.join(['1.5'] * n)}}}, {options})", (n,)),
        (f"torch::empty_strided({{{n}, 3}}, {{3, 1}}, {options})", (n, 3))])
    if text.startswith("torch::empty") and dtype == "f32" and rng.chance(0.3):
        dtype = "f32"
    return Expr(text, Impl(shape, dtype, Node(leaf=True) if grad else None))


@op("random_factory", 1)
def random_factory(p):
    rng = p.rng
    n = rng.between(2, 6)
    kind = rng.one(["randperm", "randint", "tril_indices", "triu_indices", "arange",
                    "tensor", "from_blob"])
    if kind == "randperm":
        return Expr(f"torch::randperm({n})", Impl((n,), "i64"))
    if kind == "randint":
        return Expr(f"torch::randint(1, {n + 1}, {{{n}, 2}})", Impl((n, 2), "i64"))
    if kind == "arange":
        return Expr(f"torch::arange({n})", Impl((n,), "i64"))
    if kind == "tensor":
        values = ", ".join(str(i) for i in range(n))
        if rng.chance(0.5):
            return Expr(f"torch::tensor({{{values}}})", Impl((n,), "i64"))
        return Expr(f"torch::tensor({{{{1.0, 2.0}}, {{3.0, 4.0}}}})", Impl((2, 2), "f32"))
    if kind == "from_blob":
        name = p.name("blob")
        p.emit(f"float {name}[{n}] = {{}};")
        made = Impl((n,), "f32")
        made.store.frozen = True
        return Expr(f"torch::from_blob({name}, {{{n}}})", made)
    count = n * (n + 1) // 2
    return Expr(f"torch::{kind}({n}, {n})", Impl((2, count), "i64"))


@op("like", 2)
def like(p):
    x = p.tensor(0, 4, ("f32", "f64", "i64"))
    rng = p.rng
    name = rng.one(["zeros_like", "ones_like", "empty_like", "full_like", "rand_like",
                    "randn_like", "randint_like", "new_zeros", "new_ones", "new_full",
                    "new_empty"])
    if name in ("rand_like", "randn_like", "randint_like") and x.dtype == "i64" and \
            name != "randint_like":
        raise Refused()
    if name == "randint_like" and x.grad:
        raise Refused()
    shape, contig = x.shape, x.impl.contig
    if name.startswith("new_"):
        shape, contig = p.some_shape(1, 3), True
        extra = ", 2" if name == "new_full" else ""
        text = f"{x.t}.{name}({ints(shape)}{extra})"
    else:
        extra = {"full_like": ", 2", "randint_like": ", 5"}.get(name, "")
        text = f"torch::{name}({x.text}{extra})"
    return Expr(text, Impl(shape, x.dtype, contig=contig))


@op("new_empty_strided", 0.3)
def new_empty_strided(p):
    x = p.tensor(1, 3)
    return Expr(f"{x.t}.new_empty_strided({{2, 3}}, {{3, 1}})", Impl((2, 3), x.dtype))


# ---- by index

@op("index_select", 1.5)
def index_select(p):
    x = p.tensor(1, 4)
    dim = p.rng.below(x.rank)
    n = p.rng.between(1, 5)
    at = p.indices((n,), x.shape[dim])
    text = p.rng.one([f"{x.t}.index_select({dim}, {at.text})",
                      f"torch::index_select({x.text}, {dim}, {at.text})"])
    return p.result(text, [x, at], x.shape[:dim] + (n,) + x.shape[dim + 1:], x.dtype,
                    contig=False)


@op("index_tensor", 2)
def index_tensor(p):
    x = p.tensor(1, 4)
    form = p.rng.one([(3,), (2, 2), (1,)])
    at = p.indices(form, x.shape[0])
    kind = p.rng.one(["index", "torch", "slice"])
    shape = form + x.shape[1:]
    if kind == "torch":
        text = f"torch::index({x.text}, {{{at.text}}})"
    elif kind == "slice" and x.rank > 1:
        at = p.indices(form, x.shape[1])
        text = f"{x.t}.index({{torch::indexing::Slice(), {at.text}}})"
        shape = x.shape[:1] + form + x.shape[2:]
    else:
        text = f"{x.t}.index({{{at.text}}})"
    return p.result(text, [x, at], shape, x.dtype, contig=False)


@op("gather", 1.5)
def gather(p):
    x = p.tensor(1, 3)
    dim = p.rng.below(x.rank)
    shape = tuple(p.rng.between(1, s) if i != dim else p.rng.between(1, 5)
                  for i, s in enumerate(x.shape))
    at = p.indices(shape, x.shape[dim])
    text = p.rng.one([f"{x.t}.gather({dim}, {at.text})",
                      f"torch::gather({x.text}, {dim}, {at.text})"])
    return p.result(text, [x, at], shape, x.dtype, contig=True)


@op("scatter", 1.5)
def scatter(p):
    x = p.tensor(1, 3)
    dim = p.rng.below(x.rank)
    name = p.rng.one(["scatter", "scatter_add", "scatter_value"])
    at = p.indices(x.shape, x.shape[dim])
    if name == "scatter_value":
        return p.result(f"{x.t}.scatter({dim}, {at.text}, 0.5)", [x, at], x.shape, x.dtype)
    y = p.shaped(x.shape)
    text = p.rng.one([f"{x.t}.{name}({dim}, {at.text}, {y.text})",
                      f"torch::{name}({x.text}, {dim}, {at.text}, {y.text})"])
    return p.result(text, [x, at, y], x.shape, x.dtype)


@op("scatter_", 0.7)
def scatter_in_place(p):
    x = p.changeable_tensor(where=lambda i: 0 < i.rank < 4)
    dim = p.rng.below(x.rank)
    at = p.indices(x.shape, x.shape[dim])
    if p.rng.chance(0.4):
        p.emit(f"{x.t}.scatter_({dim}, {at.text}, 0.5);")
        p.changed(x.impl, [x], [at.impl])
        p.ops += 1
        return
    y = p.shaped(x.shape)
    if y.impl.store is x.impl.store:
        raise Refused()
    p.emit(f"{x.t}.{p.rng.one(['scatter_', 'scatter_add_'])}({dim}, {at.text}, {y.text});")
    p.changed(x.impl, [x, y], [at.impl, y.impl])
    p.ops += 1


@op("take", 1)
def take(p):
    x = p.tensor(1, 3)
    if p.rng.chance(0.5):
        shape = p.some_shape(1, 2)
        at = p.indices(shape, numel(x.shape))
        text = p.rng.one([f"{x.t}.take({at.text})", f"torch::take({x.text}, {at.text})"])
        return p.result(text, [x, at], shape, x.dtype, contig=True)
    dim = p.rng.below(x.rank)
    at = p.indices(x.shape, x.shape[dim])
    text = p.rng.one([f"{x.t}.take_along_dim({at.text}, {dim})",
                      f"torch::take_along_dim({x.text}, {at.text}, {dim})"])
    return p.result(text, [x, at], x.shape, x.dtype, contig=True)


@op("one_hot", 0.7)
def one_hot(p):
    shape = p.some_shape(1, 2)
    n = p.rng.between(3, 6)
    at = p.indices(shape, n)
    text = p.rng.one([f"torch::one_hot({at.text}, {n})", f"F::one_hot({at.text}, {n})"])
    return p.result(text, [at], shape + (n,), "i64")


@op("embedding", 1.5)
def embedding(p):
    w = p.tensor(2, 2)
    shape = p.some_shape(1, 2)
    at = p.indices(shape, w.shape[0])
    text = p.rng.one([f"torch::embedding({w.text}, {at.text})", f"F::embedding({at.text}, {w.text})"])
    return p.result(text, [w, at], shape + w.shape[1:], w.dtype, contig=True)


@op("index_put", 1)
def index_put(p):
    """Written by slices: a view that is copied into."""
    x = p.changeable_tensor(where=lambda i: i.rank >= 1)
    at = p.rng.below(x.shape[0])
    part = x.shape[1:]
    kind = p.rng.one(["number", "tensor", "index_put", "index_number"])
    if kind == "number":
        p.emit(f"{x.t}[{at}] = 0.5;")
        p.changed(x.impl, [x], [])
    elif kind == "index_number":
        p.emit(f"{x.t}.index_put_({{{at}}}, 0.5);")
        p.changed(x.impl, [x], [])
    else:
        y = p.shaped(part)
        if y.impl.store is x.impl.store:
            raise Refused()
        p.emit(f"{x.t}[{at}] = {y.text};" if kind == "tensor" else
               f"{x.t}.index_put_({{torch::indexing::Slice({at}, {at + 1})}}, {y.text});")
        p.changed(x.impl, [x, y], [])
    p.ops += 1


@op("item", 1)
def item(p):
    x = p.tensor(0, 3, ("f32", "i64"))
    kind = p.rng.one(["item", "size", "numel", "dim", "item2"])
    name = p.name("n")
    if kind == "item" or (kind == "item2" and x.dtype == "i64"):
        p.emit(f"auto {name} = {x.t}.sum().item<{'float' if x.dtype == 'f32' else 'int64_t'}>();")
    elif kind == "item2":
        p.emit(f"double {name} = {x.t}.max().item().toDouble();")
    elif kind == "size" and x.rank:
        p.emit(f"int64_t {name} = {x.t}.size({p.rng.below(x.rank)});")
    elif kind == "dim":
        p.emit(f"int64_t {name} = {x.t}.dim();")
    else:
        p.emit(f"int64_t {name} = {x.t}.numel();")
    p.ops += 1
