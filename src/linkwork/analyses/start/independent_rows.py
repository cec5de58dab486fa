"""Which constraint rows are independent: those that the rank-revealing factorization takes at a general position.

The start may be singular by chance, so that rows are dependent there alone; they must be kept.  The rank is therefore
found at the start and at positions a little aside, to which the mechanism can move.  Where it cannot move as its rows
allow to first order (rods in line between two pins), the motions that it really has are counted.  Rows are compared
with bodies all alike (like_bodies.py): the rank is geometry.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwork.analyses.start.closing import close_loops, motion_units
from linkwork.analyses.start.like_bodies import with_like_bodies
from linkwork.analyses.start.loop_misfit import (
    ROUNDING,
    SMALL,
    LoopMisfit,
    has_small,
    loop_misfit,
    refuse_beyond_tolerance,
)
from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.analyses.start.scales import row_sizes
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.rows import IDLE
from linkwork.errors import AssemblyError, Entry
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.kinematics import displace
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.normal_step import RANK_CUT
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION, OK
from linkwork.numerics.subspaces import null_space

ASIDE = 0.02  # rad, or of the mechanism's size: how far beside the start the rank is found again
FAR_ASIDE = 0.1  # the same: so far that a row of SMALL size, which grows with the distance, must have grown
DIRECTIONS = 16  # that are tried where the start is singular: branches meet there, and the rows of all are kept
CONTRAST = 0.1  # of the weakest row by geometry: what masses may make of it without a word
SINGULAR = 1e-4  # the same: at a singular position, or near one
LEAST_CONTRAST = 1e-9  # the same: with less, rounding is as large
MARGIN, HIGHEST_CUT = 10.0, 1e-2  # of the misfit of redundant rows: the cut below which a run drops them; at most
STRONGER = 3.0  # times the weakest row at the start: aside, if the start is near a singular position
SMOOTH = 0.3  # of a step aside: what closing the loops may take from it where the rows tell the truth


class Aside(NamedTuple):
    """Where a step aside has led, and whether closing the loops left it as it was."""

    y: np.ndarray
    smooth: bool


class Independence(NamedTuple):
    """Rows that are independent at a general position."""

    rows: np.ndarray
    start_rank: int  # at the start itself
    stuck: bool = False  # it cannot move from its start at all, though its rows would allow it to first order
    misfit: LoopMisfit | None = None  # of redundant rows that are a little off


def independent_rows(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> Independence:
    """Rows independent at a general position near y, and the rank at y itself."""
    if not len(equations.system.rows):
        return Independence(np.zeros(0, np.int64), 0)
    alike = with_like_bodies(equations)
    order, left = pivots_at(alike, y, angles, t, 0.0)
    drivers = {driver.name for driver in equations.compiled.mechanism.of(Driver)}
    small = _has_small_rows(alike, y, angles, t, drivers) if drivers else has_small(left)
    misfit = _misfit(alike, y, angles, order, left, t) if small else None
    if misfit is not None and misfit.worst > misfit.tolerance:
        joints = {joint.name for joint in equations.compiled.mechanism.joint}
        others = {row.element for row in equations.compiled.layout.rows} - joints
        if _has_small_rows(alike, y, angles, t, others) and not _small_here_alone(alike, y, angles, order, left, t):
            refuse_beyond_tolerance(misfit)
        misfit = None
    if misfit is not None:
        return Independence(misfit.rows, len(misfit.rows), misfit=misfit)
    return _by_steps_aside(alike, y, angles, order[left > RANK_CUT], t)


def _misfit(
    alike: Equations, y: np.ndarray, angles: np.ndarray, order: np.ndarray, left: np.ndarray, t: float
) -> LoopMisfit | None:
    """The misfit of the loops, without drivers, which may leave no motion in which it could be seen."""
    modes = alike.work.row_state["mode"]
    driven = np.array([row for row in alike.compiled.layout.driver_rows.values() if modes[row] != IDLE])
    if not len(driven):
        return loop_misfit(alike, y, angles, order, left, t)
    undriven = Equations(alike.compiled, row_state=alike.work.row_state)
    undriven.work.row_state["mode"][driven] = IDLE
    joints = np.setdiff1d(np.arange(len(alike.system.rows)), driven)
    found = loop_misfit(undriven, y, angles, *pivots_at(undriven, y, angles, t, 0.0, joints), t)
    if found is None:
        return None
    return replace(found, rows=np.sort(pivots_at(alike, y, angles, t, among=np.union1d(found.rows, driven))[0]))


def _has_small_rows(alike: Equations, y: np.ndarray, angles: np.ndarray, t: float, without: set[str]) -> bool:
    """Whether rows are small beside the others, without those of some elements: drivers and gears have small rows near
    their dead centres, however well the loops close.
    """
    given = np.array([r for r, row in enumerate(alike.compiled.layout.rows) if row.element not in without], np.int64)
    return len(given) > 0 and has_small(pivots_at(alike, y, angles, t, 0.0, given)[1])


def _small_here_alone(
    alike: Equations, y: np.ndarray, angles: np.ndarray, order: np.ndarray, left: np.ndarray, t: float
) -> bool:
    """Whether the weakest row is weak as y is near a singular position: where all rows allow the mechanism to move, it
    is stronger aside.  That of a loop which does not fit is as weak wherever the mechanism can go.
    """
    rank = int(np.sum(left > ROUNDING))
    for seed in range(DIRECTIONS):
        aside = _step_at_random(alike, y, angles, rank, seed, t, FAR_ASIDE)
        if aside is not None and aside.smooth:
            weakest = pivots_at(alike, aside.y, angles, t, 0.0)[1][:rank].min()
            if weakest > STRONGER * left[:rank].min():
                return True
    return False


def _by_steps_aside(alike: Equations, y: np.ndarray, angles: np.ndarray, best: np.ndarray, t: float) -> Independence:
    """Rows independent at y (`best`), and at positions beside it to which the mechanism can move."""
    start_rank, here = len(best), y
    for seed in range(DIRECTIONS):
        aside = _step_at_random(alike, y, angles, start_rank, seed, t)
        if aside is None:
            continue
        taken = rows_taken(alike, aside.y, angles, t)
        if len(taken) > len(best) or here is y:
            best, here = taken if len(taken) > len(best) else best, aside.y
        if aside.smooth and len(best) == start_rank:
            return Independence(np.sort(best), start_rank)
    rank_here = len(rows_taken(alike, here, angles, t))
    again = _step_at_random(alike, here, angles, rank_here, 0, t)
    if rank_here < len(alike.system.dofs) and (again is None or not again.smooth):
        best, stuck = _of_true_motions(alike, here, angles, rank_here, best, t)
        return Independence(np.sort(best), start_rank, stuck)
    return Independence(np.sort(best), start_rank)


def cut_factor(equations: Equations, y: np.ndarray, angles: np.ndarray, found: Independence, t: float = 0.0) -> float:
    """Of the cut at which the methods drop rows: lower, by as much as masses make the weakest independent row smaller
    than it is by geometry; higher, where redundant rows are a little off.

    A mechanism with a motion that has no inertia is refused here.
    """
    rows = found.rows
    if not len(rows):
        return 1.0
    if found.misfit is not None:
        return min(max(MARGIN * found.misfit.worst / RANK_CUT, 1.0), HIGHEST_CUT / RANK_CUT)
    by_mass = pivots_at(equations, y, angles, t, 0.0, rows)[1]
    by_geometry = pivots_at(with_like_bodies(equations), y, angles, t, 0.0, rows)[1]
    if len(by_mass) < len(rows) or len(by_geometry) < len(rows) or by_geometry.min() < SINGULAR:
        return 1.0  # in a singular position nothing can be told
    contrast = float(by_mass.min() / by_geometry.min())
    return max(contrast, LEAST_CONTRAST) if contrast < CONTRAST else 1.0


def rows_taken(
    equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0, cut: float = RANK_CUT
) -> np.ndarray:
    """The rows that the rank-revealing factorization takes at a position, the strongest first."""
    return pivots_at(equations, y, angles, t, cut)[0]


def pivots_at(
    equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0, cut: float = RANK_CUT,
    among: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Rows in the order in which they are taken, and what was left of each beside those before it, of its natural
    size; `among`: of these rows only.
    """
    system, work = equations.system, equations.work
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    if is_large(equations):
        return _pivots_of_many(equations, cut, among)
    rows = np.zeros((len(system.rows), len(system.dofs)))
    status = natural_rows(equations.system_ref, equations.work_ref, rows)
    if status != OK:
        raise AssemblyError(
            "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
        )
    among = np.arange(len(rows)) if among is None else among
    own = np.ascontiguousarray(rows[among])
    scales, squares, diagonal = np.ones((3, max(rows.shape)))
    rank = factor_rows(own, cut, scales, squares, diagonal, work.pivots)
    return among[work.pivots[:rank]], np.abs(diagonal[:rank])


def _pivots_of_many(equations: Equations, cut: float, among: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The same within the envelope of very many rows, where a row of which little is left may come before a strong one
    and stand in its place: so the strong ones are found first, then those of which less is left.
    """
    order, left, most = np.zeros(0, np.int64), np.zeros(0), np.inf
    for level in (SMALL, RANK_CUT, ROUNDING):
        space = RowSpace(equations, among).natural(max(level, cut))
        places = space.order[~np.isin(space.table["row"][space.order], order)][: space.rank - len(order)]
        order = np.append(order, space.table["row"][places])
        left, most = np.append(left, np.minimum(space.left[places], most)), max(level, cut)
        if level <= cut or len(order) == len(space.table):
            break
    return order, left


def free_motions(equations: Equations, y: np.ndarray, angles: np.ndarray, rank: int, t: float = 0.0) -> np.ndarray:
    """Orthonormal motions [motion, direction] that the rows allow to first order, in units of `motion_units`."""
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    compiled = equations.compiled
    J = dense_jacobian(equations.system, equations.work) * motion_units(compiled, 1.0) / row_sizes(compiled)[:, None]
    return null_space(J, rank=rank)


def free_motion(
    equations: Equations, y: np.ndarray, angles: np.ndarray, rank: int, seed: int, t: float = 0.0
) -> np.ndarray | None:
    """A unit motion at random among those that the rows, of this rank, allow to first order; None: they allow none."""
    count = len(equations.system.dofs)
    if count <= rank:
        return None
    if not is_large(equations):
        return np.asarray(free_motions(equations, y, angles, rank, t) @ _unit_vector(seed, count - rank))
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    units, sizes = motion_units(equations.compiled, 1.0), row_sizes(equations.compiled)
    motion = RowSpace(equations).scaled(units, sizes, RANK_CUT).allowed(_unit_vector(seed, count))
    return np.asarray(motion / np.linalg.norm(motion))


def step_aside(
    equations: Equations, y: np.ndarray, angles: np.ndarray, step: np.ndarray, t: float = 0.0
) -> tuple[np.ndarray, np.ndarray | None]:
    """Move from y by `step` and close the loops: where it ends, and the motion that closed them (None: nothing did)."""
    there, units = y.copy(), motion_units(equations.compiled, 1.0)
    displace(equations.system.dofs, there, units * step)
    try:
        return there, close_loops(equations, there, angles, t) / units
    except AssemblyError:
        return there, None


def _step_at_random(
    equations: Equations, y: np.ndarray, angles: np.ndarray, rank: int, seed: int, t: float, length: float = ASIDE
) -> Aside | None:
    """A step along some motion that the rows, of this rank, allow; None: the loops do not close after it, or none."""
    motion = free_motion(equations, y, angles, rank, seed, t)
    if motion is None:
        return None
    there, closing = step_aside(equations, y, angles, length * motion, t)
    return None if closing is None else Aside(there, bool(np.linalg.norm(closing) < SMOOTH * length))


def _unit_vector(seed: int, count: int) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(count)
    return np.asarray(vector / np.linalg.norm(vector))


def _of_true_motions(
    equations: Equations, y: np.ndarray, angles: np.ndarray, rank: int, best: np.ndarray, t: float
) -> tuple[np.ndarray, bool]:
    """The rows of a mechanism that cannot move as its rows allow: as many as leave it the motions that it has, if there
    are so many; and whether it has none.

    A step along a direction that it has is kept when the loops are closed, others are taken back: the singular values
    of what is left of one step along each direction are about 1 and 0.  The rows are those that are independent beside
    the position, loops open.
    """
    motions = free_motions(equations, y, angles, rank, t)
    left = np.zeros((motions.shape[1], motions.shape[1]))
    for k, direction in enumerate(motions.T):
        _, closing = step_aside(equations, y, angles, ASIDE * direction, t)
        if closing is not None:
            left[:, k] = motions.T @ (direction + closing / ASIDE)
    true = int(np.sum(np.linalg.svd(left, compute_uv=False) > 0.5))
    beside, units = y.copy(), motion_units(equations.compiled, 1.0)
    displace(equations.system.dofs, beside, units * (ASIDE * motions @ _unit_vector(0, motions.shape[1])))
    rows = rows_taken(equations, beside, angles, t)[: motions.shape[0] - true]
    drivers = list(equations.compiled.layout.driver_rows.values())
    driven = bool(np.any(equations.work.row_state["mode"][drivers] != IDLE))
    return (rows if len(rows) > len(best) else best), true == 0 and not driven
