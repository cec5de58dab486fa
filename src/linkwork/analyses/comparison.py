"""Comparison: every constraint method that serves a mechanism, in both formulations, at one tolerance.

One row per run: how it ended, its effort, energy balance and constraint violation, and the error against a run at a
thousandth of the tolerance.  A run that fails is a row as well, with its message and the samples that it reached; a
pairing that is refused is named with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.simulate.literal import is_printed
from linkwork.errors import NumericalError, OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.results.result import Result
from linkwork.system.compile import FORMULATIONS
from linkwork.tables import Shown, Table, accuracy, facts, table

TIGHTER = 1e-3  # of the requested tolerance: that of the reference
TIGHTEST = 1e-12  # a tolerance below it is lost in rounding
ROUNDS = 4  # runs of every method, one after the other, of which the quickest counts ...
FAR = 1e-2  # of the extent of the motion: an error above it is not a truncation error
LONG = 0.2  # s ... unless one takes as long as this


@dataclass(frozen=True)
class Row:
    """One method in one formulation."""

    formulation: str
    method: str
    integrator: str
    status: str  # as in the certificate of a run
    t_end: float  # s, reached
    steps: int
    evaluations: int
    factorizations: int  # those at the samples included
    wall_s: float  # of the time loop, the quickest of some runs
    ratio: float  # to the quickest method that reached the end; NaN if none did
    energy_drift: float  # largest residual of the energy balance / energy exchanged
    max_violation: float  # of a position constraint, m or rad
    error: float  # m, largest difference of a body's position from the reference; NaN without one
    switches: int  # changes of coordinates or method, and of rank
    in_lu: float  # share of the steps with LU's basis; NaN: the method has no basis
    message: str = ""  # why it failed, or what makes it suspect


@dataclass(repr=False)
class Comparison(Shown):
    """The rows in the order of the runs, each with its result, and the run they are measured against."""

    model: str
    rows: list[Row] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)  # one a row; partial where the run failed
    reference: Result | None = None
    skipped: dict[str, str] = field(default_factory=dict)  # "joint, articulated": why not
    warnings: list[str] = field(default_factory=list)
    settings: str = ""  # integrator and tolerance, in words

    def row(self, method: str, formulation: str) -> Row:
        """The row of a method in a formulation."""
        for row in self.rows:
            if (row.method, row.formulation) == (method, formulation):
                return row
        hint = nearest(method, {r.method for r in self.rows})
        raise OptionError(f"no run of '{method}' in {formulation} coordinates; {hint}", element=method)

    def left_out(self) -> list[str]:
        """Which methods are refused here, those with the same reason together; recursions are left out for loops."""
        reasons: dict[str, list[str]] = {}
        for where, why in self.skipped.items():
            name = where.split(", ")[1]
            if METHODS[name].open_tree:
                continue
            names = reasons.setdefault(why.replace(f"method '{name}'", "such a method", 1), [])
            names += [name] if name not in names else []
        return [f"left out {', '.join(names)}: {why}" for why, names in reasons.items()]

    def tables(self) -> list[Table]:
        """One row a method and formulation; what was left out, and why."""
        heads = ("formulation", "method", "status", "steps", "evaluations", "factored", "wall", "energy", "violation",
                 "error", "switches", "in LU")  # fmt: skip
        rows = [
            (r.formulation, r.method, r.status, f"{r.steps}", f"{r.evaluations}", f"{r.factorizations}",
             f"x {r.ratio:.2f}", f"{r.energy_drift:.1e}", f"{r.max_violation:.1e}", f"{r.error:.1e}", f"{r.switches}",
             "" if math.isnan(r.in_lu) else f"{r.in_lu:.0%}")
            for r in self.rows
        ]  # fmt: skip
        found = [table(f"{self.model}: {self.settings}", heads, rows)]
        messages = (f"{r.formulation}, {r.method}: {r.message}" for r in self.rows if r.message)
        notes = [("note", text) for text in (*self.warnings, *messages, *self.left_out())]
        return [*found, facts("", notes)] if notes else found

    def as_dict(self) -> dict[str, object]:
        """For machines: the rows, what was skipped and why."""
        return {"rows": [asdict(row) for row in self.rows], "skipped": self.skipped, "warnings": self.warnings}


def compare(
    mechanism: Mechanism,
    options: Options,
    methods: Sequence[str] | None = None,
    formulations: Sequence[str] | None = None,
    reference: Result | None = None,
    watch: Callable[[Row], None] | None = None,
) -> Comparison:
    """Every method in every formulation with the same options: effort (s), drift, violation (m, rad), error (m).

    `methods`, `formulations`: names, all by default.  `reference`: a result of the same motion at the same sample
    times; by default a run at a thousandth of the tolerance.  `watch` is called with each row when it is done.  Options
    of methods go to those that have them; one that none has is refused, as are unknown names.  Ctrl-C ends the
    comparison and keeps the rows so far.
    """
    names = _chosen(methods, METHODS, "method")
    kinds = _chosen(formulations, FORMULATIONS, "formulation")
    _check_method_options(options.method_options, names)
    printed = ", as printed" if is_printed(mechanism, options) else ""
    accurate = accuracy(options.rtol, options.step)
    comparison = Comparison(mechanism.name, settings=f"{options.integrator}, {accurate}{printed}")
    comparison.reference = reference if reference is not None else tightest(mechanism, options, comparison.warnings)
    done = []
    for this, result, message in _runs(mechanism, options, kinds, names, comparison):
        done.append(this)
        comparison.results.append(result)
        comparison.rows.append(_row(result, message, comparison.reference))
        if watch is not None:
            watch(comparison.rows[-1])
    seconds = race(mechanism, done, [row.wall_s for row in comparison.rows])
    comparison.rows = with_ratios(comparison.rows, seconds)
    if not comparison.rows and comparison.skipped and (methods or formulations):
        where, why = next(iter(comparison.skipped.items()))
        raise OptionError(f"nothing to compare; {where}: {why}", element=where)
    return comparison


def tightest(mechanism: Mechanism, options: Options, warnings: list[str]) -> Result | None:
    """The run that the others are measured against: mass-weighted projection, a thousandth of the tolerance."""
    tight = replace(
        options,
        formulation="auto",
        method="parametrization",
        integrator="adams",
        step=None,
        rtol=max(TIGHTER * options.rtol, TIGHTEST),
        atol=None if options.atol is None else max(TIGHTER * options.atol, TIGHTEST),
        method_options={},
        literal=False,
    )
    try:
        result, message = attempt(mechanism, tight)
    except OptionError:  # an open tree has no constraints to project onto
        result, message = attempt(mechanism, replace(tight, method="auto"))
    if message:
        warnings.append(f"the reference run: {message}")
    return result if len(result.t) else None


def with_ratios(rows: Sequence[Row], seconds: Sequence[float]) -> list[Row]:
    """Wall times, each also as a ratio to that of the quickest run which reached the end."""
    pairs = list(zip(rows, seconds, strict=True))
    least = min((s for row, s in pairs if row.status == "finished"), default=math.nan)
    return [replace(row, wall_s=s, ratio=s / least if least > 0.0 else math.nan) for row, s in pairs]


def position_error(result: Result, reference: Result | None) -> float:
    """Largest difference in a body's position, m, over the samples that both runs reached."""
    if reference is None:
        return math.nan
    common = min(len(result.t), len(reference.t))
    if not common:
        return math.nan
    return float(np.linalg.norm(result.position[:common] - reference.position[:common], axis=-1).max())


# -- the runs ---------------------------------------------------------------------------------------------------------
def _runs(
    mechanism: Mechanism, options: Options, formulations: Sequence[str], methods: Sequence[str], comparison: Comparison
) -> Iterator[tuple[Options, Result, str]]:
    """Options, result and message of each pairing that runs; those refused are noted by name."""
    for formulation in formulations:
        for name in methods:
            known = METHODS[name].options
            chosen = {key: value for key, value in options.method_options.items() if key in known}
            this = replace(options, formulation=formulation, method=name, method_options=chosen)
            try:
                result, message = attempt(mechanism, this)
            except OptionError as refusal:
                comparison.skipped[f"{formulation}, {name}"] = refusal.message
                continue
            yield this, result, message
            if result.certificate.status == "stopped":
                comparison.warnings.append("stopped by the user; the methods after this one were not run")
                return


def race(
    mechanism: Mechanism, runs: Sequence[Options], first: Sequence[float] = (), rounds: int = ROUNDS,
    clock: Literal["loop_s", "cpu_s"] = "loop_s",
) -> list[float]:  # fmt: skip
    """Seconds of the time loop alone, the least of some rounds; in turns, so that other load on the machine affects all
    alike.

    `first`: seconds of a round already run.  What takes longer than LONG is not run again.  `clock`: that of the wall
    or of the processor, by its name in the certificate.
    """
    best = list(first) or [getattr(attempt(mechanism, run)[0].certificate, clock) for run in runs]
    for _ in range(rounds - 1):
        for k, run in enumerate(runs):
            if best[k] < LONG:
                certificate = attempt(mechanism, run)[0].certificate
                if certificate.status == "stopped":
                    return best
                best[k] = min(best[k], getattr(certificate, clock))
    return best


def attempt(mechanism: Mechanism, options: Options) -> tuple[Result, str]:
    """A run that may fail: what it reached, and why it ended."""
    try:
        result = simulate(mechanism, options)
    except NumericalError as failure:
        if not isinstance(failure.partial, Result):
            raise
        return failure.partial, failure.message
    trusted = result.certificate.status == "finished"
    return result, "" if trusted else "; ".join(result.certificate.warnings)


def _row(result: Result, message: str, reference: Result | None) -> Row:
    """The certificate as a row; a run far from the reference is suspect, whatever its certificate states."""
    c = result.certificate
    error = position_error(result, reference)
    status = c.status
    if reference is not None and status == "finished" and error > FAR * float(np.ptp(reference.position, axis=0).max()):
        status = "suspect"
        message = f"off the tightest run by {error:.2g} m: it left its branch, or its motion amplifies every error"
    return Row(
        formulation=c.formulation,
        method=c.method,
        integrator=c.integrator,
        status=status,
        t_end=c.t_end,
        steps=c.steps,
        evaluations=c.evaluations,
        factorizations=c.factorizations,
        wall_s=c.loop_s,
        ratio=math.nan,
        energy_drift=c.energy_drift,
        max_violation=c.max_violation["position"],
        error=error,
        switches=len(c.switches),
        in_lu=c.bases.get("lu", {"steps": 0.0})["steps"] if c.bases else math.nan,
        message=message,
    )


# -- what is requested ------------------------------------------------------------------------------------------------
def _chosen(requested: Sequence[str] | None, known: Collection[str], what: str) -> list[str]:
    """The requested names, each checked; all that are known without any."""
    for name in requested or ():
        if name not in known:
            raise OptionError(f"there is no {what} '{name}'; {nearest(name, known)}", element=name)
    return list(dict.fromkeys(requested)) if requested else list(known)


def _check_method_options(chosen: Mapping[str, float], methods: Sequence[str]) -> None:
    """An option of a method must be one that some method of the comparison has."""
    known = {name for method in methods for name in METHODS[method].options}
    for name in chosen:
        if name not in known:
            raise OptionError(f"none of the methods has an option '{name}'; {nearest(name, known)}", element=name)
