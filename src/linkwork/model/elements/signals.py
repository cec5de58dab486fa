"""Verbs for tables, measures and what happens during a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from linkwork.elements.declaration.tables import ValueTable
from linkwork.elements.signals.measures import Event, Impulse, Measure
from linkwork.model.builder import Builder, Expression, Point, Quantity, adds

Action = Literal["stop", "lock", "release", "impulse", "log"]


class SignalVerbs(Builder):
    """Tables, measures, events, impulses."""

    @adds(ValueTable)
    def table(
        self, name: str, x: Sequence[Quantity] | np.ndarray | None = None,
        y: Sequence[Quantity] | np.ndarray | None = None, *, csv: str | Path | None = None,
        columns: tuple[str | int, str | int] | None = None,
        interpolation: Literal["spline", "linear"] = "spline", outside: Literal["hold", "line", "repeat"] = "hold",
    ) -> str:  # fmt: skip
        """Add a table of values y over x, for expressions: `table(NAME, x)`; SI numbers, or texts such as '10 deg'.

        `csv`: a CSV or Parquet file with them, `columns` by their names in its first line ("angle [deg], lift [mm]"
        gives the units) or counted from 1.  `interpolation`: a cubic spline or lines; `outside` its ends: the end
        value, its line, or all of it again (a cam: y ends as it begins).
        """
        return self._add(
            ValueTable, name, csv=None if csv is None else str(csv), columns=columns,
            x=x if isinstance(x, np.ndarray | None) else list(x), y=y if isinstance(y, np.ndarray | None) else list(y),
            interpolation=interpolation, outside=outside,
        )  # fmt: skip

    @adds(Measure)
    def measure(self, name: str, of: Expression, unit: str | None = None) -> str:
        """Name a number: an expression of positions, distances, coordinates, rates, forces, energies.

        Numbers of elements by their names, as among the channels of a run: "2*pin.angle", "'ram pin.rate'",
        "strut.force", "bar.position.x".  `unit`: to show, where it is not known.
        """
        return self._add(Measure, name, of=of, unit=unit)

    @adds(Event)
    def event(
        self, name: str, when: str, action: Action = "log", *, driver: str | None = None, body: str | None = None,
        impulse: Point = (0.0, 0.0, 0.0), moment: Point = (0.0, 0.0, 0.0), at: Point = (0.0, 0.0, 0.0),
        once: bool = False,
    ) -> str:  # fmt: skip
        """When a condition such as "ram.position.z < 0.1" becomes true: stop, lock or release a `driver`,
        give an impulse to a `body`, or log it.

        impulse (N s) and moment (N m s), world axes, `at` a point (m, body frame); `once`: only the first time.
        """
        return self._add(
            Event, name, when=when, action=action, driver=driver, body=body, impulse=impulse, moment=moment, at=at,
            once=once,
        )  # fmt: skip

    @adds(Impulse)
    def impulse(
        self, name: str, body: str, t: Quantity, *, impulse: Point = (0.0, 0.0, 0.0),
        moment: Point = (0.0, 0.0, 0.0), at: Point = (0.0, 0.0, 0.0),
    ) -> str:  # fmt: skip
        """Strike a body at a time (s): impulse (N s) and moment (N m s), world axes, at a point (m, body frame)."""
        return self._add(Impulse, name, body=body, t=t, impulse=impulse, moment=moment, at=at)
