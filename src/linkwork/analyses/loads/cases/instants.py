"""One body at one instant: what each element does to it, the weight and the inertia load, for load cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.analyses.loads.loads import replay_for
from linkwork.analyses.loads.places import body_frame, joint_point
from linkwork.analyses.loads.reactions import Reaction
from linkwork.analyses.loads.replay import MULTIPLIERS
from linkwork.analyses.loads.sample_kernels import add_reactions, evaluate_sample, row_wrenches_at
from linkwork.compiler.addresses import call_kernel
from linkwork.compiler.argument_types import CUBE, MATRIX, REAL, SYSTEM, TRUTHS, VECTOR, VOID, WHOLE_MATRIX, WORK
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.elements.bodies.flexible_motion import FLEXIBLE_BODIES
from linkwork.elements.bodies.gravity import gravity
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.family import Action, FamilyTable, Phase
from linkwork.elements.forces.force import Force
from linkwork.flexible.shape_integrals import axial
from linkwork.formulations.equations import inside, loads_agree
from linkwork.formulations.kinematics import inertia_forces
from linkwork.formulations.reactions import body_accelerations
from linkwork.numerics.status import LEVEL_ALL
from linkwork.results.result import Result


@dataclass(frozen=True)
class BodyLoad:
    """One load on a body: a force and a moment about its point of application, in body axes."""

    name: str
    kind: str  # joint | weight | inertia | spring | torsion | applied, or the kind of element: bushing, gear ...
    point: np.ndarray  # m, in the body's frame
    force: np.ndarray  # N; NaN: not unique
    torque: np.ndarray  # N m

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "load": self.name, "kind": self.kind, "point": self.point, "force": self.force, "torque": self.torque
        }  # fmt: skip


@kernel
def element_wrenches(
    system, work, t, state, angles, v_dot, a, weights, inertial, records, forces, bending, multipliers, every, held
):
    """Wrenches about the reference points [.., body, 6]: weights, inertia; of each record of a family of forces.

    `records`, `bending`: kernels with first and last byte; those of flexible bodies, whose velocities of bending add
    to the inertia forces, apart.  `held`: of each set of multipliers.
    """
    w = work
    w.segment[0].t_accepted = t
    evaluate_sample(system, work, t, state, angles, LEVEL_ALL)
    loads_agree(system, t, angles, work, 0)  # friction that the multipliers in work.lam make
    for s in range(records.shape[0]):
        w.F[:, :] = 0.0
        call_kernel(records[s, 0], system, inside(w, t), angles, work, records[s, 1], records[s, 2])
        _keep(w.F, forces[s])
    row_wrenches_at(system, work, t, angles)
    w.v_dot[:] = 0.0  # the inertia of bending is not among what multipliers do
    for s in range(multipliers.shape[0]):
        w.F[:, :] = 0.0
        add_reactions(system, work, t, angles, multipliers[s], every)
        _keep(w.F, held[s])
    w.F[:, :] = 0.0
    gravity(system.whole[0].gravity, w.inertia, w.O, w.F, w.energy)
    _keep(w.F, weights)
    body_accelerations(system.bodies, w.S, v_dot, a)
    for i in range(1, a.shape[0]):
        for k in range(6):
            a[i, k] += w.A[i, k]
    w.F[:, :] = 0.0
    inertia_forces(w.inertia, w.V, a, w.F, w.energy)
    for s in range(bending.shape[0]):
        call_kernel(bending[s, 0], system, inside(w, t), angles, work, bending[s, 1], bending[s, 2])
    _keep(w.F, inertial)


@part
def _keep(wrenches, kept):
    """A copy."""
    for i in range(kept.shape[0]):
        for k in range(6):
            kept[i, k] = wrenches[i, k]


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(
        element_wrenches, VOID, SYSTEM, WORK, REAL, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, WHOLE_MATRIX, CUBE,
        WHOLE_MATRIX, MATRIX, TRUTHS, CUBE,
    )  # fmt: skip


class Instant:
    """One body at one sample: its frame, and the elements' wrenches on it, in body axes."""

    def __init__(self, result: Result, body: str, t: float) -> None:
        bent = any(body.flexible is not None for body in result.mechanism.body)
        self.replay, method = replay_for(result, MULTIPLIERS if bent else "auto")
        replay = self.replay
        self.i = replay.layout.body(body)
        own = (name for name in replay.layout.bodies if name.startswith(f"{body}."))  # nodes of a flexible body
        self.parts = (self.i, *map(replay.layout.body, own))
        self.found = replay.wrenches((), method)
        self.equations = replay.open_equations
        self.frames = body_frame(replay, self.found, self.i)
        self.possible: list[np.ndarray] = []
        self.kinds = {
            element.name: (element.load_kind if isinstance(element, Force) else None) or element.title()
            for element in replay.mechanism.elements()
        }
        self.go_to(int(np.argmin(np.abs(replay.t - t))))

    def go_to(self, n: int) -> None:
        """Another sample."""
        self.n, self.t = n, float(self.replay.t[n])
        self.origin, self.axes = (x[n] for x in self.frames)
        self._evaluate()
        self._bend()
        self.centre = self.inside(self.world_centre)

    def inside(self, p: np.ndarray) -> np.ndarray:
        """A world point in the body's frame, m."""
        return np.asarray(self.axes.T @ (p - self.origin))

    def _evaluate(self) -> None:
        system, n = self.replay.compiled.system, self.n
        bodies = len(system.bodies)
        self.weights, self.inertial, self.a = np.zeros((3, bodies, 6))
        self.records, places = self._force_records()
        flexible = self.replay.compiled.table(FLEXIBLE_BODIES)
        bending = [] if flexible is None else [self._stage(flexible)]
        self.forces = np.zeros((len(self.records), bodies, 6))
        self.holding, multipliers = self._constraints_beside_joints()
        multipliers = np.vstack([multipliers, self.replay.lam[n]])
        held = np.zeros((len(multipliers), bodies, 6))
        self.replay.hold_rows_of(n, self.equations)
        self.equations.work.lam[:] = self.replay.lam[n]
        element_wrenches(
            self.equations.system_ref, self.equations.work_ref, self.t, self.replay.states[n],
            self.found.angle[n].copy(), self.replay.v_dot[n], self.a, self.weights, self.inertial, places, self.forces,
            np.array(bending, np.int64).reshape(-1, 3), multipliers, np.ones(len(system.rows), np.bool_), held,
        )  # fmt: skip
        self.held, self.reactions = held[:-1], held[-1]  # of each constraint beside the joints; of all that hold

    def _force_records(self) -> tuple[list[tuple[str, tuple[Action, ...], np.void]], np.ndarray]:
        """Every record of a force: name of its element, where it acts, values; and its kernel, first and last byte."""
        compiled = self.replay.compiled
        found, places = [], []
        for table in compiled.families:
            actions, size = table.family.actions, table.family.record.itemsize
            if not actions:
                continue
            address, first, _ = self._stage(table)
            for k, record in enumerate(table.records(compiled.system.block)):
                found.append((table.owners[k], actions, record))
                places.append((address, first + k * size, first + (k + 1) * size))
        return found, np.array(places, np.int64).reshape(-1, 3)

    def _stage(self, table: FamilyTable) -> tuple[int, int, int]:
        """The kernel of forces of a family, and where its table lies."""
        stages = self.equations.work.stages
        found = next(s for s in stages if (s["phase"], s["first"]) == (Phase.FORCES, table.first))
        return found["address"], table.first, table.last

    def _bend(self) -> None:
        """Take what eta'' adds to the rate of momentum, sum_j eta''_j (C_t, C_r)_j, from the load of inertia."""
        work, i, n = self.equations.work, self.i, self.n
        body = self._flexible
        if body is None:
            return
        m, s = body["modes"], body["coupling"]
        C, G = np.split(work.scratch[s : s + 12 * m], [3 * m])  # both at eta, as the kernels left them
        second = self.modal_accelerations
        push, turn = (self.found.R[n, i] @ (second @ x) for x in (C.reshape(m, 3), axial(G.reshape(m, 3, 3))))
        turn = turn + np.cross(self.found.p[n, i] - work.O[i], push)
        self.inertial[i] -= np.concatenate([push, turn])

    @cached_property
    def _flexible(self) -> np.void | None:
        """The record of a flexible body."""
        records = self.replay.compiled.records(FLEXIBLE_BODIES)
        bodies = [record["flexible"] for record in records if not record["is_node"]]
        return next((body for body in bodies if body["body"] == self.i), None)

    @property
    def modal_accelerations(self) -> np.ndarray:
        """eta'' of a flexible body."""
        body = self._flexible
        assert body is not None
        return np.asarray(self.replay.v_dot[self.n, body["first_v"] : body["first_v"] + body["modes"]])

    def loads_on_nodes(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Where forces, joints and constraints act on a flexible body, and what: force and moment about its origin."""
        total, O = self.forces.sum(axis=0) + self.reactions, self.equations.work.O
        for i in self.parts:
            force, moment = total[i, :3], total[i, 3:] + np.cross(O[i] - self.origin, total[i, :3])
            place = self.inside(self.found.p[self.n, i])
            yield place, np.concatenate([self.axes.T @ force, self.axes.T @ moment])

    @property
    def world_centre(self) -> np.ndarray:
        """Centre of mass in the world, m; that of a flexible body as it is bent."""
        if self._flexible is None:
            return self._on_link(self.i, self.replay.compiled.system.bodies[self.i]["p_LC"])
        work = self.equations.work
        return np.asarray(work.O[self.i] + work.inertia[self.i, 1:4] / work.inertia[self.i, 0])

    def _constraints_beside_joints(self) -> tuple[list[str], np.ndarray]:
        """Elements whose rows are not those of joints and their drivers; their multipliers [element, row]."""
        layout, lam = self.replay.layout, self.replay.lam[self.n]
        joints = {*layout.joints, *(driver.name for driver in self.replay.drivers)}
        rows = [row.element for row in layout.rows]
        names = [name for name in dict.fromkeys(rows) if name not in joints]
        own = np.array([[element == name for element in rows] for name in names], np.float64)
        return names, own.reshape(len(names), len(rows)) * lam

    def joint_load(self, reaction: Reaction) -> BodyLoad:
        """The reaction of a joint, which is given in body axes about the joint's point."""
        self.possible.append(reaction.possible[self.n])
        point = self.inside(joint_point(self.replay, self.found, reaction.joint)[self.n])
        return BodyLoad(reaction.joint, "joint", point, reaction.force[self.n], reaction.torque[self.n])

    def other_loads(self) -> list[BodyLoad]:
        """All but the joints: forces, constraints, weight and inertia load."""
        weight = self._load("weight", "weight", self.world_centre, self._on_body(self.weights))
        inertia = self._load("inertia", "inertia", self.world_centre, self._on_body(self.inertial))
        return [*self._force_loads(), *self._constraint_loads(), weight, inertia]

    def _force_loads(self) -> Iterator[BodyLoad]:
        """Forces, at their points of action."""
        for (name, actions, record), wrench in zip(self.records, self.forces, strict=True):
            for body, point, carrier in actions:
                if record[body] in self.parts:
                    at = self._on_link(record[carrier], record[point])
                    yield self._load(name, self.kinds[name], at, wrench[record[body]])

    def _constraint_loads(self) -> Iterator[BodyLoad]:
        """Constraints beside joints, at the origin of the body's frame."""
        for name, wrench in zip(self.holding, self.held, strict=True):
            if np.any(wrench[list(self.parts)]):
                yield self._load(name, self.kinds[name], self.origin, self._on_body(wrench))

    def _on_body(self, wrenches: np.ndarray) -> np.ndarray:
        """The sum of wrenches [body, 6] over the body and its nodes, which have one reference point."""
        return np.asarray(wrenches[list(self.parts)].sum(axis=0))

    def _on_link(self, i: int, p: np.ndarray) -> np.ndarray:
        """A point of a link frame in the world."""
        return np.asarray(self.found.p[self.n, i] + self.found.R[self.n, i] @ p)

    def _load(self, name: str, kind: str, point: np.ndarray, wrench: np.ndarray) -> BodyLoad:
        """A wrench about the reference point O, world axes, as a load at a point."""
        force, moment = wrench[:3], wrench[3:]
        moment = moment + np.cross(self.equations.work.O[self.i] - point, force)
        return BodyLoad(name, kind, self.inside(point), self.axes.T @ force, self.axes.T @ moment)

    @property
    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Acceleration of the body frame's origin (m/s2), angular velocity (rad/s) and acceleration, body axes."""
        V, a, arm = self.equations.work.V[self.i], self.a[self.i], self.origin - self.equations.work.O[self.i]
        v, w, alpha = V[:3] + np.cross(V[3:], arm), V[3:], a[3:]
        acceleration = a[:3] + np.cross(alpha, arm) + np.cross(w, v)
        return self.axes.T @ acceleration, self.axes.T @ w, self.axes.T @ alpha

    def known(self, wrench: np.ndarray) -> np.ndarray:
        """Of a planar mechanism only the part within the plane: what acts across it is not modelled."""
        if self.replay.mechanism.plane is None:
            return wrench
        normal = self.axes.T @ np.array(PLANES[self.replay.mechanism.plane])
        return np.append(wrench[:3] - normal * (normal @ wrench[:3]), normal * (normal @ wrench[3:]))
