"""Many four-bars: the wall time and processor time of a study against that of the compiled loop of a single run.

    python -m benchmarks.study [runs]

The target: 10,000 four-bars of 1 s on 2 cores within 1.2 times (loop time of a single run x runs) / 2.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from linkwork.library import library_model
from studied import four_bar

SECONDS, THREADS = 1.0, 2


def main(runs: int) -> None:
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
        loops, whole = [], []
        for _ in range(50):
            began = time.process_time()
            run = model.simulate(SECONDS, progress=False)
            whole.append(time.process_time() - began)
            loops.append(run.certificate.loop_s)
        loop = min(loops)  # by the clock: the others may have waited for a core
        wall, spent = time.perf_counter(), time.process_time()
        model.study(vary, ["max(energy.kinetic)"], SECONDS, runs=runs, jobs=THREADS, engine="threads", progress=False)
        wall, spent = time.perf_counter() - wall, time.process_time() - spent
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ideal = loop * runs / THREADS
        print(
            f"{name}: loop {1e3 * loop:.2f} ms, whole run {1e3 * float(np.median(whole)):.2f} ms; study {wall:.2f} s, "
            f"{wall / ideal:.2f} x the loop's {ideal:.2f} s; processor time {spent:.2f} s, "
            f"{spent / THREADS / ideal:.2f} x; {memory:.0f} MB"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
