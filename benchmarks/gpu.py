"""Throughput of a batch: one core, all cores, and the GPU where there is one: python -m benchmarks.gpu

RK4 steps a second over all simulations, wall time from NumPy arrays to NumPy arrays, kernels compiled before; beside
the GPU's number how far its results are from the CPU's, relative, and the account of its time: words found and
gathered, memory on the GPU; there and run; back.  Last the HMMWV: how many go in real time at steps of 1 ms.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.linkwork_side import chain
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.gpu.driver import device, why_not
from linkwork.compiler.gpu.entry import ENTRY
from linkwork.library import library_model
from linkwork.studies.batch import Batch, Ends, run_on_threads
from linkwork.studies.gpu import Launch, is_plain, run_on_gpu
from linkwork.studies.share import Share

STEPS = 500  # a simulation
STEP = 2.5e-4  # s
CORE = 200  # simulations for each core
GPU_SIMULATIONS = (1_000, 10_000, 100_000)
VEHICLES = (4_000, 40_000)


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


def account(batch: Batch) -> str:
    """Where the time of a batch on the GPU goes, and what a thread takes there."""
    began = time.perf_counter()
    launch = Launch(Share(batch, plain=is_plain(batch)), device())
    ready = time.perf_counter()
    launch.run()
    done = time.perf_counter()
    launch.ends()
    took = {"prepared": ready - began, "run": done - ready, "fetched": time.perf_counter() - done}
    registers, local = launch.on.needs(launch.program.loaded, ENTRY)
    memory = local + launch.program.placed
    clock = ", ".join(f"{what} {1e3 * seconds:.0f} ms" for what, seconds in took.items())
    return f"{clock}; {registers} registers, {memory} B of local memory a thread"


def rate(run: Callable[[Batch], Ends], batch: Batch) -> tuple[float, Ends]:
    """Steps a second, and the ends."""
    began = time.perf_counter()
    ends = run(batch)
    return float(ends.steps.sum()) / (time.perf_counter() - began), ends


def main() -> None:
    """Measure and print."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    missing = why_not()
    for name, batch in batches().items():
        print(f"\n{name}")
        run_on_threads(replace(of_size(batch, 1), options=fixed(1)))
        for threads in sorted({1, cores}):
            speed, _ = rate(lambda b, n=threads: run_on_threads(b, n), of_size(batch, CORE * threads))
            print(f"  CPU, {threads:3} threads          {speed:10.3g} steps/s")
        if missing:
            print(f"  no GPU: {missing}")
            continue
        began = time.perf_counter()
        run_on_gpu(of_size(batch, 2))
        print(f"  GPU, compiled in {time.perf_counter() - began:.0f} s")
        for simulations in GPU_SIMULATIONS:
            several = of_size(batch, simulations)
            speed, ends = rate(run_on_gpu, several)
            few = slice(None, None, simulations // 100)
            expected = run_on_threads(replace(
                several, states=several.states[few], tables={"bodies": several.tables["bodies"][few]}
            ), cores)  # fmt: skip
            apart = np.abs(ends.states[few] - expected.states) / np.maximum(np.abs(expected.states).max(axis=0), 1.0)
            failed = int(ends.failed.sum())
            print(f"  GPU, {simulations:7} simulations {speed:10.3g} steps/s, {apart.max():.1e} from the CPU"
                  + (f", {failed} failed" if failed else ""), flush=True)  # fmt: skip
        print(f"  {account(several)}")
    for integrator in () if missing else ("rk4", "ab3"):
        run_on_gpu(vehicles(4000, integrator))
        for count in VEHICLES:
            speed, ends = rate(run_on_gpu, vehicles(count, integrator))
            print(f"HMMWV, {integrator}, {count} vehicles: {speed / 1000:.0f} in real time at 1 ms, "
                  f"{int(ends.failed.sum())} failed", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
