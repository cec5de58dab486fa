"""Forces of contacts at the samples of a run: their kernel called for one record alone, at the states of the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.replay import model_of
from linkwork.elements.contact import CONTACT, CONTACTS, contacts
from linkwork.formulations.equations import Equations
from linkwork.numerics.codes import LEVEL_ALL
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism


@dataclass(frozen=True, eq=False)
class Touch:
    """What the plane does to one point of a body, or to a sphere about it."""

    name: str  # of the contact; of a box with the number of the corner
    body: str
    at: np.ndarray  # m, body frame
    force: np.ndarray  # [sample, 3] N, world axes, on the body


def contact_forces(result: Result) -> list[Touch]:
    """Every point that can touch, with its force at the samples."""
    mechanism = model_of(result)
    if not mechanism.contact:
        return []
    compiled = compile_mechanism(mechanism, result.certificate.formulation)
    equations, angles = Equations(compiled), np.zeros(2 * compiled.layout.angle_count)
    first = next(first for family, first, _ in compiled.families if family is CONTACTS)
    touches = []
    for contact in mechanism.contact:
        points = contact.points()
        names = [contact.name] if len(points) == 1 else [f"{contact.name} {k + 1}" for k in range(len(points))]
        still = np.zeros((len(result.t), 3))
        touches += [Touch(name, contact.body, p, still.copy()) for name, p in zip(names, points, strict=True)]
    for n, t in enumerate(result.t):
        y = np.concatenate([result.q[n], result.v[n], result.states[n]])
        equations.evaluate(float(t), y, angles, LEVEL_ALL)
        for k, touch in enumerate(touches):
            here = first + k * CONTACT.itemsize
            equations.work.F[:] = 0.0
            contacts(equations.system_ref, float(t), angles, equations.work_ref, here, here + CONTACT.itemsize)
            touch.force[n] = equations.work.F[compiled.layout.body(touch.body), :3]
    return touches
