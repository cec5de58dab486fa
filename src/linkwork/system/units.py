"""Units of what goes with a coordinate: SI, by whether it is an angle or a length."""

from __future__ import annotations

from linkwork.elements.constraints.rows import ANGLE, PARALLEL

RATES = {"m": "m/s", "rad": "rad/s", "m/s": "m/s2", "rad/s": "rad/s2"}
FORCES = {"m": "N", "rad": "N m"}


def row_unit(kind: int) -> str:
    """Of the left-hand side of a constraint row of this kind (elements/constraints/rows.py)."""
    return "rad" if kind in (ANGLE, PARALLEL) else "m"


def rate_unit(unit: str) -> str:
    """Of the time derivative."""
    return RATES.get(unit, f"{unit}/s")


def generalized_force_unit(unit: str) -> str:
    """Of the generalized force that does work along a coordinate: N m for an angle, N for a length."""
    return FORCES[unit]
