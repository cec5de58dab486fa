"""Signals: numbers that the state determines - measures between bodies, auxiliary states, expressions of all these.

They stand in an order in which each needs only those before it.  Forces and events read them from `work.signals`; at a
sample they go into the result.  Accelerations and energies are known only after the forces: such signals, and what
depends on them, are for the result alone (phase OUTPUT).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.bodies.tree_paths import last_axis
from linkwork.elements.constraints.relative_motion import frame_axis
from linkwork.elements.constraints.rows import ANGLE, PARALLEL, POINT
from linkwork.elements.family import Family, Phase, record
from linkwork.elements.signals.frame_pairs import (
    DISTANCE,
    PAIR,
    counted,
    direction,
    ends,
    pair_of,
    relative_motion,
    rest_of_acceleration,
)
from linkwork.expressions.kernels.of_state import value_of
from linkwork.numerics.vectors import add, angular, cross, dot, linear, scale, sub, vector

PROGRAM = 0  # an expression of the signals before it
STATE = 1  # an auxiliary state
VALUE = 2  # a number between two bodies (elements/signals/frame_pairs.py)
RATE = 3  # its rate
ACCELERATION = 4  # its second derivative
SPIN = 5  # component of the angular velocity of B against A along an axis of F, rad/s
SPIN_RATE = 6  # its rate, rad/s2
ENERGY = 7  # i = 0: kinetic, 1: potential, 2: both; J
GIVEN = 8  # an input of an FMU: it stays as it was put into the workspace

OUTPUT_ONLY = (ACCELERATION, SPIN_RATE, ENERGY)

SIGNAL = record(
    [
        ("place", np.int32),  # in work.signals
        ("what", np.int32),  # PROGRAM, STATE, ...
        ("kind", np.int32),  # of the number between two bodies
        ("i", np.int32),
        ("j", np.int32),
        ("angle", np.int32),  # which counted angle, or -1
        ("first_op", np.int32),
        ("op_count", np.int32),
        *PAIR,
    ]
)
SIZE = SIGNAL.itemsize


@stage
def signals(system, t, angles, work, first, last):
    """Fill work.signals, record by record."""
    for at in range(first, last, SIZE):
        s = record_at(system.block, at, SIGNAL)
        if s.what == GIVEN:
            continue
        if s.what == PROGRAM:
            x = value_of(system.ops, s.first_op, s.op_count, t, work.signals, work.switches, work.stack)
        elif s.what == STATE:
            x = work.s[s.i]
        elif s.what == ENERGY:
            x = work.energy[0] + work.energy[1] if s.i == 2 else work.energy[s.i]
        elif s.what in OUTPUT_ONLY:
            x = _acceleration(s, system, work)
        else:
            x = _between_bodies(s, t, angles, work)
        work.signals[s.place] = x


@part
def _between_bodies(s, t, angles, work):
    R, p, O, V = work.R, work.p, work.O, work.V
    pair = pair_of(s)
    f, n = direction(s.kind, s.i, s.j, R, p, pair)
    _, p_M = ends(R, p, pair)
    if s.what == SPIN:
        axis = frame_axis(R, s.body_a, s.R_AF, s.i)
        return dot(axis, sub(angular(V, s.body_b), angular(V, s.body_a)))
    if s.what == RATE:
        return relative_motion(V, O, pair, p_M, f, n)
    x, _ = counted(s.kind, s.i, s.j, s.angle, t, angles, work, pair, p_M, f, n)
    return x


@part
def _acceleration(s, system, work):
    """work.A is at v_dot = 0, to which S v_dot is added along the tree."""
    R, p, O, V = work.R, work.p, work.O, work.V
    pair = pair_of(s)
    _, p_M = ends(R, p, pair)
    a_A, alpha_A = _whole_acceleration(system, work, s.body_a)
    a_B, alpha_B = _whole_acceleration(system, work, s.body_b)
    turning = sub(alpha_B, alpha_A)
    if s.what == SPIN_RATE:
        axis = frame_axis(R, s.body_a, s.R_AF, s.i)
        w_A, w_B = angular(V, s.body_a), angular(V, s.body_b)
        return dot(axis, turning) + dot(cross(w_A, axis), sub(w_B, w_A))
    f, n = direction(s.kind, s.i, s.j, R, p, pair)
    moved = sub(
        add(a_B, cross(alpha_B, sub(p_M, vector(O, s.body_b)))), add(a_A, cross(alpha_A, sub(p_M, vector(O, s.body_a))))
    )
    return dot(f, moved) + dot(n, turning) + rest_of_acceleration(s.kind, s.i, s.j, R, p, O, V, pair)


@part
def _whole_acceleration(system, work, body):
    """Rate of the twist of a body: that at v_dot = 0, and S v_dot of the motions on its path to the root."""
    acceleration, alpha = linear(work.A, body), angular(work.A, body)
    a = last_axis(system.bodies, body)
    while a >= 0:
        rate = work.v_dot[system.axes[a].dof]
        acceleration = add(acceleration, scale(rate, linear(work.S, a)))
        alpha = add(alpha, scale(rate, angular(work.S, a)))
        a = system.axes[a].before
    return acceleration, alpha


SIGNAL_FAMILY = Family("signals", SIGNAL, {Phase.SIGNALS: signals})
OUTPUT_FAMILY = Family("outputs", SIGNAL, {Phase.OUTPUT: signals})

# What an expression may use of named things: the number of names, and where it is known.
#   P, Q: bodies or named frames (their origins and axes); Q, where it may be left out, is the world
#   J: a joint, and the name of one of its coordinates where it has several
_AXES = {"x": 0, "y": 1, "z": 2}
POSITIONS = {name: (VALUE, POINT, i) for name, i in _AXES.items()}
VELOCITIES = {f"v{name}": (RATE, POINT, i) for name, i in _AXES.items()}
ACCELERATIONS = {f"a{name}": (ACCELERATION, POINT, i) for name, i in _AXES.items()}
SPINS = {f"w{name}": (SPIN, POINT, i) for name, i in _AXES.items()}
SPIN_RATES = {f"alpha{name}": (SPIN_RATE, POINT, i) for name, i in _AXES.items()}
COMPONENTS = POSITIONS | VELOCITIES | ACCELERATIONS | SPINS | SPIN_RATES
DISTANCES = {
    "dist": (VALUE, DISTANCE, 0), "speed": (RATE, DISTANCE, 0), "dist_acceleration": (ACCELERATION, DISTANCE, 0)
}  # fmt: skip
COORDINATES = {"coordinate": VALUE, "velocity": RATE, "acceleration": ACCELERATION}
ENERGIES = {"kinetic_energy": 0, "potential_energy": 1, "energy": 2}
FUNCTIONS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(COMPONENTS, (1, 2)),
    **dict.fromkeys(DISTANCES, (2, 2)),
    **dict.fromkeys(COORDINATES, (1, 2)),
    "cosine": (4, 4),  # cosine(P, axis of P, Q, axis of Q)
    "force": (1, 2),  # force(NAME): an effort, N or N m, or the magnitude of a vector; force(NAME, x)
    "torque": (1, 2),
}  # and those of the families (registry.py)
_LENGTH = {VALUE: "m", RATE: "m/s", ACCELERATION: "m/s2"}
_ANGLE = {VALUE: "rad", RATE: "rad/s", ACCELERATION: "rad/s2"}


def number_unit(what: int, kind: int) -> str:
    """SI unit of a number between two bodies, of its rate, or of its second derivative."""
    if what in (SPIN, SPIN_RATE):
        return _ANGLE[RATE if what == SPIN else ACCELERATION]
    if kind == PARALLEL:
        return "1" if what == VALUE else ""
    return (_ANGLE if kind == ANGLE else _LENGTH)[what]
