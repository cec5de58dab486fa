"""Numbers of a library model as people type them: 0.1 + 0.2 is 0.3, in the model and so in its file."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel

from linkwork.model import Model

DIGITS = 10  # that people type, at most
ROUNDING = 16  # units in the last place that a formula leaves beside such a number; others are hundreds away


def make_plain(model: Model) -> None:
    """Give each number of the elements that differs from one of few digits by rounding alone the value of that one."""
    for elements in model._elements.values():
        for k, element in enumerate(elements):
            elements[k] = plain(element)
    model._mechanism = None


def plain(value: Any) -> Any:
    """The same with such numbers in it; itself where there is none."""
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return short if short != value and abs(short - value) <= ROUNDING * math.ulp(value) else value
    if isinstance(value, tuple):
        items = tuple(map(plain, value))
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, BaseModel):
        given = {key: getattr(value, key) for key in value.model_fields_set}
        made = {key: plain(old) for key, old in given.items()}
        return value if all(made[key] is given[key] for key in given) else type(value).model_validate(made)
    return value
