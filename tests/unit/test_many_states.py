"""Forward and inverse dynamics of many states in one call: those of single calls, bit for bit; what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.errors import OptionError
from linkwork.library import library_model

STATES = 6


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar", "stewart-platform", "four-bar-flexible"])
def test_many_states_are_as_many_calls(name: str) -> None:
    model = library_model(name)
    calls, start, rng = model.calls(), model.assemble(), np.random.default_rng(0)
    n = len(calls.v_names)
    q = np.tile(start.y[: len(calls.q_names)], (STATES, 1))
    v, tau = rng.standard_normal((2, STATES, n))
    v_dot = calls.forward(q, v, tau)
    np.testing.assert_array_equal(v_dot, [calls.forward(*state) for state in zip(q, v, tau, strict=True)])
    np.testing.assert_array_equal(calls.forward(q, v), calls.forward(q, v, np.zeros((STATES, n))))
    needed = calls.inverse(q, v, v_dot)
    np.testing.assert_array_equal(needed, [calls.inverse(*state) for state in zip(q, v, v_dot, strict=True)])
    out = np.zeros((STATES, n))
    assert calls.forward(q, v, tau, out) is out
    np.testing.assert_array_equal(out, v_dot)
    if name == "double-pendulum":
        np.testing.assert_allclose(needed, tau, atol=1e-12 * np.abs(tau).max() + 1e-11)


def test_a_shape_that_does_not_fit_is_named() -> None:
    calls = library_model("double-pendulum").calls()
    with pytest.raises(OptionError, match=r"'v' has the shape \(3, 2\); give \(4, 2\): one row for each state"):
        calls.forward(np.zeros((4, 2)), np.zeros((3, 2)))


@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
@pytest.mark.parametrize("what", ["forward", "inverse"])
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("wrong", [-1, 1, 7])
def test_a_vector_of_the_wrong_length_is_named(name: str, what: str, place: int, wrong: int) -> None:
    calls = library_model(name).calls()
    lengths = len(calls.q_names), *[len(calls.v_names)] * 3
    given = [np.zeros(length + wrong * (k == place)) for k, length in enumerate(lengths)]
    called, names = ("q", "v", "the third", "out")[place], "q_names" if place == 0 else "v_names"
    sentence = f"'{called}' has {lengths[place] + wrong} entries; give {lengths[place]}: one for each of Calls.{names}"
    with pytest.raises(OptionError, match=sentence):
        getattr(calls, what)(*given)
