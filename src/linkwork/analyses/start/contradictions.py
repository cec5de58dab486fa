"""Constraints that stay open: which they are, by how much, and whether they contradict each other.

Redundant equations are harmless while they agree.  If they do not, no position meets them all.  To distinguish them
from links that are too short, Phi_v is evaluated at a position of the tree that has nothing to do with the start: the
redundant equations of a loop are dependent there as well (left null space N of Phi_v), and what stays open lies in N.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.dependence import not_given
from linkwork.analyses.start.scales import row_unit
from linkwork.elements.constraints.rows import ANGLE, PARALLEL
from linkwork.errors import AssemblyError, Entry
from linkwork.formulations.equations import Equations
from linkwork.system.compile import Compiled

DEPENDENT = 0.02  # of the largest singular value: below it a combination of rows is dependent
MOSTLY = 0.5  # of what is open: the part in the null space from which on it is called a contradiction
OPEN = 1e-9  # m or rad
APART = 1e-3  # of the mechanism's size, or rad: from there on a driver is named
NAMED = 3  # most equations that a message lists


def why_open(equations: Equations, Phi: np.ndarray, drawn: np.ndarray) -> AssemblyError:
    """The error for violations Phi at the nearest position, and `drawn` as the bodies are drawn; the equations are
    evaluated at another one of the tree.
    """
    compiled, part = equations.compiled, not_given(equations, Phi, DEPENDENT)
    if np.linalg.norm(part) > MOSTLY * np.linalg.norm(Phi) and np.abs(part[: compiled.layout.held_from]).max() > OPEN:
        return _contradiction(compiled, Phi, part)
    remedy = f"{_driven_away(compiled, drawn)}check lengths, joint points and what is fixed"
    return AssemblyError(
        f"the mechanism cannot be assembled: {_listed(compiled, Phi)} stay open at the nearest position; {remedy}",
        element=compiled.layout.rows[int(np.argmax(np.abs(Phi)))].element,
        remedy=remedy,
        entry=Entry.OPEN_LOOP,
    )


def _driven_away(compiled: Compiled, drawn: np.ndarray) -> str:
    """The driver whose motion begins farthest from where its coordinate is drawn."""
    drivers = {driver.name for driver in compiled.mechanism.driver}
    off = np.abs(drawn) * [row.element in drivers for row in compiled.layout.rows]
    if off.max(initial=0.0) < APART * compiled.mechanism.size():
        return ""
    worst = int(np.argmax(off))
    name, away = compiled.layout.rows[worst].element, f"{off[worst]:.3g} {row_unit(compiled, worst)}"
    return f"driver '{name}' begins {away} from where its coordinate is drawn: let its motion begin there; "


def _contradiction(compiled: Compiled, Phi: np.ndarray, part: np.ndarray) -> AssemblyError:
    """Redundant equations that do not agree, and the joints of their loops."""
    names = compiled.layout.rows
    worst = names[int(np.argmax(np.abs(part)))].element
    others = ", ".join(f"'{name}'" for name in loop_joints(compiled, worst))
    remedy = (
        f"let the points and axes of these joints agree, or replace '{worst}' by a joint "
        "with more degrees of freedom (spherical, or one that slides)"
    )
    return AssemblyError(
        f"redundant constraints contradict each other: {_listed(compiled, part)} cannot be met together with "
        f"{others or 'what else holds its bodies'}, in no position; {remedy}",
        element=worst,
        remedy=remedy,
        entry=Entry.CONTRADICTION,
    )


def loop_joints(compiled: Compiled, name: str) -> list[str]:
    """Joints of the tree on the loop that joint `name` closes."""
    layout = compiled.layout
    if name not in layout.joints:
        return []
    hangs = {tree.body: tree for tree in layout.tree}
    parents = compiled.system.bodies["parent"]  # nodes of flexible bodies too

    def path_to_ground(body: int) -> list[int]:
        return [] if body == 0 else [body, *path_to_ground(int(parents[body]))]

    a, b = path_to_ground(layout.joints[name].body_a), path_to_ground(layout.joints[name].body_b)
    return [hangs[body].name for body in (*a, *reversed(b)) if (body in a) != (body in b) and body in hangs]


def _listed(compiled: Compiled, amounts: np.ndarray) -> str:
    """The largest few by name, with unit."""
    names, kinds = compiled.layout.rows, compiled.system.rows["kind"]
    worst = sorted(range(len(amounts)), key=lambda r: -abs(amounts[r]))[:NAMED]
    return ", ".join(
        f"'{names[r].element}' ({names[r].equation}) by {abs(amounts[r]):.3g} "
        f"{'rad' if int(kinds[r]) in (PARALLEL, ANGLE) else 'm'}"
        for r in worst
        if abs(amounts[r]) > OPEN
    )
