"""The basis of QR and of projection for very many rows: Z spans M0^-1 Phi_v0^T of the position where it was built.

Zh = Z (Phi_v Z)^-1 is the same for every basis Z of that span, orthonormal (QR) or the right inverse (projection); with
M0 = L0^T L0 and Y = Phi_v L0^-1, of then and now,

    Zh = L0^-1 Y0^T G^-1        G = Y Y0^T

within the envelope of Y Y^T.  G is factored only while both positions are regular (methods/normal_step.py): near a
singular one the basis is that of the present position, and the condition number is not squared.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.formulations.workspace import active_rows
from linkwork.methods.natural_rows import weighted_rows
from linkwork.methods.normal_step import CANCELLATION
from linkwork.methods.partitioning.sparse.places import LOWER, NOW, VALUES, kept_factor, kept_mass, kept_rows
from linkwork.numerics.envelope import solve_forward
from linkwork.numerics.envelope_lu import factor_halves, solve_halves
from linkwork.numerics.tree_matrix import multiply_tree, solve_inner, solve_outer


@part
def keep_rows(work):
    """The present factors are the basis."""
    L, Y, C = kept_mass(work), kept_rows(work), kept_factor(work)
    for k in range(L.shape[0]):
        L[k] = work.L[k]
    for k in range(Y.shape[0]):
        Y[k] = work.Y[k]
    for k in range(C.shape[0]):
        C[k] = work.C[k]


@part
def factor_kept(system, work):
    """Factor G at the present position, which is factored (`floors` stand in work.x); the weakest pivot of Phi_v Z, of
    a row's natural size, 0 where one vanishes.
    """
    active, floors, Y, Y0, C0 = active_rows(work), work.x, work.matrices[NOW][0], kept_rows(work), kept_factor(work)
    lower, upper = work.matrices[LOWER][0], work.matrices[VALUES][0]
    weighted_rows(system, active, work.J, kept_mass(work), Y[: work.Y.shape[0]])
    for a in range(active.shape[0]):
        one = active[a]
        for b in range(one.first_active, a + 1):
            other, below, above = active[b], 0.0, 0.0
            at, at_other = one.first_y - one.low, other.first_y - other.low
            for j in range(max(one.low, other.low), min(one.high, other.high)):
                below += Y[at + j] * Y0[at_other + j]
                above += Y[at_other + j] * Y0[at + j]
            place = one.first_s + b - one.first_active
            lower[place], upper[place] = below, above
    if not factor_halves(active, lower, upper):
        return 0.0
    weakest = math.inf
    for a in range(active.shape[0]):
        place = active[a].first_s + a - active[a].first_active
        weakest = min(weakest, abs(upper[place]) / (C0[place] * math.sqrt(floors[a] / CANCELLATION)))
    return weakest


@part
def along_kept(system, work, c, delta):
    """delta = Zh c."""
    active, x, Y0 = active_rows(work), work.x, kept_rows(work)
    for a in range(active.shape[0]):
        x[a] = c[active[a].row]
    solve_halves(active, work.matrices[LOWER][0], work.matrices[VALUES][0], x)
    for j in range(delta.shape[0]):
        delta[j] = 0.0
    for a in range(active.shape[0]):
        one = active[a]
        for j in range(one.low, one.high):
            delta[j] += x[a] * Y0[one.first_y + j - one.low]
    solve_inner(system.dofs, kept_mass(work), delta)


@part
def shares_within(system, work, v_f):
    """|z'|^2 and v_f.M v_f of a motion v_f, with z' = T^T M v_f: in units where M0 = 1, p = L0^-T M v_f less what of it
    lies along Y0, whose square is |C0^-1 Y0 p|^2.
    """
    active, Y0, p, along = active_rows(work), kept_rows(work), work.x, work.z
    multiply_tree(system.dofs, work.M, v_f, p)
    inside, free = 0.0, 0.0
    for j in range(v_f.shape[0]):
        free += v_f[j] * p[j]
    solve_outer(system.dofs, kept_mass(work), p)
    for j in range(v_f.shape[0]):
        inside += p[j] * p[j]
    for a in range(active.shape[0]):
        one, s = active[a], 0.0
        for j in range(one.low, one.high):
            s += Y0[one.first_y + j - one.low] * p[j]
        along[a] = s
    solve_forward(active, kept_factor(work), along)
    for a in range(active.shape[0]):
        inside -= along[a] * along[a]
    return inside, free
