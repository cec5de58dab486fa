"""Codes that kernels and Python exchange: what to evaluate, what to solve, and how a kernel ended.

A kernel raises nothing; it returns a status, and Python turns it into an error that names the element.

Python uses the enums (`Status(code)`); kernels use the plain numbers below them.  A member of an enum is a type of its
own to the compiler, and a kernel that takes or returns one would be compiled once more for it.
"""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """How much of the equations `evaluate` fills, for a state (t, q, v)."""

    POSES = 0  # poses of the bodies and Phi
    POSITION = 1  # poses, Phi and all that depends on position alone: axes, M, Phi_v, nu
    VELOCITY = 2  # what depends on velocity too: Q, gamma; POSITION was evaluated at the same (t, q)
    ALL = 3  # everything that the accelerations need: of an open tree neither M nor Q
    EQUATIONS = 4  # M and Q in any case; F is then summed up along the tree, and not that of each body


LEVEL_POSES = Level.POSES.value
LEVEL_POSITION = Level.POSITION.value
LEVEL_VELOCITY = Level.VELOCITY.value
LEVEL_ALL = Level.ALL.value
LEVEL_EQUATIONS = Level.EQUATIONS.value


class Task(IntEnum):
    """What a method's `solve` does with the equations evaluated last."""

    FACTOR = 0  # factor them
    ACCELERATE = 1  # v_dot and lam, and dy/dt in `work.rate`
    MOVE = 2  # in `work.delta` a motion with Phi_v delta = c, for the right-hand side c in `work.c`
    SHORTEST = 3  # the same, the shortest one in the plain sense; of methods that partition, for P3 as printed


FACTOR = Task.FACTOR.value
ACCELERATE = Task.ACCELERATE.value
MOVE = Task.MOVE.value
SHORTEST = Task.SHORTEST.value


class Status(IntEnum):
    """How a kernel ended."""

    OK = 0
    CHUNK_DONE = 1  # not an error: the loop hands control back to Python for a moment
    FINISHED = 2  # not an error: the end time is reached
    STEP_TOO_SMALL = 3  # the error control requires a step below what t can resolve
    NEWTON_STALLED = 4  # the position correction does not converge
    NOT_FINITE = 5  # a NaN or an infinity in the state or its rate
    MASS_SINGULAR = 6  # a motion without inertia: M is not positive definite
    CHOOSE_ROWS = 7  # not an error: another set of active rows would serve better from here on
    EVENT_FOUND = 8  # not an error: the condition of an event has become true during the last step
    JAMMED = 9  # friction and the load that makes it do not agree
    CHANGE_DUE = 10  # not an error: at this instant drivers begin or let go, or a blow strikes
    CHANGED = 11  # not an error: that has happened
    STOPPED = 12  # not an error: an event ends the run
    DRIVER_APART = 13  # a driver by position begins where its coordinate is not
    FILLED_IN = 14  # the sparse factors of LU's dependent block have more entries than there is room for


OK = Status.OK.value
CHUNK_DONE = Status.CHUNK_DONE.value
FINISHED = Status.FINISHED.value
STEP_TOO_SMALL = Status.STEP_TOO_SMALL.value
NEWTON_STALLED = Status.NEWTON_STALLED.value
NOT_FINITE = Status.NOT_FINITE.value
MASS_SINGULAR = Status.MASS_SINGULAR.value
CHOOSE_ROWS = Status.CHOOSE_ROWS.value
EVENT_FOUND = Status.EVENT_FOUND.value
JAMMED = Status.JAMMED.value
CHANGE_DUE = Status.CHANGE_DUE.value
CHANGED = Status.CHANGED.value
STOPPED = Status.STOPPED.value
DRIVER_APART = Status.DRIVER_APART.value
FILLED_IN = Status.FILLED_IN.value
