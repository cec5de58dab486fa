"""A verdict for each figure of P1 and P3: do LU, the kept basis and the hybrid lie there as the paper's text says?

The figures themselves are lost; the captions and the text say what they show (P1's captions of Figs. 11 to 14 repeat
those of 7 to 10: there the text counts).  LU is the run that fails as the papers'
did, with violations left standing (constraint_tolerance.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.methods.reasons import Basis
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.contest import Contest, Runs
from linkwork.reproduce.parallelogram.figures import CAPTIONS, acceleration
from linkwork.reproduce.parallelogram.motion import FAILED_LU, FLAT, JUMP, NEAR, ending
from linkwork.results.result import Result

CLOSE = 0.02  # of a curve's range: two curves that lie on each other in print
PARTED = 0.1  # of the range: curves that plainly differ
SHORT = 1.0 / 3.0  # of the median step

QUANTITIES: Mapping[str, Callable[[Result], np.ndarray]] = {
    "acceleration": acceleration,
    "position": lambda run: run.channel("coupler.position.z"),
    "energy": lambda run: run.channel("energy"),
    "deflection": lambda run: run.channel("deflection"),
    "mode": lambda run: run.channel("coupler.mode1"),
    "mode acceleration": lambda run: run.channel("coupler.mode1_rate.dot"),
}
RISES = ("Fig. 12", "Fig. 4")  # P1, P3: at the second flat position LU rises, towards more potential energy
WITHOUT_LU = ("mode", "mode acceleration")  # P1, Figs. 15 and 16, P3, Fig. 6


@dataclass(frozen=True)
class Shown:
    """The runs of a figure: the LU that fails and its name there, the kept basis, the hybrid."""

    label: str
    lu: Result
    kept: Result
    hybrid: Result


def curve_item(figure: str, what: str, shown: Shown) -> Item:
    """Kept basis and hybrid on each other; LU, unless the paper leaves it out, elsewhere after its failure."""
    name, history = CAPTIONS[what], QUANTITIES[what]
    lu, kept, hybrid = (history(run) for run in (shown.lu, shown.kept, shown.hybrid))
    size = float(np.ptp(kept)) if what != "energy" else float(np.ptp(shown.kept.channel("energy.kinetic")))
    together = _apart(kept, hybrid, size)
    wrong = _wrong_motion(shown.kept, shown.hybrid)
    if what in WITHOUT_LU:
        verdict = wrong or ("reproduced" if together < CLOSE else "not reproduced")
        return Item(figure, name, "kept basis and hybrid lie on each other; LU, far off, is left out",
                    f"they are {together:.1e} of the range apart", verdict=verdict)  # fmt: skip
    lus, plain = _as_said_of_lu(figure, what, lu, kept, size)
    ours = f"they are {together:.1e} of the range apart, {_apart(lu, kept, size):.1e} from {shown.label}"
    verdict = wrong or _verdict_beside_lu(shown, what, together < CLOSE, plain)
    return Item(figure, name, f"kept basis and hybrid lie on each other, LU {lus}", ours, verdict=verdict)


def _as_said_of_lu(figure: str, what: str, lu: np.ndarray, kept: np.ndarray, size: float) -> tuple[str, bool]:
    """What the text says of LU in a figure, and whether ours does it plainly."""
    if what == "energy":
        both = min(len(lu), len(kept))
        return "gains energy", bool((lu[:both] - kept[:both]).max() > JUMP * size)
    if figure in RISES:
        return "rises instead", bool(lu.max() - kept.max() > PARTED * size)
    return "does not", _apart(lu, kept, size) > PARTED


def _wrong_motion(*runs: Result) -> str:
    """The verdict on a figure of runs one of which is wrong; none where all are right."""
    ends = (ending(run) for run in runs)
    return next((f"not reproduced: the motion {end.how} at {end.t:.3g} s" for end in ends if not end.right), "")


def _verdict_beside_lu(shown: Shown, what: str, together: bool, plain: bool) -> str:
    """`together`: kept basis and hybrid are; `plain`: LU does plainly what the paper says of it."""
    if together and not plain:
        return f"reproduced in part: {_what_lu_does(shown, what)}"
    end = ending(shown.lu)
    if together and not end.at(FAILED_LU.flat):
        return f"reproduced in part: {shown.label} {end.fate}, the paper's goes wrong at the second"
    return ("not reproduced", "reproduced in part", "reproduced")[together + plain]


def _what_lu_does(shown: Shown, what: str) -> str:
    """Where that is not what the paper says: it has not failed, or it has failed with its energy, or with less."""
    end = ending(shown.lu)
    if end.right:
        return "LU does not fail here"
    if end.drift < JUMP:
        return f"LU {end.fate}, but with its energy, as positions and velocities are corrected at every step"
    energy = shown.lu.channel("energy")
    turns = "falls" if energy[-1] < energy[0] else "grows"
    return f"LU {end.fate}{'' if what == 'energy' else ', and does not rise'}; its energy {turns}"


def _apart(first: np.ndarray, second: np.ndarray, size: float) -> float:
    """Largest difference of two curves as far as both go, relative to a size."""
    both = min(len(first), len(second))
    return float(np.abs(first[:both] - second[:both]).max() / size)


def step_item(figure: str, shown: Shown, met: Result) -> Item:
    """The three sentences of the text about it.  `met`: LU with its constraints met, on the same motion as the others;
    the one that fails is on another afterwards.
    """
    (lu, all_lu), (kept, all_kept) = (_short_steps(run) for run in (shown.lu, shown.kept))
    sizes = [1e3 * float(run.steps["h"].mean()) for run in (met, shown.kept, shown.hybrid)]
    least, most = sorted(sizes[:2])
    about_the_mean = abs(sizes[2] - 0.5 * (least + most)) <= 0.25 * (most - least)  # nearer to it than to either
    right = (lu > all_lu - lu) + (all_kept - kept > kept) + about_the_mean
    found = ("not reproduced", "reproduced in part: one of three", "reproduced in part: two of three", "reproduced")
    changed = int(np.count_nonzero(np.diff(shown.hybrid.steps["basis"])))
    why = f"; the hybrid changes its basis {changed} times, each a restart, and at which numbers it does is not printed"
    paper = "LU's is short at flat positions, that of the kept basis elsewhere; the hybrid's is about the mean"
    ours = (f"{lu} of {all_lu} short steps of {shown.label} are at flat positions, {kept} of {all_kept} of the kept "
            f"basis; means {sizes[0]:.3g} (lu, constraints met), {sizes[1]:.3g} and {sizes[2]:.3g} ms")  # fmt: skip
    verdict = _wrong_motion(met, shown.kept, shown.hybrid) or found[right] + ("" if about_the_mean else why)
    return Item(figure, "integration step size", paper, ours, verdict=verdict)


def _short_steps(run: Result) -> tuple[int, int]:
    """Steps much shorter than the median, those of the start apart: beside flat positions, and all."""
    t, h = run.steps["t"], run.steps["h"]
    short = (h < SHORT * np.median(h)) & (t > NEAR)
    beside = np.min([np.abs(t - flat) for flat in FLAT], axis=0) < NEAR
    return int(np.sum(short & beside)), int(np.sum(short))


def method_items(figure: str, contest: Contest, runs: Runs) -> list[Item]:
    """Which basis the hybrid uses when, in all of its forms."""
    hybrid = contest.methods[2]
    return [method_item(figure, f"{hybrid}, {form} form", runs[hybrid, form]) for form in contest.forms]


def method_item(figure: str, name: str, run: Result) -> Item:
    """Which basis is in use: the other one at the flat positions, LU elsewhere."""
    basis, t = run.steps["basis"], run.steps["t"]
    ends = [place["t"] for place in run.certificate.singular]
    flat = sum(bool((basis[np.searchsorted(t, at) % len(t)]) != Basis.LU) for at in ends)
    share = run.certificate.bases.get("lu", {"time": 0.0})["time"]
    changes = int(np.count_nonzero(np.diff(basis)))
    ours = f"not in LU at {flat} of {len(ends)} flat positions, LU for {share:.0%} of the time, {changes} changes"
    right = (flat == len(FLAT)) + (share > 0.5)
    verdict = _wrong_motion(run) or ("not reproduced", "reproduced in part", "reproduced")[right]
    return Item(figure, f"{name}: method in use", "LU, and the other one around flat positions", ours, verdict=verdict)
