"""The benchmark problems: their data, where it comes from, and reference answers.

Chain      n equal links in a row, spatial, open; defined here (random but seeded state).
A02        N-four-bar mechanism, IFToMM Library of Computational Benchmark Problems, A02
           (lim.ii.udc.es/mbsbenchmark/dist/A02); its N = 2 case is also Exudyn's example fourBarMechanismIftomm.py.
A03        Andrews' squeezing mechanism, IFToMM A03 and "andrews" of the Test Set for IVP Solvers (Bari).
A04        Bricard's linkage, IFToMM A04: six hinges on the edges of a cube, mobile though Gruebler's count is 0.
A05        the stiff flyball governor, IFToMM A05.

A02 to A04 have one degree of freedom; `n_four_bar_exact` (closed form), `andrews_exact` (an ordinary differential
equation in the crank angle alone, loops closed in closed form) and the same for Bricard's linkage give the exact
motion; of the governor Lagrange's equations by two integrators. The chain's motion is stored in chain_reference.json,
on which two peers with different algorithms agree (see `make_chain_reference`).
"""

from __future__ import annotations

import cmath
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipkinc, ellipkm1

GROUND = -1

# --------------------------------------------------------------------------------------------------------- chain


@dataclass(frozen=True)
class Chain:
    """n links, joint i at the end of link i-1 (joint 0 at the origin), zero configuration straight along x."""

    n: int
    length: float = 0.5  # m, along the link's own x
    mass: float = 1.0  # kg, centre at the middle of the link
    radius: float = 0.05  # m, a solid round rod: the inertia about its own axis is not zero
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    axes: tuple[str, ...] = field(init=False)
    q: np.ndarray = field(init=False)
    v: np.ndarray = field(init=False)
    a: np.ndarray = field(init=False)  # the accelerations asked of inverse dynamics
    tau: np.ndarray = field(init=False)  # joint torques of forward dynamics and of the simulation: zero

    def __post_init__(self) -> None:
        rng = np.random.default_rng(20240 + self.n)
        set_ = object.__setattr__
        set_(self, "axes", tuple("yzx"[i % 3] for i in range(self.n)))
        set_(self, "q", rng.uniform(-0.5, 0.5, self.n))
        set_(self, "v", rng.uniform(-0.1, 0.1, self.n))  # larger is chaotic at n = 200
        set_(self, "a", rng.uniform(-1.0, 1.0, self.n))
        set_(self, "tau", np.zeros(self.n))

    @property
    def inertia(self) -> tuple[float, float, float]:
        """Principal moments of a link about its centre of mass, in its own axes."""
        across = self.mass * (3.0 * self.radius**2 + self.length**2) / 12.0
        return 0.5 * self.mass * self.radius**2, across, across


_CHAIN_FILE = Path(__file__).with_name("chain_reference.json")


def chain_reference(n: int) -> np.ndarray | None:
    """q after 1 s, of the chain released from (q, v) without torque; None if n is not in the file."""
    stored = json.loads(_CHAIN_FILE.read_text())["q_at_1s"].get(str(n))
    return None if stored is None else np.array(stored)


# ---------------------------------------------------------------------------------------------------- mechanisms

Point = tuple[float, float, float]
Pin = tuple[int, Point, int, Point]  # body, point in its frame, body, point


@dataclass(frozen=True)
class Body:
    """A body on a hinge or, if it `slides`, on a guide; frames are parallel to the world's where all q are 0."""

    parent: int  # index of a body before this one, or GROUND
    pivot: Point  # on the axis, in the parent's frame; where q = 0 it is the origin of this body's frame
    axis: str  # "x", "y" or "z"
    com: Point
    mass: float
    inertia: Point  # about the axes of the frame, at the centre of mass
    slides: bool = False
    q: float = 0.0  # rad or m, and its rate, at the start
    v: float = 0.0


@dataclass(frozen=True)
class Spring:
    """A spring and damper in parallel, between two points."""

    ends: Pin
    k: float  # N/m
    c: float  # N s/m
    l0: float  # m


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies, depth first, and the pins that close its loops: balls, in space, of which two are a hinge."""

    bodies: tuple[Body, ...]
    pins: tuple[Pin, ...] = ()
    springs: tuple[Spring, ...] = ()
    gravity: Point = (0.0, 0.0, -9.81)


# ------------------------------------------------------------------------------------------ planar mechanisms


@dataclass(frozen=True)
class PlanarBody:
    """A body turning about z at `pivot`, a point of its parent; points are complex numbers x + iy in a body's frame."""

    parent: int  # index of a body before this one, or GROUND
    pivot: complex  # in the parent's frame; it is the origin of this body's frame
    com: complex
    mass: float
    inertia: float  # about z, at the centre of mass
    q: float  # angle relative to the parent, and its rate, at the start
    v: float = 0.0


@dataclass(frozen=True)
class PlanarMechanism:
    """A tree of bodies, depth first, and the pins that close its loops: (body, point, body, point)."""

    bodies: tuple[PlanarBody, ...]
    loops: tuple[tuple[int, complex, int, complex], ...]
    g: float = 0.0  # gravity along -y

    def pose(self, i: int) -> tuple[complex, float]:
        """Where body i has its origin, and its angle, at the start."""
        b = self.bodies[i]
        if b.parent == GROUND:
            return b.pivot, b.q
        origin, angle = self.pose(b.parent)
        return origin + b.pivot * cmath.exp(1j * angle), angle + b.q

    def rate(self, i: int) -> tuple[complex, float]:
        """Velocity of the origin of body i, and its angular velocity, at the start."""
        b = self.bodies[i]
        if b.parent == GROUND:
            return 0j, b.v
        velocity, omega = self.rate(b.parent)
        return velocity + 1j * omega * b.pivot * cmath.exp(1j * self.pose(b.parent)[1]), omega + b.v

    def in_space(self) -> Mechanism:
        """The same with axes along z."""
        bodies = tuple(
            Body(b.parent, _at(b.pivot), "z", _at(b.com), b.mass, (b.inertia,) * 3, q=b.q, v=b.v) for b in self.bodies
        )
        pins = tuple((i, _at(p), k, _at(s)) for i, p, k, s in self.loops)
        return Mechanism(bodies, pins, gravity=(0.0, -self.g, 0.0))


def _at(z: complex) -> Point:
    return z.real, z.imag, 0.0


# ----------------------------------------------------------------------------------------- A02, N-four-bar


@dataclass(frozen=True)
class NFourBar:
    """2N+1 uniform rods; N+1 cranks upright on (i, 0), N couplers at y = 1; planar, in x and y; all revolute."""

    N: int
    length: float = 1.0
    mass: float = 1.0
    inertia: float = 1.0 / 12.0  # about z, at the middle
    g: float = 9.81  # along -y
    theta: float = math.pi / 2  # crank angle from x
    thetadot: float = -1.0  # so that B0 has the velocity (1, 0)
    t_end: float = 10.0  # IFToMM runs 20 s; compared here, as by Exudyn, after 10 s

    def mechanism(self) -> PlanarMechanism:
        """Crank 0, coupler 0, crank 1, ...: coupler i hangs on crank i and is pinned to the tip of crank i+1."""
        rod = {"com": complex(self.length / 2), "mass": self.mass, "inertia": self.inertia}
        tip = complex(self.length)
        bodies = []
        for i in range(self.N + 1):
            bodies.append(PlanarBody(GROUND, i * tip, **rod, q=self.theta, v=self.thetadot))
            bodies.append(PlanarBody(2 * i, tip, **rod, q=-self.theta, v=-self.thetadot))
        loops = tuple((2 * i + 1, tip, 2 * i + 2, tip) for i in range(self.N))
        return PlanarMechanism(tuple(bodies[:-1]), loops, self.g)


# A start that is not symmetric: upright the error of a symplectic Euler step, which is odd in time, mostly cancels.
OBLIQUE = {"theta": math.radians(60.0), "thetadot": -3.0}


def n_four_bar_exact(p: NFourBar, t: float) -> tuple[float, float]:
    """Crank angle and rate: the parallelogram is a rotating pendulum, ((N+1)/3 + N) th'' = -g ((N+1)/2 + N) cos th,
    with half the angle from the lowest position, (th + pi/2) / 2 = am(u_0 - rate t), Jacobi's amplitude.
    """
    ratio = p.g * ((p.N + 1) / 2 + p.N) / ((p.N + 1) / 3 + p.N)
    half = 0.5 * (p.theta + 0.5 * math.pi)
    square = p.thetadot**2 + 4.0 * ratio * math.sin(half) ** 2  # of the largest rate, at the lowest position
    m1 = (p.thetadot**2 - 4.0 * ratio * math.cos(half) ** 2) / square  # 1 - k^2 of the Jacobi functions
    if m1 <= 0.0 or p.thetadot > 0.0:
        raise ValueError("it must turn all the way round, backwards")
    rate, K = 0.5 * math.sqrt(square), float(ellipkm1(m1))
    begun = float(ellipkinc(half, 1.0 - m1)) if half != 0.5 * math.pi else K
    u = begun - rate * t
    turns = round(u / (2.0 * K))
    _, _, dn, am = ellipj(u - 2.0 * K * turns, 1.0 - m1)
    return 2.0 * (float(am) + math.pi * turns) - math.pi / 2, -2.0 * rate * float(dn)


# ------------------------------------------------------------------------------ A03, Andrews' squeezing mechanism


@dataclass(frozen=True)
class Andrews:
    """Seven bodies, planar, no gravity; points as complex numbers x + iy. SI units.

    F = rr e^{i beta};  E = F - d e^{i(beta+theta)};  E = B - i ss e^{i gamma};  D = B + (sd - i sc) e^{i gamma};
    G = A + zt e^{i delta};  E = G - i e e^{i(phi+delta)};  H = A - i u e^{i epsilon};  E = H + zf e^{i(Omega+epsilon)}.
    Bodies: OF, FE, BDE, EG, AG, EH, AH. Centres of mass: ra from O to F; da from F to E; at the distance
    hypot(sa, sb) from B; (e - ea) from G to E; hypot(ta, tb) from A; (zf - fa) from H to E; hypot(ua, ub) from A.
    Bodies 3, 5, 7 turn about fixed points, so without gravity only the distance of their centres of mass matters.
    """

    m: tuple[float, ...] = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
    I: tuple[float, ...] = (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    A: complex = -0.06934 - 0.00227j
    B: complex = -0.03635 + 0.03273j
    C: complex = 0.014 + 0.072j
    d: float = 0.028
    da: float = 0.0115
    e: float = 0.02
    ea: float = 0.01421
    rr: float = 0.007
    ra: float = 0.00092
    ss: float = 0.035
    sa: float = 0.01874
    sb: float = 0.01043
    sc: float = 0.018
    sd: float = 0.02
    ta: float = 0.02308
    tb: float = 0.00916
    u: float = 0.04
    ua: float = 0.01228
    ub: float = 0.00449
    zf: float = 0.02
    zt: float = 0.04
    fa: float = 0.01421
    torque: float = 0.033  # on the crank OF
    k: float = 4530.0  # spring between D and C
    l0: float = 0.07785
    # at rest, in the order of the Test Set: beta, theta, gamma, phi, delta, Omega, epsilon
    start: tuple[float, ...] = (
        -0.06171389001427645,
        0.0,
        0.45527981916307037,
        0.22266839016588588,
        0.48736497954384256,
        -0.22266839016588588,
        1.2305474445498212,
    )

    def mechanism(self) -> PlanarMechanism:
        """Bodies in the order OF, FE, BDE, AG, EG, AH, EH; coordinates as in the Test Set; three pins at E."""
        beta, theta, gamma, phi, delta, Omega, epsilon = self.start
        m1, m2, m3, m4, m5, m6, m7 = zip(self.m, self.I, strict=True)
        bodies = (
            PlanarBody(GROUND, 0j, complex(self.ra), *m1, q=beta),
            PlanarBody(0, complex(self.rr), complex(-self.da), *m2, q=theta),
            PlanarBody(GROUND, self.B, complex(self.sb, -self.sa), *m3, q=gamma),
            PlanarBody(GROUND, self.A, complex(self.ta, -self.tb), *m5, q=delta),
            PlanarBody(3, complex(self.zt), -1j * (self.e - self.ea), *m4, q=phi),
            PlanarBody(GROUND, self.A, complex(-self.ub, -self.ua), *m7, q=epsilon),
            PlanarBody(5, -1j * self.u, complex(self.zf - self.fa), *m6, q=Omega),
        )
        E = -1j * self.ss
        loops = ((1, complex(-self.d), 2, E), (4, -1j * self.e, 2, E), (6, complex(self.zf), 2, E))
        return PlanarMechanism(bodies, loops)

    @property
    def D(self) -> complex:
        """Where the spring is fixed to body BDE, in its frame (the other end is C, on the ground)."""
        return complex(self.sd, -self.sc)


# Published solution of the Test Set for IVP Solvers (PSIDE, Cray double), 14 digits printed, of which the last four
# do not hold: two independent one-degree-of-freedom solutions agree with each other to 1e-12, with this one to 1.1e-9.
ANDREWS_PUBLISHED_AT_30MS = 15.81077119629904

# beta by `andrews_exact`, converged to 1e-12 after 0.03 s and 5e-11 after 0.05 s.
ANDREWS_BETA: dict[float, float] = {0.03: 15.810771195152, 0.05: 33.82586776694}

Motion = tuple[complex, complex, complex]  # a point's position and its first and second derivative by beta


def _dot(a: complex, b: complex) -> float:
    return a.real * b.real + a.imag * b.imag


def _cross(a: complex, b: complex) -> float:
    return a.real * b.imag - a.imag * b.real


def _dyad(P: Motion, Q: Motion, a: float, b: float, side: float) -> Motion:
    """Motion of the point at the distance a from P and b from Q, to the left (side = 1) or right (-1) of P -> Q."""
    PQ = Q[0] - P[0]
    D2 = _dot(PQ, PQ)
    x = (a * a - b * b + D2) / (2.0 * D2)
    X = P[0] + PQ * complex(x, side * math.sqrt(a * a / D2 - x * x))
    p, q = X - P[0], X - Q[0]
    det = _cross(p, q)
    V = -1j * (_dot(p, P[1]) * q - _dot(q, Q[1]) * p) / det
    f = _dot(p, P[2]) - abs(V - P[1]) ** 2
    g = _dot(q, Q[2]) - abs(V - Q[1]) ** 2
    return X, V, -1j * (f * q - g * p) / det


def _mix(P: Motion, Q: Motion, s: complex) -> Motion:
    """Motion of P + s (Q - P), a point fixed in the body that carries P and Q."""
    return P[0] + s * (Q[0] - P[0]), P[1] + s * (Q[1] - P[1]), P[2] + s * (Q[2] - P[2])


def _left(P: complex, Q: complex, X: complex) -> float:
    return math.copysign(1.0, _cross(Q - P, X - P))


def _andrews_rhs(p: Andrews) -> Callable[[float, np.ndarray], list[float]]:
    """J(beta) beta'' + J'(beta)/2 beta'^2 = torque - V'(beta)."""
    beta, _, gamma, _, delta, _, epsilon = p.start
    F0, E0 = p.rr * np.exp(1j * beta), p.B - 1j * p.ss * np.exp(1j * gamma)
    G0, H0 = p.A + p.zt * np.exp(1j * delta), p.A - 1j * p.u * np.exp(1j * epsilon)
    sE, sG, sH = _left(F0, p.B, E0), _left(p.A, E0, G0), _left(p.A, E0, H0)
    A, B = (p.A, 0j, 0j), (p.B, 0j, 0j)

    def rhs(_t: float, y: np.ndarray) -> list[float]:
        r = complex(math.cos(y[0]), math.sin(y[0]))
        O, F = (0j, 0j, 0j), (p.rr * r, 1j * p.rr * r, -p.rr * r)
        E = _dyad(F, B, p.d, p.ss, sE)
        G = _dyad(A, E, p.zt, p.e, sG)
        H = _dyad(A, E, p.u, p.zf, sH)
        D = _mix(B, E, 1j * (p.sd - 1j * p.sc) / p.ss)
        J = dJ = 0.0
        bodies = (  # two points of the body, and where its centre of mass is between them
            (O, F, p.ra / p.rr),
            (F, E, p.da / p.d),
            (B, E, math.hypot(p.sa, p.sb) / p.ss),
            (G, E, (p.e - p.ea) / p.e),
            (A, G, math.hypot(p.ta, p.tb) / p.zt),
            (H, E, (p.zf - p.fa) / p.zf),
            (A, H, math.hypot(p.ua, p.ub) / p.u),
        )
        for m, inertia, (P, Q, s) in zip(p.m, p.I, bodies, strict=True):
            L = Q[0] - P[0]
            turn, dturn = _cross(L, Q[1] - P[1]) / abs(L) ** 2, _cross(L, Q[2] - P[2]) / abs(L) ** 2
            _, v, a = _mix(P, Q, s)
            J += m * _dot(v, v) + inertia * turn * turn
            dJ += m * _dot(v, a) + inertia * turn * dturn
        CD = D[0] - p.C
        dV = p.k * (1.0 - p.l0 / abs(CD)) * _dot(CD, D[1])
        return [y[1], (p.torque - dV - dJ * y[1] ** 2) / J]

    return rhs


def andrews_exact(t: float, tol: float = 1e-13) -> tuple[float, float]:
    """Crank angle beta and its rate at the time t."""
    p = Andrews()
    sol = solve_ivp(_andrews_rhs(p), (0.0, t), [p.start[0], 0.0], method="DOP853", rtol=tol, atol=tol)
    return float(sol.y[0, -1]), float(sol.y[1, -1])


# -------------------------------------------------------------------------------------------- A04, Bricard's linkage


def bricard() -> Mechanism:
    """Five square rods of 1 m along edges of the unit cube, at rest: two branches from ground, cut at hinge 4.

    Hinges are across the two edges that they join; rods 1, 2, 3 hang on hinge 1, rods 5, 4 on hinge 6.
    """
    edges = {1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 5: (0, 1, 0), 4: (1, 0, 0)}  # away from the hinge inboard
    axes = {1: "y", 2: "z", 3: "x", 5: "x", 4: "z"}
    inboard = {1: GROUND, 2: 0, 3: 1, 5: GROUND, 4: 3}
    width, bodies = 0.05, []
    across, along = (1.0 + width**2) / 12.0, width**2 / 6.0
    for rod, edge in edges.items():
        parent = inboard[rod]
        pivot = (0.0, 0.0, 1.0 if rod == 5 else 0.0) if parent == GROUND else edges[list(edges)[parent]]
        com, inertia = tuple(0.5 * x for x in edge), tuple(along if x else across for x in edge)
        bodies.append(Body(parent, pivot, axes[rod], com, 1.0, inertia))
    pins = tuple((2, (0.0, y, 1.0), 4, (1.0, y, 0.0)) for y in (-0.5, 0.5))
    return Mechanism(tuple(bodies), pins)


# Angle of hinge 1 about y, rad: closed form of the loop (linkwork/reproduce/benchmarks/bricard.py), DOP853 at 1e-12.
BRICARD_ANGLE: dict[float, float] = {10.0: 3.10038301395649}


# ------------------------------------------------------------------------------------------ A05, flyball governor


@dataclass(frozen=True)
class Governor:
    """Shaft about z, a slider on it, and two rods with balls at their ends; springs from the slider to the rods."""

    shaft: float = 0.3  # kg, a prism of 0.01 x 0.01 x 1 m
    slider: float = 3.0  # kg, a cube of 0.1 m
    rod: float = 0.3  # kg, a prism of 1 x 0.01 x 0.01 m
    ball: float = 5.0  # kg, a point
    hub: float = 0.05  # m, of hinges and springs from the axis
    length: float = 1.0
    width: float = 0.01
    cube: float = 0.1
    k: float = 8e5
    c: float = 4e4
    l0: float = 0.5
    height: float = 0.5  # m, of the slider at the start
    angle: float = math.pi / 6.0  # of the rods below the horizontal, at the start
    spin: float = 2.0 * math.pi  # rad/s, of all at the start

    def mechanism(self) -> Mechanism:
        """Shaft, slider, right and left rod; the slider's frame is at its centre."""
        L, w, b = self.length, self.width, self.cube
        mass = self.rod + self.ball
        com = (0.5 * self.rod + self.ball) * L / mass  # from the hinge
        thin = self.rod * w**2 / 6.0
        long = self.rod * (L**2 + w**2) / 12.0 + self.rod * (com - 0.5 * L) ** 2 + self.ball * (L - com) ** 2
        upright = (self.shaft * (L**2 + w**2) / 12.0,) * 2 + (self.shaft * w**2 / 6.0,)
        bodies = [
            Body(GROUND, (0.0, 0.0, 0.0), "z", (0.0, 0.0, 0.5 * L), self.shaft, upright, v=self.spin),
            Body(0, (0.0, 0.0, 0.0), "z", (0.0, 0.0, 0.0), self.slider, (self.slider * b**2 / 6.0,) * 3,
                        slides=True, q=self.height),
        ]  # fmt: skip
        springs = []
        for i, side in enumerate((1.0, -1.0), 2):
            hinge, arm = (side * self.hub, 0.0, L), (side * com, 0.0, 0.0)
            bodies.append(Body(0, hinge, "y", arm, mass, (thin, long, long), q=side * self.angle))
            ends = 1, (side * self.hub, 0.0, 0.0), i, (0.5 * side * L, 0.0, 0.0)
            springs.append(Spring(ends, self.k, self.c, self.l0))
        return Mechanism(tuple(bodies), springs=tuple(springs))


# Angle of the rods below the horizontal, rad: Lagrange's equations by Radau at 1e-12 and DOP853 at 1e-11, which agree
# to 2e-13, and with Exudyn's trapezoidal rule extrapolated in the step to 4e-11.
GOVERNOR_ANGLE: dict[float, float] = {10.0: 0.39007370184464446}
