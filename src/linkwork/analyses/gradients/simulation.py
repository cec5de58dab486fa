"""Gradients of a run: every channel at every sample, with slopes along each parameter.

The sensitivities of the samples are integrated with the run (varied_run.py).  A channel is a function of a sample and
of the model, often by way of another analysis (loads); it is differenced along the line of samples and mechanisms

    x(sample + h dsample/dp, p + h)                                                               theory (13.7)

in which nothing is iterated or integrated, so that its slope is exact to the order of the formula (starts.py); a number
of the sample has its slope at hand.  The slope belongs to the value: of an integral it is that of the same sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from linkwork.analyses.gradients.adjoint.gradient import adjoint_slopes
from linkwork.analyses.gradients.refusals import refuse, singular_reasons
from linkwork.analyses.gradients.starts import Beside, start_of, starts_beside
from linkwork.analyses.gradients.stencil import Build, Line, line_of
from linkwork.analyses.gradients.varied import NoAdjointError, Reversed, Sloped, Varied
from linkwork.analyses.gradients.varied_run import Sensitivities, VariedRun
from linkwork.analyses.loads.channels import why_not_a_number
from linkwork.analyses.simulate.dynamics import Options, simulate_and_start
from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.errors import OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism

FAR = 1e-3  # of the state's scales: how far the places of a line may be from the sample


MANY = 8  # parameters an output, from which on the adjoint equation costs less than their sensitivities
MODES = ("auto", "forward", "adjoint")


def simulate_slopes(
    build: Build, settings: Mapping[str, float], parameters: Sequence[str], options: Mapping[str, Any],
    mode: str = "forward", outputs: int = 1,
) -> Varied | Reversed:  # fmt: skip
    """A run and the slopes of its channels; options as for a simulation."""
    mechanism = build(settings)
    chosen = run_options(mechanism, options)
    refuse(mechanism, chosen)
    result, start = simulate_and_start(mechanism, chosen)
    return slopes_of_run(result, build, settings, parameters, mode, outputs, start)


def slopes_of_run(
    result: Result, build: Build, settings: Mapping[str, float], parameters: Sequence[str], mode: str, outputs: int,
    start: Start | None = None,
) -> Varied | Reversed:  # fmt: skip
    """By sensitivities or by the adjoint equation; `auto`: by what costs less, of what can be.  `start`: of the run."""
    if mode not in MODES:
        raise OptionError(f"there is no mode '{mode}'; {nearest(mode, MODES)}", element="mode")
    check_run(result)

    def forward(why: str) -> Varied:
        return replace(run_slopes(result, build, settings, parameters, start), mode=f"forward: {why}")

    if mode == "forward":
        return forward("as requested")
    if mode == "adjoint":
        return replace(adjoint_slopes(result, build, settings, parameters, start), mode="adjoint: as requested")
    count = len(parameters)
    why = f"{count} parameter{'s'[: count != 1]}, {outputs} output{'s'[: outputs != 1]}"
    if len(parameters) <= MANY * outputs:
        return forward(why)
    try:
        found = adjoint_slopes(result, build, settings, parameters, start)
    except NoAdjointError as refused:
        return forward(refused.why)
    return replace(found, mode=f"adjoint: {why}", otherwise=forward)


def run_options(mechanism: Mechanism, options: Mapping[str, Any]) -> Options:
    """Those given, with the model's own duration as the end."""
    end = options.get("until") if options.get("until") is not None else mechanism.duration
    if end is None:
        raise OptionError("no end time; give until = ... (s)", element="until")
    return Options.requested(end, options)


def run_slopes(
    result: Result, build: Build, settings: Mapping[str, float], parameters: Sequence[str], start: Start | None = None
) -> Varied:
    """The slopes of the channels of a run; `settings`: the values that its parameters have."""
    options = replace(Options(**result.options), formulation=result.certificate.formulation)
    start = start_of(start, build(settings), options)
    beside = starts_beside(build, settings, parameters, start, options)
    until, times = _with_derivatives(result, options.until)
    varied = VariedRun(start, beside, replace(options, until=until), times, result.certificate.steps)
    found = varied.go()
    reasons, count = _without_slopes(result, found)
    scales = state_scales(start.compiled)

    @cache
    def results_along(k: int) -> tuple[Line, list[Result]]:
        slopes, one = found.slopes[k, :count], beside[k]
        line, compiled, share = one.line, one.compiled, _share(slopes, scales, one)
        if share < line.step / one.scale:
            line = line_of(build, settings, parameters[k], share)
            compiled = tuple(compile_mechanism(at, options.formulation) for at in line.mechanisms)
        moved = [found.rows[:count] + place * slopes for place in line.places]
        return line, [_at(result, Equations(one), rows) for one, rows in zip(compiled, moved, strict=True)]

    columns = _columns(result, varied.plain)

    def number(name: str) -> Sloped:
        slopes = np.full((len(result.t), len(parameters)), np.nan)
        if np.isnan(result.channel(name)).all():
            reasons.extend(filter(None, [why_not_a_number(result, name)]))
            return Sloped(result.channel(name), slopes, result.unit(name))
        if name in columns:
            slopes[:count] = found.slopes[:, :count, columns[name]].T
            return Sloped(result.channel(name), slopes, result.unit(name))
        for k in range(len(parameters)):
            line, results = results_along(k)
            slopes[:count, k] = line.slope([result.channel_of(one, name) for one in results])
        return Sloped(result.channel(name), slopes, result.unit(name))

    return Varied(result.t, lambda: result.known, number, reasons=reasons)


def _with_derivatives(result: Result, until: float) -> tuple[float, np.ndarray]:
    """The end of what has a derivative, s, and the samples until then: there is none from a singular position on."""
    singular = min((float(entry["t"]) for entry in result.certificate.singular), default=np.inf)
    if not singular < until:
        return until, result.t
    times = result.t[result.t < singular]
    return (float(times[-1]) if len(times) > 1 else 0.5 * singular), times


def _columns(result: Result, equations: Equations) -> dict[str, int]:
    """The channels that are numbers of a sample as they are, and their places in it."""
    names, layout, row = result.names, equations.compiled.layout, columns_of(equations)
    known = [
        *zip(names["measures"], (row.signals + k for k in layout.measures.values()), strict=True),
        *((name, k) for k, name in enumerate(names["q"])),
        *((name, layout.velocities.start + k) for k, name in enumerate(names["v"])),
        *((f"{name}.dot", row.v_dot + k) for k, name in enumerate(names["v"])),
    ]
    return dict(reversed(known))  # of two with one name the first


def check_run(result: Result) -> None:
    """A run of `simulate` that can be trusted."""
    if "rtol" not in result.options:
        raise OptionError("only a run of `simulate` has a gradient of its own; use model.gradient", element="gradient")
    if result.certificate.status not in ("finished", "stopped"):
        raise OptionError(f"no gradient of a run that is {result.certificate.status}", element=result.model)


def _share(slopes: np.ndarray, scales: np.ndarray, beside: Beside) -> float:
    """The step of the line, of the parameter: so that no sample goes far."""
    moved = float(np.max(np.abs(slopes[:, : len(scales)]) / np.where(scales > 0.0, scales, np.inf), initial=0.0))
    return FAR / (moved * beside.scale) if moved > 0.0 else np.inf


def _at(result: Result, equations: Equations, rows: np.ndarray) -> Result:
    """The run of a mechanism beside this one, by its samples."""
    t = result.t[: len(rows)]
    return samples_as_result(equations, t, rows, result.steps[:0], result.options, result.certificate)


def _without_slopes(result: Result, found: Sensitivities) -> tuple[list[str], int]:
    """Why there are no slopes from some time on, and how many samples have some."""
    last = found.t[np.isfinite(found.slopes).all(axis=(0, 2))].max(initial=0.0)
    last = min([last, *(float(entry["t"]) for entry in result.certificate.singular)])
    return [*found.reasons, *singular_reasons(result)], int(np.searchsorted(found.t, last, side="right"))
