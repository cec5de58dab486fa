"""A clamped rod under a dead force at its tip, exactly (Kirchhoff, Cosserat): the reference of large deflections.

With the axes R of a section, r its place, n and m force and moment in it (world), along the length s:

    r' = R (e_x + C_n^-1 R^T n),    R' = R [C_m^-1 R^T m]x,    n = force,    m' = -r' x n,    m(L) = 0

solved by shooting: the moment at the clamp is found by Newton, the equations are integrated by DOP853.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

EXACT = 1e-10


@dataclass(frozen=True)
class Rod:
    """A straight rod along x from a clamp at the origin, N and N m2."""

    length: float  # m
    EA: float
    GA: tuple[float, float]  # along y, z
    GJ: float
    EI: tuple[float, float]  # of bending along y, z

    def carried(
        self, place: np.ndarray, axes: np.ndarray, force: np.ndarray, moment: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place (m), axes and moment (N m) at the end, of those at the beginning; the force (N) is the same."""
        stretch = 1.0 / np.array([self.EA, *self.GA])
        bend = 1.0 / np.array([self.GJ, self.EI[1], self.EI[0]])  # about x, y, z

        def along(_: float, y: np.ndarray) -> np.ndarray:
            R, m = y[3:12].reshape(3, 3), y[12:]
            slope = R @ (np.array([1.0, 0.0, 0.0]) + stretch * (R.T @ force))
            k = bend * (R.T @ m)
            turn = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
            return np.concatenate([slope, (R @ turn).ravel(), -np.cross(slope, force)])

        start = np.concatenate([place, axes.ravel(), moment])
        end = solve_ivp(along, (0.0, self.length), start, method="DOP853", rtol=EXACT, atol=EXACT).y[:, -1]
        return end[:3], end[3:12].reshape(3, 3), end[12:]

    def tip(self, moment: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place of the tip (m) and moment there (N m), for a moment at the clamp."""
        place, _, moment = self.carried(np.zeros(3), np.eye(3), force, moment)
        return place, moment

    def bent(self, force: np.ndarray, steps: int = 8) -> tuple[np.ndarray, np.ndarray]:
        """Place of the tip (m) under a force (N) at it, and the moment at the clamp (N m); the force grows in steps."""
        moment = np.zeros(3)
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            found = root(lambda m, share=share: self.tip(m, share * force)[1], moment, tol=1e-12)
            moment = found.x
        return self.tip(moment, force)[0], moment

    def sideways(self, force: np.ndarray, across: int) -> float:
        """Determinant that vanishes where a rod bent in a plane may leave it; `across`: the axis across the plane."""
        _, moment = self.bent(force)
        leaves = [k for k in range(3) if k != across]  # moments that turn it out of its plane
        J = np.zeros((3, 3))
        h = 1e-5 * np.abs(moment).max()
        for k in range(3):
            step = h * np.eye(3)[k]
            J[:, k] = (self.tip(moment + step, force)[1] - self.tip(moment - step, force)[1]) / (2 * h)
        return float(np.linalg.det(J[np.ix_(leaves, leaves)]))
