"""Single calls from Python: forward and inverse dynamics and the mass matrix of one state, for control and teaching.

Joint coordinates in the order of `Calls.q_names` and `Calls.v_names`; SI units.  All forces are taken at t = 0.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.assembly import Start
from linkwork.compiler.argument_types import MATRIX, STATUS, SYSTEM, VECTOR, VOID, WHOLE, WORK
from linkwork.compiler.kernels import Exports, export, kernel
from linkwork.compiler.references import opener
from linkwork.elements.bodies.rigid_inertia import world_inertia
from linkwork.errors import Entry, NumericalError
from linkwork.formulations.equations import (
    Equations,
    call_forces,
    evaluate_position,
    evaluate_velocity,
    known_turns,
    loads_agree,
)
from linkwork.formulations.inverse import motion_of_bodies, needed_forces
from linkwork.formulations.mass import mass_matrix
from linkwork.formulations.poses import poses
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.methods.articulated import accelerations
from linkwork.methods.normal_step import factorize
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE, LEVEL_EQUATIONS, LEVEL_POSITION, OK
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled

open_system, open_work = opener(SYSTEM), opener(WORK)


@kernel
def forward_dynamics(system_at, work_at, q, v, tau, v_dot):
    """v_dot for generalized forces tau on the motions."""
    system, work = open_system(system_at), open_work(work_at)
    angles = work.angle
    for j in range(tau.shape[0]):
        work.tau[j] = tau[j]
    known_turns(system, q, angles)
    evaluate_position(system, 0.0, q, angles, work, LEVEL_POSITION)
    evaluate_velocity(system, 0.0, q, v, angles, work)
    if system.whole[0].open_tree:
        status = accelerations(system.bodies, work.inertia, work.S, work.F, work.tau, work.composite, work.U, v_dot)
    else:
        status = factorize(system, work)
        for n in range(MOST_ROUNDS):
            constrain(system, work, ACCELERATE)
            if loads_agree(system, 0.0, angles, work, n):
                break
        for j in range(v_dot.shape[0]):
            v_dot[j] = work.v_dot[j]
    return status


@kernel
def inverse_dynamics(system_at, work_at, q, v, v_dot, tau):
    """tau that the motions need for v_dot, by recursive Newton-Euler; constraint rows left out."""
    system, work = open_system(system_at), open_work(work_at)
    bodies, dofs = system.bodies, system.dofs
    R, p, O, S, V, A, F, inertia = work.R, work.p, work.O, work.S, work.V, work.A, work.F, work.inertia
    known_turns(system, q, work.angle)
    poses(bodies, dofs, q, R, p, O, S, 1, bodies.shape[0])
    world_inertia(bodies, R, p, O, inertia)
    motion_of_bodies(bodies, dofs, system.whole[0].gravity, v, v_dot, S, V, A, work.composite)
    F[:, :] = 0.0
    if work.stages.shape[0] > 0:
        call_forces(system, 0.0, work.angle, work)
    needed_forces(bodies, inertia, V, A, work.composite, S, F, tau)


@kernel
def mass_matrix_of(system_at, work_at, q, dense):
    """M as a dense matrix."""
    system, work = open_system(system_at), open_work(work_at)
    angles = work.angle
    evaluate_position(system, 0.0, q, angles, work, LEVEL_POSITION)
    mass_matrix(system.bodies, system.dofs, system.axes, work.inertia, work.composite, work.S, work.M)
    scatter(system.dofs, work.M, dense)


class Calls:
    """The dynamics of one mechanism, one state a call."""

    def __init__(self, start: Start) -> None:
        compiled: Compiled = start.compiled
        self.equations = Equations(compiled)
        self.q_names, self.v_names = compiled.layout.q_names, compiled.layout.v_names
        self.equations.work.angle[:] = start.angles
        self.system_at, self.work_at = self.equations.system_ref.address, self.equations.work_ref.address
        self.nothing = np.zeros(len(self.v_names))
        self.flexible = any(body.modal is not None for body in compiled.mechanism.body)

    def forward(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Accelerations (rad/s2, m/s2) for generalized forces tau (N m, N)."""
        v_dot = np.empty(len(self.v_names)) if out is None else out
        status = forward_dynamics(self.system_at, self.work_at, q, v, self.nothing if tau is None else tau, v_dot)
        if status != OK:
            raise NumericalError(
                "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
            )
        return v_dot

    def inverse(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Generalized forces (N m, N) that the motions need for the accelerations v_dot (rad/s2, m/s2)."""
        tau = np.empty(len(self.v_names)) if out is None else out
        if self.flexible:
            tau[:] = self.mass_matrix(q) @ v_dot - self._forces(q, v)
        else:
            inverse_dynamics(self.system_at, self.work_at, q, v, v_dot, tau)
        return tau

    def _forces(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Q of M v_dot = Q: all forces and what the motion itself demands, constraint rows left out."""
        work = self.equations.work
        work.tau[:] = 0.0
        y = np.zeros(len(work.rate))
        y[: len(q) + len(v)] = np.concatenate([q, v])
        self.equations.evaluate(0.0, y, work.angle.copy(), LEVEL_EQUATIONS)
        return np.asarray(work.Q)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M (kg, kg m, kg m2)."""
        dense = np.zeros((len(self.v_names), len(self.v_names)))
        mass_matrix_of(self.system_at, self.work_at, q, dense)
        return dense


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(forward_dynamics, STATUS, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(inverse_dynamics, VOID, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(mass_matrix_of, VOID, WHOLE, WHOLE, VECTOR, MATRIX)
