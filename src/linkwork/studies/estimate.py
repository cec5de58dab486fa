"""What a study will take, estimated before it starts: time, disk, memory; what does not fit is refused."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from linkwork.errors import OptionError

ROW = 40  # bytes of a row beside its numbers: run, status, drift, Parquet's own
IN_MEMORY = 600  # bytes of a row in memory beside its numbers, with the Python objects that hold it
NUMBER = 8  # bytes


@dataclass(frozen=True)
class Estimate:
    """For `runs` runs still to make, of so many in all."""

    runs: int
    of: int
    seconds: float
    disk: int  # bytes of the table

    def __str__(self) -> str:
        table = f", table about {size_text(self.disk)}" if self.disk else ""
        return f"{self.runs} of {self.of} runs to go, about {time_text(self.seconds)}{table}"


def refuse_too_large(runs: int, columns: int, out: Path | None) -> int:
    """The bytes of the table on disk (0: none); a study larger than memory or disk is refused."""
    memory, free = runs * columns * NUMBER * 3, available_memory()
    memory += 0 if out is not None else runs * IN_MEMORY
    if memory > free:
        remedy = "take fewer runs" + ("" if out is not None else ", or a table on disk: out = FOLDER")
        raise OptionError(
            f"the study has {runs} runs: its table needs {size_text(memory)} of memory, and {size_text(free)} are "
            f"free; {remedy}",
            element="vary",
        )
    if out is None:
        return 0
    disk = runs * (columns * NUMBER + ROW)
    folder = next(folder for folder in (out.resolve(), *out.resolve().parents) if folder.is_dir())
    room = shutil.disk_usage(folder).free
    if disk > room:
        raise OptionError(
            f"the study has {runs} runs: its table needs {size_text(disk)}, and '{folder}' has {size_text(room)} free; "
            "take fewer runs or outputs, or another disk",
            element="out",
        )
    return disk


def available_memory() -> int:
    """Bytes that this machine has left."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4 * 2**30


def size_text(size: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def time_text(seconds: float) -> str:
    """Seconds for people."""
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 72 * 3600 else f"{seconds / 86400:.1f} days"
