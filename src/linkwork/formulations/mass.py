"""The mass matrix by composite bodies, and generalized forces: theory (2.10) to (2.14); Featherstone 2008, tab. 6.2.

On a chain these are P2's recursion and equations of motion, theory (2.5) and (2.6).
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.bodies.rigid_inertia import momentum
from linkwork.numerics.vectors import angular, dot, linear, spatial_dot


@part
def mass_matrix(bodies, dofs, axes, inertia, composite, S, M):
    """M_ij = S_i . K_j S_j for every motion j and each i before it, K_j of all that hangs on j, theory (2.11)."""
    count = bodies.shape[0]
    for i in range(count):
        for k in range(10):
            composite[i, k] = inertia[i, k]
    for i in range(count - 1, 0, -1):
        b = bodies[i]
        if b.parent > 0:
            for k in range(10):
                composite[b.parent, k] += composite[i, k]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            f, n = momentum(composite, i, linear(S, j), angular(S, j))
            row = dofs[j].row
            a = j
            while a >= 0:
                M[row + axes[a].depth] = (
                    S[a, 0] * f[0] + S[a, 1] * f[1] + S[a, 2] * f[2] + S[a, 3] * n[0] + S[a, 4] * n[1] + S[a, 5] * n[2]
                )
                a = axes[a].before


@part
def add_nodes(bodies, dofs, axes, composite, S, M):
    """Add to the rows of modes what hangs on nodes; the body itself is there already."""
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        for k in range(b.axis_count):
            a, row = b.first_axis + k, dofs[b.first_dof + k].row
            f, n = momentum(composite, i, linear(S, a), angular(S, a))
            while a >= 0:
                M[row + axes[a].depth] += dot(linear(S, a), f) + dot(angular(S, a), n)
                a = axes[a].before


@kernel
def packed_mass(system, work):
    """M at the position evaluated last, also where the articulated-body recursion does without it."""
    mass_matrix(system.bodies, system.dofs, system.axes, work.inertia, work.composite, work.S, work.M)


@part
def generalized_forces(bodies, S, F, tau, Q):
    """Q_j = tau_j + S_j . (sum of F over all that hangs on j), theory (2.14); F is summed up in place.

    To Q of modes their nodes are added: the body itself is there already.
    """
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            Q[j] = tau[j] + spatial_dot(S, j, F, i)
        for k in range(b.axis_count):
            Q[b.first_dof + k] += spatial_dot(S, b.first_axis + k, F, i)
        if b.parent > 0:
            for k in range(6):
                F[b.parent, k] += F[i, k]
