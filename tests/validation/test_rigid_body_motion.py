"""One rigid body in space against closed forms: torque-free motion, the heavy top, a body hung at a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result

FORMULATIONS = ("joint", "absolute")
ADAPTIVE = ("adams", "dop853")
G = 9.81  # m/s2


def rotations(run: Result, body: int = 0) -> Rotation:
    """R_WB at every sample."""
    return Rotation.from_quat(run.orientation[:, body][:, [1, 2, 3, 0]])


def body_rates(run: Result, body: int = 0) -> np.ndarray:
    """Angular velocity in body axes, [sample, 3], rad/s."""
    return rotations(run, body).inv().apply(run.angular_velocity[:, body])


def scalar_first(R: Rotation) -> np.ndarray:
    return np.roll(R.as_quat(), 1)


# ------------------------------------------------------------------------------------------------------- torque-free

I1, I2, I3 = 0.3, 0.7, 0.9  # kg m2, principal
MASS = 1.7  # kg
COM = np.array([0.2, -0.1, 0.3])  # m, centre of mass in body axes: the frame is elsewhere
RACKET = np.array([0.0, 5.0, 0.5])  # rad/s, body axes: nearly about the intermediate axis


def thrown_racket(velocity: tuple[float, float, float] = (0.4, -0.3, 1.1)) -> Mechanism:
    """Its centre of mass starts at the origin with `velocity` (m/s); the body's axes are askew."""
    R = Rotation.from_rotvec([0.5, -0.8, 0.3])
    spin = R.apply(RACKET)
    body = {
        "name": "racket",
        "mass": MASS,
        "inertia": (I1, I2, I3),
        "com": COM,
        "at": -R.apply(COM),
        "orientation": scalar_first(R),
        "velocity": np.array(velocity) - np.cross(spin, R.apply(COM)),
        "angular_velocity": spin,
    }
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), "body": (body,)})


@dataclass(frozen=True)
class TorqueFree:
    """w(t) in principal axes from w1 = 0: Landau and Lifshitz, Mechanics, section 37 (I1 < I2 < I3, L^2 > 2 E I2)."""

    w2: float
    w3: float

    def __post_init__(self) -> None:
        assert self.momentum_square > self.twice_energy * I2

    @property
    def twice_energy(self) -> float:
        return I2 * self.w2**2 + I3 * self.w3**2

    @property
    def momentum_square(self) -> float:
        return (I2 * self.w2) ** 2 + (I3 * self.w3) ** 2

    @property
    def speed(self) -> float:
        return math.sqrt((I3 - I2) * (self.momentum_square - self.twice_energy * I1) / (I1 * I2 * I3))

    @property
    def m(self) -> float:
        """Parameter k^2 of the elliptic functions."""
        above, below = self.twice_energy * I3 - self.momentum_square, self.momentum_square - self.twice_energy * I1
        return (I2 - I1) * above / ((I3 - I2) * below)

    @property
    def flip(self) -> float:
        """Time from one side to the other, s."""
        return 2.0 * ellipk(self.m) / self.speed

    def rates(self, t: np.ndarray) -> np.ndarray:
        above, below = self.twice_energy * I3 - self.momentum_square, self.momentum_square - self.twice_energy * I1
        sn, cn, dn, _ = ellipj(ellipk(self.m) + self.speed * t, self.m)
        return np.column_stack(
            [
                math.sqrt(above / (I1 * (I3 - I1))) * cn,
                math.sqrt(above / (I2 * (I3 - I2))) * sn,
                math.sqrt(below / (I3 * (I3 - I1))) * dn,
            ]
        )


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_racket_flips_as_the_elliptic_functions_say(formulation: str, integrator: str) -> None:
    exact, rtol = TorqueFree(RACKET[1], RACKET[2]), 1e-11
    options = Options(until=4.2 * exact.flip, formulation=formulation, integrator=integrator, rtol=rtol)
    run = simulate(thrown_racket(), options)
    assert np.abs(body_rates(run) - exact.rates(run.t)).max() < 1e5 * rtol
    assert np.sum(np.diff(np.sign(body_rates(run)[:, 1])) != 0) == 4  # flips


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_thrown_racket_keeps_its_energy_and_momenta(rtol: float, integrator: str) -> None:
    velocity = (0.4, -0.3, 1.1)
    run = simulate(thrown_racket(velocity), Options(until=10.0, integrator=integrator, rtol=rtol))
    R = rotations(run)
    centre = run.position[:, 0] + R.apply(COM)
    momentum = R.apply(body_rates(run) * (I1, I2, I3))  # about the centre of mass, world axes
    assert run.certificate.energy_drift < 200 * rtol
    assert np.abs(momentum - momentum[0]).max() < 200 * rtol * np.linalg.norm(momentum[0])
    assert np.abs(centre - np.outer(run.t, velocity)).max() < 500 * rtol
    assert np.abs(np.linalg.norm(run.orientation[:, 0], axis=1) - 1.0).max() < 1e-14
    spread = np.ptp(body_rates(run), axis=0)
    assert spread.min() > 1.0  # it tumbles; what is kept is not kept because nothing happens


# --------------------------------------------------------------------------------------------------------- heavy top

TOP = {"mass": 1.3, "across": 0.02, "along": 0.03, "arm": 0.25}  # kg, kg m2 about the centre of mass, m


def top(theta: float, precession: float, spin_along: float) -> Mechanism:
    """A symmetric top on its tip at the origin, leaning by theta in the plane xz, precessing about the vertical.

    `spin_along`: the component of its angular velocity along its axis, w3 (rad/s).
    """
    R = Rotation.from_rotvec([0.0, theta, 0.0])
    axis = R.apply([0.0, 0.0, 1.0])
    along, across = spin_along, precession * np.array([0.0, 0.0, 1.0])
    w = across - (across @ axis) * axis + along * axis
    body = {
        "name": "top",
        "mass": TOP["mass"],
        "inertia": (TOP["across"], TOP["across"], TOP["along"]),
        "com": (0.0, 0.0, TOP["arm"]),
        "orientation": scalar_first(R),
        "angular_velocity": w,
    }
    tip = {"name": "tip", "kind": "spherical", "between": ("ground", "top"), "at": (0.0, 0.0, 0.0)}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, -G), "body": (body,), "joint": (tip,)})


def steady_precessions(theta: float, w3: float) -> tuple[float, float]:
    """The slow and the fast root of A W^2 cos(theta) - C w3 W + m g l = 0, A about the tip (rad/s)."""
    A, C = TOP["across"] + TOP["mass"] * TOP["arm"] ** 2, TOP["along"]
    roots = np.roots([A * math.cos(theta), -C * w3, TOP["mass"] * G * TOP["arm"]])
    assert np.isreal(roots).all()
    slow, fast = sorted(roots.real, key=abs)
    return float(slow), float(fast)


@pytest.mark.parametrize("which", ["slow", "fast"])
@pytest.mark.parametrize("degrees", [25.0, 70.0, 110.0])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_top_precesses_steadily(formulation: str, degrees: float, which: str) -> None:
    theta, w3, rtol = math.radians(degrees), 60.0, 1e-10
    precession = dict(zip(("slow", "fast"), steady_precessions(theta, w3), strict=True))[which]
    run = simulate(top(theta, precession, w3), Options(until=2.0, formulation=formulation, rtol=rtol))
    axis = rotations(run).apply([0.0, 0.0, 1.0])
    azimuth = precession * run.t
    steady = np.column_stack(
        [math.sin(theta) * np.cos(azimuth), math.sin(theta) * np.sin(azimuth), np.full(len(run.t), math.cos(theta))]
    )
    assert np.abs(axis - steady).max() < 5e3 * rtol
    assert np.abs(body_rates(run)[:, 2] - w3).max() < 1e3 * rtol * w3


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_top_released_at_rest_nods_between_the_roots_of_its_cubic(formulation: str) -> None:
    """Without precession at first: u = cos(theta) runs between u0 and the root of (1 - u^2) = b (u0 - u), u < u0.

    Lagrange's top: A theta'^2 / 2 + C^2 w3^2 (u0 - u)^2 / (2 A (1 - u^2)) + m g l u = m g l u0.
    """
    theta, w3, rtol = math.radians(40.0), 40.0, 1e-10
    A, C, pull = TOP["across"] + TOP["mass"] * TOP["arm"] ** 2, TOP["along"], TOP["mass"] * G * TOP["arm"]
    u0, b = math.cos(theta), (C * w3) ** 2 / (2.0 * A * pull)
    lowest = b / 2 - math.sqrt(b * b / 4 - b * u0 + 1.0)  # of (1 - u^2) = b (u0 - u), the root below u0
    run = simulate(top(theta, 0.0, w3), Options(until=2.0, formulation=formulation, rtol=rtol, every=5e-4))
    u = rotations(run).apply([0.0, 0.0, 1.0])[:, 2]
    assert u.max() == pytest.approx(u0, abs=1e3 * rtol)
    assert u.min() == pytest.approx(lowest, abs=1e-5)  # between samples it goes a little lower
    assert u.min() > lowest - 1e3 * rtol
    inertia = (TOP["across"], TOP["across"], TOP["along"])
    vertical = momentum_about_the_tip(run, TOP["mass"], (0.0, 0.0, TOP["arm"]), inertia)[:, 2]
    assert np.abs(vertical - C * w3 * u0).max() < 100 * rtol
    assert np.abs(body_rates(run)[:, 2] - w3).max() < 100 * rtol * w3


def momentum_about_the_tip(run: Result, mass: float, com: tuple, inertia: tuple) -> np.ndarray:
    """Angular momentum about the origin, world axes, [sample, 3], kg m2/s."""
    R = rotations(run)
    centre = run.position[:, 0] + R.apply(com)
    speed = run.velocity[:, 0] + np.cross(run.angular_velocity[:, 0], R.apply(com))
    return R.apply(body_rates(run) * inertia) + mass * np.cross(centre, speed)


# --------------------------------------------------------------------------------------------- a body hung at a point

HUNG_INERTIA = (0.05, 0.09, 0.11)  # kg m2, principal, about the centre of mass
HUNG_MASS = 1.4  # kg
HUNG_COM = (0.1, -0.2, -0.4)  # m, from the point where it hangs, body axes
HUNG_SPIN = (1.5, -2.0, 3.0)  # rad/s, at the start, when body axes and world axes are the same


def hung_body() -> Mechanism:
    body = {"name": "body", "mass": HUNG_MASS, "inertia": HUNG_INERTIA, "com": HUNG_COM, "angular_velocity": HUNG_SPIN}
    hook = {"name": "hook", "kind": "spherical", "between": ("body", "ground"), "at": (0.0, 0.0, 0.0)}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, -G), "body": (body,), "joint": (hook,)})


def euler_poisson(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and the upward vertical, both in body axes: J w' = J w x w + c x (-m g u), u' = u x w."""
    c = np.array(HUNG_COM)
    J = np.diag(HUNG_INERTIA) + HUNG_MASS * (c @ c * np.eye(3) - np.outer(c, c))
    inverse = np.linalg.inv(J)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        w, up = y[:3], y[3:]
        return np.concatenate([inverse @ (np.cross(J @ w, w) - HUNG_MASS * G * np.cross(c, up)), np.cross(up, w)])

    way = solve_ivp(rates, (0.0, t[-1]), (*HUNG_SPIN, 0.0, 0.0, 1.0), "DOP853", t, rtol=1e-13, atol=1e-13)
    return way.y[:3].T, way.y[3:].T


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_hung_body_moves_as_the_euler_poisson_equations_say(formulation: str, integrator: str) -> None:
    rtol = 1e-10
    run = simulate(hung_body(), Options(until=3.0, formulation=formulation, integrator=integrator, rtol=rtol))
    w, up = euler_poisson(run.t)
    assert np.abs(body_rates(run) - w).max() < 5e3 * rtol
    assert np.abs(rotations(run).inv().apply([0.0, 0.0, 1.0]) - up).max() < 2e3 * rtol
    vertical = momentum_about_the_tip(run, HUNG_MASS, HUNG_COM, HUNG_INERTIA)[:, 2]
    assert np.abs(vertical - vertical[0]).max() < 100 * rtol
    assert run.certificate.energy_drift < 100 * rtol
    assert run.certificate.max_violation["position"] < 1e-13


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spherical_pendulum_circles_on_a_cone(formulation: str) -> None:
    """The body turns as a whole about the vertical: (A - C) W^2 cos(theta) = m g l, A and C about the hook."""
    theta, arm, mass, J, thin = math.radians(35.0), 0.8, 2.0, 0.06, 1e-3  # J across, `thin` along the arm (kg m2)
    A = J + mass * arm**2
    circling = math.sqrt(mass * G * arm / ((A - thin) * math.cos(theta)))
    R = Rotation.from_rotvec([0.0, -theta, 0.0])
    bob = {"name": "bob", "mass": mass, "inertia": (J, J, thin), "com": (0.0, 0.0, -arm),
           "orientation": scalar_first(R), "angular_velocity": (0.0, 0.0, circling)}  # fmt: skip
    hook = {"name": "hook", "kind": "spherical", "between": ("ground", "bob"), "at": (0.0, 0.0, 0.0)}
    cone = Mechanism.model_validate({"gravity": (0.0, 0.0, -G), "body": (bob,), "joint": (hook,)})
    run = simulate(cone, Options(until=4.0, formulation=formulation, rtol=1e-10))
    arm_direction = rotations(run).apply([0.0, 0.0, -1.0])
    azimuth = circling * run.t
    steady = np.column_stack(
        [math.sin(theta) * np.cos(azimuth), math.sin(theta) * np.sin(azimuth), np.full(len(run.t), -math.cos(theta))]
    )
    assert np.abs(arm_direction - steady).max() < 1e-7
