# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs do around their ops: scopes, loops, branches, functions,
containers, moves, backward passes."""
from modules import training
from program import FLOAT, Expr, Impl, Node, Refused, numel
from templates import OPS

DEPTH_MAX = 3
TRIES = 50


def attempt(p, make):
    """What make() gives is bound, unless it wrote statements itself; again where the
    tensors at hand don't suit it."""
    for _ in range(TRIES):
        try:
            made = make()
        except Refused:
            continue
        if made is not None:
            p.ops += 1
            store(p, made)
        return


def apply(p):
    """One random template."""
    attempt(p, lambda: p.rng.weighted([(fn, weight) for _, weight, fn in OPS])(p))


def plain(p, scope=None):
    """Names of the innermost scope that may be assigned or moved."""
    return [n for n in p.scopes[-1] if n[0] == "t" and n[1:].isdigit()]


def store(p, made):
    """Gives a value a name, new or old, or a place in a container."""
    old = plain(p)
    lists = [(n, e) for scope in p.lists for n, e in scope.items()]
    kind = p.rng.weighted([("new", 85), ("old", 10 if old else 0),
                           ("list", 6 if lists and p.loop_start is None else 0)])
    if kind == "old":
        name = p.rng.one(old)
        p.emit(f"{name} = {made.text};")
        p.scopes[-1][name] = made.impl
    elif kind == "list":
        name, elements = p.rng.one(lists)
        p.emit(p.rng.one([f"{name}.push_back({made.text});",
                          f"{name}.emplace_back({made.text});"]))
        elements.append(made.impl)
        list_names(p, name, elements)
    else:
        p.bind(made)


# ---- scopes and branches

def block(p):
    deep(p)
    p.open()
    body(p, p.ops + p.rng.between(2, 5))
    p.close()


def deep(p):
    if len(p.scopes) > DEPTH_MAX:
        raise Refused()


def no_grad(p):
    deep(p)
    p.open()
    p.emit("torch::NoGradGuard guard;")
    before, p.grad_mode = p.grad_mode, False
    body(p, p.ops + p.rng.between(2, 4))
    p.grad_mode = before
    p.close()


def branch(p):
    deep(p)
    found = p.matching(lambda i: i.rank > 0)
    if not found:
        raise Refused()
    x = p.rng.one(found)
    dim = p.rng.below(x.rank)
    limit = p.rng.between(1, 6)
    holds = x.shape[dim] > limit
    other = p.rng.one(["torch::Tensor unused = torch::zeros({5, 5});",
                       f"auto unused = {x.t} + 1;"])
    p.open(f"if ({x.t}.size({dim}) > {limit}) {{")
    if not holds:
        p.emit(other)
        p.close()
        p.open("else {")
    body(p, p.ops + p.rng.between(1, 3))
    p.close()
    if holds and p.rng.chance(0.4):
        p.open("else {")
        p.emit(other)
        p.close()


def loop(p):
    """A few equal iterations: nothing from outside is changed in them."""
    deep(p)
    if p.loop_start is not None:
        raise Refused()
    name = p.name("i")
    count = p.rng.between(2, 4)
    p.open(f"for (int {name} = 0; {name} < {count}; ++{name}) {{")
    p.loop_start, p.loop_depth = Node.made, len(p.scopes) - 1
    body(p, p.ops + p.rng.between(2, 4))
    p.loop_start = None
    p.close()


# ---- names

def detach(p):
    x = p.tensor(0, 4)
    made = p.view(f"{x.t}.detach()", x, x.shape, x.impl.contig)
    made.impl.node, made.impl.base = None, None
    store(p, made)


def move(p):
    names = plain(p)
    if len(names) < 2:
        raise Refused()
    name = p.rng.one(names)
    impl = p.scopes[-1][name]
    kind = p.rng.one(["move", "copy", "empty", "reset", "swap", "late"])
    if kind == "move":
        p.bind(Expr(f"std::move({name})", impl))
        p.forget(name)
    elif kind == "copy":
        p.bind(Expr(name, impl))
    elif kind == "swap":
        other = p.rng.one([n for n in names if n != name])
        p.emit(f"std::swap({name}, {other});")
        p.scopes[-1][name], p.scopes[-1][other] = p.scopes[-1][other], impl
    elif kind == "late":
        new = p.name()
        p.emit(f"torch::Tensor {new};")
        p.emit(f"{new} = {name};")
        p.declare(new, impl)
    else:
        p.emit(f"{name} = torch::Tensor();" if kind == "empty" else f"{name}.reset();")
        p.forget(name)


# ---- containers

def list_names(p, name, elements):
    for scope, lists in zip(p.scopes, p.lists):
        if name in lists:
            for key in [k for k in scope if k.startswith(f"{name}[")]:
                del scope[key]
            for i, impl in enumerate(elements):
                if impl is not None:
                    scope[f"{name}[{i}]"] = impl


def container(p):
    if p.loop_start is not None:
        raise Refused()
    known = list(p.lists[-1].items())
    if not known or p.rng.chance(0.3):
        name = p.name("list")
        first = [p.tensor(0, 4) for _ in range(p.rng.between(0, 2))]
        text = ", ".join(x.text for x in first)
        p.emit(f"std::vector<torch::Tensor> {name}{{{text}}};" if text else
               f"std::vector<torch::Tensor> {name};")
        p.lists[-1][name] = elements = [x.impl for x in first]
        list_names(p, name, elements)
        return
    name, elements = p.rng.one(known)
    kind = p.rng.one(["push", "pop", "clear", "assign", "move", "join", "drop", "copy"])
    if kind == "push":
        names = plain(p)
        if not names:
            raise Refused()
        moved = p.rng.one(names)
        p.emit(f"{name}.push_back(std::move({moved}));")
        elements.append(p.scopes[-1][moved])
        p.forget(moved)
    elif not elements:
        raise Refused()
    elif kind == "pop":
        p.emit(f"{name}.pop_back();")
        elements.pop()
    elif kind == "clear":
        p.emit(f"{name}.clear();")
        elements.clear()
    elif kind == "drop":
        p.emit(f"{name}.erase({name}.begin());")
        elements.pop(0)
    elif kind == "assign":
        at = p.rng.below(len(elements))
        x = p.tensor(0, 4)
        p.emit(f"{name}[{at}] = {x.text};")
        elements[at] = x.impl
    elif kind == "move":
        at = p.rng.below(len(elements))
        if elements[at] is None:
            raise Refused()
        p.bind(Expr(f"std::move({name}[{at}])", elements[at]))
        elements[at] = None
    elif kind == "copy":
        new = p.name("list")
        p.emit(f"auto {new} = {name};")
        p.lists[-1][new] = list(elements)
        list_names(p, new, p.lists[-1][new])
    else:
        joined(p, name, elements)
    list_names(p, name, elements)


def joined(p, name, elements):
    """stack or cat of a whole vector, where its elements fit."""
    if any(e is None or e.dtype != "f32" for e in elements) or \
            len({e.shape for e in elements}) != 1 or elements[0].rank == 0:
        raise Refused()
    shape = elements[0].shape
    whole = [Expr("", e) for e in elements]
    if p.rng.chance(0.5):
        made = p.result(f"torch::stack({name})", whole, (len(elements),) + shape, saves="none",
                        contig=False)
    else:
        made = p.result(f"torch::cat({name}, 0)", whole,
                        (len(elements) * shape[0],) + shape[1:], saves="none", contig=False)
    p.ops += 1
    p.bind(made)


def holder(p):
    """A pair, a struct, an optional or a map that holds tensors."""
    x, y = p.tensor(0, 4), p.tensor(0, 4)
    name = p.name("held")
    kind = p.rng.one(["pair", "tuple", "optional", "map", "array", "shared"])
    if kind == "pair":
        p.emit(f"auto {name} = std::make_pair({x.text}, {y.text});")
        p.declare(f"{name}.first", x.impl)
        p.declare(f"{name}.second", y.impl)
    elif kind == "tuple":
        p.emit(f"auto {name} = std::make_tuple({x.text}, {y.text});")
        p.declare(f"std::get<1>({name})", y.impl)
    elif kind == "optional":
        p.emit(f"std::optional<torch::Tensor> {name} = {x.text};")
        p.declare(f"(*{name})", x.impl)
    elif kind == "map":
        p.emit(f"std::map<std::string, torch::Tensor> {name};")
        p.emit(f'{name}["a"] = {x.text};')
        p.emit(f'{name}.emplace("b", {y.text});')
        p.declare(f'{name}["a"]', x.impl)
        if p.rng.chance(0.4):
            p.emit(f'{name}.erase("b");')
        elif p.rng.chance(0.3):
            p.emit(f"{name}.clear();")
            p.forget(f'{name}["a"]')
    elif kind == "array":
        p.emit(f"torch::Tensor {name}[2] = {{{x.text}, {y.text}}};")
        p.declare(f"{name}[1]", y.impl)
    else:
        p.emit(f"auto {name} = std::make_shared<torch::Tensor>({x.text});")
        p.declare(f"(*{name})", x.impl)


# ---- functions

def helper(p):
    """A function of tensors, defined above, called once or twice."""
    if p.in_helper or p.loop_start is not None:
        raise Refused()
    args = [p.tensor(1, 4) for _ in range(p.rng.between(1, 2))]
    name, inner, result = define(p, args)
    call_helper(p, name, args, inner, result)
    if p.rng.chance(0.4):
        call_helper(p, name, [p.shaped(x.shape, x.dtype) for x in args], inner, result)


def call_helper(p, name, args, inner, result):
    """inner: the leaves that stood for the arguments where the helper was written."""
    reached = {id(n) for n in result.impl.node.reach()} if result.impl.node else set()
    kept = [x for x, leaf in zip(args, inner) if id(leaf) in reached]
    known = {id(leaf) for leaf in inner}
    if result.impl.node and any(n.leaf and id(n) not in known
                                for n in result.impl.node.reach()):
        kept.append(Expr("", Impl((1,), node=Node(leaf=True))))
    call = f"{name}({', '.join(x.text for x in args)})"
    made = p.result(call, kept, result.shape, result.dtype, contig=False)
    for x in args:   # It may keep any, or give one back.
        x.impl.store.frozen = True
    made.impl.fixed = True
    p.ops += 1
    store(p, made)


class Outside:
    """What of a program is set aside while a function of it is written."""

    FIELDS = ("lines", "indent", "scopes", "models", "lists", "grad_mode", "in_helper")

    def __init__(self, p):
        self.p, self.kept = p, {f: getattr(p, f) for f in self.FIELDS}
        p.lines, p.indent, p.scopes, p.models, p.lists = [], 1, [{}], [[]], [{}]
        p.grad_mode, p.in_helper = True, True

    def back(self):
        for field, value in self.kept.items():
            setattr(self.p, field, value)


def define(p, args):
    """Writes a function; its name and what it gives."""
    name = p.name("helper")
    outside = Outside(p)
    head, inner = [], []
    for i, x in enumerate(args):
        passing = p.rng.one(["const torch::Tensor &", "torch::Tensor "])
        impl = Impl(x.shape, x.dtype, Node(leaf=True) if x.dtype in FLOAT else None,
                    contig=False)
        impl.store.frozen = True
        impl.fixed = True
        inner.append(impl.node)
        p.declare(f"arg{i}", impl)
        head.append(f"{passing}arg{i}")
    body(p, p.ops + p.rng.between(1, 3))
    last = p.tensor(0, 4, where=lambda i: numel(i.shape) > 0)
    made = p.result(f"{last.t} * 2", [last], last.shape, saves="none", atom=False)
    p.emit(f"return {p.rng.one([last.text, made.text])};")
    lines = p.lines
    outside.back()
    p.before += [f"torch::Tensor {name}({', '.join(head)}) {{", *lines, "}"]
    return name, inner, made


def function_object(p):
    """A lambda, called at once."""
    if p.in_helper or p.loop_start is not None:
        raise Refused()
    x = p.tensor(1, 4)
    name = p.name("run")
    capture = p.rng.one(["[&]", "[=]", "[]"])
    text = p.rng.one(["torch::relu(x * 2) + 1", "x.pow(2).neg()", "torch::sigmoid(x).mul(x)"])
    p.emit(f"auto {name} = {capture}(const torch::Tensor &x) {{")
    p.emit(f"  auto inner = {text};")
    p.emit("  return inner * 2;")
    p.emit("};")
    p.ops += 2
    store(p, p.result(f"{name}({x.text})", [x], x.shape, contig=False))


# ---- gradients

TERMS = ["{}.sum()", "{}.mean()", "({0} * {0}).sum()", "{}.pow(2).mean()",
         "torch::relu({}).sum()", "{}.norm()", "{}.abs().sum()"]


def loss_of(p):
    found = p.differentiable()
    if not found:
        raise Refused()
    terms = []
    for x in p.rng.shuffled(found)[:p.rng.between(1, 3)]:
        terms.append((x, p.rng.one(TERMS).format(x.text)))
    p.ops += len(terms)
    dtype = "f64" if any(x.dtype == "f64" for x, _ in terms) else "f32"
    loss = p.result(" + ".join(t for _, t in terms), [x for x, _ in terms], (), dtype,
                    atom=len(terms) == 1)
    return loss


def backward(p):
    if not p.grad_mode or p.in_helper:
        raise Refused()
    kind = p.rng.weighted([("loss", 8), ("retain", 2), ("gradient", 1), ("grad", 1.5),
                           ("direct", 1)])
    if kind == "gradient":
        x = p.rng.one(p.differentiable() or [None])
        if x is None or x.rank == 0:
            raise Refused()
        p.emit(f"{x.t}.backward(torch::ones_like({x.text}));")
        p.ops += 2
        p.spend(x.impl)
        return
    loss = loss_of(p)
    if kind == "direct":
        p.emit(f"{loss.t}.backward();")
        p.spend(loss.impl)
        return
    loss = p.bind(loss, "loss")
    if kind == "grad":
        leaves = {id(n) for n in loss.impl.node.reach() if n.leaf}
        found = p.matching(lambda i: i.leaf and id(i.node) in leaves)
        if found:
            name = p.name("grads")
            some = p.rng.shuffled(found)[:p.rng.between(1, 2)]
            inputs = ", ".join(x.text for x in some)
            p.emit(f"auto {name} = torch::autograd::grad({{{loss.text}}}, {{{inputs}}});")
            p.spend(loss.impl, False)
            p.declare(f"{name}[0]", Impl(some[0].shape, some[0].dtype, contig=False))
            p.ops += 1
            return
    if kind == "retain":
        p.emit(f"{loss.text}.backward({{}}, true);")
        p.grade(loss.impl)
        p.ops += 1
    p.emit(f"{loss.text}.backward();")
    p.ops += 1
    p.spend(loss.impl)


def gradient(p):
    """What a leaf has collected: read, zeroed, dropped."""
    found = p.matching(lambda i: i.leaf and i.graded)
    if not found or p.in_helper or p.loop_start is not None:
        raise Refused()
    x = p.rng.one(found)
    kind = p.rng.one(["read", "zero", "drop", "sum"])
    if kind == "read":
        made = Impl(x.shape, x.dtype, contig=False)
        made.store.frozen = True
        p.bind(Expr(f"{x.t}.grad()", made))
    elif kind == "zero":
        p.emit(f"{x.t}.grad().zero_();")
    elif kind == "sum":
        p.bind(p.result(f"{x.t}.grad().sum()", [], (), x.dtype))
    else:
        p.emit(f"{x.t}.mutable_grad() = torch::Tensor();")
        for _, other in p.names():
            if other is x.impl:
                other.graded = False
    p.ops += 1


def descend(p):
    """A step by hand: the leaf is changed without gradients."""
    found = p.matching(lambda i: i.leaf and i.graded and not i.store.kept())
    if not found or p.in_helper or p.loop_start is not None:
        raise Refused()
    x = p.rng.one(found)
    if any(i.base is not None for i in x.impl.store.impls):
        raise Refused()
    p.open()
    p.emit("torch::NoGradGuard guard;")
    p.emit(p.rng.one([f"{x.t} -= 0.1 * {x.t}.grad();", f"{x.t}.sub_({x.t}.grad() * 0.1);",
                      f"{x.t}.add_({x.t}.grad(), -0.1);"]))
    p.close()
    p.ops += 2


STATEMENTS = [(apply, 60), (block, 2), (no_grad, 2), (branch, 1.5), (loop, 1.5), (detach, 1),
              (move, 4), (container, 3), (holder, 1.5), (helper, 2), (function_object, 1),
              (backward, 2), (gradient, 1.5), (descend, 1), (training, 1.5)]


def body(p, ops):
    while p.ops < ops:
        fn = p.rng.weighted(STATEMENTS)
        try:
            fn(p)
        except Refused:
            continue
