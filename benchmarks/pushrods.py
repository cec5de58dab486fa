"""Robots with many loops, each within a limb: their data.

A torso floats; from it go limbs, each a chain of modules as legs and arms of humanoids have them: a link on a hinge,
turned by a crank on the body before it through a pushrod, which hangs on a universal joint at the crank and is pinned
by a ball to the link.  So a module has four motions and one loop of three equations, none of them redundant.  Hinges
are lateral and upright in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

GRAVITY = (0.0, 0.0, -9.81)
LINK, ARM = 0.4, 0.08  # m, length of a link and of a crank
TORSO, TORSO_INERTIA = 20.0, (1.0, 1.2, 1.5)  # kg, kg m2
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Part:
    """A body of the tree, in the axes of its limb: where its joint is, about which axes it turns, and a rod's mass."""

    name: str
    parent: int  # 0 is the torso
    limb: int
    at: np.ndarray  # m, from the middle of the torso
    axes: tuple[np.ndarray, ...]  # one: a hinge; two: a universal joint
    along: np.ndarray  # m, to the rod's end
    mass: float

    @property
    def inertia(self) -> np.ndarray:
        """Of the rod about its middle, 2 cm thick."""
        along = np.outer(self.along, self.along) / (self.along @ self.along)
        across = self.mass * (self.along @ self.along / 12.0 + 0.01**2 / 4.0)
        return across * (np.eye(3) - along) + 0.5 * self.mass * 0.01**2 * along


@dataclass(frozen=True)
class PushrodRobot:
    """Limbs around the torso, modules in each."""

    limbs: int
    modules: int

    def turn(self, limb: int) -> np.ndarray:
        """Axes of a limb in those of the torso."""
        angle = 2.0 * np.pi * limb / self.limbs
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def parts(self) -> Iterator[Part]:
        """Crank, rod and link of each module, the first is part 1; what hangs on a part stands behind it in a row."""
        for limb in range(self.limbs):
            parent = 0
            for m in range(self.modules):
                hinge, up = (Y, Z) if m % 2 == 0 else (Z, Y)
                foot = (0.3 + m * LINK) * X
                pivot = foot - 0.25 * X + 0.02 * hinge
                tip, eye = pivot + ARM * up, foot + 0.02 * X - 0.03 * hinge + 1.1 * ARM * up
                name, crank = f"{limb} {m}", 3 * (limb * self.modules + m) + 1
                yield Part(f"crank {name}", parent, limb, pivot, (hinge,), tip - pivot, 0.2)
                yield Part(f"rod {name}", crank, limb, tip, (hinge, up), eye - tip, 0.1)
                yield Part(f"link {name}", parent, limb, foot, (hinge,), LINK * X, 1.5)
                parent = crank + 2

    def eyes(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """What the balls join: part of the rod, part of the link, and where."""
        for k, part in enumerate(self.parts(), 1):
            if part.name.startswith("rod"):
                yield k, k + 1, part.at + part.along
