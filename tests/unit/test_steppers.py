"""Many steppers side by side: each is what it is alone, and one that begins anew does not touch the others."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError
from stepped import COUNT, FIXED, INPUTS, OUTPUTS, cart, forces


@pytest.mark.parametrize(("options", "off"), [(FIXED, 1e-10), ({"rtol": 1e-9}, 1e-7)])
def test_each_of_many_is_what_it_is_alone(options, off):
    held = forces(40)
    sim = cart().steppers(COUNT, 0.01, INPUTS, OUTPUTS, threads=2, **options)
    alone = [cart().stepper(0.01, INPUTS, OUTPUTS, **options) for _ in range(2)]
    np.testing.assert_allclose(sim.outputs[2], 0.3)
    for step in held:
        found = sim.step(step)
        for k, one in enumerate(alone):
            if not one.ended:
                row = one.step(dict(zip(INPUTS, step[:, k].tolist(), strict=True)))
                np.testing.assert_allclose(found[:, k], list(row.values()), rtol=off, atol=off)
    np.testing.assert_array_equal(sim.ended, [True] + [False] * (COUNT - 1))
    assert alone[0].ended
    assert not sim.failed.any()
    np.testing.assert_allclose(sim.t[1:], 0.4, rtol=1e-12)
    assert 0.0 < sim.t[0] < 0.4


def test_a_load_is_an_output():
    """At rest the hinge carries the pole; its joint is cut for it."""
    sim = cart().steppers(2, 0.01, (), ["hinge.force.z", "hinge.torque.x"])
    np.testing.assert_allclose(sim.outputs[0], 0.2 * 9.81, rtol=1e-9)
    assert np.isfinite(sim.step()).all()


def test_one_that_begins_anew_repeats_itself_and_the_others_go_on():
    held = forces(30)
    sim, other = (cart().steppers(COUNT, 0.01, INPUTS, OUTPUTS, threads=n, **FIXED) for n in (1, 3))
    first, began = [], sim.outputs.copy()
    for step in held:
        first.append(sim.step(step).copy())
        np.testing.assert_array_equal(other.step(step), first[-1])  # whatever the threads, to the bit
    went_on = [sim.step(step).copy() for step in held]
    other.restart(np.array([0, 3]))
    np.testing.assert_array_equal(other.step(held[0])[:, [0, 3]], began[:, [0, 3]])
    for k, step in enumerate(held):
        found = other.step(step)
        np.testing.assert_array_equal(found[:, [0, 3]], first[k][:, [0, 3]])
        assert not np.array_equal(found[:, [1, 2, 4]], went_on[k][:, [1, 2, 4]])
    np.testing.assert_array_equal(other.reset(), began)
    np.testing.assert_array_equal(other.step(held[0]), first[0])


def test_a_closed_loop_is_stepped_past_its_singular_positions():
    """A parallelogram that is turned around: energy stays as its motor gives it."""
    model = lw.library_model("four-bar", {"angle": 60.0})
    joint = model.mechanism.joint[0].name
    sim = model.steppers(2, 0.005, [f"{model.mechanism.body[0].name}.torque.y"], [f"{joint}.angle"], rtol=1e-8)
    run = model.simulate(1.0, rtol=1e-9, every=0.005, progress=False)
    found = np.array([sim.step()[0, 0] for _ in range(200)])
    np.testing.assert_allclose(found, run[f"{joint}.angle"][1:], atol=1e-5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": 0}, "count is 0"),
        ({"dt": -1.0}, "dt is -1; it must be a finite number > 0"),
        ({"engine": "cuda"}, "no engine 'cuda' of steppers; did you mean 'gpu'|no engine 'cuda' of steppers"),
        ({"inputs": ["cart.forc.x"]}, "cart.forc"),
        ({"outputs": ["hinge.angel"]}, "no output 'hinge.angel'; did you mean 'hinge.angle'"),
    ],
)
def test_what_makes_no_sense_is_refused(given, words):
    asked = {"count": 2, "dt": 0.01, "inputs": INPUTS, "outputs": OUTPUTS, **given}
    with pytest.raises(lw.LinkworkError, match=words):
        cart().steppers(**asked)


def test_what_is_scheduled_is_refused():
    sim = cart().steppers(2, 0.01, INPUTS, OUTPUTS)
    with pytest.raises(OptionError, match=r"inputs have the shape \(2,\); give \(2, 2\)"):
        sim.step(np.zeros(2))
    model = cart()
    model.lock("brake", "hinge", since=0.5)
    with pytest.raises(OptionError, match="'brake' changes the mechanism on its way"):
        model.steppers(2, 0.01)
    model = cart()
    model.joint_force("kick", "rail", "if(t < 0.07, 20, -5)")
    with pytest.raises(OptionError, match="jumps at a certain time"):
        model.steppers(2, 0.01)
