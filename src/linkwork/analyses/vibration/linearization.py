"""Linearization about an equilibrium or any state (P4 section 3): small motions of the independent coordinates,

    M_hat x'' + C_hat x' + K_hat x = sum over inputs of (B_0 u + B_1 u' + B_2 u'')

M_hat = T^T M T; C_hat and K_hat are the derivatives of the balance r (analyses/steady/), by complex steps: gyroscopic,
Coriolis, centrifugal and follower terms are all in, so that neither needs to be symmetric.  P4 eq 19 differentiates
M B_D' q_D' only and omits M B_R' q_R', half of the Coriolis term; here it is kept.

A force enters by B_0 alone.  The value u of a driver moves its row: the position by Z u, the velocities by Z u', the
accelerations by Z u''.  As a state-space input its acceleration u'' is taken, with u and u' as two more states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.analyses.steady.balancing import balanced
from linkwork.analyses.steady.equilibrium import Equilibrium, equilibrium
from linkwork.analyses.steady.reduction import Columns, Point, Reduction, first_order
from linkwork.analyses.vibration.modes import Modes, modes_of
from linkwork.analyses.vibration.ports import (
    DriverInput,
    ForceInput,
    Output,
    driver_direction,
    find_input,
    find_output,
    force_direction,
    output_columns,
)
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism


@dataclass(frozen=True)
class StateSpace:
    """x' = A x + B u, y = C x + D u, with names; unpacks as (A, B, C, D) for scipy.signal and control."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: dict[str, str]  # of inputs and outputs

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B, self.C, self.D))


@dataclass(frozen=True)
class Linearization:
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
        """(x, z, s)' = A (x, z, s): x' = z, z' = -M^-1 (K x + C z - r_s s), auxiliary states s with their rates."""
        return first_order(self.M, self.along_x, self.along_z, self.along_s)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the auxiliary states."""
        return tuple(f"state {k}" for k in self.reduction.states)

    def _solve(self, right: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.M, right) if len(self.M) else right

    def modes(self) -> Modes:
        """Natural motions: frequencies, damping, shapes."""
        return modes_of(self)

    # -- inputs and outputs -------------------------------------------------------------------------------------
    def input_forces(self, port: ForceInput | DriverInput) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """B_0, B_1, B_2: what u, u' and u'' of an input add to the right-hand side."""
        point, none = self.point, np.zeros(len(self.M))
        if isinstance(port, ForceInput):
            return point.T.T @ force_direction(self.reduction, point, port), none, none
        direction = driver_direction(self.reduction, self.point, port)
        place = self.reduction.position_columns(point, direction).r[:, 0]
        speed = self.reduction.velocity_columns(point, direction).r[:, 0]
        return place, speed, -point.T.T @ point.M @ direction[:, 0]

    def input_rates(self, port: ForceInput | DriverInput) -> tuple[np.ndarray, np.ndarray]:
        """What u and u' of an input add to the rates of the auxiliary states."""
        if isinstance(port, ForceInput):
            return np.zeros(len(self.states)), np.zeros(len(self.states))
        direction = driver_direction(self.reduction, self.point, port)
        return (
            self.reduction.position_columns(self.point, direction).rates[:, 0],
            self.reduction.velocity_columns(self.point, direction).rates[:, 0],
        )

    def output_matrices(self, base: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of a measure with respect to x, z and s."""
        x, z, s = (
            output_columns(self.reduction, self.point, along, base)
            for along in (self.along_x, self.along_z, self.along_s)
        )
        return x, z, s

    def output_of_driver(self, base: str, port: DriverInput) -> tuple[float, float]:
        """Derivatives of a measure with respect to the value u of a driver, and u'."""
        r, point = self.reduction, self.point
        direction = driver_direction(self.reduction, self.point, port)
        return (
            float(output_columns(r, point, r.position_columns(point, direction), base)[0]),
            float(output_columns(r, point, r.velocity_columns(point, direction), base)[0]),
        )

    def state_space(self, inputs: Sequence[str] = (), outputs: Sequence[str] | None = None) -> StateSpace:
        """A, B, C, D for named inputs and outputs (ports.py); default outputs: the independent coordinates.

        A driver NAME as input is its acceleration (rad/s2, m/s2), its value and rate become the states NAME, NAME'.
        """
        ports = [find_input(self.reduction, name) for name in inputs]
        named = [find_output(self.reduction, name) for name in (self.independent if outputs is None else outputs)]
        drivers = [port for port in ports if isinstance(port, DriverInput)]
        A, B = self._driven(ports, drivers)
        rows = [self._output_rows(output, drivers, A, B) for output in named]
        C, D = (np.array([row[k] for row in rows]) for k in (0, 1))
        units = {p.name: p.unit if isinstance(p, ForceInput) else f"{p.unit}/s2" for p in ports}
        x, driven = self.independent, [p.name for p in drivers]
        states = (*x, *(f"{name}'" for name in x), *self.states, *driven, *(f"{name}'" for name in driven))
        return StateSpace(
            A, B, C.reshape(len(named), len(A)), D.reshape(len(named), len(ports)), states,
            tuple(p.name for p in ports), tuple(o.name for o in named), units | {o.name: o.unit for o in named},
        )  # fmt: skip

    def _driven(
        self, ports: Sequence[ForceInput | DriverInput], drivers: Sequence[DriverInput]
    ) -> tuple[np.ndarray, np.ndarray]:
        """A and B of the states (x, z, s, values of the drivers, their rates)."""
        n, k, own = len(self.M), len(drivers), len(self.A)
        A, B = np.zeros((own + 2 * k, own + 2 * k)), np.zeros((own + 2 * k, len(ports)))
        A[:own, :own] = self.A
        for i, port in enumerate(ports):
            B_0, B_1, B_2 = (self._solve(right) for right in self.input_forces(port))
            if isinstance(port, ForceInput):
                B[n : 2 * n, i] = B_0
                continue
            u = own + drivers.index(port)
            A[u, u + k] = B[u + k, i] = 1.0
            A[2 * n : own, u], A[2 * n : own, u + k] = self.input_rates(port)
            A[n : 2 * n, u], A[n : 2 * n, u + k], B[n : 2 * n, i] = B_0, B_1, B_2
        return A, B

    def _output_rows(
        self, output: Output, drivers: Sequence[DriverInput], A: np.ndarray, B: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rows of C and D of an output, which may be a derivative: y' = C x' = C A x + C B u."""
        n, k, own = len(self.M), len(drivers), len(self.A)
        row, direct = np.zeros(len(A)), np.zeros(B.shape[1])
        row[:n], row[n : 2 * n], row[2 * n : own] = self.output_matrices(output.base)
        for j, port in enumerate(drivers):
            row[own + j], row[own + k + j] = self.output_of_driver(output.base, port)
        for _ in range(output.dots):
            if np.any(direct):
                raise OptionError(
                    f"output '{output.name}': it would need the derivative of an input; take one '.dot' less",
                    element=output.name,
                )
            row, direct = row @ A, row @ B
        return row, direct


def linearize(
    mechanism: Mechanism,
    speeds: Mapping[str, float] | None = None,
    *,
    about: Equilibrium | str = "equilibrium",
    independent: Sequence[str] | None = None,
    formulation: str = "joint",
    t: float = 0.0,
) -> Linearization:
    """Linearize about the equilibrium found from the start, about one at hand, or (`about="start"`) about the start.

    A start that is no equilibrium is linearized as it moves, velocities and accelerations included, and said.
    """
    if isinstance(about, Equilibrium):
        return about_equilibrium(about)
    if about == "equilibrium":
        found = equilibrium(mechanism, speeds, independent=independent, formulation=formulation, t=t)
        return about_equilibrium(found)
    if about != "start":
        raise OptionError(
            f"linearize about '{about}': say 'equilibrium', 'start', or give an equilibrium", element="about"
        )
    reduction = Reduction(mechanism, speeds, independent=independent, formulation=formulation, t=t)
    steady = reduction.rough
    moving = reduction.start_v if not reduction.running else None
    point = steady if moving is None else reduction.point(steady.y, steady.angles, moving)
    rest = np.any(np.abs(point.T.T @ point.M @ (point.v - steady.v)) > 1e-12) if moving is not None else False
    notes = reduction.notes
    if rest or not balanced(reduction, steady):
        worst = int(np.argmax(np.abs(steady.r))) if len(steady.r) else 0
        left = f"{steady.r[worst]:.4g} {reduction.units[worst]} act on '{reduction.names[worst]}'"
        moves = ", and it moves" if rest else ""
        notes = (*notes, f"linearized about a state that is no equilibrium: {left}{moves}")
    return about_point(reduction, point, None, notes)


def about_equilibrium(found: Equilibrium) -> Linearization:
    """Linearize about an equilibrium."""
    return about_point(found.reduction, found.point, found, found.notes)


def about_point(
    reduction: Reduction, point: Point, found: Equilibrium | None = None, notes: tuple[str, ...] = ()
) -> Linearization:
    """Linearize about a point of a reduction."""
    along_x = reduction.along_independent(point)
    along_z = reduction.velocity_columns(point, point.T)
    along_s = reduction.state_columns(point)
    return Linearization(reduction, point, point.M_hat, -along_z.r, -along_x.r, found, notes, along_x, along_z, along_s)
