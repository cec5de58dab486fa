"""Rows that depend on each other at a position: combinations n with n^T Phi_v = 0.

With the singular value decomposition of a dense Phi_v where it is small, else by sparse factors of

    [ I    A ] [ r ]   [ b ]
    [ A^T -e ] [ x ] = [ 0 ]

whose r is what is left of b after the least squares A x = b (Bjorck 1996, section 2.5.3), with a small e for an A that
has no full rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.start.row_space import is_large
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, sparse_jacobian
from linkwork.lazy_import import lazy_functions
from linkwork.numerics.subspaces import RANK_CUT, null_space

if TYPE_CHECKING:
    from scipy.sparse import block_array, diags_array, identity
    from scipy.sparse.linalg import splu
else:
    block_array, diags_array, identity = lazy_functions("scipy.sparse", "block_array", "diags_array", "identity")
    (splu,) = lazy_functions("scipy.sparse.linalg", "splu")

LEAST = 1e-12  # of the square of the largest row
TOGETHER = 64  # right-hand sides that are solved for at once


def dependences(equations: Equations, kept: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Of each row that is not among those kept, which are independent: its number, and the combination [row] of it with
    those kept that vanishes at the position evaluated last.
    """
    count = len(equations.system.rows)
    left = np.setdiff1d(np.arange(count), kept)
    for parts, rows in _combined(equations, kept, left):
        for row, of_kept in zip(rows, parts.T, strict=True):
            combination = np.zeros(count)
            combination[kept], combination[row] = -of_kept, 1.0
            yield int(row), combination


def _combined(equations: Equations, kept: np.ndarray, left: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Parts [kept, row] of the rows kept that make up rows, and these."""
    if not len(left):
        return
    if not is_large(equations):
        J = dense_jacobian(equations.system, equations.work)
        yield np.linalg.lstsq(J[kept].T, J[left].T, rcond=None)[0], left
        return
    J = sparse_jacobian(equations.system, equations.work)
    solve = least_squares(J[kept].T)
    for n in range(0, len(left), TOGETHER):
        own = left[n : n + TOGETHER]
        yield solve(J[own].T.toarray())[1], own


def not_given(equations: Equations, values: np.ndarray, cut: float) -> np.ndarray:
    """What of values [row] no motion gives the rows at the position evaluated last: their part in the left null space
    of Phi_v, where singular values below `cut` of the largest count as zero; of many constraints below a part of it, as
    a chain of n loops has independent rows with singular values of 1/n.
    """
    if not is_large(equations):
        null = null_space(dense_jacobian(equations.system, equations.work).T, cut)
        return np.asarray(null @ (null.T @ values))
    cut /= len(equations.system.constraints)
    return least_squares(sparse_jacobian(equations.system, equations.work), cut**2)(values)[0]


def least_squares(A: Any, least: float = LEAST) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """For right-hand sides b what is left of them, and x; `least`: e, of the square of the largest row of A."""
    height, width = A.shape
    e = least * float((A.multiply(A)).sum(axis=1).max(initial=0.0)) or 1.0
    factors = splu(block_array([[identity(height), A], [A.T, -e * identity(width)]], format="csc"))

    def solve(b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = factors.solve(np.concatenate([b, np.zeros((width, *b.shape[1:]))]))
        return found[:height], found[height:]

    return solve


# -- dense or sparse --------------------------------------------------------------------------------------------------
def in_units(A: Any, units: np.ndarray) -> Any:
    """A with each column times its unit."""
    return A * units if isinstance(A, np.ndarray) else A @ diags_array(units)


def dense_rows(A: Any) -> np.ndarray:
    """A few rows."""
    return A if isinstance(A, np.ndarray) else np.asarray(A.toarray())


def unexplained(A: Any, b: np.ndarray) -> np.ndarray:
    """What is left of b [row, ...] after the least squares A x = b."""
    if isinstance(A, np.ndarray):
        return np.asarray(b - A @ np.linalg.lstsq(A, b, rcond=RANK_CUT)[0])
    return least_squares(A)(b)[0]


def null_basis(A: Any) -> np.ndarray:
    """Orthonormal columns z with A z = 0 for an A whose rows are independent; there are few of these columns where A is
    sparse.
    """
    height, width = A.shape
    if isinstance(A, np.ndarray):
        return null_space(A, rank=height)
    motions = np.random.default_rng(0).standard_normal((width, width - height))
    return np.asarray(np.linalg.qr(unexplained(A.T, motions))[0])
