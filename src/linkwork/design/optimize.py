"""Optimization: SciPy's methods with the gradients of the analyses, from several starts.

    several outputs, no condition    least-squares: trust-region Gauss-Newton (Branch, Coleman & Li 1999)
    conditions                       slsqp: sequential quadratic programming (Kraft 1988)
    one output, bounds alone         l-bfgs-b: a quasi-Newton method within bounds (Byrd et al. 1995)

landscape.py has what they are given: scaled variables, and a wall before trials that fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.design.goals import Goals
from linkwork.design.landscape import Landscape
from linkwork.design.optimum import Ended, Optimum
from linkwork.design.trials import Trials
from linkwork.design.variables import spread_starts
from linkwork.errors import Entry, NumericalError, OptionError, nearest
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from scipy import optimize as scipy_optimize
else:
    scipy_optimize = lazy_module("scipy.optimize")

METHODS = ("auto", "least-squares", "slsqp", "trust-constr", "l-bfgs-b")
TOLERANCE = 1e-10  # relative change of the objective, and of the scaled variables
INSIDE = 1e-9  # of a variable's scale: least squares begin off the bounds
ENDS = {  # when a method is content; SLSQP's tolerance is of objective and conditions at once
    "slsqp": {"ftol": 1e-8}, "l-bfgs-b": {"ftol": 1e-12, "gtol": 1e-9},
    "trust-constr": {"gtol": 1e-9, "xtol": TOLERANCE},
}  # fmt: skip


@dataclass(frozen=True)
class Search:
    """What an optimization is to do."""

    goals: Goals
    method: str = "auto"
    starts: int = 1
    seed: int = 0
    most: int = 200  # iterations from each start


def choose(goals: Goals, method: str) -> tuple[str, str]:
    """The method and why."""
    if method not in METHODS:
        raise OptionError(f"there is no method '{method}'; {nearest(method, METHODS)}", element="method")
    if method == "least-squares" and (goals.conditions or not goals.squares):
        raise OptionError(
            "method 'least-squares' takes a list of outputs and no condition; leave the method out", element="method"
        )
    if method == "l-bfgs-b" and goals.conditions:
        raise OptionError(
            "method 'l-bfgs-b' takes no condition; leave the method out, or take 'slsqp'", element="method"
        )
    if method != "auto":
        return method, "as requested"
    if goals.conditions:
        return "slsqp", "there are conditions"
    if goals.squares:
        return "least-squares", "a sum of squares within bounds"
    return "l-bfgs-b", "one output within bounds"


def search(model: str, trials: Trials, wanted: Search) -> Optimum:
    """From every start; Ctrl-C keeps what was found."""
    method, why = choose(wanted.goals, wanted.method)
    if wanted.starts < 1:
        raise OptionError(f"starts is {wanted.starts}; it must be at least 1", element="starts")
    starts = spread_starts(trials.variables, wanted.starts, wanted.seed)
    ended: list[Ended] = []
    try:
        for k, x in enumerate(starts):
            trials.current = k
            ended.append(_from(x, k, method, trials, wanted))
    except KeyboardInterrupt:
        if not trials.rows:
            raise
    finally:
        trials.save()
    if all(row.status == "failed" for row in trials.rows):
        raise NumericalError(
            f"all {len(trials)} trials failed; the first: {trials.rows[0].message}", entry=Entry.ALL_FAILED
        )
    return Optimum.of(model, trials, wanted.goals, tuple(ended), method, why)


def _from(x: np.ndarray, number: int, method: str, trials: Trials, wanted: Search) -> Ended:
    """One start."""
    before = len(trials)
    if trials.at(x) is None:
        return Ended(number, "failed", trials.rows[-1].message, 1)
    with np.errstate(all="ignore"):
        land = Landscape(trials, wanted.goals, x)
        found = _least_squares(land, wanted) if method == "least-squares" else _minimize(land, method, wanted)
    message = str(found.message)
    failed = [row.message for row in trials.rows[before:] if row.status == "failed"]
    if not found.success and failed:
        message = f"no step helps any more; the last trial that failed: {failed[-1]}"
    return Ended(number, "converged" if found.success else "stopped", message, len(trials) - before)


def _least_squares(land: Landscape, wanted: Search) -> Any:
    return scipy_optimize.least_squares(
        land.residuals, np.clip(land.start, land.low + INSIDE, land.high - INSIDE), land.jacobian,
        (land.low, land.high), xtol=TOLERANCE, ftol=TOLERANCE, gtol=1e-3 * TOLERANCE, max_nfev=wanted.most,
    )  # fmt: skip


def _minimize(land: Landscape, method: str, wanted: Search) -> Any:
    senses = [one.sense for one in wanted.goals.conditions]
    gaps = [land.gap(k) for k in range(len(senses))]
    if method == "trust-constr":
        conditions: Any = [
            scipy_optimize.NonlinearConstraint(value, 0.0, 0.0 if sense == "==" else np.inf, jac=slope)
            for sense, (value, slope) in zip(senses, gaps, strict=True)
        ]
    else:
        conditions = [
            {"type": "eq" if sense == "==" else "ineq", "fun": value, "jac": slope}
            for sense, (value, slope) in zip(senses, gaps, strict=True)
        ]
    return scipy_optimize.minimize(
        land.objective, land.start, jac=True, method=method, bounds=scipy_optimize.Bounds(land.low, land.high),
        constraints=conditions, options={**ENDS[method], "maxiter": wanted.most},
    )  # fmt: skip
