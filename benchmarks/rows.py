"""What is measured of a program, as rows of the table: program, problem, setting, error, time.

Processor time of one thread, so that what else runs on the machine hardly counts; best of several.
"""

from __future__ import annotations

import os
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import problems

REPEAT = 3
CHAINS = (7, 50, 200)
FOUR_BARS = (1, 2, 10, 40)
OBLIQUE_ROWS = (1, 40)
ANGLES = {"andrews": problems.ANDREWS_BETA, "bricard": problems.BRICARD_ANGLE, "governor": problems.GOVERNOR_ANGLE}
TITLES = {"andrews": "Andrews", "bricard": "Bricard", "governor": "flyball governor"}
MOST, BRIEF = 15, 0.2  # runs that take less, s, together
PATIENCE = 2.0  # s, after which nothing is repeated
Row = tuple[str, str, str, float, str]  # program, problem, setting, error, time


def best(run: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The quickest of REPEAT runs, of up to MOST brief ones, of a long one alone; a run gives its seconds first."""
    results: list[tuple[Any, ...]] = []
    spent = 0.0
    while len(results) < (MOST if spent < BRIEF else REPEAT if spent < PATIENCE else 1):
        results.append(run())
        spent += results[-1][0]
    return min(results, key=lambda result: result[0])


def seconds(spent: float) -> str:
    """As the table has it."""
    return f"{spent:.3g} s"


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
    """Microseconds a call with the difference to the baseline peer; then 1 s simulated, by programs that do that."""
    if not hasattr(peer, "chain_forward_dynamics"):
        return
    for n in CHAINS:
        for what, result in (("forward", "chain_accelerations"), ("inverse", "chain_torques")):
            error = relative(getattr(peer, result)(n), getattr(baseline, result)(n))
            wall = seconds_a_call(getattr(peer, f"chain_{what}_dynamics")(n))
            yield peer.NAME, f"chain {what} dynamics, n={n}", "", error, f"{1e6 * wall:9.2f} us"
    for label, options in variants(peer, "CHAIN").items() if hasattr(peer, "chain_simulate") else ():
        for n in CHAINS:
            spent, q = best(lambda n=n, options=options: peer.chain_simulate(n, 1.0, **options))
            reference = problems.chain_reference(n)
            error = float("nan") if reference is None else float(np.abs(q - reference).max())
            yield peer.NAME, f"chain 1 s, n={n}", label, error, seconds(spent)


def variants(peer: ModuleType, problem: str) -> dict[str, dict[str, Any]]:
    """The settings of a peer that are worth measuring for a problem, by name; its best has none."""
    return {"": {}} | getattr(peer, f"{problem}_VARIANTS", {})


def mechanism_rows(peer: ModuleType) -> Iterator[Row]:
    """The mechanisms, of programs that simulate them."""
    if hasattr(peer, "n_four_bar"):
        yield from four_bar_rows(peer)
        yield from angle_rows(peer)


def four_bar_rows(peer: ModuleType) -> Iterator[Row]:
    """N four-bars in a row."""
    rows = {f"N-four-bar 10 s, N={N}": problems.NFourBar(N) for N in FOUR_BARS}
    rows |= {f"N-four-bar from 60 degrees, 10 s, N={N}": problems.NFourBar(N, **problems.OBLIQUE) for N in OBLIQUE_ROWS}
    for label, options in variants(peer, "N_FOUR_BAR").items():
        for name, row in rows.items():
            spent, theta, _ = best(lambda row=row, options=options: peer.n_four_bar(row, 10.0, **options))
            error = abs(theta - problems.n_four_bar_exact(row, 10.0)[0])
            yield peer.NAME, name, label, error, seconds(spent)


def angle_rows(peer: ModuleType) -> Iterator[Row]:
    """The mechanisms of which an angle at the end is compared."""
    for problem, references in ANGLES.items():
        run = getattr(peer, problem)
        for label, options in variants(peer, problem.upper()).items():
            for t_end, reference in references.items():
                spent, angle = best(lambda t_end=t_end, options=options, run=run: run(t_end, **options))
                yield peer.NAME, f"{TITLES[problem]} {t_end:g} s", label, abs(angle - reference), seconds(spent)


def show(problem: str, rows: Sequence[tuple[str, str, float, str]]) -> None:
    """One problem: program, setting, error, time, ratio to the first row, which is linkwork's default run."""
    ours = float(rows[0][-1].split()[0])
    print(f"\n{problem}")
    for who, setting, error, spent in rows:
        print(f"  {who + ' ' + setting:44} error {error:8.1e}  {spent:>12}  x {float(spent.split()[0]) / ours:6.2f}")


def one_core() -> None:
    """Keep to one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
