"""The words of an expression: numbers, names (dotted or in quotes too) and symbols, each with its position."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*)
      | (?P<quoted>'[^']*'|"[^"]*")
      | (?P<symbol>\*\*|<=|>=|==|!=|[-+*/^(),<>])
      | (?P<end>\Z)
      | (?P<unknown>.)
    )""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One word: kind is number, name, quoted, symbol, end or unknown (a character that belongs to no expression)."""

    kind: str
    text: str
    position: int
    stop: int


def token_at(text: str, position: int) -> Token:
    """The next token at or after `position`; `**` is read as `^`."""
    match = _TOKEN.match(text, position)
    assert match is not None and match.lastgroup is not None  # the last two alternatives take anything
    kind = match.lastgroup
    word = match[kind]
    return Token(kind, "^" if word == "**" else word, match.start(kind), match.end())
