"""One random mechanism tried: both formulations against each other, another method and integrator against them.

`agreed`: what finished is one motion.  `refused`: an error with one sentence, or a run that says not to trust it.
`wrong`: two runs that are `finished` and differ, a run that leaves its constraints, an exception that is no sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError, NumericalError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.results.result import Certificate, Result
from random_mechanisms.anything import Drawn, anything

UNTIL, EVERY = 0.25, 0.05  # s
RTOL, TIGHT = 1e-7, 1e-11
APART = 1e-4  # of the mechanism's size: two runs that differ by less agree
CONVERGES = 0.3  # of the difference: what a hundredth of the tolerance leaves of it where the motion amplifies errors
MOST_STEPS = 20_000
OFF = 1e-5  # of the size, or rad: the most that a finished run leaves open


@dataclass(frozen=True)
class Trial:
    """What became of a mechanism."""

    seed: int
    tags: tuple[str, ...]
    verdict: str  # agreed, refused, wrong
    why: str = ""


def tried(seed: int) -> Trial:
    """The trial of a seed."""
    drawn = anything(seed)
    verdict, why = _outcome(drawn)
    return Trial(seed, tuple(drawn.tags), verdict, why)


def _outcome(drawn: Drawn) -> tuple[str, str]:
    rng = np.random.default_rng([drawn.seed, 19])
    try:
        mechanism = drawn.mechanism()
        first = _run(mechanism, Options(until=UNTIL, every=EVERY, rtol=RTOL, formulation="joint"))
        second = _run(mechanism, Options(until=UNTIL, every=EVERY, rtol=RTOL, formulation="absolute"))
        third = _run(mechanism, _other(rng, mechanism))
    except LinkworkError as refusal:
        return "refused", refusal.message
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    runs = [run for run in (first, second, third) if isinstance(run, Result)]
    for run in runs:
        if _leaves_constraints(run, drawn.size):
            return "wrong", f"finished with {run.certificate.max_violation}"
    for run in runs[1:]:
        why = _difference(mechanism, runs[0], run, drawn.size)
        if why:
            return "wrong", why
    refusals = [str(run) for run in (first, second, third) if not isinstance(run, Result)]
    return ("agreed", "") if len(runs) > 1 else ("refused", refusals[0])


def _other(rng: np.random.Generator, mechanism: Mechanism) -> Options:
    """Another method and integrator."""
    method = str(rng.choice([name for name in METHODS if name not in ("articulated", "baumgarte")]))
    integrator = str(rng.choice(list(INTEGRATORS)))
    more = {} if INTEGRATORS[integrator].adaptive else {"step": UNTIL / 500.0}
    return Options(
        until=UNTIL, every=EVERY, rtol=RTOL, method=method, integrator=integrator, formulation="joint", **more
    )


class Patience:
    """Ends a run of very many steps: it counts as refused."""

    def __init__(self) -> None:
        self.steps = 0

    def begin(self, empty: Result) -> None:
        """Nothing."""

    def append(self, part: Result) -> None:
        self.steps += len(part.steps)
        if self.steps > MOST_STEPS:
            raise NumericalError(f"more than {MOST_STEPS} steps")

    def finish(self, certificate: Certificate) -> None:
        """Nothing."""


def _run(mechanism: Mechanism, options: Options) -> Result | str:
    """A run that finished, or what it says instead."""
    try:
        result = simulate(mechanism, options, [Patience()])
    except LinkworkError as refusal:
        assert refusal.message and refusal.exit_code in (2, 3)
        return refusal.message
    return result if result.certificate.status == "finished" else "; ".join(result.certificate.warnings)


def _leaves_constraints(run: Result, size: float) -> bool:
    limit = OFF * max(size, 1.0)
    if run.certificate.misfits:
        limit *= 100.0
    return not run.certificate.max_violation["position"] < limit


def _difference(mechanism: Mechanism, one: Result, other: Result, size: float) -> str:
    """By how much two runs differ, if that does not vanish with the tolerance; "" where they agree."""
    apart = _distance(one, other) / size
    allowed = APART * (100.0 if one.certificate.misfits or other.certificate.misfits else 1.0)
    if apart < allowed:
        return ""
    if not INTEGRATORS[other.certificate.integrator].adaptive:
        options = replace(_options(other), step=UNTIL / 4000.0)
    else:
        options = replace(_options(other), rtol=TIGHT if other.certificate.integrator != "generalized-alpha" else 1e-9)
    tight = [_run(mechanism, replace(_options(one), rtol=TIGHT)), _run(mechanism, options)]
    if not all(isinstance(run, Result) for run in tight):
        return ""
    nearer = _distance(*tight) / size
    how = f"{other.certificate.formulation}, {other.certificate.method}, {other.certificate.integrator}"
    return (
        "" if nearer < max(allowed, CONVERGES * apart) else f"{how}: {apart:.2g} of its size apart, then {nearer:.2g}"
    )


def _options(run: Result) -> Options:
    return Options(**run.options)


def _distance(one: Result, other: Result) -> float:
    rows = min(len(one.t), len(other.t))
    ours, theirs = (run.position[:rows, np.argsort(run.names["bodies"])] for run in (one, other))
    return float(np.abs(ours - theirs).max(initial=0.0))
