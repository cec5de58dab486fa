"""Tyre: a wheel's forces from the road - a radial spring and damper that never pulls, side force and traction by slip.

Envelope.  Across sharp obstacles a tyre rests on the nearest points of the road, not on the one below its centre.  With
stations s_i along the wheel plane, l_i the distance from the centre c to the road there, the loaded radius is a smooth
least distance over all of them (R the radius, m = 60 the sharpness, S_0 the sum on a flat road at the distance R;
theory (7.1), (7.2)):

    L = R (S / S_0)^(-1 / (m - 1)),   S = sum_i (R / l_i)^m,   deflection D = R - L

A sum over evenly spaced stations stands for an integral, of which this power of the distance is homogeneous: on a flat
road L is the height of the centre, to 4e-8 of the radius whatever the deflection (what the stations do not reach), and
on a slope of grade g the distance from it times (1 + g^2)^(1 / 2(m - 1)), 0.07 % more for g = 0.3.  Hence

    normal force N = max(k D + d D_dot, 0),   potential k D^2 / 2,   wrench on the wheel N dL/d(position of the wheel)

which has no moment about the axle.  The damping grows from nothing over the first FADE of deflection.

Slip.  s = (kappa, alpha) are auxiliary states, the deflection of the tread over the relaxation lengths sigma; with v_s
the velocity at which the tread slides over the road and V the speed of rolling (Pacejka 2012, chapters 7 and 8; theory
(7.3))

    sigma s' = -v_s - (|V| + |v_s| |s|^4 / 32) s

rolling: s -> -v_s / |V|, the slips as usual; standing: the tread is a spring, so that nothing creeps and nothing is
divided by a speed; sliding: |s| <= 2.  With C the slip stiffnesses and mu the friction in both directions, theory
(7.5), and the load N |dL/dp|,

    rho = C s / (mu N),   F = mu N g(|rho|) rho / |rho|                         friction ellipse
    linear            g = min(rho, 1)
    fiala             g = rho - rho^2 / 3 + rho^3 / 27 up to rho = 3, then 1    brush with a parabola of pressure
    magic-formula     g = sin(C atan(B rho - E (B rho - atan(B rho)))), B C = 1

At walking speed a damping of the tread is added to s (Pacejka's k_Vlow; theory (7.4)), so that a standing vehicle comes
to rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part, stage
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Axis, NonNegative, Number, Vector
from linkwork.elements.family import Family, Phase, acts_on, record
from linkwork.elements.forces.force import Force
from linkwork.elements.signals.outputs import show
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.road_surface import road_acts, road_at, time_to_pass
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add, add_wrench, angular, cross, dot, point_velocity, rotate, scale, sub, vector

STATIONS = 31  # along the wheel plane
REACH = 0.65  # of the radius: how far they go fore and aft
POWER = 30  # half the sharpness m
FADE = 2e-3  # m, of deflection over which the damping sets in
STILL = 1e-2  # m/s, below which |V| is smoothed
WALKING = 1.0  # m/s, the speed at which the damping of the tread has fallen to a half
TREAD_TIME = 0.05  # s, damping of the tread over its stiffness
LIFTED_TIME = 0.05  # s, in which the tread of a tyre in the air relaxes
GROUND = np.int32(0)  # a body, like others of the type that tables have: `add_wrench` is compiled for it
LINEAR, FIALA, MAGIC_FORMULA = range(3)
CURVES = {"linear": LINEAR, "fiala": FIALA, "magic-formula": MAGIC_FORMULA}
OUTPUTS = {
    "load": "N", "longitudinal": "N", "lateral": "N", "deflection": "m", "slip": "", "slip_angle": "rad"
}  # fmt: skip

TYRE = record(
    [
        ("body", np.int32),
        ("road", np.int64),  # where its data begin among the ops
        ("pieces", np.int64),
        ("state", np.int32),  # of the longitudinal slip; that of the lateral one follows
        ("turns", np.int32),  # 1: the body turns with the wheel; 0: the wheel rolls freely on it
        ("curve", np.int32),
        ("centre", np.float64, (3,)),  # m, in the link frame
        ("axis", np.float64, (3,)),  # of the wheel, to its left, in the link frame
        ("radius", np.float64),  # m
        ("stiffness", np.float64),  # N/m
        ("damping", np.float64),  # N s/m
        ("friction", np.float64, (2,)),
        ("slip_stiffness", np.float64, (2,)),  # N, N/rad
        ("relaxation", np.float64, (2,)),  # m
        ("shape", np.float64),  # C of the magic formula
        ("curvature", np.float64),  # E
        ("flat_sum", np.float64),  # S_0
    ],
    outputs=len(OUTPUTS),
)
SIZE = TYRE.itemsize


class Tyre(Force):
    """A tyre on a body: the wheel, or the knuckle that carries one."""

    plural: ClassVar[str] = "wheels on a road"

    body: str = Field(description="name of the wheel, or of what carries it")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, the wheel's centre in the body frame")
    axis: Axis = Field(default=(0.0, 1.0, 0.0), description="of the wheel, to its left, in the body frame")
    road: str | None = Field(default=None, description="name of a road; default: flat, at z = 0")
    spin: Literal["free", "body"] = Field(
        default="free",
        description="body: the body turns with the wheel (if it cannot turn, the wheel is locked); "
        "free: a wheel without mass rolls freely on it, and there is no traction",
    )
    radius: NonNegative = Field(description="m, > 0, unloaded")
    stiffness: NonNegative | None = Field(default=None, description="N/m, > 0, radial")
    damping: NonNegative = Field(default=0.0, description="N s/m, >= 0, radial")
    friction: NonNegative | tuple[NonNegative, NonNegative] = Field(
        default=0.8, description="mu, > 0; or two, longitudinal and lateral"
    )
    lateral_stiffness: NonNegative | None = Field(default=None, description="N/rad, > 0, side force by slip angle")
    longitudinal_stiffness: NonNegative | None = Field(
        default=None, description="N, > 0, traction by slip; default: as lateral"
    )
    relaxation: NonNegative | None = Field(default=None, description="m, > 0, relaxation length; default: the radius")
    curve: Literal["linear", "fiala", "magic-formula"] = Field(default="fiala", description="force over slip")
    shape: Number = Field(default=1.3, description="C of the magic formula, 1 to 2")
    curvature: Number = Field(default=-1.0, description="E of the magic formula, <= 1")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = f"tyre '{self.name}'"
        for key, what, unit in (("stiffness", "load", "N/m"), ("lateral_stiffness", "side force", "N/rad")):
            if not getattr(self, key):
                raise ValueError(f"{who}: it has no {what} data ({key} is {getattr(self, key)}); give {key} > 0 {unit}")
        if self.radius <= 0.0 or min(self.frictions) <= 0.0:
            raise ValueError(f"{who}: radius is {self.radius:g} m, friction {self.friction}; they must be > 0")
        if self.relaxation == 0.0 or self.longitudinal_stiffness == 0.0:
            raise ValueError(f"{who}: relaxation and longitudinal_stiffness must be > 0, or left out")
        if not 1.0 <= self.shape <= 2.0 or self.curvature > 1.0:
            raise ValueError(
                f"{who}: shape is {self.shape:g}, curvature {self.curvature:g}; they must be 1 to 2, and <= 1"
            )
        return self

    @property
    def frictions(self) -> tuple[float, float]:
        """Friction along and across the wheel."""
        return self.friction if isinstance(self.friction, tuple) else (self.friction, self.friction)

    def foot(self, axle: np.ndarray) -> np.ndarray:
        """From the centre to the lowest point of the unloaded wheel, m, for the direction of its axle in the world."""
        down = axle * axle[2] - np.array([0.0, 0.0, 1.0])
        return np.asarray(self.radius * down / np.linalg.norm(down))

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        road = () if self.road is None else (("road", self.road),)
        return (("moving body", self.body), *road)

    def begins_like(self, other: Self) -> bool:
        """A wheel may raise its vehicle from within the road."""
        return all(getattr(self, name) == getattr(other, name) for name in ("body", "at", "axis", "road", "radius"))

    def attachments(self) -> tuple[Attachment, ...]:
        """Its centre."""
        return (Attachment(self.body, self.at, self.body),)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record, with two auxiliary states, the slips."""
        road = Road(name="flat") if self.road is None else context.element(self.road)
        assert isinstance(road, Road)
        first = 0 if self.road is None else context.programs.data(self.road, road.numbers)
        index, centre, axes = context.places.on_body(self.body, self.at)
        kappa, _ = context.states.new(), context.states.new()
        lateral = self.lateral_stiffness
        return [(
            index, first, len(road.pieces), kappa, self.spin == "body", CURVES[self.curve], centre,
            axes @ np.array(self.axis), self.radius, self.stiffness, self.damping, self.frictions,
            (self.longitudinal_stiffness or lateral, lateral), (self.relaxation or self.radius,) * 2,
            self.shape, self.curvature, flat_sum(),
        )]  # fmt: skip

    def without_effect(self) -> Self:
        """Without radial stiffness and damping there is no load."""
        return self.model_copy(update={"stiffness": 0.0, "damping": 0.0})


@kernel
def tyres(system, t, angles, work, first, last):
    """Adds the wrenches and the rates of the slips; energy[1] gains k D^2 / 2, energy[2] the power of the rest."""
    R, p, O, V = work.R, work.p, work.O, work.V
    rates = system.whole[0].q_count + system.whole[0].v_count
    for at in range(first, last, SIZE):
        tyre = record_at(system.block, at, TYRE)
        b, slips = tyre.body, rates + tyre.state
        kappa, alpha = work.s[tyre.state], work.s[tyre.state + 1]
        c = add(vector(p, b), rotate(R, b, tyre.centre))
        a = rotate(R, b, tyre.axis)
        L, f, n = _envelope(system.ops, tyre, c, a)
        D = tyre.radius - L
        if not D.real > 0.0:
            work.rate[slips], work.rate[slips + 1] = -kappa / LIFTED_TIME, -alpha / LIFTED_TIME
            _show_all(work.signals, tyre, 0.0 * D, 0.0 * D, 0.0 * D, 0.0 * D, kappa, alpha)
            continue
        v_c = point_velocity(V, O, b, c)
        away = dot(f, v_c) + dot(n, angular(V, b))  # L_dot
        elastic = tyre.stiffness * D
        N = elastic - tyre.damping * _eased(D / FADE) * away
        if N.real < 0.0:
            N = 0.0 * N
        size = sqrt(dot(f, f))
        normal = scale(1.0 / size, f)
        along = cross(a, normal)
        along = scale(1.0 / sqrt(dot(along, along)), along)
        across = cross(normal, along)
        arm = scale(L, cross(a, along))
        v_P = point_velocity(V, O, b, add(c, arm))
        v_x, v_y = tyre.turns * dot(along, v_P), dot(across, v_P)
        rolling = dot(along, v_c) - v_x
        square = v_x * v_x + v_y * v_y
        s_squared = kappa * kappa + alpha * alpha
        relaxing = _smoothed(rolling * rolling) + _smoothed(square) * s_squared * s_squared / 32.0
        work.rate[slips] = (-v_x - relaxing * kappa) / tyre.relaxation[0]
        work.rate[slips + 1] = (-v_y - relaxing * alpha) / tyre.relaxation[1]
        damped = TREAD_TIME / (1.0 + rolling * rolling / (WALKING * WALKING))
        T = tyre.turns * tyre.slip_stiffness[0] * (kappa - damped * v_x / tyre.relaxation[0])
        Y = tyre.slip_stiffness[1] * (alpha - damped * v_y / tyre.relaxation[1])
        g_rho = _limited(tyre, N * size, T, Y)
        F = add(scale(g_rho * T, along), scale(g_rho * Y, across))
        whole = add(scale(N, f), F)
        moment = add(scale(N, n), cross(arm, F))
        add_wrench(work.F, b, O, c, whole, moment)
        add_wrench(work.F, GROUND, O, c, scale(-1.0, whole), scale(-1.0, moment))
        work.energy[1] += 0.5 * elastic * D
        work.energy[2] += (N - elastic) * away + g_rho * (T * v_x + Y * v_y)
        _show_all(work.signals, tyre, N * size, g_rho * T, g_rho * Y, D, kappa, alpha)


@stage
def pace(system, t, angles, work, first, last):
    """A bump must not be passed within a step: it lies in the road, and the state does not tell of it."""
    segment = work.segment[0]
    for at in range(first, last, SIZE):
        tyre = record_at(system.block, at, TYRE)
        c = add(vector(work.p, tyre.body), rotate(work.R, tyre.body, tyre.centre))
        v = point_velocity(work.V, work.O, tyre.body, c)
        if v[0].real != 0.0:
            reach = REACH * tyre.radius
            time = time_to_pass(system.ops, tyre.road, tyre.pieces, c[0].real, v[0].real, reach, tyre.radius)
            segment.pace = min(segment.pace, time)


@part
def _envelope(ops, tyre, c, a):
    """Loaded radius L, and its slopes along a displacement and a rotation (about the centre) of the wheel.

    e points along the wheel and is level, d down along the wheel plane; both turn with the axle but not with the wheel,
    so that what a rotation of the body does to them leaves out the part about the axle that keeps e level.
    """
    level = sqrt(a[0] * a[0] + a[1] * a[1])
    e = (a[1] / level, -a[0] / level, 0.0 * level)
    d = cross(a, e)
    r, reach = tyre.radius, REACH * tyre.radius
    x, y = c[0] + r * d[0], c[1] + r * d[1]
    below, _, _ = road_at(ops, tyre.road, tyre.pieces, x, y)
    zeta = (c[2] - below) / level
    none = 0.0 * x
    L, unit, f, m, g_z = zeta, 1.0 / level, (none, none, 1.0 + none), (none, none, none), zeta
    near = road_acts(ops, tyre.road, tyre.pieces, x.real - reach, x.real + reach)
    if near and zeta.real > 0.25 * r:  # a wheel that has sunk deeper rests on what is below its centre
        S, f, g_z = none, m, none
        for k in range(STATIONS):
            s = reach * (2.0 * k / (STATIONS - 1.0) - 1.0)
            z, z_x, z_y = road_at(ops, tyre.road, tyre.pieces, x + s * e[0], y + s * e[1])
            zeta = (c[2] - z) / level
            q = r * r / (s * s + zeta * zeta)
            q4 = q * q * q * q
            q8 = q4 * q4
            weight = q8 * q8 * q8 * q4 * q * q  # (R / l)^60
            S += weight
            weight *= q * zeta
            upward = scale(weight, (-z_x, -z_y, 1.0 + none))
            f = add(f, upward)
            m = add(m, scale(s, upward))
            g_z += weight * zeta
        L = r * (S / tyre.flat_sum) ** (-1.0 / (2.0 * POWER - 1.0))
        unit = 2.0 * POWER / (2.0 * POWER - 1.0) * L / (r * r * S * level)
    n = scale(unit, add(cross(e, m), cross(d, (r * f[0], r * f[1], g_z))))
    side = (e[1], -e[0], none)  # e x z
    return L, scale(unit, f), sub(n, scale(dot(n, a) / dot(side, a), side))


@part
def _eased(u):
    """From 0 to 1 with level ends."""
    return 1.0 + 0.0 * u if u.real >= 1.0 else u * u * (3.0 - 2.0 * u)


@part
def _smoothed(square):
    """|V| of V^2, with a smooth minimum of 0 at rest."""
    return square / sqrt(square + STILL * STILL)


@part
def _limited(tyre, load, T, Y):
    """g(rho) / rho: the friction force over that of the slip stiffnesses alone."""
    if not load.real > 0.0:
        return 0.0 * load
    rho_x, rho_y = T / (tyre.friction[0] * load), Y / (tyre.friction[1] * load)
    square = rho_x * rho_x + rho_y * rho_y
    if square.real < 1e-16:
        return 1.0 + 0.0 * load
    rho = sqrt(square)
    if tyre.curve == MAGIC_FORMULA:
        u = rho / tyre.shape
        return np.sin(tyre.shape * np.arctan(u - tyre.curvature * (u - np.arctan(u)))) / rho
    if tyre.curve == FIALA:
        return 1.0 / rho if rho.real > 3.0 else 1.0 + rho * (rho / 27.0 - 1.0 / 3.0)
    return 1.0 / rho if rho.real > 1.0 else 1.0 + 0.0 * rho


@part
def _show_all(signals, tyre, load, T, Y, D, kappa, alpha):
    """The outputs."""
    for k, value in enumerate((load, T, Y, D, kappa, np.arctan(alpha))):
        show(signals, tyre, k, value)


def flat_sum() -> float:
    """S_0: the sum over the stations on a flat road, the centre a radius above it."""
    s = REACH * np.linspace(-1.0, 1.0, STATIONS)
    return float(np.sum((1.0 + s * s) ** -POWER))


TYRES = Family(
    "tyres", TYRE, {Phase.FORCES: tyres, Phase.PACE: pace}, (Road, Tyre), (acts_on("body", "centre"),), OUTPUTS,
    function="tyre",
)  # fmt: skip
