"""The motion as a GIF, by Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.animation import PillowWriter

from linkwork.results.result import Result
from linkwork.view.export.film import RATE, film


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """The film of a run; channels have no part in it."""
    film(result, path, PillowWriter(fps=RATE))
