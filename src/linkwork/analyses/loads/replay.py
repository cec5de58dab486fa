"""A run's samples evaluated again: the wrenches of chosen joints at every sample, compiled, in three ways.

    non-recursive  P2's formula, from what the equations of motion hold already; joint coordinates
    newton-euler   the recursion from the tips; joint coordinates
    multipliers    absolute coordinates: every joint is rows, and the rows' multipliers are its load

A result holds no live system; here its model is compiled again, and its states are what the kernels go through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from linkwork.analyses.simulate.driver_phases import modes_at_samples
from linkwork.analyses.start.assembly import assemble, independent_rows
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.constraints.rows import IDLE, constraint_wrenches
from linkwork.elements.family import REACTIONS, ROWS
from linkwork.errors import NumericalError, OptionError
from linkwork.formulations.equations import Equations, call_families, evaluate, loads_agree
from linkwork.formulations.reactions import (
    body_accelerations,
    composite_axes,
    newton_euler,
    reaction_alone,
    row_wrenches,
    sum_up,
)
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.mechanism import Mechanism, driven_coordinate
from linkwork.methods.normal_step import RANK_CUT, factorize, mass_weighted_rows, row_scales
from linkwork.methods.parametrization import constrain
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.rotations import rotation_entries
from linkwork.numerics.status import ACCELERATE, LEVEL_ALL, LEVEL_POSITION, OK, T_ACCEPTED, T_HIGH
from linkwork.numerics.vectors import add, angular, cross, linear, rotate, spatial_dot, sub, vector
from linkwork.results.joint_motion import coordinates_of_motion
from linkwork.results.result import Result
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import with_active_rows

NON_RECURSIVE, NEWTON_EULER, MULTIPLIERS = "non-recursive", "newton-euler", "multipliers"
WAYS = (NON_RECURSIVE, NEWTON_EULER, MULTIPLIERS)
INSIDE = 1e-15  # of the time: how long before it expressions are read, on this side of a jump

CHOSEN = np.dtype(
    [
        ("tree_body", np.int32),  # the body that hangs on this joint; 0: the joint is rows
        ("sign", np.int32),  # +1: that body is B; -1: it is A
        ("first_below", np.int32),  # motions of all that hangs on that body, itself left out
        ("end_below", np.int32),
        ("body_b", np.int32),
        ("p_BM", np.float64, (3,)),  # m, the joint's point on B, in its link frame
    ],
    align=True,
)


@dataclass(frozen=True)
class DriverRow:
    """A driver: its row, and the motion of the tree that is its coordinate (-1: none is)."""

    name: str
    joint: str
    coordinate: str
    unit: str
    row: int
    motion: int


# -- kernels ------------------------------------------------------------------------------------------------------
@part
def evaluate_sample(system, work, t, state, angles, level):
    """Evaluate at one sample; `angles` are the counted ones of the sample before, and become those of this one.

    A sample at a break time belongs to the segment that ends there.
    """
    work.settings[T_HIGH] = t - INSIDE * abs(t)
    evaluate(system, t, state, angles, work, level)
    if level == LEVEL_ALL:
        for k in range(angles.shape[0]):
            angles[k] = work.angle[k]
        work.settings[T_ACCEPTED] = t


@part
def row_wrenches_at(system, work, t, angles):
    """W of all rows at the sample evaluated last, which an open tree leaves out."""
    constraint_wrenches(system.constraints, system.rows, work.R, work.p, work.O, work.W)
    call_families(ROWS, system, t, angles, work)


@part
def add_reactions(system, work, t, angles, lam, outside):
    """Add to F what multipliers do to the bodies: those of rows that act on the tree from outside."""
    for r in range(lam.shape[0]):
        work.lam[r] = lam[r]
    row_wrenches(system.constraints, lam, work.W, outside, work.F)
    call_families(REACTIONS, system, t, angles, work)


@part
def _at_joint(R, p, O, joint, i, f, n, wrench):
    """Write the wrench (f, n about the reference point of body i) as force and moment about the joint's point."""
    b = joint.body_b
    arm = sub(vector(O, i), add(vector(p, b), rotate(R, b, joint.p_BM)))
    moment = add(n, cross(arm, f))
    for k in range(3):
        wrench[k] = f[k]
        wrench[3 + k] = moment[k]


@part
def _row_loads(system, work, lam, chosen, owner, wrench):
    """Loads of joints that are rows: -lam W on B, summed over the joint's own rows and its drivers'.

    A driver of the second pin of a cross is a row from B to A: there the wrench on B is the first one of W.
    """
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            k = owner[r]
            if k >= 0 and chosen[k].tree_body == 0:
                same = con.body_b == chosen[k].body_b
                for m in range(6):
                    wrench[k, m] += -lam[r] * work.W[r, 6 + m] if same else lam[r] * work.W[r, m]
    for k in range(chosen.shape[0]):
        if chosen[k].tree_body == 0:
            f, n = linear(wrench, k), angular(wrench, k)
            _at_joint(work.R, work.p, work.O, chosen[k], chosen[k].body_b, f, n, wrench[k])


@kernel
def wrenches_at_samples(
    system, work, t, states, v_dot, lam, angles, outside, owner, chosen, recursive, a, reaction, R, p, angle,
    wrench, tau,
):  # fmt: skip
    """Wrench on B of every chosen joint at its point, world axes; tau = S . R of their motions; poses of the bodies.

    `system` is said to be an open tree: rows come in by their multipliers only.
    """
    bodies, w = system.bodies, work
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_ALL)
        for r in range(lam.shape[1]):
            w.lam[r] = lam[n, r]
        if not loads_agree(system, t[n], angles, work, 0):
            evaluate(system, t[n], states[n], angles, work, LEVEL_ALL)
        R[n] = w.R
        p[n] = w.p
        angle[n] = w.angle
        row_wrenches_at(system, work, t[n], angles)
        add_reactions(system, work, t[n], angles, lam[n], outside)
        body_accelerations(bodies, w.S, v_dot[n], a)
        if recursive:
            newton_euler(bodies, w.inertia, w.F, a, 1, reaction)
        else:
            composite_axes(bodies, w.inertia, w.S, w.composite, w.U)
            sum_up(bodies, w.F)
        for k in range(chosen.shape[0]):
            joint = chosen[k]
            i = joint.tree_body
            if i == 0:
                continue
            if not recursive:
                reaction_alone(i, joint.first_below, joint.end_below, w.composite, w.U, w.F, a, v_dot[n], reaction)
            for j in range(bodies[i].first_dof, bodies[i].first_dof + bodies[i].dof_count):
                tau[n, j] = spatial_dot(w.S, j, reaction, i)
            _at_joint(w.R, w.p, w.O, joint, i, linear(reaction, i), angular(reaction, i), wrench[n, k])
            for m in range(6):
                wrench[n, k, m] *= joint.sign
        _row_loads(system, work, lam[n], chosen, owner, wrench[n])


@kernel
def influence_at_samples(system, work, t, states, angles, outside, owner, chosen, multipliers, wrench):
    """What sets of multipliers [sample, set, row] alone do to the wrenches [sample, set, joint, 6]."""
    bodies, w = system.bodies, work
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_POSITION)
        row_wrenches_at(system, work, t[n], angles)
        for s in range(multipliers.shape[1]):
            w.F[:, :] = 0.0
            add_reactions(system, work, t[n], angles, multipliers[n, s], outside)
            sum_up(bodies, w.F)
            for k in range(chosen.shape[0]):
                i = chosen[k].tree_body
                if i > 0:
                    f, m = linear(w.F, i), angular(w.F, i)
                    _at_joint(w.R, w.p, w.O, chosen[k], i, f, m, wrench[n, s, k])
                    for c in range(6):
                        wrench[n, s, k, c] *= -chosen[k].sign
            _row_loads(system, work, multipliers[n, s], chosen, owner, wrench[n, s])


@kernel
def factor_at_samples(system, work, t, states, angles, rows, scales, diagonal, pivots, rank):
    """Rank-revealing factorization of the mass-weighted rows Phi_v L^-1 at every sample, M = L^T L; their rank."""
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_POSITION)
        status = mass_weighted_rows(system, work, rows[n])
        if status != OK:
            return status
        row_scales(system, work, scales[n])
        rank[n] = factor_rows(rows[n], RANK_CUT, scales[n], work.small[4], diagonal[n], pivots[n])
    return OK


@kernel
def null_space_at_samples(rows, scales, diagonal, pivots, rank, c, sets):
    """Sets of multipliers [sample, set, row] with Phi_v^T lam = 0: one for each row that depends on those taken.

    A dropped row is sum_k c_k (row k), R c = its part in the span; so lam = 1 on it and -c_k on the others.
    """
    for n in range(rows.shape[0]):
        A, order = rows[n], pivots[n]
        for d in range(rank[n], A.shape[0]):
            dropped = order[d]
            lam = sets[n, d - rank[n]]
            for k in range(rank[n] - 1, -1, -1):
                s = A[dropped, k]
                for m in range(k + 1, rank[n]):
                    s -= A[order[m], k] * c[m]
                c[k] = s / diagonal[n, k]
                lam[order[k]] = -c[k] * scales[n, order[k]]
            lam[dropped] = scales[n, dropped]


@kernel
def solve_at_samples(system, work, t, states, angles, v_dot, lam):
    """v_dot and lam at every sample."""
    for n in range(t.shape[0]):
        evaluate_sample(system, work, t[n], states[n], angles, LEVEL_ALL)
        status = factorize(system, work)
        if status != OK:
            return status
        for k in range(MOST_ROUNDS):
            constrain(system, work, ACCELERATE)
            if loads_agree(system, t[n], angles, work, k):
                break
        v_dot[n] = work.v_dot
        lam[n] = work.lam
    return OK


# -- the samples --------------------------------------------------------------------------------------------------
class Replay:
    """The samples of a run in one formulation: states, accelerations and multipliers, and what follows from them."""

    def __init__(
        self, compiled: Compiled, t: np.ndarray, states: np.ndarray, v_dot: np.ndarray, lam: np.ndarray,
        modes: np.ndarray,
    ) -> None:  # fmt: skip
        self.compiled, self.mechanism, self.layout = compiled, compiled.mechanism, compiled.layout
        self.t, self.modes = np.ascontiguousarray(t), modes  # [sample, row] what the rows hold: drivers take turns
        self.states, self.v_dot, self.lam = (np.ascontiguousarray(x) for x in (states, v_dot, lam))
        self.end = _subtree_ends(compiled)

    @classmethod
    def of(cls, result: Result) -> Replay:
        """The samples of a result, in the formulation in which it was computed."""
        if not len(result.t):
            raise OptionError(
                f"the result of '{result.model}' has no samples, so that there is no motion to find loads from; "
                "run it again",
                element=result.model,
            )
        compiled = compile_mechanism(model_of(result), result.certificate.formulation)
        return cls(
            compiled, result.t, np.hstack([result.q, result.v, result.states]), result.v_dot, result.lam,
            modes_at_samples(result, compiled),
        )  # fmt: skip

    def stand_at(self, n: int) -> None:
        """Let those rows hold that do so at sample n."""
        self.compiled.system.rows["mode"][:] = self.modes[n]

    def stretches(self) -> Iterator[slice]:
        """Samples in a row at which the same rows hold, which then do; kernels go through one after the other."""
        changes = np.flatnonzero(np.any(self.modes[1:] != self.modes[:-1], axis=1)) + 1
        for first, last in pairwise([0, *changes.tolist(), len(self.t)]):
            self.stand_at(first)
            yield slice(first, last)

    @property
    def formulation(self) -> str:
        """`joint` or `absolute`."""
        return self.layout.formulation

    @cached_property
    def drivers(self) -> tuple[DriverRow, ...]:
        """The model's drivers, with their places in the rows and in the tree."""
        joints = {joint.name: joint for joint in self.mechanism.joint}
        tree = {joint.name: joint for joint in self.layout.tree}
        rows = {name.element: r for r, name in enumerate(self.layout.rows)}
        found = []
        for driver in self.mechanism.driver:
            if driver.joint is None:
                continue
            joint = joints[driver.joint]
            coordinate = driven_coordinate(driver, joint)
            held = tree.get(joint.name)
            motion = -1 if held is None or held.turned else held.first_v + held.type.coordinates.index(coordinate)
            unit = "N m" if joint.type.turns(coordinate) else "N"
            found.append(DriverRow(driver.name, joint.name, coordinate, unit, rows[driver.name], motion))
        return tuple(found)

    # -- tables that the kernels read ---------------------------------------------------------------------------
    @cached_property
    def open_equations(self) -> Equations:
        """The equations with the rows left out: forces as they act on each body, not summed up."""
        system = self.compiled.system
        whole = system.whole.copy()
        whole[0]["open_tree"] = 1
        return Equations(replace(self.compiled, system=system._replace(whole=whole)), reactions=True)

    def _first_angles(self) -> np.ndarray:
        """On which turn the counted angles start: that of their joint's start value."""
        return np.concatenate([self.layout.angle_starts, np.zeros(self.layout.angle_count)])

    @cached_property
    def _outside(self) -> np.ndarray:
        """For each row: does it act on the tree from outside?  All but those of tree joints and of their drivers do."""
        tree = {joint.name for joint in self.layout.tree}
        outside = np.array([row.element not in tree for row in self.layout.rows], np.bool_)
        for driver in self.drivers:
            outside[driver.row] = driver.joint not in tree
        return outside

    def _chosen(self, joints: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The table of the chosen joints, and for each row the chosen joint to which it belongs, or -1."""
        bodies = self.compiled.system.bodies
        tree = {joint.name: joint for joint in self.layout.tree}
        chosen = np.zeros(len(joints), CHOSEN)
        for record, name in zip(chosen, joints, strict=True):
            frames = self.layout.joints[name]
            record["body_b"], record["p_BM"], record["sign"] = frames.body_b, frames.p_BM, 1
            if name in tree:
                i = tree[name].body
                last = self.end[i] - 1
                record["tree_body"], record["sign"] = i, -1 if tree[name].reversed else 1
                record["first_below"] = bodies[i]["first_dof"] + bodies[i]["dof_count"]
                record["end_below"] = bodies[last]["first_dof"] + bodies[last]["dof_count"]
        places = {name: k for k, name in enumerate(joints)}
        owners = {driver.name: driver.joint for driver in self.drivers}
        names = [owners.get(row.element, row.element) for row in self.layout.rows]
        return chosen, np.array([places.get(name, -1) for name in names], np.int64)

    # -- what follows -------------------------------------------------------------------------------------------
    def wrenches(self, joints: tuple[str, ...], way: str) -> Wrenches:
        """Wrenches of the chosen joints at every sample."""
        if (way == MULTIPLIERS) != (self.formulation == "absolute"):
            raise ValueError(f"the way '{way}' does not go with {self.formulation} coordinates")
        equations, count, bodies = self.open_equations, len(self.t), len(self.compiled.system.bodies)
        chosen, owner = self._chosen(joints)
        found = Wrenches(
            R=np.zeros((count, bodies, 3, 3)), p=np.zeros((count, bodies, 3)),
            angle=np.zeros((count, 2 * self.layout.angle_count)),
            wrench=np.zeros((count, len(joints), 6)), tau=np.zeros((count, self.layout.v_count)),
        )  # fmt: skip
        angles = self._first_angles()
        for s in self.stretches():
            wrenches_at_samples(
                equations.system_ref, equations.work_ref, self.t[s], self.states[s], self.v_dot[s], self.lam[s], angles,
                self._outside, owner, chosen, way == NEWTON_EULER, np.zeros((bodies, 6)), np.zeros((bodies, 6)),
                found.R[s], found.p[s], found.angle[s], found.wrench[s], found.tau[s],
            )  # fmt: skip
        return found

    def driving(self, driver: DriverRow, found: Wrenches, way: str) -> np.ndarray:
        """Driving force at every sample (N m, N): S . R by P2 and Newton-Euler, else from the driver's multiplier; none
        while it does not act.
        """
        acts = self.modes[:, driver.row] != IDLE
        of_tree = driver.motion >= 0 and way != MULTIPLIERS
        return np.where(acts, found.tau[:, driver.motion] if of_tree else -self.lam[:, driver.row], 0.0)

    def part(self, samples: np.ndarray) -> Replay:
        """Some of the samples; for what depends on positions only."""
        return Replay(
            self.compiled, self.t[samples], self.states[samples], self.v_dot[samples], self.lam[samples],
            self.modes[samples],
        )  # fmt: skip

    def null_space(self) -> np.ndarray:
        """Sets of multipliers [sample, set, row] that do nothing to the motion; zero where a sample has fewer."""
        equations = Equations(self.compiled, reactions=True)
        count, rows, motions = len(self.t), len(self.layout.rows), self.layout.v_count
        A = np.zeros((count, rows, motions))
        scales, diagonal = np.zeros((count, rows)), np.zeros((count, max(rows, motions)))
        pivots, rank = np.zeros((count, rows), np.int64), np.zeros(count, np.int64)
        angles = self._first_angles()
        for s in self.stretches():
            status = factor_at_samples(
                equations.system_ref, equations.work_ref, self.t[s], self.states[s], angles,
                A[s], scales[s], diagonal[s], pivots[s], rank[s],
            )  # fmt: skip
            if status != OK:
                raise NumericalError("a motion of the mechanism has no inertia; give its bodies mass and inertia")
        sets = np.zeros((count, rows - int(rank.min()), rows))
        if sets.size:
            null_space_at_samples(A, scales, diagonal, pivots, rank, np.zeros(rows), sets)
        return np.where(self.modes[:, None] == IDLE, 0.0, sets)  # what an idle row could bear, it does not

    def influence(self, joints: tuple[str, ...], multipliers: np.ndarray) -> np.ndarray:
        """Wrenches [sample, set, joint, 6] of sets of multipliers [sample, set, row] by themselves."""
        equations, (chosen, owner) = self.open_equations, self._chosen(joints)
        wrench = np.zeros((*multipliers.shape[:2], len(joints), 6))
        angles, multipliers = self._first_angles(), np.ascontiguousarray(multipliers)
        for s in self.stretches():
            influence_at_samples(
                equations.system_ref, equations.work_ref, self.t[s], self.states[s], angles,
                self._outside, owner, chosen, multipliers[s], wrench[s],
            )  # fmt: skip
        return wrench

    def in_absolute_coordinates(self, result: Result) -> Replay:
        """The same motion with every joint as rows; accelerations and multipliers solved anew from the states."""
        start = assemble(self.mechanism, "absolute")
        states = absolute_states(start.compiled, result)
        fresh = Replay(
            start.compiled, self.t, states, np.zeros((len(self.t), start.compiled.layout.v_count)),
            np.zeros((len(self.t), len(start.compiled.layout.rows))), modes_at_samples(result, start.compiled),
        )  # fmt: skip
        angles = fresh._first_angles()
        for k, s in enumerate(fresh.stretches()):
            equations = Equations(start.compiled, reactions=True)
            if k:  # other rows hold than at the start
                rows, _ = independent_rows(equations, states[s.start], angles, float(self.t[s.start]))
                system = with_active_rows(start.compiled.system, rows)
                equations = Equations(replace(start.compiled, system=system), reactions=True)
            status = solve_at_samples(
                equations.system_ref, equations.work_ref, fresh.t[s], fresh.states[s], angles, fresh.v_dot[s],
                fresh.lam[s],
            )  # fmt: skip
            if status != OK:
                raise NumericalError("the multipliers of a sample cannot be solved; run `check` on the model")
        return fresh


@dataclass(frozen=True)
class Wrenches:
    """Poses of the link frames, wrenches of the chosen joints on B at their points (world axes), and S . R."""

    R: np.ndarray  # [sample, body, 3, 3]
    p: np.ndarray  # [sample, body, 3] m
    angle: np.ndarray  # [sample, counted angles and their rates] rad, rad/s
    wrench: np.ndarray  # [sample, joint, 6] N, N m
    tau: np.ndarray  # [sample, motion] N m, N; of the chosen joints in the tree


def model_of(result: Result) -> Mechanism:
    """The mechanism that a result was computed for; its Python functions only if they are still at hand."""
    mechanism = Mechanism.model_validate_json(result.model_text)
    forces = [
        force.model_copy(update={"function": result.functions.get(force.name)}) for force in mechanism.python_force
    ]
    return mechanism.model_copy(update={"python_force": tuple(forces)})


def _subtree_ends(compiled: Compiled) -> np.ndarray:
    """For each body one past the last that hangs on it: bodies stand depth first, so that a subtree is a range."""
    parents = compiled.system.bodies["parent"]
    end = np.arange(1, len(parents) + 1)
    for i in range(len(parents) - 1, 0, -1):
        end[parents[i]] = max(end[parents[i]], end[i])
    return end


def absolute_states(compiled: Compiled, result: Result) -> np.ndarray:
    """(q, v) in absolute coordinates from the motion of the bodies that a result holds."""
    layout, system = compiled.layout, compiled.system
    states = np.zeros((len(result.t), layout.q_count + layout.v_count + result.states.shape[1]))
    states[:, layout.q_count + layout.v_count :] = result.states
    for joint in layout.tree:
        i = joint.body
        k = result.names["bodies"].index(layout.bodies[i])
        R_PF, p_PF = system.bodies[i]["R_PF"], system.bodies[i]["p_PF"]
        R = _rotation_matrices(result.orientation[:, k]) @ layout.R_LB[i].T
        shift = R @ layout.p_LB[i]
        p = (result.position[:, k] - shift - p_PF) @ R_PF
        w = result.angular_velocity[:, k]
        v = (result.velocity[:, k] - np.cross(w, shift)) @ R_PF
        first_q, first_v = joint.first_q, layout.q_count + joint.first_v
        q, rates = coordinates_of_motion(joint.type, R_PF.T @ R, p, v, w @ R_PF)
        angles = [joint.type.turns(c) for c in joint.type.coordinates]
        q[:, angles] = np.unwrap(q[:, angles], axis=0)
        states[:, first_q : first_q + joint.q_count] = q
        states[:, first_v : first_v + joint.v_count] = rates
    held, kept = (*layout.q_names, *layout.v_names), (*result.names["q"], *result.names["v"])
    samples = np.hstack([result.q, result.v])
    for name in layout.modal_sizes:
        states[:, held.index(name)] = samples[:, kept.index(name)]
    return states


def _rotation_matrices(e: np.ndarray) -> np.ndarray:
    """R [sample, 3, 3] for Euler parameters [sample, 4]."""
    return np.stack(rotation_entries.py_func(*e.T), axis=-1).reshape(-1, 3, 3)
