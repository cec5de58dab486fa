"""Loops of mechanisms in a plane, by the kernels for the plane and for space in turns: python -m benchmarks.in_plane

Of each, in both: nanoseconds of the compiled loop for a body and an evaluation, milliseconds of the whole call, time of
the thread; the least of many.
"""

from __future__ import annotations

import time
from typing import Any

from linkwork.library import library_model

ROUNDS = 12
CASES: tuple[tuple[str, float | None, float, dict[str, str]], ...] = (  # name, N, until (s), options
    ("slider-crank", None, 20.0, {}), ("four-bar", None, 20.0, {}),
    ("n-four-bar", 40.0, 10.0, {"integrator": "dop853"}),
    ("n-four-bar", 200.0, 10.0, {}), ("n-four-bar", 40.0, 10.0, {}), ("four-bar", None, 20.0, {"method": "hybrid-qr"}),
    ("n-four-bar", 40.0, 10.0, {"method": "qr"}), ("andrews", None, 0.5, {}),
    ("n-four-bar", 40.0, 3.0, {"formulation": "absolute"}), ("quick-return", None, 20.0, {}),
)  # fmt: skip


def measured(name: str, n: float | None, until: float, options: dict[str, Any]) -> dict[bool, tuple[float, float]]:
    """The least time of the loop (ns) and of the whole call (ms), by whether the kernels are those for the plane."""
    model = library_model(name, {} if n is None else {"n": n})
    least = dict.fromkeys((False, True), (float("inf"), float("inf")))
    for _ in range(ROUNDS):
        for planar, (loop, whole) in least.items():
            began = time.thread_time()
            found = model.simulate(until, every=until / 10.0, planar=planar, progress=False, **options).certificate
            spent, work = time.thread_time() - began, len(model.mechanism.body) * found.evaluations
            least[planar] = (min(loop, 1e9 * found.cpu_s / work), min(whole, 1e3 * spent))
    return least


def main() -> None:
    """All of them."""
    for name, n, until, options in CASES:
        found = measured(name, n, until, options)
        (space, call), (plane, shorter) = found[False], found[True]
        what = " ".join([name, *([] if n is None else [f"{n:.0f}"]), *options.values()])
        times = f"{space:6.0f} {plane:6.0f} x{space / plane:5.2f}   {call:7.1f} {shorter:7.1f} x{call / shorter:5.2f}"
        print(f"{what:24} {times}", flush=True)


if __name__ == "__main__":
    main()
