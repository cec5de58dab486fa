"""Cells of CSV files: a spreadsheet takes a text that begins with one of `= + - @` for a formula, and would run it."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def cell(value: object) -> object:
    """A number as it is; a text that a spreadsheet would take for a formula with an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
