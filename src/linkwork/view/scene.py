"""Scene: a plain description of what to draw of a run - meshes on bodies, joints, springs, traces, motion, channels.

Made from a result alone (its model text says what the bodies look like).  Page, glTF and pictures are drawn from it;
it knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analyses.loads import joint_loads
from linkwork.analyses.replay import model_of
from linkwork.errors import LinkworkError, OptionError
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters, frame_with_axis, rotation_entries
from linkwork.results.result import Result
from linkwork.system.frames import Frames, Pose, joint_frames, said_poses
from linkwork.view.meshes import Mesh
from linkwork.view.pictures import (
    GROUND_PAINT,
    SLIDING,
    STANDING,
    Part,
    body_parts,
    ground_foot,
    joint_picture,
    spring_coil,
)

FORMAT = "linkwork-scene-1"
UNIT = 0.042  # of a typical link: the size in which joints are drawn
MOST_NUMBERS = 1_600_000  # kept of the motion and channels; above it samples are left out evenly
Point = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DrawnBody:
    """A body; ground is the first.  In the body frame, m: its centre of mass, and where to write its name."""

    name: str
    centre: Point
    label: Point
    parts: list[Part]


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """A joint between bodies a and b (indices); its point on B (m, body frame); parts on A, on B and on ground."""

    name: str
    kind: str
    a: int
    b: int
    at_b: Point
    parts_a: list[Part]
    parts_b: list[Part]
    parts_ground: list[Part]


@dataclass(frozen=True, eq=False)
class DrawnSpring:
    """A coil of unit length, stretched between a point on body a and a point on body b (m, body frames)."""

    name: str
    a: int
    at_a: Point
    b: int
    at_b: Point
    mesh: Mesh


@dataclass(frozen=True)
class Trace:
    """A point of a body whose path can be shown; `shown`: from the start."""

    name: str
    body: int
    at: Point
    shown: bool


@dataclass(frozen=True, eq=False)
class Channel:
    """A time history by name."""

    name: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Arrow:
    """The force of a joint on its body b [sample, 3], N, world axes; `note`: what of it is not unique."""

    joint: int
    force: np.ndarray
    note: str


@dataclass(frozen=True)
class Event:
    """Something to mark on the time line: kind `singular` or `switch`."""

    t: float
    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything to draw.  SI units, world axes; ground has no motion and is left out of the motion's arrays."""

    format: str
    name: str
    facts: dict[str, str]
    up: Point
    look: Point  # from the mechanism towards the eye
    unit: float  # m, in which joints are drawn
    low: Point  # m, corners of the room that the motion takes
    high: Point
    bodies: list[DrawnBody]
    joints: list[DrawnJoint]
    springs: list[DrawnSpring]
    traces: list[Trace]
    t: np.ndarray  # s
    position: np.ndarray  # [sample, body, 3]
    orientation: np.ndarray  # [sample, body, 4]
    velocity: np.ndarray  # [sample, body, 3]
    angular_velocity: np.ndarray  # [sample, body, 3]
    channels: list[Channel]  # beside the bodies' own, which are the motion
    arrows: list[Arrow]
    events: list[Event]
    plots: list[list[str]]  # channels to show first


def scene_of(result: Result, loads: bool = True) -> Scene:
    """What to draw of a run; `loads`: with the joints' forces."""
    if not len(result.t):
        raise OptionError(
            f"the result of '{result.model}' has no samples; there is nothing to view", element=result.model
        )
    forces = _arrows(result) if loads else []
    keep = _kept_samples(result, len(forces))
    kept = result.part(keep)
    drawing = _Drawing(model_of(result), kept.position, kept.orientation)
    return drawing.scene(
        name=result.model, facts=_facts(result), t=kept.t, position=kept.position, orientation=kept.orientation,
        velocity=kept.velocity, angular_velocity=kept.angular_velocity, channels=_channels(kept),
        arrows=[Arrow(a.joint, a.force[keep], a.note) for a in forces], events=_events(result),
        plots=_first_plots(kept, drawing.farthest()),
    )  # fmt: skip


def scene_at_start(mechanism: Mechanism) -> Scene:
    """What to draw of a mechanism that has not moved yet: its bodies where they are said to be."""
    position = np.array([[body.at for body in mechanism.body]], float).reshape(1, -1, 3)
    orientation = np.array([[body.orientation for body in mechanism.body]], float).reshape(1, -1, 4)
    drawing = _Drawing(mechanism, position, orientation)
    return drawing.scene(
        name=mechanism.name, facts={}, t=np.zeros(1), position=position, orientation=orientation,
        velocity=np.zeros_like(position), angular_velocity=np.zeros_like(position), channels=[], arrows=[], events=[],
        plots=[],
    )  # fmt: skip


def _kept_samples(result: Result, arrows: int) -> slice:
    columns = 13 * len(result.names["bodies"]) + result.q.shape[1] + 2 * result.v.shape[1] + 3 * arrows
    numbers = len(result.t) * columns
    return slice(0, None, max(1, -(-numbers // MOST_NUMBERS)))


def rotations(e: np.ndarray) -> np.ndarray:
    """R [..., 3, 3] for Euler parameters [..., 4]."""
    return np.stack(rotation_entries.py_func(*np.moveaxis(e, -1, 0)), axis=-1).reshape(*e.shape[:-1], 3, 3)


class _Drawing:
    """A mechanism, poses of its bodies over a run, and what is needed to place their pictures."""

    def __init__(self, mechanism: Mechanism, position: np.ndarray, orientation: np.ndarray) -> None:
        self.mechanism = mechanism
        self.names = [GROUND, *(body.name for body in self.mechanism.body)]
        self.frames = joint_frames(self.mechanism)
        self.said = said_poses(self.mechanism)
        self.up = _upwards(self.mechanism)
        self.points, self.axes = self._attachments()
        self.u = self._unit()
        picked = slice(0, None, max(1, len(position) // 200))  # enough to see where the bodies go
        self.R, self.p = rotations(orientation[picked]), position[picked]

    def scene(self, **motion: Any) -> Scene:
        """The scene with its motion."""
        low, high = self.room()
        return Scene(
            format=FORMAT, up=tuple(map(float, self.up)), look=self.look(), unit=self.u, low=low, high=high,
            bodies=self.bodies(), joints=self.joints(), springs=self.springs(), traces=self.traces(), **motion,
        )  # fmt: skip

    def index(self, body: str) -> int:
        return self.names.index(body)

    def _attachments(self) -> tuple[dict[str, list[np.ndarray]], dict[str, list[np.ndarray]]]:
        """Where joints and springs are attached (m), and the joints' axes, by body, in the body frames."""
        points: dict[str, list[np.ndarray]] = {name: [] for name in self.names}
        axes: dict[str, list[np.ndarray]] = {name: [] for name in self.names}
        for frames in self.frames.values():
            if frames.kind == "free":
                continue
            for body, pose in ((frames.a, frames.on_a), (frames.b, frames.on_b)):
                if not (frames.kind in SLIDING and body == frames.a):
                    points[body].append(pose.p)
                axes[body].append(pose.R[:, 2])
        for spring in self.mechanism.spring_damper:
            for body, point in zip(spring.between, spring.points, strict=True):
                points[body].append(_on(self.said[body], point))
        return points, axes

    def _unit(self) -> float:
        """The unit of the pictures, m: a share of a length between the mean and the longest link."""
        lengths = []
        for body in self.mechanism.body:
            places = np.array([body.p_BC, *self.points[body.name]])
            own = float(np.linalg.norm(places[:, None] - places[None], axis=-1).max())
            lengths.append(max([own, *(body.shape.sizes().values() if body.shape is not None else ())]))
        real = [length for length in lengths if length > 1e-9]
        return UNIT * float(np.sqrt(np.mean(real) * max(real))) if real else UNIT

    # -- what there is --------------------------------------------------------------------------------------------
    def bodies(self) -> list[DrawnBody]:
        drawn = [DrawnBody(GROUND, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), [])]
        for body in self.mechanism.body:
            parts = body_parts(body, self.points[body.name], self.axes[body.name], self.u)
            middle = np.mean(self.points[body.name] or [body.p_BC], axis=0) if body.shape is None else np.zeros(3)
            drawn.append(DrawnBody(body.name, body.com, tuple(map(float, middle)), parts))
        return drawn

    def joints(self) -> list[DrawnJoint]:
        drawn = []
        for name, frames in self.frames.items():
            picture = joint_picture(frames.kind, self.u, self._travel(frames) if frames.kind in SLIDING else (0.0, 0.0))
            drawn.append(
                DrawnJoint(
                    name, frames.kind, self.index(frames.a), self.index(frames.b), tuple(frames.on_b.p),
                    [_placed(part, frames.on_a) for part in picture.on_a],
                    [_placed(part, frames.on_b) for part in picture.on_b],
                    self._foot(frames),
                )
            )  # fmt: skip
        return drawn

    def _foot(self, frames: Frames) -> list[Part]:
        if frames.kind not in STANDING or GROUND not in (frames.a, frames.b):
            return []
        place = (frames.on_a if frames.a == GROUND else frames.on_b).p
        turn = euler_parameters(frame_with_axis(self.up))
        return [Part(ground_foot(self.u), tuple(place), tuple(turn), GROUND_PAINT)]

    def _travel(self, frames: Frames) -> tuple[float, float]:
        """Least and largest distance along the axis on A, m."""
        R_A, p_A = self._poses(frames.a)
        R_B, p_B = self._poses(frames.b)
        gap = p_B + R_B @ frames.on_b.p - p_A - R_A @ frames.on_a.p
        along = np.einsum("ni,ni->n", gap, R_A @ frames.on_a.R[:, 2])
        return float(along.min(initial=0.0)), float(along.max(initial=0.0))

    def _poses(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        count = len(self.p)
        if body == GROUND:
            return np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        k = self.index(body) - 1
        return self.R[:, k], self.p[:, k]

    def springs(self) -> list[DrawnSpring]:
        drawn = []
        for spring in self.mechanism.spring_damper:
            (a, b), (at_a, at_b) = spring.between, spring.points
            drawn.append(
                DrawnSpring(
                    spring.name, self.index(a), tuple(_on(self.said[a], at_a)), self.index(b),
                    tuple(_on(self.said[b], at_b)), spring_coil(spring.length(), self.u),
                )
            )  # fmt: skip
        return drawn

    def traces(self) -> list[Trace]:
        """The centre of mass of every body, and the named frames; shown is that which goes farthest."""
        farthest = self.farthest()
        found = [
            Trace(body.name, k + 1, body.com, body.name == farthest) for k, body in enumerate(self.mechanism.body)
        ]
        moving = [frame for frame in self.mechanism.frame if frame.body != GROUND]
        return found + [Trace(frame.name, self.index(frame.body), frame.at, False) for frame in moving]

    # -- where to look --------------------------------------------------------------------------------------------
    @cached_property
    def paths(self) -> dict[str, np.ndarray]:
        """The points of each body in the world over the run [sample, point, 3], m."""
        found = {}
        for body in self.mechanism.body:
            R, p = self._poses(body.name)
            points = np.array([body.p_BC, *self.points[body.name]])
            found[body.name] = p[:, None] + np.einsum("nij,kj->nki", R, points)
        return found

    def farthest(self) -> str | None:
        """The body whose centre of mass has the longest path."""
        lengths = {name: float(np.linalg.norm(np.diff(path[:, 0], axis=0), axis=1).sum())
                   for name, path in self.paths.items()}  # fmt: skip
        return max(lengths, key=lambda name: lengths[name]) if lengths else None

    def room(self) -> tuple[Point, Point]:
        """Corners of what the motion fills, with the sizes of the bodies, m."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for body in self.mechanism.body:
            path = self.paths[body.name].reshape(-1, 3)
            around = min(body.shape.sizes().values()) / 2.0 if body.shape is not None else 0.0
            low, high = np.minimum(low, path.min(axis=0) - around), np.maximum(high, path.max(axis=0) + around)
        for point in self.points[GROUND]:
            low, high = np.minimum(low, point), np.maximum(high, point)
        if not np.isfinite(low).all():
            low, high = np.zeros(3), np.zeros(3)
        return tuple(map(float, low - 2.0 * self.u)), tuple(map(float, high + 2.0 * self.u))

    def look(self) -> Point:
        """Across the plane of a plane motion and a little from the side; otherwise from a corner."""
        points = np.concatenate([path.reshape(-1, 3) for path in self.paths.values()] or [np.zeros((1, 3))])
        _, sizes, directions = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        right = np.cross([0.0, 1.0, 0.0], self.up) if abs(self.up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        if len(sizes) == 3 and sizes[2] < 0.02 * sizes[0] and abs(directions[2] @ self.up) < 0.1:
            normal = directions[2]
            if np.cross(self.up, normal) @ np.array([1.0, 1e-3, 1e-6]) < 0.0:
                normal = -normal
            eye = normal + 0.24 * self.up + 0.26 * np.cross(self.up, normal)
        else:
            eye = np.cross(right, self.up) * -1.0 * 0.85 + 0.5 * self.up + 0.6 * right
        return tuple(map(float, eye / np.linalg.norm(eye)))


def _on(pose: Pose, point: Sequence[float]) -> np.ndarray:
    """A point of the world in a body frame."""
    return pose.R.T @ (np.array(point) - pose.p)


def _placed(part: Part, frame: Pose) -> Part:
    """A part given in a joint frame, in the body frame."""
    R = frame.R @ rotations(np.array(part.turn))
    at = frame.p + frame.R @ np.array(part.at)
    return Part(part.mesh, tuple(map(float, at)), tuple(map(float, euler_parameters(R))), part.paint)


def _upwards(mechanism: Mechanism) -> np.ndarray:
    """The axis that gravity is against; without gravity z, or y of a mechanism in the x-y plane."""
    g = np.array(mechanism.gravity)
    if np.abs(g).max() > 0.0:
        k = int(np.argmax(np.abs(g)))
        return -np.sign(g[k]) * np.eye(3)[k]
    return np.eye(3)[1 if mechanism.plane == "xy" else 2]


# -- numbers and words ------------------------------------------------------------------------------------------------
def _facts(result: Result) -> dict[str, str]:
    c = result.certificate
    facts = {
        "status": f"{c.status} at t = {c.t_end:g} s", "degrees of freedom": f"{c.dof}",
        "formulation": c.formulation, "method": c.method, "integrator": c.integrator, "why": c.why,
        "steps": f"{c.steps} ({c.rejected} rejected)", "energy drift": f"{c.energy_drift:.1e}",
        "worst violation": f"position {c.max_violation['position']:.1e}, velocity {c.max_violation['velocity']:.1e}",
    }  # fmt: skip
    return facts | ({"warnings": "; ".join(c.warnings)} if c.warnings else {})


def _channels(result: Result) -> list[Channel]:
    """Energies, coordinates, velocities, accelerations; those of the bodies are their motion."""
    own = {f"{body}.{what}.{axis}" for body in result.names["bodies"]
           for what, axes in (("position", "xyz"), ("velocity", "xyz"), ("angular_velocity", "xyz"),
                              ("orientation", ("e0", "e1", "e2", "e3"))) for axis in axes}  # fmt: skip
    return [Channel(n, result.unit(n), result.channel(n)) for n in dict.fromkeys(result.channels()) if n not in own]


def _first_plots(result: Result, body: str | None) -> list[list[str]]:
    """Energies; up to three joint coordinates, or where a body is."""
    moving = [n for n in result.names["q"] if np.ptp(result.channel(n)) > 1e-9]
    angles = [n for n in moving if n.rsplit(".", 1)[-1] in ("angle", "distance")]
    unit = result.unit(angles[0]) if angles else ""
    coordinates = [n for n in angles if result.unit(n) == unit][:3]
    places = [f"{body}.position.{axis}" for axis in "xyz"] if body is not None else []
    return [["energy.kinetic", "energy.potential", "energy"], coordinates or places]


def _events(result: Result) -> list[Event]:
    c = result.certificate
    singular = [Event(float(e["t"]), "singular", f"singular position, rank {e.get('rank', '?')}") for e in c.singular]
    switches = [
        Event(float(e["t"]), "switch", f"{e.get('from', '')} to {e.get('to', '')}: {e.get('why', '')}".strip(": "))
        for e in c.switches
    ]
    return sorted([*singular, *switches], key=lambda event: event.t)


def _arrows(result: Result) -> list[Arrow]:
    """Forces of the joints; none if they cannot be found for this run (a page without arrows is still a page)."""
    names = result.names["joints"]
    if not names:
        return []
    try:
        loads = joint_loads(result, names)
    except LinkworkError:
        return []
    arrows = []
    for k, name in enumerate(names):
        force = loads[name].force
        lost = [f"f{axis}" for axis, unknown in zip("xyz", np.isnan(force).any(axis=0), strict=True) if unknown]
        note = f"{', '.join(lost)} not unique, left out" if lost else ""
        if len(lost) < 3:
            arrows.append(Arrow(k, np.nan_to_num(force), note))
    return arrows
