"""The rows that are active at present, those taken as independent, and their places in the packed matrices."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import WHOLE, records, signature
from linkwork.compiler.kernels import Exports, kernel
from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.system.tables import SPAN

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
        ("block", np.int32),  # at the first of successive rows with the same motions: how many they are; else 0
    ],
    align=True,
)


@kernel
def lay_out(spans, row_state, active):
    """Write to `active` the rows that are active, in the order of the spans; how many there are.

    The motions of a row begin no earlier than those of the row before it, so neither does its envelope.
    """
    count, head, first, first_y, first_s = 0, 0, 0, 0, 0
    for k in range(spans.shape[0]):
        span = spans[k]
        if row_state[span.row].active == 0:
            continue
        while first < count and active[first].high <= span.low:
            first += 1
        one = active[count]
        one.row, one.constraint, one.low, one.high = span.row, span.constraint, span.low, span.high
        one.first_y, one.first_active, one.first_s, one.block = first_y, first, first_s, 0
        if active[head].low != one.low or active[head].high != one.high:
            head = count
        active[head].block += 1
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
