"""Columns of a CSV file as numbers in SI units: for tables of values and drivers that follow measured curves.

The first line may name the columns, with their units in brackets: `angle [deg], lift [mm]`.  Cells are separated by
commas, semicolons or tabs.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from linkwork.errors import nearest
from linkwork.expressions.quantities import number_from_text

LARGEST_FILE = 50_000_000  # bytes
MOST_ROWS = 100_000
_HEADING = re.compile(r"(?P<name>[^\[\]]*)(\[(?P<unit>[^\[\]]*)\])?")


def read_columns(path: Path, wanted: Sequence[str | int]) -> list[list[float]]:
    """The columns named in the heading, or counted from 1; ValueError where there are none."""
    heading, rows = _cells(path)
    found = []
    for column in wanted:
        k, unit = _place(path, heading, len(rows[0]), column)
        found.append([_number(path, n + 1 + bool(heading), row, k, unit) for n, row in enumerate(rows)])
    return found


def _cells(path: Path) -> tuple[list[str], list[list[str]]]:
    """The heading, if the first line is one, and the rows."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"csv '{path.name}' has more than {LARGEST_FILE // 10**6} MB; give fewer rows")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as failure:
        raise ValueError(f"csv '{path}' cannot be read: {failure.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise ValueError(f"csv '{path.name}' is not text (UTF-8); save it as CSV") from None
    first = text.partition("\n")[0]
    separator = next((c for c in ";\t" if c in first), ",")
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter=separator)]
    rows = [row for row in rows if any(row) and not row[0].startswith("#")]
    heading = rows.pop(0) if rows and not _is_number(rows[0][0]) else []
    if not 1 <= len(rows) <= MOST_ROWS:
        raise ValueError(f"csv '{path.name}' has {len(rows)} rows of numbers; give from 2 to {MOST_ROWS}")
    return heading, rows


def _place(path: Path, heading: list[str], count: int, column: str | int) -> tuple[int, str]:
    """Which column is meant, and its unit."""
    parts = [match for cell in heading if (match := _HEADING.fullmatch(cell))]
    names = [match["name"].strip() for match in parts]
    if isinstance(column, str) and column not in names:
        hint = nearest(column, names) if names else "its first line names none; count them from 1"
        raise ValueError(f"csv '{path.name}' has no column '{column}'; {hint}")
    k = names.index(column) if isinstance(column, str) else column - 1
    if not 0 <= k < count:
        raise ValueError(f"csv '{path.name}' has {count} columns, counted from 1; there is no column {column}")
    return k, (parts[k]["unit"] or "").strip() if k < len(parts) else ""


def _number(path: Path, line: int, row: list[str], k: int, unit: str) -> float:
    try:
        return number_from_text(f"{float(row[k])!r} {unit}", None, {}) if unit else float(row[k])
    except IndexError:
        raise ValueError(f"csv '{path.name}', line {line}: has no column {k + 1}") from None
    except ValueError:
        raise ValueError(f"csv '{path.name}', line {line}: {row[k]!r} is no number (unit '{unit}')") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
