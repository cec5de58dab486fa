"""Joint loads of a run: what each chosen joint transmits, and what its drivers give, as histories with units.

A reaction is the wrench on one of the joint's two bodies from the other, of the joint's constraints and its drivers
together; springs on the joint are loads of their own.  It has a body on which it acts, a point and axes, and each of
its components is unique or not: one that is not is NaN (uniqueness.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.loads.places import Place, joint_point, orientation, place
from linkwork.analyses.loads.reactions import DrivingForce, Loads, Reaction
from linkwork.analyses.loads.replay import LOAD_METHODS, MULTIPLIERS, NON_RECURSIVE, DriverRow, Replay, Wrenches
from linkwork.analyses.loads.transmitted import transmitted, transmitting
from linkwork.analyses.loads.uniqueness import Indeterminacy, indeterminacy
from linkwork.errors import OptionError, nearest
from linkwork.results.result import Result


def joint_loads(
    result: Result,
    joints: Sequence[str],
    *,
    on: str | None = None,
    at: Place = "joint",
    frame: str = "world",
    method: str = "auto",
    during: tuple[float, float] | None = None,
) -> Loads:
    """Reactions (N, N m) and driving forces of the chosen joints at every sample (P2); of massless links, couplings and
    drivers of a distance, which may be named among the joints, the force or torque along them.

    `on`: the body on which the wrench acts, one of the joint's two, or "A" or "B" (default B, the second of the two).
    `at`: the point about which its moment is taken: "joint" (the joint's point on B), a body (its frame's origin), a
    named frame, or three numbers (m, a point fixed in the world).  `frame`: the axes of the components: "world",
    "joint" (the joint's frame on A), a body or a named frame.  `method`: "non-recursive", "newton-euler" or
    "multipliers" (replay.py); "auto": the cheapest that serves.  `during`: a span of the run, s.  Refused: unknown
    names, runs in coordinates that a method does not have.
    """
    others = transmitting(result)
    named = _known(joints, all_loads(result))
    chosen = tuple(name for name in named if name not in others)
    reactions: dict[str, Reaction] = {}
    if not chosen:
        _refuse_for_links(
            named[0], {"on": on, "at": at != "joint", "frame": frame != "world", "method": method != "auto"}
        )
    else:
        found = _Found.of(*replay_for(result, method), chosen)
        shared = found.sharing_joints()
        reactions = {name: _reaction(found, name, on, at, frame, shared) for name in chosen}
    along = transmitted(result, [name for name in named if name in others])
    if during is not None:
        reactions = {name: reaction.during(during) for name, reaction in reactions.items()}
        along = {name: one.during(during) for name, one in along.items()}
    return Loads(result, reactions, along)


def driving_force(result: Result, joint: str, coordinate: str | None = None, method: str = "auto") -> DrivingForce:
    """The generalized force (N m, N) of the driver of a joint, at every sample; `method` as for `joint_loads`."""
    name = _known([joint], result.names["joints"])[0]
    replay, method = replay_for(result, method)
    wanted = _driven(replay, name, coordinate)
    found = _Found.of(replay, method, (name,))
    return next(driving for driving in _drivings(found, name) if driving.coordinate == wanted)


# -- what is requested --------------------------------------------------------------------------------------------
def all_loads(result: Result) -> list[str]:
    """Everything whose loads `joint_loads` finds."""
    return [*result.names["joints"], *transmitting(result)]


def _known(joints: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    if isinstance(joints, str):
        joints = [joints]
    if not known:
        raise OptionError("the model has no joints, links or couplings, and so no loads", element="joints")
    if not joints:
        raise OptionError("no joint was named; name one or more, as in joints=['elbow']", element="joints")
    for name in joints:
        if name not in known:
            raise OptionError(f"there is no joint '{name}'; {nearest(name, known)}", element=name)
    return tuple(dict.fromkeys(joints))


def _refuse_for_links(name: str, options: Mapping[str, object]) -> None:
    """What says how the load of a joint is written changes nothing along a link."""
    given = next((option for option, chosen in options.items() if chosen), None)
    if given is not None:
        raise OptionError(f"'{given}' is for the loads of joints, and '{name}' has one along itself", element=given)


def _driven(replay: Replay, joint: str, coordinate: str | None) -> str:
    """The driven coordinate of a joint that is meant."""
    own = dict.fromkeys(driver.coordinate for driver in replay.drivers if driver.joint == joint)
    if not own:
        driven = [driver.joint for driver in replay.drivers]
        known = f"driven joints are {', '.join(map(repr, driven))}" if driven else "add one with `driver` or `lock`"
        raise OptionError(f"joint '{joint}' has no driver; {known}", element=joint)
    if coordinate is None and len(own) > 1:
        raise OptionError(f"joint '{joint}' has drivers on {', '.join(own)}; name the coordinate", element=joint)
    wanted = coordinate or next(iter(own))
    if wanted not in own:
        raise OptionError(f"joint '{joint}' has no driver on '{wanted}'; {nearest(wanted, own)}", element=joint)
    return wanted


def replay_for(result: Result, method: str) -> tuple[Replay, str]:
    """The samples in the coordinates that a method needs, and the method; "auto": the cheapest that serves."""
    known = ("auto", *LOAD_METHODS)
    if method not in known:
        raise OptionError(f"there is no method '{method}' for joint loads; {nearest(method, known)}", element=method)
    replay = Replay.of(result)
    if method == "auto":
        method = NON_RECURSIVE if replay.formulation == "joint" else MULTIPLIERS
    if method == MULTIPLIERS:
        return (replay.in_absolute_coordinates(result) if replay.formulation == "joint" else replay), method
    if replay.formulation == "absolute":
        raise OptionError(
            f"method '{method}' needs a run in joint coordinates, and this one is in absolute coordinates; "
            "simulate with formulation = 'joint', or use method = 'multipliers'",
            element=method,
        )
    return replay, method


# -- what is found ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Found:
    """Wrenches of the chosen joints at the samples, and what could be added to them."""

    replay: Replay
    method: str
    wrenches: Wrenches
    free: Indeterminacy

    @classmethod
    def of(cls, replay: Replay, method: str, joints: tuple[str, ...]) -> _Found:
        """By one of the three methods."""
        return cls(replay, method, replay.wrenches(joints, method), indeterminacy(replay, joints))

    def sharing_joints(self) -> tuple[str, ...]:
        """All joints of the mechanism among which load can shift."""
        if not self.free.lam.shape[1]:
            return ()
        everyone = tuple(joint.name for joint in self.replay.mechanism.joint)
        worst = int(np.argmax(np.abs(self.free.lam).max(axis=2).sum(axis=1)))
        return indeterminacy(self.replay.part(self.free.checked[[worst]]), everyone).affected()


def _reaction(found: _Found, name: str, on: str | None, at: Place, frame: str, shared: tuple[str, ...]) -> Reaction:
    """One joint's wrench on the requested body, about the requested point and in the requested axes."""
    replay, wrenches = found.replay, found.wrenches
    body, sign = _side(replay, name, on)
    point, point_name = place(replay, wrenches, name, at)
    axes = orientation(replay, wrenches, name, frame)
    shift = point - joint_point(replay, wrenches, name)
    wrench_on_b = wrenches.wrench[:, found.free.joints.index(name)]
    force, torque = sign * wrench_on_b[:, :3], sign * wrench_on_b[:, 3:]
    torque = torque - np.cross(shift, force)
    unique_at = found.free.components(name, axes, shift)
    possible = np.hstack([_along(axes, force), _along(axes, torque)])
    wrench = np.where(unique_at, possible, np.nan)
    return Reaction(
        name, body, point_name, frame, found.method, replay.t, wrench[:, :3], wrench[:, 3:], unique_at,
        _drivings(found, name), shared, possible,
    )  # fmt: skip


def _drivings(found: _Found, joint: str) -> tuple[DrivingForce, ...]:
    """What drives each driven coordinate of a joint; of several drivers on one, of which one acts, the sum."""
    own: dict[str, list[DriverRow]] = {}
    for driver in found.replay.drivers:
        if driver.joint == joint:
            own.setdefault(driver.coordinate, []).append(driver)
    made = []
    for coordinate, drivers in own.items():
        unique_at = np.all([found.free.driver(driver) for driver in drivers], axis=0)
        total = sum(found.replay.driving(driver, found.wrenches, found.method) for driver in drivers)
        names = ", ".join(driver.name for driver in drivers)
        values = np.where(unique_at, total, np.nan)
        made.append(DrivingForce(names, joint, coordinate, drivers[0].unit, found.replay.t, values, unique_at))
    return tuple(made)


def _along(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Components [sample, 3] of world vectors in axes [sample, 3, 3]."""
    return np.asarray(np.einsum("nij,ni->nj", axes, vectors))


def _side(replay: Replay, joint: str, on: str | None) -> tuple[str, float]:
    """The body on which the wrench acts, and the sign that turns the wrench on B into it."""
    a, b = next(modelled.between for modelled in replay.mechanism.joint if modelled.name == joint)
    if on in (None, b):
        return b, 1.0
    if on == a:
        return a, -1.0
    if on in ("A", "B"):
        return (a, -1.0) if on == "A" else (b, 1.0)
    raise OptionError(f"joint '{joint}' is between '{a}' and '{b}', not on '{on}'; name one of the two", element=on)
