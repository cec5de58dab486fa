"""Why the costs of P1's Tables 2 and 3 are not had: the multiplications of the linear algebra, an evaluation.

LU as printed solves the augmented equations, n + m of them, with a sparse solver; the kept basis works on full
matrices (theory (1.4), (1.5)).  Counted are, for n motions, m rows and f = n - m degrees of freedom,

    sparse augmented    sum over the pivots of (nonzeros below it) x (1 + nonzeros beside it), and both triangles
    full augmented      (n + m)^3 / 3 + (n + m)^2
    kept basis          2 n m^2 + m^3 / 3         Phi_v Q1, its factors, Qh1
                        + 2 n m f + n^2 f + n f^2 + f^3 / 6      Qh2, M Qh2, Qh2^T M Qh2 and its factors
                        + n m + 2 n^2             v_dot and lambda
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass
from linkwork.numerics.status import LEVEL_EQUATIONS
from linkwork.reproduce.items import Item
from linkwork.reproduce.parallelogram.contest import Contest

ROUNDING = 1e-12  # of a matrix's largest entry: less is a zero, and takes no multiplication


def algebra_items(contest: Contest) -> list[Item]:
    """The kept basis beside LU: by the paper's sparse solver, and as it is done here; and what the paper's ratio of
    times says of all the rest of an evaluation.
    """
    M, Phi_v = start_matrices(contest)
    sparse, full, kept = sparse_augmented(M, Phi_v), full_augmented(*Phi_v.shape), kept_basis(*Phi_v.shape)
    ratio = contest.seconds[1] / contest.seconds[0]
    rest = (kept - ratio * sparse) / (ratio - 1.0)
    return [
        Item(contest.table, "multiplications of the algebra, kept basis / LU by a sparse solver", None,
             f"{kept:.0f} / {sparse:.0f} an evaluation", ratio, kept / sparse,
             f"the reason of the paper's {ratio:.2f}: it follows if all else in an evaluation takes {rest:.0f}"),
        Item(contest.table, "multiplications of the algebra, kept basis / LU as done here", None,
             f"{kept:.0f} / {kept + full:.0f} an evaluation", ratio, kept / (kept + full),
             "the reason of ours: LU goes through the algebra of the kept basis, and the augmented matrix is full"),
    ]  # fmt: skip


def start_matrices(contest: Contest) -> tuple[np.ndarray, np.ndarray]:
    """M and the independent rows of Phi_v at the start, with zeros where there is nothing but rounding."""
    start = assemble(contest.mechanism(), contest.formulation)
    equations = Equations(start.compiled, partitioned=True)
    equations.evaluate(0.0, start.y, start.angles, LEVEL_EQUATIONS)
    rows = equations.work.active[: equations.work.method["active_count"][0]]["row"]
    M, Phi_v = dense_mass(equations.system, equations.work), dense_jacobian(equations.system, equations.work)[rows]
    return _without_rounding(M), _without_rounding(Phi_v)


def _without_rounding(matrix: np.ndarray) -> np.ndarray:
    return np.where(np.abs(matrix) < ROUNDING * np.abs(matrix).max(), 0.0, matrix)


def sparse_augmented(M: np.ndarray, Phi_v: np.ndarray) -> int:
    """By the fill of its factors, columns in an order that keeps it small."""
    zero = np.zeros((len(Phi_v), len(Phi_v)))
    factors = splu(csc_matrix(np.block([[M, Phi_v.T], [Phi_v, zero]])), diag_pivot_thresh=0.1)
    below, beside = np.diff(factors.L.tocsc().indptr) - 1, np.diff(factors.U.tocsr().indptr) - 1
    return int((below * (1 + beside)).sum() + factors.L.nnz + factors.U.nnz)


def full_augmented(m: int, n: int) -> float:
    """As a full matrix."""
    return (n + m) ** 3 / 3.0 + (n + m) ** 2


def kept_basis(m: int, n: int) -> float:
    """On full matrices."""
    f = n - m
    brought_up_to_date = 2.0 * n * m**2 + m**3 / 3.0
    reduced = 2.0 * n * m * f + n**2 * f + n * f**2 + f**3 / 6.0
    return brought_up_to_date + reduced + n * m + 2.0 * n**2
