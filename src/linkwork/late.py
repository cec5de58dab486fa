"""Modules that load when they are first used: SciPy takes longer to import than a small mechanism to simulate."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class _Late:
    """Stands for a module; its first use imports it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


def late(name: str) -> Any:
    """The module of this name, imported when something of it is first asked for."""
    return _Late(name)
