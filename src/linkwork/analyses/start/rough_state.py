"""The state before the loops are closed: joint coordinates where given, else as near to the given poses as the tree
allows: in the world, or beside the bodies on which they hang.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, POSITION
from linkwork.elements.joints.joint import Joint
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.compile import Compiled
from linkwork.system.connections import given
from linkwork.system.coordinates import coordinates_from_poses, joint_coordinates, joint_poses
from linkwork.system.frames import Poses, given_poses
from linkwork.system.layout import TreeJoint


def rough_state(equations: Equations, t: float = 0.0, hanging: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """y (coordinates as given, velocities zero, auxiliary states at their start) and the counted angles.

    `hanging`: joints without given coordinates are as drawn, wherever the body on which they hang has gone.
    """
    layout = equations.compiled.layout
    q = rough_coordinates(equations.compiled, hanging)
    for name, value in modal_values(equations.compiled, "modal_start", "").items():
        q[layout.q_names.index(name)] = value
    y = np.concatenate([q, np.zeros(layout.v_count), layout.state_starts])
    return y, first_angles(equations, t)


def rough_coordinates(compiled: Compiled, hanging: bool = False) -> np.ndarray:
    """q of the tree, from the root outwards."""
    layout, joints, poses = compiled.layout, compiled.mechanism.joint, given_poses(compiled.mechanism).every
    start_values = {joints[k].name: joints[k] for k in given(compiled.connections.joint.start)}
    values = np.full(layout.q_count, np.nan)
    for tree in layout.tree if start_values else ():
        if tree.name in start_values:
            own = slice(tree.first_q, tree.first_q + tree.q_count)
            values[own] = _values_along_tree(tree, start_values[tree.name])
    bodies = Poses.still(len(layout.bodies))  # nodes of flexible bodies are found with these
    bodies.put(compiled.body_places, poses.some(slice(1, None)))
    links = bodies @ Poses(layout.R_LB, layout.p_LB).inverse()
    if hanging:
        return np.where(np.isnan(values), coordinates_from_poses(compiled, links), values)
    return coordinates_from_poses(compiled, links, values)


def _values_along_tree(tree: TreeJoint, joint: Joint) -> np.ndarray:
    """Start values of a joint as coordinates of the tree, which may go through the joint backwards."""
    assert joint.start_values is not None
    if tree.turned:
        turn = Poses(np.array([joint.type.reversal.turn]), np.zeros((1, 3)))
        pose = joint_poses(joint.type, np.array([joint.start_values]), np.array([tree.pitch]))
        return np.asarray(joint_coordinates(tree.type, turn.inverse() @ pose.inverse() @ turn)[0])
    by_name = dict(zip(joint.type.coordinates, joint.start_values, strict=True))
    return np.array([by_name[name] for name in tree.type.coordinates])


def modal_values(compiled: Compiled, field: str, ending: str) -> dict[str, float]:
    """Modal coordinates, or their rates, given for the start, by name."""
    bodies = [compiled.mechanism.body[k] for k in given(compiled.connections.body.flexible)]
    return {
        f"{body.name}.mode{k + 1}{ending}": value
        for body in bodies
        for k, value in enumerate(getattr(body, field) or ())
    }


def first_angles(equations: Equations, t: float = 0.0) -> np.ndarray:
    """On which turn the counted angles start: that of the driver or of the joint's start value."""
    compiled, rows, work = equations.compiled, equations.system.rows, equations.work
    angles = np.concatenate([compiled.layout.angle_starts, np.zeros(compiled.layout.angle_count)])
    counted = np.flatnonzero((rows["kind"] == ANGLE) & (rows["mode"] == POSITION))
    if len(counted):
        equations.evaluate(t, _zero_state(compiled), angles, LEVEL_POSITION)
    for r in counted:
        angles[rows[r]["angle"]] = work.angle[rows[r]["angle"]] - work.Phi[r]  # = f(t)
    return angles


def _zero_state(compiled: Compiled) -> np.ndarray:
    """All zero but for the scalar parts of Euler parameters."""
    y = np.zeros(compiled.layout.q_count + compiled.layout.v_count + len(compiled.layout.state_starts))
    for n, name in enumerate(compiled.layout.q_names):
        if name.endswith(".e0"):
            y[n] = 1.0
    return y
