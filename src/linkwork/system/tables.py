"""System: one structured array per kind of thing, empty when absent, so that its type never changes.

A kernel receives only the tables that it reads; a new model compiles nothing.  The tables of a System never change:
what changes during a run is state, in the workspace.  Python sees them read-only; `changed` makes another System.

Stages receive the whole System by reference (compiler/references.py): one pointer instead of some eighty scalars.
Fields are read the same way, so that the kernels do not know the difference, and a GPU kernel passes the NamedTuple
itself (studies/gpu.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WHOLE = np.dtype(
    [
        ("gravity", np.float64, (3,)),  # m/s2
        ("length", np.float64),  # m, the mechanism's size: the scale of a position error
        ("cut_factor", np.float64),  # of the cut below which rows are dependent: masses or misfits move it; else 1
        ("misfit", np.float64),  # m or rad: what redundant equations may be off (analyses/start/loop_misfit.py)
        ("q_count", np.int64),
        ("v_count", np.int64),
        ("s_count", np.int64),  # auxiliary states: the work of forces that have no potential, then those of controllers
        ("signal_count", np.int64),
        ("stage_count", np.int64),  # kernels of families to call
        ("watch_count", np.int64),  # events, kinks and switches that a run watches
        ("switch_count", np.int64),
        ("paced_count", np.int64),  # expressions whose pace bounds the step
        ("flexible", np.int64),  # 1: there are flexible bodies
        ("scratch_count", np.int64),  # numbers that they keep from one phase to the next
        ("open_tree", np.int64),  # 1: no constraint rows; the articulated-body recursion serves, M is not needed
    ],
    align=True,
)

# Every constraint row, in an order that makes the envelope of Phi_v M^-1 Phi_v^T narrow (pattern.py).
SPAN = np.dtype(
    [
        ("row", np.int32),
        ("constraint", np.int32),
        ("low", np.int32),  # first and last+1 motion that its row of L^-T Phi_v^T can touch
        ("high", np.int32),
    ],
    align=True,
)


# What happens at an instant (elements/declaration/changes.py): in the order of time, then one for each event.
CHANGE = np.dtype(
    [
        ("t", np.float64),  # s, when; NaN: when its event occurs
        ("action", np.int64),  # Action
        ("once", np.int64),  # 1: an event that acts the first time alone
        ("row", np.int64),  # of the driver, or -1
        ("body", np.int64),  # that the blow hits, of a flexible one the node
        ("at", np.float64, (3,)),  # m, where, link frame
        ("impulse", np.float64, (3,)),  # N s, world axes
        ("moment", np.float64, (3,)),  # N m s, world axes
    ],
    align=True,
)


class System(NamedTuple):
    """The compiled mechanism in one formulation: constant tables of numbers (`constant_system` makes one)."""

    whole: np.ndarray
    bodies: np.ndarray
    dofs: np.ndarray
    axes: np.ndarray
    constraints: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    spans: np.ndarray
    ops: np.ndarray
    block: np.ndarray  # bytes: the tables of the families (elements/family.py)
    numbers: np.ndarray  # data of flexible bodies
    changes: np.ndarray
    known: np.ndarray  # for each counted angle the coordinate of the tree that it is, or -1

    def changed(self, **tables: np.ndarray) -> System:
        """A System with other tables in place of these."""
        return self._replace(**{name: _read_only(table) for name, table in tables.items()})


def constant_system(**tables: np.ndarray) -> System:
    """A System of these tables."""
    return System(**{name: _read_only(table) for name, table in tables.items()})


def _read_only(table: np.ndarray) -> np.ndarray:
    """A view that cannot be written, of a table that owns its memory."""
    if not table.flags.writeable:
        return table
    view = (table if table.base is None else table.copy()).view()
    view.flags.writeable = False
    return view
