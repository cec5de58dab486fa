"""One line of a reproduction: what a paper found beside what we find, ratio beside ratio, a verdict in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

Value = float | int | str | None  # a number in the unit that the item names, or a finding in words


@dataclass(frozen=True)
class Item:
    """What a paper reports, and what we get.  Ratios are to the first line of the same table."""

    table: str  # "Table 2", "3.1", "Fig. 22"
    item: str  # what is compared, with its unit and our settings
    paper: Value
    ours: Value
    ratio_paper: float | None = None
    ratio_ours: float | None = None
    verdict: str = ""
    figures: tuple[str, ...] = ()  # files beside the page that show it


def shown_in(figures: str | Sequence[str], items: Iterable[Item]) -> list[Item]:
    """The items, with the files that show them."""
    files = (figures,) if isinstance(figures, str) else tuple(figures)
    return [replace(item, figures=files) for item in items]


def as_table(items: Sequence[Item], known: str, digits: int) -> tuple[list[str], list[list[str]]]:
    """Heads and lines to print, without columns that are empty; `known`: head of what ours stands beside."""

    def text(value: Value) -> str:
        return "" if value is None else value if isinstance(value, str) else f"{value:.{digits}g}"

    heads = ("table", "item", known, "ours", "ratio, paper", "ratio, ours", "verdict")
    rows = [
        (item.table, item.item, text(item.paper), text(item.ours), text(item.ratio_paper), text(item.ratio_ours),
         item.verdict)
        for item in items
    ]  # fmt: skip
    kept = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    return [heads[k] for k in kept], [[row[k] for k in kept] for row in rows]
