"""Where the parts of the state y = (q, v, s) are: coordinates, velocities, auxiliary states.

The first auxiliary state is the work of forces that have no potential, J; those of contacts and controllers follow.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part

KINETIC, POTENTIAL, POWER = range(3)  # places in `work.energy`: J, J, W of forces without potential


@part
def first_velocity(system):
    """Place of v in y."""
    return system.whole[0].q_count


@part
def work_place(system):
    """Place of the work integral in y, and of the power in its rate."""
    return system.whole[0].q_count + system.whole[0].v_count


@part
def energy_balance(system, y, energy):
    """Kinetic and potential energy less the work done, J: constant but for errors."""
    return energy[KINETIC] + energy[POTENTIAL] - y[work_place(system)]
