"""A picture of a scene, where there is no browser: triangles with light and depth, floor and traces by matplotlib."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.lazy_import import lazy_functions
from linkwork.view.scene.painting import paint_triangles
from linkwork.view.scene.scene import Scene
from linkwork.view.scene.snapshot import PALETTE, poses, triangles_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
else:  # matplotlib takes 0.5 s to import
    (FigureCanvasAgg,) = lazy_functions("matplotlib.backends.backend_agg", "FigureCanvasAgg")
    (LineCollection,) = lazy_functions("matplotlib.collections", "LineCollection")
    (Figure,) = lazy_functions("matplotlib.figure", "Figure")

LIGHT = np.array([-0.45, 0.75, 0.65])  # from where it comes: right, up, towards the eye
AMBIENT, DIFFUSE, SHINE = 0.58, 0.5, 0.3
DPI = 150
FINER = 2  # pixels of the drawing in one of the picture, along each side


def picture(
    scene: Scene, sample: int = 0, path: str | Path | None = None, size: tuple[float, float] = (8.0, 4.5)
) -> Figure:
    """The scene at a sample, with its traces, in a figure of a size (inch); written to `path` if given."""
    figure, axes = canvas(size)
    draw_scene(axes, scene, sample, (int(size[0] * DPI), int(size[1] * DPI)))
    if path is not None:
        figure.savefig(path, dpi=DPI)
    return figure


def canvas(size: tuple[float, float]) -> tuple[Figure, Axes]:
    """A figure of a size (inch) that its axes fill."""
    figure = Figure(figsize=size, dpi=DPI)
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.0, 0.0, 1.0, 1.0))


def draw_scene(axes: Axes, scene: Scene, sample: int, pixels: tuple[int, int]) -> None:
    """Floor, traces and everything that has a surface, at a sample."""
    scene = _followed(scene, sample)
    camera = _Camera(scene, pixels[0] / pixels[1])
    axes.set_axis_off()
    axes.set_aspect("equal")
    left, right, bottom, top = camera.limits
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    _draw_floor(axes, scene, camera)
    _draw_traces(axes, scene, camera)
    image = _painted(scene, sample, camera, pixels)
    axes.imshow(image, extent=(left, right, bottom, top), origin="lower", zorder=3, interpolation="bilinear")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    if len(scene.t) > 1:
        time = f"t = {scene.t[sample]:.3f} s"
        axes.text(0.985, 0.03, time, transform=axes.transAxes, ha="right", fontsize=9, color="0.4")


def _followed(scene: Scene, sample: int) -> Scene:
    """The scene with its bounds moved to where the body that the camera follows is at a sample."""
    if not scene.follow:
        return scene
    shift = scene.position[sample, scene.follow - 1] - scene.position[0, scene.follow - 1]
    return replace(scene, low=tuple(np.array(scene.low) + shift), high=tuple(np.array(scene.high) + shift))


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

    @property
    def limits(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of the picture, m."""
        (x, y), (w, h) = self.middle.tolist(), self.half.tolist()
        return x - w, x + w, y - h, y + h

    def to_picture(self, points: np.ndarray) -> np.ndarray:
        """Right, up and towards the eye, m."""
        projected: np.ndarray = points @ self.axes.T
        return projected


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


def _shaded(colors: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Colours under a light: ambient, diffuse and a highlight (Phong 1975)."""
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = LIGHT / np.linalg.norm(LIGHT)
    lit = np.clip(normals @ light, 0.0, 1.0)
    mirrored = np.clip(2.0 * lit * normals[:, 2] - light[2], 0.0, 1.0) ** 24
    shades: np.ndarray = np.clip(colors * (AMBIENT + DIFFUSE * lit)[:, None] + SHINE * mirrored[:, None], 0.0, 1.0)
    return shades


def _draw_floor(axes: Axes, scene: Scene, camera: _Camera) -> None:
    """A grid of lines below, one, two or five times a power of ten apart."""
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
