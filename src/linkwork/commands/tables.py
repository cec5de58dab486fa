"""Tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from linkwork.lazy_import import lazy_functions
from linkwork.tables import NARROW, WIDE, Table, drawn, facts, table

if TYPE_CHECKING:
    from rich.console import Console
else:
    (Console,) = lazy_functions("rich.console", "Console")


def print_facts(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, in two columns that line up."""
    print_tables([facts(title, rows)])


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows with a heading for each column."""
    print_tables([table(title, columns, rows)])


def print_tables(tables: Iterable[Table]) -> None:
    """As wide as the terminal; into a pipe as wide as `repr` shows them."""
    for one in tables:
        width = None if sys.stdout.isatty() else NARROW if not one.columns else WIDE
        Console(width=width, markup=False, emoji=False).print(drawn(one))  # names are text
