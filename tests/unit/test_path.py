"""The trajectory of a run: which states are kept, and what lies between them."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.certificate.singular.between_states import interpolation_buffers, pass_through, position_at
from linkwork.analyses.certificate.trajectory import CLOSE, Trajectory
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.library import library_model


def steps_of(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pendulum that turns at 1 rad/s: its steps, and angle, speed and work with their rates."""
    steps, one, zero = np.zeros(len(t), HISTORY), np.ones_like(t), np.zeros_like(t)
    steps["t"] = t
    return steps, np.column_stack([t, one, zero, one, zero, zero])


def trajectory() -> Trajectory:
    equations = Equations(assemble(library_model("pendulum").mechanism, "joint").compiled)
    return Trajectory(equations, np.ones(3), 0.0, np.array([0.0, 1.0, 0.0]), np.zeros(0))


def test_states_are_kept_by_the_motion_between_them_however_short_the_steps() -> None:
    fine, chunked, coarse = trajectory(), trajectory(), trajectory()
    t = np.linspace(0.0, 1.0, 9990)[1:]  # none of them on a multiple of CLOSE but the last
    fine.append(*steps_of(t))
    for chunk in np.array_split(t, 7):
        chunked.append(*steps_of(chunk))
    coarse.append(*steps_of(np.array([0.3, 0.6, 1.0])))
    path = fine.path()
    assert np.diff(path.t[:-1]) == pytest.approx(CLOSE, abs=2e-4)
    assert path.t[0] == 0.0 and path.t[-1] == 1.0
    np.testing.assert_array_equal(chunked.path().t, path.t)
    np.testing.assert_array_equal(coarse.path().t, [0.0, 0.3, 0.6, 1.0])


def test_a_mechanism_at_rest_leaves_its_start_and_its_end() -> None:
    resting = trajectory()
    steps, rows = steps_of(np.linspace(0.1, 5.0, 50))
    rows[:, :2] = 0.0
    resting.begin(0.0, np.zeros(3), np.zeros(0))
    resting.append(steps, rows)
    np.testing.assert_array_equal(resting.path().t, [0.0, 5.0])


def test_a_path_that_was_checked_goes_on_from_its_last_states() -> None:
    grown = trajectory()
    grown.append(*steps_of(np.linspace(0.1, 5.0, 50)))
    grown.shorten()
    grown.append(*steps_of(np.array([5.1, 5.2])))
    assert grown.path().t == pytest.approx(np.arange(4.3, 5.25, 0.1))


def between(t: np.ndarray, values: np.ndarray, slopes: np.ndarray, k: int, at: float) -> np.ndarray:
    """What the polynomial behind state k is at a time."""
    nodes, differences = interpolation_buffers(values.shape[1])
    found = np.zeros(values.shape[1])
    position_at(at, pass_through(t, values, slopes, k, nodes, differences), nodes, differences, found)
    return found


def test_between_states_positions_are_exact_to_the_order_of_values_and_slopes() -> None:
    t = np.array([0.0, 0.4, 0.7, 1.0])
    slopes = np.column_stack([np.cos(t), 7.0 * t**6])
    found = between(t, np.column_stack([np.sin(t), t**7]), slopes, 1, 0.55)
    assert found == pytest.approx([np.sin(0.55), 0.55**7], abs=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_between_two_states_of_any_spacing(seed: int) -> None:
    """Beside a dead centre steps shrink to rounding; the motion between is smooth all the same."""
    rng = np.random.default_rng(seed)
    t = np.cumsum(10.0 ** rng.uniform(-16.0, 0.0, 7))
    t = t[np.append(True, np.diff(t) > 0.0)]
    for k in range(len(t) - 1):
        for at in (t[k], 0.5 * (t[k] + t[k + 1]), t[k + 1]):
            found = between(t, np.cos(t)[:, None], -np.sin(t)[:, None], k, at)
            assert found[0] == pytest.approx(np.cos(at), abs=0.01)
