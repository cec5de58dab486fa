"""Motion of the bodies at the samples of a run: positions, orientations, velocities of the body frames."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.kinematics import velocities
from linkwork.formulations.poses import poses
from linkwork.numerics.jit import kernel
from linkwork.numerics.rotations import euler_parameters
from linkwork.numerics.vectors import angular, point_velocity
from linkwork.system.compile import Compiled

BodyMotion = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@kernel
def _motions(bodies, dofs, q_count, states, R_LB, p_LB, R, p, O, S, V, A, positions, rotations, speeds, spins):
    for n in range(states.shape[0]):
        poses(bodies, dofs, states[n], R, p, O, S)
        velocities(bodies, dofs, states[n, q_count:], S, V, A)
        for i in range(1, bodies.shape[0]):
            for r in range(3):
                s = p[i, r]
                for k in range(3):
                    s += R[i, r, k] * p_LB[i, k]
                    rotations[n, i - 1, r, k] = (
                        R[i, r, 0] * R_LB[i, 0, k] + R[i, r, 1] * R_LB[i, 1, k] + R[i, r, 2] * R_LB[i, 2, k]
                    )
                positions[n, i - 1, r] = s
            point = (positions[n, i - 1, 0], positions[n, i - 1, 1], positions[n, i - 1, 2])
            speed = point_velocity(V, O, i, point)
            spin = angular(V, i)
            for r in range(3):
                speeds[n, i - 1, r] = speed[r]
                spins[n, i - 1, r] = spin[r]


def body_motion(compiled: Compiled, states: np.ndarray, before: np.ndarray | None = None) -> BodyMotion:
    """Position (m), orientation (Euler parameters), velocity (m/s), angular velocity (rad/s) of the bodies, as said.

    `before`: the orientations of the sample before these; Euler parameters go on from there without a jump of sign.
    """
    system, layout = compiled.system, compiled.layout
    count, bodies, dofs = len(states), len(system.bodies), len(system.dofs)
    R, p, O = np.zeros((bodies, 3, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3))
    R[0] = np.eye(3)
    S, V, A = np.zeros((dofs, 6)), np.zeros((bodies, 6)), np.zeros((bodies, 6))
    positions, speeds, spins = (np.zeros((count, bodies - 1, 3)) for _ in range(3))
    rotations = np.zeros((count, bodies - 1, 3, 3))
    _motions(
        system.bodies, system.dofs, layout.q_count, np.ascontiguousarray(states), layout.R_LB, layout.p_LB,
        R, p, O, S, V, A, positions, rotations, speeds, spins,
    )  # fmt: skip
    order = [layout.body(body.name) - 1 for body in compiled.mechanism.body]
    orientations = _continuous(euler_parameters(rotations[:, order]), before)
    return positions[:, order], orientations, speeds[:, order], spins[:, order]


def _continuous(e: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """e and -e are one orientation: choose the signs so that each history has no jumps."""
    if not len(e):
        return e
    chain = np.concatenate([e[:1] if before is None else before[None], e])
    signs = np.where(np.sum(chain[1:] * chain[:-1], axis=-1) < 0.0, -1.0, 1.0)
    return e * np.cumprod(signs, axis=0)[..., None]
