"""Programs: expressions as opcodes in one table, and data of tables and roads beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from linkwork.expressions import OP, Program, data_ops, parse, placed
from linkwork.mechanism import Mechanism


class Programs:
    """The ops of all expressions, and the times (s) at which one of them may jump."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tables = mechanism.tables()
        self.break_times: set[float] = set()
        self._parts: list[np.ndarray] = []
        self._count = 0
        self._data: dict[str, int] = {}  # where the numbers of an element begin

    def of_time(self, text: str | float, who: str) -> tuple[int, int]:
        """An expression of t alone: its first op, and how many."""
        return self.put(parse(text, element=who, scope=self.mechanism.scope(None, self.tables)), ())

    def of_state(self, text: str | float, who: str, own: tuple[str, ...]) -> Program:
        """An expression of the state, not yet placed; `own`: names that only its element may use."""
        return parse(text, element=who, scope=self.mechanism.scope(own, self.tables))

    def put(self, program: Program, signals: tuple[int, ...]) -> tuple[int, int]:
        """Place a program among the ops; `signals`: where those lie that it refers to."""
        self.break_times |= set(program.break_times)
        first = self._append(placed(program, self._count, signals))
        return first, len(program.ops)

    def data(self, owner: str, numbers: Callable[[int], Iterable[float]]) -> int:
        """Place of an element's numbers among the ops, put there once; `numbers(place)` gives them."""
        if owner not in self._data:
            self._data[owner] = self._append(data_ops(tuple(numbers(self._count))))
        return self._data[owner]

    def _append(self, ops: np.ndarray) -> int:
        first = self._count
        self._parts.append(np.array(ops, OP))
        self._count += len(ops)
        return first

    def table(self) -> np.ndarray:
        """All ops."""
        return np.concatenate([np.zeros(0, OP), *self._parts])
