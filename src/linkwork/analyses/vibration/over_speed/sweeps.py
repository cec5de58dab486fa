"""Sweeps: modes over a speed (Campbell diagram) or any parameter (root locus), each followed by its shape.

From value to value the equilibrium is followed by Newton (sweep_path.py), and every mode is matched with the one of
like shape (MAC, Allemang & Brown 1982) and like eigenvalue (mode_tracking.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from linkwork.analyses.vibration.modes import FEW
from linkwork.analyses.vibration.over_speed.critical_speeds import Critical, Limit, critical_speeds, stability_limits
from linkwork.analyses.vibration.over_speed.mode_tracking import followed_modes
from linkwork.analyses.vibration.over_speed.sweep_path import SweepPath, SweepPoint
from linkwork.errors import NumericalError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.tables import PER_UNIT, Shown, Table, facts, table, warnings_of

Report = Callable[[int, int], None]  # values done, all values


ROWS = 25  # about as many values of a sweep are shown


@dataclass(repr=False)
class Sweep(Shown):
    """Modes over a speed or parameter.  Branch b is one mode, followed; NaN where it does not exist."""

    model: str
    name: str
    unit: str
    is_speed: bool
    values: np.ndarray
    independent: tuple[str, ...]
    eigenvalues: np.ndarray  # [value, branch] complex, 1/s
    stable: np.ndarray  # [value]
    coordinates: list[dict[str, float]]  # the equilibrium at each value
    critical: list[Critical] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asked: str = ""  # the unit in which the values were asked for, and are shown: rpm, Hz; values are SI

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {
            "name": self.name, "unit": self.unit, "values": self.values,
            "eigenvalues": [[[s.real, s.imag] for s in row] for row in self.eigenvalues.tolist()],
            "stable": self.stable, "critical": [asdict(c) for c in self.critical],
            "limits": [asdict(limit) for limit in self.limits], "coordinates": self.coordinates,
        }  # fmt: skip

    @property
    def shown_unit(self) -> str:
        """The unit in which the values are shown."""
        return self.asked or self.unit

    @property
    def per_shown(self) -> float:
        """SI value of one such unit."""
        return PER_UNIT.get(self.asked, 1.0)

    @property
    def frequency_unit(self) -> str:
        """The unit in which frequencies are shown: Hz beside speeds in Hz or rpm."""
        return "Hz" if self.asked in ("Hz", "rpm") else "rad/s"

    def tables(self, count: int = FEW) -> list[Table]:
        """Frequencies at some of the values; critical speeds and limits of stability."""
        columns, every = range(min(self.eigenvalues.shape[1], count)), max(1, len(self.values) // ROWS)
        rows = [
            (f"{self.values[n] / self.per_shown:.6g}", "yes" if self.stable[n] else "no",
             *(_frequency_text(complex(self.eigenvalues[n, b]), PER_UNIT[self.frequency_unit]) for b in columns))
            for n in range(0, len(self.values), every)
        ]  # fmt: skip
        unit, scale = self.shown_unit, self.per_shown
        heads = (f"{self.name}, {unit}" if unit else self.name, "stable", *(f"mode {b + 1}" for b in columns))
        found = [
            *(("critical speed", f"{c.value / scale:.8g} {unit}: mode {c.branch + 1} meets {c.order} x speed")
              for c in self.critical),
            *(("stability limit", f"{limit.value / scale:.8g} {unit}: {limit.becomes} from here ({limit.how})")
              for limit in self.limits),
            *warnings_of(self.notes),
        ]  # fmt: skip
        frequencies = table(f"{self.model}: frequencies Im s, {self.frequency_unit}", heads, rows)
        return [frequencies, facts("", found)] if found else [frequencies]

    @property
    def frequencies(self) -> np.ndarray:
        """Im s, rad/s, [value, branch]."""
        return self.eigenvalues.imag

    @property
    def damping(self) -> np.ndarray:
        """-Re s / |s|, [value, branch]."""
        with np.errstate(all="ignore"):
            return np.asarray(-self.eigenvalues.real / np.abs(self.eigenvalues))


def _frequency_text(s: complex, per_unit: float) -> str:
    return "" if s != s else f"{s.imag / per_unit:.5g}" if s.imag else f"({s.real:+.4g} /s)"


def sweep(
    mechanism: Mechanism | Callable[[float], Mechanism],
    name: str,
    values: Sequence[float] | np.ndarray,
    speeds: Mapping[str, float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    orders: Sequence[int] = (1,),
    model: str = "",
    report: Report | None = None,
) -> Sweep:
    """Modes over `values` of the speed of a joint coordinate, or of the parameter of a function that builds models.

    `orders`: multiples of the speed (rad/s) whose critical speeds are found.  `report` is called after each value.
    Refused: values that are not finite or do not grow.  Where coefficients are periodic, neither critical speeds nor
    stability limits are given, since the modes are those of one instant.

    >>> sweep(lambda length: lw.library_model("pendulum", {"length": length}), "length", [1.0, 1.5, 2.0])
    """
    wanted = _checked(name, values)
    path = SweepPath(mechanism, name, speeds or {}, independent)
    points, notes = _march(path, wanted, report)
    periodic = path.unsteady(points)
    found = _as_sweep(model, path, wanted, points, [*notes, *periodic])
    if not periodic:
        found.limits = stability_limits(path, points)
        if found.is_speed and found.unit == "rad/s":
            found.critical = critical_speeds(path, points, found.eigenvalues, wanted, orders)
    return found


def _checked(name: str, values: Sequence[float] | np.ndarray) -> np.ndarray:
    wanted = np.asarray(values, float)
    if len(wanted) < 2 or not np.all(np.isfinite(wanted)) or not np.all(np.diff(wanted) > 0.0):
        raise OptionError(
            f"sweep of '{name}': give at least two finite values in increasing order, as np.linspace(0, 10, 11)",
            element=name,
        )
    return wanted


def _march(path: SweepPath, values: np.ndarray, report: Report | None) -> tuple[list[SweepPoint | None], list[str]]:
    """From value to value; where there is no equilibrium a gap, with a note."""
    points: list[SweepPoint | None] = []
    notes: list[str] = []
    last: SweepPoint | None = None
    for n, value in enumerate(values):
        try:
            last = path.point(float(value), last)
            points.append(last)
        except NumericalError as failure:
            if last is None and n == len(values) - 1:
                raise
            points.append(None)
            notes.append(f"{path.name} = {value:g}: {failure.message}")
        if report is not None:
            report(n + 1, len(values))
    return points, notes


def _as_sweep(
    model: str, path: SweepPath, values: np.ndarray, points: Sequence[SweepPoint | None], notes: list[str]
) -> Sweep:
    """The modes in branches, each followed through the sweep."""
    branches = followed_modes(points)
    eigenvalues = np.full((len(values), max(map(len, branches))), complex(np.nan, np.nan))
    for n, (point, order) in enumerate(zip(points, branches, strict=True)):
        for b, k in enumerate(order):
            if k >= 0 and point is not None:
                eigenvalues[n, b] = point.modes[k].eigenvalue
    first = next(point for point in points if point is not None)
    return Sweep(
        model, path.name, path.unit, path.is_speed, values, first.reduction.names, eigenvalues,
        np.array([point is not None and point.stable for point in points]),
        [point.reduction.coordinates(point.point) if point else {} for point in points], notes=notes,
    )  # fmt: skip
