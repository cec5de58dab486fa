"""Reduction to independent coordinates at constant speeds: the equations that equilibrium and linearization share.

With the independent rows of Phi_v, the running coordinates (given speeds) and the independent velocities z = E v,
theory (4.9),

    G v = [Phi_v; running; E] v = [nu; speeds; z],        G^-1 = [Z | T],        v = Z (nu, speeds) + T z

where T is the partial velocity matrix (P4 eq 15, theory (4.1) to (4.3): R with zeros for what runs; in absolute
coordinates B_R R), and Z has what runs with the drives, theory (4.8).  The balance of the independent coordinates, P4's
theory (4.4), is, theory (4.10),

    r = T^T (Q - M v_dot),       v_dot = G^-1 (gamma, z_dot),       M_hat = T^T M T

and steady equilibrium means r = 0 at z = z_dot = 0 (P4 section 2, theory (4.5); the Coriolis terms that P4 eq 19 leaves
out are in gamma and Q).  Everything in v_dot is kept, so that r is exact for closed loops and rotating frames alike.

Auxiliary states s (of controllers) follow s' = their rates, which vanish at an equilibrium too.

Displacements x of the independent coordinates follow x' = z, but for balls that turn (quasi_coordinates.py); the
derivative along x is taken on the constraints, since T x is tangent to them and the complex step sees first order only
(derivatives.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.start.dependence import in_units
from linkwork.analyses.steady.derivatives import ComplexSteps, first_order
from linkwork.analyses.steady.quasi_coordinates import turned_along
from linkwork.analyses.steady.reduced_rows import ReducedRows
from linkwork.analyses.steady.sparse_inverse import SparseInverse
from linkwork.elements.constraints.rows import ANGLE
from linkwork.errors import Entry, NumericalError, OptionError
from linkwork.formulations.kinematics import displace
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION

if TYPE_CHECKING:
    from scipy.sparse import lil_array, vstack
else:
    lil_array, vstack = lazy_functions("scipy.sparse", "lil_array", "vstack")

TINY = 1e-300  # a row that is zero
ITERATIONS = 30  # of Newton onto the rows
CLOSED = 1e-13  # of the mechanism's size (m), or rad: constraints of a state to be balanced
STALLED = 1e-9  # rad or m: below it a violation that no longer halves is rounding
LONGEST = 0.5  # rad or m: of one Newton step
LARGEST_SHIFT = 0.6  # rad or m: of one step to a later time
SINGULAR = 1e11  # largest entry of the inverse of unit rows from which a position is called singular


@dataclass(frozen=True)
class Point:
    """The reduced equations at one state."""

    y: np.ndarray
    angles: np.ndarray
    M: Any  # [motion, motion], sparse where it is large
    inverse: np.ndarray | SparseInverse  # G^-1
    v: np.ndarray  # [motion]
    v_dot: np.ndarray  # [motion]
    lam: np.ndarray  # [row] multipliers; of rows outside the independent set 0
    r: np.ndarray  # balance of the independent coordinates, N or N m
    T: np.ndarray  # [motion, independent]
    M_hat: np.ndarray
    size: np.ndarray  # of the forces that r sums up
    s_dot: np.ndarray  # rates of the auxiliary states


class Reduction(ReducedRows):
    """A mechanism in independent coordinates, with some coordinates running at constant speed."""

    @classmethod
    def like(cls, other: Reduction, mechanism: Mechanism) -> Reduction:
        """The same for a mechanism with other forces: same bodies, joints, rows and independent coordinates."""
        return cls(
            mechanism, other.speeds_by_name(), independent=other.names, formulation=other.formulation, t=other.t,
            start=other.start,
        )  # fmt: skip

    @cached_property
    def derivatives(self) -> ComplexSteps:
        """How the equations change along displacements, velocities and states."""
        return ComplexSteps(self)

    @cached_property
    def rough(self) -> Point:
        """The equations at the start; independent coordinates that do not serve there are refused."""
        try:
            return self.point(self.start_y)
        except NumericalError as failure:
            if self.automatic:
                raise
            raise OptionError(failure.message, element="independent") from None

    # -- the equations at a state -------------------------------------------------------------------------------
    def point(
        self, y: np.ndarray, angles: np.ndarray | None = None, v: np.ndarray | None = None,
        v_dot: np.ndarray | None = None,
    ) -> Point:  # fmt: skip
        """The reduced equations at a position: at steady motion (z = z_dot = 0), or with the velocities v moving on.

        `v_dot`: accelerations to be taken as they are, whatever the forces.
        """
        angles = self.angles if angles is None else angles
        work, split = self.real.work, len(self.rows)
        J, M = self.matrices(y, angles)
        inverse = self._inverse(J, M)
        velocities = inverse @ self.right_side(self._steady_rates()) if v is None else v
        full = y.copy()
        full[self.layout.velocities] = velocities
        self.real.evaluate(self.t, full, angles, LEVEL_ALL)
        T = inverse[:, split:]
        M_hat = T.T @ (M @ T)
        if v_dot is None:
            v_dot = inverse @ self.right_side(work.gamma)
            if v is not None and len(M_hat):
                v_dot = v_dot + T @ np.linalg.solve(M_hat, T.T @ (work.Q - M @ v_dot))
        balance = inverse.T @ (work.Q - M @ v_dot)
        lam = np.zeros(len(self.layout.rows))
        lam[self.rows] = balance[:split]
        lam[self.measured_rows] = balance[split:][self.motions < 0]
        size = np.abs(T).T @ (np.abs(work.Q) + np.abs(M @ v_dot) + np.abs(J.T @ lam))
        s_dot = work.rate[self.layout.velocities.stop + self.states].copy()
        return Point(full, angles, M, inverse, velocities, v_dot, lam, balance[split:], T, M_hat, size, s_dot)

    def _steady_rates(self) -> np.ndarray:
        """Right-hand sides of the rows in steady motion: nu, the speeds of running rows, 0 of measured ones."""
        nu: np.ndarray = self.real.work.nu.copy()
        nu[self.running_rows] += self.speeds
        nu[self.measured_rows] = 0.0
        return nu

    def _inverse(self, J: Any, M: Any) -> np.ndarray | SparseInverse:
        """G^-1; at a position where it does not exist an error."""
        G, weight = self._directions(J), np.sqrt(M.diagonal())
        scaled = in_units(G, 1.0 / weight)
        inverse: np.ndarray | SparseInverse
        try:
            if isinstance(scaled, np.ndarray):
                sizes = np.linalg.norm(scaled, axis=1)
                unit = np.linalg.inv(scaled / sizes[:, None]) if np.all(sizes > 0.0) else np.full_like(G, np.inf)
                inverse, largest = unit / weight[:, None] / sizes, float(np.abs(unit).max(initial=0.0))
            else:
                sizes = np.sqrt(scaled.multiply(scaled).sum(axis=1))
                inverse = SparseInverse(in_units(scaled.T, 1.0 / np.maximum(sizes, TINY)).T, sizes, weight)
                largest = inverse.largest()
        except np.linalg.LinAlgError:
            largest = np.inf
        if not largest < SINGULAR:
            raise NumericalError(
                f"the independent coordinates ({', '.join(self.names)}) do not determine the motion at this position: "
                "it is singular, or they depend on each other; name others or start elsewhere",
                element="independent",
                entry=Entry.INDEPENDENT,
            )
        return inverse

    def _directions(self, J: Any) -> Any:
        """G: constraint rows, running rows, independent velocities."""
        of_tree = self.motions >= 0
        if isinstance(J, np.ndarray):
            E = np.zeros((len(self.motions), J.shape[1]))
            E[np.flatnonzero(of_tree), self.motions[of_tree]] = 1.0
            E[~of_tree] = J[self.measured_rows]
            return np.vstack([J[self.rows], E])
        E = lil_array((len(self.motions), J.shape[1]))
        E[np.flatnonzero(of_tree), self.motions[of_tree]] = 1.0
        E[np.flatnonzero(~of_tree)] = J[self.measured_rows]
        return vstack([J[self.rows], E], format="csr")

    def right_side(self, values: np.ndarray) -> np.ndarray:
        """Row values [..., row] as right-hand sides of G: [constraint, running and independent row, ...]."""
        own = np.zeros((*values.shape[:-1], len(self.motions)))
        own[..., self.motions < 0] = values[..., self.measured_rows]
        return np.concatenate([values[..., self.rows], own], axis=-1).T

    # -- other positions ----------------------------------------------------------------------------------------
    def moved(self, point: Point, x: np.ndarray, s: np.ndarray | None = None) -> Point:
        """The point displaced by x in the independent coordinates (and s in the states), back on the constraints."""
        y = point.y.copy()
        displace(self.system.dofs, y, point.T @ x)
        if s is not None:
            y[self.layout.velocities.stop + self.states] += s
        return self.closed(y, point)

    def closed(self, y: np.ndarray, near: Point, held: np.ndarray | None = None) -> Point:
        """The point whose dependent coordinates meet the rows (drivers and running rows at their target).

        `held`: values that the measured coordinates are to have too; otherwise they are left where they come to lie.
        """
        y, angles = y.copy(), near.angles
        enough = CLOSED * max(1.0, self.size)
        last = np.inf
        for _ in range(ITERATIONS):
            J, M = self.matrices(y, angles)
            error = self._violations(self.real.work.Phi, held)
            worst = float(np.abs(error).max(initial=0.0))
            if worst <= enough or (worst < STALLED and worst > 0.5 * last):
                self.real.evaluate(self.t, y, angles, LEVEL_ALL)
                return self.point(y, self._at_rest(self.real.work.angle))
            delta = -(self._inverse(J, M) @ error)
            displace(self.system.dofs, y, delta * min(1.0, LONGEST / np.abs(delta).max()))
            last = worst
        row = self.layout.rows[self.rows[int(np.argmax(np.abs(error[: len(self.rows)])))]]
        raise NumericalError(
            f"'{row.element}' ({row.equation}) stays open by {worst:.3g}: the mechanism does not reach this position",
            element=row.element,
            entry=Entry.NOT_MET,
        )

    def _violations(self, Phi: np.ndarray, held: np.ndarray | None) -> np.ndarray:
        """By how much the rows of G miss their target; angles on the nearest turn."""
        target = self.target.copy()
        target[self.measured_rows] = Phi[self.measured_rows] if held is None else held
        error = Phi - target
        turning = self.system.rows["kind"] == ANGLE
        return self.right_side(np.where(turning, np.remainder(error + np.pi, 2.0 * np.pi) - np.pi, error))

    @contextmanager
    def later(self, point: Point, t: float) -> Iterator[Point]:
        """The point a time t (s) later in steady motion, with all at that time: running rows and drivers moved on.

        The independent coordinates stay where they are, also those that rows measure.
        """
        before, target, held = self.t, self.target.copy(), self._measured(point)
        steps = int(np.ceil(t * float(np.abs(point.v).max(initial=0.0)) / LARGEST_SHIFT)) or 1
        at = replace(point, angles=self._at_rest(point.angles))
        try:
            for k in range(1, steps + 1):
                y = at.y.copy()
                displace(self.system.dofs, y, at.v * (t / steps))
                self.set_time(before + t * k / steps)
                self.target[self.running_rows] += self.speeds * (t / steps)
                at = self.closed(y, at, held)
            yield at
        finally:
            self.target = target
            self.set_time(before)

    def counted(self) -> np.ndarray:
        """Angles as they were counted where the equations were last evaluated."""
        return self._at_rest(self.real.work.angle)

    def set_time(self, t: float) -> None:
        """Evaluate from now on at a time (s)."""
        self.t = t
        for equations in self.evaluators():
            equations.work.segment["t_accepted"] = t

    def _measured(self, point: Point) -> np.ndarray:
        """Values of the independent coordinates that rows measure."""
        self.real.evaluate(self.t, point.y, point.angles, LEVEL_POSITION)
        return np.asarray(self.real.work.Phi[self.measured_rows])

    # -- small motions ------------------------------------------------------------------------------------------
    def turning(self, point: Point) -> np.ndarray:
        """Omega of x' = z + Omega x: balls that turn as they move (quasi_coordinates.py); of all others 0."""
        Omega, of_tree = np.zeros_like(point.M_hat), self.motions >= 0
        Omega[of_tree] = turned_along(self.system.dofs, point.v, point.T)[self.motions[of_tree]]
        return Omega

    def stiffness(self, point: Point) -> np.ndarray:
        """K_hat = -dr/dx (P4 eq 20, total derivative), at constant z + Omega x; theory (4.6), (4.14)."""
        Omega, by = self.turning(point), self.derivatives
        spun = by.along_velocities(point, point.T).r @ Omega if np.any(Omega) else 0.0
        return np.asarray(spun - by.along_independent(point).r)

    def damping(self, point: Point) -> np.ndarray:
        """C_hat = -dr/dz: dampers, gyroscopic and Coriolis terms, all of them, theory (4.14)."""
        return np.asarray(-self.derivatives.along_velocities(point, point.T).r - point.M_hat @ self.turning(point))

    def system_matrix(self, point: Point) -> np.ndarray:
        """A of the small motions (x, z, s)' = A (x, z, s)."""
        by = self.derivatives
        along_z = by.along_velocities(point, point.T)
        return first_order(
            point.M_hat, self.turning(point), by.along_independent(point), along_z, by.along_states(point)
        )

    def coordinates(self, point: Point) -> dict[str, float]:
        """Every coordinate of the tree by name; a ball's as Euler parameters."""
        return {name: float(value) for name, value in zip(self.layout.q_names, point.y, strict=False)}
