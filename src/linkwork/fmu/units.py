"""Units in the XML of an FMU: our texts ("N m", "rad/s2") as exponents of the SI base units."""

from __future__ import annotations

import re
from collections import Counter

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2}, "Hz": {"s": -1}, "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
}  # fmt: skip
_FACTOR = re.compile(r"(/?)\s*([A-Za-z]+|1)([0-9]?)")


def exponents(unit: str) -> dict[str, int] | None:
    """Of the base units that are not 0; None for a unit that we do not know."""
    if not re.fullmatch(rf"(?:{_FACTOR.pattern}\s*)*", unit):
        return None
    total: Counter[str] = Counter()
    for slash, name, power in _FACTOR.findall(unit):
        parts = {name: 1} if name in BASE else DERIVED.get(name, None if name != "1" else {})
        if parts is None:
            return None
        for base, exponent in parts.items():
            total[base] += exponent * int(power or 1) * (-1 if slash else 1)
    return {base: total[base] for base in BASE if total[base]}
