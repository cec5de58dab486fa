"""Eigenvalues of M x'' + C x' + K x = 0: x = X exp(s t), all 2 n of them, each by the most accurate way that serves.

With M = L L^T and x~ = L^T x the mass is the identity.  Then

* K symmetric, C = 0:            (K~ + s^2) x~ = 0, a symmetric problem; s is real or imaginary, exactly
* K symmetric > 0, C skew:       with K~ = U^T U the state (U x~, x~') follows a skew matrix (Meirovitch 1974); s is
                                 imaginary, exactly: a conservative gyroscopic system
* otherwise:                     the companion matrix, with time scaled so that its blocks are of one size
"""

from __future__ import annotations

import numpy as np

STILL = 3e-7  # of the largest |s|: below it may be a motion without stiffness (double zeros split as root of rounding)
SLOWEST = 1e-7  # rad/s: below it nothing is called a vibration
CANCELLED = 1e-12  # of the terms of x . K x: what is left of them is rounding
ROUNDED = 1e-3  # of |s|^2 x . M x, which x . K x is for a vibration: less, and s is rounding
ALIKE = 1e-3  # of a shape: what is left of it beside others that are the same but for the root of rounding
SYMMETRIC = 1e-11  # relative: below it a matrix counts as symmetric, skew, or zero


def natural_motions(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, A: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All s (1/s), vectors X [coordinate, eigenvalue], and which of them are rigid-body motions.

    `A`: with auxiliary states, (x, z, s)' = A (x, z, s) instead.
    """
    from linkwork.numerics.blas_threads import one_thread  # loads SciPy's

    with one_thread(len(M)):
        s, X = quadratic_eigen(M, C, K) if A is None else first_order_eigen(A, len(M))
        return s, X, without_stiffness(s, X, M, K)


def quadratic_eigen(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All s (1/s) and the vectors X [coordinate, eigenvalue], by growing |s|, a conjugate after its partner."""
    from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

    n = len(M)
    if n == 0:
        return np.zeros(0, complex), np.zeros((0, 0), complex)
    L = cholesky(0.5 * (M + M.T), lower=True)
    K1, C1 = (solve_triangular(L, solve_triangular(L, A, lower=True).T, lower=True).T for A in (K, C))
    size = np.linalg.norm(K1)
    speed = np.sqrt(size) if size > 0.0 else max(float(np.linalg.norm(C1)), 1.0)
    symmetric = np.linalg.norm(K1 - K1.T) <= SYMMETRIC * size
    s: np.ndarray
    if symmetric and np.linalg.norm(C1) <= SYMMETRIC * speed:
        squares, V = eigh(0.5 * (K1 + K1.T))
        root = np.sqrt(-squares.astype(complex))
        s, X = np.concatenate([root, -root]), np.hstack([V, V]).astype(complex)
    else:
        try:
            if not symmetric or np.linalg.norm(C1 + C1.T) > SYMMETRIC * speed:
                raise LinAlgError
            s, X = _gyroscopic(0.5 * (K1 + K1.T), 0.5 * (C1 - C1.T))
        except LinAlgError:
            s, X = _general(K1, C1, speed)
    order = _order(s)
    return s[order], solve_triangular(L, X[:, order], lower=True, trans="T")


def first_order_eigen(A: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """All s and the vectors X of the first n entries (displacements) for a system (x, z, s)' = A (x, z, s)."""
    from scipy.linalg import eig

    s, W = eig(A)
    order = _order(s)
    upper, lower = W[:n], W[n : 2 * n]
    faint = np.linalg.norm(upper, axis=0) < 1e-12
    return s[order], np.where(faint, lower, upper)[:, order]


def without_stiffness(s: np.ndarray, X: np.ndarray, M: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Which motions are rigid-body motions, s = 0 but for rounding.

    Beside the fastest motion of a stiff system a slow vibration looks like rounding too; it meets a stiffness that does
    not cancel in x . K x, and x . K x = |s|^2 x . M x.  With an unsymmetric K the sum need not vanish for a rigid-body
    motion, and s alone decides.
    """
    fastest = float(np.abs(s).max(initial=0.0))
    still: np.ndarray = np.abs(s) <= max(STILL * fastest, SLOWEST)
    if np.linalg.norm(K - K.T) > SYMMETRIC * np.linalg.norm(K):
        return still
    met = np.abs(np.sum(np.conj(X) * (K @ X), axis=0))
    terms = np.sum(np.abs(X) * (np.abs(K) @ np.abs(X)), axis=0)
    vibrating = np.abs(s) ** 2 * np.abs(np.sum(np.conj(X) * (M @ X), axis=0))
    return np.asarray(still & ((met <= CANCELLED * terms) | (met <= ROUNDED * vibrating) | (np.abs(s) <= SLOWEST)))


def independent_shapes(X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Columns that are independent in the metric of M; those of a double zero, alike but for rounding, count once."""
    from scipy.linalg import cholesky, qr

    if not X.shape[1]:
        return np.zeros(0, int)
    shapes = cholesky(0.5 * (M + M.T)) @ X
    shapes = shapes / np.maximum(np.linalg.norm(shapes, axis=0), 1e-300)
    _, R, order = qr(shapes, mode="economic", pivoting=True)
    return np.asarray(order[: int(np.sum(np.abs(np.diag(R)) > ALIKE))])


def _order(s: np.ndarray) -> np.ndarray:
    return np.lexsort((-s.imag, np.round(np.abs(s) / max(float(np.abs(s).max()), 1e-300), 12)))


def _gyroscopic(K: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """K > 0 symmetric, C skew: i times a skew matrix is Hermitian."""
    from scipy.linalg import cholesky, eigh

    n = len(K)
    U = cholesky(K)
    skew = np.block([[np.zeros((n, n)), U], [-U.T, -C]])
    values, W = eigh(1j * skew)
    s = -1j * values
    return s, W[n:] / s


def _general(K: np.ndarray, C: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import eig

    n = len(K)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / speed**2, -C / speed]])
    values, W = eig(A)
    upper, lower = W[:n], W[n:]
    faint = np.linalg.norm(upper, axis=0) < 1e-8
    return speed * values, np.where(faint, lower, upper)
