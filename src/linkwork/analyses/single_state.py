"""Single calls from Python: forward and inverse dynamics of one state or of many, and the mass matrix, for control,
learning and teaching.

Joint coordinates in the order of `Calls.q_names` and `Calls.v_names`; SI units.  All forces are taken at t = 0.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.assembly import Start
from linkwork.compiler.argument_types import MATRIX, STATUS, SYSTEM, VECTOR, VOID, WHOLE, WORK
from linkwork.compiler.kernels import Exports, Kernel, export, kernel, part
from linkwork.compiler.references import opener
from linkwork.elements.bodies.rigid_inertia import world_inertia
from linkwork.errors import Entry, NumericalError, OptionError
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
from linkwork.system.pattern import refuse_tall

open_system, open_work = opener(SYSTEM), opener(WORK)


@kernel
def forward_dynamics(system_at, work_at, q, v, tau, v_dot):
    """v_dot for generalized forces tau on the motions."""
    return _accelerate(open_system(system_at), open_work(work_at), q, v, tau, v_dot)


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
    _need(open_system(system_at), open_work(work_at), q, v, v_dot, tau)


@kernel
def inverse_of_states(system_at, work_at, q, v, v_dot, tau):
    """The same of many states, one a row."""
    system, work = open_system(system_at), open_work(work_at)
    for n in range(q.shape[0]):
        _need(system, work, q[n], v[n], v_dot[n], tau[n])


@part
def _need(system, work, q, v, v_dot, tau):
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
    """The dynamics of one mechanism, one state a call, or many: arrays [state, coordinate] in place of [coordinate]."""

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
        if getattr(q, "ndim", 1) == 2:
            return self._of_states(forward_of_states, q, v, tau, out)
        v_dot = np.empty(len(self.v_names)) if out is None else out
        status = forward_dynamics(self.system_at, self.work_at, q, v, self.nothing if tau is None else tau, v_dot)
        if status != OK:
            raise _no_inertia()
        return v_dot

    def inverse(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Generalized forces (N m, N) that the motions need for the accelerations v_dot (rad/s2, m/s2)."""
        if getattr(q, "ndim", 1) == 2 and not self.flexible:
            return self._of_states(inverse_of_states, q, v, v_dot, out)
        if getattr(q, "ndim", 1) == 2:
            return np.array([self.inverse(*state) for state in zip(q, v, v_dot, strict=True)])
        tau = np.empty(len(self.v_names)) if out is None else out
        if self.flexible:
            tau[:] = self.mass_matrix(q) @ v_dot - self._forces(q, v)
        else:
            inverse_dynamics(self.system_at, self.work_at, q, v, v_dot, tau)
        return tau

    def _of_states(
        self, kernel: Kernel, q: np.ndarray, v: np.ndarray, given: np.ndarray | None, out: np.ndarray | None
    ) -> np.ndarray:
        """Many states in one call of the compiled code; their shapes are checked once."""
        shape = len(q), len(self.v_names)
        given = np.zeros(shape) if given is None else given
        found = np.empty(shape) if out is None else out
        wanted = (("q", q, (len(q), len(self.q_names))), ("v", v, shape), ("the third", given, shape),
                  ("out", found, shape))  # fmt: skip
        for name, array, expected in wanted:
            if array.shape != expected:
                raise OptionError(f"'{name}' has the shape {array.shape}; give {expected}: one row for each state")
        if kernel(self.system_at, self.work_at, *map(np.ascontiguousarray, (q, v, given)), found) not in (OK, None):
            raise _no_inertia()
        return found

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
        refuse_tall(self.equations.system.dofs)
        dense = np.zeros((len(self.v_names), len(self.v_names)))
        mass_matrix_of(self.system_at, self.work_at, q, dense)
        return dense


def _no_inertia() -> NumericalError:
    return NumericalError(
        "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
    )


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(forward_dynamics, STATUS, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(inverse_dynamics, VOID, WHOLE, WHOLE, VECTOR, VECTOR, VECTOR, VECTOR)
    yield export(forward_of_states, STATUS, WHOLE, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX)
    yield export(inverse_of_states, VOID, WHOLE, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX)
    yield export(mass_matrix_of, VOID, WHOLE, WHOLE, VECTOR, MATRIX)
