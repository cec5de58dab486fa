"""linkwork and its peers side by side, in one run: python -m benchmarks [--store] [problem ...]

Each problem with the processor time and error of every program, and how many times longer than linkwork's default run
the others take.  One core is used; times are the best of several.  Compare ratios, not seconds of different runs.
linkwork's time is that of its loop, as the others' is, and, in a row of its own, of the whole call of `simulate`.
--store keeps them in the package, where the shelf (linkwork/reproduce/benchmarks) and docs/benchmarks.py read them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import defaultdict
from datetime import date

from benchmarks import linkwork_side
from benchmarks.peers import MODULES, load
from benchmarks.peers.__main__ import chain_rows, loop_rows
from linkwork.reproduce.benchmarks.peers import STORED


def main(wanted: list[str]) -> None:
    """Measure everything, then print it by problem."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    programs = [linkwork_side, *(load(name) for name in MODULES)]
    table = defaultdict(list)
    for program in programs:
        if isinstance(program, str):
            print(program)
            continue
        parts = [loop_rows(program)]
        if hasattr(program, "chain_forward_dynamics"):
            parts.append(chain_rows(program, linkwork_side))
        for part in parts:
            for who, problem, error, spent in part:
                print(f"\r{who}: {problem:60}", end="", file=sys.stderr)
                name, setting = split(problem)
                table[name].append((who, setting, error, spent.strip()))
    print("\r" + 80 * " ", file=sys.stderr)
    if "--store" in wanted:
        STORED.write_text(json.dumps({"date": str(date.today()), "problems": table}, indent=1) + "\n")
    words = [word for word in wanted if word != "--store"]
    for problem, rows in table.items():
        if not words or any(word in problem for word in words):
            show(problem, rows)


def split(problem: str) -> tuple[str, str]:
    """A problem's name, and the setting that a variant adds to it."""
    found = re.match(r"(N-four-bar .*N=\d+|Andrews \S+ s|chain 1 s, n=\d+) ?(.*)", problem)
    return (found[1], found[2]) if found else (problem, "")


def show(problem: str, rows: list[tuple[str, str, float, str]]) -> None:
    """One problem: program, setting, error, time, ratio to linkwork's default run."""
    ours = next(float(spent.split()[0]) for who, _, _, spent in rows if who == linkwork_side.NAME)
    print(f"\n{problem}")
    for who, setting, error, spent in rows:
        print(f"  {who + ' ' + setting:44} error {error:8.1e}  {spent:>12}  x {float(spent.split()[0]) / ours:6.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
