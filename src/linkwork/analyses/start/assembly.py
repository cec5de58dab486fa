"""Assembly: from rough poses to a start that meets every constraint; what the user fixed stays.

Closed in joint coordinates, where only the cut joints remain open: Newton with the least change of coordinates and
step halving. Then the same bodies, in the same places, give the start in either formulation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.simulate.driver_phases import hold_from_start
from linkwork.analyses.start.contradictions import why_open
from linkwork.analyses.start.slim_bodies import check_inertias, rounder_bodies
from linkwork.analyses.start.wheels import raise_wheels
from linkwork.elements.constraints.rows import ANGLE, IDLE, POSITION
from linkwork.elements.joints.motions import BALL, SLIDE
from linkwork.errors import AssemblyError, ModelError
from linkwork.expressions import parse, values
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import displace
from linkwork.formulations.workspace import Work
from linkwork.mechanism import Mechanism
from linkwork.methods.normal_step import RANK_CUT, natural_rows
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION, OK
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.coordinates import (
    body_poses,
    coordinates_from_poses,
    joint_coordinates,
    joint_pose,
    velocities_from_twists,
)
from linkwork.system.frames import Pose, given_poses
from linkwork.system.pattern import with_active_rows
from linkwork.system.tables import System

ITERATIONS = 60
BEND = 1e-2  # of a modal coordinate's size: it counts as much as 1 rad or m of another motion
CLOSED = 1e-11  # of the mechanism's size (m), or rad


@dataclass(frozen=True)
class Start:
    """A mechanism in one formulation, with a consistent state at its start."""

    compiled: Compiled
    y: np.ndarray
    angles: np.ndarray
    rank: int  # of Phi_v at a general position
    start_rank: int  # of Phi_v at the start
    notes: tuple[str, ...]


def assemble(mechanism: Mechanism, formulation: str, t: float = 0.0) -> Start:
    """A consistent start in the given formulation, at time t (s)."""
    check_motions(mechanism, t)
    held = Equations(compile_mechanism(mechanism, "joint", hold=True))
    y, angles = rough_state(held, t)
    close_loops(held, y, angles, t)
    check_sense(held)
    notes = (*flexible_notes(mechanism), *raise_wheels(held, y, angles), *meet_velocities(held, y, angles, t))
    return start_from(mechanism, formulation, held, y, angles, notes, t)


def flexible_notes(mechanism: Mechanism) -> tuple[str, ...]:
    """What looks wrong in the data of flexible bodies."""
    return tuple(
        f"body '{body.name}': {text}" for body in mechanism.body if body.flexible for text in body.flexible.warnings
    )


def check_motions(mechanism: Mechanism, t: float) -> None:
    """What drivers ask for is finite when they begin to act."""
    scope = mechanism.scope(None, mechanism.tables())
    for driver in mechanism.driver:
        who, begin = f"driver '{driver.name}'", max(t, driver.since)
        for key, needed in (("motion", 3), ("velocity", 2), ("acceleration", 1)):
            said = getattr(driver, key)
            if said is None or np.isfinite(values(parse(said, element=who, scope=scope), begin)[:needed]).all():
                continue
            what = f"{key} '{said}', or its rate, is not finite at t = {begin:g} s, where it begins to act"
            raise ModelError(f"{who}: {what}; mend it, or let it begin later by since", element=driver.name)


def rough_state(equations: Equations, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates from what was said: joint coordinates where given, else as near to the rough poses as the tree
    allows.
    """
    compiled = equations.compiled
    layout, system = compiled.layout, compiled.system
    said = given_poses(compiled.mechanism)
    joints = {joint.name: joint for joint in compiled.mechanism.joint}
    links = {0: Pose(np.eye(3), np.zeros(3))}
    q = np.zeros(layout.q_count)
    for tree in layout.tree:
        body, parent = system.bodies[tree.body], system.bodies[tree.parent]
        if tree.parent not in links:  # a node of a flexible body, not yet deformed
            links[tree.parent] = links[int(parent["parent"])] @ Pose(parent["R_PF"], parent["p_PF"])
        inboard = links[tree.parent] @ Pose(body["R_PF"], body["p_PF"])
        in_body = Pose(layout.R_LB[tree.body], layout.p_LB[tree.body]).inverse()
        given = joints[tree.name].start_values if tree.name in joints else None
        if given is None:
            values = joint_coordinates(tree.type, inboard.inverse() @ said[layout.bodies[tree.body]] @ in_body)
        elif tree.turned:
            kind = joints[tree.name].type
            turn = Pose(np.array(kind.reversal.turn), np.zeros(3))
            given_pose = joint_pose(kind, np.array(given), tree.pitch)
            values = joint_coordinates(tree.type, turn.inverse() @ given_pose.inverse() @ turn)
        else:
            by_name = dict(zip(joints[tree.name].type.coordinates, given, strict=True))
            values = np.array([by_name[name] for name in tree.type.coordinates])
        q[tree.first_q : tree.first_q + tree.q_count] = values
        links[tree.body] = inboard @ joint_pose(tree.type, values, tree.pitch)
    for name, value in modal_values(compiled.mechanism, "modal_start", "").items():
        q[layout.q_names.index(name)] = value
    y = np.concatenate([q, np.zeros(layout.v_count), layout.state_starts])
    return y, first_angles(equations, t)


def modal_values(mechanism: Mechanism, field: str, ending: str) -> dict[str, float]:
    """Modal coordinates, or rates, that were said for the start, by name."""
    return {
        f"{body.name}.mode{k + 1}{ending}": value
        for body in mechanism.body
        for k, value in enumerate(getattr(body, field) or ())
    }


def first_angles(equations: Equations, t: float = 0.0) -> np.ndarray:
    """On which turn the counted angles start: that of the driver or of the joint's start value."""
    compiled, rows, work = equations.compiled, equations.system.rows, equations.work
    angles = np.concatenate([compiled.layout.angle_starts, np.zeros(compiled.layout.angle_count)])
    equations.evaluate(t, _zero_state(compiled), angles, LEVEL_POSITION)
    for r in np.flatnonzero((rows["kind"] == ANGLE) & (rows["mode"] == POSITION)):
        angles[rows[r]["angle"]] = work.angle[rows[r]["angle"]] - work.Phi[r]  # = f(t)
    return angles


def _zero_state(compiled: Compiled) -> np.ndarray:
    y = np.zeros(compiled.layout.q_count + compiled.layout.v_count + len(compiled.layout.state_starts))
    for n, name in enumerate(compiled.layout.q_names):
        if name.endswith(".e0"):
            y[n] = 1.0
    return y


def dense_jacobian(system: System, work: Work) -> np.ndarray:
    """Phi_v of the position evaluated last, as a dense matrix."""
    J = np.zeros((len(system.rows), len(system.dofs)))
    for con in system.constraints:
        columns = system.columns["dof"][con["first_column"] : con["first_column"] + con["column_count"]]
        for r in range(con["first_row"], con["first_row"] + con["row_count"]):
            first = system.rows[r]["first_value"]
            J[r, columns] = work.J[first : first + len(columns)]
    return J


def close_loops(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> None:
    """Newton on all rows, least change of the coordinates, step halving; an AssemblyError if they stay open."""
    system, work, units = equations.system, equations.work, motion_units(equations.compiled)

    def violation(state: np.ndarray) -> float:
        equations.evaluate(t, state, angles, LEVEL_POSITION)
        return float(np.abs(work.Phi).max(initial=0.0))

    enough = CLOSED * max(1.0, float(system.whole[0]["length"]))
    error = violation(y)
    for _ in range(ITERATIONS):
        if error <= enough:
            return
        delta = units * np.linalg.lstsq(dense_jacobian(system, work) * units, -work.Phi, rcond=1e-9)[0]
        delta *= min(1.0, 1.0 / np.abs(delta).max(initial=1e-300))
        for halving in range(12):
            trial = y.copy()
            displace(system.dofs, trial, delta * 0.5**halving)
            trial_error = violation(trial)
            if trial_error < error * (1.0 - 1e-4 * 0.5**halving):
                break
        else:
            break
        y[:], error = trial, trial_error
    if violation(y) > enough * 100.0:
        raise _why_open(equations, y, angles, t)


def motion_units(compiled: Compiled, bend: float = BEND) -> np.ndarray:
    """Units of the motions where the least change is sought: with a small `bend` bodies move before they bend."""
    sizes = compiled.layout.modal_sizes
    return np.array([bend * sizes[name] if name in sizes else 1.0 for name in compiled.layout.v_names])


def put_on_constraints(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """A state that is nearly on the constraints, put onto them to rounding: the least change of q, then of v."""
    close_loops(equations, y, angles, t)
    own = equations.compiled.layout.velocities
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    J, nu = dense_jacobian(equations.system, equations.work), equations.work.nu
    if len(J):
        y[own] += np.linalg.lstsq(J, nu - J @ y[own], rcond=1e-9)[0]


def _why_open(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float) -> AssemblyError:
    """Which constraints stay open, and by how much; redundant ones that contradict each other, if so."""
    compiled, work = equations.compiled, equations.work
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    Phi, elsewhere = work.Phi.copy(), y.copy()
    displace(compiled.system.dofs, elsewhere, np.random.default_rng(0).uniform(-1.0, 1.0, compiled.layout.v_count))
    equations.evaluate(t, elsewhere, angles, LEVEL_POSITION)
    return why_open(compiled, Phi, dense_jacobian(compiled.system, work))


def check_sense(equations: Equations) -> None:
    """Perpendicular axes hold both ways round: an axis that closed with the wrong sense is an error."""
    layout, work = equations.compiled.layout, equations.work
    for name in layout.cut:
        joint = layout.joints[name]
        F, M = work.R[joint.body_a] @ joint.R_AF, work.R[joint.body_b] @ joint.R_BM
        for axis in joint.type.kept_axes:
            if F[:, axis] @ M[:, axis] < 0.0:
                raise AssemblyError(
                    f"joint '{name}': it closes only with its {'xyz'[axis]} axis reversed; "
                    "turn one of its frames by half a turn or give better poses",
                    element=name,
                )


def meet_velocities(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> tuple[str, ...]:
    """Velocities that meet the constraints exactly, given joint rates next, given body velocities as nearly as can
    be.
    """
    compiled, work = equations.compiled, equations.work
    system, layout = compiled.system, compiled.layout
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    rates = _rate_rows(compiled, work)
    bodies, wanted, owners = _body_rows(compiled, work)
    v = np.zeros(layout.v_count)
    free = np.diag(motion_units(compiled))
    real = slice(layout.held_from)
    given = [(dense_jacobian(system, work)[real], work.nu[real]), rates, (bodies, wanted)]
    for A, b in given:
        if len(A) and free.shape[1]:
            step = np.linalg.lstsq(A @ free, b - A @ v, rcond=1e-9)[0]
            v = v + free @ step
            free = free @ _null_space(A @ free)
    y[layout.q_count : layout.q_count + layout.v_count] = v
    residual = bodies @ v - wanted if len(bodies) else np.zeros(0)
    late = sorted({owners[k] for k in np.flatnonzero(np.abs(residual) > 1e-6 * (1.0 + np.abs(wanted)))})
    notes = [
        f"body '{name}': its velocity at the start is not possible with the joints; the nearest possible one is used"
        for name in late
    ]
    rate_rest = rates[0] @ v - rates[1] if len(rates[0]) else np.zeros(0)
    if np.abs(rate_rest).max(initial=0.0) > 1e-6:
        notes.append("a joint rate said at the start is not possible with the loops; the nearest possible one is used")
    return tuple(notes)


def _rate_rows(compiled: Compiled, work: Work) -> tuple[np.ndarray, np.ndarray]:
    """Rows that measure the joint velocities and modal rates which the user said, on tree and cut joints alike."""
    layout = compiled.layout
    modal = modal_values(compiled.mechanism, "modal_rates", "_rate")
    rows, values = [np.eye(layout.v_count)[[layout.v_names.index(name) for name in modal]]], list(modal.values())
    for joint in compiled.mechanism.joint:
        if joint.rate_values is not None:
            rows.append(joint_velocity_rows(compiled, work, joint.name))
            values += list(joint.rate_values)
    return np.vstack(rows), np.array(values)


def joint_velocity_rows(compiled: Compiled, work: Work, name: str) -> np.ndarray:
    """B with B v = the velocities of a joint, M against F in the axes of F, as it was said."""
    joint = compiled.layout.joints[name]
    F = work.R[joint.body_a] @ joint.R_AF
    p_M = work.p[joint.body_b] + work.R[joint.body_b] @ joint.p_BM
    relative = point_rows(compiled, work, joint.body_b, p_M) - point_rows(compiled, work, joint.body_a, p_M)
    rows = []
    for motion, axis in joint.type.motions:
        if motion == BALL:
            rows += list(F.T @ relative[3:])
        elif motion == SLIDE:
            rows.append(F[:, axis] @ relative[:3])
        else:
            rows.append((F if axis == 2 else work.R[joint.body_b] @ joint.R_BM)[:, axis] @ relative[3:])
    return np.array(rows).reshape(-1, compiled.layout.v_count)


def point_rows(compiled: Compiled, work: Work, body: int, point: np.ndarray) -> np.ndarray:
    """B with B v = (velocity of the point of a body that is now at `point`, angular velocity)."""
    bodies = compiled.system.bodies
    B = np.zeros((6, compiled.layout.v_count))
    k = body
    while k:
        for first, count in (("first_dof", "dof_count"), ("first_axis", "axis_count")):
            own = slice(bodies[k][first], bodies[k][first] + bodies[k][count])
            B[:, compiled.system.axes["dof"][own]] = work.S[own].T
        k = int(bodies[k]["parent"])
    B[:3] += np.cross(B[3:].T, point - work.O[body]).T
    return B


def _body_rows(compiled: Compiled, work: Work) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Rows B v = (velocity of the body frame's origin, angular velocity), where the user said one."""
    layout = compiled.layout
    rows, values, owners = [np.zeros((0, layout.v_count))], [], []
    for body in compiled.mechanism.body:
        i = layout.body(body.name)
        B = point_rows(compiled, work, i, work.p[i] + work.R[i] @ layout.p_LB[i])
        for said, block in ((body.velocity, B[:3]), (body.angular_velocity, B[3:])):
            if said is not None:
                rows.append(block)
                values += list(said)
                owners += [body.name] * 3
    return np.vstack(rows), np.array(values), owners


def _null_space(A: np.ndarray) -> np.ndarray:
    _, singular, Vt = np.linalg.svd(A)
    rank = int(np.sum(singular > 1e-9 * max(singular[0] if len(singular) else 0.0, 1e-300)))
    return Vt[rank:].T


def start_from(
    mechanism: Mechanism,
    formulation: str,
    held: Equations,
    y_held: np.ndarray,
    held_angles: np.ndarray,
    notes: tuple[str, ...],
    t: float = 0.0,
) -> Start:
    """The same bodies, places and velocities as a state of the wanted formulation; independent rows chosen."""
    equations = Equations(compile_mechanism(mechanism, formulation))
    compiled = equations.compiled
    angles = first_angles(equations, t)
    if formulation == held.compiled.layout.formulation:
        y = y_held.copy()
    else:
        held.evaluate(t, y_held, held_angles, LEVEL_ALL)
        y = _translate(equations, held, y_held, angles)
    equations.evaluate(t, y, angles, LEVEL_ALL)
    angles = equations.work.angle.copy()
    hold_from_start(equations, t, y, angles)
    independent, start_rank = independent_rows(equations, y, angles, t)
    rank = len(independent)
    check_inertias(compiled)
    if start_rank < rank:
        notes = (
            *notes,
            f"the start is a singular position: {start_rank} of {rank} constraint equations are independent there",
        )
    notes = (*notes, *unconnected(mechanism))
    if start_rank == rank:
        notes = (*notes, *check_drivers(equations, t, y, angles))
    ready = replace(compiled, system=with_active_rows(compiled.system, independent))
    return Start(ready, y, angles, rank, start_rank, notes)


def unconnected(mechanism: Mechanism) -> tuple[str, ...]:
    """Bodies that nothing holds, drives or pushes: they fall, and that is rarely meant; a single body is meant so."""
    frames = {frame.name: frame.body for frame in mechanism.frame}
    touched = {
        frames.get(name, name)
        for kind, elements in mechanism.by_kind()
        if kind not in ("frame", "measure", "event", "impulse")
        for element in elements
        for what, name in element.refers()
        if what in ("body", "moving body", "frame", "point")
    }
    alone = [body.name for body in mechanism.body if body.name not in touched]
    if len(mechanism.body) == 1:
        return ()
    return tuple(f"body '{name}' is connected to nothing and moves freely: it falls" for name in alone)


def check_drivers(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> tuple[str, ...]:
    """Drivers that ask for more than the joints leave free: an error if they contradict each other, else a note."""
    compiled, work = equations.compiled, equations.work
    rows = equations.system.rows
    drivers = {row: name for name, row in compiled.layout.driver_rows.items() if rows[row]["mode"] != IDLE}
    if not drivers:
        return ()
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    J = dense_jacobian(equations.system, work)
    held = _null_space(J.T)
    shared = [name for row, name in drivers.items() if np.abs(held[row]).max(initial=0.0) > 1e-6]
    if not shared:
        return ()
    count = compiled.layout.q_count, compiled.layout.q_count + compiled.layout.v_count
    off = np.abs(J @ y[count[0] : count[1]] - work.nu)[list(drivers)].max()
    listed = " and ".join(f"'{name}'" for name in shared)
    plural = len(shared) > 1
    who = f"driver{'s' if plural else ''} {listed}"
    if off > 1e-6 * (1.0 + np.abs(work.nu).max()):
        raise ModelError(
            f"{who}: the joints and loops leave less free than is driven, and the motions contradict each other; "
            "leave one out",
            element=shared[0],
        )
    return (f"{who}: the joints and loops leave less free than is driven; the motions must agree at all times",)


def _translate(equations: Equations, held: Equations, y_held: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """The state of another formulation whose bodies are where `held` has them, and move as there."""
    compiled, layout, work = equations.compiled, equations.compiled.layout, equations.work
    poses = body_poses(held.compiled, held.work.R, held.work.p)
    links = [poses[name] @ Pose(layout.R_LB[i], layout.p_LB[i]).inverse() for i, name in enumerate(layout.bodies)]
    y = np.concatenate([coordinates_from_poses(compiled, links), np.zeros(layout.v_count), layout.state_starts])
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    V = np.zeros((len(layout.bodies), 6))
    for i, name in enumerate(layout.bodies):
        k = held.compiled.layout.body(name)
        V[i] = held.work.V[k]
        V[i, :3] += np.cross(held.work.V[k, 3:], work.O[i] - held.work.O[k])
    y[layout.q_count : layout.q_count + layout.v_count] = velocities_from_twists(compiled, work.S, V)
    y[layout.q_count + layout.v_count :] = y_held[len(y_held) - len(layout.state_starts) :]
    for name in layout.modal_sizes:
        places, other = ((*a.layout.q_names, *a.layout.v_names).index(name) for a in (compiled, held.compiled))
        y[places] = y_held[other]
    return y


def independent_rows(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> tuple[np.ndarray, int]:
    """Rows independent at a general position near y, and the rank at y itself.

    A start may be singular by chance; rows that are dependent only there must be kept.
    """
    if not len(equations.system.rows):
        return np.zeros(0, np.int64), 0
    best = rows_taken(equations, y, angles, t)
    start_rank = len(best)
    trial = y.copy()
    for seed in range(2):
        if _step_aside(equations, trial, angles, seed, t):
            found = rows_taken(equations, trial, angles, t)
            best = found if len(found) > len(best) else best
    return best, start_rank


def rows_taken(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> np.ndarray:
    """The rows that the rank-revealing factorization takes at a position."""
    system, work = equations.system, equations.work
    rows = np.zeros((len(system.rows), len(system.dofs)))
    with rounder_bodies(equations):
        equations.evaluate(t, y, angles, LEVEL_POSITION)
        status = natural_rows(equations.system_ref, equations.work_ref, rows)
    if status != OK:
        raise AssemblyError("a motion of the mechanism has no inertia; give its bodies mass and inertia")
    scales, squares, diagonal = np.ones((3, max(rows.shape)))
    rank = factor_rows(rows, RANK_CUT, scales, squares, diagonal, work.pivots)
    return np.sort(work.pivots[:rank])


def _step_aside(equations: Equations, y: np.ndarray, angles: np.ndarray, seed: int, t: float) -> bool:
    """Move y a little along an admissible direction, and close the loops again."""
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    units = motion_units(equations.compiled, 1.0)
    free = units[:, None] * _null_space(dense_jacobian(equations.system, equations.work) * units)
    if not free.shape[1]:
        return False
    direction = free @ np.random.default_rng(seed).standard_normal(free.shape[1])
    displace(equations.system.dofs, y, 0.02 * direction / np.abs(direction / units).max())
    try:
        close_loops(equations, y, angles, t)
    except AssemblyError:
        return False
    return True
