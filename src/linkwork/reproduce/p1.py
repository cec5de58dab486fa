"""P1 (Kim & Yoo 1997): LU, QR and hybrid LU-QR partitioning in absolute coordinates on the parallelogram four-bar.

Rigid: Table 2 and Figs. 11-14 (hmax 0.01 s, tol 1e-4).  With the flexible coupler, 2 modes: Table 3 and Figs. 15-22
(hmax 5e-4 s, tol 1e-5), the sweeps of hmax (3.1, Figs. 3-6) and tolerance (3.2, Figs. 7-10), the number of modes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.constraint_tolerance import loose_run, tolerance_items
from linkwork.reproduce.parallelogram.contest import LOOSE, OURS, PRINTED, UNTIL, Contest, Runs, options, table_runs
from linkwork.reproduce.parallelogram.costs import cost_items
from linkwork.reproduce.parallelogram.figures import acceleration, history_figures
from linkwork.reproduce.parallelogram.flexible_coupler import flexible_items, mode_items
from linkwork.reproduce.parallelogram.motion import FLAT, Ending, ending, motion_items, motion_verdict
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

METHODS = ("lu", "qr", "hybrid-qr")
CONTEST = Contest("P1", "absolute", METHODS, (2.307147, 9.366149, 6.803332), "Figs. 11-14")
FLEXIBLE = Contest("P1", "absolute", METHODS, (50.37, 194.65, 114.05), "Figs. 15-22", flexible=True)

HMAX_SWEEP = (1e-5, 5e-5, 1e-4, 5e-4)  # s, at tol 1e-5
TOLERANCE_SWEEP = (1e-6, 5e-6, 1e-5, 5e-5)  # at hmax 5e-4 s
SPANS = {1e-5: 0.25, 5e-5: 1.1}  # s: the finest steps only past the first, or the second, flat position

STOPS, RIGHT = "stops at the first flat position", "right, conserves energy"
FINDINGS: Mapping[tuple[str, str], tuple[str, str, str, str]] = {
    ("3.1", "lu"): (STOPS, STOPS, STOPS, "wrong after the second flat position"),
    ("3.1", "qr"): (STOPS, RIGHT, RIGHT, RIGHT),
    ("3.2", "lu"): (STOPS, "diverges at the third flat position", "diverges at the second flat position",
                    "stops at the second flat position"),
    ("3.2", "qr"): (RIGHT, RIGHT, RIGHT, RIGHT),
}  # fmt: skip

LEFT = f"printed (constraints to {LOOSE:.0e})"
Case = tuple[str, str, float, float]  # method, form, hmax (s), tolerance


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Tables 2 and 3 with their figures, what the constraint tolerance does, the sweeps; PNG files into `folder`.

    `quick`: fewer starts, and the sweeps only in the printed form and past the first flat position.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs = table_runs(CONTEST)
    loose, wrong = loose_run(CONTEST)
    table_figures(loose, runs, folder)
    starts = np.linspace(9.5, 10.5, 2 if quick else 11).tolist()
    return [
        *cost_items(CONTEST),
        *motion_items(CONTEST, runs),
        wrong,
        *tolerance_items(CONTEST, starts, folder),
        *flexible_items(FLEXIBLE, folder, quick),
        *sweep_items(folder, quick),
        *mode_items(FLEXIBLE, folder, quick),
    ]


# -- Table 2 ----------------------------------------------------------------------------------------------------------
def table_figures(loose: Result, runs: Runs, folder: Path) -> None:
    """Figs. 11-14: LU with loose constraints, which fails as the paper's did, beside QR and hybrid."""
    shown = {
        f"lu, constraints to {LOOSE:.0e}": loose,
        "lu": runs["lu", PRINTED],
        "qr": runs["qr", PRINTED],
        "hybrid": runs["hybrid-qr", PRINTED],
    }
    names = {"acceleration": "fig11-acceleration", "position": "fig12-position", "step": "fig13-step-size",
             "energy": "fig14-energy", "method": "rigid-active-method"}  # fmt: skip
    files = {what: folder / f"p1-{name}.png" for what, name in names.items()}
    history_figures(shown, files, "P1, rigid four-bar, printed form")


# -- sweeps -----------------------------------------------------------------------------------------------------------
def sweep_items(folder: Path, quick: bool) -> list[Item]:
    """3.1 and 3.2: does each method stay on the parallelogram, and how well does it keep its energy?"""
    runs: dict[Case, Result] = {}
    items = []
    for table in ("3.1", "3.2"):
        for form in (PRINTED,) if quick else (PRINTED, LEFT, OURS):
            for method in CONTEST.methods[:1] if form == LEFT else CONTEST.methods:
                for k, (hmax, tolerance) in enumerate(_settings_of(table)):
                    found = ending(_run((method, form, hmax, tolerance), runs, quick))
                    paper = FINDINGS[table, method][k] if (table, method) in FINDINGS else None
                    item = f"{method}, {form} form: hmax {hmax:.0e} s, tol {tolerance:.0e}"
                    items.append(Item(table, item, paper, found.words, verdict=_verdict(paper, found, form)))
    _sweep_figures(runs, folder)
    return items


def _verdict(paper: str | None, found: Ending, form: str) -> str:
    if paper is None:
        return "not swept in the paper; " + ("stays on its branch" if found.kept else "fails")
    at = [flat for word, flat in zip(("first", "second", "third"), FLAT, strict=False) if word in paper]
    if form == LEFT and at and found.kept and found.t > at[0]:
        return "ours does not fail where theirs did; with these steps less than the tolerance is left standing there"
    return motion_verdict(at[0] if at else None, found, form)


def _settings_of(table: str) -> list[tuple[float, float]]:
    """(hmax, tolerance) of the four cases of a sweep."""
    if table == "3.1":
        return [(hmax, 1e-5) for hmax in HMAX_SWEEP]
    return [(5e-4, tolerance) for tolerance in TOLERANCE_SWEEP]


def _run(case: Case, runs: dict[Case, Result], quick: bool) -> Result:
    """A case that both sweeps hold is run once."""
    if case not in runs:
        method, form, hmax, tolerance = case
        span = min(0.25, SPANS.get(hmax, UNTIL)) if quick else SPANS.get(hmax, UNTIL)
        of_table = options(FLEXIBLE, method, PRINTED, LOOSE) if form == LEFT else options(FLEXIBLE, method, form)
        chosen = replace(of_table, hmax=hmax, rtol=tolerance, until=span, every=0.0025)
        runs[case] = attempt(FLEXIBLE.mechanism(), chosen)[0]
    return runs[case]


def _sweep_figures(runs: Mapping[Case, Result], folder: Path) -> None:
    """Figs. 3-10: acceleration of the coupler and total energy, one sheet for each method and sweep."""
    sheets = {"3.1": ("lu", "fig3-4"), "3.1 qr": ("qr", "fig5-6"), "3.2": ("lu", "fig7-8"), "3.2 qr": ("qr", "fig9-10")}
    for key, (method, name) in sheets.items():
        cases = [(method, PRINTED, hmax, tolerance) for hmax, tolerance in _settings_of(key[:3])]
        names = [f"hmax {c[2]:.0e} s" if key[:3] == "3.1" else f"tol {c[3]:.0e}" for c in cases]
        looks = list(zip(names, [runs[c] for c in cases], COLORS, strict=False))
        panels = [
            Panel("coupler vertical\nacceleration [m/s$^2$]",
                  [Curve(n, r.t, acceleration(r), c, "--" if k else "-") for k, (n, r, c) in enumerate(looks)],
                  limits=(-60.0, 60.0), height=1.4),
            Panel("total energy [J]",
                  [Curve(n, r.t, r.channel("energy"), c, "--" if k else "-") for k, (n, r, c) in enumerate(looks)]),
        ]  # fmt: skip
        sweep = "largest step" if key[:3] == "3.1" else "tolerance"
        plot_panels(panels, path=folder / f"p1-{name}-{method}-{sweep.replace(' ', '-')}.png",
                    title=f"P1 {key[:3]}, flexible coupler: {method}, printed form, by {sweep}")  # fmt: skip
