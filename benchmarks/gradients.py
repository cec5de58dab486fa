"""What a gradient of a run costs: python -m benchmarks.gradients [MODEL ... | whole | adjoint]

For each model the compiled loop of its run, and the same with sensitivities of one parameter and of sixteen, in the
time of the thread: so many runs a parameter, of one alone and on average of sixteen, the writing of a tape included.
The starts of mechanisms beside it, which a gradient needs before, do not count.

Then whole calls, as a user has them: `run.gradient` of a coordinate at the end, by each of eight fields alone and by
all of them, in whole calls of `simulate`, a parameter: starts, tables, loop and outputs.

Then one output by the adjoint equation, of a thousand parameters: masses and inertias of n four-bars.  In runs of the
compiled loop: the motion made again and the way back; in whole calls of `simulate`: the whole call of `gradient`,
with mechanisms built beside this one, the tape and the channel.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analyses.gradients.adjoint import sweep as adjoint_sweep
from linkwork.analyses.gradients.adjoint.motion import MotionRun
from linkwork.analyses.gradients.starts import Beside, started, starts_beside
from linkwork.analyses.gradients.varied_run import VariedRun
from linkwork.analyses.simulate.dynamics import Options, first_integrator, sample_times, simulate
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import Start
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import choose_method
from linkwork.results.result import Certificate

CASES = [  # model, parameter, its value, end (s)
    ("pendulum", "length", 1.0, 5.0),
    ("double-pendulum", "length", 1.0, 2.0),
    ("slider-crank", "crank", 0.1, 0.5),
    ("slider-crank", "speed", 21.6, 0.5),
    ("quick-return", "crank", 0.2, 2.0),
    ("windscreen-wiper", "crank", 0.045, 2.0),
    ("bricard", "length", 1.0, 2.0),
    ("hooke-shaft", "angle", 30.0, 1.0),
    ("gyroscope", "tilt", 60.0, 0.5),
    ("stewart-platform", "surge", 0.15, 2.0),
    ("excavator", "payload", 800.0, 4.0),
    ("quarter-car", "sprung", 400.0, 1.0),
    ("bicycle", "speed", 5.0, 2.0),
    ("four-bar-flexible", "damping", 0.01, 0.15),
    ("hmmwv", "front_share", 0.4, 0.5),
]
REPEATS = 5
MANY = 16
SEVERAL = 8


def best(once: Callable[[], float]) -> float:
    """The least of several, after one that does not count."""
    once()
    return min(once() for _ in range(REPEATS))


def loop_time(start: Start, options: Options, times: np.ndarray) -> float:
    """The compiled loop of a run, in the plane where it moves in one, s of the thread."""
    method, _ = choose_method("auto", start.compiled.system)
    one = ForwardRun(start, method, first_integrator("adams"), options, Certificate(), (), times, True)
    one.bind()
    one.begin(0.0, options.until)
    began = time.thread_time()
    while one.chunk(len(one.buffers.history)).name in ("CHUNK_DONE", "CHANGED"):
        pass
    return time.thread_time() - began


def cost(model: str, parameter: str, value: float, until: float) -> str:
    """A line of the table."""
    settings, options = {parameter: value}, Options(until=until, rtol=1e-8)

    def build(values: Mapping[str, float]) -> Mechanism:
        return lw.library_model(model, values).mechanism

    start, times = started(build(settings), options), sample_times(until, until / 50)
    (beside,) = starts_beside(build, settings, [parameter], start, options)

    def varied(parameters: list[Beside]) -> float:
        one = VariedRun(start, parameters, options, times, steps)
        began = time.thread_time()
        one.write_first_tape()
        one.go()
        return time.thread_time() - began

    steps = simulate(build(settings), options, times=times).certificate.steps
    plain = best(lambda: loop_time(start, options, times))
    alone, many = best(lambda: varied([beside])), best(lambda: varied([beside] * MANY))
    return f"{model:20}{parameter:12}{plain * 1e3:9.2f}{alone / plain - 1.0:9.2f}{(many / plain - 1.0) / MANY:9.2f}"


FIELDS = ("mass", "inertia.0", "density", "stiffness", "damping", "at.0", "at.2", "com.0", "rate", "length", "radius")


def whole_cost(model: str, until: float) -> str:
    """A line of the second table: calls of `run.gradient` by fields of the model, each of which has a derivative."""
    made = lw.library_model(model)
    simulated = partial(made.simulate, until, rtol=1e-8, every=until / 50, progress=False)
    plain, run = best(lambda: clocked(simulated)), simulated()
    outputs, names = [f"end({run.result.names['q'][0]})"], list[str]()
    for name in (f"{element.name}.{field}" for element in made.mechanism.elements() for field in FIELDS):
        with suppress(lw.LinkworkError):
            run.gradient(outputs, [name], mode="forward")
            names.append(name)
        if len(names) == SEVERAL:
            break

    def cost_of(some: list[str]) -> float:
        return best(lambda: clocked(lambda: run.gradient(outputs, some, mode="forward"))) / plain

    alone = [cost_of([name]) for name in names]
    return (
        f"{model:20}{len(names):12}{plain * 1e3:9.2f}{min(alone):9.2f}{max(alone):9.2f}"
        f"{cost_of(names) / len(names):9.2f}   {names[int(np.argmax(alone))]}"
    )


LOOPS = (4, 20, 125)
SHORT = 0.25  # s, before the four-bars pass their singular position


def adjoint_cost(loops: int) -> str:
    """A line of the second table: the first call counts for nothing, the second is timed."""
    model = lw.library_model("n-four-bar", {"n": loops})
    bodies = [body.name for body in model.mechanism.body]
    names = [f"{body}.{field}" for body in bodies for field in ("mass", "inertia.0", "inertia.1", "inertia.2")][:1000]
    spent = dict.fromkeys(("motion", "sweep"), 0.0)

    def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def of(*given: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                spent[part] += time.thread_time() - began

        return of

    whole = best(lambda: clocked(lambda: model.simulate(SHORT, rtol=1e-8, progress=False)))
    run = model.simulate(SHORT, rtol=1e-8, progress=False)
    options = Options(until=SHORT, rtol=1e-8)
    loop = best(lambda: loop_time(started(model.mechanism, options), options, run.result.t))
    outputs = [f"end({run.result.names['q'][0]})"]
    run.gradient(outputs, names, mode="adjoint")
    kept = MotionRun.go, adjoint_sweep.sweep_back, adjoint_sweep.choose_programs, adjoint_sweep.solve_nodes
    MotionRun.go = timed("motion", kept[0])  # type: ignore[method-assign]
    adjoint_sweep.sweep_back, adjoint_sweep.choose_programs, adjoint_sweep.solve_nodes = (
        timed("sweep", one) for one in kept[1:]
    )
    call = clocked(lambda: run.gradient(outputs, names, mode="adjoint"))
    MotionRun.go = kept[0]  # type: ignore[method-assign]
    adjoint_sweep.sweep_back, adjoint_sweep.choose_programs, adjoint_sweep.solve_nodes = kept[1:]
    return (
        f"{loops:8}{len(names):12}{loop * 1e3:10.2f}{spent['motion'] / loop:9.2f}{spent['sweep'] / loop:9.2f}"
        f"{whole * 1e3:12.1f}{call / whole:9.1f}"
    )


def clocked(once: Callable[[], Any]) -> float:
    """The time of the thread that a call takes, s."""
    began = time.thread_time()
    once()
    return time.thread_time() - began


def main(wanted: list[str]) -> None:
    """All of them, or those named."""
    print(f"{'model':20}{'parameter':12}{'run, ms':>9}{'alone':>9}{'of many':>9}   runs a parameter")
    for case in CASES:
        if not wanted or case[0] in wanted:
            print(cost(*case), flush=True)
    if not wanted or "whole" in wanted:
        heads = "".join(f"{one:>9}" for one in ("call, ms", "alone", "at most", "of many"))
        print(f"{'model':20}{'parameters':>12}{heads}   whole calls a parameter; which alone takes most")
        for model, until in {model: until for model, _, _, until in CASES}.items():
            print(whole_cost(model, until), flush=True)
    if not wanted or "adjoint" in wanted:
        heads = "".join(f"{one:>{n}}" for one, n in (("loop, ms", 10), ("motion", 9), ("back", 9), ("call, ms", 12)))
        print(f"{'loops':>8}{'parameters':>12}{heads}{'calls':>9}   in runs of the loop, in whole calls")
        for loops in LOOPS:
            print(adjoint_cost(loops), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
