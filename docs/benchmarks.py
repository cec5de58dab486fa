"""Draws the benchmarks that `python -m benchmarks --store` has kept: python docs/benchmarks.py

Every program with its settings is a point, its error beside its time; docs/performance.md has the numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
STORED = HERE.parent / "benchmarks" / "results.json"
SHOWN = {"N-four-bar 10 s, N=1": "one four-bar, 10 s", "N-four-bar 10 s, N=40": "40 four-bars in a row, 10 s",
         "Andrews 0.05 s": "Andrews' squeezing mechanism, 0.05 s"}  # fmt: skip
COLOURS = {"linkwork": "#1b65b8", "Pinocchio": "#c2571a", "MuJoCo": "#0e7a57"}
MARKS = {"linkwork": "o", "Pinocchio": "s", "MuJoCo": "^"}


def seconds(wall: str) -> float:
    """'2.86 us' or '0.0017 s'."""
    number, unit = wall.split()
    return float(number) * {"s": 1.0, "us": 1e-6}[unit]


def main() -> None:
    """Three problems, error over time."""
    problems = json.loads(STORED.read_text())["problems"]
    plt.rcParams |= {"font.size": 9, "svg.fonttype": "path", "axes.spines.top": False, "axes.spines.right": False}
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), sharey=True, layout="constrained")
    for panel, (problem, title) in zip(axes, SHOWN.items(), strict=True):
        for who, _, error, wall in problems[problem]:
            name = who.split()[0]
            panel.loglog(seconds(wall), error, MARKS[name], color=COLOURS[name], markersize=7, label=name)
        panel.set_title(title, fontsize=9.5)
        panel.set_xlabel("time of the run, s")
        panel.grid(alpha=0.25)
    axes[0].set_ylabel("error at the end, rad")
    named = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
    figure.legend(named.values(), named.keys(), frameon=False, loc="outside upper center", ncols=3)
    figure.savefig(HERE / "images" / "benchmarks.svg", facecolor="white")


if __name__ == "__main__":
    main()
