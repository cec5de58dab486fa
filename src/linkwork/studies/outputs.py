"""Outputs of a study: numbers of each run, as expressions over what its analysis found.

    max(pin.rate)   span(slider.position.x)   rms(energy)   end(crank.angle)   mean, min, peak, start, integral
    max(abs(reaction("A").force))             of a vector `abs` is its size; its components are .x .y .z
    time_when("slider.position.x < 0.1")      s; the first crossing, by the line between two samples; NaN: never
    at(crank.angle, 0.5)                      at a time (s)
    frequency(1), damping(2)                  of modes;  amplitude("arm.position.z"), peak_frequency(...) of a response
    max(pin.rate) / 9.81, sqrt(...), ...      numbers of all these

A history alone is taken at its end.  Names that are no words stand in quotes: max('left-arm.angle').

Numbers may be complex: value + i STEP slope, of which slopes of outputs are made (slopes.py).  So every operation here
is one of real numbers that passes a slope on: comparisons look at real parts, the size of a number is its real size.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.studies.answers import Answer, Statistic, Value

LONGEST = 500  # characters


def _mean(t: np.ndarray, x: np.ndarray) -> Any:
    return np.trapezoid(x, t) / (t[-1] - t[0]) if len(t) > 1 and t[-1] != t[0] else x[-1]


def _largest(t: np.ndarray, x: np.ndarray) -> Any:
    """The largest sample.  Where slopes pass, the vertex of the parabola through it and its neighbours: which sample is
    the largest jumps with a parameter, the vertex hardly does, and its slope is that of the extreme (theory (13.8)).
    """
    k = int(np.argmax(x.real))
    if not np.iscomplexobj(x) or k in (0, len(x) - 1):
        return x[k]
    before, after = (x[k] - x[k - 1]) / (t[k] - t[k - 1]), (x[k + 1] - x[k]) / (t[k + 1] - t[k])
    bend = (before - after) / (t[k + 1] - t[k - 1])
    if not bend.real > 0.0:
        return x[k]
    slope = (before * (t[k + 1] - t[k]) + after * (t[k] - t[k - 1])) / (t[k + 1] - t[k - 1])
    return x[k] + slope * slope / (4.0 * bend)


def _least(t: np.ndarray, x: np.ndarray) -> Any:
    return -_largest(t, -x)


def _size(x: Any) -> Any:
    return np.where(np.real(x) < 0.0, -x, x) if np.iscomplexobj(x) else np.abs(x)


def _power(x: Any, n: Any) -> Any:
    """x ** n, of complex numbers by d(x^n) = n x^(n-1) dx + x^n log(x) dn."""
    if not (np.iscomplexobj(x) or np.iscomplexobj(n)):
        return x**n
    a, b = np.real(x), np.real(n)
    value = a**b
    exponent = value * np.log(a) * np.imag(n) if np.any(np.imag(n)) else 0.0
    return value + 1j * (b * a ** (b - 1.0) * np.imag(x) + exponent)


def _of_positive(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that has no value below 0, whatever the imaginary part."""
    return lambda x: np.where(np.real(x) < 0.0, np.nan, function(x))[()] if np.iscomplexobj(x) else function(x)


STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {  # of a history x at the times t
    "max": _largest, "min": _least, "span": lambda t, x: _largest(t, x) - _least(t, x),
    "peak": lambda t, x: _largest(t, _size(x)), "mean": _mean, "rms": lambda t, x: np.sqrt(_mean(t, x * x)),
    "start": lambda t, x: x[0], "end": lambda t, x: x[-1], "integral": lambda t, x: np.trapezoid(x, t),
}  # fmt: skip
MATHEMATICS: dict[str, Callable[[Any], Any]] = {
    "sqrt": _of_positive(np.sqrt), "sin": np.sin, "cos": np.cos, "tan": np.tan, "exp": np.exp,
    "log": _of_positive(np.log), "degrees": lambda x: x * (180.0 / np.pi),
}  # fmt: skip
OF_SIZES = {"max": "peak", "peak": "peak", "rms": "rms"}  # statistics of |x|, as those of x
OTHERS = ("abs", "at", "time_when", "reaction")
OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: _power,
}  # fmt: skip
SENSES = {ast.Lt: -1.0, ast.LtE: -1.0, ast.Gt: 1.0, ast.GtE: 1.0}  # of a difference where a condition holds
LOADS = ("force", "torque")


@dataclass(frozen=True)
class _Name:
    """A part of a dotted name, or (`load`) of the load of a joint."""

    text: str
    load: bool = False


@dataclass(frozen=True)
class Output:
    """A number of each run."""

    text: str

    @cached_property
    def _tree(self) -> ast.expr:
        return _parsed(self.text)

    @cached_property
    def _plain(self) -> tuple[str | None, str] | None:
        """A statistic, or none, and what it is of, which may be a name; None: neither."""
        whole = re.fullmatch(r"\s*(?:(\w+)\((.+)\)|(.+?))\s*", self.text, re.DOTALL)
        return None if whole is None else (whole[1], (whole[2] or whole[3]).strip())

    def of(self, answer: Answer) -> Value:
        """Its value for one run: a number, SI units; complex where the answer is."""
        direct = self._direct(answer)
        found = direct if direct is not None else _Reading(answer, self.text).number_of(self._tree)
        if isinstance(found.data, np.ndarray) and found.data.ndim:
            if found.vector:
                raise OptionError(
                    f"'{self.text}' is a vector; take abs(...), or a component .x .y .z", element=self.text
                )
            found = Value(found.data[-1], found.unit)
        return Value(np.asarray(found.data).item(), found.unit)

    def of_many(self, answer: Answer) -> np.ndarray:
        """[run] its values for runs of which statistics are known (`Answer.statistic`), and no histories."""
        direct = self._direct(answer)
        found = direct if direct is not None else _Reading(answer, self.text).number_of(self._tree)
        return np.asarray(found.data, float)

    def _direct(self, answer: Answer) -> Value | None:
        """A name, or a statistic of a name, whatever characters are in it."""
        if self._plain is None:
            return None
        statistic, name = self._plain
        if (statistic is not None and statistic not in STATISTICS) or name not in answer.names():
            return None
        if answer.statistic is not None:
            return answer.statistic(statistic or "end", name, math.nan)
        value = answer.number(name)
        return value if statistic is None else _statistic(statistic, value, answer, self.text)


def _parsed(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise OptionError(f"an output has {len(text)} characters; at most {LONGEST} are read", element=text[:40])
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(
            f"output '{text}' is not an expression; write e.g. 'max(crank.angle)', other names in quotes",
            element=text,
        ) from None


def _statistic(name: str, value: Value, answer: Answer, text: str) -> Value:
    data = np.asarray(value.data)
    if value.vector:
        raise OptionError(f"'{text}': {name} of a vector; take abs(...), or a component .x .y .z", element=text)
    if data.ndim == 0:
        return value
    unit = value.unit if name != "integral" else f"{value.unit} s".strip()
    t = answer.t if answer.t is not None else np.arange(len(data), dtype=float)
    return Value(STATISTICS[name](t, data), unit)


class _Reading:
    """One expression over one answer."""

    def __init__(self, answer: Answer, text: str) -> None:
        self.answer, self.text = answer, text

    def number_of(self, node: ast.expr) -> Value:
        """The value of a node that must be one."""
        found = self.read(node)
        return self._named(found) if isinstance(found, _Name) else found

    def read(self, node: ast.expr) -> Value | _Name:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return _Name(node.value)
            if isinstance(node.value, int | float) and not isinstance(node.value, bool):
                return Value(float(node.value))
        if isinstance(node, ast.Name):
            return Value(math.pi) if node.id == "pi" else _Name(node.id)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.number_of(node.operand)
            return Value(-value.data, value.unit, value.vector)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return self._operation(node)
        raise OptionError(
            f"output '{self.text}': {ast.unparse(node)} is none of its forms; {_forms()}", element=self.text
        )

    def _attribute(self, node: ast.Attribute) -> _Name:
        of = self.read(node.value)
        if not isinstance(of, _Name):
            raise OptionError(f"output '{self.text}': a number has no '{node.attr}'; leave it out", element=self.text)
        if of.load and of.text.count(".") == 0 and node.attr not in LOADS:
            raise OptionError(
                f"output '{self.text}': a reaction has .force and .torque, no '{node.attr}'", element=node.attr
            )
        return _Name(f"{of.text}.{node.attr}", of.load)

    def _named(self, name: _Name) -> Value:
        """A number by its name: a history, or the three components of one."""
        text, known = name.text, self.answer.names()
        if self.answer.statistic is not None:
            return self.answer.statistic("end", self._scalar(name), math.nan)
        if f"{text}.x" in known and (name.load or text not in known):
            parts = [self.answer.number(f"{text}.{axis}") for axis in "xyz"]
            return Value(np.stack([part.data for part in parts], axis=-1), parts[0].unit, vector=True)
        return self.answer.number(text)

    def _operation(self, node: ast.BinOp) -> Value:
        a, b = self.number_of(node.left), self.number_of(node.right)
        with np.errstate(all="ignore"):
            try:
                data = OPERATIONS[type(node.op)](a.data, b.data)
            except (ZeroDivisionError, OverflowError):
                data = math.nan
        plain = not b.unit and isinstance(node.op, ast.Mult | ast.Div)
        alike = a.unit == b.unit and isinstance(node.op, ast.Add | ast.Sub)
        scaled = not a.unit and isinstance(node.op, ast.Mult)
        unit = a.unit if plain or alike else b.unit if scaled else ""
        return Value(data, unit, a.vector or b.vector)

    def _call(self, node: ast.Call) -> Value | _Name:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise OptionError(
                f"output '{self.text}': {ast.unparse(node)} is none of its forms; {_forms()}", element=self.text
            )
        name, own = node.func.id, self.answer.functions
        if name not in (*STATISTICS, *MATHEMATICS, *OTHERS, *own):
            hint = nearest(name, [*STATISTICS, *MATHEMATICS, *OTHERS, *own])
            raise OptionError(f"'{self.text}': there is no function '{name}'; {hint}", element=name)
        wanted = 2 if name == "at" else 1
        if len(node.args) != wanted:
            raise OptionError(f"'{self.text}': {name} takes {wanted} argument{'s'[: wanted - 1]}", element=name)
        if name == "time_when":
            return self._time_when(node.args[0])
        if name == "reaction":
            return self._reaction(node.args[0])
        if name in own:
            return own[name](self._argument(node.args[0]))
        if self.answer.statistic is not None and name in (*STATISTICS, "at"):
            return self._of_many(self.answer.statistic, name, node.args)
        value = self.number_of(node.args[0])
        if name == "abs":
            return self._absolute(node.args[0], value)
        if name == "at":
            return self._at(value, self.number_of(node.args[1]))
        if name in STATISTICS:
            return _statistic(name, value, self.answer, self.text)
        with np.errstate(all="ignore"):
            return Value(MATHEMATICS[name](value.data))

    def _of_many(self, statistic: Statistic, name: str, given: list[ast.expr]) -> Value:
        """A statistic of a history by its name, or of its size."""
        when = self.number_of(given[1]).data if name == "at" else math.nan
        if np.ndim(when) != 0:
            raise OptionError(f"'{self.text}': at(...) takes a history and a time, s", element=self.text)
        node, size = given[0], False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs":
            node, size = node.args[0], True
        found = self.read(node)
        if isinstance(found, _Name) and size and found.load and found.text.count(".") == 1:
            return statistic(name, found.text, when)  # the magnitude of a load is a number of its own
        if not isinstance(found, _Name) or (size and name not in OF_SIZES):
            raise OptionError(f"'{self.text}': only histories have this statistic", element=self.text)
        return statistic(OF_SIZES[name] if size else name, self._scalar(found), when)

    def _scalar(self, name: _Name) -> str:
        """The name of a history that is no vector."""
        known = self.answer.names()
        if f"{name.text}.x" in known and (name.load or name.text not in known):
            raise OptionError(f"'{self.text}': '{name.text}' is a vector", element=self.text)
        return name.text

    def _argument(self, node: ast.expr) -> str | float:
        found = self.read(node)
        return found.text if isinstance(found, _Name) else float(found.data)

    def _reaction(self, node: ast.expr) -> _Name:
        joint = self.read(node)
        known = self.answer.names()
        if not isinstance(joint, _Name) or f"{joint.text}.torque.x" not in known:
            joints = [name.removesuffix(".torque.x") for name in known if name.endswith(".torque.x")]
            given = joint.text if isinstance(joint, _Name) else ast.unparse(node)
            raise OptionError(f"'{self.text}': there is no joint '{given}'; {nearest(given, joints)}", element=given)
        return _Name(joint.text, load=True)

    def _absolute(self, node: ast.expr, value: Value) -> Value:
        if not value.vector:
            return Value(_size(value.data), value.unit)
        name = self.read(node)
        if isinstance(name, _Name) and name.load:  # a planar model does not resolve all components
            return self.answer.number(name.text)
        if np.iscomplexobj(value.data):
            return Value(np.sqrt(np.sum(value.data**2, axis=-1)), value.unit)
        return Value(np.linalg.norm(value.data, axis=-1), value.unit)

    def _at(self, value: Value, when: Value) -> Value:
        t = self.answer.t
        if t is None or np.ndim(value.data) != 1:
            raise OptionError(f"'{self.text}': at(...) takes a history and a time, s", element=self.text)
        data, at = value.data, float(np.real(when.data))
        if t[0] > t[-1]:  # a sweep that falls
            t, data = t[::-1], data[::-1]
        found = np.interp(at, t, data, np.nan, np.nan)
        if np.imag(when.data):
            k = min(max(int(np.searchsorted(t, at)), 1), len(t) - 1)
            found = found + 1j * np.imag(when.data) * (data[k] - data[k - 1]).real / (t[k] - t[k - 1])
        return Value(found, value.unit)

    def _time_when(self, node: ast.expr) -> Value:
        """The first time at which a condition holds."""
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        tree = _parsed(text) if text is not None else node
        if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in SENSES):
            raise OptionError(
                f"'{self.text}': time_when takes a condition such as \"crank.angle > 1\"", element=self.text
            )
        a, b, t = self.number_of(tree.left), self.number_of(tree.comparators[0]), self.answer.t
        gap = SENSES[type(tree.ops[0])] * np.asarray(a.data - b.data)
        if t is None or gap.ndim != 1:
            raise OptionError(f"'{self.text}': there is no history in the condition", element=self.text)
        strict = isinstance(tree.ops[0], ast.Lt | ast.Gt)
        holds = gap.real > 0.0 if strict else gap.real >= 0.0
        if not holds.any():
            return Value(math.nan, "s")
        k = int(np.argmax(holds))
        if k == 0:
            return Value(float(t[0]), "s")
        return Value(t[k - 1] + (t[k] - t[k - 1]) * gap[k - 1] / (gap[k - 1] - gap[k]), "s")


def _forms() -> str:
    return f"use names, numbers, + - * / **, and {', '.join((*STATISTICS, *MATHEMATICS, *OTHERS))}"
