"""P1's flexible coupler: its modes in closed form and its rigid limit."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.elements.solids.shapes import rod
from validation.copper_coupler import LENGTH, WIDTH, coupler


def test_two_modes_of_the_pinned_copper_coupler():
    """sqrt(2 / m) sin(k pi s / L) with (k pi / L)^2 sqrt(EI / rho A); chord frame: the ends stay where they are."""
    body = coupler()
    k = np.array([1, 2])
    speed = np.sqrt(117e9 / 8910 * WIDTH**2 / 12)
    assert body.omega == pytest.approx((k * np.pi / LENGTH) ** 2 * speed, rel=2e-4)  # rotary inertia: 1e-4
    s = body.nodes.x[:, 0] + LENGTH / 2
    exact = np.sqrt(2 / body.mass) * np.sin(np.outer(s, k) * np.pi / LENGTH)
    for j in range(2):
        found = body.nodes.S[:, 2, j]
        assert np.sign(found[3]) * found == pytest.approx(exact[:, j] * np.sign(exact[3, j]), abs=1e-3 * exact.max())
    assert np.abs(body.nodes.S[[0, 10]]).max() < 1e-12
    assert body.nodes.S[:, 1] == pytest.approx(0.0, abs=1e-12)


def test_as_a_rigid_body_it_is_the_librarys_coupler():
    rigid, found = rod(length=LENGTH, width=WIDTH, density=8910.0), coupler().report.found
    assert found.mass == pytest.approx(rigid.mass_kg, rel=1e-12)
    assert found.centre == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.inertia == pytest.approx(rigid.inertia(), abs=1e-9)


def test_six_modes_are_there_for_the_sweep():
    body = coupler(6)
    assert body.modes == 6 and np.all(np.diff(body.omega) > 0)
