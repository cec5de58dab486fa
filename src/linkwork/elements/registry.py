"""The families that there are, in the order in which an evaluation calls them; one line a family.

From outside the package a family is registered by `linkwork.register(FAMILY)`, in a program or in a package that names
it under the entry points "linkwork.elements".
"""

from __future__ import annotations

from linkwork.elements.bodies.flexible_motion import FLEXIBLE_BODIES
from linkwork.elements.bodies.foreshortening import SHIFTS
from linkwork.elements.constraints.rolling import ROLLING_DISCS
from linkwork.elements.constraints.terms import TERMS
from linkwork.elements.declaration.base import Element
from linkwork.elements.family import Family
from linkwork.elements.forces.applied_force import APPLIED_FORCES
from linkwork.elements.forces.beam import BEAMS
from linkwork.elements.forces.bushing import BUSHINGS
from linkwork.elements.forces.contact import CONTACTS
from linkwork.elements.forces.friction import FRICTIONS
from linkwork.elements.forces.joint_forces import LAWS
from linkwork.elements.forces.python_force import PYTHON_FORCES
from linkwork.elements.forces.spring_damper import SPRING_DAMPERS
from linkwork.elements.forces.stop import STOPS
from linkwork.elements.forces.torsional_spring_damper import TORSIONAL_SPRING_DAMPERS
from linkwork.elements.signals.force_probes import FORCE_PROBES
from linkwork.elements.signals.loads import LOAD_SIGNALS
from linkwork.elements.signals.pace import PACED
from linkwork.elements.signals.signals import FUNCTIONS, OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.elements.signals.states import STATES
from linkwork.elements.tyres.tyre import TYRES
from linkwork.errors import ModelError

FAMILIES: list[Family] = [
    FORCE_PROBES,
    SHIFTS,
    FLEXIBLE_BODIES,
    TERMS,
    ROLLING_DISCS,
    SIGNAL_FAMILY,
    STATES,
    SPRING_DAMPERS,
    TORSIONAL_SPRING_DAMPERS,
    APPLIED_FORCES,
    LAWS,
    FRICTIONS,
    STOPS,
    BUSHINGS,
    BEAMS,
    CONTACTS,
    TYRES,
    PYTHON_FORCES,
    LOAD_SIGNALS,
    OUTPUT_FAMILY,
    PACED,
]


BUILT_IN = tuple(FAMILIES)


def add_family(family: Family) -> None:
    """Add a family from outside the package; one of the same name that is not linkwork's own is replaced."""
    if any(known.name == family.name for known in BUILT_IN):
        raise ModelError(f"family '{family.name}': this name belongs to a family of linkwork; choose another")
    FAMILIES[:] = [known for known in FAMILIES if known.name != family.name]
    FAMILIES.append(family)


def family_of(element: Element) -> Family | None:
    """The family that declares an element; None: it has no records of its own."""
    return next((family for family in FAMILIES if type(element) in family.declares), None)


def functions() -> dict[str, tuple[int, int]]:
    """Functions of named things that expressions may use: the least and greatest number of names."""
    return FUNCTIONS | {"fmu": (2, 2)} | {family.function: (2, 2) for family in FAMILIES if family.function is not None}
