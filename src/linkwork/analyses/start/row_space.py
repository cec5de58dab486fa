"""The space that constraint rows span at a position, for mechanisms too large for dense matrices: which of the rows are
independent, the least motion that meets them, the motions that they allow, their weakest combination.

All of it by one factorization within the envelope of the rows (numerics/envelope_qr.py), whose cost and memory grow
with the number of loops, not with its square.  Where a mechanism is small (formulations/workspace.py: DENSE_LIMIT) the
same questions are answered by dense matrices, which compare each row with all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.errors import AssemblyError, Entry
from linkwork.formulations.equations import Equations
from linkwork.methods.natural_rows import (
    against_packed,
    back_packed,
    combine_packed,
    factor_natural,
    factor_scaled,
    solve_packed,
)
from linkwork.system.active_rows import ACTIVE, lay_out

INVERSE_ITERATIONS = 12  # for the weakest combination
LEAST = 1e-200  # a pivot that is zero, for inverse iteration


@dataclass(frozen=True)
class Weakest:
    """The smallest singular value of some rows, and its two vectors."""

    value: float
    combination: np.ndarray  # unit vector [row]
    motion: np.ndarray  # unit vector [motion]


def is_large(equations: Equations) -> bool:
    """Whether there are too many rows for dense matrices."""
    return len(equations.system.rows) > len(equations.work.dense)


class RowSpace:
    """Some rows (default: all) of a mechanism at the position evaluated last; vectors over rows have one entry for each
    row of the mechanism.

    It works in the arrays of the equations: a factorization holds until the next one.
    """

    def __init__(self, equations: Equations, rows: np.ndarray | None = None) -> None:
        self.equations = equations
        self.chosen = np.zeros(len(equations.system.rows), ROW_STATE)
        self.chosen["active"][slice(None) if rows is None else rows] = 1
        self.table, self.left = np.zeros(0, ACTIVE), np.zeros(0)  # of the last factorization

    def _laid_out(self, spans: np.ndarray) -> np.ndarray:
        table = np.zeros(int(self.chosen["active"].sum()), ACTIVE)
        lay_out(spans, self.chosen, table)
        return table

    @cached_property
    def _by_masses(self) -> np.ndarray:
        return self._laid_out(self.equations.system.spans)

    @cached_property
    def _by_geometry(self) -> np.ndarray:
        return self._laid_out(self.equations.compiled.own_spans)

    # -- factorizations -----------------------------------------------------------------------------------------
    def natural(self, cut: float) -> RowSpace:
        """Factor the rows in the metric of M, in natural units; those with no more than `cut` left are dropped."""
        self.table = self._by_masses
        rank = factor_natural(self.equations.system_ref, self.equations.work_ref, self.table, cut)
        if rank < 0:
            raise AssemblyError(
                "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
            )
        return self._keep()

    def scaled(self, units: np.ndarray, sizes: np.ndarray, cut: float) -> RowSpace:
        """The same with motions in `units`, and rows in `sizes`: loops within limbs share no motion with others."""
        self.table = self._by_geometry
        factor_scaled(self.equations.system_ref, self.equations.work_ref, self.table, units, sizes, cut)
        return self._keep()

    def _keep(self) -> RowSpace:
        self.left = self.equations.work.diagonal[: len(self.table)].copy()
        return self

    @property
    def rank(self) -> int:
        """How many rows are independent."""
        return int(np.count_nonzero(self.left))

    @property
    def order(self) -> np.ndarray:
        """Places in the table of the rows that were taken, the one of which most was left first."""
        return np.argsort(-self.left, kind="stable")[: self.rank]

    # -- products -----------------------------------------------------------------------------------------------
    def combined(self, parts: np.ndarray) -> np.ndarray:
        """The sum of the rows in these parts [..., row]: [..., motion]."""
        of_table = np.ascontiguousarray(np.atleast_2d(parts)[:, self.table["row"]])
        found = np.zeros((len(of_table), len(self.equations.system.dofs)))
        combine_packed(self.table, self.equations.work.Y, of_table, found)
        return found.reshape(*parts.shape[:-1], found.shape[1])

    def against(self, motions: np.ndarray) -> np.ndarray:
        """Each row times these motions [..., motion]: [..., row]."""
        these = np.ascontiguousarray(np.atleast_2d(motions))
        found = np.zeros((len(these), len(self.table)))
        against_packed(self.table, self.equations.work.Y, these, found)
        return self._over_rows(found, motions.shape[:-1])

    def solved(self, parts: np.ndarray) -> np.ndarray:
        """(A A^T)^-1 of these parts [..., row], of the rows that were taken; 0 for the others."""
        of_table = np.ascontiguousarray(np.atleast_2d(parts)[:, self.table["row"]])
        solve_packed(self.table, self.equations.work.C, self.left, of_table)
        return self._over_rows(of_table, parts.shape[:-1])

    def _over_rows(self, of_table: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        found = np.zeros((len(of_table), len(self.equations.system.rows)))
        found[:, self.table["row"]] = of_table
        return found.reshape(*shape, found.shape[1])

    # -- answers ------------------------------------------------------------------------------------------------
    def least_motion(self, values: np.ndarray) -> np.ndarray:
        """The shortest motion that gives the rows taken these values [row]; refined once."""
        found = self.combined(self.solved(values))
        return np.asarray(found + self.combined(self.solved(values - self.against(found))))

    def allowed(self, motions: np.ndarray) -> np.ndarray:
        """What the rows taken allow of these motions [..., motion]: their projection onto the null space."""
        for _ in range(2):  # the second takes out what rounding has left
            motions = motions - self.combined(self.solved(self.against(motions)))
        return motions

    def remainder(self, place: int) -> Weakest:
        """What is left of the row at a place in the table beside those before it: the combination of these rows that it
        is the length of, and its direction; nothing of a row that was dropped.
        """
        parts = np.zeros((1, len(self.table)))
        parts[0, place] = 1.0 if self.left[place] > 0.0 else 0.0
        back_packed(self.table, self.equations.work.C, parts)
        over_rows = self._over_rows(parts, ())
        length = float(np.linalg.norm(over_rows))
        motion = self.combined(over_rows)
        return Weakest(1.0 / length if length else 0.0, over_rows / (length or 1.0), motion)

    def weakest(self, seed: int = 0) -> Weakest:
        """The smallest singular value by inverse iteration; of several that are alike, some combination of them."""
        C, table = self.equations.work.C, self.table
        diagonal = table["first_s"] + np.arange(len(table)) - table["first_active"]
        C[diagonal] = np.where(np.abs(C[diagonal]) < LEAST, LEAST, C[diagonal])
        self.left = np.ones(len(table))
        parts = np.random.default_rng(seed).standard_normal((1, len(self.equations.system.rows)))
        for _ in range(INVERSE_ITERATIONS):
            parts = self.solved(parts / np.abs(parts).max())
        parts /= np.linalg.norm(parts / np.abs(parts).max()) * np.abs(parts).max()
        motion = self.combined(parts)[0]
        value = float(np.linalg.norm(motion))
        return Weakest(value, parts[0], motion / (value or 1.0))
