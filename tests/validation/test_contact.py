"""Contact with a plane against closed forms: restitution, sliding, rolling, rest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw


def restitution(cv: float) -> float:
    """e of the Hunt-Crossley impact for c v, whatever m, k and n.

    m v dv/dd = -k d^n (1 + c v), so that v / c - log(1 + c v) / c^2 = const - k d^(n+1) / (m (n + 1)): the same at the
    first and the last instant of contact, where d = 0 and the speeds are v and -e v.
    """
    return brentq(lambda e: cv - np.log1p(cv) - (-e * cv - np.log1p(-e * cv)), 1e-9, min(1.0, 1.0 / cv) * (1 - 1e-12))


@pytest.mark.parametrize(("exponent", "cv"), [(1.0, 0.1), (1.5, 0.6), (1.5, 3.0), (2.0, 1.0)])
def test_restitution_of_an_impact(exponent, cv) -> None:
    v = 2.0
    model = lw.Model("ball", gravity=(0, 0, 0))
    ball = model.body("ball", lw.sphere(mass=0.5, radius=0.1), at=(0, 0, 0.1), velocity=(0, 0, -v))
    model.contact("floor", ball, shape="sphere", radius=0.1, stiffness=1e4, exponent=exponent, damping=cv / v)
    run = model.simulate(0.5, rtol=1e-9)
    assert run.velocity("ball")[-1, 2] == pytest.approx(restitution(cv) * v, rel=1e-6)
    assert run.certificate.status == "finished"
    assert run.certificate.energy_drift < 1e-6  # lost in the one step in which d^n ends; 1e-9 asked for


def test_a_bouncing_ball_loses_what_restitution_says() -> None:
    """Heights of successive bounces from the speeds of impact, and the balance of energy closed all the way."""
    c, g, height, radius = 0.15, 9.81, 1.0, 0.05
    model = lw.Model("ball", gravity=(0, 0, -g))
    ball = model.body("ball", lw.sphere(mass=0.2, radius=radius), at=(0, 0, radius + height))
    model.contact("floor", ball, shape="sphere", radius=radius, stiffness=1e10, damping=c)
    run = model.simulate(2.0, rtol=1e-9, every=1e-3)
    z, v = run.position("ball")[:, 2] - radius, np.sqrt(2 * g * height)
    tops = [z[k] for k in range(1, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1]]
    for top in tops:
        v *= restitution(c * v)
        assert top == pytest.approx(v * v / (2 * g), rel=1e-3)  # gravity acts during the impact too
    assert len(tops) >= 2
    assert run.certificate.energy_drift < 1e-6


def test_friction_stops_a_sliding_block() -> None:
    """m v' = -mu m g tanh(v / v_s): sinh(v / v_s) = sinh(v0 / v_s) exp(-mu g t / v_s)."""
    mu, g, v0, v_s, m, k = 0.3, 9.81, 1.0, 0.05, 2.0, 1e5
    depth = (m * g / k) ** (2 / 3)
    model = lw.Model("block", gravity=(0, 0, -g))
    model.body("block", mass=m, inertia=(1, 1, 1), at=(0, 0, -depth), velocity=(v0, 0, 0))
    model.contact("floor", "block", stiffness=k, friction=mu, smoothing=v_s)
    run = model.simulate(0.6, rtol=1e-9)
    expected = v_s * np.arcsinh(np.sinh(v0 / v_s) * np.exp(-mu * g * run.t / v_s))
    assert np.abs(run.velocity("block")[:, 0] - expected).max() < 1e-7
    assert run.position("block")[-1, 0] == pytest.approx(v0**2 / (2 * mu * g), rel=2e-2)
    assert run.certificate.energy_drift < 1e-8


def test_a_sliding_ball_ends_up_rolling_with_five_sevenths() -> None:
    m, r, g, v0, k = 1.0, 0.2, 9.81, 1.4, 1e6
    model = lw.Model("ball", gravity=(0, 0, -g))
    at = (0, 0, r - (m * g / k) ** (2 / 3))
    ball = model.body("ball", lw.sphere(mass=m, radius=r), at=at, velocity=(0, v0, 0))
    model.contact("floor", ball, shape="sphere", radius=r, stiffness=k, friction=0.4, smoothing=0.02)
    run = model.simulate(1.0, rtol=1e-9)
    # Moments about the line of contact, which is r under the centre: m v r + J w is kept, whatever the friction.
    assert run.velocity("ball")[-1, 1] == pytest.approx(5 / 7 * v0, abs=1e-9)
    assert run.angular_velocity("ball")[-1, 0] == pytest.approx(-5 / 7 * v0 / r, abs=1e-8)
    assert run.certificate.energy_drift < 1e-8


def test_a_box_comes_to_rest_on_four_corners_of_a_slope() -> None:
    """Each carries a quarter; on a slope with tan(alpha) < mu it creeps with v_s atanh(tan(alpha) / mu)."""
    m, g, k, mu, v_s, slope = 4.0, 9.81, 2e5, 0.5, 0.01, 0.2
    model = lw.Model("box", gravity=(g * np.sin(slope), 0, -g * np.cos(slope)))
    box = model.body("box", lw.box((0.4, 0.3, 0.02), mass=m), at=(0, 0, 0.015))
    model.contact(
        "floor", box, shape="box", size=(0.4, 0.3, 0.02), stiffness=k, damping=2.0, friction=mu, smoothing=v_s
    )
    run = model.simulate(3.0, rtol=1e-7)
    assert run.velocity("box")[-1] == pytest.approx([v_s * np.arctanh(np.tan(slope) / mu), 0, 0], rel=1e-3, abs=1e-5)
    depth = (m * g * np.cos(slope) / (4 * k)) ** (2 / 3)
    assert run.position("box")[-1, 2] == pytest.approx(0.01 - depth, abs=3e-3 * depth)
    assert run.certificate.energy_drift < 1e-5


def test_a_plane_on_a_body_carries_what_rests_on_it() -> None:
    """A block on a plate that a spring holds up: both settle, the spring under the weight of both."""
    g, k = 9.81, 1e5
    model = lw.Model("plate", gravity=(0, 0, -g))
    plate = model.body("plate", lw.box((1, 1, 0.1), mass=3.0), at=(0, 0, 0))
    model.prismatic("guide", "ground", plate, at=(0, 0, 0), axis="z")
    model.spring_damper("spring", "ground", plate, points=[(0, 0, -1), (0, 0, 0)], stiffness=500, damping=60)
    model.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0.1, 0, 0.05))
    model.contact("on it", "block", against=plate, plane_at=(0, 0, 0.05), stiffness=k, damping=1.0)
    run = model.simulate(4.0, rtol=1e-8)
    drop = 5.0 * g / 500
    depth = (2.0 * g / k) ** (2 / 3)
    assert run.position("plate")[-1, 2] == pytest.approx(-drop, abs=1e-6)
    assert run.position("block")[-1, 2] == pytest.approx(0.05 - drop - depth, abs=1e-6)
