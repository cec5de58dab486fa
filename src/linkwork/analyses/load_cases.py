"""Load cases for strength work: everything that acts on one body at one instant, inertia loads included, in balance.

D'Alembert: reactions + weight + springs + applied forces - (d/dt of momentum) = 0.  The instants are those at which a
joint of the body transmits its largest force or moment.  Written in body axes, with points of application in the body's
frame, they are what a finite-element run of the body needs.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analyses.loads import COMPONENTS, Loads, Reaction, body_frame, joint_loads, joint_point
from linkwork.analyses.replay import Replay, evaluate_sample
from linkwork.elements.applied_force import applied_forces
from linkwork.elements.gravity import gravity
from linkwork.elements.spring_damper import spring_dampers
from linkwork.elements.torsional_spring_damper import torsional_spring_dampers
from linkwork.errors import FileError, OptionError, nearest
from linkwork.formulations.equations import inside
from linkwork.formulations.kinematics import inertia_forces
from linkwork.formulations.reactions import body_accelerations
from linkwork.mechanism import PLANES, size
from linkwork.numerics.codes import LEVEL_ALL, T_ACCEPTED
from linkwork.numerics.jit import kernel
from linkwork.results.result import Result

CASE_COLUMNS = ("body", "t", "load", "kind", "x", "y", "z", *COMPONENTS)
ROUNDING = 1e-10
HISTORY_COLUMNS = ("joint", "on", "at", "frame", "t", *COMPONENTS, "driving")


@dataclass(frozen=True)
class BodyLoad:
    """One load on a body: a force and a moment about its point of application, in body axes."""

    name: str
    kind: str  # joint | weight | spring | torsion | applied | inertia
    point: np.ndarray  # m, in the body's frame
    force: np.ndarray  # N; NaN: not unique
    torque: np.ndarray  # N m

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "load": self.name, "kind": self.kind, "point": self.point, "force": self.force, "torque": self.torque
        }  # fmt: skip


@dataclass(frozen=True)
class LoadCase:
    """All loads on one body at one instant; body axes, points in the body's frame."""

    body: str
    t: float  # s
    why: str  # which extreme it is
    loads: tuple[BodyLoad, ...]
    residual: np.ndarray  # N, N m about the centre of mass: what the loads sum up to; zero but for rounding
    acceleration: np.ndarray  # m/s2, of the body frame's origin
    angular_velocity: np.ndarray  # rad/s
    angular_acceleration: np.ndarray  # rad/s2

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "body": self.body, "t": self.t, "why": self.why, "axes": self.body,
            "loads": [load.as_dict() for load in self.loads], "residual": self.residual,
            "acceleration": self.acceleration, "angular_velocity": self.angular_velocity,
            "angular_acceleration": self.angular_acceleration,
            "units": {"t": "s", "point": "m", "force": "N", "torque": "N m"},
        }  # fmt: skip


# -- instants -----------------------------------------------------------------------------------------------------
def extremes(loads: Loads, length: float = 1.0) -> list[tuple[int, str]]:
    """Samples at which a joint transmits its largest force or moment (what is unique of it), and which that is.

    `length` (m): the size of the mechanism; a moment that is rounding beside the forces times it is none.
    """
    found: dict[int, list[str]] = {}
    noise = ROUNDING * max(np.nanmax(np.abs(reaction.force), initial=0.0) for reaction in loads.values())
    for reaction in loads.values():
        for what, vectors, least in (("force", reaction.force, noise), ("moment", reaction.torque, noise * length)):
            sizes = np.sqrt(np.nansum(vectors**2, axis=1))
            if sizes.max() > least:
                found.setdefault(int(np.argmax(sizes)), []).append(f"largest {what} of joint '{reaction.joint}'")
    return [(n, "; ".join(why)) for n, why in sorted(found.items())]


def load_cases(result: Result, body: str, during: tuple[float, float] | None = None) -> list[LoadCase]:
    """One case for each instant at which a joint of the body transmits its largest force or moment."""
    joints = joints_of(result, body)
    loads = joint_loads(result, joints, during=during)
    length = size(Replay.of(result).mechanism)
    return [load_case(result, body, float(loads.t[n]), why) for n, why in extremes(loads, length)]


def joints_of(result: Result, body: str) -> list[str]:
    """The joints that hold a body."""
    known = result.names["bodies"]
    if body not in known:
        raise OptionError(f"there is no body '{body}'; {nearest(body, known)}", element=body)
    mechanism = Replay.of(result).mechanism
    joints = [joint.name for joint in mechanism.joint if body in joint.between]
    if not joints:
        raise OptionError(f"body '{body}' has no joints, so that nothing loads it but its own weight", element=body)
    return joints


# -- one instant --------------------------------------------------------------------------------------------------
@kernel
def element_wrenches(system, work, t, state, angles, v_dot, a, springs, torsions, applied, weights, inertial):
    """Wrenches about the reference points: of each spring [s, body, 6], torsion, applied force; weights, inertia."""
    w = work
    w.settings[T_ACCEPTED] = t
    evaluate_sample(system, work, t, state, angles, LEVEL_ALL)
    for s in range(system.springs.shape[0]):
        w.F[:, :] = 0.0
        spring_dampers(system.springs[s : s + 1], w.R, w.p, w.O, w.V, w.F, w.energy)
        springs[s] = w.F
    for s in range(system.torsions.shape[0]):
        w.F[:, :] = 0.0
        torsional_spring_dampers(
            system.torsions[s : s + 1], w.R, w.p, w.O, w.V, 0.0, angles, w.F, w.energy, w.angle
        )
        torsions[s] = w.F
    for s in range(system.loads.shape[0]):
        w.F[:, :] = 0.0
        applied_forces(system.loads[s : s + 1], system.ops, inside(w, t), w.R, w.p, w.O, w.V, w.stack, w.F, w.energy)
        applied[s] = w.F
    w.F[:, :] = 0.0
    gravity(system.whole[0].gravity, w.inertia, w.O, w.F, w.energy)
    weights[:, :] = w.F
    body_accelerations(system.bodies, w.S, v_dot, a)
    for i in range(1, a.shape[0]):
        for k in range(6):
            a[i, k] += w.A[i, k]
    w.F[:, :] = 0.0
    inertia_forces(w.inertia, w.V, a, w.F, w.energy)
    inertial[:, :] = w.F


def load_case(result: Result, body: str, t: float, why: str = "as asked") -> LoadCase:
    """All that acts on a body at the sample nearest to a time (s)."""
    joints = joints_of(result, body)
    reactions = joint_loads(result, joints, on=body, frame=body)
    instant = _Instant(result, body, t, reactions[joints[0]].way)
    held = [instant.joint_load(reactions[name]) for name in joints]
    others = instant.other_loads()
    possible = [replace(load, force=w[:3], torque=w[3:]) for load, w in zip(held, instant.possible, strict=True)]
    residual = instant.known(sum((_about(load, instant.centre) for load in possible + others), np.zeros(6)))
    return LoadCase(body, instant.t, why, (*held, *others), residual, *instant.motion)


def _about(load: BodyLoad, point: np.ndarray) -> np.ndarray:
    """Force and moment about a point."""
    return np.append(load.force, load.torque + np.cross(load.point - point, load.force))


class _Instant:
    """One body at one sample: its frame, and the elements' wrenches on it, in body axes."""

    def __init__(self, result: Result, body: str, t: float, way: str) -> None:
        self.replay = replay = Replay.of(result)
        self.n = n = int(np.argmin(np.abs(replay.t - t)))
        self.t = float(replay.t[n])
        self.i = replay.layout.body(body)
        self.found = found = replay.wrenches((), way)
        self.equations = replay.open_equations
        self.origin, self.axes = (x[n] for x in body_frame(replay, found, self.i))
        record = replay.compiled.system.bodies[self.i]
        self.centre = self.inside(found.p[n, self.i] + found.R[n, self.i] @ record["p_LC"])
        self.possible: list[np.ndarray] = []
        self._evaluate()

    def inside(self, p: np.ndarray) -> np.ndarray:
        """A world point in the body's frame, m."""
        return self.axes.T @ (p - self.origin)

    def _evaluate(self) -> None:
        system, n = self.replay.compiled.system, self.n
        bodies = len(system.bodies)
        self.springs, self.torsions, self.applied = (
            np.zeros((len(table), bodies, 6)) for table in (system.springs, system.torsions, system.loads)
        )
        self.weights, self.inertial, self.a = np.zeros((3, bodies, 6))
        element_wrenches(
            self.equations.system_ref, self.equations.work_ref, self.t, self.replay.states[n],
            self.found.angle[n].copy(), self.replay.v_dot[n], self.a, self.springs,
            self.torsions, self.applied, self.weights, self.inertial,
        )  # fmt: skip

    def joint_load(self, reaction: Reaction) -> BodyLoad:
        """The reaction of a joint, which is given in body axes about the joint's point."""
        self.possible.append(reaction.possible[self.n])
        point = self.inside(joint_point(self.replay, self.found, reaction.joint)[self.n])
        return BodyLoad(reaction.joint, "joint", point, reaction.force[self.n], reaction.torque[self.n])

    def other_loads(self) -> list[BodyLoad]:
        """Springs, torsional springs, applied forces, weight and inertia load."""
        said, system, i = self.replay.mechanism, self.replay.compiled.system, self.i
        found = []
        for element, record, wrench in zip(said.spring_damper, system.springs, self.springs, strict=True):
            for body, p in ((record["body_a"], record["p_A"]), (record["body_b"], record["p_B"])):
                if body == i:
                    found.append(self._load(element.name, "spring", self._on_link(p), wrench[i]))
        for torsion, record, wrench in zip(said.torsional_spring_damper, system.torsions, self.torsions, strict=True):
            if i in (record["body_a"], record["body_b"]):
                point = joint_point(self.replay, self.found, torsion.joint)[self.n]
                found.append(self._load(torsion.name, "torsion", point, wrench[i]))
        for force, record, wrench in zip(said.applied_force, system.loads, self.applied, strict=True):
            if record["body"] == i:
                found.append(self._load(force.name, "applied", self._on_link(record["p_P"]), wrench[i]))
        centre = self._on_link(system.bodies[i]["p_LC"])
        weight = self._load("weight", "weight", centre, self.weights[i])
        return [*found, weight, self._load("inertia", "inertia", centre, self.inertial[i])]

    def _on_link(self, p: np.ndarray) -> np.ndarray:
        return self.found.p[self.n, self.i] + self.found.R[self.n, self.i] @ p

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
        """Of a plane mechanism only the part within the plane: what acts across it is not modelled."""
        if self.replay.mechanism.plane is None:
            return wrench
        normal = self.axes.T @ np.array(PLANES[self.replay.mechanism.plane])
        return np.append(wrench[:3] - normal * (normal @ wrench[:3]), normal * (normal @ wrench[3:]))


# -- files --------------------------------------------------------------------------------------------------------
def write_cases(cases: Sequence[LoadCase], path: str | Path) -> None:
    """Write load cases as CSV: body axes, points in the body's frame, SI units; an empty cell is not unique."""
    rows = [
        (case.body, case.t, load.name, load.kind, *load.point, *load.force, *load.torque)
        for case in cases
        for load in case.loads
    ]
    _write_table(path, CASE_COLUMNS, rows)


def write_histories(loads: Loads, path: str | Path) -> None:
    """Write the histories as CSV: one row a sample and joint, SI units; an empty cell is not unique."""
    rows = [
        (reaction.joint, reaction.on, reaction.at, reaction.frame, t, *force, *torque, *driving)
        for reaction in loads.values()
        for t, force, torque, *driving in zip(
            reaction.t, reaction.force, reaction.torque, _one_driving(reaction), strict=True
        )
    ]
    _write_table(path, HISTORY_COLUMNS, rows)


def _one_driving(reaction: Reaction) -> np.ndarray:
    return reaction.driving if reaction.driving is not None else np.full(len(reaction.t), np.nan)


def _write_table(path: str | Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    try:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([_cell(value) for value in row] for row in rows)
    except OSError as error:
        why = error.strerror or error
        raise FileError(f"cannot write '{path}': {why}; check the folder", element=str(path)) from error


def _cell(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if np.isfinite(value) else ""
    return value
