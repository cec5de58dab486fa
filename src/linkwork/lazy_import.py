"""Modules that load when they are first used: SciPy takes longer to import than a small mechanism to simulate.

The pattern keeps the real types for the type checker:

    if TYPE_CHECKING:
        import scipy.sparse as sp
    else:
        sp = lazy_module("scipy.sparse")
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class LazyModule:
    """Stands for a module; its first use imports it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:  # as of any module
        if self._module is None:
            self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


class LazyFunction:
    """Stands for a function or class; its first call imports it."""

    def __init__(self, module: LazyModule, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *arguments: object, **named: object) -> object:
        """Call it."""
        function = getattr(self._module, self._name)
        return function(*arguments, **named)


def lazy_module(name: str) -> LazyModule:
    """The module of this name, imported when an attribute of it is first read."""
    return LazyModule(name)


def lazy_functions(module: str, *names: str) -> tuple[LazyFunction, ...]:
    """Functions of a module, imported when one of them is first called."""
    return tuple(LazyFunction(LazyModule(module), name) for name in names)
