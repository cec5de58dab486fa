"""Forces of contacts at the samples of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.loads.cases.record_forces import record_forces
from linkwork.elements.forces.contact import CONTACTS, Contact
from linkwork.results.result import Result


@dataclass(frozen=True, eq=False)
class Touch:
    """What the plane does to one point of a body, or to a sphere about it."""

    name: str  # of the contact; of a box with the number of the corner
    body: str
    at: np.ndarray  # m, body frame: the point, or the centre of the sphere
    contact: Contact
    force: np.ndarray  # [sample, 3] N, world axes, on the body


def contact_forces(result: Result) -> list[Touch]:
    """Every point that can touch, with its force at the samples."""
    mechanism = result.mechanism
    if not mechanism.of(Contact):
        return []
    points = []
    for contact in mechanism.of(Contact):
        own = contact.points()
        names = [contact.name] if len(own) == 1 else [f"{contact.name} {k + 1}" for k in range(len(own))]
        points += [(name, contact.body, p, contact) for name, p in zip(names, own, strict=True)]
    forces = record_forces(result, CONTACTS)
    return [Touch(*point, force) for point, force in zip(points, forces, strict=True)]
