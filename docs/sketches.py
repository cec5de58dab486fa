"""What the pictures of "Why did my run fail" share: axes, links, pins, supports, arrows; which function draws which."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from linkwork.errors import Entry

BLUE, RED, GREEN, GREY, INK = "#0072b2", "#d55e00", "#009e73", "#9a9a9a", "#333333"
Point = tuple[float, float]
PICTURES: dict[Entry, Callable[[Figure], None]] = {}


def shows(entry: Entry) -> Callable[[Callable[[Figure], None]], Callable[[Figure], None]]:
    """Marks the function that draws the picture of an entry."""

    def mark(draw: Callable[[Figure], None]) -> Callable[[Figure], None]:
        PICTURES[entry] = draw
        return draw

    return mark


def sketch(figure: Figure, where: tuple[int, int, int] = (1, 1, 1)) -> Axes:
    """Axes without frame, equal scales."""
    axes = figure.add_subplot(*where)
    axes.set_aspect("equal")
    axes.axis("off")
    return axes


def plot(figure: Figure, x: str, y: str, where: tuple[int, int, int] = (1, 1, 1)) -> Axes:
    """Axes of a curve."""
    axes = figure.add_subplot(*where)
    axes.set_xlabel(x, fontsize=8)
    axes.set_ylabel(y, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="0.9", linewidth=0.6)
    return axes


def bar(axes: Axes, *points: Point, color: str = BLUE, style: str = "-") -> None:
    """Links from pin to pin."""
    axes.plot(
        *zip(*points, strict=True), style, color=color, lw=4 if style == "-" else 2, solid_capstyle="round", zorder=2
    )
    axes.plot(*zip(*points, strict=True), "o", ms=7, mfc="white", mec=INK, mew=1.4, zorder=3)


def support(axes: Axes, at: Point, size: float = 0.16) -> None:
    """A bracket on the ground."""
    x, y = at
    axes.fill([x, x - size, x + size], [y, y - 1.4 * size, y - 1.4 * size], fc="0.85", ec=INK, lw=1, zorder=0)


def text(axes: Axes, at: Point, words: str, color: str = INK, align: str = "center") -> None:
    """Words in the picture."""
    axes.text(*at, words, color=color, fontsize=8, ha=align, va="center")


def arrow(axes: Axes, start: Point, end: Point, color: str = RED) -> None:
    """A force or a motion."""
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    )


def meeting(a: Point, r: float, b: Point, s: float, side: float = 1.0) -> Point:
    """Where circles about a and b meet."""
    A, B = np.array(a), np.array(b)
    d = np.linalg.norm(B - A)
    along = (r**2 - s**2 + d**2) / (2 * d)
    across = side * np.sqrt(max(r**2 - along**2, 0.0))
    u = (B - A) / d
    x, y = A + along * u + across * np.array([-u[1], u[0]])
    return float(x), float(y)


def ring(at: Point, radius: float) -> Circle:
    """A magnifying glass, or what is below it."""
    return Circle(at, radius, fill=False, ec=GREY, lw=1.2)


def boxed(axes: Axes, at: Point, words: str, color: str = INK, width: float = 1.6, height: float = 0.5) -> None:
    """Words in a box."""
    corner = (at[0] - width / 2, at[1] - height / 2)
    axes.add_patch(
        FancyBboxPatch(corner, width, height, boxstyle="round,pad=0.02,rounding_size=0.1", fc="white", ec=color)
    )
    text(axes, at, words, color)
