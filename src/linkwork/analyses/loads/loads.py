"""Joint loads of a run: what each chosen joint transmits, and what its drivers give, as histories with units.

A reaction is the wrench on one of the joint's two bodies from the other, of the joint's constraints and its drivers
together; springs on the joint are loads of their own.  It says on which body, at which point and in which axes, and
each of its components whether it is unique: one that is not is NaN (analyses/loads/uniqueness.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.analyses.loads.replay import MULTIPLIERS, NON_RECURSIVE, WAYS, DriverRow, Replay, Wrenches
from linkwork.analyses.loads.uniqueness import Indeterminacy, indeterminacy
from linkwork.errors import OptionError, nearest
from linkwork.numerics.rotations import rotation_matrix
from linkwork.results.result import Result

COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")
Place = str | Sequence[float] | np.ndarray
BUSHING = "a bushing in place of one of these joints, which says how stiff it is, makes it unique"


@dataclass(frozen=True)
class Peak:
    """The largest size that something has in a run, when, and the whole wrench at that time."""

    of: str  # a component; `force`, `torque`: their magnitudes; `driving COORDINATE`
    value: float  # N, N m
    t: float  # s
    force: np.ndarray  # N
    torque: np.ndarray  # N m

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"value": self.value, "t": self.t, "force": self.force, "torque": self.torque}


@dataclass(frozen=True)
class DrivingForce:
    """The generalized force that a driver gives: force (N) or torque (N m) times rate is its power.

    Of drivers that take turns on one coordinate it is what the one gives that acts.
    """

    driver: str
    joint: str
    coordinate: str
    unit: str
    t: np.ndarray  # s
    values: np.ndarray  # N or N m; NaN where it is not unique
    unique_at: np.ndarray  # [sample]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, sample: Any) -> Any:
        return self.values[sample]

    @property
    def unique(self) -> bool:
        """Is it a fact at every sample?"""
        return bool(self.unique_at.all())


@dataclass(frozen=True)
class Reaction:
    """The wrench that a joint exerts on one of its bodies, at every sample."""

    joint: str
    on: str  # body on which it acts
    at: str  # point about which the moment is taken
    frame: str  # axes of the components
    way: str  # by which it was found
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
        """For each component: is it a fact at every sample?"""
        return {name: bool(flags.all()) for name, flags in zip(COMPONENTS, self.unique_at.T, strict=True)}

    @property
    def driving(self) -> np.ndarray | None:
        """The driving force, if the joint has one driver."""
        return self.drivings[0].values if len(self.drivings) == 1 else None

    def note(self) -> str | None:
        """Why some components are not unique, and what would make them so."""
        lost = [name for name, fine in self.unique.items() if not fine]
        if not lost:
            return None
        always = [name for name, flags in zip(COMPONENTS, self.unique_at.T, strict=True) if not flags.any()]
        sometimes = [name for name in lost if name not in always]
        told = []
        if always:
            told.append(f"{', '.join(always)} not unique")
        if sometimes:
            first = float(self.t[~self.unique_at.all(axis=1)][0])
            told.append(f"{', '.join(sometimes)} not unique at some instants, first t = {first:.6g} s")
        if not self.shared_with:
            return f"joint '{self.joint}': {'; '.join(told)}: a plane mechanism does not know loads across its plane"
        others = ", ".join(f"'{name}'" for name in self.shared_with)
        return f"joint '{self.joint}': {'; '.join(told)}: {others} can shift load among them; {BUSHING}"

    def peaks(self) -> list[Peak]:
        """The largest size of each component, of force and torque, and of the driving forces; only of facts."""
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

    def during(self, window: tuple[float, float]) -> Reaction:
        """The samples of a span of time (s)."""
        keep = _samples_within(self.t, window)
        drivings = tuple(
            replace(d, t=d.t[keep], values=d.values[keep], unique_at=d.unique_at[keep]) for d in self.drivings
        )
        return replace(
            self, t=self.t[keep], force=self.force[keep], torque=self.torque[keep], unique_at=self.unique_at[keep],
            drivings=drivings, possible=self.possible[keep],
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """For JSON; NaN is a component that is not unique."""
        return {
            "joint": self.joint, "on": self.on, "at": self.at, "frame": self.frame, "way": self.way, "t": self.t,
            "force": self.force, "torque": self.torque,
            "driving": self.driving if self.driving is not None else [],
            "drivings": {d.coordinate: d.values for d in self.drivings},
            "unique": self.unique, "units": dict(self.units), "note": self.note(),
            "peak": {peak.of: peak.as_dict() for peak in self.peaks()},
        }  # fmt: skip


@dataclass(frozen=True)
class Loads(Mapping[str, Reaction]):
    """The reactions of chosen joints in one run, by name."""

    result: Result
    reactions: dict[str, Reaction]

    def __getitem__(self, joint: str) -> Reaction:
        if joint not in self.reactions:
            raise OptionError(
                f"no load of joint '{joint}' was asked for; {nearest(joint, self.reactions)}", element=joint
            )
        return self.reactions[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reactions)

    def __len__(self) -> int:
        return len(self.reactions)

    @property
    def t(self) -> np.ndarray:
        """Sample times, s."""
        return next(iter(self.reactions.values())).t

    def notes(self) -> list[str]:
        """What is not unique, and why."""
        return [note for note in (reaction.note() for reaction in self.reactions.values()) if note is not None]

    def envelope(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Least and largest value of every component of every joint (N, N m); NaN where it is not unique."""
        return {
            name: {c: _extent(curve) for c, curve in zip(COMPONENTS, reaction.wrench.T, strict=True)}
            for name, reaction in self.reactions.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the keys of `linkwork loads --json`."""
        return {"joints": [reaction.as_dict() for reaction in self.reactions.values()]}


def _extent(curve: np.ndarray) -> tuple[float, float]:
    if not np.isfinite(curve).all():
        return float("nan"), float("nan")
    return float(curve.min()), float(curve.max())


def joint_loads(
    result: Result,
    joints: Sequence[str],
    *,
    on: str | None = None,
    at: Place = "joint",
    frame: str = "world",
    way: str = "auto",
    during: tuple[float, float] | None = None,
) -> Loads:
    """Reactions and driving forces of the chosen joints at every sample.

    `on`: the body on which the wrench acts, one of the joint's two, or "A" or "B" (default B, the second said).
    `at`: the point about which its moment is taken: "joint" (the joint's point on B), a body (its frame's origin), a
    named frame, or three numbers (m, a point fixed in the world).  `frame`: the axes of the components: "world",
    "joint" (the joint's frame on A), a body or a named frame.  `way`: see replay.py; "auto": the cheapest.
    """
    chosen = _known_joints(result, joints)
    replay, way = replay_by(result, way)
    found = replay.wrenches(chosen, way)
    free = indeterminacy(replay, chosen)
    shared = _shared(replay, free)
    reactions = {
        name: _reaction(replay, found, free, way, name, k, on, at, frame, shared) for k, name in enumerate(chosen)
    }
    if during is not None:
        reactions = {name: reaction.during(during) for name, reaction in reactions.items()}
    return Loads(result, reactions)


def driving_force(result: Result, joint: str, coordinate: str | None = None, way: str = "auto") -> DrivingForce:
    """What the driver of a joint gives, at every sample."""
    name = _known_joints(result, [joint])[0]
    replay, way = replay_by(result, way)
    own = dict.fromkeys(driver.coordinate for driver in replay.drivers if driver.joint == name)
    if not own:
        driven = [driver.joint for driver in replay.drivers]
        raise OptionError(
            f"joint '{name}' has no driver, so that nothing drives it; "
            + (f"driven are {', '.join(map(repr, driven))}" if driven else "give it one with `driver` or `lock`"),
            element=name,
        )
    if coordinate is None and len(own) > 1:
        raise OptionError(f"joint '{name}' has drivers on {', '.join(own)}; say which coordinate", element=name)
    wanted = coordinate or next(iter(own))
    if wanted not in own:
        raise OptionError(f"joint '{name}' has no driver on '{wanted}'; {nearest(wanted, own)}", element=name)
    every = _drivings(replay, replay.wrenches((name,), way), indeterminacy(replay, (name,)), name, way)
    return next(driving for driving in every if driving.coordinate == wanted)


# -- what was asked for -------------------------------------------------------------------------------------------
def _known_joints(result: Result, joints: Sequence[str]) -> tuple[str, ...]:
    if isinstance(joints, str):
        joints = [joints]
    if not joints:
        raise OptionError("no joint was named; name one or more, as in joints=['elbow']", element="joints")
    for name in joints:
        if name not in result.names["joints"]:
            raise OptionError(f"there is no joint '{name}'; {nearest(name, result.names['joints'])}", element=name)
    return tuple(dict.fromkeys(joints))


def replay_by(result: Result, way: str) -> tuple[Replay, str]:
    """The samples in the coordinates that the way needs."""
    if way not in ("auto", *WAYS):
        raise OptionError(f"there is no way '{way}' to find loads; {nearest(way, ['auto', *WAYS])}", element=way)
    replay = Replay.of(result)
    bent = next((body.name for body in replay.mechanism.body if body.flexible is not None), None)
    if way == "auto":
        way = NON_RECURSIVE if replay.formulation == "joint" and bent is None else MULTIPLIERS
    if way != MULTIPLIERS and bent is not None:
        raise OptionError(
            f"way '{way}' is for rigid bodies, and '{bent}' is flexible; use way = 'multipliers'", element=way
        )
    if way == MULTIPLIERS and replay.formulation == "joint":
        replay = replay.in_absolute_coordinates(result)
    if way != MULTIPLIERS and replay.formulation == "absolute":
        raise OptionError(
            f"way '{way}' needs a run in joint coordinates, and this one is in absolute coordinates; "
            "simulate with formulation = 'joint', or use way = 'multipliers'",
            element=way,
        )
    return replay, way


def _samples_within(t: np.ndarray, window: tuple[float, float]) -> np.ndarray:
    first, last = window
    slack = 1e-9 * max(abs(float(t[0])), abs(float(t[-1])))
    keep = (t >= first - slack) & (t <= last + slack)
    if not keep.any():
        raise OptionError(
            f"there are no samples between t = {first:g} s and {last:g} s; the run goes from {t[0]:g} to {t[-1]:g} s",
            element="during",
        )
    return keep


def _shared(replay: Replay, free: Indeterminacy) -> tuple[str, ...]:
    """All joints of the mechanism that share in what is not unique."""
    if not free.lam.shape[1]:
        return ()
    everyone = tuple(joint.name for joint in replay.mechanism.joint)
    worst = int(np.argmax(np.abs(free.lam).max(axis=2).sum(axis=1)))
    return indeterminacy(replay.part(free.checked[[worst]]), everyone).affected()


# -- how it is answered -------------------------------------------------------------------------------------------
def _reaction(
    replay: Replay, found: Wrenches, free: Indeterminacy, way: str, name: str, k: int, on: str | None, at: Place,
    frame: str, shared: tuple[str, ...],
) -> Reaction:  # fmt: skip
    """One joint's wrench on the body, about the point and in the axes that were asked for."""
    body, sign = _side(replay, name, on)
    point, told_at = place(replay, found, name, at)
    axes = orientation(replay, found, name, frame)
    shift = point - joint_point(replay, found, name)
    force, torque = sign * found.wrench[:, k, :3], sign * found.wrench[:, k, 3:]
    torque = torque - np.cross(shift, force)
    unique_at = free.components(name, axes, shift)
    possible = np.hstack([_along(axes, force), _along(axes, torque)])
    wrench = np.where(unique_at, possible, np.nan)
    drivings = _drivings(replay, found, free, name, way)
    return Reaction(
        name, body, told_at, frame, way, replay.t, wrench[:, :3], wrench[:, 3:], unique_at, drivings, shared, possible
    )


def _drivings(replay: Replay, found: Wrenches, free: Indeterminacy, joint: str, way: str) -> tuple[DrivingForce, ...]:
    """What drives each driven coordinate of a joint; of several drivers on one, of which one acts, the sum."""
    own: dict[str, list[DriverRow]] = {}
    for driver in replay.drivers:
        if driver.joint == joint:
            own.setdefault(driver.coordinate, []).append(driver)
    made = []
    for coordinate, drivers in own.items():
        unique_at = np.all([free.driver(driver) for driver in drivers], axis=0)
        values = np.where(unique_at, sum(replay.driving(driver, found, way) for driver in drivers), np.nan)
        names = ", ".join(driver.name for driver in drivers)
        made.append(DrivingForce(names, joint, coordinate, drivers[0].unit, replay.t, values, unique_at))
    return tuple(made)


def _along(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Components [sample, 3] of world vectors in axes [sample, 3, 3]."""
    return np.einsum("nij,ni->nj", axes, vectors)


def _side(replay: Replay, joint: str, on: str | None) -> tuple[str, float]:
    """The body on which the wrench acts, and the sign that turns the wrench on B into it."""
    a, b = next(said.between for said in replay.mechanism.joint if said.name == joint)
    if on in (None, b):
        return b, 1.0
    if on == a:
        return a, -1.0
    if on in ("A", "B"):
        return (a, -1.0) if on == "A" else (b, 1.0)
    raise OptionError(f"joint '{joint}' is between '{a}' and '{b}', not on '{on}'; say on which of the two", element=on)


def joint_point(replay: Replay, found: Wrenches, joint: str) -> np.ndarray:
    """The joint's point on B [sample, 3], m."""
    frames = replay.layout.joints[joint]
    return found.p[:, frames.body_b] + found.R[:, frames.body_b] @ frames.p_BM


def place(replay: Replay, found: Wrenches, joint: str, at: Place) -> tuple[np.ndarray, str]:
    """A point in the world at every sample [sample, 3] (m), and its name."""
    if not isinstance(at, str):
        point = np.array(at, float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise OptionError(f"at is {at}; a point has three finite numbers (m, world)", element="at")
        return np.broadcast_to(point, (len(replay.t), 3)), f"({point[0]:g}, {point[1]:g}, {point[2]:g})"
    if at == "joint":
        return joint_point(replay, found, joint), at
    body, p, _ = _named(replay, at, "at", ["joint"])
    origin, axes = body_frame(replay, found, body)
    return origin + axes @ p, at


def orientation(replay: Replay, found: Wrenches, joint: str, frame: str) -> np.ndarray:
    """Axes in the world at every sample [sample, 3, 3]."""
    if frame == "world":
        return np.broadcast_to(np.eye(3), (len(replay.t), 3, 3))
    if frame == "joint":
        frames = replay.layout.joints[joint]
        return found.R[:, frames.body_a] @ frames.R_AF
    body, _, R = _named(replay, frame, "frame", ["world", "joint"])
    return body_frame(replay, found, body)[1] @ R


def _named(replay: Replay, name: str, option: str, words: list[str]) -> tuple[int, np.ndarray, np.ndarray]:
    """The body of a named body or frame, and the frame's place and orientation on it."""
    if name in replay.layout.bodies:
        return replay.layout.body(name), np.zeros(3), np.eye(3)
    frames = {frame.name: frame for frame in replay.mechanism.frame}
    if name not in frames:
        known = [*words, *replay.layout.bodies, *frames]
        raise OptionError(f"{option} is '{name}', which is no body and no frame; {nearest(name, known)}", element=name)
    frame = frames[name]
    node = f"{frame.body}.{frame.node}"  # of a flexible body, where something is attached to it
    if frame.node is not None and node in replay.layout.bodies:
        return replay.layout.body(node), np.array(frame.at), rotation_matrix(np.array(frame.orientation))
    if any(body.name == frame.body and body.flexible is not None for body in replay.mechanism.body):
        told = f"{option} is '{name}', a place of the flexible '{frame.body}' where nothing is attached; name a joint's"
        raise OptionError(told, element=name)
    return replay.layout.body(frame.body), np.array(frame.at), rotation_matrix(np.array(frame.orientation))


def body_frame(replay: Replay, found: Wrenches, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Origin [sample, 3] (m) and axes [sample, 3, 3] of a body's frame, as said."""
    layout = replay.layout
    return found.p[:, body] + found.R[:, body] @ layout.p_LB[body], found.R[:, body] @ layout.R_LB[body]
