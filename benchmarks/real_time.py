"""The HMMWV in real time on a core: python -m benchmarks.real_time [STEPS] [--manoeuvre M] [--integrator I] [--cpu C]

Fixed steps of 1 ms by subsystem synthesis in joint coordinates, each of them timed, 10^6 (or STEPS) a manoeuvre: over
the bump, into a J-turn, and with a sine at the wheel; runs of 5 s, one after the other.  A step is one call of the
compiled loop, the call from Python included.  The program holds one core, at real-time priority and with its memory
locked where the system grants it, and rests between runs, since a system takes the core from a program that never does
(Linux for 50 ms a second).  Before a run the loop takes some steps of another, so that the first is no slower than the
rest because the processor has forgotten the program.

Printed are, of the same steps,

- clock: what passed, whatever the machine did meanwhile;
- thread: the time of the thread, without that which the system or a hypervisor gave to others;
- needed: the least time that a step took in any of the runs, which are all alike;
- again: steps that were too long by the clock, and again in the next run, where they are computed once more: what takes
  too long of itself does so each time, what the machine does comes and goes;
- machine: gaps of a loop, beside the runs and as long, that does nothing but read the clock: those that would have made
  a step of median length too long;
- the page faults and context switches within the steps, and the time that a hypervisor took from the core.

Beside it the motion by parametrization.

A machine of many cores takes all drives at once, a process and a core each, `--brief` with a line each and without the
loop that reads the clock (bump, rk4 in a minute):

    for m in bump J-turn "sine steer"; do for i in rk4 ab3; do
        python -m benchmarks.real_time --manoeuvre "$m" --integrator $i --cpu $((++cpu)) --brief &
    done; done; wait

It needs NumPy, SciPy, pydantic and the native library (python -m linkwork.compiler.build).
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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
COUNT = round(UNTIL / STEP)  # steps of a run
STEPS = 1_000_000  # of a drive
INTEGRATORS = ("rk4", "ab3")
WARM_UP = 100  # steps
REST = 0.05  # s between runs
MCL_CURRENT, MCL_FUTURE = 1, 2  # of mlockall(2)
SPEED = 15.0  # m/s, of the steered vehicle
STEERING = {  # m, of the rack
    "J-turn": "step(t, 1.0, 0.0, 1.4, 0.03)",
    "sine steer": "0.03*sin(pi*t)*step(t, 0.0, 0.0, 0.5, 1.0)",
}
MANOEUVRES = ("bump", *STEERING)


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


def manoeuvre(name: str) -> Model:
    """One of MANOEUVRES."""
    return library_model("hmmwv") if name == "bump" else steered(STEERING[name])


@dataclass
class Timed:
    """What was measured of the runs of one drive."""

    thread: list[np.ndarray] = field(default_factory=list)  # s of each step, run by run
    clock: list[np.ndarray] = field(default_factory=list)
    gaps: list[np.ndarray] = field(default_factory=list)  # s, of the clock where nothing was computed
    faults: int = 0  # of pages, within the steps
    switches: int = 0  # to another program, within the steps
    stolen: float = 0.0  # s that a hypervisor took, in all

    def lines(self) -> Iterator[str]:
        """What to print."""
        for what, runs in (("clock", self.clock), ("thread", self.thread)):
            spent = np.concatenate(runs)
            yield f"{what:8}{quantiles(spent)}; {above(spent, LIMIT)} of {spent.size} above {1e6 * LIMIT:.0f} us"
        if len(self.thread) > 1:
            yield f"{'needed':8}{quantiles(self.needed)}, of {len(self.thread)} runs"
            size = COUNT * len(self.clock)
            yield f"{'again':8}{self.again} of {size} above {1e6 * LIMIT:.0f} us, and in the next run as well"
        gaps, room = np.concatenate(self.gaps), LIMIT - float(np.median(self.clock))
        yield (f"{'machine':8}{above(gaps, room)} gaps above {1e6 * room:.0f} us, worst {1e6 * gaps.max():.1f} us, "
               f"where nothing is computed for as long; {self.disturbed}")  # fmt: skip

    @property
    def brief(self) -> str:
        """In a line: what each step took by the clock, and what it needed."""
        spent = np.concatenate(self.clock)
        return (f"{above(spent, LIMIT)} of {spent.size} steps above {1e6 * LIMIT:.0f} us by the clock ({self.again} of "
                f"them again in the next run): {quantiles(spent)}; needed at worst {1e6 * self.needed.max():.1f} us; "
                f"{self.disturbed}")  # fmt: skip

    @property
    def needed(self) -> np.ndarray:
        """The least s that each step of a run took in any of them."""
        return np.min(self.thread, axis=0)

    @property
    def again(self) -> int:
        """How many steps took too long, and in the next run as well; of a single run none."""
        long = np.array(self.clock) > LIMIT
        return int(np.count_nonzero(long & np.roll(long, -1, axis=0))) if len(long) > 1 else 0

    @property
    def disturbed(self) -> str:
        """What the machine did meanwhile."""
        return (f"{self.stolen:.2f} s taken by a hypervisor, {self.faults} page faults and {self.switches} context "
                "switches within the steps")  # fmt: skip


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
        return run

    def timed(self, runs: int, alone: bool = True) -> Timed:
        """So many whole runs, and after each the machine alone for as long, unless that is not asked for."""
        found, stolen = Timed(), stolen_seconds()
        gc.disable()
        for _ in range(runs):
            time.sleep(REST)
            self._time_steps(found)
            if alone:
                found.gaps.append(clock_gaps(float(found.clock[-1].sum())))
        gc.enable()
        found.stolen = stolen_seconds() - stolen
        return found

    def _time_steps(self, found: Timed) -> None:
        run, other = self.run(), self.run()
        other.chunk(WARM_UP)
        run.chunk(0)
        spent = np.zeros((2, COUNT), dtype=np.int64)
        before = resource.getrusage(resource.RUSAGE_THREAD)
        for k in range(COUNT):
            thread, clock = time.thread_time_ns(), time.perf_counter_ns()
            status = run.chunk(1)
            spent[:, k] = time.thread_time_ns() - thread, time.perf_counter_ns() - clock
            assert status == (Status.FINISHED if k == COUNT - 1 else Status.CHUNK_DONE), status
        after = resource.getrusage(resource.RUSAGE_THREAD)
        found.thread.append(1e-9 * spent[0])
        found.clock.append(1e-9 * spent[1])
        found.faults += after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt
        found.switches += after.ru_nivcsw + after.ru_nvcsw - before.ru_nivcsw - before.ru_nvcsw

    def end(self) -> tuple[np.ndarray, tuple[float, float]]:
        """The state at the end of one run; factorizations and iterations of the position a step."""
        run = self.run()
        while run.chunk(len(run.buffers.history)) != Status.FINISHED:
            pass
        count, method = int(run.buffers.control[0]["steps"]), run.work.method[0]
        return run.y, (method["factorizations"] / count, method["iterations"] / count)


def clock_gaps(seconds: float) -> np.ndarray:
    """s between two readings of the clock, those above a tenth of the limit, for so long."""
    gaps, last = [0], time.perf_counter_ns()
    end, least = last + int(1e9 * seconds), int(1e8 * LIMIT)
    while last < end:
        now = time.perf_counter_ns()
        if now - last > least:
            gaps.append(now - last)
        last = now
    return 1e-9 * np.array(gaps)


def stolen_seconds() -> float:
    """s that a hypervisor has taken from this core so far, where the system tells."""
    counters = Path("/proc/stat")
    if not (counters.exists() and hasattr(os, "sched_getaffinity")):
        return 0.0
    core = f"cpu{max(os.sched_getaffinity(0))} "
    line = next(line for line in counters.read_text().splitlines() if line.startswith(core))
    return int(line.split()[8]) / float(os.sysconf("SC_CLK_TCK"))


def above(spent: np.ndarray, limit: float) -> int:
    """How many are longer."""
    return int((spent > limit).sum())


def quantiles(spent: np.ndarray) -> str:
    """Mean, tail and worst."""
    tail = ", ".join(f"{100 * p:g} % {1e6 * np.quantile(spent, p):.1f}" for p in (0.5, 0.999, 0.99999))
    return f"mean {1e6 * spent.mean():.1f} us, {tail}, worst {1e6 * spent.max():.1f} us"


def hold_a_core(cpu: int | None) -> str:
    """That core, or the last that the program may use, ahead of other programs on it, and memory that stays, where the
    system grants that; what was granted, in words.
    """
    if not hasattr(os, "sched_setaffinity"):
        return "any core"
    cpu = max(os.sched_getaffinity(0)) if cpu is None else cpu
    os.sched_setaffinity(0, {cpu})
    locked = ctypes.CDLL(None).mlockall(MCL_CURRENT | MCL_FUTURE) == 0
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return f"core {cpu}, without real-time priority"
    return f"core {cpu}, at real-time priority" + (", memory locked" if locked else "")


def report(name: str, integrator: str, runs: int, core: str, brief: bool) -> None:
    """Time one drive and print what was found."""
    model = manoeuvre(name)
    reference, _ = Drive(model, "parametrization", integrator).end()
    drive = Drive(model, "synthesis", integrator)
    y, (factorizations, iterations) = drive.end()
    apart = float(np.abs(y - reference).max() / np.abs(reference).max())
    if brief:
        print(f"{name}, {integrator}, {core}: {drive.timed(runs, alone=False).brief}; {apart:.0e} from parametrization",
              flush=True)  # fmt: skip
        return
    print(f"{name}, {integrator}: {factorizations:.3f} factorizations and {iterations:.3f} iterations a step; "
          f"apart from parametrization {apart:.0e}")  # fmt: skip
    for line in drive.timed(runs).lines():
        print(f"  {line}", flush=True)


def main() -> None:
    """All manoeuvres and both fixed-step integrators, or those that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("steps", nargs="?", type=float, default=STEPS, help=f"of each drive, {STEPS} unless given")
    parser.add_argument("--manoeuvre", choices=MANOEUVRES, help="all unless given")
    parser.add_argument("--integrator", choices=INTEGRATORS, help="both unless given")
    parser.add_argument("--cpu", type=int, help="the core; the last one unless given")
    parser.add_argument("--brief", action="store_true", help="a line a drive, without a look at the machine alone")
    given = parser.parse_args()
    core = hold_a_core(given.cpu)
    if not given.brief:
        print(core)
    for name in (given.manoeuvre,) if given.manoeuvre else MANOEUVRES:
        for integrator in (given.integrator,) if given.integrator else INTEGRATORS:
            report(name, integrator, -(-round(given.steps) // COUNT), core, given.brief)


if __name__ == "__main__":
    main()
