"""Tables on the terminal: facts in two columns, rows under headings, numbers as short texts."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
else:
    (Console,) = lazy_functions("rich.console", "Console")
    (Table,) = lazy_functions("rich.table", "Table")

NARROW, WIDE = 110, 140  # characters of a table that goes into a pipe: facts, rows


def print_facts(title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, in two columns that line up."""
    table = Table(title=plain(title), show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for fact in facts:
        table.add_row(*map(plain, fact))
    _print(table, NARROW)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows with a heading for each column."""
    table = Table(*columns, title=plain(title), title_justify="left", title_style="bold")
    for row in rows:
        table.add_row(*map(plain, row))
    _print(table, WIDE)


def _print(table: Table, width: int) -> None:
    Console(width=None if sys.stdout.isatty() else width, markup=False, emoji=False).print(table)  # names are text


def plain(text: str) -> str:
    """A text without characters that would steer the terminal: names come from files."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def number_text(value: float, noise: float = 0.0) -> str:
    """Six digits; below the noise 0; NaN is a value that is not unique."""
    if value != value:
        return "not unique"
    return "0" if abs(value) <= noise else f"{value:.6g}"


def numbers_text(values: Iterable[float], noise: float = 0.0) -> str:
    """Several numbers, with commas."""
    return ", ".join(number_text(float(value), noise) for value in values)
