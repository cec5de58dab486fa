"""What the joints transmit: the wrenches of tree joints in two ways, those of rows from their multipliers (P2).

All in world axes about the reference point O of the tree, where twists and wrenches simply add up.  With `a_i` the
part of a body's acceleration that comes from v_dot, `F_i` its forces less its inertia forces at v_dot = 0
(formulations/kinematics.py), and `c` over the bodies that hang on i, Newton and Euler say of body i

    I_i a_i = F_i + R_i - sum_c R_c            a_i = a_parent + S_i v_dot_i

with R_i the wrench on body i from its inboard body, driving force included.

Recursive (Newton-Euler, from the tips; theory (2.9)):  R_i = I_i a_i - F_i + sum_c R_c.

Non-recursive (P2 eq 30; theory (2.15)):  over all that hangs on i, `a_l = a_i + sum of S_k v_dot_k on the path`, so

    R_i = -sum_l F_l + sum_l I_l a_l = -F+_i + K_i a_i + sum_{j below i} K_j S_j v_dot_j

where K_i is the inertia of all that hangs on i and F+_i the forces on it.  The paper's L_i is F+_i + K_i A_i with
A_i = sum of D_k, and its Yh'_i is A_i + a_i: the same formula.  K_j S_j and F+ are what mass matrix and generalized
forces are made of; nothing of the other joints' reactions is needed.

A flexible body is a rigid one of its present shape, with the inertia of bending among its forces
(elements/bodies/flexible_motion.py).  A node on which something hangs is a massless body that the modes carry: its axes
add to a_l like others, and in the non-recursive sum K_l S_l eta'' of a node is taken among the forces on it.

Cut joints are rows: a multiplier lam exerts -lam W on B and +lam W on A (elements/constraints/rows.py), forces from
outside on the tree.  A driver of a tree joint is no such force: it acts between that joint's two bodies, and belongs to
R_i.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.bodies.rigid_inertia import momentum
from linkwork.numerics.vectors import angular, linear


@part
def body_accelerations(bodies, S, v_dot, a):
    """a_i = a_parent + S_i v_dot_i: accelerations less those at v_dot = 0."""
    for k in range(6):
        a[0, k] = 0.0
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        for k in range(6):
            s = a[b.parent, k]
            for j in range(b.dof_count + b.axis_count):
                s += S[b.first_axis + j, k] * v_dot[b.first_dof + j]
            a[i, k] = s


@part
def row_wrenches(constraints, lam, W, outside, F):
    """Add to the forces on the bodies those of the multipliers of rows that act from outside the tree."""
    for c in range(constraints.shape[0]):
        con = constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            if outside[r]:
                for k in range(6):
                    F[con.body_a, k] += lam[r] * W[r, k]
                    F[con.body_b, k] -= lam[r] * W[r, 6 + k]


@part
def sum_up(bodies, X):
    """X_i <- sum of X over all that hangs on i, in place."""
    for i in range(bodies.shape[0] - 1, 0, -1):
        parent = bodies[i].parent
        if parent > 0:
            for k in range(X.shape[1]):
                X[parent, k] += X[i, k]


@part
def newton_euler(bodies, inertia, F, a, first, reaction):
    """R_i = I_i a_i - F_i + sum_c R_c for every body, from the tips to body `first`."""
    for i in range(bodies.shape[0]):
        for k in range(6):
            reaction[i, k] = 0.0
    for i in range(bodies.shape[0] - 1, first - 1, -1):
        f, n = momentum(inertia, i, linear(a, i), angular(a, i))
        parent = bodies[i].parent
        for k in range(3):
            reaction[i, k] += f[k] - F[i, k]
            reaction[i, 3 + k] += n[k] - F[i, 3 + k]
        if parent > 0:
            for k in range(6):
                reaction[parent, k] += reaction[i, k]


@part
def composite_axes(bodies, inertia, S, composite, KS):
    """K of every body, and K S of every motion."""
    for i in range(bodies.shape[0]):
        for k in range(10):
            composite[i, k] = inertia[i, k]
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        if b.parent > 0:
            for k in range(10):
                composite[b.parent, k] += composite[i, k]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            f, n = momentum(composite, i, linear(S, j), angular(S, j))
            for k in range(3):
                KS[j, k] = f[k]
                KS[j, 3 + k] = n[k]


@part
def carry_nodes(bodies, composite, S, v_dot, F):
    """F_l -= K_l S_l eta'' of what hangs on the nodes of flexible bodies."""
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        for j in range(b.axis_count):
            f, n = momentum(composite, i, linear(S, b.first_axis + j), angular(S, b.first_axis + j))
            for k in range(3):
                F[i, k] -= f[k] * v_dot[b.first_dof + j]
                F[i, 3 + k] -= n[k] * v_dot[b.first_dof + j]


@part
def reaction_alone(i, first, end, composite, KS, F, a, v_dot, reaction):
    """R_i = -F+_i + K_i a_i + sum of K_j S_j v_dot_j over the motions first..end-1 below body i, theory (2.15)."""
    f, n = momentum(composite, i, linear(a, i), angular(a, i))
    for k in range(3):
        reaction[i, k] = f[k] - F[i, k]
        reaction[i, 3 + k] = n[k] - F[i, 3 + k]
    for j in range(first, end):
        for k in range(6):
            reaction[i, k] += KS[j, k] * v_dot[j]
