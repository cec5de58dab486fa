"""Motion of the bodies at the samples of a run: positions, orientations, velocities of the body frames.

It follows from the coordinates and velocities there, and is computed when it is first read: of all bodies, or of one,
for which only those between it and ground are gone through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel, part
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.kinematics import velocities
from linkwork.formulations.poses import poses
from linkwork.integrators import stages
from linkwork.numerics.rotations import parameters_of
from linkwork.numerics.status import LEVEL_ALL
from linkwork.numerics.vectors import add, angular, cross, linear, rotate, sub, vector

FEW = 20_000  # motions of one body at one sample: no more than these are computed all at once


class Moved(NamedTuple):
    """How bodies move: [sample, body, component], or of one [sample, component]."""

    position: np.ndarray  # m, origin of the body frame
    orientation: np.ndarray  # Euler parameters, scalar first
    velocity: np.ndarray  # m/s, of that origin, world axes
    angular_velocity: np.ndarray  # rad/s, world axes


BODY_MOTION = Moved._fields
WIDTHS = (3, 4, 3, 3)  # components


class Motion(Protocol):
    """The motion of the bodies, which are in the order of the model."""

    def all(self) -> Moved:
        """Of all bodies, [sample, body, component]."""

    def of(self, body: int) -> Moved:
        """Of one body, [sample, component]."""

    def part(self, rows: slice) -> Motion:
        """At some of the samples."""


class KnownMotion:
    """Arrays, as a file has them."""

    def __init__(self, moved: Moved) -> None:
        self.moved = moved

    def all(self) -> Moved:
        """Of all bodies, [sample, body, component]."""
        return self.moved

    def of(self, body: int) -> Moved:
        """Of one body, [sample, component]."""
        return _of(self.moved, body)

    def part(self, rows: slice) -> KnownMotion:
        """At some of the samples."""
        return KnownMotion(_at(self.moved, rows))


class ComputedMotion:
    """The motion at the states of `rows`, which begin with coordinates and velocities; there may be more of them later.

    `equations`: makes those by which it is computed, when it is read: tables alone are kept.
    """

    def __init__(self, equations: Callable[[], Equations], rows: np.ndarray, bodies: int) -> None:
        self.equations, self.rows, self.bodies, self.room = equations, rows, bodies, len(rows)
        self.known = 0, _room(0, bodies)  # so many samples of all; as one, since threads may read a result together
        self.gone_through = 0  # bodies, for those asked one by one
        self.latest: tuple[int, Moved] | None = None  # of these the last

    def goes_on(self, rows: np.ndarray, room: int) -> None:
        """With more states behind those before, of `room` that there may be."""
        self.rows, self.room, self.latest = rows, room, None

    def all(self) -> Moved:
        """Of all bodies, [sample, body, component]."""
        return self.until(len(self.rows))

    def until(self, count: int) -> Moved:
        """The same at the first so many samples."""
        done, moved = self.known
        if done < count:
            if len(moved.position) < count:
                before, moved = moved, _room(max(self.room, count), self.bodies)
                for old, new in zip(before, moved, strict=True):
                    new[:done] = old[:done]
            last = moved.orientation[done - 1] if done else None
            body_motion(self.equations(), self.rows[done:count], last, _at(moved, slice(done, count)))
            self.known = count, moved
        return _at(moved, slice(count))

    def of(self, body: int) -> Moved:
        """Of one body, [sample, component]; whoever asks for many, one by one, has all of them computed."""
        count = len(self.rows)
        latest = self.latest
        if latest is not None and latest[0] == body:
            return latest[1]
        if self.known[0] < count and count * self.bodies > FEW:
            equations = self.equations()
            place = equations.compiled.body_places[body : body + 1]
            way = _way_to(equations, int(place[0]))
            self.gone_through += int((way[:, 1] - way[:, 0]).sum())
            if self.gone_through < self.bodies:
                found = _of(body_motion(equations, self.rows, None, _room(count, 1), place, way), 0)
                self.latest = body, found
                return found
        return _of(self.all(), body)

    def part(self, rows: slice) -> PartOfMotion:
        """At some of the samples."""
        return PartOfMotion(self, range(len(self.rows))[rows])

    def __reduce__(self) -> tuple[type[KnownMotion], tuple[Moved]]:
        """To other processes no tables go."""
        return KnownMotion, (self.all(),)


class PartOfMotion:
    """Some of the samples of a motion; Euler parameters go on in it from the samples before."""

    def __init__(self, whole: ComputedMotion, samples: range) -> None:
        self.whole, self.rows = whole, slice(samples.start, samples.stop, samples.step)
        self.count = max(samples, default=-1) + 1

    def all(self) -> Moved:
        """Of all bodies, [sample, body, component]."""
        return _at(self.whole.until(self.count), self.rows)

    def of(self, body: int) -> Moved:
        """Of one body, [sample, component]."""
        return _at(self.whole.of(body), self.rows)

    def part(self, rows: slice) -> KnownMotion:
        """At some of the samples."""
        return KnownMotion(_at(self.all(), rows))

    def __reduce__(self) -> tuple[type[KnownMotion], tuple[Moved]]:
        """To other processes no tables go."""
        return KnownMotion, (self.all(),)


def _room(count: int, bodies: int) -> Moved:
    return Moved(*(np.empty((count, bodies, width)) for width in WIDTHS))


def _at(moved: Moved, rows: slice) -> Moved:
    return Moved(*(array[rows] for array in moved))


def _of(moved: Moved, body: int) -> Moved:
    return Moved(*(array[:, body] for array in moved))


def _way_to(equations: Equations, place: int) -> np.ndarray:
    """The bodies of the tree from the root to the one in this place, as spans [first, last + 1]; of a mechanism with
    flexible bodies, which is evaluated as a whole, all.
    """
    system = equations.system
    if system.whole[0]["flexible"]:
        return _whole_tree(equations)
    way, parents = list[int](), system.bodies["parent"].tolist()
    while place > 0:
        way.append(place)
        place = parents[place]
    return np.array(way[::-1], np.int64)[:, None] + [0, 1]


def _whole_tree(equations: Equations) -> np.ndarray:
    return np.array([(1, len(equations.system.bodies))], np.int64)


def body_motion(
    equations: Equations, rows: np.ndarray, before: np.ndarray | None = None, into: Moved | None = None,
    places: np.ndarray | None = None, way: np.ndarray | None = None,
) -> Moved:  # fmt: skip
    """The motion at states, which stand in front in the rows, of bodies at these places of the tree (default: all, in
    the order of the model), into arrays [sample, body, component] that are given, or new ones.

    `way`: spans of the bodies to be gone through for it.  `before`: the orientations of the sample before these; Euler
    parameters go on from there without a jump of sign.
    """
    compiled = equations.compiled
    layout = compiled.layout
    order = compiled.body_places if places is None else places
    found = _room(len(rows), len(order)) if into is None else into
    last = np.zeros((len(order), 4)) if before is None else np.array(before)
    bind(evaluate, stages.EVALUATE)
    bind_loop(motion_of_bodies, stages.MOTION_OF_BODIES)
    motion_of_bodies(
        evaluate, equations.system_ref, equations.work_ref, np.ascontiguousarray(rows),
        np.zeros(2 * layout.angle_count), _whole_tree(equations) if way is None else way, order, layout.R_LB,
        layout.p_LB, last, *(array.reshape(len(rows), len(order) * array.shape[2]) for array in found),
    )  # fmt: skip
    return found


@kernel
def motion_of_bodies(evaluate, system, work, rows, angles, way, order, R_LB, p_LB, last, position, e, velocity, spin):
    """The motion of each body of `order` at each state, one row a state; `way`: spans of bodies to be gone through;
    `last`: Euler parameters before the first.
    """
    whole, bodies, dofs, count = system.whole[0], system.bodies, system.dofs, work.rate.shape[0]
    for n in range(rows.shape[0]):
        y = rows[n, :count]
        q, speeds = y[: whole.q_count], y[whole.q_count : whole.q_count + whole.v_count]
        if whole.flexible:
            evaluate(system, 0.0, y, angles, work, LEVEL_ALL)
        else:
            for k in range(way.shape[0]):
                poses(bodies, dofs, q, work.R, work.p, work.O, work.S, way[k, 0], way[k, 1])
                velocities(bodies, dofs, speeds, work.S, work.V, work.A, way[k, 0], way[k, 1])
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
