#!/usr/bin/env python3
"""docs/generated/accuracy.md, from what the oracle's last run wrote down."""

import json
import os

BANDS = ("equal", "within 0.1 %", "within 1 %", "within 5 %", "further off")


def load(build_dir, name):
    path = os.path.join(build_dir, "test", "oracle", name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def percent(share):
    """Rounded down: 100 % only where it is all."""
    return f"{int(share * 1000) / 10:g} %"


def error(value):
    if value is None or value == float("inf"):
        return "not seen"
    return f"{value * 100:.2g} %" if value else "0"


def off(real, ours):
    if ours is None:
        return float("inf")
    return abs(ours - real) / max(real, 1)


def band(value):
    return next((i for i, most in enumerate((0, 0.001, 0.01, 0.05)) if value <= most), 4)


def shares(counts):
    total = max(sum(counts), 1)
    return [f"{count:,} ({percent(count / total)})" for count in counts]


def distribution(table, alive, peak):
    return table(["statements", *BANDS],
                 [["bytes alive after it", *shares(alive)],
                  ["peak inside it", *shares(peak)]], BANDS)


def worst_of(program):
    f = program["off"]
    if f["equal"] == 1 and f["worst_peak"] == 0:
        return "All are equal to the byte."
    return (f"The worst is `{program['program']}`: {percent(f['equal'])} equal, largest peak "
            f"error {error(f['worst_peak'])}.")


def matrix_part(table, data):
    """The zoo: a line a program, the worst first."""
    programs = sorted(data["programs"], key=lambda p: (
        p["off"]["equal"], -p["off"]["worst_peak"], p["off"]["peak"], p["program"]))
    if not programs:
        return ""
    totals = [[sum(p["off"][key][i] for p in programs) for i in range(len(BANDS))]
              for key in ("alive_bands", "peak_bands")]
    met = sum(p["verdict"] == "PASS" for p in programs)
    statements = sum(p["off"]["statements"] for p in programs)
    worst, rows = worst_of(programs[0]), []
    for p in programs:
        off, on = p["off"], p.get("on")
        rows.append([p["program"], f"{off['statements']:,}", percent(off["equal"]),
                     percent(off["alive"]), percent(off["peak"]), error(off["worst_peak"]),
                     *([percent(on["equal"]), percent(on["peak"])] if on else ["", ""]),
                     "met" if p["verdict"] == "PASS" else p["why"]])
    numbers = ("statements", "alive equal", "alive within 1 %", "peak within 1 %",
               "largest peak error", "oneDNN on: alive equal", "oneDNN on: peak within 1 %")
    text = ("## The zoo\n\nEach program of `test/models/zoo` in inference and two training "
            "steps with SGD, SGD with momentum and Adam, each at two batch sizes (1 and 4; "
            "2 and 4 where batch norm refuses one sample), every statement of the program "
            "that changes bytes, model code included. "
            f"{len(programs)} programs, {statements:,} statements. {met} meet the bar: alive "
            "bytes equal on 95 % of a program's statements and within 1 % on 99 %, peak "
            f"within 1 % on 95 % and within 5 % on all. {worst} With oneDNN on, what "
            "convolutions need inside depends on the processor; there the peak is not part "
            "of the bar.\n\n" +
            distribution(table, *totals) + "\n" +
            table(["program", *numbers, "bar"], rows, numbers))
    left_out = {**data["left_out"], **{name: "not yet" for name in data["unrecorded"]}}
    if left_out:
        text += "\nNot measured:\n\n" + "".join(
            f"- {name}: {why}\n" for name, why in sorted(left_out.items()))
    return text + "\n"


def program_rows(measurements):
    """The whole programs' lines that change bytes, by program and compiler."""
    programs = {}
    for entry in measurements:
        which = 0 if entry["what"].startswith("alive") else 1
        found = programs.setdefault((entry["program"], entry["compiler"]), ([], [], {}))
        if entry["changes"]:
            found[which].append(off(entry["measured"], entry["predicted"]))
        if entry["verdict"] != "agrees":
            found[2].setdefault(entry["verdict"], []).append(entry["what"])
    return programs


def whole_part(table, data):
    programs = program_rows(data["measurements"])
    bands = [[0] * len(BANDS), [0] * len(BANDS)]
    rows, differing = [], []
    for (program, compiler), (alive, peak, verdicts) in programs.items():
        for which, errors in enumerate((alive, peak)):
            for value in errors:
                bands[which][band(value)] += 1
        within = [sum(e <= 0.01 for e in errors) / max(len(errors), 1)
                  for errors in (alive, peak)]
        equal = sum(e == 0 for e in alive) / max(len(alive), 1)
        rows.append([program, compiler, len(alive), percent(equal), percent(within[0]),
                     percent(within[1]), error(max(peak, default=0)),
                     sum(len(w) for w in verdicts.values())])
        differing += [f"- {program} ({compiler}), {what}: {verdict}\n"
                      for verdict, whats in verdicts.items() for what in whats]
    numbers = ("lines", "alive equal", "alive within 1 %", "peak within 1 %",
               "largest peak error", "differ")
    text = ("## Whole programs\n\nThe programs of `test/models`, line by line, as "
            "`vramlint annotate` shows them: loops by their steady iteration. Counted are the "
            "lines that change bytes.\n\n" +
            distribution(table, *bands) + "\n" +
            table(["program", "compiler", *numbers], rows, numbers))
    return text + ("\nLines that differ by more than 1 %:\n\n" + "".join(differing)
                   if differing else "\nNo line differs by more than 1 %.\n")


def page(table, build_dir):
    """The page's text after its title, or None without a run."""
    matrix, whole = load(build_dir, "matrix.json"), load(build_dir, "accuracy.json")
    if matrix is None or whole is None:
        return None
    where = matrix["conditions"]
    return (f"What LibTorch {where.get('libtorch', '?')} allocates on the CPU (one thread, "
            "oneDNN off unless told) under a memory reporter, against what vramlint predicts for "
            "`--device cpu`.\n\n" + matrix_part(table, matrix) + whole_part(table, whole))
