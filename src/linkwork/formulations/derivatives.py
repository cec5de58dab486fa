"""Derivatives of the equations of motion along given directions, exact to rounding, by complex steps.

A function f of the scalar-generic kernels gives f(x + i h d) = f(x) + i h f'(x) d for a tiny h, without cancellation
(Squire & Trapp 1998).  One pass over all directions is compiled: `evaluate` on a complex workspace, then the products
with the reference accelerations and multipliers, so that only vectors leave the loop:

    rest    d(nu - Phi_v v)                                     of every row
    force   d(Q - M v_dot - Phi_v^T lam)                        of every motion
    bias    d(gamma - Phi_v v_dot)                              of every row

with v, v_dot, lam held at their reference values.  Beside them the derivatives of the bodies' places and twists
(`motion`), of the rates of auxiliary states, and of the signals of which measures are made.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.formulations.equations import evaluate
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION

STEP = 1e-30  # the imaginary step; its square is far below rounding
MOTION = 21  # numbers a body: orientation 9, origin 3, twist 6, reference point 3


@kernel
def rest_columns(system, work, t, state, angles, y, dq, v, rest):
    """rest[k] = d(nu - Phi_v v) for the position directions dq[k]; `state` is a complex vector to use."""
    for k in range(dq.shape[0]):
        for i in range(y.shape[0]):
            state[i] = y[i]
        for i in range(dq.shape[1]):
            state[i] += 1j * (STEP * dq[k, i])
        evaluate(system, t, state, angles, work, LEVEL_POSITION)
        for r in range(rest.shape[1]):
            rest[k, r] = work.nu[r].imag / STEP
        less_rows(system, work.J, v, rest[k])


@kernel
def force_columns(system, work, t, state, angles, y, dq, dv, ds, v_dot, lam, force, bias, motion, rates, signals):
    """force[k], bias[k], ... for the directions (dq[k], dv[k], ds[k]) of coordinates, velocities, auxiliary states."""
    q_count = dq.shape[1]
    first_state = q_count + dv.shape[1]
    dofs = system.dofs
    for k in range(dq.shape[0]):
        for i in range(y.shape[0]):
            state[i] = y[i]
        for i in range(q_count):
            state[i] += 1j * (STEP * dq[k, i])
        for j in range(dv.shape[1]):
            state[q_count + j] += 1j * (STEP * dv[k, j])
        for j in range(ds.shape[1]):
            state[first_state + j] += 1j * (STEP * ds[k, j])
        evaluate(system, t, state, angles, work, LEVEL_ALL)
        for j in range(rates.shape[1]):
            rates[k, j] = work.rate[first_state + j].imag / STEP
        for j in range(signals.shape[1]):
            signals[k, j] = work.signals[j].imag / STEP
        for r in range(bias.shape[1]):
            bias[k, r] = work.gamma[r].imag / STEP
        less_rows(system, work.J, v_dot, bias[k])
        for j in range(force.shape[1]):
            force[k, j] = work.Q[j].imag / STEP
        less_inertia(dofs, work.M, v_dot, force[k])
        less_multipliers(system, work.J, lam, force[k])
        _body_motion(work, motion[k])


@part
def less_rows(system, J, x, out):
    """out -= d(Phi_v) x."""
    columns = system.columns
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value = system.rows[r].first_value
            s = 0.0
            for k in range(con.column_count):
                s += J[value + k].imag * x[columns[con.first_column + k].dof]
            out[r] -= s / STEP


@part
def less_multipliers(system, J, lam, out):
    """out -= d(Phi_v)^T lam."""
    columns = system.columns
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value = system.rows[r].first_value
            s = lam[r] / STEP
            for k in range(con.column_count):
                out[columns[con.first_column + k].dof] -= s * J[value + k].imag


@part
def less_inertia(dofs, M, x, out):
    """out -= dM x, M packed by ancestors."""
    for k in range(dofs.shape[0]):
        row = dofs[k].row
        out[k] -= M[row + dofs[k].depth].imag / STEP * x[k]
        i = dofs[k].parent
        while i >= 0:
            value = M[row + dofs[i].depth].imag / STEP
            out[k] -= value * x[i]
            out[i] -= value * x[k]
            i = dofs[i].parent


@part
def _body_motion(work, out):
    """Derivatives of R, p, V, O of every body."""
    for b in range(out.shape[0]):
        for r in range(3):
            for c in range(3):
                out[b, 3 * r + c] = work.R[b, r, c].imag / STEP
            out[b, 9 + r] = work.p[b, r].imag / STEP
            out[b, 18 + r] = work.O[b, r].imag / STEP
        for r in range(6):
            out[b, 12 + r] = work.V[b, r].imag / STEP
