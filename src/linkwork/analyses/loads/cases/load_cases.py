"""Load cases for strength work: everything that acts on one body at one instant, inertia loads included, in balance.

D'Alembert: reactions + weight + all other forces - (d/dt of momentum) = 0.  The instants are those at which a
joint of the body transmits its largest force or moment.  Written in body axes, with points of application in the body's
frame, they are what a finite-element run of the body needs.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from linkwork.analyses.loads.cases.instants import BodyLoad, Instant
from linkwork.analyses.loads.loads import joint_loads
from linkwork.analyses.loads.reactions import COMPONENTS, Loads, Reaction
from linkwork.analyses.loads.replay import Replay
from linkwork.errors import FileError, OptionError, nearest
from linkwork.output_files import cell
from linkwork.results.result import Result
from linkwork.tables import Shown, Table, numbers_text, table

CASE_COLUMNS = ("body", "t", "load", "kind", "x", "y", "z", *COMPONENTS)
NOISE = 1e-10  # of the largest reaction: less is rounding
HISTORY_COLUMNS = ("joint", "on", "at", "frame", "t", *COMPONENTS, "driving", "along")


@dataclass(frozen=True, repr=False)
class LoadCase(Shown):
    """All loads on one body at one instant; body axes, points in the body's frame."""

    body: str
    t: float  # s
    why: str  # which extreme it is
    loads: tuple[BodyLoad, ...]
    residual: np.ndarray  # N, N m about the centre of mass: what the loads sum up to; zero but for rounding
    acceleration: np.ndarray  # m/s2, of the body frame's origin
    angular_velocity: np.ndarray  # rad/s
    angular_acceleration: np.ndarray  # rad/s2

    def tables(self) -> list[Table]:
        """All loads on the body at the instant."""
        noise = NOISE * max(abs(float(x)) for load in self.loads for x in (*load.force, *load.torque) if x == x)
        rows = [
            (load.name, numbers_text(load.point, 1e-12), numbers_text(load.force, noise),
             numbers_text(load.torque, noise))
            for load in self.loads
        ]  # fmt: skip
        title = f"{self.body} at t = {self.t:.6g} s ({self.why}); its own axes, N and N m"
        return [table(title, ("load", "point, m", "force", "torque"), rows)]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "body": self.body, "t": self.t, "why": self.why, "axes": self.body,
            "loads": [load.as_dict() for load in self.loads], "residual": self.residual,
            "acceleration": self.acceleration, "angular_velocity": self.angular_velocity,
            "angular_acceleration": self.angular_acceleration,
            "units": {"t": "s", "point": "m", "force": "N", "torque": "N m"},
        }  # fmt: skip


# -- instants -----------------------------------------------------------------------------------------------------
def extremes(loads: Loads, length: float = 1.0) -> list[tuple[int, str]]:
    """Samples at which a joint transmits its largest force or moment (what is unique of it), and which that is.

    `length` (m): the size of the mechanism; a moment that is rounding beside the forces times it is none.
    """
    found: dict[int, list[str]] = {}
    noise = NOISE * max(np.nanmax(np.abs(reaction.force), initial=0.0) for reaction in loads.values())
    for reaction in loads.values():
        for what, vectors, least in (("force", reaction.force, noise), ("moment", reaction.torque, noise * length)):
            sizes = np.sqrt(np.nansum(vectors**2, axis=1))
            if sizes.max() > least:
                found.setdefault(int(np.argmax(sizes)), []).append(f"largest {what} of joint '{reaction.joint}'")
    return [(n, "; ".join(why)) for n, why in sorted(found.items())]


def load_cases(result: Result, body: str, during: tuple[float, float] | None = None) -> list[LoadCase]:
    """One case for each instant at which a joint of the body transmits its largest force or moment."""
    joints = joints_of(result, body)
    if not joints:
        raise OptionError(
            f"body '{body}' has no joints whose loads could be largest; ask for one instant: load_case('{body}', t)",
            element=body,
        )
    loads = joint_loads(result, joints, during=during)
    length = Replay.of(result).mechanism.size()
    return [load_case(result, body, float(loads.t[n]), why) for n, why in extremes(loads, length)]


def joints_of(result: Result, body: str) -> list[str]:
    """The joints that hold a body."""
    known = result.names["bodies"]
    if body not in known:
        raise OptionError(f"there is no body '{body}'; {nearest(body, known)}", element=body)
    return [joint.name for joint in Replay.of(result).mechanism.joint if body in joint.between]


# -- one instant --------------------------------------------------------------------------------------------------
def load_case(result: Result, body: str, t: float, why: str = "as asked") -> LoadCase:
    """All that acts on a body at the sample nearest to a time (s)."""
    first, last = float(result.t[0]), float(result.t[-1])
    rounding = 1e-9 * (last - first)
    if not first - rounding <= t <= last + rounding:
        raise OptionError(f"t = {t:g} s lies outside the run, which goes from {first:g} to {last:g} s", element="t")
    joints = joints_of(result, body)
    reactions = joint_loads(result, joints, on=body, frame=body) if joints else {}
    instant = Instant(result, body, t)
    held = [instant.joint_load(reactions[name]) for name in joints]
    others = instant.other_loads()
    possible = [replace(load, force=w[:3], torque=w[3:]) for load, w in zip(held, instant.possible, strict=True)]
    residual = instant.known(sum((_about(load, instant.centre) for load in possible + others), np.zeros(6)))
    return LoadCase(body, instant.t, why, (*held, *others), residual, *instant.motion)


def _about(load: BodyLoad, point: np.ndarray) -> np.ndarray:
    """Force and moment about a point."""
    return np.append(load.force, load.torque + np.cross(load.point - point, load.force))


# -- files --------------------------------------------------------------------------------------------------------
def write_cases(cases: Sequence[LoadCase], path: str | Path) -> None:
    """Write load cases as CSV: body axes, points in the body's frame, SI units; an empty cell is not unique."""
    rows = [
        (case.body, case.t, load.name, load.kind, *load.point, *load.force, *load.torque)
        for case in cases
        for load in case.loads
    ]
    _write_table(path, CASE_COLUMNS, rows)


def write_histories(loads: Loads, path: str | Path) -> None:
    """Write the histories as CSV: one row a sample and joint, link or coupling, SI units; an empty cell is not unique,
    or not there.
    """
    rows: list[Sequence[object]] = [
        (reaction.joint, reaction.on, reaction.at, reaction.frame, t, *force, *torque, *driving, "")
        for reaction in loads.values()
        for t, force, torque, *driving in zip(
            reaction.t, reaction.force, reaction.torque, _one_driving(reaction), strict=True
        )
    ]
    rows += [
        (one.element, *[""] * 3, t, *[""] * 7, value)
        for one in loads.along.values()
        for t, value in zip(one.t, one.values, strict=True)
    ]
    _write_table(path, HISTORY_COLUMNS, rows)


def _one_driving(reaction: Reaction) -> np.ndarray:
    return reaction.driving if reaction.driving is not None else np.full(len(reaction.t), np.nan)


def _write_table(path: str | Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    try:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(map(cell, columns))
            writer.writerows([_cell(value) for value in row] for row in rows)
    except OSError as error:
        why = error.strerror or error
        raise FileError(f"cannot write '{path}': {why}; check the folder", element=str(path)) from error


def _cell(value: object) -> object:
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if np.isfinite(value) else ""
    return cell(value)
