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
WHY_SURVIVES = "the constraints are met to rounding at every step; see the table 'constraint tolerance'"


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Crank angle (rad) and rate (rad/s) on the parallelogram: theta'' = -(g/l) (1+r) / (2/3+r) cos(theta).

    The two cranks and the coupler, which moves without turning, are one pendulum.  Classical Runge-Kutta of 1e-3 s
    or less, to 1e-10 rad.
    """

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -PULL * math.cos(y[0])])

    y, now = np.array([math.radians(START), 0.0]), 0.0
    states = np.empty((len(t), 2))
    for k, end in enumerate(t):
        count = math.ceil((end - now) / 1e-3)
        for _ in range(count):
            h = (end - now) / count
            a = rate(y)
            b = rate(y + h / 2 * a)
            c = rate(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
        states[k], now = y, end
    return states[:, 0], states[:, 1]


@dataclass(frozen=True)
class Ending:
    """Whether a run stayed on the parallelogram."""

    kept: bool
    t: float  # s: when it left the branch or stopped; else the end
    stopped: bool
    drift: float  # of the energy exchanged

    @property
    def words(self) -> str:
        """For the column of ours."""
        if self.kept:
            return f"stays on the parallelogram to {self.t:.3g} s, energy drift {self.drift:.0e}"
        event = "stops" if self.stopped else "leaves the parallelogram"
        return f"{event} at {self.t:.3f} s{_near_flat(self.t)}, energy drift {self.drift:.0e}"


def _near_flat(t: float) -> str:
    ordinals = ("first", "second", "third", "fourth", "fifth")
    near = [word for word, flat in zip(ordinals, FLAT, strict=True) if abs(t - flat) < NEAR]
    return f", the {near[0]} flat position" if near else ""


def ending(run: Result) -> Ending:
    """The coupler's tilt says on which branch it is."""
    e = run.orientation[:, run.names["bodies"].index("coupler")]
    tilt = 2.0 * np.arctan2(np.linalg.norm(e[:, 1:], axis=1), np.abs(e[:, 0]))
    c = run.certificate
    left = np.flatnonzero(tilt > TILT)
    if len(left):
        return Ending(False, float(run.t[left[0]]), False, c.energy_drift)
    return Ending(c.status != "failed", c.t_end, c.status == "failed", c.energy_drift)


def motion_verdict(fails_at: float | None, found: Ending, form: str) -> str:
    """The paper's finding beside ours, in words; `fails_at`: when its run failed, s, or None if it was right."""
    if fails_at is None:
        if found.kept:
            return "reproduced" + ("" if found.t >= UNTIL else f", as far as it was run ({found.t:g} s)")
        reason = (
            "the printed form has no rank cut, and restarts"
            if form == PRINTED
            else "a singular position it did not pass"
        )
        return f"ours fails where theirs did not: {reason}"
    if not found.kept:
        same = abs(found.t - fails_at) < NEAR
        return "reproduced: it fails at the same flat position" if same else "it fails here as well, at another time"
    if found.t < fails_at:
        return f"open: run to {found.t:g} s only, short of the paper's failure"
    return f"ours does not fail where theirs did, because {WHY_SURVIVES}"


def motion_items(contest: Contest, runs: Runs) -> list[Item]:
    """What the papers' figures show: LU is wrong after the second flat position."""
    items = []
    for (method, form), run in runs.items():
        right = method != "lu"
        paper = "right" if right else "wrong after the second flat position: energy jumps, the coupler rises"
        found = ending(run)
        fails_at = None if right else FLAT[1]
        items.append(
            Item(contest.figures, f"{method}, {form} form: motion", paper,
                 found.words, verdict=motion_verdict(fails_at, found, form))
        )  # fmt: skip
    return items
