"""Displacements and support forces of a finite-element model with some of its nodes supported.

    (K + shift M) d + C^T lam = b,   C d = c

K may have rigid motions; factored is `model.factor`, of K with a small shift, once for all C.  The few rows C come in
by their Schur complement, and conjugate gradients, preconditioned by all this, close the gap to the shift that is
requested: only the few modes near the small one differ from 1 in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import Entry, NumericalError
from linkwork.flexible.finite_elements.finite_model import FiniteModel

if TYPE_CHECKING:
    import scipy.sparse as sp

CONVERGED, STALLED = 1e-14, 1e-3  # relative change of d: rounding is all that is left; the matrix is singular
ROUNDS = 30  # of conjugate gradients from one residual

Solution = tuple[np.ndarray, np.ndarray]  # d, lam


class SupportedInverse:
    """b, c -> d, lam for one set of supports; several right-hand sides as columns."""

    def __init__(self, model: FiniteModel, C: sp.csr_matrix, shift: float = 0.0) -> None:
        self.near, self.lu, self.rows = (model.K + model.shift * model.M).tocsr(), model.factor, C.toarray()
        self.K = (model.K + shift * model.M).tocsr()
        self.at_small_shift = shift == model.shift
        self.Y = self.lu.solve(self.rows.T.copy()) if len(self.rows) else self.rows.T
        self.schur = self.rows @ self.Y

    def __call__(self, b: np.ndarray, c: np.ndarray | None = None) -> Solution:
        """The solution for loads b and support displacements c (zero unless given)."""
        c = np.zeros((len(self.rows), *b.shape[1:])) if c is None else c
        if b.ndim == 2:
            found = [self(*column) for column in zip(b.T, c.T, strict=True)]
            return np.column_stack([d for d, _ in found]), np.column_stack([lam for _, lam in found])
        d, lam = self._shifted(b, c)
        return (d, lam) if self.at_small_shift else self._refined(b, d, lam)

    def _rough(self, b: np.ndarray, c: np.ndarray) -> Solution:
        """At the small shift, by the factors and the Schur complement."""
        y = self.lu.solve(b)
        lam = np.linalg.solve(self.schur, self.rows @ y - c) if len(self.rows) else c
        return y - self.Y @ lam, lam

    def _shifted(self, b: np.ndarray, c: np.ndarray) -> Solution:
        """At the small shift, with one step of iterative refinement."""
        d, lam = self._rough(b, c)
        change, more = self._rough(b - self.near @ d - self.rows.T @ lam, c - self.rows @ d)
        return d + change, lam + more

    def _refined(self, b: np.ndarray, d: np.ndarray, lam: np.ndarray) -> Solution:
        """At the shift requested: conjugate gradients from the residual, until rounding is all that is left."""
        rounding = max(1e-10 * float(np.abs(self.lu.solve(b)).max()), 1e-300)  # where the rows take up all of b
        last = np.inf
        while last > CONVERGED:
            change = self._conjugate_gradients(b - self.K @ d - self.rows.T @ lam)
            size = float(np.abs(change).max() / max(np.abs(d).max(), rounding))
            if size > last / 2:
                break
            d, last = d + change, size
            lam = lam + self._shifted(b - self.K @ d - self.rows.T @ lam, np.zeros(len(self.rows)))[1]
        if last > STALLED:
            raise NumericalError(
                "the supported stiffness matrix is singular: a part of the mesh is not supported", entry=Entry.FLEXIBLE
            )
        return d, lam

    def _conjugate_gradients(self, r: np.ndarray) -> np.ndarray:
        none, d = np.zeros(len(self.rows)), np.zeros(len(r))
        z = p = self._shifted(r, none)[0]
        rz, last = float(r @ z), np.inf
        for _ in range(ROUNDS):
            Kp = self.K @ p
            a = rz / max(float(p @ Kp), 1e-300)
            size = abs(a) * float(np.abs(p).max())
            if rz <= 0.0 or size > last or size <= 1e-12 * np.abs(d).max():
                break
            d, r, last = d + a * p, r - a * Kp, size
            z = self._shifted(r, none)[0]
            rz, before = float(r @ z), rz
            p = z + rz / before * p
        return d
