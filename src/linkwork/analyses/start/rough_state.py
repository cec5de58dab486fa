"""The state before the loops are closed: joint coordinates where given, else as near to the given poses as the tree
allows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, POSITION
from linkwork.elements.joints.joint import Joint
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.compile import Compiled
from linkwork.system.coordinates import joint_coordinates, joint_pose
from linkwork.system.frames import Pose, given_poses
from linkwork.system.layout import TreeJoint


def rough_state(equations: Equations, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """y (coordinates as given, velocities zero, auxiliary states at their start) and the counted angles."""
    layout = equations.compiled.layout
    q = rough_coordinates(equations.compiled)
    for name, value in modal_values(equations.compiled.mechanism, "modal_start", "").items():
        q[layout.q_names.index(name)] = value
    y = np.concatenate([q, np.zeros(layout.v_count), layout.state_starts])
    return y, first_angles(equations, t)


def rough_coordinates(compiled: Compiled) -> np.ndarray:
    """q of the tree, joint by joint from the root."""
    layout, system = compiled.layout, compiled.system
    poses = given_poses(compiled.mechanism)
    joints = {joint.name: joint for joint in compiled.mechanism.joint}
    links = {0: Pose(np.eye(3), np.zeros(3))}
    q = np.zeros(layout.q_count)
    for tree in layout.tree:
        body, parent = system.bodies[tree.body], system.bodies[tree.parent]
        if tree.parent not in links:  # a node of a flexible body, not yet deformed
            links[tree.parent] = links[int(parent["parent"])] @ Pose(parent["R_PF"], parent["p_PF"])
        inboard = links[tree.parent] @ Pose(body["R_PF"], body["p_PF"])
        joint = joints.get(tree.name)
        if joint is not None and joint.start_values is not None:
            values = _values_along_tree(tree, joint, joint.start_values)
        else:
            in_body = Pose(layout.R_LB[tree.body], layout.p_LB[tree.body]).inverse()
            values = joint_coordinates(tree.type, inboard.inverse() @ poses[layout.bodies[tree.body]] @ in_body)
        q[tree.first_q : tree.first_q + tree.q_count] = values
        links[tree.body] = inboard @ joint_pose(tree.type, values, tree.pitch)
    return q


def _values_along_tree(tree: TreeJoint, joint: Joint, given: Sequence[float]) -> np.ndarray:
    """Start values of a joint as coordinates of the tree, which may go through the joint backwards."""
    if tree.turned:
        turn = Pose(np.array(joint.type.reversal.turn), np.zeros(3))
        pose = joint_pose(joint.type, np.array(given), tree.pitch)
        return joint_coordinates(tree.type, turn.inverse() @ pose.inverse() @ turn)
    by_name = dict(zip(joint.type.coordinates, given, strict=True))
    return np.array([by_name[name] for name in tree.type.coordinates])


def modal_values(mechanism: Mechanism, field: str, ending: str) -> dict[str, float]:
    """Modal coordinates, or their rates, given for the start, by name."""
    return {
        f"{body.name}.mode{k + 1}{ending}": value
        for body in mechanism.body
        for k, value in enumerate(getattr(body, field) or ())
    }


def first_angles(equations: Equations, t: float = 0.0) -> np.ndarray:
    """On which turn the counted angles start: that of the driver or of the joint's start value."""
    compiled, rows, work = equations.compiled, equations.system.rows, equations.work
    angles = np.concatenate([compiled.layout.angle_starts, np.zeros(compiled.layout.angle_count)])
    equations.evaluate(t, _zero_state(compiled), angles, LEVEL_POSITION)
    for r in np.flatnonzero((rows["kind"] == ANGLE) & (rows["mode"] == POSITION)):
        angles[rows[r]["angle"]] = work.angle[rows[r]["angle"]] - work.Phi[r]  # = f(t)
    return angles


def _zero_state(compiled: Compiled) -> np.ndarray:
    """All zero but for the scalar parts of Euler parameters."""
    y = np.zeros(compiled.layout.q_count + compiled.layout.v_count + len(compiled.layout.state_starts))
    for n, name in enumerate(compiled.layout.q_names):
        if name.endswith(".e0"):
            y[n] = 1.0
    return y
