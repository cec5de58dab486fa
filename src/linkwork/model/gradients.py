"""The verb `gradient`, and functions with gradients for optimizers: what is given in Python, by names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import Entry, NumericalError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.model.origin import Own, own_value
from linkwork.studies.one_run import Build
from linkwork.studies.slopes import Slopes, check_listed, value_and_gradient


def own_values(mechanism: Mechanism, own: Own, parameters: Sequence[str]) -> np.ndarray:
    """The values that parameters and fields have; a name that the model does not have is refused."""
    check_listed(parameters, "parameters", "crank.mass")
    return np.array([own_value(mechanism, own, name) for name in parameters])


def gradient_of(
    build: Build, own: Own, outputs: Sequence[str], parameters: Sequence[str], analysis: str, options: Mapping[str, Any]
) -> Slopes:
    """At the model's own values."""
    x = own_values(build({}), own, parameters)
    found = value_and_gradient(build, outputs, parameters, analysis, **options)(x)
    return replace(found, outputs=tuple(outputs), parameters=tuple(parameters))


class ValueAndGrad:
    """A function of the parameters' values [parameter]: (values, gradient); of one output (number, [parameter]).

    `x0`: the model's own values.  Where there is no derivative a NumericalError says when and why.
    """

    def __init__(
        self, build: Build, own: Own, outputs: str | Sequence[str], parameters: Sequence[str], analysis: str,
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.x0 = own_values(build({}), own, parameters)
        self.outputs = [outputs] if isinstance(outputs, str) else list(outputs)
        self.parameters, self._alone = list(parameters), isinstance(outputs, str)
        self._slopes: Callable[[np.ndarray], Slopes]
        self._slopes = value_and_gradient(build, self.outputs, self.parameters, analysis, **options)

    def __repr__(self) -> str:
        """Of what, over which parameters, and where these are."""
        at = ", ".join(f"{name} = {value:g}" for name, value in zip(self.parameters, self.x0, strict=True))
        return f"<value and gradient of {', '.join(self.outputs)} over {at}>"

    def __call__(self, x: Sequence[float] | np.ndarray) -> tuple[Any, np.ndarray]:
        """Values and gradient, SI units of the outputs, each per unit of its parameter."""
        found = self._slopes(self._numbers(x))
        if not np.isfinite(found.gradient).all():
            raise NumericalError(
                found.reasons[0] if found.reasons else "no derivative here: an output has no value",
                entry=Entry.NO_DERIVATIVE,
            )
        return (float(found.values[0]), found.gradient[0]) if self._alone else (found.values, found.gradient)

    def _numbers(self, x: object) -> np.ndarray:
        """One for each parameter."""
        given = np.atleast_1d(np.asarray(x))
        if given.dtype.kind not in "iuf" or given.shape != self.x0.shape:
            names = ", ".join(self.parameters)
            raise OptionError(f"x is {x!r}; give a number for each of {names}, as {self.x0.tolist()}", element="x")
        return given.astype(float)
