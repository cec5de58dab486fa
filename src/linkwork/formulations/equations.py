"""`evaluate`: the stage that fills the equations of motion for a state; the same for both formulations.

    M v_dot + Phi_v^T lam = Q,   Phi = 0,   Phi_v v = nu,   Phi_v v_dot = gamma

The formulations differ in the tree alone (system/topology.py): in `absolute` coordinates every body hangs on ground
by a free joint and all joints are rows; in `joint` coordinates a spanning tree of joints carries the bodies and
only the joints that close loops are rows.  Hence one code, and block values on patterns frozen in the System.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.applied_force import applied_forces
from linkwork.elements.constraints import (
    constraint_accelerations,
    constraint_jacobian,
    constraint_positions,
    constraint_wrenches,
)
from linkwork.elements.gravity import gravity
from linkwork.elements.rigid_body import world_inertia
from linkwork.elements.spring_damper import spring_dampers
from linkwork.elements.torsional_spring_damper import torsional_spring_dampers
from linkwork.formulations.kinematics import coordinate_rates, inertia_forces, poses, velocities
from linkwork.formulations.mass import generalized_forces, mass_matrix
from linkwork.formulations.workspace import work_reference, workspace
from linkwork.numerics.codes import LEVEL_POSES, LEVEL_VELOCITY
from linkwork.numerics.jit import kernel, part
from linkwork.system.compile import Compiled
from linkwork.system.tables import system_reference


@kernel
def evaluate(system, t, y, angles, work, level):
    """Fill `work` for the state (t, y) up to `level` (numerics/codes.py)."""
    q_count, v_count = system.whole[0].q_count, system.whole[0].v_count
    q = y[:q_count]
    if level != LEVEL_VELOCITY:
        evaluate_position(system, t, q, angles, work, level)
    if level >= LEVEL_VELOCITY:
        evaluate_velocity(system, t, q, y[q_count : q_count + v_count], angles, work)


@part
def evaluate_position(system, t, q, angles, work, level):
    """Poses, Phi; beyond LEVEL_POSES also axes, inertia, M, Phi_v, nu."""
    w = work
    poses(system.bodies, system.dofs, q, w.R, w.p, w.O, w.S)
    constraint_positions(
        system.constraints, system.rows, system.ops, t, w.R, w.p, angles, w.stack, w.Phi, w.nu, w.motion, w.angle
    )
    if level == LEVEL_POSES:
        return
    world_inertia(system.bodies, w.R, w.p, w.O, w.inertia)
    if not system.whole[0].open_tree:
        mass_matrix(system.bodies, system.dofs, w.inertia, w.composite, w.S, w.M)
        constraint_wrenches(system.constraints, system.rows, w.R, w.p, w.O, w.W)
        constraint_jacobian(system.constraints, system.rows, system.columns, w.S, w.W, w.J)


@part
def evaluate_velocity(system, t, q, v, angles, work):
    """Twists, forces, Q, gamma, energies, and q_dot in the first part of `work.rate`."""
    w = work
    velocities(system.bodies, system.dofs, v, w.S, w.V, w.A)
    w.F[:, :] = 0.0
    w.energy[:] = 0.0
    gravity(system.whole[0].gravity, w.inertia, w.O, w.F, w.energy)
    spring_dampers(system.springs, w.R, w.p, w.O, w.V, w.F, w.energy)
    torsional_spring_dampers(system.torsions, w.R, w.p, w.O, w.V, angles, w.F, w.energy, w.angle)
    applied_forces(system.loads, system.ops, t, w.R, w.p, w.O, w.V, w.stack, w.F, w.energy)
    inertia_forces(w.inertia, w.V, w.A, w.F, w.energy)
    if not system.whole[0].open_tree:
        generalized_forces(system.bodies, w.S, w.F, w.tau, w.Q)
        constraint_accelerations(system.constraints, system.rows, w.R, w.p, w.O, w.V, w.A, w.W, w.motion, w.gamma)
    coordinate_rates(system.dofs, q, v, w.rate)


class Equations:
    """A compiled mechanism with a workspace of its own: the equations at a state, called from Python."""

    def __init__(self, compiled: Compiled, scalar: type = np.float64) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.work = workspace(compiled.system, compiled.layout.angle_count, scalar)
        self.system_ref = system_reference(self.system)
        self.work_ref = work_reference(self.work)

    def evaluate(self, t: float, y: np.ndarray, angles: np.ndarray, level: int) -> None:
        """Fill `work` for the state (t, y) up to `level`."""
        evaluate(self.system_ref, t, y, angles, self.work_ref, level)
