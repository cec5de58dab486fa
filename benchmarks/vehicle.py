"""The HMMWV, on one core, in one run: python -m benchmarks.vehicle

1. P5's run, 5 s at 8 m/s over the bump: how much faster than the vehicle itself, by tolerance.
2. The same vehicle in Exudyn (exudyn_vehicle.py), tyres without friction in both programs, from the design position
   over the same bump: error of the chassis' height beside linkwork's finest run, and time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.linkwork_side import NAME, measured
from benchmarks.peers import load
from benchmarks.rows import Row, best, one_core, seconds, show
from linkwork.library import library_model
from linkwork.library.hmmwv import GRAVITY, TYRE, add_vehicle, hardpoint
from linkwork.model import Model

UNTIL, EVERY, SPEED = 5.0, 0.01, 8.0  # s, s, m/s
PROBLEM = f"HMMWV without friction {UNTIL:g} s"
STEPS = {"h=4e-3": 4e-3, "h=1e-3": 1e-3, "h=2.5e-4": 2.5e-4}  # s, of Exudyn
BUMP = (hardpoint("front", "left", "spindle")[0] + SPEED * 2.5 + TYRE["radius"], 0.1)  # m: x of its middle, radius


def bump() -> None:
    """P5's run."""
    for rtol in (1e-4, 1e-5, 1e-6, 1e-8):
        spent, run = best(lambda rtol=rtol: measured(library_model("hmmwv"), UNTIL, whole=False, rtol=rtol))
        c = run.certificate
        done = f"{c.steps} steps, energy balance {c.energy_drift:.0e}"
        print(f"  rtol {rtol:.0e}  {spent:8.4f} s  {UNTIL / spent:6.1f} x real time  {done}")


def frictionless() -> Model:
    """The vehicle at SPEED, its tyres without friction, before the bump."""
    m = Model("frictionless", gravity=GRAVITY)
    m.road("road", {"kind": "half-round", "at": BUMP[0], "radius": BUMP[1]})
    add_vehicle(m, SPEED)
    return m.with_settings({f"{tyre.name}.friction": 1e-9 for tyre in m.mechanism.tyre})


def ours(rtol: float, whole: bool = False) -> tuple[float, np.ndarray]:
    """Seconds of the loop or of the whole call, and the chassis' height at the samples."""
    spent, run = measured(frictionless(), UNTIL, whole, every=EVERY, rtol=rtol)
    return spent, run.position("chassis")[:, 2]


def rows() -> Iterator[Row]:
    """Both programs over the bump; error: the largest of the chassis' height beside linkwork's finest run, m."""
    _, exact = ours(1e-11)

    def row(who: str, setting: str, run: Callable[[], tuple[float, np.ndarray]]) -> Row:
        spent, height = best(run)
        return who, PROBLEM, setting, float(np.abs(height - exact).max()), seconds(spent)

    yield row(NAME, "rtol=1e-5", partial(ours, 1e-5))
    yield row(NAME, "rtol=1e-5 (whole call)", partial(ours, 1e-5, whole=True))
    for setting, rtol in {"rtol=1e-4": 1e-4, "rtol=1e-6": 1e-6, "rtol=1e-8": 1e-8}.items():
        yield row(NAME, setting, partial(ours, rtol))
    exudyn = load("exudyn")
    if isinstance(exudyn, str):
        return
    from benchmarks.exudyn_vehicle import drive

    drive(BUMP, (SPEED, 0.0, 0.0), 0.01, EVERY, 1e-3)  # compiles the tyre
    for setting, step in STEPS.items():
        yield row(exudyn.NAME, setting, partial(drive, BUMP, (SPEED, 0.0, 0.0), UNTIL, EVERY, step))


def main() -> None:
    """Both parts."""
    one_core()
    print("HMMWV over the bump, 5 s")
    bump()
    show(PROBLEM, [(who, *rest) for who, _, *rest in rows()])


if __name__ == "__main__":
    main()
