"""CSV: one row per sample time, one column per channel."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linkwork.output_files import cell
from linkwork.results.result import Result


def write(result: Result, path: Path, channels: Sequence[str]) -> None:
    """The named channels, or all; the first row has names with units; every digit is kept."""
    names = list(dict.fromkeys(channels or result.recorded()))
    columns = [result.t, *(result.channel(name) for name in names)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["t [s]", *(cell(f"{name} [{result.unit(name) or '-'}]") for name in names)])
        table.writerows(np.column_stack(columns).tolist())
