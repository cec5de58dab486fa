"""JointKind: every question that the program asks about a joint, with the answers that most joints give.

A joint connects a frame F on body A with a frame M on body B.  In the tree it is a sequence of elementary motions
that carry F into M (coordinates); as a cut joint, and in absolute coordinates, it is a set of rows.  A new joint is a
subclass in a file of its own and a line in registry.py; from outside the package it is registered with
`linkwork.register_joint`.  Nobody tests a joint's name: whoever needs to know something asks here.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, PARALLEL, POINT
from linkwork.elements.declaration.planes import PLANES, plane_axes
from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import Row, Term
from linkwork.elements.joints.motions import BALL, HELIX, ROTATE, SLIDE
from linkwork.elements.joints.picture import JointPicture, Solid
from linkwork.numerics.rotations import frame_with_axis

if TYPE_CHECKING:
    from linkwork.elements.joints.joint import Joint

Motion = tuple[int, int]  # (ROTATE | SLIDE | BALL | HELIX, axis of the present frame)
Turn = tuple[tuple[float, float, float], ...]  # a rotation matrix

HALF_TURNS: tuple[Turn, ...] = (
    ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)),
    ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)),
    ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)),
)  # about x, y, z


class Measured(NamedTuple):
    """The number between two frames that is a joint coordinate; `crossed`: between the frames as seen from B."""

    kind: int  # POINT, ANGLE
    axis: int
    crossed: bool = False


class Directions(NamedTuple):
    """World directions by which a joint is placed, unit vectors."""

    axis: tuple[float, float, float] | None
    second_axis: tuple[float, float, float] | None


class Reversal(NamedTuple):
    """A joint seen from B to A, as it hangs in the tree where B is nearer to the root."""

    kind: JointKind  # what carries M into F, with its coordinates in the order of the motions
    turn: Turn  # by which both frames are turned first
    same_coordinates: bool = True  # False: its coordinates are others than those of A to B


class JointKind:
    """One kind of joint.  SI units, radians.

    A subclass gives at least name, motions, coordinates, velocities and rows.  Motions are slides along axes of F,
    then at most one of: a turn or a helix about z, a cross (a turn about z, then about x), a ball.
    """

    # -- what it allows, and what it forbids ---------------------------------------------------------------------
    name: str  # in files and messages
    motions: tuple[Motion, ...] = ()  # that carry F into M, in this order
    coordinates: tuple[str, ...] = ()  # names of the coordinates: one of each motion, four of a ball
    velocities: tuple[str, ...] = ()  # names of the velocities: one of each motion, three of a ball
    rows: tuple[Row, ...] = ()  # equations of the cut joint
    rows_in_tree: tuple[Row, ...] = ()  # equations that stay where the joint is in the tree

    def sum_terms(self, pitch: float) -> tuple[Term, ...]:
        """Terms of its row of the kind OTHER, if it has one; pitch in m/rad."""
        return ()

    # -- in a planar mechanism -----------------------------------------------------------------------------------
    planar_rows: tuple[Row, ...] | None = None  # equations there; None: it has no place in one
    planar_normal: int = 2  # axis of F along the plane's normal

    # -- how it is declared --------------------------------------------------------------------------------------
    needs_place: bool = True  # a point or frames; otherwise its frames are those of the bodies
    needs_axis: bool = True  # z of F
    takes_second_axis: bool = False
    needs_pitch: bool = False

    def check(self, joint: Joint) -> None:
        """Refuse with a ValueError what does not fit in a declaration, beyond what the answers above imply."""

    def axes_of_F(self, joint: Directions, plane: str | None) -> np.ndarray:
        """World axes of F, for a joint that is placed by point and axis; in a planar mechanism one is the normal."""
        if joint.axis is None:
            return np.eye(3) if plane is None else plane_axes(plane)
        if plane is not None and self.planar_normal == 1:
            y, z = np.array(PLANES[plane]), np.array(joint.axis)
            return np.column_stack([np.cross(y, z), y, z])
        return frame_with_axis(np.array(joint.axis))

    def axes_of_M(self, joint: Directions, R_WF: np.ndarray) -> np.ndarray:
        """Axes of M in F as the bodies are modelled, for a joint that is placed by point and axis."""
        return np.eye(3)

    # -- friction and flexible bodies ----------------------------------------------------------------------------
    bears_load: bool = False  # whether friction with a coefficient can act in it: then it has a `bearing`
    friction_without_coordinate: bool = False  # it acts against all turning or all sliding at once

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing | None:
        """Its load, and where friction acts along a coordinate or (None) against all motion; radius m, pitch m/rad.

        None: friction cannot act along this coordinate alone.
        """
        return None

    def friction_turns(self, coordinate: str | None) -> bool:
        """Whether friction acts against turning, at a radius; None: against all motion."""
        return bool(self.euler_parameters) if coordinate is None else self.turns(coordinate)

    def leaves_free(self, turns: np.ndarray) -> bool:
        """Whether it takes up any rotation vectors [n, 3] (rad, in F) of a node of a flexible body on which it is."""
        return False

    # -- what it looks like --------------------------------------------------------------------------------------
    stands_on_foot: bool = False  # where one of its bodies is ground
    has_rail: bool = False  # as long as its travel along z

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """Solids, with u the unit of the pictures (m) and the least and largest distance along z in a run (m)."""
        return JointPicture((Solid("sphere", (0.9 * u,), steel=True),))

    # -- from B to A ---------------------------------------------------------------------------------------------
    @cached_property
    def reversal(self) -> Reversal:
        """The joint seen from B to A.

        The inverse of a sequence of turns and slides is the sequence backward with negative values.  A half turn of
        both frames about an axis that is none of theirs makes the values positive again.
        """
        used = {axis for _, axis in self.motions}
        free = next((axis for axis in range(3) if axis not in used), None)
        if free is None or any(motion == BALL for motion, _ in self.motions):
            raise ValueError(f"joint kind '{self.name}': give its `reversal`, what it is from B to A")
        if len(used) < 2:  # motions along and about one axis may change places
            return Reversal(self, HALF_TURNS[free])
        backward = self.changed(
            motions=self.motions[::-1], coordinates=self.coordinates[::-1], velocities=self.velocities[::-1]
        )
        return Reversal(backward, HALF_TURNS[free])

    def own_inverse(self) -> Reversal:
        """For motions that form a group: from B to A they are of the same kind, with other coordinates."""
        return Reversal(self, HALF_TURNS[0], same_coordinates=False)

    def changed(self, **answers: object) -> Self:
        """A copy that gives other answers."""
        other = copy.copy(self)
        other.__dict__ = {key: value for key, value in self.__dict__.items() if key not in _DERIVED} | answers
        return other

    # -- what follows from the above -----------------------------------------------------------------------------
    @cached_property
    def units(self) -> dict[str, str]:
        """SI units of coordinates and velocities, by name; "" of Euler parameters."""
        q_units: list[str] = []
        v_units: list[str] = []
        for motion, _ in self.motions:
            q_units += [""] * 4 if motion == BALL else ["m" if motion == SLIDE else "rad"]
            v_units += ["rad/s"] * 3 if motion == BALL else ["m/s" if motion == SLIDE else "rad/s"]
        names = (*self.coordinates, *self.velocities)
        return dict(zip(names, (*q_units, *v_units), strict=True))

    @cached_property
    def euler_parameters(self) -> tuple[str, ...]:
        """Names of the coordinates that are Euler parameters, scalar first."""
        return tuple(name for name in self.coordinates if not self.units[name])

    def turns(self, coordinate: str) -> bool:
        """Whether a coordinate is an angle, rad; otherwise it is a length, m, or an Euler parameter."""
        return self.units[coordinate] == "rad"

    @cached_property
    def changed_by(self) -> tuple[str, ...]:
        """For each velocity the coordinate that it changes; "rotation" of a ball."""
        names = iter(name for name in self.coordinates if self.units[name])
        return tuple(
            name
            for motion, _ in self.motions
            for name in (("rotation",) * 3 if motion == BALL else (next(names),))
        )  # fmt: skip

    @cached_property
    def measured(self) -> dict[str, Measured]:
        """Coordinates that are one number between the frames: what can be driven, measured, acted against."""
        found: dict[str, Measured] = {}
        names = iter(self.coordinates)
        for motion, axis in self.motions:
            if motion == BALL:
                break
            number = Measured(POINT, axis) if motion == SLIDE else Measured(ANGLE, 2, crossed=axis != 2)
            found[next(names)] = number
        return found

    @cached_property
    def kept_axes(self) -> tuple[int, ...]:
        """Axes that F and M keep parallel; that they also point the same way is up to the assembly."""
        perpendicular = {(row.i, row.j) for row in self.rows if row.kind == PARALLEL}
        if not perpendicular >= {(0, 2), (1, 2)}:
            return ()
        return (2, 0) if (0, 1) in perpendicular else (2,)

    @property
    def holds_nothing(self) -> bool:
        """Whether it leaves the two bodies all six motions."""
        return not self.rows

    @property
    def only_slides(self) -> bool:
        """Whether it allows sliding along z and nothing else."""
        return self.motions == ((SLIDE, 2),)

    def __repr__(self) -> str:
        """Its name."""
        return f"<joint kind {self.name}>"


_DERIVED = ("reversal", "units", "euler_parameters", "changed_by", "measured", "kept_axes")


def check_contract(kind: JointKind) -> None:
    """Refuse a kind whose answers do not fit together; ValueError."""
    who = f"joint kind '{kind.name}'"
    motions = [motion for motion, _ in kind.motions]
    slides = [axis for motion, axis in kind.motions if motion == SLIDE]
    rest = kind.motions[len(slides) :]
    allowed = ((), ((ROTATE, 2),), ((HELIX, 2),), ((ROTATE, 2), (ROTATE, 0)), ((BALL, 0),))
    if motions[: len(slides)] != [SLIDE] * len(slides) or len(set(slides)) < len(slides) or rest not in allowed:
        raise ValueError(
            f"{who}: its motions are {kind.motions}; give slides along different axes of F first, then at most one of: "
            "a turn or helix about z (2), a turn about z and one about x (0), a ball"
        )
    balls = motions.count(BALL)
    for what, names, count in (
        ("coordinates", kind.coordinates, len(motions) + 3 * balls),
        ("velocities", kind.velocities, len(motions) + 2 * balls),
    ):
        if len(names) != count or len(set(names)) < count:
            raise ValueError(f"{who}: its {what} are {list(names)}; its motions need {count} different names")
    if len(kind.rows) - len(kind.rows_in_tree) != 6 - len(motions) - 2 * balls:
        raise ValueError(
            f"{who}: it has {len(kind.rows)} rows; with {len(motions) + 2 * balls} degrees of freedom it needs "
            f"{6 - len(motions) - 2 * balls + len(kind.rows_in_tree)}"
        )
    if kind.reversal.kind.motions not in (kind.motions, kind.motions[::-1]):
        raise ValueError(f"{who}: from B to A it must have the same motions, forward or backward")
