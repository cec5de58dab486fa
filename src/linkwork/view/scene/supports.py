"""The floor, and what carries the joints on ground: posts and pedestals that stand on it, brackets above a body.

In a planar mechanism whose plane is upright everything that stands on the floor is behind the plane, on arms along its
normal, so that no link passes through it.  Elsewhere a bearing with a level axis is held from the side that its body
leaves free; other joints stand on a pedestal, or have a bracket on the side away from their body where that is below
them or something passes below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.elements.constraints.links import RollingDisc
from linkwork.elements.forces.contact import Contact
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters, frame_with_axis
from linkwork.view.scene.meshes import Mesh, cylinder, moved, pedestal
from linkwork.view.scene.pictures import GROUND_PAINT, Part

LEVEL = 0.7  # cosine against the vertical: an axis with less is level, one with more upright
NEARLY = 0.999  # cosine: level, but for rounding
TOP, BASE = 0.95, 2.3  # units: radii of a pedestal
SLENDER_TOP, SLENDER_BASE = 0.6, 1.8  # those of a tall one
TALL = 8.0  # units
HEIGHT = 3.6  # units: of a bracket, and the least of a pedestal
CLEARANCE = 1.3  # units: between what moves and a post beside it
LEAST_ARM, LONGEST_ARM = 2.4, 9.0  # units
ASIDE = 0.2  # of the distance: a body that is less above or below its joint is beside it
DEEP = 0.35  # of the height of the motion: so much of it may be below a plane on which something stands


@dataclass(frozen=True, eq=False)
class Supports:
    """How a mechanism stands: directions (world), the unit of the pictures (m), and where its bodies go."""

    up: np.ndarray
    eye: np.ndarray  # towards it
    normal: np.ndarray | None  # of the plane in which everything moves
    u: float  # m
    swept: Mapping[str, np.ndarray]  # [point, 3] m, corners of each body over the run, one instant after the other
    instants: int
    feet: Sequence[np.ndarray]  # [3] m, joints on ground that stand
    planes: Sequence[float]  # m along `up`: planes on which something stands, rolls or bounces

    @cached_property
    def floor(self) -> float:
        """Its height along `up`, m: a plane on which something stands, otherwise below everything."""
        heights = [points @ self.up for points in self.swept.values() if len(points)]
        low = min((float(h.min()) for h in heights), default=0.0)
        high = max((float(h.max()) for h in heights), default=0.0)
        if self.planes and min(self.planes) <= low + DEEP * (high - low):
            return min(self.planes)
        return min([low - self.u, *(float(p @ self.up) - HEIGHT * self.u for p in self.feet)])

    @cached_property
    def back(self) -> np.ndarray | None:
        """Away from the eye along the normal of an upright plane of motion."""
        if self.normal is None or abs(self.normal @ self.up) > LEVEL:
            return None
        return -self.normal if self.normal @ self.eye > 0.0 else self.normal

    def of_bearing(self, p: np.ndarray, axis: np.ndarray, turns: bool, body: str) -> list[Part]:
        """Carries a joint at a point of ground (m); `turns`: about its axis alone."""
        if self.back is not None and (not turns or abs(axis @ self.back) > LEVEL):
            return self._post(p, self.back, self._arm(p, self.back, self._everything))
        if turns and abs(axis @ self.up) < LEVEL:
            arms = {sign: self._arm(p, sign * axis, self.swept[body]) for sign in self._signs(axis)}
            sign = min(arms, key=lambda s: arms[s])
            if arms[sign] <= LONGEST_ARM * self.u:
                return self._post(p, sign * axis, arms[sign])
        if self._hangs(p, body):
            return self._bracket(p, -self.up)
        return self._bracket(p, self.up) if self._blocked(p) else self._pedestal(p)

    def of_rail(self, ends: Sequence[np.ndarray]) -> list[Part]:
        """Carries a rail on ground by its ends (m): both, or the lower one of an upright rail."""
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        if abs(along @ self.up) > LEVEL:
            return self._pedestal(min(ends, key=lambda p: float(p @ self.up)))
        if self.back is None:
            return [part for p in ends for part in self._pedestal(p)]
        return [part for p in ends for part in self._post(p, self.back, self._arm(p, self.back, self._everything))]

    @cached_property
    def _everything(self) -> np.ndarray:
        return np.concatenate([np.zeros((0, 3)), *self.swept.values()])

    def _signs(self, axis: np.ndarray) -> tuple[float, float]:
        """The side away from the eye first."""
        return (-1.0, 1.0) if axis @ self.eye > 0.0 else (1.0, -1.0)

    def _arm(self, p: np.ndarray, along: np.ndarray, points: np.ndarray) -> float:
        """Length of an arm from p along a direction to beyond some points, m."""
        beyond = float(((points - p) @ along).max(initial=0.0))
        return max(LEAST_ARM * self.u, beyond + CLEARANCE * self.u)

    def _hangs(self, p: np.ndarray, body: str) -> bool:
        """Whether a body is below p, or, where it is neither below nor above, whether everything else is."""
        own = self._rise(p, self.swept[body])
        return own < -ASIDE or (own < ASIDE and self._rise(p, self._everything) < -ASIDE)

    def _rise(self, p: np.ndarray, points: np.ndarray) -> float:
        """How far points are above p, of their distance, on average: -1 to 1."""
        away = points - p
        return float((away @ self.up).sum() / max(np.linalg.norm(away, axis=1).sum(), 1e-300))

    def _blocked(self, p: np.ndarray) -> bool:
        """Whether a body comes between p and the floor: the box around its corners at some instant is in the way."""
        axes = frame_with_axis(self.up)
        for points in self.swept.values():
            away = (points.reshape(self.instants, -1, 3) - p) @ axes
            low, high = away.min(axis=1), away.max(axis=1)
            across = (low[:, :2] < BASE * self.u).all(axis=1) & (high[:, :2] > -BASE * self.u).all(axis=1)
            if bool((across & (low[:, 2] < -HEIGHT * self.u)).any()):
                return True
        return False

    def _post(self, p: np.ndarray, along: np.ndarray, length: float) -> list[Part]:
        """A pedestal beside the joint, with an arm to it."""
        turn = tuple(map(float, euler_parameters(frame_with_axis(along))))
        arm = moved(cylinder(0.5 * self.u, length), np.eye(3), np.array([0.0, 0.0, 0.5 * length]))
        return [Part(arm, _point(p), turn, GROUND_PAINT), *self._pedestal(p + length * along)]

    def _pedestal(self, p: np.ndarray) -> list[Part]:
        """From the floor up to p; nothing where p is at the floor or below it."""
        height = float(p @ self.up) - self.floor
        if height < 0.5 * self.u:
            return []
        top, base = (SLENDER_TOP, SLENDER_BASE) if height > TALL * self.u else (TOP, BASE)
        return [self._upright(pedestal(top * self.u, base * self.u, round(height, 9)), p, self.up)]

    def _bracket(self, p: np.ndarray, z: np.ndarray) -> list[Part]:
        """A short piece of a pedestal that holds p from one side, from above if z is downward."""
        return [self._upright(pedestal(TOP * self.u, BASE * self.u, HEIGHT * self.u), p, z)]

    def _upright(self, mesh: Mesh, p: np.ndarray, z: np.ndarray) -> Part:
        return Part(mesh, _point(p), tuple(map(float, euler_parameters(frame_with_axis(z)))), GROUND_PAINT)


def level_planes(mechanism: Mechanism, up: np.ndarray) -> list[float]:
    """Heights along `up` (m) of the level planes on ground on which something rolls or bounces."""
    rolling = [disc.height for disc in mechanism.of(RollingDisc) if np.array(disc.normal) @ up > NEARLY]
    bouncing = [contact for contact in mechanism.of(Contact) if np.array(contact.normal) @ up > NEARLY]
    return rolling + [float(np.array(c.plane_at) @ up) for c in bouncing if c.against == GROUND]


def _point(p: np.ndarray) -> tuple[float, ...]:
    return tuple(map(float, p))
