"""The algebra that LU, QR, SVD, Gram-Schmidt and projection methods share (P1, P3).

Dependent directions Z and independent directions T are chosen at some instant and may be kept.  At the present
position

    Zh = Z (Phi_v Z)^-1              Th = T - Zh Phi_v T
    v     = Zh nu + Th z'            v_dot = Zh gamma + Th z''
    z''   = (Th^T M Th)^-1 Th^T (Q - M Zh gamma)
    lam   = Zh^T (Q - M v_dot)

and a state is brought back onto the constraints along Z alone, which leaves the independent motion as it is: q <- q
- Zh Phi, v <- v + Zh (nu - Phi_v v).  With LU, Z and T are columns of the unit matrix (generalized coordinate
partitioning); with the others bases that are orthonormal in the metric of M: then Z is along M^-1 Phi_v^T, as the
errors of constraint forces are, and the way back takes these out whole.  Near a singular position that decides.

The full state is integrated (for a kept basis z' = T^T M v, as printed T^T v, so a multistep rule on v followed by this
correction is P1's integration of z), hence no restart when the basis changes.

A basis is built by a rank-revealing factorization, cut at `rank_cut` of the natural size of a row: past a singular
position the dependent row is dropped for a moment.  With `literal` there is no cut, bases are orthonormal in the plain
sense, and the integrator restarts after every change, as printed.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part, stage
from linkwork.elements.constraints.rows import POINT
from linkwork.elements.joints.motions import BALL, BALL_REST
from linkwork.formulations.workspace import BASIS, EVENTS, FACTORIZATIONS, FULL, KIND, RANK, REBUILD
from linkwork.methods.normal_step import FLAT, natural_rows, row_scales
from linkwork.methods.options import (
    BASIS_VOLUME,
    KEPT_VOLUME,
    LITERAL,
    RANK_CUT,
    STRONGEST,
    VOLUME,
    WEAKEST,
)
from linkwork.methods.reasons import GRAM_SCHMIDT, LU, SVD
from linkwork.numerics.dense import factor_cholesky, factor_lu, solve_cholesky, solve_lu
from linkwork.numerics.status import DELICATE, FACTOR, MASS_SINGULAR, MOVE, NEWTON_STALLED, NOTHING, OK, REGULAR
from linkwork.numerics.tree_matrix import scatter, solve_inner

FAINT = 1e-4  # least natural size of a row: in a plane loop all rows of a kind may be rounding noise
WEAK = 1e-2  # of a row's natural size: a pivot of Phi_v Z below this asks for a new basis ...
FALLEN = 0.1  # ... if it is less than this part of the weakest pivot at the best position so far

# Places in work.matrices and work.order.
PIVOTED, ZH, TH, MASS, REDUCED = range(5)
ROWS, COLUMNS, SWAPS, OTHER_ROWS, OTHER_COLUMNS = range(5)


@stage
def solve(factor, system, work, task):
    """The linear problem of all methods that partition (numerics/status.py: FACTOR, ACCELERATE, MOVE)."""
    if task == FACTOR:
        return prepare(factor, system, work)
    if task == MOVE:
        along_z(work, work.small[0], work.small[1])
    else:
        accelerate(system, work)
    return OK


@part
def prepare(factor, system, work):
    """Zh, Th and the reduced mass matrix for the kept basis; a new basis (the method's `factor`) where it is stale or a
    pivot is weak.  The printed LU stops there.
    """
    counts = work.counts
    always = counts[BASIS] == SVD or counts[BASIS] == GRAM_SCHMIDT
    if always or counts[REBUILD] != 0 or counts[RANK] < counts[FULL]:  # the last: to take up rows that were dropped
        factor(system, work)
    strong = update(system, work)
    if not strong:
        if work.settings[LITERAL] != 0.0 and counts[BASIS] == LU:
            return NEWTON_STALLED
        if not always:
            factor(system, work)
            strong = update(system, work)
    counts[FACTORIZATIONS] += 1
    counts[KIND] = REGULAR if strong and counts[RANK] == counts[FULL] else DELICATE
    if not factor_cholesky(work.matrices[REDUCED], work.v_dot.shape[0] - counts[RANK]):
        return MASS_SINGULAR
    measure_volume(work)
    return OK


@part
def measure_volume(work):
    """Logarithm of the volume that the rows span, whatever the basis, but for a factor det(M)^(-1/2):

    det(Phi_v M^-1 Phi_v^T)^(1/2) = det(M)^(-1/2) |det Phi_v Z| det(Th^T M Th)^(1/2) / |det (Z, T)|
    """
    rank = work.counts[RANK]
    if rank < work.counts[FULL]:
        work.settings[VOLUME] = FLAT
        return
    volume = work.settings[KEPT_VOLUME] - work.settings[BASIS_VOLUME]
    for c in range(work.v_dot.shape[0] - rank):
        volume += math.log(work.matrices[REDUCED][c, c])
    work.settings[VOLUME] = volume


@part
def along_z(work, c, delta):
    """delta = Zh c over the rows taken."""
    rank = work.counts[RANK]
    Zh, rows = work.matrices[ZH], work.order[ROWS]
    for j in range(work.v_dot.shape[0]):
        s = 0.0
        for k in range(rank):
            s += Zh[j, k] * c[rows[k]]
        delta[j] = s


@part
def _spread_rows(system, work):
    """All rows of Phi_v, dense."""
    dense = work.dense
    dense[:, :] = 0.0
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value = system.rows[r].first_value
            for k in range(con.column_count):
                dense[r, system.columns[con.first_column + k].dof] = work.J[value + k]


@part
def natural_sizes(system, work, sizes):
    """The largest row of its kind, at least FAINT: the scale of what is left of a row."""
    point, direction = 0.0, 0.0
    rows = system.rows
    for r in range(rows.shape[0]):
        square = 0.0
        for j in range(work.dense.shape[1]):
            square += work.dense[r, j] * work.dense[r, j]
        if rows[r].kind == POINT:
            point = max(point, square)
        else:
            direction = max(direction, square)
    for r in range(rows.shape[0]):
        sizes[r] = max(math.sqrt(point if rows[r].kind == POINT else direction), FAINT)


@part
def scaled_rows(system, work):
    """All rows of Phi_v, dense, in units of their natural size; the cut below which one is dependent."""
    _spread_rows(system, work)
    sizes = work.small[3]
    natural_sizes(system, work, sizes)
    for r in range(work.dense.shape[0]):
        for j in range(work.dense.shape[1]):
            work.dense[r, j] /= sizes[r]
        sizes[r] = 1.0
    return work.settings[RANK_CUT] if work.settings[LITERAL] == 0.0 else 1e-13


@part
def rows_to_factor(system, work):
    """The rows whose orthogonal factors make a basis: of A^T = Phi_v L^-1, M = L^T L; as printed, of Phi_v."""
    if work.settings[LITERAL] != 0.0:
        return scaled_rows(system, work)
    natural_rows(system, work, work.dense)
    for r in range(work.dense.shape[0]):
        work.small[3][r] = 1.0
    return work.settings[RANK_CUT]


@part
def adopt_factors(system, work, rank):
    """The orthogonal factors of those rows stand in the basis; with A they become a basis by L^-1."""
    adopt(system, work, rank)
    if work.settings[LITERAL] != 0.0:
        return
    x, n = work.small[4], work.v_dot.shape[0]
    volume = 0.0
    for c in range(n):
        for j in range(n):
            x[j] = work.basis[j, c]
        solve_inner(system.dofs, work.L, x)
        for j in range(n):
            work.basis[j, c] = x[j]
        volume -= math.log(work.L[system.dofs[c].row + system.dofs[c].depth])
    work.settings[BASIS_VOLUME] = volume


@part
def adopt(system, work, rank):
    """A basis was built, with this rank."""
    work.counts[RANK] = rank
    work.counts[FULL] = system.active.shape[0]
    work.counts[REBUILD] = 0
    work.counts[KIND] = NOTHING
    work.settings[BASIS_VOLUME] = 0.0  # orthonormal; else the method says it


@part
def count_independent_only(system, work):
    """Error control looks at the independent coordinates and velocities alone (LU)."""
    n, q_count = work.v_dot.shape[0], system.whole[0].q_count
    for k in range(q_count + n):
        work.typical[k] = 0.0
    for c in range(work.counts[RANK], n):
        j = work.order[COLUMNS][c]
        work.typical[q_count + j] = work.sizes[q_count + j]
        dof = system.dofs[j]
        for k in range(4 if dof.kind == BALL or dof.kind == BALL_REST else 1):
            work.typical[dof.q + k] = work.sizes[dof.q + k]


@part
def count_all(work):
    """Error control looks at every coordinate again."""
    for k in range(work.typical.shape[0]):
        work.typical[k] = work.sizes[k]


@part
def update(system, work):
    """Zh, Th, Th^T M Th from the kept basis and the present Phi_v; False if a pivot of Phi_v Z is weak."""
    _spread_rows(system, work)
    scatter(system.dofs, work.M, work.matrices[MASS][: work.v_dot.shape[0], : work.v_dot.shape[0]])
    n, rank = work.v_dot.shape[0], work.counts[RANK]
    free = n - rank
    J, basis, rows = work.dense, work.basis, work.order[ROWS]
    H, Zh, Th, M, reduced = (
        work.matrices[PIVOTED], work.matrices[ZH], work.matrices[TH], work.matrices[MASS], work.matrices[REDUCED]
    )  # fmt: skip
    sizes, scales, least = work.small[3], work.small[4], np.inf
    natural_sizes(system, work, sizes)
    if work.counts[BASIS] == LU or work.settings[LITERAL] != 0.0:
        for r in range(sizes.shape[0]):
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
    work.settings[KEPT_VOLUME] = volume
    work.settings[WEAKEST] = least if rank == work.counts[FULL] else work.settings[RANK_CUT]
    work.settings[STRONGEST] = max(work.settings[STRONGEST], least)
    weak = min(WEAK, FALLEN * work.settings[STRONGEST])
    strong = least >= weak or (work.settings[LITERAL] != 0.0 and least > 0.0)
    x = work.small[4]
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
    for c in range(free):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += M[j, k] * Th[k, c]
            x[j] = s
        for d in range(free):
            s = 0.0
            for j in range(n):
                s += Th[j, d] * x[j]
            reduced[d, c] = s
    return strong


@part
def accelerate(system, work):
    """v_dot = Zh gamma + Th z'', lam = Zh^T (Q - M v_dot)."""
    n, rank, rows = work.v_dot.shape[0], work.counts[RANK], work.order[ROWS]
    free = n - rank
    Zh, Th, M, reduced = work.matrices[ZH], work.matrices[TH], work.matrices[MASS], work.matrices[REDUCED]
    rest, z = work.small[0], work.small[1]
    along_z(work, work.gamma, work.v_dot)
    _force_left(work, M, rest)
    for c in range(free):
        s = 0.0
        for j in range(n):
            s += Th[j, c] * rest[j]
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
            s += Zh[j, k] * rest[j]
        work.lam[rows[k]] = s
    power = work.energy[2]
    for r in range(work.lam.shape[0]):
        power -= work.lam[r] * work.nu[r]
    first = system.whole[0].q_count
    for j in range(n):
        work.rate[first + j] = work.v_dot[j]
    work.rate[first + n] = power


@part
def _force_left(work, M, rest):
    """Q - M v_dot."""
    n = work.v_dot.shape[0]
    for j in range(n):
        s = work.Q[j]
        for k in range(n):
            s -= M[j, k] * work.v_dot[k]
        rest[j] = s


@part
def note(work, t, why, before):
    """Write a decision into the log."""
    n = work.counts[EVENTS]
    if n < work.log.shape[0]:
        event = work.log[n]
        event.t = t
        event.why = why
        event.before = before
        event.after = work.counts[BASIS]
        event.rank = work.counts[RANK]
        for k in range(8):
            c = work.counts[RANK] + k
            chosen = work.counts[BASIS] == LU and c < work.v_dot.shape[0]
            event.independent[k] = work.order[OTHER_COLUMNS][c] if chosen else -1
        work.counts[EVENTS] = n + 1
