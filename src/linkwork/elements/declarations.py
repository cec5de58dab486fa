"""The kinds of elements of which models are made: a line each, in the order of model files."""

from __future__ import annotations

from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.links import Constraint, Coupler, Distance, Gear, RackAndPinion, RollingDisc
from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.tables import ValueTable
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.beam import Beam
from linkwork.elements.forces.bushing import Bushing
from linkwork.elements.forces.contact import Contact
from linkwork.elements.forces.joint_forces import Controller, Friction, JointForce, Motor, Stop
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.forces.torsional_spring_damper import TorsionalSpringDamper
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.measures import Event, Impulse, Measure
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import ModelError

BUILT_IN: tuple[type[Element], ...] = (
    Body,
    Frame,
    Joint,
    Driver,
    SpringDamper,
    TorsionalSpringDamper,
    AppliedForce,
    JointForce,
    Friction,
    Stop,
    Motor,
    Controller,
    Bushing,
    Beam,
    Contact,
    Road,
    Tyre,
    PythonForce,
    Distance,
    Constraint,
    Coupler,
    Gear,
    RackAndPinion,
    RollingDisc,
    ValueTable,
    Measure,
    Event,
    Impulse,
)
DECLARATIONS: dict[str, type[Element]] = {kind.key: kind for kind in BUILT_IN}  # by the key in files


def declare(kind: type[Element]) -> None:
    """Add a kind of element from outside the package; one of the same key that is not linkwork's own is replaced."""
    if any(kind.key == known.key for known in BUILT_IN):
        raise ModelError(f"element '{kind.key}': this key belongs to an element of linkwork; choose another")
    if not kind.key.isidentifier():
        raise ModelError(f"element '{kind.key}': a key has letters, digits and '_', no digit first")
    DECLARATIONS[kind.key] = kind
