"""Operations counted from the code that runs: a kernel's own source, run as plain Python on numbers that count.

A kernel keeps its Python function (`py_func`).  Called with arrays of `Counted` numbers it does what the compiled one
does, and each multiplication and addition of floating-point numbers is noted.  Changes of sign are not counted, as
usual.
"""

from __future__ import annotations

import types

import numpy as np

from linkwork.compiler.kernels import Kernel


class Tally:
    """How many multiplications and additions were done."""

    def __init__(self) -> None:
        self.multiplications = 0
        self.additions = 0


class Counted:
    """A number that adds each operation to its tally.  A zero that starts a sum (`0.0`) adds nothing."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def __mul__(self, other: Counted | float) -> Counted:
        self.tally.multiplications += 1
        return Counted(self.value * _value(other), self.tally)

    def __add__(self, other: Counted | float) -> Counted:
        self.tally.additions += 1
        return Counted(self.value + _value(other), self.tally)

    def __sub__(self, other: Counted | float) -> Counted:
        self.tally.additions += 1
        return Counted(self.value - _value(other), self.tally)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    __rmul__ = __mul__

    def __radd__(self, other: Counted | float) -> Counted:
        return self if _value(other) == 0.0 else self + other


def _value(number: Counted | float) -> float:
    return number.value if isinstance(number, Counted) else number


def counted(array: np.ndarray, tally: Tally) -> np.ndarray:
    """An array of numbers that count."""
    made = np.empty(array.shape, object)
    for place, value in np.ndenumerate(array):
        made[place] = Counted(float(value), tally)
    return made


def values(array: np.ndarray) -> np.ndarray:
    """The numbers of an array of counted ones."""
    plain_numbers: np.ndarray = np.vectorize(_value, otypes=[float])(array)
    return plain_numbers


def plain(kernel: Kernel) -> types.FunctionType:
    """The Python function of a kernel, with every kernel that it calls replaced by its Python function too."""
    function = kernel.py_func
    scope = {
        name: plain(value) if isinstance(value, Kernel) else value for name, value in function.__globals__.items()
        if name in function.__code__.co_names
    }  # fmt: skip
    return types.FunctionType(function.__code__, {"__builtins__": __builtins__, **scope}, function.__name__)
