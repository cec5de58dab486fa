"""The state of another formulation in which the bodies are at the same places and move alike."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.coordinates import body_poses, coordinates_from_poses, velocities_from_twists
from linkwork.system.frames import Poses


def translated(equations: Equations, source: Equations, y_source: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """y of `equations` for the bodies as `source`, evaluated at y_source with its velocities, has them."""
    compiled, layout = equations.compiled, equations.compiled.layout
    bodies, same = body_poses(source.compiled, source.work.R, source.work.p), _bodies_in(source, equations)
    links = bodies.every.some(same) @ Poses(layout.R_LB, layout.p_LB).inverse()
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
    same, work = _bodies_in(source, equations), source.work
    V: np.ndarray = work.V[same]
    V[:, :3] += np.cross(V[:, 3:], equations.work.O - work.O[same])
    return V


def _bodies_in(source: Equations, equations: Equations) -> np.ndarray:
    """Where the bodies of `equations` are in `source`."""
    return source.compiled.layout.places(equations.compiled.layout.bodies)
