"""Scene: a plain description of what to draw of a run - meshes on bodies, joints, springs, traces, motion, channels.

view/scene/run_scene.py makes it from a result.  Page, glTF and pictures are drawn from it; it knows nothing about them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.numerics.rotations import rotation_entries
from linkwork.view.scene.meshes import Mesh
from linkwork.view.scene.pictures import Part

FORMAT = "linkwork-scene-1"
Point = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class DrawnBody:
    """A body; ground is the first.  In the body frame, m: its centre of mass, and where to write its name.

    Nodes of flexible bodies to which something is attached stand behind the bodies, with a motion of their own.
    """

    name: str
    centre: Point
    label: Point
    parts: list[Part]
    of: int = 0  # of a node: the body to which it belongs
    mass: float = 0.0  # kg


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
    numbers: list[str] = field(default_factory=list)  # channels: its coordinates, and what drives them


@dataclass(frozen=True, eq=False)
class DrawnLink:
    """Something of unit length along z, stretched between points on bodies a and b (m, body frames): a coil, a bar."""

    name: str
    kind: str
    a: int
    at_a: Point
    b: int
    at_b: Point
    mesh: Mesh


@dataclass(frozen=True, eq=False)
class DrawnBend:
    """The surface of a flexible body (index), in its frame: vertices + shapes [vertex, 3 * coordinate] times eta."""

    body: int
    mesh: Mesh
    shapes: np.ndarray  # m per unit of coordinate; x of all, then y, then z
    eta: np.ndarray  # [sample, coordinate]: the modal ones, and their products where it foreshortens

    def at(self, sample: int) -> Mesh:
        """The surface at a sample."""
        moved = self.shapes.reshape(len(self.mesh.vertices), 3, -1) @ self.eta[sample]
        return Mesh(self.mesh.vertices + moved, self.mesh.triangles)


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
    """The force of a joint on its body b, of the road on a tyre, or of a plane on what touches it [sample, 3], N, world
    axes, at a point of a body (m, body frame), or away from it by `aside` [sample, 3] (m, world axes); `note`: what of
    it is not unique.
    """

    name: str
    body: int
    at: Point
    force: np.ndarray
    note: str
    aside: np.ndarray | None = None


@dataclass(frozen=True)
class Event:
    """Something to mark on the time line: kind `singular`, `switch` (of the method) or `event` (of the model)."""

    t: float
    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class DrawnMode:
    """A mode of vibration to choose: its headline and one period of it, arrays as in Scene.

    The mean over the period is the pose at rest.
    """

    name: str
    status: str
    headline: str
    shown: bool
    t: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    eta: list[np.ndarray]  # of each of the scene's bends


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything to draw.  SI units, world axes; ground has no motion and is left out of the motion's arrays."""

    format: str
    name: str
    status: str
    headline: str  # in a line
    facts: dict[str, str]  # the same at length
    up: Point
    look: Point  # from the mechanism towards the camera
    unit: float  # m, in which joints are drawn
    follow: int  # the body that the camera follows, in a mechanism that goes far; 0: none
    tyres: int  # how many
    low: Point  # m, corners of the space that the motion takes
    high: Point
    floor: float  # m, its height along `up`
    outline: np.ndarray  # [point, 3] m, the outermost points of the motion, and of what stands on the floor
    bodies: list[DrawnBody]
    joints: list[DrawnJoint]
    links: list[DrawnLink]
    bends: list[DrawnBend]
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
    modes: list[DrawnMode] = field(default_factory=list)  # of which one is the motion


def rotations(e: np.ndarray) -> np.ndarray:
    """R [..., 3, 3] for Euler parameters [..., 4]."""
    return np.stack(rotation_entries.py_func(*np.moveaxis(e, -1, 0)), axis=-1).reshape(*e.shape[:-1], 3, 3)


def without_flips(e: np.ndarray) -> np.ndarray:
    """Euler parameters [sample, ..., 4] with signs such that each history has no jumps (e and -e are one)."""
    signs = np.where(np.sum(e[1:] * e[:-1], axis=-1) < 0.0, -1.0, 1.0)
    return np.concatenate([e[:1], e[1:] * np.cumprod(signs, axis=0)[..., None]])
