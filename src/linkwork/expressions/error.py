"""The error of a bad expression: one sentence, then the text with a caret under the place."""

from __future__ import annotations

from linkwork.errors import Entry, ModelError

WINDOW = 100  # characters of a long text that are shown around the caret


class ExpressionError(ModelError):
    """An expression that cannot be read; `position` is the index of the offending character in `text`."""

    code = "bad-expression"
    entry = Entry.EXPRESSION

    def __init__(
        self, what: str, *, element: str, text: str = "", position: int = 0, remedy: str | None = None
    ) -> None:
        sentence = f"{element}: {what}"
        shown = f"{sentence}\n{_picture(text, position)}" if text.strip() else sentence
        super().__init__(shown, element=element, remedy=remedy)
        self.text = text
        self.position = position


def _picture(text: str, position: int) -> str:
    """The text on one line (a window of it when long) and a caret under `position`."""
    line = "".join(c if c.isprintable() else " " for c in text)
    first = max(0, position - WINDOW // 2) if len(line) > WINDOW else 0
    before = "..." if first > 0 else ""
    after = "..." if first + WINDOW < len(line) else ""
    caret = " " * (len(before) + position - first) + "^"
    return f"    {before}{line[first : first + WINDOW]}{after}\n    {caret}"
