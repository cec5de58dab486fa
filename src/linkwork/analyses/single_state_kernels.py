"""Kernels of single calls: accelerations of given forces, forces of given accelerations, the mass matrix."""

from __future__ import annotations

from linkwork.compiler.argument_types import MATRIX, STATUS, SYSTEM, VECTOR, VOID, WHOLE, WORK
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.compiler.references import opener
from linkwork.elements.bodies.rigid_inertia import world_inertia
from linkwork.formulations.equations import (
    call_forces,
    evaluate_position,
    evaluate_velocity,
    known_turns,
    loads_agree,
)
from linkwork.formulations.inverse import needed_forces
from linkwork.formulations.kinematics import inertia_forces, velocities
from linkwork.formulations.mass import generalized_forces, mass_matrix
from linkwork.formulations.poses import poses
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.methods.articulated import accelerations
from linkwork.methods.normal_step import factorize
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE, LEVEL_POSITION, OK
from linkwork.numerics.tree_matrix import scatter

open_system, open_work = opener(SYSTEM), opener(WORK)
WRONG_LENGTH = -1  # no Status: a vector does not have as many entries as there are coordinates or motions


@kernel
def forward_dynamics(system_at, work_at, q, v, tau, v_dot):
    """v_dot for generalized forces tau on the motions."""
    system = open_system(system_at)
    if not _fit(system, q, v, tau, v_dot):
        return WRONG_LENGTH
    return _accelerate(system, open_work(work_at), q, v, tau, v_dot)


@kernel
def forward_of_states(system_at, work_at, q, v, tau, v_dot):
    """The same of many states, one a row; the first status that is not OK ends it."""
    system, work = open_system(system_at), open_work(work_at)
    for n in range(q.shape[0]):
        status = _accelerate(system, work, q[n], v[n], tau[n], v_dot[n])
        if status != OK:
            return status
    return OK


@part
def _accelerate(system, work, q, v, tau, v_dot):
    for j in range(tau.shape[0]):
        work.tau[j] = tau[j]
    if system.whole[0].open_tree:
        if work.stages.shape[0] == 0:
            _fall(system, work, q, v)
        else:
            _evaluate(system, work, q, v)
        return accelerations(system.bodies, work.inertia, work.S, work.F, work.tau, work.composite, work.U, v_dot)
    _evaluate(system, work, q, v)
    status = factorize(system, work)
    for n in range(MOST_ROUNDS):
        constrain(system, work, ACCELERATE)
        if loads_agree(system, 0.0, work.angle, work, n):
            break
    for j in range(v_dot.shape[0]):
        v_dot[j] = work.v_dot[j]
    return status


@part
def _evaluate(system, work, q, v):
    """All that accelerations need."""
    known_turns(system, q, work.angle)
    evaluate_position(system, 0.0, q, work.angle, work, LEVEL_POSITION)
    evaluate_velocity(system, 0.0, q, v, work.angle, work)


@part
def _fall(system, work, q, v):
    """The same of a tree on which nothing acts but weight, for which ground is made to accelerate with -g."""
    bodies, S, V, A, F = system.bodies, work.S, work.V, work.A, work.F
    poses(bodies, system.dofs, q, work.R, work.p, work.O, S, 1, bodies.shape[0])
    world_inertia(bodies, work.R, work.p, work.O, work.inertia)
    for k in range(3):
        A[0, k] = -system.whole[0].gravity[k]
    velocities(bodies, system.dofs, v, S, V, A, 1, bodies.shape[0])
    for k in range(3):
        A[0, k] = 0.0  # ground stands still for everyone else
    F[:, :] = 0.0
    work.energy[:] = 0.0
    inertia_forces(work.inertia, V, A, F, work.energy)


@kernel
def inverse_dynamics(system_at, work_at, q, v, v_dot, tau):
    """tau that the motions need for v_dot, by recursive Newton-Euler; constraint rows left out."""
    system = open_system(system_at)
    if not _fit(system, q, v, v_dot, tau):
        return WRONG_LENGTH
    _need(system, open_work(work_at), q, v, v_dot, tau)
    return OK


@part
def _fit(system, q, v, given, found):
    whole = system.whole[0]
    n = whole.v_count
    return q.shape[0] == whole.q_count and v.shape[0] == n and given.shape[0] == n and found.shape[0] == n


@kernel
def inverse_of_states(system_at, work_at, q, v, v_dot, tau):
    """The same of many states, one a row."""
    system, work = open_system(system_at), open_work(work_at)
    for n in range(q.shape[0]):
        _need(system, work, q[n], v[n], v_dot[n], tau[n])


@part
def _need(system, work, q, v, v_dot, tau):
    bodies, dofs, gravity = system.bodies, system.dofs, system.whole[0].gravity
    loaded = work.stages.shape[0] > 0
    if loaded:
        _loads(system, work, q, v)
    needed_forces(bodies, dofs, gravity, q, v, v_dot, work.U, work.V, work.A, work.composite, work.F, tau)
    if loaded:
        for j in range(tau.shape[0]):
            tau[j] -= work.Q[j]
    for k in range(6):
        work.V[0, k] = 0.0  # ground stands still for everyone else


@part
def _loads(system, work, q, v):
    """What the forces of the model do to the motions, in work.Q."""
    bodies, R, p, O, S, V, A, F = system.bodies, work.R, work.p, work.O, work.S, work.V, work.A, work.F
    known_turns(system, q, work.angle)
    poses(bodies, system.dofs, q, R, p, O, S, 1, bodies.shape[0])
    world_inertia(bodies, R, p, O, work.inertia)
    velocities(bodies, system.dofs, v, S, V, A, 1, bodies.shape[0])
    F[:, :] = 0.0
    work.tau[:] = 0.0
    call_forces(system, 0.0, work.angle, work)
    generalized_forces(bodies, S, F, work.tau, work.Q)


@kernel
def mass_matrix_of(system_at, work_at, q, dense):
    """M as a dense matrix."""
    system, work = open_system(system_at), open_work(work_at)
    angles = work.angle
    evaluate_position(system, 0.0, q, angles, work, LEVEL_POSITION)
    mass_matrix(system.bodies, system.dofs, system.axes, work.inertia, work.composite, work.S, work.M)
    scatter(system.dofs, work.M, dense)


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(forward_dynamics, STATUS, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(inverse_dynamics, STATUS, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(forward_of_states, STATUS, WHOLE, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX)
    yield export(inverse_of_states, VOID, WHOLE, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX)
    yield export(mass_matrix_of, VOID, WHOLE, WHOLE, VECTOR, MATRIX)
