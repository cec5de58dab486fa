"""Gradients of runs of the library's models against runs made anew: geometry, masses, laws and starts."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from linkwork.analyses.gradients.adjoint.gradient import adjoint_slopes
from linkwork.analyses.gradients.simulation import run_slopes
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import OptionError
from linkwork.files.settings import field_value
from linkwork.library import OfLibrary

QUICK = [  # model, parameters with their values, end (s), step of the runs made anew, of the parameter
    ("pendulum", {"length": 1.0, "angle": 90.0}, 1.0, 1e-3),
    ("double-pendulum", {"length": 1.0, "angle": 90.0}, 0.7, 1e-3),
    ("slider-crank", {"crank": 0.1, "rod_length": 0.31, "speed": 21.648}, 0.2, 1e-3),
    ("quick-return", {"crank": 0.2, "speed": 6.283}, 0.6, 3e-4),
    ("bricard", {"length": 1.0}, 0.7, 1e-3),
    ("quarter-car", {"sprung": 400.0, "damping": 1500.0, "height": 0.05, "speed": 10.0}, 0.47, 1e-3),
    ("andrews", {"K1.mass": None, "K5.mass": None}, 0.01, 1e-3),
]
ALL = [
    ("four-bar", {"angle": 10.0, "coupler": 2.0, "density": 8910.0}, 0.12, 3e-4),
    ("four-bar-flexible", {"angle": 10.0, "coupler": 2.0, "damping": 0.01}, 0.12, 3e-4),
    ("n-four-bar", {"crank0.mass": None}, 0.3, 1e-3),
    ("windscreen-wiper", {"crank": 0.045, "rocker": 0.065, "speed": 4.712}, 1.0, 3e-4),
    ("hooke-shaft", {"angle": 30.0, "phase": 10.0, "speed": 12.566}, 0.3, 3e-4),
    ("gyroscope", {"spin": 150.0, "tilt": 60.0, "weight": 0.02}, 0.2, 3e-5),
    ("bouncing-ball", {"height": 1.0, "speed": 0.5, "restitution": 0.8}, 0.6, 1e-4),
    ("rrc-arm", {"link 1.mass": None}, 0.3, 1e-3),
    ("stewart-platform", {"tilt": 15.0, "surge": 0.15, "period": 4.0}, 1.0, 1e-3),
    ("excavator", {"payload": 800.0, "period": 12.0}, 1.5, 1e-3),
    ("hmmwv", {"speed": 8.0, "front_share": 0.4}, 0.3, 1e-3),
    ("bicycle", {"speed": 5.0, "lean_rate": 0.1}, 1.0, 1e-3),
    ("governor", {"spring.stiffness": 1000.0, "ball 1.mass": 1.0}, 0.3, 1e-3),
    ("rotating-cantilever", {"axial": 1.0}, 0.02, 1e-3),
]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case[0])
def test_models_of_the_library(case) -> None:
    compare(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL, ids=lambda case: case[0])
def test_all_models_of_the_library(case) -> None:
    compare(*case)


def compare(model: str, parameters: dict[str, float | None], until: float, share: float) -> None:
    """Coordinates and velocities at every sample: to 1e-8 of the largest, or as far as the runs made anew agree.

    What hardly changes is compared on the scale of what does, and of the state itself over the parameter.
    """
    build, times = OfLibrary(model), np.linspace(0.0, until, 11)
    settings = {name: field_value(build({}), name) if x is None else x for name, x in parameters.items()}
    result = simulate(build(settings), Options(until=until, rtol=1e-11), times=times)
    varied = run_slopes(result, build, settings, list(settings))
    assert not varied.reasons
    names = [*result.names["q"], *result.names["v"]]
    slopes = np.stack([varied.number(name).slope for name in names], axis=-1)

    def states(name: str, x: float) -> np.ndarray:
        run = simulate(build({**settings, name: x}), Options(until=until, rtol=1e-12), times=times)
        return np.hstack([run.q, run.v])

    for k, (name, x) in enumerate(settings.items()):
        rough, fine = (_differences(partial(states, name), x, h) for h in (share * x, 0.5 * share * x))
        least = 1e-2 * np.abs(slopes[:, k]).max() + 1e-4 * np.abs(states(name, x)).max() / abs(x) + 1e-12
        sizes = np.maximum(np.abs(fine).max(axis=0), least)
        error, doubt = np.abs(slopes[:, k] - fine) / sizes, np.abs(rough - fine) / sizes
        print(f"{model} {name}: error {error.max():.1e}, of the differences {doubt.max():.1e}")
        assert error.max() < 1e-8 + 4.0 * doubt.max() and doubt.max() < 1e-4, name


def _differences(value, x: float, h: float) -> np.ndarray:
    """Of fourth order."""
    a, b, c, d = (value(x + k * h) for k in (-2, -1, 1, 2))
    return (a - 8 * b + 8 * c - d) / (12 * h)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*QUICK, *ALL], ids=lambda case: case[0])
def test_the_adjoint_equation_agrees(case) -> None:
    """A coordinate, a velocity and the energy, in the middle and at the end: as forward mode, or refused by name."""
    model, parameters, until, _ = case
    build, times = OfLibrary(model), np.linspace(0.0, until, 11)
    settings = {name: field_value(build({}), name) if x is None else x for name, x in parameters.items()}
    result = simulate(build(settings), Options(until=until, rtol=1e-10), times=times)
    try:
        reverse = adjoint_slopes(result, build, settings, list(settings))
        names = [result.names["q"][0], result.names["v"][-1], "energy"]
        found = reverse.gradients([{name: np.eye(11)[k]} for name in names for k in (5, 10)])
    except OptionError as refused:
        assert (
            model in ("windscreen-wiper", "hooke-shaft", "rotating-cantilever")
            and 'mode = "forward"' in refused.message
        )
        return
    varied = run_slopes(result, build, settings, list(settings))
    expected = np.array([varied.number(name).slope[k] for name in names for k in (5, 10)])
    sizes = np.array([np.abs(result.channel(name)).max() for name in names for _ in range(2)])
    least = 1e-3 * sizes[:, None] / np.abs(list(settings.values())) + 1e-12
    least[:4] = np.maximum(least[:4], 1e-2 * np.abs(expected[:4]).max())  # coordinates and velocities, as in `compare`
    assert np.max(np.abs(found - expected) / np.maximum(np.abs(expected).max(axis=1, keepdims=True), least)) < 1e-7
