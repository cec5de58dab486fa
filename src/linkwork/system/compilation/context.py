"""Compilation: the parts of a mechanism that is being compiled, as the elements see them (elements/context.py)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.forces.callbacks import Callback
from linkwork.elements.forces.force import Force
from linkwork.elements.registry import FAMILIES, family_of
from linkwork.errors import ModelError, nearest
from linkwork.system.compilation.blocks import Blocks
from linkwork.system.compilation.family_tables import FamilyTables
from linkwork.system.compilation.loads import load_names, load_signal
from linkwork.system.compilation.places import Places
from linkwork.system.compilation.programs import Parsed, Programs
from linkwork.system.compilation.rows import Rows
from linkwork.system.compilation.signals import Known, Signals
from linkwork.system.compilation.states import States


class Compilation:
    """Who turns which names into numbers; elements add their rows and records here."""

    def __init__(self, places: Places, assembling: bool, parsed: Parsed) -> None:
        """`parsed`: expressions of the state that are known as programs."""
        self.mechanism, self.places, self._assembling = places.mechanism, places, assembling
        mechanism = self.mechanism
        self.asked_if_assembling = False
        self.plane_normal = None if mechanism.plane is None else np.array(PLANES[mechanism.plane])
        self.programs = Programs(mechanism, parsed)
        self.states = States()
        self.signals = Signals(mechanism, places, self.programs, self.states)
        self.signals.of_element = self._signal_of_element
        self.tables = FamilyTables(self.signals.reserve)
        self.rows = Rows(self.states, self.tables)
        self.callbacks: list[Callback] = []
        self.blocks = Blocks(mechanism, self.states)
        self._entered: set[str] = set()

    @property
    def assembling(self) -> bool:
        """Whether rows also hold what the model fixes at the start; an element that asks is not the same otherwise."""
        self.asked_if_assembling = True
        return self._assembling

    @cached_property
    def _elements(self) -> dict[str, Element]:
        return {element.name: element for element in self.mechanism.elements()}

    def element(self, name: str) -> Element:
        """The declaration of this name."""
        return self._elements[name]

    def refers_to(self, kind: str, name: str) -> bool:
        """Whether any element names this one (`Element.refers`)."""
        return (kind, name) in self._references

    @cached_property
    def _references(self) -> set[tuple[str, str]]:
        return {reference for element in self.mechanism.answering("refers") for reference in element.refers()}

    def forces(self) -> Sequence[Force]:
        """Every force of the model."""
        return self.mechanism.of(Force)

    def enter(self, name: str) -> None:
        """Put the records of a force into the tables now, unless they are there; a cycle is an error."""
        force = self._elements[name]
        if name in self._entered or not isinstance(force, Force):
            return
        with self.signals.being_made(name, "force"):
            records, family = list(force.records(self)), family_of(force)
        for record in records:
            assert family is not None, f"{force.who}: gives records, and no family declares it"
            self.tables.add(family, name, record)
        self._entered.add(name)

    def _signal_of_element(self, function: str, names: tuple[str, ...], who: str) -> Known:
        """force(NAME, x), torque(NAME, x), or an output of a family by its function."""
        if function == "load":
            return load_signal(self, names[0], names[1], who)
        if function in ("force", "torque"):
            return self._force_signal(function, names, who)
        if function == "fmu":
            state, unit = self.blocks.output(names[0], names[1], who)
            return Known(self.signals.state(state), unit)
        family = next(family for family in FAMILIES if family.function == function)
        known = [force.name for force in self.forces() if family_of(force) is family]
        among_outputs = (names[1], list(family.outputs), f"quantity of a {function}")
        for given, among, what in ((names[0], known, function), among_outputs):
            if given not in among:
                raise ModelError(f"{who}: there is no {what} '{given}'; {nearest(given, among)}", element=who)
        return Known(self.tables.output(*names, now=False), family.outputs[names[1]])

    def _force_signal(self, function: str, names: tuple[str, ...], who: str) -> Known:
        force = self._elements.get(names[0])
        if not isinstance(force, Force):
            hint = nearest(names[0], [force.name for force in self.forces()])
            transmitted = load_names(self.mechanism, names[0])
            if transmitted:
                load = nearest(f"{names[0]}.{function}", transmitted)
                hint = f"{function}(..) is of force elements, and what '{names[0]}' transmits has a name; {load}"
            raise ModelError(f"{who}: '{names[0]}' has no {function} to measure; {hint}", element=who)
        self.enter(force.name)
        return Known(force.force_signal(self, function, names[1:], who), force.unit(self, function))
