"""Whether to eliminate rows where they close (fronts.py), or by matrices: whichever takes less time, by operations."""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.system.active_rows import ACTIVE, lay_out
from linkwork.system.fronts import Fronts, laid_out
from linkwork.system.pattern import is_tall
from linkwork.system.tables import System

# ns, about, fitted to the models of the library: by which the quicker way is found.
PER_ROW, PER_PATH, PER_PRODUCT = 35.0, 2.8, 0.15
PER_MOTION, PER_ENTRY, PER_PAIR = 45.0, 2.0, 2.0
IN_SPACE = 60.0  # a motion, by which an evaluation in space takes longer than one in the plane
WORTHWHILE = 0.85  # of the time of the matrices


def recursion_pays(system: System, in_plane: bool = False) -> bool:
    """Whether the recursion over these tables takes less time than the matrices do (methods/normal_step.py).

    `in_plane`: than these by the kernels for the plane, where an evaluation takes less, too.

    Not served are open trees, flexible bodies and rows that are redundant but for an error.
    """
    whole = system.whole[0]
    if whole["open_tree"] or whole["flexible"] or whole["misfit"] > 0.0 or is_tall(system.dofs):
        return False
    row_state = np.zeros(len(system.rows), ROW_STATE)
    row_state["active"] = system.rows["active"]
    most = WORTHWHILE * matrix_effort(system, row_state)
    if in_plane:
        most -= IN_SPACE * len(system.dofs)
    if most <= 0.0:
        return False
    tables, _ = laid_out(system, row_state, most_entries=int(most / PER_ENTRY))
    return len(tables.fronts) > 0 and recursion_effort(tables, row_state) < most


def matrix_effort(system: System, row_state: np.ndarray) -> float:
    """Time (ns) for rows in the metric of M: L^-T Phi_v^T by way of all motions to the root, and its products."""
    depth, columns = system.dofs["depth"].astype(float), system.columns["dof"]
    active = np.zeros(len(system.rows), ACTIVE)
    active = active[: lay_out(system.spans, row_state, active)]
    constraints = system.constraints
    moved = np.flatnonzero(constraints["column_count"])
    first = constraints["first_column"][moved]
    before = np.minimum.reduceat(depth[columns], first)  # motions on the way from the loop to the root
    along = np.zeros(len(constraints))
    along[moved] = np.add.reduceat(depth[columns] + 2.0, first) + 0.5 * before * (before + 3.0)
    span, width = active["high"] - active["low"], np.arange(len(active)) - active["first_active"]
    products = (span * (width + 3.0) + 0.5 * width**2).sum()
    return float(PER_ROW * len(active) + PER_PATH * along[active["constraint"]].sum() + PER_PRODUCT * products)


def recursion_effort(tables: Fronts, row_state: np.ndarray) -> float:
    """The same for the recursion: motions, rows that are open at them, and couplings."""
    count, closing = (tables.fronts[name].astype(float) for name in ("count", "closing"))
    still = count - closing
    rows = np.arange(int(row_state["active"].sum()))
    behind = tables.closed_rows["beyond"][rows] - rows - 1.0
    partners, squares = behind.sum() + closing @ still, 0.5 * (behind @ behind)
    pairs = 0.5 * (still @ (still + 1.0)) + partners
    own = PER_MOTION * (len(tables.fronts) - 1) + PER_ENTRY * len(tables.open_rows)
    return float(own + PER_PAIR * pairs + PER_PRODUCT * squares)
