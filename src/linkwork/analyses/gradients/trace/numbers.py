"""Numbers that write down what is done with them: a tape of operations, from which derivatives are read backward.

A `Traced` number is a place on a `Tape`.  Arithmetic on it appends an operation; a comparison appends a *guard*, what
was compared and what came out, since a program has taken one of its branches there (Griewank & Walther 2008, ch. 6).
`x.real` is the value of x without its derivative, as in a complex step: kernels that say f(x.real) + f'(x.real) (x -
x.real) are differentiated as they mean it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from linkwork.integrators.sensitivities import tape as ops

FUNCTIONS = {  # of one number, by their names in `math`
    "sqrt": ops.SQRT, "sin": ops.SIN, "cos": ops.COS, "tan": ops.TAN, "asin": ops.ASIN, "acos": ops.ACOS,
    "atan": ops.ATAN, "sinh": ops.SINH, "cosh": ops.COSH, "tanh": ops.TANH, "exp": ops.EXP, "log": ops.LOG,
}  # fmt: skip


class NotTracedError(Exception):
    """A kernel does something that cannot be written down."""


class Tape:
    """Operations in the order in which they were done, and the guards of their branches."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.first: list[int] = []  # places of the arguments; of an input its number, -1: none
        self.second: list[int] = []
        self.values: list[float] = []
        self.guards: list[tuple[int, int, int, bool]] = []  # what was compared, places, what came out
        self._constants: dict[float, int] = {}
        self.jets = 0  # > 0: within a function of time alone, whose kernels take `x.real` for x
        self.inputs: list[int] = []  # which of the numbers given each of them is

    def input(self, key: int, value: float) -> Traced:
        """A number from outside."""
        self.inputs.append(key)
        return self._append(ops.INPUT, len(self.inputs) - 1, -1, value)

    def place(self, x: Any) -> int:
        """Where a number stands; plain numbers become constants."""
        if isinstance(x, Traced):
            return x.place
        value = float(x)
        if value not in self._constants or math.isnan(value):
            self._constants[value] = self._append(ops.CONSTANT, -1, -1, value).place
        return self._constants[value]

    def whole(self, x: Any) -> Any:
        """The number of which x is the real part."""
        if isinstance(x, Traced) and self.codes[x.place] == ops.REAL:
            return Traced(self, self.first[x.place], x.value)
        return x

    def one(self, op: int, x: Traced, value: float) -> Traced:
        """A function of one number."""
        return self._append(op, x.place, -1, value)

    def two(self, op: int, a: Any, b: Any, value: float) -> Traced:
        """A function of two."""
        return self._append(op, self.place(a), self.place(b), value)

    def guard(self, compare: int, a: Any, b: Any, found: bool) -> bool:
        """A comparison, which decides a branch."""
        self.guards.append((compare, self.place(a), self.place(b), found))
        return found

    def _append(self, op: int, first: int, second: int, value: float) -> Traced:
        self.codes.append(op)
        self.first.append(first)
        self.second.append(second)
        self.values.append(value)
        return Traced(self, len(self.codes) - 1, value)


def _value(x: Any) -> float:
    return x.value if isinstance(x, Traced) else float(x)


class Traced:
    """A number on a tape."""

    __slots__ = ("place", "tape", "value")

    def __init__(self, tape: Tape, place: int, value: float) -> None:
        self.tape, self.place, self.value = tape, place, value

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any) -> Any:
        """What NumPy's functions of a number are, and its own scalars do, here."""
        return UFUNCS[ufunc.__name__](*given)

    # -- arithmetic; what is added to 0 or multiplied by 0 or 1 leaves no trace ------------------------------------
    def __add__(self, other: Any) -> Any:
        if type(other) is Traced:  # most are
            return self.tape._append(ops.ADD, self.place, other.place, self.value + other.value)
        if other == 0.0:
            return self
        return self.tape.two(ops.ADD, self, other, self.value + _value(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is Traced:  # most are
            return self.tape._append(ops.SUB, self.place, other.place, self.value - other.value)
        if other == 0.0:
            return self
        return self.tape.two(ops.SUB, self, other, self.value - _value(other))

    def __rsub__(self, other: Any) -> Any:
        return -self if other == 0.0 else self.tape.two(ops.SUB, other, self, _value(other) - self.value)

    def __mul__(self, other: Any) -> Any:
        if type(other) is Traced:
            return self.tape._append(ops.MUL, self.place, other.place, self.value * other.value)
        if other == 0.0:
            return 0.0
        if other == 1.0:
            return self
        if other == -1.0:
            return -self
        return self.tape.two(ops.MUL, self, other, self.value * _value(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Traced) and other == 1.0:
            return self
        return self.tape.two(ops.DIV, self, other, self.value / _value(other))

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if other == 0.0 else self.tape.two(ops.DIV, other, self, _value(other) / self.value)

    def __pow__(self, other: Any) -> Any:
        return self.tape.two(ops.POW, self, other, self.value ** _value(other))

    def __rpow__(self, other: Any) -> Any:
        return self.tape.two(ops.POW, other, self, _value(other) ** self.value)

    def __neg__(self) -> Traced:
        return self.tape.one(ops.NEG, self, -self.value)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self.tape.one(ops.ABS, self, abs(self.value))

    # -- comparisons ----------------------------------------------------------------------------------------------
    def __lt__(self, other: Any) -> bool:
        return self.tape.guard(ops.LESS, self, other, self.value < _value(other))

    def __gt__(self, other: Any) -> bool:
        return self.tape.guard(ops.LESS, other, self, _value(other) < self.value)

    def __le__(self, other: Any) -> bool:
        return self.tape.guard(ops.LESS_OR_EQUAL, self, other, self.value <= _value(other))

    def __ge__(self, other: Any) -> bool:
        return self.tape.guard(ops.LESS_OR_EQUAL, other, self, _value(other) <= self.value)

    def __eq__(self, other: object) -> bool:
        return self is other or self.tape.guard(ops.EQUAL, self, other, self.value == _value(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return self != 0.0

    # -- parts ----------------------------------------------------------------------------------------------------
    @property
    def real(self) -> Traced:
        """The value alone."""
        if self.tape.jets or self.tape.codes[self.place] == ops.REAL:
            return self
        return self.tape.one(ops.REAL, self, self.value)

    @property
    def imag(self) -> float:
        """None: a complex step would be seen in the trace itself."""
        return 0.0

    def __float__(self) -> float:
        raise NotTracedError("a number leaves the trace")

    def __int__(self) -> int:
        whole = int(self.value)
        self.tape.guard(ops.EQUAL, self.trunc(), float(whole), True)
        return whole

    def trunc(self) -> Traced:
        """Towards zero."""
        return self.floor() if self.value >= 0.0 else -((-self).floor())

    def floor(self) -> Traced:
        """The whole number below."""
        return self.tape.one(ops.FLOOR, self, math.floor(self.value))


def _function(op: int, function: Callable[[float], float]) -> Callable[[Traced], Traced]:
    def of(x: Traced) -> Traced:
        return x.tape.one(op, x, function(x.value))

    return of


UFUNCS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "negative": operator.neg, "absolute": abs, "less": operator.lt, "greater": operator.gt,
    "less_equal": operator.le, "greater_equal": operator.ge, "equal": operator.eq, "not_equal": operator.ne,
    "floor": Traced.floor, "arctan2": lambda a, b: atan2(a, b),
    **{
        "arc" + name[1:] if name in ("asin", "acos", "atan") else name: _function(op, getattr(math, name))
        for name, op in FUNCTIONS.items()
    },
}  # fmt: skip


def atan2(a: Any, b: Any) -> Any:
    """The angle of (b, a)."""
    tape = a.tape if isinstance(a, Traced) else b.tape
    return tape.two(ops.ATAN2, a, b, math.atan2(_value(a), _value(b)))
