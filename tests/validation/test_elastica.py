"""The limit of second-order stiffening: a cantilever under dead loads at its tip, against the elastica.

    EI theta'' = T sin theta - F cos theta,   theta(0) = theta'(L) = 0

Inextensible; tension T along the straight beam, F across it.  Without tension F L^2 / EI = 0.2 and 1 give 0.06636 L and
0.30172 L (Mattiasson, Int. J. Numer. Meth. Engng 17 (1981), by elliptic integrals).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import linkwork as lw


def elastica(T: float, F: float) -> float:
    """Deflection of the tip, of L; loads in EI / L^2."""
    s = np.linspace(0.0, 1.0, 41)
    guess = F / (1.0 + T / 2.5) * np.vstack([s - s**2 / 2.0, 1.0 - s, s**2 / 2.0])
    found = solve_bvp(
        lambda s, y: np.vstack([y[1], T * np.sin(y[0]) - F * np.cos(y[0]), np.sin(y[0])]),
        lambda root, tip: np.array([root[0], tip[1], root[2]]), s, guess, tol=1e-8, max_nodes=10_000,
    )  # fmt: skip
    assert found.success
    return float(found.y[2, -1])


def modal(T: float, F: float) -> float:
    """The same by a modal beam with stiffening, EI = L = 1."""
    m = lw.Model("cantilever", gravity=(0, 0, 0), plane="xz")
    beam = lw.beam(
        length=1.0, area=1e-2, Iy=1e-8, Iz=1e-8, J=1e-8, modulus=1e8, density=1.0, plane="xz", modes=12, elements=20,
        supports={"1": "clamped"}, stiffening=True,
    )  # fmt: skip
    m.body("beam", flexible=beam)
    m.frame("tip", "beam", node="21")
    m.fixed("root", m.ground, "beam", at=(0, 0, 0))
    m.applied_force("load", "beam", force=(T, 0, F), at=(1, 0, 0))
    m.measure("w", "z(tip)")
    return float(m.simulate(1e-4, from_equilibrium=True)["w"][0])


def test_the_elastica_is_mattiassons() -> None:
    assert elastica(0.0, 0.2) == pytest.approx(0.06636, abs=1e-5)
    assert elastica(0.0, 1.0) == pytest.approx(0.30172, abs=1e-5)


@pytest.mark.parametrize("T", [0.0, 2.0, 10.0])
def test_a_stiffened_beam_is_off_by_the_square_of_its_deflection(T: float) -> None:
    for wanted in (0.04, 0.06, 0.08):
        F = 3.0 * wanted * (1.0 + T / 2.5)
        exact = elastica(T, F)
        error = modal(T, F) / exact - 1.0
        assert 0.6 * exact**2 < error < 1.1 * exact**2
