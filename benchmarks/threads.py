"""Throughput of a batch on the threads of one machine: python -m benchmarks.threads [most threads]

RK4 steps a second of `run_on_threads`, wall time from NumPy arrays to NumPy arrays, at 1, 2, 4 ... threads up to the
cores; each thread has the same work, so that the wall time would stay as it is.  Of a four-bar and of a chain of 7
links in space, let go at different speeds and masses; many short simulations and few long ones.  Efficiency: of as many
times the rate of one thread; it is the product of `busy` (processor time over wall time and threads: less where threads
wait for Python, or for each other's end) and of how much slower a step is than on one thread alone (clock, caches, two
threads on one core).  Needs NumPy and linkwork alone, and half a minute.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace

import numpy as np

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import assemble
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.studies.batch import Batch, run_on_threads

STEP = 2.5e-4  # s
STEPS = {"short": 40, "long": 4000}  # a simulation
WORK = 0.3  # s, about, of each thread
ROUNDS = 3  # of which the quickest counts


def chain_in_space(links: int) -> Mechanism:
    """Rods of 0.2 m, one behind the other, on pins whose axes turn from link to link."""
    model, last = lw.Model("chain", gravity=(0.0, 0.0, -9.81)), "ground"
    for k in range(links):
        link = model.body(f"link{k}", lw.rod(mass=0.5, length=0.2), at=(0.2 * k + 0.1, 0.0, 0.0))
        model.revolute(f"pin{k}", last, link, at=(0.2 * k, 0.0, 0.0), axis="yz"[k % 2], rate=0.5)
        last = link
    return model.mechanism


def of_size(batch: Batch, simulations: int) -> Batch:
    """Simulations of different speed and mass."""
    bodies = np.tile(batch.system.bodies, (simulations, 1))
    bodies["mass"] *= np.linspace(1.0, 2.0, simulations)[:, None]
    states = np.tile(batch.start.y, (simulations, 1))
    states[:, batch.system.whole[0]["q_count"] :] *= np.linspace(0.5, 1.5, simulations)[:, None]
    return replace(batch, states=states, tables={"bodies": bodies})


def measured(batch: Batch, threads: int, simulations: int) -> tuple[float, float, float]:
    """Steps a second, seconds of processor time a step, and how busy the threads were, in the quickest round."""
    several, best = of_size(batch, simulations * threads), (0.0, 0.0, 0.0)
    for _ in range(ROUNDS):
        spent, began = time.process_time(), time.perf_counter()
        steps = float(run_on_threads(several, threads).steps.sum())
        wall, spent = time.perf_counter() - began, time.process_time() - spent
        best = max(best, (steps / wall, spent / steps, spent / wall / threads))
    return best


def counts(most: int) -> list[int]:
    """1, 2, 4 ... threads, and all of them."""
    return sorted({most, *(2**k for k in range(most.bit_length()) if 2**k <= most)})


def main(most: int) -> None:
    """Measure and print."""
    problems = {
        "four-bar": library_model("four-bar", {"angle": 60.0}).mechanism,
        "chain of 7 links in space": chain_in_space(7),
    }
    for name, mechanism in problems.items():
        start = assemble(mechanism, "joint")
        for length, steps in STEPS.items():
            batch = Batch(start, start.y[None], Options(until=STEP * steps, step=STEP, integrator="rk4"))
            rate, _, _ = measured(batch, 1, 1)
            rate, _, _ = measured(batch, 1, max(int(0.1 * WORK * rate / steps), 1))
            simulations = max(int(WORK * rate / steps), 1)
            print(f"\n{name}, {simulations} {length} simulations of {steps} steps a thread", flush=True)
            alone = each = 0.0
            for threads in counts(most):
                rate, step, busy = measured(batch, threads, simulations)
                alone, each = alone or rate, each or step
                print(
                    f"  {threads:3} threads {rate:10.3g} steps/s   efficiency {rate / alone / threads:5.2f}   "
                    f"busy {busy:5.2f}   a step {1e6 * step:6.3f} us, {step / each:5.2f} of alone",
                    flush=True,
                )


if __name__ == "__main__":
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    main(int(sys.argv[1]) if len(sys.argv) > 1 else cores)
