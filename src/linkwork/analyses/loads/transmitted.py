"""What elements with one constraint row transmit along it: massless links, couplings, and drivers of a distance.

The multiplier of the row times a factor, where no other set of multipliers gives another one (uniqueness.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.loads.reactions import Transmitted
from linkwork.analyses.loads.replay import Replay
from linkwork.analyses.loads.uniqueness import CHANGES, indeterminacy
from linkwork.results.result import Result

UNITS = {"force": "N", "torque": "N m"}


def transmitting(result: Result) -> dict[str, tuple[str, float]]:
    """Elements of one row by name: what they transmit, and how many times the multiplier that is."""
    mechanism = result.mechanism
    joints = {joint.name: joint for joint in mechanism.joint}
    rows = {row.partition(":")[0] for row in result.names["rows"]}  # a link that a driver lengthens has none
    found = {driver.name: ("force", -1.0) for driver in mechanism.driver if driver.joint is None}
    for element in mechanism.answering("transmits"):
        transmitted = element.transmits(joints)
        if transmitted is not None and element.name in rows:
            found[element.name] = transmitted
    return found


def transmitted(result: Result, names: Sequence[str]) -> dict[str, Transmitted]:
    """That of elements of one row, by name."""
    if not names:
        return {}
    known, free = transmitting(result), indeterminacy(Replay.of(result), ())
    rows = {row.partition(":")[0]: k for k, row in enumerate(result.names["rows"])}
    found = {}
    for name in names:
        quantity, factor = known[name]
        unique = ~np.any(np.abs(free.lam[:, :, rows[name]]) > CHANGES, axis=1)[free.nearest] if free.lam.size else True
        values = np.where(unique, factor * result.lam[:, rows[name]], np.nan)
        found[name] = Transmitted(name, quantity, UNITS[quantity], result.t, values)
    return found
