"""Entries of the library: models that Python functions build, and models that are files beside this one."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from linkwork.errors import ModelError, OptionError
from linkwork.library.plain_numbers import make_plain
from linkwork.library.units import UNITS, Unit
from linkwork.model import Model


@dataclass(frozen=True)
class Built:
    """A model of a Python function: its arguments, annotated with their units, are the parameters."""

    name: str
    function: Callable[..., Model]
    file = None

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return (self.function.__doc__ or "").split("\n")[0].rstrip(".")

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their defaults, in their units."""
        return {name: p.default for name, p in inspect.signature(self.function).parameters.items()}

    @property
    def units(self) -> dict[str, Unit]:
        """Units of the parameters."""
        return {name: UNITS[str(p.annotation)] for name, p in inspect.signature(self.function).parameters.items()}

    def build(self, **numbers: float) -> Model:
        """The model; numbers in the units of the parameters."""
        model = self.function(**numbers)
        make_plain(model)
        return model


@dataclass(frozen=True)
class Filed:
    """A model file of the library, NAME.toml: its first line is the title, its quantities are the parameters."""

    name: str

    @property
    def file(self) -> Path:
        """Where it is."""
        return Path(__file__).parent / f"{self.name}.toml"

    @property
    def title(self) -> str:
        """What it is, in a line."""
        return self._text.split("\n")[0].removeprefix("# ").rstrip(".")

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their defaults, in their units."""
        return {name: number for name, (number, _) in self._quantities.items()}

    @property
    def units(self) -> dict[str, Unit]:
        """Units of the parameters."""
        return {name: unit for name, (_, unit) in self._quantities.items()}

    def build(self, **numbers: float) -> Model:
        """The model; numbers in the units of the parameters."""
        try:
            return Model.read(self.file, numbers)
        except ModelError as failure:
            what = str(failure).partition(": ")[2]
            raise OptionError(f"model '{self.name}': {what}", element=next(iter(numbers), self.name)) from None

    @cached_property
    def _text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @cached_property
    def _quantities(self) -> dict[str, tuple[float, Unit]]:
        """Parameters that are a number with a unit; others are expressions of these."""
        by_name = {unit.name: unit for unit in UNITS.values() if unit.name}
        texts = {name: text.partition(" ") for name, text in tomllib.loads(self._text)["parameters"].items()}
        return {name: (float(number), by_name[unit]) for name, (number, _, unit) in texts.items() if unit in by_name}


Entry = Built | Filed
