"""P1 and P3 with the flexible coupler: Table 3, Figs. 15-22, and what the number of modes does.

Copper, 2 m, 10 elements, 11 nodes, pinned at the cranks; the section, 20 mm square, is chosen: neither paper prints
one.  What each figure shows is in its caption.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.analyses.comparison import attempt
from linkwork.analyses.simulate.dynamics import Options
from linkwork.library.flexible import four_bar_flexible
from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.parallelogram.constraint_tolerance import loose_run
from linkwork.reproduce.parallelogram.contest import (
    BESIDE,
    EVERY,
    OURS,
    PRINTED,
    UNTIL,
    Contest,
    Runs,
    options,
    table_runs,
)
from linkwork.reproduce.parallelogram.costs import cost_items
from linkwork.reproduce.parallelogram.figure_items import QUANTITIES, Shown, curve_item, method_items, step_item
from linkwork.reproduce.parallelogram.figures import history_figures
from linkwork.reproduce.parallelogram.motion import ending, motion_items
from linkwork.results.result import Result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.plots.sheet import COLORS

NAMES = {
    "P1": {"mode acceleration": "fig15-modal-acceleration", "mode": "fig16-modal-displacement",
           "deflection": "fig17-node-6", "acceleration": "fig18-acceleration", "position": "fig19-displacement",
           "step": "fig20-step-size", "energy": "fig21-energy", "method": "fig22-active-method"},
    "P3": {"mode acceleration": "fig6-modal-acceleration", "acceleration": "fig7-acceleration",
           "energy": "fig8-energy", "mode": "flexible-modal-displacement", "deflection": "flexible-node-6",
           "position": "flexible-displacement", "step": "flexible-step-size", "method": "flexible-active-method"},
}  # fmt: skip
MODES = (1, 2, 3, 4, 5, 6)
MODES_FILE = "p1-modes.png"
CONSERVED = 1e-6  # of the energy exchanged: more is no truncation error at the reference's tolerance


def flexible_items(contest: Contest, folder: Path, quick: bool = False) -> list[Item]:
    """Table 3, the motion of every method, the energy through the flat positions; figures into `folder`."""
    runs = table_runs(contest)
    loose, label, wrong = loose_run(contest, BESIDE[:13:12] if quick else BESIDE[::4])
    reference = reference_run(contest)
    figures(contest, loose, label, runs, reference, folder)
    return [
        *figure_items(contest, loose, label, runs),
        *cost_items(contest, 1 if quick else 3),
        *motion_items(contest, runs),
        wrong,
        *energy_items(contest, reference),
        *deflection_items(contest, runs, reference),
    ]


def reference_run(contest: Contest, modes: int = 2) -> Result:
    """The default method at a tight tolerance."""
    chosen = Options(until=UNTIL, formulation=contest.formulation, rtol=1e-9, every=EVERY)
    return attempt(four_bar_flexible(modes=modes).mechanism, chosen)[0]


def energy_items(contest: Contest, reference: Result) -> list[Item]:
    """Total energy through the flat positions: hybrid and default, tight."""
    items = []
    for method in (contest.methods[2], "auto"):
        chosen = Options(until=UNTIL, formulation=contest.formulation, method=method, rtol=1e-9, every=EVERY)
        run = reference if method == "auto" else attempt(contest.mechanism(), chosen)[0]
        drift, passed = run.certificate.energy_drift, len(run.certificate.singular)
        ours = f"energy kept to {drift:.0e} of what is exchanged, {passed} flat positions passed"
        verdict = "reproduced" if drift < CONSERVED and ending(run).right else "energy not kept"
        items.append(
            Item(contest.figures, f"{method}, rtol 1e-9: energy through all flat positions",
                 "conserved through both flat positions shown", ours, verdict=verdict)
        )  # fmt: skip
    return items


def deflection_items(contest: Contest, runs: Runs, reference: Result) -> list[Item]:
    """Largest local deflection of node 6 (P1 Fig. 17), of each method against the tight run."""
    true = float(np.abs(reference.channel("deflection")).max())
    items = []
    for (method, form), run in runs.items():
        if ending(run).right:
            found = float(np.abs(run.channel("deflection")).max())
            items.append(
                Item(contest.figures, f"{method}, {form} form: largest deflection of node 6, m",
                     "figure only, no digits", found, None, found / true,
                     f"{abs(found / true - 1):.1e} from the tight run's {true:.5f} m")
            )  # fmt: skip
    return items


def figures(contest: Contest, loose: Result, label: str, runs: Runs, reference: Result, folder: Path) -> None:
    """Figs. 15-22: LU with loose constraints, which fails as the paper's did, beside the three methods."""
    lu, basis, hybrid = contest.methods
    form = contest.forms[-2]
    shown = {label: loose, "lu": runs[lu, PRINTED], basis: runs[basis, form],
             "hybrid": runs[hybrid, form], "hybrid, our form": runs[hybrid, OURS]}  # fmt: skip
    files = {what: folder / _file(contest, name) for what, name in NAMES[contest.paper].items()}
    history_figures(shown, files, contest.paper, f"flexible coupler, {form} form", reference)


def figure_items(contest: Contest, loose: Result, label: str, runs: Runs) -> list[Item]:
    """A verdict for each of the paper's figures."""
    _, basis, hybrid = contest.methods
    shown = Shown(label, loose, runs[basis, contest.forms[-2]], runs[hybrid, contest.forms[-2]])
    items = []
    for what, name in NAMES[contest.paper].items():
        figure = f"Fig. {name.split('-')[0][3:]}" if name.startswith("fig") else contest.figures
        if what in QUANTITIES:
            found = [curve_item(figure, what, shown)]
        elif what == "step":
            found = [step_item(figure, shown, runs["lu", PRINTED])]
        else:
            found = method_items(figure, contest, runs)
        items += shown_in(_file(contest, name), found)
    return items


def _file(contest: Contest, name: str) -> str:
    return f"{contest.paper.lower()}-{name}.png"


# -- number of modes --------------------------------------------------------------------------------------------------
def mode_items(contest: Contest, folder: Path, quick: bool = False) -> list[Item]:
    """1 to 6 modes: effort of the hybrid at the settings of Table 3, deflection and flat position of the tight run."""
    counts = MODES[:2] if quick else MODES
    tight = [reference_run(contest, n) for n in counts]
    true = np.abs(tight[-1].channel("deflection")).max()
    effort, items = [], []
    for n, best in zip(counts, tight, strict=True):
        chosen = options(contest, contest.methods[2], OURS)
        run = attempt(four_bar_flexible(modes=n).mechanism, chosen)[0]
        effort.append(run.certificate.evaluations)
        found, deflection = ending(run), float(np.abs(best.channel("deflection")).max())
        ours = (
            f"{found.words}; {effort[-1]} evaluations; deflection of node 6 up to {deflection:.5f} m, "
            f"first flat at {best.certificate.singular[0]['t']:.4f} s"
        )
        verdict = f"open, nothing to compare with; {effort[-1] / effort[0]:.2f} x the evaluations of one mode" + (
            f", deflection {deflection / true - 1:+.0e} from that with {counts[-1]}" if n != counts[-1] else ""
        )
        items.append(Item("modes", f"{contest.methods[2]}, modes: {n}", "no table survives", ours, None,
                          effort[-1] / effort[0], verdict))  # fmt: skip
    names = [f"{n} mode{'s' * (n > 1)}" for n in counts]
    widths = [2.4 if k % 2 == 0 else 0.9 for k in range(len(names))]  # an even mode hardly adds to the one before it
    looks = list(zip(names, tight, (*COLORS, "black"), widths, strict=False))
    panels = [
        Panel("local displacement\nof node 6 [m]",
              [Curve(n, r.t, r.channel("deflection"), c, "-", width=w) for n, r, c, w in looks], height=1.4),
        Panel("its difference from\nthe run with most modes [m]",
              [Curve(n, r.t, r.channel("deflection") - tight[-1].channel("deflection"), c, width=w)
               for n, r, c, w in looks[:-1]]),
    ]  # fmt: skip
    plot_panels(panels, path=folder / MODES_FILE, title="P1, flexible coupler: number of modes, rtol 1e-9")
    return shown_in(MODES_FILE, items)
