"""Contracts of a batch: it ends as single runs do, threads give the same bits, GPU = CPU to 1e-10."""

from __future__ import annotations

import dis
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.compiler.cuda_backend import why_not
from linkwork.compiler.kernels import Kernel
from linkwork.elements.registry import FAMILIES
from linkwork.errors import OptionError
from linkwork.formulations.equations import evaluate
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.fixed_steps import fixed_steps
from linkwork.integrators.loop.locate import begin_to_watch
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.numerics.status import Status
from linkwork.studies.batch import Batch, Ends, run_on_threads
from linkwork.studies.gpu import of_one, one_of_many, ready, refuse_what_happens, run_on_gpu, stages, step_count
from linkwork.system.tables import System

needs_gpu = pytest.mark.skipif(bool(why_not()), reason=f"no GPU: {why_not()}")
SIMULATIONS = 1024


def fixed(step: float, count: int) -> Options:
    """So many steps of one length (s)."""
    return Options(until=step * count, step=step, integrator="rk4")


def chain(links: int = 7) -> lw.Model:
    """Rods in a row along x, hinged about y, z, x, y ...; spatial, open."""
    model = lw.Model("chain", gravity=(0.0, 0.0, -9.81))
    inboard = model.ground
    for i in range(links):
        link = model.body(f"link{i}", lw.rod(mass=1.0, length=0.5, width=0.05), at=(0.5 * i + 0.25, 0.0, 0.0))
        model.revolute(f"hinge{i}", inboard, link, at=(0.5 * i, 0.0, 0.0), axis="yzx"[i % 3])
        inboard = link
    return model


def chain_batch(rng: np.random.Generator, simulations: int = SIMULATIONS, count: int = 300) -> Batch:
    start = assemble(chain().mechanism, "joint")
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, len(start.y)))
    states[:, -1] = 0.0  # no work done yet
    return Batch(start, states, fixed(1e-3, count))


def four_bar_batch(
    rng: np.random.Generator, formulation: str, simulations: int = SIMULATIONS, count: int = 300
) -> Batch:
    """Crank speeds and masses vary, and the start is off the constraints: the first correction has work to do."""
    crank = library_model("four-bar", {"angle": 60.0}).simulate(0.2, formulation=formulation, every=0.1, progress=False)
    start = assemble(library_model("four-bar", {"angle": 60.0}).mechanism, formulation)
    turning = np.concatenate([np.zeros(len(crank.result.q[0])), crank.result.v[-1], [0.0]])
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, 1)) * turning + 1e-4 * rng.normal(size=len(start.y))
    states[:, -1] = 0.0
    bodies = np.tile(start.compiled.system.bodies, (simulations, 1))
    bodies["mass"] *= rng.uniform(0.5, 2.0, bodies["mass"].shape)
    return Batch(start, states, fixed(5e-4, count), {"bodies": bodies})


def sprung_batch(rng: np.random.Generator, simulations: int = SIMULATIONS, count: int = 300) -> Batch:
    """A chain with what else runs on a GPU: springs, torsional springs, applied forces, laws, measures."""
    model = chain(3)
    model.spring_damper("spring", "ground", "link1", points=[(0, 0, 0.3), (0.8, 0, 0)], stiffness=80.0, damping=2.0)
    model.spring_damper("pull", "ground", "link2", points=[(0, 0.3, 0), (1.2, 0, 0)], force="30*(l - 1)^3 + v")
    model.torsional_spring_damper("torsion", "hinge1", stiffness=3.0, damping=0.2, free_angle=0.1)
    model.applied_force("push", "link2", force=("sin(9*t)", 0.0, "dist(link2, link0)"), torque=(0, 0.1, 0), axes="body")
    model.joint_force("motor", "hinge0", "2*cos(t) - 0.1*v + 0.1*q^2")
    start = assemble(model.mechanism, "joint")
    states = start.y + rng.uniform(-0.5, 0.5, (simulations, len(start.y)))
    states[:, -1] = 0.0
    return Batch(start, states, fixed(1e-3, count))


def apart(a: Ends, b: Ends) -> float:
    """Largest difference of two batches, relative to the largest value of each coordinate or 1."""
    assert not a.failed.any()
    assert not b.failed.any()
    return float((np.abs(a.states - b.states) / np.maximum(np.abs(b.states).max(axis=0), 1.0)).max())


# -- the GPU ----------------------------------------------------------------------------------------------------------
@needs_gpu
def test_a_chain_of_seven_links_on_the_gpu_is_the_chain_on_the_cpu(rng):
    batch = chain_batch(rng)
    assert apart(run_on_gpu(batch), run_on_threads(batch, 4)) < 1e-10


@needs_gpu
@pytest.mark.parametrize("formulation", ["absolute", "joint"])
def test_a_four_bar_on_the_gpu_is_the_four_bar_on_the_cpu(rng, formulation):
    batch = four_bar_batch(rng, formulation)
    assert apart(run_on_gpu(batch), run_on_threads(batch, 4)) < 1e-10


@needs_gpu
def test_forces_on_the_gpu_are_those_on_the_cpu(rng):
    batch = sprung_batch(rng)
    assert apart(run_on_gpu(batch), run_on_threads(batch, 4)) < 1e-10


@pytest.mark.skipif(not why_not(), reason="there is a GPU")
def test_without_a_gpu_that_is_said(rng):
    with pytest.raises(OptionError, match=r"no GPU to run on .*; use run_on_threads"):
        run_on_gpu(chain_batch(rng, 2, 1))


# -- what a GPU needs of the kernels, seen without one ----------------------------------------------------------------
NUMPY_ON_GPU = {  # functions of numbers that numba-cuda has; others compile on the CPU alone
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "hypot", "sinh", "cosh", "tanh", "arcsinh", "arccosh",
    "arctanh", "deg2rad", "rad2deg", "log", "log2", "log10", "pi", "inf", "nan",
}  # fmt: skip


def kernels_below(kernel: Kernel, found: dict[str, Kernel]) -> dict[str, Kernel]:
    """A kernel and all that it calls, by name."""
    name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
    if name not in found:
        found[name] = kernel
        for called in kernel.py_func.__code__.co_names:
            value = kernel.py_func.__globals__.get(called)
            if isinstance(value, Kernel):
                kernels_below(value, found)
    return found


def numpy_names(kernel: Kernel) -> set[str]:
    """What a kernel takes from NumPy."""
    code = list(dis.get_instructions(kernel.py_func))
    return {b.argval for a, b in pairwise(code) if a.opname == "LOAD_GLOBAL" and a.argval == "np"}


def test_kernels_use_of_numpy_only_what_a_gpu_has():
    found: dict[str, Kernel] = {}
    for batch in (chain_batch(np.random.default_rng(0), 1, 1), four_bar_batch(np.random.default_rng(0), "joint", 1, 1)):
        for stage in (evaluate, batch.method.factor, batch.method.solve, batch.method.correct, batch.method.accept):
            kernels_below(stage, found)
    for integrator in INTEGRATORS.values():
        kernels_below(integrator.step, found)
        kernels_below(integrator.interpolate, found)
    for loop in (fixed_steps, advance, begin_to_watch):
        kernels_below(loop, found)
    for family in FAMILIES:
        for kernel in family.kernels.values() if family.on_gpu else ():
            kernels_below(kernel, found)
    assert len(found) > 100
    assert {"sin", "cos"} <= set().union(*map(numpy_names, found.values()))
    for name, kernel in found.items():
        assert numpy_names(kernel) <= NUMPY_ON_GPU, name


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["chain", "four-bar", "springs"])
def test_what_the_gpu_runs_compiled_for_the_cpu(rng, kind):
    """NamedTuples, not references; arrays with the simulations last: the very function that a GPU thread calls."""
    if kind == "four-bar":
        batch = four_bar_batch(rng, "joint", 20, 50)
    else:
        batch = chain_batch(rng, 20, 50) if kind == "chain" else sprung_batch(rng, 20, 50)
    assert apart(as_on_gpu(batch), run_on_threads(batch)) < 1e-13


def as_on_gpu(batch: Batch) -> Ends:
    """By the function that a GPU thread calls."""
    count, run = len(batch.states), ready(batch)
    system = System(**{name: batch.tables.get(name, table) for name, table in batch.system._asdict().items()})
    work = Work(*(many(array, count) for array in run.work))
    angles, memory = (many(array, count) for array in of_one(run))
    states, control = np.ascontiguousarray(batch.states.T), np.tile(run.buffers.control, (count, 1))
    one = one_of_many(*stages(batch))
    status = [one(k, system, work, states, angles, memory, control, step_count(batch)) for k in range(count)]
    return Ends(states.T, control["t"][:, 0], np.array(status), control["steps"][:, 0])


def many(array: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(array[..., None], (*array.shape, count)).copy()


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


@pytest.mark.parametrize("integrator", ["rk4", "adams", "dop853", "generalized-alpha"])
def test_locks_blows_jumps_and_events_happen_as_in_single_runs(rng, integrator):
    """To the bit: a torque that jumps, a joint that is held for some time, a blow, an event that ends the run."""
    model = chain(3)
    model.joint_force("motor", "hinge0", "if(t < 0.07, 20, -5)")
    model.lock("clutch", "hinge1", since=0.05, until=0.15)
    model.impulse("blow", "link2", t=0.1, impulse=(0.0, 0.3, 0.2), at=(0.1, 0.02, 0.0))
    model.event("far", "abs(coordinate(hinge2)) > 0.05", "stop")
    start = assemble(model.mechanism, "joint")
    options = Options(until=0.3, integrator=integrator, step=1e-3 if integrator == "rk4" else None)
    ends = run_on_threads(Batch(start, np.tile(start.y, (3, 1)), options), 2)
    run = simulate(model.mechanism, replace(options, formulation="joint"))
    assert run.certificate.status == "stopped"
    assert (ends.status == Status.STOPPED).all()
    assert (ends.steps == run.certificate.steps).all()
    np.testing.assert_array_equal(ends.t, run.certificate.events[-1]["t"])
    alone = run_on_threads(Batch(start, start.y[None], replace(options, until=0.1)))
    run = simulate(model.mechanism, replace(options, until=0.1, formulation="joint"))
    assert alone.steps[0] == run.certificate.steps
    np.testing.assert_array_equal(alone.states[0, : len(run.q[-1])], run.q[-1])


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


def test_what_happens_in_single_runs_alone_is_refused_on_a_gpu(rng):
    model = chain(1)
    start = assemble(model.mechanism, "joint")
    with pytest.raises(OptionError, match="'adams' chooses its own steps; on a GPU use rk4 or ab3"):
        refuse_what_happens(ready(Batch(start, start.y[None], Options(until=0.1))))
    model.lock("clutch", "hinge0", since=0.05)
    start = assemble(model.mechanism, "joint")
    with pytest.raises(OptionError, match=r"something jumps, locks or strikes at t = 0\.05 s"):
        refuse_what_happens(ready(Batch(start, start.y[None], fixed(1e-3, 100))))


def test_python_has_no_place_in_a_batch():
    model = chain(1)
    model.python_force("wind", lambda t, x: (1.0, 0.0, 0.0), body="link0")
    start = assemble(model.mechanism, "joint")
    with pytest.raises(OptionError, match="python force 'wind': Python would hold up the other threads"):
        Batch(start, start.y[None], fixed(1e-3, 10))


def test_elements_that_do_not_run_on_a_gpu_run_on_threads_and_are_refused_there():
    plain, touching = chain(2), chain(2)
    touching.contact("floor", "link1", plane_at=(0, 0, -9), stiffness=1e3)
    batches = [
        Batch(start, start.y[None], fixed(1e-3, 60))
        for start in (assemble(model.mechanism, "joint") for model in (plain, touching))
    ]
    ends = [run_on_threads(batch).states[0, :4] for batch in batches]
    np.testing.assert_array_equal(*ends)
    with pytest.raises(OptionError, match=r"'contacts' do not run on a GPU"):
        run_on_gpu(batches[1])
