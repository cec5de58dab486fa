"""A disc that rolls without slipping: straight, down a slope, in a steady circle; energy kept while it wobbles."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.numerics.rotations import axis_rotation, euler_parameters

R = 0.3  # m
G = 9.81


@pytest.mark.parametrize("plane", [None, "xz"])
def test_a_wheel_rolls_down_a_slope(plane) -> None:
    """A full disc: 2/3 g sin(alpha)."""
    slope = 0.3
    model = lw.Model("wheel", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)), plane=plane)
    wheel = model.body("wheel", lw.cylinder(mass=2.0, radius=R, length=0.05, axis="y"), at=(0, 0, R))
    model.rolling_disc("roll", wheel, radius=R, axis="y")
    assert model.check().redundant == ()
    run = model.simulate(2.0, rtol=1e-9)
    assert run.position("wheel")[:, 0] == pytest.approx(G * np.sin(slope) / 3 * run.t**2, abs=1e-8)
    assert run.angular_velocity("wheel")[-1, 1] * R == pytest.approx(run.velocity("wheel")[-1, 0])


def steady_coin(tilt: float, turning: float) -> tuple[lw.Model, float, float]:
    """A disc whose axis has the angle `tilt` (rad) to the vertical and turns about it (rad/s) for ever.

    With w3 its spin along the axis, A and C its moments of inertia across and along it (balance of moments about the
    centre, which moves on a circle with the speed r w3):
        W sin(tilt) ((C + m r^2) w3 - A W cos(tilt)) + m g r cos(tilt) = 0
    """
    m = 1.5
    C, A = m * R**2 / 2, m * R**2 / 4
    W, s, c = turning, np.sin(tilt), np.cos(tilt)
    w3 = (A * W * c - m * G * R * c / (W * s)) / (C + m * R**2)
    axes = axis_rotation(np.array([0.0, 1.0, 0.0]), tilt)
    model = lw.Model("coin", gravity=(0, 0, -G))
    coin = model.body(
        "coin", mass=m, inertia=(A, A, C), at=(0, 0, R * s), orientation=euler_parameters(axes),
        angular_velocity=axes @ [-W * s, 0.0, w3], velocity=(0.0, -R * w3, 0.0),
    )  # fmt: skip
    model.rolling_disc("roll", coin, radius=R, axis="z")
    return model, W, w3


def test_a_tilted_coin_rolls_in_a_steady_circle() -> None:
    model, W, w3 = steady_coin(1.1, 6.0)
    for formulation in ("joint", "absolute"):
        run = model.simulate(2 * np.pi / W, rtol=1e-10, formulation=formulation)
        p = run.position("coin")
        radius = R * abs(w3) / W
        centre = 0.5 * (p[0] + p[len(p) // 2])
        assert np.linalg.norm(p - centre, axis=1) == pytest.approx(radius, rel=1e-7)
        assert np.ptp(p[:, 2]) < 1e-8
        assert p[-1] == pytest.approx(p[0], abs=1e-7)
        assert run.certificate.dof == 3


def test_a_wobbling_coin_keeps_its_energy_in_both_formulations() -> None:
    runs = []
    for formulation in ("joint", "absolute"):
        model = lw.Model("coin", gravity=(0, 0, -G))
        tilted = euler_parameters(axis_rotation(np.array([0.0, 1.0, 0.0]), 1.2))
        coin = model.body("coin", lw.cylinder(mass=1.0, radius=R, length=0.01), at=(0, 0, R * np.sin(1.2)),
                          orientation=tilted, angular_velocity=(0.5, 0.0, 8.0))  # fmt: skip
        model.rolling_disc("roll", coin, radius=R, axis="z")
        runs.append(model.simulate(3.0, rtol=1e-10, formulation=formulation))
        assert runs[-1].certificate.energy_drift < 1e-8
        assert runs[-1].certificate.max_violation["velocity"] < 1e-12
    assert runs[0].position("coin") == pytest.approx(runs[1].position("coin"), abs=1e-8)


def test_the_spin_follows_from_the_velocity_that_is_said() -> None:
    model = lw.Model("wheel", gravity=(0, 0, -G))
    shape = lw.cylinder(mass=2.0, radius=R, length=0.05, axis="y")
    wheel = model.body("wheel", shape, at=(0, 0, R), velocity=(1, 0, 0))
    model.rolling_disc("roll", wheel, radius=R, axis="y")
    run = model.simulate(0.1)
    assert run.velocity("wheel")[0] == pytest.approx([1, 0, 0])
    assert run.angular_velocity("wheel")[0] == pytest.approx([0, 1 / R, 0])


def test_rows_of_velocities_in_the_implicit_integrator() -> None:
    """Generalized-alpha holds rows of positions by Phi, this one by its velocity: the slope's closed form again."""
    model = lw.Model("wheel", gravity=(2.0, 0, -G))
    wheel = model.body("wheel", lw.cylinder(mass=2.0, radius=R, length=0.05, axis="y"), at=(0, 0, R))
    model.rolling_disc("roll", wheel, radius=R, axis="y")
    run = model.simulate(1.0, rtol=1e-6, integrator="generalized-alpha")
    assert run.position("wheel")[:, 0] == pytest.approx(2.0 / 3 * run.t**2, abs=1e-6)
    assert run.certificate.max_violation["velocity"] < 1e-12
