"""Auxiliary states: first-order quantities that a controller or a filter keeps, s_dot = a signal."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import stage
from linkwork.elements.family import Family, Phase, record

STATE_RATE = record([("state", np.int32), ("signal", np.int32)])
SIZE = STATE_RATE.itemsize


@stage
def state_rates(system, t, angles, work, first, last):
    """s_dot into dy/dt."""
    start = system.whole[0].q_count + system.whole[0].v_count
    for at in range(first, last, SIZE):
        record = record_at(system.block, at, STATE_RATE)
        work.rate[start + record.state] = work.signals[record.signal]


STATES = Family("states", STATE_RATE, {Phase.FORCES: state_rates})
