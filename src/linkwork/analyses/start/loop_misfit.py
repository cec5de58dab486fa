"""Loops that close only nearly: redundant equations that are a little off.

Bennett's linkage moves because four hinges fit exactly; given to five digits they do not, and strictly speaking it is a
structure.  Its rows tell: beside the others some are small, but no rounding.  Whether such rows are meant to be
redundant is tried: without them the mechanism is moved along the direction that they would prevent, and what they are
off then, in m and rad, is the misfit of the loop.  Within the model's `loop_tolerance` the rows are redundant, and the
misfit is reported; a little beyond it the model is refused; far beyond it the rows mean what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from linkwork.analyses.start.closing import close_loops, motion_units
from linkwork.analyses.start.contradictions import loop_joints
from linkwork.analyses.start.dependence import dependences
from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.analyses.start.scales import row_sizes, row_unit
from linkwork.elements.constraints.rows import IDLE, VELOCITY
from linkwork.errors import AssemblyError, Entry
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, entries
from linkwork.formulations.kinematics import displace
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import RANK_CUT, null_space
from linkwork.system.compile import Compiled

SMALL, ROUNDING = 1e-2, 1e-12  # of a row's natural size: between them a row is small, but no rounding
STEP, STEPS = 0.05, 6  # rad, or of the mechanism's size; each way
NOTED = 1e-6  # rad, or of the bodies' size: a misfit below it is worth no words
POWERS = 30  # of the power method for the direction that very many rows prevent most
MEANT = 30.0  # times the tolerance: a misfit beyond it is no misfit, the rows are meant to hold


@dataclass(frozen=True)
class LoopMisfit:
    """By how much redundant equations are off when the mechanism moves."""

    rows: np.ndarray  # that are independent without them
    joints: tuple[str, ...]  # of the loop
    length: float  # m
    angle: float  # rad
    worst: float  # of the size of the bodies that a row joins, or rad
    tolerance: float  # the same, of the model

    @property
    def in_words(self) -> str:
        """The loop and its misfit."""
        listed = ", ".join(f"'{name}'" for name in self.joints)
        return f"the loop of {listed} closes to {self.length:.2g} m and {self.angle:.2g} rad as it moves"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of it."""
        return (f"{self.in_words}; its redundant equations are left off by that",) if self.worst > NOTED else ()

    def as_dict(self) -> dict[str, object]:
        """The entry of the certificate."""
        return {"joints": list(self.joints), "length": self.length, "angle": self.angle}


def loop_misfit(
    equations: Equations, y: np.ndarray, angles: np.ndarray, order: np.ndarray, left: np.ndarray, t: float
) -> LoopMisfit | None:
    """The misfit of rows that are small beside the others; None where there are none, or they are meant to hold.

    `order`: rows as the rank-revealing factorization takes them; `left`: of each what is left beside those before it.
    """
    if not has_small(left):
        return None
    kept = np.sort(order[left >= SMALL])
    without = Equations(equations.compiled, row_state=equations.work.row_state)
    others = np.setdiff1d(np.arange(len(equations.system.rows)), kept)
    others = others[equations.work.row_state["mode"][others] != IDLE]
    if np.any(equations.work.row_state["mode"][others] == VELOCITY):  # they hold no position that could be off
        return None
    without.work.row_state["mode"][others] = IDLE
    off = _off_along_the_way(equations, without, y, angles, kept, others, t)
    compiled, sizes = equations.compiled, local_sizes(equations.compiled)[others]
    if off is None or (off / sizes).max(initial=0.0) > MEANT * compiled.mechanism.loop_tolerance:
        return None
    lengths = np.array([row_unit(compiled, row) == "m" for row in others])
    worst = int(np.argmax(off / sizes))
    name = compiled.layout.rows[others[worst]].element
    return LoopMisfit(
        kept, _loop(equations, name, kept), float(off[lengths].max(initial=0.0)), float(off[~lengths].max(initial=0.0)),
        float((off / sizes)[worst]), compiled.mechanism.loop_tolerance,
    )  # fmt: skip


def local_sizes(compiled: Compiled) -> np.ndarray:
    """Of each constraint equation [row]: 1 rad, or the size (m) of the larger body that it joins, between its joints.

    Not that of the mechanism: a net of 10,000 bars is a thousand times as long as a bar, and a hundredth of that is
    many bars.
    """
    joints, bodies = compiled.layout.joints, len(compiled.system.bodies)
    low, high = np.full((bodies, 3), np.inf), np.full((bodies, 3), -np.inf)
    for body, points in ((joints.body_a, joints.p_AF), (joints.body_b, joints.p_BM)):
        np.minimum.at(low, body, points)
        np.maximum.at(high, body, points)
    extent = np.where(np.isfinite(low), high - low, 0.0)
    extent[0] = 0.0  # ground has no size
    of_body = np.linalg.norm(extent, axis=1)
    of_row = compiled.system.constraints[compiled.system.rows["constraint"]]
    larger = np.maximum(of_body[of_row["body_a"]], of_body[of_row["body_b"]])
    whole = row_sizes(compiled)
    return np.where(compiled.layout.length_rows & (larger > 0.0), np.minimum(larger, whole), whole)


def has_small(left: np.ndarray) -> bool:
    """Whether rows are small beside the others, but no rounding."""
    return bool(np.any((left < SMALL) & (left > ROUNDING)))


def refuse_beyond_tolerance(found: LoopMisfit) -> NoReturn:
    """An AssemblyError for a loop that closes too badly to be taken for one that moves."""
    remedy = (
        "give points and axes of its joints with more digits, give one of them another degree of freedom, or let it be "
        f"with loop_tolerance = {2.0 * found.worst:.1g}"
    )
    raise AssemblyError(
        f"{found.in_words}, more than loop_tolerance = {found.tolerance:g}: strictly speaking it cannot move at all; "
        f"{remedy}",
        element=found.joints[0] if found.joints else None,
        remedy=remedy,
        entry=Entry.MISFIT,
    )


def _off_along_the_way(
    equations: Equations, without: Equations, y: np.ndarray, angles: np.ndarray, kept: np.ndarray, others: np.ndarray,
    t: float,
) -> np.ndarray | None:  # fmt: skip
    """Of each of the other rows how far it is off at most, m or rad, on a way along the direction that they would
    prevent; None: there is no such way.
    """
    units, sizes = motion_units(equations.compiled, 1.0), row_sizes(equations.compiled)
    off, taken = np.zeros(len(others)), 0
    for sense in (1.0, -1.0):
        here, before = y.copy(), np.zeros(len(units))
        for _ in range(STEPS):
            equations.evaluate(t, here, angles, LEVEL_POSITION)
            if len(units) <= len(kept):
                return None
            direction = _prevented(equations, kept, others, units, sizes, before)
            direction *= (sense if not before.any() else 1.0) / np.linalg.norm(direction)
            displace(equations.system.dofs, here, units * STEP * direction)
            try:
                close_loops(without, here, angles, t)
            except AssemblyError:
                break
            equations.evaluate(t, here, angles, LEVEL_POSITION)
            off, before, taken = np.maximum(off, np.abs(equations.work.Phi[others])), direction, taken + 1
    return off if taken else None


def _prevented(
    equations: Equations, kept: np.ndarray, others: np.ndarray, units: np.ndarray, sizes: np.ndarray, before: np.ndarray
) -> np.ndarray:
    """Of the motions that the rows kept allow the one nearest to that before, or, where there is none, the one that the
    other rows prevent most.
    """
    if not is_large(equations):
        J = dense_jacobian(equations.system, equations.work) * units / sizes[:, None]
        free = null_space(J[kept], rank=len(kept))
        return np.asarray(free @ (free.T @ before if before.any() else np.linalg.svd(J[others] @ free)[2][0]))
    space = RowSpace(equations, kept).scaled(units, sizes, RANK_CUT)
    if before.any():
        return space.allowed(before)
    rows, motions = entries(equations.system)
    of_others = np.isin(rows, others)
    rows, motions, values = rows[of_others], motions[of_others], equations.work.J[of_others]
    values = values * units[motions] / sizes[rows]
    found = space.allowed(np.random.default_rng(0).standard_normal(len(units)))
    for _ in range(POWERS):
        rates = np.bincount(rows, values * found[motions], len(sizes))
        found = space.allowed(np.bincount(motions, values * rates[rows], len(units)))
        found /= np.linalg.norm(found) or 1.0
    return found


def _loop(equations: Equations, name: str, kept: np.ndarray) -> tuple[str, ...]:
    """The joints of the loop that an element closes; in absolute coordinates those that depend on each other."""
    compiled = equations.compiled
    if compiled.layout.formulation == "joint":
        return (*loop_joints(compiled, name), name)
    joints, share = {joint.name for joint in compiled.mechanism.joint}, np.zeros(len(equations.system.rows))
    for _, combination in dependences(equations, kept):
        share = np.maximum(share, np.abs(combination) / np.abs(combination).max())
    elements = [compiled.layout.rows[r].element for r in np.flatnonzero(share > SMALL)]
    return tuple(dict.fromkeys(element for element in elements if element in joints)) or (name,)
