"""Derivatives of the reduced equations along directions, by complex steps.

Along a displacement dq the velocities follow the constraints; so they do along dv, at the same position.  With v, v_dot
and lam held at their reference values the kernels give (formulations/derivatives.py), theory (4.11) and (4.12),

    rest = d(nu - Phi_v v),      force = d(Q - M v_dot - Phi_v^T lam),      bias = d(gamma - Phi_v v_dot)

and with G^-1 of reduction.py

    dv = G^-1 rest,      dv_dot = G^-1 bias,      d(lam, r) = G^-T (force - M dv_dot)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.forces.callbacks import pass_on_failure
from linkwork.formulations.derivatives import MOTION, force_columns, rest_columns
from linkwork.formulations.kinematics import coordinate_rates

if TYPE_CHECKING:
    from linkwork.analyses.steady.reduction import Point, Reduction


@dataclass(frozen=True)
class Columns:
    """Derivatives along directions: of the balance, and of the bodies' motion."""

    balance: np.ndarray  # [row and independent, direction] of (lam, r)
    r: np.ndarray  # [independent, direction]
    rates: np.ndarray  # [state, direction] of the rates of auxiliary states
    signals: np.ndarray  # [direction, signal]
    dv: np.ndarray  # [motion, direction] velocities that go with a displacement
    motion: np.ndarray  # [direction, body, 21] of R, p, V, O
    dq: np.ndarray  # [direction, coordinate]


class ComplexSteps:
    """Derivatives exact to rounding (Squire & Trapp 1998), from the equations in complex numbers."""

    def __init__(self, reduction: Reduction) -> None:
        self.reduction = reduction
        self._latest: tuple[Point, Columns] | None = None

    def along_independent(self, point: Point) -> Columns:
        """Along the independent displacements; those of the latest point are kept."""
        if self._latest is None or self._latest[0] is not point:
            self._latest = (point, self.along_displacements(point, point.T))
        return self._latest[1]

    def along_displacements(self, point: Point, directions: np.ndarray) -> Columns:
        """Along displacements [motion, direction], the velocities following the constraints."""
        r, dq = self.reduction, self._coordinate_rates(point.y, directions)
        rest = self.rest_along(point, directions, point.v)
        return self._columns(point, dq, point.inverse @ r.right_side(rest))

    def rest_along(self, point: Point, directions: np.ndarray, v: np.ndarray) -> np.ndarray:
        """d(nu - Phi_v v) [direction, row] along displacements [motion, direction], for any velocities v."""
        r, dq = self.reduction, self._coordinate_rates(point.y, directions)
        rest = np.zeros((len(dq), len(r.layout.rows)))
        if np.any(v):
            rest_columns(
                r.imaginary.system_ref, r.imaginary.work_ref, r.t, r.complex_state, point.angles, point.y, dq,
                np.ascontiguousarray(v), rest,
            )  # fmt: skip
        return rest

    def along_velocities(self, point: Point, directions: np.ndarray) -> Columns:
        """Along velocities [motion, direction] at the same position."""
        return self._columns(point, np.zeros((directions.shape[1], self.reduction.layout.q_count)), directions)

    def along_states(self, point: Point) -> Columns:
        """Along each auxiliary state."""
        layout, states = self.reduction.layout, self.reduction.states
        ds = np.zeros((len(states), len(layout.state_starts)))
        ds[np.arange(len(states)), states] = 1.0
        return self._columns(point, np.zeros((len(ds), layout.q_count)), np.zeros((layout.v_count, len(ds))), ds)

    def _columns(self, point: Point, dq: np.ndarray, dv: np.ndarray, ds: np.ndarray | None = None) -> Columns:
        r, layout, count = self.reduction, self.reduction.layout, len(dq)
        ds = np.zeros((count, 0)) if ds is None else ds
        force, bias = np.zeros((count, layout.v_count)), np.zeros((count, len(layout.rows)))
        motion = np.zeros((count, len(r.system.bodies), MOTION))
        rates, signals = np.zeros((count, len(layout.state_starts))), np.zeros((count, len(r.real.work.signals)))
        force_columns(
            r.imaginary.system_ref, r.imaginary.work_ref, r.t, r.complex_state, point.angles, point.y, dq,
            np.ascontiguousarray(dv.T), ds, point.v_dot, point.lam, force, bias, motion, rates, signals,
        )  # fmt: skip
        pass_on_failure(r.imaginary.compiled.callbacks)
        dv_dot = point.inverse @ r.right_side(bias)
        balance = point.inverse.T @ (force.T - point.M @ dv_dot)
        return Columns(balance, balance[len(r.rows) :], rates[:, r.states].T, signals, dv, motion, dq)

    def _coordinate_rates(self, y: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """dq for displacements given as velocities x 1 s, one a row."""
        dq = np.zeros((directions.shape[1], self.reduction.layout.q_count))
        for k in range(directions.shape[1]):
            coordinate_rates(self.reduction.system.dofs, y, np.ascontiguousarray(directions[:, k]), dq[k])
        return dq


def first_order(M: np.ndarray, Omega: np.ndarray, along_x: Columns, along_z: Columns, along_s: Columns) -> np.ndarray:
    """A of (x, z, s)' = A (x, z, s), theory (4.13): x' = z + Omega x, M z' = r_x x + r_z z + r_s s, s' = its rates."""
    n, k = len(M), along_s.rates.shape[0]

    def solved(right: np.ndarray) -> np.ndarray:
        return np.linalg.solve(M, right) if n else right

    return np.block(
        [
            [Omega, np.eye(n), np.zeros((n, k))],
            [solved(along_x.r), solved(along_z.r), solved(along_s.r)],
            [along_x.rates, along_z.rates, along_s.rates],
        ]
    )
