"""Numbers of joint coordinates, rad or m: a unit that was given must be that of what the coordinate does.

The motion of a driver or the end of a stop takes either unit, and a text such as "60 mm" becomes a number before it is
known whether the joint turns.  So it is noted which of the units a text had, until the mechanism is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


class Notes(list[Noted]):
    """Of an element; they make no difference between two that are the same in all fields."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes)

    __hash__ = None  # type: ignore[assignment]


class OfCoordinate(Element):
    """An element with numbers of joint coordinates."""

    _notes: Notes = PrivateAttr(default_factory=Notes)

    @model_validator(mode="wrap")
    @classmethod
    def _noting(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(given)
        if isinstance(given, dict):
            made._notes.extend(_noted(cls, given))
        return made

    def moves(self, joints: Mapping[str, Joint]) -> list[tuple[str, bool]]:
        """The coordinates that its numbers are of, by name, and which of them turn; none: it is not known."""
        raise NotImplementedError

    def check_units(self, joints: Mapping[str, Joint]) -> None:
        """Refuse an angle where a coordinate slides, and a length where it turns."""
        known = self.moves(joints) if self._notes else []
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


def _noted(declaration: type[Element], given: Mapping[str, Any]) -> Iterator[Noted]:
    for field, value in given.items():
        texts = value if isinstance(value, (list, tuple)) else [value]
        if not any(isinstance(text, str) for text in texts) or field not in declaration.model_fields:
            continue
        units = units_in(declaration.model_fields[field].description)
        if len({is_angular(unit) for unit in units}) == 2:
            for place, text in enumerate(texts):
                if isinstance(text, str) and is_quantity(text):
                    yield from (Noted(field, place, text, unit) for unit in units if _is_of(text, unit))


def _is_of(text: str, unit: str) -> bool:
    try:
        number_from_text(text, (unit,), {})
    except ValueError:
        return False
    return True
