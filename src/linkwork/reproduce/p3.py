"""P3 (Kim & Kim): LU, projection and hybrid LU-projection in joint coordinates on the parallelogram four-bar.

Rigid: Table 2 and Figs. 3-5 (hmax 0.01 s, tol 1e-4); with the flexible coupler Table 3 (hmax 5e-4 s, tol 1e-5) and the
same histories.  The coupler hangs on the crank, its modal coordinates are in q, one joint of the loop is cut.  In eqs.
11-13 the print keeps I_R and P_T where the updated ones belong: as printed, corrected and in our form, side by side.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.reproduce.items import Item, shown_in
from linkwork.reproduce.parallelogram.constraint_tolerance import loose_run, tolerance_items
from linkwork.reproduce.parallelogram.contest import BESIDE, CORRECTED, OURS, PRINTED, Contest, table_runs
from linkwork.reproduce.parallelogram.costs import cost_items
from linkwork.reproduce.parallelogram.figure_items import Shown, curve_item, method_items
from linkwork.reproduce.parallelogram.figures import history_figures
from linkwork.reproduce.parallelogram.flexible_coupler import flexible_items
from linkwork.reproduce.parallelogram.motion import motion_items

METHODS = ("lu", "projection", "hybrid-projection")
CONTEST = Contest("P3", "joint", METHODS, (2.30, 15.63, 9.65), "Figs. 3-5")
FLEXIBLE = Contest("P3", "joint", METHODS, (50.36, 248.89, 127.13), "flexible histories", flexible=True)
FILES = {"acceleration": "p3-fig3-acceleration.png", "position": "p3-fig4-position.png",
         "energy": "p3-fig5-energy.png", "method": "p3-active-method.png"}  # fmt: skip


def reproduce(folder: Path, quick: bool = False) -> list[Item]:
    """Tables 2 and 3, figures, what the constraint tolerance does; PNG files into `folder`.  `quick`: fewer starts."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = table_runs(CONTEST)
    loose, label, wrong = loose_run(CONTEST, BESIDE[:25:24] if quick else BESIDE)
    shown = {
        label: loose,
        "lu": runs["lu", PRINTED],
        "projection": runs["projection", CORRECTED],
        "hybrid": runs["hybrid-projection", CORRECTED],
        "hybrid, our form": runs["hybrid-projection", OURS],
    }
    files = {what: folder / name for what, name in FILES.items()}
    history_figures(shown, files, "P3", "rigid four-bar, corrected form")
    compared = Shown(label, loose, runs["projection", CORRECTED], runs["hybrid-projection", CORRECTED])
    starts = np.linspace(9.5, 10.5, 2 if quick else 11).tolist()
    figures = (("Fig. 3", "acceleration"), ("Fig. 4", "position"), ("Fig. 5", "energy"))
    return [
        *(item for figure, what in figures for item in shown_in(FILES[what], [curve_item(figure, what, compared)])),
        *shown_in(FILES["method"], method_items(CONTEST.figures, CONTEST, runs)),
        *cost_items(CONTEST),
        *motion_items(CONTEST, runs),
        wrong,
        *tolerance_items(CONTEST, starts, folder),
        *flexible_items(FLEXIBLE, folder, quick),
    ]
