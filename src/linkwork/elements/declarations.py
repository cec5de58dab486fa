"""The kinds of elements of which models are made, in the order of model files; forces are those of registry.py."""

from __future__ import annotations

from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.links import Constraint, Coupler, Distance, Gear, RackAndPinion, RollingDisc
from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.tables import ValueTable
from linkwork.elements.joints.joint import Joint
from linkwork.elements.registry import FAMILIES
from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.elements.signals.measures import Event, Impulse, Measure
from linkwork.errors import ModelError

BUILT_IN: tuple[type[Element], ...] = (
    Body,
    Frame,
    Joint,
    Driver,
    *(kind for family in FAMILIES for kind in family.declares),
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
    FmuBlock,
)
DECLARATIONS: dict[str, type[Element]] = {kind.key: kind for kind in BUILT_IN}  # by the key in files


def declare(kind: type[Element]) -> None:
    """Add a kind of element from outside the package; one of the same key that is not linkwork's own is replaced."""
    if any(kind.key == known.key for known in BUILT_IN):
        raise ModelError(f"element '{kind.key}': this key belongs to an element of linkwork; choose another")
    if not kind.key.isidentifier():
        raise ModelError(f"element '{kind.key}': a key has letters, digits and '_', no digit first")
    DECLARATIONS[kind.key] = kind
