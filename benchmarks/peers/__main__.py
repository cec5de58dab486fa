"""Print each peer's time and error on all problems that it can do: python -m benchmarks.peers [name ...].

Processor time of one thread, so that what else runs on the machine hardly counts.
"""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import problems
from benchmarks.peers import MODULES, load

REPEAT = 3
CHAINS = (7, 50, 200)
FOUR_BARS = (1, 2, 10, 40)
OBLIQUE_ROWS = (1, 40)
Row = tuple[str, str, float, str]  # peer, problem, error, time


def best(run: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The quickest of REPEAT runs."""
    return min((run() for _ in range(REPEAT)), key=lambda result: result[0])


def seconds_a_call(call: Callable[[], Any]) -> float:
    """Best of several batches of about 20 ms each."""
    call()
    clock = time.process_time
    number = max(1, round(0.02 / max(timeit.timeit(call, timer=clock, number=10) / 10, 1e-7)))
    return min(timeit.repeat(call, timer=clock, number=number, repeat=5 * REPEAT)) / number


def relative(found: np.ndarray, reference: np.ndarray) -> float:
    """Largest difference over the largest value."""
    return float(np.abs(found - reference).max() / np.abs(reference).max())


def chain_rows(peer: ModuleType, baseline: ModuleType) -> Iterator[Row]:
    """Microseconds a call with the difference to the baseline peer; then 1 s simulated."""
    for n in CHAINS:
        for what, result in (("forward", "chain_accelerations"), ("inverse", "chain_torques")):
            error = relative(getattr(peer, result)(n), getattr(baseline, result)(n))
            wall = seconds_a_call(getattr(peer, f"chain_{what}_dynamics")(n))
            yield peer.NAME, f"chain {what} dynamics, n={n}", error, f"{1e6 * wall:9.2f} us"
    for label, options in variants(peer, "CHAIN").items() if hasattr(peer, "chain_simulate") else ():
        for n in CHAINS:
            spent, q = best(lambda n=n, options=options: peer.chain_simulate(n, 1.0, **options))
            reference = problems.chain_reference(n)
            error = float("nan") if reference is None else float(np.abs(q - reference).max())
            yield peer.NAME, f"chain 1 s, n={n} {label}", error, f"{spent:9.4f} s"


def variants(peer: ModuleType, problem: str) -> dict[str, dict[str, Any]]:
    """The settings of a peer that are worth measuring for a problem, by name; its best has none."""
    return {"": {}} | getattr(peer, f"{problem}_VARIANTS", {})


def loop_rows(peer: ModuleType) -> Iterator[Row]:
    """The mechanisms with closed loops, of programs that have them."""
    if not hasattr(peer, "n_four_bar"):
        return
    rows = {f"N-four-bar 10 s, N={N}": problems.NFourBar(N) for N in FOUR_BARS}
    rows |= {f"N-four-bar from 60 degrees, 10 s, N={N}": problems.NFourBar(N, **problems.OBLIQUE) for N in OBLIQUE_ROWS}
    for label, options in variants(peer, "N_FOUR_BAR").items():
        for name, row in rows.items():
            spent, theta, _ = best(lambda row=row, options=options: peer.n_four_bar(row, 10.0, **options))
            error = abs(theta - problems.n_four_bar_exact(row, 10.0)[0])
            yield peer.NAME, f"{name} {label}", error, f"{spent:9.4f} s"
    for label, options in variants(peer, "ANDREWS").items():
        for t_end, reference in problems.ANDREWS_BETA.items():
            spent, beta = best(lambda t_end=t_end, options=options: peer.andrews(t_end, **options))
            yield peer.NAME, f"Andrews {t_end} s {label}", abs(beta - reference), f"{spent:9.4f} s"


def main(names: list[str]) -> None:
    """Print the table, a row as soon as it is measured."""
    baseline = None
    print(f"{'peer':20} {'problem':44} {'error':>8} {'time':>12}   (best of {REPEAT})")
    for name in names or list(MODULES):
        peer = load(name)
        if isinstance(peer, str):
            print(peer)
            continue
        rows: list[Iterator[Row]] = []
        if hasattr(peer, "chain_forward_dynamics"):
            baseline = baseline or peer
            rows.append(chain_rows(peer, baseline))
        rows.append(loop_rows(peer))
        for part in rows:
            for who, problem, error, spent in part:
                print(f"{who:20} {problem:44} {error:8.1e} {spent:>12}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
