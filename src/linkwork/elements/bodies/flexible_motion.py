"""Flexible bodies in the time loop: a floating frame with m modal coordinates, all integrals precomputed, O(m^2).

The data and the equations are those of flexible/modal_body.py.  In the tree a flexible body is its frame, on which it
hangs by a joint like a rigid body; its modal coordinates eta are m further motions, and each node at which something is
attached is a massless body of its own that the frame and the modes carry (P3: the outboard nodes share the modes).

A point of the body is at  r = sum_k zeta_k s_k  in the body frame, theory (6.1) and (6.2), with shapes s_k of three
kinds: k = 0 is the body undeformed, s_0 = x and zeta_0 = 1; k = 1..m are the modes, zeta_k = eta_k; the others, with
`stiffening`, are shifts of second order, zeta_k = 1/2 eta Q_k eta: what bends also shortens, and the mass goes with it
(system/flexible.py; their coordinates are those of foreshortening.py).  With T_j = d zeta / d eta_j

    r_dot = sum_k zeta'_k s_k,      zeta' = sum_j T_j eta'_j,      zeta'' = sum_j T_j eta''_j + eta' Q eta'

so that all inertia follows from the integrals of the shapes, C_k = int s_k, M_lk = int s_l . s_k and G_lk =
gyration(int s_l s_k^T) (flexible/shape_integrals.py), which are constant.  With G_k = sum_l zeta_l G_lk and (theory
(6.5))

    (C, G)[z] = sum_k z_k (C_k, G_k):       [zeta] is h and J of the bent body, [T_j] its coupling to mode j.

All this is the motion of some mass, however far the body bends: the energy balance is exact, and M positive definite.

A node has six numbers a shape, the displacement s_k and half the rotation vector, Theta_k / 2:  (u, g) = sum_k zeta_k
(s_k, Theta_k / 2).  In the body frame it is at u, turned by Cayley's rotation of Rodrigues' parameters g, so that
position, velocity and acceleration agree exactly:  w = c (g' + g x g'),  c = 2 / (1 + g.g), theory (6.9).
"""

from __future__ import annotations

from linkwork.compiler.carving import array_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.bodies.flexible_tables import BODY_OR_NODE
from linkwork.elements.family import Family, Phase
from linkwork.numerics.rotations import rotation_entries
from linkwork.numerics.vectors import (
    add,
    add_wrench,
    angular,
    cross,
    dot,
    linear,
    put,
    rotate,
    rotate_back,
    scale,
    sub,
    vector,
)

SIZE = BODY_OR_NODE.itemsize


@part
def _combine(a, at, stride, keep, b, j, to, count):
    """keep[to..] = sum_k z_k a_k, where a_k are `count` numbers from a[at + stride k] on.

    z is T_j of a mode, of which only entry j + 1 and the shifts are not zero; then come zeta, zeta', zeta''.
    """
    start, lead = (b.modes, j + 1) if j < b.modes else (0, 0)
    for r in range(count):
        keep[to + r] = 0.0
    for n in range(start, b.shapes):
        k = lead if n == start else n
        z, place = keep[b.T + j * b.shapes + k], at + stride * k
        for r in range(count):
            keep[to + r] += z * a[place + r]


@part
def _three(a, at):
    return a[at], a[at + 1], a[at + 2]


@part
def _times(a, at, b):
    """The matrix whose nine entries start at a[at], times b."""
    return dot(_three(a, at), b), dot(_three(a, at + 3), b), dot(_three(a, at + 6), b)


@part
def _axial(a, at):
    """(A_yz - A_zy, A_zx - A_xz, A_xy - A_yx) of the matrix whose nine entries start at a[at]."""
    return a[at + 5] - a[at + 7], a[at + 6] - a[at + 2], a[at + 1] - a[at + 3]


@part
def _turning(g, c, a):
    """c (a + g x a): the angular velocity of Rodrigues' parameters g that change at the rate a."""
    return scale(c, add(a, cross(g, a)))


@stage
def flexible_poses(system, t, angles, work, first, last):
    """zeta and T of modes; frames of nodes, and how modes move them, in the frame of their body."""
    table = array_at(system.block, first, (last - first) // SIZE, BODY_OR_NODE)
    numbers, keep = system.numbers, work.scratch
    for i in range(table.shape[0]):
        if table[i].is_node:
            _node_pose(numbers, work, table[table[i].node.flexible].flexible, table[i].node)
            continue
        b = table[i].flexible
        keep[b.zeta] = 1.0
        for j in range(b.modes):
            keep[b.zeta + 1 + j] = work.q[b.first_q + j]
            keep[b.T + j * b.shapes + 1 + j] = 1.0


@part
def _node_pose(numbers, work, b, node):
    keep, i, temporary = work.scratch, node.body, b.temporary
    _combine(numbers, node.data, 6, keep, b, b.modes, temporary, 6)
    u, g = _three(keep, temporary), _three(keep, temporary + 3)
    c = 2.0 / (1.0 + dot(g, g))
    entries = rotation_entries(1.0, g[0], g[1], g[2])
    for r in range(3):
        work.p[i, r] = u[r]
        for k in range(3):
            work.R[i, r, k] = entries[3 * r + k]
    for j in range(b.modes):
        _combine(numbers, node.data, 6, keep, b, j, temporary, 6)
        w = _turning(g, c, _three(keep, temporary + 3))
        put(work.S, node.first_axis + j, add(_three(keep, temporary), cross(u, w)), w)


@stage
def flexible_inertia(system, t, angles, work, first, last):
    """(C, G) of every mode; inertia of the bent body about O, world axes; its own part of the modes' rows of M."""
    table = array_at(system.block, first, (last - first) // SIZE, BODY_OR_NODE)
    numbers, keep = system.numbers, work.scratch
    for i in range(table.shape[0]):
        if table[i].is_node:
            break
        b = table[i].flexible
        for k in range(b.shapes):
            _combine(numbers, b.G + 9 * k, 9 * b.shapes, keep, b, b.modes, b.G_now + 9 * k, 9)
        _whole(numbers, work, b)
        _modes(system, work, b)


@part
def _whole(numbers, work, b):
    """(m, h, J) of the bent body about O: R J R^T + 2 d.k 1 - (d k + k d),  k = h + m d / 2,  d from O to the frame."""
    keep, R, inertia, f = work.scratch, work.R, work.inertia, b.body
    J = b.temporary + 3
    _combine(numbers, b.C, 3, keep, b, b.modes, b.temporary, 3)
    _combine(keep, b.G_now, 9, keep, b, b.modes, J, 9)
    h = rotate(R, f, _three(keep, b.temporary))
    d = sub(vector(work.p, f), vector(work.O, f))
    k = add(h, scale(0.5 * b.mass, d))
    inertia[f, 0] = b.mass
    for c in range(3):
        inertia[f, 1 + c] = h[c] + b.mass * d[c]
        for r in range(c):  # data from elsewhere may leave J with an axial part, which has no meaning
            keep[J + 3 * r + c] = 0.5 * (keep[J + 3 * r + c] + keep[J + 3 * c + r])
            keep[J + 3 * c + r] = keep[J + 3 * r + c]
    for c in range(3):
        turned = rotate(R, f, _times(keep, J, (R[f, c, 0], R[f, c, 1], R[f, c, 2])))
        for r in range(c):
            inertia[f, 6 + r + c] = turned[r] - d[r] * k[c] - k[r] * d[c]
        inertia[f, 4 + c] = turned[c] + 2.0 * (dot(d, k) - d[c] * k[c])


@part
def _modes(system, work, b):
    """(C, G)[T_j]; rows of M, theory (6.6): S . (C, C_r) on the way to the body, T_i M T_j; nodes are added later."""
    keep, R, f, axes, dofs = work.scratch, work.R, b.body, system.axes, system.dofs
    d = sub(vector(work.p, f), vector(work.O, f))
    for j in range(b.modes):
        row, C, G = dofs[b.first_v + j].row, b.coupling + 3 * j, b.coupling + 3 * b.modes + 9 * j
        _combine(system.numbers, b.C, 3, keep, b, j, C, 3)
        _combine(keep, b.G_now, 9, keep, b, j, G, 9)
        push = rotate(R, f, _three(keep, C))
        turn = add(rotate(R, f, _axial(keep, G)), cross(d, push))
        a = dofs[b.first_v].parent
        while a >= 0:
            work.M[row + axes[a].depth] = dot(linear(work.S, a), push) + dot(angular(work.S, a), turn)
            a = axes[a].before
        _combine(system.numbers, b.M, b.shapes, keep, b, j, b.row, b.shapes)
        for i in range(j + 1):
            _combine(keep, b.row, 1, keep, b, i, b.temporary, 1)
            work.M[row + dofs[b.first_v + i].depth] = keep[b.temporary]


@stage
def flexible_twists(system, t, angles, work, first, last):
    """zeta' of the modes; into A of nodes what they have besides that of axes fixed in the body's frame."""
    table = array_at(system.block, first, (last - first) // SIZE, BODY_OR_NODE)
    numbers, keep = system.numbers, work.scratch
    for i in range(table.shape[0]):
        if table[i].is_node:
            _node_twist(numbers, work, table[table[i].node.flexible].flexible, table[i].node)
            continue
        b = table[i].flexible
        for j in range(b.modes):
            keep[b.rates + 1 + j] = work.v[b.first_v + j]


@part
def _node_twist(numbers, work, b, node):
    """The rate of (u' + u x w, w), the node's twist in the body frame: (u'' + u' x w + u x w', w' = -c g.g' w)."""
    keep, R, f, temporary = work.scratch, work.R, b.body, b.temporary
    for k in range(3):
        _combine(numbers, node.data, 6, keep, b, b.modes + k, temporary + 6 * k, 6)
    u, g, g_dot = _three(keep, temporary), _three(keep, temporary + 3), _three(keep, temporary + 9)
    c = 2.0 / (1.0 + dot(g, g))
    w = _turning(g, c, g_dot)
    w_dot = scale(-c * dot(g, g_dot), w)
    lin = add(_three(keep, temporary + 12), add(cross(_three(keep, temporary + 6), w), cross(u, w_dot)))
    alpha = rotate(R, f, w_dot)
    arm = sub(vector(work.p, f), vector(work.O, f))
    put(work.A, node.body, add(rotate(R, f, lin), cross(arm, alpha)), alpha)


@stage
def flexible_forces(system, t, angles, work, first, last):
    """What a flexible body has besides the forces of a rigid one of its present shape (gravity.py).

    Theory (6.7), (6.8).  On the frame, with (C, G)[zeta'] and [zeta'']:  -2 w x C' - C'',  -2 G' w - axial(G'').  On
    mode j, into Q, a less gravity and alpha at v_dot = 0:  w . G_j w - C_j . a - axial(G_j) . alpha - stiffness -
    damping, less the sum over k of T_jk (2 w . axial(sum_l zeta'_l G_lk) + sum_l M_lk zeta''_l).
    """
    table = array_at(system.block, first, (last - first) // SIZE, BODY_OR_NODE)
    numbers, keep, energy = system.numbers, work.scratch, work.energy
    R, V, A, gravity = work.R, work.V, work.A, system.whole[0].gravity
    for i in range(table.shape[0]):
        if table[i].is_node:
            break
        b = table[i].flexible
        f, m, count, zeta, rates, row, temporary = b.body, b.modes, b.shapes, b.zeta, b.rates, b.row, b.temporary
        d = sub(vector(work.p, f), vector(work.O, f))
        w_W, alpha_W = angular(V, f), angular(A, f)
        velocity = add(linear(V, f), cross(w_W, d))
        a_W = add(add(linear(A, f), cross(alpha_W, d)), cross(w_W, velocity))
        a = rotate_back(R, f, sub(a_W, (gravity[0], gravity[1], gravity[2])))
        w, alpha = rotate_back(R, f, w_W), rotate_back(R, f, alpha_W)
        for k in range(2):
            _combine(numbers, b.C, 3, keep, b, m + 1 + k, temporary + 12 * k, 3)
            _combine(keep, b.G_now, 9, keep, b, m + 1 + k, temporary + 12 * k + 3, 9)
        moving = _three(keep, temporary)
        energy[0] += dot(velocity, rotate(R, f, moving)) + dot(w, _axial(keep, temporary + 3))
        push = sub(scale(-2.0, cross(w, moving)), _three(keep, temporary + 12))
        turn = sub(scale(-2.0, _times(keep, temporary + 3, w)), _axial(keep, temporary + 15))
        add_wrench(work.F, f, work.O, vector(work.p, f), rotate(R, f, push), rotate(R, f, turn))
        for k in range(count):
            own = 0.0 * w[0]
            elastic, damped, other = own, own, own
            for l in range(count):
                at, mass, rate = b.pairs + 5 * (l * count + k), numbers[b.M + l * count + k], keep[rates + l]
                own += rate * mass
                elastic += keep[zeta + l] * numbers[at]
                damped += rate * numbers[at + 1]
                other += keep[rates + count + l] * mass + rate * dot(w, _three(numbers, at + 2))
            keep[row + k] = elastic + damped + other
            energy[0] += 0.5 * keep[rates + k] * own
            energy[1] += 0.5 * keep[zeta + k] * elastic
            energy[2] -= keep[rates + k] * damped
        for j in range(m):
            _combine(keep, row, 1, keep, b, j, temporary, 1)
            C, G, dof = b.coupling + 3 * j, b.coupling + 3 * m + 9 * j, b.first_v + j
            inertial = dot(w, _times(keep, G, w)) - dot(_three(keep, C), a) - dot(_axial(keep, G), alpha)
            work.Q[dof] = work.tau[dof] + inertial - keep[temporary]


@stage
def flexible_reactions(system, t, angles, work, first, last):
    """The inertia of bending, sum_j (C, axial(G))[T_j] eta''_j with the accelerations in work.v_dot, as a force on the
    frame: with it the body is a rigid one of its present shape, theory (2.16).
    """
    table = array_at(system.block, first, (last - first) // SIZE, BODY_OR_NODE)
    keep, R = work.scratch, work.R
    for i in range(table.shape[0]):
        if table[i].is_node:
            break
        b = table[i].flexible
        f, C, G = b.body, b.coupling, b.coupling + 3 * b.modes
        for j in range(b.modes):
            x = -work.v_dot[b.first_v + j]
            push, turn = scale(x, _three(keep, C + 3 * j)), scale(x, _axial(keep, G + 9 * j))
            add_wrench(work.F, f, work.O, vector(work.p, f), rotate(R, f, push), rotate(R, f, turn))


FLEXIBLE_BODIES = Family(
    "flexible bodies",
    BODY_OR_NODE,
    {
        Phase.POSES: flexible_poses,
        Phase.INERTIA: flexible_inertia,
        Phase.TWISTS: flexible_twists,
        Phase.FORCES: flexible_forces,
        Phase.REACTIONS: flexible_reactions,
    },
)
