"""P1 (Kim & Yoo 1997): LU, QR and hybrid LU-QR partitioning in absolute coordinates on the parallelogram four-bar.

Rigid: Table 2 and Figs. 11-14 (hmax 0.01 s, tol 1e-4).  With the flexible coupler, 2 modes: Table 3 and Figs. 15-22
(hmax 5e-4 s, tol 1e-5), the sweeps of hmax (3.1, Figs. 3-6) and tolerance (3.2, Figs. 7-10), the number of modes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.p1_sweeps import sweep_items
from linkwork.reproduce.parallelogram.algebra import algebra_items
from linkwork.reproduce.parallelogram.constraint_tolerance import loose_run, tolerance_items
from linkwork.reproduce.parallelogram.contest import OURS, PRINTED, Contest, Runs, table_runs
from linkwork.reproduce.parallelogram.costs import cost_items
from linkwork.reproduce.parallelogram.figure_items import Shown, curve_item, method_items, step_item
from linkwork.reproduce.parallelogram.figures import history_figures
from linkwork.reproduce.parallelogram.flexible_coupler import flexible_items, mode_items
from linkwork.reproduce.parallelogram.motion import motion_items
from linkwork.results.result import Result

METHODS = ("lu", "qr", "hybrid-qr")
CONTEST = Contest("P1", "absolute", METHODS, (2.307147, 9.366149, 6.803332), "Figs. 11-14")
FLEXIBLE = Contest("P1", "absolute", METHODS, (50.3666, 194.6513, 114.0455), "Figs. 15-22", flexible=True)
FILES = {"acceleration": "p1-fig11-acceleration.png", "position": "p1-fig12-position.png",
         "step": "p1-fig13-step-size.png", "energy": "p1-fig14-energy.png",
         "method": "p1-rigid-active-method.png"}  # fmt: skip


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Tables 2 and 3 with their figures, what the constraint tolerance does, the sweeps; PNG files into `folder`.

    `quick`: fewer starts, and the sweeps only past the first flat position, without the finest steps.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runs = table_runs(CONTEST)
    loose, label, wrong = loose_run(CONTEST)
    table_figures(loose, label, runs, folder)
    shown = Shown(label, loose, runs["qr", PRINTED], runs["hybrid-qr", PRINTED])
    starts = np.linspace(9.5, 10.5, 2 if quick else 11).tolist()
    return [
        *figure_items(shown, runs),
        *cost_items(CONTEST),
        *algebra_items(CONTEST),
        *algebra_items(FLEXIBLE),
        *motion_items(CONTEST, runs),
        wrong,
        *tolerance_items(CONTEST, starts, folder),
        *flexible_items(FLEXIBLE, folder, quick),
        *sweep_items(FLEXIBLE, folder, quick),
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
    files = {what: folder / name for what, name in FILES.items()}
    history_figures(shown, files, "P1", "rigid four-bar, printed form")


def figure_items(shown: Shown, runs: Runs) -> list[Item]:
    """A verdict for each of them."""
    items = []
    for figure, what in (("Fig. 11", "acceleration"), ("Fig. 12", "position"), ("Fig. 14", "energy")):
        items += shown_in(FILES[what], [curve_item(figure, what, shown)])
    items[2:2] = shown_in(FILES["step"], [step_item("Fig. 13", shown, runs["lu", PRINTED])])
    return items + shown_in(FILES["method"], method_items(CONTEST.figures, CONTEST, runs))
