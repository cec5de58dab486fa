"""Throughput of a batch: one core, all cores, and the GPU where there is one: python -m benchmarks.gpu [PART [NAME]]

RK4 steps a second over all simulations, wall time from NumPy arrays to NumPy arrays, kernels compiled before; beside
the GPU's number how far its results are from the CPU's, relative, and the account of its time: words found and
gathered, memory on the GPU; there and run; back.  The parts, one after the other where none is named:

    compile NAME     how long a program (`programs()`) takes to be made, or to be loaded if it was made before
    batches          a chain and a four-bar
    occupancy        programs by the number of threads that a multiprocessor has at once
    vehicles         how many HMMWVs go in real time at steps of 1 ms
    environments     steppers side by side under random forces, from NumPy and from arrays of the GPU
    library          every library model at 1024 speeds: how far from the CPU
    peers            a chain and a four-bar beside MJX in single precision, where it is installed

NAME: one problem, program or model of the part.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.linkwork_side import chain, row_of_four_bars
from benchmarks.problems import OBLIQUE, NFourBar, n_four_bar_exact
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.gpu.driver import device, why_not
from linkwork.compiler.gpu.entry import ENTRY
from linkwork.library import LIBRARY, library_model
from linkwork.studies.batch import Batch, Ends, run_on_threads
from linkwork.studies.gpu import Launch, is_plain, run_on_gpu
from linkwork.studies.share import Share

STEPS = 500  # a simulation
PEER_STEPS = 100  # the same beside another program
STEP = 2.5e-4  # s
CORE = 200  # simulations for each core
GPU_SIMULATIONS = (1_000, 10_000, 100_000)
VEHICLES = (4_000, 40_000)
INTEGRATORS = ("rk4", "ab3")  # of vehicles
BLOCKS = (1, 2, 3, 4, 5, 6, 8)  # of 32 threads, of a multiprocessor
VARIANTS = 1024  # of a library model


def batches() -> dict[str, Batch]:
    """The problems: a 7-link spatial chain (7 motions), a four-bar of 3 bodies in both formulations."""
    four_bar = library_model("four-bar", {"angle": 60.0}).mechanism
    starts = {
        "7-link chain, joint": assemble(chain(7).mechanism, "joint"),
        "four-bar, joint": assemble(four_bar, "joint"),
        "four-bar, absolute": assemble(four_bar, "absolute"),
    }
    return {name: Batch(start, start.y[None], fixed(STEPS)) for name, start in starts.items()}


def fixed(count: int) -> Options:
    """So many steps of one length."""
    return Options(until=STEP * count, step=STEP, integrator="rk4")


def of_size(batch: Batch, simulations: int) -> Batch:
    """Simulations of different speed and mass."""
    system = batch.system
    states = np.tile(batch.start.y, (simulations, 1))
    states[:, system.whole[0]["q_count"] :] *= np.linspace(0.5, 1.5, simulations)[:, None]
    bodies = np.tile(system.bodies, (simulations, 1))
    bodies["mass"] *= np.linspace(1.0, 2.0, simulations)[:, None]
    return replace(batch, states=states, tables={"bodies": bodies})


def vehicles(count: int, integrator: str = "rk4", steps: int = 200) -> Batch:
    """HMMWVs at different speeds, at steps of 1 ms."""
    start = assemble(library_model("hmmwv").mechanism, "joint")
    states = np.tile(start.y, (count, 1))
    states[:, start.compiled.system.whole[0]["q_count"] :] *= np.linspace(0.8, 1.2, count)[:, None]
    return Batch(start, states, Options(until=1e-3 * steps, step=1e-3, integrator=integrator))


def programs() -> dict[str, Callable[[], object]]:
    """What is compiled for the GPU here, by name."""
    made: dict[str, Callable[[], object]] = {
        name: lambda one=one: run_on_gpu(one(2)) for name, one in problems().items()
    }
    return made | {name: lambda name=name: steppers(name, 2, "gpu") for name in environment_models()}


def compile_program(name: str) -> None:
    """Make a program, or load it."""
    make = programs()[name]
    began = time.perf_counter()
    make()
    print(f"{name}: ready and run in {time.perf_counter() - began:.1f} s", flush=True)


def launched(batch: Batch) -> Launch:
    """A batch on the GPU, as run_on_gpu has it."""
    return Launch(Share(batch, plain=is_plain(batch)), device())


def account(batch: Batch) -> str:
    """Where the time of a batch on the GPU goes, and what a thread takes there."""
    began = time.perf_counter()
    launch = launched(batch)
    ready = time.perf_counter()
    launch.run()
    done = time.perf_counter()
    launch.ends()
    took = {"prepared": ready - began, "run": done - ready, "fetched": time.perf_counter() - done}
    registers, local = launch.on.needs(launch.program.loaded, ENTRY)
    memory = local + launch.program.placed
    clock = ", ".join(f"{what} {1e3 * seconds:.0f} ms" for what, seconds in took.items())
    return f"{clock}; {registers} registers, {memory} B of local memory a thread"


def by_occupancy(batch: Batch, blocks: int) -> float:
    """Steps a second of the program alone, with so many blocks a multiprocessor."""
    launch = launched(batch)
    launch.program.at_once, usual = blocks * launch.on.blocks_at_once, launch.program.at_once
    began = time.perf_counter()
    launch.run()
    seconds = time.perf_counter() - began
    launch.program.at_once = usual
    return float(launch.ends_there().steps.numpy().sum()) / seconds


def rate(run: Callable[[Batch], Ends], batch: Batch) -> tuple[float, Ends]:
    """Steps a second, and the ends."""
    began = time.perf_counter()
    ends = run(batch)
    return float(ends.steps.sum()) / (time.perf_counter() - began), ends


def environment_models() -> dict[str, tuple[lw.Model, list[str], list[str]]]:
    """Models with motors, inputs and outputs: a cart with a pole, a chain with seven motors and bearings that damp (so
    that steps of 5 ms are short enough), a four-bar.
    """
    cart = lw.Model("cart", gravity=(0.0, 0.0, -9.81))
    cart.body("cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
    cart.prismatic("rail", cart.ground, "cart", at=(0.0, 0.0, 0.0), axis="x")
    cart.body("pole", lw.rod(mass=0.2, length=0.6), at=(0.0, 0.0, 0.3))
    cart.revolute("hinge", "cart", "pole", at=(0.0, 0.0, 0.0), axis="y")
    cart.event("off the rail", "abs(rail.distance) > 1", "stop")
    arm, four_bar = chain(7), lw.library_model("four-bar", {"angle": 60.0})
    hinges = [joint.name for joint in arm.mechanism.joint]
    for hinge in hinges:
        arm.joint_force(f"{hinge} motor", hinge, 0.0)
        arm.torsional_spring_damper(f"{hinge} bearing", hinge, stiffness=0.0, damping=0.2)
    crank, joint = four_bar.mechanism.body[0].name, four_bar.mechanism.joint[0].name
    return {
        "cart with a pole": (cart, ["cart.force.x"], ["rail.distance", "rail.speed", "hinge.angle", "hinge.rate"]),
        "7-link chain": (arm, [f"{hinge} motor" for hinge in hinges],
                         [f"{hinge}.{what}" for hinge in hinges for what in ("angle", "rate")]),
        "four-bar": (four_bar, [f"{crank}.torque.y"], [f"{joint}.angle", f"{joint}.rate"]),
    }  # fmt: skip


def steppers(name: str, count: int, engine: str) -> Any:
    """Periods of 20 ms of four RK4 steps each."""
    model, inputs, outputs = environment_models()[name]
    return model.steppers(count, 0.02, inputs, outputs, engine=engine, integrator="rk4", step=0.005)


def environments(name: str, counts: tuple[int, ...] = GPU_SIMULATIONS, steps: int = 100) -> None:
    """Environment steps a second with new random forces in each period: from NumPy to the GPU, and outputs back; by
    PyTorch where there is one, in the GPU's memory; and with forces that stay.  Those that have ended begin anew.
    """
    rng = np.random.default_rng(1)
    engines = ["threads", *(["gpu"] if not why_not() else [])]
    _, inputs, outputs = environment_models()[name]
    print(f"\n{name}: {len(inputs)} inputs, {len(outputs)} outputs, environment steps a second")
    for engine in engines:
        for count in counts if engine == "gpu" else counts[:1]:
            began = time.perf_counter()
            sim = steppers(name, count, engine)
            ready = time.perf_counter() - began
            forces = rng.uniform(-1.0, 1.0, (steps, len(inputs), count))
            sim.step(forces[0])
            began, resets = time.perf_counter(), 0
            for force in forces:
                found = sim.step(force)
                _ = found if isinstance(found, np.ndarray) else found.numpy()
                ended = sim.ended
                if ended.any():
                    sim.restart(ended)
                    resets += int(ended.sum())
            whole = time.perf_counter() - began
            began = time.perf_counter()
            for _ in range(steps):
                sim.step()
            alone = time.perf_counter() - began
            print(f"  {engine:8}{count:8} {count * steps / whole:10.3g} with forces and outputs each step, "
                  f"{count * steps / alone:10.3g} without; {resets} began anew, {int(sim.failed.sum())} failed; "
                  f"ready in {ready:.1f} s", flush=True)  # fmt: skip
            if engine == "gpu":
                print(f"  {'':16} {in_place(sim, steps)}", flush=True)


def in_place(sim: Any, steps: int) -> str:
    """Random forces by PyTorch in the GPU's memory, where the outputs stay."""
    try:
        import torch
    except ImportError:
        return "no PyTorch"
    forces, observed = torch.from_dlpack(sim.inputs), torch.from_dlpack(sim.step())
    began = time.perf_counter()
    for _ in range(steps):
        forces.uniform_(-1.0, 1.0)
        torch.cuda.synchronize()
        sim.step()
    seconds = time.perf_counter() - began
    return f"{forces.shape[1] * steps / seconds:10.3g} with forces by PyTorch there; mean {float(observed.mean()):.3g}"


def occupancy(name: str, of_count: Callable[[int], Batch]) -> None:
    """Steps a second of a program alone by blocks of 32 threads that a multiprocessor has at once, in equal rounds."""
    found = []
    for blocks in BLOCKS:
        batch = of_count(-(-16 // blocks) * blocks * device().blocks_at_once)
        found.append(f"{blocks}: {by_occupancy(batch, blocks):.3g}")
    print(f"{name}, steps/s by blocks: {', '.join(found)}", flush=True)


def problems() -> dict[str, Callable[[int], Batch]]:
    """Batches of so many simulations, by name."""
    made: dict[str, Callable[[int], Batch]] = {
        name: lambda count, batch=batch: of_size(batch, count) for name, batch in batches().items()
    }
    return made | {f"HMMWV, {one}": lambda count, one=one: vehicles(count, one, 50) for one in INTEGRATORS}


def library(name: str) -> None:
    """A library model at 1024 speeds, 20 steps: how far from the CPU."""
    start = assemble(library_model(name).mechanism, "joint")
    q_count = start.compiled.system.whole[0]["q_count"]
    states = np.tile(start.y, (VARIANTS, 1))
    states[:, q_count:] *= np.random.default_rng(1).uniform(0.5, 1.5, (VARIANTS, 1))
    batch = Batch(start, states, Options(until=20e-4, step=1e-4, integrator="rk4"))
    began = time.perf_counter()
    ends = run_on_gpu(batch)
    print(f"{name}: {apart(ends, run_on_threads(batch, 2)):.1e} from the CPU, {int(ends.failed.sum())} failed; "
          f"compiled and run in {time.perf_counter() - began:.1f} s", flush=True)  # fmt: skip


def apart(ends: Ends, expected: Ends) -> float:
    """The largest difference of two ends, relative."""
    found = np.abs(ends.states - expected.states) / np.maximum(np.abs(expected.states).max(axis=0), 1.0)
    return float(found.max())


def on_batch(name: str, batch: Batch) -> None:
    """On one thread, on all, and on the GPU."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(f"\n{name}")
    run_on_threads(replace(of_size(batch, 1), options=fixed(1)))
    for threads in sorted({1, cores}):
        speed, _ = rate(lambda b, n=threads: run_on_threads(b, n), of_size(batch, CORE * threads))
        print(f"  CPU, {threads:3} threads          {speed:10.3g} steps/s", flush=True)
    if why_not():
        return
    began = time.perf_counter()
    run_on_gpu(of_size(batch, 2))
    print(f"  GPU, ready in {time.perf_counter() - began:.1f} s")
    for simulations in GPU_SIMULATIONS:
        several = of_size(batch, simulations)
        speed, ends = rate(run_on_gpu, several)
        few = slice(None, None, simulations // 100)
        expected = run_on_threads(replace(
            several, states=several.states[few], tables={"bodies": several.tables["bodies"][few]}
        ), cores)  # fmt: skip
        part = replace(ends, states=ends.states[few])
        failed = int(ends.failed.sum())
        print(f"  GPU, {simulations:7} simulations {speed:10.3g} steps/s, {apart(part, expected):.1e} from the CPU"
              + (f", {failed} failed" if failed else ""), flush=True)  # fmt: skip
    print(f"  {account(several)}", flush=True)


def on_vehicles(integrator: str) -> None:
    """How many go in real time."""
    run_on_gpu(vehicles(4000, integrator))
    for count in VEHICLES:
        speed, ends = rate(run_on_gpu, vehicles(count, integrator))
        print(f"HMMWV, {integrator}, {count} vehicles: {speed / 1000:.0f} in real time at 1 ms, "
              f"{int(ends.failed.sum())} failed", flush=True)  # fmt: skip


def beside(name: str) -> None:
    """The same steps of the same problem by MJX, and how far the angles at the end of one simulation are off."""
    factors = np.linspace(0.5, 1.5, GPU_SIMULATIONS[-1])
    factors[0] = 1.0  # the one that is compared
    bars, t_end = NFourBar(1, **OBLIQUE), STEP * PEER_STEPS
    model = chain(7) if name == "7-link chain" else row_of_four_bars(bars)
    start = assemble(model.mechanism, "joint")
    q_count = start.compiled.system.whole[0]["q_count"]
    states = np.tile(start.y, (len(factors), 1))
    states[:, q_count:] *= factors[:, None]
    batch = Batch(start, states, fixed(PEER_STEPS))
    run_on_gpu(replace(batch, states=states[:2]))
    speed, ends = rate(run_on_gpu, batch)
    if name == "7-link chain":
        run = model.simulate(t_end, every=t_end, rtol=1e-13, atol=1e-13, integrator="dop853", progress=False)
        expected, found = run.result.q[-1], ends.states[0, :q_count]
    else:
        expected = np.array([n_four_bar_exact(bars, t_end)[0]])
        found = bars.theta + ends.states[0, :1]
    print(f"{name}: linkwork, double precision: {speed:.3g} steps/s, {np.abs(found - expected).max():.1e} rad off",
          flush=True)  # fmt: skip
    try:
        from benchmarks.peers import mjx_peer
    except ImportError as missing:
        print(f"  no MJX ({missing})")
        return
    if name == "7-link chain":
        seconds, q = mjx_peer.chain_batch(7, STEP, PEER_STEPS, factors)
    else:
        seconds, q = mjx_peer.four_bar_batch(bars, STEP, PEER_STEPS, factors)
        q = q[:, :1]
    print(f"{name}: {mjx_peer.NAME}, single precision: {len(factors) * PEER_STEPS / seconds:.3g} steps/s, "
          f"{np.abs(q[0] - expected).max():.1e} rad off", flush=True)  # fmt: skip


def parts() -> dict[str, dict[str, Callable[[], object]]]:
    """What there is to measure, by part and name; without a GPU what goes without."""
    of_cpu: dict[str, dict[str, Callable[[], object]]] = {
        "batches": {name: lambda name=name, batch=batch: on_batch(name, batch) for name, batch in batches().items()},
        "environments": {name: lambda name=name: environments(name) for name in environment_models()},
    }
    if missing := why_not():
        print(f"no GPU: {missing}", flush=True)
        return of_cpu
    return of_cpu | {
        "compile": {name: lambda name=name: compile_program(name) for name in programs()},
        "occupancy": {name: lambda name=name, one=one: occupancy(name, one) for name, one in problems().items()},
        "vehicles": {one: lambda one=one: on_vehicles(one) for one in INTEGRATORS},
        "library": {name: lambda name=name: library(name) for name in LIBRARY},
        "peers": {name: lambda name=name: beside(name) for name in ("7-link chain", "four-bar")},
    }


def main(part: str = "", name: str = "") -> None:
    """Measure and print."""
    for title, ones in parts().items():
        if title == part or (not part and title != "compile"):
            for one, measure in ones.items():
                if one == name or not name:
                    measure()


if __name__ == "__main__":
    main(*sys.argv[1:])
