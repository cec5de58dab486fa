"""The exact motion of the parallelogram, whether a run stayed on it, and what the papers found.

A flat position is where the parallelogram meets the antiparallelogram.  Along the direction s in which they part,
x being the distance from it, a constraint reads x s + s^2 / 2: a violation e that is left standing is an error e / x
of position and e x' / x^2 of velocity.  So what a method survives there depends first on how well the constraints
are met, a number that neither paper prints.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj

from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.contest import PRINTED, START, UNTIL, Contest, Runs
from linkwork.results.result import Result

CRANK = 1.0  # m
RATIO = 2.0  # coupler mass / crank mass
GRAVITY = 9.81  # m/s2
PULL = GRAVITY / CRANK * (1.0 + RATIO) / (2.0 / 3.0 + RATIO)  # 1/s2: theta'' = -PULL cos(theta)
FLAT = (0.1788, 0.9864, 1.3441, 2.1517, 2.5094)  # s
NEAR = 0.03  # s from a flat position
TILT = 1e-3  # rad: on the parallelogram the coupler stays level; on the other branch it turns by radians
JUMP = 0.05  # of the energy exchanged: a change of the total that a plot shows
FAR = 0.01  # m from the exact motion: more is no truncation error
ORDINALS = ("first", "second", "third", "fourth", "fifth")
STOPS, LEAVES, WRONG = "stops", "leaves the parallelogram", "is wrong"  # how a run may end
WHY_SURVIVES = "the constraints are met to rounding at every step; see the table 'constraint tolerance'"


def exact(t: np.ndarray, start: float = START) -> tuple[np.ndarray, np.ndarray]:
    """Crank angle (rad) and rate (rad/s) on the parallelogram: theta'' = -(g/l) (1+r) / (2/3+r) cos(theta).

    `start`: angle at which it is released, deg.  The two cranks and the coupler, which moves without turning, are one
    pendulum, phi = theta + 90 deg against the vertical: sin(phi / 2) = k cd(w t, k), k = sin(phi_0 / 2).
    """
    k, w = math.sin(0.5 * math.radians(start + 90.0)), math.sqrt(PULL)
    sn, cn, dn, _ = ellipj(w * t, k**2)
    return 2.0 * np.arcsin(k * cn / dn) - 0.5 * math.pi, -2.0 * k * w * math.sqrt(1.0 - k**2) * sn / dn


@dataclass(frozen=True)
class Ending:
    """Whether the motion of a run is right: on the parallelogram, trusted by its certificate, on the exact motion."""

    how: str  # "": right to its end; else STOPS, LEAVES or WRONG
    t: float  # s: when that happened; else the end
    drift: float  # of the energy exchanged
    error: float | None = None  # m, largest distance of the coupler from the exact motion; None: it is flexible

    @property
    def right(self) -> bool:
        """Whether its motion is right."""
        return not self.how

    def at(self, flat: int) -> bool:
        """Whether that happened at a flat position (0: the first)."""
        return abs(self.t - FLAT[flat]) < NEAR

    @property
    def fate(self) -> str:
        """How it ends, and at which flat position."""
        near = _near_flat(self.t)
        return f"{self.how} at {near}" if self.how and near else self.how

    @property
    def words(self) -> str:
        """For the column of ours."""
        if self.right:
            near = "" if self.error is None else f", within {self.error:.0e} m of the exact motion"
            return f"right to {self.t:.3g} s, energy drift {self.drift:.0e}{near}"
        near = _near_flat(self.t)
        return f"{self.how} at {self.t:.3f} s{near and ', ' + near}, energy drift {self.drift:.0e}"


def _near_flat(t: float) -> str:
    """Which flat position that is; none: elsewhere."""
    near = [word for word, flat in zip(ORDINALS, FLAT, strict=True) if abs(t - flat) < NEAR]
    return f"the {near[0]} flat position" if near else ""


def ending(run: Result, start: float = START) -> Ending:
    """The coupler's tilt says on which branch it is, the exact motion whether a rigid one is right there; the
    certificate whether energy and velocities are.  `start`: crank angle of the release, deg.
    """
    e = run.orientation[:, run.names["bodies"].index("coupler")]
    tilt = 2.0 * np.arctan2(np.linalg.norm(e[:, 1:], axis=1), np.abs(e[:, 0]))
    c, error = run.certificate, None
    left, off = np.flatnonzero(tilt > TILT), np.zeros(0, int)
    if not any("mode" in name for name in run.names["q"]):
        apart = np.abs(run.channel("coupler.position.z") - CRANK * np.sin(exact(run.t, start)[0]))
        off, error = np.flatnonzero(apart > FAR), float(apart.max())
    if len(left):
        return Ending(LEAVES, float(run.t[left[0]]), c.energy_drift, error)
    if c.status == "failed":
        return Ending(STOPS, c.t_end, c.energy_drift, error)
    if len(off) or c.status != "finished":
        return Ending(WRONG, float(run.t[off[0]]) if len(off) else c.t_end, c.energy_drift, error)
    return Ending("", c.t_end, c.energy_drift, error)


@dataclass(frozen=True)
class Finding:
    """What a paper says of a run: right, or how and at which flat position it fails (0: the first)."""

    how: str = ""  # "", STOPS, or in the paper's words
    flat: int = 0

    @property
    def words(self) -> str:
        """For the column of the paper."""
        return f"{self.how} at the {ORDINALS[self.flat]} flat position" if self.how else "right, conserves energy"


def motion_verdict(paper: Finding, found: Ending, left: float = 0.0) -> str:
    """The paper's finding beside ours, in words; only what is right, or fails as theirs did, is reproduced.

    `left`: m or rad, violations that the run left standing.
    """
    if not paper.how:
        if found.right:
            return "reproduced" + ("" if found.t >= UNTIL else f", as far as it was run ({found.t:g} s)")
        return f"not reproduced: ours {found.how} where theirs was right"
    if found.right:
        if found.t < FLAT[paper.flat]:
            return f"open: run to {found.t:g} s only, short of the paper's failure"
        why = f"even with violations up to {left:.0e} left standing" if left else f"because {WHY_SURVIVES}"
        return f"not reproduced: ours is right where theirs failed, {why}"
    if not found.at(paper.flat):
        return "not reproduced: it fails as well, but at another flat position"
    same = (paper.how == STOPS) == (found.how == STOPS)
    return "reproduced" if same else f"reproduced in part: it fails at the same flat position, but ours {found.how}"


RIGHT, FAILED_LU = Finding(), Finding("wrong, the energy jumps,", 1)


def motion_items(contest: Contest, runs: Runs) -> list[Item]:
    """What the papers' figures show: LU is wrong after the second flat position."""
    items = []
    for (method, form), run in runs.items():
        paper, found = FAILED_LU if method == "lu" else RIGHT, ending(run)
        verdict = motion_verdict(paper, found)
        if form == PRINTED and "projection" in method and not found.right:
            verdict += "; the print keeps I_R and P_T where the updated ones belong (see the corrected form)"
        items.append(Item(contest.figures, f"{method}, {form} form: motion", paper.words, found.words, verdict=verdict))
    return items
