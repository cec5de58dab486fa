"""A run's samples evaluated again: the wrenches of chosen joints at every sample, compiled, by three methods.

    non-recursive  P2 eq 30, from what the equations of motion hold already; joint coordinates
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

from linkwork.analyses.loads.absolute_states import absolute_states
from linkwork.analyses.loads.sample_kernels import CHOSEN, solve_at_samples, wrenches_at_samples
from linkwork.analyses.simulate.driver_phases import modes_at_samples
from linkwork.analyses.start.assembly import assemble
from linkwork.analyses.start.independent_rows import independent_rows
from linkwork.elements.constraints.drivers import driven_coordinate
from linkwork.elements.constraints.rows import IDLE
from linkwork.errors import Entry, NumericalError, OptionError
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import OK
from linkwork.results.result import Result
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import with_active_rows
from linkwork.system.units import generalized_force_unit

NON_RECURSIVE, NEWTON_EULER, MULTIPLIERS = "non-recursive", "newton-euler", "multipliers"
LOAD_METHODS = (NON_RECURSIVE, NEWTON_EULER, MULTIPLIERS)


@dataclass(frozen=True)
class DriverRow:
    """A driver: its row, and the motion of the tree that is its coordinate (-1: none is)."""

    name: str
    joint: str
    coordinate: str
    unit: str
    row: int
    motion: int


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
    def of(cls, result: Result, compiled: Compiled | None = None) -> Replay:
        """The samples of a result, in the formulation in which it was computed; `compiled`: with further measures."""
        if not len(result.t):
            raise OptionError(
                f"the result of '{result.model}' has no samples, and loads need a motion; run it again",
                element=result.model,
            )
        if compiled is None:
            compiled = compile_mechanism(result.mechanism, result.certificate.formulation)
        return cls(
            compiled, result.t, np.hstack([result.q, result.v, result.states]), result.v_dot, result.lam,
            modes_at_samples(result, compiled),
        )  # fmt: skip

    def hold_rows_of(self, n: int, equations: Equations) -> None:
        """Let those rows hold that do so at sample n: drivers take turns."""
        equations.work.row_state["mode"] = self.modes[n]

    def segments(self) -> Iterator[slice]:
        """Consecutive samples at which the same rows hold; kernels go through one segment after the other."""
        changes = np.flatnonzero(np.any(self.modes[1:] != self.modes[:-1], axis=1)) + 1
        for first, last in pairwise([0, *changes.tolist(), len(self.t)]):
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
            unit = generalized_force_unit(joint.type.units[coordinate])
            found.append(DriverRow(driver.name, joint.name, coordinate, unit, rows[driver.name], motion))
        return tuple(found)

    # -- tables that the kernels read ---------------------------------------------------------------------------
    @cached_property
    def open_equations(self) -> Equations:
        """The equations with the rows left out: forces as they act on each body, not summed up."""
        return Equations(self.compiled.as_open_tree(True), reactions=True)

    def first_angles(self) -> np.ndarray:
        """On which turn the counted angles start: that of their joint's start value."""
        return np.concatenate([self.layout.angle_starts, np.zeros(self.layout.angle_count)])

    @cached_property
    def outside(self) -> np.ndarray:
        """For each row: does it act on the tree from outside?  All but those of tree joints and of their drivers do."""
        tree = {joint.name for joint in self.layout.tree}
        outside = np.array([row.element not in tree for row in self.layout.rows], np.bool_)
        for driver in self.drivers:
            outside[driver.row] = driver.joint not in tree
        return outside

    def chosen(self, joints: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The table of the chosen joints, and for each row the chosen joint to which it belongs, or -1."""
        bodies = self.compiled.system.bodies
        tree = {joint.name: joint for joint in self.layout.tree}
        chosen = np.zeros(len(joints), CHOSEN)
        for record, name in zip(chosen, joints, strict=True):
            frames = self.layout.joints[name]
            record["body_b"], record["p_BM"], record["sign"] = frames.body_b, frames.p_BM, 1
            if name in tree:
                i = tree[name].body
                below = bodies[i : self.end[i]]
                record["tree_body"], record["sign"] = i, -1 if tree[name].reversed else 1
                record["first_below"] = bodies[i]["first_dof"] + bodies[i]["dof_count"]
                record["end_below"] = (below["first_dof"] + below["dof_count"])[below["axis_count"] == 0].max()
        places = {name: k for k, name in enumerate(joints)}
        owners = {driver.name: driver.joint for driver in self.drivers}
        names = [owners.get(row.element, row.element) for row in self.layout.rows]
        return chosen, np.array([places.get(name, -1) for name in names], np.int64)

    # -- what follows -------------------------------------------------------------------------------------------
    def wrenches(self, joints: tuple[str, ...], method: str) -> Wrenches:
        """Wrenches of the chosen joints at every sample."""
        if (method == MULTIPLIERS) != (self.formulation == "absolute"):
            raise ValueError(f"method '{method}' does not work in {self.formulation} coordinates")
        equations, count, bodies = self.open_equations, len(self.t), len(self.compiled.system.bodies)
        chosen, owner = self.chosen(joints)
        found = Wrenches(
            R=np.zeros((count, bodies, 3, 3)), p=np.zeros((count, bodies, 3)),
            angle=np.zeros((count, 2 * self.layout.angle_count)),
            wrench=np.zeros((count, len(joints), 6)), tau=np.zeros((count, self.layout.v_count)),
        )  # fmt: skip
        angles = self.first_angles()
        for s in self.segments():
            self.hold_rows_of(s.start, equations)
            wrenches_at_samples(
                equations.system_ref, equations.work_ref, self.t[s], self.states[s], self.v_dot[s], self.lam[s], angles,
                self.outside, owner, chosen, method == NEWTON_EULER, np.zeros((bodies, 6)), np.zeros((bodies, 6)),
                found.R[s], found.p[s], found.angle[s], found.wrench[s], found.tau[s],
            )  # fmt: skip
        return found

    def driving(self, driver: DriverRow, found: Wrenches, method: str) -> np.ndarray:
        """Driving force at every sample (N m, N): S . R by P2 and Newton-Euler, else from the driver's multiplier; none
        while it does not act.
        """
        acts = self.modes[:, driver.row] != IDLE
        of_tree = driver.motion >= 0 and method != MULTIPLIERS
        return np.where(acts, found.tau[:, driver.motion] if of_tree else -self.lam[:, driver.row], 0.0)

    def part(self, samples: np.ndarray) -> Replay:
        """Some of the samples; for what depends on positions only."""
        return Replay(
            self.compiled, self.t[samples], self.states[samples], self.v_dot[samples], self.lam[samples],
            self.modes[samples],
        )  # fmt: skip

    def in_absolute_coordinates(self, result: Result) -> Replay:
        """The same motion with every joint as rows; accelerations and multipliers solved anew from the states."""
        start = assemble(self.mechanism, "absolute")
        states = absolute_states(start.compiled, result)
        fresh = Replay(
            start.compiled, self.t, states, np.zeros((len(self.t), start.compiled.layout.v_count)),
            np.zeros((len(self.t), len(start.compiled.layout.rows))), modes_at_samples(result, start.compiled),
        )  # fmt: skip
        angles = fresh.first_angles()
        for k, s in enumerate(fresh.segments()):
            equations = Equations(start.compiled, reactions=True)
            fresh.hold_rows_of(s.start, equations)
            if k:  # other rows hold than at the start
                rows = independent_rows(equations, states[s.start], angles, float(self.t[s.start])).rows
                system = with_active_rows(start.compiled.system, rows)
                equations = Equations(replace(start.compiled, system=system), reactions=True)
                fresh.hold_rows_of(s.start, equations)
            status = solve_at_samples(
                equations.system_ref, equations.work_ref, fresh.t[s], fresh.states[s], angles, fresh.v_dot[s],
                fresh.lam[s],
            )  # fmt: skip
            if status != OK:
                raise NumericalError(
                    "the multipliers of a sample cannot be solved; run `check` on the model", entry=Entry.NO_INERTIA
                )
        return fresh


@dataclass(frozen=True)
class Wrenches:
    """Poses of the link frames, wrenches of the chosen joints on B at their points (world axes), and S . R."""

    R: np.ndarray  # [sample, body, 3, 3]
    p: np.ndarray  # [sample, body, 3] m
    angle: np.ndarray  # [sample, counted angles and their rates] rad, rad/s
    wrench: np.ndarray  # [sample, joint, 6] N, N m
    tau: np.ndarray  # [sample, motion] N m, N; of the chosen joints in the tree


def _subtree_ends(compiled: Compiled) -> np.ndarray:
    """For each body one past the last that hangs on it: bodies stand depth first, so that a subtree is a range."""
    parents = compiled.system.bodies["parent"]
    end = np.arange(1, len(parents) + 1)
    for i in range(len(parents) - 1, 0, -1):
        end[parents[i]] = max(end[parents[i]], end[i])
    return end
