"""The HMMWV of P5 (Lee, Bae, Han & Suh 1994): a vehicle on four double wishbones, driven over a half-round bump.

From the paper: masses and inertias of chassis, arms and knuckles; spring and damper rates and the free length; the
tyres; 13 bodies, 8 loops, 10 degrees of freedom; 8 m/s over a half-round bump of 0.1 m met at about 2.5 s.

Lost, and chosen here:
- hardpoints: those published for the same vehicle with Project Chrono's models (hmmwv_hardpoints.json).
- the paper's inertias (4449, 1418, 5708) are taken about (lateral, forward, vertical): a truck of this length does not
  resist pitch less than roll.  The same order is taken for the arms.
- springs and dampers act along the line of the published shocks; their chassis ends are moved along it until they are
  SPRING_LENGTH long at design height, where the paper's rates and free length carry the vehicle level.
- the chassis' centre of mass is where the front wheels carry 40 % of the weight, 0.25 m above the lower arms' pivots.
- tyres: rates in N/m, N s/m, N/rad; relaxation length one radius; Fiala's curve; the wheels have no mass of their own
  and roll freely, since the paper has no bodies for them.
- the distance constraints are the published tie rods, held by the chassis.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.library.constants import GRAVITY, INCH
from linkwork.library.units import Metres, MetresPerSecond, Number, Seconds
from linkwork.model import Model

HARDPOINTS = json.loads((Path(__file__).parent / "hmmwv_hardpoints.json").read_text())
CHASSIS, CHASSIS_INERTIA = 2298.0, (1418.0, 4449.0, 5708.0)  # kg, kg m2
LOWER_ARM, UPPER_ARM, KNUCKLE = (50.0, (15.0, 20.0, 15.0)), (40.0, (10.0, 15.0, 10.0)), (1.0, (1.0, 1.0, 1.0))
SPRINGS = {"front": (42381.0, 10168.0), "rear": (64447.0, 12529.0)}  # N/m, N s/m
FREE_LENGTH = 0.566  # m
SPRING_LENGTH = {"front": 0.3176, "rear": 0.3076}  # m, at design height with FRONT_SHARE: chosen
MOTION_RATIO = {"front": 0.454, "rear": 0.444}  # of the springs to the wheels' centres at design height
TYRE: dict[str, Any] = {
    "radius": 0.457,
    "stiffness": 296315.0,
    "damping": 730.0,
    "friction": 0.8,
    "lateral_stiffness": 63716.0,
}
FRONT_SHARE = 0.4  # of the weight: chosen
CENTRE_HEIGHT = 0.25  # m, of the chassis above the origin of the hardpoints: chosen
AXLES, SIDES = ("front", "rear"), {"left": 1.0, "right": -1.0}


def hmmwv(
    speed: MetresPerSecond = 8.0, bump: Metres = 0.1, meet: Seconds = 2.5, front_share: Number = FRONT_SHARE
) -> Model:
    """P5's HMMWV, four double wishbones, driven at `speed` (m/s) over a half-round bump of radius `bump` (m).

    The front wheels touch the bump at the time `meet` (s) and carry `front_share` of the weight; it starts in
    equilibrium, level and rolling.
    """
    m = Model("hmmwv", gravity=GRAVITY, duration=5.0, from_equilibrium=True)
    ahead = hardpoint("front", "left", "spindle")[0]
    contact = np.sqrt((TYRE["radius"] + bump) ** 2 - design_height() ** 2)  # m, before the middle of the bump
    m.road("road", {"kind": "half-round", "at": float(ahead + speed * meet + contact), "radius": bump})
    add_vehicle(m, speed, front_share)
    m.measure("chassis acceleration", "az(chassis)", unit="m/s2")
    for what, unit in (("z", "m"), ("vz", "m/s"), ("az", "m/s2")):
        name = {"z": "height", "vz": "velocity", "az": "acceleration"}[what]
        m.measure(f"front right knuckle {name}", f"{what}('front right knuckle')", unit=unit)
    for axle in AXLES:
        for side in SIDES:
            m.measure(f"{axle} {side} load", f"tyre('{axle} {side} tyre', load)", unit="N")
            m.measure(f"{axle} {side} shock", f"force('{axle} {side} spring')", unit="N")
    return m


def add_vehicle(m: Model, speed: float, front_share: float = FRONT_SHARE) -> None:
    """Chassis, four corners and tyres, on the road 'road'."""
    centre = chassis_centre(front_share)
    m.body("chassis", mass=CHASSIS, inertia=np.diag(CHASSIS_INERTIA), at=centre, pictures=_chassis_pictures(centre))
    m.free("drive", m.ground, "chassis", rate=(speed, 0.0, 0.0, 0.0, 0.0, 0.0))
    for axle in AXLES:
        for side in SIDES:
            add_corner(m, axle, side, "chassis", front_share)
            knuckle = f"{axle} {side} knuckle"
            spindle = hardpoint(axle, side, "spindle") - hardpoint(axle, side, "upright_cg")
            m.tyre(f"{axle} {side} tyre", knuckle, at=spindle, road="road", **TYRE)


def add_corner(m: Model, axle: str, side: str, chassis: str, front_share: float = FRONT_SHARE) -> None:
    """One corner: two arms, knuckle, tie rod, spring and damper."""

    def at(*path: str) -> np.ndarray:
        return hardpoint(axle, side, *path)

    lower, upper, knuckle = (f"{axle} {side} {part}" for part in ("lower arm", "upper arm", "knuckle"))
    for name, key, (mass, inertia) in ((lower, "lower_arm", LOWER_ARM), (upper, "upper_arm", UPPER_ARM)):
        front, rear = at(key, "chassis_front"), at(key, "chassis_rear")
        m.body(name, mass=mass, inertia=np.diag(inertia), at=at(key, "cg"))
        m.revolute(f"{name} pivot", chassis, name, at=(front + rear) / 2.0, axis=front - rear)
    m.body(knuckle, mass=KNUCKLE[0], inertia=np.diag(KNUCKLE[1]), at=at("upright_cg"))
    m.spherical(f"{lower} ball", lower, knuckle, at=at("lower_arm", "knuckle"))
    m.spherical(f"{upper} ball", upper, knuckle, at=at("upper_arm", "knuckle"))
    m.distance(f"{axle} {side} tie rod", chassis, knuckle, points=(at("tie_rod", "chassis"), at("tie_rod", "knuckle")))
    stiffness, damping = SPRINGS[axle]
    ends = (spring_end(axle, side, front_share), at("shock", "arm"))
    m.spring_damper(f"{axle} {side} spring", chassis, lower, points=ends,
                    stiffness=stiffness, damping=damping, free_length=FREE_LENGTH)  # fmt: skip


def hardpoint(axle: str, side: str, *path: str) -> np.ndarray:
    """A point in the world at design height (m): x forward, y left, z up from the road."""
    found: Any = HARDPOINTS[axle]
    for key in path:
        found = found[key]
    x, y, z = np.array(found) * INCH
    lifted = design_height() - HARDPOINTS[axle]["spindle"][2] * INCH
    return np.array([HARDPOINTS["suspension_origin_x_m"][axle] + x, SIDES[side] * y, z + lifted])


def design_height() -> float:
    """Height of the wheels' centres, m: the tyres carry a quarter of the weight each."""
    return float(TYRE["radius"] + total_mass() * GRAVITY[2] / (4.0 * TYRE["stiffness"]))


def spring_end(axle: str, side: str, front_share: float = FRONT_SHARE) -> np.ndarray:
    """The chassis end of spring and damper, on the line of the published shock; with another front share seated so that
    the spring carries what the wheel then carries more, at its motion ratio.
    """
    arm, top = hardpoint(axle, side, "shock", "arm"), hardpoint(axle, side, "shock", "chassis")
    more = (front_share - FRONT_SHARE) * (1.0 if axle == "front" else -1.0) * total_mass() * -GRAVITY[2] / 2.0
    length = SPRING_LENGTH[axle] - more / (MOTION_RATIO[axle] * SPRINGS[axle][0])
    end: np.ndarray = arm + (top - arm) * length / np.linalg.norm(top - arm)
    return end


def total_mass() -> float:
    """Of the vehicle, kg."""
    return CHASSIS + 4.0 * (LOWER_ARM[0] + UPPER_ARM[0] + KNUCKLE[0])


def chassis_centre(front_share: float = FRONT_SHARE) -> np.ndarray:
    """The chassis' centre of mass: the moments of all weights about the rear wheels' centres make the front share."""
    front, rear = (hardpoint(axle, "left", "spindle")[0] for axle in AXLES)
    parts = [(LOWER_ARM[0], ("lower_arm", "cg")), (UPPER_ARM[0], ("upper_arm", "cg")), (KNUCKLE[0], ("upright_cg",))]
    others = [(2.0 * mass, hardpoint(axle, "left", *path)[0]) for axle in AXLES for mass, path in parts]
    total = CHASSIS + sum(mass for mass, _ in others)
    moment = total * (rear + front_share * (front - rear)) - sum(mass * x for mass, x in others)
    height = design_height() - HARDPOINTS["front"]["spindle"][2] * INCH + CENTRE_HEIGHT
    return np.array([moment / CHASSIS, 0.0, height])


def _chassis_pictures(centre: np.ndarray) -> tuple[dict[str, object], ...]:
    """A long frame, a bonnet, a cabin and a bed (m)."""
    boxes = (((4.2, 0.5, 0.16), (0.05, 0.0, 0.62)), ((1.25, 1.5, 0.42), (1.55, 0.0, 0.98)),
             ((1.6, 1.75, 0.85), (0.1, 0.0, 1.2)), ((1.45, 1.75, 0.35), (-1.45, 0.0, 0.95)))  # fmt: skip
    return tuple({"kind": "box", "size": size, "at": np.array(at) - centre} for size, at in boxes)
