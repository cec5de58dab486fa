"""Many four-bars: the wall time and processor time of a study against that of the compiled loop of a single run.

    python -m benchmarks.study [runs]

The target: 10,000 four-bars of 1 s on 2 cores within 1.2 times (loop time of a single run x runs) / 2.  Processor time
hardly minds what else runs on the machine.  Two cores that share their caches, or are one, are both slower: the loop by
itself is timed alone and on two threads at once, before and after the study.
"""

from __future__ import annotations

import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import linkwork as lw
from benchmarks.gradients import loop_time
from linkwork.analyses.gradients.starts import started
from linkwork.analyses.simulate.dynamics import Options, sample_times
from linkwork.library import library_model
from studied import four_bar

SECONDS, THREADS, LOOPS = 1.0, 2, 300


def loop_times(model: lw.Model, threads: int) -> np.ndarray:
    """Processor time of the compiled loop of single runs, s, on so many threads at once."""
    options = Options(until=SECONDS)
    start, times = started(model.mechanism, options), sample_times(SECONDS, None)

    def some(_: int) -> list[float]:
        return [loop_time(start, options, times) for _ in range(LOOPS)]

    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(some, range(threads))))


def main(runs: int) -> None:
    """Both four-bars."""
    cases = {
        "four-bar of P1, gravity": (library_model("four-bar", {"angle": 60.0}), {"gravity.2": "normal(-9.81, 0.1)"}),
        "crank-rocker, mass, spring and damper": (
            four_bar(),
            {
                "coupler.mass": "1 kg +/- 0.1",
                "strut.stiffness": "normal(200, 10)",
                "strut.damping": "uniform(0.01, 0.1)",
            },
        ),
    }
    print(f"{runs} runs of {SECONDS:g} s on {THREADS} threads")
    for name, (model, vary) in cases.items():
        alone, together = loop_times(model, 1), [loop_times(model, THREADS)]
        wall, spent = time.perf_counter(), time.process_time()
        model.study(vary, ["max(energy.kinetic)"], SECONDS, runs=runs, jobs=THREADS, engine="threads", progress=False)
        wall, spent = time.perf_counter() - wall, time.process_time() - spent
        both = float(np.mean([*together, loop_times(model, THREADS)]))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        loop = float(alone.min())
        ideal = loop * runs / THREADS
        print(
            f"{name}: loop {1e3 * loop:.3f} ms at best, {1e3 * alone.mean():.3f} on average, {1e3 * both:.3f} beside "
            f"another; study {wall:.2f} s, {wall / ideal:.2f} x; processor time a run {1e3 * spent / runs:.3f} ms, "
            f"{spent / runs / loop:.2f} x the loop at best, {spent / runs / both:.2f} x beside another; {memory:.0f} MB"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
