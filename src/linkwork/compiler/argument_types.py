"""Types of a kernel's arguments, as codes of our own: whoever binds kernels names these, and a backend translates them.

    EVALUATE = signature(VOID, system=SYSTEM, t=REAL, y=VECTOR, angles=VECTOR, work=WORK, level=WHOLE)
    STEP = signature(STATUS, evaluate=EVALUATE.stage, ...)      a stage of that signature, passed as a value

All arrays are contiguous (C order).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Number:
    """One number, by NumPy's letter for it."""

    letter: str

    def __str__(self) -> str:
        return self.letter


@dataclass(frozen=True)
class Array:
    """Numbers or records along so many axes."""

    dtype: np.dtype
    axes: int = 1

    def __str__(self) -> str:
        return f"{self.dtype.char if self.dtype.names is None else self.dtype}[{', '.join(':' * self.axes)}]"


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


ArgumentType = Number | Array | Structure | Stage


def signature(returns: ArgumentType, contract: str = "", /, **arguments: ArgumentType) -> Signature:
    """Arguments by name, in their order; `contract`: what the kernel reads, fills and returns."""
    return Signature(returns, tuple(arguments.values()), tuple(arguments), contract)


def records(dtype: np.dtype) -> Array:
    """A vector of records."""
    return Array(dtype)


VOID, REAL, COMPLEX, WHOLE, TRUTH = map(Number, ("v", "d", "D", "q", "?"))
STATUS = WHOLE  # how a kernel ended (numerics/status.py)
VECTOR, MATRIX = (Array(np.dtype(np.float64), axes) for axes in (1, 2))
COMPLEX_VECTOR, COMPLEX_MATRIX = (Array(np.dtype(np.complex128), axes) for axes in (1, 2))
WHOLES = Array(np.dtype(np.int64))
SYSTEM, WORK, COMPLEX_WORK = Structure("System"), Structure("Work"), Structure("Work", complex=True)
