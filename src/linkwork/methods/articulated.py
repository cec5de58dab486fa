"""Articulated-body recursion for open trees: accelerations in O(n), no matrix at all (Featherstone 1983).

World axes and one reference point a tree, so that inertias and forces simply add up on the way to the root, and
every motion is one elementary axis S.  Bias accelerations are already part of the forces F
(formulations/kinematics.py), which leaves, for each motion j from the leaves on,

    U = K S,  D = S . U,  u = tau + S . F,   K <- K - U U^T / D,   F <- F - U u / D

and from the root on  v_dot = (u - U . a) / D,  a <- a + S v_dot.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import POWER, first_velocity, work_place
from linkwork.methods.contract import Method, common_options
from linkwork.numerics.status import FACTOR, LEVEL_POSITION, MASS_SINGULAR, OK


@stage
def solve(factor, system, work, task):
    """v_dot for the equations evaluated last; dy/dt in `work.rate`.  There is nothing to factor beforehand."""
    w = work
    if task == FACTOR:
        return OK
    status = accelerations(system.bodies, w.inertia, w.S, w.F, w.tau, w.composite, w.U, w.v_dot)
    first = first_velocity(system)
    for j in range(w.v_dot.shape[0]):
        w.rate[first + j] = w.v_dot[j]
    w.rate[work_place(system)] = w.energy[POWER]
    return status


@stage
def factor(system, work):
    """Nothing to factor: the recursion does it on the way."""
    return OK


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """An open tree has nothing to return to but unit Euler parameters."""
    for j in range(work.delta.shape[0]):
        work.delta[j] = 0.0
    displace(system.dofs, y, work.delta)
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    return OK


@part
def pack(inertia, i, K):
    """The ten numbers of a rigid inertia as the upper triangle, row by row, of a 6 x 6 matrix."""
    m, h0, h1, h2 = inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3]
    K[i, 0] = m
    K[i, 1] = 0.0
    K[i, 2] = 0.0
    K[i, 3] = 0.0
    K[i, 4] = h2
    K[i, 5] = -h1
    K[i, 6] = m
    K[i, 7] = 0.0
    K[i, 8] = -h2
    K[i, 9] = 0.0
    K[i, 10] = h0
    K[i, 11] = m
    K[i, 12] = h1
    K[i, 13] = -h0
    K[i, 14] = 0.0
    K[i, 15] = inertia[i, 4]
    K[i, 16] = inertia[i, 7]
    K[i, 17] = inertia[i, 8]
    K[i, 18] = inertia[i, 5]
    K[i, 19] = inertia[i, 9]
    K[i, 20] = inertia[i, 6]


@part
def times(K, i, s):
    """K[i] s."""
    s0, s1, s2, s3, s4, s5 = s
    return (
        K[i, 0] * s0 + K[i, 1] * s1 + K[i, 2] * s2 + K[i, 3] * s3 + K[i, 4] * s4 + K[i, 5] * s5,
        K[i, 1] * s0 + K[i, 6] * s1 + K[i, 7] * s2 + K[i, 8] * s3 + K[i, 9] * s4 + K[i, 10] * s5,
        K[i, 2] * s0 + K[i, 7] * s1 + K[i, 11] * s2 + K[i, 12] * s3 + K[i, 13] * s4 + K[i, 14] * s5,
        K[i, 3] * s0 + K[i, 8] * s1 + K[i, 12] * s2 + K[i, 15] * s3 + K[i, 16] * s4 + K[i, 17] * s5,
        K[i, 4] * s0 + K[i, 9] * s1 + K[i, 13] * s2 + K[i, 16] * s3 + K[i, 18] * s4 + K[i, 19] * s5,
        K[i, 5] * s0 + K[i, 10] * s1 + K[i, 14] * s2 + K[i, 17] * s3 + K[i, 19] * s4 + K[i, 20] * s5,
    )


@part
def downdate(K, i, u, inverse):
    """K[i] -= u u^T / D."""
    n = 0
    for r in range(6):
        f = u[r] * inverse
        for c in range(r, 6):
            K[i, n] -= f * u[c]
            n += 1


@part
def _hand_in(K, F, i, p, u, inverse, x):
    """What body i has after its last motion, added to its inboard body."""
    n = 0
    for r in range(6):
        f = u[r] * inverse
        for c in range(r, 6):
            K[p, n] += K[i, n] - f * u[c]
            n += 1
        F[p, r] += F[i, r] - u[r] * x


@part
def dot6(a, b):
    """a . b of two spatial vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@part
def six(a, i):
    """a[i]."""
    return a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5]


@part
def accelerations(bodies, inertia, S, F, tau, K, U, v_dot):
    """v_dot of every motion; F is used up (and then holds the accelerations), U holds U / D."""
    count = bodies.shape[0]
    for i in range(1, count):
        pack(inertia, i, K)
    for i in range(count - 1, 0, -1):
        b = bodies[i]
        for j in range(b.first_dof + b.dof_count - 1, b.first_dof - 1, -1):
            s = six(S, j)
            u = times(K, i, s)
            D = dot6(s, u)
            if not D.real > 0.0:
                return MASS_SINGULAR
            inverse = 1.0 / D
            x = (tau[j] + dot6(s, six(F, i))) * inverse
            v_dot[j] = x
            for r in range(6):
                U[j, r] = u[r] * inverse
            if j > b.first_dof:
                downdate(K, i, u, inverse)
                for r in range(6):
                    F[i, r] -= u[r] * x
            elif b.parent > 0:
                _hand_in(K, F, i, b.parent, u, inverse, x)
        if b.dof_count == 0 and b.parent > 0:
            for k in range(21):
                K[b.parent, k] += K[i, k]
            for k in range(6):
                F[b.parent, k] += F[i, k]
    for r in range(6):
        F[0, r] = 0.0
    for i in range(1, count):
        b = bodies[i]
        present = six(F, b.parent)
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            x = v_dot[j] - dot6(six(U, j), present)
            v_dot[j] = x
            s = six(S, j)
            present = (
                present[0] + s[0] * x,
                present[1] + s[1] * x,
                present[2] + s[2] * x,
                present[3] + s[3] * x,
                present[4] + s[4] * x,
                present[5] + s[5] * x,
            )
        for r in range(6):
            F[i, r] = present[r]
    return OK


METHOD = Method(
    "articulated", "articulated-body recursion", factor, solve, correct, open_tree=True,
    options=common_options("literal"),
)  # fmt: skip
