"""The frozen pattern of Phi_v M^-1 Phi_v^T over independent rows: which rows, in which order, with which envelope."""

from __future__ import annotations

import numpy as np

from linkwork.system.tables import ACTIVE, System


def with_active_rows(system: System, independent: np.ndarray) -> System:
    """The System with its table of active rows: the given independent rows, sorted so that the envelope is narrow."""
    parent = system.dofs["parent"]
    of_row = np.repeat(np.arange(len(system.constraints)), system.constraints["row_count"])
    ranges = []
    for r in independent:
        con = system.constraints[of_row[r]]
        dofs = system.columns["dof"][con["first_column"] : con["first_column"] + con["column_count"]]
        low, high = int(dofs.min()), int(dofs.max()) + 1
        for dof in dofs:
            root = dof
            while parent[root] >= 0:
                root = parent[root]
            low = min(low, int(root))
        ranges.append((low, high, int(r)))
    ranges.sort()
    active = np.zeros(len(ranges), ACTIVE)
    first_y = first_s = 0
    for a, (low, high, r) in enumerate(ranges):
        first = next(b for b in range(a + 1) if b == a or ranges[b][1] > low)
        active[a] = (r, of_row[r], low, high, first_y, first, first_s)
        first_y += high - low
        first_s += a - first + 1
    return system.changed(active=active)
