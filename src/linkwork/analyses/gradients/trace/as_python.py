"""Kernels run as Python, over tables and workspaces whose numbers may be traced (numbers.py).

A kernel is a Python function; here it gets other globals: kernels in place of kernels, functions that take traced
numbers in place of those of `math`, and what a backend does with memory (compiler/carving.py) in plain objects.  A
table is a list of records with attributes; an array is one of objects.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.analyses.gradients.trace.numbers import UFUNCS, NotTracedError, Tape, Traced, atan2
from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.kernels import Kernel
from linkwork.expressions.program import run_program
from linkwork.numerics.scalars import imaginary_unit

Number = Callable[[int, float], Any]  # place in bytes, value -> the number as kernels see it


class Record:
    """One record of a table: fields as attributes, read when first needed."""

    def __init__(self, raw: np.void, at: int, number: Number) -> None:
        self.__dict__.update(_raw=raw, _at=at, _number=number)

    def __getattr__(self, name: str) -> Any:
        raw = self.__dict__["_raw"]
        if name.startswith("__") or name not in raw.dtype.names:
            raise AttributeError(name)
        offset = raw.dtype.fields[name][1]
        self.__dict__[name] = found = as_objects(raw[name], self._at + offset, self._number)
        return found


class Table:
    """Records by their number."""

    def __init__(self, records: list[Record]) -> None:
        self.records, self.shape = records, (len(records),)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, k: Any) -> Any:
        return Table(self.records[k]) if isinstance(k, slice) else self.records[k]

    def __setitem__(self, k: int, record: Record) -> None:
        raise NotTracedError("a record is overwritten")


class Memory:
    """A table or block of bytes, and the records that begin somewhere in it."""

    def __init__(self, raw: np.ndarray, number: Number) -> None:
        self.raw, self._number = np.ascontiguousarray(raw).view(np.uint8).reshape(-1), number
        self._found: dict[tuple[int, np.dtype], Record] = {}

    def record(self, at: int, dtype: np.dtype) -> Record:
        """The record of this type that begins at a byte."""
        if (at, dtype) not in self._found:
            raw = self.raw[at : at + dtype.itemsize].view(dtype)[0]
            self._found[at, dtype] = Record(raw, at, self._number)
        return self._found[at, dtype]


class MemoryTable(Table, Memory):
    """Both: a table in which records of other types lie, too."""

    def __init__(self, raw: np.ndarray, number: Number) -> None:
        Memory.__init__(self, raw, number)
        size = raw.dtype.itemsize
        self.size = size
        Table.__init__(self, [self.record(k * size, raw.dtype) for k in range(len(raw))] if raw.dtype.names else [])


def as_objects(value: Any, at: int, number: Number) -> Any:
    """A number or an array of a table, at a place in bytes, as kernels run in Python see it."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value.astype(object)
        found = np.empty(value.shape, object)
        for k, x in enumerate(value.reshape(-1)):
            found.reshape(-1)[k] = number(at + 8 * k, float(x))
        return found
    if isinstance(value, np.void):
        return Record(value, at, number)
    return number(at, float(value)) if np.issubdtype(type(value), np.floating) else int(value)


# -- what kernels call ------------------------------------------------------------------------------------------------
def _array_at(memory: Any, at: int, shape: Any, kind: Any) -> Any:
    if isinstance(memory, Memory):
        return Table([memory.record(at + k * kind.itemsize, kind) for k in range(shape)])
    flat = memory.reshape(-1)
    count = int(np.prod(shape))
    return flat[at : at + count].reshape(shape)


def _record_at(memory: Memory, at: int, kind: np.dtype) -> Record:
    step = memory.size if isinstance(memory, MemoryTable) and memory.records else 1
    return memory.record(at * step, kind)


class _Functions:
    """`math` for traced numbers; of plain ones as it is."""

    def __getattr__(self, name: str) -> Any:
        plain = getattr(math, name)
        if not callable(plain):
            return plain

        def of(*given: Any) -> Any:
            if not any(isinstance(x, Traced) for x in given):
                return plain(*given)
            if name not in OTHERS and name not in UFUNCS:
                raise NotTracedError(f"a kernel calls {name}()")
            return (OTHERS[name] if name in OTHERS else UFUNCS[name])(*given)

        self.__dict__[name] = of
        return of


OTHERS: dict[str, Callable[..., Any]] = {  # functions of `math` that NumPy has by another name, or not at all
    "fabs": abs,
    "atan2": atan2,
    "hypot": lambda a, b: np.sqrt(a * a + b * b),
    "pow": lambda a, b: a**b,
    "isnan": lambda x: x != x,
    "copysign": lambda a, b: abs(a) if b >= 0.0 else -abs(a),
    "asin": UFUNCS["arcsin"],
    "acos": UFUNCS["arccos"],
    "atan": UFUNCS["arctan"],
}


def _float(x: Any) -> Any:
    return x if isinstance(x, Traced) else float(x)


MATH = _Functions()
BUILTINS = {"float": _float}


class AsPython:
    """Kernels as Python functions; `call_kernel` calls one of `by_address`."""

    def __init__(self, tape: Tape, by_address: dict[int, Kernel]) -> None:
        self._tape, self._by_address, self._made = tape, by_address, dict[Any, Callable[..., Any]]()

    def __call__(self, kernel: Kernel) -> Callable[..., Any]:
        """The kernel, for traced numbers."""
        function = kernel.py_func
        if function not in self._made:
            space: dict[str, Any] = {"__builtins__": {**vars(__import__("builtins")), **BUILTINS}}
            made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__)
            self._made[function] = made
            known = {**function.__globals__, **_closure(function)}
            for name in _names(function.__code__):
                if name in known:
                    space[name] = self._seen(known[name])
        return self._made[function]

    def _seen(self, value: Any) -> Any:
        if value is run_program:
            return self._run_program
        if value is imaginary_unit:
            return _refuse("an expression beyond the range of doubles")
        if isinstance(value, Kernel):
            return lambda *given: self(value)(*given)
        if value is math:
            return MATH
        if isinstance(value, Intrinsic):
            return self._intrinsic(value)
        return value

    def _run_program(self, *given: Any) -> Any:
        """A function of time alone, with its derivatives: nothing in it is held."""
        self._tape.jets += 1
        try:
            return self(run_program)(*given)
        finally:
            self._tape.jets -= 1

    def _intrinsic(self, intrinsic: Intrinsic) -> Callable[..., Any]:
        found: dict[str, Callable[..., Any]] = {
            "record_at": _record_at, "array_at": _array_at, "fields_of": lambda record: record,
            "by_scalar": self._by_scalar(intrinsic), "call_kernel": self._call,
        }  # fmt: skip
        if intrinsic.name not in found:
            return _refuse(intrinsic.name)
        return found[intrinsic.name]

    def _by_scalar(self, intrinsic: Intrinsic) -> Callable[..., Any]:
        real = intrinsic.parameters[0] if intrinsic.parameters else None
        name = getattr(real, "__name__", "")
        return lambda x: getattr(MATH, name)(x)

    def _call(self, address: int, *given: Any) -> None:
        self(self._by_address[address])(*given)


def _refuse(name: str) -> Callable[..., Any]:
    def refused(*given: Any) -> Any:
        raise NotTracedError(f"{name} cannot be written down")

    return refused


def _names(code: types.CodeType) -> set[str]:
    """Names that a function and those within it look up."""
    names = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _closure(function: Any) -> dict[str, Any]:
    cells = function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, cells, strict=True)}
