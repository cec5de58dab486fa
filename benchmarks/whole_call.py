"""What a user waits for: the whole call of `simulate` beside its compiled loop, on one core.

    python -m benchmarks.whole_call [four-bars ...]      (default: 10 40 200 1000 10000)

N four-bars in a row (2 N + 1 bodies), 10 s and 100 samples, and the HMMWV, 5 s and 500 samples: seconds of processor
time to build the model in Python, of the loop and of the whole call, the best of some rounds; where the rest goes; peak
memory.  Every size in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from linkwork.analyses.simulate import dynamics
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.post_check import PostCheck
from linkwork.analyses.simulate.recording import Recording
from linkwork.library import library_model
from linkwork.model import Model

SIZES = ("10", "40", "200", "1000", "10000")
RUNS = {True: (5.0, 0.01), False: (10.0, 0.1)}  # vehicle or not: end, time between samples; s
PATIENCE = 3.0  # s, within which rounds are repeated
PHASES: dict[str, tuple[Any, str]] = {
    "start": (dynamics, "first_state"), "prepare": (dynamics, "ForwardRun"), "loop": (ForwardRun, "chunk"),
    "samples": (Recording, "append"), "check": (PostCheck, "check"),
}  # fmt: skip


def measured(run: Callable[[], Any]) -> tuple[float, dict[str, float]]:
    """Seconds of a call, and of its phases."""
    spent = dict.fromkeys(PHASES, 0.0)
    originals = {phase: getattr(*place) for phase, place in PHASES.items()}

    def timed(phase: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return originals[phase](*arguments, **named)
            finally:
                spent[phase] += time.process_time() - began

        return call

    for phase, place in PHASES.items():
        setattr(*place, timed(phase))
    try:
        began = time.process_time()
        run()
        return time.process_time() - began, spent
    finally:
        for phase, (where, name) in PHASES.items():
            setattr(where, name, originals[phase])


def row(name: str, build: Callable[[], Model], until: float, every: float) -> str:
    """One line of the table: the quickest of some rounds."""
    library_model("n-four-bar").simulate(1e-3, progress=False)  # loads the kernels
    began = time.process_time()
    model = build()
    built = time.process_time() - began
    best, began = None, time.process_time()
    while best is None or time.process_time() - began < PATIENCE:
        found = measured(lambda: model.simulate(until, every=every, progress=False))
        best = found if best is None or found[0] < best[0] else best
    whole, spent = best
    loop, memory = spent.pop("loop"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    rest = "  ".join(f"{phase} {seconds:7.3f}" for phase, seconds in spent.items())
    other = whole - loop - sum(spent.values())
    times = f"{built:8.3f} {loop:8.3f} {whole:8.3f} x{whole / loop:7.2f}"
    return f"{name:18} {times} {memory:7.0f}   {rest}  other {other:7.3f}"


def main(wanted: list[str]) -> None:
    """All sizes, one process each; `one NAME`: that one, here."""
    if wanted[:1] == ["one"]:
        vehicle = wanted[1] == "hmmwv"
        title, build = f"N = {wanted[1]}", lambda: library_model("n-four-bar", {"n": wanted[1]})
        if vehicle:
            title, build = wanted[1], lambda: library_model("hmmwv")
        print(row(title, build, *RUNS[vehicle]))
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'':18} {'build s':>8} {'loop s':>8} {'whole s':>8} {'':8} {'MB':>7}   where the rest goes, s", flush=True)
    for name in wanted or (*SIZES, "hmmwv"):
        subprocess.run([sys.executable, "-m", "benchmarks.whole_call", "one", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
