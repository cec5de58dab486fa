"""Units that people write into an expression, which has none: its numbers, and its value, are in SI units.

'3*t deg' is answered with '3*t*pi/180'.
"""

from __future__ import annotations

import re
from collections.abc import Container

FACTORS = {  # of units in SI units; "": nothing to write
    "rad": "", "m": "", "s": "", "kg": "", "N": "", "J": "", "W": "", "Pa": "", "Hz": "", "deg": "pi/180",
    "degree": "pi/180", "degrees": "pi/180", "rpm": "pi/30", "rev": "2*pi", "mm": "0.001", "cm": "0.01", "km": "1000",
    "inch": "0.0254", "ft": "0.3048", "ms": "0.001", "kN": "1000", "MN": "1e6", "kJ": "1000", "kW": "1000",
}  # fmt: skip
PLAIN = "an expression takes no units: its numbers are in SI units (m, rad, s, N)"
_UNIT = re.compile(r"(?P<sign>\s*[*/]|)\s*(?<![\w.])(?P<unit>[^\W\d_]+)\b(?!\s*[(\w.])")


def is_unit(name: str, known: Container[str] = ()) -> bool:
    """Whether a name that means nothing else is a unit."""
    return name in FACTORS and name not in known


def no_units(text: str, known: Container[str] = ()) -> str:
    """A sentence on units in an expression, with the expression that is meant; `known`: names that are no units."""
    meant = without_units(text, known)
    return PLAIN if meant == text else f"{PLAIN}; write '{meant}'"


def without_units(text: str, known: Container[str] = ()) -> str:
    """An expression with factors in place of its units: '30 rpm*t' -> '30*pi/30*t'.  '2t' is twice the time."""

    def factor(found: re.Match[str]) -> str:
        before = found.string[: found.start()].rstrip()[-1:]
        if not is_unit(found["unit"], known) or not (before.isalnum() or before in (")", ".")):
            return found[0]
        number = FACTORS[found["unit"]]
        if "/" in found["sign"]:
            number = f"({number})" if "/" in number or "*" in number else number
        return f"{found['sign'] or '*'}{number}" if number else ""

    apart = re.sub(r"(?<=[0-9])(?=[^\W\d_])(?![eE][-+]?[0-9])", " ", text)
    return _UNIT.sub(factor, re.sub(r"(?<=[0-9.])\s+t\b(?!\s*\()", "*t", apart))


def is_of_time(unit: str) -> bool:
    """Whether what follows a number, and is no unit, is the rest of an expression: 'deg*t', 'mm + 2'."""
    return re.search(r"(?<![\w.])t(?![\w.])|\+|\s-\s", unit) is not None
