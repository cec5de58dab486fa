"""Identification of a closed loop from synthetic noisy data."""

from __future__ import annotations

import numpy as np
import pytest
from design_models import sprung_four_bar

import linkwork as lw

TRUE = {"coupler": 2.0, "stiffness": 300.0, "damping": 0.5}
UNKNOWN = {"coupler": (0.5, 1.7, 5.0), "stiffness": (100.0, 350.0, 1000.0), "damping": (0.0, 0.3, 3.0)}
NOISE = {"O.angle": 0.01, "D.force.y": 0.5}  # rad, N


@pytest.fixture(scope="module")
def clean() -> dict[str, np.ndarray]:
    run = sprung_four_bar().simulate(1.0, every=0.02, rtol=1e-9, progress=False)
    return {"t": run.t, **{name: run[name] for name in NOISE}}


def noisy(clean: dict[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"t": clean["t"], **{n: clean[n] + s * rng.standard_normal(len(clean["t"])) for n, s in NOISE.items()}}


def test_noiseless_data_give_the_truth(clean) -> None:
    found = lw.fit(sprung_four_bar, clean, UNKNOWN, progress=False)
    assert found.values == pytest.approx(TRUE, rel=1e-5)


def test_noise_is_estimated(clean) -> None:
    """Without noise given: residuals as large as the noise, and the truth within 4 standard errors."""
    found = lw.fit(sprung_four_bar, noisy(clean, 3), UNKNOWN, progress=False)
    assert found.noise == pytest.approx(list(NOISE.values()), rel=0.3)
    assert np.all(np.abs(found.x - list(TRUE.values())) < 4.0 * found.error)
    assert not found.blind


@pytest.mark.slow
def test_95_of_100_intervals_hold_the_truth(clean) -> None:
    """Binomial: with 95 % each, less than 89 of 100 come in one of a hundred such tests."""
    from_truth = {name: (UNKNOWN[name][0], value, UNKNOWN[name][2]) for name, value in TRUE.items()}
    inside = np.zeros(len(TRUE))
    for seed in range(100):
        found = lw.fit(sprung_four_bar, noisy(clean, seed), from_truth, noise=NOISE, progress=False)
        low, high = np.array(list(found.intervals.values())).T
        inside += (low <= list(TRUE.values())) & (list(TRUE.values()) <= high)
    assert np.all(inside >= 89), inside


def test_masses_and_forces_of_a_free_motion_only_in_their_ratios(clean) -> None:
    """A free motion is that of a machine with all masses, stiffness and damping larger in proportion."""
    every = {**UNKNOWN, "rocker": (0.5, 1.2, 3.0), "crank": (0.5, 0.9, 3.0)}
    angle = {"t": clean["t"], "O.angle": clean["O.angle"]}
    found = lw.fit(sprung_four_bar, angle, every, progress=False, noise={"O.angle": 0.01}, iterations=8)
    assert len(found.blind) == 1 and "only in their ratios" in found.blind[0]
    assert np.all(np.isinf(found.error))


def test_masses_in_one_place_only_in_their_sum() -> None:
    """Two bodies that move as one: a + b is known, a and b are not."""

    def model(a: float = 1.0, b: float = 3.0, stiffness: float = 100.0) -> lw.Model:
        m = lw.Model("sledge", gravity=(0, 0, 0))
        m.body("block", mass=a, inertia=(1, 1, 1), velocity=(1, 0, 0))
        m.body("load", mass=b, inertia=(1, 1, 1), at=(0, 0, 1), velocity=(1, 0, 0))
        m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x")
        m.fixed("bolts", "block", "load", at=(0, 0, 1))
        m.spring_damper("spring", m.ground, "block", points=((-1, 0, 0), (0, 0, 0)), stiffness=stiffness)
        return m

    t = np.linspace(0.0, 1.0, 51)
    w = np.sqrt(100.0 / 4.0)
    data = {"t": t, "rail.distance": np.sin(w * t) / w}
    found = lw.fit(model, data, {"a": (0.5, 1.2, 2.0), "b": (1.0, 2.5, 5.0)}, progress=False)
    assert found["a"] + found["b"] == pytest.approx(4.0, rel=1e-6)
    assert found.blind == ("'a' and 'b' only in the combination a + 1 b",)
    idle = lw.fit(model, data, {"b": (1.0, 2.5, 5.0), "load.inertia.0": (0.5, 1.0, 2.0)}, progress=False)
    assert idle["b"] == pytest.approx(3.0, rel=1e-6)
    assert np.isfinite(idle.error[0]) and np.isinf(idle.error[1])
    assert idle.blind == ("'load.inertia.0' has no influence on the data",)


def test_friction_from_data_at_uneven_times() -> None:
    """Dry and viscous friction of a sledge on a spring; the samples lie between those of the run."""

    def model(dry: float = 4.0, viscous: float = 0.5) -> lw.Model:
        m = lw.Model("sledge", gravity=(0, 0, -9.81))
        m.body("block", mass=2.0, inertia=(1, 1, 1), velocity=(2, 0, 0))
        m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x")
        m.spring_damper("spring", m.ground, "block", points=((-1, 0, 0), (0, 0, 0)), stiffness=50.0)
        m.friction("slideway", "rail", coulomb=dry, viscous=viscous)
        return m

    run = model().simulate(1.0, every=1e-3, rtol=1e-10, progress=False)
    picked = np.sort(np.random.default_rng(0).choice(np.arange(1, len(run.t)), 60, replace=False))
    data = {"t": run.t[picked], "rail.distance": run["rail.distance"][picked]}
    found = lw.fit(model, data, {"dry": (0.5, 2.0, 10.0), "viscous": (0.0, 1.0, 3.0)}, progress=False)
    assert found.values == pytest.approx({"dry": 4.0, "viscous": 0.5}, rel=1e-4)
