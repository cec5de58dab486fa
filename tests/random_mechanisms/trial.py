"""One random mechanism tried: both formulations, other methods and integrators, other programs.

`agreed`: what finished is one motion, with the accelerations of Pinocchio and MuJoCo.  `refused`: an error with one
sentence, or a run that says not to trust it.  `wrong`: two runs that are `finished` and differ from each other or from
another program, a run that leaves its constraints, an exception that is not a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import LinkworkError, NumericalError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.results.result import Certificate, Result
from random_mechanisms.anything import Drawn, anything

if OTHER_PROGRAMS := bool(find_spec("pinocchio") and find_spec("mujoco")):
    from random_mechanisms.peers import programs

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
    tags: Sequence[str]
    verdict: str  # agreed, refused, wrong
    why: str = ""
    programs: Sequence[str] = ()  # that gave the same accelerations


def tried(seed: int, methods: int = 1) -> Trial:
    """The trial of a seed, with so many other methods."""
    drawn = anything(seed)
    rng = np.random.default_rng([seed, 19])
    try:
        return _trial(drawn, [*_formulations(), *_others(rng, methods)])
    except LinkworkError as refusal:
        return Trial(seed, tuple(drawn.tags), "refused", refusal.message)
    except Exception as error:
        return Trial(seed, tuple(drawn.tags), "wrong", f"{type(error).__name__}: {error}")


def _trial(drawn: Drawn, options: list[Options]) -> Trial:
    mechanism, tags = drawn.mechanism(), tuple(drawn.tags)
    results = [_run(mechanism, one) for one in options]
    runs = [run for run in results if isinstance(run, Result)]
    for run in runs:
        if _leaves_constraints(run, drawn.size):
            return Trial(drawn.seed, tags, "wrong", f"finished with {run.certificate.max_violation}")
    for run in runs[1:]:
        why = _difference(mechanism, runs[0], run, drawn.size)
        if why:
            return Trial(drawn.seed, tags, "wrong", why)
    others = programs(drawn) if OTHER_PROGRAMS else []
    for other in others:
        why = next(filter(None, map(other.differs, runs)), "")
        if why:
            return Trial(drawn.seed, tags, "wrong", why)
    if len(runs) < 2:
        return Trial(drawn.seed, tags, "refused", next(text for text in results if isinstance(text, str)))
    return Trial(drawn.seed, tags, "agreed", programs=tuple(other.program for other in others if other.compared))


def _formulations() -> list[Options]:
    return [Options(until=UNTIL, every=EVERY, rtol=RTOL, formulation=name) for name in ("joint", "absolute")]


def _others(rng: np.random.Generator, methods: int) -> list[Options]:
    """Other methods, each with any integrator that goes with it."""
    names = [name for name in METHODS if name not in ("articulated", "baumgarte")]
    found = []
    for method in rng.choice(names, methods, replace=False):
        fit = [x.name for x in INTEGRATORS.values() if METHODS[method].mass_weighted or not x.mass_weighted]
        integrator = str(rng.choice(fit))
        more = {} if INTEGRATORS[integrator].adaptive else {"step": UNTIL / 500.0}
        found.append(Options(
            until=UNTIL, every=EVERY, rtol=RTOL, method=str(method), integrator=integrator, formulation="joint", **more
        ))  # fmt: skip
    return found


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
