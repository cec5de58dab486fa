"""Sensitivities of runs against the complex step of a whole run: dense, by NumPy and SciPy, nothing differentiated.

The start moves along a random motion that the constraints allow, y + i h dy goes through SciPy's integrator, and its
imaginary part is the derivative of the end.  Where parameters enter tables, converged differences of runs are the
reference (test_library_gradients.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dense_derivatives as dense
from linkwork.analyses.gradients.starts import Beside, started, starts_beside
from linkwork.analyses.gradients.stencil import Build
from linkwork.analyses.gradients.trace.equations import traceable
from linkwork.analyses.gradients.varied_run import VariedRun
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.files.nearby import Nearby
from linkwork.formulations.equations import Equations
from linkwork.library import LIBRARY, library_model

UNTIL = 0.05  # s
QUICK = ("pendulum", "four-bar", "slider-crank", "andrews", "bricard", "rrc-arm")
STIFF = "rotating-cantilever"  # its modes along the beam are too fast for explicit steps, if they are moved
SHORT = {"andrews": 0.005, "four-bar-flexible": 0.01, "quarter-car": 0.01}


@pytest.mark.parametrize(
    "model",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in LIBRARY if one != STIFF],
)
def test_the_end_moves_with_the_start(model: str) -> None:
    """To 1e-8 of the largest, each in its scale."""
    options = Options(until=SHORT.get(model, UNTIL), rtol=1e-11)
    mechanism = library_model(model).mechanism
    start = started(mechanism, options)
    if not traceable(Equations(start.compiled)):
        pytest.skip("friction with the loads of joints is settled in rounds, not by one dense system")
    equations = Equations(start.compiled.as_open_tree(False), np.complex128)
    along = allowed_motion(equations, start)
    found = VariedRun(
        start, [of_the_start(Nearby(mechanism, ["gravity.2"]), start, along, options)], options,
        np.array([0.0, options.until]),
    ).go()  # fmt: skip
    assert not found.reasons
    own = np.ones(len(start.y), bool)
    own[[start.compiled.layout.velocities.stop + k for k in start.compiled.layout.works]] = False  # but for the work
    expected = complex_step(equations, start, along, options.until)
    scales = np.where(state_scales(start.compiled) > 0.0, state_scales(start.compiled), 1.0)
    error = np.abs(found.slopes[0, -1, : len(own)] - expected)[own] / scales[own]
    assert error.max() < 1e-8 * max(1.0, (np.abs(expected) / scales)[own].max())  # 1: of what the drivers do not leave


def allowed_motion(equations: Equations, start: Start) -> np.ndarray:
    """dy on the constraints, by the imaginary part of a state that is put there."""
    scales = state_scales(start.compiled)
    state = start.y + 1j * dense.STEP * scales * np.random.default_rng(0).normal(size=len(start.y))
    dense.put_on_constraints(equations, 0.0, state, start.angles)
    return np.asarray(state.imag / dense.STEP)


def of_the_start(build: Build, start: Start, along: np.ndarray, options: Options) -> Beside:
    """A parameter that moves the start alone."""
    (beside,) = starts_beside(build, {"gravity.2": -9.81}, ["gravity.2"], start, options)
    return replace(beside, near=(), y=along, held=0.0 * beside.held, breaks=0.0 * beside.breaks, scale=1.0)


def complex_step(equations: Equations, start: Start, along: np.ndarray, until: float) -> np.ndarray:
    """The derivative of the end."""

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        state = y.copy()
        dense.put_on_constraints(equations, t, state, start.angles)
        return dense.rates(equations, t, state, start.angles)[0]

    first = start.y + 1j * dense.STEP * along
    end = solve_ivp(rate, (0.0, until), first, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1].copy()
    dense.put_on_constraints(equations, until, end, start.angles)
    return np.asarray(end.imag / dense.STEP)
