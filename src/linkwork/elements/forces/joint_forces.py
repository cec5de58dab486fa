"""Forces along a joint coordinate: given by an expression, friction, stops, a motor, a controlled actuator.

Each becomes one expression of the coordinate q and its rate v (and of t, measures, tables), a law against the
coordinate (laws.py).  Efforts are N for a sliding coordinate, N m for a turning one; positive efforts resist a growing
coordinate inside, so what a user calls the drive force enters with its sign turned.
"""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Element, Expression, NonNegative, Number
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import JOINTS


class OnCoordinate(Element):
    """What all of them have: the coordinate they act along."""

    own: ClassVar[tuple[str, ...]] = ("q", "v")

    joint: str = Field(description="name of a joint")
    coordinate: str | None = Field(default=None, description="which coordinate of the joint, if it has several")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("joint", self.joint),)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.drive(), self.own),)

    def check(self, surroundings: Surroundings) -> None:
        """The joint has this coordinate."""
        one_coordinate(surroundings.joints[self.joint], self.coordinate, self.who)

    def drive(self) -> str:
        """The force along the coordinate, as an expression of q, v, t, measures and tables."""
        raise NotImplementedError


class JointForce(OnCoordinate):
    """A force (N) or torque (N m) along a joint coordinate, positive in its direction."""

    plural: ClassVar[str] = "forces and torques along joint coordinates"

    force: Expression = Field(description="N or N m, a number or an expression of t, q, v (the coordinate), measures")

    def drive(self) -> str:
        """The force along the coordinate, as an expression."""
        return str(self.force)


class Friction(OnCoordinate):
    """Viscous and Coulomb friction: c v + F tanh(v / v_s).

    F is `coulomb`, and `coefficient` times the load N of the joint (times `radius` where it turns).  N is the force
    across the axis of a revolute, prismatic or cylindrical joint or of a pin of a universal joint, the normal force of
    a screw's thread or on the plane of a planar joint, the whole force of a spherical one; such a joint is always cut
    (elements/forces/load_friction.py).  Without a coordinate it resists all turning of a ball, all sliding on a plane.

    tanh replaces the jump at rest: at the speed v_s it gives 76 % of F, and under a lasting load the joint creeps with
    a speed below v_s.
    """

    plural: ClassVar[str] = "viscous and Coulomb friction in joints"

    viscous: NonNegative = Field(default=0.0, description="N s/m or N m s/rad, >= 0")
    coulomb: NonNegative = Field(default=0.0, description="N or N m, >= 0, friction force that does not depend on load")
    coefficient: NonNegative = Field(default=0.0, description="of Coulomb friction with the joint's load, >= 0")
    radius: NonNegative | None = Field(default=None, description="m, of the bearing, for a coordinate that turns")
    smoothing: NonNegative = Field(default=1e-3, description="m/s or rad/s, > 0, the speed v_s")

    @model_validator(mode="after")
    def _smooth(self) -> Self:
        if self.smoothing <= 0.0:
            raise ValueError(f"friction '{self.name}': smoothing is 0; give a small speed > 0 such as 1e-3")
        return self

    def drive(self) -> str:
        """The part that does not depend on the joint's load."""
        return f"-({self.viscous!r}*v + {self.coulomb!r}*tanh(v/{self.smoothing!r}))"

    def against_all_motion(self, joint: Joint) -> bool:
        """Whether it has no line of its own: against the turning of a ball, or all sliding on a plane."""
        return self.coordinate is None and joint.type.friction_without_coordinate

    def check(self, surroundings: Surroundings) -> None:
        """With a load it needs a joint that bears one, and a bearing radius where that turns."""
        joint = surroundings.joints[self.joint]
        coordinate = None if self.against_all_motion(joint) else one_coordinate(joint, self.coordinate, self.who)
        if not self.coefficient:
            return
        if not joint.type.bears_load:
            bearing = ", ".join(name for name, kind in JOINTS.items() if kind.bears_load)
            raise ValueError(
                f"{self.who}: coefficient is for joints of the kinds {bearing}, and '{joint.name}' is {joint.kind}; "
                "give coulomb instead"
            )
        if joint.type.bearing(coordinate, self.radius or 0.0, joint.advance) is None:
            raise ValueError(f"{self.who}: friction on a plane resists all sliding; drop coordinate '{coordinate}'")
        turns = joint.type.friction_turns(coordinate)
        if turns and not self.radius:
            raise ValueError(f"{self.who}: '{joint.name}' turns; give the radius (m) at which friction acts, > 0")
        if not turns and self.radius is not None:
            raise ValueError(f"{self.who}: '{joint.name}' slides there; a radius is for coordinates that turn, drop it")
        if surroundings.plane is not None and not joint.type.planar_rows:
            raise ValueError(
                f"{self.who}: in a planar mechanism the {joint.kind} joint '{joint.name}' bears no load; "
                "give coulomb instead of coefficient, or leave plane out"
            )


class Stop(OnCoordinate):
    """Stops at the ends of a joint's travel: k d^n (1 + c d') beyond them, and never a pull (Hunt & Crossley 1975)."""

    plural: ClassVar[str] = "ends of the travel of joints"

    lower: Number | None = Field(default=None, description="rad or m")
    upper: Number | None = Field(default=None, description="rad or m")
    stiffness: NonNegative = Field(description="N/m^n or N m/rad^n, > 0")
    exponent: NonNegative = Field(default=1.5, description="n, >= 1")
    damping: NonNegative = Field(default=0.0, description="s/m or s/rad, >= 0, c")

    @model_validator(mode="after")
    def _ends(self) -> Self:
        who = f"stop '{self.name}'"
        if self.lower is None and self.upper is None:
            raise ValueError(f"{who}: neither lower nor upper; give at least one end")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"{who}: lower is {self.lower:g} and upper {self.upper:g}; lower must be below upper")
        if self.stiffness <= 0.0 or self.exponent < 1.0:
            raise ValueError(f"{who}: stiffness is {self.stiffness:g}, exponent {self.exponent:g}; need > 0 and >= 1")
        return self

    def drive(self) -> str:
        """Force back into the travel."""
        return " ".join(f"{'+-'[end > 0]} {self._beyond(depth, speed)}" for end, depth, speed in self.depths())

    def depths(self) -> list[tuple[int, str, str]]:
        """Of each end: -1 for the lower and 1 for the upper, how far beyond it (rad or m), and the rate of that."""
        ends = ((-1, self.lower, f"({self.lower!r} - q)", "-v"), (1, self.upper, f"(q - {self.upper!r})", "v"))
        return [(end, depth, speed) for end, value, depth, speed in ends if value is not None]

    def _beyond(self, depth: str, speed: str) -> str:
        return f"{self.stiffness!r}*max({depth}, 0)^{self.exponent!r}*max(1 + {self.damping!r}*({speed}), 0)"


class Motor(OnCoordinate):
    """A motor: its torque-speed curve, a table of N m over rad/s (N over m/s), times a throttle."""

    plural: ClassVar[str] = "motors with torque-speed curves"

    curve: str = Field(description="name of a table: torque over speed")
    throttle: Expression = Field(default=1.0, description="factor of the curve, a number or an expression")

    def drive(self) -> str:
        """The motor's torque."""
        return f"({self.throttle})*table('{self.curve}', v)"

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (*super().refers(), ("table", self.curve))

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.throttle, self.own),)


class Controller(OnCoordinate):
    """A PID-controlled actuator: p e + i (integral of e) + d e', e = target - coordinate, within +-limit."""

    plural: ClassVar[str] = "PID-controlled actuators"

    target: Expression = Field(description="rad or m, a number or an expression of t and measures")
    target_rate: Expression = Field(default=0.0, description="rad/s or m/s, rate of the target, for the d part")
    p: NonNegative = Field(default=0.0, description="N/m or N m/rad, >= 0")
    i: NonNegative = Field(default=0.0, description="N/m/s or N m/rad/s, >= 0")
    d: NonNegative = Field(default=0.0, description="N s/m or N m s/rad, >= 0")
    limit: NonNegative | None = Field(default=None, description="N or N m, > 0, greatest force; default: none")

    @model_validator(mode="after")
    def _gives(self) -> Self:
        if self.limit == 0.0:
            raise ValueError(f"controller '{self.name}': limit is 0; it must be > 0")
        return self

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.target, self.own), (self.target_rate, self.own))

    def error(self) -> str:
        """Target less coordinate: the rate of the integral."""
        return f"({self.target}) - q"

    def drive(self) -> str:
        """The actuator's force; `integral` is an auxiliary state."""
        wanted = f"{self.p!r}*({self.error()}) + {self.i!r}*integral + {self.d!r}*(({self.target_rate}) - v)"
        return wanted if self.limit is None else f"max(min({wanted}, {self.limit!r}), {-self.limit!r})"
