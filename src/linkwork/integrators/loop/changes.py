"""What happens at an instant: drivers that begin or let go, and blows; and the velocities right after it.

A lock that catches a moving joint, and a blow, change velocities at once.  Momentum decides how, theory (10.3) to
(10.5):

    M (v+ - v-) + Phi_v^T Lambda = (impulses from outside),    Phi_v v+ = nu

so that a lock is a perfectly plastic impact.  With v = v- + M^-1 (impulses) this is the least motion that meets the
constraints (methods/normal_step.py): v+ = v + delta, Phi_v delta = nu - Phi_v v.  The energy that it takes away or
brings goes into the energy balance.

Which rows are independent afterwards is geometry, and is found with bodies all alike (`alike`: the System that
analyses/start/like_bodies.py makes).  At a singular position, or near one, rows are dependent, or nearly so, that are
not so elsewhere: then all that were active before stay so, those of the drivers that have begun join them, and the
choice is made again as soon as the mechanism has left that position.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.constraints.rows import ANGLE, IDLE, POSITION
from linkwork.elements.declaration.changes import Action
from linkwork.formulations.mass import generalized_forces, packed_mass
from linkwork.formulations.records import Factors
from linkwork.formulations.state import KINETIC, first_velocity, work_place
from linkwork.formulations.workspace import choose_rows, lay_out_rows
from linkwork.methods.loop_recursion import solve_eliminated
from linkwork.methods.normal_step import RANK_CUT, WELL, factorize, normal_step, taken_rows, violation_rate
from linkwork.numerics.status import CHANGED, DRIVER_APART, LEVEL_ALL, LEVEL_EQUATIONS, LEVEL_POSITION, OK
from linkwork.numerics.tree_matrix import factor_tree, solve_inner, solve_outer
from linkwork.numerics.vectors import add, add_wrench, rotate, vector

NOTHING = 1e-9  # of its natural size: no more is left of a row that depends on others everywhere
APART = 1e-4  # rad, or of the mechanism's size: more is no error of integration, it would be a jump
LOG, STOP, RELEASE, LOCK, IMPULSE = (action.value for action in Action)

# What has happened, for Python to write down.
OCCURRENCE = np.dtype(
    [
        ("t", np.float64),  # s
        ("change", np.int64),  # place among the changes of the System
        ("energy", np.float64),  # J, that the instant brought: in the last entry of an instant; else NaN.
        # Of DRIVER_APART: by how much (m or rad) the driver is off
    ],
    align=True,
)


@part
def log_change(t, k, energy, now, occurrences):
    """An entry."""
    entry = occurrences[now.occurred]
    entry.t, entry.change, entry.energy = t, k, energy
    now.occurred += 1


@kernel
def apply_changes(evaluate, system, alike, y, angles, work, control, progress, occurrences, first, last):
    """Let those from `first` to `last` - 1 happen at the present instant: CHANGED, and `occurrences` say what did."""
    t, now, rows_change = control[0].t, progress[0], False
    for k in range(first, last):
        rows_change |= system.changes[k].row >= 0
    singular = rows_change and weakest_pivot(evaluate, alike, t, y, angles, work) <= WELL
    for k in range(first, last):
        change = system.changes[k]
        if change.action == RELEASE:
            work.row_state[change.row].mode = IDLE
        elif change.action == LOCK:
            off = lock(evaluate, system, t, y, angles, work, change.row)
            if off != 0.0:
                log_change(t, k, off, now, occurrences)
                return DRIVER_APART
    if rows_change:
        now.rows_in_doubt = 1 if singular else 0
        if singular or not rows_by_geometry(evaluate, alike, t, y, angles, work):
            rows_by_drivers(system, work, first, last)
    segment = work.segment[0]
    segment.t_accepted, segment.t_paced = t, math.nan  # rates of signals may jump
    evaluate(system, t, y, angles, work, LEVEL_EQUATIONS)
    before = work.energy[KINETIC]
    status = jump(system, y, work, first, last)
    if status != OK:
        return status
    evaluate(system, t, y, angles, work, LEVEL_ALL)
    gained = work.energy[KINETIC] - before
    y[work_place(system)] += gained
    for k in range(first, last):
        log_change(t, k, gained if k + 1 == last else math.nan, now, occurrences)
    return CHANGED


@part
def lock(evaluate, system, t, y, angles, work, r):
    """Let the driver of row r begin; one that holds keeps the value of this instant.

    One by position must find its coordinate where it begins: velocities may jump, as in an impact, positions not.  By
    how much it is off, if that is too much, else 0.
    """
    row, state = system.rows[r], work.row_state[r]
    state.mode = row.acting
    evaluate(system, t, y, angles, work, LEVEL_ALL)
    if row.holds == 1:
        state.held += work.Phi[r]
    elif row.acting == POSITION and abs(work.Phi[r]) > APART * (1.0 if row.kind == ANGLE else system.whole[0].length):
        return work.Phi[r]
    if row.state >= 0:  # given by acceleration: it begins with the rate that its coordinate has
        first = first_velocity(system)
        violation_rate(system, work.J, y[first : first + work.v_dot.shape[0]], work.nu, work.c)
        y[work_place(system) + row.state] -= work.c[r]
    return 0.0


# -- velocities -------------------------------------------------------------------------------------------------------
@part
def jump(system, y, work, first_change, last_change):
    """Velocities right after the instant, into y; the state before it has been evaluated."""
    first, count, free = first_velocity(system), work.v_dot.shape[0], work.v_dot
    impulses(system, work, first_change, last_change)
    status = factorize(system, work)
    if status != OK:
        return status
    v, method = y[first : first + count], work.method[0]
    for j in range(count):
        free[j] = work.Q[j]
    if method.by_recursion == 1:
        violation_rate(system, work.J, v, work.nu, work.c)
        solve_eliminated(system, work, work.c, free, work.lam)
    else:
        solve_outer(system.dofs, work.L, free)
        solve_inner(system.dofs, work.L, free)
    for j in range(count):
        v[j] += free[j]
    if method.by_recursion == 0 and system.rows.shape[0] > 0:
        violation_rate(system, work.J, v, work.nu, work.c)
        normal_step(system, work, work.c, work.delta, work.lam)
        for j in range(count):
            v[j] += work.delta[j]
    method.factors, method.rebuild = Factors.NOTHING, 1
    return OK


@part
def impulses(system, work, first, last):
    """The generalized impulses of the blows, in place of Q."""
    work.F[:, :] = 0.0
    work.delta[:] = 0.0
    for k in range(first, last):
        change = system.changes[k]
        if change.action == IMPULSE:
            point = add(vector(work.p, change.body), rotate(work.R, change.body, change.at))
            add_wrench(work.F, change.body, work.O, point, change.impulse, change.moment)
    generalized_forces(system.bodies, work.S, work.F, work.delta, work.Q)


# -- rows -------------------------------------------------------------------------------------------------------------
@part
def taken_by_geometry(evaluate, alike, t, y, angles, work, cut):
    """Rows in the order in which they are taken, with bodies all alike: how many are independent at this position by
    more than `cut`, and what is left of the weakest of them.
    """
    evaluate(alike, t, y, angles, work, LEVEL_POSITION)
    if work.fronts.shape[0] > 0:
        packed_mass(alike, work)
    work.method[0].factors = Factors.NOTHING
    if factor_tree(alike.dofs, work.M, work.L) != OK:
        return 0, 0.0
    return taken_rows(alike, work, cut)


@part
def weakest_pivot(evaluate, alike, t, y, angles, work):
    """What is left of the weakest row that should be independent, of its natural size; 0 at a singular position."""
    if work.row_state.shape[0] == 0:
        return 1.0
    rank, weakest = taken_by_geometry(evaluate, alike, t, y, angles, work, NOTHING)
    if rank < work.method[0].active_count:
        return 0.0
    return weakest if rank > 0 else 1.0


@part
def rows_by_geometry(evaluate, alike, t, y, angles, work):
    """Make the rows that are independent at this position the active ones, if there are any."""
    if work.row_state.shape[0] == 0:
        return False
    work.method[0].rank, _ = taken_by_geometry(evaluate, alike, t, y, angles, work, RANK_CUT)
    choose_rows(alike, work)
    return True


@part
def rows_by_drivers(system, work, first, last):
    """Active rows as before, with those of drivers that begin, and without those of drivers that let go."""
    for k in range(first, last):
        change = system.changes[k]
        if change.row >= 0:
            work.row_state[change.row].active = 1 if change.action == LOCK else 0
    lay_out_rows(system, work)


@part
def reconsider_rows(evaluate, system, alike, y, angles, work, control, now):
    """Other active rows: those that the factorization has found to serve better; or, after a change at a singular
    position, those that geometry takes where it has plainly been left: of a row that vanishes there more is left beside
    that position than nothing, and less than of one that is WELL independent.
    """
    if now.rows_in_doubt == 0:
        choose_rows(system, work)
        return
    rank, weakest = taken_by_geometry(evaluate, alike, control[0].t, y, angles, work, NOTHING)
    if rank > 0 and weakest > WELL:
        work.method[0].rank = rank
        choose_rows(system, work)
        now.rows_in_doubt = 0
