"""Pinocchio on the benchmark problems: aba and rnea for the chain, constraintDynamics and lcaba for the closed loops.

Pinocchio brings no time integration: it is a Python loop (RK4) for the four-bars, where adaptive integrators leave the
branch without a word; else Hairer's DOP853, or LSODA, as SciPy has them compiled (`solve_ivp`, in Python, takes up to
twice as long).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pinocchio as pin
from scipy.integrate import ode, odeint

from benchmarks import problems
from benchmarks.problems import GROUND, Andrews, Chain, Governor, Mechanism, NFourBar
from benchmarks.pushrods import GRAVITY, TORSO, TORSO_INERTIA, PushrodRobot

NAME = f"Pinocchio {pin.__version__}"
CHAIN_RTOL = {7: 7e-9, 50: 2e-10, 200: 3e-10}  # for an error of 5e-9
N_FOUR_BAR_STEP = 1e-3
N_FOUR_BAR_STEP_LARGE = 5e-3  # from N = 20, where a call costs a millisecond and more
N_FOUR_BAR_VARIANTS = {"h=5e-3": {"h": 5e-3}, "h=1e-2": {"h": 1e-2}}  # quicker, for their error
ANDREWS_RTOL = 3e-9  # for an error of 1e-9
ANDREWS_GAIN = 1e3  # 1/s
# Of the six rows of the two pins two depend on the others, but for the violation, which a small mu makes into noise.
# By a scan of gain (1 to 20 1/s), mu (1e-10 to 1e-3) and iterations (1 to 5).
BRICARD_GAIN, BRICARD_PROXIMAL = 3.0, (1e-4, 3)  # 1/s; mu, iterations
BRICARD_RTOL = 1e-10  # for an error of 1e-9
BRICARD_VARIANTS = {"rtol=1e-8": {"rtol": 1e-8}}
GOVERNOR_RTOL = 1e-10  # for an error of 2e-9; SciPy's Radau, BDF and DOP853 take 4 times as long
GOVERNOR_VARIANTS = {"rtol=1e-7": {"rtol": 1e-7}, "rtol=1e-5": {"rtol": 1e-5}}
Accelerations = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
Rates = Callable[[float, np.ndarray], np.ndarray]

_JOINT = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
_GUIDE = {"x": pin.JointModelPX, "y": pin.JointModelPY, "z": pin.JointModelPZ}


def _at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array([x, y, z]))


# --------------------------------------------------------------------------------------------------------- chain


def _chain(c: Chain) -> tuple[pin.Model, pin.Data]:
    model = pin.Model()
    model.gravity.linear = np.array(c.gravity)
    link = pin.Inertia(c.mass, np.array([c.length / 2, 0.0, 0.0]), np.diag(c.inertia))
    joint = 0
    for i, axis in enumerate(c.axes):
        joint = model.addJoint(joint, _JOINT[axis](), _at(c.length if i else 0.0), f"joint{i}")
        model.appendBodyToJoint(joint, link, pin.SE3.Identity())
    return model, model.createData()


def chain_forward_dynamics(n: int) -> Callable[[], np.ndarray]:
    """One aba call."""
    c = Chain(n)
    return partial(pin.aba, *_chain(c), c.q, c.v, c.tau)


def chain_inverse_dynamics(n: int) -> Callable[[], np.ndarray]:
    """One rnea call."""
    c = Chain(n)
    return partial(pin.rnea, *_chain(c), c.q, c.v, c.a)


def chain_accelerations(n: int) -> np.ndarray:
    """What forward dynamics finds, to compare."""
    return np.array(chain_forward_dynamics(n)())


def chain_torques(n: int) -> np.ndarray:
    """What inverse dynamics finds, to compare."""
    return np.array(chain_inverse_dynamics(n)())


def chain_simulate(n: int, t_end: float = 1.0, rtol: float | None = None) -> tuple[float, np.ndarray]:
    """aba under DOP853: (seconds, final q)."""
    c = Chain(n)
    model, data = _chain(c)
    rtol = rtol or CHAIN_RTOL.get(n, 3e-10)
    aba, tau = pin.aba, c.tau

    def rhs(_t: float, y: np.ndarray) -> np.ndarray:
        v = y[n:]
        return np.concatenate([v, aba(model, data, y[:n], v, tau)])

    spent, y = _dop853(rhs, np.concatenate([c.q, c.v]), t_end, rtol)
    return spent, y[:n]


def _dop853(rhs: Rates, y: np.ndarray, t_end: float, tol: float) -> tuple[float, np.ndarray]:
    """(seconds, y at the end)."""
    solver = ode(rhs).set_integrator("dop853", rtol=tol, atol=tol, nsteps=10**6).set_initial_value(y)
    start = time.process_time()
    y = solver.integrate(t_end)
    return time.process_time() - start, y


# ---------------------------------------------------------------------------------------------- closed loops


def _tree(mech: Mechanism) -> tuple[pin.Model, np.ndarray, np.ndarray]:
    """The model without its loops and springs, and the state at the start; joint i + 1 is that of body i."""
    model = pin.Model()
    model.gravity.linear = np.array(mech.gravity)
    for i, b in enumerate(mech.bodies):
        joint = (_GUIDE if b.slides else _JOINT)[b.axis]()
        model.addJoint(0 if b.parent == GROUND else b.parent + 1, joint, _at(*b.pivot), f"joint{i}")
        model.appendBodyToJoint(i + 1, pin.Inertia(b.mass, np.array(b.com), np.diag(b.inertia)), pin.SE3.Identity())
    return model, np.array([b.q for b in mech.bodies]), np.array([b.v for b in mech.bodies])


def _mechanism(mech: Mechanism, gain: float, mu: float, iterations: int) -> tuple[Accelerations, np.ndarray]:
    """a(q, v, tau) by constraintDynamics with critically damped Baumgarte terms, and the state at the start."""
    model, *state = _tree(mech)
    data = model.createData()
    pins, pin_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for i, p, k, s in mech.pins:
        places = i + 1, _at(*p), k + 1, _at(*s)
        loop = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *places, pin.ReferenceFrame.LOCAL)
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(gain * gain, 2.0 * gain))
        pins.append(loop)
        pin_data.append(loop.createData())
    pin.initConstraintDynamics(model, data, pins, pin_data)
    settings, solve = pin.ProximalSettings(1e-12, mu, iterations), pin.constraintDynamics

    def accelerations(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return solve(model, data, q, v, tau, pins, pin_data, settings)

    return accelerations, np.array(state)


def n_four_bar(p: NFourBar, t_end: float = 10.0, h: float | None = None) -> tuple[float, float, float]:
    """RK4 in a Python loop: (seconds, theta, thetadot)."""
    f, state = _mechanism(p.mechanism().in_space(), gain=20.0, mu=1e-10, iterations=2)
    steps = round(t_end / (h or (N_FOUR_BAR_STEP if p.N < 20 else N_FOUR_BAR_STEP_LARGE)))
    spent, (q, v) = _rk4(f, state, steps, t_end)
    return spent, float(q[0]), float(v[0])


def _rk4(f: Accelerations, state: np.ndarray, steps: int, t_end: float) -> tuple[float, np.ndarray]:
    """(seconds, state), without torques."""
    q, v = state
    h, tau = t_end / steps, np.zeros(q.size)
    start = time.process_time()
    for _ in range(steps):
        a1 = f(q, v, tau)
        v2 = v + 0.5 * h * a1
        a2 = f(q + 0.5 * h * v, v2, tau)
        v3 = v + 0.5 * h * a2
        a3 = f(q + 0.5 * h * v2, v3, tau)
        v4 = v + h * a3
        a4 = f(q + h * v3, v4, tau)
        q = q + h / 6.0 * (v + 2.0 * (v2 + v3) + v4)
        v = v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
    return time.process_time() - start, np.array([q, v])


def andrews(t_end: float = 0.05, rtol: float = ANDREWS_RTOL) -> tuple[float, float]:
    """DOP853: (seconds, beta). The spring turns a body about a fixed point, so it is a torque tau(gamma)."""
    p = Andrews()
    f, (q, v) = _mechanism(p.mechanism().in_space(), gain=ANDREWS_GAIN, mu=1e-12, iterations=2)
    n, tau = q.size, np.zeros(q.size)
    tau[0] = p.torque
    D, BC, k, l0 = p.D, p.C - p.B, p.k, p.l0

    def rhs(_t: float, y: np.ndarray) -> np.ndarray:
        angle = y[2]
        arm = D * complex(math.cos(angle), math.sin(angle))
        pull = BC - arm
        tau[2] = k * (1.0 - l0 / abs(pull)) * (arm.real * pull.imag - arm.imag * pull.real)
        v = y[n:]
        return np.concatenate([v, f(y[:n], v, tau)])

    spent, y = _dop853(rhs, np.concatenate([q, v]), t_end, rtol)
    return spent, float(y[0])


def bricard_accelerations() -> np.ndarray:
    """At the start, to compare."""
    f, (q, v) = _mechanism(problems.bricard(), BRICARD_GAIN, *BRICARD_PROXIMAL)
    return np.array(f(q, v, np.zeros(q.size)))


def bricard(t_end: float = 10.0, rtol: float = BRICARD_RTOL) -> tuple[float, float]:
    """DOP853, the sixth hinge two pins: (seconds, angle of hinge 1)."""
    f, (q, v) = _mechanism(problems.bricard(), BRICARD_GAIN, *BRICARD_PROXIMAL)
    n, tau = q.size, np.zeros(q.size)

    def rhs(_t: float, y: np.ndarray) -> np.ndarray:
        v = y[n:]
        return np.concatenate([v, f(y[:n], v, tau)])

    spent, y = _dop853(rhs, np.concatenate([q, v]), t_end, rtol)
    return spent, float(y[0])


def _governor() -> tuple[Rates, np.ndarray]:
    """Rates of (q, v) by aba, and the start; the springs, in the plane of shaft and rods, are generalized forces."""
    p = Governor()
    model, q, v = _tree(p.mechanism())
    data, tau, aba = model.createData(), np.zeros(q.size), pin.aba
    top, half, k, c, l0 = p.length, 0.5 * p.length, p.k, p.c, p.l0

    def pulled(s: float, a: float, s_dot: float, a_dot: float) -> tuple[float, float]:
        """Generalized forces on the slider and, downwards, on a rod."""
        across, up = half * math.cos(a), top - half * math.sin(a) - s
        d = math.hypot(across, up)
        by_s, by_a = -up / d, -half * (across * math.sin(a) + up * math.cos(a)) / d
        pull = k * (d - l0) + c * (by_s * s_dot + by_a * a_dot)
        return -pull * by_s, -pull * by_a

    def rates(_t: float, y: np.ndarray) -> np.ndarray:
        _, s, right, left, _, s_dot, right_dot, left_dot = y.tolist()
        first, tau[2] = pulled(s, right, s_dot, right_dot)
        second, turned = pulled(s, -left, s_dot, -left_dot)
        tau[1], tau[3] = first + second, -turned
        v = y[4:]
        return np.concatenate([v, aba(model, data, y[:4], v, tau)])

    return rates, np.concatenate([q, v])


def governor_accelerations() -> np.ndarray:
    """At the start, to compare."""
    rates, y = _governor()
    return rates(0.0, y)[4:]


def governor(t_end: float = 10.0, rtol: float = GOVERNOR_RTOL) -> tuple[float, float]:
    """LSODA: (seconds, angle of the rods)."""
    rates, y = _governor()
    start = time.process_time()
    y = odeint(rates, y, [0.0, t_end], tfirst=True, rtol=rtol, atol=rtol, mxstep=10**6)[-1]
    return time.process_time() - start, float(y[2])


# ---------------------------------------------------------------------------------------- loops within limbs

# Accuracy, mu, most iterations: with a smaller mu lcaba loses digits to rounding, with a larger one it iterates longer.
LOOP_SETTINGS = {"constraintDynamics": (1e-12, 1e-10, 2), "lcaba": (1e-10, 1e-3, 10)}


def pushrod_robot(r: PushrodRobot, algorithm: str) -> Callable[..., Callable[[], np.ndarray]]:
    """Of a state with the torso at rest, in the order of the parts: a call that finds the accelerations."""
    model, parts = pin.Model(), list(r.parts())
    model.gravity.linear = np.array(GRAVITY)
    joints = [model.addJoint(0, pin.JointModelFreeFlyer(), _at(), "torso")]
    model.appendBodyToJoint(joints[0], pin.Inertia(TORSO, np.zeros(3), np.diag(TORSO_INERTIA)), _at())
    for part in parts:
        turn = r.turn(part.limb)
        place = pin.SE3(turn, turn @ part.at) if part.parent == 0 else _from(parts[part.parent - 1].at, part.at)
        joint = pin.JointModelUniversal(*part.axes) if len(part.axes) == 2 else _JOINT["xyz"[part.axes[0].argmax()]]()
        joints.append(model.addJoint(joints[part.parent], joint, place, part.name))
        model.appendBodyToJoint(joints[-1], pin.Inertia(part.mass, 0.5 * part.along, part.inertia), _at())
    balls, ball_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for rod, link, eye in r.eyes():
        places = [x for k in (rod, link) for x in (joints[k], _from(parts[k - 1].at, eye))]
        balls.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *places, pin.ReferenceFrame.LOCAL))
        ball_data.append(balls[-1].createData())
    data, settings = model.createData(), pin.ProximalSettings(*LOOP_SETTINGS[algorithm])
    if algorithm == "lcaba":
        pin.computeJointMinimalOrdering(model, data, balls)
    else:
        pin.initConstraintDynamics(model, data, balls, ball_data)
    solve = getattr(pin, algorithm)

    def at_state(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> Callable[[], np.ndarray]:
        q = np.concatenate([q[:3], np.roll(q[3:7], -1), q[7:]])  # the scalar of a quaternion last
        return partial(solve, model, data, q, v, tau, balls, ball_data, settings)

    return at_state


def _from(foot: np.ndarray, to: np.ndarray) -> pin.SE3:
    return pin.SE3(np.eye(3), to - foot)
