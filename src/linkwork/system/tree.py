"""The tree of a mechanism as records: bodies, the motions on which they hang, modes and nodes of flexible bodies."""

from __future__ import annotations

import numpy as np

from linkwork.elements.bodies.flexible_tables import FLEXIBLE, NODE
from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.bodies.rigid_inertia import BODY
from linkwork.elements.declaration.planes import plane_axes
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, BALL_REST, HELIX, MODE
from linkwork.elements.joints.registry import floating_kind
from linkwork.mechanism import GROUND, Mechanism, size
from linkwork.system.flexible import body_parts, modal_sizes, scratch_sizes, shapes
from linkwork.system.frames import HERE, Pose
from linkwork.system.layout import TreeJoint
from linkwork.system.places import Places
from linkwork.system.topology import Link, Topology

Path = tuple[tuple[int, int], ...]  # (motion, axis) from the root to a body


class Tree(Places):
    """Bodies and motions, parents before children."""

    def __init__(self, mechanism: Mechanism, topology: Topology, nodes: set[str] | None = None) -> None:
        super().__init__(mechanism, [link.body for link in topology.links], nodes)
        self.topology = topology
        self.bodies = np.zeros(len(self.index), BODY)
        self.dofs: list[tuple] = []
        self.axes: list[tuple[int, int, int]] = []  # of the motions
        self.node_axes: list[tuple[int, int, int]] = []  # of modes at nodes, which stand behind those
        self.paths: dict[str, Path] = {GROUND: ()}
        self.tree: list[TreeJoint] = []
        self.q_names: list[str] = []
        self.v_names: list[str] = []
        self.numbers: list[np.ndarray] = []
        self.flexibles: list[tuple] = []
        self.node_records: list[tuple] = []
        self.modal_sizes: dict[str, float] = {}
        self.scratch_count = 0
        self.motion_count = sum(self._motions_of(link) for link in topology.links)

    def _motions_of(self, link: Link) -> int:
        """How many motions a body adds: those of its joint, and its modes."""
        joint = floating_kind(self.mechanism.plane) if link.joint is None else link.joint.type
        return len(joint.velocities) + (self.modal[link.body].modes if link.body in self.modal else 0)

    def place_bodies(self) -> None:
        """All bodies of the mechanism."""
        data = {body.name: body for body in self.mechanism.body}
        for link in self.topology.links:
            name, kind, inboard, outboard = self._hang(link)
            pitch = link.joint.advance if link.joint is not None else 0.0
            self.links[link.body] = outboard
            holder, on_parent = self.owner(link.parent, inboard)
            body, index, parent = data[link.body], self.index[link.body], self.index[holder]
            first_dof, first_q = len(self.dofs), len(self.q_names)
            self._add_motions(name, kind, index, link, pitch, holder)
            count, q_count = len(self.dofs) - first_dof, len(self.q_names) - first_q
            self.bodies[index] = (
                parent, first_dof, count, first_dof, 0, body.mass_kg, outboard.R.T @ (body.p_BC - outboard.p),
                outboard.R.T @ body.J_C @ outboard.R, outboard.R.T @ np.linalg.pinv(body.J_C) @ outboard.R,
                on_parent.R, on_parent.p,
            )  # fmt: skip
            self.tree.append(
                TreeJoint(name, kind, index, parent, first_q, q_count, first_dof, count, link.reversed, pitch)
            )
            if body.flexible is not None:
                self._add_modes(body, outboard)
        self._number_flexible()

    def _hang(self, link: Link) -> tuple[str, JointKind, Pose, Pose]:
        """Name, kind, frame on the parent, frame on the body of the joint on which a body hangs."""
        if link.joint is None:
            floating = floating_kind(self.mechanism.plane)
            if self.mechanism.plane is None:
                return link.body, floating, HERE, HERE
            axes = Pose(plane_axes(self.mechanism.plane), np.zeros(3))
            at = self.poses[link.body]
            height = axes.R[:, 2] * (axes.R[:, 2] @ at.p)  # the plane in which this body moves
            return link.body, floating, Pose(axes.R, height), at.inverse() @ Pose(axes.R, at.p)
        frames = self.said[link.joint.name]
        if link.reversed:
            frames = frames.backward()
        return link.joint.name, frames.type, frames.on_a, frames.on_b

    def _add_motions(self, name: str, joint: JointKind, body: int, link: Link, pitch: float, holder: str) -> None:
        path = list(self.paths[holder])
        place = len(self.q_names)
        for motion, axis in joint.motions:
            for n in range(3 if motion == BALL else 1):
                code = BALL_REST if n else motion
                self._add_dof(path, code, axis, body, place, pitch if motion == HELIX else 0.0)
            place += 4 if motion == BALL else 1
        self.paths[link.body] = tuple(path)
        self.q_names += [f"{name}.{c}" for c in joint.coordinates]
        self.v_names += [f"{name}.{c}" for c in joint.velocities]

    def _add_dof(self, path: list[tuple[int, int]], kind: int, axis: int, body: int, place: int, pitch: float) -> None:
        """One more motion at the end of a path."""
        dof, depth = len(self.dofs), len(path)
        parent, before = path[-1] if path else (-1, -1)
        row = self.dofs[-1][6] + self.dofs[-1][4] + 1 if self.dofs else 0
        self.dofs.append((kind, axis, body, parent, depth, place, row, pitch))
        self.axes.append((depth, before, dof))
        path.append((dof, dof))

    # -- flexible bodies ----------------------------------------------------------------------------------------
    def _add_modes(self, body: Body, link: Pose) -> None:
        """The modal coordinates of a flexible body, and its nodes as bodies that the modes carry."""
        assert body.flexible is not None
        modal, index = body.flexible.modal.in_frame(link.p, link.R), self.index[body.name]
        frame_path = self.paths[body.name]
        path, first_v, first_q = list(frame_path), len(self.dofs), len(self.q_names)
        for k in range(modal.modes):
            self._add_dof(path, MODE, 0, index, first_q + k, 0.0)
        names = [f"{body.name}.mode{k + 1}" for k in range(modal.modes)]
        self.q_names += names
        self.v_names += [f"{name}_rate" for name in names]
        for name, scale in zip(names, modal_sizes(modal, size(self.mechanism)), strict=True):
            self.modal_sizes |= {name: float(scale), f"{name}_rate": float(scale)}
        own = [name for name in self.nodes if name.partition(".")[0] == body.name]
        of = shapes(modal, [self.nodes[name] for name in own])
        count, number = len(of.C), len(self.flexibles)
        data = [self._put_numbers(part.ravel()) for part in body_parts(modal, of)]
        *kept, self.scratch_count = np.cumsum([self.scratch_count, *scratch_sizes(modal.modes, count)]).tolist()
        self.flexibles.append((index, modal.modes, count, first_v, first_q, modal.mass, *data, *kept))
        for name, at_node in zip(own, of.nodes, strict=True):
            first_axis = self.motion_count + len(self.node_axes)
            before = frame_path[-1][1] if frame_path else -1
            for k in range(modal.modes):
                self.node_axes.append((len(frame_path) + k, before, first_v + k))
                before = first_axis + k
            self.paths[name] = (*frame_path, *((first_v + k, first_axis + k) for k in range(modal.modes)))
            self.links[name] = HERE
            record = self.bodies[self.index[name]]
            record["parent"], record["first_dof"] = index, first_v
            record["first_axis"], record["axis_count"] = first_axis, modal.modes
            record["R_PF"], record["p_PF"] = np.eye(3), modal.nodes.x[self.nodes[name]]  # undeformed
            self.node_records.append((self.index[name], number, first_axis, self._put_numbers(at_node.ravel())))

    def _put_numbers(self, values: np.ndarray) -> int:
        """Where in the numbers of the System these are put."""
        first = sum(len(part) for part in self.numbers)
        self.numbers.append(values)
        return first

    def _number_flexible(self) -> None:
        """Records of flexible bodies, then of their nodes: one table."""
        nowhere, nothing = np.zeros((), NODE).item(), np.zeros((), FLEXIBLE).item()
        self.flexible_records = [(0, body, nowhere) for body in self.flexibles]
        self.flexible_records += [(1, nothing, node) for node in self.node_records]
        self.shifted_records = [body for body in self.flexibles if body[2] > body[1] + 1]  # with more shapes than modes
