"""Draws the benchmarks that `python -m benchmarks --store` and `python -m benchmarks.whole_call --store` have kept:

    python docs/benchmarks.py

Every program with its settings is a point, its error beside its time; of rows of four-bars time and memory over their
number of bodies.  docs/performance.md has the numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from linkwork.reproduce.benchmarks.peers import STORED

HERE = Path(__file__).parent
WHOLE_CALLS = HERE.parent / "benchmarks" / "whole_call.json"
SHOWN = {"N-four-bar 10 s, N=1": "one four-bar, 10 s", "N-four-bar 10 s, N=40": "40 four-bars in a row, 10 s",
         "N-four-bar from 60 degrees, 10 s, N=40": "the same 40, from 60 degrees",
         "Andrews 0.05 s": "Andrews' squeezing mechanism, 0.05 s", "Bricard 10 s": "Bricard's linkage, 10 s",
         "flyball governor 10 s": "stiff flyball governor, 10 s"}  # fmt: skip
COLOURS = {"linkwork": "#1b65b8", "Pinocchio": "#c2571a", "MuJoCo": "#0e7a57", "Exudyn": "#8a4fae"}
MARKS = {"linkwork": "o", "Pinocchio": "s", "MuJoCo": "^", "Exudyn": "D"}
WHOLE = "(whole call)"  # a setting of linkwork


def seconds(spent: str) -> float:
    """'2.86 us' or '0.0017 s'."""
    number, unit = spent.split()
    return float(number) * {"s": 1.0, "us": 1e-6}[unit]


def work_and_precision() -> None:
    """Six problems, error over time."""
    problems = json.loads(STORED.read_text())["problems"]
    figure, axes = plt.subplots(3, 2, figsize=(9.0, 9.2), sharey=True, layout="constrained")
    for panel, (problem, title) in zip(axes.flat, SHOWN.items(), strict=True):
        for who, setting, error, spent in problems[problem]:
            name, whole = who.split()[0], setting == WHOLE
            panel.loglog(
                seconds(spent), error, MARKS[name], color=COLOURS[name], markersize=7,
                markerfacecolor="white" if whole else COLOURS[name],
                label=f"{name}, {'whole call' if whole else 'time loop'}",
            )  # fmt: skip
        taken = np.log10([seconds(spent) for *_, spent in problems[problem]])
        panel.set_xlim(0.8 * 10.0 ** np.floor(taken.min()), 1.25 * 10.0 ** np.ceil(taken.max()))  # whole decades
        panel.set_title(title, fontsize=9.5)
        panel.grid(alpha=0.25)
    for panel in axes[:, 0]:
        panel.set_ylabel("error at the end, rad")
    for panel in axes[-1]:
        panel.set_xlabel("processor time, s")
    named = {name: line for line, name in zip(*axes[0, 0].get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named.keys(), frameon=False, loc="outside upper center", ncols=5)
    figure.savefig(HERE / "images" / "benchmarks.svg", facecolor="white")


def cost_against_size() -> None:
    """Time and memory of rows of four-bars, over their bodies."""
    stored = json.loads(WHOLE_CALLS.read_text())["rows"]
    rows = {2 * int(name) + 1: row for name, row in stored.items() if name.isdigit()}
    bodies = np.array(sorted(rows))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    kinds = {"whole call": ("whole", "o-", "#1b65b8"), "time loop": ("loop", "s-", "#7fa9da"),
             "model built in Python": ("build", "^-", "#9a9a9a")}  # fmt: skip
    for label, (key, style, colour) in kinds.items():
        left.loglog(bodies, [rows[n][key] for n in bodies], style, color=colour, markersize=6, label=label)
    guide = bodies[[1, -1]]
    left.loglog(guide, 0.25 * rows[guide[1]]["loop"] * guide / guide[1], "k:", linewidth=1.0, label="linear")
    left.set_ylabel("processor time of a run of 10 s, s")
    left.legend(frameon=False)
    right.loglog(bodies, [rows[n]["memory"] for n in bodies], "o-", color="#1b65b8", markersize=6)
    for n in bodies:
        right.annotate(f"{rows[n]['memory']:.0f} MB", (n, rows[n]["memory"]), (0, 7), textcoords="offset points",
                       ha="center", fontsize=8.5)  # fmt: skip
    right.set_ylim(30.0, 2.5 * max(row["memory"] for row in rows.values()))
    right.set_xlim(bodies[0] / 2.0, bodies[-1] * 2.0)
    right.set_ylabel("largest memory of the process, MB")
    for panel in (left, right):
        panel.set_xlabel("bodies (2 N + 1 of N four-bars in a row)")
        panel.grid(alpha=0.25)
    figure.savefig(HERE / "images" / "cost.svg", facecolor="white")


def main() -> None:
    """Both."""
    plt.rcParams |= {"font.size": 9, "svg.fonttype": "path", "axes.spines.top": False, "axes.spines.right": False}
    work_and_precision()
    cost_against_size()


if __name__ == "__main__":
    main()
