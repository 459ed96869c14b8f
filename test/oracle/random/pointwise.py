# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: element by element, in place too."""
from program import CPP_TYPE, FLOAT, INTEGER, RANK, Refused
from templates import op

# name: forms. m method, f torch::, i in place, F torch::nn::functional.
UNARY = {
    "abs": "mfi", "absolute": "mf", "acos": "mfi", "arccos": "mfi", "asin": "mfi",
    "arcsin": "mfi", "atan": "mfi", "arctan": "mfi", "ceil": "mfi", "cos": "mfi",
    "cosh": "mfi", "erf": "mfi", "exp": "mfi", "expm1": "mfi", "fix": "mfi",
    "floor": "mfi", "frac": "mfi", "log": "mfi", "log10": "mfi", "log1p": "mfi",
    "log2": "mfi", "neg": "mfi", "negative": "mfi", "reciprocal": "mfi",
    "relu": "mfiF", "round": "mfi", "rsqrt": "mfi", "sigmoid": "mfi", "sign": "mfi",
    "sin": "mfi", "sinh": "mfi", "sqrt": "mfi", "square": "mfi", "tan": "mfi",
    "tanh": "mfi", "trunc": "mfi", "positive": "mf",
    "selu": "fF", "celu": "fF", "elu": "fF", "gelu": "fF", "hardsigmoid": "f",
    "hardswish": "f", "hardtanh": "fF", "leaky_relu": "fF", "mish": "fF",
    "softplus": "fF", "softshrink": "fF", "hardshrink": "fmF", "silu": "fF",
    "log_sigmoid": "f", "logsigmoid": "F", "relu6": "fF", "softsign": "F",
    "tanhshrink": "F", "special_erf": "f", "special_expit": "f",
    "special_expm1": "f", "special_log1p": "f",
    "conj_physical": "mf", "clone": "mf",
}
IN_PLACE_FREE = ["relu_", "selu_", "celu_", "elu_", "gelu_", "hardsigmoid_",
                 "hardswish_", "hardtanh_", "leaky_relu_", "mish_", "relu6_",
                 "silu_", "sigmoid_", "tanh_", "exp_", "sqrt_", "neg_", "square_"]
# In-place forms whose node keeps nothing of the result.
KEEPS_NOTHING = {"neg", "negative", "ceil", "floor", "round", "trunc", "fix", "sign",
                 "frac"}
VIEWS = {"positive"}


def unary(name, forms):
    def fn(p):
        x = p.tensor(0 if "F" not in forms else 1, 4, FLOAT if p.rng.chance(0.1) else "f32")
        form = p.rng.one([f for f in forms if f != "i"])
        if form == "m":
            text = f"{x.t}.{name}()"
        elif form == "F":
            text = f"F::{name}({x.text})"
        else:
            text = f"torch::{name}({x.text})"
        if name == "positive":
            return p.same(text, x)
        return p.result(text, [x], x.shape)
    op(f"{name}")(fn)

    def inplace(p):
        x = p.changeable_tensor()
        saved = [] if name in KEEPS_NOTHING else [x.impl]
        p.emit(f"{x.t}.{name}_();" if p.rng.chance(0.8) or name in ("log1p", "tan", "absolute", "sign", "arccos", "arctan", "arcsin", "frac") else
               f"torch::{name}_({x.text});")
        p.changed(x.impl, [x], saved)
        p.ops += 1
    if "i" in forms:
        op(f"{name}_", 0.5)(inplace)


for _name, _forms in UNARY.items():
    unary(_name, _forms)


def free_in_place(name):
    @op(f"torch::{name}", 0.5)
    def fn(p):
        x = p.changeable_tensor()
        p.emit(f"torch::{name}({x.text});")
        p.changed(x.impl, [x], [x.impl])
        p.ops += 1


for _name in IN_PLACE_FREE:
    free_in_place(_name)


def promoted(a, b):
    """The dtype of a result of two tensors of rank above 0."""
    return RANK[max(RANK.index(a), RANK.index(b))]


def partner(p, x, dtype=None):
    """An operand that broadcasts with x, and the shape of both together."""
    rng = p.rng
    kind = rng.weighted([("same", 6), ("ones", 2), ("trailing", 2), ("scalar", 0.7),
                         ("bigger", 0.7)])
    shape = list(x.shape)
    if kind == "ones" and shape:
        shape[rng.below(len(shape))] = 1
    elif kind == "trailing" and len(shape) > 1:
        shape = shape[rng.between(1, len(shape) - 1):]
    elif kind == "scalar":
        shape = []
    elif kind == "bigger" and len(shape) < 4:
        shape = [rng.between(2, 4)] + shape
    y = p.shaped(tuple(shape), dtype or x.dtype)
    return y, broadcast(x.shape, y.shape)


def broadcast(a, b):
    size = max(len(a), len(b))
    a, b = (1,) * (size - len(a)) + tuple(a), (1,) * (size - len(b)) + tuple(b)
    return tuple(max(m, n) if min(m, n) else 0 for m, n in zip(a, b))


OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
ALIASES = {"add": ["add"], "sub": ["sub", "subtract"], "mul": ["mul", "multiply"],
           "div": ["div", "divide", "true_divide"]}


def arithmetic(name):
    keeps = "none" if name in ("add", "sub") else "in"

    @op(name, 4)
    def tensor_tensor(p):
        x = p.tensor(0, 4)
        y, shape = partner(p, x)
        form = p.rng.one("omf")
        called = p.rng.one(ALIASES[name])
        text, atom = {"o": (f"{x.t} {OPERATORS[name]} {y.t}", False),
                      "m": (f"{x.t}.{called}({y.text})", True),
                      "f": (f"torch::{called}({x.text}, {y.text})", True)}[form]
        if name in ("add", "sub") and form != "o" and p.rng.chance(0.3):
            text = f"torch::{name}({x.text}, {y.text}, 0.5)"
        contig = x.impl.contig and y.impl.contig
        return p.result(text, [x, y], shape, saves=keeps, atom=atom, contig=contig)

    @op(f"{name}_scalar", 2)
    def tensor_scalar(p):
        x = p.tensor(0, 4, FLOAT if p.rng.chance(0.2) else "f32")
        number = p.rng.one(["2", "0.5", "1", "1.5"])
        form = p.rng.one("omfr")
        called = p.rng.one(ALIASES[name])
        text, atom = {"o": (f"{x.t} {OPERATORS[name]} {number}", False),
                      "r": (f"{number} {OPERATORS[name]} {x.t}", False),
                      "m": (f"{x.t}.{called}({number})", True),
                      "f": (f"torch::{called}({x.text}, {number})", True)}[form]
        return p.result(text, [x], x.shape, saves="all", atom=atom)

    @op(f"{name}_", 2)
    def in_place(p):
        x = p.changeable_tensor()
        y = None
        called = p.rng.one(ALIASES[name]) if name != "true_divide" else name
        if p.rng.chance(0.3):
            other = p.rng.one(["2", "0.5"])
        else:
            shape = x.shape
            if p.rng.chance(0.2) and x.rank:
                shape = x.shape[p.rng.below(x.rank):]
            y = p.shaped(shape, x.dtype)
            if y.impl.store is x.impl.store:
                raise Refused()
            other = y.text
        if p.rng.chance(0.5):
            p.emit(f"{x.t}.{called}_({other});")
        else:
            p.emit(f"{x.text} {OPERATORS[name]}= {other};")
        p.changed(x.impl, [x, y], [y.impl] if y is not None else [])
        p.ops += 1


for _name in OPERATORS:
    arithmetic(_name)


@op("rsub")
def rsub(p):
    x = p.tensor(0, 4)
    return p.result(f"torch::rsub({x.text}, 1)", [x], x.shape, saves="none")


def two(name, forms, keeps="in", scalar=False):
    @op(name, 1.5)
    def fn(p):
        x = p.tensor(0, 4)
        y, shape = partner(p, x)
        form = p.rng.one(forms)
        text = f"{x.t}.{name}({y.text})" if form == "m" else \
            f"torch::{name}({x.text}, {y.text})"
        return p.result(text, [x, y], shape, saves=keeps,
                        contig=x.impl.contig and y.impl.contig)


two("maximum", "mf")
two("minimum", "mf")
two("max", "mf")
two("min", "mf")


# ---- comparisons, logic, whole numbers

COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
            "less": None, "less_equal": None, "greater": None, "greater_equal": None,
            "not_equal": None}


def comparison(name, operator):
    @op(name, 0.5)
    def fn(p):
        x = p.tensor(0, 4)
        if p.rng.chance(0.5):
            y, shape = partner(p, x)
            other = y.t
        else:
            y, shape, other = None, x.shape, p.rng.one(["0", "0.5"])
        form = p.rng.one("mfo" if operator else "mf")
        text, atom = {"m": (f"{x.t}.{name}({other})", True),
                      "f": (f"torch::{name}({x.text}, {other})", True),
                      "o": (f"{x.t} {operator} {other}", False)}[form]
        return p.result(text, [x, y], shape, "bool", atom=atom)


for _name, _operator in COMPARED.items():
    comparison(_name, _operator)


@op("isnan")
def isnan(p):
    x = p.tensor(0, 4)
    text = p.rng.one([f"{x.t}.isnan()", f"torch::isnan({x.text})"])
    return p.result(text, [x], x.shape, "bool")


@op("logical_not")
def logical_not(p):
    x = p.tensor(0, 4, ("f32", "bool", "i64"))
    text = p.rng.one([f"{x.t}.logical_not()", f"torch::logical_not({x.text})"])
    return p.result(text, [x], x.shape, "bool")


@op("bitwise_not")
def bitwise_not(p):
    x = p.tensor(1, 3, ("bool", "i64"))
    text = p.rng.one([f"{x.t}.bitwise_not()", f"torch::bitwise_not({x.text})", f"~{x.t}"])
    return p.result(text, [x], x.shape, atom=text[0] != "~")


@op("bitwise", 1.5)
def bitwise(p):
    x = p.tensor(1, 3, ("bool", "i64"))
    y, shape = partner(p, x)
    name, operator = p.rng.one([("and", "&"), ("or", "|"), ("xor", "^")])
    form = p.rng.one("mfo")
    text = {"m": f"{x.t}.bitwise_{name}({y.text})",
            "f": f"torch::bitwise_{name}({x.text}, {y.text})",
            "o": f"{x.t} {operator} {y.t}"}[form]
    return p.result(text, [x, y], shape, atom=form != "o")


@op("bitwise_", 0.5)
def bitwise_in_place(p):
    x = p.changeable_tensor(dtype=("bool", "i64"))
    y = p.shaped(x.shape, x.dtype)
    if y.impl.store is x.impl.store:
        raise Refused()
    p.emit(p.rng.one([f"{x.t}.bitwise_and_({y.text});", f"{x.t}.bitwise_or_({y.text});",
                      f"{x.t}.bitwise_xor_({y.text});", f"{x.t}.bitwise_not_();",
                      f"{x.t}.logical_not_();"]))
    p.ops += 1


@op("integer_arithmetic")
def integer_arithmetic(p):
    x = p.tensor(1, 3, INTEGER)
    kind = p.rng.one(["int", "float", "f32", "i64", "div"])
    if kind == "int":
        return p.result(f"{x.t} {p.rng.one('+-*')} 2", [x], x.shape, atom=False)
    if kind == "float":
        return p.result(f"{x.t} {p.rng.one('+-*/')} 1.5", [x], x.shape, "f32", atom=False)
    if kind == "div":
        return p.result(f"{x.t} / 2", [x], x.shape, "f32", atom=False)
    y, shape = partner(p, x, kind)
    dtype = promoted(x.dtype, kind) if y.rank or not x.rank or kind == "f32" else x.dtype
    text = f"{x.t} {p.rng.one('+-*')} {y.t}"
    return p.result(text, [x, y], shape, dtype, atom=False)


@op("mixed")
def mixed(p):
    """float32 with float64: the result is double."""
    x = p.tensor(1, 4)
    y = p.shaped(x.shape, "f64")
    text = f"{x.t} {p.rng.one('+-*/')} {y.t}"
    if p.rng.chance(0.5):
        text = f"{y.t} {p.rng.one('+-*/')} {x.t}"
    return p.result(text, [x, y], x.shape, "f64", atom=False)


# ---- powers, limits, mixtures

@op("pow", 2)
def power(p):
    x = p.tensor(0, 4)
    kind = p.rng.one(["2", "3", "0.5", "2.5", "-1", "1", "0", "tensor", "base"])
    if kind == "tensor":
        y, shape = partner(p, x)
        return p.result(p.rng.one([f"{x.t}.pow({y.text})",
                                   f"torch::pow({x.text}, {y.text})"]), [x, y], shape)
    if kind == "base":
        return p.result(f"torch::pow(2, {x.text})", [x], x.shape)
    return p.result(p.rng.one([f"{x.t}.pow({kind})", f"torch::pow({x.text}, {kind})"]),
                    [x], x.shape)


@op("pow_", 0.5)
def power_in_place(p):
    x = p.changeable_tensor()
    p.emit(f"{x.t}.pow_({p.rng.one(['2', '3', '0.5'])});")
    p.changed(x.impl, [x], [x.impl])
    p.ops += 1


@op("clamp", 2)
def clamp(p):
    x = p.tensor(0, 4)
    name = p.rng.one(["clamp", "clip", "clamp_min", "clamp_max"])
    args = p.rng.one(["-1, 1", "-0.5, 0.5"]) if name in ("clamp", "clip") else "0.5"
    text = p.rng.one([f"{x.t}.{name}({args})", f"torch::{name}({x.text}, {args})"])
    return p.result(text, [x], x.shape)


@op("clamp_tensor", 0.5)
def clamp_tensor(p):
    x = p.tensor(1, 4)
    low = p.shaped(x.shape)
    kind = p.rng.one(["clamp_min", "clamp_max", "clamp"])
    if kind == "clamp":
        high = p.shaped(x.shape)
        return p.result(f"torch::clamp({x.text}, {low.text}, {high.text})",
                        [x, low, high], x.shape)
    return p.result(f"torch::{kind}({x.text}, {low.text})", [x, low], x.shape)


@op("clamp_", 0.7)
def clamp_in_place(p):
    x = p.changeable_tensor()
    name = p.rng.one(["clamp_", "clip_", "clamp_min_", "clamp_max_"])
    args = "-1, 1" if name in ("clamp_", "clip_") else "0.5"
    p.emit(p.rng.one([f"{x.t}.{name}({args});", f"torch::{name}({x.text}, {args});"]))
    p.changed(x.impl, [x], [x.impl])
    p.ops += 1


@op("lerp", 1)
def lerp(p):
    x = p.tensor(1, 4)
    y = p.shaped(x.shape)
    if p.rng.chance(0.5):
        return p.result(p.rng.one([f"{x.t}.lerp({y.text}, 0.5)",
                                   f"torch::lerp({x.text}, {y.text}, 0.5)"]),
                        [x, y], x.shape)
    w = p.shaped(x.shape)
    return p.result(f"torch::lerp({x.text}, {y.text}, {w.text})", [x, y, w], x.shape)


@op("addcmul", 1.5)
def addcmul(p):
    x = p.tensor(1, 4)
    y, z = p.shaped(x.shape), p.shaped(x.shape)
    name = p.rng.one(["addcmul", "addcdiv"])
    value = p.rng.one(["", ", 0.5"])
    text = p.rng.one([f"{x.t}.{name}({y.text}, {z.text}{value})",
                      f"torch::{name}({x.text}, {y.text}, {z.text}{value})"])
    return p.result(text, [x, y, z], x.shape)


@op("where", 1.5)
def where(p):
    x = p.tensor(1, 4)
    y, shape = partner(p, x)
    mask = p.shaped(x.shape, "bool")
    kind = p.rng.one(["f", "m", "s", "n"])
    if kind == "s":
        return p.result(f"torch::where({mask.text}, {x.text}, 0.5)", [mask, x], x.shape,
                        x.dtype)
    if kind == "n":
        return p.result(f"torch::where({x.t} > 0, {x.text}, {y.text})", [x, y], shape)
    text = f"{x.t}.where({mask.text}, {y.text})" if kind == "m" else \
        f"torch::where({mask.text}, {x.text}, {y.text})"
    return p.result(text, [mask, x, y], shape, x.dtype)


@op("masked_fill")
def masked_fill(p):
    x = p.tensor(1, 4)
    shape = x.shape if p.rng.chance(0.7) else x.shape[-1:]
    mask = p.shaped(shape, "bool")
    text = p.rng.one([f"{x.t}.masked_fill({mask.text}, 0.5)",
                      f"torch::masked_fill({x.text}, {mask.text}, 0)"])
    return p.result(text, [x, mask], x.shape)


@op("masked_fill_", 0.5)
def masked_fill_in_place(p):
    x = p.changeable_tensor()
    mask = p.shaped(x.shape, "bool")
    p.emit(f"{x.t}.masked_fill_({mask.text}, 0.5);")
    p.changed(x.impl, [x], [mask.impl])
    p.ops += 1


@op("fill_", 2)
def filled(p):
    x = p.changeable_tensor()
    p.emit(p.rng.one([f"{x.t}.fill_(0.5);", f"{x.t}.zero_();", f"{x.t}.uniform_();",
                      f"{x.t}.uniform_(-1, 1);", f"{x.t}.normal_();", f"{x.t}.normal_(0, 0.5);",
                      f"{x.t}.random_(5);", f"{x.t}.random_();", f"{x.t}.bernoulli_(0.5);",
                      f"{x.t}.cauchy_();", f"{x.t}.exponential_();", f"{x.t}.geometric_(0.5);",
                      f"{x.t}.log_normal_();", f"torch::fill_({x.text}, 2);",
                      f"torch::zero_({x.text});", f"torch::nn::init::uniform_({x.text});",
                      f"torch::nn::init::normal_({x.text});",
                      f"torch::nn::init::constant_({x.text}, 0.5);",
                      f"torch::nn::init::ones_({x.text});",
                      f"torch::nn::init::zeros_({x.text});"]))
    p.changed(x.impl, [x], [])
    p.ops += 1


@op("fill")
def fill(p):
    x = p.tensor(1, 3)
    return p.result(f"torch::fill({x.text}, 0.5)", [x], x.shape)


@op("copy_")
def copy(p):
    x = p.changeable_tensor()
    dtype = p.rng.weighted([("f32", 5), ("f64", 1), ("i64", 1)])
    shape = x.shape if p.rng.chance(0.7) or not x.rank else x.shape[1:]
    y = p.shaped(shape, dtype)
    if y.impl.store is x.impl.store:
        raise Refused()
    p.emit(f"{x.t}.copy_({y.text});")
    p.changed(x.impl, [x, y], [])
    p.ops += 1


# ---- activations with options

ACTIVATIONS = ["torch::elu({}, 0.5)", "torch::leaky_relu({}, 0.1)",
               "torch::hardtanh({}, -0.5, 0.5)", "torch::threshold({}, 0.1, 20)",
               "torch::softplus({}, 2)", "torch::hardshrink({}, 0.3)",
               "torch::softshrink({}, 0.3)", "torch::celu({}, 0.5)",
               "F::elu({}, F::ELUFuncOptions().alpha(0.5))",
               "F::leaky_relu({}, F::LeakyReLUFuncOptions().negative_slope(0.1))",
               "F::hardtanh({}, F::HardtanhFuncOptions().min_val(-0.5).max_val(0.5))",
               "F::threshold({}, F::ThresholdFuncOptions(0.1, 20))",
               "F::softplus({}, F::SoftplusFuncOptions().beta(2))",
               "F::celu({}, F::CELUFuncOptions().alpha(0.5))",
               'torch::gelu({}, "tanh")',
               'F::gelu({}, F::GELUFuncOptions().approximate("tanh"))']


@op("activation", 3)
def activation(p):
    x = p.tensor(1, 4)
    return p.result(p.rng.one(ACTIVATIONS).format(x.text), [x], x.shape)


@op("activation_inplace", 1.5)
def activation_in_place(p):
    x = p.changeable_tensor()
    name, options = p.rng.one([
        ("relu", "ReLU"), ("elu", "ELU"), ("selu", "SELU"), ("celu", "CELU"),
        ("leaky_relu", "LeakyReLU"), ("hardtanh", "Hardtanh"), ("relu6", "ReLU6")])
    if p.rng.chance(0.3):
        p.emit(f"torch::threshold_({x.text}, 0.1, 20);")
    else:
        p.emit(f"F::{name}({x.text}, F::{options}FuncOptions().inplace(true));")
    p.changed(x.impl, [x], [x.impl])
    p.ops += 1


@op("prelu", 1.5)
def prelu(p):
    x = p.tensor(2, 4)
    w = p.shaped((1 if p.rng.chance(0.5) else x.shape[1],))
    text = p.rng.one([f"{x.t}.prelu({w.text})", f"torch::prelu({x.text}, {w.text})",
                      f"F::prelu({x.text}, {w.text})"])
    return p.result(text, [x, w], x.shape)


@op("glu")
def glu(p):
    def even(impl):
        return any(s % 2 == 0 for s in impl.shape)
    x = p.tensor(1, 4, where=even, shape=lambda: p.dims(p.rng.between(0, 2)) + (4,))
    dim = p.rng.one([i for i, s in enumerate(x.shape) if s % 2 == 0])
    shape = tuple(s // 2 if i == dim else s for i, s in enumerate(x.shape))
    return p.result(p.rng.one([f"torch::glu({x.text}, {dim})",
                               f"F::glu({x.text}, F::GLUFuncOptions({dim}))"]), [x], shape)


@op("dropout", 2)
def dropout(p):
    kind = p.rng.one(["dropout", "alpha_dropout", "feature_dropout",
                      "feature_alpha_dropout", "F", "F2", "F3", "Fa", "Ffa"])
    low = 2 if kind in ("feature_dropout", "feature_alpha_dropout", "Ffa") else 1
    high = 4
    if kind == "F2":
        low = 4
    if kind == "F3":
        x = p.tensor(5, 5)
    else:
        x = p.tensor(low, high)
    train = p.rng.weighted([("true", 3), ("false", 1)])
    rate = p.rng.weighted([("0.5", 4), ("0.1", 2), ("0", 0.5), ("1", 0.5)])
    if kind[0] == "F":
        function, options = {"F": ("dropout", "Dropout"), "F2": ("dropout2d", "Dropout2d"),
                             "F3": ("dropout3d", "Dropout3d"),
                             "Fa": ("alpha_dropout", "AlphaDropout"),
                             "Ffa": ("feature_alpha_dropout", "FeatureAlphaDropout")}[kind]
        text = (f"F::{function}({x.text}, F::{options}FuncOptions().p({rate})"
                f".training({train}))")
    else:
        text = f"torch::{kind}({x.text}, {rate}, {train})"
    if train == "false" or rate == "0":
        return p.same(text, x)
    return p.result(text, [x], x.shape)


@op("dropout_", 0.7)
def dropout_in_place(p):
    x = p.changeable_tensor(where=lambda i: i.rank >= 2)
    p.emit(p.rng.one([f"torch::dropout_({x.text}, 0.5, true);",
                      f"torch::alpha_dropout_({x.text}, 0.5, true);",
                      f"torch::feature_dropout_({x.text}, 0.5, true);",
                      f"torch::feature_alpha_dropout_({x.text}, 0.5, true);",
                      f"F::dropout({x.text}, F::DropoutFuncOptions().p(0.5).inplace(true));"]))
    p.changed(x.impl, [x], [x.impl])
    p.ops += 1


@op("to", 2)
def to(p):
    x = p.tensor(0, 4, ("f32", "f64", "i64", "bool"))
    dtype = p.rng.one(["f32", "f64", "i64", "f16", "bf16", "bool"])
    y = None
    form = p.rng.one(["to", "toType", "as", "options"])
    if form == "as" and dtype in ("f32", "f64"):
        y = p.tensor(1, 2, dtype)
        text = f"{x.t}.type_as({y.text})"
    elif form == "options":
        text = f"{x.t}.to(x.options().dtype({CPP_TYPE[dtype]}))".replace("(x.", f"({x.t}.")
    else:
        text = f"{x.t}.{'to' if form == 'as' else form}({CPP_TYPE[dtype]})"
    if dtype == x.dtype:
        return p.same(text, x)
    made = p.result(text, [x], x.shape, dtype, saves="none")
    return made
