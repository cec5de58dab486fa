"""Pieces of a program, put together from the leaves up: opcodes, stack depth, and what is known before running.

Besides its opcodes a fragment knows whether it is a line a t + b.  A line with a = 0 is a constant and becomes one
opcode.

Some operations cut the axis of a number x into cells, within which they are smooth: x = a - b of a < b, min(a, b) and
max(a, b), and x = a of abs(a), sign(a) have the threshold 0, the ramp of step() 0 and 1, a table its kinks, floor(a)
the whole numbers.  Where x is a line, the times at which it crosses them are known here; where it is another function
of time, they are found for each run (kernels/crossings.py); where it depends on the state, the run watches it
(`watched`); one that is constant between jumps changes only where these are met.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.tables import Table

Line = tuple[float, float]  # (a, b): a t + b
STEPWISE = (opcodes.FLOOR, opcodes.SIGN, opcodes.LT, opcodes.LE, opcodes.EQ)

Ops = tuple[tuple[int, int, float], ...]  # (code, count, value)


class Crossing(NamedTuple):
    """A function of time that is no line, and the values at which something jumps or bends."""

    ops: Ops
    thresholds: tuple[float, ...]


class Watched(NamedTuple):
    """An operation whose argument x depends on the state."""

    op: int  # its place among the ops
    thresholds: tuple[float, ...] | None  # None: all whole numbers


@dataclass(frozen=True)
class Fragment:
    """Opcodes that leave one jet on the stack."""

    ops: Ops
    depth: int
    line: Line | None = None
    breaks: frozenset[float] = frozenset()
    is_condition: bool = False
    distance: Fragment | None = None  # of a condition: positive where it holds, zero where it changes
    of_state: bool = False
    crossings: frozenset[Crossing] = frozenset()
    watched: tuple[Watched, ...] = ()
    stepwise: bool = False  # constant but for jumps, which are met already

    @property
    def constant(self) -> float | None:
        """Its value when it does not depend on time and is known already."""
        return self.line[1] if self.line is not None and self.line[0] == 0.0 else None


def number(value: float) -> Fragment:
    """A constant."""
    return Fragment(((opcodes.CONST, 0, value),), 1, (0.0, value), stepwise=True)


def time() -> Fragment:
    """The time t."""
    return Fragment(((opcodes.TIME, 0, 0.0),), 1, (1.0, 0.0))


def signal(index: int) -> Fragment:
    """A number that the state determines."""
    return Fragment(((opcodes.SIGNAL, 0, float(index)),), 1, of_state=True)


def lookup(index: int, table: Table, x: Fragment) -> Fragment:
    """A table at x."""
    return cut(join(opcodes.SPLINE, x, value=float(index)), x, table.kinks)


def join(
    code: int,
    *arguments: Fragment,
    value: float = 0.0,
    line: Line | None = None,
    is_condition: bool = False,
) -> Fragment:
    """The operation `code` applied to its arguments; a line that is not finite is left to the kernel."""
    if line is not None and not (math.isfinite(line[0]) and math.isfinite(line[1])):
        line = None
    if line is not None and line[0] == 0.0:
        return number(line[1])
    ops: Ops = ()
    watched: tuple[Watched, ...] = ()
    for a in arguments:
        watched += tuple(Watched(len(ops) + w.op, w.thresholds) for w in a.watched)
        ops += a.ops
    return Fragment(
        ops=(*ops, (code, len(arguments), value)),
        depth=max(waiting + a.depth for waiting, a in enumerate(arguments)),
        line=line,
        breaks=frozenset[float]().union(*(a.breaks for a in arguments)),
        is_condition=is_condition,
        of_state=any(a.of_state for a in arguments),
        crossings=frozenset[Crossing]().union(*(a.crossings for a in arguments)),
        watched=watched,
        stepwise=code in STEPWISE or all(a.stepwise for a in arguments),
    )


def cut(whole: Fragment, x: Fragment, thresholds: tuple[float, ...]) -> Fragment:
    """The operation that `whole` ends with, whose cells are those of x."""
    if whole.constant is not None or x.stepwise or not thresholds:
        return whole
    if x.line is not None:
        slope, offset = x.line
        times = ((threshold - offset) / slope + 0.0 for threshold in thresholds)  # + 0.0: no negative zero
        return replace(whole, breaks=whole.breaks | {t for t in times if math.isfinite(t)})
    if x.of_state:
        return replace(whole, watched=(*whole.watched, Watched(len(whole.ops) - 1, thresholds)))
    return replace(whole, crossings=whole.crossings | {Crossing(x.ops, thresholds)})


def negative(a: Fragment) -> Fragment:
    """-a."""
    return join(opcodes.NEG, a, line=(-a.line[0], -a.line[1]) if a.line else None)


def plus(a: Fragment, b: Fragment) -> Fragment:
    """a + b."""
    return join(opcodes.ADD, a, b, line=(a.line[0] + b.line[0], a.line[1] + b.line[1]) if a.line and b.line else None)


def minus(a: Fragment, b: Fragment) -> Fragment:
    """a - b."""
    return join(opcodes.SUB, a, b, line=(a.line[0] - b.line[0], a.line[1] - b.line[1]) if a.line and b.line else None)


def times(a: Fragment, b: Fragment) -> Fragment:
    """a b."""
    line = None
    for one, other in ((a, b), (b, a)):
        if one.line and other.constant is not None:
            line = (one.line[0] * other.constant, one.line[1] * other.constant)
    return join(opcodes.MUL, a, b, line=line)


def over(a: Fragment, b: Fragment) -> Fragment:
    """a / b."""
    line = None
    if a.line and b.constant is not None and b.constant != 0.0:
        line = (a.line[0] / b.constant, a.line[1] / b.constant)
    return join(opcodes.DIV, a, b, line=line)


def power(a: Fragment, b: Fragment) -> Fragment:
    """a^b; a constant exponent has an operation of its own, which takes a <= 0 too."""
    if b.constant is None:
        return join(opcodes.POW, a, b)
    return join(opcodes.POWC, a, value=b.constant, line=_folded(math.pow, a, b))


def compare(symbol: str, a: Fragment, b: Fragment) -> Fragment:
    """A condition; > and >= are < and <= with the sides exchanged."""
    if symbol == "!=":
        return negation(compare("==", a, b))
    if symbol in (">", ">="):
        a, b = b, a
    code = {"<": opcodes.LT, ">": opcodes.LT, "<=": opcodes.LE, ">=": opcodes.LE, "==": opcodes.EQ}[symbol]
    distance = negative(function("abs", minus(a, b))) if symbol == "==" else minus(b, a)
    condition, x = join(code, a, b, is_condition=True), minus(a, b)
    if symbol != "==" or not x.of_state:  # a state is equal to a number for an instant at most
        condition = cut(condition, x, (0.0,))
    return replace(condition, distance=distance)


def negation(a: Fragment) -> Fragment:
    """Not a."""
    return replace(join(opcodes.EQ, a, number(0.0), is_condition=True), distance=negative(margin(a)))


def both(a: Fragment, b: Fragment) -> Fragment:
    """Conditions a and b."""
    return replace(join(opcodes.MIN, a, b, is_condition=True), distance=join(opcodes.MIN, margin(a), margin(b)))


def either(a: Fragment, b: Fragment) -> Fragment:
    """Condition a or b."""
    return replace(join(opcodes.MAX, a, b, is_condition=True), distance=join(opcodes.MAX, margin(a), margin(b)))


def margin(condition: Fragment) -> Fragment:
    """How far a condition is from changing: positive where it holds."""
    assert condition.distance is not None
    return condition.distance


def select(condition: Fragment, a: Fragment, b: Fragment) -> Fragment:
    """a where the condition holds, else b; both are computed, one is taken."""
    return join(opcodes.IF, condition, a, b)


def step(x: Fragment, t0: float, x0: Fragment, t1: float, x1: Fragment) -> Fragment:
    """x0 for x < t0, x1 for x >= t1, between them x0 + (x1 - x0) s^2 (3 - 2 s) with s = (x - t0) / (t1 - t0)."""
    s = over(minus(x, number(t0)), number(t1 - t0))
    ramp = join(opcodes.SMOOTH, s)
    if x.line is not None:  # in terms of x the times are exact
        return join(opcodes.MIX, x0, x1, cut(ramp, x, (t0, t1)))
    return join(opcodes.MIX, x0, x1, cut(ramp, s, (0.0, 1.0)))


def extreme(name: str, *arguments: Fragment) -> Fragment:
    """The least or greatest of several; any two lines among them may cross."""
    code, fold = {"min": (opcodes.MIN, min), "max": (opcodes.MAX, max)}[name]
    all_lines = all(a.line is not None for a in arguments)
    result = arguments[0]
    for a in arguments[1:]:
        joined = join(code, result, a, line=_folded(fold, result, a))
        result = joined if all_lines else cut(joined, minus(result, a), (0.0,))
    for a, b in combinations(arguments, 2) if all_lines else ():
        result = cut(result, minus(a, b), (0.0,))
    return result


def clip(x: Fragment, low: Fragment, high: Fragment) -> Fragment:
    """x between low and high."""
    return extreme("min", extreme("max", x, low), high)


def floor(x: Fragment) -> Fragment:
    """The greatest whole number <= x; of a function of time it jumps where its parity does."""
    whole = _floor(x)
    if x.stepwise:
        return whole
    if x.of_state:
        return replace(whole, watched=(*whole.watched, Watched(len(whole.ops) - 1, None)))
    parity = minus(whole, times(number(2.0), _floor(times(number(0.5), x))))
    return replace(whole, crossings=whole.crossings | {Crossing(parity.ops, (0.5,))})


def _floor(x: Fragment) -> Fragment:
    return join(opcodes.FLOOR, x, line=_folded(math.floor, x))


def modulo(x: Fragment, period: Fragment) -> Fragment:
    """x less whole periods: between 0 and the period."""
    return minus(x, times(period, floor(over(x, period))))


def sawtooth(x: Fragment) -> Fragment:
    """x less its whole part: from 0 to 1."""
    return minus(x, floor(x))


def repeated(index: int, table: Table, x: Fragment) -> Fragment:
    """A table at x less whole periods; one without kinks takes them off by itself, and goes on smoothly."""
    if not table.kinks:
        return lookup(index, table, x)
    period = number(table.period)
    whole = floor(over(minus(x, number(table.begin)), period))
    return lookup(index, table, minus(x, times(period, whole)))


def atan2(y: Fragment, x: Fragment) -> Fragment:
    """The angle of the point (x, y)."""
    return join(opcodes.ATAN2, y, x, line=_folded(math.atan2, y, x))


def _sign(x: float) -> float:
    return float((x > 0.0) - (x < 0.0))


_FUNCTIONS: dict[str, tuple[int, Callable[[float], float]]] = {
    "sin": (opcodes.SIN, math.sin),
    "cos": (opcodes.COS, math.cos),
    "tan": (opcodes.TAN, math.tan),
    "asin": (opcodes.ASIN, math.asin),
    "acos": (opcodes.ACOS, math.acos),
    "atan": (opcodes.ATAN, math.atan),
    "sinh": (opcodes.SINH, math.sinh),
    "cosh": (opcodes.COSH, math.cosh),
    "tanh": (opcodes.TANH, math.tanh),
    "exp": (opcodes.EXP, math.exp),
    "log": (opcodes.LOG, math.log),
    "abs": (opcodes.ABS, abs),
    "sign": (opcodes.SIGN, _sign),
}
ONE_ARGUMENT = (*_FUNCTIONS, "sqrt")


def function(name: str, x: Fragment) -> Fragment:
    """A function of one argument by its name, one of `ONE_ARGUMENT`."""
    if name == "sqrt":
        return power(x, number(0.5))
    code, fold = _FUNCTIONS[name]
    joined = join(code, x, line=_folded(fold, x))
    return cut(joined, x, (0.0,)) if name in ("abs", "sign") else joined


def _folded(fold: Callable[..., float], *arguments: Fragment) -> Line | None:
    """The constant line of a function of constants; None where it is undefined, which the kernel reports as NaN."""
    constants = [a.constant for a in arguments]
    if None in constants:
        return None
    try:
        return 0.0, float(fold(*constants))
    except (ValueError, OverflowError):
        return None
