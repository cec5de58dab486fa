"""Numbers by name: what the elements of a mechanism have, called alike in expressions and among the channels of a run.

    pin.angle, pin.rate, pin.rate.dot          coordinates of a joint, their rates and accelerations
    bar.position.x, .velocity, .acceleration   of a body or named frame, world axes; also .angular_velocity and
                                               .angular_acceleration
    strut.force, servo.torque                  of a force along a line or a coordinate
    bush.force, bush.force.x, bush.torque.x    of a force with components, world axes, and its magnitude
    front.load                                 what a family shows, here of a tyre
    energy.kinetic, energy.potential

    pin.force, pin.force.x, pin.torque.x       loads: of a joint on its second body, at the joint, world axes
    motor.torque, jack.force                   of a driver along its coordinate
    rope.force                                 of a massless link; > 0: it pulls its ends together
    rack.force, gear.torque                    of coupled joints: on the rack, on a gear's second joint, along a
                                               coupler's first coordinate

Loads follow from the accelerations: measures and events may use them, forces not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from linkwork.elements.constraints.drivers import Driver, driven_coordinate
from linkwork.elements.forces.force import Force
from linkwork.elements.joints.joint import Joint
from linkwork.elements.registry import family_of
from linkwork.expressions import Reference

if TYPE_CHECKING:
    from linkwork.mechanism.mechanism import Mechanism

MOTION = {  # of a body or frame: what it is called -> the function of expressions without its axis, SI unit
    "position": ("", "m"), "velocity": ("v", "m/s"), "acceleration": ("a", "m/s2"),
    "angular_velocity": ("w", "rad/s"), "angular_acceleration": ("alpha", "rad/s2"),
}  # fmt: skip
ENERGIES = {"energy.kinetic": "kinetic_energy", "energy.potential": "potential_energy"}
LOADS = {"force": "N", "torque": "N m"}  # what joints, drivers, massless links and couplings transmit, SI units


class Number(NamedTuple):
    """A number that the state determines."""

    name: str
    unit: str  # SI
    reference: Reference


def numbers(mechanism: Mechanism) -> Iterator[Number]:
    """All that there are, by element."""
    for name, energy in ENERGIES.items():
        yield Number(name, "J", ("energy", (energy,)))
    for place in (*mechanism.body, *mechanism.frame):
        for what, (function, unit) in MOTION.items():
            yield from (Number(f"{place.name}.{what}.{axis}", unit, (function + axis, (place.name,))) for axis in "xyz")
    for joint in mechanism.joint:
        yield from _of_joint(joint)
    joints = {joint.name: joint for joint in mechanism.joint}
    for force in mechanism.of(Force):
        shown, family = force.shown(joints), family_of(force)
        if family is not None and family.function is not None:
            shown |= {what: ((family.function, (force.name, what)), unit) for what, unit in family.outputs.items()}
        yield from (Number(f"{force.name}.{what}", unit, reference) for what, (reference, unit) in shown.items())


def _of_joint(joint: Joint) -> Iterator[Number]:
    kind = joint.type
    for coordinate in kind.measured:
        yield Number(f"{joint.name}.{coordinate}", kind.units[coordinate], ("coordinate", (joint.name, coordinate)))
    for rate, coordinate in zip(kind.velocities, kind.changed_by, strict=True):
        if coordinate in kind.measured:
            unit = kind.units[rate]
            yield Number(f"{joint.name}.{rate}", unit, ("velocity", (joint.name, coordinate)))
            yield Number(f"{joint.name}.{rate}.dot", f"{unit}2", ("acceleration", (joint.name, coordinate)))


def loads(mechanism: Mechanism) -> Iterator[Number]:
    """What joints, drivers, massless links and couplings transmit."""
    joints = {joint.name: joint for joint in mechanism.joint}
    for name in joints:
        for quantity, unit in LOADS.items():
            for what in (quantity, *(f"{quantity}.{axis}" for axis in "xyz")):
                yield Number(f"{name}.{what}", unit, ("load", (name, what)))
    for driver in mechanism.driver:
        quantity = _drives(driver, joints)
        yield Number(f"{driver.name}.{quantity}", LOADS[quantity], ("load", (driver.name, quantity)))
    driven = {driver.distance for driver in mechanism.driver}
    for element in mechanism.answering("transmits"):
        transmitted = element.transmits(joints)
        if transmitted is not None and element.name not in driven:
            quantity = transmitted[0]
            yield Number(f"{element.name}.{quantity}", LOADS[quantity], ("load", (element.name, quantity)))


def _drives(driver: Driver, joints: Mapping[str, Joint]) -> str:
    """Whether a driver gives a force or a torque."""
    if driver.joint is None:
        return "force"
    joint = joints[driver.joint]
    return "torque" if joint.type.turns(driven_coordinate(driver, joint)) else "force"


def reference_to(mechanism: Mechanism, name: str) -> Reference | None:
    """What a dotted name in an expression stands for; None: nothing has it."""
    every = chain(numbers(mechanism), loads(mechanism))
    return next((number.reference for number in every if number.name == name), None)
