"""Order of every integrator on a closed four-bar, through the projection onto its constraints.

Over 0.3 s from 60 degrees, far from any singular position, against the one-freedom equation in closed form.
A fixed step must show its order p; an adaptive integrator, which holds the error of a step to the tolerance, an error
in proportion to tolerance^(p/(p+1)) or better: to the tolerance itself when p is high.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.integrators.registry import INTEGRATORS
from validation.plane_linkages import FORMULATIONS, FourBar, mechanism, turn_angle, turn_rate

BAR = FourBar()
THETA, RATE, UNTIL = math.radians(60.0), -4.0, 0.3  # rad, rad/s, s
FIXED = [name for name, how in INTEGRATORS.items() if not how.adaptive]
ADAPTIVE = [name for name, how in INTEGRATORS.items() if how.adaptive]
HALVINGS = 5
TOLERANCES = np.array([1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11])  # looser ones are met by hmax alone


def crank_error(formulation: str, plane: str | None, **options) -> float:
    """Largest error of crank angle (rad) and rate (rad/s) at the samples."""
    four_bar = mechanism(*BAR.parts(THETA, RATE), plane)
    run = simulate(four_bar, Options(until=UNTIL, formulation=formulation, every=UNTIL / 10, **options))
    angle, rate = BAR.motion(THETA, RATE, run.t)
    return max(np.abs(turn_angle(run, "crank") - angle).max(), np.abs(turn_rate(run, "crank") - rate).max())


@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", FIXED)
def test_fixed_step_has_its_order(integrator: str, formulation: str, plane: str | None) -> None:
    steps = UNTIL / 30 * 0.5 ** np.arange(HALVINGS)
    errors = [crank_error(formulation, plane, integrator=integrator, step=float(h)) for h in steps]
    orders = -np.diff(np.log2(errors))
    assert orders[-1] == pytest.approx(INTEGRATORS[integrator].order, abs=0.15), (errors, orders)
    assert errors[-1] < 3e-5


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_error_is_in_proportion_to_the_tolerance(integrator: str, formulation: str) -> None:
    errors = [crank_error(formulation, "xz", integrator=integrator, rtol=float(rtol)) for rtol in TOLERANCES]
    slope, level = np.polyfit(np.log10(TOLERANCES), np.log10(errors), 1)
    off = np.log10(errors) - slope * np.log10(TOLERANCES) - level  # decades
    order = INTEGRATORS[integrator].order
    assert order / (order + 1.0) - 0.1 < slope < 1.15, errors
    assert np.abs(off).max() < 1.0, errors
    if order >= 8:
        assert np.max(errors / TOLERANCES) < 50
