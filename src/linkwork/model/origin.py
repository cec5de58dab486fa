"""Where a model comes from that has parameters: a file, or the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linkwork.elements.declaration.quantities import Setting
from linkwork.expressions.quantities import is_quantity, number_and_unit
from linkwork.files.as_given import AsGiven
from linkwork.files.model_files import read_mechanism
from linkwork.files.parameters import flattened
from linkwork.files.settings import HEAD, field_value, unknown_parameter
from linkwork.mechanism import Mechanism

Own = Mapping[str, tuple[float, str]]  # value and unit of each parameter
Parameters = Mapping[str, tuple[float, str, bool]]  # value, unit, whether it is whole


@dataclass(frozen=True)
class Origin:
    """The parameters of a model, and its mechanism as a function of them; workers of a study have it as well."""

    make: Callable[[Mapping[str, Setting]], Mechanism]
    parameters: Parameters
    given: Mapping[str, Setting] = field(default_factory=dict)  # parameters and fields that stay, unless given again

    def build(self, settings: Mapping[str, Setting]) -> Mechanism:
        """With parameters and fields as given."""
        return self.make({**self.given, **settings})

    def with_given(self, settings: Mapping[str, Setting]) -> Origin:
        """The same with these as its own values."""
        read = {name: quantity(settings[name]) for name in self.parameters if name in settings}
        values = {
            name: (found[0], self.parameters[name][1], self.parameters[name][2])
            for name, found in read.items()
            if found is not None and found[1] in ("", self.parameters[name][1])
        }
        return replace(self, parameters={**self.parameters, **values}, given={**self.given, **settings})

    def own(self) -> dict[str, tuple[float, str]]:
        """Values and units of the parameters."""
        return {name: known[:2] for name, known in self.parameters.items()}

    def varying(self, mechanism: Mechanism, names: Sequence[str]) -> OfParameters:
        """The mechanism as a function of some parameters and fields; `mechanism`: as it is now."""
        return OfParameters(self, mechanism, {name: own_value(mechanism, self.own(), name) for name in names})

    def means(self, names: Iterable[str]) -> bool:
        """Whether one of the names is that of a parameter, not of a field or a number of the whole model."""
        return any(name in self.parameters or ("." not in name and name not in HEAD) for name in names)


@dataclass(frozen=True)
class OfParameters:
    """A mechanism as a function of parameters and fields; `values`: those that they have."""

    origin: Origin
    mechanism: Mechanism
    values: Mapping[str, float]

    def __call__(self, settings: Mapping[str, float]) -> Mechanism:
        """The mechanism with other numbers."""
        return self.mechanism if settings == self.values else self.origin.build(settings)


def own_value(mechanism: Mechanism, own: Own, name: str) -> float:
    """The value that a parameter or a field has; a name that the model does not have is refused."""
    if name not in own and "." not in name:
        raise unknown_parameter(name, own)
    return own[name][0] if name in own else field_value(mechanism, name)


@dataclass(frozen=True)
class OfFile:
    """The mechanism of a model file."""

    path: Path

    def __call__(self, settings: Mapping[str, Setting]) -> Mechanism:
        """With parameters and fields as given."""
        return read_mechanism(self.path, settings)


def file_origin(path: Path, as_given: AsGiven, settings: Mapping[str, Setting]) -> Origin:
    """Of a model file, read with some settings."""
    found = {name: quantity(value) for name, value in flattened(as_given.parameters).items()}
    known = {name: (*value, False) for name, value in found.items() if value is not None}
    return Origin(OfFile(path), known).with_given(settings)


def quantity(value: Any) -> tuple[float, str] | None:
    """Number and unit of a parameter that is not an expression."""
    if isinstance(value, str) and is_quantity(value):
        return number_and_unit(value)
    return (float(value), "") if isinstance(value, (int, float)) else None
