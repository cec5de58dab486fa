"""P1's parallelogram four-bar (cranks 1 m, coupler and ground 2 m), released at 10 degrees, through its flat positions.

Five times in 3 s all links are in line; there the constraints lose rank and the parallelogram meets the
antiparallelogram.  Every run must stay on its branch (the coupler stays level), follow the exact motion

    theta'' = -(g / l) (1 + r) / (2/3 + r) cos(theta),    r = mass of the coupler / mass of a crank

and keep its energy, each to a stated multiple of the tolerance.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from validation.plane_linkages import FORMULATIONS, GRAVITY, link, mechanism, one_freedom, pin, turn_angle, turn_rate

MASS = 3.564  # kg of a crank: 1 m of copper, 0.02 m square; the coupler is twice as long
RATIO = 2.0
UNTIL, HMAX = 3.0, 0.01  # s
FLAT = (0.1788, 0.9864, 1.3441, 2.1517, 2.5094)  # s, from 10 degrees
DEGREES = (9.5, 9.7, 9.9, 10.0, 10.25, 10.5)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)

ANGLE_BOUND = 10.0  # rad, of rtol
RATE_BOUND = 100.0  # rad/s, of rtol
DRIFT_BOUND = 20.0  # of rtol
LEVEL = 1e-11  # rad: on the other branch the coupler turns by radians


def parallelogram(degrees: float, plane: str | None) -> Mechanism:
    B, D = cmath.exp(1j * math.radians(degrees)), 2 + 0j
    bodies = [link("crank", 0j, B, MASS), link("coupler", B, B + D, RATIO * MASS), link("rocker", D, B + D, MASS)]
    pins = [pin("A", "ground", "crank", 0j), pin("B", "crank", "coupler", B), pin("C", "coupler", "rocker", B + D),
            pin("D", "ground", "rocker", D)]  # fmt: skip
    return mechanism(bodies, pins, plane)


def exact(degrees: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pull = GRAVITY * (1.0 + RATIO) / (2.0 / 3.0 + RATIO)
    return one_freedom(lambda theta: -pull * math.cos(theta), math.radians(degrees), 0.0, t)


@dataclass(frozen=True)
class Errors:
    """Against the exact motion: rad, rad/s, relative, rad."""

    angle: float
    rate: float
    drift: float
    tilt: float


def errors_of(run: Result, degrees: float) -> Errors:
    theta, omega = exact(degrees, run.t)
    angle = max(np.abs(turn_angle(run, name) - theta).max() for name in ("crank", "rocker"))
    rate = max(np.abs(turn_rate(run, name) - omega).max() for name in ("crank", "rocker"))
    return Errors(angle, rate, run.certificate.energy_drift, np.abs(turn_angle(run, "coupler")).max())


def assert_passes_flat_positions(
    integrator: str, formulation: str, plane: str | None, degrees: float, rtol: float
) -> None:
    options = Options(until=UNTIL, formulation=formulation, integrator=integrator, rtol=rtol, hmax=HMAX, every=0.01)
    run = simulate(parallelogram(degrees, plane), options)
    errors = errors_of(run, degrees)
    assert errors.tilt < LEVEL, errors
    assert errors.angle < ANGLE_BOUND * rtol, errors
    assert errors.rate < RATE_BOUND * rtol, errors
    assert errors.drift < DRIFT_BOUND * rtol, errors
    assert run.certificate.dof == 1
    assert run.certificate.max_violation["position"] < 1e-12
    assert run.certificate.max_violation["velocity"] < 1e-10


def test_flat_positions_are_where_they_should_be() -> None:
    """Of the exact motion: P1 has the first two at 0.18 and 1.0 s."""
    t = np.linspace(0.0, UNTIL, 30001)
    theta, _ = exact(10.0, t)
    crossings = t[1:][np.diff(np.floor(theta / np.pi)) != 0]
    assert crossings == pytest.approx(FLAT, abs=1.5e-4)


@pytest.mark.parametrize("rtol", TOLERANCES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["adams", "dop853"])
def test_parallelogram_passes_its_flat_positions(integrator: str, formulation: str, rtol: float) -> None:
    assert_passes_flat_positions(integrator, formulation, "xz", 10.0, rtol)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["adams", "dop853"])
def test_spatial_parallelogram_passes_its_flat_positions(integrator: str, formulation: str) -> None:
    assert_passes_flat_positions(integrator, formulation, None, 10.25, 1e-6)


@pytest.mark.parametrize("rtol", TOLERANCES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["adams", "dop853"])
def test_parallelogram_keeps_its_branch_with_steps_as_long_as_the_tolerance_allows(
    integrator: str, formulation: str, rtol: float
) -> None:
    """Without hmax a step of dop853 spans a flat position with much on either side."""
    options = Options(until=UNTIL, formulation=formulation, integrator=integrator, rtol=rtol, every=0.003)
    errors = errors_of(simulate(parallelogram(10.0, "xz"), options), 10.0)
    assert errors.tilt < LEVEL, errors
    assert errors.angle < 150 * rtol, errors
    assert errors.drift < 100 * rtol, errors


@pytest.mark.slow
@pytest.mark.parametrize("rtol", TOLERANCES)
@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["adams", "dop853"])
def test_parallelogram_passes_its_flat_positions_from_everywhere(
    integrator: str, formulation: str, plane: str | None, degrees: float, rtol: float
) -> None:
    assert_passes_flat_positions(integrator, formulation, plane, degrees, rtol)
