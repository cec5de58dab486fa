"""Contracts of a batch: it ends as single runs do, and threads give the same bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from batches import apart, chain, chain_batch, eventful_batch, fixed, four_bar_batch
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.simulate.samples import columns_of
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.library import library_model
from linkwork.methods.registry import METHODS
from linkwork.numerics.status import Status
from linkwork.studies.batch import Batch, Sampling, run_on_threads
from linkwork.studies.room import Room, as_words


# -- rooms ------------------------------------------------------------------------------------------------------------
def test_a_room_holds_its_arrays_at_whole_words(rng):
    arrays = {
        "flags": rng.integers(0, 2, 5).astype(np.bool_), "nothing": np.zeros((0, 3)), "table": rng.normal(size=(3, 4)),
        "records": np.array([(1, 2.5), (3, 4.5)], np.dtype([("n", np.int32), ("x", np.float64)], align=True)),
    }  # fmt: skip
    room = Room(arrays)
    for name, view in room.views(room.begun).items():
        np.testing.assert_array_equal(view, arrays[name])
        assert view.ctypes.data % 8 == 0
    assert room.part(["table", "records"]) == slice(1, 1 + 12 + 4)
    words = as_words(np.stack([arrays["flags"], ~arrays["flags"]]))
    assert words.shape == (1, 2)
    np.testing.assert_array_equal(words.T.copy().view(np.bool_)[1, :5], ~arrays["flags"])


# -- threads ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_a_batch_ends_where_single_runs_end(rng, formulation):
    model = library_model("four-bar", {"angle": 60.0})
    start = assemble(model.mechanism, formulation)
    ends = run_on_threads(Batch(start, np.tile(start.y, (2, 1)), fixed(1e-3, 200)))
    run = simulate(model.mechanism, Options(until=0.2, formulation=formulation, integrator="rk4", step=1e-3))
    assert not ends.failed.any()
    expected = np.concatenate([run.q[-1], run.v[-1]])
    np.testing.assert_allclose(ends.states[:, :-1], np.tile(expected, (2, 1)), atol=1e-11)


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_rounding_does_not_decide_which_rows_are_taken(rng, formulation):
    """Starts off the constraints, rounded otherwise: the first correction goes by other rows to another position."""
    batch = four_bar_batch(rng, formulation, simulations=256, count=3)
    rounded = batch.states * (1.0 + 2e-16 * rng.choice([-1.0, 1.0], batch.states.shape))
    assert apart(run_on_threads(batch), run_on_threads(replace(batch, states=rounded))) < 1e-13


def test_a_varied_table_is_another_mechanism(rng):
    """Twice the mass in the table, or in the model."""
    light, heavy = (chain_with_tip(mass) for mass in (1.0, 2.0))
    bodies = np.stack([light.compiled.system.bodies, heavy.compiled.system.bodies])
    both = run_on_threads(Batch(light, np.tile(light.y, (2, 1)), fixed(1e-3, 100), {"bodies": bodies}))
    alone = run_on_threads(Batch(heavy, heavy.y[None], fixed(1e-3, 100)))
    np.testing.assert_array_equal(both.states[1], alone.states[0])
    assert np.abs(both.states[0] - both.states[1]).max() > 1e-3


def chain_with_tip(mass: float) -> Start:
    model = chain(2)
    tip = model.body("tip", lw.sphere(mass=mass, radius=0.1), at=(1.0, 0.0, 0.2))
    model.spherical("ball", "link1", tip, at=(1.0, 0.0, 0.0))
    return assemble(model.mechanism, "joint")


def test_threads_give_the_same_bits(rng):
    batch = four_bar_batch(rng, "joint", simulations=10, count=20)
    one, many = run_on_threads(batch, 1), run_on_threads(batch, 3)
    np.testing.assert_array_equal(one.states, many.states)


@pytest.mark.parametrize("integrator", ["rk4", "adams", "dop853", "generalized-alpha", "radau"])
def test_locks_blows_jumps_and_events_happen_as_in_single_runs(integrator):
    """To the bit."""
    batch = eventful_batch(integrator)
    start, options, mechanism = batch.start, batch.options, batch.start.compiled.mechanism
    ends = run_on_threads(batch, 2)
    run = simulate(mechanism, replace(options, formulation="joint"))
    assert run.certificate.status == "stopped"
    assert (ends.status == Status.STOPPED).all()
    assert (ends.steps == run.certificate.steps).all()
    np.testing.assert_array_equal(ends.t, run.certificate.events[-1]["t"])
    alone = run_on_threads(Batch(start, start.y[None], replace(options, until=0.1)))
    run = simulate(mechanism, replace(options, until=0.1, formulation="joint"))
    assert alone.steps[0] == run.certificate.steps
    np.testing.assert_array_equal(alone.states[0, : len(run.q[-1])], run.q[-1])


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"articulated"}))
def test_methods_as_printed_end_as_in_single_runs(method):
    """Step by step, through changes of basis, at which the integrator begins afresh."""
    mechanism = library_model("slider-crank").mechanism
    options = Options(until=0.2, formulation="joint", method=method, literal=True)
    start = assemble(mechanism, "joint")
    run = simulate(mechanism, options)
    ends = run_on_threads(Batch(start, np.tile(start.y, (2, 1)), options), 2)
    assert not ends.failed.any()
    assert (ends.steps == run.certificate.steps).all()
    last = np.tile(run.q[-1], (2, 1))  # a sample, brought onto the constraints once more
    np.testing.assert_allclose(ends.states[:, : len(run.q[-1])], last, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"states": np.zeros((3, 2))}, ("shape (3, 2)", "[simulation, 15]")),
        ({"tables": {"body": np.zeros(1)}}, ("no table 'body'", "bodies")),
        ({"tables": {"bodies": np.zeros(1)}}, ("'bodies' has the shape (1,)", "(4, 8)")),
    ],
)
def test_a_senseless_batch_is_refused(rng, change, words):
    good = chain_batch(rng, 4, 1)
    said = {"start": good.start, "states": good.states, "options": good.options, **change}
    with pytest.raises(OptionError) as caught:
        Batch(**said)
    for word in words:
        assert word in str(caught.value)
    with pytest.raises(OptionError, match="threads is 0; at least one"):
        run_on_threads(good, 0)


def test_python_has_no_place_in_a_batch():
    model = chain(1)
    model.python_force("wind", lambda t, x: (1.0, 0.0, 0.0), body="link0")
    start = assemble(model.mechanism, "joint")
    with pytest.raises(OptionError, match="python force 'wind': Python would hold up the other threads"):
        Batch(start, start.y[None], fixed(1e-3, 10))


def test_samples_of_a_batch_are_reduced_as_they_are_kept_and_do_not_change_its_ends(rng):
    """All columns of a row, at times between steps and on them."""
    batch = four_bar_batch(rng, "joint", 5, 40)
    width = columns_of(Equations(batch.start.compiled)).width
    sampling = Sampling(np.array([0.0, 0.0031, 0.005, 0.0177, 0.02]), np.arange(width))
    ends = run_on_threads(replace(batch, sampling=sampling), 2)
    found = ends.samples
    assert found is not None
    np.testing.assert_array_equal(ends.states, run_on_threads(batch).states)
    np.testing.assert_allclose(found.values[:, -1, : len(batch.start.y)], ends.states, atol=1e-14)  # corrected again
    np.testing.assert_array_equal(found.largest, found.values.max(axis=1))
    np.testing.assert_array_equal(found.least, found.values.min(axis=1))
    np.testing.assert_array_equal(found.first, found.values[:, 0])
    np.testing.assert_array_equal(found.last, found.values[:, -1])
    for reduced, whole in ((found.mean, found.values), (found.rms**2, found.values**2)):
        np.testing.assert_allclose(reduced, np.trapezoid(whole, sampling.times, axis=1) / 0.02, rtol=1e-13, atol=1e-15)
    some = replace(sampling, kept=np.array([1, 4]))
    few = run_on_threads(replace(batch, sampling=some)).samples
    assert few is not None
    np.testing.assert_array_equal(few.values, found.values[:, [1, 4]])
    np.testing.assert_array_equal(few.rms, found.rms)
    kept = run_on_threads(replace(batch, sampling=replace(some, reduces=False))).samples
    assert kept is not None
    assert kept.largest.size == 0
    np.testing.assert_array_equal(kept.values, few.values)
    with pytest.raises(OptionError, match="times of samples are none, before 0 or not rising"):
        Sampling(np.array([1.0, 0.5]), np.arange(2))
