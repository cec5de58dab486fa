"""The states of a run in absolute coordinates, from the motion of its bodies: every joint is rows then."""

from __future__ import annotations

import numpy as np

from linkwork.results.flexible import body_axes
from linkwork.results.joint_motion import coordinates_of_motion
from linkwork.results.result import Result
from linkwork.system.compile import Compiled


def absolute_states(compiled: Compiled, result: Result) -> np.ndarray:
    """(q, v) in absolute coordinates from the motion of the bodies that a result holds."""
    layout, system = compiled.layout, compiled.system
    states = np.zeros((len(result.t), layout.q_count + layout.v_count + result.states.shape[1]))
    states[:, layout.q_count + layout.v_count :] = result.states
    for joint in layout.tree:
        i = joint.body
        name = layout.bodies[i]
        k = result.names["bodies"].index(name)
        R_PF, p_PF = system.bodies[i]["R_PF"], system.bodies[i]["p_PF"]
        R = body_axes(result, name) @ layout.R_LB[i].T
        shift = R @ layout.p_LB[i]
        p = (result.position[:, k] - shift - p_PF) @ R_PF
        w = result.angular_velocity[:, k]
        v = (result.velocity[:, k] - np.cross(w, shift)) @ R_PF
        first_q, first_v = joint.first_q, layout.q_count + joint.first_v
        q, rates = coordinates_of_motion(joint.type, R_PF.T @ R, p, v, w @ R_PF)
        angles = [joint.type.turns(c) for c in joint.type.coordinates]
        q[:, angles] = np.unwrap(q[:, angles], axis=0)
        states[:, first_q : first_q + joint.q_count] = q
        states[:, first_v : first_v + joint.v_count] = rates
    held, kept = (*layout.q_names, *layout.v_names), (*result.names["q"], *result.names["v"])
    samples = np.hstack([result.q, result.v])
    for name in layout.modal_sizes:
        states[:, held.index(name)] = samples[:, kept.index(name)]
    return states
