"""A mechanism as things to draw: bodies, joints, springs and links, traces; and from where to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.elements.constraints.links import Distance
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.joints.picture import JointPicture
from linkwork.elements.tyres.road import Road
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters
from linkwork.system.frames import Frames, Pose, frame_pose, given_poses, joint_frames
from linkwork.view.scene.bending import bending_coordinates, bending_surface
from linkwork.view.scene.meshes import Mesh, box
from linkwork.view.scene.nodes import Modal, Nodes
from linkwork.view.scene.pictures import (
    GROUND_PAINT,
    Part,
    body_parts,
    solid_parts,
    spring_coil,
    thin_bar,
    wheel,
)
from linkwork.view.scene.road_picture import road_part, tyre_parts
from linkwork.view.scene.scene import (
    FORMAT,
    DrawnBend,
    DrawnBody,
    DrawnJoint,
    DrawnLink,
    Point,
    Scene,
    Trace,
    rotations,
)
from linkwork.view.scene.supports import Supports

UNIT = 0.042  # of a typical link: the size in which joints are drawn
LEAST_UNIT, MOST_UNIT = (
    0.004,
    0.12,
)  # of all that the bodies fill, at least, unless that is more of a link than the other

RAIL_END = 3.5  # units: by which a rail is longer than the travel, at each end
ORIGIN = np.zeros((1, 3))


def _directions(count: int) -> np.ndarray:
    """Unit vectors [count, 3], evenly spread (points of a Fibonacci lattice on the sphere)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    return np.column_stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z])


OUTWARD = _directions(96)


class Drawing:
    """A mechanism, poses of its bodies over a run, and what is needed to place their pictures."""

    def __init__(self, mechanism: Mechanism, position: np.ndarray, orientation: np.ndarray) -> None:
        self.mechanism = mechanism
        self.names = [GROUND, *(body.name for body in self.mechanism.body)]
        self.frames = joint_frames(self.mechanism)
        self.said = given_poses(self.mechanism)
        self.nodes = Nodes(self.mechanism)
        self.up = _upwards(self.mechanism)
        self.points, self.axes = self._attachments()
        picked = slice(0, None, max(1, len(position) // 200))  # enough to see where the bodies go
        self.R, self.p = rotations(orientation[picked]), position[picked]
        self.u = self._unit()

    def scene(self, modal: Modal | None = None, **motion: Any) -> Scene:
        """The scene with its motion; `modal`: modal coordinates and rates of flexible bodies, else as they start."""
        low, high = self.room()
        floor, outline = self.supports.floor, self.outline()
        modal = modal or self._said_modal(len(motion["t"]))
        joints, links, traces = self.joints(), self.links(), self.traces()  # these say which nodes there are
        return Scene(
            format=FORMAT, up=tuple(map(float, self.up)), look=self.look(), unit=self.u, low=low, high=high,
            floor=floor, outline=outline, follow=self.followed(), tyres=len(self.mechanism.tyre),
            bodies=[*self.bodies, *self.nodes.drawn()], joints=joints, links=links, bends=self.bends(modal),
            traces=traces, **(motion | self.nodes.moving(modal, motion)),
        )  # fmt: skip

    def _said_modal(self, samples: int) -> Modal:
        """Flexible bodies bent as they are said to be at the start, at rest."""
        found = {}
        for body in self.mechanism.body:
            if body.modal is not None:
                eta = np.zeros(body.modal.modes) if body.modal_start is None else np.array(body.modal_start, float)
                found[body.name] = np.tile(eta, (samples, 1)), np.zeros((samples, body.modal.modes))
        return found

    def index(self, body: str) -> int:
        """Of a body among the drawn ones; ground is 0."""
        return self.names.index(body)

    def _attachments(self) -> tuple[dict[str, list[np.ndarray]], dict[str, list[np.ndarray]]]:
        """Where joints and springs are attached (m), and the joints' axes, by body, in the body frames."""
        points: dict[str, list[np.ndarray]] = {name: [] for name in self.names}
        axes: dict[str, list[np.ndarray]] = {name: [] for name in self.names}
        for frames in self.frames.values():
            if frames.type.holds_nothing:
                continue
            for body, pose in ((frames.a, frames.on_a), (frames.b, frames.on_b)):
                if not (frames.type.has_rail and body == frames.a):
                    points[body].append(pose.p)
                axes[body].append(pose.R[:, 2])
        for body, point in self._ends():
            points[body].append(_on(self.said[body], point))
        return points, axes

    def _ends(self) -> list[tuple[str, Point]]:
        """Ends of springs and massless links: body, and point in the world (m), with the bodies as said."""
        links: list[SpringDamper | Distance] = [*self.mechanism.spring_damper, *self.mechanism.distance]
        return [end for link in links for end in zip(link.between, link.points, strict=True)]

    def _unit(self) -> float:
        """The unit of the pictures, m: a share of a length between the mean and the longest link, or of the whole."""
        lengths = []
        for body in self.mechanism.body:
            places = np.array([body.p_BC, *self.points[body.name]])
            own = float(np.linalg.norm(places[:, None] - places[None], axis=-1).max())
            lengths.append(max([own, *(body.shape.sizes().values() if body.shape is not None else ())]))
        real = [length for length in lengths if length > 1e-9]
        if not real:
            return UNIT
        least = min(
            LEAST_UNIT * float(np.linalg.norm(np.ptp(self.p[:1], axis=(0, 1)))), MOST_UNIT * float(np.mean(real))
        )
        return max(UNIT * float(np.sqrt(np.mean(real) * max(real))), least)

    # -- what there is --------------------------------------------------------------------------------------------
    @cached_property
    def bodies(self) -> list[DrawnBody]:
        """Ground with its anchors, then every body."""
        drawn = [DrawnBody(GROUND, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), [*self._anchors(), *self._roads()])]
        for body in self.mechanism.body:
            parts = body_parts(body, self.points[body.name], self.axes[body.name], self.u)
            parts += [wheel(disc, self.u) for disc in self.mechanism.rolling_disc if disc.body == body.name]
            parts += [part for tyre in self.mechanism.tyre if tyre.body == body.name for part in tyre_parts(tyre)]
            middle = np.mean(self.points[body.name] or [body.p_BC], axis=0) if body.shape is None else np.zeros(3)
            drawn.append(DrawnBody(body.name, tuple(map(float, body.p_BC)), tuple(map(float, middle)), parts,
                                   mass=body.mass_kg))  # fmt: skip
        return drawn

    def bends(self, modal: Modal) -> list[DrawnBend]:
        """Surfaces of the flexible bodies."""
        return [
            DrawnBend(k, *bending_surface(body.modal, self.u), bending_coordinates(body.modal, modal[body.name][0]))
            for k, body in enumerate(self.mechanism.body, start=1)
            if body.modal is not None
        ]

    def _anchors(self) -> list[Part]:
        """A block on ground where a spring or a link ends there."""
        places = dict.fromkeys(tuple(point) for body, point in self._ends() if body == GROUND)
        return [Part(box((1.6 * self.u,) * 3), point, paint=GROUND_PAINT) for point in places]

    def _roads(self) -> list[Part]:
        """The roads, under the wheels that are on them."""
        roads: dict[str | None, Road] = {None: Road(name="flat"), **{road.name: road for road in self.mechanism.road}}
        found = []
        for name in dict.fromkeys(tyre.road for tyre in self.mechanism.tyre):
            paths = []
            for tyre in self.mechanism.tyre:
                if tyre.road == name:
                    R, p = self._poses(tyre.body)
                    paths.append(p + R @ np.array(tyre.at))
            places = np.concatenate(paths)
            found.append(road_part(roads[name], places.min(axis=0), places.max(axis=0)))
        return found

    def joints(self) -> list[DrawnJoint]:
        """Every joint as what it is."""
        drawn = []
        for name, frames in self.frames.items():
            picture = self._joint_picture(frames)
            a, at_a = self.nodes.carrier(frames.a, frames.on_a.p)
            b, at_b = self.nodes.carrier(frames.b, frames.on_b.p)
            on_a, on_b = Pose(frames.on_a.R, at_a), Pose(frames.on_b.R, at_b)
            drawn.append(
                DrawnJoint(
                    name, frames.type.name, a, b, tuple(map(float, at_b)),
                    [_placed(part, on_a) for part in solid_parts(picture.on_a)],
                    [_placed(part, on_b) for part in solid_parts(picture.on_b)], self._support(frames),
                )
            )  # fmt: skip
        return drawn

    def _joint_picture(self, frames: Frames) -> JointPicture:
        """As its kind describes it; sliding bodies with pictures of their own need no rail."""
        if not frames.type.has_rail:
            return frames.type.picture(self.u, (0.0, 0.0))
        if {frames.a, frames.b} <= {body.name for body in self.mechanism.body if body.pictures}:
            return JointPicture()
        return frames.type.picture(self.u, self._travel(frames))

    def _support(self, frames: Frames) -> list[Part]:
        """What carries a joint on ground."""
        if frames.type.stands_on_foot and GROUND in (frames.a, frames.b):
            here, body = (frames.on_a, frames.b) if frames.a == GROUND else (frames.on_b, frames.a)
            return self.supports.of_bearing(here.p, here.R[:, 2], len(frames.type.motions) == 1, body)
        if frames.type.has_rail and frames.a == GROUND:
            return self.supports.of_rail([path[0] for path in self._rail_ends(frames)])
        return []

    def _rail_ends(self, frames: Frames) -> list[np.ndarray]:
        """Where both ends of a rail go [sample, 3], m."""
        R, p = self._poses(frames.a)
        along = np.array(self._travel(frames)) + self.u * np.array([-RAIL_END, RAIL_END])
        return [p + R @ (frames.on_a.p + s * frames.on_a.R[:, 2]) for s in along]

    @cached_property
    def supports(self) -> Supports:
        """The floor, and what stands on it."""
        ground = [(f, f.on_a if f.a == GROUND else f.on_b) for f in self.frames.values() if GROUND in (f.a, f.b)]
        feet = [pose.p for frames, pose in ground if frames.type.stands_on_foot]
        eye, planes = np.array(self.look()), self._planes()
        instants = 1 if self.followed() else len(self.p)
        return Supports(self.up, eye, self._normal(), self.u, self.swept, instants, feet, planes)

    def _planes(self) -> list[float]:
        """Heights (m) of level planes on which something rolls or bounces, of roads, and of what is fixed to ground."""
        rolling = [disc.height for disc in self.mechanism.rolling_disc if np.array(disc.normal) @ self.up > 0.999]
        bouncing = [float(np.array(contact.plane_at) @ self.up) for contact in self.mechanism.contact
                    if contact.against == GROUND and np.array(contact.normal) @ self.up > 0.999]  # fmt: skip
        roads = [float((_corners(road) @ self.up).min()) for road in self._roads()]
        welded = [{f.a, f.b} - {GROUND} for f in self.frames.values() if GROUND in (f.a, f.b) and not f.type.motions]
        fixed = [float((self.swept[name] @ self.up).min()) for pair in welded for name in pair if len(self.swept[name])]
        return [*rolling, *bouncing, *roads, *fixed]

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

    def links(self) -> list[DrawnLink]:
        """Springs as coils, massless links as thin bars."""
        links: list[tuple[SpringDamper | Distance, str, Mesh]] = []
        links += [(s, "spring", spring_coil(s.length(), self.u)) for s in self.mechanism.spring_damper]
        links += [(d, "distance", thin_bar(self.u)) for d in self.mechanism.distance]
        drawn = []
        for element, kind, mesh in links:
            (a, at_a), (b, at_b) = (
                self.nodes.carrier(body, _on(self.said[body], at))
                for body, at in zip(element.between, element.points, strict=True)
            )
            drawn.append(DrawnLink(element.name, kind, a, tuple(map(float, at_a)), b, tuple(map(float, at_b)), mesh))
        return drawn

    def traces(self) -> list[Trace]:
        """The centre of mass of every body, and the named frames; shown is that which goes farthest."""
        farthest = self.farthest()
        found = [
            Trace(body.name, k + 1, tuple(map(float, body.p_BC)), body.name == farthest)
            for k, body in enumerate(self.mechanism.body)
        ]
        for frame in self.mechanism.frame:
            if frame.body != GROUND:
                k, at = self.nodes.carrier(frame.body, frame_pose(self.mechanism, frame).p)
                found.append(Trace(frame.name, k, tuple(map(float, at)), False))
        return found

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

    def followed(self) -> int:
        """The heaviest body of a vehicle that drives farther than three times its own size; 0: none."""
        if not self.mechanism.tyre:
            return 0
        size = float(np.linalg.norm(np.ptp(self.p[0], axis=0)))
        heaviest = max(self.mechanism.body, key=lambda body: body.mass_kg).name
        way = self._poses(heaviest)[1]
        return self.index(heaviest) if float(np.linalg.norm(np.ptp(way, axis=0))) > 3.0 * max(size, 1.0) else 0

    def room(self) -> tuple[Point, Point]:
        """Corners of what the motion fills, with the sizes of the bodies, m; if it is followed, at the start."""
        everything = np.concatenate([*self.swept.values(), *(point[None] for point in self.points[GROUND])] or [ORIGIN])
        low, high = everything.min(axis=0), everything.max(axis=0)
        return tuple(map(float, low - 2.0 * self.u)), tuple(map(float, high + 2.0 * self.u))

    @cached_property
    def swept(self) -> dict[str, np.ndarray]:
        """Corners of each body over the run [point, 3], m, world; if a body is followed, at the start alone."""
        instants = slice(1 if self.followed() else None)
        found = {}
        for drawn, body in zip(self.bodies[1:], self.mechanism.body, strict=True):
            R, p = self._poses(drawn.name)
            nodes = np.zeros((0, 3)) if body.modal is None else body.modal.nodes.x
            corners = np.concatenate([nodes, *(_corners(part) for part in drawn.parts)])
            found[drawn.name] = (p[instants, None] + np.einsum("nij,kj->nki", R[instants], corners)).reshape(-1, 3)
        return found

    def outline(self) -> np.ndarray:
        """The outermost points [point, 3] (m) of the motion and of all that is fixed to ground, roads left out."""
        supports = [part for frames in self.frames.values() for part in self._support(frames)]
        around = [_corners(part) for part in (*supports, *self._anchors())]
        around += [ends for frames in self.frames.values() if frames.type.has_rail for ends in self._rail_ends(frames)]
        reach = 1.5 * self.u  # of joints around their points
        points = np.concatenate([*self.swept.values(), *around, *(p + reach * OUTWARD for p in self.points[GROUND])]
                                or [ORIGIN])  # fmt: skip
        return points[np.unique(np.argmax(points @ OUTWARD.T, axis=0))]

    def look(self) -> Point:
        """Across the plane of a plane motion and a little from the side; otherwise from a corner."""
        normal = self._normal()
        right = np.cross([0.0, 1.0, 0.0], self.up) if abs(self.up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        if normal is not None and abs(normal @ self.up) < 0.1:
            if np.cross(self.up, normal) @ np.array([1.0, 1e-3, 1e-6]) < 0.0:
                normal = -normal
            eye = normal + 0.24 * self.up + 0.26 * np.cross(self.up, normal)
        else:
            eye = np.cross(right, self.up) * -1.0 * 0.85 + 0.5 * self.up + 0.6 * right
        return tuple(map(float, eye / np.linalg.norm(eye)))

    def _normal(self) -> np.ndarray | None:
        """The normal of the plane in which all points move, if there is one."""
        if self.followed():
            return None
        if self.mechanism.plane is not None:
            return np.array(PLANES[self.mechanism.plane])
        points = np.concatenate([path.reshape(-1, 3) for path in self.paths.values()] or [np.zeros((1, 3))])
        _, sizes, directions = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        return directions[2] if len(sizes) == 3 and sizes[2] < 0.02 * sizes[0] else None


def _corners(part: Part) -> np.ndarray:
    """Corners of the box around a part [8, 3], m, body frame."""
    low, high = part.mesh.vertices.min(axis=0), part.mesh.vertices.max(axis=0)
    corners = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
    return corners @ rotations(np.array(part.turn)).T + np.array(part.at)


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
