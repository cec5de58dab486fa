"""Instructions of each step of the HMMWV in real time, by Valgrind: python -m benchmarks.instructions [STEPS]

The runs of benchmarks.real_time, one of each, STEPS long (all 5000 unless given): a step is one call of the compiled
loop of the native library, from its first instruction to its last, those of the mathematical library included.  Their
number depends on no other program, no hypervisor and no clock.  All 200 runs of a drive are alike, so that what one
counts is what each of the 10^6 steps takes.

Printed are the first step, which starts the integrator, the last, which takes a sample besides, and of those between
the median, the least and the most, and how many take as many as the median.  Valgrind runs the program some fifty times
slower: three minutes a drive.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.real_time import COUNT, INTEGRATORS, MANOEUVRES, Drive, manoeuvre

LOOP = "lw_integrators_loop_advance_advance"  # of the native library
BEGIN = "--drive"


def drive(name: str, integrator: str, steps: int) -> None:
    """What is counted."""
    run = Drive(manoeuvre(name), "synthesis", integrator).run()
    run.chunk(0)
    for _ in range(steps):
        run.chunk(1)


def counted(name: str, integrator: str, steps: int) -> np.ndarray:
    """Instructions of each step; refused without Valgrind or the native library."""
    with TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/step", f"--toggle-collect={LOOP}",
            f"--dump-after={LOOP}", sys.executable, "-m", "benchmarks.instructions", BEGIN, name, integrator,
            str(steps),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, env=dict(os.environ, LINKWORK_BACKEND="native"))
        dumps = sorted(Path(folder).glob("step.*"), key=lambda file: int(file.suffix[1:]))
        found = [_total(file) for file in dumps]
    if len(found) <= steps:
        raise SystemExit(f"{len(found)} calls of {LOOP} were counted, not {steps + 1}: is the native library built?")
    return np.array(found[1 : steps + 1])


def _total(file: Path) -> int:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("totals:"))


def described(found: np.ndarray) -> str:
    """In a line."""
    between = found[1:-1]
    middle = int(np.median(between))
    alike, near = int((between == middle).sum()), int((np.abs(between - middle) <= 0.01 * middle).sum())
    return (f"first {found[0]}, last {found[-1]}; of the {between.size} between median {middle}, least "
            f"{between.min()}, most {between.max()}; {alike} as the median, {near} within 1 % of it")  # fmt: skip


def main() -> None:
    """All manoeuvres, both fixed-step integrators."""
    if sys.argv[1:2] == [BEGIN]:
        drive(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        return
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else COUNT
    for name in MANOEUVRES:
        for integrator in INTEGRATORS:
            print(f"{name}, {integrator}: {described(counted(name, integrator, steps))}", flush=True)


if __name__ == "__main__":
    main()
