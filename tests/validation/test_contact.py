"""Contact with a plane against closed forms: restitution, sliding, rolling, rest; the energy balance closes to rtol.

The law has a kink at touch-down and at lift-off (d^1.5: an infinite second derivative).  Across a kink an Adams step of
order k takes |gamma*_k| h d, 1/100 of h d at order 8, for its error, which is up to h d / 5; so the run begins afresh
there.  The tolerance is one of each step; an impact has some 50 steps, and each may err by a few rtol in one of its
numbers.  That makes the TENS that stand before rtol here.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw

TENS = 30


def restitution(cv: float) -> float:
    """e of the Hunt-Crossley impact for c v, whatever m, k and n.

    m v dv/dd = -k d^n (1 + c v), so that v / c - log(1 + c v) / c^2 = const - k d^(n+1) / (m (n + 1)): the same at the
    first and the last instant of contact, where d = 0 and the speeds are v and -e v.
    """
    return brentq(lambda e: cv - np.log1p(cv) - (-e * cv - np.log1p(-e * cv)), 1e-9, min(1.0, 1.0 / cv) * (1 - 1e-12))


@pytest.mark.parametrize("stiffness", [1e4, 1e7])
@pytest.mark.parametrize(("exponent", "cv"), [(1.0, 0.1), (1.5, 0.0), (1.5, 0.6), (1.5, 3.0), (2.0, 1.0)])
def test_restitution_and_energy_of_an_impact_to_the_tolerance(exponent, cv, stiffness) -> None:
    v = 2.0
    model = lw.Model("ball", gravity=(0, 0, 0))
    ball = model.body("ball", lw.sphere(mass=0.5, radius=0.1), at=(0, 0, 0.12), velocity=(0, 0, -v))
    model.contact("floor", ball, shape="sphere", radius=0.1, stiffness=stiffness, exponent=exponent, damping=cv / v)
    for integrator, rtol in (("adams", 1e-6), ("adams", 1e-8), ("adams", 1e-10), ("dop853", 1e-8)):
        run = model.simulate(0.5, rtol=rtol, integrator=integrator)
        e = restitution(cv) if cv else 1.0
        assert run.velocity("ball")[-1, 2] == pytest.approx(e * v, rel=TENS * rtol)
        assert run.certificate.energy_drift < TENS * rtol
        assert run.certificate.status == "finished"
        assert np.all(np.diff(run.result.steps["t"]) > 0.0)


@pytest.mark.parametrize(
    ("stiffness", "height", "rtol"), [(33038076.0, 0.1248833, 1.4e-10), (1040581.0, 0.3434589, 1.8e-9)]
)
def test_a_step_across_the_touch_is_taken_again_up_to_it(stiffness, height, rtol) -> None:
    """Without loss, exponent 3: dense output of dop853, with stages on both sides, was 2600 and 600 rtol off."""
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    m.body("ball", lw.sphere(mass=1.0, radius=0.1), at=(0, 0, height))
    m.contact("floor", body="ball", shape="sphere", radius=0.1, stiffness=stiffness, exponent=3.0)
    run = m.simulate(1.5, integrator="dop853", rtol=rtol)
    assert run.certificate.energy_drift < 100 * rtol


def test_a_stop_is_located_like_a_contact() -> None:
    """The law of a joint stop is that of a contact; its work is all in the work integral."""
    cv, v = 0.6, 2.0
    model = lw.Model("slider", gravity=(0, 0, 0))
    model.body("slider", mass=0.5, inertia=(1, 1, 1), velocity=(v, 0, 0))
    model.prismatic("guide", "ground", "slider", at=(0, 0, 0), axis="x")
    model.stop("end", "guide", upper=0.02, stiffness=1e6, damping=cv / v)
    for rtol in (1e-6, 1e-8, 1e-10):
        run = model.simulate(0.5, rtol=rtol)
        assert run.velocity("slider")[-1, 0] == pytest.approx(-restitution(cv) * v, rel=TENS * rtol)
        assert run.certificate.energy_drift < TENS * rtol


def test_energy_of_a_box_that_tumbles_with_friction_closes_to_the_tolerance() -> None:
    """Eight corners, dozens of touch-downs and lift-offs, sliding and sticking."""
    model = lw.Model("box", gravity=(0, 0, -9.81))
    size = (0.4, 0.3, 0.2)
    speeds = {"velocity": (0.5, 0.2, 0), "angular_velocity": (1, 2, 0.5)}
    box = model.body("box", lw.box(size, mass=4.0), at=(0, 0, 0.6), **speeds)
    model.contact("floor", box, shape="box", size=size, stiffness=2e6, damping=0.3, friction=0.3, smoothing=0.01)
    for rtol in (1e-4, 1e-6, 1e-8):
        run = model.simulate(1.5, rtol=rtol)
        assert run.result.energy[-1, 2] < -10.0  # J, friction and impacts have taken half of the energy
        assert run.certificate.energy_drift < 2 * TENS * rtol
        assert np.all(np.diff(run.result.steps["t"]) > 0.0)


@pytest.mark.parametrize(("height", "anew"), [(10.0, True), (0.1, False)])
def test_a_touch_slower_than_a_fall_from_rtol_of_the_size_is_no_new_start(height, anew) -> None:
    """So corners of a body at rest may flicker without making the run crawl."""
    rtol, size = 1e-4, 1.0
    model = lw.Model("ball", gravity=(0, 0, -9.81))
    model.body("ball", mass=1.0, inertia=(1, 1, 1), at=(0, 0, height * rtol * size))
    model.body("mark", mass=1.0, inertia=(1, 1, 1), at=(size, 0, 0))
    model.fixed("post", "ground", "mark", at=(size, 0, 0))
    model.contact("floor", "ball", stiffness=1e6)
    run = model.simulate(1.5 * np.sqrt(2 * height * rtol * size / 9.81), rtol=rtol)
    assert run.position("ball")[:, 2].min() < 0.0
    order = run.result.steps["order"]
    assert bool(np.any((order[1:] == 1) & (np.diff(run.result.steps["h"]) < 0.0))) == anew


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
    assert run.certificate.energy_drift < 2 * TENS * 1e-9  # two impacts


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
    assert run.certificate.energy_drift < TENS * 1e-7


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
