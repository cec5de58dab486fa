"""What an expression of parameters measures: powers of the base units, as far as its parts are known.

A product multiplies what its parts measure; a number in it is a pure number, one that has a unit of its own is a
parameter with that unit.  Parts of a sum, of a comparison, of min, max and if measure the same; there a number, alone
or times something dimensionless, may be anything (0.5 + r).  Angles are pure numbers: an arc is r*phi.  What is not
known, such as t, a measure, or a parameter without a unit, is not checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.kernels.program import MAX_DEPTH
from linkwork.expressions.language.functions import FUNCTIONS
from linkwork.expressions.language.grammar import BINDING, COMPARISONS, UNARY
from linkwork.expressions.language.reader import Reader
from linkwork.expressions.language.tokens import Token
from linkwork.expressions.quantities import Powers, base_powers, constant, in_words

MAX_LEVELS = 3 * MAX_DEPTH  # parts within each other: parentheses, signs, operators
KEEPS = ("abs", "min", "max", "mod", "clip", "if", "step")  # functions that measure what their arguments do


@dataclass(frozen=True)
class Measured:
    """What a part measures: `powers` of the base units, None: not known; `free`: a number that may have any unit."""

    powers: Powers | None
    free: bool = False


UNKNOWN, NUMBER, PURE = Measured(None), Measured({}, free=True), Measured({})


def measured(text: str, unit_of: Mapping[str, str | None]) -> Powers | None:
    """The powers of the base units of an expression; None where they are not known, or it cannot be read.

    `unit_of` has the units of the parameters.  ValueError where parts do not go together.
    """
    if not any(unit_of.values()):
        return None
    try:
        found = _Walk(text, unit_of).part()
    except UnreadableError:
        return None
    return None if found.free else found.powers


def without_angles(unit: str) -> Powers:
    """The powers of the base units of a unit, radians left out."""
    return {name: power for name, power in (base_powers(unit) or {}).items() if name != "radian" and power}


class UnreadableError(Exception):
    """A text that is not an expression: for the parser to refuse."""


class _Walk:
    """Through the tokens of a text, by the bindings of the grammar."""

    def __init__(self, text: str, unit_of: Mapping[str, str | None]) -> None:
        self.reader, self.unit_of, self.nesting = Reader(text, ""), unit_of, 0

    def part(self, floor: int = 0) -> Measured:
        """What binds tighter than `floor`."""
        self.nesting += 1
        if self.nesting > MAX_LEVELS:
            raise UnreadableError
        found = self._operators(floor)
        self.nesting -= 1
        return found

    def _operators(self, floor: int) -> Measured:
        start, left = self.reader.token, self._prefix()
        while (binding := BINDING.get(self.reader.token.text, 0)) > floor:
            symbol, before = self.reader.advance(), self.reader.token
            right = self.part(UNARY if symbol.text == "^" else binding)
            left = self._joined(symbol.text, left, right, start, before)
        return left

    def _joined(self, symbol: str, left: Measured, right: Measured, start: Token, before: Token) -> Measured:
        if symbol == "^":
            return self._power(left, self._text(before))
        if symbol in ("*", "/"):
            if left.powers is None or right.powers is None:
                return UNKNOWN
            sign = 1.0 if symbol == "*" else -1.0
            names = [*left.powers, *right.powers]
            powers = {name: left.powers.get(name, 0.0) + sign * right.powers.get(name, 0.0) for name in names}
            powers = {name: power for name, power in powers.items() if power}
            return Measured(powers, (left.free or right.free) and not powers)
        if symbol in ("and", "or"):
            return PURE
        same = self._same([left, right], self._text(start))
        return PURE if symbol in COMPARISONS else same

    def _power(self, base: Measured, exponent: str) -> Measured:
        if not base.powers:
            return base
        try:
            power = constant(exponent, {})
        except (ValueError, ExpressionError):
            return UNKNOWN
        return Measured({name: power * own for name, own in base.powers.items()} if power else {})

    def _prefix(self) -> Measured:
        reader = self.reader
        token = reader.advance()
        if token.kind == "number":
            return NUMBER
        if token.text == "(":
            inner = self.part()
            reader.advance()
            return inner
        if token.text in ("-", "+"):
            return self.part(UNARY)
        if token.text == "not":
            self.part(BINDING["and"])
            return PURE
        if token.kind != "name":
            raise UnreadableError
        if reader.token.text == "(":
            return self._call(token)
        if token.text == "pi":
            return NUMBER
        unit = self.unit_of.get(token.text)
        return UNKNOWN if unit is None else Measured(without_angles(unit))

    def _call(self, token: Token) -> Measured:
        arguments: list[Measured] = []
        while self.reader.advance().text != ")":
            arguments.append(self.part() if token.text in FUNCTIONS else self._element())
            if self.reader.token.text not in (",", ")"):
                raise UnreadableError
        text, name = self._text(token), token.text
        if name not in FUNCTIONS:
            return UNKNOWN
        if not FUNCTIONS[name].least <= len(arguments) <= FUNCTIONS[name].most:
            raise UnreadableError
        if name == "sqrt":
            return self._power(arguments[0], "0.5")
        if name == "step":
            x, begin, x0, end, x1 = arguments
            self._same([x, begin, end], text)
            return self._same([x0, x1], text)
        if name == "atan2":
            self._same(arguments, text)
        elif name in KEEPS:
            return self._same(arguments[1:] if name == "if" else arguments, text)
        elif name != "sign" and arguments[0].powers:
            raise ValueError(
                f"takes {in_words(arguments[0].powers)} in '{text}', where only a number or an angle can stand"
            )
        return PURE

    def _element(self) -> Measured:
        """The argument of a function of elements, or of a table: not known."""
        depth = 0
        while (depth or self.reader.token.text not in (",", ")")) and self.reader.token.kind != "end":
            depth += {"(": 1, ")": -1}.get(self.reader.advance().text, 0)
        return UNKNOWN

    def _same(self, parts: list[Measured], text: str) -> Measured:
        """What parts have in common that must measure the same."""
        known = [part for part in parts if part.powers is not None and not part.free]
        for part in known[1:]:
            if part.powers != known[0].powers:
                raise ValueError(f"puts {in_words(known[0].powers)} and {in_words(part.powers)} together in '{text}'")
        return known[0] if known else next((part for part in parts if part.powers is None), NUMBER)

    def _text(self, start: Token) -> str:
        """From a token to where the reader is."""
        return self.reader.text[start.position : self.reader.token.position].rstrip()
