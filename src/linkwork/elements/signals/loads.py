"""Loads as signals: what joints, drivers, massless links and couplings transmit, from the multipliers of their rows.

A multiplier lam exerts -lam W on B and +lam W on A (elements/constraints/rows.py).  The wrench of a joint is the sum
over its rows and those of its drivers, in world axes, its moment about the joint's point on B; a joint whose load an
expression uses is cut, so that it is rows.  A driver gives -lam along its coordinate, a link pulls with lam, a coupling
exerts -factor lam along a coordinate (`Element.transmits`).

Multipliers follow from the accelerations: loads are known after the forces (phase OUTPUT), for events and results.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Family, Phase, record
from linkwork.numerics.vectors import add, cross, rotate, scale, sub, vector

MULTIPLIER = 6  # beside the components 0 to 5 of a wrench

LOAD = record(
    [
        ("place", np.int32),  # in work.signals
        ("component", np.int32),  # of force, N, then of torque, N m; MULTIPLIER: of a row alone
        ("adds", np.int32),  # 0: the first record of this signal
        ("at", np.int32),  # the constraint whose rows exert the wrench, or the row of a multiplier
        ("sign", np.float64),  # of a multiplier
        ("body_b", np.int32),
        ("p_BM", np.float64, (3,)),  # m, the joint's point on B, in its link frame
    ]
)
SIZE = LOAD.itemsize


@stage
def loads(system, t, angles, work, first, last):
    """Fill work.signals, record by record."""
    for at in range(first, last, SIZE):
        load = record_at(system.block, at, LOAD)
        if load.component == MULTIPLIER:
            x = load.sign * work.lam[load.at]
        else:
            x = _component(system.constraints[load.at], work, load)
        work.signals[load.place] = work.signals[load.place] + x if load.adds else x


@part
def _component(con, work, load):
    """Of the wrench of a constraint's rows on the joint's body B, theory (2.8)."""
    b = load.body_b
    f = n = scale(0.0, vector(work.p, b))
    for r in range(con.first_row, con.first_row + con.row_count):
        of_b = con.body_b == b  # a driver of the second pin of a cross is a row from B to A
        factor, side = (-work.lam[r], 6) if of_b else (work.lam[r], 0)
        W = work.W[r]
        f = add(f, (factor * W[side], factor * W[side + 1], factor * W[side + 2]))
        n = add(n, (factor * W[side + 3], factor * W[side + 4], factor * W[side + 5]))
    point = add(vector(work.p, b), rotate(work.R, b, load.p_BM))
    n = add(n, cross(sub(vector(work.O, b), point), f))
    k = load.component
    return f[k] if k < 3 else n[k - 3]


LOAD_SIGNALS = Family("loads", LOAD, {Phase.OUTPUT: loads})
