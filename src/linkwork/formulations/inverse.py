"""Inverse dynamics in one pass out and one pass in: the generalized forces that a motion needs, by Newton-Euler.

Ground is made to accelerate with -g, so that weight is part of the inertia forces, and v_dot is part of the bodies'
accelerations from the start: one product with the inertia a body, where `evaluate` keeps the parts that it needs apart.

    V_i = V_parent + S v,   A_i = A_parent + S v_dot + V x S v,   F_i = I A_i + V_i x* I V_i - (other forces)
    tau = S . (sum of F over all that hangs on it)
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.bodies.rigid_inertia import momentum
from linkwork.elements.joints.motions import BALL_REST
from linkwork.numerics.vectors import add, angular, cross, linear, spatial_dot


@part
def motion_of_bodies(bodies, dofs, gravity, v, v_dot, S, V, A):
    """Twists and their rates, less gravity; as in kinematics.velocities, but with v_dot."""
    for k in range(3):
        A[0, k] = -gravity[k]
        A[0, 3 + k] = 0.0
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        v_lin, w = linear(V, a), angular(V, a)
        a_lin, alpha = linear(A, a), angular(A, a)
        v_before, w_before = v_lin, w
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            if dofs[j].kind != BALL_REST:
                v_before, w_before = v_lin, w
            speed, rate = v[j], v_dot[j]
            s_lin, s_ang = linear(S, j), angular(S, j)
            moved = (s_lin[0] * speed, s_lin[1] * speed, s_lin[2] * speed)
            turned = (s_ang[0] * speed, s_ang[1] * speed, s_ang[2] * speed)
            a_lin = add(a_lin, add(cross(w_before, moved), cross(v_before, turned)))
            a_lin = (a_lin[0] + s_lin[0] * rate, a_lin[1] + s_lin[1] * rate, a_lin[2] + s_lin[2] * rate)
            alpha = add(alpha, cross(w_before, turned))
            alpha = (alpha[0] + s_ang[0] * rate, alpha[1] + s_ang[1] * rate, alpha[2] + s_ang[2] * rate)
            v_lin = add(v_lin, moved)
            w = add(w, turned)
        for r in range(3):
            V[i, r] = v_lin[r]
            V[i, 3 + r] = w[r]
            A[i, r] = a_lin[r]
            A[i, 3 + r] = alpha[r]


@part
def needed_forces(bodies, inertia, V, A, S, F, tau):
    """tau, from the tips; F holds the other forces on the bodies, and is used up."""
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        v, w = linear(V, i), angular(V, i)
        f, n = momentum(inertia, i, v, w)
        fa, na = momentum(inertia, i, linear(A, i), angular(A, i))
        wf, wn, vf = cross(w, f), cross(w, n), cross(v, f)
        for r in range(3):
            F[i, r] -= fa[r] + wf[r]
            F[i, 3 + r] -= na[r] + wn[r] + vf[r]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            tau[j] = -spatial_dot(S, j, F, i)
        if b.parent > 0:
            for k in range(6):
                F[b.parent, k] += F[i, k]
