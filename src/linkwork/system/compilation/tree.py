"""The tree of a mechanism as records: bodies, the motions on which they hang, modes and nodes of flexible bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.bodies.rigid_inertia import BODY
from linkwork.elements.declaration.planes import plane_axes
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, BALL_REST, HELIX, MODE
from linkwork.elements.joints.registry import floating_kind
from linkwork.mechanism import GROUND, Mechanism
from linkwork.system.compilation.modal_tables import ModalTables
from linkwork.system.compilation.places import Places
from linkwork.system.flexible import modal_sizes, shapes
from linkwork.system.frames import HERE, Frames, Pose, stacked, turned
from linkwork.system.layout import TreeJoint
from linkwork.system.topology import Link, Topology

AxisOnPath = tuple[int, int, int]  # how many motions before it, the axis before it on the path to the root, its motion
ROOT: AxisOnPath = (-1, -1, -1)
FEW = 30  # bodies: each has its inertia inverted, alike or not


class Hanging(NamedTuple):
    """The joint on which a body hangs: its name and kind, its frames on the parent and on the body, its pitch."""

    name: str
    type: JointKind  # from the parent to the body
    on_parent: Pose
    on_body: Pose
    pitch: float = 0.0  # m/rad, of a screw


def hanging(plane: str | None, poses: Mapping[str, Pose], frames: Mapping[str, Frames], link: Link) -> Hanging:
    """On what a body hangs: on its joint, or freely on ground (in a planar mechanism freely in its plane)."""
    if link.joint is not None:
        own = frames[link.joint.name].backward() if link.reversed else frames[link.joint.name]
        return Hanging(link.joint.name, own.type, own.on_a, own.on_b, link.joint.advance)
    floating = floating_kind(plane)
    if plane is None:
        return Hanging(link.body, floating, HERE, HERE)
    axes, at = plane_axes(plane), poses[link.body]
    height = axes[:, 2] * (axes[:, 2] @ at.p)  # the plane in which this body moves
    return Hanging(link.body, floating, Pose(axes, height), at.inverse() @ Pose(axes, at.p))


def _inverses(J_C: np.ndarray) -> np.ndarray:
    """Pseudoinverses of many inertias [body, 3, 3]; of very many, most are alike."""
    if len(J_C) <= FEW:
        return np.asarray(np.linalg.pinv(J_C))
    kinds, kind = np.unique(J_C.reshape(-1, 9), axis=0, return_inverse=True)
    return np.asarray(np.linalg.pinv(kinds.reshape(-1, 3, 3))[kind.reshape(-1)])


class Tree:
    """Bodies and motions, parents before children."""

    def __init__(self, mechanism: Mechanism, places: Places, topology: Topology, joints: list[Hanging]) -> None:
        """`joints`: on what each body of the topology hangs."""
        self.mechanism, self.places = mechanism, places
        self._bodies = {body.name: body for body in mechanism.body}
        self.bodies = np.zeros(len(places.index), BODY)
        self.dofs: list[tuple[Any, ...]] = []
        self.axes: list[AxisOnPath] = []  # of the motions
        self.node_axes: list[AxisOnPath] = []  # of modes at nodes, which stand behind those
        self.last_axis: dict[str, int] = {GROUND: -1}  # of each body, at the end of its path from the root
        self.joints: list[TreeJoint] = []
        self.q_names: list[str] = []
        self.v_names: list[str] = []
        self.q_lengths: list[bool] = []  # whether each coordinate is a length, and each velocity the rate of one
        self.v_lengths: list[bool] = []
        self.modal = ModalTables()
        self._holders: list[str] = []  # what each body of the topology hangs on: a body, or a node of it
        self.modal_sizes: dict[str, float] = {}
        self._motion_count = sum(
            len(joint.type.velocities) + self._modes(link.body)
            for link, joint in zip(topology.links, joints, strict=True)
        )
        self._place_bodies(topology, joints)
        for link, joint in zip(topology.links, joints, strict=True):
            self._add_body(link, joint)

    def _place_bodies(self, topology: Topology, joints: list[Hanging]) -> None:
        """Masses and frames of all bodies; inertias in their link frames, 0 where a body has none."""
        index, bodies = self.places.index, [self._bodies[link.body] for link in topology.links]
        carriers = self.places.carriers([link.parent for link in topology.links], [joint.on_parent for joint in joints])
        if not bodies:
            return
        outboard, on_parent = stacked(joint.on_body for joint in joints), stacked(pose for _, pose in carriers)
        back = outboard.R.transpose(0, 2, 1)
        J_C = np.array([body.J_C for body in bodies])
        inverse = _inverses(J_C)
        table = np.zeros(len(bodies), BODY)
        table["parent"] = [index[name] for name, _ in carriers]
        table["mass"] = [body.mass_kg for body in bodies]
        table["p_LC"] = turned(back, np.array([body.p_BC for body in bodies]) - outboard.p)
        table["J_C"] = back @ J_C @ outboard.R
        table["J_C_inverse"] = back @ inverse @ outboard.R
        table["R_PF"], table["p_PF"] = on_parent
        self.bodies[[index[body.name] for body in bodies]] = table
        self._holders = [name for name, _ in carriers]

    def _modes(self, body: str) -> int:
        modal = self.places.flexible[body].modal if body in self.places.flexible else None
        return modal.modes if modal is not None else 0

    def _add_body(self, link: Link, joint: Hanging) -> None:
        """The motions of a body's joint, and its modes."""
        body, index = self._bodies[link.body], self.places.index[link.body]
        holder = self._holders[len(self.joints)]
        first_dof, first_q = len(self.dofs), len(self.q_names)
        self._add_motions(joint, index, link, holder)
        count, q_count = len(self.dofs) - first_dof, len(self.q_names) - first_q
        record = self.bodies[index]
        record["first_dof"] = record["first_axis"] = first_dof
        record["dof_count"] = count
        places = (index, self.places.index[holder], first_q, q_count, first_dof, count)
        self.joints.append(TreeJoint(joint.name, joint.type, *places, link.reversed, joint.pitch))
        if body.flexible is not None:
            self._add_modes(body, joint.on_body)

    def _add_motions(self, joint: Hanging, body: int, link: Link, holder: str) -> None:
        last, place = self.last_axis[holder], len(self.q_names)
        for motion, axis in joint.type.motions:
            for n in range(3 if motion == BALL else 1):
                code = BALL_REST if n else motion
                last = self._add_dof(last, code, axis, body, place, joint.pitch if motion == HELIX else 0.0)
            place += 4 if motion == BALL else 1
        self.last_axis[link.body] = last
        kind = joint.type
        self.q_names += [f"{joint.name}.{c}" for c in kind.coordinates]
        self.v_names += [f"{joint.name}.{c}" for c in kind.velocities]
        self.q_lengths += [kind.units[c] in ("m", "m/s") for c in kind.coordinates]
        self.v_lengths += [kind.units[c] in ("m", "m/s") for c in kind.velocities]

    def axis(self, place: int) -> AxisOnPath:
        """An axis by its place among all, also of modes at nodes; that of the root is -1."""
        if place < 0:
            return ROOT
        return self.axes[place] if place < self._motion_count else self.node_axes[place - self._motion_count]

    def _add_dof(self, before: int, kind: int, axis: int, body: int, place: int, pitch: float) -> int:
        """One more motion behind an axis; its own axis."""
        dof, (depth, _, parent) = len(self.dofs), self.axis(before)
        row = self.dofs[-1][6] + self.dofs[-1][4] + 1 if self.dofs else 0
        self.dofs.append((kind, axis, body, parent, depth + 1, place, row, pitch))
        self.axes.append((depth + 1, before, dof))
        return dof

    # -- flexible bodies ----------------------------------------------------------------------------------------
    def _add_modes(self, body: Body, link: Pose) -> None:
        """The modal coordinates of a flexible body, and its nodes in use as bodies that the modes carry."""
        assert body.flexible is not None
        modal, index = body.flexible.modal.in_frame(link.p, link.R), self.places.index[body.name]
        last, first_v, first_q = self.last_axis[body.name], len(self.dofs), len(self.q_names)
        for k in range(modal.modes):
            last = self._add_dof(last, MODE, 0, index, first_q + k, 0.0)
        names = [f"{body.name}.mode{k + 1}" for k in range(modal.modes)]
        self.q_names += names
        self.v_names += [f"{name}_rate" for name in names]
        self.q_lengths += [False] * modal.modes
        self.v_lengths += [False] * modal.modes
        for name, scale in zip(names, modal_sizes(modal, self.mechanism.size()), strict=True):
            self.modal_sizes |= {name: float(scale), f"{name}_rate": float(scale)}
        own = [name for name in self.places.nodes if name.partition(".")[0] == body.name]
        numbers = [self.places.nodes[name] for name in own]
        of = shapes(modal, numbers)
        self.modal.add_body(body.name, index, modal, of, first_v, first_q)
        for name, at, at_node in zip(own, modal.nodes.x[numbers], of.nodes, strict=True):
            first_axis = self._add_node(name, body.name, first_v, modal.modes, at)
            self.modal.add_node(self.places.index[name], first_axis, at_node)

    def _add_node(self, name: str, body: str, first_v: int, modes: int, at: np.ndarray) -> int:
        """A node as a body of the tree, with an axis of its own for each mode, the first of which is returned; `at`
        (m): where it is undeformed.
        """
        before, first_axis = self.last_axis[body], self._motion_count + len(self.node_axes)
        for k in range(modes):
            self.node_axes.append((self.axis(before)[0] + 1, before, first_v + k))
            before = first_axis + k
        self.last_axis[name] = before
        record = self.bodies[self.places.index[name]]
        record["parent"], record["first_dof"] = self.places.index[body], first_v
        record["first_axis"], record["axis_count"] = first_axis, modes
        record["R_PF"], record["p_PF"] = np.eye(3), at
        return first_axis
