"""Pieces of HTML that reports and notebooks share: the page, text, tables, figures inside it."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_DPI = 150


def escaped(text: object) -> str:
    """Text that means itself in HTML."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def document(title: str, body: str, style: str = "") -> str:
    """A page in the style of the reports, for screen, print and the dark, with rules of its own."""
    rules = (files("linkwork.view.report") / "report.css").read_text(encoding="utf-8") + style
    seen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{seen}<title>{escaped(title)}</title><style>{rules}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under a head; without a head the first cell of each row is its name."""
    above = f"<thead><tr>{''.join(f'<th>{escaped(cell)}</th>' for cell in head)}</tr></thead>" if head else ""
    return f"<table>{above}<tbody>{''.join(_row(row, not head) for row in rows)}</tbody></table>"


def _row(cells: Sequence[object], named: bool) -> str:
    tags = ["th" if named and k == 0 else "td" for k in range(len(cells))]
    return "<tr>" + "".join(f"<{tag}>{escaped(cell)}</{tag}>" for tag, cell in zip(tags, cells, strict=True)) + "</tr>"


def image(figure: Figure, alt: str, width: str = "100%") -> str:
    """A figure as a PNG inside the page."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=PNG_DPI)
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="{escaped(alt)}" style="width:{width}" src="data:image/png;base64,{data}">'


def drawing(figure: Figure, alt: str) -> str:
    """A figure as an SVG inside the page: sharp at any size."""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg")
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<img alt="{escaped(alt)}" style="width:100%" src="data:image/svg+xml;base64,{data}">'
