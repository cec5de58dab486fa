"""Joints that can move, to first order, at a position of a mechanism with very many rows, compiled.

Of the motions x with A x = 0, rows and motions in their units, a joint with velocity a x moves by |N^T a|^2, N an
orthonormal basis (loose_joints.py).  With A A^T = C C^T over the rows that are independent, within their envelope,

    |N^T a|^2 = |a|^2 - |C^-1 A a|^2

is what is left of a beside the rows.  C^-1 A a begins at the first row that shares a motion with the joint, and ends
where nothing is left of it a few rows on: a joint costs the same, however large the mechanism.  None moves by more than
|a|^2: that tells of most joints at once whether they are among those that move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.analyses.certificate.singular.loose_joints import MOVES, NAMED
from linkwork.compiler.argument_types import SYSTEM, VECTOR, VOID, WORK, Structure, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.compiler.references import Reference
from linkwork.formulations.motion_rows import EMPTY_TABLE, JOINT_TABLE, joint_rows_at
from linkwork.numerics.vectors import add, cross, sub, vector
from linkwork.system.active_rows import ACTIVE

FADED = 1e-4  # of the length of a: less of C^-1 A a does not go on


class ManyRoom(NamedTuple):
    """What the search for loose joints works in."""

    units: np.ndarray  # of motions
    point: np.ndarray  # [velocity of a joint, 3]
    along: np.ndarray
    about: np.ndarray
    x: np.ndarray  # [motion] a, zero between joints
    y: np.ndarray  # [row] C^-1 A a
    reach: np.ndarray  # [row] last + 1 motion of the rows until then
    named: np.ndarray  # [NAMED] joints that move, in the order of the model; -1 behind the last


MANY_ROOM = Structure("ManyRoom")


def room_among_many(units: np.ndarray, rows: int, velocities: int) -> ManyRoom:
    """For motions in these units, so many rows and velocities of joints."""
    point, along, about = np.zeros((3, velocities, 3))
    return ManyRoom(
        units, point, along, about, np.zeros(len(units)), np.zeros(rows), np.zeros(rows, np.int64), np.full(NAMED, -1)
    )


@kernel
def name_loose_among_many(system, work, joints, table, left, room):
    """The first joints that move at the position evaluated last, for which the rows of `table` are factored."""
    joint_rows_at(joints, work.R, work.p, room.point, room.along, room.about)
    for b in range(table.shape[0]):
        room.reach[b] = max(table[b].high, room.reach[b - 1]) if b > 0 else table[b].high
    fastest, most, r = 0.0, 0.0, 0
    while r < joints.owner.shape[0]:
        square, r = _square_of_joint(system, work, joints, table[:0], left, room, r)
        most = max(most, square)
    if _name(system, work, joints, table, left, room, fastest, most):
        return
    r = 0
    while r < joints.owner.shape[0]:
        square, r = _square_of_joint(system, work, joints, table, left, room, r)
        fastest = max(fastest, square)
    _name(system, work, joints, table, left, room, fastest, fastest)


@part
def _name(system, work, joints, table, left, room, fastest, most):
    """Those that move, where the fastest moves by `fastest` at least and `most` at most; whether that is sure."""
    named, count, r = room.named, 0, 0
    named[:] = -1
    while r < joints.owner.shape[0] and count < named.shape[0]:
        joint = joints.owner[r]
        square, r = _square_of_joint(system, work, joints, table, left, room, r)
        fastest = max(fastest, square)
        if square > MOVES * MOVES * most:
            named[count] = joint
            count += 1
        elif square > MOVES * MOVES * fastest:
            return False
    return True


@part
def _square_of_joint(system, work, joints, table, left, room, r):
    """|N^T a|^2 of the joint whose first velocity is r, of all its velocities together, beside the rows of the table;
    and the first velocity of the next joint.
    """
    joint, total, x = joints.owner[r], 0.0, room.x
    while r < joints.owner.shape[0] and joints.owner[r] == joint:
        low, high = _spread(system, work, joints, room, r)
        square = 0.0
        for j in range(low, high):
            square += x[j] * x[j]
        total += square - _square_in_rows(table, work, left, room, low, high, FADED * math.sqrt(square))
        for j in range(low, high):
            x[j] = 0.0
        r += 1
    return total, r


@part
def _spread(system, work, joints, room, r):
    """a of velocity r into x, up to the body from which both of its bodies hang; first and last + 1 of its motions."""
    bodies, axes, S, x = system.bodies, system.axes, work.S, room.x
    l, p, a = vector(room.along, r), vector(room.point, r), vector(room.about, r)
    i, k, low, high = joints.body_a[r], joints.body_b[r], x.shape[0], 0
    while i != k:
        here, sign = (i, -1.0) if i > k else (k, 1.0)
        body, n = bodies[here], add(a, cross(sub(p, vector(work.O, here)), l))
        for part_of in range(2):
            first = body.first_dof if part_of == 0 else body.first_axis
            count = body.dof_count if part_of == 0 else body.axis_count
            for j in range(first, first + count):
                s, dof = 0.0, axes[j].dof
                for c in range(3):
                    s += l[c] * S[j, c] + n[c] * S[j, 3 + c]
                x[dof] += sign * s * room.units[dof]
                low, high = min(low, dof), max(high, dof + 1)
        if i > k:
            i = body.parent
        else:
            k = body.parent
    return low, high


@part
def _square_in_rows(table, work, left, room, low, high, faded):
    """|C^-1 A a|^2, a with entries from `low` to `high` - 1; less than `faded` does not go on."""
    Y, C, x, y = work.Y, work.C, room.x, room.y
    begin, end, last, square = 0, table.shape[0], -1, 0.0
    while begin < end:  # the first row that may share a motion, by halves
        half = (begin + end) // 2
        if room.reach[half] > low:
            end = half
        else:
            begin = half + 1
    for b in range(begin, table.shape[0]):
        row = table[b]
        if row.low >= high and row.first_active > last:
            break
        s = 0.0
        for j in range(max(row.low, low), min(row.high, high)):
            s += Y[row.first_y + j - row.low] * x[j]
        for k in range(max(row.first_active, begin), b):
            s -= C[row.first_s + k - row.first_active] * y[k]
        y[b] = s / C[row.first_s + b - row.first_active] if left[b] > 0.0 else 0.0
        if abs(y[b]) > faded:
            last, square = b, square + y[b] * y[b]
        else:
            y[b] = 0.0
    return square


def exports() -> Exports:
    """For the native library."""
    Reference(EMPTY_TABLE)
    Reference(room_among_many(np.zeros(0), 0, 0))
    yield export(name_loose_among_many, VOID, SYSTEM, WORK, JOINT_TABLE, records(ACTIVE), VECTOR, MANY_ROOM)
