"""Models with known vibrations, for the tests of equilibrium, linearization and modes."""

from __future__ import annotations

import math

import linkwork as lw

TINY = 1e-9  # kg m2: a point mass


def chain_of_springs(count: int, stiffness: float = 1.0, mass: float = 1.0) -> lw.Model:
    """Masses in line, each tied to the next and the first to ground; omega_k = 2 sqrt(k/m) sin((2k-1) pi/(4n+2))."""
    m = lw.Model("chain of springs", gravity=(0, 0, 0))
    before = m.ground
    for i in range(count):
        body = m.body(f"m{i}", mass=mass, inertia=(1.0, 1.0, 1.0), at=(i + 1.0, 0, 0))
        m.prismatic(f"x{i}", m.ground, body, at=(i + 1.0, 0, 0), axis="x")
        m.spring_damper(f"k{i}", before, body, points=((i, 0, 0), (i + 1.0, 0, 0)), stiffness=stiffness)
        before = body
    return m


def rotating_pendulum(angle: float = 0.0, length: float = 1.0) -> lw.Model:
    """A point mass on a hinge on a hub that turns about the vertical: leaves it at speed sqrt(g/l)."""
    m = lw.Model("rotating pendulum", gravity=(0, 0, -9.81))
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    at = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    m.body("bob", mass=2.0, inertia=(TINY, TINY, TINY), at=at)
    m.revolute("spin", m.ground, "hub", at=(0, 0, 0), axis="z")
    m.revolute("hinge", "hub", "bob", at=(0, 0, 0), axis="-y")
    return m


def overhung_disc(diametral: float = 1.0, polar: float = 1.6, stiffness: float = 100.0) -> lw.Model:
    """A disc on a Cardan suspension with springs: whirls forwards and backwards, split by its gyroscopic moment."""
    m = lw.Model("overhung disc", gravity=(0, 0, 0))
    for ring in ("outer ring", "inner ring"):
        m.body(ring, mass=1.0, inertia=(TINY, TINY, TINY))
    m.body("disc", mass=5.0, inertia=(diametral, diametral, polar))
    m.revolute("tilt x", m.ground, "outer ring", at=(0, 0, 0), axis="x")
    m.revolute("tilt y", "outer ring", "inner ring", at=(0, 0, 0), axis="y")
    m.revolute("spin", "inner ring", "disc", at=(0, 0, 0), axis="z")
    m.torsional_spring_damper("kx", "tilt x", stiffness=stiffness)
    m.torsional_spring_damper("ky", "tilt y", stiffness=stiffness)
    return m


def jeffcott(stiffness: float = 800.0, damping: float = 4.0, mass: float = 2.0, internal: float = 0.0) -> lw.Model:
    """A disc that whirls in a plane on isotropic springs, spinning; with `internal` damping, seen from the rotor."""
    m = lw.Model("Jeffcott rotor", gravity=(0, 0, 0))
    m.body("bearing", mass=0.25 * mass, inertia=(1.0, 1.0, 1.0))
    m.body("disc", mass=0.75 * mass, inertia=(0.1, 0.1, 0.2))
    m.planar("whirl", m.ground, "bearing", at=(0, 0, 0), axis="z")
    m.revolute("spin", "bearing", "disc", at=(0, 0, 0), axis="z")
    m.lock("no turning", "whirl", "angle")
    for axis, other, sign in (("x", "y", "+"), ("y", "x", "-")):
        # rotating damping in world axes: c_i (v + w x r), a circulatory force that destabilizes at high speed
        circulatory = f" {'-' if sign == '+' else '+'} {internal!r}*velocity(spin)*coordinate(whirl, {other})"
        m.joint_force(f"spring {axis}", "whirl", f"-{stiffness!r}*q - {damping + internal!r}*v" + circulatory, axis)
    return m


def bar_chain(count: int, flap: bool, hub: float = 0.0) -> lw.Model:
    """Hencky's chain of rigid links for a rotating cantilever of unit length, stiffness and mass; inextensible.

    Springs EI/h between links, 2 EI/h at the clamp, `hub` away from the axis; masses at the joints, half a mass at the
    tip: second order in h.
    """
    m = lw.Model("bar chain", gravity=(0, 0, 0))
    h, before = 1.0 / count, "hub"
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("spindle", m.ground, "hub", at=(0, 0, 0), axis="z")
    for i in range(count):
        mass = h if i < count - 1 else h / 2
        small = mass * (1e-6 * h) ** 2
        m.body(f"link {i}", mass=mass, inertia=(small, small, small), at=(hub + (i + 1) * h, 0, 0))
        m.revolute(f"joint {i}", before, f"link {i}", at=(hub + i * h, 0, 0), axis="y" if flap else "z")
        m.torsional_spring_damper(f"spring {i}", f"joint {i}", stiffness=(1.0 if i else 2.0) / h)
        before = f"link {i}"
    return m


def stretching_chain(count: int, slenderness: float, hub: float, speed: float) -> lw.Model:
    """The same chain in the plane of rotation with links that stretch: EA/h, slenderness^2 = EA, unit EI.

    Each axial spring carries the tension of the steady state at `speed` without stretching, as in Yoo & Shin (1998).
    """
    m = lw.Model("stretching chain", gravity=(0, 0, 0))
    h, before = 1.0 / count, "hub"
    masses = [h] * (count - 1) + [h / 2]
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("spindle", m.ground, "hub", at=(0, 0, 0), axis="z")
    for i, mass in enumerate(masses):
        x, small = hub + i * h, mass * (1e-6 * h) ** 2
        tension = speed**2 * sum(m_k * (hub + (k + 1) * h) for k, m_k in enumerate(masses) if k >= i)
        m.body(f"guide {i}", mass=1e-10 * h, inertia=(1e-16 * h**3,) * 3, at=(x, 0, 0))
        m.body(f"mass {i}", mass=mass, inertia=(small,) * 3, at=(x + h, 0, 0))
        m.revolute(f"bend {i}", before, f"guide {i}", at=(x, 0, 0), axis="z")
        m.prismatic(f"stretch {i}", f"guide {i}", f"mass {i}", at=(x + h, 0, 0), axis="x")
        m.torsional_spring_damper(f"spring {i}", f"bend {i}", stiffness=(1.0 if i else 2.0) / h)
        m.joint_force(f"tension {i}", f"stretch {i}", f"{-(slenderness**2) / h!r}*q - {tension!r}")
        before = f"mass {i}"
    return m


def sprung_slider_crank() -> lw.Model:
    """A closed loop with a spring, a damper and gravity."""
    m = lw.Model("sprung slider-crank", gravity=(0, 0, -9.81))
    a = math.radians(50.0)
    x, z = 0.1 * math.cos(a), 0.1 * math.sin(a)
    lean = math.asin(z / 0.31)
    end = x + 0.31 * math.cos(lean)
    m.body("crank", lw.rod(mass=0.5, length=0.1), at=(x / 2, 0, z / 2), angle=-a, axis="y")
    m.body("rod", lw.rod(mass=0.4, length=0.31), at=((x + end) / 2, 0, z / 2), angle=lean, axis="y")
    m.body("slider", mass=2.0, inertia=(1e-3, 1e-3, 1e-3), at=(end, 0, 0))
    m.revolute("bearing", m.ground, "crank", at=(0, 0, 0), axis="-y")
    m.revolute("pin", "crank", "rod", at=(x, 0, z), axis="-y")
    m.revolute("wrist", "rod", "slider", at=(end, 0, 0), axis="-y")
    m.prismatic("guide", m.ground, "slider", at=(end, 0, 0), axis="x")
    m.spring_damper("spring", m.ground, "slider", points=((0.8, 0.1, 0.05), (end, 0, 0)), stiffness=900.0, damping=7.0,
                    free_length=0.4)  # fmt: skip
    return m


def hanging_ball_chain() -> lw.Model:
    """Two bars on ball joints, and a floating mass on springs: balls and a free body."""
    m = lw.Model("ball chain", gravity=(0, 0, -9.81))
    m.body("upper", lw.rod(mass=1.0, length=1.0, axis="z", width=0.1), at=(0, 0, -0.5))
    m.body("lower", lw.rod(mass=2.0, length=0.8, axis="z", width=0.1), at=(0, 0, -1.4))
    m.spherical("ball 1", m.ground, "upper", at=(0, 0, 0))
    m.spherical("ball 2", "upper", "lower", at=(0, 0, -1.0))
    m.body("block", lw.box((0.4, 0.3, 0.2), mass=3.0), at=(2, 0, 0))
    for k, (x, y, z) in enumerate(((0.2, 0.15, 0.1), (-0.2, 0.15, 0.1), (0.2, -0.15, 0.1), (-0.2, -0.15, 0.1),
                                   (0.2, 0.1, -0.1), (-0.1, 0.15, -0.1), (0.1, -0.15, -0.1))):  # fmt: skip
        far = (2 + 3 * x + 0.3 * y, 3 * y - 0.2 * z, 4 * z + 0.3 * x)
        m.spring_damper(
            f"s{k}", m.ground, "block", points=(far, (2 + x, y, z)), stiffness=300.0 + 40.0 * k, damping=1.5
        )
    return m


def on_a_turning_hub(hung: str | None, offset: float = 1.0) -> lw.Model:
    """A mass tied to a hub that turns, by unequal stiffnesses (400, 900 N/m across; 10, 20, 30 N m/rad).

    `hung`: the body against which a planar joint guides it; None: it floats.  Seen from the hub, at speed w, the two
    frequencies in the plane are the roots of (kx/m - w^2 - o^2)(ky/m - w^2 - o^2) = 4 w^2 o^2.
    """
    m = lw.Model("mass on a hub", gravity=(0, 0, 0))
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("mass", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(offset, 0, 0))
    m.revolute("spindle", m.ground, "hub", at=(0, 0, 0), axis="z")
    if hung is not None:
        m.planar("slide", hung, "mass", at=(offset, 0, 0), axis="z")
    m.bushing("tie", "hub", "mass", at=(offset, 0, 0), stiffness=(400.0, 900.0, 600.0, 10.0, 20.0, 30.0))
    return m


def disc_on_bearings(seen_from: str, kx: float, ky: float) -> lw.Model:
    """A disc of 1 kg that whirls on springs kx, ky (N/m) to ground while it spins; its place seen from ground or rotor.

    Seen from ground sqrt(kx), sqrt(ky) at any speed w; from the rotor, if kx = ky, sqrt(kx) -+ w; else nothing steady.
    """
    m = lw.Model("disc on bearings", gravity=(0, 0, 0))
    m.body("carrier", mass=0.4, inertia=(1.0, 1.0, 1.0))
    m.body("disc", mass=0.6 if seen_from == "ground" else 1.0, inertia=(0.1, 0.1, 0.2))
    if seen_from == "ground":
        m.planar("whirl", m.ground, "carrier", at=(0, 0, 0), axis="z")
        m.revolute("spindle", "carrier", "disc", at=(0, 0, 0), axis="z")
    else:
        m.revolute("spindle", m.ground, "carrier", at=(0, 0, 0), axis="z")
        m.planar("whirl", "carrier", "disc", at=(0, 0, 0), axis="z")
    m.lock("no turning", "whirl", "angle")
    m.bushing("bearing", m.ground, "disc", at=(0, 0, 0), stiffness=(kx, ky, 0.0, 0.0, 0.0, 0.0))
    return m
