"""What an identification found: the unknowns with their intervals, and what the data do not tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.design.variables import Variable
from linkwork.errors import OptionError, nearest
from linkwork.tables import Shown, Table, facts, number_text, table

CLOSE = 0.98  # correlation from which two unknowns are hardly told apart
AT_BOUND = 1e-6


@dataclass(frozen=True, repr=False)
class Fitted(Shown):
    """Unknowns in their own units; channels in SI units."""

    model: str
    unknowns: tuple[Variable, ...]
    x: np.ndarray  # [unknown] found
    error: np.ndarray  # [unknown] standard error; infinite where the data do not tell
    half: np.ndarray  # [unknown] half the interval
    confidence: float  # of the intervals
    covariance: np.ndarray  # [unknown, unknown], of what is identified
    left: int  # degrees of freedom: measured numbers less unknowns that are identified
    variance: float  # of the weighted residuals; about 1 where the noise is as given
    blind: tuple[str, ...]  # what cannot be identified, a sentence each
    channels: tuple[str, ...]
    units: tuple[str, ...]  # SI, of the channels
    t: np.ndarray  # s, of the data
    measured: np.ndarray  # [channel, sample]
    fitted: np.ndarray  # [channel, sample] by the model
    noise: np.ndarray  # [channel] standard deviation: given, or that of the residuals
    trials: int

    @property
    def values(self) -> dict[str, float]:
        """The unknowns, in their units."""
        return {one.name: float(value) for one, value in zip(self.unknowns, self.x, strict=True)}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Where each unknown lies with the confidence asked for; infinite where the data do not tell."""
        ends = zip(self.unknowns, self.x - self.half, self.x + self.half, strict=True)
        return {one.name: (float(low), float(high)) for one, low, high in ends}

    @property
    def settings(self) -> dict[str, Any]:
        """As `with_settings` takes them."""
        return {one.name: one.setting(value) for one, value in zip(self.unknowns, self.x, strict=True)}

    @property
    def correlation(self) -> np.ndarray:
        """[unknown, unknown], between -1 and 1."""
        size = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return np.asarray(self.covariance / np.outer(size, size))

    def __getitem__(self, name: str) -> float:
        """An unknown by name."""
        if name not in self.values:
            raise OptionError(f"there is no unknown '{name}'; {nearest(name, self.values)}", element=name)
        return self.values[name]

    # -- shown --------------------------------------------------------------------------------------------------
    def tables(self) -> list[Table]:
        """Unknowns with intervals, residuals of the channels, what the data do not tell."""
        level = f"{100.0 * self.confidence:g} %"
        heads = ("unknown", "value", f"{level} interval", "relative", "start", "")
        rows = [self._row(k) for k in range(len(self.unknowns))]
        found = [table(f"{self.model}: {len(self.t)} samples of {len(self.channels)} channel(s)", heads, rows)]
        spread = np.sqrt(np.mean((self.fitted - self.measured) ** 2, axis=1))
        found.append(table("", ("channel", "rms of the residuals", "span of the data"), [
            (f"{name}, {unit}" if unit else name, number_text(float(rms)), number_text(float(np.ptp(y))))
            for name, unit, rms, y in zip(self.channels, self.units, spread, self.measured, strict=True)
        ]))  # fmt: skip
        notes = [("cannot be identified", sentence) for sentence in self.blind]
        notes += [("hardly told apart", text) for text in self._alike()]
        return [*found, *([facts("", notes)] if notes else [])]

    def _row(self, k: int) -> tuple[str, ...]:
        one, value, half = self.unknowns[k], float(self.x[k]), float(self.half[k])
        name = f"{one.name}, {one.unit}" if one.unit else one.name
        if not np.isfinite(half):
            return name, number_text(value), "not identified", "", number_text(one.start), ""
        at_bound = min(abs(value - one.low), abs(value - one.high)) <= AT_BOUND * one.scale
        relative = f"+/- {100.0 * half / abs(value):.2g} %" if value else ""
        interval = f"{number_text(value - half)} .. {number_text(value + half)}"
        return name, number_text(value), interval, relative, number_text(one.start), "at its bound" if at_bound else ""

    def _alike(self) -> list[str]:
        good = np.flatnonzero(np.isfinite(self.error))
        R = self.correlation
        return [
            f"'{self.unknowns[i].name}' and '{self.unknowns[j].name}': correlation {R[i, j]:+.3f}"
            for n, i in enumerate(good) for j in good[n + 1 :] if abs(R[i, j]) > CLOSE
        ]  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {
            "values": self.values, "unknown_units": {one.name: one.unit for one in self.unknowns},
            "standard_errors": dict(zip(self.values, self.error.tolist(), strict=True)),
            "confidence": self.confidence,
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "not_identified": list(self.blind), "degrees_of_freedom": self.left, "variance": self.variance,
            "noise": dict(zip(self.channels, self.noise.tolist(), strict=True)), "trials": self.trials,
        }  # fmt: skip
