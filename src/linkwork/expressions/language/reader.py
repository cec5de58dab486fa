"""The reader of an expression: from left to right, with one token of foresight; errors point at a place in the text."""

from __future__ import annotations

from collections.abc import Container

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.language.tokens import Token, token_at
from linkwork.expressions.language.units import is_unit, no_units

MEANT = {  # by the characters of other languages
    "=": "== to compare", "&": "and", "|": "or", "!": "not, or != to compare", "%": "mod(a, b)", "²": "^2", "³": "^3",
    "·": "*", "÷": "/", "\u00d7": "*", "\u2212": "-", "°": "a parameter with its unit, as '30 deg'", "π": "pi",
    "[": "( )", "]": "( )", "{": "( )", "}": "( )", ";": "a comma",
}  # fmt: skip


class Reader:
    """The text and its current token; `element` is named in errors."""

    def __init__(self, text: str, element: str, known: Container[str] = ()) -> None:
        """`known`: names with a meaning, which are no units."""
        self.text, self.element, self.known = text, element, known
        self.token = token_at(text, 0)

    def advance(self) -> Token:
        """The current token; the next one becomes current."""
        token = self.token
        self.token = token_at(self.text, token.stop)
        return token

    def expect(self, symbol: str) -> None:
        """Pass over a symbol that must come now."""
        if self.token.text != symbol:
            raise self.unexpected(f"'{symbol}'")
        self.advance()

    def element_name(self) -> str:
        """The name of an element, in quotes or not."""
        if self.token.kind not in ("name", "quoted"):
            raise self.unexpected("the name of an element (in quotes if it has blanks)")
        token = self.advance()
        return token.text[1:-1] if token.kind == "quoted" else token.text

    def unexpected(self, wanted: str) -> ExpressionError:
        """The current token is not what is needed here."""
        token = self.token
        if token.kind == "unknown":
            meant = f"; write {MEANT[token.text]}" if token.text in MEANT else ""
            return self.error(f"the character {token.text!r} has no meaning in an expression{meant}", token.position)
        if token.kind == "name" and is_unit(token.text, self.known):
            return self.of_unit(token)
        found = "the expression ends" if token.kind == "end" else f"'{token.text}' stands"
        return self.error(f"{found} where {wanted} is needed", token.position)

    def of_unit(self, token: Token) -> ExpressionError:
        """A unit where none can be."""
        what = no_units(self.text, self.known)
        return self.error(f"'{token.text}' is a unit, and {what}", token.position, remedy=what)

    def error(self, what: str, position: int, remedy: str | None = None) -> ExpressionError:
        """An error at a place of the text."""
        return ExpressionError(what, element=self.element, text=self.text, position=position, remedy=remedy)
