"""Values of outputs and their gradients: the grammar of outputs (outputs.py) over what an analysis varied.

Each number that an output names enters as value + i STEP slope along one parameter (Squire & Trapp 1998), so that the
imaginary part of the output is its slope: exact, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.gradients.stencil import Build
from linkwork.analyses.gradients.varied import Sloped, Varied
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
Differentiate = Callable[[Build, Mapping[str, float], Sequence[str], Mapping[str, Any]], Varied]
ANALYSES: dict[str, Differentiate] = {
    "simulate": lambda *given: simulate_slopes(*given),
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


def value_and_gradient(
    build: Build, outputs: Sequence[str], parameters: Sequence[str], analysis: str = "simulate", **options: Any
) -> Callable[[np.ndarray], Slopes]:
    """A function of the parameters' values [parameter] that gives outputs and gradient; options as for the analysis."""
    check_analysis(analysis, options)
    if analysis not in ANALYSES:
        raise OptionError(f"there is no gradient of '{analysis}'; {nearest(analysis, ANALYSES)}", element=analysis)
    texts = tuple(Output(text.strip()) for text in outputs)

    def of(x: np.ndarray) -> Slopes:
        settings = dict(zip(parameters, map(float, x), strict=True))
        return slopes_of(ANALYSES[analysis](build, settings, parameters, options), texts, len(parameters))

    return of


def slopes_of(varied: Varied, outputs: Sequence[Output], count: int) -> Slopes:
    """Outputs over what varies along `count` parameters."""
    once = replace(varied, number=cache(varied.number))  # one reading serves all parameters
    plain = [output.of(along(once, None)) for output in outputs]
    found = [[output.of(along(once, k)) for output in outputs] for k in range(count)]
    values = np.array([np.real(value.data) for value in plain], float)
    gradient = np.array([[np.imag(value.data) / STEP for value in part] for part in found], float).T
    return Slopes(values, gradient, tuple(dict.fromkeys(varied.reasons)), tuple(value.unit for value in plain))


def along(varied: Varied, k: int | None) -> Answer:
    """The answer along one parameter, in complex numbers; None: without slopes, which may not exist."""

    def value(sloped: Sloped) -> Value:
        slope = 0.0 if k is None else sloped.slope[..., k]
        return Value(sloped.data + 1j * STEP * slope, sloped.unit)

    functions = {
        name: lambda *given, function=function: value(function(*given)) for name, function in varied.functions.items()
    }
    return Answer(varied.t, varied.names, lambda name: value(varied.number(name)), functions)
