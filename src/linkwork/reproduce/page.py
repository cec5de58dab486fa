"""The page of a paper: its tables, and under each of its figures what is found of it, in one HTML file beside them."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path

from linkwork import __version__
from linkwork.output_files import writing
from linkwork.reproduce.items import Item, as_table
from linkwork.view.html import document, escaped, table

STYLE = (
    "body { max-width: 1080px; } td:first-child { width: 26%; } td:last-child { width: 30%; } "
    "figcaption { font-size: 12.5px; } figcaption b { font-weight: 600; }"
)
COUNTED = ("reproduced in part", "not reproduced", "reproduced")  # verdicts that begin so, in this order


def write_page(title: str, items: Sequence[Item], path: Path, digits: int = 6) -> None:
    """Write the page into the folder of the figures."""
    with writing(path):
        path.write_text(page(title, items, digits), encoding="utf-8")


def page(title: str, items: Sequence[Item], digits: int = 6) -> str:
    """The text of the page."""
    parts = [f"<h1>{escaped(title)}</h1><p class='lead'>{escaped(_lead(items))}</p>"]
    drawn: set[str] = set()
    for name in dict.fromkeys(item.table for item in items):
        lines = [item for item in items if item.table == name]
        heads, rows = as_table(lines, "paper", digits)
        parts.append(f"<h2>{escaped(name)}</h2>{table(heads[1:], [row[1:] for row in rows])}")
        for file in dict.fromkeys(file for item in lines for file in item.figures):
            if file not in drawn:
                parts.append(_figure(file, items))
                drawn.add(file)
    parts.append(
        f"<footer>linkwork {__version__}, {escaped(platform.machine())}, Python {platform.python_version()}; where a "
        "paper prints no number its column has its words, or nothing.</footer>"
    )
    return document(title, "".join(parts), STYLE)


def _lead(items: Sequence[Item]) -> str:
    """How many lines there are, and what the verdicts are."""
    count = dict.fromkeys(COUNTED, 0)
    for item in items:
        begins = next((words for words in COUNTED if item.verdict.startswith(words)), None)
        if begins is not None:
            count[begins] += 1
    found = f"{count['reproduced']} reproduced, {count['reproduced in part']} in part, {count['not reproduced']} not"
    return f"{len(items)} lines: {found}, {len(items) - sum(count.values())} with another verdict"


def _figure(file: str, items: Sequence[Item]) -> str:
    """The figure, and beneath it the verdict of every line that it shows."""
    lines = [item for item in items if file in item.figures]
    verdicts = "".join(f"<p><b>{escaped(item.item)}</b>: {escaped(item.verdict)}</p>" for item in lines)
    picture = f'<img style="width:100%" alt="{escaped(file)}" src="{escaped(file)}">'
    return f"<figure>{picture}<figcaption>{verdicts}</figcaption></figure>"
