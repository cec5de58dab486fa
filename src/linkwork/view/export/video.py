"""The motion as a video, where ffmpeg is installed (or comes with imageio-ffmpeg)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.animation import FFMpegWriter

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_module
from linkwork.results.result import Result
from linkwork.view.export.film import RATE, film

if TYPE_CHECKING:
    import imageio_ffmpeg
else:
    imageio_ffmpeg = lazy_module("imageio_ffmpeg")  # may not be installed


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """The film of a run; channels have no part in it."""
    program = ffmpeg()
    if program is None:
        remedy = "install it (or pip install imageio-ffmpeg), or write a .gif"
        raise OptionError(f"'{path}' needs ffmpeg, which is not installed; {remedy}", element=str(path))
    with rc_context({"animation.ffmpeg_path": program}):
        film(result, path, FFMpegWriter(fps=RATE))


def ffmpeg() -> str | None:
    """Where the program is; None: nowhere."""
    found = shutil.which("ffmpeg")
    if found is None and find_spec("imageio_ffmpeg"):
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    return found
