"""Mechanisms side by side, and such as share bodies, pass the singular positions of each, however many there are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.model import Model

UNTIL = 2.0  # s
NEAR = 2e-3  # s: two passages this close may be reported as one


def parallelogram(m: Model, k: int, crank: float, coupler: float, angle: float, rate: float) -> None:
    """Number k: without gravity its cranks turn at their first rate (rad/s); it is flat when they are in line."""
    A, along = np.array([10.0 * k, 0.0, 0.0]), np.array([coupler, 0.0, 0.0])
    B = A + crank * np.array([math.cos(angle), 0.0, math.sin(angle)])
    spin = {"crank": {"angular_velocity": (0.0, -rate, 0.0)}}
    bars = [
        m.body(f"{name}{k}", at=tuple(0.5 * (P + Q)), mass=1.0, inertia=(1e-3, 0.1, 0.1), **spin.get(name, {}))
        for name, P, Q in (("crank", A, B), ("coupler", B, B + along), ("other", A + along, B + along))
    ]
    pins = (("A", m.ground, bars[0], A), ("B", bars[0], bars[1], B), ("C", bars[1], bars[2], B + along))
    for name, a, b, at in (*pins, ("D", m.ground, bars[2], A + along)):
        m.revolute(f"{name}{k}", a, b, at=tuple(at), axis="-y")


@pytest.mark.parametrize(("count", "seed"), [(2, 0), (10, 0), (10, 1), (30, 2), (100, 3)])
def test_the_singular_positions_are_those_of_each(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, high = np.array([[0.5, 1.6, 0.3, 0.5], [1.5, 3.0, 1.2, 4.0]])
    shapes = rng.uniform(low, high, (count, 4))
    m = Model("side by side", gravity=(0.0, 0.0, 0.0), plane="xz")
    for k, shape in enumerate(shapes):
        parallelogram(m, k, *shape)
    run = m.simulate(UNTIL, rtol=1e-8, progress=False)
    flat = [(n * math.pi - angle) / rate for *_, angle, rate in shapes for n in (1, 2, 3)]
    expected = np.array([t for t in flat if t < UNTIL])
    found = np.array([entry["t"] for entry in run.certificate.singular])
    apart = np.abs(expected[:, None] - found)
    assert apart.min(axis=1).max() < NEAR  # none is missed
    assert apart.min(axis=0).max() < NEAR  # and none invented
    lost = sum(entry["of"] - entry["rank"] for entry in run.certificate.singular)
    assert lost == pytest.approx(len(expected), abs=0.05 * count)
    assert run.certificate.status == "finished"
    assert np.all(np.diff(found) > 0.0)


def wheel(phases: np.ndarray, rate: float) -> Model:
    """A disc that turns at a rate (rad/s), without gravity, and parallelograms with its radii at these phases (rad) as
    cranks: each is flat when its own is in line with ground.
    """
    m = Model("wheel", gravity=(0.0, 0.0, 0.0), plane="xz")
    disc = m.body("disc", at=(0.0, 0.0, 0.0), mass=5.0, inertia=(0.3, 0.5, 0.3), angular_velocity=(0.0, -rate, 0.0))
    m.revolute("hub", m.ground, disc, at=(0.0, 0.0, 0.0), axis="-y")
    for k, phase in enumerate(phases):
        B = (0.5 + 0.1 * (k % 7)) * np.array([math.cos(phase), 0.0, math.sin(phase)])
        along = np.array([2.0 + k, 0.0, 0.0])
        coupler, rocker = (
            m.body(f"{name}{k}", at=tuple(0.5 * (P + Q)), mass=1.0, inertia=(1e-3, 0.1, 0.1))
            for name, P, Q in (("coupler", B, B + along), ("rocker", along, B + along))
        )
        for name, a, b, at in (
            ("B", disc, coupler, B),
            ("C", coupler, rocker, B + along),
            ("D", m.ground, rocker, along),
        ):
            m.revolute(f"{name}{k}", a, b, at=tuple(at), axis="-y")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(("count", "apart"), [(2, 1.0), (2, 0.1), (2, 0.0), (3, 1.0), (3, 0.3), (12, 0.3)])
def test_loops_that_share_a_body_are_flat_at_their_own_times(count: int, apart: float, formulation: str) -> None:
    """Also at nearly the same ones: `apart`, rad, from one to the next."""
    rng = np.random.default_rng([count, int(1000 * apart)])
    for _ in range(4):
        phases = rng.uniform(0.2, 1.0) + apart * (np.arange(count) + 0.3 * rng.random(count)) / max(1.0, 0.3 * count)
        rate = rng.uniform(1.0, 4.0)
        run = wheel(phases, rate).simulate(3.0, formulation=formulation, rtol=1e-8, progress=False)
        flat = [(n * math.pi - phase) / rate for phase in phases for n in range(1, 6)]
        expected = np.array([t for t in flat if 0.01 < t < 2.99])
        found = np.array([entry["t"] for entry in run.certificate.singular])
        off = np.abs(expected[:, None] - found)
        assert off.min(axis=1).max() < 1e-3 / rate  # none is missed
        known = np.array([t for t in flat if -0.01 < t < 3.01])
        assert np.abs(known[:, None] - found).min(axis=0).max() < 1e-4 / rate  # and none invented
        within = [entry for entry in run.certificate.singular if 0.01 < entry["t"] < 2.99]
        assert sum(entry["of"] - entry["rank"] for entry in within) == len(expected)
        assert run.certificate.status == "finished"
