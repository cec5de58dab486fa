"""Internal forces and stresses along a flexible beam at the samples of a run, from all that acts on it.

The loads of joints, forces and constraints act on the nodes (instants.py), the inertia on the masses between; what is
beyond a section adds up to its internal forces (flexible/stresses.py).
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.loads.cases.instants import Instant
from linkwork.flexible.stresses import FrameMotion, internal_forces, normal_stress, sections_of
from linkwork.results.flexible import BeamLoads, modal_body, modal_coordinates, modal_rates
from linkwork.results.result import Result


def beam_loads(result: Result, name: str) -> BeamLoads:
    """Internal forces and normal stress along a beam; refused for bodies that are none."""
    body = modal_body(result, name)
    sections = sections_of(body)
    eta, rates = modal_coordinates(result, body), modal_rates(result, body)
    instant = Instant(result, name, float(result.t[0]))
    gravity = np.array(result.mechanism.gravity)
    forces = np.zeros((len(result.t), len(sections.x), 6))
    for n in range(len(result.t)):
        instant.go_to(n)
        acceleration, w, alpha = instant.motion
        motion = FrameMotion(
            acceleration - instant.axes.T @ gravity, w, alpha, eta[n], rates[n], instant.modal_accelerations
        )
        loads = np.zeros((len(sections.x), 6))
        deformed = body.nodes.x + body.nodes.S @ eta[n]
        for place, wrench in instant.loads_on_nodes():
            loads[int(np.argmin(np.linalg.norm(deformed - place, axis=1)))] += wrench
        forces[n] = internal_forces(body, motion, loads)
    return BeamLoads(name, result.t, sections.x, forces, normal_stress(sections, forces))
