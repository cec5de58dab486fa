"""The energy balance of one run of many, in one look over its samples (results/result.py says the same of a Result).

residual    largest |T + U - W - (T + U - W)(0)|, J
exchanged   the largest of T, and of the ranges of U and W, J
"""

from __future__ import annotations

from linkwork.compiler.argument_types import MATRIX, VECTOR, VOID, WHOLE
from linkwork.compiler.kernels import Exports, export, kernel

RESIDUAL, EXCHANGED = range(2)


@kernel
def energy_balance(rows, kinetic, potential, work, found):
    """Of samples of numbers, in whose rows T, U and W stand at these places; into `found`."""
    T, U, W = rows[0, kinetic], rows[0, potential], rows[0, work]
    first, residual, most_T, least_U, most_U, least_W, most_W = T + U - W, 0.0, T, U, U, W, W
    for k in range(1, rows.shape[0]):
        T, U, W = rows[k, kinetic], rows[k, potential], rows[k, work]
        residual = max(residual, abs(T + U - W - first))
        most_T = max(most_T, T)
        least_U, most_U = min(least_U, U), max(most_U, U)
        least_W, most_W = min(least_W, W), max(most_W, W)
    found[RESIDUAL], found[EXCHANGED] = residual, max(most_T, most_U - least_U, most_W - least_W)


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(energy_balance, VOID, MATRIX, WHOLE, WHOLE, WHOLE, VECTOR)
