"""Workspace: every array that evaluation and solution need, allocated once; the kernels allocate nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.experimental import structref

from linkwork.compiler.kernels import owner
from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.elements.family import STAGE
from linkwork.numerics.status import T_HIGH, T_LOW
from linkwork.system.tables import System

STACK_DEPTH = 40  # values that an expression may hold at once
DENSE_LIMIT = 4_000_000  # entries of Phi_v up to which the rank-revealing factorization keeps a dense copy


# An event, or the touch-down or lift-off of a contact: sign times the signal is positive where it holds.
WATCH = np.dtype(
    [
        ("signal", np.int64),
        ("sign", np.float64),
        ("before", np.float64),  # at the last accepted step but one
        ("now", np.float64),  # at the last accepted step
        ("rate", np.int64),  # of contacts: signal of the speed, or -1
        ("slow", np.float64),  # of contacts: a speed below which the change does not matter
    ],
    align=True,
)


class Work(NamedTuple):
    """Block values of the equations at one state, and what leads to them.  World axes; spatial vectors about O."""

    R: np.ndarray  # [body, 3, 3] orientation of the link frame
    p: np.ndarray  # [body, 3] m, its origin
    O: np.ndarray  # [body, 3] m, reference point of the body's tree
    S: np.ndarray  # [axis, 6] axes of the motions, then those of modes at nodes
    inertia: np.ndarray  # [body, 10] mass, first moment, inertia about O
    composite: np.ndarray  # [body, 21] the same summed over all that hangs on it (10 used), or articulated inertia
    U: np.ndarray  # [dof, 6] of the articulated-body recursion
    V: np.ndarray  # [body, 6] twist
    A: np.ndarray  # [body, 6] its rate at v_dot = 0
    F: np.ndarray  # [body, 6] forces less inertia forces at v_dot = 0
    tau: np.ndarray  # [dof] generalized forces given from outside, N or N m
    M: np.ndarray  # packed by ancestors
    Q: np.ndarray  # [dof]
    Phi: np.ndarray  # [row]
    W: np.ndarray  # [row, 12] wrench of a unit multiplier on A (reversed) and B
    J: np.ndarray  # Phi_v packed by rows
    nu: np.ndarray  # [row]
    motion: np.ndarray  # [row] given acceleration f''
    gamma: np.ndarray  # [row]
    angle: np.ndarray  # counted angles at this state, then their rates; rad, rad/s
    energy: np.ndarray  # kinetic, potential (J), power of forces without potential (W)
    stack: np.ndarray  # of expressions
    v_dot: np.ndarray  # [dof]
    lam: np.ndarray  # [row] multipliers
    rate: np.ndarray  # dy/dt
    typical: np.ndarray  # weight of each entry of y in the error control; 0: not counted
    L: np.ndarray  # M = L^T L, packed like M
    Y: np.ndarray  # L^-T Phi_v^T of the active rows, packed
    C: np.ndarray  # Cholesky factor of Y Y^T, packed by envelope
    dense: np.ndarray  # rank-revealing factorization: [row, dof] scaled rows, then reflectors
    small: np.ndarray  # [6, max(row, dof)] vectors of the solvers
    pivots: np.ndarray  # [row] order in which the rank-revealing factorization took the rows
    counts: np.ndarray  # see COUNTS below
    v: np.ndarray  # [dof] velocities of the state evaluated last
    basis: np.ndarray  # [dof, dof] dependent directions Z, then independent ones T (methods/partitioning/)
    matrices: np.ndarray  # [5, n, n] of the methods that partition
    order: np.ndarray  # [5, n] orders of rows and columns that they choose
    settings: np.ndarray  # options of the method, and what it remembers from step to step (methods/options.py)
    sizes: np.ndarray  # `typical` before a method takes dependent coordinates out
    log: np.ndarray  # what the method decided: when, what, from what to what
    kept_basis: np.ndarray  # basis, order, counts, settings and typical while a sample is taken
    kept_order: np.ndarray
    kept_counts: np.ndarray
    kept_settings: np.ndarray
    kept_typical: np.ndarray
    signals: np.ndarray  # numbers that the state determines (elements/signals/signals.py)
    s: np.ndarray  # auxiliary states
    stages: np.ndarray  # kernels of the families that the model has (elements/family.py)
    q: np.ndarray  # coordinates of the position evaluated last
    scratch: np.ndarray  # what flexible bodies keep from one phase to the next
    watch: np.ndarray  # events and contacts: their signals, and what they were at the last accepted step
    row_state: np.ndarray  # [row] what each constraint row holds at present (elements/constraints/rows.py)


# Entries of `counts`.
FACTORIZATIONS, RANK_REVEALING, ITERATIONS, RANK, KIND, EVENTS = range(6)
BASIS, REBUILD, CALM, SAME, CHANGES, FULL, REQUEST = range(6, 13)  # of methods that partition
COUNTS = 13
SETTINGS = 35  # options and memory of a method; then times in s, and rounds of friction (numerics/status.py)
LOG_SIZE = 4096  # most decisions that are kept
EVENT = np.dtype(
    [
        ("t", np.float64),  # s
        ("why", np.int32),  # a reason of methods/reasons.py
        ("before", np.int32),  # basis in use before
        ("after", np.int32),  # and after
        ("rank", np.int32),  # independent rows after
        ("independent", np.int32, (8,)),  # LU's independent motions, the first eight; -1: none
    ],
    align=True,
)


def workspace(system: System, angle_count: int, scalar: type = np.float64, partitioned: bool = False) -> Work:
    """Allocate; `scalar` may be complex for derivatives by complex steps; `partitioned`: room for dense bases."""
    bodies, dofs, rows = len(system.bodies), len(system.dofs), len(system.rows)
    active = system.active
    whole = system.whole[0]
    y = int(sum(whole[k] for k in ("q_count", "v_count", "s_count")))
    packed = int(np.sum(system.dofs["depth"] + 1)) if dofs else 0
    values = int(sum(c["row_count"] * c["column_count"] for c in system.constraints))
    y_size = int(np.sum(active["high"] - active["low"])) if len(active) else 0
    c_size = int(np.sum(np.arange(len(active)) - active["first_active"] + 1)) if len(active) else 0

    room = max(rows, dofs) if partitioned else 0

    def new(*shape: int) -> np.ndarray:
        return np.zeros(shape, scalar)

    work = Work(
        R=new(bodies, 3, 3),
        p=new(bodies, 3),
        O=new(bodies, 3),
        S=new(len(system.axes), 6),
        inertia=new(bodies, 10),
        composite=new(bodies, 21),
        U=new(dofs, 6),
        V=new(bodies, 6),
        A=new(bodies, 6),
        F=new(bodies, 6),
        tau=new(dofs),
        M=new(packed),
        Q=new(dofs),
        Phi=new(rows),
        W=new(rows, 12),
        J=new(values),
        nu=new(rows),
        motion=new(rows),
        gamma=new(rows),
        angle=np.zeros(2 * angle_count),
        energy=new(3),
        stack=new(STACK_DEPTH, 3),
        v_dot=new(dofs),
        lam=new(rows),
        rate=new(y),
        typical=np.ones(y),
        L=new(packed),
        Y=new(y_size),
        C=new(c_size),
        dense=new(rows, dofs) if rows * dofs <= DENSE_LIMIT else new(0, 0),
        small=new(6, max(rows, dofs, 1)),
        pivots=np.zeros(rows, np.int64),
        counts=np.zeros(COUNTS, np.int64),
        v=new(dofs),
        basis=new(room, room),
        matrices=new(5, room, room),
        order=np.zeros((5, room), np.int64),
        settings=np.zeros(SETTINGS),
        sizes=np.ones(y),
        log=np.zeros(LOG_SIZE if partitioned else 0, EVENT),
        kept_basis=new(room, room),
        kept_order=np.zeros((5, room), np.int64),
        kept_counts=np.zeros(COUNTS, np.int64),
        kept_settings=np.zeros(SETTINGS),
        kept_typical=np.ones(y),
        signals=new(int(whole["signal_count"])),
        s=new(int(whole["s_count"])),
        stages=np.zeros(int(whole["stage_count"]), STAGE),
        q=new(int(whole["q_count"])),
        scratch=new(int(whole["scratch_count"])),
        watch=np.zeros(int(whole["event_count"]), WATCH),
        row_state=np.zeros(rows, ROW_STATE),
    )
    work.row_state["mode"], work.row_state["held"] = system.rows["mode"], system.rows["held"]
    work.R[0] = np.eye(3)
    work.settings[T_LOW], work.settings[T_HIGH] = -np.inf, np.inf
    return work


@structref.register
class WorkType(types.StructRef):
    """Numba's type of a Work by reference."""


class WorkRef(structref.StructRefProxy):
    """A Work by reference, for kernels; shares the arrays' memory."""


structref.define_proxy(WorkRef, WorkType, list(Work._fields))


@owner
def work_reference(w):
    """The Work by reference (see system/tables.py)."""
    return WorkRef(
        w.R, w.p, w.O, w.S, w.inertia, w.composite, w.U, w.V, w.A, w.F, w.tau, w.M, w.Q, w.Phi, w.W, w.J, w.nu,
        w.motion, w.gamma, w.angle, w.energy, w.stack, w.v_dot, w.lam, w.rate, w.typical, w.L, w.Y, w.C,
        w.dense, w.small, w.pivots, w.counts,
        w.v, w.basis, w.matrices, w.order, w.settings, w.sizes, w.log,
        w.kept_basis, w.kept_order, w.kept_counts, w.kept_settings, w.kept_typical, w.signals, w.s, w.stages,
        w.q, w.scratch, w.watch, w.row_state,
    )  # fmt: skip
