"""Loads as channels of a run, computed when they are read: what joints, drivers, massless links and couplings
transmit.

    pin.force.x, pin.torque.z    of a joint on its second body, at the joint, world axes; N, N m; `pin.force`: the size
    motor.torque, motor.force    of a driver, N m or N
    link.force                   of a massless link, N; > 0: it pulls its ends together
    rack.force, gear.torque      of coupled joints, N or N m: on the rack, on a gear's second joint, along a coupler's
                                 first coordinate

A component that is not unique is NaN (uniqueness.py).  The loads of the latest joint are kept, so that its components
are computed once.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from functools import partial

import numpy as np

from linkwork.analyses.loads.loads import driving_force, joint_loads
from linkwork.analyses.loads.reactions import Reaction
from linkwork.analyses.loads.transmitted import UNITS, transmitted, transmitting
from linkwork.elements.constraints.drivers import driven_coordinate
from linkwork.results.channels import Channel
from linkwork.results.result import Result
from linkwork.system.units import generalized_force_unit


def load_channels(result: Result) -> Iterator[Channel]:
    """Of every joint, of drivers, of couplings, and of massless links that no driver lengthens."""
    mechanism = result.mechanism
    joints = {joint.name: joint for joint in mechanism.joint}
    for name in joints:
        for quantity, unit in UNITS.items():
            yield Channel(f"{name}.{quantity}", unit, partial(_size, name, quantity))
            for k, axis in enumerate("xyz"):
                yield Channel(f"{name}.{quantity}.{axis}", unit, partial(_component, name, quantity, k))
    for driver in mechanism.driver:
        if driver.joint is not None:
            joint, coordinate = joints[driver.joint], driven_coordinate(driver, joints[driver.joint])
            unit = generalized_force_unit(joint.type.units[coordinate])
            quantity = next(name for name, of in UNITS.items() if of == unit)
            yield Channel(f"{driver.name}.{quantity}", unit, partial(_driving, joint.name, coordinate))
    for name, (quantity, _) in transmitting(result).items():
        yield Channel(f"{name}.{quantity}", UNITS[quantity], partial(_transmitted, name))


class _Latest:
    """The reaction that was computed last, as long as its result lives."""

    def __init__(self) -> None:
        self.result: weakref.ref[Result] | None = None
        self.reaction: Reaction | None = None

    def of(self, result: Result, joint: str) -> Reaction:
        """The reaction of a joint."""
        same = self.result is not None and self.result() is result
        if self.reaction is None or not same or self.reaction.joint != joint:
            self.result, self.reaction = weakref.ref(result), joint_loads(result, [joint])[joint]
        return self.reaction


_LATEST = _Latest()


def _component(joint: str, quantity: str, axis: int, result: Result) -> np.ndarray:
    values: np.ndarray = getattr(_LATEST.of(result, joint), quantity)
    return values[:, axis]


def _size(joint: str, quantity: str, result: Result) -> np.ndarray:
    """Of the components that a planar model resolves; NaN where one that counts is not unique."""
    reaction = _LATEST.of(result, joint)
    values: np.ndarray = getattr(reaction, quantity)
    if result.mechanism.plane is not None:
        values = values[:, ~np.all(np.isnan(values), axis=0)]
    return np.asarray(np.linalg.norm(values, axis=1))


def why_not_a_number(result: Result, channel: str) -> str | None:
    """Of the load of a joint, why components are not unique; None of other channels."""
    joint, _, rest = channel.partition(".")
    if joint not in result.names["joints"] or rest.partition(".")[0] not in UNITS:
        return None
    return _LATEST.of(result, joint).note()


def _driving(joint: str, coordinate: str, result: Result) -> np.ndarray:
    return driving_force(result, joint, coordinate).values


def _transmitted(name: str, result: Result) -> np.ndarray:
    return transmitted(result, [name])[name].values
