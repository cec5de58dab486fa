"""The families that there are, in the order in which an evaluation calls them."""

from __future__ import annotations

from linkwork.elements.bodies.flexible_tables import FLEXIBLE_BODIES
from linkwork.elements.bodies.foreshortening import SHIFTS
from linkwork.elements.constraints.rolling import ROLLING_DISCS
from linkwork.elements.constraints.terms import TERMS
from linkwork.elements.family import Family
from linkwork.elements.forces.beam import BEAMS
from linkwork.elements.forces.bushing import BUSHINGS
from linkwork.elements.forces.contact import CONTACTS
from linkwork.elements.forces.laws import LAWS
from linkwork.elements.forces.load_friction import FRICTIONS
from linkwork.elements.forces.measured_forces import MEASURED_FORCES
from linkwork.elements.forces.python_force import PYTHON_FORCES
from linkwork.elements.signals.force_probes import SHOWN_FORCES
from linkwork.elements.signals.signals import OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.elements.signals.states import STATES
from linkwork.elements.tyres.tyre import TYRES

FAMILIES: tuple[Family, ...] = (
    SHOWN_FORCES,
    SHIFTS,
    FLEXIBLE_BODIES,
    TERMS,
    ROLLING_DISCS,
    SIGNAL_FAMILY,
    STATES,
    LAWS,
    FRICTIONS,
    MEASURED_FORCES,
    BUSHINGS,
    BEAMS,
    CONTACTS,
    TYRES,
    PYTHON_FORCES,
    OUTPUT_FAMILY,
)
