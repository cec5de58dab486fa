"""When QR and projection build their kept basis anew: by the free motion, whatever drivers prescribe besides.

A cart at constant speed is an inertial frame: the pendulum on it turns its tangent plane as it does on a cart at rest.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.reasons import REASONS, Reason
from linkwork.results.result import Result

KEPT = ("qr", "projection")
TURNED = REASONS[Reason.TURNED]


def cart_pendulum(velocity: str, start: float, angle: float) -> Mechanism:
    """A cart on a rail at a given speed, and a pendulum on it, released at an angle (rad)."""
    s, c = np.sin(angle), np.cos(angle)
    turned = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    moving = {"velocity": (start, 0, 0)}
    return Mechanism.model_validate(
        {
            "gravity": (0, 0, -9.81),
            "body": [
                {"name": "cart", "mass": 2.0, "inertia": (0.1, 0.1, 0.1), "at": (0, 0, 0), **moving},
                {"name": "bob", "mass": 1.0, "inertia": (0.02, 0.02, 0.01), "at": (0.5 * s, 0, -0.5 * c),
                 "orientation": turned, **moving},
            ],
            "joint": [
                {"name": "rail", "kind": "prismatic", "between": ("ground", "cart"), "at": (0, 0, 0), "axis": "x"},
                {"name": "pin", "kind": "revolute", "between": ("cart", "bob"), "at": (0, 0, 0), "axis": "y"},
            ],
            "driver": [{"name": "motor", "joint": "rail", "velocity": velocity}],
        }
    )  # fmt: skip


def new_bases(run: Result) -> list[float]:
    return [entry["t"] for entry in run.certificate.switches if entry["why"] == TURNED]


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("method", KEPT)
def test_a_steady_cart_turns_the_tangent_plane_of_its_pendulum_no_more_than_one_at_rest(method, formulation) -> None:
    rng = np.random.default_rng(5)
    for _ in range(4):
        angle, speed = rng.uniform(0.3, 2.5), rng.uniform(0.5, 20.0)
        runs = [
            simulate(cart_pendulum(f"{v}", v, angle), Options(2.0, formulation, method, hmax=0.01))
            for v in (0.0, speed)
        ]
        assert len(new_bases(runs[1])) == pytest.approx(len(new_bases(runs[0])), abs=1)
        assert len(new_bases(runs[1])) < 0.2 * runs[1].certificate.steps


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("method", KEPT)
def test_a_mechanism_that_is_driven_altogether_has_no_tangent_plane_to_turn(method: str, formulation: str) -> None:
    model = library_model("slider-crank", {"angle": 30.0})
    model.driver("motor", "crank pin", velocity="-20 + 5*sin(9*t)")
    run = simulate(model.mechanism, Options(1.0, formulation, method))
    assert run.certificate.status == "finished"
    assert new_bases(run) == []


@pytest.mark.parametrize("method", KEPT)
def test_a_shaken_cart_builds_bases_as_its_pendulum_turns(method: str) -> None:
    """alpha = cos^2 of the angle by which the tangent plane has turned, which is at most that of the pendulum."""
    model = cart_pendulum("3*cos(7*t)", 3.0, 0.0)
    run = simulate(model, Options(2.0, "absolute", method, rtol=1e-9, hmax=0.01))
    reference = simulate(model, Options(2.0, "joint", rtol=1e-10))
    np.testing.assert_allclose(run.position[-1], reference.position[-1], atol=1e-6)
    turned = np.trapezoid(np.abs(run.angular_velocity[:, 1, 1]), run.t)
    assert 0.5 < len(new_bases(run)) / (turned / np.arcsin(np.sqrt(0.02))) <= 1.0
