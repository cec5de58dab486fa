"""Velocities and bias accelerations of the bodies along the tree, inertia forces, and the rates of the coordinates.

Twists are about a point O fixed in the world (poses.py).  Then velocities simply add up: V_j = V_i + S_j v_j, and
A_j = A_i + (V_i x S_j v_j) for the acceleration at v_dot = 0 (P2: Yh and D, theory (2.2) and (2.3); on a tree, theory
(2.13)).
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.bodies.rigid_inertia import momentum
from linkwork.elements.joints.motions import BALL, BALL_REST, MODE
from linkwork.numerics.rotations import euler_rates, turn
from linkwork.numerics.vectors import add, angular, cross, linear, put


@part
def velocities(bodies, dofs, v, S, V, A, start, end):
    """Twists V and their rates A at v_dot = 0.  An axis moves with the frame before it: S_dot = V x S.

    Axes of a node of a flexible body also move in that frame; what this adds is in A already.
    """
    for i in range(start, end):
        b = bodies[i]
        a = b.parent
        v_lin, w = linear(V, a), angular(V, a)
        a_lin, alpha = linear(A, a), angular(A, a)
        v_before, w_before = v_lin, w
        if b.axis_count > 0:
            a_lin, alpha = add(a_lin, linear(A, i)), add(alpha, angular(A, i))
        for k in range(b.dof_count + b.axis_count):
            dof, j = b.first_dof + k, b.first_axis + k
            if dofs[dof].kind != BALL_REST and dofs[dof].kind != MODE:
                v_before, w_before = v_lin, w
            speed = v[dof]
            s_lin = (S[j, 0] * speed, S[j, 1] * speed, S[j, 2] * speed)
            s_ang = (S[j, 3] * speed, S[j, 4] * speed, S[j, 5] * speed)
            a_lin = add(a_lin, add(cross(w_before, s_lin), cross(v_before, s_ang)))
            alpha = add(alpha, cross(w_before, s_ang))
            v_lin = add(v_lin, s_lin)
            w = add(w, s_ang)
        put(V, i, v_lin, w)
        put(A, i, a_lin, alpha)


@part
def inertia_forces(inertia, V, A, F, energy):
    """F -= V x* (I V) + I A, theory (2.14), and the kinetic energy V . I V / 2 into energy[0]."""
    for i in range(1, inertia.shape[0]):
        v, w = linear(V, i), angular(V, i)
        f, n = momentum(inertia, i, v, w)
        fa, na = momentum(inertia, i, linear(A, i), angular(A, i))
        wf = cross(w, f)
        wn = cross(w, n)
        vf = cross(v, f)
        for r in range(3):
            F[i, r] -= wf[r] + fa[r]
            F[i, 3 + r] -= wn[r] + vf[r] + na[r]
            energy[0] += 0.5 * (v[r] * f[r] + w[r] * n[r])


@kernel
def coordinate_rates(dofs, y, v, q_dot):
    """q_dot = N(q) v: the speed itself, and Euler parameter rates for a ball."""
    for j in range(dofs.shape[0]):
        dof = dofs[j]
        if dof.kind == BALL:
            k = dof.q
            rates = euler_rates(y[k], y[k + 1], y[k + 2], y[k + 3], v[j], v[j + 1], v[j + 2])
            for r in range(4):
                q_dot[k + r] = rates[r]
        elif dof.kind != BALL_REST:
            q_dot[dof.q] = v[j]


@kernel
def displace(dofs, y, delta):
    """Move the coordinates by a small motion delta, given as velocities x 1 s."""
    for j in range(dofs.shape[0]):
        dof = dofs[j]
        if dof.kind == BALL:
            k = dof.q
            e = turn(y[k], y[k + 1], y[k + 2], y[k + 3], delta[j], delta[j + 1], delta[j + 2])
            for r in range(4):
                y[k + r] = e[r]
        elif dof.kind != BALL_REST:
            y[dof.q] += delta[j]
