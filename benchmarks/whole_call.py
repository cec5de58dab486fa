"""What a user waits for: the whole call of `simulate` beside its compiled loop, on one core.

    python -m benchmarks.whole_call [--store] [name ...]      (default: all)

N four-bars in a row (2 N + 1 bodies; a number as name), 10 s and 100 samples; a row of 40 in absolute coordinates by
every method that partitions (lu, qr ...); the four-bar of P1, the HMMWV, a chain of 7 links in space (chain7) and one
of 100,000 in a plane (chain100000), let go; library models for so long that their loop takes about 0.1 s, the four-bar
through some 1700 singular positions among them: seconds of processor time to build the model in Python, of the loop
and of the whole call, the history of one body's motion included, which is computed when it is read, the best of some
rounds, each with a new model; microseconds of the loop for each body and step;
where the rest goes; peak memory.  Every one in a process of its own, so that its memory is its own.  --store keeps them
in benchmarks/whole_call.json, of which docs/performance.md has its table and its figure.
"""

from __future__ import annotations

import gc
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import linkwork as lw
from linkwork.analyses.simulate import dynamics
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.post_check import PostCheck
from linkwork.analyses.simulate.recording import Recording
from linkwork.library import library_model
from linkwork.model import Model
from linkwork.results.result import Result

STORED = Path(__file__).parent / "whole_call.json"
ROWS = (10, 40, 200, 1000, 10_000)  # of four-bars
METHODS = ("parametrization", "lu", "qr", "projection", "hybrid-qr", "hybrid-projection")
PATIENCE = 3.0  # s, within which rounds are repeated
PHASES: dict[str, tuple[Any, str]] = {
    "start": (dynamics, "first_state"), "prepare": (dynamics, "ForwardRun"), "loop": (ForwardRun, "chunk"),
    "samples": (Recording, "append"), "check": (PostCheck, "check"), "history": (Result, "moved"),
}  # fmt: skip


class Case(NamedTuple):
    """A run to be measured."""

    build: Callable[[], Model]
    until: float  # s
    every: float  # s, between samples
    options: Mapping[str, Any] = MappingProxyType({})


def straight_chain(links: int) -> Model:
    """Links of 0.1 m in a row along x, in the plane xz, let go."""
    model, last = Model("straight chain", gravity=(0.0, 0.0, -9.81), plane="xz"), "ground"
    for k in range(links):
        model.body(f"link{k}", lw.rod(mass=1.0, length=0.1), at=(0.1 * k + 0.05, 0.0, 0.0))
        model.revolute(f"pin{k}", last, f"link{k}", at=(0.1 * k, 0.0, 0.0), axis="y")
        last = f"link{k}"
    return model


def chain_in_space(links: int) -> Model:
    """That of problems.py, which brings SciPy's memory with it."""
    from benchmarks.linkwork_side import chain

    return chain(links)


def four_bars(n: float) -> Model:
    """N four-bars in a row."""
    return library_model("n-four-bar", {"n": n})


LONG = {  # s
    "slider-crank": 250.0, "andrews": 1.0, "four-bar-flexible": 100.0, "double-pendulum": 1000.0, "rrc-arm": 150.0,
    "hmmwv": 60.0, "four-bar": 1000.0, "bricard": 300.0, "governor": 5.0,
}  # fmt: skip
FINE = {"slider-crank": {"rtol": 1e-8}, "bricard": {"rtol": 1e-8}}  # whose energy drifts in so long a run

CASES = {
    **{str(n): Case(partial(four_bars, float(n)), 10.0, 0.1) for n in ROWS},
    **{name: Case(partial(four_bars, 40.0), 10.0, 0.1, {"formulation": "absolute", "method": name})
       for name in METHODS},
    "four-bar": Case(partial(library_model, "four-bar"), 3.0, 0.006),
    "hmmwv": Case(partial(library_model, "hmmwv"), 5.0, 0.01),
    **{f"{name} {until:g} s": Case(partial(library_model, name), until, until / 500.0, FINE.get(name, {}))
       for name, until in LONG.items()},
    "chain7": Case(partial(chain_in_space, 7), 1.0, 0.002),
    "chain100000": Case(partial(straight_chain, 100_000), 0.02, 0.01),
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


def measured_case(case: Case) -> dict[str, Any]:
    """One row of the table: the quickest of some rounds."""
    library_model("n-four-bar").simulate(1e-3, progress=False, **case.options)  # loads the kernels
    best, built, begun, bodies, steps = None, math.inf, time.process_time(), 1, 1
    while best is None or time.process_time() - begun < PATIENCE:
        began = time.process_time()
        model = case.build()  # anew, since a model keeps what has been looked up in it
        bodies, built = len(model.mechanism.body), min(built, time.process_time() - began)

        def run(model: Model = model, body: str = model.mechanism.body[bodies // 2].name) -> None:
            nonlocal steps
            found = model.simulate(case.until, every=case.every, progress=False, **case.options)
            found.position(body)
            steps = found.certificate.steps

        found = measured(run)
        best = found if best is None or found[0] < best[0] else best
        gc.collect()  # what the last round has left
    whole, spent = best
    loop, memory = spent.pop("loop"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    rest = spent | {"other": whole - loop - sum(spent.values())}
    each = 1e6 * loop / (bodies * steps)
    return {"build": built, "loop": loop, "whole": whole, "each": each, "memory": memory, "rest": rest}


def line(name: str, row: dict[str, Any]) -> str:
    """A row as text."""
    times = f"{row['build']:8.3f} {row['loop']:8.4f} {row['whole']:8.4f} x{row['whole'] / row['loop']:7.2f}"
    rest = "  ".join(f"{phase} {seconds:7.3f}" for phase, seconds in row["rest"].items())
    return f"{name:26} {times} {row['each']:8.3f} {row['memory']:7.0f}   {rest}"


def main(wanted: list[str]) -> None:
    """All of them, one process each; `one NAME`: that one, here, as JSON."""
    if wanted[:1] == ["one"]:
        name = wanted[1]
        known = CASES.get(name)
        print(json.dumps(measured_case(known if known else Case(partial(four_bars, float(name)), 10.0, 0.1))))
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    head = f"{'build s':>8} {'loop s':>8} {'whole s':>8} {'':8} {'us each':>8} {'MB':>7}"
    print(f"{'':26} {head}   where the rest goes, s", flush=True)
    rows = {}
    for name in [word for word in wanted if word != "--store"] or CASES:
        command = [sys.executable, "-m", "benchmarks.whole_call", "one", name]
        rows[name] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        print(line(name, rows[name]), flush=True)
    if "--store" in wanted:
        before = json.loads(STORED.read_text())["rows"] if STORED.exists() else {}
        kept = {"date": str(date.today()), "machine": platform.machine(), "rows": before | rows}
        STORED.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
