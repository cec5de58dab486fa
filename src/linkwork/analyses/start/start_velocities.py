"""Velocities at the start, in order of priority: the constraints, given joint rates, given velocities of bodies.

Each set of rows A v = b is met as well as those before it leave free, by least squares in what is left:

    v <- v + N x,   A N x = b - A v,      N <- N null(A N)

For very many rows or motions the same by conjugate gradients, with the projection onto what the constraints leave free
in place of its basis N, and the given joint rates far heavier than the velocities of bodies in place of the second N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.rough_state import modal_values
from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.motion_rows import JointRows, MotionRows, body_rows
from linkwork.formulations.workspace import Work
from linkwork.numerics.stacking import as_rows
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import RANK_CUT, null_space
from linkwork.system.compile import Compiled
from linkwork.system.connections import given

MISSED = 1e-6  # rad/s or m/s, and of the value: a given velocity is not met
DENSE_MOTIONS = 300  # up to so many by dense matrices
HEAVIER = 1e4  # joint rates than velocities of bodies, where there are very many
CONVERGED = 1e-13  # of the first gradient
ITERATIONS = 2000
KINDS = ("velocity", "angular velocity")  # of bodies


@dataclass(frozen=True)
class WantedVelocities:
    """Rows A v = b, and the element that gives each of them: motions in the tree (`places` in v), then `rows`."""

    places: np.ndarray
    rows: MotionRows
    b: np.ndarray  # rad/s, m/s
    owners: tuple[str, ...] = ()

    def missed(self, v: np.ndarray) -> list[str]:
        """Elements whose rows v does not meet."""
        if not len(self.b):
            return []
        off = np.abs(self.rates(v) - self.b) > MISSED * (1.0 + np.abs(self.b))
        return sorted({self.owners[k] for k in np.flatnonzero(off)})

    def rates(self, v: np.ndarray) -> np.ndarray:
        """A v."""
        return np.append(v[self.places], self.rows.rates(v))

    def forces(self, x: np.ndarray) -> np.ndarray:
        """A^T x."""
        found = self.rows.forces(x[len(self.places) :])
        np.add.at(found, self.places, x[: len(self.places)])
        return found

    def dense(self) -> np.ndarray:
        """A [row, motion]."""
        A = self.rows.dense()
        return np.vstack([np.eye(A.shape[1])[self.places], A])


def meet_velocities(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> tuple[str, ...]:
    """Write velocities into y that meet the constraints exactly and what is given as nearly as can be; notes name what
    is not met.
    """
    compiled, work = equations.compiled, equations.work
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    joints, bodies = _given_joint_rates(compiled, work), _given_body_velocities(compiled, work)
    large = is_large(equations) or compiled.layout.v_count > DENSE_MOTIONS
    find = _by_gradients if large else _by_priority
    y[compiled.layout.velocities] = v = find(equations, (joints, bodies))
    impossible = "is not possible with the {}; the nearest possible one is used"
    notes = [f"body '{name}': its velocity at the start {impossible.format('joints')}" for name in bodies.missed(v)]
    if joints.missed(v):
        notes.append(f"a joint rate given for the start {impossible.format('loops')}")
    return tuple(notes)


def _by_priority(equations: Equations, wanted: Sequence[WantedVelocities]) -> np.ndarray:
    """v that meets the constraints exactly, without the rows that only hold the start; the first wanted rows as nearly
    as these leave it free, and so on.
    """
    compiled, work, real = equations.compiled, equations.work, slice(equations.compiled.layout.held_from)
    v, free = np.zeros(compiled.layout.v_count), np.diag(motion_units(compiled))
    given = [(rows.dense(), rows.b) for rows in wanted if len(rows.b)]
    for A, b in [(dense_jacobian(compiled.system, work)[real], work.nu[real]), *given]:
        if len(A) and free.shape[1]:
            open_to = A @ free
            v = v + free @ np.linalg.lstsq(open_to, b - A @ v, rcond=RANK_CUT)[0]
            free = free @ null_space(open_to) if given else free
    return v


def _by_gradients(equations: Equations, wanted: Sequence[WantedVelocities]) -> np.ndarray:
    """The same for very many rows or motions."""
    compiled, work = equations.compiled, equations.work
    real, units = np.arange(compiled.layout.held_from), motion_units(compiled)
    space = RowSpace(equations, real).scaled(units, np.ones(len(work.nu)), RANK_CUT)
    x = space.least_motion(work.nu)
    targets: list[tuple[WantedVelocities, np.ndarray, float]] = []
    for rows in wanted:
        if len(rows.b):
            heavier = [(before, before.rates(units * x), HEAVIER) for before, _, _ in targets]
            targets = [*heavier, (rows, rows.b, 1.0)]
            x = _least_squares(space, units, targets, x)
    return np.asarray(units * x)


def _least_squares(
    space: RowSpace, units: np.ndarray, targets: Sequence[tuple[WantedVelocities, np.ndarray, float]], x: np.ndarray
) -> np.ndarray:
    """x + d, with d allowed by the rows of the space, that meets the targets (rows, values, weight) best: conjugate
    gradients on the normal equations.  (Bjorck 1996, 7.4)
    """

    def gradient(left: Sequence[np.ndarray]) -> np.ndarray:
        return space.allowed(sum(units * rows.forces(w * w * r) for (rows, _, w), r in zip(targets, left, strict=True)))

    left = [b - rows.rates(units * x) for rows, b, _ in targets]
    g = p = gradient(left)
    first = square = float(g @ g)
    for _ in range(ITERATIONS):
        if square <= CONVERGED**2 * first:
            break
        moved = [rows.rates(units * p) for rows, _, _ in targets]
        size = sum(w * w * float(m @ m) for (_, _, w), m in zip(targets, moved, strict=True))
        if size == 0.0:  # nothing but rounding
            break
        step = square / size
        x, left = x + step * p, [r - step * m for r, m in zip(left, moved, strict=True)]
        g = gradient(left)
        square, before = float(g @ g), square
        p = g + square / before * p
    return x


def _given_joint_rates(compiled: Compiled, work: Work) -> WantedVelocities:
    """Rows of the joint velocities and modal rates that are given, on tree and cut joints alike."""
    modal = modal_values(compiled, "modal_rates", "_rate")
    places = {name: k for k, name in enumerate(compiled.layout.v_names)} if modal else {}
    joints = [compiled.mechanism.joint[k] for k in given(compiled.connections.joint.rate)]
    rates = [(joint.name, value) for joint in joints for value in joint.rate_values or ()]
    values = [*modal.values(), *(value for _, value in rates)]
    owners = (*modal, *(name for name, _ in rates))
    at = np.array([places[name] for name in modal], np.int64)
    return WantedVelocities(
        at, JointRows(compiled, [joint.name for joint in joints]).at(work), np.array(values), owners
    )


def _given_body_velocities(compiled: Compiled, work: Work) -> WantedVelocities:
    """Rows of the velocity of a body frame's origin, and of its angular velocity, where given."""
    body = compiled.connections.body
    linear, angular = given(body.velocity), given(body.angular_velocity)
    bodies, what = np.append(linear, angular).astype(np.int64), np.repeat(KINDS, [len(linear), len(angular)])
    values = as_rows((v for column in (body.velocity, body.angular_velocity) for v in column if v is not None), 3)
    for n, k in enumerate(angular, start=len(linear)):
        if body.angular_velocity_axes[k] == "body":
            place = compiled.body_places[k]
            values[n] = work.R[place] @ compiled.layout.R_LB[place] @ values[n]
    order = np.argsort(bodies, kind="stable")  # body by body
    rows = body_rows(compiled, work, compiled.body_places[bodies[order]], what[order].tolist())
    owners = tuple([body.name[k] for k in bodies[order].tolist() for _ in range(3)])
    return WantedVelocities(np.zeros(0, np.int64), rows, values[order].ravel(), owners)
