"""The page of the shelf: one table a problem, in one HTML file."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from linkwork import __version__
from linkwork.output_files import writing
from linkwork.reproduce.benchmarks.findings import Finding
from linkwork.view.html import document, escaped, table

HEAD = ("quantity", "linkwork", "reference", "error", "wall time", "setting")
STYLE = (
    "body { max-width: 1080px; } table { table-layout: fixed; } th:first-child { width: 30%; } th:nth-child(4), "
    "th:nth-child(5) { width: 9%; } th:last-child { width: 20%; } th:nth-child(n+2):nth-child(-n+5), "
    "td:nth-child(n+2):nth-child(-n+5) { text-align: right; white-space: nowrap; }"
)


def write_page(found: Sequence[Finding], path: Path) -> None:
    """Write the page."""
    with writing(path):
        path.write_text(page(found), encoding="utf-8")


def page(found: Sequence[Finding]) -> str:
    """The text of the page."""
    off = [finding for finding in found if not finding.agrees]
    lead = f"{len(found)} numbers, {len(found) - len(off)} of them within what is allowed"
    parts = [f"<h1>Benchmarks</h1><p class='lead{' failed' if off else ''}'>{escaped(lead)}</p>"]
    for problem, lines in groupby(found, key=lambda finding: finding.problem):
        parts.append(_problem(problem, list(lines)))
    parts.append(
        f"<footer>linkwork {__version__}, {escaped(platform.machine())}, Python {platform.python_version()}; an error "
        "is relative to the reference, or to the size of the motion where that passes zero.</footer>"
    )
    return document("Benchmarks", "".join(parts), STYLE)


def _problem(problem: str, lines: Sequence[Finding]) -> str:
    """A table for each reference, one after the other."""
    sources = dict.fromkeys(f.source for f in lines)
    tables = "".join(
        f"{table(HEAD, [_row(f) for f in lines if f.source == source])}<p>Reference: {escaped(source)}.</p>"
        for source in sources
    )
    notes = "".join(f"<p>{escaped(note)}</p>" for note in dict.fromkeys(f.note for f in lines) if note)
    return f"<h2>{escaped(problem)}</h2>{tables}{notes}"


def _row(f: Finding) -> tuple[str, ...]:
    off = "" if f.agrees else " (off)"
    return f.quantity, f"{f.ours:.12g}", f"{f.reference:.12g}", f"{f.error:.1e}{off}", f"{f.seconds:.3f} s", f.setting
