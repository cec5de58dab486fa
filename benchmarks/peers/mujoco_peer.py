"""MuJoCo on the benchmark problems: mj_forward for the chain, RK4 in time, `connect` equalities for closed loops.

A loop is soft in MuJoCo: it acts as a spring and damper, here as stiff as the step h allows (k ~ 1/h^2, b ~ 1/h, and
the largest impedance it accepts, 0.9999). It can be made harder than the documented settings allow, by scaling the
model's `body_invweight0`, from which the regularization is made; `n_four_bar` takes that as `invweight`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

import mujoco
import numpy as np

from benchmarks.problems import GROUND, Andrews, Chain, NFourBar, PlanarMechanism

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
_OFF = ("contact", "limit", "frictionloss", "damper", "actuation", "sensor")
_AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def _point(z: complex) -> str:
    return _numbers((z.real, z.imag, 0.0))


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
    off = ("constraint", "equality", "spring", "warmstart", *_OFF)
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
    model, data = _chain(Chain(n))
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


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
    mech: PlanarMechanism, h: float, soft: tuple[float, float], spring: str = "", integrator: str = "RK4"
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """`spring`, if given, is a <tendon> between the sites "C" (ground) and "D" (body 2)."""
    sites: list[list[str]] = [[] for _ in mech.bodies]
    connects = ""
    law = f'solref="{-soft[0] / h**2!r} {-soft[1] / h!r}" solimp="0.9999 0.9999 1 0.5 1"'
    for j, (i, p, k, s) in enumerate(mech.loops):
        sites[i].append(f'<site name="p{j}" pos="{_point(p)}"/>')
        sites[k].append(f'<site name="s{j}" pos="{_point(s)}"/>')
        connects += f'<connect site1="p{j}" site2="s{j}" {law}/>'
    ground = ""
    if spring:
        ground = f'<site name="C" pos="{_point(Andrews().C)}"/>'
        sites[2].append(f'<site name="D" pos="{_point(Andrews().D)}"/>')

    def body(i: int) -> str:
        b = mech.bodies[i]
        inertia = _numbers([b.inertia] * 3)
        own = f'<inertial pos="{_point(b.com)}" mass="{b.mass!r}" diaginertia="{inertia}"/>{"".join(sites[i])}'
        return f'<body pos="{_point(b.pivot)}"><joint axis="0 0 1"/>{own}{children(i)}</body>'

    def children(i: int) -> str:
        return "".join(body(j) for j, b in enumerate(mech.bodies) if b.parent == i)

    option = f'gravity="0 {-mech.g!r} 0" timestep="{h!r}" integrator="{integrator}"'
    off = ("refsafe", *_OFF) if spring else ("refsafe", "spring", *_OFF)
    tree = f"<worldbody>{ground}{children(GROUND)}</worldbody>"
    model, data = _load(option, off, f"{tree}<equality>{connects}</equality>{spring}")
    data.qpos[:], data.qvel[:] = [b.q for b in mech.bodies], [b.v for b in mech.bodies]
    return model, data


def n_four_bar(
    p: NFourBar, t_end: float = 10.0, h: float = N_FOUR_BAR_STEP, invweight: float = 1.0, integrator: str = "RK4",
    soft: tuple[float, float] = N_FOUR_BAR_SOFT,
) -> tuple[float, float, float]:  # fmt: skip
    """(seconds, theta, thetadot)."""
    steps = round(t_end / h)
    model, data = _mechanism(p.mechanism(), t_end / steps, soft, integrator=integrator)
    model.body_invweight0[:] *= invweight
    spent = _run(model, data, steps)
    return spent, float(data.qpos[0]), float(data.qvel[0])


def andrews(t_end: float = 0.05, h: float = ANDREWS_STEP) -> tuple[float, float]:
    """RK4, the spring a tendon: (seconds, beta)."""
    p = Andrews()
    steps = round(t_end / h)
    ends = '<site site="C"/><site site="D"/>'
    spring = f'<tendon><spatial stiffness="{p.k!r}" springlength="{p.l0!r}">{ends}</spatial></tendon>'
    model, data = _mechanism(p.mechanism(), t_end / steps, ANDREWS_SOFT, spring)
    data.qfrc_applied[0] = p.torque
    spent = _run(model, data, steps)
    return spent, float(data.qpos[0])
