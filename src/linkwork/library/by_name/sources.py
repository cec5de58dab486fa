"""Where a model comes from: its parameters with their values and units, and how it is built with some of them given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import ModelError, OptionError
from linkwork.library.by_name.any_model import any_model
from linkwork.model import Model
from linkwork.model.origin import Parameters


def source_of(model: Any, fixed: Mapping[str, Setting]) -> tuple[Parameters, Callable[[Mapping[str, Setting]], Model]]:
    """The parameters of a model, and how it is built with some of them given."""
    if callable(model) and not isinstance(model, Model):
        return _of_function(model, fixed)
    first = (model.with_settings(fixed) if fixed else model) if isinstance(model, Model) else any_model(model, fixed)
    return (first._origin.parameters if first._origin is not None else {}), first.with_settings


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
