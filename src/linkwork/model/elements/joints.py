"""Verbs for joints.

All take a place: `at` (m, a point in the world) and `axis` (a direction in the world), with the bodies where they are
modelled; or `frames`, named frames on a and b.  `start` and `rate` are the joint coordinates (rad or m) and velocities
(rad/s or m/s) at the start; `cut=True` opens a loop here in joint coordinates, `cut=False` never.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.elements.joints.joint import Joint
from linkwork.model.builder import Builder, Direction, Point, Quantity, adds

Values = Quantity | Sequence[Quantity]  # one for each coordinate or velocity of a joint
Frames = Sequence[str]  # names of two frames, on a and on b


class JointVerbs(Builder):
    """Joints of every kind."""

    @adds(Joint)
    def joint(
        self, kind: str, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        second_axis: Direction | None = None, pitch: Quantity | None = None, frames: Frames | None = None,
        start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a joint of any kind between bodies a and b, by `at` (m) and `axis` in the world, or by `frames`.

        `start` and `rate` give its coordinates (rad or m) and velocities at the start; `cut=True` opens a loop here.
        Some kinds take a `second_axis`; a screw needs a `pitch` (m a turn).
        """
        return self._add(
            Joint, name, kind=kind, between=(a, b), at=at, axis=axis, second_axis=second_axis, pitch=pitch,
            frames=frames, start=start, rate=rate, cut=cut,
        )  # fmt: skip

    @adds(Joint)
    def revolute(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a revolute joint: rotation about `axis` through `at` (m), or by `frames`."""
        return self.joint("revolute", name, a, b, at=at, axis=axis, frames=frames, start=start, rate=rate, cut=cut)

    @adds(Joint)
    def prismatic(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a prismatic joint: sliding along `axis`, placed `at` (m), or by `frames`."""
        return self.joint("prismatic", name, a, b, at=at, axis=axis, frames=frames, start=start, rate=rate, cut=cut)

    @adds(Joint)
    def cylindrical(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a cylindrical joint: rotation about and sliding along `axis` through `at` (m), or by `frames`."""
        return self.joint("cylindrical", name, a, b, at=at, axis=axis, frames=frames, start=start, rate=rate, cut=cut)

    @adds(Joint)
    def screw(
        self, name: str, a: str, b: str, *, pitch: Quantity, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a screw: rotation about `axis` through `at` (m) with an advance of `pitch` (m) a turn."""
        return self.joint(
            "screw", name, a, b, at=at, axis=axis, pitch=pitch, frames=frames, start=start, rate=rate, cut=cut
        )

    @adds(Joint)
    def universal(
        self, name: str, a: str, b: str, *, second_axis: Direction | None = None, at: Point | None = None,
        axis: Direction | None = None, frames: Frames | None = None, start: Values | None = None,
        rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a universal joint `at` a point (m): a cross with a pin along `axis` on a, `second_axis` on b."""
        return self.joint(
            "universal", name, a, b, at=at, axis=axis, second_axis=second_axis,
            frames=frames, start=start, rate=rate, cut=cut,
        )  # fmt: skip

    @adds(Joint)
    def constant_velocity(
        self, name: str, a: str, b: str, *, second_axis: Direction | None = None, at: Point | None = None,
        axis: Direction | None = None, frames: Frames | None = None, start: Values | None = None,
        rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a constant-velocity joint `at` a point (m) between shafts along `axis` and `second_axis`."""
        return self.joint(
            "constant-velocity", name, a, b, at=at, axis=axis, second_axis=second_axis,
            frames=frames, start=start, rate=rate, cut=cut,
        )  # fmt: skip

    @adds(Joint)
    def planar(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a planar joint: sliding across `axis` in both directions and rotation about it."""
        return self.joint("planar", name, a, b, at=at, axis=axis, frames=frames, start=start, rate=rate, cut=cut)

    @adds(Joint)
    def spherical(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Add a spherical joint `at` a point (m), or by `frames`; `axis`: z of its frames, for its coordinates."""
        return self.joint("spherical", name, a, b, at=at, axis=axis, frames=frames, start=start, rate=rate, cut=cut)

    @adds(Joint)
    def fixed(
        self, name: str, a: str, b: str, *, at: Point | None = None, axis: Direction | None = None,
        frames: Frames | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Weld two bodies, as they are (`at`, m, is only where the reaction is counted), or by `frames`."""
        place = (0.0, 0.0, 0.0) if at is None and frames is None else at
        return self.joint("fixed", name, a, b, at=place, axis=axis, frames=frames, cut=cut)

    @adds(Joint)
    def free(
        self, name: str, a: str, b: str, *, at: Point | None = None, frames: Frames | None = None,
        start: Values | None = None, rate: Values | None = None, cut: bool | None = None,
    ) -> str:  # fmt: skip
        """Let b move freely against a (as it does without any joint), with a name for its coordinates."""
        return self.joint("free", name, a, b, at=at, frames=frames, start=start, rate=rate, cut=cut)
