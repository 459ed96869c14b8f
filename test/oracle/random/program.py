# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of a random LibTorch program while it is being written.

What LibTorch would refuse is known here: shapes, dtypes, what autograd keeps
(so that nothing kept is changed in place) and which graphs are used up. So that
every program is valid, it errs on the safe side; what the program does to memory
is not known here at all.

  Impl   a tensor as LibTorch has one; two names may stand for the same
  Expr   C++ text that yields an Impl
  Node   a node of the autograd graph, as far as validity goes
"""
import random

FLOAT = ("f32", "f64")
INTEGER = ("i64", "i32", "u8")
CPP_TYPE = {"f32": "torch::kFloat", "f64": "torch::kDouble", "i64": "torch::kLong",
            "i32": "torch::kInt", "u8": "torch::kByte", "bool": "torch::kBool",
            "c64": "torch::kComplexFloat", "c128": "torch::kComplexDouble",
            "f16": "torch::kHalf",
            "bf16": "torch::kBFloat16", "i8": "torch::kChar", "i16": "torch::kShort"}
RANK = ["bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64"]


def numel(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def ints(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def int_list(values):
    """The same as an argument; {0, 1} could also be a pointer and a length."""
    if len(values) == 2 and values[0] == 0:
        return f"torch::IntArrayRef({ints(values)})"
    return ints(values)


class Node:
    made = 0

    def __init__(self, inputs=(), leaf=False):
        self.inputs, self.leaf, self.spent = list(inputs), leaf, False
        Node.made += 1
        self.number = Node.made

    def reach(self, seen=None):
        """All nodes from here down, this one included."""
        seen, stack, out = set(), [self], []
        while stack:
            node = stack.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            out.append(node)
            stack += node.inputs
        return out


class Store:
    """Memory behind tensors: which graph nodes keep it, which tensors share it."""

    def __init__(self):
        self.savers, self.impls = [], []
        self.frozen = False  # Never to be changed in place.

    def kept(self):
        return self.frozen or any(not n.spent for n in self.savers)


class Impl:
    def __init__(self, shape, dtype="f32", node=None, store=None, contig=True,
                 base=None):
        self.shape, self.dtype, self.node = tuple(shape), dtype, node
        self.store = store or Store()
        self.store.impls.append(self)
        self.contig = contig     # Known to be contiguous.
        self.base = base         # Of a view: whose history an in-place op changes.
        self.fixed = False       # No in-place op: several views, overlap, …
        self.graded = False      # A leaf whose .grad() is surely defined.
        self.positive = False    # All values in (0, 1).

    @property
    def grad(self):
        return self.node is not None

    @property
    def leaf(self):
        return self.node is not None and self.node.leaf

    @property
    def rank(self):
        return len(self.shape)

    def spent(self):
        return self.node is not None and \
            any(n.spent and not n.leaf for n in self.node.reach())


class Expr:
    def __init__(self, text, impl, atom=True, name=False):
        self.text, self.impl, self.atom, self.name = text, impl, atom, name

    @property
    def t(self):
        """The text as an operand or object of a call."""
        return self.text if self.atom else f"({self.text})"

    shape = property(lambda self: self.impl.shape)
    dtype = property(lambda self: self.impl.dtype)
    grad = property(lambda self: self.impl.grad)
    rank = property(lambda self: len(self.impl.shape))


class Random:
    """What every Python draws alike from a seed."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def below(self, count):
        return int(self.source.random() * count)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, probability):
        return self.source.random() < probability

    def one(self, items):
        return items[self.below(len(items))]

    def weighted(self, pairs):
        total = sum(w for _, w in pairs)
        at = self.source.random() * total
        for item, weight in pairs:
            at -= weight
            if at < 0:
                return item
        return pairs[-1][0]

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


class Refused(Exception):
    """A template that does not fit here."""


class Program:
    """Statements so far, and the names that may be used."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.lines, self.indent = [], 1
        self.scopes = [{}]        # Names to Impl, innermost last.
        self.grad_mode = True
        self.counter = 0
        self.ops = 0              # Calls of LibTorch written so far.
        self.before = []          # Helpers and classes, above the function.
        self.nesting = 0          # Of expressions.
        self.in_helper = False
        self.models = [[]]        # Modules that may be called, by scope.
        self.lists = [{}]         # Vectors of tensors: name to elements, by scope.
        self.loop_start = None    # The first node of the loop being written.

    # ---- text

    def emit(self, text):
        self.lines.append("  " * self.indent + text)

    def name(self, stem="t"):
        self.counter += 1
        return f"{stem}{self.counter}"

    # ---- names

    def declare(self, name, impl):
        self.scopes[-1][name] = impl
        return Expr(name, impl, name=True)

    def forget(self, name):
        for scope in self.scopes:
            scope.pop(name, None)

    def names(self):
        return [(n, i) for scope in self.scopes for n, i in scope.items()]

    def open(self, text="{"):
        self.emit(text)
        self.indent += 1
        self.scopes.append({})
        self.models.append([])
        self.lists.append({})

    def close(self, text="}"):
        self.scopes.pop()
        self.models.pop()
        self.lists.pop()
        self.indent -= 1
        self.emit(text)

    # ---- tensors

    def dims(self, rank, low=2, high=6):
        return tuple(self.rng.between(low, high) for _ in range(rank))

    def some_shape(self, low=1, high=4):
        rank = self.rng.between(low, high)
        return self.dims(rank, 1 if self.rng.chance(0.15) else 2, 7 if rank < 4 else 5)

    def fresh(self, shape, dtype="f32", grad=None, bind=True):
        """A tensor of a factory, bound to a name."""
        rng = self.rng
        grad = rng.chance(0.6) if grad is None else grad
        grad = grad and dtype in FLOAT
        options = [] if dtype == "f32" and rng.chance(0.8) else [CPP_TYPE[dtype]]
        text = ints(shape)
        if grad:
            options = ["torch::requires_grad()"] if not options else \
                [f"torch::dtype({options[0]}).requires_grad(true)"]
        if dtype in FLOAT:
            call = rng.one(["randn", "rand", "ones", "full", "zeros"]
                           if rng.chance(0.3) else ["randn"])
            args = [text] + (["0.5"] if call == "full" else []) + options
        elif dtype == "bool":
            call, args = rng.one([("ones", [text]), ("zeros", [text])])
            args = args + ["torch::kBool"]
        else:
            call, args = "randint", [str(rng.between(3, 9)), text]
            if dtype != "i64":
                args.append(CPP_TYPE[dtype])
            else:
                args.append("torch::kLong")
        impl = Impl(shape, dtype, Node(leaf=True) if grad else None)
        expr = Expr(f"torch::{call}({', '.join(args)})", impl)
        self.ops += 1
        return self.bind(expr) if bind else expr

    def indices(self, shape, below):
        """Whole numbers from 0 to below - 1, bound to a name."""
        self.ops += 1
        impl = Impl(shape, "i64")
        return self.bind(Expr(f"torch::randint({below}, {ints(shape)}, torch::kLong)",
                              impl))

    def bind(self, expr, stem="t"):
        name = self.name(stem)
        kind = self.rng.weighted([("auto", 6), ("torch::Tensor", 3),
                                  ("const auto", 0)])
        self.emit(f"{kind} {name} = {expr.text};")
        return self.declare(name, expr.impl)

    def matching(self, where):
        return [Expr(n, i, name=True) for n, i in self.names() if where(i)]

    def pick(self, where, make, reuse=0.8, nest=True):
        """An operand: a name that fits, or what make() gives."""
        found = self.matching(where)
        if found and self.rng.chance(reuse):
            # Later names rather: long graphs.
            at = max(self.rng.below(len(found)), self.rng.below(len(found)))
            return found[at]
        return make()

    def tensor(self, low=0, high=4, dtype="f32", where=None, shape=None):
        """An operand of this rank and dtype."""
        types = (dtype,) if isinstance(dtype, str) else tuple(dtype)

        def fits(impl):
            return low <= impl.rank <= high and impl.dtype in types and \
                numel(impl.shape) > 0 and numel(impl.shape) <= 4000 and \
                (where is None or where(impl))

        def make():
            if shape:
                wanted = shape()
            else:
                wanted = self.some_shape(max(low, 1), max(high, 1)) if high else ()
            return self.fresh(wanted, types[0] if self.rng.chance(0.8)
                              else self.rng.one(types))
        got = self.pick(fits, make)
        if where is not None and not where(got.impl):
            raise Refused()
        return self.maybe_nested(got)

    def maybe_nested(self, got):
        """Sometimes a temporary of the same shape in place of a name."""
        if self.nesting < 2 and got.dtype in FLOAT and self.rng.chance(0.12):
            self.nesting += 1
            self.ops += 1
            text = self.rng.one([f"{got.t} * 2", f"{got.t} + 1", f"torch::sin({got.text})",
                                 f"{got.t}.neg()", f"torch::sigmoid({got.text})"])
            self.nesting -= 1
            return self.result(text, [got], got.shape, got.dtype,
                               atom=text.endswith(")"))
        return got

    def shaped(self, shape, dtype="f32", grad=None):
        """An operand of exactly this shape."""
        def fits(impl):
            return impl.shape == tuple(shape) and impl.dtype == dtype and \
                (grad is None or impl.grad == grad)
        return self.pick(fits, lambda: self.fresh(shape, dtype, grad))

    # ---- results

    def history(self, inputs, saved):
        """The node of an op on inputs, if there is one; it keeps `saved`."""
        nodes = [i.impl.node for i in inputs if i is not None and i.impl.node]
        if not nodes or not self.grad_mode:
            return None
        node = Node(nodes)
        for impl in saved:
            impl.store.savers.append(node)
        return node

    def result(self, text, inputs, shape, dtype=None, saves="all", atom=True,
               contig=None):
        """What a call yields: a new tensor. saves: all, none, in, out."""
        inputs = [i for i in inputs if i is not None]
        dtype = dtype or inputs[0].dtype
        if contig is None:
            contig = all(i.impl.contig for i in inputs)
        impl = Impl(shape, dtype, contig=contig)
        saved = [] if saves == "none" else [impl] if saves == "out" else \
            [i.impl for i in inputs] + ([impl] if saves == "all" else [])
        if dtype in FLOAT or dtype == "c64":
            impl.node = self.history(inputs, saved)
        return Expr(text, impl, atom)

    def view(self, text, of, shape, contig=False, fixed=False, dtype=None, atom=True):
        """What a call yields: a view of a tensor."""
        base = of.impl.base or of.impl
        impl = Impl(shape, dtype or of.dtype, None, of.impl.store, contig, base)
        impl.fixed = fixed or of.impl.fixed
        if self.grad_mode:
            impl.node = self.history([of], [])
        else:
            of.impl.store.frozen = True
        return Expr(text, impl, atom)

    def in_loop(self, impl):
        """Whether all of a tensor's graph is of the loop being written."""
        return self.loop_start is None or impl.node is None or \
            all(n.leaf or n.number > self.loop_start for n in impl.node.reach())

    def own(self, impl):
        """Whether the loop being written may change a tensor."""
        return self.loop_start is None or \
            any(i is impl for scope in self.scopes[self.loop_depth:] for i in scope.values())

    def changeable(self, impl):
        """Whether an in-place op is valid."""
        if not self.own(impl) or not self.in_loop(impl):
            return False
        if self.loop_start is not None and len(impl.store.impls) > 1:
            return False
        if impl.fixed or impl.store.kept() or impl.spent():
            return False
        if any(i.fixed for i in impl.store.impls):
            return False
        return not any(i.leaf for i in impl.store.impls) or not self.grad_mode

    def changed(self, impl, inputs, saved=()):
        """Notes an in-place op on impl; inputs: what else its result depends on."""
        nodes = [i.impl.node for i in inputs if i is not None and i.impl.node]
        if impl.node:
            nodes.append(impl.node)
        if not nodes or not self.grad_mode:
            return
        base = impl.base or impl
        if base.node:
            nodes.append(base.node)
        node = Node(nodes)
        for other in impl.store.impls:
            if (other.base or other) is base:
                other.node = node
        for kept in saved:
            kept.store.savers.append(node)

    # ---- backward

    def differentiable(self):
        """Names from which a backward may start."""
        return self.matching(lambda i: i.grad and i.dtype in FLOAT and not i.spent()
                             and numel(i.shape) > 0 and self.in_loop(i))

    def spend(self, impl, grades=True):
        """Backward went through impl's graph and freed it; leaves have gradients."""
        for node in impl.node.reach():
            if not node.leaf:
                node.spent = True
        if grades:
            self.grade(impl)

    def grade(self, impl):
        reached = {id(n) for n in impl.node.reach() if n.leaf}
        for _, other in self.names():
            if other.leaf and id(other.node) in reached:
                other.graded = True

    # ---- what templates ask

    def changeable_tensor(self, where=None, dtype=("f32",)):
        """A name that may be changed in place; made if there is none."""
        found = self.matching(lambda i: i.dtype in dtype and self.changeable(i)
                              and (where is None or where(i)))
        if found and self.rng.chance(0.85):
            return self.rng.one(found)
        if "f32" not in dtype:
            return self.fresh(self.some_shape(1, 3), self.rng.one(dtype))
        source = self.tensor(1, 4)
        made = self.bind(self.result(f"{source.t} * 2", [source], source.shape,
                                     saves="none"))
        if where is not None and not where(made.impl):
            raise Refused()
        return made

    def same(self, text, of):
        """A call that yields the very tensor it is given, or a view of all of it."""
        return self.view(text, of, of.shape, of.impl.contig, fixed=True)

    def pair(self, text, inputs, shape, second, first=None, contig=True, saves="all"):
        """A call with two results of one shape, the second of dtype `second`; one or
        both get names."""
        one = self.result(text, inputs, shape, first, saves=saves, contig=contig)
        two = Impl(shape, second, contig=contig)
        if one.impl.node:
            one.impl.node.inputs and two.store.savers.append(one.impl.node)
            if second in FLOAT:
                two.node = one.impl.node
        form = self.rng.one(["bind", "get0", "get1", "tuple", "tie"])
        if form == "get0":
            return Expr(f"std::get<0>({text})", one.impl)
        if form == "get1":
            return Expr(f"std::get<1>({text})", two)
        self.ops += 1
        a, b = self.name(), self.name()
        if form == "bind":
            self.emit(f"auto [{a}, {b}] = {text};")
        elif form == "tie":
            self.emit(f"torch::Tensor {a}, {b};")
            self.emit(f"std::tie({a}, {b}) = {text};")
        else:
            both = self.name("pair")
            self.emit(f"auto {both} = {text};")
            self.emit(f"auto {a} = std::get<0>({both}), {b} = std::get<1>({both});")
        self.declare(a, one.impl)
        self.declare(b, two)
        return None
