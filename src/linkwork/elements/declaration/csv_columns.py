"""Columns of a CSV or Parquet file as numbers in SI units: for tables of values, drivers that follow measured curves.

The first line may name the columns, with their units in brackets: `angle [deg], lift [mm]`.  Cells are separated by
commas, semicolons or tabs.  A file of a million rows is read in a second, and never as text as a whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import nearest
from linkwork.expressions.quantities import number_from_text
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import pyarrow.parquet as parquet
else:
    parquet = lazy_module("pyarrow.parquet")

LARGEST_FILE = 500_000_000  # bytes
MOST_ROWS = 5_000_000
PARQUET = ".parquet"
_HEADING = re.compile(r"(?P<name>[^\[\]]*)(\[(?P<unit>[^\[\]]*)\])?")


def read_columns(path: Path, wanted: Sequence[str | int]) -> list[np.ndarray]:
    """The columns named in the heading, or counted from 1; ValueError where there are none."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"csv '{path.name}' has more than {LARGEST_FILE // 10**6} MB; give fewer rows")
        found = _of_parquet(path, wanted) if path.suffix == PARQUET else _of_text(path, wanted)
    except OSError as failure:
        raise ValueError(f"csv '{path}' cannot be read: {failure.strerror or failure}; check the path") from None
    except UnicodeDecodeError:
        raise ValueError(f"csv '{path.name}' is not text (UTF-8); save it as CSV") from None
    if not 1 <= len(found[0]) <= MOST_ROWS:
        raise ValueError(f"csv '{path.name}' has {len(found[0])} rows of numbers; give from 2 to {MOST_ROWS}")
    return found


def _of_parquet(path: Path, wanted: Sequence[str | int]) -> list[np.ndarray]:
    try:
        file = parquet.ParquetFile(path)
    except ImportError:
        install = "pip install 'linkwork[study]'"
        raise ValueError(f"'{path.name}' needs pyarrow, which is not installed: {install}") from None
    except ValueError:
        raise ValueError(f"'{path.name}' is not a Parquet file; write it anew, or save it as CSV") from None
    names = file.schema_arrow.names
    places = [_place(path, names, len(names), column) for column in wanted]
    table = file.read(columns=[names[k] for k, _ in places])
    return [_in_si(_floats(path, names[k], table[names[k]].to_numpy()), unit) for k, unit in places]


def _floats(path: Path, name: str, values: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(values, float)
    except (ValueError, TypeError):
        raise ValueError(f"'{path.name}': column '{name}' holds no numbers; name another one") from None


def _of_text(path: Path, wanted: Sequence[str | int]) -> list[np.ndarray]:
    heading, count, separator = _head(path)
    places = [_place(path, heading, count, column) for column in wanted]
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = islice(_lines(file), bool(heading), None)
            table = np.loadtxt(lines, delimiter=separator, usecols=[k for k, _ in places], comments=None, ndmin=2)
    except UnicodeDecodeError:
        raise
    except ValueError:  # cells in quotes, or no numbers: one by one
        rows = list(islice(_rows(path, separator), bool(heading), None))
        table = np.array([
            [_number(path, n + 1 + bool(heading), row, k, unit) for k, unit in places] for n, row in enumerate(rows)
        ])  # fmt: skip
        places = [(k, "") for k, _ in places]
    return [_in_si(column, unit) for column, (_, unit) in zip(table.T, places, strict=True)]


def _lines(lines: Iterator[str]) -> Iterator[str]:
    """Those that are neither empty nor notes."""
    return (line for line in lines if line.strip(" \t,;\r\n") and not line.lstrip().startswith("#"))


def _rows(path: Path, separator: str) -> Iterator[list[str]]:
    """The cells of each row, row by row."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(_lines(file), delimiter=separator):
            yield [cell.strip() for cell in row]


def _head(path: Path) -> tuple[list[str], int, str]:
    """The heading, if the first line is one, the number of cells of the first row of numbers, and their separator."""
    with path.open(encoding="utf-8-sig") as file:
        first = next(_lines(file), "")
    separator = next((c for c in ";\t" if c in first), ",")
    rows = _rows(path, separator)
    heading = next(rows, [])
    if not heading:
        return [], 0, separator
    if _is_number(heading[0]):
        return [], len(heading), separator
    return heading, len(next(rows, [])), separator


def _in_si(values: np.ndarray, unit: str) -> np.ndarray:
    """Numbers in a unit, which is proportional to that of SI, or beside it by an offset."""
    if not unit:
        return values
    none, one = (number_from_text(f"{value} {unit}", None, {}) for value in (0.0, 1.0))
    return np.asarray(values * one if none == 0.0 else none + values * (one - none))


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
        comma = "; write decimals with a point" if "," in row[k] else f" (unit '{unit}')" if unit else ""
        raise ValueError(f"csv '{path.name}', line {line}: {row[k]!r} is not a number{comma}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
