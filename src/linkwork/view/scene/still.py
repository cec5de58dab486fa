"""A picture of a scene, where there is no browser: triangles with light and depth, floor and traces by matplotlib."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.compiler.kernels import kernel
from linkwork.errors import OptionError
from linkwork.results.result import Result
from linkwork.view.scene.placed import PALETTE, poses, triangles_at
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # at run time inside the functions: it takes 0.5 s to import
    from matplotlib.figure import Figure

LIGHT = np.array([-0.45, 0.75, 0.65])  # from where it comes: right, up, towards the eye
AMBIENT, DIFFUSE, SHINE = 0.58, 0.5, 0.3
DPI = 150
FINER = 2  # pixels of the drawing in one of the picture, along each side
GIF_FRAMES, GIF_RATE, GIF_WIDTH = 60, 20, 640  # most frames, frames a second, pixels


def picture(
    scene: Scene, sample: int = 0, path: str | Path | None = None, size: tuple[float, float] = (8.0, 4.5)
) -> Figure:
    """The scene at a sample, with its traces, in a figure of a size (inch); written to `path` if given."""
    figure, axes = _canvas(size)
    seen = followed(scene, sample)
    _draw(axes, seen, sample, _Camera(seen, size[0] / size[1]), (int(size[0] * DPI), int(size[1] * DPI)))
    if path is not None:
        figure.savefig(path, dpi=DPI)
    return figure


def write_gif(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """The motion as a GIF, by Pillow."""
    from matplotlib.animation import PillowWriter

    _film(result, path, PillowWriter(fps=GIF_RATE))


def write_video(result: Result, path: Path, channels: Sequence[str] = ()) -> None:
    """The motion as a video, where ffmpeg is installed (or comes with imageio-ffmpeg)."""
    from matplotlib import rc_context
    from matplotlib.animation import FFMpegWriter

    program = _ffmpeg()
    if program is None:
        remedy = "install it (or pip install imageio-ffmpeg), or write a .gif"
        raise OptionError(f"'{path}' needs ffmpeg, which is not installed; {remedy}", element=str(path))
    with rc_context({"animation.ffmpeg_path": program}):
        _film(result, path, FFMpegWriter(fps=GIF_RATE))


def _ffmpeg() -> str | None:
    found = shutil.which("ffmpeg")
    if found is None and find_spec("imageio_ffmpeg"):
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    return found


def _film(result: Result, path: Path, writer: Any) -> None:
    """Every frame drawn and handed to a writer of matplotlib."""
    scene = scene_of(result, loads=False)
    size = (6.4, 3.6)
    figure, axes = _canvas(size)
    count = min(GIF_FRAMES, len(scene.t))
    pixels = (GIF_WIDTH, int(GIF_WIDTH * size[1] / size[0]))
    with writer.saving(figure, str(path), dpi=GIF_WIDTH / size[0]):
        for t in np.linspace(scene.t[0], scene.t[-1], count):
            axes.clear()
            sample = int(np.argmin(np.abs(scene.t - t)))
            seen = followed(scene, sample)
            _draw(axes, seen, sample, _Camera(seen, size[0] / size[1]), pixels)
            writer.grab_frame()


def followed(scene: Scene, sample: int) -> Scene:
    """The scene with its room where the body that the eye follows is at a sample."""
    if not scene.follow:
        return scene
    way = scene.position[sample, scene.follow - 1] - scene.position[0, scene.follow - 1]
    return replace(scene, low=tuple(np.array(scene.low) + way), high=tuple(np.array(scene.high) + way))


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

    figure = Figure(figsize=size, dpi=DPI)
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _draw(axes: Axes, scene: Scene, sample: int, camera: _Camera, pixels: tuple[int, int]) -> None:
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(camera.middle[0] - camera.half[0], camera.middle[0] + camera.half[0])
    axes.set_ylim(camera.middle[1] - camera.half[1], camera.middle[1] + camera.half[1])
    _draw_floor(axes, scene, camera)
    _draw_traces(axes, scene, camera)
    left, right, bottom, top = (*axes.get_xlim(), *axes.get_ylim())
    image = _painted(scene, sample, camera, pixels)
    axes.imshow(image, extent=(left, right, bottom, top), origin="lower", zorder=3, interpolation="bilinear")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    if len(scene.t) > 1:
        told = f"t = {scene.t[sample]:.3f} s"
        axes.text(0.985, 0.03, told, transform=axes.transAxes, ha="right", fontsize=9, color="0.4")


def _painted(scene: Scene, sample: int, camera: _Camera, pixels: tuple[int, int]) -> np.ndarray:
    """Bodies, joints and springs as an image [row, column, rgba], the lowest row first."""
    corners, normals, colors = triangles_at(scene, sample)
    wide, tall = pixels[0] * FINER, pixels[1] * FINER
    flat = camera.to_picture(corners)
    flat[..., :2] = (flat[..., :2] - camera.middle + camera.half) / (2.0 * camera.half) * np.array([wide, tall])
    shades = _shaded(np.repeat(colors, 3, axis=0), camera.to_picture(normals).reshape(-1, 3)).reshape(-1, 3, 3)
    image, depth = np.zeros((tall, wide, 4)), np.full((tall, wide), -np.inf)
    paint_triangles(flat, shades, depth, image)
    coarse = np.zeros((pixels[1], pixels[0], 4))
    for i in range(FINER):
        for j in range(FINER):
            coarse += image[i::FINER, j::FINER] / FINER**2
    return coarse


@kernel
def paint_triangles(corners, shades, depth, image):
    """Triangles [n, corner, (x, y, nearness)] in pixels, with colours at the corners; the nearest one is seen.

    Weights of the corners at a pixel are the areas of the triangles opposite to them (barycentric coordinates);
    triangles that turn their back are left out.  Opaque; image is RGBA.
    """
    tall, wide = depth.shape
    for n in range(corners.shape[0]):
        x0, y0 = corners[n, 0, 0], corners[n, 0, 1]
        x1, y1 = corners[n, 1, 0], corners[n, 1, 1]
        x2, y2 = corners[n, 2, 0], corners[n, 2, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area <= 1e-9:
            continue
        first, last = max(0, int(min(x0, x1, x2) - 0.5)), min(wide - 1, int(max(x0, x1, x2) + 0.5))
        for row in range(max(0, int(min(y0, y1, y2) - 0.5)), min(tall - 1, int(max(y0, y1, y2) + 0.5)) + 1):
            for column in range(first, last + 1):
                x, y = column + 0.5, row + 0.5
                a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                near = a * corners[n, 0, 2] + b * corners[n, 1, 2] + c * corners[n, 2, 2]
                if near > depth[row, column]:
                    depth[row, column] = near
                    image[row, column, 3] = 1.0
                    for k in range(3):
                        image[row, column, k] = a * shades[n, 0, k] + b * shades[n, 1, k] + c * shades[n, 2, k]


def _shaded(colors: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Colours under a light: ambient, diffuse and a highlight (Phong 1975)."""
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = LIGHT / np.linalg.norm(LIGHT)
    lit = np.clip(normals @ light, 0.0, 1.0)
    mirrored = np.clip(2.0 * lit * normals[:, 2] - light[2], 0.0, 1.0) ** 24
    return np.clip(colors * (AMBIENT + DIFFUSE * lit)[:, None] + SHINE * mirrored[:, None], 0.0, 1.0)


def _draw_floor(axes: Axes, scene: Scene, camera: _Camera) -> None:
    """A grid of lines below, one, two or five times a power of ten apart."""
    from matplotlib.collections import LineCollection

    low, high, up = np.array(scene.low), np.array(scene.high), np.array(scene.up)
    size = float(np.linalg.norm(high - low))
    power = 10.0 ** np.floor(np.log10(size / 8.0))
    step = power * max(d for d in (1, 2, 5) if d * power <= size / 8.0)
    across = [axis for axis in np.eye(3) if abs(axis @ up) < 0.5]
    height = up * scene.floor
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
