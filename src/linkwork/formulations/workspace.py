"""Workspace: every array that evaluation and solution need, allocated once; the kernels allocate nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.elements.constraints.rows import ROW_STATE
from linkwork.elements.family import STAGE
from linkwork.expressions.kernels.of_state import SWITCH, UNDECIDED
from linkwork.formulations.plane.records import COLUMNS, COS, PlaneTables, in_space
from linkwork.formulations.records import (
    DECISION,
    LOAD_ROUNDS,
    LOG_SIZE,
    METHOD,
    METHOD_OPTIONS,
    SEGMENT,
    WATCH,
    Factors,
)
from linkwork.system.active_rows import ACTIVE, lay_out
from linkwork.system.fronts import Fronts, lay_out_fronts, no_fronts, room_for_fronts
from linkwork.system.pattern import is_tall, most_entries, packed_masses
from linkwork.system.tables import System

STACK_DEPTH = 40  # values that an expression may hold at once
FILL = 8  # entries of the sparse factors of LU's dependent block, for each of the rows that make it
DENSE_LIMIT = 2_500  # entries of Phi_v up to which the rank-revealing factorization is that of a dense copy


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
    error_scales: np.ndarray  # scale of each entry of y in the error control; 0: not counted
    L: np.ndarray  # M = L^T L, packed like M
    Y: np.ndarray  # L^-T Phi_v^T of the active rows, packed
    C: np.ndarray  # Cholesky factor of Y Y^T, packed by envelope
    dense: np.ndarray  # rank-revealing factorization: [row, dof] scaled rows, then reflectors
    gram: np.ndarray  # of rows that are nearly redundant: products of their components; empty without such rows
    c: np.ndarray  # [row] right-hand side of the method's linear problem Phi_v delta = c
    delta: np.ndarray  # [dof] its solution
    x: np.ndarray  # [max(row, dof)] scratch of the solvers
    z: np.ndarray  # [max(row, dof)] the same
    row_scales: np.ndarray  # [max(row, dof)] of the rank-revealing factorization: factors of the rows,
    diagonal: np.ndarray  # [max(row, dof)] the diagonal of R,
    pivots: np.ndarray  # [row] and the order in which it took the rows
    left: np.ndarray  # [row] square of what is left of each active row beside those before it, of its natural size
    method: np.ndarray  # one METHOD: what the method remembers (records.py)
    options: np.ndarray  # one METHOD_OPTIONS: its options
    segment: np.ndarray  # one SEGMENT: times between which expressions are read
    load_rounds: np.ndarray  # one LOAD_ROUNDS: friction and the load that makes it
    v: np.ndarray  # [dof] velocities of the state evaluated last
    basis: np.ndarray  # [dof, dof] dependent directions Z, then independent ones T (methods/partitioning/)
    matrices: np.ndarray  # [6, n, n] of the methods that partition; both otherwise where the basis is sparse
    augmented: np.ndarray  # [dof + row, dof + row] of the augmented equations, factored (methods/augmented.py)
    augmented_x: np.ndarray  # [dof + row] their right-hand side, then solution
    augmented_order: np.ndarray  # [3, dof + row] orders of their rows
    q_integrated: np.ndarray  # coordinates before they are projected, as P5 keeps them
    multipliers: np.ndarray  # [row] of that projection
    order: np.ndarray  # [6 or 14, n] orders of rows and columns that they choose
    fill: np.ndarray  # [2, entries] columns of their sparse factors
    scales: np.ndarray  # `error_scales` before a method takes dependent coordinates out
    log: np.ndarray  # DECISIONs of the method: when, what, from what to what
    kept_basis: np.ndarray  # basis, order, error_scales and method while a sample is taken
    kept_order: np.ndarray
    kept_error_scales: np.ndarray
    kept_method: np.ndarray
    signals: np.ndarray  # numbers that the state determines (elements/signals/signals.py)
    s: np.ndarray  # auxiliary states
    stages: np.ndarray  # kernels of the families that the model has (elements/family.py)
    q: np.ndarray  # coordinates of the position evaluated last
    scratch: np.ndarray  # what flexible bodies keep from one phase to the next
    watch: np.ndarray  # WATCHes: events, contacts, expressions that jump
    switches: np.ndarray  # SWITCHes: expressions that jump where the state decides (expressions/kernels/of_state.py)
    signals_before: np.ndarray  # signals at the last accepted step, and
    signal_rates: np.ndarray  # [3, signal] their first, second and mean rates (elements/signals/pace.py)
    paced: np.ndarray  # largest value so far of each expression whose pace bounds the step
    interval_stack: np.ndarray  # of expressions that are enclosed
    row_state: np.ndarray  # [row] what each constraint row holds at present (elements/constraints/rows.py)
    active: np.ndarray  # ACTIVEs: the independent rows in use; `active_rows` of them
    every_row: np.ndarray  # [row] ACTIVEs: all rows, in the order in which the envelope QR takes them
    fronts: np.ndarray  # FRONTs (system/fronts.py); this and what follows is empty where rows are eliminated otherwise
    open_rows: np.ndarray  # OPEN_ROWs
    closed_rows: np.ndarray  # CLOSED_ROWs
    front_motions: np.ndarray  # scratch of their layout
    front_rows: np.ndarray
    couplings: np.ndarray  # of rows that are open at the same motion, packed (methods/loop_recursion.py)
    k: np.ndarray  # [entry, 6] of the open rows
    g: np.ndarray  # [entry] h / D
    per_D: np.ndarray  # [dof]
    per_pivot: np.ndarray  # [row] in the order in which they close
    of_closed: np.ndarray  # [row] right-hand side, then multipliers, in that order
    spatial: np.ndarray  # [body, 6] forces on the way to the root, then accelerations
    plane: (
        np.ndarray
    )  # one PLANE, where the mechanism moves in it (plane/records.py); else this and what follows is empty
    plane_bodies: np.ndarray  # PLANE_BODYs
    plane_motions: np.ndarray  # PLANE_MOTIONs
    plane_constraints: np.ndarray  # PLANE_CONSTRAINTs
    plane_rows: np.ndarray  # PLANE_ROWs
    plane_wrenches: np.ndarray  # [row, 4] wrench of a unit multiplier
    in_plane: np.ndarray  # [body, COLUMNS] state of the bodies


New = Callable[..., np.ndarray]  # an array of zeros of a shape


def workspace(
    system: System, angle_count: int, scalar: type = np.float64, partitioned: bool = False,
    row_state: np.ndarray | None = None, dense: bool = False, plane: PlaneTables | None = None, recursion: bool = False,
) -> Work:  # fmt: skip
    """Allocate; `scalar` may be complex for derivatives by complex steps; `partitioned`: with room for bases;
    `row_state`: of the rows, if not as at the start of a run; `dense`: with dense matrices, however large; `plane`: of
    a mechanism that moves in one; `recursion`: for methods/loop_recursion.py.
    """
    dofs, rows, whole = len(system.dofs), len(system.rows), system.whole[0]
    y = int(sum(whole[k] for k in ("q_count", "v_count", "s_count")))
    packed = packed_masses(system.dofs)
    if is_tall(system.dofs):  # one row in place of all
        packed = int(system.dofs["depth"].max()) + 1
    dense = dense or rows * dofs <= DENSE_LIMIT

    def new(*shape: int) -> np.ndarray:
        return np.zeros(shape, scalar)

    work = Work(
        **_of_bodies(system, new),
        **_of_rows(system, new),
        **_of_signals(system, new),
        **_of_factors(system, packed, dense, new),
        **_of_bases(system, packed, partitioned, dense, new),
        **_of_augmented(rows + dofs if partitioned and dense else 0, new),
        **_of_plane(plane or in_space(), new),
        **_of_recursion(system, recursion, new),
        tau=new(dofs),
        M=new(packed),
        Q=new(dofs),
        angle=np.zeros(2 * angle_count),
        energy=new(3),
        v_dot=new(dofs),
        rate=new(y),
        error_scales=np.ones(y),
        delta=new(dofs),
        method=np.zeros(1, METHOD),
        options=np.zeros(1, METHOD_OPTIONS),
        segment=np.array([(-np.inf, np.inf, 0.0, np.inf, np.inf, 0.0, np.nan, 0.0, 0.0, 0)], SEGMENT),
        load_rounds=np.zeros(1, LOAD_ROUNDS),
        v=new(dofs),
        scales=np.ones(y),
        kept_error_scales=np.ones(y),
        kept_method=np.zeros(1, METHOD),
        s=new(int(whole["s_count"])),
        q=new(int(whole["q_count"])),
        q_integrated=new(int(whole["q_count"])),
        scratch=new(int(whole["scratch_count"])),
    )
    lay_out(system.spans, np.ones(rows, ROW_STATE), work.every_row)
    begin(work, system, row_state)
    if recursion:
        lay_out_fronts(
            system.dofs, system.constraints, system.rows, system.columns, work.row_state,
            work.active[: int(work.method[0]["active_count"])], *(getattr(work, name) for name in Fronts._fields),
        )  # fmt: skip
    work.R[0] = np.eye(3)
    work.in_plane[:1, COS] = 1.0
    return work


def begin(work: Work, system: System, row_state: np.ndarray | None = None) -> None:
    """What the rows hold and which are active, as at the start of a run or as given; no expression is read yet."""
    for name in ROW_STATE.names or ():
        work.row_state[name] = (system.rows if row_state is None else row_state)[name]
    work.method["active_count"] = lay_out(system.spans, work.row_state, work.active)
    work.switches["cell"] = UNDECIDED


def _of_plane(tables: PlaneTables, new: New) -> dict[str, np.ndarray]:
    """What is known of a mechanism in a plane, and its state there."""
    state = {"plane_wrenches": new(len(tables.plane_rows), 4), "in_plane": new(len(tables.plane_bodies), COLUMNS)}
    return tables._asdict() | state


def _of_recursion(system: System, recursion: bool, new: New) -> dict[str, np.ndarray]:
    """In which order motions and rows are eliminated, with room for all rows, and what that leaves."""
    tables, couplings = room_for_fronts(system) if recursion else (no_fronts(), 0)
    motions, rows, bodies = (len(t) if recursion else 0 for t in (system.dofs, system.rows, system.bodies))
    return tables._asdict() | {
        "couplings": new(couplings), "k": new(len(tables.open_rows), 6), "g": new(len(tables.open_rows)),
        "per_D": new(motions), "per_pivot": new(rows), "of_closed": new(rows), "spatial": new(bodies, 6),
    }  # fmt: skip


def _of_rows(system: System, new: New) -> dict[str, np.ndarray]:
    """The equations of the constraints, which of them are active, and their multipliers."""
    rows, constraints = len(system.rows), system.constraints
    values = int(constraints["row_count"].astype(np.int64) @ constraints["column_count"])
    each = {name: new(rows) for name in ("Phi", "nu", "motion", "gamma", "lam", "multipliers", "c")}
    return each | {
        "W": new(rows, 12), "J": new(values), "row_state": np.zeros(rows, ROW_STATE), "active": np.zeros(rows, ACTIVE),
        "every_row": np.zeros(rows, ACTIVE),
    }  # fmt: skip


def _of_signals(system: System, new: New) -> dict[str, np.ndarray]:
    """What expressions read and events watch."""
    counts = {key: int(system.whole[0][f"{key}_count"]) for key in ("signal", "stage", "watch", "switch", "paced")}
    return {
        "signals": new(counts["signal"]), "signals_before": np.zeros(counts["signal"]),
        "signal_rates": np.zeros((3, counts["signal"])), "stages": np.zeros(counts["stage"], STAGE),
        "watch": np.zeros(counts["watch"], WATCH), "switches": np.zeros(counts["switch"], SWITCH),
        "paced": np.zeros(counts["paced"]), "stack": new(STACK_DEPTH, 4), "interval_stack": np.zeros((STACK_DEPTH, 2)),
    }  # fmt: skip


def _of_bodies(system: System, new: New) -> dict[str, np.ndarray]:
    """Where the bodies are, how they move, and what acts on them."""
    bodies, dofs = len(system.bodies), len(system.dofs)
    return {
        "R": new(bodies, 3, 3), "p": new(bodies, 3), "O": new(bodies, 3), "S": new(len(system.axes), 6),
        "inertia": new(bodies, 10), "composite": new(bodies, 21), "U": new(dofs, 6), "V": new(bodies, 6),
        "A": new(bodies, 6), "F": new(bodies, 6),
    }  # fmt: skip


def _of_factors(system: System, packed: int, dense: bool, new: New) -> dict[str, np.ndarray]:
    """The factors of M and of the active rows, and what factorizations need; also dense ones."""
    rows, dofs = len(system.rows), len(system.dofs)
    of_rows, envelope = most_entries(system.spans)
    longest, least = max(rows, dofs, 1), min(rows, dofs)
    return {
        "L": new(packed), "Y": new(of_rows), "C": new(envelope),
        "dense": new(rows, dofs) if dense else new(0, 0),
        "gram": new(least, least) if dense and system.whole[0]["misfit"] > 0.0 else new(0, 0),
        "x": new(longest), "z": new(longest), "row_scales": new(longest), "diagonal": new(longest),
        "pivots": np.zeros(rows, np.int64), "left": new(rows),
    }  # fmt: skip


def _of_bases(system: System, packed: int, partitioned: bool, dense: bool, new: New) -> dict[str, np.ndarray]:
    """The basis of a partition, the one kept beside it, and the log of decisions; a sparse basis in the shapes of
    methods/partitioning/sparse/places.py.
    """
    size = max(len(system.rows), len(system.dofs)) if partitioned else 0
    basis, matrices, orders, entries = (size, size), (6, size, size), 6, 0
    if partitioned and not dense:
        of_rows, envelope = most_entries(system.spans)
        orders, entries = 14, FILL * of_rows + size
        basis, matrices = (1, packed + of_rows + envelope), (6, 1, max(of_rows, envelope, entries))
    return {
        "basis": new(*basis), "matrices": new(*matrices), "order": np.zeros((orders, size), np.int64),
        "kept_basis": new(*basis), "kept_order": np.zeros((orders, size), np.int64),
        "fill": np.zeros((2, entries), np.int64), "log": np.zeros(LOG_SIZE if partitioned else 0, DECISION),
    }  # fmt: skip


def _of_augmented(size: int, new: New) -> dict[str, np.ndarray]:
    """The augmented equations, as the papers print them."""
    return {
        "augmented": new(size, size), "augmented_x": new(size), "augmented_order": np.zeros((3, size), np.int64)
    }  # fmt: skip


REMEMBERED = ("method", "options", "segment", "load_rounds")  # records that outlive an evaluation


@part
def active_rows(work):
    """The active rows."""
    return work.active[: work.method[0].active_count]


@part
def lay_out_rows(system, work):
    """The tables of the active rows as `row_state` has them now."""
    work.method[0].active_count = lay_out(system.spans, work.row_state, work.active)
    if work.fronts.shape[0] > 0:
        lay_out_fronts(
            system.dofs, system.constraints, system.rows, system.columns, work.row_state, active_rows(work),
            work.fronts, work.open_rows, work.closed_rows, work.front_motions, work.front_rows,
        )  # fmt: skip


@part
def choose_rows(system, work):
    """Make the rows that the rank-revealing factorization has taken the active ones; there are no factors for them."""
    method, state = work.method[0], work.row_state
    for r in range(state.shape[0]):
        state[r].active = 0
    for n in range(method.rank):
        state[work.pivots[n]].active = 1
    lay_out_rows(system, work)
    for r in range(work.lam.shape[0]):
        work.lam[r] = 0.0
    method.factors, method.rebuild = Factors.NOTHING, 1
