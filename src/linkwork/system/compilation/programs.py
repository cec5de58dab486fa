"""Programs: expressions as opcodes in one table, and data of tables and roads beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from linkwork.elements.signals.pace import hides
from linkwork.expressions import OP, ExpressionError, Program, data_ops, parse, placed
from linkwork.expressions.kernels import opcodes
from linkwork.mechanism import Mechanism
from linkwork.system.layout import Expression, Switch, TimeCrossing

Parsed = dict[tuple[str, tuple[str, ...]], Program]  # expressions of the state, by text and names of their elements


class Programs:
    """The ops of all expressions, and when one of them may jump: at known times (s), where a function of time crosses a
    threshold, where the state decides.

    `watching`: whether what is put now acts on the motion, so that its jumps must be met; `pacing`: whether nothing of
    it may hide within a step.  What is only reported may do as it likes.
    """

    def __init__(self, mechanism: Mechanism, parsed: Parsed) -> None:
        """`parsed`: what is known of a mechanism with the same names."""
        self.mechanism, self.parsed = mechanism, parsed
        self.tables = mechanism.tables()
        self.break_times: set[float] = set()
        self.crossings: list[TimeCrossing] = []
        self.switches: list[Switch] = []
        self.expressions: dict[int, Expression] = {}  # by their first op
        self.paced: list[tuple[int, int, bool]] = []  # programs that may hide something: first op, count, of the state
        self.watching = self.pacing = True
        self._parts: list[np.ndarray] = []
        self._count = 0
        self._data: dict[str, int] = {}  # where the numbers of an element begin

    def of_time(self, text: str | float, who: str) -> tuple[int, int]:
        """An expression of t alone: its first op, and how many."""
        program = _of_time_alone(text) if isinstance(text, str) else None
        if program is None:
            program = parse(text, element=who, scope=self.mechanism.scope(None, self.tables))
        return self.put(program, (), who)

    def of_state(self, text: str | float, who: str, own: tuple[str, ...]) -> Program:
        """An expression of the state, not yet placed; `own`: names that only its element may use."""
        known = self.parsed.get((str(text), own))
        if known is None:
            known = parse(text, element=who, scope=self.mechanism.scope(own, self.tables))
            if not known.tables:  # whose numbers may be others
                self.parsed[str(text), own] = known
        return known

    def put(self, program: Program, signals: tuple[int, ...], who: str) -> tuple[int, int]:
        """Place a program among the ops; `signals`: where those lie that it refers to."""
        self.break_times |= set(program.break_times)
        switches = self._watch(program, who) if self.watching else []
        first = self._append(placed(program, self._count, signals, switches))
        self.expressions[first] = Expression(program.text, who)
        if self.pacing and hides(program):
            self.paced.append((first, len(program.ops), bool(program.references)))
        return first, len(program.ops)

    def _watch(self, program: Program, who: str) -> list[int]:
        """Enter where it may jump; the places of its switches."""
        for x, thresholds in program.crossings:
            first = self._append(placed(x, self._count))
            self.crossings.append(TimeCrossing(first, len(x.ops), self._thresholds(thresholds), program.text, who))
        places = range(len(self.switches), len(self.switches) + len(program.watched))
        for watched in program.watched:
            first = self._thresholds(watched.thresholds or ()) + 1
            count = opcodes.ALL_WHOLE if watched.thresholds is None else len(watched.thresholds)
            self.switches.append(Switch(first, count, program.text, who))
        return list(places)

    def _thresholds(self, values: tuple[float, ...]) -> int:
        """Place of their number among the ops; they stand behind it."""
        return self._append(data_ops((float(len(values)), *values)))

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


@lru_cache(maxsize=4096)
def _of_time_alone(text: str) -> Program | None:
    """The program of a text that names nothing of its model, the same in all models; None: it does, or is wrong."""
    try:
        return parse(text)
    except ExpressionError:
        return None
