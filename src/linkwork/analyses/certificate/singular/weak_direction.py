"""Where the constraints hold least at a position: the combination of rows that all but vanishes, the elements that it
is made of, and the motion that it no longer prevents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.certificate.singular.loose_among_many import name_loose_among_many, room_among_many
from linkwork.analyses.certificate.singular.loose_joints import DEPENDENT, loose_room, name_loose_joints
from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.row_space import RowSpace, Weakest, is_large
from linkwork.analyses.start.scales import row_sizes
from linkwork.compiler.references import Reference
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.motion_rows import joint_table
from linkwork.methods.natural_rows import natural_rows
from linkwork.numerics.status import LEVEL_EQUATIONS, LEVEL_POSITION

SHARE = 0.02  # of the vanishing combination: the least part of an element that is named
DRIVES = 1e-5  # and of a driver
LARGER = 1.001  # times what is left of a row: a cut that drops it


@dataclass(frozen=True)
class WeakDirection:
    """The weakest combination of the active rows at a position."""

    size: float  # of the combination, each row of its natural size; 0: the rows are dependent
    combination: np.ndarray  # unit vector [row]
    motion: np.ndarray  # v that the combination should prevent; rad/s, or the mechanism's size a second
    elements: tuple[str, ...]  # of the combination, the largest first; without drivers
    drivers: tuple[str, ...]
    joints: tuple[str, ...]  # that can move, to first order

    @property
    def in_words(self) -> str:
        """The joints that can move."""
        return ", ".join(f"'{name}'" for name in self.joints)


def weak_direction(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> WeakDirection | None:
    """At the position y; None where there are no rows."""
    active = np.flatnonzero(equations.work.row_state["active"])
    if not len(active) or not np.all(np.isfinite(y)):
        return None
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    weakest = _weakest(equations, active)
    loose = LooseJoints(equations)
    elements, drivers = _elements(equations, weakest.combination)
    return WeakDirection(weakest.value, weakest.combination, loose.least_prevented(), elements, drivers, loose.here())


class LooseJoints:
    """Joints that can move, to first order, at one position after the other."""

    def __init__(self, equations: Equations) -> None:
        self.equations, self.active = equations, np.flatnonzero(equations.work.row_state["active"])
        self.units, self.sizes = motion_units(equations.compiled, 1.0), row_sizes(equations.compiled)
        self.large, table = is_large(equations), joint_table(equations.compiled)
        self.table, self.space = Reference(table), RowSpace(equations, self.active)
        self.room = loose_room(equations, table, not self.large)
        self.many = room_among_many(self.units, len(self.active), len(table.owner) if self.large else 0)

    def at(self, t: float, y: np.ndarray, angles: np.ndarray) -> tuple[str, ...]:
        """Their names at the position y."""
        self.equations.evaluate(t, y, angles, LEVEL_POSITION)
        return self.here()

    def here(self) -> tuple[str, ...]:
        """The same at the position evaluated last."""
        equations = self.equations
        both, named = (equations.system_ref, equations.work_ref, self.table), self.room.named
        if self.large:
            space = self.space.scaled(self.units, self.sizes, DEPENDENT)
            if space.rank == len(self.active):  # the weakest has all but vanished
                space = self.space.scaled(self.units, self.sizes, LARGER * float(space.left.min()))
            name_loose_among_many(*both, space.table, space.left, Reference(self.many))
            named = self.many.named
        else:
            name_loose_joints(*both, Reference(self.room))
        joints = equations.compiled.mechanism.joint
        return tuple(joints[k].name for k in named if k >= 0)

    def least_prevented(self) -> np.ndarray:
        """The motion that the active rows prevent least there."""
        if self.large:
            space = self.space.scaled(self.units, self.sizes, DEPENDENT)
            if space.rank == len(self.active):
                return np.asarray(self.units * space.weakest().motion)
            return np.asarray(self.units * space.allowed(np.ones((1, len(self.units))))[0])
        J = dense_jacobian(self.equations.system, self.equations.work) * self.units / self.sizes[:, None]
        return np.asarray(self.units * np.linalg.svd(J[self.active])[2][len(self.active) - 1])


def _weakest(equations: Equations, active: np.ndarray) -> Weakest:
    """The weakest combination of the active rows in the metric of M, each of its natural size."""
    if is_large(equations):
        return RowSpace(equations, active).natural(0.0).weakest()
    rows = np.zeros((len(equations.system.rows), len(equations.system.dofs)))
    natural_rows(equations.system_ref, equations.work_ref, rows)
    left, sizes, right = np.linalg.svd(rows[active], full_matrices=False)
    combination = np.zeros(len(rows))
    combination[active] = left[:, -1]
    return Weakest(float(sizes[-1]), combination, right[-1])


def _elements(equations: Equations, combination: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Elements with a part in the combination, and drivers with one."""
    shares: dict[str, float] = {}
    for part, name in zip(combination**2, equations.compiled.layout.rows, strict=True):
        shares[name.element] = shares.get(name.element, 0.0) + float(part)
    drivers = tuple(d.name for d in equations.compiled.mechanism.driver if shares.get(d.name, 0.0) > DRIVES)
    largest = sorted(shares, key=lambda name: -shares[name])
    return tuple(name for name in largest if shares[name] > SHARE and name not in drivers), drivers


def load_along(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, motion: np.ndarray) -> float:
    """The generalized force of all loads along a motion, of the sum of its parts: 0, they leave it alone; 1 at most."""
    equations.evaluate(t, y, angles, LEVEL_EQUATIONS)
    Q, units = equations.work.Q, motion_units(equations.compiled, 1.0)
    whole = float(np.abs(Q * units).max(initial=0.0))
    return abs(float(Q @ motion)) / whole if whole > 0.0 else 0.0
