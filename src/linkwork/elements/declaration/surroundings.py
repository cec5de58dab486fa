"""Surroundings: what an element may ask about the rest of its model in order to check itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.declaration.planes import PLANES
from linkwork.numerics.rotations import rotation_matrix

if TYPE_CHECKING:
    from linkwork.elements.bodies.rigid_body import Body, Frame
    from linkwork.elements.joints.joint import Joint

GROUND = "ground"  # the name of the world


@dataclass(frozen=True)
class Surroundings:
    """The bodies, frames and joints of a model by name, and the plane of a planar mechanism."""

    bodies: Mapping[str, Body]
    frames: Mapping[str, Frame]
    joints: Mapping[str, Joint]
    plane: str | None

    @property
    def normal(self) -> np.ndarray | None:
        """Of the plane, world axes; None: not a planar mechanism."""
        return None if self.plane is None else np.array(PLANES[self.plane])

    def axes(self, frame: str) -> np.ndarray:
        """Axes of a named frame in the world, with its body where it is modelled."""
        own = self.frames[frame]
        R_BF = rotation_matrix(np.array(own.orientation))
        return self.bodies[own.body].R_WB @ R_BF if own.body in self.bodies else R_BF

    def check_frames(self, who: str, between: tuple[str, str], frames: tuple[str, str] | None) -> None:
        """Named frames are on the bodies between which an element is."""
        for name, body in zip(frames or (), between, strict=False):
            if self.frames[name].body != body:
                raise ValueError(
                    f"{who}: frame '{name}' is on '{self.frames[name].body}', not on '{body}'; swap the frames"
                )
