"""Ready-made models by name, their parameters with defaults.

A new one is a model file NAME.toml here, or one function in a file, and one line below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import SupportsFloat

from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError, nearest
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.quantities import is_quantity, number_from_text
from linkwork.library.bicycle import bicycle
from linkwork.library.entries import Built, Entry, Filed
from linkwork.library.excavator import excavator
from linkwork.library.flexible import four_bar_flexible
from linkwork.library.hmmwv import hmmwv
from linkwork.library.impacts import bouncing_ball
from linkwork.library.linkages import andrews, n_four_bar, quick_return, windscreen_wiper
from linkwork.library.machines import hooke_shaft
from linkwork.library.robots import rrc_arm, stewart_platform
from linkwork.library.rotating import rotating_cantilever
from linkwork.library.units import Unit
from linkwork.mechanism import Mechanism
from linkwork.model import Model
from linkwork.model.origin import Origin

_MODELS: dict[str, Callable[..., Model] | None] = {  # None: a model file
    "pendulum": None,
    "double-pendulum": None,
    "four-bar": None,
    "four-bar-flexible": four_bar_flexible,
    "slider-crank": None,
    "n-four-bar": n_four_bar,
    "andrews": andrews,
    "quick-return": quick_return,
    "windscreen-wiper": windscreen_wiper,
    "bricard": None,
    "hooke-shaft": hooke_shaft,
    "gyroscope": None,
    "bouncing-ball": bouncing_ball,
    "rrc-arm": rrc_arm,
    "stewart-platform": stewart_platform,
    "excavator": excavator,
    "quarter-car": None,
    "hmmwv": hmmwv,
    "bicycle": bicycle,
    "governor": None,
    "rotating-cantilever": rotating_cantilever,
}
LIBRARY: dict[str, Entry] = {
    name: Filed(name) if function is None else Built(name, function) for name, function in _MODELS.items()
}


@explained("library_model", OptionError)
def library_model(name: str, settings: Mapping[str, Setting] | None = None) -> Model:
    """A model by name, with some of its parameters set, or fields of its elements ('crank.mass')."""
    if name not in LIBRARY:
        raise OptionError(f"there is no model '{name}' in the library; {nearest(name, LIBRARY)}", element=name)
    entry = LIBRARY[name]
    fields = {key: value for key, value in (settings or {}).items() if "." in key}
    parameters = {key: value for key, value in (settings or {}).items() if key not in fields}
    for key in parameters:
        if key not in entry.parameters:
            raise OptionError(f"model '{name}' has no parameter '{key}'; {nearest(key, entry.parameters)}", element=key)
    numbers = {key: _number(key, value, entry.units[key]) for key, value in parameters.items()}
    try:
        model = entry.build(**numbers)
    except (ArithmeticError, ValueError) as failure:
        values = ", ".join(f"{key} = {value:g}" for key, value in numbers.items())
        why = f"model '{name}' cannot be built with {values} ({failure}); choose other values"
        raise OptionError(why, element=next(iter(numbers), name)) from None
    known = {key: (float(x), entry.units[key].name, isinstance(x, int)) for key, x in entry.parameters.items()}
    model._origin = Origin(OfLibrary(name), known).with_given(parameters)
    return model.with_settings(fields) if fields else model


@dataclass(frozen=True)
class OfLibrary:
    """The mechanism of a model of the library."""

    name: str

    def __call__(self, settings: Mapping[str, Setting]) -> Mechanism:
        """With parameters and fields as given."""
        return library_model(self.name, settings).mechanism


def _number(key: str, value: object, unit: Unit) -> float:
    """The value of a parameter in its unit: a number, an expression such as 'pi/4', or a quantity such as '5 cm'."""
    try:
        if not isinstance(value, SupportsFloat | str):
            raise ValueError("it is not a number")
        if isinstance(value, str) and is_quantity(value):
            number = number_from_text(value, (unit.si,) if unit.si else (), {}) / unit.size
        else:
            number = number_from_text(value, (), {}) if isinstance(value, str) else float(value)
        if not math.isfinite(number):
            raise ValueError("it is not finite")
        return number
    except (ValueError, ExpressionError) as failure:
        why = str(failure)
        if not why.startswith("is "):
            what = why.partition("\n")[0].removeprefix("expression: ")  # without the text and its caret
            why = f"is {value!r}; it must be a number{f', in {unit.name}' if unit.name else ''} ({what})"
        raise OptionError(f"parameter '{key}' {why}", element=key) from None
