"""Linearization of bodies whose three rotations are a ball that turns: closed forms of spinning and rolling bodies."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

A, C = 0.3, 0.5  # kg m2, across and along the axis


@pytest.mark.parametrize("joint", ["free", "spherical"])
@pytest.mark.parametrize("spin", [1.0, -7.0])
def test_a_free_symmetric_body_nods_at_its_rate_in_space(joint: str, spin: float) -> None:
    """Nutation seen from space: C / A times the spin; nothing else moves (Landau & Lifshitz, section 33)."""
    model = lw.Model("body", gravity=(0, 0, 0))
    model.body("top", mass=2.0, inertia=(A, A, C), angular_velocity=(0, 0, spin))
    if joint == "spherical":
        model.spherical("ball", model.ground, "top", at=(0, 0, 0))
    s = np.linalg.eigvals(model.linearize(about="start").A)
    nutation = s[np.abs(s) > 1e-3]
    assert np.sort(nutation.imag) == pytest.approx(np.array([-1, 1]) * abs(spin) * C / A, rel=1e-12)
    assert np.abs(nutation.real).max() < 1e-12 * abs(spin)


@pytest.mark.parametrize("spin", [3.0, 8.0])
def test_a_rolling_disc_stands_up_when_it_is_fast(spin: float) -> None:
    """Upright and straight: s^2 = -(C (C + m r^2) w^2 - A m g r) / (A (A + m r^2)) (Neimark & Fufaev 1972)."""
    m, r, g = 1.5, 0.3, 9.81
    across, along = m * r**2 / 4, m * r**2 / 2
    model = lw.Model("disc", gravity=(0, 0, -g))
    model.body("disc", mass=m, inertia=(across, along, across), at=(0, 0, r), velocity=(r * spin, 0, 0),
               angular_velocity=(0, spin, 0))  # fmt: skip
    model.rolling_disc("roll", "disc", radius=r, axis="y")
    modes = model.linearize(about="start").modes()
    square = (across * m * g * r - along * (along + m * r**2) * spin**2) / (across * (across + m * r**2))
    moving = [mode.eigenvalue for mode in modes if mode.kind != "rigid body"]
    assert np.max(np.array(moving) ** 2).real == pytest.approx(square, rel=1e-9)
