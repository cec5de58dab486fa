"""Motion of the bodies at the samples of a run: positions, orientations, velocities of the body frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel, part
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.kinematics import velocities
from linkwork.formulations.poses import poses
from linkwork.integrators import stages
from linkwork.numerics.rotations import parameters_of
from linkwork.numerics.status import LEVEL_ALL
from linkwork.numerics.vectors import add, angular, cross, linear, rotate, sub, vector

BODY_MOTION = ("position", "orientation", "velocity", "angular_velocity")  # fields of a Result


def body_motion(
    equations: Equations, states: np.ndarray, before: np.ndarray | None = None,
    into: Sequence[np.ndarray] | None = None,
) -> Sequence[np.ndarray]:  # fmt: skip
    """Position (m), orientation (Euler parameters), velocity (m/s), angular velocity (rad/s) of the body frames in the
    order of the model: four arrays [sample, body, component], those that are given or new ones.

    `before`: the orientations of the sample before these; Euler parameters go on from there without a jump of sign.
    """
    compiled, work = equations.compiled, equations.work
    layout, order, count = compiled.layout, compiled.body_places, len(states)
    found = [np.empty((count, len(order), width)) for width in (3, 4, 3, 3)] if into is None else into
    last = np.zeros((len(order), 4)) if before is None else np.array(before)
    angles, y = np.zeros(2 * layout.angle_count), np.zeros(len(work.rate))
    bind(evaluate, stages.EVALUATE)
    bind_loop(motion_of_bodies, stages.MOTION_OF_BODIES)
    motion_of_bodies(
        evaluate, equations.system_ref, equations.work_ref, np.ascontiguousarray(states), angles, y,
        order, layout.R_LB, layout.p_LB, last,
        *(array.reshape(count, len(order) * array.shape[2]) for array in found),
    )  # fmt: skip
    return found


@kernel
def motion_of_bodies(evaluate, system, work, states, angles, y, order, R_LB, p_LB, last, position, e, velocity, spin):
    """The motion of each body of `order` at each state, one row a state; `last`: Euler parameters before the first."""
    whole, bodies = system.whole[0], system.bodies
    q, speeds = y[: whole.q_count], y[whole.q_count : whole.q_count + whole.v_count]
    for n in range(states.shape[0]):
        for i in range(states.shape[1]):
            y[i] = states[n, i]
        if whole.flexible:
            evaluate(system, 0.0, y, angles, work, LEVEL_ALL)
        else:
            poses(bodies, system.dofs, q, work.R, work.p, work.O, work.S, 1, bodies.shape[0])
            velocities(bodies, system.dofs, speeds, work.S, work.V, work.A, 1, bodies.shape[0])
        for b in range(order.shape[0]):
            body = order[b]
            at = add(vector(work.p, body), rotate(work.R, body, vector(p_LB, body)))
            w = angular(work.V, body)
            v = add(linear(work.V, body), cross(w, sub(at, vector(work.O, body))))
            for i in range(3):
                position[n, 3 * b + i], velocity[n, 3 * b + i], spin[n, 3 * b + i] = at[i], v[i], w[i]
            orientation(work.R, R_LB, body, last, b)
            for i in range(4):
                e[n, 4 * b + i] = last[b, i]


@part
def orientation(R, R_LB, body, last, b):
    """Euler parameters of R R_LB into last[b], of the two that are one orientation those nearer to what is there."""
    e = parameters_of(_column(R, R_LB, body, 0), _column(R, R_LB, body, 1), _column(R, R_LB, body, 2))
    along = last[b, 0] * e[0] + last[b, 1] * e[1] + last[b, 2] * e[2] + last[b, 3] * e[3]
    sign = -1.0 if along < 0.0 or (along == 0.0 and e[0] < 0.0) else 1.0
    for i in range(4):
        last[b, i] = sign * e[i]


@part
def _column(R, R_LB, body, k):
    """Column k of R R_LB."""
    return rotate(R, body, (R_LB[body, 0, k], R_LB[body, 1, k], R_LB[body, 2, k]))


def exports() -> Exports:
    """For the native library."""
    yield motion_of_bodies, stages.MOTION_OF_BODIES
