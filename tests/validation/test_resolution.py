"""A fixed step that is too long for what happens: the verdict says so, and says nothing of one that is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwork.analyses.certificate.resolution import Resolution
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import NumericalError
from linkwork.library import library_model
from random_mechanisms.anything import anything

SNAP = 50075  # a linkage whose lightest link, a millionth of the others, snaps over at t = 0.13 s


@pytest.mark.parametrize("integrator", ["rk4", "ab3"])
def test_a_light_link_that_snaps_over_between_two_steps_is_noticed(integrator):
    """Wherever the end is off by more than a hundredth of the size; and not where it is right."""
    mechanism = anything(SNAP).mechanism()
    options = Options(until=0.25, every=0.05, formulation="joint", rtol=1e-11)
    exact = simulate(mechanism, options)
    for count in (500, 1000, 16000):
        try:
            run = simulate(mechanism, replace(options, integrator=integrator, step=0.25 / count))
        except NumericalError as failure:
            assert count < 16000 and "try a smaller step" in str(failure)
            continue
        off = np.abs(run.position - exact.position).max()
        assert run.certificate.status == ("suspect" if off > 1e-2 else "finished"), count
        if count < 16000:
            assert off > 1e-2
            assert "the step is too long for the motion at t = 0." in run.certificate.warnings[-1]


@pytest.mark.parametrize(
    ("name", "until", "step"),
    [("pendulum", 2.0, 0.05), ("double-pendulum", 1.0, 0.01), ("four-bar", 3.0, 0.02), ("slider-crank", 0.5, 0.002)],
)
@pytest.mark.parametrize("integrator", ["rk4", "ab3"])
def test_steps_that_show_the_motion_are_trusted(name, until, step, integrator):
    run = library_model(name).simulate(until, integrator=integrator, step=step, every=until / 10, progress=False)
    assert run.certificate.status == "finished"


def test_simpson_s_rule_over_two_steps():
    """Off by h^5/90 of the fifth derivative, by the name and at the time of the worst; jumps between begin anew."""
    t, w = np.linspace(0.0, 2.0, 41), 5.0
    y = np.column_stack([np.sin(w * t), np.cos(w * t)])
    rate = np.column_stack([w * y[:, 1], -w * y[:, 0]])
    check = Resolution(("a", "b"), np.ones(2))
    for part in (slice(0, 7), slice(7, 9), slice(9, 41)):
        check.append(t[part], np.hstack([y, rate])[part])
    expected = 0.05**5 / 90.0 * w**5
    np.testing.assert_allclose(check.off, expected, rtol=0.05)
    assert check.warnings() == []
    again = Resolution(("a", "b"), np.ones(2))
    again.take_up(check.as_facts())
    again.append(np.array([3.0, 3.1]), np.tile([50.0, 60.0, 0.0, 0.0], (2, 1)))
    again.begin()
    again.append(np.array([3.2, 3.3, 3.4]), np.tile([90.0, 60.0, 0.0, 0.0], (3, 1)))
    assert again.warnings() == []
    again.append(np.array([3.5]), np.array([[90.0, 20.0, 0.0, 0.0]]))
    assert "at t = 3.4 s: within two steps 'b' goes another way than its rates, by 67% of its" in again.warnings()[0]
