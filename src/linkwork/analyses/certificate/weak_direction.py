"""Where the constraints hold least at a position: the combination of rows that all but vanishes, the elements that it
is made of, and the motion that it no longer prevents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.closing import motion_units
from linkwork.analyses.start.scales import row_sizes
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, joint_jacobian
from linkwork.methods.normal_step import natural_rows
from linkwork.numerics.status import LEVEL_EQUATIONS, LEVEL_POSITION

SHARE = 0.02  # of the vanishing combination: the least part of an element that is named
DRIVES = 1e-5  # and of a driver
MOVES = 0.2  # of the largest rate of a joint: that of one that is named
NAMED = 6  # joints
DEPENDENT = 1e-5  # of the largest singular value: rows are dependent


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
    system, compiled = equations.system, equations.compiled
    active = np.flatnonzero(equations.work.row_state["active"])
    if not len(active) or not np.all(np.isfinite(y)):
        return None
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    rows = np.zeros((len(system.rows), len(system.dofs)))
    natural_rows(equations.system_ref, equations.work_ref, rows)
    left, sizes, _ = np.linalg.svd(rows[active], full_matrices=False)
    combination = np.zeros(len(rows))
    combination[active] = left[:, -1]
    units = motion_units(compiled, 1.0)
    J = dense_jacobian(system, equations.work) * units / row_sizes(compiled)[:, None]
    _, values, right = np.linalg.svd(J[active])
    loose = right[min(int(np.sum(values > DEPENDENT * values[0])), len(active) - 1) :]
    elements, drivers = _elements(equations, combination)
    joints = _joints(equations, units[:, None] * loose.T)
    return WeakDirection(float(sizes[-1]), combination, units * right[len(active) - 1], elements, drivers, joints)


def _elements(equations: Equations, combination: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Elements with a part in the combination, and drivers with one."""
    shares: dict[str, float] = {}
    for part, name in zip(combination**2, equations.compiled.layout.rows, strict=True):
        shares[name.element] = shares.get(name.element, 0.0) + float(part)
    drivers = tuple(d.name for d in equations.compiled.mechanism.driver if shares.get(d.name, 0.0) > DRIVES)
    largest = sorted(shares, key=lambda name: -shares[name])
    return tuple(name for name in largest if shares[name] > SHARE and name not in drivers), drivers


def _joints(equations: Equations, motions: np.ndarray) -> tuple[str, ...]:
    """Joints that move in any of these motions [motion, direction], in the order of the model."""
    compiled, rates = equations.compiled, dict[str, float]()
    for joint in compiled.mechanism.joint:
        rates[joint.name] = float(np.linalg.norm(joint_jacobian(compiled, equations.work, joint.name) @ motions))
    fastest = max(rates.values(), default=0.0)
    return tuple(name for name, rate in rates.items() if rate > MOVES * fastest)[:NAMED]


def load_along(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, motion: np.ndarray) -> float:
    """The generalized force of all loads along a motion, of the sum of its parts: 0, they leave it alone; 1 at most."""
    equations.evaluate(t, y, angles, LEVEL_EQUATIONS)
    Q, units = equations.work.Q, motion_units(equations.compiled, 1.0)
    whole = float(np.abs(Q * units).max(initial=0.0))
    return abs(float(Q @ motion)) / whole if whole > 0.0 else 0.0
