"""Loads that expressions use must be unique: one that redundant equations leave open is refused before a run.

With any n of the null space of Phi_v^T, multipliers lam + n give the same motion (uniqueness.py).  Loads are linear in
the multipliers, so that one is unique at the start if no n alone makes it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.analyses.loads.reactions import BUSHING
from linkwork.analyses.loads.sample_kernels import signals_at_samples
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.dependence import dependences
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.signals.loads import LOAD_SIGNALS
from linkwork.errors import ModelError
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.mechanism.mentions import used_loads
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.pattern import active_at_start

CHANGES = 1e-6  # of the largest multiplier that does not move the mechanism: a load that changes by less is unique


def refuse_open_loads(start: Start) -> None:
    """A ModelError for the first load in an expression that is not unique, or that a planar model does not resolve."""
    mechanism = start.compiled.mechanism
    used = list(used_loads(mechanism))
    if not used:
        return
    shared = _shared(start)
    for who, name, what in used:
        if f"{name}.{what}" in _out_of_plane(mechanism, name):
            raise ModelError(
                f"{who}: '{name}.{what}': a planar model does not resolve out-of-plane loads", element=name
            )
        if shared & {f"{name}.{part}" for part in (what, *(f"{what}.{axis}" for axis in "xyz"))} or name in shared:
            raise ModelError(
                f"{who}: '{name}.{what}' is not unique, because equations are redundant; {BUSHING}", element=name
            )


def _out_of_plane(mechanism: Mechanism, joint: str) -> set[str]:
    """The force along the normal and the moments within the plane."""
    if mechanism.plane is None:
        return set()
    normal = int(np.argmax(np.abs(PLANES[mechanism.plane])))
    return {f"{joint}.{'force' if k == normal else 'torque'}.{axis}" for k, axis in enumerate("xyz")}


def _shared(start: Start) -> set[str]:
    """Owners of the load signals that are not unique at the start: 'pin.force.x', 'motor'."""
    compiled = start.compiled
    if start.rank == len(compiled.system.rows):
        return set()
    equations = Equations(compiled)
    equations.evaluate(0.0, start.y, start.angles, LEVEL_POSITION)
    places, still = compiled.records(LOAD_SIGNALS)["place"].astype(np.int64), np.zeros((1, compiled.layout.v_count))
    found: set[str] = set()
    for _, lam in dependences(equations, active_at_start(compiled.system)):
        values = np.zeros((1, len(places)))
        signals_at_samples(
            equations.system_ref, equations.work_ref, np.zeros(1), start.y[None].copy(), still,
            np.ascontiguousarray(lam[None]), start.angles.copy(), places, values,
        )  # fmt: skip
        found |= set(_owners(start, np.abs(values[0]) > CHANGES * np.abs(lam).max()))
    return found


def _owners(start: Start, chosen: np.ndarray) -> Iterator[str]:
    table = next(table for table in start.compiled.families if table.family is LOAD_SIGNALS)
    return (owner for owner, one in zip(table.owners, chosen, strict=True) if one)
