"""Laws: an effort, given by a signal, against a number between two bodies.

A nonlinear spring acts against a distance, a motor and friction against a joint coordinate: the effort e (N or N m)
draws the number towards smaller values, as a spring does,

    force -e f at M and moment -e n on B, the reverse on A, power -e x_dot     (elements/signals/frame_pairs.py)
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.family import FORCES, Family
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion

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
SIZE = LAW.itemsize


@kernel
def laws(system, t, angles, work, first, last):
    """Add the wrenches of the efforts, and their power."""
    R, p, O, V = work.R, work.p, work.O, work.V
    for at in range(first, last, SIZE):
        law = record_at(system.block, at, LAW)
        pair = pair_of(law)
        f, n = direction(law.kind, law.i, law.i, R, p, pair)  # a second axis has no part in it
        _, p_M = ends(R, p, pair)
        e = work.signals[law.effort] * law.sign
        add_effort(work.F, O, pair, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(V, O, pair, p_M, f, n)


LAWS = Family("laws", LAW, {FORCES: laws}, lambda places: list(places.laws), lambda places: places.owners["laws"])
