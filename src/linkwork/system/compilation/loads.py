"""Loads in expressions (`pin.force.x`, `motor.torque`, `rope.force`) as records of the rows that exert them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.loads import LOAD_SIGNALS, MULTIPLIER
from linkwork.mechanism.numbers import LOADS, loads
from linkwork.system.compilation.signals import Known

if TYPE_CHECKING:
    from linkwork.mechanism import Mechanism
    from linkwork.system.compilation.context import Compilation

FIRST = {"force": 0, "torque": 3}  # component of a wrench


def load_signal(context: Compilation, name: str, what: str, who: str) -> Known:
    """`what` of an element: force, torque, and of a joint their components, force.x; known after the forces."""
    quantity, _, axis = what.partition(".")
    unit = LOADS[quantity]
    if not isinstance(context.element(name), Joint):
        return Known(_multiplier(context, name), unit)
    if axis:
        return Known(_component(context, name, what, FIRST[quantity] + "xyz".index(axis)), unit)
    parts = {axis: context.signals.signal(("load", (name, f"{quantity}.{axis}")), who) for axis in "xyz"}
    return Known(context.signals.expression("sqrt(x^2 + y^2 + z^2)", who, parts), unit)


def load_names(mechanism: Mechanism, element: str) -> list[str]:
    """Of what an element transmits: rope.force."""
    return [load.name for load in loads(mechanism) if load.reference[1][0] == element]


def _multiplier(context: Compilation, name: str) -> int:
    """Of a driver what it gives along its coordinate, of other elements what they transmit."""
    transmitted = context.element(name).transmits({joint.name: joint for joint in context.mechanism.joint})
    place, factor = context.signals.reserve(1, True), -1.0 if transmitted is None else transmitted[1]
    (row,) = context.rows.of(name)
    context.tables.add(LOAD_SIGNALS, name, (place, MULTIPLIER, 0, row, factor, 0, (0.0, 0.0, 0.0)))
    return place


def _component(context: Compilation, joint: str, what: str, component: int) -> int:
    """Of the wrench on body B of a joint, of its rows and its drivers'."""
    place, pair = context.signals.reserve(1, True), context.places.joint_pair(joint)
    drivers = [driver.name for driver in context.mechanism.driver if driver.joint == joint]
    rows = [row for name in (joint, *drivers) for row in context.rows.of(name)]
    for k, constraint in enumerate(dict.fromkeys(context.rows.constraint_of(row) for row in rows)):
        record = (place, component, k > 0, constraint, 0.0, pair[1], pair[5])
        context.tables.add(LOAD_SIGNALS, f"{joint}.{what}", record)
    return place
