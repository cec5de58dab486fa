"""Auxiliary states: first-order quantities that a controller or a filter keeps, s_dot = a signal."""

from __future__ import annotations

import numpy as np

from linkwork.elements.families import FORCES, Family
from linkwork.numerics.jit import kernel
from linkwork.numerics.records import opened

STATE_RATE = np.dtype([("state", np.int32), ("signal", np.int32)], align=True)


@kernel
def state_rates(system, t, angles, work, first, last):
    """s_dot into dy/dt."""
    table = opened(system.block, first, last, STATE_RATE)
    start = system.whole[0].q_count + system.whole[0].v_count
    for k in range(table.shape[0]):
        work.rate[start + table[k].state] = work.signals[table[k].signal]


STATES = Family("states", STATE_RATE, {FORCES: state_rates}, lambda places: list(places.state_rates))
