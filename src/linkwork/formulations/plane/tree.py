"""Poses, mass matrix, twists and generalized forces of a tree of bodies in a plane (formulations/poses.py, mass.py and
kinematics.py say the same in space).

Twists are about the reference point O of the tree, (v_x, v_y, w); the axes S of the motions stand in the first three
columns of `work.S`.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.formulations.plane.records import (
    A_X,
    A_Y,
    COS,
    F_X,
    F_Y,
    H_X,
    H_X_SUM,
    H_Y,
    H_Y_SUM,
    J_O,
    J_O_SUM,
    MASS_SUM,
    MOMENT,
    O_X,
    O_Y,
    SIN,
    SPIN,
    V_X,
    V_Y,
    X,
    Y,
)


@part
def poses_in_plane(system, q, work):
    """Angles and origins of the bodies, reference points, axes of the motions."""
    bodies, motions, dofs, state, S = work.plane_bodies, work.plane_motions, system.dofs, work.in_plane, work.S
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        c, s = state[a, COS], state[a, SIN]
        x = state[a, X] + c * b.p_P[0] - s * b.p_P[1]
        y = state[a, Y] + s * b.p_P[0] + c * b.p_P[1]
        o_x, o_y = x, y
        if a > 0:
            o_x, o_y = state[a, O_X], state[a, O_Y]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            motion, u = motions[j], q[dofs[j].q]
            if motion.sense != 0.0:
                S[j, 0], S[j, 1], S[j, 2] = motion.sense * (y - o_y), motion.sense * (o_x - x), motion.sense
                turned_c, turned_s = np.cos(u), motion.sense * np.sin(u)
                c, s = c * turned_c - s * turned_s, s * turned_c + c * turned_s
            else:
                e_x, e_y = c * motion.along[0] - s * motion.along[1], s * motion.along[0] + c * motion.along[1]
                S[j, 0], S[j, 1], S[j, 2] = e_x, e_y, 0.0
                x, y = x + u * e_x, y + u * e_y
        if a == 0:  # the reference point of a tree is where its first body ends up
            for j in range(b.first_dof, b.first_dof + b.dof_count):
                S[j, 0] += S[j, 2] * (o_y - y)
                S[j, 1] -= S[j, 2] * (o_x - x)
            o_x, o_y = x, y
        state[i, COS], state[i, SIN], state[i, X], state[i, Y], state[i, O_X], state[i, O_Y] = c, s, x, y, o_x, o_y


@part
def masses_in_plane(system, work):
    """First moments and inertias about the reference points, and M by composite bodies, theory (2.11)."""
    bodies, dofs, state, S, M = work.plane_bodies, system.dofs, work.in_plane, work.S, work.M
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        c, s, m = state[i, COS], state[i, SIN], b.mass
        d_x = state[i, X] + c * b.p_C[0] - s * b.p_C[1] - state[i, O_X]
        d_y = state[i, Y] + s * b.p_C[0] + c * b.p_C[1] - state[i, O_Y]
        h_x, h_y, inertia = m * d_x, m * d_y, b.J_C + m * (d_x * d_x + d_y * d_y)
        state[i, H_X], state[i, H_Y], state[i, J_O] = h_x, h_y, inertia
        state[i, MASS_SUM], state[i, H_X_SUM], state[i, H_Y_SUM], state[i, J_O_SUM] = m, h_x, h_y, inertia
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        m, h_x, h_y, inertia = state[i, MASS_SUM], state[i, H_X_SUM], state[i, H_Y_SUM], state[i, J_O_SUM]
        if b.parent > 0:
            state[b.parent, MASS_SUM] += m
            state[b.parent, H_X_SUM] += h_x
            state[b.parent, H_Y_SUM] += h_y
            state[b.parent, J_O_SUM] += inertia
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            w = S[j, 2]
            f_x, f_y = m * S[j, 0] - w * h_y, m * S[j, 1] + w * h_x
            n = h_x * S[j, 1] - h_y * S[j, 0] + inertia * w
            row, a = dofs[j].row, j
            while a >= 0:
                M[row + dofs[a].depth] = S[a, 0] * f_x + S[a, 1] * f_y + S[a, 2] * n
                a = dofs[a].parent


@part
def twists_in_plane(v, work):
    """Twists and their rates at v_dot = 0."""
    bodies, state, S = work.plane_bodies, work.in_plane, work.S
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        v_x, v_y, w, a_x, a_y = state[a, V_X], state[a, V_Y], state[a, SPIN], state[a, A_X], state[a, A_Y]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            s_x, s_y, s_w = S[j, 0] * v[j], S[j, 1] * v[j], S[j, 2] * v[j]
            a_x, a_y = a_x + v_y * s_w - w * s_y, a_y + w * s_x - v_x * s_w
            v_x, v_y, w = v_x + s_x, v_y + s_y, w + s_w
        state[i, V_X], state[i, V_Y], state[i, SPIN], state[i, A_X], state[i, A_Y] = v_x, v_y, w, a_x, a_y


@part
def forces_in_plane(work):
    """Q of the given forces, gravity and inertia, theory (2.14), and the energies; forces are summed up in place."""
    bodies, state, S, tau, Q, energy = work.plane_bodies, work.in_plane, work.S, work.tau, work.Q, work.energy
    plane = work.plane[0]
    g_x, g_y = plane.gravity[0], plane.gravity[1]
    kinetic, potential = 0.0 * energy[0], plane.potential + 0.0 * energy[1]
    for i in range(1, bodies.shape[0]):
        m, h_x, h_y = bodies[i].mass, state[i, H_X], state[i, H_Y]
        v_x, v_y, w, a_x, a_y = state[i, V_X], state[i, V_Y], state[i, SPIN], state[i, A_X], state[i, A_Y]
        f_x, f_y, n = m * v_x - w * h_y, m * v_y + w * h_x, h_x * v_y - h_y * v_x + state[i, J_O] * w
        state[i, F_X] += m * (g_x - a_x) + w * f_y
        state[i, F_Y] += m * (g_y - a_y) - w * f_x
        state[i, MOMENT] += h_x * (g_y - a_y) - h_y * (g_x - a_x) - (v_x * f_y - v_y * f_x)
        kinetic += 0.5 * (v_x * f_x + v_y * f_y + w * n)
        potential -= g_x * (h_x + m * state[i, O_X]) + g_y * (h_y + m * state[i, O_Y])
    energy[0] += kinetic
    energy[1] += potential
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        f_x, f_y, n = state[i, F_X], state[i, F_Y], state[i, MOMENT]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            Q[j] = tau[j] + S[j, 0] * f_x + S[j, 1] * f_y + S[j, 2] * n
        if b.parent > 0:
            state[b.parent, F_X] += f_x
            state[b.parent, F_Y] += f_y
            state[b.parent, MOMENT] += n


# -- and back into space, for elements that know no plane -------------------------------------------------------------
@part
def put_poses(work):
    """Orientations, origins and reference points of the bodies."""
    bodies, state, plane, R, p, O = work.plane_bodies, work.in_plane, work.plane[0], work.R, work.p, work.O
    x, y, normal = plane.x, plane.y, plane.normal
    for i in range(1, bodies.shape[0]):
        b, c, s = bodies[i], state[i, COS], state[i, SIN]
        for r in range(3):
            for k in range(3):
                R[i, r, k] = b.R_still[r, k] + c * b.R_cos[r, k] + s * b.R_sin[r, k]
        for r in range(3):
            p[i, r] = x[r] * state[i, X] + y[r] * state[i, Y] + normal[r] * b.height
            O[i, r] = x[r] * state[i, O_X] + y[r] * state[i, O_Y] + normal[r] * b.height


@part
def put_twists(work):
    """Twists of the bodies."""
    state, plane, V = work.in_plane, work.plane[0], work.V
    for i in range(1, state.shape[0]):
        v_x, v_y, w = state[i, V_X], state[i, V_Y], state[i, SPIN]
        for r in range(3):
            V[i, r] = plane.x[r] * v_x + plane.y[r] * v_y
            V[i, 3 + r] = plane.normal[r] * w


@part
def take_forces(work):
    """Forces and moments within the plane: what acts across it the joints resist."""
    state, plane, F = work.in_plane, work.plane[0], work.F
    for i in range(1, state.shape[0]):
        f_x, f_y, n = 0.0 * F[i, 0], 0.0 * F[i, 0], 0.0 * F[i, 0]
        for r in range(3):
            f_x += plane.x[r] * F[i, r]
            f_y += plane.y[r] * F[i, r]
            n += plane.normal[r] * F[i, 3 + r]
        state[i, F_X], state[i, F_Y], state[i, MOMENT] = f_x, f_y, n


@part
def no_forces(work):
    """None but gravity and inertia."""
    state = work.in_plane
    for i in range(state.shape[0]):
        state[i, F_X], state[i, F_Y], state[i, MOMENT] = 0.0, 0.0, 0.0
