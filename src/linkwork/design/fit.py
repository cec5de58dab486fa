"""Identification: unknown numbers of a model from measured channels, by least squares with exact gradients.

    minimize  sum over channels c and samples i of  ((x_c(t_i; p) - measured_ci) / sigma_c)^2

by trust-region Gauss-Newton (SciPy's `least_squares`).  Where the noise sigma_c of a channel is not given it is that of
its residuals, found in two rounds (Bard 1974, chapter 4).  The covariance of p is eps^2 (J^T J)^-1, theory (14.5),
with the variance eps^2 of the weighted residuals; an interval is the standard error times Student's t for the degrees
of freedom left.  It holds for noise that is independent from sample to sample, and for models that are nearly linear
within the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.simulate.dynamics import finer
from linkwork.design.fitted import Fitted
from linkwork.design.identifiability import blind_directions
from linkwork.design.measured import Measured
from linkwork.design.variables import Variable, spread_starts
from linkwork.errors import Entry, LinkworkError, NumericalError, OptionError, nearest
from linkwork.lazy_import import lazy_module
from linkwork.studies.answers import check_analysis
from linkwork.studies.one_run import Build
from linkwork.studies.slopes import ANALYSES

if TYPE_CHECKING:
    from scipy import interpolate, stats
    from scipy import optimize as scipy_optimize
else:
    scipy_optimize, stats = lazy_module("scipy.optimize"), lazy_module("scipy.stats")
    interpolate = lazy_module("scipy.interpolate")

TOLERANCE = 1e-8  # relative change of the sum of squares, and of the scaled unknowns
EVEN = 1e-6  # of a step: times are evenly spaced
SAMPLES = 2000  # of a run where the times of the data are not, for the spline between them
LEAST_NOISE = 1e-9  # of the span of a channel
FITTED = ("simulate", "kinematics")


@dataclass(frozen=True)
class Wanted:
    """What an identification is to do."""

    data: Measured
    noise: Mapping[str, float]  # standard deviation of channels, SI units
    confidence: float
    analysis: str
    options: Mapping[str, Any]
    starts: int = 1
    seed: int = 0
    most: int = 100  # iterations


@dataclass(frozen=True)
class Compared:
    """The channels of the model at the times of the data, and their slopes."""

    values: np.ndarray  # [channel, sample]
    slopes: np.ndarray  # [channel, sample, unknown]
    units: tuple[str, ...]


def identify(
    model: str, build: Build, unknowns: Sequence[Variable], wanted: Wanted,
    advance: Callable[[int], None] = lambda count: None,
) -> Fitted:  # fmt: skip
    """The unknowns with the least sum of squares, their intervals, and what the data do not tell."""
    problem = _Problem(build, unknowns, wanted, advance)
    starts = spread_starts(unknowns, wanted.starts, wanted.seed)
    sigma = problem.first_noise()
    found: list[tuple[float, np.ndarray]] = []
    failures: list[LinkworkError] = []
    for start in starts:
        try:
            found.append(problem.least_squares(start, sigma))
        except LinkworkError as failure:
            failures.append(failure)
    if not found:
        raise failures[0]
    x = min(found, key=lambda pair: pair[0])[1]
    for _ in range(0 if problem.noise_known else 2):
        sigma = problem.noise_at(x)
        x = problem.least_squares(x, sigma)[1]
    return _judged(model, problem, x, sigma)


class _Problem:
    """Residuals of the model against the data, and their Jacobian."""

    def __init__(
        self, build: Build, unknowns: Sequence[Variable], wanted: Wanted, advance: Callable[[int], None]
    ) -> None:
        if wanted.analysis not in FITTED:
            raise OptionError(
                f"there is no fit of '{wanted.analysis}' over time; {nearest(wanted.analysis, FITTED)}",
                element="analysis",
            )
        self.build, self.unknowns, self.wanted, self.advance = build, unknowns, wanted, advance
        self.data, self.names = wanted.data, list(wanted.data.channels)
        self.y = np.array([wanted.data.channels[name] for name in self.names])
        self.options = _options(wanted)
        check_analysis(wanted.analysis, self.options)
        if not 0.0 < wanted.confidence < 1.0:
            raise OptionError(f"confidence is {wanted.confidence:g}; give one between 0 and 1", element="confidence")
        for name, value in wanted.noise.items():
            if name not in self.names:
                raise OptionError(
                    f"noise: the data have no channel '{name}'; {nearest(name, self.names)}", element=name
                )
            if not value > 0.0:
                raise OptionError(f"noise of '{name}' is {value:g}; it must be > 0", element=name)
        self.noise_known = all(name in wanted.noise for name in self.names)
        self.scale = np.array([one.scale for one in unknowns])
        self.trials = 0
        self._latest: tuple[bytes, Compared] | None = None

    def at(self, x: np.ndarray) -> Compared:
        """The model at given unknowns."""
        if self._latest is not None and self._latest[0] == x.tobytes():
            return self._latest[1]
        names = [one.name for one in self.unknowns]
        settings = dict(zip(names, x.tolist(), strict=True))

        def build(given: Mapping[str, Any]) -> Any:
            return self.build({one.name: one.setting(given[one.name]) for one in self.unknowns})

        varied = ANALYSES[self.wanted.analysis](build, settings, names, self.options)
        self.trials += 1
        self.advance(self.trials)
        if varied.reasons:
            raise NumericalError("; ".join(varied.reasons), entry=Entry.NO_DERIVATIVE)
        known = varied.names()
        for name in self.names:
            if name not in known:
                raise OptionError(
                    f"the model has no channel '{name}' of the data; {nearest(name, known)}", element=name
                )
        assert varied.t is not None
        found = [varied.number(name) for name in self.names]
        read = _reader(varied.t, self.data.t)
        result = Compared(
            np.array([read(one.data) for one in found]), np.array([read(one.slope) for one in found]),
            tuple(one.unit for one in found),
        )  # fmt: skip
        self._latest = (x.tobytes(), result)
        return result

    def first_noise(self) -> np.ndarray:
        """Of every channel: given, or for the first round its spread."""
        spread = np.maximum(np.std(self.y, axis=1), LEAST_NOISE * np.maximum(np.abs(self.y).max(axis=1), 1e-300))
        return np.array([self.wanted.noise.get(name, s) for name, s in zip(self.names, spread, strict=True)])

    def noise_at(self, x: np.ndarray) -> np.ndarray:
        """Of every channel: given, or that of its residuals."""
        left = np.sqrt(np.mean((self.at(x).values - self.y) ** 2, axis=1))
        left = np.maximum(left, LEAST_NOISE * np.maximum(np.ptp(self.y, axis=1), 1e-300))
        return np.array([self.wanted.noise.get(name, s) for name, s in zip(self.names, left, strict=True)])

    def residuals(self, x: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        """Weighted, [channel x sample]."""
        return np.asarray(((self.at(x).values - self.y) / sigma[:, None]).ravel())

    def jacobian(self, x: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        """Of the weighted residuals along the unknowns."""
        return np.asarray((self.at(x).slopes / sigma[:, None, None]).reshape(-1, len(self.unknowns)))

    def least_squares(self, x: np.ndarray, sigma: np.ndarray) -> tuple[float, np.ndarray]:
        """Half the least sum of squares, and where; a trial that fails shortens the step."""
        scale = self.scale
        low, high = (np.array([getattr(one, end) for one in self.unknowns]) / scale for end in ("low", "high"))
        self.at(x)  # what is refused at the start is bad input

        def residuals(u: np.ndarray) -> np.ndarray:
            try:
                return self.residuals(u * scale, sigma)
            except LinkworkError:
                return np.full(self.y.size, np.inf)

        with np.errstate(all="ignore"):
            found = scipy_optimize.least_squares(
                residuals, np.clip(x / scale, low, high), lambda u: self.jacobian(u * scale, sigma) * scale,
                (low, high), xtol=TOLERANCE, ftol=TOLERANCE, gtol=TOLERANCE, max_nfev=self.wanted.most,
            )  # fmt: skip
        return float(found.cost), found.x * scale


def _judged(model: str, problem: _Problem, x: np.ndarray, sigma: np.ndarray) -> Fitted:
    """Intervals by the covariance of what is identified."""
    J, r, wanted = problem.jacobian(x, sigma), problem.residuals(x, sigma), problem.wanted
    names = [one.name for one in problem.unknowns]
    size = np.where(x != 0.0, np.abs(x), problem.scale)
    blind, null = blind_directions(J, names, size)
    left = len(r) - (len(x) - null.shape[1])
    if left < 1:
        raise OptionError(
            f"{len(r)} measured numbers for {len(x)} unknowns leave nothing to judge by; give more data", element="data"
        )
    variance = float(r @ r) / left
    S = J * size
    covariance = variance * np.linalg.pinv(S.T @ S, rcond=1e-13, hermitian=True) * np.outer(size, size)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    error[np.abs(null).max(axis=1, initial=0.0) > 1e-3] = np.inf
    quantile = float(stats.t.ppf(0.5 + 0.5 * wanted.confidence, left))
    compared = problem.at(x)
    return Fitted(
        model, tuple(problem.unknowns), x, error, quantile * error, wanted.confidence, covariance, left, variance,
        tuple(str(one) for one in blind), tuple(problem.names), compared.units, problem.data.t, problem.y,
        compared.values, sigma, problem.trials,
    )  # fmt: skip


def _options(wanted: Wanted) -> dict[str, Any]:
    """Options of the analysis: the run ends where the data end, with samples at their times if these are even."""
    options, t = dict(wanted.options), wanted.data.t
    end = options.get("until")
    if end is not None and t[-1] > end * (1.0 + 1e-12):
        raise OptionError(
            f"the data go on to {t[-1]:g} s, beyond the run, which ends at {end:g} s; give until = {t[-1]:g}, or leave "
            "it out",
            element="until",
        )
    if wanted.analysis == "kinematics" and not {"times", "until", "every", "sweep"} & set(options):
        return options | {"times": t}
    step = float(np.diff(t).min())
    even = t[-1] / step
    first = t[0] / step
    regular = np.ptp(np.diff(t)) <= EVEN * step and abs(first - round(first)) < EVEN * max(first, 1.0)
    options.setdefault("until", float(t[-1]))
    options.setdefault("every", step if regular and abs(even - round(even)) < 1e-3 else float(t[-1]) / SAMPLES)
    return finer(options)


def _reader(t: np.ndarray, wanted: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Values at the samples t -> at the wanted times: the samples themselves where they are there, else by a spline."""
    place = np.clip(np.searchsorted(t, wanted - 1e-9 * max(abs(wanted[-1]), 1e-300)), 0, len(t) - 1)
    if np.allclose(t[place], wanted, rtol=1e-8, atol=1e-9 * abs(wanted[-1])):
        return lambda values: values[place]
    if wanted[-1] > t[-1] * (1.0 + 1e-9):
        raise OptionError(
            f"the data go on to {wanted[-1]:g} s, beyond the run, which ended at {t[-1]:g} s", element="data"
        )
    return lambda values: np.asarray(interpolate.make_interp_spline(t, values, k=3, axis=0)(wanted))
