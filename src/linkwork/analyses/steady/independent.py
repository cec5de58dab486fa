"""Independent coordinates: which joint coordinates describe the motion that the constraints leave, by name or chosen.

A coordinate is either a motion of the tree, or a measured row: the equation that a driver on that joint coordinate
would be, of which only the left-hand side counts.  Running coordinates (constant speed) are measured rows too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.start.dependence import in_units, null_basis
from linkwork.elements.constraints.drivers import Driver, driven_coordinate
from linkwork.elements.joints.motions import BALL, BALL_REST, SLIDE
from linkwork.errors import OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.numerics.subspaces import pivot_rows
from linkwork.system.compile import Compiled

NEAR_BEST = 0.1  # of the most mobile motion: a length this mobile is preferred to an angle
TIE = 1e-6  # relative: below it two motions are equally mobile, and the first in the model is taken


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a joint, by the names of the model."""

    joint: str
    coordinate: str

    @property
    def name(self) -> str:
        """`joint.coordinate`, as in channels."""
        return f"{self.joint}.{self.coordinate}"


def measured_coordinates(mechanism: Mechanism) -> dict[str, Coordinate]:
    """Every joint coordinate that one row can measure, by name; a joint with one coordinate also by its own name."""
    known: dict[str, Coordinate] = {}
    for joint in mechanism.joint:
        of_joint = [Coordinate(joint.name, c) for c in joint.type.measured]
        known |= {c.name: c for c in of_joint}
        if len(of_joint) == 1 and len(joint.type.velocities) == 1:
            known[joint.name] = of_joint[0]
    return known


def running_coordinates(mechanism: Mechanism, speeds: Mapping[str, float]) -> list[Coordinate]:
    """The coordinates that run at constant speed; a name that does not exist or is driven already is refused."""
    known = measured_coordinates(mechanism)
    joints = {joint.name: joint for joint in mechanism.joint}
    driven = {(d.joint, driven_coordinate(d, joints[d.joint])): d.name for d in mechanism.driver if d.joint}
    found: list[Coordinate] = []
    for name, speed in speeds.items():
        if name not in known:
            raise OptionError(
                f"speed of '{name}': there is no such joint coordinate; {nearest(name, known)}", element=name
            )
        if not np.isfinite(speed):
            raise OptionError(f"speed of '{name}' is {speed}; it must be a finite number (rad/s or m/s)", element=name)
        chosen = known[name]
        driver = driven.get((chosen.joint, chosen.coordinate))
        if driver is not None:
            raise OptionError(
                f"speed of '{name}': the coordinate is not free, driver '{driver}' moves it; remove one of the two",
                element=name,
            )
        if chosen in found:
            raise OptionError(f"speed of '{name}': the coordinate is named twice; give one speed", element=name)
        found.append(chosen)
    return found


def with_measured(mechanism: Mechanism, measured: Sequence[Coordinate]) -> Mechanism:
    """The mechanism with a row more for each measured coordinate, after all other rows."""
    rows = [Driver.model_construct(name=c.name, joint=c.joint, coordinate=c.coordinate, motion=0.0) for c in measured]
    return mechanism.model_copy(update={"driver": (*mechanism.driver, *rows)})


def motion_names(compiled: Compiled) -> list[str]:
    """A name for each motion of the tree: its coordinate, or for a ball its angular velocity."""
    layout, dofs = compiled.layout, compiled.system.dofs
    return [
        layout.v_names[j] if dofs[j]["kind"] in (BALL, BALL_REST) else layout.q_names[dofs[j]["q"]]
        for j in range(len(dofs))
    ]


def find_named(
    compiled: Compiled, mechanism: Mechanism, requested: Sequence[str], prefer_tree: bool
) -> list[tuple[str, int, Coordinate | None]]:
    """Each requested coordinate as (full name, motion of the tree, None) or (full name, -1, what a row measures).

    `prefer_tree`: motions of the tree are taken where they can be measured as well.  An unknown name is refused.
    """
    motions = {name: j for j, name in enumerate(motion_names(compiled))}
    measurable = measured_coordinates(mechanism)
    known = {**dict.fromkeys(motions), **dict.fromkeys(measurable)}
    found: list[tuple[str, int, Coordinate | None]] = []
    for name in requested:
        full = measurable[name].name if name in measurable else name
        if full not in known:
            raise OptionError(
                f"independent coordinate '{name}': there is no such coordinate; {nearest(name, known)}", element=name
            )
        of_tree = full in motions and (prefer_tree or full not in measurable)
        found.append((full, motions[full], None) if of_tree else (full, -1, measurable[full]))
    return found


def choose_motions(compiled: Compiled, J: Any, M: Any, rolls: bool = False) -> list[int]:
    """Motions of the tree that can be independent: the most mobile, lengths before angles where both move well.

    Mobility is the size of a motion's row in an orthonormal basis of the admissible velocities, each weighted by the
    root of its inertia; J: the independent constraint rows.  `rolls`: angles before lengths, since where something
    that rolls is depends on its path (path_dependence.py).
    """
    if not J.shape[0]:
        return list(range(M.shape[0]))
    preferred = (compiled.system.dofs["kind"] == SLIDE) != rolls

    def most_mobile(size: np.ndarray) -> int:
        mobile = size >= NEAR_BEST * size.max()
        pool = np.flatnonzero(mobile & preferred) if np.any(mobile & preferred) else np.flatnonzero(mobile)
        return int(pool[np.flatnonzero(size[pool] >= (1.0 - TIE) * size[pool].max())[0]])

    return sorted(pivot_rows(null_basis(in_units(J, 1.0 / np.sqrt(M.diagonal()))), most_mobile))
