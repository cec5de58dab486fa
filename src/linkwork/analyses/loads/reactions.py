"""Joint loads as plain data: the reaction of a joint and its driving forces over a run, with units, peaks and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, overload

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.results.result import Result
from linkwork.tables import Shown, Table, facts, number_text, numbers_text, table

if TYPE_CHECKING:
    from numpy.typing import DTypeLike  # takes 20 ms to import

COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")
ROUNDING = 1e-10  # of the largest load of a table: below it a load is shown as 0
BUSHING = "a bushing in place of one of these joints, with its stiffness, makes it unique"


@dataclass(frozen=True)
class Peak:
    """The largest size that something has in a run, when, and the whole wrench at that time."""

    of: str  # a component; `force`, `torque`: their magnitudes; `driving COORDINATE`
    value: float  # N, N m
    t: float  # s
    force: np.ndarray  # N
    torque: np.ndarray  # N m

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"value": self.value, "t": self.t, "force": self.force, "torque": self.torque}


@dataclass(frozen=True, repr=False)
class DrivingForce(Shown):
    """The generalized force that a driver gives: force (N) or torque (N m) times rate is its power.

    Of drivers that take turns on one coordinate, that of the one that acts.
    """

    driver: str
    joint: str
    coordinate: str
    unit: str
    t: np.ndarray  # s
    values: np.ndarray  # N or N m; NaN where it is not unique
    unique_at: np.ndarray  # [sample]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, sample: int) -> float: ...
    @overload
    def __getitem__(self, sample: slice | np.ndarray) -> np.ndarray: ...
    def __getitem__(self, sample: int | slice | np.ndarray) -> float | np.ndarray:
        values: float | np.ndarray = self.values[sample]
        return values

    def tables(self) -> list[Table]:
        """Least and greatest value."""
        if not np.isfinite(self.values).any():
            return [facts(f"{self.driver}: drives {self.joint}.{self.coordinate}", [("force", "not unique")])]
        least, greatest = int(np.nanargmin(self.values)), int(np.nanargmax(self.values))
        return [facts(f"{self.driver}: drives {self.joint}.{self.coordinate}", [
            (what, f"{number_text(float(self.values[n]))} {self.unit} at t = {self.t[n]:.6g} s")
            for what, n in (("least", least), ("greatest", greatest))
        ])]  # fmt: skip

    @property
    def unique(self) -> bool:
        """Whether it is unique at every sample."""
        return bool(self.unique_at.all())


@dataclass(frozen=True, repr=False)
class Reaction(Shown):
    """The wrench that a joint exerts on one of its bodies, at every sample."""

    joint: str
    on: str  # body on which it acts
    at: str  # point about which the moment is taken
    frame: str  # axes of the components
    method: str  # non-recursive, newton-euler or multipliers
    t: np.ndarray  # s
    force: np.ndarray  # [sample, 3] N; NaN where a component is not unique
    torque: np.ndarray  # [sample, 3] N m
    unique_at: np.ndarray  # [sample, 6]
    drivings: tuple[DrivingForce, ...]  # of the drivers on this joint
    shared_with: tuple[str, ...]  # the joints among which a load that is not unique can be shifted
    possible: np.ndarray = field(repr=False)  # [sample, 6] this run's wrench, even where it is one of many: for sums

    units = {"t": "s", "force": "N", "torque": "N m"}  # noqa: RUF012

    @property
    def wrench(self) -> np.ndarray:
        """[sample, 6]: force and torque."""
        return np.hstack([self.force, self.torque])

    @property
    def unique(self) -> dict[str, bool]:
        """For each component, whether it is unique at every sample."""
        return {name: bool(flags.all()) for name, flags in zip(COMPONENTS, self.unique_at.T, strict=True)}

    @property
    def driving(self) -> np.ndarray | None:
        """The driving force, if the joint has one driver."""
        return self.drivings[0].values if len(self.drivings) == 1 else None

    def note(self) -> str | None:
        """Why some components are not unique, and what would make them so."""
        reason = self.reason()
        return None if reason is None else f"joint '{self.joint}': {reason}"

    def reason(self) -> str | None:
        """The same without the joint's name."""
        lost = [name for name, fine in self.unique.items() if not fine]
        if not lost:
            return None
        always = [name for name, flags in zip(COMPONENTS, self.unique_at.T, strict=True) if not flags.any()]
        sometimes = [name for name in lost if name not in always]
        parts = []
        if always:
            parts.append(f"{', '.join(always)} not unique")
        if sometimes:
            first = float(self.t[~self.unique_at.all(axis=1)][0])
            parts.append(f"{', '.join(sometimes)} not unique at some instants, first at t = {first:.6g} s")
        what = "; ".join(parts)
        if not self.shared_with:
            return f"{what}: a planar model does not resolve out-of-plane loads"
        others = ", ".join(f"'{name}'" for name in self.shared_with)
        return f"{what}: load can shift among {others}; {BUSHING}"

    def peaks(self) -> list[Peak]:
        """The largest size of each component, of force and torque, and of the driving forces; of what is unique."""
        wrench = self.wrench
        curves: dict[str, np.ndarray] = {name: wrench[:, k] for k, name in enumerate(COMPONENTS)}
        curves |= {"force": np.linalg.norm(self.force, axis=1), "torque": np.linalg.norm(self.torque, axis=1)}
        curves |= {f"driving {d.coordinate}": d.values for d in self.drivings}
        found = []
        for name, curve in curves.items():
            if np.isfinite(curve).any():
                n = int(np.nanargmax(np.abs(curve)))
                found.append(Peak(name, float(curve[n]), float(self.t[n]), self.force[n], self.torque[n]))
        return found

    def tables(self) -> list[Table]:
        """The peaks: value, time, and the whole wrench at that instant."""
        peaks = self.peaks()
        noise = ROUNDING * max((abs(peak.value) for peak in peaks), default=0.0)
        rows = [
            (peak.of, number_text(peak.value, noise), f"{peak.t:.6g}", numbers_text(peak.force, noise),
             numbers_text(peak.torque, noise))
            for peak in peaks
        ]  # fmt: skip
        rows += [(name, "not unique", "", "", "") for name, unique in self.unique.items() if not unique]
        title = f"{self.joint}: on {self.on}, at {self.at}, {self.frame} axes; N and N m"
        return [table(title, ("peak of", "value", "t, s", "force at that time", "torque at that time"), rows)]

    def during(self, window: tuple[float, float]) -> Reaction:
        """The samples of a span of time (s)."""
        keep = samples_within(self.t, window)
        drivings = tuple(
            replace(d, t=d.t[keep], values=d.values[keep], unique_at=d.unique_at[keep]) for d in self.drivings
        )
        return replace(
            self, t=self.t[keep], force=self.force[keep], torque=self.torque[keep], unique_at=self.unique_at[keep],
            drivings=drivings, possible=self.possible[keep],
        )  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        """For JSON; NaN is a component that is not unique."""
        return {
            "joint": self.joint, "on": self.on, "at": self.at, "frame": self.frame, "method": self.method, "t": self.t,
            "force": self.force, "torque": self.torque,
            "driving": self.driving if self.driving is not None else [],
            "drivings": {d.coordinate: d.values for d in self.drivings},
            "unique": self.unique, "units": dict(self.units), "note": self.note(),
            "peak": {peak.of: peak.as_dict() for peak in self.peaks()},
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Transmitted(Shown):
    """The force or torque of one element at the samples.

    A massless link: > 0, it pulls its ends together; the driver of a distance: > 0, it pushes them apart.  A rack: on
    the rack; a gear: on its second joint; a coupler: along its first coordinate.
    """

    element: str
    quantity: str  # force or torque
    unit: str
    t: np.ndarray  # s
    values: np.ndarray  # NaN where it is not unique

    def tables(self) -> list[Table]:
        """The largest size."""
        return [transmitted_table([self])]

    def note(self) -> str | None:
        """That it is not unique, and why."""
        lost = np.isnan(self.values)
        if not lost.any():
            return None
        when = "" if lost.all() else f" at some instants, first at t = {self.t[lost][0]:.6g} s"
        return f"'{self.element}': {self.quantity} not unique{when}: rigid bodies can share it in other ways"

    def peak(self) -> tuple[float, float] | None:
        """The largest size and when, s; None where it is never unique."""
        if not np.isfinite(self.values).any():
            return None
        n = int(np.nanargmax(np.abs(self.values)))
        return float(self.values[n]), float(self.t[n])

    def during(self, window: tuple[float, float]) -> Transmitted:
        """The samples of a span of time (s)."""
        keep = samples_within(self.t, window)
        return replace(self, t=self.t[keep], values=self.values[keep])

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        value, t = self.peak() or (np.nan, np.nan)
        return {
            "element": self.element, "quantity": self.quantity, "unit": self.unit, "t": self.t, "values": self.values,
            "peak": {"value": value, "t": t},
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Loads(Shown, Mapping[str, Reaction]):
    """The reactions of chosen joints in one run, by name; and what links and couplings transmit along them."""

    result: Result
    reactions: dict[str, Reaction]
    along: dict[str, Transmitted] = field(default_factory=dict)

    def __getitem__(self, joint: str) -> Reaction:
        if joint in self.along:
            one = self.along[joint]
            raise OptionError(f"'{joint}' is no joint; its {one.quantity} is `.along[{joint!r}]`", element=joint)
        if joint not in self.reactions:
            raise OptionError(
                f"no load of joint '{joint}' was requested; {nearest(joint, self.reactions)}", element=joint
            )
        return self.reactions[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reactions)

    def __len__(self) -> int:
        return len(self.reactions)

    @property
    def t(self) -> np.ndarray:
        """Sample times, s."""
        return self._every()[0].t

    def tables(self) -> list[Table]:
        """Those of every joint, of links and couplings, and what is not unique."""
        peaks = [one for reaction in self.reactions.values() for one in reaction.tables()]
        if self.along:
            peaks.append(transmitted_table(self.along.values()))
        notes = self.notes()
        return [*peaks, facts("", [("note", note) for note in notes])] if notes else peaks

    def notes(self) -> list[str]:
        """What is not unique, and why; joints with one reason together."""
        joints: dict[str, list[str]] = {}
        for name, reaction in self.reactions.items():
            if (reason := reaction.reason()) is not None:
                joints.setdefault(reason, []).append(f"'{name}'")
        of_joints = [f"joint{'s'[: len(names) - 1]} {', '.join(names)}: {reason}" for reason, names in joints.items()]
        return [*of_joints, *(note for note in (one.note() for one in self.along.values()) if note is not None)]

    def _every(self) -> list[Reaction | Transmitted]:
        return [*self.reactions.values(), *self.along.values()]

    def envelope(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Least and largest value of every component of every joint (N, N m); NaN where it is not unique."""
        return {
            name: {c: _extent(curve) for c, curve in zip(COMPONENTS, reaction.wrench.T, strict=True)}
            for name, reaction in self.reactions.items()
        }

    def as_dict(self) -> dict[str, object]:
        """For JSON: the keys of `linkwork loads --json`."""
        return {
            "joints": [reaction.as_dict() for reaction in self.reactions.values()],
            "along": [one.as_dict() for one in self.along.values()],
        }


def transmitted_table(along: Iterable[Transmitted]) -> Table:
    """The largest size of each."""
    every = [(one, one.peak()) for one in along]
    noise = ROUNDING * max((abs(peak[0]) for _, peak in every if peak is not None), default=0.0)
    rows = [
        (one.element, one.quantity, *(("not unique", "") if peak is None else
                                      (f"{number_text(peak[0], noise)} {one.unit}", f"{peak[1]:.6g}")))
        for one, peak in every
    ]  # fmt: skip
    return table("along links and couplings", ("element", "quantity", "largest", "t, s"), rows)


def _extent(curve: np.ndarray) -> tuple[float, float]:
    if not np.isfinite(curve).all():
        return float("nan"), float("nan")
    return float(curve.min()), float(curve.max())


def samples_within(t: np.ndarray, window: tuple[float, float]) -> np.ndarray:
    """Which samples lie in a span of time (s); one without any is refused."""
    first, last = window
    slack = 1e-9 * max(abs(float(t[0])), abs(float(t[-1])))
    keep: np.ndarray = (t >= first - slack) & (t <= last + slack)
    if not keep.any():
        raise OptionError(
            f"there are no samples between t = {first:g} s and {last:g} s; the run goes from {t[0]:g} to {t[-1]:g} s",
            element="during",
        )
    return keep
