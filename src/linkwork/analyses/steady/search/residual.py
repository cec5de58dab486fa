"""What remains of the forces at a position, and whether that is rounding."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.elements.joints.motions import SLIDE
from linkwork.errors import Entry, NumericalError

BALANCED = 1e-10  # of the forces involved: what may remain
ROUNDED = 1e-4  # of the largest force, or the largest raised: what it leaves, times BALANCED, where nothing else acts
STEADY_RATE = 1e-3  # 1/s: beside it a rate of an auxiliary state is small


def merit(point: Point) -> float:
    """r^T M_hat^-1 r: the square of the acceleration that is left, the same in all coordinates; and of the rates."""
    left = float(point.r @ np.linalg.solve(point.M_hat, point.r)) if len(point.r) else 0.0
    return left + float(point.s_dot @ point.s_dot)


def balanced(reduction: Reduction, point: Point) -> bool:
    """Whether what remains is rounding, beside the forces summed up and those that a unit displacement would raise."""
    if not np.all(np.isfinite(point.r)):
        return False
    if not np.any(point.r) and not np.any(point.s_dot):
        return True
    rates = np.abs(reduction.derivatives.along_independent(point).rates) @ reduction.lengths + STEADY_RATE
    still = np.all(np.abs(point.s_dot) <= BALANCED * rates)
    return bool(still and np.all(np.abs(point.r) <= BALANCED * force_scales(point, raised_forces(reduction, point))))


def raised_forces(reduction: Reduction, point: Point) -> np.ndarray:
    """Forces that a displacement of unit size would raise on each independent coordinate, N or N m.

    Of unit size is one along an independent coordinate by which no other coordinate moves by more than its own unit:
    beside a dead centre the others move many times as far, and the stiffness is as large as one likes.
    """
    units = np.where(reduction.system.dofs["kind"] == SLIDE, reduction.size, 1.0)
    farthest = np.abs(point.T / units[:, None] * reduction.lengths).max(axis=0, initial=1.0)
    return np.asarray(np.abs(reduction.stiffness(point)) @ (reduction.lengths / farthest))


def force_scales(point: Point, raised: np.ndarray) -> np.ndarray:
    """Beside which a force is small: the forces summed up, and those that a displacement of unit size would raise.

    Where forces balance on every coordinate for itself, as weight and spring do, their sums tell nothing of their size.
    """
    rounding = ROUNDED * max(point.size.max(initial=0.0), raised.max(initial=0.0))
    return np.asarray(point.size + raised + rounding)


def no_equilibrium(reduction: Reduction, point: Point) -> NumericalError:
    """The error that names the largest forces that remain."""
    share = np.abs(point.r) / np.maximum(force_scales(point, raised_forces(reduction, point)), 1e-300)
    worst = [k for k in np.argsort(-share)[:3] if share[k] > BALANCED]
    left = ", ".join(f"{point.r[k]:.4g} {reduction.units[k]} on '{reduction.names[k]}'" for k in worst)
    remedy = "hold those coordinates, add a force that balances them, or start nearer to the equilibrium"
    if not worst:  # forces are balanced, but states run on
        left = f"rates of {', '.join(f'{rate:.4g}' for rate in point.s_dot)} of the controllers' integrals"
        remedy = "give targets that can be reached within the limits"
    return NumericalError(
        f"no equilibrium was found: {left} remain at the best position; {remedy}",
        element=reduction.names[worst[0]].split(".")[0] if worst else None,
        remedy=remedy,
        entry=Entry.NO_EQUILIBRIUM,
    )
