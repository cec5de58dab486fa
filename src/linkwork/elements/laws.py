"""Laws: an effort, given by a signal, against a number between two bodies.

A nonlinear spring acts against a distance, a motor and friction against a joint coordinate: the effort e (N or N m)
draws the number towards smaller values, as a spring does,

    force -e f at M and moment -e n on B, the reverse on A, power -e x_dot     (elements/pairs.py)
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.families import FORCES, Family
from linkwork.elements.pairs import PAIR, add_effort, direction, ends, relative_motion
from linkwork.numerics.jit import kernel
from linkwork.numerics.records import opened

LAW = np.dtype(
    [
        ("effort", np.int32),  # which signal
        ("kind", np.int32),  # of the number between two bodies
        ("i", np.int32),
        ("sign", np.float64),  # -1 where the number is counted the other way round
        *PAIR,
    ],
    align=True,
)


@kernel
def laws(system, t, angles, work, first, last):
    """Add the wrenches of the efforts, and their power."""
    table = opened(system.block, first, last, LAW)
    R, p, O, V = work.R, work.p, work.O, work.V
    for k in range(table.shape[0]):
        law = table[k]
        f, n = direction(law.kind, law.i, 0, R, p, law)
        _, p_M = ends(R, p, law)
        e = work.signals[law.effort] * law.sign
        add_effort(work.F, O, law, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(V, O, law, p_M, f, n)


LAWS = Family("laws", LAW, {FORCES: laws}, lambda places: list(places.laws), lambda places: places.owners["laws"])
