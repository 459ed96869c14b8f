#!/usr/bin/env python3
"""docs/generated/random.md, from what the last sweep over random programs found."""

import json

import project

# Why a row is called by no random program.
REASONS = [
    ("sizes of its results are in the data",
     "_unique _unique2 argwhere bincount coalesce masked_select nonzero nonzero_numpy "
     "sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor to_dense "
     "to_sparse to_sparse_csc to_sparse_csr unique unique_consecutive unique_dim "
     "unique_dim_consecutive _pack_padded_sequence _pad_packed_sequence embedding_renorm_ "
     "AdaptiveLogSoftmaxWithLoss"),
    ("it makes no tensor",
     "allclose can_cast defined device equal is_complex is_conj is_contiguous is_cpu is_cuda "
     "is_floating_point is_inference is_leaf is_neg is_non_overlapping_and_dense is_nonzero "
     "is_same_size is_signed is_view ndimension promote_types refine_names rename_ "
     "requires_grad_ result_type retain_grad scalar_type set_requires_grad sizes "
     "vector_to_parameters toFloat toHalf toLong"),
    ("it needs another device", "cuda pin_memory"),
]


def reason(name, known):
    for text, names in REASONS:
        if name in names.split():
            return text
    return "known to differ from LibTorch (test/oracle/shapes)" if name in known else "not yet"


def known_to_differ():
    lines = project.read("test/oracle/shapes/expected-failures.txt").splitlines()
    return {line.split(" ", 1)[0] for line in lines}


def page(table, rows):
    """rows: {kind: [name]}, as vramlint-list-rows prints them."""
    data = json.loads(project.read("test/oracle/random/figures.json"))
    known = known_to_differ()
    called, total = data["rows"], data["seeds"]
    figures = [[what, f"{data[what]:,}", f"{data[what] * 100 / total:.1f} %"]
               for what in ("equal", "estimate", "differs")]
    missing = {}
    names = rows["op"] + rows["module"] + rows["optimizer"]
    for name in names:
        if name not in called:
            missing.setdefault(reason(name, known), []).append(name)
    estimates = [n for n in rows.get("estimate", []) if n in called]
    text = (f"Small random LibTorch programs (`test/oracle/random`), seeds {data['first']} to "
            f"{data['first'] + total - 1}, run with LibTorch {data['libtorch']} on the CPU under a "
            "memory reporter and compared with vramlint statement by statement, without a "
            "tolerance. *Equal*: bytes alive after each statement and the peak inside it are the "
            "same to the byte. *Estimate*: the program calls an op whose temporaries are bounded, "
            "not counted; alive is the same to the byte and the peak lies within the bound. "
            "*Differs*: anything else.\n\n" + table(["verdict", "programs", "share"], figures,
                                                    ("programs", "share")) +
            f"\n{len(names) - sum(map(len, missing.values()))} of {len(names)} rows are called, "
            f"{len(estimates)} of them estimates.\n\n## Rows that no program calls\n")
    for why, some in sorted(missing.items()):
        text += f"\n{why[0].upper() + why[1:]} ({len(some)}): {' '.join(f'`{n}`' for n in some)}\n"
    text += "\n## In how many programs each row is called\n\n"
    return text + " ".join(f"`{n}` {called[n]}" for n in sorted(names) if n in called) + "\n"
