"""Forward and inverse dynamics called from Python, beside Pinocchio and dynibo: python -m benchmarks.calls

The chains of problems.py; microseconds of a call with one state, and for each of many states in one call
(`calls.forward(Q, V, TAU)`).  One core; the best of many rounds, in turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

from benchmarks import linkwork_side
from benchmarks.peers import load
from benchmarks.problems import Chain

LINKS = (7, 50, 200)
STATES = 1000
ROUNDS, ROUND_S = 15, 0.02


def quickest(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of each call, the best round of many, taken in turns."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            count, began = 0, time.process_time()
            while (spent := time.process_time() - began) < ROUND_S:
                for _ in range(10):
                    call()
                count += 10
            best[name] = min(best.get(name, np.inf), spent / count)
    return best


def many_states(n: int) -> dict[str, Callable[[], object]]:
    """One call over many states, forward and inverse."""
    c, calls, rng = Chain(n), linkwork_side.chain(n).calls(), np.random.default_rng(0)
    q, v, x = (np.tile(row, (STATES, 1)) + 0.1 * rng.standard_normal((STATES, n)) for row in (c.q, c.v, c.a))
    out = np.zeros((STATES, n))
    return {"forward": lambda: calls.forward(q, v, x, out), "inverse": lambda: calls.inverse(q, v, x, out)}


def main() -> None:
    """A line for each chain and algorithm."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers = {name: load(name) for name in ("pinocchio", "dynibo")}
    head = "".join(f" {name:>10} {'ratio':>7} {'of many':>8}" for name in peers)
    print(f"{'us':24} {'linkwork':>10} {'of many':>10}{head}")
    for n in LINKS:
        of_many = many_states(n)
        for what in ("forward", "inverse"):
            calls = {"linkwork": getattr(linkwork_side, f"chain_{what}_dynamics")(n), "many": of_many[what]}
            for name, peer in peers.items():
                if not isinstance(peer, str):
                    calls[name] = getattr(peer, f"chain_{what}_dynamics")(n)
            best = {name: 1e6 * seconds for name, seconds in quickest(calls).items()}
            one, many = best["linkwork"], best["many"] / STATES
            line = f"{what + f', {n} links':24} {one:10.2f} {many:10.2f}"
            for theirs in (best.get(name, np.nan) for name in peers):
                line += f" {theirs:10.2f} {one / theirs:7.2f} {many / theirs:8.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
