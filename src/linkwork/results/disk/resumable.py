"""A run on disk that can go on: its samples until its newest checkpoint, and that checkpoint."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork import __version__
from linkwork.errors import FileError
from linkwork.results.disk.checkpoints import Checkpoint, unpacked
from linkwork.results.disk.checksums import rows_sum
from linkwork.results.reading import BROKEN, load_result, opened
from linkwork.results.result import BY_EVENT, SAMPLED, Result

if TYPE_CHECKING:
    import h5py

_STILL = 0.4  # s, in which a file that is being written would change


@dataclass(frozen=True)
class Resumed:
    """A run that goes on: its samples and steps until a checkpoint, and that."""

    result: Result
    checkpoint: Checkpoint


def load_resumable(path: str | Path) -> Resumed:
    """A run until its newest checkpoint; a FileError says why it cannot go on."""
    path = Path(path)
    result = load_result(path)
    if result.certificate.status != "stopped" or not _goes_on(result):
        ended = f"ended at t = {result.certificate.t_end:.6g} s ({result.certificate.status})"
        raise _refusal(path, f"the run has {ended}; there is nothing left to do")
    before = path.stat()
    time.sleep(_STILL)
    if (before.st_mtime_ns, before.st_size) != (path.stat().st_mtime_ns, path.stat().st_size):
        raise _refusal(path, "it is still being written; stop that run first")
    with opened(path) as (file, _, _):
        try:
            kept = _newest(file["log"])
        except BROKEN:
            kept = None
    if kept is None:
        raise _refusal(path, "it has no whole checkpoint (it stopped too soon, or the file is cut); simulate again")
    version, checkpoint = kept
    if version != __version__:
        raise _refusal(path, f"linkwork {version} has written it, and this is {__version__}; simulate again")
    return Resumed(_until(path, result, checkpoint), checkpoint)


def _goes_on(result: Result) -> bool:
    """Whether a run that stopped was killed or interrupted, and not ended by an event of its model."""
    return result.certificate.interrupted or not any(BY_EVENT in text for text in result.certificate.warnings)


def _newest(log: h5py.Group) -> tuple[str, Checkpoint] | None:
    slots = [unpacked(slot.tobytes()) for slot in log["checkpoint"][:]]
    return max((slot for slot in slots if slot), key=lambda slot: int(slot[1].facts["sequence"]), default=None)


def _until(path: Path, result: Result, checkpoint: Checkpoint) -> Result:
    """The rows that there were at the checkpoint."""
    sums = checkpoint.facts["sums"]
    part = replace(result.part(slice(0, sums["t"][0])), steps=result.steps[: sums["steps/t"][0]])
    columns = {name: getattr(part, name) for name in SAMPLED}
    columns |= {f"steps/{name}": part.steps[name] for name in part.steps.dtype.names or ()}
    for name, rows in columns.items():
        if [len(rows), rows_sum(rows)] != sums[name]:
            raise _refusal(path, f"'{name}' is not as it was at the checkpoint; simulate again")
    return part


def _refusal(path: Path, why: str) -> FileError:
    return FileError(f"'{path}' cannot be resumed: {why}", element=str(path))
