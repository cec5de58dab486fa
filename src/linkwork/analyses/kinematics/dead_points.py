"""Dead points: where the drivers of a mechanism cannot go on, because its position turns back there.

The positions form a curve (q, t) with Phi(q, t) = 0.  Along its length s the time grows, until at a dead point
t'(s) = 0: Phi_q has lost rank, velocities are infinite, and beyond it there is no position at all.  On the curve itself
nothing special happens there, so it is followed by its length, and the root of t'(s) is found (Keller 1977).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.independent_rows import rows_taken
from linkwork.analyses.start.like_bodies import with_like_bodies
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.kinematics import displace
from linkwork.formulations.motion_rows import JointRows
from linkwork.lazy_import import lazy_module
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION
from linkwork.numerics.subspaces import RANK_CUT, null_space

optimize = lazy_module("scipy.optimize")

FIRST_STEP = 1e-3  # rad or m along the curve
LONGEST = 0.5  # rad or m: how far along the curve a dead point is sought
EXACT = 1e-13  # rad or m: Newton's last step
ITERATIONS = 20


@dataclass(frozen=True)
class DeadPoint:
    """Where it is, how many equations are independent there, and which joint can move though the drivers stand."""

    t: float  # s, or the input of a sweep
    rank: int
    joint: str


class _Curve:
    """Points of the curve near a position, by their distance from it along its tangent there."""

    def __init__(self, equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, sense: float) -> None:
        self.equations, self.t0, self.y0, self.angles = equations, t, y, angles
        self.count = len(equations.system.dofs)
        self.towards = np.zeros(self.count + 1)
        self.towards[-1] = sense
        self.tangent0 = self._tangent(t, y)

    def _matrix(self, t: float, y: np.ndarray) -> np.ndarray:
        """(Phi_q, Phi_t); Phi_t = -nu, since Phi_v v = nu."""
        self.equations.evaluate(t, y, self.angles, LEVEL_POSITION)
        work = self.equations.work
        return np.column_stack([dense_jacobian(self.equations.system, work), -work.nu])

    def _tangent(self, t: float, y: np.ndarray) -> np.ndarray:
        """Of unit length, in the sense in which the curve was followed."""
        tangent = null_space(self._matrix(t, y), rank=self.count)[:, 0]
        return np.asarray(tangent if tangent @ self.towards > 0.0 else -tangent)

    def point(self, s: float) -> tuple[float, np.ndarray]:
        """The position s along the tangent, moved by the least change onto the curve."""
        t, y = self.t0 + s * self.tangent0[-1], self.y0.copy()
        displace(self.equations.system.dofs, y, s * self.tangent0[:-1])
        for _ in range(ITERATIONS):
            matrix = self._matrix(t, y)
            step = np.linalg.lstsq(matrix, -self.equations.work.Phi, rcond=RANK_CUT)[0]
            displace(self.equations.system.dofs, y, step[:-1])
            t += float(step[-1])
            if np.abs(step).max() < EXACT:
                break
        return t, y

    def time_slope(self, s: float) -> float:
        """t'(s)."""
        self.towards = self.tangent0
        return float(self._tangent(*self.point(s))[-1])


def dead_point(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, sense: float) -> DeadPoint | None:
    """The dead point next to a position, where t'(s) = 0; `sense`: +1 or -1, how t was changing.  None: none nearby."""
    curve = _Curve(equations, t, y, angles, sense)
    low, high = 0.0, FIRST_STEP
    while curve.time_slope(high) * sense > 0.0:
        low, high = high, 2.0 * high
        if high > LONGEST:
            return None
    t, y = curve.point(float(optimize.brentq(curve.time_slope, low, high, xtol=1e-12)))
    rank = len(rows_taken(with_like_bodies(equations), y, angles, t))
    return DeadPoint(float(t), rank, moving_joint(equations, t, y, angles))


def moving_joint(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> str:
    """The joint that moves most in a motion that the constraints, drivers included, do not prevent here."""
    compiled, work = equations.compiled, equations.work
    equations.evaluate(t, y, angles, LEVEL_ALL)
    motion = null_space(dense_jacobian(compiled.system, work), rank=compiled.layout.v_count - 1)[:, 0]
    rows = JointRows(compiled).at(work)
    return compiled.mechanism.joint[int(rows.owner[np.argmax(np.abs(rows.rates(motion)))])].name
