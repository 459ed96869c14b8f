# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: torch::nn modules, alone, in a Sequential and in a
class of the program's own; optimizers that train them."""
from layers import reduced, windowed
from program import Expr, Impl, Node, Refused, ints, numel
from templates import op

ONE = []  # (name, function of (p, shape) -> (C++ construction, shape of the result))


def one(name):
    def add(fn):
        ONE.append((name, fn))
        return fn
    return add


def option(text, value, default):
    return f".{text}({value})" if value != default else ""


# ---- modules of one tensor, by the shapes they take

@one("Linear")
def linear(p, s):
    out = p.rng.between(2, 6)
    if p.rng.chance(0.2):
        return f"nn::Linear(nn::LinearOptions({s[-1]}, {out}).bias(false))", s[:-1] + (out,)
    return f"nn::Linear({s[-1]}, {out})", s[:-1] + (out,)


def activation(name, options=""):
    @one(name)
    def fn(p, s):
        if name in ("ReLU", "ELU", "SELU", "CELU", "LeakyReLU", "Hardtanh", "ReLU6", "Threshold",
                    "RReLU") and p.rng.chance(0.2) and name != "RReLU":
            args = "0.1, 20" if name == "Threshold" else ""
            return f"nn::{name}(nn::{name}Options({args}).inplace(true))", s
        return f"nn::{name}({options})", s


for _name in ("ReLU", "ELU", "SELU", "CELU", "LeakyReLU", "Hardtanh", "ReLU6", "Sigmoid", "Tanh",
              "GELU", "SiLU", "Mish", "Softplus", "Softsign", "Tanhshrink", "LogSigmoid", "Identity"):
    activation(_name)
activation("Threshold", "0.1, 20")
activation("Hardshrink", "0.3")
activation("Softshrink", "0.3")


@one("PReLU")
def prelu(p, s):
    count = p.rng.one([1, s[1] if len(s) > 1 else 1])
    return f"nn::PReLU(nn::PReLUOptions().num_parameters({count}))", s


@one("Softmax")
def softmax(p, s):
    name = p.rng.one(["Softmax", "LogSoftmax", "Softmin"])
    return f"nn::{name}({p.rng.below(len(s))})", s


@one("Softmax2d")
def softmax2d(p, s):
    if len(s) != 4:
        raise Refused()
    return "nn::Softmax2d()", s


@one("GLU")
def glu(p, s):
    fit = [i for i, n in enumerate(s) if n % 2 == 0]
    if not fit:
        raise Refused()
    dim = p.rng.one(fit)
    return f"nn::GLU({dim})", tuple(n // 2 if i == dim else n for i, n in enumerate(s))


@one("Dropout")
def dropout(p, s):
    name = p.rng.one(["Dropout", "AlphaDropout", "FeatureAlphaDropout", "Dropout2d", "Dropout3d"])
    if (name == "Dropout2d" and len(s) != 4) or (name == "Dropout3d" and len(s) != 5) or \
            (name == "FeatureAlphaDropout" and len(s) < 2):
        raise Refused()
    return f"nn::{name}({p.rng.one(['', '0.3'])})", s


@one("BatchNorm")
def batch_norm(p, s):
    if len(s) < 2 or numel(s) // s[1] < 2:
        raise Refused()
    dims = {2: 1, 3: 1, 4: 2, 5: 3}[len(s)]
    options = p.rng.weighted([("", 3), (".affine(false)", 1), (".track_running_stats(false)", 1),
                              (".momentum(0.2)", 1)])
    args = f"nn::BatchNorm{dims}dOptions({s[1]}){options}" if options else s[1]
    return f"nn::BatchNorm{dims}d({args})", s


@one("InstanceNorm")
def instance_norm(p, s):
    if len(s) < 3 or numel(s[2:]) < 2:
        raise Refused()
    dims = len(s) - 2
    options = p.rng.weighted([("", 2), (".affine(true)", 2), (".track_running_stats(true)", 1)])
    args = f"nn::InstanceNorm{dims}dOptions({s[1]}){options}" if options else s[1]
    return f"nn::InstanceNorm{dims}d({args})", s


@one("LayerNorm")
def layer_norm(p, s):
    shape = s[-p.rng.between(1, len(s)):]
    options = p.rng.weighted([("", 3), (".elementwise_affine(false)", 1)])
    return f"nn::LayerNorm(nn::LayerNormOptions({ints(shape)}){options})", s


@one("GroupNorm")
def group_norm(p, s):
    if len(s) < 2:
        raise Refused()
    groups = 2 if s[1] % 2 == 0 and p.rng.chance(0.6) else 1
    if numel(s) // s[0] // groups < 2:
        raise Refused()
    return f"nn::GroupNorm({groups}, {s[1]})", s


@one("Conv")
def conv(p, s):
    if not 3 <= len(s) <= 5:
        raise Refused()
    rng, dims = p.rng, len(s) - 2
    kernel, stride, padding = rng.between(1, 3), rng.one([1, 1, 2]), rng.between(0, 1)
    dilation = 2 if kernel == 2 and rng.chance(0.2) else 1
    groups = s[1] if rng.chance(0.15) else 1
    out = groups * rng.between(1, 3)
    space = tuple(windowed(n, kernel, stride, padding, dilation) for n in s[2:])
    if min(space) < 1:
        raise Refused()
    options = option("stride", stride, 1) + option("padding", padding, 0) + \
        option("dilation", dilation, 1) + option("groups", groups, 1)
    options += ".bias(false)" if rng.chance(0.2) else ""
    args = f"nn::Conv{dims}dOptions({s[1]}, {out}, {kernel}){options}" if options else \
        f"{s[1]}, {out}, {kernel}"
    return f"nn::Conv{dims}d({args})", (s[0], out) + space


@one("ConvTranspose")
def conv_transpose(p, s):
    if not 3 <= len(s) <= 5 or max(s[2:]) > 5:
        raise Refused()
    rng, dims = p.rng, len(s) - 2
    out, kernel, stride, padding = rng.between(1, 3), rng.between(2, 3), rng.between(1, 2), rng.between(0, 1)
    extra = 1 if stride == 2 and rng.chance(0.3) else 0
    space = tuple((n - 1) * stride - 2 * padding + kernel + extra for n in s[2:])
    if min(space) < 1:
        raise Refused()
    options = option("stride", stride, 1) + option("padding", padding, 0) + \
        option("output_padding", extra, 0)
    options += ".bias(false)" if rng.chance(0.2) else ""
    args = f"nn::ConvTranspose{dims}dOptions({s[1]}, {out}, {kernel}){options}" if options else \
        f"{s[1]}, {out}, {kernel}"
    return f"nn::ConvTranspose{dims}d({args})", (s[0], out) + space


@one("Pool")
def pool(p, s):
    if not 3 <= len(s) <= 5 or min(s[2:]) < 2:
        raise Refused()
    rng, dims = p.rng, len(s) - 2
    kind = rng.one(["Max", "Avg"])
    kernel = rng.between(2, min(3, min(s[2:])))
    stride, padding = rng.one([kernel, 1]), rng.between(0, kernel // 2)
    space = tuple(windowed(n, kernel, stride, padding) for n in s[2:])
    options = option("stride", stride, kernel) + option("padding", padding, 0)
    args = f"nn::{kind}Pool{dims}dOptions({kernel}){options}" if options else kernel
    return f"nn::{kind}Pool{dims}d({args})", s[:2] + space


@one("AdaptivePool")
def adaptive_pool(p, s):
    if not 3 <= len(s) <= 5:
        raise Refused()
    dims, size = len(s) - 2, p.rng.between(1, 4)
    kind = p.rng.one(["Max", "Avg"])
    return f"nn::Adaptive{kind}Pool{dims}d({size})", s[:2] + (size,) * dims


@one("Pad")
def pad(p, s):
    if not 3 <= len(s) <= 5:
        raise Refused()
    rng, dims = p.rng, len(s) - 2
    kind = rng.one(["Constant", "Reflection", "Replication", "Zero"])
    if kind == "Zero" and dims != 2:
        raise Refused()
    size = rng.between(1, 2)
    if kind == "Reflection" and min(s[2:]) <= size:
        raise Refused()
    extra = ", 0.5" if kind == "Constant" else ""
    args = f"nn::{kind}Pad{dims}dOptions({size}{extra})"
    return f"nn::{kind}Pad{dims}d({args})", s[:2] + tuple(n + 2 * size for n in s[2:])


@one("Upsample")
def upsample(p, s):
    if not 3 <= len(s) <= 5 or max(s[2:]) > 5:
        raise Refused()
    dims = len(s) - 2
    mode = p.rng.one(["kNearest", {1: "kLinear", 2: "kBilinear", 3: "kTrilinear"}[dims]])
    factors = ", ".join(["2.0"] * dims)
    extra = "" if mode == "kNearest" else ".align_corners(false)"
    return (f"nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>({{{factors}}}))"
            f".mode(torch::{mode}){extra})"), s[:2] + tuple(n * 2 for n in s[2:])


@one("Flatten")
def flatten(p, s):
    if len(s) < 2:
        raise Refused()
    return "nn::Flatten()", (s[0], numel(s[1:]))


@one("Unflatten")
def unflatten(p, s):
    fit = [i for i, n in enumerate(s) if n in (4, 6)]
    if not fit or len(s) > 3:
        raise Refused()
    dim = p.rng.one(fit)
    parts = (2, s[dim] // 2)
    return (f"nn::Unflatten(nn::UnflattenOptions({dim}, std::vector<int64_t>({ints(parts)})))",
            s[:dim] + parts + s[dim + 1:])


@one("PixelShuffle")
def pixel_shuffle(p, s):
    if len(s) != 4:
        raise Refused()
    if s[1] % 4 == 0 and p.rng.chance(0.5):
        return "nn::PixelShuffle(2)", (s[0], s[1] // 4, s[2] * 2, s[3] * 2)
    if s[2] % 2 == 0 and s[3] % 2 == 0:
        return "nn::PixelUnshuffle(2)", (s[0], s[1] * 4, s[2] // 2, s[3] // 2)
    raise Refused()


WITHOUT_PARAMETERS = ("ReLU", "ELU", "SELU", "CELU", "LeakyReLU", "Hardtanh", "ReLU6", "Sigmoid",
                      "Tanh", "GELU", "SiLU", "Mish", "Soft", "Log", "Identity", "Thresh", "Hard",
                      "GLU", "Dropout", "Alpha", "Feature", "MaxPool", "AvgPool", "Adaptive", "Pad",
                      "Constant", "Reflection", "Replication", "Zero", "Upsample", "Flatten",
                      "Unflatten", "Pixel", "Tanhshrink")


def some_module(p, shape):
    """(class, construction, shape of the result) of a module that takes `shape`."""
    for _ in range(40):
        name, fn = p.rng.one(ONE)
        try:
            made, out = fn(p, shape)
        except Refused:
            continue
        if 0 < numel(out) <= 4000:
            return made[:made.index("(")], made, out
    raise Refused()


def trains(made):
    """Whether what is constructed so has parameters."""
    if ".affine(false)" in made or ".elementwise_affine(false)" in made:
        return False
    if "InstanceNorm" in made:
        return ".affine(true)" in made
    return not made[4:].startswith(WITHOUT_PARAMETERS)


class Model:
    """A module of the program: its name, what it takes and gives, its parameters."""

    def __init__(self, p, name, shape, out, parameters, arrow="->"):
        self.name, self.shape, self.out, self.arrow = name, shape, out, arrow
        self.parameters = Impl((1,), node=Node(leaf=True)) if parameters else None
        self.keeps_input = True

    def forward(self, p, x):
        text = p.rng.one([f"{self.name}->forward({x.text})", f"{self.name}({x.text})"]) \
            if self.arrow == "->" else f"{self.name}{self.arrow}forward({x.text})"
        inputs = [x]
        if self.parameters:
            inputs.append(Expr("", self.parameters))
        return p.result(text, inputs, self.out, "f32", contig=False)


def taken(p, shape=None):
    """An input for a module: not to be changed by those that work in place."""
    x = p.tensor(2, 5) if shape is None else p.shaped(shape)
    return x


def declare_model(p, model):
    p.models[-1].append(model)


def alone(p, x):
    kind, made, out = some_module(p, x.shape)
    name = p.name("m")
    args = made[len(kind):]
    text = p.rng.one([f"{kind} {name}{args};", f"auto {name} = {made};"])
    if args == "()":
        text = f"{kind} {name};"
    p.emit(text)
    return Model(p, name, x.shape, out, trains(made)), "inplace(true)" in made


def chain(p, shape, count):
    parts, inplace = [], []
    for _ in range(count):
        kind, made, out = some_module(p, shape)
        parts.append((kind, made, shape, out))
        shape = out
    return parts, shape


def sequential(p, x):
    parts, out = chain(p, x.shape, p.rng.between(2, 4))
    name = p.name("seq")
    if p.rng.chance(0.5):
        p.emit(f"auto {name} = nn::Sequential({', '.join(made for _, made, _, _ in parts)});")
    else:
        p.emit(f"nn::Sequential {name};")
        for _, made, _, _ in parts:
            p.emit(f"{name}->push_back({made});")
    model = Model(p, name, x.shape, out, any(trains(m) for _, m, _, _ in parts))
    model.own = True   # Called by its name: Sequential's operator() says no type.
    return (model,
            "inplace(true)" in "".join(m for _, m, _, _ in parts))


def own_class(p, x):
    """A class with members, and a forward that runs them."""
    parts, out = chain(p, x.shape, p.rng.between(2, 3))
    name = p.name("Net")
    lines = [f"struct {name} : nn::Module {{"]
    members = [f"layer{i}" for i in range(len(parts))]
    for member, (kind, _, _, _) in zip(members, parts):
        lines.append(f"  {kind} {member}{{nullptr}};")
    lines.append(f"  {name}() {{")
    for member, (_, made, _, _) in zip(members, parts):
        lines.append(f'    {member} = register_module("{member}", {made});')
    lines += ["  }", "  torch::Tensor forward(torch::Tensor x) {"]
    form = p.rng.one(["assign", "locals", "nested"])
    if form == "nested":
        text = "x"
        for member in members:
            text = f"{member}({text})"
        lines.append(f"    return {text};")
    else:
        last = "x"
        for i, member in enumerate(members):
            call = p.rng.one([f"{member}({last})", f"{member}->forward({last})"])
            call = f"torch::sin({call})" if p.rng.chance(0.2) else call
            if form == "assign":
                lines.append(f"    x = {call};")
            else:
                lines.append(f"    auto y{i} = {call};")
                last = f"y{i}"
        lines.append(f"    return {last};")
    lines += ["  }", "};"]
    p.before += lines
    variable = p.name("net")
    arrow = p.rng.one(["->", "."])
    p.emit(f"auto {variable} = std::make_shared<{name}>();" if arrow == "->" else
           f"{name} {variable};")
    model = Model(p, variable, x.shape, out, any(trains(m) for _, m, _, _ in parts), arrow)
    model.own = True
    return model, "inplace(true)" in "".join(m for _, m, _, _ in parts)


def new_model(p, x):
    make = p.rng.weighted([(alone, 4), (sequential, 2), (own_class, 2)])
    model, inplace = make(p, x)
    # Modules that work in place would change what they are given.
    model.inplace = inplace
    p.ops += 1
    declare_model(p, model)
    return model


def forward(p, model, x):
    if model.inplace:
        x = p.bind(p.result(f"{x.t} * 2", [x], x.shape, saves="none"))
        p.ops += 1
    if getattr(model, "own", False) and model.arrow == "->":
        text = f"{model.name}->forward({x.text})"
        inputs = [x] + ([Expr("", model.parameters)] if model.parameters else [])
        made = p.result(text, inputs, model.out, "f32", contig=False)
    else:
        made = model.forward(p, x)
    # An Identity or a dropout in evaluation gives what it is given.
    made.impl.fixed = True
    made.impl.store = x.impl.store
    x.impl.store.impls.append(made.impl)
    x.impl.store.frozen = True
    return made


@op("module", 8)
def module(p):
    known = [m for frame in p.models for m in frame]
    if known and p.rng.chance(0.4):
        model = p.rng.one(known)
        x = p.shaped(model.shape)
    else:
        x = p.tensor(2, 5, shape=lambda: p.dims(p.rng.weighted([(2, 4), (3, 3), (4, 4), (5, 1)]), 2, 6))
        model = new_model(p, x)
        if p.rng.chance(0.1):
            p.emit(f"{model.name}{model.arrow}eval();")
    return forward(p, model, x)


# ---- modules with other calls

LOSSES = ["MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KLDivLoss", "BCEWithLogitsLoss"]


@op("loss_module", 1.5)
def loss_module(p):
    x = p.tensor(1, 4)
    kind = p.rng.one(LOSSES + ["CrossEntropyLoss", "NLLLoss"])
    name = p.name("criterion")
    if kind in LOSSES:
        y = p.shaped(x.shape, grad=False)
        reduction, shape = reduced(p, x.shape)
        args = x.text
    else:
        x = p.tensor(2, 2)
        y = p.indices(x.shape[:1], x.shape[1])
        reduction, shape = reduced(p, x.shape[:1])
        args = f"torch::log_softmax({x.text}, 1)" if kind == "NLLLoss" else x.text
    if p.rng.chance(0.5):
        p.emit(f"nn::{kind} {name};")
        shape = ()
    else:
        p.emit(f"nn::{kind} {name}(nn::{kind}Options().reduction({reduction}));")
    return p.result(f"{name}({args}, {y.text})", [x, y], shape, "f32", contig=False)


@op("embedding_module", 1)
def embedding_module(p):
    n, width = p.rng.between(3, 8), p.rng.between(2, 5)
    shape = p.some_shape(1, 2)
    at = p.indices(shape, n)
    name = p.name("table")
    p.emit(f"nn::Embedding {name}({n}, {width});")
    weight = Expr("", Impl((n, width), node=Node(leaf=True)))
    return p.result(f"{name}({at.text})", [weight, at], shape + (width,), "f32", contig=True)


@op("recurrent", 2)
def recurrent(p):
    rng = p.rng
    x = p.tensor(3, 3)
    length, batch, width = x.shape
    hidden, layers = rng.between(2, 4), rng.one([1, 1, 2])
    kind = rng.one(["LSTM", "GRU", "RNN"])
    both = 2 if rng.chance(0.25) else 1
    first = rng.chance(0.3)
    options = f"nn::{kind}Options({width}, {hidden})" + option("num_layers", layers, 1)
    options += ".bidirectional(true)" if both == 2 else ""
    options += ".batch_first(true)" if first else ""
    options += ".bias(false)" if rng.chance(0.15) else ""
    options += ".nonlinearity(torch::kReLU)" if kind == "RNN" and rng.chance(0.3) else ""
    name, out = p.name("rnn"), p.name("out")
    p.emit(f"nn::{kind} {name}({options});")
    p.emit(f"auto {out} = {name}->forward({x.text});")
    p.ops += 1
    weights = Expr("", Impl((1,), node=Node(leaf=True)))
    whole = p.result(f"std::get<0>({out})", [x, weights], (length, batch, both * hidden), "f32",
                     contig=False)
    if rng.chance(0.6):
        return whole
    count = batch if not first else length
    state = p.result("", [x, weights], (layers * both, count, hidden), "f32", contig=False)
    state.impl.node = whole.impl.node
    state.text = f"std::get<1>({out})" if kind != "LSTM" else \
        f"std::get<{rng.below(2)}>(std::get<1>({out}))"
    return state


@op("cell_module", 1)
def cell_module(p):
    x = p.tensor(2, 2)
    hidden = p.rng.between(2, 4)
    kind = p.rng.one(["LSTMCell", "GRUCell", "RNNCell"])
    name = p.name("cell")
    p.emit(f"nn::{kind} {name}({x.shape[1]}, {hidden});")
    weights = Expr("", Impl((1,), node=Node(leaf=True)))
    if kind == "LSTMCell":
        return p.pair(f"{name}({x.text})", [x, weights], (x.shape[0], hidden), "f32",
                      contig=False)
    if p.rng.chance(0.5):
        h = p.shaped((x.shape[0], hidden))
        return p.result(f"{name}({x.text}, {h.text})", [x, h, weights], (x.shape[0], hidden), "f32",
                        contig=False)
    return p.result(f"{name}({x.text})", [x, weights], (x.shape[0], hidden), "f32", contig=False)


@op("attention", 1)
def attention(p):
    rng = p.rng
    heads = rng.between(1, 2)
    # Fresh ones: forward compares values, and a NaN is no equal.
    x = p.fresh((rng.between(2, 4), rng.between(1, 3), heads * rng.between(2, 3)))
    name = p.name("attention")
    p.emit(f"nn::MultiheadAttention {name}({x.shape[2]}, {heads});")
    weights = Expr("", Impl((1,), node=Node(leaf=True)))
    kind = rng.one(["self", "cross"])
    y = x if kind == "self" else p.fresh((rng.between(2, 4),) + x.shape[1:])
    text = f"{name}({x.text}, {y.text}, {y.text})"
    out = p.result(f"std::get<0>({text})", [x, y, weights], x.shape, "f32", contig=False)
    return out


# ---- optimizers

OPTIMIZERS = ["SGD(P, O(0.1))", "SGD(P, O(0.1).momentum(0.9))", "SGD(P, O(0.1).weight_decay(0.1))",
              "SGD(P, O(0.1).momentum(0.9).weight_decay(0.1).nesterov(true))",
              "SGD(P, O(0.1).momentum(0.9).dampening(0.1))",
              "Adam(P, O(0.1))", "Adam(P, O(0.1).amsgrad(true))", "Adam(P, O(0.1).weight_decay(0.1))",
              "AdamW(P, O(0.1))", "AdamW(P, O(0.1).amsgrad(true))", "AdamW(P, O(0.1).weight_decay(0))",
              "RMSprop(P, O(0.1))", "RMSprop(P, O(0.1).centered(true))",
              "RMSprop(P, O(0.1).momentum(0.9).weight_decay(0.1))",
              "Adagrad(P, O(0.1))", "Adagrad(P, O(0.1).lr_decay(0.1).weight_decay(0.1))"]


def training(p):
    """A model, an optimizer and a loop of steps."""
    if not p.grad_mode or p.in_helper:
        raise Refused()
    rng = p.rng
    x = p.tensor(2, 4, where=lambda i: i.node is None or i.leaf,
                 shape=lambda: p.dims(rng.one([2, 3, 4]), 2, 6))
    if x.impl.node is not None and not x.impl.leaf:
        raise Refused()
    model = new_model(p, x)
    if not model.parameters or model.inplace:
        return
    kind = rng.one(OPTIMIZERS)
    name = p.name("optimizer")
    cls = kind[:kind.index("(")]
    args = kind[kind.index("("):].replace("P,", f"{model.name}{model.arrow}parameters(),", 1)
    args = args.replace("O(", f"torch::optim::{cls}Options(")
    p.emit(f"torch::optim::{cls} {name}{args};")
    # Adagrad's first learning rates make tensors; nothing that a step could break
    # is alive: what the model's parameters have saved is used up from here on.
    for saver in model.parameters.store.savers:
        saver.spent = True
    steps = rng.between(1, 3)
    loop = p.name("step")
    if steps > 1:
        p.open(f"for (int {loop} = 0; {loop} < {steps}; ++{loop}) {{")
    else:
        p.open()
    p.emit(p.rng.one([f"{name}.zero_grad();", f"{model.name}{model.arrow}zero_grad();"]))
    out = p.bind(forward(p, model, Expr(x.text, x.impl)), "y")
    form = rng.one(["{0}.pow(2).mean()", "({0} * {0}).sum()", "{0}.mean()",
                    "F::mse_loss({0}, torch::zeros_like({0}))"])
    p.emit(f"auto loss = {form.format(out.text)};")
    p.emit("loss.backward();")
    if rng.chance(0.15):
        p.emit(f"nn::utils::clip_grad_value_({model.name}{model.arrow}parameters(), 0.5);")
    p.emit(f"{name}.step();")
    p.close()
    for saver in model.parameters.store.savers:
        saver.spent = True
    p.ops += 5
