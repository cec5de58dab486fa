"""The HMMWV, on one core, in one run: python -m benchmarks.vehicle

1. P5's run, 5 s at 8 m/s over the bump: how much faster than the vehicle itself, by tolerance.
2. The same vehicle in Exudyn (exudyn_vehicle.py), tyres without friction in both programs, from the design position
   over the same bump: error of the chassis' height beside linkwork's finest run, and CPU time.
"""

from __future__ import annotations

import os

import numpy as np

from linkwork.library import library_model
from linkwork.library.hmmwv import GRAVITY, TYRE, add_vehicle, hardpoint
from linkwork.model import Model

UNTIL, EVERY, SPEED = 5.0, 0.01, 8.0  # s, s, m/s
ROUNDS = 3
STEPS = (4e-3, 1e-3, 2.5e-4)  # s, of Exudyn
BUMP = (hardpoint("front", "left", "spindle")[0] + SPEED * 2.5 + TYRE["radius"], 0.1)  # m: x of its middle, radius


def bump() -> None:
    """P5's run."""
    for rtol in (1e-4, 1e-5, 1e-6, 1e-8):
        runs = [library_model("hmmwv").simulate(UNTIL, rtol=rtol, every=UNTIL, progress=False) for _ in range(ROUNDS)]
        best = min(run.certificate.loop_s for run in runs)
        c = runs[0].certificate
        told = f"{c.steps} steps, energy balance {c.energy_drift:.0e}"
        print(f"  rtol {rtol:.0e}  {best:8.4f} s  {UNTIL / best:6.1f} x real time  {told}")


def frictionless() -> Model:
    """The vehicle at SPEED, its tyres without friction, before the bump."""
    m = Model("frictionless", gravity=GRAVITY)
    m.road("road", {"kind": "half-round", "at": BUMP[0], "radius": BUMP[1]})
    add_vehicle(m, SPEED)
    return m.with_settings({f"{tyre.name}.friction": 1e-9 for tyre in m.mechanism.tyre})


def ours(rtol: float) -> tuple[float, np.ndarray]:
    """Seconds of the loop, and the chassis' height at the samples."""
    runs = [frictionless().simulate(UNTIL, rtol=rtol, every=EVERY, progress=False) for _ in range(ROUNDS)]
    return min(run.certificate.loop_s for run in runs), runs[0].position("chassis")[:, 2]


def peer() -> None:
    """Both programs over the bump."""
    _, exact = ours(1e-11)
    first = 0.0
    for rtol in (1e-5, 1e-8):
        seconds, height = ours(rtol)
        first = first or seconds
        print(row(f"linkwork, rtol {rtol:.0e}", height - exact, seconds, first))
    try:
        from benchmarks.exudyn_vehicle import drive
    except ImportError as missing:
        print(f"  Exudyn is not installed ({missing})")
        return
    drive(BUMP, (SPEED, 0.0, 0.0), 0.01, EVERY, 1e-3)  # compiles the tyre
    for step in STEPS:
        seconds, height = drive(BUMP, (SPEED, 0.0, 0.0), UNTIL, EVERY, step)
        print(row(f"Exudyn, steps of {step:.1e} s", height - exact, seconds, first))


def row(who: str, error: np.ndarray, seconds: float, first: float) -> str:
    """One program's line: largest error of the height, time, ratio to linkwork's first line."""
    return f"  {who:28} error {np.abs(error).max():.1e} m  {seconds:8.4f} s  x {seconds / first:.1f}"


def main() -> None:
    """Both parts."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for title, measure in (("HMMWV over the bump, 5 s", bump), ("The same without friction, 5 s", peer)):
        print(title)
        measure()


if __name__ == "__main__":
    main()
