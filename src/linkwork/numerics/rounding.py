"""What rounding leaves of a computed position, and what it shall not decide."""

from __future__ import annotations

ROUNDING = 1e-14  # of a coordinate, or of the mechanism's size: no iteration gets below it
TIE = 1.0 + 1e-6  # of two pivots that are nearly as large the first is taken: on every machine the same
