"""linkwork on the same problems, through the functions that the peers have (benchmarks/peers/__init__.py).

Seconds as for the peers: of the processor, with the model built, assembled and compiled; or, `whole`, of the whole call
of `simulate` with assembly, samples and the checks of the result.
"""

from __future__ import annotations

import cmath
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.problems import Chain, Governor, NFourBar
from linkwork.library import library_model
from linkwork.model import Model
from linkwork.reproduce.benchmarks.flyball_governor import flyball_governor
from linkwork.run import Run

NAME = "linkwork"
CHAIN_RTOL = {7: 1e-9, 50: 3e-11, 200: 3e-11}  # for an error below 5e-9
CHAIN_VARIANTS = ANDREWS_VARIANTS = BRICARD_VARIANTS = {"(whole call)": {"whole": True}}
N_FOUR_BAR_VARIANTS: dict[str, dict[str, object]] = {
    **CHAIN_VARIANTS,
    "(dop853)": {"integrator": "dop853", "rtol": 1e-10},
    "(looser)": {"rtol": 1e-9},
}
GOVERNOR_VARIANTS = {
    **CHAIN_VARIANTS,
    "(dop853)": {"integrator": "dop853"},
    "(adams)": {"integrator": "adams"},
    "(generalized-alpha)": {"integrator": "generalized-alpha", "rtol": 1e-5},
    "(rtol=1e-6)": {"rtol": 1e-6},
}


def chain(n: int) -> Model:
    """The n-link chain of problems.py, with its joints at the problem's coordinates and rates."""
    c = Chain(n)
    model = Model(f"chain-{n}", gravity=c.gravity)
    for i in range(n):
        at = (i * c.length, 0.0, 0.0)
        link = model.body(f"link{i}", mass=c.mass, inertia=c.inertia, com=(0.5 * c.length, 0.0, 0.0), at=at)
        inboard = f"link{i - 1}" if i else model.ground
        model.revolute(f"joint{i}", inboard, link, at=at, axis=c.axes[i], start=float(c.q[i]), rate=float(c.v[i]))
    return model


def chain_forward_dynamics(n: int) -> Callable[[], object]:
    """One call of forward dynamics from Python."""
    c, calls, out = Chain(n), chain(n).calls(), np.zeros(n)
    q, v, tau = (np.ascontiguousarray(x) for x in (c.q, c.v, c.tau))
    return partial(calls.forward, q, v, tau, out)


def chain_inverse_dynamics(n: int) -> Callable[[], object]:
    """One call of inverse dynamics from Python."""
    c, calls, out = Chain(n), chain(n).calls(), np.zeros(n)
    q, v, a = (np.ascontiguousarray(x) for x in (c.q, c.v, c.a))
    return partial(calls.inverse, q, v, a, out)


def chain_accelerations(n: int) -> np.ndarray:
    """What the forward call computes."""
    c = Chain(n)
    return chain(n).calls().forward(np.array(c.q), np.array(c.v), np.array(c.tau))


def chain_torques(n: int) -> np.ndarray:
    """What the inverse call computes."""
    c = Chain(n)
    return chain(n).calls().inverse(np.array(c.q), np.array(c.v), np.array(c.a))


def chain_simulate(n: int, t_end: float, whole: bool = False) -> tuple[float, np.ndarray]:
    """Seconds and final joint angles."""
    rtol = CHAIN_RTOL[n]
    spent, run = measured(chain(n), t_end, whole, integrator="adams", rtol=rtol, atol=rtol)
    return spent, run.result.q[-1]


def measured(model: Model, t_end: float, whole: bool, every: float | None = None, **options: Any) -> tuple[float, Run]:
    """Seconds of the loop, or of the whole call, and the run, of which the end is kept or samples."""
    model.mechanism  # noqa: B018  # built, as the peers' models are
    began = time.process_time()
    run = model.simulate(t_end, every=every or t_end, progress=False, **options)
    return time.process_time() - began if whole else run.certificate.cpu_s, run


def row_of_four_bars(p: NFourBar) -> Model:
    """N four-bars in a row, as problems.py has them: cranks pivot0 ... at the angle theta."""
    model = Model("N-four-bar", gravity=(0.0, -p.g, 0.0), plane="xy")
    along, inertia = p.length * cmath.exp(1j * p.theta), (p.inertia,) * 3
    velocity, spin = 1j * p.thetadot * along, (0.0, 0.0, p.thetadot)

    def link(name: str, at: complex, angle: float, speed: complex, w: tuple[float, ...]) -> str:
        model.body(name, mass=p.mass, inertia=inertia, at=(at.real, at.imag, 0.0), angle=angle, axis="z",
                   velocity=(speed.real, speed.imag, 0.0), angular_velocity=w)  # fmt: skip
        return name

    for i in range(p.N + 1):
        foot = i * p.length
        crank, tip = link(f"crank{i}", foot + 0.5 * along, p.theta, 0.5 * velocity, spin), foot + along
        model.revolute(f"pivot{i}", model.ground, crank, at=(foot, 0.0, 0.0), axis="z")
        if i:
            bar = link(f"bar{i}", tip - 0.5 * p.length, 0.0, velocity, (0.0, 0.0, 0.0))
            model.revolute(f"left{i}", f"crank{i - 1}", bar, at=(tip.real - p.length, tip.imag, 0.0), axis="z")
            model.revolute(f"right{i}", bar, crank, at=(tip.real, tip.imag, 0.0), axis="z")
    return model


def n_four_bar(
    p: NFourBar, t_end: float, integrator: str = "adams", rtol: float | None = None, whole: bool = False
) -> tuple[float, float, float]:
    """Seconds, crank angle and rate at the end; tolerances for an error of about 1e-8 or below."""
    chosen = rtol if rtol is not None else (1e-11 if p.N < 10 else 1e-10)
    spent, run = measured(row_of_four_bars(p), t_end, whole, integrator=integrator, rtol=chosen)
    return spent, p.theta + run["pivot0.angle"][-1], run["pivot0.rate"][-1]


def andrews(t_end: float, rtol: float = 1e-11, whole: bool = False) -> tuple[float, float]:
    """Seconds and beta at the end."""
    spent, run = measured(library_model("andrews"), t_end, whole, integrator="adams", rtol=rtol)
    return spent, run["O.angle"][-1] - 0.06171389001427645


def bricard(t_end: float, rtol: float = 1e-10, whole: bool = False) -> tuple[float, float]:
    """Seconds and the angle of hinge 1 about y at the end."""
    spent, run = measured(library_model("bricard"), t_end, whole, rtol=rtol)
    return spent, -run["hinge 1.angle"][-1]


def governor(t_end: float, integrator: str = "auto", rtol: float = 1e-9, whole: bool = False) -> tuple[float, float]:
    """Seconds and the angle of the rods at the end."""
    spent, run = measured(flyball_governor(), t_end, whole, integrator=integrator, rtol=rtol)
    return spent, Governor().angle + run["hinge right.angle"][-1]
