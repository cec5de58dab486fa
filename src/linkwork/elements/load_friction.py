"""Friction with the joint's load: F = coefficient N tanh(v / v_s) where the joint touches, N from its multipliers.

The load N depends on the accelerations, and these on the friction: after every solution for v_dot and lam the friction
is computed anew, its change is added to Q, and it is solved again until both agree (integrators/control.py).  A secant
through the last two rounds speeds this up, for each friction by itself.  Where a growing friction makes the load grow
as much (a jammed joint) there is nothing to agree on, and the rounds do not converge.

    joint                     load N                                        acts
    revolute, cylindrical     across the axis (radial)                      at `radius` about the axis
    prismatic, cylindrical    across the axis (normal)                      along the axis
    screw                     axial / cos(lead), normal of a square thread  at `radius`, along the thread

Moments across the axis (a bearing or slide that is bent) do not count, nor does thrust in a revolute joint.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.families import FORCES, LOADS, Family
from linkwork.elements.pairs import PAIR, add_effort, ends, frame_axis, relative_motion
from linkwork.numerics.codes import LOAD_CHANGE, LOAD_ROUND, LOAD_WORST
from linkwork.numerics.jit import kernel, part
from linkwork.numerics.vectors import cross, scale, sub, vector

ENOUGH = 1e-12  # of the friction that the largest multiplier would give: a smaller change is none
STEEPEST = 0.9  # growth of the friction with itself from which on the secant is not trusted

LOAD_FRICTION = np.dtype(
    [
        ("effort", np.int32),  # signal of the friction force, N; the two after it: force and law of the round before
        ("rate", np.int32),  # signal of the coordinate's rate
        ("first", np.int32),  # row whose multiplier is the load
        ("second", np.int32),  # another, at right angles to it, or -1
        ("coefficient", np.float64),  # friction force for a unit multiplier
        ("smoothing", np.float64),  # m/s or rad/s
        ("along", np.float64),  # m along the axis for a unit of sliding
        ("about", np.float64),  # m: moment about the axis of a unit force
        *PAIR,
    ],
    align=True,
)


@part
def _direction(record, R):
    """(f, n) of a unit friction force."""
    z = frame_axis(R, record.body_a, record.R_AF, 2)
    return scale(record.along, z), scale(record.about, z)


@kernel
def friction_forces(system, t, angles, work, first, last):
    """The friction of the round before, as a first guess."""
    table = system.block[first:last].view(LOAD_FRICTION)
    for k in range(table.shape[0]):
        record = table[k]
        f, n = _direction(record, work.R)
        _, p_M = ends(work.R, work.p, record)
        e = work.signals[record.effort]
        add_effort(work.F, work.O, record, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(work.V, work.O, record, p_M, f, n)


@kernel
def friction_of_loads(system, t, angles, work, first, last):
    """The friction that the present multipliers make; its change goes into Q and into the power."""
    table = system.block[first:last].view(LOAD_FRICTION)
    largest = 0.0
    for r in range(work.lam.shape[0]):
        largest = max(largest, abs(work.lam[r].real))
    for k in range(table.shape[0]):
        record = table[k]
        place = record.effort
        load = abs(work.lam[record.first].real)
        if record.second >= 0:
            load = math.hypot(load, work.lam[record.second].real)
        law = record.coefficient * load * math.tanh(work.signals[record.rate].real / record.smoothing)
        e, e_before, law_before = work.signals[place].real, work.signals[place + 1].real, work.signals[place + 2].real
        step = law - e
        off = abs(step) / (ENOUGH * record.coefficient * largest + 1e-300)
        if not off <= work.settings[LOAD_CHANGE]:
            work.settings[LOAD_CHANGE], work.settings[LOAD_WORST] = off, k
        if work.settings[LOAD_ROUND] > 0.0 and e != e_before:
            growth = (law - law_before) / (e - e_before)
            if growth < STEEPEST:
                step = step / (1.0 - growth)
        work.signals[place], work.signals[place + 1], work.signals[place + 2] = e + step, e, law
        f, n = _direction(record, work.R)
        _, p_M = ends(work.R, work.p, record)
        work.energy[2] -= step * relative_motion(work.V, work.O, record, p_M, f, n)
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
