"""The frozen pattern of Phi_v M^-1 Phi_v^T: in which order rows are taken, which motions each can touch, and
which of them are independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.errors import ModelError
from linkwork.system.active_rows import ACTIVE, lay_out
from linkwork.system.paths import ends_of_paths
from linkwork.system.tables import SPAN, System

MOST_MASSES = 2**27  # entries of the packed mass matrix, a gigabyte


def spans(dofs: np.ndarray, constraints: np.ndarray, columns: np.ndarray, *, of_masses: bool = True) -> np.ndarray:
    """A SPAN for every row, in an order that makes the envelope narrow; its motions reach to the root, with which M
    couples them, unless it is that of the rows alone (not `of_masses`).
    """
    counts = constraints["row_count"]
    found = np.zeros(int(counts.sum()), SPAN)
    found["row"], found["constraint"] = np.arange(len(found)), np.repeat(np.arange(len(constraints)), counts)
    low, high = np.zeros((2, len(constraints)), np.int64)
    moved = np.flatnonzero(constraints["column_count"])  # the others are between bodies that cannot move
    if len(moved):
        motions, first = columns["dof"], constraints["first_column"][moved]
        reached = np.minimum(motions, ends_of_paths(dofs["parent"])[motions]) if of_masses else motions
        low[moved] = np.minimum.reduceat(reached, first)
        high[moved] = np.maximum.reduceat(motions, first) + 1
    found["low"], found["high"] = low[found["constraint"]], high[found["constraint"]]
    return np.asarray(found[np.lexsort((found["row"], found["high"], found["low"]))])


def packed_masses(dofs: np.ndarray) -> int:
    """Entries of the packed mass matrix: each motion has one with every motion before it on its path."""
    return int((dofs["depth"].astype(np.int64) + 1).sum())


def is_tall(dofs: np.ndarray) -> bool:
    """Whether the mass matrix of a tree would take more memory than there is; such a tree has none."""
    return len(dofs) ** 2 > MOST_MASSES and packed_masses(dofs) > MOST_MASSES


def refuse_tall(dofs: np.ndarray) -> None:
    """An error where the mass matrix of such a tree is needed."""
    if is_tall(dofs):
        raise ModelError(
            f"the tree is {int(dofs['depth'].max()) + 1} motions deep, its mass matrix has {packed_masses(dofs):.2g} "
            "entries: only an open tree that deep can be simulated, by the articulated-body recursion and an explicit "
            "integrator; cut it into shorter chains that hang on ground"
        )


def with_active_rows(system: System, independent: Sequence[int] | np.ndarray) -> System:
    """The System whose runs begin with these rows active."""
    rows = system.rows.copy()
    rows["active"] = 0
    rows["active"][independent] = 1
    return system.changed(rows=rows)


def active_at_start(system: System) -> np.ndarray:
    """The rows that are active at the start of a run, ascending."""
    return np.flatnonzero(system.rows["active"])


def most_entries(spans: np.ndarray) -> tuple[int, int]:
    """What the two packed matrices hold if all rows are active: fewer rows have no wider envelope."""
    everyone, active = np.ones(len(spans), ROW_STATE), np.zeros(len(spans), ACTIVE)
    lay_out(spans, everyone, active)
    return int((spans["high"] - spans["low"]).sum()), int((np.arange(len(spans)) - active["first_active"] + 1).sum())
