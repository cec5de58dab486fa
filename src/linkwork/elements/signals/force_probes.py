"""Forces as signals: what one element does to a body, for `force(NAME, x)` and for outputs that forces may use.

The kernel of its family is called for the records of the element alone, before all other signals; it writes its
outputs, and what it added to the wrenches on its two bodies is read and taken back.  Only forces that follow from the
state alone can be probed (`Family.state_alone`): no order matters.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.addresses import call_kernel
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Family, Phase, record
from linkwork.numerics.vectors import add, cross, rotate, sub, vector

PROBE = record(
    [
        ("place", np.int32),  # first of six signals: force, N, and torque about the point, N m; world axes; -1: none
        ("body_a", np.int32),  # the other body, or ground
        ("body_b", np.int32),  # the body on which it acts
        ("p_BM", np.float64, (3,)),  # m, the point, in the link frame of B
        ("first", np.int64),  # bytes of the element's records
        ("last", np.int64),
    ]
)
SIZE = PROBE.itemsize


@stage
def force_probes(system, t, angles, work, first, last):
    """The wrench of each element on its body B, into the signals."""
    F, energy = work.F, work.energy
    for at in range(first, last, SIZE):
        probe = record_at(system.block, at, PROBE)
        a, b = probe.body_a, probe.body_b
        on_a, on_b, kept = _wrench(F, a), _wrench(F, b), (energy[0], energy[1], energy[2])
        for s in range(work.stages.shape[0]):
            stage = work.stages[s]
            if stage.phase == Phase.FORCES and stage.first <= probe.first and probe.last <= stage.last:
                call_kernel(stage.address, system, t, angles, work, probe.first, probe.last)
        f = (F[b, 0] - on_b[0], F[b, 1] - on_b[1], F[b, 2] - on_b[2])
        n = (F[b, 3] - on_b[3], F[b, 4] - on_b[4], F[b, 5] - on_b[5])
        point = add(vector(work.p, b), rotate(work.R, b, probe.p_BM))
        m = sub(n, cross(sub(point, vector(work.O, b)), f))
        for i in range(3):
            if probe.place >= 0:
                work.signals[probe.place + i], work.signals[probe.place + 3 + i] = f[i], m[i]
            energy[i] = kept[i]
        for i in range(6):
            F[a, i], F[b, i] = on_a[i], on_b[i]


@part
def _wrench(F, i):
    return F[i, 0], F[i, 1], F[i, 2], F[i, 3], F[i, 4], F[i, 5]


FORCE_PROBES = Family("force probes", PROBE, {Phase.SIGNALS: force_probes})
