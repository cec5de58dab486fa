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


def _copied(value: BaseModel, changed: dict[str, Any]) -> BaseModel:
    """With some fields changed, and without what was computed of them."""
    copy = value.model_copy(update=changed)
    for key in copy.__dict__.keys() - type(copy).model_fields.keys():
        del copy.__dict__[key]
    return copy


def plain(value: Any) -> Any:
    """The same with such numbers in it; itself where there is none."""
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return short if short != value and abs(short - value) <= ROUNDING * math.ulp(value) else value
    if isinstance(value, tuple):
        items = tuple(map(plain, value))
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        changed = {key: made for key in fields if (made := plain(getattr(value, key))) is not getattr(value, key)}
        return _copied(value, changed) if changed else value
    return value
