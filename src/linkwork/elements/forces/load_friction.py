"""Friction with the joint's load: F = coefficient N tanh(v / v_s) where the joint touches, N from its multipliers.

The load N depends on the accelerations, and these on the friction: after every solution for v_dot and lam the friction
is computed anew, its change is added to Q, and it is solved again until both agree (integrators/control.py).  A secant
through the last two rounds speeds this up, for each friction by itself.  Where a growing friction makes the load grow
as much (a jammed joint) there is nothing to agree on, and the rounds do not converge.

    joint                     load N                                        acts
    revolute, cylindrical     across the axis (radial)                      at `radius` about the axis
    universal                 across the pin, of the force at the centre    at `radius` about the pin
    prismatic, cylindrical    across the axis (normal)                      along the axis
    screw                     axial / cos(lead), normal of a square thread  at `radius`, along the thread
    spherical                 the whole force                               at `radius`, against the angular velocity
    planar                    normal to the plane                           at the point of M, against its sliding
    planar, its angle         normal to the plane                           at `radius` about the normal

Moments across the axis (a bearing or slide that is bent, a plate that is tilted) do not count, nor does thrust in a
revolute joint.  On a ball and on a plane the friction has no fixed line: with s the speed of turning or sliding it is
c s + (F + coefficient N) tanh(s / v_s) against the motion, the viscous part c and F included.  A constant-velocity
joint bears its load on balls in grooves, for which there is no law here, and has no coordinate that is one number.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.family import FORCES, LOADS, Family
from linkwork.elements.joints.bearing import BALL, LINE
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, ends, frame_axis, pair_of, relative_motion
from linkwork.numerics.status import LOAD_CHANGE, LOAD_ROUND, LOAD_WORST
from linkwork.numerics.vectors import angular, cross, dot, point_velocity, scale, sub, vector

ENOUGH = 1e-12  # of the friction that the largest multiplier would give: a smaller change is none
TINY = 1e-40  # (m/s)^2 or (rad/s)^2: at rest there is no direction
STEEPEST = 0.9  # growth of the friction with itself from which on the secant is not trusted

LOAD_FRICTION = np.dtype(
    [
        ("effort", np.int32),  # signal of the friction force, N; the two after it: force and law of the round before
        ("rate", np.int32),  # signal of the coordinate's rate
        ("way", np.int32),  # LINE, BALL, PLANE (elements/joints/bearing.py)
        ("rows", np.int32, (3,)),  # whose multipliers are the load, at right angles to each other; -1: none
        ("across", np.int32),  # 1: only what is across the axis counts
        ("coefficient", np.float64),  # friction force, N, or of a ball moment, N m, for a unit multiplier
        ("coulomb", np.float64),  # N or N m, of a ball or on a plane
        ("viscous", np.float64),  # N s/m or N m s/rad, of a ball or on a plane
        ("smoothing", np.float64),  # m/s or rad/s
        ("along", np.float64),  # m along the axis for a unit of sliding
        ("about", np.float64),  # m: moment about the axis of a unit force
        *PAIR,
    ],
    align=True,
)
SIZE = LOAD_FRICTION.itemsize


@part
def _direction(record, work):
    """(f, n) of a unit friction force, and the speed that it resists."""
    z = frame_axis(work.R, record.body_a, record.R_AF, 2)
    if record.way == LINE:
        return scale(record.along, z), scale(record.about, z), work.signals[record.rate]
    a, b = record.body_a, record.body_b
    if record.way == BALL:
        motion = sub(angular(work.V, b), angular(work.V, a))
    else:
        _, p_M = ends(work.R, work.p, pair_of(record))
        v = sub(point_velocity(work.V, work.O, b, p_M), point_velocity(work.V, work.O, a, p_M))
        motion = sub(v, scale(dot(v, z), z))
    speed = np.sqrt(dot(motion, motion) + TINY)
    u = scale(1.0 / speed, motion)
    return scale(record.along, u), scale(record.about, u), speed


@part
def _friction(record, work, speed):
    """c s + (F + coefficient N) tanh(s / v_s), N of the present multipliers."""
    square, along = 0.0, 0.0
    z = frame_axis(work.R, record.body_a, record.R_AF, 2)
    for i in range(3):
        r = record.rows[i]
        if r >= 0:
            square += work.lam[r].real ** 2
            if record.across:
                pull = (work.W[r, 6].real, work.W[r, 7].real, work.W[r, 8].real)
                along += work.lam[r].real * (pull[0] * z[0].real + pull[1] * z[1].real + pull[2] * z[2].real)
    load = math.sqrt(max(square - along * along, 0.0))
    limit = record.coulomb + record.coefficient * load
    return record.viscous * speed + limit * np.tanh(speed / record.smoothing)


@kernel
def friction_forces(system, t, angles, work, first, last):
    """The friction of the multipliers at hand, those of the evaluation before: a first guess."""
    for at in range(first, last, SIZE):
        record = record_at(system.block, at, LOAD_FRICTION)
        f, n, speed = _direction(record, work)
        _, p_M = ends(work.R, work.p, pair_of(record))
        e = _friction(record, work, speed)
        work.signals[record.effort] = e
        add_effort(work.F, work.O, pair_of(record), p_M, e, f, n)
        work.energy[2] -= e * relative_motion(work.V, work.O, pair_of(record), p_M, f, n)


@kernel
def friction_of_loads(system, t, angles, work, first, last):
    """The friction that the present multipliers make; its change goes into Q and into the power."""
    largest = 0.0
    for r in range(work.lam.shape[0]):
        largest = max(largest, abs(work.lam[r].real))
    for at in range(first, last, SIZE):
        record = record_at(system.block, at, LOAD_FRICTION)
        place = record.effort
        f, n, speed = _direction(record, work)
        law = _friction(record, work, speed).real
        e, e_before, law_before = work.signals[place].real, work.signals[place + 1].real, work.signals[place + 2].real
        step = law - e
        off = abs(step) / (ENOUGH * record.coefficient * largest + 1e-300)
        if not off <= work.settings[LOAD_CHANGE]:
            work.settings[LOAD_CHANGE], work.settings[LOAD_WORST] = off, (at - first) // SIZE
        if work.settings[LOAD_ROUND] > 0.0 and e != e_before:
            growth = (law - law_before) / (e - e_before)
            if growth < STEEPEST:
                step = step / (1.0 - growth)
        work.signals[place], work.signals[place + 1], work.signals[place + 2] = e + step, e, law
        _, p_M = ends(work.R, work.p, pair_of(record))
        work.energy[2] -= step * relative_motion(work.V, work.O, pair_of(record), p_M, f, n)
        _add_to_forces(system, work, record.body_b, p_M, f, n, -step)
        _add_to_forces(system, work, record.body_a, p_M, f, n, step)


@part
def _add_to_forces(system, work, body, p_M, f, n, factor):
    """Q += factor (f at p_M, n) on a body: along every motion on the way to it."""
    S, Q = work.S, work.Q
    moment = cross(sub(p_M, vector(work.O, body)), f)
    b = body
    while b > 0:
        record = system.bodies[b]
        for j in range(record.first_dof, record.first_dof + record.dof_count):
            along = f[0] * S[j, 0] + f[1] * S[j, 1] + f[2] * S[j, 2]
            about = (moment[0] + n[0]) * S[j, 3] + (moment[1] + n[1]) * S[j, 4] + (moment[2] + n[2]) * S[j, 5]
            Q[j] += factor * (along + about)
        b = record.parent


FRICTIONS = Family(
    "load friction", LOAD_FRICTION, {FORCES: friction_forces, LOADS: friction_of_loads},
    lambda places: list(places.load_frictions), lambda places: places.owners["load friction"],
)  # fmt: skip
