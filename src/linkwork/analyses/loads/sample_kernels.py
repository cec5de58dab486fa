"""Kernels over the samples of a run: wrenches of joints, influence of multipliers, null spaces, multipliers, signals.

Each goes through samples at which the same rows hold; `angles` are the counted angles of the sample before the first.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import (
    CUBE,
    CUBES,
    MATRIX,
    STATUS,
    SYSTEM,
    TRUTH,
    TRUTHS,
    VECTOR,
    VOID,
    WHOLE_MATRIX,
    WHOLES,
    WORK,
    records,
)
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.elements.constraints.rows import constraint_wrenches
from linkwork.elements.family import Phase
from linkwork.expressions.kernels.crossings import INSIDE
from linkwork.formulations.equations import call_families, evaluate, loads_agree
from linkwork.formulations.reactions import (
    body_accelerations,
    carry_nodes,
    composite_axes,
    newton_euler,
    reaction_alone,
    row_wrenches,
    sum_up,
)
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.methods.natural_rows import mass_weighted_rows, row_scales
from linkwork.methods.normal_step import RANK_CUT, factorize
from linkwork.methods.parametrization import constrain
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import ACCELERATE, LEVEL_ALL, LEVEL_POSITION, OK
from linkwork.numerics.vectors import add, angular, cross, linear, rotate, spatial_dot, sub, vector

CHOSEN = np.dtype(
    [
        ("tree_body", np.int32),  # the body that hangs on this joint; 0: the joint is rows
        ("sign", np.int32),  # +1: that body is B; -1: it is A
        ("first_below", np.int32),  # motions of all that hangs on that body, itself left out
        ("end_below", np.int32),
        ("body_b", np.int32),
        ("p_BM", np.float64, (3,)),  # m, the joint's point on B, in its link frame
    ],
    align=True,
)


@part
def evaluate_sample(system, work, t, state, angles, level):
    """Evaluate at one sample; `angles` are the counted ones of the sample before, and become those of this one.

    A sample at a break time belongs to the segment that ends there.
    """
    work.segment[0].t_high = t - INSIDE * abs(t)
    evaluate(system, t, state, angles, work, level)
    if level == LEVEL_ALL:
        for k in range(angles.shape[0]):
            angles[k] = work.angle[k]
        work.segment[0].t_accepted = t


@part
def row_wrenches_at(system, work, t, angles):
    """W of all rows at the sample evaluated last, which an open tree leaves out."""
    constraint_wrenches(system.constraints, system.rows, work.row_state, work.R, work.p, work.O, work.W)
    call_families(Phase.ROWS, system, t, angles, work)


@part
def add_reactions(system, work, t, angles, lam, outside):
    """Add to F what multipliers do to the bodies: those of rows that act on the tree from outside."""
    for r in range(lam.shape[0]):
        work.lam[r] = lam[r]
    row_wrenches(system.constraints, lam, work.W, outside, work.F)
    call_families(Phase.REACTIONS, system, t, angles, work)


@part
def _keep_poses(work, R, p, angle):
    """Copy the poses of the link frames and the counted angles of the sample evaluated last."""
    for b in range(p.shape[0]):
        for i in range(3):
            p[b, i] = work.p[b, i]
            for j in range(3):
                R[b, i, j] = work.R[b, i, j]
    for k in range(angle.shape[0]):
        angle[k] = work.angle[k]


@part
def _at_joint(R, p, O, joint, i, f, n, wrench):
    """Write the wrench (f, n about the reference point of body i) about the joint's point instead, theory (2.8)."""
    b = joint.body_b
    arm = sub(vector(O, i), add(vector(p, b), rotate(R, b, joint.p_BM)))
    moment = add(n, cross(arm, f))
    for k in range(3):
        wrench[k] = f[k]
        wrench[3 + k] = moment[k]


@part
def _row_loads(system, work, lam, chosen, owner, wrench):
    """Loads of joints that are rows: -lam W on B, summed over the joint's own rows and its drivers'.

    A driver of the second pin of a cross is a row from B to A: there the wrench on B is the first one of W.
    """
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            k = owner[r]
            if k >= 0 and chosen[k].tree_body == 0:
                same = con.body_b == chosen[k].body_b
                for m in range(6):
                    wrench[k, m] += -lam[r] * work.W[r, 6 + m] if same else lam[r] * work.W[r, m]
    for k in range(chosen.shape[0]):
        if chosen[k].tree_body == 0:
            f, n = linear(wrench, k), angular(wrench, k)
            _at_joint(work.R, work.p, work.O, chosen[k], chosen[k].body_b, f, n, wrench[k])


@kernel
def wrenches_at_samples(
    system, work, t, states, v_dot, lam, angles, outside, owner, chosen, recursive, a, reaction, R, p, angle,
    wrench, tau,
):  # fmt: skip
    """Wrench on B of every chosen joint at its point, world axes; tau = S . R of their motions; poses of the bodies.

    `system` is marked as an open tree: rows come in by their multipliers only.
    """
    bodies, w = system.bodies, work
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_ALL)
        for r in range(lam.shape[1]):
            w.lam[r] = lam[n, r]
        if not loads_agree(system, t[n], angles, work, 0):
            evaluate(system, t[n], states[n], angles, work, LEVEL_ALL)
        _keep_poses(work, R[n], p[n], angle[n])
        row_wrenches_at(system, work, t[n], angles)
        for j in range(v_dot.shape[1]):
            w.v_dot[j] = v_dot[n, j]
        add_reactions(system, work, t[n], angles, lam[n], outside)
        body_accelerations(bodies, w.S, v_dot[n], a)
        if recursive:
            newton_euler(bodies, w.inertia, w.F, a, 1, reaction)
        else:
            composite_axes(bodies, w.inertia, w.S, w.composite, w.U)
            carry_nodes(bodies, w.composite, w.S, v_dot[n], w.F)
            sum_up(bodies, w.F)
        for k in range(chosen.shape[0]):
            joint = chosen[k]
            i = joint.tree_body
            if i == 0:
                continue
            if not recursive:
                reaction_alone(i, joint.first_below, joint.end_below, w.composite, w.U, w.F, a, v_dot[n], reaction)
            for j in range(bodies[i].first_dof, bodies[i].first_dof + bodies[i].dof_count):
                tau[n, j] = spatial_dot(w.S, j, reaction, i)
            _at_joint(w.R, w.p, w.O, joint, i, linear(reaction, i), angular(reaction, i), wrench[n, k])
            for m in range(6):
                wrench[n, k, m] *= joint.sign
        _row_loads(system, work, lam[n], chosen, owner, wrench[n])


@kernel
def influence_at_samples(system, work, t, states, angles, outside, owner, chosen, multipliers, wrench):
    """What sets of multipliers [sample, set, row] alone do to the wrenches [sample, set, joint, 6]."""
    bodies, w = system.bodies, work
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_POSITION)
        row_wrenches_at(system, work, t[n], angles)
        w.v_dot[:] = 0.0
        for s in range(multipliers.shape[1]):
            w.F[:, :] = 0.0
            add_reactions(system, work, t[n], angles, multipliers[n, s], outside)
            sum_up(bodies, w.F)
            for k in range(chosen.shape[0]):
                i = chosen[k].tree_body
                if i > 0:
                    f, m = linear(w.F, i), angular(w.F, i)
                    _at_joint(w.R, w.p, w.O, chosen[k], i, f, m, wrench[n, s, k])
                    for c in range(6):
                        wrench[n, s, k, c] *= -chosen[k].sign
            _row_loads(system, work, multipliers[n, s], chosen, owner, wrench[n, s])


@kernel
def factor_at_samples(system, work, t, states, angles, rows, scales, diagonal, pivots, rank):
    """Rank-revealing factorization of the mass-weighted rows Phi_v L^-1 at every sample, M = L^T L; their rank."""
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_POSITION)
        status = mass_weighted_rows(system, work, rows[n])
        if status != OK:
            return status
        row_scales(system, work, scales[n])
        cut = RANK_CUT * system.whole[0].cut_factor
        rank[n] = factor_rows(rows[n], cut, scales[n], work.z, diagonal[n], pivots[n])
    return OK


@kernel
def null_space_at_samples(rows, scales, diagonal, pivots, rank, c, sets):
    """Sets of multipliers [sample, set, row] with Phi_v^T lam = 0: one for each row that depends on those taken.

    A dropped row is sum_k c_k (row k), R c = its part in the span; so lam = 1 on it and -c_k on the others.
    """
    for n in range(rows.shape[0]):
        A, order = rows[n], pivots[n]
        for d in range(rank[n], A.shape[0]):
            dropped = order[d]
            lam = sets[n, d - rank[n]]
            for k in range(rank[n] - 1, -1, -1):
                s = A[dropped, k]
                for m in range(k + 1, rank[n]):
                    s -= A[order[m], k] * c[m]
                c[k] = s / diagonal[n, k]
                lam[order[k]] = -c[k] * scales[n, order[k]]
            lam[dropped] = scales[n, dropped]


@kernel
def solve_at_samples(system, work, t, states, angles, v_dot, lam):
    """v_dot and lam at every sample."""
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_ALL)
        status = factorize(system, work)
        if status != OK:
            return status
        for k in range(MOST_ROUNDS):
            constrain(system, work, ACCELERATE)
            if loads_agree(system, t[n], angles, work, k):
                break
        for j in range(v_dot.shape[1]):
            v_dot[n, j] = work.v_dot[j]
        for r in range(lam.shape[1]):
            lam[n, r] = work.lam[r]
    return OK


@kernel
def signals_at_samples(system, work, t, states, v_dot, lam, angles, places, values):
    """Chosen signals at every sample, those of accelerations and of loads among them."""
    for n in range(t.shape[0]):
        for j in range(v_dot.shape[1]):
            work.v_dot[j] = v_dot[n, j]
        for r in range(lam.shape[1]):
            work.lam[r] = lam[n, r]
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_ALL)
        if not loads_agree(system, t[n], angles, work, 0):
            evaluate(system, t[n], states[n], angles, work, LEVEL_ALL)
        call_families(Phase.OUTPUT, system, t[n], angles, work)
        for k in range(places.shape[0]):
            values[n, k] = work.signals[places[k]]


def exports() -> Exports:
    """For the native library: what Python calls here."""
    samples = (SYSTEM, WORK, VECTOR, MATRIX)
    yield export(
        wrenches_at_samples, VOID, *samples, MATRIX, MATRIX, VECTOR, TRUTHS, WHOLES, records(CHOSEN), TRUTH, MATRIX,
        MATRIX, CUBES, CUBE, MATRIX, CUBE, MATRIX,
    )  # fmt: skip
    yield export(influence_at_samples, VOID, *samples, VECTOR, TRUTHS, WHOLES, records(CHOSEN), CUBE, CUBES)
    yield export(factor_at_samples, STATUS, *samples, VECTOR, CUBE, MATRIX, MATRIX, WHOLE_MATRIX, WHOLES)
    yield export(null_space_at_samples, VOID, CUBE, MATRIX, MATRIX, WHOLE_MATRIX, WHOLES, VECTOR, CUBE)
    yield export(solve_at_samples, STATUS, *samples, VECTOR, MATRIX, MATRIX)
    yield export(signals_at_samples, VOID, *samples, MATRIX, MATRIX, VECTOR, WHOLES, MATRIX)
