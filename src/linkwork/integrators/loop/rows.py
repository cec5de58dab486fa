"""Rows of numbers that a loop writes for Python: where each part of a row begins, once for the writer and the reader.

A row of samples: y, v_dot, lam, kinetic and potential energy (J), power of forces without potential (W), volume that
the constraint rows span (its logarithm), rank, signals.  A row of the path: y, dy/dt, counted angles and their rates;
where the row is longer, of each constraint the logarithm of what is left of its rows beside those before.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwork.compiler.kernels import part


class SampleRow(NamedTuple):
    """First place of each part after y, and the width of the row."""

    v_dot: int
    lam: int
    kinetic: int
    potential: int
    power: int
    volume: int
    rank: int
    signals: int
    width: int


@part
def sample_row(y_count, v_count, row_count, signal_count):
    """Places in a row of samples."""
    numbers = y_count + v_count + row_count
    return SampleRow(
        y_count, y_count + v_count, numbers, numbers + 1, numbers + 2, numbers + 3, numbers + 4, numbers + 5,
        numbers + 5 + signal_count,
    )  # fmt: skip


class PathRow(NamedTuple):
    """First place of each part after y, and the width of the row without conditioning."""

    rate: int
    angles: int
    width: int


@part
def path_row(y_count, angle_count):
    """Places in a row of the path; `angle_count`: of counted angles and their rates."""
    return PathRow(y_count, 2 * y_count, 2 * y_count + angle_count)
