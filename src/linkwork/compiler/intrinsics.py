"""Intrinsics: functions for kernels whose code the backend writes itself, named here without it.

An intrinsic knows its name and its parameters; numba_backend/intrinsics.py has a recipe by that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Intrinsic:
    """A function that kernels call; `plain` does the same in Python, where that makes sense."""

    def __init__(self, name: str, doc: str, *parameters: Any, plain: Callable[..., Any] | None = None) -> None:
        self.name, self.parameters, self.plain = name, parameters, plain
        self.__doc__ = doc

    def __call__(self, *arguments: Any) -> Any:
        """In Python."""
        if self.plain is None:
            raise TypeError(f"{self.name} is for kernels; Python cannot call it")
        return self.plain(*arguments)

    def __deepcopy__(self, memo: Any) -> Intrinsic:
        return self  # a compiler copies the statements that hold it

    def __repr__(self) -> str:
        return f"<intrinsic {self.name}>"


def by_scalar(plain: Callable[..., Any], real: Callable[..., Any], complex: Callable[..., Any]) -> Intrinsic:
    """A function of one number, by one function for real numbers and another for complex ones."""
    return Intrinsic("by_scalar", plain.__doc__ or "", real, complex, plain=plain)
