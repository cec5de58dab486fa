"""A verdict for each figure of P1 and P3: do LU, the kept basis and the hybrid lie there as the paper's text says?

The figures themselves are lost; the captions and the text say what they show.  LU is the run that fails as the papers'
did, with violations left standing (constraint_tolerance.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.methods.reasons import Basis
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.figures import acceleration
from linkwork.reproduce.parallelogram.motion import FLAT, NEAR
from linkwork.results.result import Result

CLOSE = 0.02  # of a curve's range: two curves that lie on each other in print
PARTED = 0.1  # of the range: curves that plainly differ

QUANTITIES: Mapping[str, tuple[str, Callable[[Result], np.ndarray]]] = {
    "acceleration": ("vertical acceleration of the coupler", acceleration),
    "position": ("vertical displacement of the coupler", lambda run: run.channel("coupler.position.z")),
    "energy": ("total energy", lambda run: run.channel("energy.kinetic") + run.channel("energy.potential")),
    "deflection": ("local displacement of node 6", lambda run: run.channel("deflection")),
    "mode": ("displacement of the first modal coordinate", lambda run: run.channel("coupler.mode1")),
    "mode acceleration": (
        "acceleration of the first modal coordinate", lambda run: run.channel("coupler.mode1_rate.dot")
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """The runs of a figure: the LU that fails and its name there, the kept basis, the hybrid."""

    label: str
    lu: Result
    kept: Result
    hybrid: Result


def curve_item(figure: str, what: str, shown: Shown) -> Item:
    """Kept basis and hybrid on each other, LU elsewhere after its failure."""
    name, history = QUANTITIES[what]
    lu, kept, hybrid = (history(run) for run in (shown.lu, shown.kept, shown.hybrid))
    size = float(np.ptp(kept)) if what != "energy" else float(np.ptp(shown.kept.channel("energy.kinetic")))
    together = _apart(kept, hybrid, size)
    failed = _apart(lu, kept, size)
    ours = f"they are {together:.1e} of the range apart, {failed:.1e} from {shown.label}"
    right = (together < CLOSE) + (failed > PARTED)
    verdict = ("not reproduced", "reproduced in part", "reproduced")[right]
    return Item(figure, name, "kept basis and hybrid lie on each other, LU does not", ours, verdict=verdict)


def _apart(first: np.ndarray, second: np.ndarray, size: float) -> float:
    """Largest difference of two curves as far as both go, relative to a size."""
    both = min(len(first), len(second))
    return float(np.abs(first[:both] - second[:both]).max() / size)


def step_item(figure: str, shown: Shown) -> Item:
    """LU's step beside flat positions, and how many steps the hybrid takes."""
    t, h = shown.lu.steps["t"], shown.lu.steps["h"]
    beside = np.min([np.abs(t - flat) for flat in FLAT], axis=0) < NEAR
    shrunk = float(h[beside & (t > NEAR)].min() / np.median(h))
    counts = [len(run.steps) for run in (shown.lu, shown.kept, shown.hybrid)]
    between = min(counts[:2]) <= counts[2] <= max(counts[:2])
    ours = f"LU's shrinks to {shrunk:.1e} of its median there; {counts[0]}, {counts[1]} and {counts[2]} steps"
    verdict = ("not reproduced", "reproduced in part", "reproduced")[(shrunk < PARTED) + between]
    return Item(figure, "integration step size", "LU's shrinks at flat positions; the hybrid lies between", ours,
                verdict=verdict)  # fmt: skip


def method_item(figure: str, name: str, run: Result) -> Item:
    """Which basis is in use: the other one at the flat positions, LU elsewhere."""
    basis, t = run.steps["basis"], run.steps["t"]
    ends = [place["t"] for place in run.certificate.singular]
    flat = sum(bool((basis[np.searchsorted(t, at) % len(t)]) != Basis.LU) for at in ends)
    share = run.certificate.bases.get("lu", {"time": 0.0})["time"]
    changes = int(np.count_nonzero(np.diff(basis)))
    ours = f"not in LU at {flat} of {len(ends)} flat positions, LU for {share:.0%} of the time, {changes} changes"
    right = (flat == len(ends)) + (share > 0.5)
    verdict = ("not reproduced", "reproduced in part", "reproduced")[right]
    return Item(figure, f"{name}: method in use", "LU, and the other one around flat positions", ours, verdict=verdict)
