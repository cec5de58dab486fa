"""Velocities of joints and of points of bodies as linear functions of v, at the position evaluated last.

A row is the rate at which body B moves against body A along a direction at a point, or about one:

    rate = l . (velocity of B's point - velocity of A's) + a . (angular velocity of B - that of A)

Twists go down the tree and forces up it, so that many rows cost no more than the mechanism is large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.compiler.argument_types import CUBE, MATRIX, VOID, WHOLES, Structure, records
from linkwork.compiler.kernels import Exports, export, kernel
from linkwork.compiler.references import Reference
from linkwork.elements.bodies.rigid_inertia import BODY
from linkwork.elements.joints.motions import AXIS, BALL, SLIDE
from linkwork.formulations.workspace import Work
from linkwork.numerics.vectors import add, cross, sub, vector
from linkwork.system.tables import System

if TYPE_CHECKING:
    from linkwork.elements.joints.kind import JointKind
    from linkwork.system.compile import Compiled


@dataclass(frozen=True)
class MotionRows:
    """Rows at one position; arrays over the rows, world axes."""

    system: System
    S: np.ndarray  # axes of the motions
    O: np.ndarray  # m, reference points of the bodies
    body_a: np.ndarray
    body_b: np.ndarray
    point: np.ndarray  # [row, 3] m
    along: np.ndarray  # [row, 3] l
    about: np.ndarray  # [row, 3] a
    owner: np.ndarray  # whose row it is: the place in the list of joints or bodies

    def __len__(self) -> int:
        return len(self.owner)

    def rates(self, motions: np.ndarray) -> np.ndarray:
        """Of these motions [..., motion]: [..., row]."""
        these = np.ascontiguousarray(np.atleast_2d(motions))
        V = np.zeros((len(these), 6 * len(self.system.bodies)))
        twists_of(self.system.bodies, self.system.axes, self.S, these, V)
        found = np.zeros((len(these), len(self)))
        rates_of(V, self.O, self.body_a, self.body_b, self.point, self.along, self.about, found)
        return found.reshape(*motions.shape[:-1], len(self))

    def forces(self, values: np.ndarray) -> np.ndarray:
        """The sums of the rows in these parts [..., row]: [..., motion]."""
        these = np.atleast_2d(values)
        bodies, found = len(self.system.bodies), np.zeros((len(these), len(self.system.dofs)))
        F = np.zeros((len(these), bodies, 6))
        for body, sign in ((self.body_b, 1.0), (self.body_a, -1.0)):
            moment = self.about + np.cross(self.point - self.O[body], self.along)
            wrenches = sign * these[..., None] * np.hstack([self.along, moment])
            for k in range(len(these)):
                np.add.at(F[k], body, wrenches[k])
        forces_of(self.system.bodies, self.system.axes, self.S, F.reshape(len(these), 6 * bodies), found)
        return found.reshape(*values.shape[:-1], found.shape[1])

    def dense(self) -> np.ndarray:
        """All rows [row, motion]."""
        return self.forces(np.eye(len(self)))


class JointTable(NamedTuple):
    """The velocities of joints, frame M against F in the axes of F, as modelled; arrays over them, joint by joint."""

    owner: np.ndarray  # whose it is: the place in the list of joints
    body_a: np.ndarray
    body_b: np.ndarray
    carrier: np.ndarray  # the body in which its axis is fixed
    slides: np.ndarray  # 1: along the axis, 0: about it
    axis: np.ndarray  # [row, 3] in the frame of that body
    point: np.ndarray  # [row, 3] m, in the frame of B


JOINT_TABLE = Structure("JointTable")
EMPTY_TABLE = JointTable(*(np.zeros(0, np.int64) for _ in range(5)), *(np.zeros((0, 3)) for _ in range(2)))


def joint_table(compiled: Compiled, names: Sequence[str] | None = None) -> JointTable:
    """Of these joints, by default of all."""
    joints = compiled.layout.joints
    own = np.arange(len(joints.kind)) if names is None else np.array([joints.place[name] for name in names], np.int64)
    owner, slides, of_M, axis = _rows_of(joints.kinds, joints.kind[own])
    joint = own[owner]
    a, b, in_M = joints.body_a[joint], joints.body_b[joint], of_M.astype(bool)
    axes = np.where(in_M[:, None], joints.R_BM[joint, :, axis], joints.R_AF[joint, :, axis])
    return JointTable(*map(np.ascontiguousarray, (owner, a, b, np.where(in_M, b, a), slides, axes, joints.p_BM[joint])))


class JointRows:
    """The rows of the velocities of joints (default: of all)."""

    def __init__(self, compiled: Compiled, names: Sequence[str] | None = None) -> None:
        self.system, self.table = compiled.system, joint_table(compiled, names)
        self.reference = Reference(self.table)

    def at(self, work: Work) -> MotionRows:
        """At the position evaluated last."""
        table = self.table
        point, along, about = (np.zeros((len(table.owner), 3)) for _ in range(3))
        joint_rows_at(self.reference, work.R, work.p, point, along, about)
        rows = (table.body_a, table.body_b, point, along, about, table.owner)
        return MotionRows(self.system, work.S.copy(), work.O.copy(), *rows)


@kernel
def joint_rows_at(joints, R, p, point, along, about):
    """Where the velocities of joints are measured, and along or about what, with the bodies at R and p."""
    for r in range(joints.owner.shape[0]):
        b, carrier = joints.body_b[r], joints.carrier[r]
        for i in range(3):
            place, direction = p[b, i], 0.0
            for k in range(3):
                place += R[b, i, k] * joints.point[r, k]
                direction += R[carrier, i, k] * joints.axis[r, k]
            point[r, i] = place
            along[r, i] = direction if joints.slides[r] == 1 else 0.0
            about[r, i] = 0.0 if joints.slides[r] == 1 else direction


def _rows_of(kinds: Sequence[JointKind], kind: np.ndarray) -> np.ndarray:
    """Of joints of these kinds each velocity: whose it is, whether it slides, whether its axis is one of M, which."""
    of_kinds = [np.array(_velocity_rows(kind), np.int64).reshape(-1, 3) for kind in kinds]
    first = np.cumsum([0, *map(len, of_kinds)])
    count = np.diff(first)[kind]
    owner = np.repeat(np.arange(len(kind)), count)
    place = first[kind][owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    table = np.concatenate([np.zeros((0, 3), np.int64), *of_kinds])
    return np.vstack([owner, table[place].T])


@cache
def _velocity_rows(kind: JointKind) -> tuple[tuple[bool, bool, int], ...]:
    """Of each velocity of a joint: whether it slides, whether its axis is one of M, and which axis."""
    rows: list[tuple[bool, bool, int]] = []
    for motion, axis in kind.motions:
        if motion == BALL:
            rows += [(False, False, k) for k in range(3)]
        else:
            rows.append((motion == SLIDE, motion != SLIDE and axis != 2, axis))
    return tuple(rows)


def body_rows(compiled: Compiled, work: Work, bodies: Sequence[int] | np.ndarray, kinds: Sequence[str]) -> MotionRows:
    """Three rows for each body: of the velocity of its frame's origin ("velocity"), or of its angular velocity."""
    index, translation = np.array(bodies, np.int64), np.array([kind == "velocity" for kind in kinds], bool)
    origins = work.p[index] + np.einsum("bij,bj->bi", work.R[index], compiled.layout.p_LB[index])
    three, axes = np.repeat(np.arange(len(index)), 3), np.tile(np.eye(3), (len(index), 1))
    along = np.where(translation[three][:, None], axes, 0.0)
    rows = (np.zeros(len(three), np.int64), index[three], origins[three], along, axes - along, three)
    return MotionRows(compiled.system, work.S.copy(), work.O.copy(), *rows)


@kernel
def twists_of(bodies, axes, S, motions, V):
    """Twists of all bodies, about their reference points, in each of the motions."""
    for k in range(motions.shape[0]):
        for i in range(1, bodies.shape[0]):
            body = bodies[i]
            for r in range(6):
                V[k, 6 * i + r] = V[k, 6 * body.parent + r]
            for j in range(body.first_dof, body.first_dof + body.dof_count):
                for r in range(6):
                    V[k, 6 * i + r] += S[j, r] * motions[k, axes[j].dof]
            for j in range(body.first_axis, body.first_axis + body.axis_count):
                for r in range(6):
                    V[k, 6 * i + r] += S[j, r] * motions[k, axes[j].dof]


@kernel
def rates_of(V, O, body_a, body_b, point, along, about, found):
    """Rates of the rows [motion, row] in each of the motions with these twists."""
    for r in range(found.shape[1]):
        l, p, a = vector(along, r), vector(point, r), vector(about, r)
        i, j = body_a[r], body_b[r]
        moment_i = add(a, cross(sub(p, vector(O, i)), l))
        moment_j = add(a, cross(sub(p, vector(O, j)), l))
        for k in range(found.shape[0]):
            s = 0.0
            for c in range(3):
                s += l[c] * (V[k, 6 * j + c] - V[k, 6 * i + c])
                s += moment_j[c] * V[k, 6 * j + 3 + c] - moment_i[c] * V[k, 6 * i + 3 + c]
            found[k, r] = s


@kernel
def forces_of(bodies, axes, S, F, Q):
    """Generalized forces of wrenches on the bodies, which are summed up towards the root."""
    for k in range(F.shape[0]):
        for i in range(bodies.shape[0] - 1, 0, -1):
            body = bodies[i]
            for j in range(body.first_dof, body.first_dof + body.dof_count):
                for r in range(6):
                    Q[k, axes[j].dof] += S[j, r] * F[k, 6 * i + r]
            for j in range(body.first_axis, body.first_axis + body.axis_count):
                for r in range(6):
                    Q[k, axes[j].dof] += S[j, r] * F[k, 6 * i + r]
            for r in range(6):
                F[k, 6 * body.parent + r] += F[k, 6 * i + r]


def exports() -> Exports:
    """For the native library."""
    Reference(EMPTY_TABLE)  # by which kernels know the layout
    yield export(joint_rows_at, VOID, JOINT_TABLE, CUBE, MATRIX, MATRIX, MATRIX, MATRIX)
    tables = records(BODY), records(AXIS)
    yield export(twists_of, VOID, *tables, MATRIX, MATRIX, MATRIX)
    yield export(rates_of, VOID, MATRIX, MATRIX, WHOLES, WHOLES, MATRIX, MATRIX, MATRIX, MATRIX)
    yield export(forces_of, VOID, *tables, MATRIX, MATRIX, MATRIX)
