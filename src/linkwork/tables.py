"""Tables of text: what an analysis found, as the terminal, `repr` and notebooks show it.

An answer of an analysis is `Shown`: it gives its tables, and they are the same wherever it is looked at.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from linkwork.errors import nearest
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Drawn
else:
    (Console,) = lazy_functions("rich.console", "Console")
    (Drawn,) = lazy_functions("rich.table", "Table")

NARROW, WIDE = 110, 140  # characters: facts, rows
PER_UNIT = {"rad/s": 1.0, "Hz": 6.283185307179586, "rpm": 0.10471975511965977, "m/s": 1.0, "": 1.0}  # in SI units
STYLE = (
    "<style>.linkwork table{border-collapse:collapse;margin:4px 0}.linkwork th,.linkwork td{text-align:left!important;"
    "padding:2px 10px;vertical-align:top}.linkwork caption{text-align:left;font-weight:600}"
    ".linkwork th{font-weight:600;opacity:.7}</style>"
)


class Table(NamedTuple):
    """Rows under headings; without headings facts, each a name and what it is."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Rows with a heading for each column."""
    return Table(title, tuple(columns), tuple(tuple(row) for row in rows))


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what they are, in two columns."""
    return Table(title, (), tuple(rows))


class Shown:
    """What a verb returns: its tables are its `repr`, what a notebook shows, and what the command line prints."""

    def tables(self) -> list[Table]:
        """What was found."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """As on the command line."""
        return text(self.tables())

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return html(self.tables())

    if not TYPE_CHECKING:  # a checker knows the names itself

        def __getattr__(self: Shown, name: str) -> NoReturn:
            public = [one for one in dir(self) if not one.startswith("_") and one != "tables"]
            hint = "" if name.startswith("_") else f"; {nearest(name, public)}"
            raise AttributeError(f"'{type(self).__name__}' has no '{name}'{hint}")


def text(tables: Iterable[Table]) -> str:
    """Tables as text, without colours."""
    stream = io.StringIO()
    for one in tables:
        console = Console(file=stream, width=NARROW if not one.columns else WIDE, markup=False, emoji=False)
        console.print(drawn(one))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def drawn(one: Table) -> Drawn:
    """A table as rich draws it."""
    if one.columns:
        made = Drawn(*map(plain, one.columns), title=plain(one.title), title_justify="left", title_style="bold")
    else:
        made = Drawn(title=plain(one.title), show_header=False, title_justify="left", title_style="bold")
        made.add_column(style="cyan", no_wrap=True)
        made.add_column(overflow="fold")
    for row in one.rows:
        made.add_row(*map(plain, row))
    return made


def html(tables: Iterable[Table]) -> str:
    """Tables for a notebook."""
    return f'{STYLE}<div class="linkwork">{"".join(_html(one) for one in tables)}</div>'


def _html(one: Table) -> str:
    head = "".join(f"<th>{escaped(name)}</th>" for name in one.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(cell, not one.columns and k == 0) for k, cell in enumerate(row)) + "</tr>"
        for row in one.rows
    )
    caption = f"<caption>{escaped(one.title)}</caption>" if one.title else ""
    return f"<table>{caption}{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{rows}</tbody></table>"


def _cell(cell: str, is_name: bool) -> str:
    tag = "th" if is_name else "td"
    return f"<{tag}>{escaped(cell)}</{tag}>"


def escaped(given: object) -> str:
    """Text that means itself in HTML."""
    return str(given).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def plain(given: str) -> str:
    """A text without characters that would steer the terminal: names come from files."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in given)


def number_text(value: float, noise: float = 0.0) -> str:
    """Six digits; below the noise 0; NaN is a value that is not unique."""
    if value != value:
        return "not unique"
    return "0" if abs(value) <= noise else f"{value:.6g}"


def output_text(value: float) -> str:
    """Six digits of what an expression came to; NaN is no number: what never happens has no time."""
    return "none" if value != value else number_text(float(value))


def numbers_text(values: Iterable[float], noise: float = 0.0) -> str:
    """Several numbers, with commas."""
    return ", ".join(number_text(float(value), noise) for value in values)


def warnings_of(notes: Iterable[str]) -> list[tuple[str, str]]:
    """Notes as facts."""
    return [("warning", note) for note in notes]


def accuracy(rtol: float, step: float | None) -> str:
    """What the length of the steps of a run follows from: its tolerance, or a fixed step (s)."""
    return f"rtol {rtol:g}" if step is None else f"step {step:g} s"
