"""Joints that can move, to first order, at a position: those that the constraints no longer prevent, compiled.

With the singular value decomposition of the rows J = U diag(s) V^T, in units of motions and of rows, the motions x with
J x = 0 have the orthonormal basis N, and N N^T = 1 - V V^T over the v of values that have not vanished.  A joint whose
velocity is a x moves by |N^T a|^2 = |a|^2 - sum_i (a v_i)^2, whichever basis it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.scales import row_sizes
from linkwork.compiler.argument_types import SYSTEM, VOID, WORK, Structure
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.compiler.references import Reference
from linkwork.formulations.equations import Equations
from linkwork.formulations.motion_rows import (
    EMPTY_TABLE,
    JOINT_TABLE,
    JointTable,
    joint_rows_at,
    rates_of,
    twists_of,
)
from linkwork.methods.geometric_rows import spread_rows
from linkwork.numerics.singular_values import singular_rows

MOVES = 0.2  # of the largest rate of a joint: that of one that is named
NAMED = 6  # joints
DEPENDENT = 1e-5  # of the largest singular value: rows are dependent


class LooseRoom(NamedTuple):
    """What the search for loose joints works in; of few rows, which are written down densely."""

    units: np.ndarray  # of motions
    sizes: np.ndarray  # of rows
    dense: np.ndarray  # [row, motion]
    turned: np.ndarray  # [row, row]
    values: np.ndarray  # [row]
    motions: np.ndarray  # [motion + row, motion]: all, then those of the singular vectors
    twists: np.ndarray  # [motion + row, 6 body]
    point: np.ndarray  # [velocity of a joint, 3]
    along: np.ndarray
    about: np.ndarray
    rates: np.ndarray  # [motion + row, velocity of a joint]
    squares: np.ndarray  # [joint] of its speeds in the motions that are left
    named: np.ndarray  # [NAMED] joints that move, in the order of the model; -1 behind the last


LOOSE_ROOM = Structure("LooseRoom")


def room_for(rows: int, dofs: int, bodies: int, velocities: int, joints: int) -> LooseRoom:
    """For so many rows, motions, bodies and joints with so many velocities."""
    return LooseRoom(
        units=np.ones(dofs), sizes=np.ones(rows), dense=np.zeros((rows, dofs)), turned=np.zeros((rows, rows)),
        values=np.zeros(rows), motions=np.zeros((dofs + rows, dofs)), twists=np.zeros((dofs + rows, 6 * bodies)),
        point=np.zeros((velocities, 3)), along=np.zeros((velocities, 3)), about=np.zeros((velocities, 3)),
        rates=np.zeros((dofs + rows, velocities)), squares=np.zeros(joints), named=np.full(NAMED, -1),
    )  # fmt: skip


def loose_room(equations: Equations, table: JointTable, small: bool) -> LooseRoom:
    """For these equations; nothing where they are too large for dense rows."""
    compiled, joints = equations.compiled, len(equations.compiled.mechanism.joint)
    if not small:
        return room_for(0, 0, 0, 0, 0)
    rows, dofs, bodies = len(compiled.system.rows), len(compiled.system.dofs), len(compiled.system.bodies)
    room = room_for(rows, dofs, bodies, len(table.owner), joints)
    return room._replace(units=motion_units(compiled, 1.0), sizes=row_sizes(compiled))


@kernel
def name_loose_joints(system, work, joints, room):
    """The first joints that move in the motions that the rows do not prevent at the position evaluated last."""
    kept = _basis(system, work, room)
    motions, twists = room.motions[:kept], room.twists[:kept]
    twists_of(system.bodies, system.axes, work.S, motions, twists)
    joint_rows_at(joints, work.R, work.p, room.point, room.along, room.about)
    rates_of(twists, work.O, joints.body_a, joints.body_b, room.point, room.along, room.about, room.rates[:kept])
    room.squares[:] = 0.0
    for k in range(kept):
        sign = 1.0 if k < system.dofs.shape[0] else -1.0
        for r in range(joints.owner.shape[0]):
            room.squares[joints.owner[r]] += sign * room.rates[k, r] ** 2
    fastest, count = 0.0, 0
    for j in range(room.squares.shape[0]):
        fastest = max(fastest, room.squares[j])
    room.named[:] = -1
    for j in range(room.squares.shape[0]):
        if room.squares[j] > MOVES * MOVES * fastest and count < NAMED:
            room.named[count] = j
            count += 1


@part
def _basis(system, work, room):
    """Each motion by itself, then those that the rows prevent, of which one at least has vanished; how many."""
    dense, dofs = room.dense, system.dofs.shape[0]
    rows_by_geometry(system, work, room.units, room.sizes, dense)
    singular_rows(dense, room.turned, room.values, work.pivots)
    room.motions[:, :] = 0.0
    for j in range(dofs):
        room.motions[j, j] = room.units[j]
    kept, largest = 0, room.values[work.pivots[0]]
    for k in range(work.method[0].active_count - 1):
        place = work.pivots[k]
        if room.values[place] > DEPENDENT * largest:
            for j in range(dofs):
                room.motions[dofs + kept, j] = room.units[j] * dense[place, j] / room.values[place]
            kept += 1
    return dofs + kept


@part
def rows_by_geometry(system, work, units, sizes, dense):
    """The rows whatever the masses, in units of motions and of rows."""
    spread_rows(system, work.J, dense)
    for r in range(dense.shape[0]):
        for j in range(dense.shape[1]):
            dense[r, j] *= units[j] / sizes[r]


def exports() -> Exports:
    """For the native library."""
    Reference(EMPTY_TABLE)
    Reference(room_for(0, 0, 0, 0, 0))
    yield export(name_loose_joints, VOID, SYSTEM, WORK, JOINT_TABLE, LOOSE_ROOM)
