"""The balance of a trial state: by how much given accelerations and multipliers miss the equations of motion.

    r = (M v_dot + Phi_v^T lam - Q,  Phi),    Phi_v v - nu in place of Phi for a row that holds velocities alone

Constraint rows are the active ones, which are independent (system/pattern.py).  z = (v_dot, lam), in which r is linear,
has one entry for each motion, then one for each of these rows.
"""

from __future__ import annotations

from linkwork.elements.constraints import POSITION
from linkwork.numerics.jit import part


@part
def imbalance(system, work, z, r):
    """r at the state evaluated last, M and Q included (LEVEL_EQUATIONS)."""
    dofs, M = system.dofs, work.M
    motions = dofs.shape[0]
    for j in range(motions):
        r[j] = -work.Q[j]
    for k in range(motions):  # M is packed by ancestors
        i = k
        while i >= 0:
            entry = M[dofs[k].row + dofs[i].depth]
            r[k] += entry * z[i]
            if i != k:
                r[i] += entry * z[k]
            i = dofs[i].parent
    for a in range(system.active.shape[0]):
        row = system.rows[system.active[a].row]
        con = system.constraints[row.constraint]
        miss = -work.nu[system.active[a].row]
        for k in range(con.column_count):
            j = system.columns[con.first_column + k].dof
            entry = work.J[row.first_value + k]
            r[j] += entry * z[motions + a]
            miss += entry * work.v[j]
        r[motions + a] = work.Phi[system.active[a].row] if row.mode == POSITION else miss
