"""The balance of a trial state: by how much given accelerations and multipliers miss the equations of motion.

    r = (M v_dot + Phi_v^T lam - Q,  Phi),    Phi_v v - nu in place of Phi for a row that holds velocities alone

Constraint rows are the active ones, which are independent (system/pattern.py).  z = (v_dot, lam), in which r is linear,
has one entry for each motion, then one for each of these rows.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.constraints.rows import POSITION
from linkwork.formulations.workspace import active_rows


@part
def imbalance(system, work, z, r):
    """r at the state evaluated last, M and Q included (LEVEL_EQUATIONS)."""
    dofs, M, J, rows = system.dofs, work.M, work.J, system.rows
    motions = dofs.shape[0]
    for k in range(motions):  # M is packed by ancestors, and these come first
        first = dofs[k].row
        r[k] = M[first + dofs[k].depth] * z[k] - work.Q[k]
        i = dofs[k].parent
        while i >= 0:
            entry = M[first + dofs[i].depth]
            r[k] += entry * z[i]
            r[i] += entry * z[k]
            i = dofs[i].parent
    active = active_rows(work)
    for a in range(active.shape[0]):
        row = active[a].row
        con = system.constraints[rows[row].constraint]
        miss = -work.nu[row]
        for k in range(con.column_count):
            j = system.columns[con.first_column + k].dof
            entry = J[rows[row].first_value + k]
            r[j] += entry * z[motions + a]
            miss += entry * work.v[j]
        r[motions + a] = work.Phi[row] if work.row_state[row].mode == POSITION else miss
