"""A run in the formats of others, chosen by the end of the file name.  A new format is one line of FORMATS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from linkwork.errors import FileError, OptionError
from linkwork.results.result import Result
from linkwork.results.tables import write_csv, write_mat, write_netcdf
from linkwork.view.export.gltf import write_glb
from linkwork.view.scene.still import write_gif, write_video

FORMATS: dict[str, Callable[[Result, Path, Sequence[str]], None]] = {
    ".csv": write_csv,
    ".mat": write_mat,
    ".nc": write_netcdf,
    ".glb": write_glb,
    ".gif": write_gif,
    ".mp4": write_video,
}


def export(result: Result, path: str | Path, channels: Sequence[str] = ()) -> Path:
    """Write a run to a file: tables of channels (.csv, .mat, .nc), the motion in 3D (.glb), a film (.gif, .mp4)."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in FORMATS:
        raise OptionError(
            f"cannot export to '{target}'; the name must end with {', '.join(FORMATS)}", element=str(target)
        )
    if not target.parent.is_dir():
        raise FileError(
            f"cannot write '{target}': there is no folder '{target.parent}'; make it first", element=str(target)
        )
    for name in channels:
        result.channel(name)  # says what there is, before anything is written
    try:
        FORMATS[kind](result, target, channels)
    except OSError as error:
        raise FileError(f"cannot write '{target}': {error.strerror or error}", element=str(target)) from error
    return target
