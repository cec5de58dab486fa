"""The families that there are, in the order in which an evaluation calls them."""

from __future__ import annotations

from linkwork.elements.families import Family
from linkwork.elements.laws import LAWS
from linkwork.elements.load_friction import FRICTIONS
from linkwork.elements.measured_forces import MEASURED_FORCES
from linkwork.elements.signals import OUTPUT_FAMILY, SIGNAL_FAMILY
from linkwork.elements.states import STATES
from linkwork.elements.terms import TERMS

FAMILIES: tuple[Family, ...] = (TERMS, SIGNAL_FAMILY, STATES, LAWS, FRICTIONS, MEASURED_FORCES, OUTPUT_FAMILY)
