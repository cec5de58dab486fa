"""Contracts of a batch on a GPU: GPU = CPU to 1e-10; the program of a GPU, tried on this machine's processor."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import emulated_gpu
import linkwork as lw
from batches import (
    SIMULATIONS,
    apart,
    chain,
    chain_batch,
    driven_batch,
    eventful_batch,
    fixed,
    four_bar_batch,
    sprung_batch,
)
from emulated_gpu import EmulatedDevice
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.argument_types import Stage
from linkwork.compiler.gpu import program, ptx
from linkwork.compiler.gpu.apart import ptx_apart
from linkwork.compiler.gpu.device_array import DeviceArray
from linkwork.compiler.gpu.driver import why_not
from linkwork.compiler.gpu.known import Known, Memory, Place
from linkwork.compiler.gpu.launch import check_room
from linkwork.compiler.gpu.specialize import ITEM, with_numbers
from linkwork.compiler.kernels import kernel
from linkwork.compiler.meter import METER
from linkwork.errors import KernelError, OptionError
from linkwork.integrators import stages
from linkwork.integrators.loop.share import run_share
from linkwork.library import LIBRARY, library_model
from linkwork.numerics.status import CHOOSE_ROWS
from linkwork.studies import batch as batches_of_threads
from linkwork.studies.batch import Batch, Ends, Sampling, run_on_threads
from linkwork.studies.engines import gpu as gpu_engine
from linkwork.studies.gpu import is_plain, known_of, run_and_stay, run_on_gpu
from linkwork.studies.share import Share
from stepped import COUNT, FIXED, INPUTS, OUTPUTS, cart, forces
from studied import four_bar

LOOP_STAGES = [one.signature for one in stages.RUN_SHARE.arguments if isinstance(one, Stage)]
needs_gpu = pytest.mark.skipif(bool(why_not()), reason=f"no GPU: {why_not()}")


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
@pytest.mark.parametrize("name", LIBRARY)
def test_every_library_model_on_the_gpu_is_the_model_on_the_cpu(rng, name):
    """At 1024 variants of the velocities, with steps of one length: those of an adaptive run differ by rounding."""
    batch = model_batch(rng, name)
    assert apart(run_on_gpu(batch), run_on_threads(batch, 4)) < 1e-10


QUICK = ("pendulum", "quarter-car")  # programs that are made in a few seconds


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LIBRARY]
)
def test_every_library_model_by_the_program_of_a_gpu_is_the_model_on_threads(rng, monkeypatch, name):
    """The same 1024 variants on this machine's processor, one after the other."""
    emulated_gpu.compile_here(monkeypatch)
    batch = model_batch(rng, name)
    assert apart(run_on_gpu(batch, EmulatedDevice()), run_on_threads(batch, 2)) < 1e-10


@needs_gpu
def test_what_happens_in_a_run_happens_on_the_gpu():
    batch = eventful_batch("adams")
    assert_same_ends(run_on_gpu(batch), run_on_threads(batch))


@needs_gpu
def test_drivers_that_change_or_let_go_friction_and_blows_on_the_gpu(rng):
    batch = driven_batch(rng, 1024)
    assert_same_ends(run_on_gpu(batch), run_on_threads(batch, 4))


@needs_gpu
def test_simulations_through_singular_positions_on_the_gpu(rng):
    batch = replace(four_bar_batch(rng, "joint", 100, 400), options=fixed(1e-3, 700))
    assert apart(run_on_gpu(batch), run_on_threads(batch, 4)) < 1e-8


TAKERS = {
    "torch": lambda torch, array: torch.from_dlpack(array),
    "jax": lambda jax, array: jax.dlpack.from_dlpack(array),
    "cupy": lambda cupy, array: cupy.from_dlpack(array),
}


@needs_gpu
@pytest.mark.parametrize("taker", TAKERS)
def test_ends_and_outputs_on_the_gpu_are_taken_without_a_copy(rng, monkeypatch, taker):
    """At the address that they have, and as they are; they stay while the other program has them."""
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    program = pytest.importorskip(taker)
    if taker == "jax":
        program.config.update("jax_enable_x64", True)
    batch = sprung_batch(rng, 100, 20)
    ends = run_and_stay(batch)
    sim = cart().steppers(count=COUNT, dt=0.01, inputs=INPUTS, outputs=OUTPUTS, **FIXED, engine="gpu")
    for array in (ends.states, ends.t, ends.steps, ends.status, sim.step(forces(1)[0])):
        expected, address = array.numpy(), array.address
        taken = TAKERS[taker](program, array)
        del array
        assert address_of(taken) == address
        np.testing.assert_array_equal(np.asarray(taken.get() if taker == "cupy" else taken.cpu() if taker == "torch"
                                                 else taken), expected)  # fmt: skip


def address_of(taken: Any) -> int:
    """Where an array of another program lies."""
    if hasattr(taken, "unsafe_buffer_pointer"):
        return int(taken.unsafe_buffer_pointer())
    return int(taken.__cuda_array_interface__["data"][0])


@needs_gpu
def test_inputs_that_pytorch_writes_on_the_gpu_are_those_from_numpy():
    torch = pytest.importorskip("torch")
    asked = {"count": COUNT, "dt": 0.01, "inputs": INPUTS, "outputs": OUTPUTS, **FIXED}
    there, here = cart().steppers(**asked, engine="gpu"), cart().steppers(**asked)
    held = torch.from_dlpack(there.inputs)
    for step in forces(30):
        held.copy_(torch.as_tensor(step))
        torch.cuda.synchronize()
        np.testing.assert_allclose(there.step().numpy(), here.step(step), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(there.ended, here.ended)


@needs_gpu
def test_a_study_on_the_gpu_is_the_study_on_this_machine(capsys):
    """One call, the same table; what each row says of its checks differs."""
    asked = {"runs": 200, "seed": 1, "integrator": "rk4", "step": 0.005, "every": 0.05, "progress": True}
    vary = {"coupler.mass": "1 kg +/- 0.1", "strut.stiffness": "normal(200, 10)"}
    outputs = ["max(B.angle)", "rms(A.rate)", "at(coupler.position.z, 0.0731)", "end(energy)"]
    tables = [four_bar().study(vary, outputs, 0.5, **asked, engine=engine) for engine in ("threads", "gpu")]
    assert "on the GPU, as requested" in capsys.readouterr().err
    assert (tables[1].message == gpu_engine.UNCHECKED).sum() > 190
    for output in [*vary, *outputs]:
        np.testing.assert_allclose(tables[1][output], tables[0][output], rtol=1e-9, atol=1e-11)


def model_batch(rng: np.random.Generator, name: str, simulations: int = SIMULATIONS) -> Batch:
    start = assemble(library_model(name).mechanism, "joint")
    states = np.tile(start.y, (simulations, 1))
    states[:, start.compiled.system.whole[0]["q_count"] :] *= rng.uniform(0.5, 1.5, (simulations, 1))
    return Batch(start, states, fixed(1e-4, 20))


@pytest.mark.skipif(not why_not(), reason="there is a GPU")
def test_without_a_gpu_that_is_said(rng):
    with pytest.raises(OptionError, match=r"no GPU to run on .*; use run_on_threads"):
        run_on_gpu(chain_batch(rng, 2, 1))


# -- a plain share -----------------------------------------------------------------------------------------------------
def test_a_plain_share_gives_the_bits_of_another_and_stops_before_a_singular_position(rng, monkeypatch):
    """Rows that are nearly dependent end a simulation of a plain share; the others are as they are in any."""
    batch = four_bar_batch(rng, "joint", 6, 400)
    assert is_plain(batch)
    ends = run_on_threads(batch)
    plain = _plainly(batch, monkeypatch)
    regular = plain.status != CHOOSE_ROWS
    assert regular.any()
    np.testing.assert_array_equal(plain.states[regular], ends.states[regular])
    flat = replace(batch, options=fixed(1e-3, 700))  # long enough for all to come to where the bars are in line
    assert (_plainly(flat, monkeypatch).status == CHOOSE_ROWS).any()
    assert not run_on_threads(flat).failed.any()


def _plainly(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> Ends:
    with monkeypatch.context() as patch:
        patch.setattr(batches_of_threads, "Share", lambda batch: Share(batch, plain=True))
        return run_on_threads(batch)


@pytest.mark.slow
def test_what_comes_to_a_singular_position_is_run_again_on_the_gpu(rng, monkeypatch):
    emulated_gpu.compile_here(monkeypatch)
    batch = replace(four_bar_batch(rng, "joint", 3, 400), options=fixed(1e-3, 700))
    on = EmulatedDevice()
    assert apart(run_on_gpu(batch, on), run_on_threads(batch)) < 1e-8
    assert on.launches == 2


# -- the same path on this machine's processor ------------------------------------------------------------------------
def test_the_program_of_a_gpu_gives_what_threads_give(rng, monkeypatch):
    """Springs, forces, laws and measures; masses of each simulation its own; chunks of few steps."""
    emulated_gpu.compile_here(monkeypatch)
    batch = sprung_batch(rng, 5, 50)
    bodies = np.tile(batch.system.bodies, (5, 1))
    bodies["mass"] *= rng.uniform(0.5, 2.0, bodies["mass"].shape)
    batch = replace(batch, tables={"bodies": bodies})
    on, compiled = EmulatedDevice(), METER.count
    assert apart(run_on_gpu(batch, on), run_on_threads(batch)) < 1e-12
    assert on.launches == 1
    assert METER.count == compiled + 1  # progress lines hear of it
    ends = run_and_stay(batch, on)  # in this machine's memory, so that NumPy may take it
    states = np.from_dlpack(ends.states)
    address = ends.states.__cuda_array_interface__["data"][0]
    del ends
    assert states.__array_interface__["data"][0] == address
    np.testing.assert_array_equal(states.T, run_on_gpu(batch, on).states)


def test_what_happens_in_a_run_happens_in_the_program_of_a_gpu(monkeypatch):
    emulated_gpu.compile_here(monkeypatch)
    batch = eventful_batch("adams")
    assert_same_ends(run_on_gpu(batch, EmulatedDevice()), run_on_threads(batch))


@pytest.mark.slow
def test_drivers_that_change_or_let_go_friction_and_blows_by_the_program_of_a_gpu(rng, monkeypatch):
    emulated_gpu.compile_here(monkeypatch)
    batch = driven_batch(rng, 16)
    assert_same_ends(run_on_gpu(batch, EmulatedDevice()), run_on_threads(batch))


def test_samples_are_kept_and_reduced_by_the_program_of_a_gpu(rng, monkeypatch):
    """To 1e-12 what threads give, in chunks of few steps; and rows of a study are those of another engine."""
    emulated_gpu.compile_here(monkeypatch)
    batch = sprung_batch(rng, 3, 50)
    sampling = Sampling(np.array([0.0, 0.004, 0.0171, 0.05]), np.arange(9), kept=np.array([1, 3]))
    batch = replace(batch, sampling=sampling)
    ends, expected = run_on_gpu(batch, EmulatedDevice()), run_on_threads(batch)
    for found, of_threads in zip(ends.arrays, expected.arrays, strict=True):
        np.testing.assert_allclose(found, of_threads, rtol=1e-12, atol=1e-12)


def test_outputs_of_a_study_on_a_gpu_are_those_of_another_engine(monkeypatch, capsys):
    """Extremes, means, values at times, of coordinates, bodies and springs: reduced there; and what is not."""
    emulated_gpu.compile_here(monkeypatch)
    device = EmulatedDevice()
    monkeypatch.setattr(gpu_engine, "why_not", lambda: "")
    monkeypatch.setattr(gpu_engine, "run_on_gpu", lambda batch: run_on_gpu(batch, device))
    model = lw.Model("pendulum", gravity=(0, 0, -9.81))
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    model.spring_damper("strut", "ground", "bar", points=[(0, 0, 1), (1, 0, 0)], stiffness=10.0, damping=0.5)
    outputs = ["max(pin.rate)", "rms(bar.velocity.x)", "at(bar.position.x, 0.0337)", "mean(strut.force)", "pin.angle"]
    asked = {"every": 0.005, "integrator": "rk4", "step": 0.005, "progress": True}
    tables = [
        model.study({"strut.stiffness": "10:14:12"}, outputs, 0.1, **asked, engine=engine) for engine in ("here", "gpu")
    ]
    assert "on the GPU, as requested" in capsys.readouterr().err
    assert (tables[1].message == gpu_engine.UNCHECKED).sum() == 9  # the first three are made before
    for output in outputs:
        np.testing.assert_allclose(tables[1][output], tables[0][output], rtol=1e-10, atol=1e-12)


def test_a_table_that_only_a_structure_points_to_is_an_array_of_the_thread():
    """Its numbers are stored there; one that nothing points to any more is left out."""
    text = f"""
@given0 = extern_weak global i8
@given1 = extern_weak global i8
@reached = internal constant <{{ i64, i64 }}> <{{ i64 7, i64 ptrtoint (ptr @given0 to i64) }}>
@unused = internal constant <{{ i64 }}> <{{ i64 ptrtoint (ptr @given1 to i64) }}>
@structure = internal constant [1 x ptr] [ptr @reached]

define void @{ITEM}(double %one, double %other) {{
  call void @number_is(double %one, ptr @given0)
  call void @number_is(double %other, ptr @given1)
  ret void
}}
"""
    memories = Memory("reached", bytes(16), False, (8,)), Memory("unused", bytes(8), False, (0,))
    found = with_numbers(text, Known((), memories, (Place("reached", 8), Place("unused", 0)), ()))
    assert "@given" not in found and "@unused" not in found and "@reached = internal global" in found
    assert (
        "store double %one, ptr getelementptr (i8, ptr @reached, i64 8)" in found and "store double %other" not in found
    )


def test_steppers_on_a_gpu_are_those_on_threads(monkeypatch):
    """Inputs from this machine and written in place; one begins anew; arrays are taken without a copy."""
    emulated_gpu.compile_here(monkeypatch)
    asked = {"count": COUNT, "dt": 0.01, "inputs": INPUTS, "outputs": OUTPUTS, **FIXED}
    there, here = cart().steppers(**asked, engine="gpu", on=EmulatedDevice()), cart().steppers(**asked)
    assert np.from_dlpack(there.inputs).shape == (2, COUNT)
    for n, step in enumerate(forces(30)):
        if n % 2:
            found = there.step(step)
        else:
            in_place(there.inputs)[:] = step
            found = there.step()
        np.testing.assert_allclose(np.from_dlpack(found), here.step(step), rtol=1e-10, atol=1e-12)
        if n == 12:
            in_place(there.marks)[2] = 1.0
            here.restart(np.array([2]))
    np.testing.assert_array_equal(there.ended, here.ended)
    np.testing.assert_array_equal(there.t, here.t)
    assert here.t[2] < here.t[1]
    np.testing.assert_allclose(there.reset().numpy(), here.reset(), rtol=1e-12)


def in_place(array: DeviceArray) -> np.ndarray:
    """As PyTorch has it in the GPU's memory; what NumPy takes by DLPack it may not write."""
    address, _ = array.__cuda_array_interface__["data"]
    numbers = (ctypes.c_double * int(np.prod(array.shape))).from_address(address)
    return np.ctypeslib.as_array(numbers).reshape(array.shape)


@pytest.mark.slow
def test_steppers_of_loops_choose_their_rows_on_a_gpu(monkeypatch):
    """A plain program leaves those that come to singular positions to a general one."""
    emulated_gpu.compile_here(monkeypatch)
    model = lw.library_model("four-bar", {"angle": 60.0})
    body, joint = model.mechanism.body[0].name, model.mechanism.joint[0].name
    asked = {"inputs": [f"{body}.torque.y"], "outputs": [f"{joint}.angle"], "integrator": "rk4", "step": 0.01}
    there = model.steppers(3, 0.02, **asked, engine="gpu", on=EmulatedDevice())
    here = model.steppers(3, 0.02, **asked)
    torques = np.array([[0.0, 1.0, -1.0]])
    for _ in range(35):
        np.testing.assert_allclose(there.step(torques).numpy(), here.step(torques), rtol=0.0, atol=1e-8)
    assert there.steps.general is not None
    assert not there.failed.any()


def assert_same_ends(a: Ends, b: Ends) -> None:
    """As far as two compilers round alike."""
    np.testing.assert_array_equal(a.status, b.status)
    np.testing.assert_allclose(a.t, b.t, rtol=1e-9)
    assert apart(a, b) < 1e-8


def test_a_program_in_nvidias_language_keeps_a_pendulum_in_registers(tmp_path):
    """Made of the kernels of this machine's library, in a process of its own: what is given and found goes through
    memory, and nothing in between.
    """
    nothing = tmp_path / "nothing.bc"
    nothing.write_bytes(llvm.parse_assembly("").as_bitcode())
    start = assemble(library_model("pendulum").mechanism, "joint")
    share = Share(Batch(start, start.y[None], fixed(1e-3, 1)), plain=True)
    symbols = tuple(map(program.symbol, share.stages, LOOP_STAGES))
    loop = ptx.Loop(program.symbol(run_share, stages.RUN_SHARE), stages.RUN_SHARE, symbols, (), known_of(share, {}))
    made = ptx_apart(loop, program.texts(), nothing, ptx.processor((9, 0)))
    assert made.placed == 0
    assert ".entry each(" in made.text
    assert ".target sm_90" in made.text
    assert "local" not in made.text
    outside = re.findall(r"^\.extern \.func.* (\w+)$", made.text, re.MULTILINE)
    assert "__nv_sin" in outside
    assert all(name.startswith("__nv_") for name in outside)


def test_processors_after_the_newest_known_read_what_is_for_it():
    assert [ptx.processor(one) for one in ((7, 5), (9, 0), (12, 0))] == ["sm_75", "sm_90", "sm_90"]


def test_functions_of_numbers_are_nvidias():
    text = """
declare double @llvm.sin.f64(double)
declare double @sin(double)
declare double @atan2(double, double)
declare <2 x double> @llvm.log.v2f64(<2 x double>)
define double @f(double %x, <2 x double> %p) {
  %a = call double @llvm.sin.f64(double %x)
  %b = call double @sin(double %a)
  %c = call double @atan2(double %b, double %x)
  %l = call <2 x double> @llvm.log.v2f64(<2 x double> %p)
  %m = extractelement <2 x double> %l, i64 1
  %n = fadd double %c, %m
  ret double %n
}"""
    module = llvm.parse_assembly(ptx.by_libdevice(text))
    module.verify()
    declared = {f.name for f in module.functions if f.is_declaration}
    assert declared == {"__nv_sin", "__nv_atan2", "__nv_log"}


def test_what_a_gpu_cannot_run_is_refused(monkeypatch):
    start = assemble(chain(1).mechanism, "joint")
    ops = np.tile(start.compiled.system.ops, (1, 1))
    with pytest.raises(OptionError, match=r"table 'ops': .* break times in common; use run_on_threads"):
        run_on_gpu(Batch(start, start.y[None], fixed(1e-3, 1), {"ops": ops}), EmulatedDevice())
    with pytest.raises(KernelError, match=r"writes to 1024 KiB.* too large for it; run on threads"):
        check_room(EmulatedDevice(), 2**20)
    with pytest.raises(KernelError, match="stranger is not in the native library as it is now"):
        program.symbol(kernel(stranger), stages.FACTOR)
    monkeypatch.setattr(program, "backend", lambda: object())
    with pytest.raises(KernelError, match="a GPU runs the kernels of the native library, and there is none in use"):
        program.symbol(run_share, stages.RUN_SHARE)


def stranger(system, work):
    return 0
