"""Constraint methods side by side: python -m benchmarks.methods

Wall time per evaluation of every method on the parallelogram four-bar through its flat positions (P1) and on Andrews'
mechanism, as a ratio to plain `lu`; the hybrids are to stay below 1.3.  The methods take turns and the quickest of many
rounds counts, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import os

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.library import library_model
from linkwork.methods.registry import METHODS

ROUNDS = 15
MODELS = {"four-bar": (3.0, 0.01), "andrews": (0.05, 1e-3)}  # end, largest step; s
CLOSED = [name for name, method in METHODS.items() if not method.open_tree]


def ratios(model: str, formulation: str) -> dict[str, tuple[float, float]]:
    """Microseconds per evaluation, and their ratio to `lu`, by method."""
    mechanism = library_model(model).mechanism
    until, hmax = MODELS[model]
    best = dict.fromkeys(CLOSED, float("inf"))
    for _ in range(ROUNDS):
        for name in CLOSED:
            options = Options(until=until, formulation=formulation, method=name, rtol=1e-7, hmax=hmax, every=until)
            certificate = simulate(mechanism, options).certificate
            best[name] = min(best[name], certificate.loop_s / certificate.evaluations)
    return {name: (1e6 * wall, wall / best["lu"]) for name, wall in best.items()}


def main() -> None:
    """Every model in both formulations."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for model in MODELS:
        for formulation in ("joint", "absolute"):
            print(f"{model}, {formulation} coordinates")
            for name, (wall, ratio) in ratios(model, formulation).items():
                print(f"  {name:20} {wall:7.2f} us an evaluation  x {ratio:5.2f} of lu")


if __name__ == "__main__":
    main()
