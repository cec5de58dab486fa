"""Linearization about an equilibrium or any state (P4 section 3): small motions of the independent coordinates,

    M_hat x'' + C_hat x' + K_hat x = sum over inputs of (B_0 u + B_1 u' + B_2 u'')

M_hat = T^T M T; C_hat and K_hat are the derivatives of the balance r (steady/reduction.py), by complex steps:
gyroscopic, Coriolis, centrifugal and follower terms are all in, so that neither needs to be symmetric.  P4 eq 19
differentiates M B_D' q_D' only and omits M B_R' q_R', half of the Coriolis term; here it is kept.

A force enters by B_0 alone.  The value u of a driver moves its row: the position by Z u, the velocities by Z u', the
accelerations by Z u''.  As a state-space input its acceleration u'' is taken, with u and u' as two more states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.analyses.steady.derivatives import Columns, first_order
from linkwork.analyses.steady.equilibrium import Equilibrium, equilibrium
from linkwork.analyses.steady.path_dependence import refuse_path_dependence
from linkwork.analyses.steady.ports import DriverInput, ForceInput, driver_direction, force_direction, output_columns
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.residual import balanced
from linkwork.analyses.vibration.modes import Modes, modes_of
from linkwork.analyses.vibration.state_space import StateSpace, state_space
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.numerics.blas_threads import one_thread
from linkwork.tables import Shown, Table, facts

MOVES = 1e-12  # kg m/s or kg m2/s: momentum beside the steady motion that is not a rounding


@dataclass(frozen=True, repr=False)
class Linearization(Shown):
    """Small motions about a point."""

    reduction: Reduction
    point: Point
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    equilibrium: Equilibrium | None  # None: about a state that is none
    notes: tuple[str, ...]
    along_x: Columns = field(repr=False)  # derivatives along the independent displacements
    along_z: Columns = field(repr=False)  # and velocities
    along_s: Columns = field(repr=False)  # and auxiliary states

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent coordinates, in the order of the matrices."""
        return self.reduction.names

    @cached_property
    def A(self) -> np.ndarray:
        """(x, z, s)' = A (x, z, s): x' = z, z' = -M^-1 (K x + C z - r_s s), auxiliary states s with their rates.

        Where a ball turns, x' = z + W x (steady/quasi_coordinates.py); C and K are those of x.
        """
        return first_order(self.M, self.reduction.turning(self.point), self.along_x, self.along_z, self.along_s)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the auxiliary states."""
        return tuple(f"state {k}" for k in self.reduction.states)

    @property
    def needs_states(self) -> bool:
        """Whether M, C and K alone do not describe the motion: auxiliary states take part, or balls turn."""
        return bool(self.states) or bool(np.any(self.reduction.turning(self.point)))

    def tables(self) -> list[Table]:
        """The independent coordinates, and the modes."""
        return [facts("", [("independent coordinates", ", ".join(self.independent) or "none")]), *self.modes().tables()]

    def modes(self) -> Modes:
        """Natural motions: frequencies, damping, shapes."""
        return modes_of(self)

    def state_space(self, inputs: Sequence[str] = (), outputs: Sequence[str] | None = None) -> StateSpace:
        """A, B, C, D for named inputs and outputs (steady/ports.py); default outputs: the independent coordinates.

        A driver NAME as input is its acceleration (rad/s2, m/s2), its value and rate become the states NAME, NAME'.
        """
        return state_space(self, inputs, outputs)

    # -- inputs and outputs -------------------------------------------------------------------------------------
    def input_forces(self, port: ForceInput | DriverInput) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """B_0, B_1, B_2: what u, u' and u'' of an input add to the right-hand side."""
        point, none = self.point, np.zeros(len(self.M))
        if isinstance(port, ForceInput):
            return point.T.T @ force_direction(self.reduction, point, port), none, none
        place, speed = self._driver_columns(port)
        direction = driver_direction(self.reduction, point, port)
        return place.r[:, 0], speed.r[:, 0], -point.T.T @ point.M @ direction[:, 0]

    def input_rates(self, port: ForceInput | DriverInput) -> tuple[np.ndarray, np.ndarray]:
        """What u and u' of an input add to the rates of the auxiliary states."""
        if isinstance(port, ForceInput):
            return np.zeros(len(self.states)), np.zeros(len(self.states))
        place, speed = self._driver_columns(port)
        return place.rates[:, 0], speed.rates[:, 0]

    def output_matrices(self, base: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of a measure with respect to x, z and s."""
        x, z, s = (
            output_columns(self.reduction, self.point, along, base)
            for along in (self.along_x, self.along_z, self.along_s)
        )
        return x, z, s

    def output_of_driver(self, base: str, port: DriverInput) -> tuple[float, float]:
        """Derivatives of a measure with respect to the value u of a driver, and u'."""
        place, speed = (
            float(output_columns(self.reduction, self.point, columns, base)[0])
            for columns in self._driver_columns(port)
        )
        return place, speed

    def _driver_columns(self, port: DriverInput) -> tuple[Columns, Columns]:
        """Derivatives along the value of a driver, and along its rate."""
        direction, by = driver_direction(self.reduction, self.point, port), self.reduction.derivatives
        return by.along_displacements(self.point, direction), by.along_velocities(self.point, direction)


def linearize(
    mechanism: Mechanism,
    speeds: Mapping[str, float] | None = None,
    *,
    about: Equilibrium | str = "equilibrium",
    independent: Sequence[str] | None = None,
    formulation: str = "joint",
    t: float = 0.0,
) -> Linearization:
    """M_hat x'' + C_hat x' + K_hat x = 0 (P4 section 3) about the equilibrium that is found from the start.

    `about`: an equilibrium at hand, or "start".  A start that is not an equilibrium is linearized as it moves,
    velocities and accelerations included, and a note says so.  The rest as in `equilibrium`; SI units, rad.
    """
    if isinstance(about, Equilibrium):
        return about_equilibrium(about)
    if about == "equilibrium":
        found = equilibrium(mechanism, speeds, independent=independent, formulation=formulation, t=t)
        return about_equilibrium(found)
    if about != "start":
        raise OptionError(
            f"linearize about '{about}': give 'equilibrium', 'start' or an equilibrium found before", element="about"
        )
    return about_start(Reduction(mechanism, speeds, independent=independent, formulation=formulation, t=t))


def about_equilibrium(found: Equilibrium) -> Linearization:
    """Linearize about an equilibrium."""
    return about_point(found.reduction, found.point, found, found.notes)


def about_start(reduction: Reduction) -> Linearization:
    """Linearize about the start; with its own velocities where no coordinate runs at a given speed."""
    steady = point = reduction.rough
    moves = False
    if not reduction.running:
        point = reduction.point(steady.y, steady.angles, reduction.start_v)
        moves = bool(np.any(np.abs(point.T.T @ point.M @ (point.v - steady.v)) > MOVES))
    notes = reduction.notes
    if moves or not balanced(reduction, steady):
        worst = int(np.argmax(np.abs(steady.r))) if len(steady.r) else 0
        left = f"{steady.r[worst]:.4g} {reduction.units[worst]} act on '{reduction.names[worst]}'"
        in_motion = ", and it moves" if moves else ""
        notes = (*notes, f"linearized about a state that is not an equilibrium: {left}{in_motion}")
    return about_point(reduction, point, None, notes)


def about_point(
    reduction: Reduction, point: Point, found: Equilibrium | None = None, notes: tuple[str, ...] = ()
) -> Linearization:
    """Linearize about a point of a reduction."""
    with one_thread(reduction.layout.v_count):
        refuse_path_dependence(reduction, point)
        by = reduction.derivatives
        along_x, along_z = by.along_independent(point), by.along_velocities(point, point.T)
        return Linearization(
            reduction, point, point.M_hat, reduction.damping(point), reduction.stiffness(point), found, notes, along_x,
            along_z, by.along_states(point),
        )  # fmt: skip
