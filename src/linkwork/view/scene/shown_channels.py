"""Time histories for the page: all of a run's, the loads of its joints and drivers, and which to plot first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from linkwork.analyses.loads.reactions import Reaction
from linkwork.analyses.loads.transmitted import transmitted, transmitting
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.forces.joint_forces import Controller, Motor
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.errors import LinkworkError
from linkwork.results.channels import body_motion_channels
from linkwork.results.result import Result
from linkwork.view.scene.scene import Channel

MOST_JOINTS = 60  # of which coordinates are computed that the run does not hold, beside those that are driven
MOST_CARDS, MOST_CURVES = 4, 4  # beside the energies; in one card, of one unit
STILL = 1e-7  # of the largest value of its unit: a channel that changes by less is a constant
ROUNDING = 1e-9  # of a joint's force times the size of the mechanism: a torque below it is none
SAME = 1e-6  # of its range: a channel that differs by less from another shows nothing more


def channels_of(result: Result, loads: Mapping[str, Reaction]) -> list[Channel]:
    """Energies, measures, coordinates, velocities, accelerations, multipliers, the coordinates of the other joints, and
    loads: `JOINT.torque`, and `DRIVER.torque` or `DRIVER.force`.  Those of the bodies are their motion.
    """
    motion = {channel.name for body in result.names["bodies"] for channel in body_motion_channels(body, 0)}
    held = [name for name in result.recorded() if name not in motion]
    found = [Channel(name, result.unit(name), result.channel(name)) for name in held]
    found += _computed_coordinates(result, set(held))
    found += [Channel(name, result.unit(name), result.channel(name)) for name in _actuator_channels(result)]
    length = result.mechanism.size()
    return found + [channel for reaction in loads.values() for channel in _load_channels(reaction, length)]


def _actuators(result: Result) -> list[Controller | Motor]:
    """What moves a joint by a force."""
    return [*result.mechanism.of(Controller), *result.mechanism.of(Motor)]


def _actuator_channels(result: Result) -> list[str]:
    """Torques and forces of controllers and motors."""
    known = set(result.channels())
    names = [f"{one.name}.{what}" for one in _actuators(result) for what in ("torque", "force")]
    return [name for name in names if name in known][:MOST_JOINTS]


def link_channels(result: Result) -> list[Channel]:
    """What links and couplings transmit, where that is unique; none where it cannot be computed."""
    try:
        along = transmitted(result, list(transmitting(result))[:MOST_JOINTS])
    except LinkworkError:
        return []
    return [
        Channel(f"{name}.{one.quantity}", one.unit, one.values)
        for name, one in along.items()
        if np.isfinite(one.values).any()
    ]


def _computed_coordinates(result: Result, held: set[str]) -> list[Channel]:
    """Coordinates of joints that the formulation does not have; left out where their turns cannot be counted."""
    missing = set(result.channels()) - held
    names = [name for joint in result.mechanism.joint for name in coordinates(joint) if name in missing]
    if len(names) > MOST_JOINTS:
        driven = set(_driven_coordinates(result))
        names = [name for name in names if name in driven]
    found = []
    for name in names:
        try:
            found.append(Channel(name, result.unit(name), result.channel(name)))
        except LinkworkError:
            continue
    return found


def coordinates(joint: Joint) -> list[str]:
    """Channels of a joint's coordinates that are a single angle or length."""
    return [] if joint.type.holds_nothing else [f"{joint.name}.{name}" for name in joint.type.measured]


def driving_channels(reaction: Reaction) -> dict[str, str]:
    """The coordinates of a joint that are driven, and the channels of what drives them."""
    what = {"N": "force", "N m": "torque"}
    return {f"{reaction.joint}.{d.coordinate}": f"{d.driver}.{what[d.unit]}" for d in reaction.drivings}


def joint_numbers(joint: Joint, loads: Mapping[str, Reaction]) -> list[str]:
    """What is shown of a joint: its coordinates, and what drives them."""
    driven = driving_channels(loads[joint.name]).values() if joint.name in loads else ()
    return [*coordinates(joint), *driven]


def _load_channels(reaction: Reaction, length: float) -> list[Channel]:
    """The size of the torque that a joint transmits, where it transmits one (length: of the mechanism, m), and what its
    drivers give.
    """
    torque, force = (np.linalg.norm(np.nan_to_num(x), axis=1) for x in (reaction.torque, reaction.force))
    rounding = ROUNDING * length * force.max(initial=0.0)
    found = [Channel(f"{reaction.joint}.torque", "N m", torque)] if torque.max(initial=0.0) > rounding else []
    names = driving_channels(reaction).values()
    return found + [
        Channel(name, d.unit, d.values)
        for name, d in zip(names, reaction.drivings, strict=True)
        if np.isfinite(d.values).any()
    ]


# -- which to plot first ----------------------------------------------------------------------------------------------
def first_plots(
    result: Result, channels: list[Channel], loads: Mapping[str, Reaction], body: str | None
) -> list[list[str]]:
    """Cards, each with channels of one unit: measures, coordinates that are driven or controlled, what moves them;
    the energies last.

    Where nothing is measured or driven: up to three joint coordinates, or where a body is.
    """
    known = {channel.name: channel for channel in channels}
    measured = [known[name] for name in result.names["measures"]]
    driven = [known[name] for name in _driven_coordinates(result) if name in known]
    driving = [known[name] for r in loads.values() for name in driving_channels(r).values() if name in known]
    driving = _further([*driving, *(known[name] for name in _actuator_channels(result))], measured)
    largest = _largest_by_unit(channels)
    cards = _cards(measured, 2 if driven else MOST_CARDS)
    cards += _cards(_further(_moving(driven, largest), measured), 1)
    cards += _cards([c for c in driving if np.abs(_finite(c)).max(initial=0.0) > STILL * largest[c.unit]],
                    MOST_CARDS - len(cards))  # fmt: skip
    if not cards:
        place = [f"{body}.position.{axis}" for axis in "xyz" if body is not None]
        cards = [_some_coordinates(result, known, largest) or place]
    return [card for card in [*cards, ["energy.kinetic", "energy.potential", "energy"]] if card]


def _driven_coordinates(result: Result) -> list[str]:
    """Channels of the joint coordinates that have a driver, a controller or a motor."""
    joints = {joint.name: joint for joint in result.mechanism.joint}
    acting = [*result.mechanism.of(Driver), *_actuators(result)]
    driven = [(joints[d.joint], d) for d in acting if d.joint is not None]
    return [f"{joint.name}.{one_coordinate(joint, driver.coordinate, driver.name)}" for joint, driver in driven]


def _some_coordinates(result: Result, known: Mapping[str, Channel], largest: Mapping[str, float]) -> list[str]:
    """Up to three coordinates of the formulation that change, of one unit."""
    names = [name for joint in result.mechanism.joint for name in coordinates(joint)]
    angles = [name for name in result.names["q"] if result.unit(name) == "rad"]
    own = [known[name] for name in dict.fromkeys([*names, *angles]) if name in result.names["q"]]
    moving = _moving(own, largest)
    return next((card[:3] for card in _cards(moving, 1)), [])


def _largest_by_unit(channels: Iterable[Channel]) -> dict[str, float]:
    """The largest value of any channel, by unit."""
    found: dict[str, float] = {}
    for channel in channels:
        found[channel.unit] = max(found.get(channel.unit, 0.0), float(np.abs(_finite(channel)).max(initial=0.0)))
    return found


def _moving(channels: Iterable[Channel], largest: Mapping[str, float]) -> list[Channel]:
    """Those that change."""
    return [c for c in channels if len(_finite(c)) and np.ptp(_finite(c)) > STILL * largest[c.unit]]


def _finite(channel: Channel) -> np.ndarray:
    return np.asarray(channel.values[np.isfinite(channel.values)])


def _further(channels: list[Channel], shown: list[Channel]) -> list[Channel]:
    """Those that no channel shown has already."""
    return [c for c in channels if not any(_same(c, other) for other in shown)]


def _same(one: Channel, other: Channel) -> bool:
    return one.unit == other.unit and bool(np.abs(one.values - other.values).max() <= SAME * np.ptp(one.values))


def _cards(channels: Iterable[Channel], most: int) -> list[list[str]]:
    """Names of one unit together, in the order of the units."""
    by_unit: dict[str, list[str]] = {}
    for channel in channels:
        by_unit.setdefault(channel.unit, []).append(channel.name)
    return [names[:MOST_CURVES] for names in list(by_unit.values())[:most]]
