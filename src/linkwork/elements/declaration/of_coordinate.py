"""Numbers of joint coordinates, rad or m: a unit that was given must be that of what the coordinate does.

The motion of a driver or the end of a stop takes either unit, and a text such as "60 mm" becomes a number before it is
known whether the joint turns.  So it is noted which of the units a text had, until the mechanism is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import ModelWrapValidatorHandler, PrivateAttr, model_validator

from linkwork.elements.declaration.base import Element
from linkwork.expressions.quantities import is_quantity, number_and_unit, number_from_text, remedy, units_in

if TYPE_CHECKING:
    from linkwork.elements.joints.joint import Joint


class Noted(NamedTuple):
    """A text with a unit that only a coordinate of one sort has."""

    field: str
    place: int  # in a list of numbers, one for each coordinate; 0
    text: str
    unit: str  # the one of the field's SI units that it is of


class Notes(tuple[Noted, ...]):
    """Of an element; they make no difference between two that are the same in all fields."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes)

    def __hash__(self) -> int:
        return 0


NOTHING = Notes()


class OfCoordinate(Element):
    """An element with numbers of joint coordinates."""

    _notes: Notes = PrivateAttr(default_factory=lambda: NOTHING)

    @model_validator(mode="wrap")
    @classmethod
    def _noting(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(given)
        if isinstance(given, dict) and (notes := Notes(_noted(cls, given))):
            made._notes = notes
        return made

    def moves(self, joints: Mapping[str, Joint]) -> list[tuple[str, bool]]:
        """The coordinates that its numbers are of, by name, and which of them turn; none: it is not known."""
        raise NotImplementedError

    def check_units(self, joints: Mapping[str, Joint]) -> None:
        """Refuse an angle where a coordinate slides, and a length where it turns."""
        if not self._notes:
            return
        known = self.moves(joints)
        for note in self._notes:
            name, turns = known[note.place] if note.place < len(known) else ("", is_angular(note.unit))
            if is_angular(note.unit) != turns:
                units = units_in(type(self).model_fields[note.field].description)
                fitting = [unit for unit in units if is_angular(unit) == turns]
                needed = remedy(f"{number_and_unit(note.text)[0]:g}", fitting)
                does = "turns" if turns else "slides"
                raise ValueError(f"{self.who}: {note.field} is {note.text!r}, but '{name}' {does}; {needed}")


def is_angular(unit: str) -> bool:
    """Whether an SI unit is of something that turns: rad/s, N m, N m s/rad."""
    return "rad" in unit or unit.startswith("N m")


@cache
def _either(declaration: type[Element]) -> dict[str, tuple[str, ...]]:
    """The fields that take a unit of either sort, with these units."""
    fields = {name: units_in(known.description) for name, known in declaration.model_fields.items()}
    return {name: units for name, units in fields.items() if len({is_angular(unit) for unit in units}) == 2}


def _noted(declaration: type[Element], given: Mapping[str, Any]) -> Iterator[Noted]:
    for field, units in _either(declaration).items():
        value = given.get(field)
        for place, text in enumerate(value if isinstance(value, (list, tuple)) else (value,)):
            if isinstance(text, str) and is_quantity(text):
                yield from (Noted(field, place, text, unit) for unit in units if _is_of(text, unit))


def _is_of(text: str, unit: str) -> bool:
    try:
        number_from_text(text, (unit,), {})
    except ValueError:
        return False
    return True
