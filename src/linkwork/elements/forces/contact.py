"""Contact of a point, a sphere or the corners of a box with a plane that is fixed on ground or on any other body.

With d the depth of the lowest point P below the plane (m), z its normal, v_t the velocity of P along the plane, theory
(8.1) and (8.2),

    normal force     N = max(k d^n (1 + c d_dot), 0)            Hunt and Crossley 1975; it never pulls
    friction         -mu N tanh(|v_t| / v_s) v_t / |v_t|        smoothed: 76 % of mu N at the speed v_s, none at rest

on the body at P, the reverse on the body of the plane.  Restitution then depends on c and the speed of impact alone,
theory (8.3).  The elastic part k d^n has the potential k d^(n+1) / (n + 1);
what the rest does is counted in the work integral.  Under a lasting push below mu N the body creeps, slower than v_s.

The law has a kink where it begins and ends: runs with a tolerance find these instants and begin afresh there, unless
the speed is too low to matter (analyses/simulate/forward_run.py).  The tolerance of a position, rtol of the mechanism's
size, is a large part of a small depth; so the work of the elastic part is integrated too, a state on which nothing
depends: the error control then keeps the energy of an impact, and not only its positions, to the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.constraints.relative_motion import frame_axis
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Axis, NonNegative, Vector
from linkwork.elements.family import BETWEEN_FRAMES, Family, Kink, Phase, record
from linkwork.elements.forces.force import Force, Shown, components
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.frame_pairs import PAIR, ends, pair_of
from linkwork.errors import ModelError
from linkwork.numerics.rotations import frame_with_axis
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add_wrench, dot, point_velocity, scale, sub

CONTACT = record(
    [
        ("radius", np.float64),  # m, 0 for a point
        ("stiffness", np.float64),  # N/m^n
        ("exponent", np.float64),
        ("damping", np.float64),  # s/m
        ("friction", np.float64),
        ("smoothing", np.float64),  # m/s
        ("depth", np.int32),  # signal of the depth, m, and the one after it: of its rate
        ("state", np.int32),  # auxiliary state: work of the elastic parts of all contacts
        *PAIR,  # A: the plane, z of F its normal; B: the body, M at the point or the centre
    ]
)
SIZE = CONTACT.itemsize


class Contact(Force):
    """A body touches a plane: Hunt-Crossley normal force and smoothed Coulomb friction."""

    plural: ClassVar[str] = "points, spheres and boxes that touch a plane"

    body: str = Field(description="name of the body")
    shape: Literal["point", "sphere", "box"] = Field(default="point", description="what of the body touches the plane")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, the point, or the centre, in the body frame")
    radius: NonNegative | None = Field(default=None, description="m, > 0, of the sphere")
    size: Vector | None = Field(default=None, description="m, > 0, lengths of the box along the body's axes")
    against: str = Field(default="ground", description="name of the body on which the plane is fixed")
    plane_at: Vector = Field(
        default=(0.0, 0.0, 0.0), description="m, a point of the plane in the world, with that body as modelled"
    )
    normal: Axis = Field(default=(0.0, 0.0, 1.0), description="out of the plane, towards the body; world, as modelled")
    stiffness: NonNegative = Field(description="N/m^n, > 0, k; of a box: of each corner")
    exponent: NonNegative = Field(default=1.5, description="n, >= 1; 1.5 for a sphere (Hertz)")
    damping: NonNegative = Field(default=0.0, description="s/m, >= 0, c")
    friction: NonNegative = Field(default=0.0, description="mu, >= 0")
    smoothing: NonNegative = Field(default=1e-3, description="m/s, > 0, the speed v_s")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = f"contact '{self.name}'"
        if self.body == self.against:
            raise ValueError(f"{who}: '{self.body}' is on both sides; name another body for the plane")
        if (self.radius is not None) != (self.shape == "sphere") or self.radius == 0.0:
            raise ValueError(f"{who}: radius is {self.radius}; a sphere needs one > 0 m, other shapes have none")
        if (self.size is not None) != (self.shape == "box") or min(self.size or (1.0,)) <= 0.0:
            raise ValueError(f"{who}: size is {self.size}; a box needs three lengths > 0 m, other shapes have none")
        if self.stiffness <= 0.0 or self.exponent < 1.0 or self.smoothing <= 0.0:
            raise ValueError(
                f"{who}: stiffness is {self.stiffness:g}, exponent {self.exponent:g}, smoothing {self.smoothing:g}; "
                "they must be > 0, >= 1 and > 0"
            )
        return self

    def points(self) -> list[np.ndarray]:
        """The points, or the centre, in the body frame, m."""
        corners = product((-0.5, 0.5), repeat=3) if self.size is not None else [(0.0, 0.0, 0.0)]
        return [np.array(self.at) + np.multiply(corner, self.size or (0.0, 0.0, 0.0)) for corner in corners]

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("moving body", self.body), ("body", self.against))

    def attachments(self) -> tuple[Attachment, ...]:
        """The points, and that of the plane."""
        return (
            *(Attachment(self.body, point, self.body) for point in self.points()),
            Attachment(self.against, self.plane_at),
        )

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record a point; one state adds up the elastic work of all contacts."""
        law = (self.radius or 0.0, self.stiffness, self.exponent, self.damping, self.friction, self.smoothing)
        axes, state = frame_with_axis(np.array(self.normal)), context.states.work("contacts")
        for point in self.points():
            depth = context.signals.slots(2)
            ends = (self.plane_at, context.places.in_world(self.body, point))
            yield (*law, depth, state, *context.places.frame_pair((self.against, self.body), None, ends, axes))

    def force_signal(self, context: Context, function: str, axis: tuple[str, ...], who: str) -> int:
        """The force of all its points on the body."""
        if function == "torque":
            raise ModelError(f"{who}: contact '{self.name}' has no torque, only forces at points", element=who)
        return super().force_signal(context, function, axis, who)

    def shown(self, joints: Mapping[str, Joint]) -> Shown:
        """NAME.force and its components."""
        return components(self.name, "force")

    def without_effect(self) -> Self:
        """Without stiffness."""
        return self.model_copy(update={"stiffness": 0.0})


@part
def hunt_crossley(depth, rate, stiffness, exponent, damping):
    """N = max(k d^n (1 + c d_dot), 0) and its elastic part k d^n, at the depth d; zero above the surface."""
    if not depth.real > 0.0:
        return 0.0 * depth, 0.0 * depth
    elastic = stiffness * depth**exponent
    force = elastic * (1.0 + damping * rate)
    if force.real < 0.0:
        force = 0.0 * force
    return force, elastic


@kernel
def contacts(system, t, angles, work, first, last):
    """Adds the wrenches of what touches; energy[1] gains k d^(n+1) / (n + 1), energy[2] the power of the rest."""
    R, p, O, V = work.R, work.p, work.O, work.V
    states = system.whole[0].q_count + system.whole[0].v_count
    for at in range(first, last, SIZE):
        touch = record_at(system.block, at, CONTACT)
        a, b = touch.body_a, touch.body_b
        normal = frame_axis(R, a, touch.R_AF, 2)
        p_F, p_M = ends(R, p, pair_of(touch))
        depth = touch.radius - dot(normal, sub(p_M, p_F))
        P = sub(p_M, scale(touch.radius, normal))
        v = sub(point_velocity(V, O, b, P), point_velocity(V, O, a, P))
        sinking = -dot(normal, v)
        work.signals[touch.depth], work.signals[touch.depth + 1] = depth, sinking
        if not depth.real > 0.0:
            continue
        N, elastic = hunt_crossley(depth, sinking, touch.stiffness, touch.exponent, touch.damping)
        sliding = sub(v, scale(-sinking, normal))
        drag = touch.friction * N * _saturated(dot(sliding, sliding), touch.smoothing)
        f = sub(scale(N, normal), scale(drag, sliding))
        zero = scale(0.0, f)
        add_wrench(work.F, b, O, P, f, zero)
        add_wrench(work.F, a, O, P, scale(-1.0, f), zero)
        work.energy[1] += elastic * depth / (touch.exponent + 1.0)
        work.rate[states + touch.state] -= elastic * sinking
        work.energy[2] -= (N - elastic) * sinking + drag * dot(sliding, sliding)


@part
def _saturated(square, smoothing):
    """tanh(s / v_s) / s for a speed s of which the square is given; 1 / v_s at rest."""
    ratio = square / (smoothing * smoothing)
    if ratio.real < 1e-4:  # tanh(x) / x
        return (1.0 + ratio * (-1.0 / 3.0 + ratio * (2.0 / 15.0 - ratio * (17.0 / 315.0)))) / smoothing
    x = sqrt(ratio)
    if x.real > 20.0:  # tanh is 1
        return 1.0 / (x * smoothing)
    return np.tanh(x) / (x * smoothing)


def kinks(contact: np.void) -> Iterable[Kink]:
    """Where it touches down and lifts off."""
    yield Kink(contact["depth"])


CONTACTS = Family("contacts", CONTACT, {Phase.FORCES: contacts}, (Contact,), BETWEEN_FRAMES, kinks=kinks)
