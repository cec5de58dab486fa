"""Closing the loops: coordinates that meet every constraint row, by the least change from where they are.

Gauss-Newton with step halving,

    Phi_v (units . dx) = -Phi,   |dx| least,   q <- q displaced by units . dx

in units of the mechanism's size, in which bodies move before flexible ones bend; each row in units of its own size.

No motion changes by more than its unit in a step.  Where one would, since its loop is near a singular position, the
others of a large mechanism need not wait: what the rows have of their own beyond a coarser cut is closed first, and
the whole, shortened, is taken when that no longer helps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.analyses.start.contradictions import why_open
from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.analyses.start.scales import motion_sizes, row_sizes
from linkwork.errors import AssemblyError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, row_rates
from linkwork.formulations.kinematics import displace
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import RANK_CUT
from linkwork.system.compile import Compiled

ITERATIONS = 60
HALVINGS = 12
DECREASE = 1e-4  # of the violation, times the part of the step that is taken
COARSE_CUTS = (1e-4, 1e-3, 1e-2, 1e-1)  # tried in turn, until no motion is longer than its unit
WORTHWHILE = 0.1  # of the violation, that a step by a coarser cut must take away
BEND = 1e-2  # of a modal coordinate's size: it counts as much as 1 rad or m of another motion
CLOSED = 1e-11  # rad, or of the mechanism's size


def close_loops(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> np.ndarray:
    """Change the coordinates in y until the loops are closed; an AssemblyError names what stays open.

    The sum of the motions that did it is returned.
    """
    system, work, units = equations.system, equations.work, motion_units(equations.compiled)
    sizes = row_sizes(equations.compiled)

    def violation(state: np.ndarray) -> float:
        equations.evaluate(t, state, angles, LEVEL_POSITION)
        return float(np.linalg.norm(work.Phi / sizes))

    violation(y)
    drawn, moved = work.Phi.copy(), np.zeros(len(units))
    for _ in range(ITERATIONS):
        open_rows = work.Phi / sizes
        if np.abs(open_rows).max(initial=0.0) <= CLOSED:
            return moved
        error = np.linalg.norm(open_rows)
        for dx, enough in strides(equations, -open_rows, units, sizes):
            trial = y.copy()
            displace(system.dofs, trial, units * dx)
            if violation(trial) < error * (1.0 - enough):
                break
        else:
            break
        y[:], moved = trial, moved + units * dx
    violation(y)
    if np.abs(work.Phi / sizes).max(initial=0.0) > CLOSED * 100.0:
        raise _stays_open(equations, y, angles, t, drawn)
    return moved


def strides(
    equations: Equations, values: np.ndarray, units: np.ndarray, sizes: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    """Changes to try, one after the other, and by which part of it each must reduce the violation."""
    whole = least_change(equations, values, units, sizes)
    longest = np.abs(whole).max(initial=0.0)
    if longest > 1.0:
        for cut in COARSE_CUTS:
            dx = least_change(equations, values, units, sizes, cut)
            if np.abs(dx).max(initial=0.0) <= 1.0:
                yield dx, WORTHWHILE
                break
        whole = whole / longest
    for halving in range(HALVINGS):
        yield whole * 0.5**halving, DECREASE * 0.5**halving


def least_change(
    equations: Equations, values: np.ndarray, units: np.ndarray, sizes: np.ndarray, cut: float = RANK_CUT
) -> np.ndarray:
    """The shortest x, motions in `units`, that gives the rows, in `sizes`, these values at the position evaluated last;
    where they contradict each other, by least squares, of very many rows those that come first.  Rows that have no
    more than `cut` of their own do not count.
    """
    if is_large(equations):
        return RowSpace(equations).scaled(units, sizes, cut).least_motion(values)
    J = dense_jacobian(equations.system, equations.work) * units / sizes[:, None]
    return np.asarray(np.linalg.lstsq(J, values, rcond=cut)[0])


def motion_units(compiled: Compiled, bend: float = BEND) -> np.ndarray:
    """Units of the motions where the least change is sought: with a small `bend` bodies move before they bend."""
    units = motion_sizes(compiled)
    if compiled.layout.modal_sizes:
        units[[name in compiled.layout.modal_sizes for name in compiled.layout.v_names]] *= bend
    return units


def put_on_constraints(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """A state that is nearly on the constraints, put onto them to rounding: the least change of q, then of v."""
    close_loops(equations, y, angles, t)
    own = equations.compiled.layout.velocities
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    open_rates = equations.work.nu - row_rates(equations.system, equations.work, y[own])
    if len(open_rates):
        y[own] += least_change(equations, open_rates, np.ones(len(y[own])), np.ones(len(open_rates)))


def _stays_open(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float, drawn: np.ndarray) -> AssemblyError:
    """Which constraints stay open, and by how much; redundant ones that contradict each other, if so; `drawn`: what was
    open as the bodies are drawn.
    """
    compiled, work = equations.compiled, equations.work
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    Phi, elsewhere = work.Phi.copy(), y.copy()
    displace(compiled.system.dofs, elsewhere, np.random.default_rng(0).uniform(-1.0, 1.0, compiled.layout.v_count))
    equations.evaluate(t, elsewhere, angles, LEVEL_POSITION)
    return why_open(equations, Phi, drawn)
