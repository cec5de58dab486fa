"""Types of a kernel's arguments, as codes of our own: whoever binds kernels names these, and a backend translates them.

    EVALUATE = signature(VOID, system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR, work=WORK, level=WHOLE)
    STEP = signature(STATUS, evaluate=EVALUATE.stage, ...)      a stage of that signature, passed as a value

All arrays are contiguous (C order).
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Number:
    """One number, by NumPy's letter for it."""

    letter: str

    def __str__(self) -> str:
        return self.letter


@dataclass(frozen=True)
class Numbers:
    """Several numbers of a kind, returned together."""

    letter: str
    count: int

    def __str__(self) -> str:
        return self.letter * self.count


@dataclass(frozen=True)
class Array:
    """Numbers or records along so many axes."""

    dtype: np.dtype
    axes: int = 1

    def __str__(self) -> str:
        held = self.dtype.char if self.dtype.names is None else record_code(self.dtype)
        return f"{held}[{', '.join(':' * self.axes)}]"


@functools.cache
def record_code(dtype: np.dtype) -> str:
    """A short name for records of this layout."""
    return f"record {hashlib.sha256(repr(described(dtype)).encode()).hexdigest()[:8]}"


def described(dtype: np.dtype) -> Any:
    """A dtype in words that do not depend on NumPy's version; `as_dtype` reads them."""
    if dtype.names is not None:
        fields = [dtype.fields[name][:2] for name in dtype.names]  # type: ignore[index]
        return {
            "names": list(dtype.names), "formats": [described(kind) for kind, _ in fields],
            "offsets": [offset for _, offset in fields], "itemsize": dtype.itemsize, "align": dtype.isalignedstruct,
        }  # fmt: skip
    if dtype.subdtype is not None:
        return [described(dtype.base), list(dtype.shape)]
    return dtype.str


def as_dtype(words: Any) -> np.dtype:
    """The dtype that `described` has put into words."""
    if isinstance(words, str):
        return np.dtype(words)
    if isinstance(words, list):
        return np.dtype((as_dtype(words[0]), tuple(words[1])))
    fields: Any = {key: words[key] for key in ("names", "offsets", "itemsize")}
    made: np.dtype[Any] = np.dtype(
        fields | {"formats": [as_dtype(kind) for kind in words["formats"]]}, align=words["align"]
    )
    return made


@dataclass(frozen=True)
class Structure:
    """A NamedTuple of arrays, passed by reference (references.py), by the name of its class.

    It has one layout for real and one for complex arithmetic, whatever the model.
    """

    name: str
    complex: bool = False

    def __str__(self) -> str:
        return f"complex {self.name}" if self.complex else self.name


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and returns; `names` and `contract` are for the reader."""

    returns: ArgumentType
    arguments: tuple[ArgumentType, ...]
    names: tuple[str, ...] = field(compare=False)
    contract: str = field(compare=False, default="")

    @property
    def stage(self) -> Stage:
        """The type of an argument that is a kernel of this signature."""
        return Stage(self)

    def with_work(self, work: Structure) -> Signature:
        """The same for another Work: real or complex."""
        arguments = (work if isinstance(a, Structure) and a.name == work.name else a for a in self.arguments)
        return Signature(self.returns, tuple(arguments), self.names, self.contract)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.arguments))}) -> {self.returns}"


@dataclass(frozen=True)
class Stage:
    """A kernel of one signature, passed as a value."""

    signature: Signature

    def __str__(self) -> str:
        return f"stage{self.signature}"


ArgumentType = Number | Numbers | Array | Structure | Stage


def signature(returns: ArgumentType, contract: str = "", /, **arguments: ArgumentType) -> Signature:
    """Arguments by name, in their order; `contract`: what the kernel reads, fills and returns."""
    return Signature(returns, tuple(arguments.values()), tuple(arguments), contract)


def records(dtype: np.dtype) -> Array:
    """A vector of records."""
    return Array(dtype)


VOID, REAL, COMPLEX, WHOLE, TRUTH = map(Number, ("v", "d", "D", "q", "?"))
STATUS = WHOLE  # how a kernel ended (numerics/status.py)
VECTOR, MATRIX, CUBE, CUBES = (Array(np.dtype(np.float64), axes) for axes in (1, 2, 3, 4))
COMPLEX_VECTOR, COMPLEX_MATRIX = (Array(np.dtype(np.complex128), axes) for axes in (1, 2))
WHOLES, WHOLE_MATRIX = (Array(np.dtype(np.int64), axes) for axes in (1, 2))
TRUTHS = Array(np.dtype(np.bool_))
SYSTEM, WORK, COMPLEX_WORK = Structure("System"), Structure("Work"), Structure("Work", complex=True)
