"""The tree of a mechanism as tables: bodies, the motions on which they hang, modes and nodes of flexible bodies."""

from __future__ import annotations

import numpy as np

from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.bodies.rigid_inertia import BODY
from linkwork.elements.joints.motions import AXIS, DOF, HELIX
from linkwork.mechanism import Mechanism
from linkwork.system.compilation.hanging import Hanging
from linkwork.system.compilation.modal_tables import ModalTables
from linkwork.system.compilation.motions import Motions
from linkwork.system.compilation.places import Places
from linkwork.system.flexible import modal_sizes, shapes
from linkwork.system.frames import Pose, turned
from linkwork.system.layout import TreeJoint
from linkwork.system.paths import ends_of_paths, lengths_of_paths
from linkwork.system.topology import Topology

FEW = 30  # bodies: each has its inertia inverted, alike or not


class Tree:
    """Bodies and motions, parents before children."""

    def __init__(self, mechanism: Mechanism, places: Places, topology: Topology, joints: Hanging) -> None:
        """`joints`: on what each body of the topology hangs."""
        self.mechanism, self.places = mechanism, places
        self.modal, self.modal_sizes = ModalTables(), dict[str, float]()
        at = places.of_body[topology.body]  # where they are among the bodies of the tree
        self.bodies = np.zeros(len(places.index), BODY)
        self._place_bodies(topology, joints, at)
        bodies = {k: mechanism.body[b - 1] for k, b in enumerate(topology.body.tolist())} if places.flexible else {}
        modes = {k: (b.name, b.flexible.modal.modes) for k, b in bodies.items() if b.flexible is not None}
        motions = Motions(joints, modes)
        self._name(topology, joints, motions, at)
        self.node_axes = 0  # of modes at nodes, which stand behind the motions
        for k, part in zip(modes, motions.modes.tolist(), strict=True):
            first_v, first_q = int(motions.first_v[part]), int(motions.first_q[part])
            self._add_flexible(bodies[k], joints.on_body.one(k), first_v, first_q)
        self.axes, self.last_axis = self._axes(np.bincount(at[motions.body], motions.v_count, len(self.bodies)))
        self.dofs = self._dofs(motions, joints, at)

    def _place_bodies(self, topology: Topology, joints: Hanging, at: np.ndarray) -> None:
        """Masses and frames of all bodies; inertias in their link frames, 0 where a body has none."""
        holders, on_parent = self.places.carriers(topology.parent, joints.on_parent, joints.of_parent)
        outboard, given, own = joints.on_body, self.places.joint_frames.connections, topology.body - 1
        back = outboard.R.transpose(0, 2, 1)
        J_C = given.J_C[own]
        table = np.zeros(len(own), BODY)
        table["parent"] = holders
        table["mass"] = given.masses[own]
        table["p_LC"] = turned(back, given.p_BC[own] - outboard.p)
        table["J_C"] = back @ J_C @ outboard.R
        table["J_C_inverse"] = back @ _inverses(J_C) @ outboard.R
        table["R_PF"], table["p_PF"] = on_parent
        self.bodies[at] = table

    def _name(self, topology: Topology, joints: Hanging, motions: Motions, at: np.ndarray) -> None:
        """Where the coordinates and motions of each joint stand, and what they are called."""
        own, kinds = motions.joints, [joints.kinds[code] for code in joints.kind.tolist()]
        first_v, v_count = motions.first_v[own], motions.v_count[own]
        self.bodies["first_dof"][at] = self.bodies["first_axis"][at] = first_v
        self.bodies["dof_count"][at] = v_count
        columns = (
            at, self.bodies["parent"][at], motions.first_q[own], motions.q_count[own], first_v, v_count,
            topology.backward, joints.pitch,
        )  # fmt: skip
        self.joints = tuple(map(TreeJoint, joints.names, kinds, *(column.tolist() for column in columns)))
        self.q_names, self.v_names = motions.names("coordinates"), motions.names("velocities")
        self.units = motions.units()

    def _axes(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Axes of all motions, then those of modes at nodes; and the last on the path from the root to each body, on
        which no mode is.  `counts`: of all motions of each body, modes too.
        """
        bodies, nodes = self.bodies, np.flatnonzero(self.bodies["axis_count"])
        own = np.where(bodies["axis_count"] > 0, bodies["axis_count"], bodies["dof_count"])
        above = np.where(own > 0, -1, bodies["parent"])
        above[0] = -1
        last = np.where(own > 0, bodies["first_axis"] + own - 1, -1).astype(np.int64)[ends_of_paths(above)]
        of_nodes = (b["first_dof"] + np.arange(b["axis_count"]) for b in bodies[nodes])
        motion = np.concatenate([np.arange(int(counts.sum())), *of_nodes])
        before = np.arange(len(motion)) - 1
        counts[nodes] = bodies["axis_count"][nodes]
        moving = np.flatnonzero(counts)
        before[bodies["first_axis"][moving]] = last[bodies["parent"][moving]]
        axes = np.zeros(len(motion), AXIS)
        axes["depth"], axes["before"], axes["dof"] = lengths_of_paths(before), before, motion
        return axes, last

    def _dofs(self, motions: Motions, joints: Hanging, at: np.ndarray) -> np.ndarray:
        """The motions, but for their rows in M."""
        part, each = motions.each()
        body, axes = motions.body[part], self.axes[: len(part)]
        dofs = np.zeros(len(part), DOF)
        dofs["kind"], dofs["axis"], dofs["q"] = each.T
        dofs["body"], dofs["depth"] = at[body], axes["depth"]
        dofs["parent"] = np.append(self.axes["dof"], -1)[axes["before"]]
        dofs["pitch"] = np.where(dofs["kind"] == HELIX, joints.pitch[body], 0.0)
        return dofs

    # -- flexible bodies ----------------------------------------------------------------------------------------
    def _add_flexible(self, body: Body, link: Pose, first_v: int, first_q: int) -> None:
        """A flexible body with its modal coordinates, and its nodes in use as bodies that the modes carry."""
        assert body.flexible is not None
        modal, index = body.flexible.modal.in_frame(link.p, link.R), self.places.index[body.name]
        for k, scale in enumerate(modal_sizes(modal, self.places.joint_frames.connections.size)):
            name = f"{body.name}.mode{k + 1}"
            self.modal_sizes |= {name: float(scale), f"{name}_rate": float(scale)}
        own = [name for name in self.places.nodes if name.partition(".")[0] == body.name]
        numbers = [self.places.nodes[name] for name in own]
        of = shapes(modal, numbers)
        self.modal.add_body(body.name, index, modal, of, first_v, first_q)
        for name, at, at_node in zip(own, modal.nodes.x[numbers], of.nodes, strict=True):
            node = self.places.index[name]
            self.modal.add_node(node, self._add_node(node, index, first_v, modal.modes, at), at_node)

    def _add_node(self, index: int, body: int, first_v: int, modes: int, at: np.ndarray) -> int:
        """A node as a body of the tree, with an axis of its own for each mode, the first of which is returned; `at`
        (m): where it is undeformed.
        """
        record, first_axis = self.bodies[index], len(self.v_names) + self.node_axes
        record["parent"], record["first_dof"] = body, first_v
        record["first_axis"], record["axis_count"] = first_axis, modes
        record["R_PF"], record["p_PF"] = np.eye(3), at
        self.node_axes += modes
        return first_axis


def _inverses(J_C: np.ndarray) -> np.ndarray:
    """Pseudoinverses of many inertias [body, 3, 3]; of very many, most are alike."""
    if len(J_C) <= FEW:
        return np.asarray(np.linalg.pinv(J_C))
    alike = J_C.reshape(-1, 9).view(np.dtype((np.void, 9 * J_C.itemsize))).ravel()
    _, first, kind = np.unique(alike, return_index=True, return_inverse=True)
    return np.asarray(np.linalg.pinv(J_C[first])[kind.reshape(-1)])
