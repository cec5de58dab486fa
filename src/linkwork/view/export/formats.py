"""A run in the formats of other programs, chosen by the suffix of the file.  A new format is one line of FORMATS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from linkwork.lazy_import import lazy_module
from linkwork.output_files import output_file, writing

if TYPE_CHECKING:
    from linkwork.results.result import Result


class Format(Protocol):
    """A module that writes one format."""

    def write(self, result: Result, path: Path, channels: Sequence[str]) -> None:
        """Write the run; of tables only the named channels, or all if none is named."""


def _format(module: str) -> Format:
    return cast(Format, lazy_module(f"linkwork.view.export.{module}"))


FORMATS = {
    ".csv": _format("csv_table"),
    ".mat": _format("matlab"),
    ".nc": _format("netcdf"),
    ".glb": _format("gltf"),
    ".gif": _format("gif"),
    ".mp4": _format("video"),
}


def export(result: Result, path: str | Path, channels: Sequence[str] = ()) -> Path:
    """Write a run to a file: tables of channels (.csv, .mat, .nc), the motion in 3D (.glb), a film (.gif, .mp4)."""
    target = output_file(path, "a run", FORMATS)
    for name in channels:
        result.channel(name)  # an unknown name is refused before anything is written
    with writing(target):
        FORMATS[target.suffix.lower()].write(result, target, channels)
    return target
