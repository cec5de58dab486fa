"""Constraint rows: the primitive equations of which cut joints, joints in absolute coordinates and drivers are made.

Every row between a frame F on body A and a frame M on body B is described by one wrench `W`: the force and moment that
a unit multiplier exerts on B (and, reversed, on A).  With twists V about the bodies' reference points

    Phi_dot  = W_B . V_B - W_A . V_A                      (so Phi_v = W . axes of the motions on the path)
    Phi_ddot = W_B . V_B' - W_A . V_A' + (W_dot terms)    (so gamma = f'' - (all terms without v_dot))

whatever the coordinates.  A row may be driven: Phi = (measure) - f(t).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.elements.constraints.relative_motion import (
    angle_about_z,
    frame_axis,
    rest_of_angle,
    rest_of_cosine,
    rest_of_point,
)
from linkwork.expressions.kernels.program import run_program
from linkwork.numerics.vectors import (
    add,
    angular,
    cross,
    dot,
    linear,
    point_velocity,
    rotate,
    sub,
    vector,
)

POINT = 0  # x_F(i) . (p_M - p_F) = f: a coordinate of M's origin in F, m
PARALLEL = 1  # x_F(i) . x_M(j) = 0: two axes perpendicular
ANGLE = 2  # rotation of M against F about z_F = f, rad; on the turn nearest to f
OTHER = 3  # Phi = -f here; a family (elements/family.py) adds the rest of Phi, the wrench and the rest of gamma

# Modes of a row: what it holds at present.
POSITION = 0  # Phi = 0
VELOCITY = 1  # Phi_v v = f(t) alone: rolling, drivers given by velocity
IDLE = 2  # nothing: a lock that is open

CONSTRAINT = np.dtype(
    [
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("first_row", np.int32),
        ("row_count", np.int32),
        ("first_column", np.int32),  # the motions on the loop from A to B
        ("column_count", np.int32),
        ("R_AF", np.float64, (3, 3)),  # frame F in A's link frame
        ("p_AF", np.float64, (3,)),  # m
        ("R_BM", np.float64, (3, 3)),  # frame M in B's link frame
        ("p_BM", np.float64, (3,)),  # m
    ],
    align=True,
)
ROW = np.dtype(
    [
        ("kind", np.int32),  # POINT, PARALLEL, ANGLE, OTHER
        ("mode", np.int32),  # at the start of a run: POSITION, VELOCITY, IDLE
        ("acting", np.int32),  # of a driver: its mode while it acts
        ("holds", np.int32),  # 1: a driver that keeps the value that it finds where it begins to act
        ("constraint", np.int32),
        ("i", np.int32),  # axis of F
        ("j", np.int32),  # axis of M
        ("first_value", np.int32),  # start of its values in the packed Phi_v
        ("first_op", np.int32),  # program of f(t)
        ("op_count", np.int32),  # 0: not driven
        ("angle", np.int32),  # which counted angle, or -1
        ("state", np.int32),  # the auxiliary state that is its velocity (then f is its acceleration), or -1
        ("held", np.float64),  # at the start of a run: added to f, m or rad
        ("active", np.int64),  # at the start of a run: 1: it is one of the independent rows
    ],
    align=True,
)
# What of a row changes during a run, in work.row_state.
ROW_STATE = np.dtype(
    [
        ("mode", np.int64),  # POSITION, VELOCITY, IDLE
        ("held", np.float64),  # added to f, m or rad: where a driver found the coordinate that it holds
        ("active", np.int64),  # 1: it is one of the rows that are taken as independent (system/pattern.py)
    ],
    align=True,
)
COLUMN = np.dtype(
    [
        ("dof", np.int32),
        ("side", np.int32),  # +1: on the path to B, -1: to A, 0: neither, but a further term of the row moves with it
        ("axis", np.int32),  # its axis in S: the motion's own, or that of a mode at a node
    ],
    align=True,
)


@part
def constraint_positions(constraints, rows, state, ops, t, R, p, s, stack, Phi, nu, motion, angle):
    """Phi of every row; of driven rows also nu = f' and the given acceleration f''; `state`: of the rows."""
    for c in range(constraints.shape[0]):
        con = constraints[c]
        a, b = con.body_a, con.body_b
        p_F = add(vector(p, a), rotate(R, a, con.p_AF))
        p_M = add(vector(p, b), rotate(R, b, con.p_BM))
        for r in range(con.first_row, con.first_row + con.row_count):
            row = rows[r]
            f, f1, f2 = 0.0 * p_F[0], 0.0 * p_F[0], 0.0 * p_F[0]
            if row.op_count > 0:
                f, f1, f2 = run_program(ops, row.first_op, row.op_count, t, stack)
            x_F = frame_axis(R, a, con.R_AF, row.i)
            if row.kind == POINT:
                value = dot(x_F, sub(p_M, p_F))
            elif row.kind == PARALLEL:
                value = dot(x_F, frame_axis(R, b, con.R_BM, row.j))
            elif row.kind == OTHER:
                value = 0.0 * f
            else:
                value = angle_about_z(R, con, (f + state[r].held).real)
                angle[row.angle] = value.real
            fill_row(row, state[r], value, f, f1, f2, s, r, Phi, nu, motion)


@part
def fill_row(row, state, value, f, f1, f2, s, r, Phi, nu, motion):
    """What row r holds at present: `value` with f(t) and its derivatives, or a velocity, or nothing."""
    if state.mode == POSITION:
        Phi[r] = value - (f + state.held)
        nu[r] = f1
        motion[r] = f2
    elif state.mode == VELOCITY and row.state >= 0:
        Phi[r] = 0.0
        nu[r] = s[row.state]
        motion[r] = f
    else:
        given = 1.0 if state.mode == VELOCITY else 0.0
        Phi[r] = 0.0
        nu[r] = given * f
        motion[r] = given * f1


@part
def constraint_wrenches(constraints, rows, state, R, p, O, W):
    """W[r]: (force, moment about O_A) on A reversed, then (force, moment about O_B) on B, of a unit multiplier."""
    for c in range(constraints.shape[0]):
        con = constraints[c]
        a, b = con.body_a, con.body_b
        p_M = add(vector(p, b), rotate(R, b, con.p_BM))
        for r in range(con.first_row, con.first_row + con.row_count):
            row = rows[r]
            x_F = frame_axis(R, a, con.R_AF, row.i)
            if state[r].mode == IDLE or row.kind == OTHER:
                for k in range(12):
                    W[r, k] = 0.0
            elif row.kind == POINT:
                moment_a = cross(sub(p_M, vector(O, a)), x_F)
                moment_b = cross(sub(p_M, vector(O, b)), x_F)
                for k in range(3):
                    W[r, k] = x_F[k]
                    W[r, 3 + k] = moment_a[k]
                    W[r, 6 + k] = x_F[k]
                    W[r, 9 + k] = moment_b[k]
            else:
                if row.kind == PARALLEL:
                    moment = cross(frame_axis(R, b, con.R_BM, row.j), x_F)
                else:
                    moment = frame_axis(R, a, con.R_AF, 2)
                for k in range(3):
                    W[r, k] = 0.0
                    W[r, 3 + k] = moment[k]
                    W[r, 6 + k] = 0.0
                    W[r, 9 + k] = moment[k]


@part
def constraint_jacobian(constraints, rows, columns, S, W, J):
    """Phi_v of every row on the motions of its loop: +- W . S."""
    for c in range(constraints.shape[0]):
        con = constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value = rows[r].first_value
            for k in range(con.column_count):
                col = columns[con.first_column + k]
                j = col.axis
                o = 6 if col.side > 0 else 0
                s = (
                    W[r, o] * S[j, 0]
                    + W[r, o + 1] * S[j, 1]
                    + W[r, o + 2] * S[j, 2]
                    + W[r, o + 3] * S[j, 3]
                    + W[r, o + 4] * S[j, 4]
                    + W[r, o + 5] * S[j, 5]
                )
                J[value + k] = s * col.side


@part
def constraint_accelerations(constraints, rows, state, R, p, O, V, A, W, motion, gamma):
    """gamma = f'' - (W_B . A_B - W_A . A_A) - W_dot terms, A being the acceleration of the bodies at v_dot = 0."""
    for c in range(constraints.shape[0]):
        con = constraints[c]
        a, b = con.body_a, con.body_b
        p_M = add(vector(p, b), rotate(R, b, con.p_BM))
        v_M = point_velocity(V, O, b, p_M)
        relative = sub(v_M, point_velocity(V, O, a, p_M))
        w_A = angular(V, a)
        w_B = angular(V, b)
        w_AB = sub(w_B, w_A)
        for r in range(con.first_row, con.first_row + con.row_count):
            row = rows[r]
            x_F = frame_axis(R, a, con.R_AF, row.i)
            if state[r].mode == IDLE or row.kind == OTHER:
                rest = 0.0 * relative[0]
            elif row.kind == POINT:
                rest = rest_of_point(x_F, v_M, relative, w_A, w_AB)
            elif row.kind == PARALLEL:
                rest = rest_of_cosine(x_F, frame_axis(R, b, con.R_BM, row.j), w_A, w_B, w_AB)
            else:
                rest = rest_of_angle(frame_axis(R, a, con.R_AF, 2), w_A, w_AB)
            on_b = _power(W, r, 6, A, b)
            on_a = _power(W, r, 0, A, a)
            gamma[r] = motion[r] - (on_b - on_a) - rest


@part
def _power(W, r, o, A, i):
    """The wrench in row r of W from column o on, times the spatial vector A[i]."""
    force, moment = (W[r, o], W[r, o + 1], W[r, o + 2]), (W[r, o + 3], W[r, o + 4], W[r, o + 5])
    return dot(force, linear(A, i)) + dot(moment, angular(A, i))
