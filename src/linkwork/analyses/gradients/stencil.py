"""Derivatives of smooth tables along a parameter, by differences of fourth order.

The numbers of a model enter its tables by texts and formulas of a user, by which no complex number passes.  So the
mechanism is built at four values beside the one that is wanted, and what is *explicit* in the tables and a state -
residuals, matrices, channels; nothing that is iterated - is differenced,

    f' = (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12 h + O(h^4)

With h a thousandth of the number the error is of the order 1e-12 of what changes.  Where a number may not be passed
(a mass below zero) all values lie on one side of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, OptionError
from linkwork.mechanism import Mechanism

SHARE = 1e-3  # of a number, or of the mechanism's size (m) where it is 0: the step
NOTHING = 1e-12  # a number so small counts as 0
Formula = tuple[tuple[int, ...], tuple[float, ...]]  # places in steps, weights
STENCILS: tuple[Formula, ...] = (  # central, and to one side
    ((-2, -1, 1, 2), (1 / 12, -8 / 12, 8 / 12, -1 / 12)),
    ((0, 1, 2, 3, 4), (-25 / 12, 48 / 12, -36 / 12, 16 / 12, -3 / 12)),
    ((-4, -3, -2, -1, 0), (3 / 12, -16 / 12, 36 / 12, -48 / 12, 25 / 12)),
)

Build = Callable[[Mapping[str, Any]], Mechanism]


@dataclass(frozen=True)
class Line:
    """Mechanisms along one parameter, at the places of a difference formula; `step`: in units of the parameter."""

    name: str
    mechanisms: tuple[Mechanism, ...]
    formula: Formula
    step: float

    @property
    def places(self) -> tuple[float, ...]:
        """How far each is from the middle."""
        return tuple(place * self.step for place in self.formula[0])

    @property
    def weights(self) -> tuple[float, ...]:
        """Of their values in the derivative."""
        return tuple(weight / self.step for weight in self.formula[1])

    def slope(self, values: Sequence[Any]) -> np.ndarray:
        """df/dp of values at the places."""
        return np.asarray(sum(weight * np.asarray(value) for weight, value in zip(self.weights, values, strict=True)))


def step_of(build: Build, settings: Mapping[str, float], name: str, share: float) -> float:
    """The step of a parameter: a share of it, or of the mechanism's size where it is 0."""
    middle = settings[name]
    return share * (abs(middle) if abs(middle) > NOTHING else build(settings).size() or 1.0)


def line_of(
    build: Build, settings: Mapping[str, float], name: str, share: float = SHARE, formulas: Sequence[Formula] = STENCILS
) -> Line:  # fmt: skip
    """The mechanisms about `settings` along one of its names, `share` of it apart, by the first of the formulas whose
    mechanisms can be built; refused where none can.
    """
    middle, refusal = settings[name], None
    step = step_of(build, settings, name, share)
    for formula in formulas:
        try:
            found = tuple(build({**settings, name: middle + place * step}) for place in formula[0])
            return Line(name, found, formula, step)
        except LinkworkError as failure:
            refusal = failure
    assert refusal is not None
    raise OptionError(f"'{name}' = {middle:g} cannot be changed a little: {refusal.message}", element=name)
