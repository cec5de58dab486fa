"""Constraints and drivers that a run does not meet, whatever its integrator and method claim.

A loop reports the largest |Phi| and |Phi_v v - nu|.  What they mean depends on the row: a length in units of the
mechanism's size, an angle in rad, a rate beside the speeds that the row adds up, theory (11.1).  The rows are looked at
one by one where the largest number leaves a doubt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.dependence import not_given
from linkwork.analyses.start.loop_misfit import LoopMisfit
from linkwork.analyses.start.scales import row_sizes, row_unit
from linkwork.elements.constraints.rows import IDLE
from linkwork.errors import Entry, NumericalError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import row_rates
from linkwork.integrators.loop.rows import path_row
from linkwork.methods.contract import Method
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.compile import Compiled

DEPENDENT, SHARES = 1e-6, 1e-6  # of the largest singular value, of a unit vector: for the driver of a dependence
GROWS = 3000.0  # times the misfit of a loop near the start: what a poor choice of rows may make of it, but ...
MOST_GROWN = 10.0  # ... no more than this times the tolerance
MET = 1e-6  # rad, or of the mechanism's size: what a method that projects may leave open
MET_ROUGHLY = 1e-2  # the same of a method that only stabilizes
RATE = 100.0  # times what may be left open, of the speeds that a row adds up: what its rate may be off, but ...
MOST_RATE = 0.1  # ... no more than this


@dataclass(frozen=True)
class OpenConstraint:
    """A row that is not met at a time."""

    t: float  # s
    row: int
    amount: float  # m, rad, or per second
    is_rate: bool
    driver: str | None = None  # whose motion the row contradicts, if one's does

    def failure(self, compiled: Compiled) -> NumericalError:
        """The error that names the constraint or driver, by how much it is off, and what to do."""
        name = compiled.layout.rows[self.row]
        unit = row_unit(compiled, self.row) + ("/s" if self.is_rate else "")
        off = f"off by {self.amount:.3g} {unit}"
        if name.element in compiled.layout.driver_rows:
            what = f"driver '{name.element}' is not followed: its {'rate' if self.is_rate else 'coordinate'} is {off}"
        elif self.driver is not None:
            what = (
                f"driver '{self.driver}' requires what the joints do not allow: '{name.element}' ({name.equation}) "
                f"is {off}"
            )
        else:
            what = f"'{name.element}' is open: its equation '{name.equation}' is {off}"
        driven = name.element in compiled.layout.driver_rows or self.driver is not None
        remedy = (
            "keep its motion within reach of the joints, or remove it" if driven
            else "run `check` on the model: its joints may not fit together, or not allow the motion"
        )  # fmt: skip
        return NumericalError(
            f"at t = {self.t:.6g} s {what}; do not trust this result; {remedy}; results until then are kept",
            element=self.driver or name.element, t=self.t, remedy=remedy, entry=Entry.NOT_MET,
        )  # fmt: skip


def allowed_violation(method: Method, constraint_tolerance: float, misfit: LoopMisfit | None) -> float:
    """What a method may leave open, rad or of the mechanism's size; more where a loop closes only nearly."""
    nearly = 0.0 if misfit is None else min(GROWS * misfit.worst, MOST_GROWN * misfit.tolerance)
    return max(MET if method.projects else MET_ROUGHLY, 10.0 * constraint_tolerance, nearly)


class ConstraintWatch:
    """The rows of one mechanism, held against what may be left open (`allowed`, rad or of the mechanism's size)."""

    def __init__(self, compiled: Compiled, allowed: float) -> None:
        self.sizes = row_sizes(compiled)
        nearly = compiled.system.whole[0]["misfit"] > 0.0
        self.rate = MOST_RATE if nearly else min(RATE * allowed, MOST_RATE)
        least = float(self.sizes.min(initial=np.inf))
        self.allowed, self.harmless = allowed, (allowed * least, self.rate * least)

    def in_doubt(self, position: float, rate: float) -> bool:
        """Whether the largest |Phi| and |Phi_v v - nu| of all rows so far call for a look at each of the last steps."""
        if position <= self.harmless[0] and rate <= self.harmless[1]:
            return False
        self.harmless = (max(position, self.harmless[0]), max(rate, self.harmless[1]))
        return bool(len(self.sizes))

    def first_open(self, equations: Equations, t: np.ndarray, path: np.ndarray) -> OpenConstraint | None:
        """The first step whose state breaks a row; rows of `path` hold y, dy/dt and the counted angles."""
        place = path_row.py_func(len(equations.work.rate), len(equations.work.angle))
        angles = slice(place.angles, place.width)
        states = ((float(t[k]), path[k, : place.rate], path[k, angles]) for k in range(len(t)))
        return next(self._open(equations, states), None)

    def _open(
        self, equations: Equations, states: Iterator[tuple[float, np.ndarray, np.ndarray]]
    ) -> Iterator[OpenConstraint]:
        system, work, own = equations.system, equations.work, equations.compiled.layout.velocities
        acting = work.row_state["mode"] != IDLE
        for t, y, angles in states:
            work.segment["t_accepted"] = t
            equations.evaluate(t, y, angles.copy(), LEVEL_POSITION)
            Phi, v = np.abs(work.Phi), y[own]
            with np.errstate(over="ignore", invalid="ignore"):
                rate = np.abs(row_rates(system, work, v) - work.nu)
                speeds = row_rates(system, work, v, sizes=True) + np.abs(work.nu) + self.sizes
                off = {False: Phi / (self.allowed * self.sizes), True: rate / (self.rate * speeds)}
            for is_rate, ratio in off.items():
                ratio = np.where(acting, np.nan_to_num(ratio, nan=np.inf), 0.0)
                worst = int(np.argmax(ratio))
                if ratio[worst] > 1.0:
                    driver = _contradicting_driver(equations, worst)
                    yield OpenConstraint(t, worst, float((rate if is_rate else Phi)[worst]), is_rate, driver)
                    break


def _contradicting_driver(equations: Equations, row: int) -> str | None:
    """A driver whose row depends on the others together with this one: combinations of rows with N^T Phi_v = 0."""
    drivers = equations.compiled.layout.driver_rows
    if not drivers or not np.isfinite(equations.work.J).all():
        return None
    shared = not_given(equations, np.eye(1, len(equations.system.rows), row)[0], DEPENDENT)
    return next((name for name, r in drivers.items() if r != row and abs(shared[r]) > SHARES), None)
