"""A picture of a scene by matplotlib, where there is no browser: triangles in the order of their depth, with light.

Orthographic; what is nearer is painted over what is farther (the painter's way), which is right for all but triangles
that pass through each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.results.result import Result
from linkwork.view.placed import PALETTE, poses, triangles_at
from linkwork.view.scene import Scene, scene_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # at run time inside the functions: it takes 0.5 s to import
    from matplotlib.figure import Figure

LIGHT = np.array([-0.45, 0.75, 0.65])  # from where it comes: right, up, towards the eye
AMBIENT, DIFFUSE, SHINE = 0.52, 0.5, 0.25
GIF_FRAMES, GIF_RATE, GIF_WIDTH = 90, 25, 640  # most frames, frames a second, pixels


def picture(scene: Scene, sample: int = 0, path: str | Path | None = None, size: tuple[float, float] = (8, 4.5)) -> Figure:
    """The scene at a sample, with its traces; written to `path` if given."""
    figure, axes = _canvas(size)
    _draw(axes, scene, sample, _Camera(scene, size[0] / size[1]))
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure


def write_gif(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """The motion as a GIF, by Pillow."""
    from matplotlib.animation import PillowWriter

    with _filmed(result, path, PillowWriter(fps=GIF_RATE)):
        pass


def write_video(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """The motion as a video, where ffmpeg is installed."""
    from matplotlib.animation import FFMpegWriter

    if not FFMpegWriter.isAvailable():
        raise OptionError(f"'{path}' needs ffmpeg, which is not installed; install it, or write a .gif", element=str(path))
    with _filmed(result, path, FFMpegWriter(fps=GIF_RATE)):
        pass


@contextmanager
def _filmed(result: Result, path: Path, writer: Any) -> Iterator[None]:
    """Every frame drawn and handed to a writer of matplotlib."""
    scene = scene_of(result, loads=False)
    size = (6.4, 3.6)
    figure, axes = _canvas(size)
    camera = _Camera(scene, size[0] / size[1])
    count = min(GIF_FRAMES, len(scene.t))
    with writer.saving(figure, str(path), dpi=GIF_WIDTH / size[0]):
        for t in np.linspace(scene.t[0], scene.t[-1], count):
            axes.clear()
            _draw(axes, scene, int(np.argmin(np.abs(scene.t - t))), camera)
            writer.grab_frame()
        yield


class _Camera:
    """Directions of the picture and its frame."""

    def __init__(self, scene: Scene, aspect: float) -> None:
        self.eye = np.array(scene.look)
        self.right = np.cross(scene.up, self.eye)
        self.right /= np.linalg.norm(self.right)
        self.over = np.cross(self.eye, self.right)
        self.axes = np.stack([self.right, self.over, self.eye])
        corners = np.array([[(scene.low, scene.high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
        flat = self.to_picture(corners)[:, :2]
        self.middle = (flat.min(axis=0) + flat.max(axis=0)) / 2.0
        wide, tall = (flat.max(axis=0) - flat.min(axis=0)) / 2.0 * 1.08
        self.half = np.array([max(wide, tall * aspect), max(tall, wide / aspect)])

    def to_picture(self, points: np.ndarray) -> np.ndarray:
        """Right, up and towards the eye, m."""
        return points @ self.axes.T


def _canvas(size: tuple[float, float]) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=150)
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _draw(axes: Axes, scene: Scene, sample: int, camera: _Camera) -> None:
    from matplotlib.collections import PolyCollection

    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(camera.middle[0] - camera.half[0], camera.middle[0] + camera.half[0])
    axes.set_ylim(camera.middle[1] - camera.half[1], camera.middle[1] + camera.half[1])
    _draw_floor(axes, scene, camera)
    _draw_traces(axes, scene, camera)
    corners, normals, colors = triangles_at(scene, sample)
    flat = camera.to_picture(corners)
    facing = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])[:, 2] > 0.0
    order = np.argsort(flat[facing].mean(axis=1)[:, 2])
    shades = _shaded(np.array(colors)[facing][order], camera.to_picture(normals[facing][order].mean(axis=1)))
    axes.add_collection(
        PolyCollection(list(flat[facing][order][:, :, :2]), facecolors=shades, edgecolors=shades, linewidths=0.35)
    )
    if len(scene.t) > 1:
        axes.text(0.985, 0.03, f"t = {scene.t[sample]:.3f} s", transform=axes.transAxes, ha="right", fontsize=9, color="0.4")


def _shaded(colors: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Colours under a light: ambient, diffuse and a highlight (Phong 1975)."""
    from matplotlib.colors import to_rgb

    palette = {name: to_rgb(name) for name in np.unique(colors)}
    rgb = np.array([palette[name] for name in colors]).reshape(-1, 3)
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = LIGHT / np.linalg.norm(LIGHT)
    lit = np.clip(normals @ light, 0.0, 1.0)
    mirrored = np.clip(2.0 * lit * normals[:, 2] - light[2], 0.0, 1.0) ** 24
    return np.clip(rgb * (AMBIENT + DIFFUSE * lit)[:, None] + SHINE * mirrored[:, None], 0.0, 1.0)


def _draw_floor(axes: Axes, scene: Scene, camera: _Camera) -> None:
    """A grid of lines below, one, two or five times a power of ten apart."""
    from matplotlib.collections import LineCollection

    low, high, up = np.array(scene.low), np.array(scene.high), np.array(scene.up)
    size = float(np.linalg.norm(high - low))
    power = 10.0 ** np.floor(np.log10(size / 8.0))
    step = power * max(d for d in (1, 2, 5) if d * power <= size / 8.0)
    across = [axis for axis in np.eye(3) if abs(axis @ up) < 0.5]
    height = up * min(low @ up, high @ up)
    middle = [step * round(float((low + high) @ axis / 2.0 / step)) for axis in across]
    count = int(np.ceil(0.75 * size / step))
    ends, strength = [], []
    for n in range(-count, count + 1):
        for k in (0, 1):
            fixed = (middle[k] + n * step) * across[k] + height
            span = [(middle[1 - k] + s * count * step) * across[1 - k] + fixed for s in (-1, 1)]
            ends.append(camera.to_picture(np.array(span))[:, :2])
            strength.append(0.75 - 0.55 * abs(n) / (count + 1))
    axes.add_collection(LineCollection(ends, colors=[(0.55, 0.6, 0.68, a) for a in strength], linewidths=0.5))


def _draw_traces(axes: Axes, scene: Scene, camera: _Camera) -> None:
    R, p = poses(scene)
    for trace in scene.traces:
        if trace.shown and len(scene.t) > 1:
            path = camera.to_picture(p[:, trace.body] + R[:, trace.body] @ np.array(trace.at))
            axes.plot(path[:, 0], path[:, 1], color=PALETTE[(trace.body - 1) % len(PALETTE)], linewidth=1.0, alpha=0.6)
