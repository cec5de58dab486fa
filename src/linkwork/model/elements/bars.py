"""A bar between two points: where its frame is, and how it is turned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwork.expressions.quantities import number_from_text


class Bar(NamedTuple):
    """Length (m), middle (m, world), and the turn (rad) that takes the axis `along` of the frame into the bar."""

    length: float
    middle: list[float]
    along: str
    angle: float | None  # None: it is there already
    about: list[float] | None


def bar_between(start: Sequence[object] | np.ndarray, end: Sequence[object] | np.ndarray, of_yz: bool) -> Bar:
    """The bar from `start` to `end`, by the smallest turn; ValueError where they are one point."""
    P, Q = _point(start, "start"), _point(end, "end")
    length = float(np.linalg.norm(Q - P))
    if length == 0.0:
        raise ValueError(f"start and end are both {P.tolist()}; give two different points")
    along, e = ("y", np.array([0.0, 1.0, 0.0])) if of_yz else ("x", np.array([1.0, 0.0, 0.0]))
    d = (Q - P) / length
    about, cosine = np.cross(e, d), float(e @ d)
    sine = float(np.linalg.norm(about))
    middle = (0.5 * (P + Q)).tolist()
    if sine == 0.0 and cosine > 0.0:
        return Bar(length, middle, along, None, None)
    axis = about / sine if sine > 0.0 else np.array([1.0, 0.0, 0.0] if of_yz else [0.0, 0.0, 1.0])
    return Bar(length, middle, along, float(np.arctan2(sine, cosine)), axis.tolist())


def _point(given: Sequence[object] | np.ndarray, what: str) -> np.ndarray:
    """Three lengths, m; texts such as '25 mm' too."""
    parts = list(given)
    if len(parts) != 3:
        raise ValueError(f"{what} has {len(parts)} coordinates; a point has three")
    numbers = [number_from_text(x, ("m",), {}) if isinstance(x, str) else float(str(x)) for x in parts]
    if not np.isfinite(numbers).all():
        raise ValueError(f"{what} is {numbers}; coordinates are finite numbers")
    return np.array(numbers)
