"""Mechanism: the elements of one model with their names, in SI units, validated.  Plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Annotated, Literal, Self, TypeVar

import numpy as np
from pydantic import ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from linkwork.elements.bodies.flexibility import Flexibility
from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.declaration.base import Declaration, Element, Name, Positive, Vector
from linkwork.elements.declaration.surroundings import GROUND
from linkwork.elements.declaration.tables import ValueTable
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import floating_kind
from linkwork.elements.registry import functions
from linkwork.elements.signals.measures import Measure
from linkwork.elements.signals.signals import ENERGIES
from linkwork.elements.solids.body_shapes import Shape
from linkwork.expressions import Scope, Table
from linkwork.expressions.language.scope import Named
from linkwork.mechanism.checks import check
from linkwork.mechanism.listed import Listed
from linkwork.mechanism.numbers import loads, numbers, reference_to
from linkwork.numerics.stacking import as_rows

__all__ = ["GROUND", "Mechanism"]

E = TypeVar("E", bound=Element)


class Mechanism(Declaration):
    """The elements of one model, of each kind in the order in which they were given."""

    # Every kind of element in elements/declarations.py is a field, by its key, as in files (`admit`); `of` gives them
    # by their class.  The model is built when all of them are there.
    model_config = ConfigDict(defer_build=True)

    format: Literal["linkwork-model-1"] = Field(default="linkwork-model-1", description="version of this format")
    name: Name = Field(default="mechanism", description="title of the model")
    gravity: Vector = Field(description="m/s2, always given; (0, 0, 0) for none")
    plane: Literal["xy", "xz", "yz"] | None = Field(
        default=None, description="a planar mechanism: motion in this plane only"
    )
    duration: Positive | None = Field(
        default=None, description="s, > 0, how long a run lasts unless another end is given"
    )
    from_equilibrium: bool = Field(
        default=False, description="start where the forces are in balance at rest, with the velocities given"
    )
    literal: bool = Field(default=False, description="the method of a run as its paper prints it, slips included")
    loop_tolerance: Annotated[float, Field(ge=0.0, lt=0.1)] = Field(
        default=1e-4,
        description="rad, and of the size of the bodies joined: what redundant equations may be off when a loop moves",
    )
    body: Annotated[tuple[Body, ...], Listed(Body)] = Field(default=(), description=Body.plural)
    frame: Annotated[tuple[Frame, ...], Listed(Frame)] = Field(default=(), description=Frame.plural)
    joint: Annotated[tuple[Joint, ...], Listed(Joint)] = Field(default=(), description=Joint.plural)
    driver: Annotated[tuple[Driver, ...], Listed(Driver)] = Field(default=(), description=Driver.plural)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check(self)
        return self

    def of(self, kind: type[E]) -> tuple[E, ...]:
        """The elements of a kind, or of all kinds that are derived from it."""
        if DECLARATIONS.get(kind.key) is kind:
            elements: tuple[E, ...] = getattr(self, kind.key)
            return elements
        return tuple(e for known in DECLARATIONS.values() if issubclass(known, kind) for e in self.of(known))

    def elements(self) -> list[Element]:
        """Every element, kind by kind."""
        return [element for kind in DECLARATIONS.values() for element in self.of(kind)]

    def answering(self, *questions: str) -> list[Element]:
        """The elements of those kinds that answer one of these methods of Element by more than its default."""
        return [element for kind in _answering(questions, tuple(DECLARATIONS.values())) for element in self.of(kind)]

    def with_elements(self, kind: type[E], elements: tuple[E, ...]) -> Self:
        """A copy with other elements of a kind, not validated again."""
        return self.model_copy(update={kind.key: elements})

    def coordinate_units(self) -> dict[str, str]:
        """SI units of the coordinates and velocities of all joints, and of bodies that none holds, by name."""
        floating = floating_kind(self.plane)
        moving = [(body.name, floating) for body in self.body] + [(joint.name, joint.type) for joint in self.joint]
        return {f"{name}.{what}": unit for name, kind in moving for what, unit in kind.units.items()}

    def tables(self) -> dict[str, Table]:
        """Tables by name, ready to be looked up."""
        return {table.name: table.compiled for table in self.of(ValueTable)}

    def scope(self, variables: tuple[str, ...] | None, tables: Mapping[str, Table]) -> Scope:
        """What an expression may use: t alone (None), or also measures and `variables` of its own element."""
        measures = [measure.name for measure in self.of(Measure)]
        of_elements = Named(partial(reference_to, self), lambda: [one.name for one in (*numbers(self), *loads(self))])
        if variables is None:
            return Scope(tables, of_state=frozenset([*functions(), *ENERGIES, *measures]), named=of_elements)
        named = {name: ("energy", (name,)) for name in ENERGIES}
        named |= {name: ("measure", (name,)) for name in measures}
        named |= {name: ("own", (name,)) for name in variables}
        return Scope(tables, named, functions(), named=of_elements)

    def size(self) -> float:
        """A length scale of the mechanism, m: the largest distance between places that it names, or 1."""
        points = chain((body.at for body in self.body), (joint.at for joint in self.joint))
        return size_of(points, (body.shape for body in self.body), (body.flexible for body in self.body))


def size_of(
    points: Iterable[Sequence[float] | None], shapes: Iterable[Shape | None], flexible: Iterable[Flexibility | None]
) -> float:
    """The size of a mechanism, m, with bodies and joints at these points (m) and bodies of these kinds."""
    given = as_rows((at for at in points if at is not None), 3)
    if not len(given):
        return 1.0
    largest = float(np.linalg.norm(np.ptp(given, axis=0)))
    for shape in shapes:
        if shape is not None:
            largest = max(largest, *shape.sizes().values())
    for body in flexible:
        if body is not None:
            largest = max(largest, float(np.ptp(body.modal.nodes.x, axis=0).max()))
    return largest if largest > 0.0 and math.isfinite(largest) else 1.0


@lru_cache
def _answering(questions: tuple[str, ...], kinds: tuple[type[Element], ...]) -> list[type[Element]]:
    return [kind for kind in kinds if any(getattr(kind, q) is not getattr(Element, q) for q in questions)]


def admit(*kinds: type[Element]) -> None:
    """Give Mechanism a field for each of these kinds of elements."""
    for kind in kinds:
        annotation = Annotated[tuple[kind, ...], Listed(kind)]  # type: ignore[valid-type]
        Mechanism.model_fields[kind.key] = FieldInfo(annotation=annotation, default=(), description=kind.plural)
    Mechanism.model_rebuild(force=True)


admit(*(kind for key, kind in DECLARATIONS.items() if key not in Mechanism.model_fields))
