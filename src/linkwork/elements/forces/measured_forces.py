"""Applied forces and torques whose components depend on measures; those of time alone are in applied_force.py."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.family import FORCES, Family
from linkwork.elements.forces.applied_force import into_link
from linkwork.numerics.vectors import add, add_wrench, angular, dot, point_velocity, rotate, vector

MEASURED_LOAD = np.dtype(
    [
        ("body", np.int32),
        ("in_body_axes", np.int32),
        ("signal", np.int32, (6,)),  # of the three forces and the three torques
        ("p_P", np.float64, (3,)),  # m, point of application in the link frame
        ("R_LB", np.float64, (3, 3)),  # body axes in the link frame
    ],
    align=True,
)
SIZE = MEASURED_LOAD.itemsize


@kernel
def measured_forces(system, t, angles, work, first, last):
    """Adds the wrenches; energy[2] gains their power f . v + n . w."""
    R, p, O, V, signals = work.R, work.p, work.O, work.V, work.signals
    for at in range(first, last, SIZE):
        load = record_at(system.block, at, MEASURED_LOAD)
        b, s = load.body, load.signal
        f = (signals[s[0]], signals[s[1]], signals[s[2]])
        n = (signals[s[3]], signals[s[4]], signals[s[5]])
        if load.in_body_axes:
            f = rotate(R, b, into_link(load.R_LB, f))
            n = rotate(R, b, into_link(load.R_LB, n))
        point = add(vector(p, b), rotate(R, b, load.p_P))
        add_wrench(work.F, b, O, point, f, n)
        work.energy[2] += dot(f, point_velocity(V, O, b, point)) + dot(n, angular(V, b))


MEASURED_FORCES = Family(
    "measured_forces",
    MEASURED_LOAD,
    {FORCES: measured_forces},
    lambda places: list(places.measured_loads),
    lambda places: places.owners["measured"],
)
