"""Linearization and sweeps, warm: python -m benchmarks.vibration

1. A chain of 30 bodies joined by bushings, 180 coordinates: equilibrium, linearization, all eigenvalues and shapes.
2. Campbell diagrams of 60 speeds: the governor, and the rotating cantilever of 30 masses (90 coordinates).

Seconds of processor time of one thread (OMP_NUM_THREADS=1), the least of three; the wall beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.library.rotating import UNIT_SPEED, governor, rotating_cantilever


def bushing_chain(count: int = 30) -> lw.Model:
    """Bodies in a row, each tied to the next by a bushing, the first to ground; six freedoms each."""
    m = lw.Model("bushing chain", gravity=(0, 0, -9.81))
    before = m.ground
    for i in range(count):
        body = m.body(f"body {i}", mass=1.0, inertia=(0.01, 0.01, 0.01), at=(0.1 * (i + 1), 0, 0))
        m.bushing(f"bushing {i}", before, body, at=(0.1 * i + 0.05, 0, 0), stiffness=(1e6, 1e6, 1e6, 1e5, 1e5, 1e5))
        before = body
    return m


def least(call: Callable[[], Any]) -> tuple[float, float]:
    """Processor and wall seconds of a call, the least of three after a first one that compiles."""
    call()
    spent = []
    for _ in range(3):
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        spent.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(spent)


def main() -> None:
    """Both."""
    chain = bushing_chain()
    for formulation in ("joint", "absolute"):
        cpu, wall = least(lambda f=formulation: chain.linearize(formulation=f).modes())
        print(f"  30 bodies, 180 coordinates, {formulation:8}: equilibrium to modes {cpu:.3f} s (wall {wall:.3f} s)")
    for model, top in ((governor(), 60.0), (rotating_cantilever(axial=1e4), 10.0 * UNIT_SPEED)):
        speeds = np.linspace(0.0, top, 60)
        cpu, wall = least(lambda m=model, s=speeds: m.sweep("spindle", s, progress=False))
        print(f"  {model.mechanism.name:20}: Campbell diagram of 60 speeds {cpu:.2f} s (wall {wall:.2f} s)")


if __name__ == "__main__":
    main()
