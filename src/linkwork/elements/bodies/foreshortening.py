"""Shifts of second order in the time loop: what bends also shortens, and the mass goes with it.

They are shapes of a flexible body whose coordinates are quadratic in the modal ones (flexible_motion.py; theory (6.1)):

    zeta_k = 1/2 eta Q_k eta,  T_jk = (Q_k eta)_j,  zeta'_k = sum_j T_jk eta'_j,  zeta''_k = eta' Q_k eta' at eta'' = 0
"""

from __future__ import annotations

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import stage
from linkwork.elements.bodies.flexible_tables import FLEXIBLE
from linkwork.elements.family import Family, Phase

SIZE = FLEXIBLE.itemsize


@stage
def shift_coordinates(system, t, angles, work, first, last):
    """zeta and T of the shifts."""
    numbers, keep, q = system.numbers, work.scratch, work.q
    for at in range(first, last, SIZE):
        b = record_at(system.block, at, FLEXIBLE)
        m, count, eta = b.modes, b.shapes, b.first_q
        for k in range(m + 1, count):
            total = 0.0 * q[eta]
            for j in range(m):
                slope = 0.0 * q[eta]
                for l in range(m):
                    slope += numbers[b.Q + ((k - m - 1) * m + j) * m + l] * q[eta + l]
                keep[b.T + j * count + k] = slope
                total += 0.5 * slope * q[eta + j]
            keep[b.zeta + k] = total


@stage
def shift_rates(system, t, angles, work, first, last):
    """zeta' and zeta'' of the shifts."""
    numbers, keep, v = system.numbers, work.scratch, work.v
    for at in range(first, last, SIZE):
        b = record_at(system.block, at, FLEXIBLE)
        m, count, eta = b.modes, b.shapes, b.first_v
        for k in range(m + 1, count):
            rate, late = 0.0 * v[eta], 0.0 * v[eta]
            for j in range(m):
                rate += keep[b.T + j * count + k] * v[eta + j]
                for l in range(m):
                    late += numbers[b.Q + ((k - m - 1) * m + j) * m + l] * v[eta + l] * v[eta + j]
            keep[b.rates + k] = rate
            keep[b.rates + count + k] = late


SHIFTS = Family("shifts", FLEXIBLE, {Phase.POSES: shift_coordinates, Phase.TWISTS: shift_rates})
