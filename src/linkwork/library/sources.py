"""Where a model comes from: its parameters with their values and units, and how it is built with some of them given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import ModelError, OptionError, nearest
from linkwork.expressions.quantities import is_quantity, number_and_unit
from linkwork.files.parameters import flattened
from linkwork.library import LIBRARY, library_model
from linkwork.model import Model, model_from_python

Parameters = dict[str, tuple[float, str, bool]]  # value, unit, whether it is whole


def source_of(model: Any, fixed: Mapping[str, Setting]) -> tuple[Parameters, Callable[[Mapping[str, Setting]], Model]]:
    """The parameters of a model, and how it is built with some of them given."""
    if isinstance(model, Model):
        return {}, lambda given: model.with_settings({**fixed, **given})
    if callable(model):
        return _of_function(model, fixed)
    if str(model) in LIBRARY:
        entry = LIBRARY[str(model)]
        known = {n: (float(v), entry.units[n].name, isinstance(v, int)) for n, v in entry.parameters.items()}
        return known, lambda given: library_model(str(model), {**fixed, **given})
    path = Path(model)
    if path.suffix == ".py":
        return source_of(model_from_python(path), fixed)
    if not path.suffix:
        raise OptionError(
            f"there is no model '{model}' in the library; {nearest(str(model), LIBRARY)}", element=str(model)
        )
    first = Model.read(path, fixed)
    texts = flattened(first._as_given.parameters) if first._as_given is not None else {}
    found = {name: _quantity(value) for name, value in texts.items()}
    known = {name: quantity for name, quantity in found.items() if quantity is not None}
    return known, lambda given: Model.read(path, {**fixed, **given})


def _quantity(value: Any) -> tuple[float, str, bool] | None:
    """Number and unit of a parameter that is not an expression."""
    if isinstance(value, str) and is_quantity(value):
        return *number_and_unit(value), False
    return (float(value), "", False) if isinstance(value, (int, float)) else None


def _of_function(
    make: Callable[..., Model], fixed: Mapping[str, Setting]
) -> tuple[Parameters, Callable[[Mapping[str, Setting]], Model]]:
    arguments = inspect.signature(make).parameters
    for name, argument in arguments.items():
        if not isinstance(argument.default, (int, float)):
            raise OptionError(f"argument '{name}' has no number as its default; give it one", element=name)
    known = {n: (float(a.default), "", isinstance(a.default, int)) for n, a in arguments.items()}

    def build(given: Mapping[str, Setting]) -> Model:
        values = {**fixed, **given}
        model = make(**{name: value for name, value in values.items() if name in arguments})
        if not isinstance(model, Model):
            raise ModelError(f"'{getattr(make, '__name__', 'the function')}' gives {type(model).__name__}, not a Model")
        return model.with_settings({name: value for name, value in values.items() if name not in arguments})

    return known, build
