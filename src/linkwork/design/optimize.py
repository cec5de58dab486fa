"""Optimization: SciPy's methods with the gradients of the analyses, from several starts.

    several outputs, no condition    least-squares: trust-region Gauss-Newton (Branch, Coleman & Li 1999)
    conditions                       slsqp: sequential quadratic programming (Kraft 1988)
    one output, bounds alone         l-bfgs-b: a quasi-Newton method within bounds (Byrd et al. 1995)

Variables are scaled by the width of their bounds.  A trial that fails is a wall: least squares shorten their step
before it; for the others it is a hill that rises from the last trial that did not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.design.goals import Goals
from linkwork.design.optimum import Ended, Optimum
from linkwork.design.trials import Trials
from linkwork.design.variables import Variable, spread_starts
from linkwork.errors import NumericalError, OptionError, nearest
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from scipy import optimize as scipy_optimize
else:
    scipy_optimize = lazy_module("scipy.optimize")

METHODS = ("auto", "least-squares", "slsqp", "trust-constr", "l-bfgs-b")
TOLERANCE = 1e-10  # relative change of the objective, and of the scaled variables
ACCURACY = 1e-8  # of objective and conditions at once, which SLSQP takes as absolute
STEEP = 10.0  # of the objective: by so much it grows along the wall of trials that fail


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
        raise NumericalError(f"all {len(trials)} trials failed; the first: {trials.rows[0].message}")
    return Optimum.of(model, trials, wanted.goals, tuple(ended), method, why)


def _from(x: np.ndarray, number: int, method: str, trials: Trials, wanted: Search) -> Ended:
    """One start."""
    before = len(trials)
    if trials.at(x) is None:
        return Ended(number, "failed", trials.rows[-1].message, 1)
    with np.errstate(all="ignore"):
        if method == "least-squares":
            found = _least_squares(x, trials, wanted)
        else:
            found = _minimize(x, method, trials, wanted)
    message = str(found.message)
    failed = [row.message for row in trials.rows[before:] if row.status == "failed"]
    if not found.success and failed:
        message = f"no step helps any more; the last trial that failed: {failed[-1]}"
    return Ended(number, "converged" if found.success else "stopped", message, len(trials) - before)


def _least_squares(x: np.ndarray, trials: Trials, wanted: Search) -> Any:
    scale, low, high = _scales(trials.variables)
    count = len(wanted.goals.minimize)

    def residuals(u: np.ndarray) -> np.ndarray:
        found = trials.at(_within(u * scale, trials.variables))
        return found.values[:count] if found is not None else np.full(count, np.inf)

    def jacobian(u: np.ndarray) -> np.ndarray:
        found = trials.at(_within(u * scale, trials.variables))
        assert found is not None
        return np.asarray(found.gradient[:count] * scale)

    inside = np.clip(x / scale, low + 1e-9, high - 1e-9)
    return scipy_optimize.least_squares(
        residuals, inside, jacobian, (low, high), xtol=TOLERANCE, ftol=TOLERANCE, gtol=TOLERANCE * 1e-3,
        max_nfev=wanted.most,
    )  # fmt: skip


def _minimize(x: np.ndarray, method: str, trials: Trials, wanted: Search) -> Any:
    scale, low, high = _scales(trials.variables)
    goals, count = wanted.goals, len(wanted.goals.minimize)
    first = trials.at(x)
    assert first is not None
    size = abs(goals.objective(first.values)) or 1.0
    last = {"u": x / scale, "f": 1.0, "values": first.values}

    def objective(u: np.ndarray) -> tuple[float, np.ndarray]:
        found = trials.at(_within(u * scale, trials.variables))
        if found is None:  # a hill that rises from the last trial that did not fail
            away = u - last["u"]
            return float(last["f"] + STEEP * (1.0 + away @ away)), 2.0 * STEEP * away
        f = goals.objective(found.values) / size
        last.update(u=u.copy(), f=f, values=found.values)
        return f, goals.slope(found.values, found.gradient) * scale / size

    def gap(k: int) -> tuple[Callable[[np.ndarray], float], Callable[[np.ndarray], np.ndarray]]:
        place, sense = count + 2 * k, -1.0 if goals.conditions[k].sense == "<=" else 1.0
        at_start = np.abs(first.values[place : place + 2]).max()
        unit = sense / (at_start or 1.0)

        def value(u: np.ndarray) -> float:
            found = trials.at(_within(u * scale, trials.variables))
            values = last["values"] if found is None else found.values
            return float(unit * (values[place] - values[place + 1]))

        def slope(u: np.ndarray) -> np.ndarray:
            found = trials.at(_within(u * scale, trials.variables))
            if found is None:
                return np.zeros(len(u))
            return np.asarray(unit * (found.gradient[place] - found.gradient[place + 1]) * scale)

        return value, slope

    gaps = [gap(k) for k in range(len(goals.conditions))]
    if method == "trust-constr":
        highs = [0.0 if one.sense == "==" else np.inf for one in goals.conditions]
        conditions: Any = [
            scipy_optimize.NonlinearConstraint(value, 0.0, high, jac=slope)
            for (value, slope), high in zip(gaps, highs, strict=True)
        ]
    else:
        conditions = [
            {"type": "eq" if one.sense == "==" else "ineq", "fun": value, "jac": slope}
            for one, (value, slope) in zip(goals.conditions, gaps, strict=True)
        ]
    options: dict[str, dict[str, Any]] = {
        "slsqp": {"ftol": ACCURACY, "maxiter": wanted.most}, "l-bfgs-b": {"ftol": TOLERANCE * 1e-2, "gtol": 1e-9,
        "maxiter": wanted.most}, "trust-constr": {"gtol": 1e-9, "xtol": TOLERANCE, "maxiter": wanted.most},
    }  # fmt: skip
    return scipy_optimize.minimize(
        objective, x / scale, jac=True, method=method.upper() if method != "trust-constr" else method,
        bounds=scipy_optimize.Bounds(low, high), constraints=conditions, options=options[method],
    )  # fmt: skip


def _scales(found: Sequence[Variable]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the variables, and their bounds in units of these."""
    scale = np.array([one.scale for one in found])
    return scale, np.array([one.low for one in found]) / scale, np.array([one.high for one in found]) / scale


def _within(x: np.ndarray, found: Sequence[Variable]) -> np.ndarray:
    """Within the bounds, which scaling may miss by rounding."""
    return np.asarray(np.clip(x, [one.low for one in found], [one.high for one in found]))
