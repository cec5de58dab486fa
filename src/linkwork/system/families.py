"""The families that there are, in the order in which an evaluation calls them."""

from __future__ import annotations

from linkwork.elements.beam import BEAMS
from linkwork.elements.bushing import BUSHINGS
from linkwork.elements.contact import CONTACTS
from linkwork.elements.families import Family
from linkwork.elements.flexible_tables import FLEXIBLE_BODIES
from linkwork.elements.laws import LAWS
from linkwork.elements.load_friction import FRICTIONS
from linkwork.elements.measured_forces import MEASURED_FORCES
from linkwork.elements.python_force import PYTHON_FORCES
from linkwork.elements.rolling import ROLLING_DISCS
from linkwork.elements.shifts import SHIFTS
from linkwork.elements.shown_forces import SHOWN_FORCES
from linkwork.elements.signals import OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.elements.states import STATES
from linkwork.elements.terms import TERMS
from linkwork.elements.tyre import TYRES

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
