"""Signals: numbers that the state determines, from the names in expressions to places in work.signals.

A signal is made when it is first needed, after all that it needs; so signals stand in an order in which they can be
computed, and a measure or force that needs itself is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.constraints.rows import PARALLEL
from linkwork.elements.context import Pair, PairNumber
from linkwork.elements.signals.measures import Measure
from linkwork.elements.signals.signals import (
    COMPONENTS,
    COORDINATES,
    DISTANCES,
    ENERGIES,
    ENERGY,
    OUTPUT_ONLY,
    PROGRAM,
    RATE,
    STATE,
    VALUE,
    number_unit,
)
from linkwork.errors import ModelError
from linkwork.expressions import Program, Reference, parse_condition
from linkwork.expressions.kernels import opcodes
from linkwork.mechanism import GROUND, Mechanism
from linkwork.system.compilation.places import Places
from linkwork.system.compilation.programs import Programs
from linkwork.system.compilation.states import States

NOWHERE: Pair = (0, 0, np.eye(3), np.zeros(3), np.eye(3), np.zeros(3))
# Operations whose result has the unit of their arguments.
SUMS = {opcodes.CONST, opcodes.SIGNAL, opcodes.ADD, opcodes.SUB, opcodes.NEG, opcodes.MIN, opcodes.MAX}


class Known(NamedTuple):
    """A signal by its place, with its SI unit."""

    place: int
    unit: str


class Signals:
    """Records of the signals, in the order of their making; `late` ones are known only after the forces."""

    def __init__(self, mechanism: Mechanism, places: Places, programs: Programs, states: States) -> None:
        self.mechanism, self.places, self.programs, self.states = mechanism, places, programs, states
        self.records: list[tuple[Any, ...]] = []
        self.late_records: list[tuple[Any, ...]] = []
        self.count = 0
        self.efforts: dict[str, tuple[int, ...]] = {}  # that elements keep for those who request their force
        self.of_element: Callable[[str, tuple[str, ...], str], Known]  # force(NAME, x) and functions of families
        self.late: set[int] = set()  # places of those that are known only after the forces
        self._known: dict[Reference, Known] = {}
        self._constants: dict[float, int] = {}
        self._being_made: list[str] = []  # measures and forces, to find cycles

    # -- expressions --------------------------------------------------------------------------------------------
    def expression(self, text: str | float, who: str, own: dict[str, int] | None = None) -> int:
        """An expression of the state; `own`: signals by names that only this element may use."""
        if not isinstance(text, str):
            return self._constant(float(text))
        own = own or {}
        return self._program(self.programs.of_state(text, who, tuple(own)), who, own)

    def condition(self, text: str, who: str) -> int:
        """The signal that is positive where a condition holds."""
        scope = self.mechanism.scope((), self.programs.tables)
        return self._program(parse_condition(text, who, scope), who, {})

    def _program(self, program: Program, who: str, own: dict[str, int]) -> int:
        places = tuple(
            own[names[0]] if kind == "own" else self.signal((kind, names), who) for kind, names in program.references
        )
        ops = self.programs.put(program, places, who)
        return self._new(PROGRAM, late=any(place in self.late for place in places), ops=ops)

    def _constant(self, value: float) -> int:
        if value not in self._constants:
            self._constants[value] = self._new(PROGRAM, ops=self.programs.of_time(value, "constant"))
        return self._constants[value]

    def needed_now(self, place: int, who: str) -> int:
        """The same signal; refused if it is known only after the forces."""
        if place in self.late:
            raise ModelError(
                f"{who}: uses an acceleration, an energy, a load or what depends on them (a tyre's quantity, friction "
                "with the joint's load, what a Python function gives), known only after the forces; use positions and "
                "velocities",
                element=who,
            )
        return place

    # -- functions of named things ------------------------------------------------------------------------------
    def signal(self, reference: Reference, who: str) -> int:
        """The signal that a function of named things, or the name of a measure, stands for."""
        return self.known(reference, who).place

    def known(self, reference: Reference, who: str) -> Known:
        """The same, with its unit."""
        if reference not in self._known:
            self._known[reference] = self._make(*reference, who)
        return self._known[reference]

    def _make(self, function: str, names: tuple[str, ...], who: str) -> Known:
        if function == "measure":
            return self.measure(names[0])
        if function == "energy":
            return Known(self._new(ENERGY, late=True, i=ENERGIES[names[0]]), "J")
        if function in COORDINATES:
            what, number = COORDINATES[function], self.places.coordinate(names[0], (*names, None)[1], who)
        elif function in COMPONENTS:
            what, kind, i = COMPONENTS[function]
            number = self._between((*names, GROUND)[1], names[0], kind, i, 0, who)
        elif function in DISTANCES:
            what, kind, i = DISTANCES[function]
            number = self._between(names[0], names[1], kind, i, 0, who)
        elif function == "cosine":
            what, number = VALUE, self._cosine(names, who)
        else:
            return self.of_element(function, names, who)
        return Known(self._number(what, number), number_unit(what, number.kind))

    def _between(self, a: str, b: str, kind: int, i: int, j: int, who: str) -> PairNumber:
        """A number between two named bodies or frames."""
        (body_b, on_b), (body_a, on_a) = self.places.named(b, who), self.places.named(a, who)
        return PairNumber(kind, i, j, self.places.pair(body_a, on_a, body_b, on_b))

    def measure(self, name: str) -> Known:
        """A named measure; its unit as given, or that of what it adds up."""
        measure = next(measure for measure in self.mechanism.of(Measure) if measure.name == name)
        program = self.programs.of_state(measure.of, measure.who, ())
        with self.being_made(name, "measure"):
            place = self._program(program, measure.who, {})
        units = {self.known(reference, measure.who).unit for reference in program.references}
        sums_up = len(units) == 1 and set(program.ops["code"].tolist()) <= SUMS
        return Known(place, measure.unit if measure.unit is not None else (units.pop() if sums_up else ""))

    def cosine(self, a: str, axis_a: str, b: str, axis_b: str, who: str) -> int:
        """Of the angle between axes 'x', 'y' or 'z' of two bodies or frames."""
        return self.signal(("cosine", (a, axis_a, b, axis_b)), who)

    def _cosine(self, names: tuple[str, ...], who: str) -> PairNumber:
        """cosine(P, axis of P, Q, axis of Q)."""
        a, axis_a, b, axis_b = names
        for axis in (axis_a, axis_b):
            if axis not in ("x", "y", "z"):
                raise ModelError(f"{who}: '{axis}' is not an axis; cosine(P, x, Q, z) names x, y or z", element=who)
        return self._between(a, b, PARALLEL, "xyz".index(axis_a), "xyz".index(axis_b), who)

    @contextmanager
    def being_made(self, name: str, kind: str) -> Iterator[None]:
        """While this is made, it cannot be used: the path by which it needs itself is an error that shows it."""
        if name in self._being_made:
            path = " -> ".join([*self._being_made[self._being_made.index(name) :], name])
            raise ModelError(f"{kind} '{name}': it needs itself: {path}; break the cycle", element=name)
        self._being_made.append(name)
        yield
        self._being_made.pop()

    # -- numbers and states -------------------------------------------------------------------------------------
    def value(self, number: PairNumber) -> int:
        """A number between two bodies."""
        return self._number(VALUE, number)

    def rate(self, number: PairNumber) -> int:
        """Its rate."""
        return self._number(RATE, number)

    def _number(self, what: int, number: PairNumber) -> int:
        angle = -1
        if what == VALUE and number.turns:
            angle = self.states.angle(self.places.start_of(number) if number.joint else 0.0, number)
        return self._new(what, what in OUTPUT_ONLY, number.kind, number.i, number.j, angle, pair=number.pair)

    def state(self, state: int) -> int:
        """An auxiliary state."""
        return self._new(STATE, i=state)

    # -- places -------------------------------------------------------------------------------------------------
    def slots(self, count: int) -> int:
        """Places that a kernel of the phase FORCES fills by itself: the first of them."""
        return self.reserve(count, True)

    def reserve(self, count: int, late: bool) -> int:
        """Places that kernels fill; `late`: known only after the forces."""
        first = self.count
        self.count += count
        if late:
            self.late |= set(range(first, first + count))
        return first

    def _new(
        self, what: int, late: bool = False, kind: int = 0, i: int = 0, j: int = 0, angle: int = -1,
        ops: tuple[int, int] = (0, 0), pair: Pair = NOWHERE,
    ) -> int:  # fmt: skip
        place = self.reserve(1, late)
        (self.late_records if late else self.records).append((place, what, kind, i, j, angle, *ops, *pair))
        return place
