"""linkwork on the same problems, through the functions that the peers have (benchmarks/peers/__init__.py).

Wall seconds as for the peers: of the run, with the model built, assembled and compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.problems import Chain
from linkwork.library import library_model
from linkwork.model import Model

NAME = "linkwork"
N_FOUR_BAR_VARIANTS: dict[str, dict[str, object]] = {
    "(dop853)": {"integrator": "dop853", "rtol": 1e-10},
    "(looser)": {"rtol": 1e-9},
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


def chain_simulate(n: int, t_end: float, rtol: float = 1e-10) -> tuple[float, np.ndarray]:
    """Wall seconds and final joint angles, DOP853."""
    run = chain(n).simulate(t_end, integrator="dop853", rtol=rtol, atol=rtol, every=t_end, progress=False)
    return run.certificate.loop_s, run.result.q[-1]


def n_four_bar(
    N: int, t_end: float, integrator: str = "adams", rtol: float | None = None
) -> tuple[float, float, float]:
    """Wall seconds, crank angle and rate at the end; tolerances for an error of about 1e-8 or below."""
    chosen = rtol if rtol is not None else (1e-11 if N < 10 else 1e-10)
    run = library_model("n-four-bar", {"n": N}).simulate(
        t_end, integrator=integrator, rtol=chosen, every=t_end, progress=False
    )
    return run.certificate.loop_s, run["pivot0.angle"][-1] + 0.5 * np.pi, run["pivot0.rate"][-1]


def andrews(t_end: float, rtol: float = 1e-11) -> tuple[float, float]:
    """Wall seconds and beta at the end."""
    run = library_model("andrews").simulate(t_end, integrator="adams", rtol=rtol, every=t_end, progress=False)
    return run.certificate.loop_s, run["O.angle"][-1] - 0.06171389001427645
