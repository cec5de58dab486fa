"""Stability charts: the largest Floquet multiplier over one or two speeds or parameters (Strutt's diagram)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.independent import measured_coordinates
from linkwork.analyses.vibration.periodic.floquet import NEUTRAL, floquet
from linkwork.errors import NumericalError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.system.units import rate_unit
from linkwork.tables import Shown, Table, facts, table, warnings_of

Report = Callable[[int, int], None]  # points done, all points
Build = Callable[[dict[str, float]], tuple[Mechanism, Mapping[str, float]]]


MOST_NOTES = 5  # in a table


@dataclass(frozen=True, repr=False)
class StabilityChart(Shown):
    """Largest |mu| over one or two axes; NaN where no periodic motion was found."""

    model: str
    axes: dict[str, np.ndarray]  # by name; SI units
    units: dict[str, str]
    largest: np.ndarray  # [first axis] or [first axis, second axis]
    notes: tuple[str, ...]

    @property
    def stable(self) -> np.ndarray:
        """Where small disturbances stay small."""
        return np.asarray(self.largest <= 1.0 + NEUTRAL)

    def tables(self) -> list[Table]:
        """Of one axis every point; of two the stable share."""
        share = f"{100 * float(self.stable.mean()):.1f} % of {self.stable.size} points"
        summary = facts("", [("stable", share), *warnings_of(self.notes[:MOST_NOTES])])
        if len(self.axes) > 1:
            return [summary]
        ((name, values),) = self.axes.items()
        rows = [
            (f"{v:g}", f"{mu:.6g}", "yes" if ok else "no")
            for v, mu, ok in zip(values, self.largest, self.stable, strict=True)
        ]
        heads = (f"{name}, {self.units[name]}".rstrip(", "), "|mu|", "stable")
        return [table(f"{self.model}: stability", heads, rows), summary]

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {"axes": self.axes, "units": self.units, "largest": self.largest, "stable": self.stable}


def stability_chart(
    build: Build,
    axes: Mapping[str, Sequence[float] | np.ndarray],
    period: float | None = None,
    *,
    model: str = "",
    units: Mapping[str, str] | None = None,
    report: Report | None = None,
) -> StabilityChart:
    """Floquet's multipliers over the values of one or two `axes`, by name.

    `build` makes, of the values at a point, the mechanism and the speeds of joint coordinates (rad/s, m/s); `period` as
    in `floquet`.  A point without a periodic motion is a gap, with a note.

    >>> stability_chart(lambda at: (mathieu(at["a"], at["q"]), {}), {"a": a_values, "q": q_values}, period=np.pi)
    """
    values = {name: np.asarray(given, float) for name, given in axes.items()}
    if not 1 <= len(values) <= 2 or not all(len(v) and np.all(np.isfinite(v)) for v in values.values()):
        raise OptionError("a stability chart needs one or two axes with finite values", element="axes")
    shape = tuple(len(v) for v in values.values())
    largest, notes = np.full(shape, np.nan), []
    for done, place in enumerate(np.ndindex(shape)):
        at = {name: float(v[k]) for (name, v), k in zip(values.items(), place, strict=True)}
        try:
            largest[place] = floquet(*build(at), period).largest
        except NumericalError as failure:
            notes.append(f"{', '.join(f'{name} = {value:g}' for name, value in at.items())}: {failure.message}")
        if report is not None:
            report(done + 1, largest.size)
    known = {name: (units or {}).get(name, "") for name in values}
    return StabilityChart(model, values, known, largest, tuple(notes))


def chart_axes(mechanism: Mechanism, names: Sequence[str]) -> dict[str, str]:
    """Those of the names that are joint coordinates, whose speeds vary, with the units of these; the others are set."""
    known, units = measured_coordinates(mechanism), mechanism.coordinate_units()
    return {name: rate_unit(units[known[name].name]) for name in names if name in known}
