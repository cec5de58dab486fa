"""Radau IIA: its stability function, its order at the ends of steps and between them, stiff mechanisms by closed forms
and the flyball governor of IFToMM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.integrators.radau.scheme import T_INVERSE, T, derivatives
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from random_mechanisms import random_linkage
from validation.plane_linkages import FORMULATIONS
from validation.test_random_loops import SPATIAL, largest_distance
from validation.test_stiff import governor, governor_error, oscillators


def run(model: Mechanism, until: float, **options) -> Result:
    return simulate(model, Options(until=until, integrator="radau", **options))


# ------------------------------------------------------------------------------------------------------- the numbers


def test_the_numbers_are_those_of_the_published_method() -> None:
    """A = D^-1 of Hairer and Wanner II, table IV.5.6, and the decomposition of their code, to its digits."""
    s = math.sqrt(6.0)
    A = np.array([
        [(88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225],
        [(296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225],
        [(16 - s) / 36, (16 + s) / 36, 1 / 9],
    ])  # fmt: skip
    np.testing.assert_allclose(derivatives() @ A, np.eye(3), atol=1e-14)
    printed = np.array([
        [9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02],
        [0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779],
        [0.96604818261509293619, 1.0, 0.0],
    ])  # fmt: skip
    np.testing.assert_allclose(T * [printed[2, 0], 1.0, -1.0], printed, atol=1e-14)
    np.testing.assert_allclose(T @ T_INVERSE, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("theta", [0.3, 1.0, 3.0, 30.0])
def test_a_mode_is_damped_by_pade_s_approximation(theta: float) -> None:
    """x'' + omega^2 x = 0 by steps of theta / omega: R(i theta), R(z) = (1 + 2 z / 5 + z^2 / 20) / (1 - ...)."""
    omega, steps = 100.0, 20
    h = theta / omega
    one = run(oscillators((omega**2, 0.0, 1e-6)), steps * h, rtol=0.1, hmax=h, every=h)
    assert one.certificate.steps == steps
    state = one.position[:, 0, 0] - 1.0 - 1j * one.velocity[:, 0, 0] / omega
    z = 1j * theta
    R = (1 + 2 * z / 5 + z**2 / 20) / (1 - 3 * z / 5 + 3 * z**2 / 20 - z**3 / 60)
    np.testing.assert_allclose(state[-1] / state[0], R**steps, atol=1e-6)


# ---------------------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("seed", range(3))
def test_the_error_falls_as_the_tolerance_of_order_3_gives_steps_to_a_method_of_order_5(seed: int) -> None:
    """Steps are in proportion to rtol^(1/6), (9.17) by the fourth root, errors to their fifth power; at all samples."""
    model = random_linkage(SPATIAL["RSSR"], seed)
    exact = simulate(model, Options(until=0.8, every=0.007, integrator="dop853", rtol=1e-12))
    tolerances = (1e-5, 1e-7, 1e-9)
    runs = [simulate(model, Options(until=0.8, integrator="radau", rtol=rtol), times=exact.t) for rtol in tolerances]
    errors = np.array([largest_distance(one, exact) for one in runs])
    steps = np.array([one.certificate.steps for one in runs])
    assert np.all(errors < tolerances)
    order = math.log(errors[0] / errors[2]) / math.log(steps[2] / steps[0])
    assert 4.3 < order < 6.5, (errors, steps)


# ----------------------------------------------------------------------------------------------------- stiff mechanisms


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("rtol", "steps"), [(1e-4, 60), (1e-6, 80), (1e-8, 150)])
def test_governor(formulation: str, rtol: float, steps: int) -> None:
    """The error follows rtol: of height and angle, and of the spin; adams takes 6400 steps at any tolerance.

    In absolute coordinates the stiff springs turn with their axes: there Newton's method bounds the steps.
    """
    one = run(governor(), 2.0, formulation=formulation, rtol=rtol, every=0.5)
    assert np.all(governor_error(one) < rtol * np.array([3.0, 3.0, 20.0])), governor_error(one)
    assert one.certificate.steps < (steps if formulation == "joint" else 400)
    assert max(one.certificate.max_violation.values()) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("c", [1e4, 1e6, 1e8])
def test_overdamped_oscillator_takes_steps_far_beyond_its_fast_mode(formulation: str, c: float) -> None:
    """x'' + c x' + c x = 0: x = (b exp(-a t) - a exp(-b t)) x0 / (b - a), a near 1/s, b near c; at all samples."""
    root = math.sqrt(c * c - 4.0 * c)
    b = 0.5 * (c + root)
    a = c / b
    one = run(oscillators((c, c, 0.3)), 5.0, formulation=formulation, rtol=1e-7)
    x = 0.3 * (b * np.exp(-a * one.t) - a * np.exp(-b * one.t)) / (b - a)
    v = -0.3 * a * b * (np.exp(-a * one.t) - np.exp(-b * one.t)) / (b - a)
    assert np.abs(one.position[:, 0, 0] - 1.0 - x).max() < 1e-6
    assert np.abs(one.velocity[:, 0, 0] - v).max() < 1e-5
    assert one.certificate.steps < 250
    assert one.steps["h"][one.steps["t"] > 1.0].mean() * c > 200.0  # explicit methods need h c < 2


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_stiff_random_loops_by_both_implicit_integrators(formulation: str, seed: int) -> None:
    """A damper of 1e5 N s/m and a spring across a random spatial loop: the same motion by generalized-alpha."""
    model = random_linkage(SPATIAL["RSSR"], seed)
    names = [body.name for body in model.body]
    points = ((0.1, 0.2, 0.3), model.body[-1].at)
    strut = {"name": "strut", "between": ("ground", names[-1]), "points": points, "stiffness": 1e5, "damping": 1e5}
    stiff = Mechanism.model_validate({**model.model_dump(), "spring_damper": (strut,)})
    one = run(stiff, 0.3, formulation=formulation, rtol=1e-8, every=0.01)
    other = simulate(
        stiff, Options(until=0.3, integrator="generalized-alpha", formulation=formulation, rtol=1e-8, every=0.01)
    )
    assert largest_distance(one, other) < 3e-6
    assert one.certificate.steps < 0.5 * other.certificate.steps
    assert max(one.certificate.max_violation.values()) < 1e-10
