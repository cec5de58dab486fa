"""Mechanisms side by side pass the singular positions of each, however many there are."""

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
