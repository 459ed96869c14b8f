# Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Templates of random programs: layers as functions. Convolution, pooling,
normalization, padding, resampling, recurrent cells, losses."""
from program import Expr, Impl, Node, Refused, ints, numel
from templates import op


def images(p, dims, channels=None, low=4, high=8, batch=True):
    """A batch of `dims`-dimensional images."""
    def fits(impl):
        return impl.rank == dims + 2 and min(impl.shape[2:]) >= low and \
            (channels is None or impl.shape[1] == channels)

    def shape():
        space = p.dims(dims, low, high if dims < 3 else low + 1)
        return (p.rng.between(1, 3), channels or p.rng.one([2, 3, 4])) + space
    return p.tensor(dims + 2, dims + 2, where=fits, shape=shape)


def windowed(size, kernel, stride, padding, dilation=1):
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


# ---- convolution

def convolution(dims):
    @op(f"conv{dims}d", 2)
    def conv(p):
        rng = p.rng
        x = images(p, dims)
        groups = x.shape[1] if rng.chance(0.15) else 2 if x.shape[1] % 2 == 0 and \
            rng.chance(0.15) else 1
        out = groups * rng.between(1, 3)
        kernel = rng.between(1, 3)
        stride, padding = rng.one([1, 1, 2]), rng.between(0, 1)
        dilation = 2 if kernel == 2 and rng.chance(0.2) else 1
        w = p.shaped((out, x.shape[1] // groups) + (kernel,) * dims)
        b = p.shaped((out,)) if rng.chance(0.6) else None
        space = tuple(windowed(s, kernel, stride, padding, dilation) for s in x.shape[2:])
        if min(space) < 1:
            raise Refused()
        bias = b.text if b else "torch::Tensor()" if rng.chance(0.5) else "{}"
        if rng.chance(0.5):
            around = padding or "torch::IntArrayRef({0})"   # 0 could be a string's pointer.
            text = (f"torch::conv{dims}d({x.text}, {w.text}, {bias}, {stride}, {around}, "
                    f"{dilation}, {groups})")
        else:
            options = f"F::Conv{dims}dFuncOptions()"
            if b:
                options += f".bias({b.text})"
            options += f".stride({stride}).padding({padding})"
            options += f".dilation({dilation})" if dilation > 1 else ""
            options += f".groups({groups})" if groups > 1 else ""
            text = f"F::conv{dims}d({x.text}, {w.text}, {options})"
        return p.result(text, [x, w, b], (x.shape[0], out) + space, saves="in", contig=False)

    @op(f"conv_transpose{dims}d", 1)
    def conv_transpose(p):
        rng = p.rng
        x = images(p, dims, low=2, high=4)
        out, kernel, stride = rng.between(1, 3), rng.between(2, 3), rng.between(1, 2)
        padding = rng.between(0, 1)
        extra = 1 if stride == 2 and rng.chance(0.3) else 0
        w = p.shaped((x.shape[1], out) + (kernel,) * dims)
        b = p.shaped((out,)) if rng.chance(0.6) else None
        space = tuple((s - 1) * stride - 2 * padding + kernel + extra for s in x.shape[2:])
        if min(space) < 1:
            raise Refused()
        if rng.chance(0.5):
            text = (f"torch::conv_transpose{dims}d({x.text}, {w.text}, "
                    f"{b.text if b else '{}'}, {stride}, {padding}, {extra})")
        else:
            options = f"F::ConvTranspose{dims}dFuncOptions().stride({stride})"
            options += f".padding({padding})" if padding else ""
            options += f".output_padding({extra})" if extra else ""
            options += f".bias({b.text})" if b else ""
            text = f"F::conv_transpose{dims}d({x.text}, {w.text}, {options})"
        return p.result(text, [x, w, b], (x.shape[0], out) + space, saves="in", contig=False)


for _dims in (1, 2, 3):
    convolution(_dims)


# ---- pooling

def pooling(dims):
    @op(f"pool{dims}d", 2)
    def pool(p):
        rng = p.rng
        x = images(p, dims)
        kernel = rng.between(2, 3)
        stride = rng.one([kernel, kernel, 1, 2])
        padding = rng.between(0, kernel // 2)
        space = tuple(windowed(s, kernel, stride, padding) for s in x.shape[2:])
        kind = rng.one(["max_pool", "avg_pool"])
        name = f"{kind}{dims}d"
        shape = x.shape[:2] + space
        options = f"F::{'Max' if kind == 'max_pool' else 'Avg'}Pool{dims}dFuncOptions({kernel})"
        options += f".stride({stride})" if stride != kernel else ""
        options += f".padding({padding})" if padding else ""
        if kind == "max_pool" and rng.chance(0.25):
            text = rng.one([f"F::{name}_with_indices({x.text}, {options})",
                            f"torch::{name}_with_indices({x.text}, {kernel}, {stride}, {padding})"])
            return p.pair(text, [x], shape, "i64", contig=False)
        text = rng.one([f"F::{name}({x.text}, {options})",
                        f"torch::{name}({x.text}, {kernel}, {stride}, {padding})"])
        return p.result(text, [x], shape, contig=False)

    @op(f"adaptive_pool{dims}d", 1.5)
    def adaptive(p):
        rng = p.rng
        x = images(p, dims)
        size = rng.between(1, 4)
        kind = rng.one(["adaptive_avg_pool", "adaptive_max_pool"])
        name = f"{kind}{dims}d"
        shape = x.shape[:2] + (size,) * dims
        lengths = ints((size,) * dims)
        if kind == "adaptive_max_pool":
            if rng.chance(0.5):
                text = f"torch::{name}({x.text}, {lengths})"
                return p.pair(text, [x], shape, "i64", contig=False)
            if dims > 1 and rng.chance(0.4):
                text = f"F::{name}_with_indices({x.text}, F::AdaptiveMaxPool{dims}dFuncOptions({size}))"
                return p.pair(text, [x], shape, "i64", contig=False)
            text = f"F::{name}({x.text}, F::AdaptiveMaxPool{dims}dFuncOptions({size}))"
        else:
            text = rng.one([f"torch::{name}({x.text}, {lengths})",
                            f"F::{name}({x.text}, F::AdaptiveAvgPool{dims}dFuncOptions({size}))"])
        return p.result(text, [x], shape, contig=False)


for _dims in (1, 2, 3):
    pooling(_dims)


# ---- normalization

@op("batch_norm", 2.5)
def batch_norm(p):
    rng = p.rng
    x = p.tensor(2, 4, where=lambda i: numel(i.shape) > i.shape[1])
    c = x.shape[1]
    train = rng.chance(0.7)
    affine = rng.chance(0.6)
    w, b = (p.shaped((c,)), p.shaped((c,))) if affine else (None, None)
    running = not train or rng.chance(0.5)
    m = v = None
    if running:
        m, v = p.bind(p.fresh((c,), grad=False, bind=False)), \
            p.bind(p.fresh((c,), grad=False, bind=False))
        m.impl.store.frozen = v.impl.store.frozen = True
    texts = [y.text if y else "torch::Tensor()" if rng.chance(0.5) else "{}"
             for y in (w, b, m, v)]
    flag = "true" if train else "false"
    if rng.chance(0.5):
        texts = [t if t != "{}" else "c10::nullopt" for t in texts]
        text = f"torch::batch_norm({x.text}, {', '.join(texts)}, {flag}, 0.1, 1e-5, true)"
    else:
        options = "F::BatchNormFuncOptions()"
        options += f".weight({w.text}).bias({b.text})" if affine else ""
        options += f".training({flag})"
        mean, var = (m.text, v.text) if running else ("{}", "{}")
        text = f"F::batch_norm({x.text}, {mean}, {var}, {options})"
    return p.result(text, [x, w, b, m, v], x.shape, contig=False)


@op("layer_norm", 2)
def layer_norm(p):
    rng = p.rng
    x = p.tensor(1, 4)
    shape = x.shape[-rng.between(1, x.rank):] if x.rank > 1 else x.shape
    w, b = (p.shaped(shape), p.shaped(shape)) if rng.chance(0.6) else (None, None)
    if rng.chance(0.5):
        args = f", {w.text}, {b.text}" if w else ""
        text = f"torch::layer_norm({x.text}, {ints(shape)}{args})"
    else:
        args = f".weight({w.text}).bias({b.text})" if w else ""
        text = f"F::layer_norm({x.text}, F::LayerNormFuncOptions({ints(shape)}){args})"
    return p.result(text, [x, w, b], x.shape, contig=False)


@op("group_norm", 1.5)
def group_norm(p):
    rng = p.rng
    x = p.tensor(2, 4, where=lambda i: i.shape[1] % 2 == 0,
                 shape=lambda: (2, 4) + p.dims(rng.between(0, 2)))
    c, groups = x.shape[1], rng.one([1, 2])
    w, b = (p.shaped((c,)), p.shaped((c,))) if rng.chance(0.6) else (None, None)
    if numel(x.shape) // x.shape[0] // groups < 2:
        raise Refused()
    if rng.chance(0.5):
        args = f", {w.text}, {b.text}" if w else ""
        text = f"torch::group_norm({x.text}, {groups}{args})"
    else:
        args = f".weight({w.text}).bias({b.text})" if w else ""
        text = f"F::group_norm({x.text}, F::GroupNormFuncOptions({groups}){args})"
    return p.result(text, [x, w, b], x.shape, contig=False)


@op("instance_norm", 1.5)
def instance_norm(p):
    rng = p.rng
    x = p.tensor(3, 4, where=lambda i: numel(i.shape[2:]) > 1)
    c = x.shape[1]
    w, b = (p.shaped((c,)), p.shaped((c,))) if rng.chance(0.5) else (None, None)
    args = f".weight({w.text}).bias({b.text})" if w else ""
    text = f"F::instance_norm({x.text}, F::InstanceNormFuncOptions(){args})"
    return p.result(text, [x, w, b], x.shape, contig=False)


# ---- padding, resampling

@op("pad_mode", 1.5)
def pad_mode(p):
    rng = p.rng
    dims = rng.between(1, 3)
    x = images(p, dims, low=3, high=5)
    amounts = [rng.between(0, 2) for _ in range(2 * dims)]
    if not any(amounts):
        raise Refused()
    space = tuple(s + amounts[-2 - 2 * i] + amounts[-1 - 2 * i]
                  for i, s in enumerate(x.shape[2:]))
    kind = rng.one(["reflect", "replicate", "reflection_pad", "replication_pad"])
    if kind.endswith("pad"):
        spelled = ints(amounts) if len(amounts) != 2 else f"torch::IntArrayRef({ints(amounts)})"
        text = f"torch::{kind}{dims}d({x.text}, {spelled})"
    else:
        mode = "torch::kReflect" if kind == "reflect" else "torch::kReplicate"
        text = f"F::pad({x.text}, F::PadFuncOptions({ints(amounts)}).mode({mode}))"
    return p.result(text, [x], x.shape[:2] + space, contig=False)


@op("interpolate", 2.5)
def interpolate(p):
    rng = p.rng
    dims = rng.between(1, 3)
    x = images(p, dims, low=2, high=5)
    mode, align = rng.one({1: [("kNearest", False), ("kLinear", True)],
                           2: [("kNearest", False), ("kBilinear", True), ("kBicubic", True)],
                           3: [("kNearest", False), ("kTrilinear", True)]}[dims])
    size = tuple(rng.between(2, 6) for _ in range(dims))
    options = f"F::InterpolateFuncOptions().size(std::vector<int64_t>({ints(size)}))"
    if rng.chance(0.4):
        size = tuple(s * 2 for s in x.shape[2:])
        options = ("F::InterpolateFuncOptions().scale_factor(std::vector<double>({"
                   + ", ".join(["2.0"] * dims) + "}))")
    corners = rng.one(["true", "false"])
    options += f".mode(torch::{mode})" + (f".align_corners({corners})" if align else "")
    text = f"F::interpolate({x.text}, {options})"
    if rng.chance(0.35):
        name = {"kNearest": f"upsample_nearest{dims}d", "kLinear": "upsample_linear1d",
                "kBilinear": "upsample_bilinear2d", "kBicubic": "upsample_bicubic2d",
                "kTrilinear": "upsample_trilinear3d"}[mode]
        lengths = ints(size) if dims > 1 else f"torch::IntArrayRef({ints(size)})"
        text = f"torch::{name}({x.text}, {lengths}" + (f", {corners}" if align else "") + ")"
    return p.result(text, [x], x.shape[:2] + size, contig=False)


@op("pixel_shuffle", 1)
def pixel_shuffle(p):
    rng = p.rng
    name = rng.one(["pixel_shuffle", "pixel_unshuffle"])
    if name == "pixel_shuffle":
        x = p.tensor(4, 4, where=lambda i: i.shape[1] % 4 == 0, shape=lambda: (2, 4, 3, 2))
        s = x.shape
        shape = (s[0], s[1] // 4, s[2] * 2, s[3] * 2)
    else:
        x = p.tensor(4, 4, where=lambda i: i.shape[2] % 2 == 0 and i.shape[3] % 2 == 0,
                     shape=lambda: (2, 2, 4, 6))
        s = x.shape
        shape = (s[0], s[1] * 4, s[2] // 2, s[3] // 2)
    options = "PixelShuffle" if name == "pixel_shuffle" else "PixelUnshuffle"
    text = rng.one([f"torch::{name}({x.text}, 2)",
                    f"F::{name}({x.text}, F::{options}FuncOptions(2))"])
    return p.result(text, [x], shape, saves="none", contig=False)


# ---- recurrent cells

@op("cell", 1)
def cell(p):
    rng = p.rng
    x = p.tensor(2, 2)
    hidden, n = rng.between(2, 4), x.shape[0]
    kind, gates = rng.one([("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1),
                           ("lstm_cell", 4)])
    h = p.shaped((n, hidden))
    wi, wh = p.shaped((gates * hidden, x.shape[1])), p.shaped((gates * hidden, hidden))
    bi, bh = (p.shaped((gates * hidden,)), p.shaped((gates * hidden,))) \
        if rng.chance(0.6) else (None, None)
    biases = f", {bi.text}, {bh.text}" if bi else ""
    inputs = [x, h, wi, wh, bi, bh]
    if kind == "lstm_cell":
        c = p.shaped((n, hidden))
        text = f"torch::lstm_cell({x.text}, {{{h.text}, {c.text}}}, {wi.text}, {wh.text}{biases})"
        return p.pair(text, inputs + [c], (n, hidden), "f32", contig=False)
    text = f"torch::{kind}({x.text}, {h.text}, {wi.text}, {wh.text}{biases})"
    return p.result(text, inputs, (n, hidden), contig=False)


# ---- losses

def reduced(p, shape):
    """(C++ reduction, shape of the loss)."""
    return p.rng.one([("torch::kMean", ()), ("torch::kSum", ()), ("torch::kNone", shape)])


PLAIN_LOSSES = [("mse_loss", "MSELoss"), ("l1_loss", "L1Loss"), ("smooth_l1_loss", "SmoothL1Loss"),
                ("huber_loss", "HuberLoss"), ("kl_div", "KLDiv"),
                ("binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogits"),
                ("soft_margin_loss", "SoftMarginLoss")]


@op("loss", 3)
def loss(p):
    rng = p.rng
    x = p.tensor(1, 4)
    name, options = rng.one(PLAIN_LOSSES)
    # soft_margin_loss's target has no derivative.
    y = p.shaped(x.shape, grad=False if rng.chance(0.7) or name[:4] == "soft" else None)
    if rng.chance(0.4):
        reduction, shape = rng.one([("at::Reduction::Mean", ()), ("at::Reduction::Sum", ()),
                                    ("at::Reduction::None", x.shape)])
        extra = ", {}, {}" if name == "binary_cross_entropy_with_logits" else ""
        text = f"torch::{name}({x.text}, {y.text}{extra}, {reduction})"
    else:
        reduction, shape = reduced(p, x.shape)
        text = f"F::{name}({x.text}, {y.text}, F::{options}FuncOptions().reduction({reduction}))"
        if rng.chance(0.3):
            text, shape = f"F::{name}({x.text}, {y.text})", ()
    return p.result(text, [x, y], shape, contig=False)


@op("binary_cross_entropy", 1)
def binary_cross_entropy(p):
    shape = p.some_shape(1, 3)   # Its values must lie between 0 and 1.
    grad = p.rng.chance(0.6)
    x = p.bind(Expr(f"torch::rand({ints(shape)}{', torch::requires_grad()' if grad else ''})",
                    Impl(shape, node=Node(leaf=True) if grad else None)))
    target = p.bind(p.result(f"torch::rand({ints(x.shape)})", [], x.shape, "f32"))
    x.impl.store.frozen = target.impl.store.frozen = True
    p.ops += 2
    reduction, shape = reduced(p, x.shape)
    call = p.rng.one([f"torch::binary_cross_entropy(torch::sigmoid({x.text}), {target.text})",
                      None])
    if call:
        return p.result(call, [x, target], ())
    return p.result(f"F::binary_cross_entropy({x.text}, {target.text}, "
                    f"F::BinaryCrossEntropyFuncOptions().reduction({reduction}))",
                    [x, target], shape, contig=False)


@op("nll", 2.5)
def nll(p):
    rng = p.rng
    x = p.tensor(2, 4, where=lambda i: i.rank != 3)
    shape = x.shape[:1] + x.shape[2:]
    target = p.indices(shape, x.shape[1])
    weight = p.shaped((x.shape[1],), grad=False) if rng.chance(0.25) else None
    kind = rng.one(["cross_entropy", "nll_loss", "F::cross_entropy", "F::nll_loss"])
    if kind.startswith("F::"):
        reduction, result = reduced(p, shape)
        options = {"F::cross_entropy": "CrossEntropy", "F::nll_loss": "NLLLoss"}[kind]
        args = f", F::{options}FuncOptions().reduction({reduction})"
        args += f".weight({weight.text})" if weight else ""
    else:
        kind = {"cross_entropy": "torch::cross_entropy_loss", "nll_loss": "torch::nll_loss"}[kind]
        if kind == "torch::nll_loss" and x.rank > 2:
            kind = rng.one(["torch::nll_loss2d", "torch::nll_loss_nd"]) if x.rank == 4 else \
                "torch::nll_loss_nd"
        args, result = (f", {weight.text}" if weight else ""), ()
    inner = f"torch::log_softmax({x.text}, 1)" if "nll" in kind else x.text
    return p.result(f"{kind}({inner}, {target.text}{args})", [x, target, weight], result, "f32",
                    contig=False)


@op("margin_ranking_loss", 0.7)
def margin_ranking_loss(p):
    x = p.tensor(1, 2)
    y, t = p.shaped(x.shape), p.shaped(x.shape, grad=False)
    reduction, shape = reduced(p, x.shape)
    text = p.rng.one([f"torch::margin_ranking_loss({x.text}, {y.text}, {t.text})", None])
    if text:
        return p.result(text, [x, y, t], ())
    return p.result(f"F::margin_ranking_loss({x.text}, {y.text}, {t.text}, "
                    f"F::MarginRankingLossFuncOptions().margin(0.5).reduction({reduction}))",
                    [x, y, t], shape, contig=False)
