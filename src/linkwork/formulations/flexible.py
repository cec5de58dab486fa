"""Flexible bodies in the time loop: a floating frame with m modal coordinates, all integrals precomputed, O(m^2).

The data and the equations are those of flexible/modal_body.py.  In the tree a flexible body is its frame, on which it
hangs by a joint like a rigid body; its modal coordinates are m further motions, and each node at which something is
attached is a massless body of its own that the frame and the modes carry (P3: the outboard nodes share the modes):

    p_n = p + R (x_n + S_n eta - 1/2 eta N_n eta)       N_n: foreshortening, where stiffening is asked for
    R_n = R C(g),   g = Theta_n eta / 2                 C: Cayley's rotation of Rodrigues' parameters g, so that
    w_n = w + R c (g_dot + g x g_dot),  c = 2 / (1 + g.g)   position, velocity and acceleration agree exactly

Geometric stiffening is second-order kinematics (formulations/foreshortening.py): the mass and the nodes come nearer as
the body bends.  So the energy balance stays exact, and M positive definite.
"""

from __future__ import annotations

from linkwork.elements.families import FORCES, INERTIA, MASS, MODAL, POSES, TWISTS
from linkwork.elements.flexible_tables import BOTH, C_T, H0, J0, second_order
from linkwork.formulations.foreshortening import foreshorten, modal_mass, prepare_rates, shift_force, shift_rate
from linkwork.formulations.kinematics import velocities
from linkwork.formulations.poses import poses
from linkwork.numerics.jit import kernel, part
from linkwork.numerics.vectors import (
    add,
    add_wrench,
    angular,
    cross,
    dot,
    linear,
    point_velocity,
    rotate,
    scale,
    sub,
    vector,
)


@kernel
def flexible_poses(system, t, angles, work, first, last):
    """Poses of all bodies in turn; those of nodes from the frame and the modes of their body."""
    table = system.block[first:last].view(BOTH)
    bodies, R, p, O, S = system.bodies, work.R, work.p, work.O, work.S
    done = 1
    for k in range(table.shape[0]):
        if table[k].is_node:
            node = table[k].node
            poses(bodies, system.dofs, work.q, R, p, O, S, done, node.body)
            _node_pose(system, work, table[node.flexible].flexible, node)
            done = node.body + 1
    poses(bodies, system.dofs, work.q, R, p, O, S, done, bodies.shape[0])


@part
def _displacement(numbers, at, m, q, first_q):
    """x + S eta - 1/2 eta N eta of a node whose numbers start at `at`."""
    x, y, z = numbers[at] + 0.0 * q[first_q], numbers[at + 1] + 0.0 * q[first_q], numbers[at + 2] + 0.0 * q[first_q]
    for j in range(m):
        eta = q[first_q + j]
        s = at + 3 + 3 * j
        x += numbers[s] * eta
        y += numbers[s + 1] * eta
        z += numbers[s + 2] * eta
        for i in range(m):
            n = at + 3 + 6 * m + 3 * (i * m + j)
            both = 0.5 * eta * q[first_q + i]
            x -= numbers[n] * both
            y -= numbers[n + 1] * both
            z -= numbers[n + 2] * both
    return x, y, z


@part
def _shape(numbers, at, m, j, q, first_q):
    """Column j of S - N eta: how the node moves with mode j."""
    s = at + 3 + 3 * j
    x, y, z = numbers[s] + 0.0 * q[first_q], numbers[s + 1] + 0.0 * q[first_q], numbers[s + 2] + 0.0 * q[first_q]
    for i in range(m):
        n = at + 3 + 6 * m + 3 * (i * m + j)
        eta = q[first_q + i]
        x -= numbers[n] * eta
        y -= numbers[n + 1] * eta
        z -= numbers[n + 2] * eta
    return x, y, z


@part
def _turn(numbers, at, m, j):
    """Theta_j / 2."""
    s = at + 3 + 3 * m + 3 * j
    return 0.5 * numbers[s], 0.5 * numbers[s + 1], 0.5 * numbers[s + 2]


@part
def _sum_of_turns(numbers, at, m, values, start):
    """sum of Theta_j values_j / 2: Rodrigues' parameters, or their rates."""
    g = scale(0.0 * values[start], _turn(numbers, at, m, 0))
    for j in range(m):
        g = add(g, scale(values[start + j], _turn(numbers, at, m, j)))
    return g


@part
def _node_pose(system, work, flexible, node):
    """Frame of a node, and how each mode moves it."""
    numbers, q, S = system.numbers, work.q, work.S
    m, f, i, at = flexible.modes, flexible.body, node.body, node.data
    R, p, O = work.R, work.p, work.O
    place = add(vector(p, f), rotate(R, f, _displacement(numbers, at, m, q, flexible.first_q)))
    g = _sum_of_turns(numbers, at, m, q, flexible.first_q)
    c = 2.0 / (1.0 + dot(g, g))
    for k in range(3):
        p[i, k] = place[k]
        O[i, k] = O[f, k]
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        ge = cross(g, e)
        turned = rotate(R, f, add(e, scale(c, add(ge, cross(g, ge)))))
        for r in range(3):
            R[i, r, k] = turned[r]
    arm = sub(place, vector(O, f))
    for j in range(m):
        gj = _turn(numbers, at, m, j)
        w = rotate(R, f, scale(c, add(gj, cross(g, gj))))
        v = add(rotate(R, f, _shape(numbers, at, m, j, q, flexible.first_q)), cross(arm, w))
        for r in range(3):
            S[node.first_axis + j, r] = v[r]
            S[node.first_axis + j, 3 + r] = w[r]


@kernel
def flexible_inertia(system, t, angles, work, first, last):
    """C_t and G at eta, and the inertia of the deformed body about O, world axes."""
    table = system.block[first:last].view(BOTH)
    for k in range(table.shape[0]):
        if not table[k].is_node:
            _inertia(system, work, table[k].flexible)


@part
def _inertia(system, work, flexible):
    numbers, keep, q = system.numbers, work.scratch, work.q
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    second = d + second_order(m)
    zero = 0.0 * q[flexible.first_q]
    h = (numbers[d + H0] + zero, numbers[d + H0 + 1] + zero, numbers[d + H0 + 2] + zero)
    for r in range(9):
        keep[s + 12 * m + 3 + r] = numbers[d + J0 + r] + zero
    for j in range(m):
        eta = q[flexible.first_q + j]
        C = d + C_T + 3 * j
        for r in range(3):
            keep[s + 3 * j + r] = numbers[C + r] + zero
        for r in range(9):
            g = numbers[d + C_T + 3 * m + 9 * j + r] + zero
            for i in range(m):
                g += numbers[second + 9 * (i * m + j) + r] * q[flexible.first_q + i]
            keep[s + 3 * m + 9 * j + r] = g
        h = add(h, (eta * numbers[C], eta * numbers[C + 1], eta * numbers[C + 2]))
        _add_inertia(numbers, keep, d + C_T + 3 * m + 9 * j, s + 3 * m + 9 * j, eta, s + 12 * m + 3)
    if flexible.foreshortens:
        h = foreshorten(system, work, flexible, h)
    for r in range(3):
        keep[s + 12 * m + r] = h[r]
    _write_inertia(system, work, flexible, h)


@part
def _add_inertia(numbers, keep, first, now, eta, J):
    """J += eta sym(G0_j + G_j(eta)): so J(eta) = J0 + sum_j eta_j sym(G0_j + G_j(eta))."""
    for r in range(3):
        for c in range(3):
            a, b = 3 * r + c, 3 * c + r
            both = numbers[first + a] + numbers[first + b] + keep[now + a] + keep[now + b]
            keep[J + a] += 0.5 * eta * both


@part
def _write_inertia(system, work, flexible, h_local):
    """(m, h, J) about O: J_O = J_p + m (d.d 1 - d d) + 2 d.h 1 - (d h + h d), d from O to the frame."""
    R, inertia, f = work.R, work.inertia, flexible.body
    mass = system.numbers[flexible.data]
    h = rotate(R, f, h_local)
    d = sub(vector(work.p, f), vector(work.O, f))
    columns = (
        _turned_column(system, work, flexible, 0),
        _turned_column(system, work, flexible, 1),
        _turned_column(system, work, flexible, 2),
    )
    same = mass * dot(d, d) + 2.0 * dot(d, h)
    inertia[f, 0] = mass
    for r in range(3):
        inertia[f, 1 + r] = h[r] + mass * d[r]
    inertia[f, 4] = columns[0][0] + same - mass * d[0] * d[0] - 2.0 * d[0] * h[0]
    inertia[f, 5] = columns[1][1] + same - mass * d[1] * d[1] - 2.0 * d[1] * h[1]
    inertia[f, 6] = columns[2][2] + same - mass * d[2] * d[2] - 2.0 * d[2] * h[2]
    inertia[f, 7] = columns[0][1] - mass * d[0] * d[1] - d[0] * h[1] - d[1] * h[0]
    inertia[f, 8] = columns[0][2] - mass * d[0] * d[2] - d[0] * h[2] - d[2] * h[0]
    inertia[f, 9] = columns[1][2] - mass * d[1] * d[2] - d[1] * h[2] - d[2] * h[1]


@part
def _turned_column(system, work, flexible, k):
    """Column k of R J R^T."""
    R, f = work.R, flexible.body
    J = flexible.scratch + 12 * flexible.modes + 3
    return rotate(R, f, _times(work.scratch, J, (R[f, k, 0], R[f, k, 1], R[f, k, 2])))


@part
def _own_momentum(work, flexible, j):
    """Momentum of a unit rate of mode j: force-like part, and moment-like part about O; world axes."""
    keep, R, f = work.scratch, work.R, flexible.body
    m, s = flexible.modes, flexible.scratch
    push = rotate(R, f, (keep[s + 3 * j], keep[s + 3 * j + 1], keep[s + 3 * j + 2]))
    turn = add(rotate(R, f, _axial(keep, s + 3 * m + 9 * j)), cross(sub(vector(work.p, f), vector(work.O, f)), push))
    return push, turn


@part
def _axial(a, at):
    """(A_yz - A_zy, A_zx - A_xz, A_xy - A_yx) of the matrix whose nine entries start at a[at]."""
    return a[at + 5] - a[at + 7], a[at + 6] - a[at + 2], a[at + 1] - a[at + 3]


@kernel
def flexible_mass(system, t, angles, work, first, last):
    """Rows of M that belong to modal coordinates: the body's own, and what hangs on its nodes."""
    table = system.block[first:last].view(BOTH)
    axes, S, M = system.axes, work.S, work.M
    for k in range(table.shape[0]):
        if table[k].is_node:
            continue
        flexible = table[k].flexible
        m = flexible.modes
        matrix = flexible.data + second_order(m) + 9 * m * m
        for j in range(m):
            dof = system.dofs[flexible.first_v + j]
            push, turn = _own_momentum(work, flexible, j)
            for i in range(j + 1):
                own = system.numbers[matrix + i * m + j] + 0.0 * push[0]
                if flexible.foreshortens:
                    own += modal_mass(system, work, flexible, i, j)
                M[dof.row + system.dofs[flexible.first_v + i].depth] = own
            for n in range(flexible.first_node, flexible.first_node + flexible.node_count):
                node = table[n].node
                carried, turned = _composite_momentum(work, node.body, node.first_axis + j)
                push, turn = add(push, carried), add(turn, turned)
                for i in range(j + 1):
                    a = node.first_axis + i
                    M[dof.row + axes[a].depth] += dot(linear(S, a), carried) + dot(angular(S, a), turned)
            a = system.dofs[flexible.first_v].parent
            while a >= 0:
                M[dof.row + axes[a].depth] = dot(linear(S, a), push) + dot(angular(S, a), turn)
                a = axes[a].before


@part
def _composite_momentum(work, i, a):
    """K_i S_a: momentum of all that hangs on node body i when axis a moves it."""
    K, S = work.composite, work.S
    v, w = linear(S, a), angular(S, a)
    h = (K[i, 1], K[i, 2], K[i, 3])
    push = add(scale(K[i, 0], v), cross(w, h))
    turned = (
        K[i, 4] * w[0] + K[i, 7] * w[1] + K[i, 8] * w[2],
        K[i, 7] * w[0] + K[i, 5] * w[1] + K[i, 9] * w[2],
        K[i, 8] * w[0] + K[i, 9] * w[1] + K[i, 6] * w[2],
    )
    return push, add(turned, cross(h, v))


@kernel
def flexible_twists(system, t, angles, work, first, last):
    """Twists of all bodies in turn, and their rates at v_dot = 0; those of nodes from their body and its modes."""
    table = system.block[first:last].view(BOTH)
    bodies, v, S, V, A = system.bodies, work.v, work.S, work.V, work.A
    done = 1
    for k in range(table.shape[0]):
        if table[k].is_node:
            node = table[k].node
            velocities(bodies, system.dofs, v, S, V, A, done, node.body)
            _node_twist(system, work, table[node.flexible].flexible, node)
            done = node.body + 1
    velocities(bodies, system.dofs, v, S, V, A, done, bodies.shape[0])


@part
def _node_twist(system, work, flexible, node):
    """V = V_f + S eta', and its rate: the acceleration of the moving point of a turning frame, written about O."""
    numbers, q, v, S, V, A = system.numbers, work.q, work.v, work.S, work.V, work.A
    m, f, i, at = flexible.modes, flexible.body, node.body, node.data
    R, p, O = work.R, work.p, work.O
    for r in range(6):
        V[i, r] = V[f, r]
        for j in range(m):
            V[i, r] += S[node.first_axis + j, r] * v[flexible.first_v + j]
    w, alpha = angular(V, f), angular(A, f)
    place, frame = vector(p, i), vector(p, f)
    moving = (0.0 * w[0], 0.0 * w[1], 0.0 * w[2])  # u' and u'' of the node in body axes
    bending = moving
    for j in range(m):
        rate = v[flexible.first_v + j]
        moving = add(moving, scale(rate, _shape(numbers, at, m, j, q, flexible.first_q)))
        for k in range(m):
            n = at + 3 + 6 * m + 3 * (k * m + j)
            bending = sub(
                bending, scale(rate * v[flexible.first_v + k], (numbers[n], numbers[n + 1], numbers[n + 2]))
            )
    g = _sum_of_turns(numbers, at, m, q, flexible.first_q)
    g_dot = _sum_of_turns(numbers, at, m, v, flexible.first_v)
    c = 2.0 / (1.0 + dot(g, g))
    turning = add(g_dot, cross(g, g_dot))
    w_rel = rotate(R, f, scale(c, turning))
    alpha_n = add(add(alpha, cross(w, w_rel)), rotate(R, f, scale(-c * c * dot(g, g_dot), turning)))
    r_n = sub(place, frame)
    a_f = add(add(linear(A, f), cross(alpha, sub(frame, vector(O, f)))), cross(w, point_velocity(V, O, f, frame)))
    a_n = add(add(a_f, cross(alpha, r_n)), cross(w, cross(w, r_n)))
    a_n = add(add(a_n, scale(2.0, cross(w, rotate(R, f, moving)))), rotate(R, f, bending))
    back = add(cross(alpha_n, sub(place, vector(O, i))), cross(angular(V, i), point_velocity(V, O, i, place)))
    lin = sub(a_n, back)
    for r in range(3):
        A[i, r] = lin[r]
        A[i, 3 + r] = alpha_n[r]


@kernel
def flexible_forces(system, t, angles, work, first, last):
    """What a flexible body has besides the forces of a rigid one of its present shape (kinematics.py, gravity.py).

    On the frame: -2 w x C_t eta', -2 sum_j eta'_j G_j w.  On mode j, kept for later: gravity,
    stiffness, damping, -(C_t,j . a + C_r,j . alpha - w . G_j w + 2 w . axial(G'_j)), a and alpha at v_dot = 0.
    """
    table = system.block[first:last].view(BOTH)
    for k in range(table.shape[0]):
        if not table[k].is_node:
            _forces(system, work, table[k].flexible)


@part
def _into(R, f, a):
    """R^T a: world to body axes."""
    return (
        R[f, 0, 0] * a[0] + R[f, 1, 0] * a[1] + R[f, 2, 0] * a[2],
        R[f, 0, 1] * a[0] + R[f, 1, 1] * a[1] + R[f, 2, 1] * a[2],
        R[f, 0, 2] * a[0] + R[f, 1, 2] * a[1] + R[f, 2, 2] * a[2],
    )


@part
def _times(a, at, b):
    """The matrix whose nine entries start at a[at], times b."""
    return (
        a[at] * b[0] + a[at + 1] * b[1] + a[at + 2] * b[2],
        a[at + 3] * b[0] + a[at + 4] * b[1] + a[at + 5] * b[2],
        a[at + 6] * b[0] + a[at + 7] * b[1] + a[at + 8] * b[2],
    )


@part
def _forces(system, work, flexible):
    numbers, keep, q, v = system.numbers, work.scratch, work.q, work.v
    m, d, s, f = flexible.modes, flexible.data, flexible.scratch, flexible.body
    R, p, O, V, A = work.R, work.p, work.O, work.V, work.A
    frame = vector(p, f)
    w_W, alpha_W = angular(V, f), angular(A, f)
    velocity_W = point_velocity(V, O, f, frame)
    a_W = add(add(linear(A, f), cross(alpha_W, sub(frame, vector(O, f)))), cross(w_W, velocity_W))
    w, a, alpha, velocity = _into(R, f, w_W), _into(R, f, a_W), _into(R, f, alpha_W), _into(R, f, velocity_W)
    field = system.whole[0].gravity
    g = _into(R, f, (field[0], field[1], field[2]))
    second = d + second_order(m)
    squares = second + 9 * m * m
    nothing = scale(0.0, w)
    moving, gyration, spin_momentum = nothing, nothing, nothing
    for j in range(m):
        C = (keep[s + 3 * j], keep[s + 3 * j + 1], keep[s + 3 * j + 2])
        moving = add(moving, scale(v[flexible.first_v + j], C))
    if flexible.foreshortens:
        prepare_rates(system, work, flexible)
    for j in range(m):
        rate, eta = v[flexible.first_v + j], q[flexible.first_q + j]
        C = (keep[s + 3 * j], keep[s + 3 * j + 1], keep[s + 3 * j + 2])
        G_w = _times(keep, s + 3 * m + 9 * j, w)
        C_r = _axial(keep, s + 3 * m + 9 * j)
        gyroscopic = 0.0 * w[0]
        elastic, damped, own = 0.0 * w[0], 0.0 * w[0], 0.0 * w[0]
        for i in range(m):
            other = v[flexible.first_v + i]
            gyroscopic += other * dot(w, _axial(numbers, second + 9 * (i * m + j)))
            own += numbers[squares + i * m + j] * other
            if flexible.foreshortens:
                own += modal_mass(system, work, flexible, i, j) * other
            elastic += numbers[squares + m * m + i * m + j] * q[flexible.first_q + i]
            damped += numbers[squares + 2 * m * m + i * m + j] * other
        force = dot(C, sub(g, a)) - dot(C_r, alpha) + dot(w, G_w) - 2.0 * gyroscopic - elastic - damped
        if flexible.foreshortens:
            force -= shift_rate(system, work, flexible, j, moving, w)
        keep[s + 12 * m + 12 + j] = force
        gyration = add(gyration, scale(rate, G_w))
        spin_momentum = add(spin_momentum, scale(rate, C_r))
        work.energy[0] += 0.5 * rate * own
        work.energy[1] += 0.5 * eta * elastic
        work.energy[2] -= rate * damped
    work.energy[0] += dot(velocity, moving) + dot(w, spin_momentum)
    push, turn = scale(-2.0, cross(w, moving)), scale(-2.0, gyration)
    if flexible.foreshortens:
        shifted, turned = shift_force(system, work, flexible)
        push, turn = sub(push, shifted), sub(turn, turned)
    add_wrench(work.F, f, O, frame, rotate(R, f, push), rotate(R, f, turn))


@kernel
def modal_forces(system, t, angles, work, first, last):
    """Q of the modal coordinates: the body's own, and what acts on its nodes and all that hangs on them."""
    table = system.block[first:last].view(BOTH)
    S, F = work.S, work.F
    for k in range(table.shape[0]):
        if table[k].is_node:
            continue
        flexible = table[k].flexible
        m, s = flexible.modes, flexible.scratch
        for j in range(m):
            Q = work.tau[flexible.first_v + j] + work.scratch[s + 12 * m + 12 + j]
            for n in range(flexible.first_node, flexible.first_node + flexible.node_count):
                node = table[n].node
                a = node.first_axis + j
                Q += dot(linear(S, a), linear(F, node.body)) + dot(angular(S, a), angular(F, node.body))
            work.Q[flexible.first_v + j] = Q


FLEXIBLE_KERNELS = {
    POSES: flexible_poses,
    INERTIA: flexible_inertia,
    MASS: flexible_mass,
    TWISTS: flexible_twists,
    FORCES: flexible_forces,
    MODAL: modal_forces,
}
