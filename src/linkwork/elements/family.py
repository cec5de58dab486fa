"""Families: kinds of elements that are compiled only when a model has them, and called by their address.

A family is one file: what a user declares, the table that it becomes, and kernels for the phases of an evaluation in
which it takes part.  All tables lie in one block of bytes, `system.block`; a kernel reads its own records there:

    kernel(system, t, angles, work, first, last):
        for at in range(first, last, TABLE.itemsize):  record = record_at(system.block, at, TABLE)

A kernel is a `stage`, of which only the address is taken; that of forces is a `kernel`, which Python calls as well.
`evaluate` goes through `work.stages` (phase, address, first, last) and knows nothing of the families themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.compiler.argument_types import REAL, SYSTEM, VECTOR, VOID, WHOLE, WORK, signature

# Phases of an evaluation.
NO_PHASE = -1
ROWS = 0  # position: fill Phi, nu, motion and the wrenches W of own constraint rows
COLUMNS = 1  # position: add to the entries of Phi_v that the wrenches of a row do not give
SIGNALS = 2  # velocity: numbers that the state determines, for forces and events
FORCES = 3  # velocity: add to the wrenches F on the bodies, and to energy (1: potential, 2: power without potential)
GAMMA = 4  # velocity: subtract from gamma what the wrenches of a row do not give
OUTPUT = 5  # at a sample, v_dot and lam known: numbers for the result
REACTIONS = 6  # for loads, lam given: add to F the wrenches of own rows that W does not hold
# Of flexible bodies (formulations/flexible.py).
POSES, INERTIA, TWISTS = range(7, 10)
LOADS = 10  # v_dot and lam known: friction that the loads make; its change is added to Q and energy (2)

STAGE = np.dtype(
    [
        ("phase", np.int64),
        ("address", np.int64),  # of the compiled kernel
        ("first", np.int64),  # bytes of its table in system.block
        ("last", np.int64),
    ],
    align=True,
)

# The same for every kernel of a family; `work` is complex as well (`with_work`).
FAMILY_KERNEL = signature(
    VOID,
    """Read the records of the family in bytes `first` to `last` of `system.block`, and do what the phase demands.""",
    system=SYSTEM, t=REAL, angles=VECTOR, work=WORK, first=WHOLE, last=WHOLE,
)  # fmt: skip


@dataclass(frozen=True)
class Family:
    """One kind of element: its table, its kernels by phase, and how its records are made.

    `records(places)` gives the records of the table; `places` (system/places.py) turns names into numbers.
    `owners(places)` gives for forces the name of the element of each record, for load cases.
    """

    name: str
    table: np.dtype
    kernels: Mapping[int, Any]
    records: Callable[[Any], list[tuple]]
    owners: Callable[[Any], list[str]] | None = None
