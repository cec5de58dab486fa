"""The balance of a trial state: by how much given accelerations and multipliers miss the equations of motion.

    r = (M v_dot + Phi_v^T lam - Q,  Phi),    Phi_v v - nu in place of Phi for a row that holds velocities alone

Constraint rows are the active ones, which are independent (system/pattern.py); lam has one entry for each of them.
"""

from __future__ import annotations

from linkwork.elements.constraints import POSITION
from linkwork.formulations.mass import generalized_forces, mass_matrix
from linkwork.numerics.jit import part


@part
def imbalance(system, work, v_dot, lam, r):
    """r at the state evaluated last, up to its velocities."""
    if system.whole[0].open_tree:  # `evaluate` leaves M and Q out
        mass_matrix(system.bodies, system.dofs, system.axes, work.inertia, work.composite, work.S, work.M)
        generalized_forces(system.bodies, work.S, work.F, work.tau, work.Q)
    count = work.v_dot.shape[0]
    for j in range(count):
        r[j] = -work.Q[j]
    add_inertia(system.dofs, work.M, v_dot, r)
    for a in range(system.active.shape[0]):
        act = system.active[a]
        con = system.constraints[act.constraint]
        value = system.rows[act.row].first_value
        miss = -work.nu[act.row]
        for k in range(con.column_count):
            j = system.columns[con.first_column + k].dof
            entry = work.J[value + k]
            r[j] += entry * lam[a]
            miss += entry * work.v[j]
        r[count + a] = work.Phi[act.row] if system.rows[act.row].mode == POSITION else miss


@part
def add_inertia(dofs, M, v_dot, r):
    """r += M v_dot, with M packed by ancestors."""
    for k in range(dofs.shape[0]):
        row = dofs[k].row
        r[k] += M[row + dofs[k].depth] * v_dot[k]
        i = dofs[k].parent
        while i >= 0:
            entry = M[row + dofs[i].depth]
            r[k] += entry * v_dot[i]
            r[i] += entry * v_dot[k]
            i = dofs[i].parent
