"""Numbers by name: what the elements of a mechanism have, called alike in expressions and among the channels of a run.

    pin.angle, pin.rate, pin.rate.dot          coordinates of a joint, their rates and accelerations
    bar.position.x, .velocity, .acceleration   of a body or named frame, world axes; also .angular_velocity and
                                               .angular_acceleration
    strut.force, servo.torque                  of a force along a line or a coordinate
    bush.force, bush.force.x, bush.torque.x    of a force with components, world axes, and its magnitude
    front.load                                 what a family shows, here of a tyre
    energy.kinetic, energy.potential

Reactions and what drives a joint (pin.force.x, motor.torque) follow from the accelerations: they are channels of a run
(analyses/loads/channels.py), and no expression can use them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

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
REACTIONS = ("force", "torque")  # of joints and drivers


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


def reference_to(mechanism: Mechanism, name: str) -> Reference | None:
    """What a dotted name in an expression stands for; None: nothing has it."""
    return next((number.reference for number in numbers(mechanism) if number.name == name), None)


def why_not(mechanism: Mechanism, name: str) -> str | None:
    """Why expressions cannot use a name that a run has as a channel; None: it has not."""
    element, _, what = name.partition(".")
    known = [*mechanism.joint, *mechanism.driver]
    if what.partition(".")[0] not in REACTIONS or element not in [one.name for one in known]:
        return None
    return (
        f"'{name}' follows from the accelerations, which are known only after the forces; read it from the run, as "
        f"run['{name}']"
    )
