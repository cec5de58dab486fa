"""Which constraint rows are independent: those that the rank-revealing factorization takes at a general position.

The start may be singular by chance, so that rows are dependent there alone; they must be kept.  The rank is therefore
found at the start and at two positions a little aside, and the largest counts.  Rows are compared in the metric of M,
slim bodies made rounder (slim_bodies.py), with the cut of the constraint methods (methods/normal_step.py).
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.closing import close_loops, motion_units
from linkwork.analyses.start.slim_bodies import with_rounder_bodies
from linkwork.errors import AssemblyError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.kinematics import displace
from linkwork.methods.normal_step import RANK_CUT, natural_rows
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION, OK
from linkwork.numerics.subspaces import null_space

ASIDE = 0.02  # rad or m: how far beside the start the rank is found again


def independent_rows(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, int]:
    """Rows independent at a general position near y, and the rank at y itself."""
    if not len(equations.system.rows):
        return np.zeros(0, np.int64), 0
    best = rows_taken(equations, y, angles, t)
    start_rank = len(best)
    trial = y.copy()
    for seed in range(2):
        if _step_aside(equations, trial, angles, seed, t):
            found = rows_taken(equations, trial, angles, t)
            best = found if len(found) > len(best) else best
    return best, start_rank


def rows_taken(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> np.ndarray:
    """The rows that the rank-revealing factorization takes at a position."""
    system, work, rounder = equations.system, equations.work, with_rounder_bodies(equations)
    rows = np.zeros((len(system.rows), len(system.dofs)))
    rounder.evaluate(t, y, angles, LEVEL_POSITION)
    status = natural_rows(rounder.system_ref, rounder.work_ref, rows)
    if status != OK:
        raise AssemblyError("a motion of the mechanism has no inertia; give its bodies mass and inertia")
    scales, squares, diagonal = np.ones((3, max(rows.shape)))
    rank = factor_rows(rows, RANK_CUT, scales, squares, diagonal, work.pivots)
    return np.sort(work.pivots[:rank])


def _step_aside(equations: Equations, y: np.ndarray, angles: np.ndarray, seed: int, t: float) -> bool:
    """Move y a little along an admissible direction, and close the loops again; whether that was possible."""
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    units = motion_units(equations.compiled, 1.0)
    free = units[:, None] * null_space(dense_jacobian(equations.system, equations.work) * units)
    if not free.shape[1]:
        return False
    direction = free @ np.random.default_rng(seed).standard_normal(free.shape[1])
    displace(equations.system.dofs, y, ASIDE * direction / np.abs(direction / units).max())
    try:
        close_loops(equations, y, angles, t)
    except AssemblyError:
        return False
    return True
