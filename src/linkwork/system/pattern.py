"""The frozen pattern of Phi_v M^-1 Phi_v^T: in which order rows are taken, which motions each can touch; and the layout
of the rows that are active at present, those that are independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.compiler.argument_types import WHOLE, records, signature
from linkwork.compiler.kernels import Exports, kernel
from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.system.tables import SPAN, System

# A row that takes part in the cheap factorization of Phi_v M^-1 Phi_v^T, and its place in the two packed matrices.
ACTIVE = np.dtype(
    [
        ("row", np.int32),
        ("constraint", np.int32),
        ("low", np.int32),  # first and last+1 motion that its row of L^-T Phi_v^T can touch
        ("high", np.int32),
        ("first_y", np.int32),  # start of those values
        ("first_active", np.int32),  # first active row with which it shares a motion (its envelope)
        ("first_s", np.int32),  # start of its envelope in the packed Cholesky factor
    ],
    align=True,
)


def spans(dofs: np.ndarray, constraints: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """A SPAN for every row, in an order that makes the envelope narrow."""
    parent, root = dofs["parent"], np.arange(len(dofs))
    for dof in range(len(dofs)):  # parents come first
        if parent[dof] >= 0:
            root[dof] = root[parent[dof]]
    found = []
    for c, con in enumerate(constraints):
        own = columns["dof"][con["first_column"] : con["first_column"] + con["column_count"]]
        low, high = min(own.min(), root[own].min()), own.max() + 1
        found += [(low, high, r, c) for r in range(con["first_row"], con["first_row"] + con["row_count"])]
    return np.array([(r, c, low, high) for low, high, r, c in sorted(found)], SPAN)


def with_active_rows(system: System, independent: Sequence[int] | np.ndarray) -> System:
    """The System whose runs begin with these rows active."""
    rows = system.rows.copy()
    rows["active"] = 0
    rows["active"][independent] = 1
    return system.changed(rows=rows)


def active_at_start(system: System) -> np.ndarray:
    """The rows that are active at the start of a run, ascending."""
    return np.flatnonzero(system.rows["active"])


def most_entries(spans: np.ndarray) -> tuple[int, int]:
    """What the two packed matrices hold if all rows are active: fewer rows have no wider envelope."""
    everyone, active = np.ones(len(spans), ROW_STATE), np.zeros(len(spans), ACTIVE)
    lay_out(spans, everyone, active)
    return int((spans["high"] - spans["low"]).sum()), int((np.arange(len(spans)) - active["first_active"] + 1).sum())


@kernel
def lay_out(spans, row_state, active):
    """Write to `active` the rows that are active, in the order of the spans; how many there are.

    The motions of a row begin no earlier than those of the row before it, so neither does its envelope.
    """
    count, first, first_y, first_s = 0, 0, 0, 0
    for k in range(spans.shape[0]):
        span = spans[k]
        if row_state[span.row].active == 0:
            continue
        while first < count and active[first].high <= span.low:
            first += 1
        one = active[count]
        one.row, one.constraint, one.low, one.high = span.row, span.constraint, span.low, span.high
        one.first_y, one.first_active, one.first_s = first_y, first, first_s
        first_y += span.high - span.low
        first_s += count - first + 1
        count += 1
    return count


LAY_OUT = signature(
    WHOLE,
    """Write to `active` the active rows, in the order of the spans; how many there are.""",
    spans=records(SPAN), row_state=records(ROW_STATE), active=records(ACTIVE),
)  # fmt: skip


def exports() -> Exports:
    """For the native library."""
    yield lay_out, LAY_OUT
