"""Values of outputs and their gradients: the grammar of outputs (outputs.py) over what an analysis varied.

Each number that an output names enters as value + i STEP slope along one parameter (Squire & Trapp 1998), so that the
imaginary part of the output is its slope: exact, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.gradients.stencil import Build
from linkwork.analyses.gradients.varied import NoAdjointError, Reversed, Sloped, Varied
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_functions
from linkwork.studies.answers import Answer, Value, check_analysis
from linkwork.studies.outputs import Output
from linkwork.studies.slope_table import SlopeTable

if TYPE_CHECKING:
    from linkwork.analyses.gradients.equilibrium import equilibrium_slopes
    from linkwork.analyses.gradients.kinematics import kinematics_slopes
    from linkwork.analyses.gradients.modes import modes_slopes
    from linkwork.analyses.gradients.response import response_slopes
    from linkwork.analyses.gradients.simulation import simulate_slopes
else:
    (kinematics_slopes,) = lazy_functions("linkwork.analyses.gradients.kinematics", "kinematics_slopes")
    (equilibrium_slopes,) = lazy_functions("linkwork.analyses.gradients.equilibrium", "equilibrium_slopes")
    (modes_slopes,) = lazy_functions("linkwork.analyses.gradients.modes", "modes_slopes")
    (response_slopes,) = lazy_functions("linkwork.analyses.gradients.response", "response_slopes")
    (simulate_slopes,) = lazy_functions("linkwork.analyses.gradients.simulation", "simulate_slopes")

STEP = 1e-30
Differentiate = Callable[..., Varied | Reversed]  # of build, settings, parameters, options; of a run: mode, outputs
SIMULATE = "simulate"  # the only one with two modes
ANALYSES: dict[str, Differentiate] = {
    SIMULATE: lambda *given: simulate_slopes(*given),
    "kinematics": lambda *given: kinematics_slopes(*given),
    "equilibrium": lambda *given: equilibrium_slopes(*given),
    "modes": lambda *given: modes_slopes(*given),
    "response": lambda *given: response_slopes(*given),
}


@dataclass(frozen=True, repr=False)
class Slopes(SlopeTable):
    """Outputs and their derivatives; `reasons`: why there is none, where an entry is NaN."""

    values: np.ndarray  # [output]
    gradient: np.ndarray  # [output, parameter], per unit of the parameter
    reasons: tuple[str, ...] = ()
    units: tuple[str, ...] = ()  # SI, of the values
    mode: str = ""  # of a run: by sensitivities ("forward") or by the adjoint equation, and why so


def value_and_gradient(
    build: Build, outputs: Sequence[str], parameters: Sequence[str], analysis: str = SIMULATE, mode: str = "auto",
    **options: Any,
) -> Callable[[np.ndarray], Slopes]:  # fmt: skip
    """A function of the parameters' values [parameter] that gives outputs and gradient; options as for the analysis."""
    check_analysis(analysis, options)
    if analysis not in ANALYSES:
        raise OptionError(f"there is no gradient of '{analysis}'; {nearest(analysis, ANALYSES)}", element=analysis)
    if analysis != SIMULATE and mode != "auto":
        raise OptionError(f"mode = '{mode}' is for runs; the gradient of '{analysis}' has none", element="mode")
    texts = requested(outputs)

    def of(x: np.ndarray) -> Slopes:
        settings = dict(zip(parameters, map(float, x), strict=True))
        more = (mode, len(texts)) if analysis == SIMULATE else ()
        return slopes_of(ANALYSES[analysis](build, settings, parameters, options, *more), texts, len(parameters))

    return of


def requested(outputs: Sequence[str]) -> tuple[Output, ...]:
    """The outputs of a gradient; at least one."""
    check_listed(outputs, "outputs", "end(crank.angle)")
    return tuple(Output(text.strip()) for text in outputs)


def check_listed(given: Sequence[str], what: str, example: str) -> None:
    """Refuse what is not a list of at least one text."""
    if isinstance(given, str) or not len(given):
        raise OptionError(f"{what} is {given!r}; give a list of at least one, as ['{example}']", element=what)


def slopes_of(varied: Varied | Reversed, outputs: Sequence[Output], count: int) -> Slopes:
    """Outputs over what varies along `count` parameters."""
    if isinstance(varied, Reversed):
        try:
            return pulled_back(varied, outputs)
        except NoAdjointError as refused:
            if varied.otherwise is None:
                raise
            varied = varied.otherwise(refused.why)
    once = replace(varied, number=cache(varied.number))  # one reading serves all parameters
    plain = [output.of(along(once, None)) for output in outputs]
    found = [[output.of(along(once, k)) for output in outputs] for k in range(count)]
    values = np.array([np.real(value.data) for value in plain], float)
    gradient = np.array([[np.imag(value.data) / STEP for value in part] for part in found], float).T
    units = tuple(value.unit for value in plain)
    return Slopes(values, gradient, tuple(dict.fromkeys(varied.reasons)), units, varied.mode)


def pulled_back(reverse: Reversed, outputs: Sequence[Output]) -> Slopes:
    """Outputs of a run and, by the adjoint equation, their gradients."""
    plain = [output.of(_beside(reverse, "", np.zeros(len(reverse.t)))) for output in outputs]
    gradient = reverse.gradients([_weights(reverse, output) for output in outputs])
    values = np.array([np.real(value.data) for value in plain], float)
    units = tuple(value.unit for value in plain)
    return Slopes(values, gradient, tuple(dict.fromkeys(reverse.reasons)), units, reverse.mode)


def _weights(reverse: Reversed, output: Output) -> dict[str, np.ndarray]:
    """The slopes of an output along every sample of each history that it reads, by name."""
    read: dict[str, None] = {}
    answer = _beside(reverse, "", np.zeros(len(reverse.t)))

    def noted(name: str) -> Value:
        read[name] = None
        return answer.number(name)

    output.of(replace(answer, number=noted))

    def slope(name: str, direction: np.ndarray) -> float:
        return float(np.imag(output.of(_beside(reverse, name, direction)).data) / STEP)

    return {name: _along_samples(partial(slope, name), len(reverse.t)) for name in read}


def _along_samples(slope: Callable[[np.ndarray], float], count: int) -> np.ndarray:
    """The slopes along single samples, by halves: most outputs read few of them."""
    found, several = np.zeros(count), np.random.default_rng(0).uniform(0.5, 1.0, count)
    parts = [np.arange(count)]
    while parts:
        part = parts.pop()
        direction = np.zeros(count)
        direction[part] = several[part] if len(part) > 1 else 1.0
        along = slope(direction)
        if len(part) == 1:
            found[part] = along
        elif along != 0.0:
            parts += [part[: len(part) // 2], part[len(part) // 2 :]]
    return found


def _beside(reverse: Reversed, varied: str, direction: np.ndarray) -> Answer:
    """The answer with one history on its way along a direction, in complex numbers."""

    def number(name: str) -> Value:
        sloped = reverse.number(name)
        return Value(sloped.data + 1j * STEP * (direction if name == varied else 0.0), sloped.unit)

    return Answer(reverse.t, reverse.names, number)


def along(varied: Varied, k: int | None) -> Answer:
    """The answer along one parameter, in complex numbers; None: without slopes, which may not exist."""

    def value(sloped: Sloped) -> Value:
        slope = 0.0 if k is None else sloped.slope[..., k]
        return Value(sloped.data + 1j * STEP * slope, sloped.unit)

    functions = {
        name: lambda *given, function=function: value(function(*given)) for name, function in varied.functions.items()
    }
    return Answer(varied.t, varied.names, lambda name: value(varied.number(name)), functions)
