"""The motion of a run as the frames of a film, drawn one by one and handed to a writer of matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.results.result import Result
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.still import canvas, draw_scene

if TYPE_CHECKING:
    from matplotlib.animation import AbstractMovieWriter

FRAMES, RATE = 60, 20  # at most; frames per second
SIZE, WIDTH = (6.4, 3.6), 640  # inch; pixels


def film(result: Result, path: Path, writer: AbstractMovieWriter) -> None:
    """Frames at equal intervals of time, each the sample nearest to it."""
    scene = scene_of(result, loads=False)
    figure, axes = canvas(SIZE)
    pixels = (WIDTH, int(WIDTH * SIZE[1] / SIZE[0]))
    with writer.saving(figure, str(path), dpi=WIDTH / SIZE[0]):
        for t in np.linspace(scene.t[0], scene.t[-1], min(FRAMES, len(scene.t))):
            axes.clear()
            draw_scene(axes, scene, int(np.argmin(np.abs(scene.t - t))), pixels)
            writer.grab_frame()
