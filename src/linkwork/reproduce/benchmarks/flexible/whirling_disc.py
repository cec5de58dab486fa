"""An unbalanced disc in the middle of a shaft that is driven at its ends, in axes that stand still: a reference.

Euler-Bernoulli bending and Saint-Venant torsion, both by their exact symmetric modes with the disc on them.  With
u = y + i z of the middle, psi its twist, Theta(t) the angle of the ends, theta = Theta + psi:

    T = sum 1/2 m_n |eta'_n|^2 + sum 1/2 j_n tau'_n^2 + (coupling of tau to Theta')
        + 1/2 m (|u' + i e theta' e^(i theta)|^2 - |u'|^2)
    V = sum 1/2 m_n w_n^2 |eta_n|^2 + sum 1/2 j_n v_n^2 tau_n^2,      u = sum p_n eta_n,   psi = sum s_n tau_n

the modal masses m_n and j_n with the disc; e is the eccentricity.  By symmetry the disc does not tilt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import brentq

Ramp = tuple[float, float, float, float]  # from and to, s; from and to, rad/s, by half a cosine


@dataclass(frozen=True)
class WhirlingDisc:
    """A shaft clamped in bearings that turn together, and its disc; SI units."""

    length: float
    EI: float
    GJ: float
    mass: float  # a length
    polar: float  # moment of inertia a length, kg m
    disc: float  # kg
    disc_polar: float  # kg m2, about its centre of mass
    eccentricity: float

    @property
    def half(self) -> float:
        """Of the length."""
        return self.length / 2.0

    def bending(self, count: int) -> np.ndarray:
        """(w, m, p) of the first symmetric modes: rad/s, kg, no dimension."""
        return np.array([self._bending_mode(k) for k in roots(self._bending_balance, 0.05, count)])

    def _bending_balance(self, k: float) -> float:
        """Half a beam, clamped and guided, with half a disc; divided by cosh(k L / 2)."""
        b, square = k * self.half, self.EI * k**4 / self.mass
        elastic = self.EI * k**3 * (math.tanh(b) * math.cos(b) + math.sin(b))
        return elastic - square * self.disc / 2 * (1.0 / math.cosh(b) - math.cos(b))

    def _bending_mode(self, k: float) -> tuple[float, float, float]:
        b = k * self.half
        s = (math.sinh(b) + math.sin(b)) / (math.cosh(b) - math.cos(b))
        x = np.linspace(0.0, self.half, 4001)
        shape = np.cosh(k * x) - np.cos(k * x) - s * (np.sinh(k * x) - np.sin(k * x))
        mass = 2.0 * self.mass * float(simpson(shape**2, x=x)) + self.disc * shape[-1] ** 2
        return k**2 * math.sqrt(self.EI / self.mass), mass, float(shape[-1])

    def torsion(self, count: int) -> np.ndarray:
        """(v, j, s, coupling to Theta') of the first symmetric modes, sin(g x) from either end."""
        speed, found = math.sqrt(self.GJ / self.polar), []
        for g in roots(self._torsion_balance, 1e-3, count):
            b = g * self.half
            inertia = (
                2.0 * self.polar * (self.half / 2 - math.sin(2 * b) / (4 * g)) + self.disc_polar * math.sin(b) ** 2
            )
            coupling = 2.0 * self.polar * (1.0 - math.cos(b)) / g + self.disc_polar * math.sin(b)
            found.append((g * speed, inertia, math.sin(b), coupling))
        return np.array(found)

    def _torsion_balance(self, g: float) -> float:
        b = g * self.half
        return 2.0 * self.GJ * g * math.cos(b) - self.GJ / self.polar * g**2 * self.disc_polar * math.sin(b)

    def run(self, ramps: tuple[Ramp, ...], t: np.ndarray, bends: int = 2, twists: int = 1) -> np.ndarray:
        """How far the middle is off the axis (m) at the times t (s), from rest; with so many modes."""
        w, m, p = self.bending(bends).T
        v, j, s, coupling = self.torsion(twists).T
        n, e, unbalance = bends, self.eccentricity, self.disc * self.eccentricity
        masses, stiffness = np.concatenate([m, m, j]), np.concatenate([m * w**2, m * w**2, j * v**2])

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            q, rate = np.split(y, 2)
            angle, speed, acceleration = driven(ramps, t)
            theta, turning = angle + s @ q[2 * n :], speed + s @ rate[2 * n :]
            c, d = math.cos(theta), math.sin(theta)
            across = unbalance * np.concatenate([-d * p, c * p])
            M, f = np.diag(masses), -stiffness * q
            M[: 2 * n, 2 * n :] = np.outer(across, s)
            M[2 * n :, : 2 * n] = np.outer(s, across)
            M[2 * n :, 2 * n :] += unbalance * e * np.outer(s, s)
            f[: 2 * n] += unbalance * turning**2 * np.concatenate([c * p, d * p]) - across * acceleration
            f[2 * n :] -= (coupling + unbalance * e * s) * acceleration
            return np.concatenate([rate, np.linalg.solve(M, f)])

        start = np.zeros(2 * len(masses))
        y = solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t, rtol=1e-9, atol=1e-11, max_step=0.01).y
        return np.asarray(np.hypot(p @ y[:n], p @ y[n : 2 * n]))


def roots(balance: Callable[[float], float], first: float, count: int) -> list[float]:
    """The lowest roots from `first` on."""
    found: list[float] = []
    grid = np.linspace(first, 20.0, 40_001)
    values = [balance(x) for x in grid]
    for k in range(len(grid) - 1):
        if values[k] * values[k + 1] < 0.0 and len(found) < count:
            found.append(float(brentq(balance, grid[k], grid[k + 1], xtol=1e-14)))
    return found


def driven(ramps: tuple[Ramp, ...], t: float) -> tuple[float, float, float]:
    """Angle, speed and acceleration at a time: ramps one after the other, constant speed between and after them."""
    angle, speed, now = 0.0, 0.0, 0.0
    for begin, end, low, high in ramps:
        if t <= begin:
            break
        angle += low * (begin - now)
        x, length = min(t, end) - begin, end - begin
        turn, change = math.pi * x / length, (high - low) / 2.0
        angle += low * x + change * (x - length / math.pi * math.sin(turn))
        speed, now = low + change * (1.0 - math.cos(turn)), begin + x
        if t <= end:
            return angle, speed, change * math.pi / length * math.sin(turn)
    return angle + speed * (t - now), speed, 0.0
