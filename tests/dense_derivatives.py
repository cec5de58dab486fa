"""Derivatives of a sample by another road, for tests: all in complex numbers and dense, with NumPy.

The state y + i h dy goes onto the constraints by Newton's method, the least way in the metric of M, and the augmented
equations are solved there; the imaginary parts are the derivatives.  Nothing is differentiated by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.elements.joints.motions import BALL, BALL_REST
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import entries
from linkwork.numerics.status import Level
from linkwork.system.compile import Compiled

STEP = 1e-30


@dataclass(frozen=True)
class Slopes:
    """Along one direction."""

    rate: np.ndarray  # of dy/dt but for the power
    lam: np.ndarray
    kinetic: float
    position: np.ndarray  # [body, 3] of the origins of the link frames
    rounding: float  # of dv_dot and dlam, relative: what the condition of the dense equations makes of it


def slopes(
    compiled: Compiled, t: float, y: np.ndarray, angles: np.ndarray, along: np.ndarray, given: dict[int, complex]
) -> Slopes:
    """`given`: values of signals that are inputs, their slopes as imaginary parts."""
    equations = Equations(compiled.as_open_tree(False), np.complex128)
    work = equations.work
    for place, value in given.items():
        work.signals[place] = value.real + 1j * STEP * value.imag
    state = y + 1j * STEP * along
    put_on_constraints(equations, t, state, angles)
    rate, lam, K = rates(equations, t, state, angles)
    rounding = np.finfo(float).eps * np.linalg.cond(K.real / np.outer(*2 * [np.sqrt(np.abs(K).max(axis=0))]))
    return Slopes(rate.imag / STEP, lam.imag / STEP, float(work.energy[0].imag / STEP), work.p.imag / STEP, rounding)


def put_on_constraints(equations: Equations, t: float, state: np.ndarray, angles: np.ndarray) -> None:
    """A state near to them, coordinates first, then velocities."""
    work, dofs, rows = equations.work, equations.system.dofs, np.flatnonzero(equations.system.rows["active"])
    q_count = len(equations.compiled.layout.q_names)
    v = state[q_count : q_count + len(dofs)]
    for _ in range(3):
        equations.evaluate(t, state, angles, Level.POSITION)
        _displace(dofs, state, _least(equations, rows, -work.Phi))
    equations.evaluate(t, state, angles, Level.POSITION)
    v += _least(equations, rows, work.nu - _jacobian(equations) @ v)


def rates(
    equations: Equations, t: float, state: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """dy/dt but for the power, the multipliers, and the matrix of the augmented equations."""
    work, rows = equations.work, np.flatnonzero(equations.system.rows["active"])
    q_count, v_count = len(equations.compiled.layout.q_names), len(equations.system.dofs)
    equations.evaluate(t, state, angles, Level.ALL)
    J = _jacobian(equations)[rows]
    K = np.block([[_mass(equations), J.T], [J, np.zeros((len(rows), len(rows)))]])
    found = np.linalg.solve(K, np.concatenate([work.Q, work.gamma[rows]]))
    lam, rate = np.zeros(len(equations.system.rows), complex), work.rate.copy()
    lam[rows], rate[q_count : q_count + v_count] = found[v_count:], found[:v_count]
    return rate, lam, K


def _displace(dofs: np.ndarray, state: np.ndarray, delta: np.ndarray) -> None:
    """Coordinates by a small motion; Euler parameters by (1, delta / 2) o e, normalized."""
    for j, dof in enumerate(dofs):
        if dof["kind"] == BALL:
            e, d = state[dof["q"] : dof["q"] + 4], 0.5 * delta[j : j + 3]
            e[:] = [e[0] - d @ e[1:], *(e[1:] + d * e[0] + np.cross(d, e[1:]))]
            e /= np.sqrt(e @ e)
        elif dof["kind"] != BALL_REST:
            state[dof["q"]] += delta[j]


def _least(equations: Equations, rows: np.ndarray, c: np.ndarray) -> np.ndarray:
    J, M = _jacobian(equations)[rows], _mass(equations)
    back = np.linalg.solve(M, J.T)
    return back @ np.linalg.solve(J @ back, c[rows]) if len(rows) else np.zeros(len(M), complex)


def _jacobian(equations: Equations) -> np.ndarray:
    J = np.zeros((len(equations.system.rows), len(equations.system.dofs)), complex)
    J[entries(equations.system)] = equations.work.J
    return J


def _mass(equations: Equations) -> np.ndarray:
    """M is packed by ancestors."""
    dofs, packed = equations.system.dofs, equations.work.M
    M = np.zeros((len(dofs), len(dofs)), complex)
    for k, dof in enumerate(dofs):
        i = k
        while i >= 0:
            M[k, i] = M[i, k] = packed[dof["row"] + dofs[i]["depth"]]
            i = dofs[i]["parent"]
    return M
