"""Trials of many seeds, on record.

    python tests/random_mechanisms/record.py 300 10000 out/trials.jsonl --processes 16

Seeds from the first to the last but one.  Each trial is a line of the file; seeds that have a line are not tried again:
a run that was stopped goes on where it was.  Prints the table of docs/robustness.md, and what was wrong; exit code 1
if anything was.  Pinocchio and MuJoCo are asked where they are installed; with the native library Numba is not needed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from random_mechanisms.trial import Trial, tried

METHODS = 3  # other constraint methods that each mechanism is computed by
GROUPS: dict[str, Callable[[Trial], bool]] = {
    "open trees": lambda trial: "tree" in trial.tags,
    "planar loops, in the plane or in space": lambda trial: "planar loop" in trial.tags,
    "spatial loops": lambda trial: "spatial loop" in trial.tags,
    "Bennett linkages, exact or given to 4 to 8 digits": lambda trial: "special lengths" in trial.tags,
    "starts in line or flat": lambda trial: "singular start" in trial.tags,
    "**all**": lambda trial: True,
    "of these with a driver": lambda trial: "driven" in trial.tags,
    "with a gear": lambda trial: "gear" in trial.tags,
    "with a spring and damper": lambda trial: "spring" in trial.tags,
    "with friction": lambda trial: "friction" in trial.tags,
    "with a flexible arm": lambda trial: "flexible" in trial.tags,
    "masses that differ by 3, 6 or 12 decades": lambda trial: any("mass ratio" in tag for tag in trial.tags),
    "1e-6 to 1e6 m in size": lambda trial: any("scale" in tag for tag in trial.tags),
}


def recorded(file: Path) -> dict[int, Trial]:
    """The trials in a file, by seed."""
    lines = file.read_text().splitlines() if file.exists() else []
    trials = [Trial(**json.loads(line)) for line in lines if line.endswith("}")]
    return {trial.seed: trial for trial in trials}


def record(first: int, end: int, file: Path, processes: int = 1) -> list[Trial]:
    """The trials of these seeds, those that the file lacks appended to it as they end."""
    known = recorded(file)
    missing = [seed for seed in range(first, end) if seed not in known]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        for trial in trials_of(missing, processes):
            known[trial.seed] = trial
            lines.write(json.dumps(asdict(trial)) + "\n")
            lines.flush()
    return [known[seed] for seed in range(first, end)]


def trials_of(seeds: list[int], processes: int) -> Iterator[Trial]:
    """The trial of each seed, as soon as it ends; each process computes with one thread."""
    if processes == 1:
        yield from map(_quietly, seeds)
        return
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_quietly, seed) for seed in seeds]):
            yield done.result()


def _quietly(seed: int) -> Trial:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tried(seed, METHODS)


def table(trials: list[Trial]) -> str:
    """Tried, agreed, refused, wrong, and how many of those that agreed other programs computed as well."""
    rows = [
        "| mechanisms | tried | agreed | as Pinocchio | as MuJoCo | refused | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, belongs in GROUPS.items():
        group = [trial for trial in trials if belongs(trial)]
        agreed = [trial for trial in group if trial.verdict == "agreed"]
        same = [sum(program in trial.programs for trial in agreed) for program in ("pinocchio", "mujoco")]
        refused, wrong = (sum(trial.verdict == verdict for trial in group) for verdict in ("refused", "wrong"))
        rows.append(f"| {name} | {len(group)} | {len(agreed)} | {same[0]} | {same[1]} | {refused} | {wrong} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="Try random mechanisms by seed.")
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int, help="the seed after the last")
    parser.add_argument("file", type=Path, help="one line a trial, JSON")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    found = record(given.first, given.end, given.file, given.processes)
    wrong = [trial for trial in found if trial.verdict == "wrong"]
    print(table(found))
    for trial in wrong:
        print(f"seed {trial.seed} ({', '.join(trial.tags)}): {trial.why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
