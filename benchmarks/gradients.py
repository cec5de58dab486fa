"""What a gradient of a run costs: python -m benchmarks.gradients [MODEL ...]

For each model the compiled loop of its run, and the same with sensitivities of one parameter and of four, in the time
of the thread: so many runs a parameter, the first and each further one.  The starts of mechanisms beside it, which a
gradient needs before, do not count.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from linkwork.analyses.gradients.starts import Beside, started, starts_beside
from linkwork.analyses.gradients.varied_run import VariedRun
from linkwork.analyses.simulate.dynamics import Options, first_integrator, sample_times
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.library.study import any_mechanism
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


def best(once: Callable[[], float]) -> float:
    """The least of several, after one that does not count."""
    once()
    return min(once() for _ in range(REPEATS))


def cost(model: str, parameter: str, value: float, until: float) -> str:
    """A line of the table."""
    build, settings, options = partial(any_mechanism, model, {}), {parameter: value}, Options(until=until, rtol=1e-8)
    start, times = started(build(settings), options), sample_times(until, until / 50)
    beside = starts_beside(build, settings, parameter, start, options)

    def run() -> float:
        method, _ = choose_method("auto", start.compiled.system)
        one = ForwardRun(start, method, first_integrator("adams"), options, Certificate(), (), times, "timed")
        one.bind()
        one.begin(0.0, until)
        began = time.thread_time()
        while one.chunk(len(one.buffers.history)).name in ("CHUNK_DONE", "CHANGED"):
            pass
        return time.thread_time() - began

    def varied(parameters: list[Beside]) -> float:
        one = VariedRun(start, parameters, options, times, steps)
        began = time.thread_time()
        one.go()
        return time.thread_time() - began

    plain, first, four = best(run), best(lambda: varied([beside])), best(lambda: varied([beside] * 4))
    return f"{model:20}{parameter:12}{plain * 1e3:9.2f}{first / plain - 1.0:9.2f}{(four - first) / 3.0 / plain:9.2f}"


def main(wanted: list[str]) -> None:
    """All of them, or those named."""
    print(f"{'model':20}{'parameter':12}{'run, ms':>9}{'first':>9}{'further':>9}   runs a parameter")
    for case in CASES:
        if not wanted or case[0] in wanted:
            print(cost(*case), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
