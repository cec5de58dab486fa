"""What rounding leaves of a computed position."""

from __future__ import annotations

ROUNDING = 1e-14  # of a coordinate, or of the mechanism's size: no iteration gets below it
