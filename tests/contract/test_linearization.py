"""Contracts of the reduction and its derivatives: complex steps = differences, absolute = joint, no hidden frame."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.steady.equilibrium import equilibrium
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.library import library_model
from linkwork.library.rotating import governor, rotating_cantilever
from linkwork.numerics.status import LEVEL_ALL
from vibrating_models import (
    hanging_ball_chain,
    jeffcott,
    overhung_disc,
    rotating_pendulum,
    sprung_slider_crank,
)

# name: model, speeds, whether its coordinates can be measured in absolute coordinates
CASES = {
    "four-bar": (library_model("four-bar"), {}),
    "andrews": (library_model("andrews"), {}),
    "slider-crank": (sprung_slider_crank(), {}),
    "ball chain": (hanging_ball_chain(), {}),
    "governor": (governor(), {"spindle": 11.0174}),
    "pendulum": (rotating_pendulum(0.4), {"spin": 4.0}),
    "disc": (overhung_disc(), {"spin": 20.0}),
    "rotor": (jeffcott(), {"spin": 30.0}),
    "cantilever": (rotating_cantilever(masses=4), {"spindle": 3000.0}),
}


@pytest.fixture(scope="module")
def balanced():
    return {name: equilibrium(model.mechanism, speeds) for name, (model, speeds) in CASES.items()}


def at_velocity(reduction: Reduction, point: Point, z: np.ndarray) -> np.ndarray:
    """r with the independent velocities z at the same position, from the equations themselves."""
    y, layout = point.y.copy(), reduction.layout
    y[layout.q_count : layout.q_count + layout.v_count] = point.v + point.T @ z
    reduction.real.evaluate(reduction.t, y, point.angles, LEVEL_ALL)
    work = reduction.real.work
    v_dot = point.inverse @ reduction.right_side(work.gamma)
    return point.T.T @ (work.Q - point.M @ v_dot)


@pytest.mark.parametrize("name", CASES)
def test_complex_steps_are_the_limit_of_differences(balanced, name):
    found = balanced[name]
    reduction, point = found.reduction, found.point
    K, C = reduction.stiffness(point), reduction.damping(point)
    lengths, h = reduction.lengths, 3e-5
    for k in range(len(point.r)):
        step = np.zeros(len(point.r))
        step[k] = h * lengths[k]
        near, far = (reduction.moved(point, m * step).r - reduction.moved(point, -m * step).r for m in (1.0, 2.0))
        difference = (8.0 * near - far) / (12.0 * step[k])  # fourth order
        assert -K[:, k] == pytest.approx(difference, abs=3e-8 * max(np.abs(K).max(), 1.0))
        speed = 1e3 * step  # r is of second degree in the velocities: central differences are exact
        slope = (at_velocity(reduction, point, speed) - at_velocity(reduction, point, -speed)) / (2.0 * speed[k])
        assert -C[:, k] == pytest.approx(slope, abs=1e-8 * max(np.abs(C).max(), 1.0))


@pytest.mark.parametrize("name", CASES)
def test_both_formulations_have_the_same_equilibrium_and_eigenvalues(balanced, name):
    model, speeds = CASES[name]
    joint, absolute = balanced[name], equilibrium(model.mechanism, speeds, formulation="absolute")
    for body, place in joint.positions.items():
        assert absolute.positions[body] == pytest.approx(place, abs=1e-10)
    a, b = (np.sort_complex(np.round(e.eigenvalues, 9)) for e in (joint, absolute))
    assert np.abs(a - b).max() <= 1e-9 * np.abs(a).max()
    assert (joint.stability, joint.driving.keys()) == (absolute.stability, absolute.driving.keys())
    for name_, force in joint.driving.items():
        assert absolute.driving[name_] == pytest.approx(force, abs=1e-9 * max(1.0, abs(force)))


@pytest.mark.parametrize("name", ["governor", "pendulum", "cantilever", "slider-crank"])
def test_named_coordinates_give_the_same_matrices_in_both_formulations(name):
    model, speeds = CASES[name]
    joint, absolute = (model.linearize(speeds, formulation=f) for f in ("joint", "absolute"))
    assert joint.independent == absolute.independent
    for a, b in ((joint.M, absolute.M), (joint.C, absolute.C), (joint.K, absolute.K)):
        assert b == pytest.approx(a, abs=1e-9 * max(1.0, np.abs(a).max()))


def test_the_matrices_follow_a_change_of_coordinates():
    """x = S y for other independent coordinates: M_y = S^T M_x S and so on, at an equilibrium."""
    model, speeds = governor(), {"spindle": 11.0174}
    in_d, in_angle = (model.linearize(speeds, independent=[name]) for name in ("collar", "arm 2"))
    S = in_angle.point.T[in_d.reduction.motions[0], 0]
    for a, b in ((in_d.M, in_angle.M), (in_d.C, in_angle.C), (in_d.K, in_angle.K)):
        assert b == pytest.approx(S * a * S, rel=1e-10)


def test_at_rest_stiffness_is_symmetric_and_damping_positive(balanced):
    for name in ("four-bar", "andrews", "slider-crank", "ball chain"):
        reduction, point = balanced[name].reduction, balanced[name].point
        K, C = reduction.stiffness(point), reduction.damping(point)
        assert pytest.approx(K.T, abs=1e-10 * np.abs(K).max()) == K
        assert pytest.approx(C.T, abs=1e-10 * max(np.abs(C).max(), 1.0)) == C
        assert np.linalg.eigvalsh(C).min() > -1e-10
