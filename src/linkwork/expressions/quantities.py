"""Numbers as people write them: '25.4 mm', '1500 rpm', '2*rho*L'; each becomes one number in SI units.

A number followed by a unit is a quantity; pint reads it, and is loaded when the first one occurs.  Any other text is an
expression of parameters.  Radians count as a unit of their own: '50 Hz' is not an angular velocity.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.program import values
from linkwork.expressions.language.grammar import MAX_LENGTH
from linkwork.expressions.language.parser import parse
from linkwork.expressions.language.scope import WORDS
from linkwork.expressions.language.tokens import Token, token_at
from linkwork.expressions.language.units import is_of_time, no_units
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import pint
else:
    pint = lazy_module("pint")  # takes 0.7 s to import: only where there is a unit

FUNCTION, ELEMENT, VARIABLE = "function", "element", "variable"  # roles of a name in an expression
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*")
_NUMBER = r"(?>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
_QUANTITY = re.compile(rf"\s*(?P<number>{_NUMBER})\s*(?P<unit>[^\W\d_].*|[°%].*)", re.DOTALL)
# What pint is given: names and operators; numbers only as powers, one to a name or parenthesis, of one or two digits,
# since it would compute others.
_POWER = r"(?:\*\*|\^)\s*(?:-?[0-9]{1,2}(?:\.[0-9]{1,3})?|\(\s*-?[0-9]{1,2}(?:[./][0-9]{1,3})?\s*\))"
_UNIT = re.compile(
    rf"(?:{_POWER}(?!\s*(?:\*\*|\^))|[^\W\d]+(?:[0-9]{{1,2}}(?![0-9]|\s*(?:\*\*|\^)))?|[°%·]|[*/()\s])*+"
)
_LONGEST_UNIT = 100  # characters
Powers = dict[str, float]  # exponents of the SI base units, by pint's names
_LARGEST_POWER = 1000.0  # all powers of a unit multiplied, as parentheses within each other would
KNOWN_QUANTITIES = 4096  # kept with what pint makes of them: models are built again and again
_SI = r"(?:m|s|kg|N|rad|J|W|Pa|Hz|V|A|K)(?:[0-9]|\^[0-9.]+)?"
_SI_UNIT = re.compile(rf"(?:1/)?{_SI}(?:[ /]{_SI})*")
_WORDS = {
    "m": "a length", "kg": "a mass", "s": "a time", "rad": "an angle", "m/s": "a velocity", "m/s2": "an acceleration",
    "rad/s": "an angular velocity", "N": "a force", "N m": "a torque", "N/m": "a stiffness", "N s/m": "a damping",
    "N m/rad": "a torsional stiffness", "N m s/rad": "a torsional damping", "kg m2": "a moment of inertia",
    "kg/m3": "a density", "Hz": "a frequency", "Pa": "a pressure", "W": "a power", "J": "an energy",
}  # fmt: skip


PLAIN_UNITS: dict[str, Powers] = {  # as pint would have them, which is then not needed
    "m": {"meter": 1.0}, "kg": {"kilogram": 1.0}, "s": {"second": 1.0}, "rad": {"radian": 1.0}, "deg": {"radian": 1.0},
    "m/s": {"meter": 1.0, "second": -1.0}, "rad/s": {"radian": 1.0, "second": -1.0},
    "deg/s": {"radian": 1.0, "second": -1.0}, "m/s2": {"meter": 1.0, "second": -2.0},
    "kg/m3": {"kilogram": 1.0, "meter": -3.0}, "N": {"kilogram": 1.0, "meter": 1.0, "second": -2.0},
    "N/m": {"kilogram": 1.0, "second": -2.0}, "N s/m": {"kilogram": 1.0, "second": -1.0},
}  # fmt: skip


@lru_cache(maxsize=1024)
def units_in(description: str | None) -> tuple[str, ...]:
    """The SI units that a description begins with: 'rad or m, at the start' -> ('rad', 'm'); none: a plain number."""
    clause = re.split(r"[,;:]", description or "", maxsplit=1)[0].strip()
    units = tuple(clause.split(" or "))
    return units if all(_SI_UNIT.fullmatch(unit) for unit in units) else ()


def in_any_unit(description: str | None) -> bool:
    """Whether a field is a column of quantities of any one kind."""
    return (description or "").startswith("any unit,")


def units_of_column(column: object) -> tuple[str, ...]:
    """The unit of the first quantity in a column, of whose kind all must be; none: plain numbers."""
    texts = [item for item in column if isinstance(item, str)] if isinstance(column, (list, tuple)) else []
    found = [parts for text in texts if (parts := _QUANTITY.fullmatch(text))]
    return (found[0]["unit"].strip(),) if found else ()


def number_from_text(text: str, units: Sequence[str] | None, parameters: Mapping[str, float]) -> float:
    """The value, in SI units, of a quantity or of an expression of parameters.

    `units` are the SI units it may have; (): it is a plain number; None: any.  ValueError goes on from the name of the
    number: "is '3 m'; it must be a mass, e.g. '3 kg'"; ExpressionError marks the place in an expression.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"has {len(text)} characters; at most {MAX_LENGTH} are allowed")
    quantity = _QUANTITY.fullmatch(text)
    return _quantity(text, quantity, units) if quantity else constant(text, parameters)


def is_quantity(text: str) -> bool:
    """Whether a text is a number with a unit, and no expression."""
    return _QUANTITY.fullmatch(text) is not None


def number_and_unit(text: str) -> tuple[float, str]:
    """The two parts of a quantity, as they are written."""
    parts = _QUANTITY.fullmatch(text)
    if parts is None:
        raise ValueError(f"is {text!r}; write a number and a unit, such as '25.4 mm'")
    return float(parts["number"]), parts["unit"].strip()


def constant(text: str, parameters: Mapping[str, float]) -> float:
    """The value of an expression that does not depend on time."""
    program = parse(text, parameters)
    if not program.is_constant:
        raise ValueError(f"is {text!r}; it depends on the time t, and must be a constant")
    only = program.ops[0]
    value = float(only["value"]) if len(program.ops) == 1 and only["code"] == opcodes.CONST else values(program, 0.0)[0]
    if not math.isfinite(value):
        raise ValueError(f"is {text!r}; that has no finite value")
    return value


def names_in(text: str) -> list[str]:
    """The variables that an expression uses, as far as it can be read."""
    return [token.text for token, role in _words(text) if role == VARIABLE]


def with_values(text: str, parameters: Mapping[str, float]) -> str:
    """An expression with its parameters replaced by their values; t and everything else is kept."""
    return _replaced(
        text,
        lambda word, role: repr(parameters[word]).join("()") if role == VARIABLE and word in parameters else word,
    )


def with_names(text: str, names: Mapping[str, str]) -> str:
    """An expression with some of the elements that it refers to renamed, also as the part of a name before a dot."""

    def renamed(word: str, role: str) -> str:
        head, dot, rest = word.strip("'\"").partition(".")
        if role == FUNCTION or head not in names:
            return word
        new = names[head] + dot + rest
        return new if _PLAIN_NAME.fullmatch(new) else f"'{new}'"

    return _replaced(text, renamed)


def _replaced(text: str, new: Callable[[str, str], str]) -> str:
    """An expression with `new` of each of its names in its place."""
    pieces, position = [], 0
    for token, role in _words(text):
        word = text[token.position : token.stop]
        pieces.append(text[position : token.position] + (new(word, role) if role else word))
        position = token.stop
    return "".join(pieces) + text[position:]


def _words(text: str) -> Iterator[tuple[Token, str]]:
    """The tokens of an expression; names with their role.  Arguments of dist(A, B) and the like are elements."""
    calls: list[tuple[str, int]] = []  # open parentheses: the function before it, and which argument this is
    before, token = "", token_at(text, 0)
    while token.kind != "end":
        after = token_at(text, token.stop)
        role = ""
        if token.text == "(":
            calls.append((before, 0))
        elif token.text == ")" and calls:
            calls.pop()
        elif token.text == "," and calls:
            calls[-1] = (calls[-1][0], calls[-1][1] + 1)
        elif token.kind in ("name", "quoted"):
            function, argument = calls[-1] if calls else ("", 0)
            of_elements = function != "" and function not in WORDS and (function != "table" or argument == 0)
            role = FUNCTION if after.text == "(" else ELEMENT if of_elements else VARIABLE
        yield token, role
        before, token = token.text if role == FUNCTION else "", after


def _quantity(text: str, parts: re.Match[str], units: Sequence[str] | None) -> float:
    number, unit = parts["number"], parts["unit"].strip()
    value, dimension = _in_base_units(number, unit)
    fits = dimension is not None and (units is None or dimension in [_in_base_units("1", si)[1] for si in units])
    if not fits and is_of_time(unit):
        raise ValueError(f"is {text!r}; {no_units(text)}")
    if dimension is None:
        meant = _in_case(number, unit, units)
        raise ValueError(f"is {text!r}; there is no unit '{unit}'; {meant or remedy(number, units)}")
    if not fits:
        meant = _in_case(number, unit, units)
        other = f"the unit '{unit}' is of another kind; {meant}"
        raise ValueError(f"is {text!r}; {other if meant else remedy(number, units)}")
    return value


def _in_case(number: str, unit: str, units: Sequence[str] | None) -> str:
    """A hint at a unit that fits and differs in capitals alone: 'KG', 'MM', 'n'."""
    fitting = [_in_base_units("1", si)[1] for si in units or ()]
    tried = dict.fromkeys((unit.lower(), unit.capitalize(), unit.upper()))
    return next((f"did you mean '{number} {one}'?" for one in tried if _in_base_units("1", one)[1] in fitting), "")


def remedy(number: str, units: Sequence[str] | None) -> str:
    """What a quantity must be, "it must be a mass, e.g. '3 kg'"; None: of any unit, (): of none."""
    if not units:
        return "it is a plain number, without a unit" if units is not None else "write a unit such as 'mm' or 'deg/s'"
    return "it must be " + " or ".join(f"{_WORDS.get(u, f'a quantity in {u}')}, e.g. '{number} {u}'" for u in units)


@lru_cache(maxsize=KNOWN_QUANTITIES)
def _in_base_units(number: str, unit: str) -> tuple[float, Powers | None]:
    """A quantity in SI base units and the exponents of these; no exponents where pint does not know the unit."""
    if unit in PLAIN_UNITS:
        value = float(number)
        return math.radians(value) if unit.startswith("deg") else value, dict(PLAIN_UNITS[unit])
    names = unit.removeprefix("1/")
    if len(unit) > _LONGEST_UNIT or not _UNIT.fullmatch(names) or _all_powers(names) > _LARGEST_POWER:
        return math.nan, None
    powers = re.sub(r"(?<=[^\W\d_])([0-9]+)", r"**\1", unit.replace("^", "**"))
    try:
        found = _registry().Quantity(float(number), powers).to_base_units()
    except Exception:  # pint raises a dozen kinds, tokenize's and its own among them
        return math.nan, None
    return float(found.magnitude), {name: cast(float, power) for name, power in found.unit_items()}


def base_powers(unit: str) -> Powers | None:
    """The exponents of the SI base units, by pint's names, in a unit; None: there is no such unit."""
    return _in_base_units("1", unit)[1]


def in_words(powers: Powers | None) -> str:
    """What these exponents measure: 'a length (m)', 'a quantity in kg/m2', 'a plain number'."""
    if not powers:
        return "a plain number"
    for unit, words in _WORDS.items():
        if base_powers(unit) == powers:
            return f"{words} ({unit})"
    return f"a quantity in {unit_text(powers)}"


def unit_text(powers: Powers) -> str:
    """The unit of these exponents: 'kg m2/s3'."""
    short = {"meter": "m", "kilogram": "kg", "second": "s", "radian": "rad", "ampere": "A", "kelvin": "K"}
    above, below = (
        [f"{short.get(name, name)}{'' if abs(x) == 1 else f'{abs(x):g}'}" for name, x in powers.items() if sign * x > 0]
        for sign in (1, -1)
    )
    return "/".join([" ".join(above) or "1", *below])


def _all_powers(unit: str) -> float:
    return math.prod(max(1.0, float(number)) for number in re.findall(r"[0-9]+(?:\.[0-9]+)?", unit))


@cache
def _registry() -> pint.UnitRegistry[float]:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry()
    registry.define("rev = revolution")
    return registry
