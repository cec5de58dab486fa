"""Ready-made models by name, their parameters with defaults.  A new one is one function in a file and one line here."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import SupportsFloat

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError, nearest
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.quantities import is_quantity, number_from_text
from linkwork.library.bicycle import bicycle
from linkwork.library.excavator import excavator
from linkwork.library.flexible import four_bar_flexible
from linkwork.library.hmmwv import hmmwv
from linkwork.library.impacts import bouncing_ball
from linkwork.library.linkages import (
    andrews,
    bricard,
    four_bar,
    n_four_bar,
    quick_return,
    slider_crank,
    windscreen_wiper,
)
from linkwork.library.machines import gyroscope, hooke_shaft
from linkwork.library.pendulums import double_pendulum, pendulum
from linkwork.library.robots import rrc_arm, stewart_platform
from linkwork.library.rotating import governor, rotating_cantilever
from linkwork.library.units import UNITS, Unit
from linkwork.library.vehicles import quarter_car
from linkwork.model import Model


@dataclass(frozen=True)
class Entry:
    """A model of the library."""

    name: str
    title: str
    build: Callable[..., Model]

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their defaults, in their units."""
        return {name: p.default for name, p in inspect.signature(self.build).parameters.items()}

    @property
    def units(self) -> dict[str, Unit]:
        """Units of the parameters."""
        return {name: UNITS[str(p.annotation)] for name, p in inspect.signature(self.build).parameters.items()}


_BUILDERS: dict[str, Callable[..., Model]] = {
    "pendulum": pendulum,
    "double-pendulum": double_pendulum,
    "four-bar": four_bar,
    "four-bar-flexible": four_bar_flexible,
    "slider-crank": slider_crank,
    "n-four-bar": n_four_bar,
    "andrews": andrews,
    "quick-return": quick_return,
    "windscreen-wiper": windscreen_wiper,
    "bricard": bricard,
    "hooke-shaft": hooke_shaft,
    "gyroscope": gyroscope,
    "bouncing-ball": bouncing_ball,
    "rrc-arm": rrc_arm,
    "stewart-platform": stewart_platform,
    "excavator": excavator,
    "quarter-car": quarter_car,
    "hmmwv": hmmwv,
    "bicycle": bicycle,
    "governor": governor,
    "rotating-cantilever": rotating_cantilever,
}
LIBRARY = {
    name: Entry(name, (build.__doc__ or "").split("\n")[0].rstrip("."), build) for name, build in _BUILDERS.items()
}


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
    return model.with_settings(fields) if fields else model


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
        why = (
            f"parameter '{key}' is {value!r}; it must be a number{f', in {unit.name}' if unit.name else ''} ({failure})"
        )
        raise OptionError(why, element=key) from None
