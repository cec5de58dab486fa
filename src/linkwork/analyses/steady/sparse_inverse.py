"""The inverse of a large sparse matrix by its factors, used as a matrix is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator, onenormest, splu
else:
    LinearOperator, onenormest, splu = lazy_functions("scipy.sparse.linalg", "LinearOperator", "onenormest", "splu")


class SparseInverse:
    """(sizes S weight)^-1 for a sparse S with rows of unit size, and the diagonals `sizes` and `weight`."""

    def __init__(self, S: Any, sizes: np.ndarray, weight: np.ndarray) -> None:
        """np.linalg.LinAlgError: it is singular."""
        try:
            self._factors = splu(S.tocsc())
        except RuntimeError as failure:
            raise np.linalg.LinAlgError(str(failure)) from None
        self._sizes, self._weight, self._transposed = sizes, weight, False

    def __matmul__(self, b: np.ndarray) -> np.ndarray:
        before, after = self._sizes, self._weight
        if self._transposed:
            before, after = after, before
        wide = (slice(None), *[None] * (b.ndim - 1))
        right = np.ascontiguousarray(b / before[wide])
        return np.asarray(self._factors.solve(right, "T" if self._transposed else "N") / after[wide])

    def __getitem__(self, columns: tuple[slice, Any]) -> np.ndarray:
        """Some columns, all rows."""
        places = np.arange(len(self._sizes))[columns[1]]
        units = np.zeros((len(self._sizes), len(places)))
        units[places, np.arange(len(places))] = 1.0
        return self @ units

    @property
    def T(self) -> SparseInverse:
        """Transposed."""
        other = object.__new__(SparseInverse)
        other.__dict__.update(self.__dict__ | {"_transposed": not self._transposed})
        return other

    def largest(self) -> float:
        """About the largest column sum of S^-1 (Higham & Tisseur 2000)."""
        shape, solve = (len(self._sizes),) * 2, self._factors.solve
        return float(onenormest(LinearOperator(shape, solve, lambda b: solve(b, "T"), matmat=solve,
                                               rmatmat=lambda b: solve(b, "T"), dtype=float)))  # fmt: skip
