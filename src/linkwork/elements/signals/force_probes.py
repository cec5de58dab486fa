"""Forces as numbers: what a bushing, a beam or a contact does to a body, for `force(NAME, x)` and `torque(NAME, x)`.

The kernel of that family is called for the records of the one element, before all other signals, and what it added to
the wrenches on its two bodies is read and taken back.  Such forces depend on the state alone: no order matters.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.addresses import call_kernel
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import FORCES, SIGNALS, Family
from linkwork.numerics.vectors import add, cross, rotate, sub, vector

SHOWN = np.dtype(
    [
        ("place", np.int32),  # of the first of six signals: force, N, and torque about the point, N m; world axes
        ("body_a", np.int32),
        ("body_b", np.int32),  # the body on which it acts
        ("p_BM", np.float64, (3,)),  # m, the point, in the link frame of B
        ("first", np.int64),  # bytes of the element's records
        ("last", np.int64),
    ],
    align=True,
)
SIZE = SHOWN.itemsize


@stage
def shown_forces(system, t, angles, work, first, last):
    """The wrench of each element on its body B, into the signals."""
    F, energy = work.F, work.energy
    for at in range(first, last, SIZE):
        shown = record_at(system.block, at, SHOWN)
        a, b = shown.body_a, shown.body_b
        on_a, on_b, kept = _wrench(F, a), _wrench(F, b), (energy[0], energy[1], energy[2])
        for s in range(work.stages.shape[0]):
            stage = work.stages[s]
            if stage.phase == FORCES and stage.first <= shown.first and shown.last <= stage.last:
                call_kernel(stage.address, system, t, angles, work, shown.first, shown.last)
        f = (F[b, 0] - on_b[0], F[b, 1] - on_b[1], F[b, 2] - on_b[2])
        n = (F[b, 3] - on_b[3], F[b, 4] - on_b[4], F[b, 5] - on_b[5])
        point = add(vector(work.p, b), rotate(work.R, b, shown.p_BM))
        m = sub(n, cross(sub(point, vector(work.O, b)), f))
        for i in range(3):
            work.signals[shown.place + i], work.signals[shown.place + 3 + i] = f[i], m[i]
            energy[i] = kept[i]
        for i in range(6):
            F[a, i], F[b, i] = on_a[i], on_b[i]


@part
def _wrench(F, i):
    return F[i, 0], F[i, 1], F[i, 2], F[i, 3], F[i, 4], F[i, 5]


def _records(places) -> list[tuple]:
    found = []
    for name, place in places.shown.items():
        made = next(made for made in places.made if name in made.owners)
        k, count = made.owners.index(name), made.owners.count(name)
        record, size = made.table[k], made.table.itemsize
        own = made.first + k * size, made.first + (k + count) * size
        found.append((place, record["body_a"], record["body_b"], record["p_BM"], *own))
    return found


SHOWN_FORCES = Family("shown_forces", SHOWN, {SIGNALS: shown_forces}, _records)
