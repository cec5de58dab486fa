"""The HMMWV in real time, on one core: python -m benchmarks.real_time [STEPS]

Fixed steps of 1 ms by subsystem synthesis in joint coordinates, each of them timed, 10^6 (or STEPS) a manoeuvre: over
the bump, into a J-turn, and with a sine at the wheel; runs of 5 s, one after the other.  A step is one call of the
compiled loop, the call from Python included; the loop is entered once, without a step, before a run's clock starts.
Time is that of the thread, in which other programs on the core count little, that of the clock, and what a step needs:
the least time that it took in any of the runs, which are all alike.  The program holds one core, at real-time priority
where the system grants it.  Beside it the motion by parametrization.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, first_integrator, first_state
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.library import library_model
from linkwork.library.hmmwv import GRAVITY, SIDES, add_vehicle, hardpoint
from linkwork.methods.registry import METHODS
from linkwork.model import Model
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate

UNTIL, STEP, LIMIT = 5.0, 1e-3, 0.2e-3  # s, of a run, of a step, of the clock for it
SPEED = 15.0  # m/s, of the steered vehicle
STEERING = {  # m, of the rack
    "J-turn": "step(t, 1.0, 0.0, 1.4, 0.03)",
    "sine steer": "0.03*sin(pi*t)*step(t, 0.0, 0.0, 0.5, 1.0)",
}


def steered(motion: str) -> Model:
    """The vehicle on a flat road; its front tie rods grow and shrink as a rack would move them."""
    m = Model("steered", gravity=GRAVITY, from_equilibrium=True)
    m.road("road")
    add_vehicle(m, SPEED)
    for side, sign in SIDES.items():
        ends = [hardpoint("front", side, "tie_rod", end) for end in ("chassis", "knuckle")]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        m.driver(f"{side} rack", distance=f"front {side} tie rod", motion=f"{length!r} + {sign}*({motion})")
    return m


def manoeuvres() -> dict[str, Model]:
    """By name."""
    return {"bump": library_model("hmmwv"), **{name: steered(motion) for name, motion in STEERING.items()}}


class Drive:
    """One manoeuvre by one method and integrator, step by step."""

    def __init__(self, model: Model, method: str, integrator: str) -> None:
        self.options = Options(until=UNTIL, step=STEP, integrator=integrator, method=method, formulation="joint")
        self.start = first_state(model.mechanism, "joint", True)

    def run(self) -> ForwardRun:
        """Ready to go."""
        method, scheme = METHODS[self.options.method], first_integrator(self.options.integrator)
        certificate = Certificate(0, "joint", method.name, scheme.name)
        run = ForwardRun(self.start, method, scheme, self.options, certificate, (), np.array([0.0, UNTIL]))
        run.bind()
        run.begin(0.0, UNTIL)
        run.chunk(0)
        return run

    def seconds(self, steps: int) -> np.ndarray:
        """[2, step] s of thread and clock, of the steps of as many runs as it takes."""
        found = np.empty((2, steps))
        run, status = self.run(), Status.OK
        gc.disable()
        for k in range(steps):
            if status == Status.FINISHED:
                run = self.run()
            thread, clock = time.thread_time_ns(), time.perf_counter_ns()
            status = run.chunk(1)
            found[:, k] = time.thread_time_ns() - thread, time.perf_counter_ns() - clock
            assert status in (Status.CHUNK_DONE, Status.FINISHED), status
        gc.enable()
        return 1e-9 * found

    def end(self) -> tuple[np.ndarray, tuple[float, float]]:
        """The state at the end of one run; factorizations and iterations of the position a step."""
        run = self.run()
        while run.chunk(len(run.buffers.history)) != Status.FINISHED:
            pass
        count, method = int(run.buffers.control[0]["steps"]), run.work.method[0]
        return run.y, (method["factorizations"] / count, method["iterations"] / count)


def lines(seconds: np.ndarray) -> Iterator[str]:
    """What to print of the steps: needed is the least of all times that one and the same step of the runs took."""
    for what, spent in zip(("thread", "clock"), seconds, strict=True):
        yield f"{what:8}{quantiles(spent)}; {int((spent > LIMIT).sum())} of {spent.size} above {1e6 * LIMIT:.0f} us"
    count = round(UNTIL / STEP)
    if seconds.shape[1] >= 2 * count:
        whole = seconds[0, : seconds.shape[1] // count * count].reshape(-1, count)
        yield f"{'needed':8}{quantiles(whole.min(axis=0))}, of {len(whole)} runs"


def quantiles(spent: np.ndarray) -> str:
    """Mean, tail and worst."""
    tail = ", ".join(f"{100 * p:g} % {1e6 * np.quantile(spent, p):.1f}" for p in (0.5, 0.999, 0.99999))
    return f"mean {1e6 * spent.mean():.1f} us, {tail}, worst {1e6 * spent.max():.1f} us"


def hold_a_core() -> str:
    """One core, ahead of other programs on it where the system grants that; what was granted, in words."""
    if not hasattr(os, "sched_setaffinity"):
        return "any core"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return "one core, without real-time priority"
    return "one core, at real-time priority"


def main() -> None:
    """All manoeuvres, both fixed-step integrators."""
    print(hold_a_core())
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    for name, model in manoeuvres().items():
        for integrator in ("rk4", "ab3"):
            reference, _ = Drive(model, "parametrization", integrator).end()
            drive = Drive(model, "synthesis", integrator)
            y, (factorizations, iterations) = drive.end()
            apart = float(np.abs(y - reference).max() / np.abs(reference).max())
            print(f"{name}, {integrator}: {factorizations:.3f} factorizations and {iterations:.3f} iterations a step; "
                  f"apart from parametrization {apart:.0e}")  # fmt: skip
            for line in lines(drive.seconds(steps)):
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
