"""A mechanism as things to draw: bodies, joints, springs and links, traces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.elements.constraints.links import RollingDisc
from linkwork.elements.joints.picture import JointPicture
from linkwork.elements.solids.pictures import Line
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters
from linkwork.system.frames import Frames, Pose, frame_pose, given_poses, joint_frames
from linkwork.view.scene.bending import bending_coordinates, bending_surface
from linkwork.view.scene.meshes import box
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
from linkwork.view.scene.supports import Supports, level_planes
from linkwork.view.scene.viewpoint import BodyMotion, Viewpoint, corners, outermost

UNIT = 0.042  # of a mean link: the size in which joints are drawn
LEAST_UNIT, MOST_UNIT = (
    0.004,
    0.12,
)  # of all that the bodies fill, at least, unless that is more of a link than the other
RAIL_END = 3.5  # units: by which a rail is longer than the travel, at each end
JOINT = 1.5  # units: the size of a joint around its point


class Drawing:
    """A mechanism, poses of its bodies over a run, and what is needed to place their pictures."""

    def __init__(self, mechanism: Mechanism, position: np.ndarray, orientation: np.ndarray) -> None:
        self.mechanism = mechanism
        self.frames = joint_frames(self.mechanism)
        self.poses = given_poses(self.mechanism)
        self.nodes = Nodes(self.mechanism)
        self.motion = BodyMotion(self.mechanism, position, orientation)
        self.points, self.axes = self._attachments()
        self.u = self._unit()
        self.viewpoint = Viewpoint(self.mechanism, self.motion, self.points)

    def scene(self, modal: Modal | None = None, **motion: Any) -> Scene:
        """The scene with its motion; `modal`: modal coordinates and rates of flexible bodies, else as they start."""
        low, high = self.viewpoint.extent(self.swept, self.u)
        modal = modal or self._modelled_modal(len(motion["t"]))
        joints, links, traces = self.joints(), self.links(), self.traces()  # these decide which nodes are drawn
        view = self.viewpoint
        return Scene(
            format=FORMAT, up=tuple(map(float, view.up)), look=view.look(), unit=self.u, low=low, high=high,
            floor=self.supports.floor, outline=self._outline(joints), follow=view.followed(),
            tyres=len(self.mechanism.of(Tyre)), bodies=[*self.bodies, *self.nodes.drawn()], joints=joints, links=links,
            bends=self.bends(modal), traces=traces, **(motion | self.nodes.moving(modal, motion)),
        )  # fmt: skip

    def _modelled_modal(self, samples: int) -> Modal:
        """Flexible bodies bent as they are modelled at the start, at rest."""
        found = {}
        for body in self.mechanism.body:
            if body.modal is not None:
                eta = np.zeros(body.modal.modes) if body.modal_start is None else np.array(body.modal_start, float)
                found[body.name] = np.tile(eta, (samples, 1)), np.zeros((samples, body.modal.modes))
        return found

    def _attachments(self) -> tuple[dict[str, list[np.ndarray]], dict[str, list[np.ndarray]]]:
        """Where joints and springs are attached (m), and the joints' axes, by body, in the body frames."""
        points: dict[str, list[np.ndarray]] = {name: [] for name in self.motion.names}
        axes: dict[str, list[np.ndarray]] = {name: [] for name in self.motion.names}
        for frames in self.frames.values():
            if frames.type.holds_nothing:
                continue
            for body, pose in ((frames.a, frames.on_a), (frames.b, frames.on_b)):
                if not (frames.type.has_rail and body == frames.a):
                    points[body].append(pose.p)
                axes[body].append(pose.R[:, 2])
        for body, point in self._ends():
            points[body].append(_on(self.poses[body], point))
        return points, axes

    def _ends(self) -> list[tuple[str, Point]]:
        """Ends of springs and massless links: body, and point in the world (m), with the bodies as modelled."""
        return [end for _, line in self._lines() for end in zip(line.between, line.points, strict=True)]

    def _lines(self) -> list[tuple[str, Line]]:
        """Elements that are drawn between two points, by name."""
        lines = ((element.name, element.line()) for element in self.mechanism.elements())
        return [(name, line) for name, line in lines if line is not None]

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
            LEAST_UNIT * float(np.linalg.norm(np.ptp(self.motion.p[:1], axis=(0, 1)))), MOST_UNIT * float(np.mean(real))
        )
        return max(UNIT * float(np.sqrt(np.mean(real) * max(real))), least)

    # -- what there is --------------------------------------------------------------------------------------------
    @cached_property
    def bodies(self) -> list[DrawnBody]:
        """Ground with its anchors, then every body."""
        drawn = [DrawnBody(GROUND, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), [*self._anchors(), *self._roads()])]
        for body in self.mechanism.body:
            parts = body_parts(body, self.points[body.name], self.axes[body.name], self.u)
            if not body.pictures:
                parts += [wheel(disc, self.u) for disc in self.mechanism.of(RollingDisc) if disc.body == body.name]
            parts += [part for tyre in self.mechanism.of(Tyre) if tyre.body == body.name for part in tyre_parts(tyre)]
            middle = np.mean(self.points[body.name] or [body.p_BC], axis=0) if body.shape is None else np.zeros(3)
            centre, label = tuple(map(float, body.p_BC)), tuple(map(float, middle))
            drawn.append(DrawnBody(body.name, centre, label, parts, mass=body.mass_kg))
        return drawn

    @cached_property
    def swept(self) -> dict[str, np.ndarray]:
        """Corners of each body over the run [point, 3], m, world."""
        return self.viewpoint.swept(self.bodies)

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
        roads: dict[str | None, Road] = {None: Road(name="flat")}
        roads |= {road.name: road for road in self.mechanism.of(Road)}
        found = []
        for name in dict.fromkeys(tyre.road for tyre in self.mechanism.of(Tyre)):
            paths = []
            for tyre in self.mechanism.of(Tyre):
                if tyre.road == name:
                    R, p = self.motion.poses(tyre.body)
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

    # -- what it stands on ----------------------------------------------------------------------------------------
    @cached_property
    def supports(self) -> Supports:
        """The floor, and what stands on it."""
        view = self.viewpoint
        feet = [pose.p for frames, pose, _ in self._on_ground() if frames.type.stands_on_foot]
        welded = [body for frames, _, body in self._on_ground() if not frames.type.motions]
        planes = level_planes(self.mechanism, view.up)
        planes += [float((corners(road) @ view.up).min()) for road in self._roads()]
        planes += [float((self.swept[body] @ view.up).min()) for body in welded if len(self.swept[body])]
        return Supports(view.up, np.array(view.look()), view.normal(), self.u, self.swept, view.instants, feet, planes)

    def _on_ground(self) -> list[tuple[Frames, Pose, str]]:
        """The joints on ground: frames, that on ground, the other body."""
        own = [frames for frames in self.frames.values() if GROUND in (frames.a, frames.b)]
        return [(f, f.on_a, f.b) if f.a == GROUND else (f, f.on_b, f.a) for f in own]

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
        R, p = self.motion.poses(frames.a)
        along = np.array(self._travel(frames)) + self.u * np.array([-RAIL_END, RAIL_END])
        return [p + R @ (frames.on_a.p + s * frames.on_a.R[:, 2]) for s in along]

    def _outline(self, joints: Sequence[DrawnJoint]) -> np.ndarray:
        """The outermost points [point, 3] (m) of the motion, of rails, and of what stands on ground; roads left out."""
        fixed = [corners(part) for part in (*self._anchors(), *(part for j in joints for part in j.parts_ground))]
        rails = [ends for frames in self.frames.values() if frames.type.has_rail for ends in self._rail_ends(frames)]
        around = JOINT * self.u * np.vstack([np.eye(3), -np.eye(3)])
        points = [*self.swept.values(), *fixed, *rails, *(p + around for p in self.points[GROUND])]
        return outermost(np.concatenate(points or [np.zeros((1, 3))]))

    def _travel(self, frames: Frames) -> tuple[float, float]:
        """Least and largest distance along the axis on A, m."""
        R_A, p_A = self.motion.poses(frames.a)
        R_B, p_B = self.motion.poses(frames.b)
        gap = p_B + R_B @ frames.on_b.p - p_A - R_A @ frames.on_a.p
        along = np.einsum("ni,ni->n", gap, R_A @ frames.on_a.R[:, 2])
        return float(along.min(initial=0.0)), float(along.max(initial=0.0))

    def links(self) -> list[DrawnLink]:
        """Springs as coils, massless links as thin bars."""
        drawn = []
        for name, line in self._lines():
            mesh = spring_coil(line.length, self.u) if line.shape == "coil" else thin_bar(self.u)
            (a, at_a), (b, at_b) = (
                self.nodes.carrier(body, _on(self.poses[body], at))
                for body, at in zip(line.between, line.points, strict=True)
            )
            drawn.append(DrawnLink(name, line.kind, a, tuple(map(float, at_a)), b, tuple(map(float, at_b)), mesh))
        return drawn

    def traces(self) -> list[Trace]:
        """The centre of mass of every body, and the named frames; shown is that which goes farthest."""
        farthest = self.viewpoint.farthest()
        found = [
            Trace(body.name, k + 1, tuple(map(float, body.p_BC)), body.name == farthest)
            for k, body in enumerate(self.mechanism.body)
        ]
        for frame in self.mechanism.frame:
            if frame.body != GROUND:
                k, at = self.nodes.carrier(frame.body, frame_pose(self.mechanism, frame).p)
                found.append(Trace(frame.name, k, tuple(map(float, at)), False))
        return found


def _on(pose: Pose, point: Sequence[float]) -> np.ndarray:
    """A point of the world in a body frame."""
    return np.asarray(pose.R.T @ (np.array(point) - pose.p))


def _placed(part: Part, frame: Pose) -> Part:
    """A part given in a joint frame, in the body frame."""
    R = frame.R @ rotations(np.array(part.turn))
    at = frame.p + frame.R @ np.array(part.at)
    return Part(part.mesh, tuple(map(float, at)), tuple(map(float, euler_parameters(R))), part.paint)
