"""Modules that load when they are first used: SciPy takes longer to import than a small mechanism to simulate."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class _LazyModule:
    """Stands for a module; its first use imports it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


def lazy_module(name: str) -> Any:
    """The module of this name, imported when an attribute of it is first read."""
    return _LazyModule(name)


class _LazyFunction:
    """Stands for a function or class; its first call imports it."""

    def __init__(self, module: _LazyModule, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return getattr(self._module, self._name)(*arguments, **named)


def lazy_functions(module: str, *names: str) -> tuple[Any, ...]:
    """Functions of a module, imported when one of them is first called."""
    return tuple(_LazyFunction(_LazyModule(module), name) for name in names)
