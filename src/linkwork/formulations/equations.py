"""`evaluate`: the stage that fills the equations of motion for a state; the same for both formulations.

    M v_dot + Phi_v^T lam = Q,   Phi = 0,   Phi_v v = nu,   Phi_v v_dot = gamma

M and Q are those of the motions v of the tree, B^T M B and B^T (F - M B' v) of its bodies, theory (3.1), where the
columns of B are the axes S of the motions on the way to a body; recursion (mass.py, kinematics.py) takes B's place.

The formulations differ in the tree alone (system/topology.py): in `absolute` coordinates every body hangs on ground
by a free joint and all joints are rows; in `joint` coordinates a spanning tree of joints carries the bodies and
only the joints that close loops are rows.  Hence one code, and block values on patterns frozen in the System.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from linkwork.compiler.addresses import call_kernel, kernel_address
from linkwork.compiler.kernels import Kernel, kernel, part
from linkwork.compiler.references import Reference
from linkwork.elements.bodies.gravity import gravity
from linkwork.elements.bodies.rigid_inertia import world_inertia
from linkwork.elements.constraints.rows import (
    constraint_accelerations,
    constraint_jacobian,
    constraint_positions,
    constraint_wrenches,
)
from linkwork.elements.family import FAMILY_KERNEL, FamilyTable, Phase
from linkwork.elements.forces.callbacks import pass_on_failure
from linkwork.formulations.kinematics import coordinate_rates, inertia_forces, velocities
from linkwork.formulations.mass import add_nodes, generalized_forces, mass_matrix
from linkwork.formulations.plane.records import PlaneTables
from linkwork.formulations.plane.rows import accelerations_in_plane, jacobian_in_plane, positions_in_plane
from linkwork.formulations.plane.tree import (
    forces_in_plane,
    masses_in_plane,
    no_forces,
    poses_in_plane,
    put_poses,
    put_twists,
    take_forces,
    twists_in_plane,
)
from linkwork.formulations.poses import poses
from linkwork.formulations.workspace import begin, workspace
from linkwork.numerics.status import LEVEL_EQUATIONS, LEVEL_POSES, LEVEL_VELOCITY
from linkwork.system.pattern import refuse_tall

if TYPE_CHECKING:
    from linkwork.system.compile import Compiled
    from linkwork.system.layout import Layout


@kernel
def evaluate(system, t, y, angles, work, level):
    """Fill `work` for the state (t, y) up to `level` (numerics/status.py)."""
    q_count, v_count = system.whole[0].q_count, system.whole[0].v_count
    q = y[:q_count]
    for k in range(work.s.shape[0]):
        work.s[k] = y[q_count + v_count + k]
    known_turns(system, q, angles)
    if work.plane.shape[0] > 0:
        evaluate_in_plane(system, t, y, angles, work, level)
        return
    if level != LEVEL_VELOCITY:
        evaluate_position(system, t, q, angles, work, level)
    if level >= LEVEL_VELOCITY:
        evaluate_velocity(system, t, q, y[q_count : q_count + v_count], angles, work)
    if level == LEVEL_EQUATIONS and (system.whole[0].open_tree or work.fronts.shape[0] > 0):
        mass_matrix(system.bodies, system.dofs, system.axes, work.inertia, work.composite, work.S, work.M)
    if level == LEVEL_EQUATIONS and system.whole[0].open_tree:
        generalized_forces(system.bodies, work.S, work.F, work.tau, work.Q)


@part
def known_turns(system, q, angles):
    """Counted angles that are coordinates of the tree are where their coordinates are, however long the step."""
    count = system.known.shape[0]
    for k in range(count):
        if system.known[k] >= 0:
            angles[k] = q[system.known[k]].real
            angles[count + k] = 0.0


@part
def evaluate_position(system, t, q, angles, work, level):
    """Poses, Phi; beyond LEVEL_POSES also axes, inertia, M, Phi_v, nu."""
    bodies, dofs, whole = system.bodies, system.dofs, system.whole[0]
    R, p, O, S = work.R, work.p, work.O, work.S
    if whole.flexible:
        keep_coordinates(q, work)
        call_families(Phase.POSES, system, t, angles, work)
    poses(bodies, dofs, q, R, p, O, S, 1, bodies.shape[0])
    if whole.open_tree:
        if level != LEVEL_POSES:
            world_inertia(bodies, R, p, O, work.inertia)
            if whole.flexible:
                call_families(Phase.INERTIA, system, t, angles, work)
        return
    constraints, rows = system.constraints, system.rows
    constraint_positions(
        constraints, rows, work.row_state, system.ops, inside(work, t), R, p, work.s, work.stack, work.Phi, work.nu,
        work.motion, work.angle,
    )  # fmt: skip
    inertia, W = work.inertia, work.W
    if level == LEVEL_POSES:
        call_families(Phase.ROWS, system, t, angles, work)
        return
    world_inertia(bodies, R, p, O, inertia)
    if whole.flexible:
        call_families(Phase.INERTIA, system, t, angles, work)
    if work.fronts.shape[0] == 0:
        mass_matrix(bodies, dofs, system.axes, inertia, work.composite, S, work.M)
    if whole.flexible:
        add_nodes(bodies, dofs, system.axes, work.composite, S, work.M)
    constraint_wrenches(constraints, rows, work.row_state, R, p, O, W)
    call_families(Phase.ROWS, system, t, angles, work)
    constraint_jacobian(constraints, rows, system.columns, S, W, work.J)
    call_families(Phase.COLUMNS, system, t, angles, work)


@part
def keep_coordinates(q, work):
    """The coordinates, for kernels of families that read them."""
    for k in range(q.shape[0]):
        work.q[k] = q[k]


@part
def evaluate_in_plane(system, t, y, angles, work, level):
    """The same for a mechanism that moves in a plane; elements find its bodies in space."""
    q_count, v_count = system.whole[0].q_count, system.whole[0].v_count
    q, v = y[:q_count], y[q_count : q_count + v_count]
    if level != LEVEL_VELOCITY:
        poses_in_plane(system, q, work)
        positions_in_plane(system, inside(work, t), work)
        if level == LEVEL_POSES:
            return
        if system.whole[0].flexible:
            keep_coordinates(q, work)
        masses_in_plane(system, work)
        jacobian_in_plane(system, work)
    if level >= LEVEL_VELOCITY:
        for j in range(v.shape[0]):
            work.v[j] = v[j]
        twists_in_plane(v, work)
        put_twists(work)
        work.energy[:] = 0.0
        if work.stages.shape[0] > 0:
            put_poses(work)
            work.F[:, :] = 0.0
            call_forces(system, inside(work, t), angles, work)
            take_forces(work)
        else:
            no_forces(work)
        forces_in_plane(work)
        accelerations_in_plane(system, work)
        coordinate_rates(system.dofs, q, v, work.rate)


@part
def call_families(phase, system, t, angles, work):
    """The kernels of this phase, in the order of the families."""
    stages = work.stages
    for k in range(stages.shape[0]):
        if stages[k].phase == phase:
            call_kernel(stages[k].address, system, t, angles, work, stages[k].first, stages[k].last)


@part
def call_forces(system, t, angles, work):
    """Signals, then forces, which add to the rates of their own auxiliary states too."""
    first_state = system.whole[0].q_count + system.whole[0].v_count
    call_families(Phase.SIGNALS, system, t, angles, work)
    for k in range(1, work.s.shape[0]):  # the first is the work integral, which is the methods' business
        work.rate[first_state + k] = 0.0
    call_families(Phase.FORCES, system, t, angles, work)


@part
def loads_agree(system, t, angles, work, n):
    """Round n of friction with the joints' loads: whether it was what lam makes it; Q has what it should have been."""
    rounds = work.load_rounds[0]
    rounds.round, rounds.change = n, 0.0
    call_families(Phase.LOADS, system, t, angles, work)
    return rounds.change <= 1.0


@part
def inside(work, t):
    """The time at which expressions are read: within the present segment, on this side of the jumps at its ends."""
    return min(max(t, work.segment[0].t_low), work.segment[0].t_high)


@part
def evaluate_velocity(system, t, q, v, angles, work):
    """Twists, forces, Q, gamma, energies, and q_dot in the first part of `work.rate`."""
    bodies, dofs, whole = system.bodies, system.dofs, system.whole[0]
    R, p, O, S = work.R, work.p, work.O, work.S
    V, A, F, inertia, energy = work.V, work.A, work.F, work.inertia, work.energy
    for j in range(v.shape[0]):
        work.v[j] = v[j]
    if whole.flexible:
        call_families(Phase.TWISTS, system, t, angles, work)
    velocities(bodies, dofs, v, S, V, A, 1, bodies.shape[0])
    F[:, :] = 0.0
    energy[:] = 0.0
    gravity(whole.gravity, inertia, O, F, energy)
    call_forces(system, inside(work, t), angles, work)
    inertia_forces(inertia, V, A, F, energy)
    if not whole.open_tree:
        generalized_forces(bodies, S, F, work.tau, work.Q)
        constraint_accelerations(
            system.constraints, system.rows, work.row_state, R, p, O, V, A, work.W, work.motion, work.gamma
        )
        call_families(Phase.GAMMA, system, t, angles, work)
    coordinate_rates(dofs, q, v, work.rate)


def family_kernels(compiled: Compiled, reactions: bool = False) -> Iterator[tuple[Phase, Kernel, FamilyTable]]:
    """The kernels of the families that a model has, in the order of `work.stages`."""
    for table in compiled.families:
        for phase, function in table.family.kernels.items():
            if phase != Phase.REACTIONS or reactions:
                yield phase, function, table


class Equations:
    """A compiled mechanism with a workspace of its own: the equations at a state, called from Python."""

    def __init__(
        self, compiled: Compiled, scalar: type = np.float64, partitioned: bool = False, reactions: bool = False,
        row_state: np.ndarray | None = None, dense: bool = False, plane: PlaneTables | None = None,
        recursion: bool = False,
    ) -> None:  # fmt: skip
        """`partitioned`: with room for bases, `dense` however large; `reactions`: with the kernels that loads need
        besides; `row_state`: what the constraint rows hold, and which are active, if not as at the start of a run;
        `plane`: tables of a mechanism that moves in a plane (plane/detection.py), and is evaluated there; `recursion`:
        rows are eliminated where they close (methods/loop_recursion.py), and M is found at LEVEL_EQUATIONS alone.
        """
        if scalar is not np.float64:  # derivatives need M
            refuse_tall(compiled.system.dofs)
        self.compiled = compiled
        self.system = compiled.system
        self.work = workspace(
            compiled.system, compiled.layout.angle_count, scalar, partitioned, row_state, dense, plane, recursion
        )
        self.system_ref, self.work_ref = Reference(self.system), Reference(self.work)
        self._bind_families(reactions)

    def beside(self, compiled: Compiled) -> Equations:
        """Those of a mechanism whose tables have the same shapes, in this workspace: of one at a time."""
        other = copy(self)
        other.compiled, other.system, other.system_ref = compiled, compiled.system, Reference(compiled.system)
        begin(other.work, other.system)
        return other

    def _bind_families(self, reactions: bool) -> None:
        """Addresses of the kernels of the families that the model has; those that it lacks are not compiled."""
        signature = FAMILY_KERNEL.with_work(self.work_ref.type)
        self.work.stages["phase"] = Phase.NONE
        for n, (phase, function, table) in enumerate(family_kernels(self.compiled, reactions)):
            self.work.stages[n] = (phase, kernel_address(function, signature), table.first, table.last)
        self._watch(self.compiled.layout)

    def _watch(self, layout: Layout) -> None:
        """What a run watches after each step: events; contacts that begin (sign 1) or end (sign -1); switches."""
        watch, switches = self.work.watch, self.work.switches
        events, kinks, count = len(layout.events), len(layout.kinks), len(layout.switches)
        watch["signal"] = [*layout.events.values(), *(k.depth for k in layout.kinks for _ in range(2)), *[-1] * count]
        watch["sign"] = [*[1.0] * events, *[1.0, -1.0] * kinks, *[1.0] * count]
        watch["rate"] = [*[-1] * events, *(k.depth + 1 for k in layout.kinks for _ in range(2)), *[-1] * count]
        watch["late"] = [*layout.late_events, *[0] * (2 * kinks + count)]
        watch["switch"] = [*[-1] * (events + 2 * kinks), *range(count)]
        switches["first"] = [switch.first_threshold for switch in layout.switches]
        switches["count"] = [switch.threshold_count for switch in layout.switches]

    def evaluate(self, t: float, y: np.ndarray, angles: np.ndarray, level: int) -> None:
        """Fill `work` for the state (t, y) up to `level`; what a Python force raises is passed on."""
        if level == LEVEL_EQUATIONS:
            refuse_tall(self.system.dofs)
        evaluate(self.system_ref, t, y, angles, self.work_ref, level)
        pass_on_failure(self.compiled.callbacks)
