"""Floquet's theory: the stability of periodic motion, of mechanisms whose coefficients vary with what runs.

Small motions about a periodic motion change over a period by the monodromy matrix Psi; its eigenvalues mu are the
multipliers, theory (12.4), sigma = ln(mu) / t_p the exponents (of their imaginary parts only the remainder by
2 pi / t_p is known).  The motion is stable if all |mu| < 1; neutral if the largest is 1, as where nothing damps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.independent import running_coordinates
from linkwork.analyses.vibration.periodic.periodic_orbit import PeriodicOrbit, driven_at, periodic_orbit
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.tables import Shown, Table, facts, table, warnings_of

FEW = 12  # multipliers in the table
NEUTRAL = 1e-6  # of |mu| - 1: rounding, which splits double multipliers by its root


@dataclass(frozen=True, repr=False)
class Floquet(Shown):
    """A periodic motion and its multipliers."""

    orbit: PeriodicOrbit
    speeds: dict[str, float]  # rad/s or m/s
    multipliers: np.ndarray  # complex, the largest first

    @property
    def period(self) -> float:
        """Of the motion, s."""
        return self.orbit.period

    @property
    def result(self) -> Result:
        """One period of the motion."""
        return self.orbit.result

    @property
    def monodromy(self) -> np.ndarray:
        """Psi of (x, z, s): displacements and velocities of the independent coordinates, auxiliary states."""
        return self.orbit.Psi

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent coordinates."""
        return self.orbit.reduction.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about it."""
        return (*self.orbit.reduction.notes, *self.orbit.notes)

    @property
    def exponents(self) -> np.ndarray:
        """ln(mu) / t_p, 1/s; imaginary parts up to multiples of 2 pi / t_p."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers.astype(complex)) / self.period)

    def tables(self) -> list[Table]:
        """The largest multipliers; period and stability."""
        rows = [
            (f"{n + 1}", f"{abs(mu):.8g}", f"{mu.real:.8g} {mu.imag:+.8g}i", f"{s.real:.6g} {s.imag:+.6g}i")
            for n, (mu, s) in enumerate(zip(self.multipliers[:FEW], self.exponents[:FEW], strict=True))
        ]
        title = f"{self.orbit.reduction.mechanism.name}: Floquet multipliers"
        return [table(title, ("", "|mu|", "mu", "exponent, 1/s"), rows), facts("", [
            ("period", f"{self.period:.8g} s"), ("stability", self.stability),
            ("closes to", f"{self.orbit.residual:.1e} after {self.orbit.iterations} steps of shooting"),
            *warnings_of(self.notes),
        ])]  # fmt: skip

    @property
    def largest(self) -> float:
        """The largest |mu|."""
        return float(np.abs(self.multipliers).max(initial=0.0))

    @property
    def stable(self) -> bool:
        """Whether small disturbances stay small."""
        return self.largest <= 1.0 + NEUTRAL

    @property
    def stability(self) -> str:
        """In words, with how it becomes unstable."""
        if not len(self.multipliers):
            return "stable: all motion is given"
        if self.largest < 1.0 - NEUTRAL:
            return "stable"
        if self.stable:
            return "neutral: a disturbance neither grows nor dies out"
        worst = self.multipliers[0]
        if abs(worst.imag) > 1e-9 * abs(worst):
            how = "with a frequency of its own"
        else:
            how = "with the period" if worst.real > 0.0 else "with twice the period"
        return f"unstable: a disturbance grows {how}, {abs(worst):.4g} times a period"

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        return {
            "period": self.period, "speeds": self.speeds, "stable": self.stable, "stability": self.stability,
            "independent": list(self.independent), "multipliers": [[m.real, m.imag] for m in self.multipliers.tolist()],
            "exponents": [[s.real, s.imag] for s in self.exponents.tolist()], "monodromy": self.monodromy,
            "iterations": self.orbit.iterations, "residual": self.orbit.residual,
        }  # fmt: skip


def floquet(mechanism: Mechanism, speeds: Mapping[str, float] | None = None, period: float | None = None) -> Floquet:
    """The periodic motion at constant `speeds` (rad/s, m/s) of joint coordinates, found from the start, and whether it
    is stable.

    `period` (s): of all that varies; default: one turn of the slowest of `speeds`, which must turn at multiples of it.
    Refused: no period to be known.  A NumericalError says how far the motion near the start is from closing.
    """
    given = dict(speeds or {})
    turn = _period(mechanism, given) if period is None else period
    if not (np.isfinite(turn) and turn > 0.0):
        raise OptionError(f"period is {turn:g} s; it must be > 0", element="period")
    driven, near = driven_at(mechanism, given) if given else (mechanism, None)
    orbit = periodic_orbit(driven, turn, near)
    values = np.linalg.eigvals(orbit.Psi) if len(orbit.Psi) else np.zeros(0, complex)
    return Floquet(orbit, given, values[np.lexsort((-values.imag, -np.abs(values).round(12)))])


def _period(mechanism: Mechanism, speeds: Mapping[str, float]) -> float:
    """One turn of the slowest coordinate (s); the others make whole turns meanwhile."""
    units = mechanism.coordinate_units()
    running = running_coordinates(mechanism, speeds)
    turning = [
        abs(speed) for c, speed in zip(running, speeds.values(), strict=True) if units[c.name] == "rad" and speed
    ]
    if not turning:
        raise OptionError("no coordinate turns at a given speed; give the period (s) of what varies", element="period")
    ratios = np.array(turning) / min(turning)
    if np.abs(ratios - np.round(ratios)).max() > 1e-9:
        raise OptionError(
            "the given speeds are no multiples of the slowest, so that no turn of it is a period; give the period (s)",
            element="period",
        )
    return float(2.0 * np.pi / min(turning))
