"""The state of another formulation in which the bodies are at the same places and move alike."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.coordinates import body_poses, coordinates_from_poses, velocities_from_twists
from linkwork.system.frames import Poses, stacked


def translated(equations: Equations, source: Equations, y_source: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """y of `equations` for the bodies as `source`, evaluated at y_source with its velocities, has them."""
    compiled, layout = equations.compiled, equations.compiled.layout
    poses = body_poses(source.compiled, source.work.R, source.work.p)
    links = stacked(poses[name] for name in layout.bodies) @ Poses(layout.R_LB, layout.p_LB).inverse()
    y = np.concatenate([coordinates_from_poses(compiled, links), np.zeros(layout.v_count), layout.state_starts])
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    y[layout.velocities] = velocities_from_twists(compiled, equations.work.S, _twists(equations, source))
    y[layout.velocities.stop :] = y_source[len(y_source) - len(layout.state_starts) :]
    there = {name: k for k, name in enumerate((*source.compiled.layout.q_names, *source.compiled.layout.v_names))}
    for k, name in enumerate((*layout.q_names, *layout.v_names)):
        if name in there and (layout.formulation == source.compiled.layout.formulation or name in layout.modal_sizes):
            y[k] = y_source[there[name]]  # also the turn on which an angle is
    return y


def _twists(equations: Equations, source: Equations) -> np.ndarray:
    """Twists of the bodies [body, 6] in `source`, about the reference points of `equations`."""
    layout, V = equations.compiled.layout, np.zeros((len(equations.compiled.layout.bodies), 6))
    for i, name in enumerate(layout.bodies):
        k = source.compiled.layout.body(name)
        V[i] = source.work.V[k]
        V[i, :3] += np.cross(source.work.V[k, 3:], equations.work.O[i] - source.work.O[k])
    return V
