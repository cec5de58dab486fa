"""Constraint rows as records: which bodies they join, which motions they depend on, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from linkwork.elements.constraints.terms import TERMS
from linkwork.elements.context import NewRow, Pair, PairNumber
from linkwork.system.compilation.family_tables import FamilyTables
from linkwork.system.compilation.states import States
from linkwork.system.compilation.tree import Tree
from linkwork.system.layout import RowName
from linkwork.system.units import generalized_force_unit, row_unit


class Rows:
    """Collects constraints between pairs of bodies of a tree; `bodies`: their names, in their order."""

    def __init__(self, tree: Tree, bodies: Iterable[str], states: States, tables: FamilyTables) -> None:
        self.constraints: list[tuple[Any, ...]] = []
        self.rows: list[tuple[Any, ...]] = []
        self.columns: list[tuple[int, int, int]] = []
        self.names: list[RowName] = []
        self.drivers: dict[str, int] = {}  # the row of each driver
        self._tree, self._states, self._tables = tree, states, tables
        self._last_axis = [tree.last_axis[name] for name in bodies]
        self._values = 0  # entries of Phi_v so far

    def add(self, element: str, pair: Pair, rows: Sequence[NewRow]) -> int:
        """Rows between two bodies; the place of the first."""
        return self._add(element, pair, rows, [])

    def add_sum(
        self, element: str, row: NewRow, terms: Sequence[tuple[PairNumber, float]], starts: Sequence[float] = ()
    ) -> int:
        """One row: sum of factor * number = f(t); `starts`: where angles start, rad.  Its place."""
        first = terms[0][0].pair
        place = self._add(element, first, [row], [number.pair for number, _ in terms[1:]])
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
        return next(k for k, con in enumerate(self.constraints) if con[2] <= row < con[2] + con[3])

    def _add(self, element: str, pair: Pair, rows: Sequence[NewRow], more: Sequence[Pair]) -> int:
        """`more`: pairs of bodies on whose motions the rows depend as well."""
        first, columns = len(self.rows), self._columns(pair, more)
        head = (pair[0], pair[1], first, len(rows), len(self.columns), len(columns))
        self.constraints.append((*head, *pair[2:]))
        for row in rows:
            self.rows.append((
                row.kind, row.mode, row.acting, row.holds, len(self.constraints) - 1, row.i, row.j, self._values,
                *row.program, row.angle, row.state, 0.0, 0,
            ))  # fmt: skip
            self._values += len(columns)
            unit = generalized_force_unit(row_unit(row.kind)) if row.unit is None else row.unit
            self.names.append(RowName(element, row.equation, unit))
        self.columns += columns
        return first

    def _columns(self, pair: Pair, more: Sequence[Pair]) -> list[tuple[int, int, int]]:
        """(motion, side, axis) of all motions on the loops; side: -1 towards A, +1 towards B of the pair, else 0."""
        sides = self._sides(pair[0], pair[1])
        for other in more:
            sides |= {at: 0 for at in self._sides(other[0], other[1]) if at not in sides}
        columns = [(dof, side, axis) for (dof, axis), side in sides.items()]
        return sorted(columns, key=lambda column: (column[1] > 0, column[0]))

    def _sides(self, a: int, b: int) -> dict[tuple[int, int], int]:
        """(motion, axis) on the loop from body a to body b: -1 on the path to a, +1 on the path to b."""
        ends, sides = [self._last_axis[a], self._last_axis[b]], list[tuple[tuple[int, int], int]]()
        while ends[0] != ends[1]:  # from the deeper of the two towards the root, until both meet
            of_a, of_b = self._tree.axis(ends[0]), self._tree.axis(ends[1])
            side = 0 if of_a[0] >= of_b[0] else 1
            _, before, motion = (of_a, of_b)[side]
            sides.append(((motion, ends[side]), 2 * side - 1))
            ends[side] = before
        return dict(sorted(sides, key=lambda one: (one[1], one[0])))
