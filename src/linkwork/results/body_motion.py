"""Motion of the bodies at the samples of a run: positions, orientations, velocities of the body frames."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.equations import Equations
from linkwork.numerics.rotations import euler_parameters
from linkwork.numerics.status import LEVEL_ALL

BodyMotion = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def body_motion(equations: Equations, states: np.ndarray, before: np.ndarray | None = None) -> BodyMotion:
    """Position (m), orientation (Euler parameters), velocity (m/s), angular velocity (rad/s) of the body
    frames, in the order of the model.

    `before`: the orientations of the sample before these; Euler parameters go on from there without a jump of sign.
    """
    compiled, work = equations.compiled, equations.work
    layout, count, bodies = compiled.layout, len(states), len(compiled.system.bodies)
    R, p, O, V = (np.empty((count, *a.shape)) for a in (work.R, work.p, work.O, work.V))
    angles, y = np.zeros(2 * layout.angle_count), np.zeros(len(work.rate))
    for n in range(count):
        y[: states.shape[1]] = states[n]
        equations.evaluate(0.0, y, angles, LEVEL_ALL)
        R[n], p[n], O[n], V[n] = work.R, work.p, work.O, work.V
    order = [layout.body(body.name) for body in compiled.mechanism.body] if bodies > 1 else []
    R, p, O, V = R[:, order], p[:, order], O[:, order], V[:, order]
    positions = p + np.einsum("nbij,bj->nbi", R, layout.p_LB[order])
    orientations = _continuous(euler_parameters(np.einsum("nbij,bjk->nbik", R, layout.R_LB[order])), before)
    velocities = V[..., :3] + np.cross(V[..., 3:], positions - O)
    return positions, orientations, velocities, V[..., 3:]


def _continuous(e: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """e and -e are one orientation: choose the signs so that each history has no jumps."""
    if not len(e):
        return e
    chain = np.concatenate([e[:1] if before is None else before[None], e])
    signs = np.where(np.sum(chain[1:] * chain[:-1], axis=-1) < 0.0, -1.0, 1.0)
    return e * np.cumprod(signs, axis=0)[..., None]
