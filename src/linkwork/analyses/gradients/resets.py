"""What a lock, a release or a blow does to the sensitivities: y+ = r(t, y-; p), theory (13.6).

The change happens once more at the places of each parameter's line, from states that go with it,

    y- + h (S- + f- dtau),  t + h dtau,  p + h

and what comes of them is differenced; the compiled loop then takes f+ dtau away
(integrators/sensitivities/saltation.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.gradients.starts import Beside
from linkwork.analyses.start.like_bodies import alike_for_changes
from linkwork.compiler.kernels import bind_loop
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.changes import OCCURRENCE, apply_changes
from linkwork.integrators.loop.chunks import PROGRESS
from linkwork.numerics.status import Status


@dataclass(frozen=True)
class Instant:
    """The state before it, and what the rows held."""

    t: float  # s
    y: np.ndarray
    rate: np.ndarray
    angles: np.ndarray
    row_state: np.ndarray
    switches: np.ndarray
    changes: range  # what happens, by its place in the System


def slopes_after(
    instant: Instant, one: Beside, S: np.ndarray, dtau: float, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Dr[S + f dtau] + dr/dp + dr/dt dtau, and the slope of what the rows hold then; NaN where the change fails.

    `held`: the slope of what the rows held before.
    """
    bind_loop(apply_changes, stages.APPLY_CHANGES)
    direction = S + instant.rate * dtau
    found, holds = [], []
    for compiled, place in zip(one.compiled, one.line.places, strict=True):
        other, y = Equations(compiled), instant.y + place * direction
        work = other.work
        work.row_state[:], work.switches[:] = instant.row_state, instant.switches
        work.row_state["held"] += place * held
        control, progress = np.zeros(1, CONTROL), np.zeros(1, PROGRESS)
        control["t"] = instant.t + place * dtau
        status = apply_changes(
            evaluate, other.system_ref, alike_for_changes(other).system_ref, y, instant.angles.copy(), other.work_ref,
            control, progress, np.zeros(len(other.system.changes) + 1, OCCURRENCE), instant.changes.start,
            instant.changes.stop,
        )  # fmt: skip
        found.append(y if Status(status) == Status.CHANGED else np.full_like(y, np.nan))
        holds.append(work.row_state["held"].copy())
    return one.line.slope(found), one.line.slope(holds)
