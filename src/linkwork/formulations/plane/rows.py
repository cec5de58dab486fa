"""Constraint rows of a mechanism in a plane (elements/constraints/rows.py says the same in space).

The wrench of a unit multiplier is (f_x, f_y, n_A, n_B): the force, and its moments about the reference points of both
bodies.  Rows that hold nothing within the plane are left out: they are met, whatever moves.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.constraints.rows import IDLE, PARALLEL, POINT, fill_row
from linkwork.expressions.kernels.program import run_program
from linkwork.formulations.plane.records import (
    A_X,
    A_Y,
    ACROSS,
    COS,
    H_X,
    H_Y,
    O_X,
    O_Y,
    SIN,
    SPIN,
    V_X,
    V_Y,
    X,
    Y,
)
from linkwork.numerics.rotations import angle_near


@part
def positions_in_plane(system, t, work):
    """Phi of every row; of driven rows also nu = f' and the given acceleration f''."""
    constraints, rows, state = system.constraints, system.rows, work.in_plane
    for c in range(constraints.shape[0]):
        con, own = constraints[c], work.plane_constraints[c]
        a, b = con.body_a, con.body_b
        to_x, to_y = _arm(state, b, own.p_M)
        from_x, from_y = _arm(state, a, own.p_F)
        d_x, d_y = state[b, X] + to_x - state[a, X] - from_x, state[b, Y] + to_y - state[a, Y] - from_y
        for r in range(con.first_row, con.first_row + con.row_count):
            row, flat = rows[r], work.plane_rows[r]
            if flat.kind == ACROSS:
                continue
            f, f1, f2 = 0.0 * d_x, 0.0 * d_x, 0.0 * d_x
            if row.op_count > 0:
                f, f1, f2 = run_program(system.ops, row.first_op, row.op_count, t, work.stack)
            e_x, e_y = _arm(state, a, flat.x_F)
            if flat.kind == POINT:
                value = e_x * d_x + e_y * d_y
            else:
                m_x, m_y = _arm(state, b, flat.x_M)
                value = e_x * m_x + e_y * m_y
                if flat.kind != PARALLEL:
                    sine, target = flat.sense * (e_x * m_y - e_y * m_x), f + work.row_state[r].held
                    value = angle_near(sine, value, target.real)
                    work.angle[row.angle] = value.real
            fill_row(row, work.row_state[r], value, f, f1, f2, work.s, r, work.Phi, work.nu, work.motion)


@part
def jacobian_in_plane(system, work):
    """The wrench of every row, and Phi_v."""
    constraints, columns, state, S = system.constraints, system.columns, work.in_plane, work.S
    W, J = work.plane_wrenches, work.J
    for c in range(constraints.shape[0]):
        con = constraints[c]
        a, b = con.body_a, con.body_b
        to_x, to_y = _arm(state, b, work.plane_constraints[c].p_M)
        x, y = state[b, X] + to_x, state[b, Y] + to_y
        for r in range(con.first_row, con.first_row + con.row_count):
            flat = work.plane_rows[r]
            if flat.kind == ACROSS:
                continue
            f_x, f_y = _arm(state, a, flat.x_F)
            if work.row_state[r].mode == IDLE:
                f_x, f_y, n_a, n_b = 0.0 * x, 0.0 * x, 0.0 * x, 0.0 * x
            elif flat.kind == POINT:
                n_a = (x - state[a, O_X]) * f_y - (y - state[a, O_Y]) * f_x
                n_b = (x - state[b, O_X]) * f_y - (y - state[b, O_Y]) * f_x
            else:
                n_a = flat.sense + 0.0 * x
                if flat.kind == PARALLEL:
                    m_x, m_y = _arm(state, b, flat.x_M)
                    n_a = m_x * f_y - m_y * f_x
                f_x, f_y, n_b = 0.0 * x, 0.0 * x, n_a
            W[r, 0], W[r, 1], W[r, 2], W[r, 3] = f_x, f_y, n_a, n_b
            value = system.rows[r].first_value
            for k in range(con.column_count):
                col = columns[con.first_column + k]
                n = n_b if col.side > 0 else n_a
                J[value + k] = (f_x * S[col.dof, 0] + f_y * S[col.dof, 1] + n * S[col.dof, 2]) * col.side


@part
def accelerations_in_plane(system, work):
    """gamma = f'' less all that needs no v_dot."""
    constraints, state, W = system.constraints, work.in_plane, work.plane_wrenches
    for c in range(constraints.shape[0]):
        con = constraints[c]
        a, b = con.body_a, con.body_b
        to_x, to_y = _arm(state, b, work.plane_constraints[c].p_M)
        x, y = state[b, X] + to_x, state[b, Y] + to_y
        w_a, w_ab = state[a, SPIN], state[b, SPIN] - state[a, SPIN]
        v_x = state[b, V_X] - state[b, SPIN] * (y - state[b, O_Y])
        v_y = state[b, V_Y] + state[b, SPIN] * (x - state[b, O_X])
        r_x = v_x - state[a, V_X] + w_a * (y - state[a, O_Y])
        r_y = v_y - state[a, V_Y] - w_a * (x - state[a, O_X])
        a_x, a_y = state[b, A_X] - state[a, A_X], state[b, A_Y] - state[a, A_Y]
        for r in range(con.first_row, con.first_row + con.row_count):
            flat = work.plane_rows[r]
            if flat.kind == ACROSS:
                continue
            rest = 0.0 * x
            if work.row_state[r].mode != IDLE and flat.kind == POINT:
                f_x, f_y = W[r, 0], W[r, 1]
                rest = f_x * a_x + f_y * a_y + w_a * (f_x * r_y - f_y * r_x) + w_ab * (v_x * f_y - v_y * f_x)
            elif work.row_state[r].mode != IDLE and flat.kind == PARALLEL:
                e_x, e_y = _arm(state, a, flat.x_F)
                m_x, m_y = _arm(state, b, flat.x_M)
                rest = -(e_x * m_x + e_y * m_y) * w_ab * w_ab
            work.gamma[r] = work.motion[r] - rest


@part
def natural_in_plane(system, work, r):
    """Square of the natural size of row r, were its two bodies free, in space: the same as anywhere
    (methods/natural_rows.py), so that conditions compare.
    """
    c = system.rows[r].constraint
    con, own = system.constraints[c], work.plane_constraints[c]
    return _mobility(work, con.body_a, r, 2, own.rise_a) + _mobility(work, con.body_b, r, 3, own.rise_b)


@part
def _mobility(work, i, r, place, rise):
    """f.f / m + n_C . J_C^-1 n_C of body i, in its own axes; the force is as far above the centre of mass."""
    b, W, state = work.plane_bodies[i], work.plane_wrenches, work.in_plane
    c, s, J = state[i, COS], state[i, SIN], b.per_inertia
    f_x, f_y = W[r, 0], W[r, 1]
    n = W[r, place] - (state[i, H_X] * f_y - state[i, H_Y] * f_x) * b.per_mass
    n_x, n_y = rise * (s * f_x - c * f_y), rise * (c * f_x + s * f_y)
    about_c = J[0, 0] * n_x * n_x + J[1, 1] * n_y * n_y + J[2, 2] * n * n
    return (
        b.per_mass * (f_x * f_x + f_y * f_y)
        + about_c
        + 2.0 * (J[0, 1] * n_x * n_y + (J[0, 2] * n_x + J[1, 2] * n_y) * n)
    )


@part
def _arm(state, i, fixed):
    """What is fixed on body i, as it lies now."""
    c, s = state[i, COS], state[i, SIN]
    return c * fixed[0] - s * fixed[1], s * fixed[0] + c * fixed[1]
