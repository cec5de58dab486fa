"""What the tolerance of the constraints does to a run through flat positions: a number that neither paper prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.parallelogram.contest import NEIGHBOURS, OURS, PRINTED, START, Contest, options
from linkwork.reproduce.parallelogram.motion import FAILED_LU, JUMP, Ending, ending, motion_verdict
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

WIDEST, NARROWER = 5.0, 0.8  # of six lines that may lie on each other
TOLERANCES = (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)  # m or rad, of the constraints; 0: to rounding


def tolerance_items(contest: Contest, starts: Sequence[float], folder: Path) -> list[Item]:
    """How many of some start angles (deg) keep their branch when violations below a tolerance are left standing."""
    items, curves = list[Item](), list[Curve]()
    at = np.array([max(tolerance, 1e-16) for tolerance in TOLERANCES])
    for k, method in enumerate(contest.methods):
        for form in contest.forms[-2:] if method != "lu" else (PRINTED, OURS):
            kept = [_kept(contest, method, form, tolerance, starts) for tolerance in TOLERANCES]
            counts = ", ".join(f"{_text(e)}: {n}" for e, n in zip(TOLERANCES, kept, strict=True))
            items.append(
                Item("constraint tolerance", f"{method}, {form} form: of {len(starts)} starts, kept their branch",
                     "the tolerance is not printed", counts, verdict=_tolerance_verdict(kept, len(starts)))
            )  # fmt: skip
            style = "-" if form == OURS else "--"
            share = 100.0 * np.array(kept) / len(starts)
            width = WIDEST - NARROWER * len(curves)  # those beneath stand out
            curves.append(Curve(f"{method}, {form} form", at, share, COLORS[k], style, width=width))
    figure = plot_panels([Panel("starts that keep their branch [%]", curves, limits=(-5.0, 105.0), height=1.6)],
                         title=f"{contest.paper}, rigid four-bar: which starts pass the flat positions, by how well "
                               "the constraints are met")  # fmt: skip
    axes = figure.axes[0]
    axes.set_xscale("log")
    axes.set_xlim(5e-17, 3e-4)
    axes.set_xlabel("violation of a constraint that is left standing [m or rad]; leftmost: rounding")
    file = f"{contest.paper.lower()}-constraint-tolerance.png"
    figure.savefig(folder / file)
    return shown_in(file, items)


def _kept(contest: Contest, method: str, form: str, tolerance: float, starts: Sequence[float]) -> int:
    chosen = options(contest, method, form, tolerance)
    return sum(ending(attempt(contest.mechanism(angle), chosen)[0], angle).right for angle in starts)


def _text(tolerance: float) -> str:
    return f"{tolerance:.0e}" if tolerance else "rounding"


def _tolerance_verdict(kept: Sequence[int], count: int) -> str:
    reason = "a violation e at distance x from a flat position is an error e x'/x^2 of velocity along the other branch"
    lost = [e for e, n in zip(TOLERANCES, kept, strict=True) if n < count]
    if not lost:
        return "safe at every constraint tolerance tried"
    none = [e for e, n in zip(TOLERANCES, kept, strict=True) if n == 0]
    ends = f", all at {none[0]:.0e}" if none else ""
    if lost[0] == 0.0:
        return f"loses some starts even with constraints met to rounding{ends}: {reason}"
    if lost == list(TOLERANCES[-len(lost) :]):
        return f"safe with constraints met to rounding; loses some starts from {lost[0]:.0e} on{ends}: {reason}"
    at = ", ".join(f"{e:.0e}" for e in lost)
    return f"safe with constraints met to rounding; loses some starts at {at}{ends}: {reason}"


def _loose_verdict(end: Ending, left: float) -> str:
    """As positions and velocities are corrected at every step, a run may leave its branch with its energy."""
    verdict = motion_verdict(FAILED_LU, end, left)
    if verdict == "reproduced" and end.drift < JUMP:
        return f"reproduced in part: but for the energy, which ours keeps to {end.drift:.0e}"
    return verdict


def loose_run(contest: Contest, neighbours: Sequence[float] = (0.0,)) -> tuple[Result, str, Item]:
    """LU in the printed form with loose constraints: the run that goes wrong as the paper's did, or else the one that
    goes wrong first, or else the loosest; its name for a legend, and its verdict.

    `neighbours`: deg from the start, of runs that differ by rounding or by where their steps end, which may decide.
    """
    tried = [(left, aside) for aside in neighbours for left in TOLERANCES[3:]]
    runs = [attempt(contest.mechanism(START + a), options(contest, "lu", PRINTED, left))[0] for left, a in tried]
    ends = [ending(run, START + aside) for run, (_, aside) in zip(runs, tried, strict=True)]
    ranks = [motion_verdict(FAILED_LU, end).startswith("reproduced") + (not end.right) for end in ends]
    best = max(range(len(ends)), key=lambda k: (ranks[k], -ends[k].t)) if max(ranks) else -1
    left, aside = tried[best]
    start = f", start {START + aside:g} deg" if aside > NEIGHBOURS[-1] else ""
    wrong = sum(not end.right for end in ends)
    item = Item(
        "constraint tolerance" + (", flexible" if contest.flexible else ""),
        f"lu, printed form, violations of {left:.0e} left standing{start}: motion", FAILED_LU.words,
        f"{ends[best].words}; {wrong} of {len(ends)} runs with violations from {TOLERANCES[3]:.0e} on left go wrong",
        verdict=_loose_verdict(ends[best], left),
    )  # fmt: skip
    return runs[best], f"lu, violations of {left:.0e} left{start}", item
