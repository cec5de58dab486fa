"""The whole state of a run between two chunks, kept so that it can go on later, to the bit.

Everything that the next step may read is kept: state, integrator and control, progress, and the workspace but for what
is filled anew before it is read (SCRATCH; tests/faults/test_resume.py fills it with NaN and sees no difference); the
trajectory of the post-check, and the certificate as it stands.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import FileError
from linkwork.formulations.workspace import Work
from linkwork.results.disk.checkpoints import Checkpoint, Keeper
from linkwork.results.result import Certificate, Recorder

if TYPE_CHECKING:
    from linkwork.analyses.simulate.forward_run import ForwardRun

# Not kept: addresses of this process, and copies that only last while a sample is taken.
SCRATCH = ("stages", "kept_basis", "kept_order", "kept_error_scales", "kept_method")
SHARE = 0.05  # of the time of a run that keeping it may take
MOST_BYTES = 2**27  # of a checkpoint; larger runs are not kept


class Checkpoints:
    """Keeps a run from time to time, where a recorder can."""

    def __init__(self, recorders: Sequence[Recorder]) -> None:
        self.keepers = [recorder for recorder in recorders if isinstance(recorder, Keeper)]
        self.next = 0.0  # s, of the clock

    def offer(self, run: ForwardRun) -> None:
        """Between two chunks: keep the run, unless that was done just now."""
        began = time.perf_counter()
        if not self.keepers or began < self.next:
            return
        arrays = dict(arrays_of(run)) | dict(_trajectory(run))
        if sum(array.nbytes for array in arrays.values()) > MOST_BYTES:
            self.keepers = []
            return
        for keeper in self.keepers:
            keeper.keep(_facts(run), arrays)
        ended = time.perf_counter()
        self.next = ended + (ended - began) / SHARE


def restore(run: ForwardRun, checkpoint: Checkpoint) -> None:
    """Make a run that is ready to begin what it was when it was kept."""
    facts, arrays = checkpoint.facts, checkpoint.arrays
    run.choice.take_up(facts["integrator"])
    for name, array in arrays_of(run):
        _fill(name, array, arrays)
    run.rows_held = run.work.row_state.copy()
    trajectory = run.post_check.trajectory
    last = np.frombuffer(arrays["trajectory.last"], float)
    trajectory.resume(np.frombuffer(arrays["trajectory"], float).reshape(-1, len(last)), last, facts["since"])
    run.post_check.warnings[:] = facts["branches"]
    run.resolution.take_up(facts["resolution"])
    known = {f.name for f in fields(Certificate)}
    for name, value in facts["certificate"].items():
        if name in known:
            setattr(run.certificate, name, value)


def _facts(run: ForwardRun) -> dict[str, Any]:
    return {
        "since": float(run.post_check.trajectory.since[0]),
        "branches": run.post_check.warnings,
        "resolution": run.resolution.as_facts(),
        "certificate": asdict(run.certificate),
        "integrator": run.choice.as_facts(),
    }


def arrays_of(run: ForwardRun) -> Iterator[tuple[str, np.ndarray]]:
    """What a run is made of, in place."""
    yield "y", run.y
    yield "angles", run.angles
    for name in ("memory", "control", "progress", "event_location"):
        yield name, getattr(run.buffers, name)
    yield from ((f"work.{name}", getattr(run.work, name)) for name in Work._fields if name not in SCRATCH)


def _trajectory(run: ForwardRun) -> Iterator[tuple[str, np.ndarray]]:
    table = run.post_check.trajectory.table()
    yield "trajectory", table[:-1]
    yield "trajectory.last", table[-1]


def _fill(name: str, array: np.ndarray, kept: Mapping[str, bytes]) -> None:
    content = kept.get(name, b"")
    if len(content) != array.nbytes:
        raise FileError(f"the run cannot be resumed: its checkpoint has no '{name}' of this size; simulate again")
    array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)
