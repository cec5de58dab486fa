"""Constraint rows as records: which bodies they join, which motions they depend on, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.elements.constraints.rows import COLUMN, CONSTRAINT, ROW
from linkwork.elements.constraints.terms import TERMS
from linkwork.elements.context import NewRow, Pair, PairNumber
from linkwork.system.compilation.family_tables import FamilyTables
from linkwork.system.compilation.states import States
from linkwork.system.compilation.tree import Tree
from linkwork.system.layout import RowName
from linkwork.system.paths import columns_of_loops, lengths_of_loops
from linkwork.system.units import generalized_force_unit, row_unit

PAIR = ("body_a", "body_b", "R_AF", "p_AF", "R_BM", "p_BM")  # fields of a constraint
GIVEN = ("kind", "mode", "acting", "holds", "i", "j", "first_op", "op_count", "angle", "state")  # fields of a row


class Rows:
    """Collects constraints between pairs of bodies of the tree."""

    def __init__(self, states: States, tables: FamilyTables) -> None:
        self.names: list[RowName] = []
        self.drivers: dict[str, int] = {}  # the row of each driver
        self._states, self._tables = states, tables
        self._given: list[tuple[int, ...]] = []  # of each row
        self._counts: list[int] = []  # of each constraint its rows
        self._pairs: list[Sequence[np.ndarray]] = []  # of some constraints at a time
        self._more: dict[int, Sequence[Pair]] = {}  # of some constraints pairs on whose motions they depend as well

    def __len__(self) -> int:
        return len(self.names)

    def add(self, element: str, pair: Pair, rows: Sequence[NewRow]) -> int:
        """Rows between two bodies; the place of the first."""
        first = len(self)
        self.add_many([element], [np.array([part]) for part in pair], [rows], [0])
        return first

    def add_many(
        self, elements: Sequence[str], pairs: Sequence[np.ndarray], kinds: Sequence[Sequence[NewRow]],
        kind: Sequence[int],
    ) -> None:  # fmt: skip
        """Constraints of many elements, between pairs of bodies that are given as arrays over them; each with the rows
        of one of some kinds.
        """
        named = [[(row.equation, _unit(row)) for row in rows] for rows in kinds]
        given = [[_given(row) for row in rows] for rows in kinds]
        self.names += [RowName(element, *name) for element, k in zip(elements, kind, strict=True) for name in named[k]]
        self._given += [row for k in kind for row in given[k]]
        self._counts += [len(given[k]) for k in kind]
        self._pairs.append(pairs)

    def add_sum(
        self, element: str, row: NewRow, terms: Sequence[tuple[PairNumber, float]], starts: Sequence[float] = ()
    ) -> int:
        """One row: sum of factor * number = f(t); `starts`: where angles start, rad.  Its place."""
        first = terms[0][0].pair
        self._more[len(self._counts)] = [number.pair for number, _ in terms[1:]]
        place = self.add(element, first, [row])
        for k, (number, factor) in enumerate(terms):
            angle = self._states.angle(starts[k], number) if number.turns else -1
            in_wrench = number.pair[:2] == first[:2]
            record = (place, k == 0, in_wrench, number.kind, number.i, number.j, angle, factor, *number.pair)
            self._tables.add(TERMS, element, record)
        return place

    def drive(self, driver: str, row: int) -> None:
        """This row is that of a driver."""
        self.drivers[driver] = row

    def place(self, element: str, equation: str) -> int:
        """The row of an equation of an element; -1: there is none."""
        found = (r for r, name in enumerate(self.names) if (name.element, name.equation) == (element, equation))
        return next(found, -1)

    def of(self, element: str) -> list[int]:
        """The rows of an element."""
        return [r for r, name in enumerate(self.names) if name.element == element]

    def constraint_of(self, row: int) -> int:
        """The constraint to which a row belongs."""
        return int(np.searchsorted(np.cumsum(self._counts), row, side="right"))

    # -- the end ------------------------------------------------------------------------------------------------
    def finish(self, tree: Tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The tables: constraints, rows, and the columns of the constraints in Phi_v."""
        counts = np.array(self._counts, np.int64)
        constraints, rows = np.zeros(len(counts), CONSTRAINT), np.zeros(len(self), ROW)
        for name, parts in zip(PAIR, zip(*self._pairs, strict=True), strict=False):
            constraints[name] = np.concatenate(parts)
        columns, column_counts = self._columns(tree, constraints)
        constraints["row_count"], constraints["first_row"] = counts, np.cumsum(counts) - counts
        constraints["column_count"] = column_counts
        constraints["first_column"] = np.cumsum(column_counts) - column_counts
        given = np.array(self._given, np.int64).reshape(-1, len(GIVEN))
        for name, values in zip(GIVEN, given.T, strict=True):
            rows[name] = values
        rows["constraint"] = np.repeat(np.arange(len(counts)), counts)
        of_row = column_counts[rows["constraint"]]
        rows["first_value"] = np.cumsum(of_row) - of_row
        return constraints, rows, columns

    def _columns(self, tree: Tree, constraints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The motions on the loops of all constraints, and how many each has."""
        further = [(pair[0], pair[1]) for pairs in self._more.values() for pair in pairs]
        bodies = np.column_stack([constraints["body_a"], constraints["body_b"]])
        ends = tree.last_axis[np.concatenate([bodies, np.array(further, np.int64).reshape(-1, 2)])]
        lengths = np.zeros_like(ends)
        lengths_of_loops(tree.axes, ends, lengths)
        counts = lengths.sum(axis=1)
        columns = np.zeros(int(counts.sum()), COLUMN)
        columns_of_loops(tree.axes, ends, lengths, np.cumsum(counts) - counts, columns)
        if not further:
            return columns, counts
        loops = np.split(columns, np.cumsum(counts)[:-1])
        own, others = loops[: len(constraints)], iter(loops[len(constraints) :])
        for constraint, pairs in self._more.items():
            own[constraint] = _together(own[constraint], [next(others) for _ in pairs])
        return np.concatenate(own), np.array([len(loop) for loop in own], np.int64)


def _given(row: NewRow) -> tuple[int, ...]:
    """The fields GIVEN."""
    return row.kind, row.mode, row.acting, row.holds, row.i, row.j, *row.program, row.angle, row.state


def _unit(row: NewRow) -> str:
    """Of its multiplier."""
    return generalized_force_unit(row_unit(row.kind)) if row.unit is None else row.unit


def _together(own: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """The motions of a loop and of others, each once: those towards A of the first and of others alone, then those
    towards B of the first.
    """
    columns = np.concatenate([own, *others])
    columns["side"][len(own) :] = 0
    _, first = np.unique(columns[["dof", "axis"]], return_index=True)
    columns = columns[np.sort(first)]
    return np.asarray(columns[np.lexsort((columns["dof"], columns["side"] > 0))])
