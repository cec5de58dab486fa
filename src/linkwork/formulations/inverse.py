"""Inverse dynamics in one pass out and one pass in: the generalized forces that a motion needs, by Newton-Euler.

Ground is made to accelerate with -g, so that weight is part of the inertia forces.  With V and A the twists and their
rates at v_dot = 0 (kinematics.py), a the rates that come from v_dot (reactions.py),

    F_i = I (A_i + a_i) + V_i x* I V_i - (other forces),    tau = S . (sum of F over all that hangs on it)
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.bodies.rigid_inertia import momentum
from linkwork.formulations.kinematics import velocities
from linkwork.formulations.reactions import body_accelerations
from linkwork.numerics.vectors import add, angular, cross, linear, spatial_dot


@part
def motion_of_bodies(bodies, dofs, gravity, v, v_dot, S, V, A, a):
    """Twists V, their rates A at v_dot = 0 less gravity, and what v_dot adds to those, a."""
    for k in range(3):
        A[0, k] = -gravity[k]
    velocities(bodies, dofs, v, S, V, A, 1, bodies.shape[0])
    body_accelerations(bodies, S, v_dot, a)
    for k in range(3):
        A[0, k] = 0.0  # ground stands still for everyone else


@part
def needed_forces(bodies, inertia, V, A, a, S, F, tau):
    """tau, from the tips; F holds the other forces on the bodies, and is used up."""
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        v, w = linear(V, i), angular(V, i)
        f, n = momentum(inertia, i, v, w)
        fa, na = momentum(inertia, i, add(linear(A, i), linear(a, i)), add(angular(A, i), angular(a, i)))
        wf, wn, vf = cross(w, f), cross(w, n), cross(v, f)
        for r in range(3):
            F[i, r] -= fa[r] + wf[r]
            F[i, 3 + r] -= na[r] + wn[r] + vf[r]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            tau[j] = -spatial_dot(S, j, F, i)
        if b.parent > 0:
            for k in range(6):
                F[b.parent, k] += F[i, k]
