"""What the joints of a mechanism connect, as arrays over them; bodies by their places in the model, of which 0 is
ground.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.elements.joints.equations import Row
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.registry import JOINTS
from linkwork.mechanism import GROUND, Mechanism


class Connections:
    """The bodies by name, and of each joint its two bodies and its kind."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, joints = mechanism, mechanism.joint
        self.bodies: dict[str, int] = {GROUND: 0}
        self.bodies |= {body.name: k for k, body in enumerate(mechanism.body, start=1)}
        self.ends = np.array([self.bodies[name] for joint in joints for name in joint.between], np.int64).reshape(-1, 2)
        names = [joint.kind for joint in joints]
        code = {name: k for k, name in enumerate(dict.fromkeys(names))}
        self.kinds: tuple[JointKind, ...] = tuple(JOINTS[name] for name in code)  # that there are
        self.kind = np.array([code[name] for name in names], np.int64)  # of each joint its place among these

    @cached_property
    def rows(self) -> np.ndarray:
        """Of each joint how many equations it is when it is cut."""
        return np.array([len(self.rows_of(kind)) for kind in self.kinds], np.int64)[self.kind]

    def rows_of(self, kind: JointKind) -> tuple[Row, ...]:
        """The equations of a joint of this kind when it is cut."""
        return kind.rows if self.mechanism.plane is None else kind.planar_rows or ()


def grouped(keys: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of each key 0, 1 .. count - 1, ascending: key k has those from first[k] to first[k + 1]."""
    first = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))])
    return first, np.argsort(keys, kind="stable")
