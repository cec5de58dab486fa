"""What happens at an instant, as records: first what is scheduled, in the order of time, then one for each event."""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.declaration.changes import Change
from linkwork.system.compilation.context import Compilation
from linkwork.system.tables import CHANGE


def changes_of(context: Compilation) -> list[Change]:
    """Of all elements.  Events stand in the order in which they are watched."""
    every = [change for element in context.mechanism.answering("changes") for change in element.changes()]
    scheduled = sorted((c for c in every if c.t is not None), key=lambda c: (c.t, c.action))
    return [*scheduled, *(c for c in every if c.t is None)]


def change_table(context: Compilation, changes: list[Change]) -> np.ndarray:
    """A CHANGE for each."""
    table = np.zeros(len(changes), CHANGE)
    for record, change in zip(table, changes, strict=True):
        record["t"], record["action"], record["once"] = _time(change), change.action, change.once
        record["row"] = -1 if change.driver is None else context.rows.drivers[change.driver]
        if change.body is not None:
            record["body"], record["at"], _ = context.places.on_body(change.body, change.at)
            record["impulse"], record["moment"] = change.impulse, change.moment
    return table


def _time(change: Change) -> float:
    return math.nan if change.t is None else change.t
