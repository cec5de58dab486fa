"""P1 (Kim & Yoo 1997): LU, QR and hybrid LU-QR partitioning in absolute coordinates on the parallelogram four-bar.

Rigid: Table 2 and Figs. 11-14 (hmax 0.01 s, tol 1e-4).  With the flexible coupler, 2 modes: Table 3 and Figs. 15-22
(hmax 5e-4 s, tol 1e-5), the sweeps of hmax (3.1, Figs. 3-6) and tolerance (3.2, Figs. 7-10), the number of modes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.constraint_tolerance import loose_run, tolerance_items
from linkwork.reproduce.parallelogram.contest import (
    NEIGHBOURS,
    OURS,
    PRINTED,
    START,
    UNTIL,
    Contest,
    Runs,
    options,
    table_runs,
)
from linkwork.reproduce.parallelogram.costs import cost_items
from linkwork.reproduce.parallelogram.figure_items import Shown, curve_item, step_item
from linkwork.reproduce.parallelogram.figures import acceleration, history_figures
from linkwork.reproduce.parallelogram.flexible_coupler import flexible_items, mode_items
from linkwork.reproduce.parallelogram.motion import STOPS, Finding, ending, motion_items, motion_verdict
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

METHODS = ("lu", "qr", "hybrid-qr")
CONTEST = Contest("P1", "absolute", METHODS, (2.307147, 9.366149, 6.803332), "Figs. 11-14")
FLEXIBLE = Contest("P1", "absolute", METHODS, (50.37, 194.65, 114.05), "Figs. 15-22", flexible=True)

HMAX_SWEEP = (1e-5, 5e-5, 1e-4, 5e-4)  # s, at tol 1e-5
TOLERANCE_SWEEP = (1e-6, 5e-6, 1e-5, 5e-5)  # at hmax 5e-4 s
LADDER = (0.0, 1e-9, 3e-9, 1e-8, 1e-7, 1e-6)  # m or rad, constraint tolerances at which LU is tried; 0: to rounding

STOP, GOOD = Finding(STOPS), Finding()
FINDINGS: Mapping[tuple[str, str], tuple[Finding, Finding, Finding, Finding]] = {
    ("3.1", "lu"): (STOP, STOP, STOP, Finding("wrong", 1)),
    ("3.1", "qr"): (STOP, GOOD, GOOD, GOOD),
    ("3.2", "lu"): (STOP, Finding("diverges", 2), Finding("diverges", 1), Finding(STOPS, 1)),
    ("3.2", "qr"): (GOOD, GOOD, GOOD, GOOD),
}
SHEETS = {("3.1", "lu"): ("fig3-4", "Figs. 3, 4"), ("3.1", "qr"): ("fig5-6", "Figs. 5, 6"),
          ("3.2", "lu"): ("fig7-8", "Figs. 7, 8"), ("3.2", "qr"): ("fig9-10", "Figs. 9, 10")}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A run of a sweep."""

    method: str
    form: str
    hmax: float  # s
    tolerance: float
    left: float = 0.0  # m or rad, violations that are left standing
    aside: float = 0.0  # deg, from the start


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Tables 2 and 3 with their figures, what the constraint tolerance does, the sweeps; PNG files into `folder`.

    `quick`: fewer starts, and the sweeps only past the first flat position, without the finest steps.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs = table_runs(CONTEST)
    loose, label, wrong = loose_run(CONTEST)
    table_figures(loose, label, runs, folder)
    shown = Shown(loose, runs["qr", PRINTED], runs["hybrid-qr", PRINTED])
    starts = np.linspace(9.5, 10.5, 2 if quick else 11).tolist()
    return [
        *(curve_item(*which, shown) for which in (("Fig. 11", "acceleration"), ("Fig. 12", "position"))),
        step_item("Fig. 13", shown),
        curve_item("Fig. 14", "energy", shown),
        *cost_items(CONTEST),
        *motion_items(CONTEST, runs),
        wrong,
        *tolerance_items(CONTEST, starts, folder),
        *flexible_items(FLEXIBLE, folder, quick),
        *sweep_items(folder, quick),
        *mode_items(FLEXIBLE, folder, quick),
    ]


# -- Table 2 ----------------------------------------------------------------------------------------------------------
def table_figures(loose: Result, label: str, runs: Runs, folder: Path) -> None:
    """Figs. 11-14: LU with loose constraints, which fails as the paper's did, beside QR and hybrid."""
    shown = {
        label: loose,
        "lu": runs["lu", PRINTED],
        "qr": runs["qr", PRINTED],
        "hybrid": runs["hybrid-qr", PRINTED],
        "hybrid, our form": runs["hybrid-qr", OURS],
    }
    names = {"acceleration": "fig11-acceleration", "position": "fig12-position", "step": "fig13-step-size",
             "energy": "fig14-energy", "method": "rigid-active-method"}  # fmt: skip
    files = {what: folder / f"p1-{name}.png" for what, name in names.items()}
    history_figures(shown, files, "P1, rigid four-bar, printed form")


# -- sweeps -----------------------------------------------------------------------------------------------------------
def sweep_items(folder: Path, quick: bool) -> list[Item]:
    """3.1 and 3.2, all cases of the paper as printed, and our hybrid: does each keep its branch and its energy?

    What LU does hangs on how well the constraints are met, which the paper does not print: the least of some
    tolerances with which it fails as the paper says, or else what it does at each.  Where it fails with constraints
    met to rounding, rounding may decide at which flat position: that is counted.
    """
    runs: dict[Case, Result] = {}
    items = []
    for (table, method), findings in FINDINGS.items():
        shown = []
        for (hmax, tolerance), paper in zip(_settings_of(table), findings, strict=True):
            if quick and hmax == HMAX_SWEEP[0]:
                continue
            tried = [Case(method, PRINTED, hmax, tolerance, left) for left in (LADDER if method == "lu" else (0.0,))]
            case, item = _as_the_paper(table, paper, tried, runs, quick)
            shown.append((case, paper))
            items.append(item)
        items.append(_sheet(table, method, shown, runs, folder))
        if method == "qr":
            items += [_ours(table, *setting, runs, quick) for setting in _settings_of(table)[quick:]]
    return items


def _as_the_paper(
    table: str, paper: Finding, tried: Sequence[Case], runs: dict[Case, Result], quick: bool
) -> tuple[Case, Item]:
    """The first of the cases that ends as the paper's did, or the last."""
    if not ending(_run(tried[0], runs, quick)).right:
        return _by_rounding(table, paper, tried[0], runs, quick)
    ends = []
    for case in tried:
        ends.append(ending(_run(case, runs, quick)))
        if motion_verdict(paper, ends[-1]).startswith("reproduced"):
            break
    told = [k for k, end in enumerate(ends) if not k or end.fate != ends[k - 1].fate]
    found = "; ".join(
        f"violations from {tried[k].left:.0e} on left: {ends[k].words}" if k else ends[k].words for k in told
    )
    last = tried[len(ends) - 1]
    verdict = motion_verdict(paper, ends[-1], last.left)
    if last.left and verdict.startswith("reproduced"):
        verdict += f", with violations up to {last.left:.0e} m or rad left standing"
    return last, Item(table, _name(last), paper.words, found, verdict=verdict)


def _by_rounding(table: str, paper: Finding, case: Case, runs: dict[Case, Result], quick: bool) -> tuple[Case, Item]:
    """Of starts that differ by rounding: the first that ends as the paper's did, and how many do."""
    cases = [replace(case, aside=aside) for aside in NEIGHBOURS]
    ends = [ending(_run(neighbour, runs, quick)) for neighbour in cases]
    like = [k for k, end in enumerate(ends) if motion_verdict(paper, end).startswith("reproduced")]
    shown = like[0] if like else 0
    found = f"{ends[shown].words}; {len(like)} of {len(ends)} starts within {NEIGHBOURS[-1]:.0e} deg end as the paper's"
    verdict = motion_verdict(paper, ends[shown])
    if like and len(like) < len(ends):
        verdict = "reproduced in part: rounding decides how it ends"
    return cases[shown], Item(table, _name(case), paper.words, found, verdict=verdict)


def _name(case: Case) -> str:
    return f"{case.method}, printed form: hmax {case.hmax:.0e} s, tol {case.tolerance:.0e}"


def _ours(table: str, hmax: float, tolerance: float, runs: dict[Case, Result], quick: bool) -> Item:
    found = ending(_run(Case("hybrid-qr", OURS, hmax, tolerance), runs, quick))
    verdict = f"not swept in the paper; {'right' if found.right else 'it fails'}"
    return Item(
        table, f"hybrid-qr, our form: hmax {hmax:.0e} s, tol {tolerance:.0e}", None, found.words, verdict=verdict
    )


def _settings_of(table: str) -> list[tuple[float, float]]:
    """(hmax, tolerance) of the four cases of a sweep."""
    if table == "3.1":
        return [(hmax, 1e-5) for hmax in HMAX_SWEEP]
    return [(5e-4, tolerance) for tolerance in TOLERANCE_SWEEP]


def _run(case: Case, runs: dict[Case, Result], quick: bool) -> Result:
    """A case that both sweeps hold is run once."""
    if case not in runs:
        of_table = options(FLEXIBLE, case.method, case.form, case.left)
        until = 0.25 if quick else UNTIL
        chosen = replace(of_table, hmax=case.hmax, rtol=case.tolerance, until=until, every=0.0025)
        runs[case] = attempt(FLEXIBLE.mechanism(START + case.aside), chosen)[0]
    return runs[case]


def _sheet(
    table: str, method: str, shown: Sequence[tuple[Case, Finding]], runs: Mapping[Case, Result], folder: Path
) -> Item:
    """Two of Figs. 3-10, acceleration of the coupler and total energy, with a verdict: LU is the one that fails."""
    name, figures = SHEETS[table, method]
    names = [f"hmax {c.hmax:.0e} s" if table == "3.1" else f"tol {c.tolerance:.0e}" for c, _ in shown]
    names = [n + (f", constraints to {c.left:.0e}" if c.left else "") for n, (c, _) in zip(names, shown, strict=True)]
    looks = list(zip(names, [runs[c] for c, _ in shown], COLORS, strict=False))
    panels = [
        Panel("coupler vertical\nacceleration [m/s$^2$]",
              [Curve(n, r.t, acceleration(r), c, "--" if k else "-") for k, (n, r, c) in enumerate(looks)],
              limits=(-60.0, 60.0), height=1.4),
        Panel("total energy [J]",
              [Curve(n, r.t, r.channel("energy"), c, "--" if k else "-") for k, (n, r, c) in enumerate(looks)]),
    ]  # fmt: skip
    sweep = "largest step" if table == "3.1" else "tolerance"
    plot_panels(panels, path=folder / f"p1-{name}-{method}-{sweep.replace(' ', '-')}.png",
                title=f"P1 {table}, flexible coupler: {method}, printed form, by {sweep}")  # fmt: skip
    same = sum(motion_verdict(paper, ending(runs[case])).startswith("reproduced") for case, paper in shown)
    verdict = "reproduced" if same == len(shown) else f"reproduced in {same} of {len(shown)} cases"
    words = "; ".join(paper.words for _, paper in shown)
    return Item(figures, f"{method}: acceleration of the coupler, total energy", words,
                f"{same} of {len(shown)} cases end as the paper's", verdict=verdict)  # fmt: skip
