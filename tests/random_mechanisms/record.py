"""Trials of many seeds, on record: `python tests/random_mechanisms/record.py 300 10000 out/trials.jsonl`.

Each trial is a line of the file; seeds that have a line are not tried again: a run that was stopped goes on where it
was.  Prints the table of docs/robustness.md, and what was wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
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


def record(first: int, end: int, file: Path) -> list[Trial]:
    """The trials of these seeds, those that the file lacks appended to it."""
    known = recorded(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        for seed in range(first, end):
            if seed not in known:
                known[seed] = tried(seed, METHODS)
                lines.write(json.dumps(asdict(known[seed])) + "\n")
                lines.flush()
    return [known[seed] for seed in range(first, end)]


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


if __name__ == "__main__":
    found = record(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    print(table(found))
    for trial in found:
        if trial.verdict == "wrong":
            print(f"seed {trial.seed} ({', '.join(trial.tags)}): {trial.why}")
