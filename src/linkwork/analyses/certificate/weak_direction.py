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
MOVES = 0.3  # of the largest rate in the motion: that of a joint that is named
NAMED = 3  # joints


@dataclass(frozen=True)
class WeakDirection:
    """The weakest combination of the active rows at a position."""

    size: float  # of the combination, each row of its natural size; 0: the rows are dependent
    combination: np.ndarray  # unit vector [row]
    motion: np.ndarray  # v that the combination should prevent; rad/s, or the mechanism's size a second
    elements: tuple[str, ...]  # of the combination, the largest first; without drivers
    drivers: tuple[str, ...]
    joints: tuple[str, ...]  # that move in the motion, the fastest first

    @property
    def in_words(self) -> str:
        """Which joints the motion turns or slides."""
        return ", ".join(f"'{name}'" for name in self.joints)


def weak_direction(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> WeakDirection | None:
    """At the position y; None where there are no rows."""
    system, compiled = equations.system, equations.compiled
    active = np.sort(system.active["row"])
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
    motion = units * np.linalg.svd(J[active], full_matrices=False)[2][-1]
    elements, drivers = _elements(equations, combination)
    return WeakDirection(float(sizes[-1]), combination, motion, elements, drivers, _joints(equations, motion))


def _elements(equations: Equations, combination: np.ndarray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Elements with a part in the combination, and drivers with one."""
    shares: dict[str, float] = {}
    for part, name in zip(combination**2, equations.compiled.layout.rows, strict=True):
        shares[name.element] = shares.get(name.element, 0.0) + float(part)
    drivers = tuple(d.name for d in equations.compiled.mechanism.driver if shares.get(d.name, 0.0) > DRIVES)
    largest = sorted(shares, key=lambda name: -shares[name])
    return tuple(name for name in largest if shares[name] > SHARE and name not in drivers), drivers


def _joints(equations: Equations, motion: np.ndarray) -> tuple[str, ...]:
    compiled = equations.compiled
    rates = {
        joint.name: float(np.abs(joint_jacobian(compiled, equations.work, joint.name) @ motion).max(initial=0.0))
        for joint in compiled.mechanism.joint
    }
    fastest = sorted(rates, key=lambda name: -rates[name])[:NAMED]
    return tuple(name for name in fastest if rates[name] > MOVES * rates[fastest[0]])


def load_along(equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, motion: np.ndarray) -> float:
    """The generalized force of all loads along a motion, of the sum of its parts: 0, they leave it alone; 1 at most."""
    equations.evaluate(t, y, angles, LEVEL_EQUATIONS)
    Q, units = equations.work.Q, motion_units(equations.compiled, 1.0)
    whole = float(np.abs(Q * units).max(initial=0.0))
    return abs(float(Q @ motion)) / whole if whole > 0.0 else 0.0
