"""MuJoCo on the benchmark problems: mj_forward for the chain, RK4 in time, `connect` equalities for closed loops.

A loop is soft in MuJoCo: it acts as a spring and damper, here as stiff as the step h allows (k ~ 1/h^2, b ~ 1/h, and
the largest impedance it accepts, 0.9999). It can be made harder than the documented settings allow, by scaling the
model's `body_invweight0`, from which the regularization is made; `n_four_bar` takes that as `invweight`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import mujoco
import numpy as np

from benchmarks import problems
from benchmarks.problems import GROUND, Andrews, Chain, Governor, Mechanism, NFourBar, Point, Spring

NAME = f"MuJoCo {mujoco.__version__}"
CHAIN_STEPS_PER_S = {7: 1000, 50: 1500, 200: 4000}  # for an error of about 1e-8
N_FOUR_BAR_STEP = 2e-3
N_FOUR_BAR_SOFT = (4.0, 2.0)  # k h^2, b h: the best of a scan
EULER_SOFT = (0.25, 1.0)  # the stiffest at which its own integrator, a symplectic Euler step, is stable
N_FOUR_BAR_VARIANTS = {
    "h=5e-3 invweight=1e-6": {"h": 5e-3, "invweight": 1e-6},
    "h=1e-2 invweight=1e-6": {"h": 1e-2, "invweight": 1e-6},
    "Euler h=1e-3 invweight=1e-6": {"h": 1e-3, "invweight": 1e-6, "integrator": "Euler", "soft": EULER_SOFT},
}
ANDREWS_STEP = 2e-5
ANDREWS_SOFT = (0.25, 1.0)
BRICARD_STEP = 2e-3
BRICARD_SOFT, BRICARD_INVWEIGHT = (2.0, 2.0), 100.0  # softer: one row of the two pins depends on the others (a scan)
BRICARD_VARIANTS = {"h=5e-3": {"h": 5e-3}, "h=5e-4": {"h": 5e-4}}
GOVERNOR_STEP = 3e-4  # RK4 is stable to 3.5e-4; implicitfast, Euler: no quicker at 1e-4 rad
_OFF = ("contact", "limit", "frictionloss", "actuation", "sensor")
_AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def _load(option: str, off: tuple[str, ...], content: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    flags = " ".join(f'{name}="disable"' for name in off)
    text = f'<mujoco><compiler angle="radian"/><option {option}><flag {flags}/></option>{content}</mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def _run(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> float:
    start = time.process_time()
    mujoco.mj_step(model, data, steps)
    return time.process_time() - start


# --------------------------------------------------------------------------------------------------------- chain


def _chain(c: Chain, h: float = 1e-3) -> tuple[mujoco.MjModel, mujoco.MjData]:
    com, inertia = _numbers((c.length / 2, 0.0, 0.0)), _numbers(c.inertia)
    link = f'<inertial pos="{com}" mass="{c.mass}" diaginertia="{inertia}"/>'
    text = ""
    for i, axis in enumerate(c.axes):
        text += f'<body pos="{c.length if i else 0} 0 0"><joint axis="{_AXIS[axis]}"/>{link}'
    option = f'gravity="{_numbers(c.gravity)}" timestep="{h!r}" integrator="RK4"'
    off = ("constraint", "equality", "spring", "damper", "warmstart", *_OFF)
    model, data = _load(option, off, f"<worldbody>{text}{'</body>' * c.n}</worldbody>")
    data.qpos[:], data.qvel[:] = c.q, c.v
    return model, data


def chain_forward_dynamics(n: int) -> Callable[[], None]:
    """One mj_forward call, everything that the chain does not need switched off."""
    return partial(mujoco.mj_forward, *_chain(Chain(n)))


def _inverse_dynamics(n: int) -> tuple[Callable[[], None], np.ndarray]:
    c = Chain(n)
    model, data = _chain(c)
    data.qacc[:] = c.a
    torques = np.zeros(n)
    kinematics, com_pos, com_vel, rne = mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel, mujoco.mj_rne

    def call() -> None:
        kinematics(model, data)
        com_pos(model, data)
        com_vel(model, data)
        rne(model, data, 1, torques)

    return call, torques


def chain_inverse_dynamics(n: int) -> Callable[[], None]:
    """The stages that mj_rne needs: cheaper than mj_inverse, which also forms and factors the mass matrix."""
    return _inverse_dynamics(n)[0]


def chain_accelerations(n: int) -> np.ndarray:
    """What forward dynamics finds, to compare."""
    return _accelerations(*_chain(Chain(n)))


def chain_torques(n: int) -> np.ndarray:
    """What inverse dynamics finds, to compare."""
    call, torques = _inverse_dynamics(n)
    call()
    return torques


def chain_simulate(n: int, t_end: float = 1.0, steps_per_s: int | None = None) -> tuple[float, np.ndarray]:
    """RK4, all steps in one call: (seconds, final q)."""
    steps = round(t_end * (steps_per_s or CHAIN_STEPS_PER_S.get(n, 2000)))
    model, data = _chain(Chain(n), t_end / steps)
    return _run(model, data, steps), np.array(data.qpos)


# ---------------------------------------------------------------------------------------------- closed loops


def _mechanism(
    mech: Mechanism, h: float, soft: tuple[float, float] = (1.0, 1.0), integrator: str = "RK4"
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Pins are `connect` equalities, springs spatial tendons; `soft`: k h^2 and b h of the pins."""
    sites: dict[int, list[str]] = {i: [] for i in range(GROUND, len(mech.bodies))}

    def site(i: int, point: Point) -> str:
        name = f"s{sum(map(len, sites.values()))}"
        sites[i].append(f'<site name="{name}" pos="{_numbers(point)}"/>')
        return name

    law = f'solref="{-soft[0] / h**2!r} {-soft[1] / h!r}" solimp="0.9999 0.9999 1 0.5 1"'
    connects = "".join(f'<connect site1="{site(i, p)}" site2="{site(k, s)}" {law}/>' for i, p, k, s in mech.pins)
    tendons = ""
    for spring in mech.springs:
        i, p, k, s = spring.ends
        law = f'stiffness="{spring.k!r}" damping="{spring.c!r}" springlength="{spring.l0!r}"'
        tendons += f'<spatial {law}><site site="{site(i, p)}"/><site site="{site(k, s)}"/></spatial>'

    def body(i: int) -> str:
        b = mech.bodies[i]
        joint = f'<joint type="{"slide" if b.slides else "hinge"}" axis="{_AXIS[b.axis]}"/>'
        own = f'<inertial pos="{_numbers(b.com)}" mass="{b.mass!r}" diaginertia="{_numbers(b.inertia)}"/>'
        return f'<body pos="{_numbers(b.pivot)}">{joint}{own}{"".join(sites[i])}{children(i)}</body>'

    def children(i: int) -> str:
        return "".join(body(j) for j, b in enumerate(mech.bodies) if b.parent == i)

    option = f'gravity="{_numbers(mech.gravity)}" timestep="{h!r}" integrator="{integrator}"'
    off = ("refsafe", *_OFF) if mech.springs else ("refsafe", "spring", "damper", *_OFF)
    tree = f"<worldbody>{''.join(sites[GROUND])}{children(GROUND)}</worldbody>"
    model, data = _load(option, off, f"{tree}<equality>{connects}</equality><tendon>{tendons}</tendon>")
    data.qpos[:], data.qvel[:] = [b.q for b in mech.bodies], [b.v for b in mech.bodies]
    return model, data


def n_four_bar(
    p: NFourBar, t_end: float = 10.0, h: float = N_FOUR_BAR_STEP, invweight: float = 1.0, integrator: str = "RK4",
    soft: tuple[float, float] = N_FOUR_BAR_SOFT,
) -> tuple[float, float, float]:  # fmt: skip
    """(seconds, theta, thetadot)."""
    steps = round(t_end / h)
    model, data = _mechanism(p.mechanism().in_space(), t_end / steps, soft, integrator)
    model.body_invweight0[:] *= invweight
    spent = _run(model, data, steps)
    return spent, float(data.qpos[0]), float(data.qvel[0])


def andrews(t_end: float = 0.05, h: float = ANDREWS_STEP) -> tuple[float, float]:
    """RK4, the spring a tendon: (seconds, beta)."""
    p = Andrews()
    steps = round(t_end / h)
    ends = GROUND, (p.C.real, p.C.imag, 0.0), 2, (p.D.real, p.D.imag, 0.0)
    mechanism = replace(p.mechanism().in_space(), springs=(Spring(ends, p.k, 0.0, p.l0),))
    model, data = _mechanism(mechanism, t_end / steps, ANDREWS_SOFT)
    data.qfrc_applied[0] = p.torque
    spent = _run(model, data, steps)
    return spent, float(data.qpos[0])


def _bricard(h: float, invweight: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model, data = _mechanism(problems.bricard(), h, BRICARD_SOFT)
    model.body_invweight0[:] *= invweight
    return model, data


def bricard_accelerations() -> np.ndarray:
    """At the start, where hard pins are right, to compare."""
    return _accelerations(*_bricard(BRICARD_STEP, invweight=1e-8))


def bricard(t_end: float = 10.0, h: float = BRICARD_STEP) -> tuple[float, float]:
    """RK4, the sixth hinge two pins: (seconds, angle of hinge 1)."""
    steps = round(t_end / h)
    model, data = _bricard(t_end / steps, BRICARD_INVWEIGHT)
    return _run(model, data, steps), float(data.qpos[0])


def governor_accelerations() -> np.ndarray:
    """At the start, to compare."""
    return _accelerations(*_mechanism(Governor().mechanism(), GOVERNOR_STEP))


def governor(t_end: float = 10.0, h: float = GOVERNOR_STEP) -> tuple[float, float]:
    """RK4, springs as tendons: (seconds, angle of the rods)."""
    steps = round(t_end / h)
    model, data = _mechanism(Governor().mechanism(), t_end / steps)
    return _run(model, data, steps), float(data.qpos[2])


def _accelerations(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)
