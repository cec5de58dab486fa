"""The quick look for jumps of the runs of a study: it passes no run that a single one would call into doubt."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.certificate import branches
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.formulations.equations import Equations
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.studies.engines.jumps import may_have_jumped
from linkwork.system.compile import compile_mechanism

SEEDS = 300


@pytest.fixture(scope="module")
def equations() -> Equations:
    return Equations(compile_mechanism(lw.library_model("double-pendulum").mechanism, "joint"))


def a_motion(rng: np.random.Generator, equations: Equations, jump: float) -> tuple[np.ndarray, np.ndarray, Any]:
    """Steps and rows of a path whose velocities are sums of sines, and jump after one of the steps."""
    layout = equations.compiled.layout
    own, count, n = layout.velocities, len(equations.work.rate), int(rng.integers(2, 60))
    t = np.cumsum(rng.uniform(1e-3, 0.05, n) * rng.choice([0.05, 1.0]))
    rates, size = rng.uniform(0.5, 12.0, layout.v_count), rng.uniform(0.1, 3.0, layout.v_count)
    rows = np.zeros((n, 2 * count + len(equations.work.angle)))
    rows[:, own] = size * np.sin(np.outer(t, rates))
    rows[:, count + own.start : count + own.stop] = size * rates * np.cos(np.outer(t, rates))
    rows[int(rng.integers(n)) :, own] += jump * size
    steps = np.zeros(n, HISTORY)
    steps["t"] = t
    return steps, rows, own


@pytest.mark.parametrize("breaks", [(), (0.3, 0.6)])
def test_no_jump_is_passed_over_and_few_motions_are_suspected(
    equations: Equations, breaks: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against `branches_left` with every place taken for near-singular, and nothing explained."""
    monkeypatch.setattr(branches, "_explained", lambda *_: False)
    suspected = {True: 0, False: 0}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        jumps = seed % 2 == 0
        steps, rows, own = a_motion(rng, equations, rng.uniform(0.0, 1.0) if jumps else 0.0)
        count = len(equations.work.rate)
        scales = np.ones(count)
        trajectory = Trajectory(equations, scales, 0.0, np.zeros(count), np.zeros(len(equations.work.angle)))
        trajectory.append(steps, rows)
        path = trajectory.path()
        monitor: Any = SimpleNamespace(
            path=path, equations=equations, minima=list(range(len(path) - 1)), state=np.arange(len(path)), t=path.t
        )
        left = bool(branches.branches_left(monitor, scales[own], breaks)) if len(path) > 1 else False
        room = np.zeros((2, len(steps) + 2))
        may = may_have_jumped(
            np.ascontiguousarray(steps["t"]), rows, own.start, count + own.start, scales[own], 0.0,
            int(not breaks), *room,
        )  # fmt: skip
        assert may or not left, f"seed {seed}"
        suspected[jumps] += may
    assert suspected[True] > 50
    assert breaks or suspected[False] < 50
