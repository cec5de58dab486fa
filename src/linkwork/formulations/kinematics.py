"""Poses, axes, velocities and bias accelerations of the bodies along the tree (P2).

Twists are about a point O fixed in the world: the origin of the tree's first body at this very instant, chosen anew at
each evaluation, because recursion about a far point loses digits.  Then velocities simply add up:
V_j = V_i + S_j v_j, and A_j = A_i + (V_i x S_j v_j) for the acceleration at v_dot = 0 (P2: Yh and D).
"""

from __future__ import annotations

from linkwork.elements.joints import BALL, BALL_REST, SLIDE, move
from linkwork.elements.rigid_body import momentum
from linkwork.numerics.jit import kernel, part
from linkwork.numerics.rotations import euler_rates, turn
from linkwork.numerics.vectors import add, angular, column, cross, linear, rotate, sub, vector


@part
def poses(bodies, dofs, y, R, p, O, S):
    """R and p of every link frame, its reference point O, and the axes S of the motions."""
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        start = add(vector(p, a), rotate(R, a, b.p_PF))
        for r in range(3):
            p[i, r] = start[r]
            for c in range(3):
                R[i, r, c] = R[a, r, 0] * b.R_PF[0, c] + R[a, r, 1] * b.R_PF[1, c] + R[a, r, 2] * b.R_PF[2, c]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            dof = dofs[j]
            if dof.kind == BALL:  # its three axes are those of the frame before it turns
                for k in range(3):
                    _note_axis(R, p, i, k, S, j + k)
            elif dof.kind != BALL_REST:
                _note_axis(R, p, i, dof.axis, S, j)
            move(dof, y, R, p, i)
        for r in range(3):
            O[i, r] = p[i, r] if a == 0 else O[a, r]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            _spatial_axis(dofs[j].kind, O, i, S, j)


@part
def _note_axis(R, p, i, k, S, j):
    """Remember for motion j the present point, and axis k of the present frame."""
    axis = column(R, i, k)
    for r in range(3):
        S[j, r] = p[i, r]
        S[j, 3 + r] = axis[r]


@part
def _spatial_axis(kind, O, i, S, j):
    """From point and direction to the twist of a unit speed about O: ((P - O) x e, e) or (e, 0)."""
    e = angular(S, j)
    if kind == SLIDE:
        for r in range(3):
            S[j, r] = e[r]
            S[j, 3 + r] = 0.0
    else:
        arm = cross(sub(linear(S, j), vector(O, i)), e)
        for r in range(3):
            S[j, r] = arm[r]


@part
def velocities(bodies, dofs, v, S, V, A):
    """Twists V and their rates A at v_dot = 0.  An axis moves with the frame before it: S_dot = V x S."""
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        v_lin, w = linear(V, a), angular(V, a)
        a_lin, alpha = linear(A, a), angular(A, a)
        v_before, w_before = v_lin, w
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            if dofs[j].kind != BALL_REST:
                v_before, w_before = v_lin, w
            speed = v[j]
            s_lin = (S[j, 0] * speed, S[j, 1] * speed, S[j, 2] * speed)
            s_ang = (S[j, 3] * speed, S[j, 4] * speed, S[j, 5] * speed)
            a_lin = add(a_lin, add(cross(w_before, s_lin), cross(v_before, s_ang)))
            alpha = add(alpha, cross(w_before, s_ang))
            v_lin = add(v_lin, s_lin)
            w = add(w, s_ang)
        for r in range(3):
            V[i, r] = v_lin[r]
            V[i, 3 + r] = w[r]
            A[i, r] = a_lin[r]
            A[i, 3 + r] = alpha[r]


@part
def inertia_forces(inertia, V, A, F, energy):
    """F -= V x* (I V) + I A, and the kinetic energy V . I V / 2 into energy[0]."""
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
