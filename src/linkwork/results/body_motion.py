"""Motion of the bodies at the samples of a run: positions, orientations, velocities of the body frames."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators import stages
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
    bind(evaluate, stages.EVALUATE)
    bind_loop(motion_of_frames, stages.MOTION_OF_FRAMES)
    motion_of_frames(
        evaluate, equations.system_ref, equations.work_ref, np.ascontiguousarray(states), angles, y,
        *(a.reshape(count, a[:1].size) for a in (R, p, O, V)),
    )  # fmt: skip
    order = [layout.body(body.name) for body in compiled.mechanism.body] if bodies > 1 else []
    R, p, O, V = R[:, order], p[:, order], O[:, order], V[:, order]
    positions = p + np.einsum("nbij,bj->nbi", R, layout.p_LB[order])
    orientations = _continuous(euler_parameters(np.einsum("nbij,bjk->nbik", R, layout.R_LB[order])), before)
    velocities = V[..., :3] + np.cross(V[..., 3:], positions - O)
    return positions, orientations, velocities, V[..., 3:]


@kernel
def motion_of_frames(evaluate, system, work, states, angles, y, R, p, O, V):
    """R, p, O, V of the frames in the tree at each state, one row a state."""
    for n in range(states.shape[0]):
        for i in range(states.shape[1]):
            y[i] = states[n, i]
        evaluate(system, 0.0, y, angles, work, LEVEL_ALL)
        for body in range(system.bodies.shape[0]):
            for i in range(3):
                p[n, 3 * body + i], O[n, 3 * body + i] = work.p[body, i], work.O[body, i]
                V[n, 6 * body + i], V[n, 6 * body + 3 + i] = work.V[body, i], work.V[body, 3 + i]
                for j in range(3):
                    R[n, 9 * body + 3 * i + j] = work.R[body, i, j]


def _continuous(e: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """e and -e are one orientation: choose the signs so that each history has no jumps."""
    if not len(e):
        return e
    chain = np.concatenate([e[:1] if before is None else before[None], e])
    signs = np.where(np.sum(chain[1:] * chain[:-1], axis=-1) < 0.0, -1.0, 1.0)
    return e * np.cumprod(signs, axis=0)[..., None]


def exports() -> Exports:
    """For the native library."""
    yield motion_of_frames, stages.MOTION_OF_FRAMES
