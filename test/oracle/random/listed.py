# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rarer calls of random programs, each as it stands in listed.txt: one a program.

  CALL | OPERANDS | RESULTS | FLAGS

$0, $1 … in CALL are the operands, $m a name of its own. A form is a dtype and
lengths: i64[2,3]<4 has values below 4, i64{0,2} these, f32[3,3]s is positive
definite, …t transposed, …n channels last, …x without a gradient. Results: several
make a tuple, `view` is one of the first operand, `self` is that. Flags: `frozen`, no
derivative; `plain`, a result without one; `fresh`, operands between 0 and 1; `any`, of
any shape.
"""
import re
from pathlib import Path

from program import CPP_TYPE, FLOAT, Expr, Impl, Node, Refused, ints

FORM = re.compile(r"(bool|bf16|[a-z]\d+)(\[[\d,]*\]|\{[^}]*\})(?:<(\d+))?([tnsx]?)"
                  r"(?:\{[\d,]*\})?( view| self)?$")
NAME = re.compile(r"([A-Za-z]\w*)(?=\()")


class Form:
    def __init__(self, text):
        self.dtype, given, self.below, self.layout, kind = FORM.match(text.strip()).groups()
        values = given[1:-1].split(",") if given[1:-1] else []
        self.values = [v.strip() for v in values] if given[0] == "{" else None
        self.shape = (len(values),) if self.values else tuple(int(v) for v in values)
        self.kind = (kind or "").strip()


class Call:
    def __init__(self, line):
        text, operands, results, *flags = [part.strip() for part in line.split("|")]
        self.setup, _, self.text = text.rpartition("; ")
        self.operands = [Form(f) for f in operands.split()]
        self.results = [Form(f) for f in results.split(";")]
        self.flags = flags[0].split() if flags else []
        names = [n for n in NAME.findall(text) if n[0].islower() and n != "get"]
        self.name = names[0] if not self.setup else self.setup.split()[0]
        self.in_place = self.results[0].kind == "self" and self.name.endswith("_")


def read():
    found = {}
    for line in (Path(__file__).parent / "listed.txt").read_text().splitlines():
        if line and line[0] != "#":
            call = Call(line)
            found.setdefault(call.name, []).append(call)
    return found


CALLS = read()
NAMES = list(CALLS)


def due(seed):
    """The name whose turn it is: as many seeds as there are names call them all."""
    return NAMES[seed % len(NAMES)]


def factory(form):
    """C++ that makes an operand."""
    shape, dtype = form.shape, form.dtype
    if form.values:
        return f"torch::tensor({ints(form.values)}, {CPP_TYPE[dtype]})"
    if form.below:
        return f"torch::randint({form.below}, {ints(shape)}, {CPP_TYPE[dtype]})"
    if form.layout == "s":
        return f"torch::rand({ints(shape)}) + torch::eye({shape[-1]}) * {2 * shape[-1]}"
    if dtype in ("f32", "f64"):
        return f"torch::rand({ints(shape)}, {CPP_TYPE[dtype]})"
    if dtype in ("c64", "c128", "f16", "bf16"):
        return f"torch::ones({ints(shape)}, {CPP_TYPE[dtype]})"
    if dtype == "bool":
        return f"torch::ones({ints(shape)}, torch::kBool)"
    return f"torch::randint(1, 5, {ints(shape)}, {CPP_TYPE[dtype]})"


def made(p, form, grad):
    """A new operand with a name."""
    text = factory(form)
    turned = {"t": ".transpose(-2, -1)", "n": ".contiguous(torch::MemoryFormat::ChannelsLast)"}
    p.ops += 1
    if form.layout in turned:
        shape = form.shape[:-2] + form.shape[:-3:-1] if form.layout == "t" else form.shape
        text = text.replace(ints(form.shape), ints(shape), 1) + turned[form.layout]
    x = p.bind(Expr(text, Impl(form.shape, form.dtype, contig=form.layout == "")))
    x.impl.fixed = form.layout != "" or form.dtype == "bool"
    if grad and form.dtype in FLOAT and not form.layout:
        p.emit(f"{x.text}.requires_grad_();")
        x.impl.node = Node(leaf=True)
    return x


def operand(p, call, form):
    frozen = "frozen" in call.flags
    plain = form.dtype in ("f32", "f64") and not form.layout and "fresh" not in call.flags
    if plain and frozen:
        return p.shaped(form.shape, form.dtype, grad=False)
    if plain:
        return p.shaped(form.shape, form.dtype)
    return made(p, form, not frozen and p.rng.chance(0.6))


def reshaped(p, call):
    """Operands of a call for any shape."""
    x = p.tensor(1, 4, call.operands[0].dtype)
    if "frozen" in call.flags and x.grad:
        x = p.fresh(x.shape, x.dtype, grad=False)
    rest = [p.shaped(x.shape, f.dtype, grad=False if "frozen" in call.flags else None)
            for f in call.operands[1:]]
    return [x] + rest, x.shape


def spelled(call, operands, name):
    def one(match):
        x = operands[int(match.group(1))]
        return x.t if match.group(2) else x.text
    text = re.sub(r"\$(\d)(\.)?", lambda m: one(m) + (m.group(2) or ""), call.text)
    return text.replace("$m", name)


def change(p, call, operands):
    """A call that changes its first operand in place."""
    x = operands[0]
    if not p.changeable(x.impl) or not x.name:
        x = p.bind(p.result(f"{x.t} * 2", [x], x.shape, saves="none", contig=x.impl.contig))
        p.ops += 1
    others = operands[1:]
    if any(y.impl.store is x.impl.store for y in others):
        raise Refused()
    p.emit(f"{spelled(call, [x] + others, '')};")
    p.changed(x.impl, [x] + others, [x.impl] + [y.impl for y in others])
    if call.results[0].shape != call.operands[0].shape:   # resize_
        x.impl.shape = call.results[0].shape
    p.ops += 1


def one_result(p, call, text, operands, form, shape):
    if form.kind == "view":
        return p.view(text, operands[0], shape, fixed=True, dtype=form.dtype)
    if form.kind == "self":
        return p.same(text, operands[0])
    if "plain" in call.flags:
        return Expr(text, Impl(shape, form.dtype, contig=False))
    if form.dtype in ("c64", "c128"):   # Its parts carry the gradient on.
        return p.result(f"torch::view_as_real({text})", operands, shape + (2,),
                        "f32" if form.dtype == "c64" else "f64", contig=False)
    return p.result(text, operands, shape, form.dtype, contig=False)


def several(p, call, text, operands):
    """A tuple of results: some get names."""
    whole = p.name("all")
    p.emit(f"auto {whole} = {text};")
    p.ops += 1
    for i, form in enumerate(call.results):
        if form.dtype in ("c64", "c128"):
            continue
        made = one_result(p, call, f"std::get<{i}>({whole})", operands, form, form.shape)
        made.impl.fixed = True
        if i > 0:   # It may have a history, or none.
            made.impl.node = None
        p.declare(made.text, made.impl)


def listed(p, name):
    call = p.rng.one(CALLS[name])
    if "any" in call.flags and p.rng.chance(0.7):
        operands, shape = reshaped(p, call)
    else:
        operands, shape = [operand(p, call, f) for f in call.operands], call.results[0].shape
    if call.in_place:
        change(p, call, operands)
        return None
    own = p.name("m") if call.setup else ""
    if call.setup:
        p.emit(f"{call.setup.replace('$m', own)};")
    text = spelled(call, operands, own)
    if len(call.results) > 1:
        several(p, call, text, operands)
        return None
    return one_result(p, call, text, operands, call.results[0], shape)
