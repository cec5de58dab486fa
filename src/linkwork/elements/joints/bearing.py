"""Where a joint bears its load, and where the friction of that load acts (elements/forces/friction.py)."""

from __future__ import annotations

from typing import NamedTuple

from linkwork.elements.joints.equations import Row

# How friction is directed.
LINE = 0  # along or about z of F
BALL = 1  # against the angular velocity of M in F
PLANE = 2  # against the sliding of M's origin across z of F


class Bearing(NamedTuple):
    """What friction of a joint needs to know of it.

    A unit of friction is a force `along` its line and a moment `about` it.
    """

    rows: tuple[Row, ...]  # whose multipliers are the load, N, at right angles to each other
    along: float = 0.0
    about: float = 0.0  # m, arm of a friction force; 1 where a unit of friction is a moment, N m
    direction: int = LINE
    across: bool = False  # only the part of the load across z counts
    factor: float = 1.0  # friction for a unit load and a coefficient of 1: N, or N m
