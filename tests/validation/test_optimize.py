"""Optimization against closed forms and published linkages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from design_models import balanced_engine, wishbones
from examples.coupler_path import best as best_path
from examples.coupler_path import four_bar

import linkwork as lw


def test_hoekens_linkage_is_found() -> None:
    """Equal heights at 90 and 180 degrees and a stroke of four cranks: d = 2 and c = 2.5 crank lengths, no others."""

    def linkage(base: float = 2.3, bar: float = 2.9) -> lw.Model:
        return four_bar(base, 1.0, bar, bar, 2.0 * bar, phase=math.pi / 2)

    best = lw.optimize(
        linkage, {"base": (1.5, 3.5), "bar": (2.0, 4.0)},
        [f"at(coupler.position.y, {math.pi / 2!r}) - start(coupler.position.y)"],
        "start(coupler.position.x) - end(coupler.position.x) == 4", analysis="kinematics",
        times=[0.0, math.pi / 2, math.pi], progress=False,
    )  # fmt: skip
    assert best.met and best.method == "slsqp"
    assert best["base"] == pytest.approx(2.0, abs=2e-5)
    assert best["bar"] == pytest.approx(2.5, abs=2e-5)


def test_straighter_than_hoekens() -> None:
    """Least squares over the half turn leave less than Hoeken's proportions do."""

    def linkage(base: float = 2.0, bar: float = 2.5) -> lw.Model:
        return four_bar(base, 1.0, bar, bar, 2.0 * bar, phase=math.pi / 2)

    times = np.linspace(0.0, math.pi, 19).tolist()
    heights = [f"at(coupler.position.y, {t!r}) - mean(coupler.position.y)" for t in times]
    best = lw.optimize(linkage, {"base": (1.5, 3.5), "bar": (2.0, 4.0)}, heights, analysis="kinematics", times=times,
                       progress=False)  # fmt: skip
    assert best.method == "least-squares"
    assert best.value < 0.2 * best.objective[0]


def test_chebyshevs_linkage_is_found() -> None:
    """Crossed arms c over a base of 4 and a coupler of 2: its middle is as high between as where an arm is upright if,
    and only if, c = 5."""

    def linkage(arm: float = 5.4) -> lw.Model:
        return four_bar(4.0, arm, 2.0, arm, 1.0, phase=math.pi / 2, branch=-1.0)

    height = 'at(coupler.position.y, time_when("coupler.position.x > 2"))'
    best = lw.optimize(
        linkage, {"arm": (4.7, 6.0)}, [f"{height} - start(coupler.position.y)"], analysis="kinematics", progress=False,
        sweep={"O": (0.0, -0.8, 400)},
    )  # fmt: skip
    assert best["arm"] == pytest.approx(5.0, abs=1e-4)


def test_engine_is_balanced_by_half_the_piston() -> None:
    """The piston's motion has the first harmonic r cos wt and even ones: the mean square of the shaking force is least
    with half the piston's mass at the radius of the crank, whatever the rod."""
    both = "(reaction('shaft').force.{a} + reaction('bore').force.{a})"
    least = " + ".join(f"mean({both.format(a=a)}**2)" for a in "xy")
    best = lw.optimize(
        balanced_engine, {"balance": (0.1, 0.4, 3.0)}, least, analysis="kinematics",
        times=np.linspace(0.0, 2.0 * math.pi / 100.0, 65).tolist(), progress=False,
    )  # fmt: skip
    assert best.method == "l-bfgs-b"
    assert best["balance"] == pytest.approx(1.0, abs=1e-6)


def test_camber_curve() -> None:
    """Camber of a given suspension over its travel, met by finding its upper arm again from another one."""
    times = np.linspace(0.0, 0.4, 9).tolist()
    wanted = {"upper": 0.27, "inner": 0.3, "height": 0.43}
    run = wishbones(**wanted).kinematics(times=times)
    camber = run["lower ball.angle"] + run["lower pivot.angle"]
    outputs = [
        f"at('lower ball.angle' + 'lower pivot.angle', {t!r}) - ({float(c)!r})"
        for t, c in zip(times, camber, strict=True)
    ]
    best = lw.optimize(
        wishbones, {"upper": (0.15, 0.4), "height": (0.4, 0.5), "inner": (0.25, 0.4)}, outputs, analysis="kinematics",
        times=times, progress=False,
    )  # fmt: skip
    assert math.sqrt(best.value / len(times)) < 1e-6  # rad


def test_path_of_18_points_better_than_published() -> None:
    """From the linkage of Cabrera et al. 2002, whose sum of squares is 0.0337, to a better one."""
    best = best_path(10)
    assert best.objective[0] == pytest.approx(0.0337, abs=1e-4)
    assert best.value < 0.025


@pytest.mark.slow
def test_path_of_18_points_to_the_end() -> None:
    """To where no step helps any more."""
    best = best_path()
    assert best.ended[0].status == "converged"
    assert best.value < 0.0099


@pytest.mark.parametrize(("speed", "angle"), [(14.0, 0.6), (12.5, 0.7)])
def test_governor_spring_for_a_speed(speed: float, angle: float) -> None:
    """The spring that keeps the arms at an angle below the horizontal: virtual work at constant speed.

    2 m g y_b' + m_c g y_c' + k (L - L0) L' - m w^2 (x_b^2)' = 0 along the angle, L = y_pivot - y_c.
    """
    m_ball, m_collar, g, arm, a, link, free = 1.0, 1.0, 9.806, 0.16, 0.08, 0.10922, 0.15
    best = lw.optimize(
        "governor", {"spring.stiffness": (50.0, 1e5)}, [f"'arm 1.angle' - {angle!r}"], analysis="equilibrium",
        speeds={"spindle": speed}, progress=False,
    )  # fmt: skip
    root = math.sqrt(link**2 - (a * math.cos(angle)) ** 2)
    dL = a * math.cos(angle) + a * a * math.sin(angle) * math.cos(angle) / root
    L = a * math.sin(angle) + root
    lift = -2.0 * m_ball * g * arm * math.cos(angle) - m_collar * g * dL
    spread = 2.0 * m_ball * speed**2 * arm**2 * math.sin(angle) * math.cos(angle)
    assert best["spring.stiffness"] == pytest.approx(-(lift + spread) / ((L - free) * dL), rel=1e-6)


def test_damper_for_an_overshoot() -> None:
    """A step of force on mass, spring and damper overshoots by exp(-pi z / sqrt(1 - z^2)): the damper for 10 %."""

    def model(damping: float = 3.0) -> lw.Model:
        m = lw.Model("oscillator", gravity=(0, 0, 0))
        m.body("block", mass=1.0, inertia=(1, 1, 1))
        m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x")
        ends = ((-1, 0, 0), (0, 0, 0))
        m.spring_damper("spring", m.ground, "block", points=ends, stiffness=100.0, damping=damping, free_length=2.0)
        return m

    best = lw.optimize(
        model, {"damping": (1.0, 20.0)}, ["max(rail.distance) - 1.1"], until=1.0, every=0.005, rtol=1e-9, progress=False
    )
    share = math.log(0.1) ** 2
    assert best["damping"] == pytest.approx(20.0 * math.sqrt(share / (math.pi**2 + share)), rel=1e-5)


@pytest.mark.parametrize("minimize", ["-span(coupler.position.x)", ["span(coupler.position.x) - 9"]])
def test_search_ends_before_trials_that_fail(minimize) -> None:
    """A crank of more than 1 m does not turn over between 4 m and two bars of 2.5 m (Grashof): dead points beyond."""

    def linkage(crank: float = 0.5) -> lw.Model:
        return four_bar(4.0, crank)

    best = lw.optimize(linkage, {"crank": (0.2, 3.0)}, minimize, analysis="kinematics", until=6.2, every=0.1,
                       iterations=30, progress=False)  # fmt: skip
    assert np.any(best.status == "failed") and any("dead point" in text for text in best.message)
    assert best["crank"] == pytest.approx(1.0, abs=5e-3)
