"""Jacobi's singular values beside LAPACK's, and where these lose their digits."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.numerics.singular_values import singular_rows


def factored(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, s and V^T, the largest first."""
    rows, U = A.copy(), np.zeros((len(A), len(A)))
    values, order = np.zeros(len(A)), np.zeros(len(A), np.int64)
    singular_rows(rows, U, values, order)
    return U[:, order], values[order], rows[order]


@pytest.mark.parametrize("seed", range(40))
def test_of_any_rows(seed: int) -> None:
    """Also of more rows than columns, and of dependent ones."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 12, 2)
    A = rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-6.0, 6.0)
    if seed % 3 == 0 and m > 2:
        A[0] = A[1:].sum(axis=0)
    U, values, rows = factored(A)
    size = np.linalg.norm(A)
    assert values == pytest.approx(np.append(np.linalg.svd(A)[1], np.zeros(m))[:m], abs=1e-14 * size)
    assert pytest.approx(np.eye(m), abs=1e-13) == U.T @ U
    assert pytest.approx(A, abs=1e-13 * size) == U @ rows
    assert pytest.approx(np.diag(values**2), abs=1e-13 * size**2) == rows @ rows.T


@pytest.mark.parametrize("seed", range(10))
def test_small_values_keep_their_digits(seed: int) -> None:
    """Rows of sizes from 1 to 1e-14: the product of the values is the volume that the rows span."""
    rng = np.random.default_rng(seed)
    unit = rng.standard_normal((6, 8))
    unit /= np.linalg.norm(unit, axis=1)[:, None]
    sizes = 10.0 ** -np.linspace(0.0, 14.0, 6)
    values = factored(sizes[:, None] * unit)[1]
    volume = np.abs(np.diag(np.linalg.qr(unit.T)[1])).prod()
    assert np.prod(values / sizes) == pytest.approx(volume, rel=1e-12)
