"""The algebra that LU, QR, SVD, Gram-Schmidt and projection methods share (P1, P3).

Dependent directions Z and independent directions T are chosen at some instant and may be kept.  At the present
position, theory (1.4), (1.5), (3.4) and (3.5),

    Zh = Z (Phi_v Z)^-1              Th = T - Zh Phi_v T
    v     = Zh nu + Th z'            v_dot = Zh gamma + Th z''
    z''   = (Th^T M Th)^-1 Th^T (Q - M Zh gamma)
    lam   = Zh^T (Q - M v_dot)

and a state is brought back onto the constraints along Z alone, which leaves the independent motion as it is, theory
(1.2) and (1.6): q <- q - Zh Phi, v <- v + Zh (nu - Phi_v v).  With LU, Z and T are columns of the unit matrix
(generalized coordinate partitioning); with the others bases that are orthonormal in the metric of M: then Z is along
M^-1 Phi_v^T, as the errors of constraint forces are, and the correction takes these out whole.  Near a singular
position that decides.

The full state is integrated (for a kept basis z' = T^T M v, as printed T^T v, so a multistep rule on v followed by this
correction is P1's integration of z), hence no restart when the basis changes.

A basis is built by a rank-revealing factorization, cut at `rank_cut` of the natural size of a row: past a singular
position the dependent row is dropped for a moment.  With `literal` there is no cut, bases are orthonormal in the plain
sense, and the integrator restarts after every change, as printed; P3's way back is that of printed_position.py.

These are dense matrices; where they would be large, sparse/solution.py does the same within the envelope of the rows.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.records import Factors
from linkwork.formulations.state import POWER, first_velocity, work_place
from linkwork.methods.augmented import TAKEN, accelerate_augmented, factor_augmented
from linkwork.methods.geometric_rows import natural_sizes, spread_rows
from linkwork.methods.natural_rows import row_scales
from linkwork.methods.normal_step import FLAT
from linkwork.methods.partitioning.basis import ROWS, SWAPS
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.partitioning.sparse.solution import FALLEN, WEAK, solve_sparse
from linkwork.methods.reasons import Basis
from linkwork.numerics.dense import factor_cholesky, factor_lu, solve_cholesky, solve_lu
from linkwork.numerics.status import FACTOR, MASS_SINGULAR, MOVE, NEWTON_STALLED, OK, SHORTEST
from linkwork.numerics.tree_matrix import scatter

# Matrices in `work.matrices`: Phi_v Z factored, Zh, Th, M, Th^T M Th, and of P3's position as printed Th^T Th.
PIVOTED, ZH, TH, MASS, REDUCED, SQUARES = range(6)


@stage
def solve(factor, system, work, task):
    """The linear problem of all methods that partition (contract.py)."""
    if is_sparse(work):
        return solve_sparse(factor, system, work, task)
    if task == FACTOR:
        return prepare(factor, system, work)
    if task == MOVE:
        along_z(work, work.c, work.delta)
    elif task == SHORTEST:
        across_tangent(work, work.c, work.delta)
    elif work.options[0].literal != 0.0 and work.method[0].basis == Basis.LU:
        return accelerate_as_printed(system, work)
    else:
        accelerate(system, work)
    return OK


@part
def accelerate_as_printed(system, work):
    """P1's step 5: with LU the accelerations and lam are those of the augmented equations."""
    method, rows = work.method[0], work.augmented_order[TAKEN]
    for k in range(method.rank):
        rows[k] = work.order[ROWS][k]
    volume = method.volume
    status = factor_augmented(system, work)
    method.volume = volume
    method.factorizations += 1
    if status == OK:
        accelerate_augmented(system, work)
    return status


@part
def prepare(factor, system, work):
    """Zh, Th and the reduced mass matrix for the kept basis; a new basis (the method's `factor`) where it is stale or a
    pivot is weak.  The printed LU stops there.
    """
    method = work.method[0]
    always = method.basis == Basis.SVD or method.basis == Basis.GRAM_SCHMIDT
    if always or method.rebuild != 0 or method.rank < method.full_rank:  # the last: to take up rows that were dropped
        factor(system, work)
        method.new_basis = 1
    strong = update(system, work)
    if not strong:
        if work.options[0].literal != 0.0 and method.basis == Basis.LU:
            return NEWTON_STALLED
        if not always:
            factor(system, work)
            method.new_basis = 1
            strong = update(system, work)
    if keeps_printed(work):
        if method.new_basis != 0:
            keep_right_inverse(work)
        reduce_mass(work, work.basis[:, method.rank :])
    method.new_basis = 0
    method.factorizations += 1
    method.factors = Factors.REGULAR if strong and method.rank == method.full_rank else Factors.DELICATE
    if not factor_cholesky(work.matrices[REDUCED], work.v_dot.shape[0] - method.rank):
        return MASS_SINGULAR
    measure_volume(work)
    return OK


@part
def measure_volume(work):
    """Logarithm of the volume that the rows span, whatever the basis, but for a factor det(M)^(-1/2):

    det(Phi_v M^-1 Phi_v^T)^(1/2) = det(M)^(-1/2) |det Phi_v Z| det(Th^T M Th)^(1/2) / |det (Z, T)|
    """
    method = work.method[0]
    if method.rank < method.full_rank:
        method.volume = FLAT
        return
    volume = method.kept_volume - method.basis_volume
    for c in range(work.v_dot.shape[0] - method.rank):
        volume += math.log(work.matrices[REDUCED][c, c])
    method.volume = volume


@part
def along_z(work, c, delta):
    """delta = Zh c over the rows taken."""
    rank = work.method[0].rank
    Zh, rows = work.matrices[ZH], work.order[ROWS]
    for j in range(work.v_dot.shape[0]):
        s = 0.0
        for k in range(rank):
            s += Zh[j, k] * c[rows[k]]
        delta[j] = s


@part
def across_tangent(work, c, delta):
    """delta = Zh c less what of it lies in the tangent plane of the moment, Th (Th^T Th)^-1 Th^T Zh c: it solves theory
    (3.7), [Phi_v; Th^T] delta = [c; 0].  Th^T Th is positive definite, as T^T Th = 1.
    """
    n, free = work.v_dot.shape[0], work.v_dot.shape[0] - work.method[0].rank
    Th, squares, inside = work.matrices[TH], work.matrices[SQUARES], work.z
    along_z(work, c, delta)
    for a in range(free):
        for b in range(free):
            squares[a, b] = 0.0
            for j in range(n):
                squares[a, b] += Th[j, a] * Th[j, b]
        inside[a] = 0.0
        for j in range(n):
            inside[a] += Th[j, a] * delta[j]
    factor_cholesky(squares, free)
    solve_cholesky(squares, free, inside)
    for j in range(n):
        for a in range(free):
            delta[j] -= Th[j, a] * inside[a]


@part
def update(system, work):
    """Zh, Th, Th^T M Th from the kept basis and the present Phi_v; False if a pivot of Phi_v Z is weak."""
    spread_rows(system, work.J, work.dense)
    scatter(system.dofs, work.M, work.matrices[MASS][: work.v_dot.shape[0], : work.v_dot.shape[0]])
    method, literal = work.method[0], work.options[0].literal != 0.0
    n, rank = work.v_dot.shape[0], method.rank
    free = n - rank
    J, basis, rows = work.dense, work.basis, work.order[ROWS]
    H, Zh, Th = work.matrices[PIVOTED], work.matrices[ZH], work.matrices[TH]
    sizes, scales, least = work.x, work.row_scales, np.inf
    natural_sizes(system, work, sizes)
    if method.basis == Basis.LU or literal:
        for r in range(J.shape[0]):
            scales[r] = 1.0 / sizes[r]
    else:
        row_scales(system, work, scales)
    for i in range(rank):  # H = (Phi_v Z)^T, each column in units of its row's natural size
        for k in range(rank):
            s = 0.0
            for j in range(n):
                s += J[rows[i], j] * basis[j, k]
            H[k, i] = s
    if not factor_lu(H, rank, work.order[SWAPS]):
        return False
    volume = 0.0
    for k in range(rank):
        pivot = abs(H[k, k])
        least = min(least, pivot * scales[rows[k]])
        volume += math.log(pivot / sizes[rows[k]])
    method.kept_volume = volume
    method.weakest_pivot = least if rank == method.full_rank else work.options[0].rank_cut
    method.strongest_pivot = max(method.strongest_pivot, least)
    weak = min(WEAK, FALLEN * method.strongest_pivot)
    strong = least >= weak or (literal and least > 0.0)
    x = work.z
    for j in range(n):
        for k in range(rank):
            x[k] = basis[j, k]
        solve_lu(H, rank, work.order[SWAPS], x)
        for k in range(rank):
            Zh[j, k] = x[k]
    for c in range(free):
        for i in range(rank):
            s = 0.0
            for j in range(n):
                s += J[rows[i], j] * basis[j, rank + c]
            x[i] = s
        for j in range(n):
            s = basis[j, rank + c]
            for i in range(rank):
                s -= Zh[j, i] * x[i]
            Th[j, c] = s
    reduce_mass(work, Th)
    return strong


@part
def reduce_mass(work, T):
    """T^T M T over the independent directions."""
    n, M, reduced, x = work.v_dot.shape[0], work.matrices[MASS], work.matrices[REDUCED], work.z
    free = n - work.method[0].rank
    for c in range(free):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += M[j, k] * T[k, c]
            x[j] = s
        for d in range(free):
            s = 0.0
            for j in range(n):
                s += T[j, d] * x[j]
            reduced[d, c] = s


@part
def keeps_printed(work):
    """Whether I_R and P_T are kept where the print of P3 keeps them."""
    options = work.options[0]
    return options.literal != 0.0 and options.corrected == 0.0 and work.method[0].basis == Basis.PROJECTION


@part
def keep_right_inverse(work):
    """Z = Zh, which at the position of the new basis is I_R = Phi_v^T (Phi_v Phi_v^T)^-1."""
    Zh, basis = work.matrices[ZH], work.basis
    for j in range(work.v_dot.shape[0]):
        for k in range(work.method[0].rank):
            basis[j, k] = Zh[j, k]


@part
def accelerate(system, work):
    """v_dot = Zh gamma + Th z'', lam = Zh^T (Q - M v_dot); where P3 prints kept ones, theory (3.6): v_dot = I_R
    gamma + P_NT z'', z'' = (P_T^T M P_T)^-1 P_T^T (Q - M I_R gamma), lam = I_R^T (Q - M v_dot).
    """
    n, rank, rows = work.v_dot.shape[0], work.method[0].rank, work.order[ROWS]
    free = n - rank
    Th, M, reduced = work.matrices[TH], work.matrices[MASS], work.matrices[REDUCED]
    Z, T = work.matrices[ZH], Th[:, :]
    if keeps_printed(work):
        Z, T = work.basis, work.basis[:, rank:]
    rest, z = work.x, work.z
    for j in range(n):
        s = 0.0
        for k in range(rank):
            s += Z[j, k] * work.gamma[rows[k]]
        work.v_dot[j] = s
    _force_left(work, M, rest)
    for c in range(free):
        s = 0.0
        for j in range(n):
            s += T[j, c] * rest[j]
        z[c] = s
    solve_cholesky(reduced, free, z)
    for j in range(n):
        for c in range(free):
            work.v_dot[j] += Th[j, c] * z[c]
    _force_left(work, M, rest)
    for r in range(work.lam.shape[0]):
        work.lam[r] = 0.0
    for k in range(rank):
        s = 0.0
        for j in range(n):
            s += Z[j, k] * rest[j]
        work.lam[rows[k]] = s
    power = work.energy[POWER]
    for r in range(work.lam.shape[0]):
        power -= work.lam[r] * work.nu[r]
    first = first_velocity(system)
    for j in range(n):
        work.rate[first + j] = work.v_dot[j]
    work.rate[work_place(system)] = power


@part
def _force_left(work, M, rest):
    """Q - M v_dot."""
    n = work.v_dot.shape[0]
    for j in range(n):
        s = work.Q[j]
        for k in range(n):
            s -= M[j, k] * work.v_dot[k]
        rest[j] = s
