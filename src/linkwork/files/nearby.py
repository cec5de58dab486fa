"""Mechanisms beside a given one, for derivatives: numbers of its fields moved a little, many at a time.

What holds of a number holds of one beside it, so that nothing is checked again.  Where a field is not kept as it is
given (an axis is brought to unit length), and where a number is 0, on the edge of what may be (a mass), the whole
element is made anew (settings.py), and seen to fit the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from linkwork.elements.declaration.base import Element
from linkwork.errors import LinkworkError, ModelError
from linkwork.files.settings import element_with, number_at
from linkwork.mechanism import Mechanism
from linkwork.mechanism.checks import check_elements

NEAR = 0.01  # of a number
NOTHING = 1e-12  # a number so small counts as 0
Field = tuple[type[BaseModel], tuple[str, ...]]  # of a kind of element
_AS_GIVEN: dict[Field, bool] = {}  # which are kept as given
_ABOUT_ZERO: dict[Field, float] = {}  # how far these have been seen to go from 0 to either side; -1: not at all


@dataclass(frozen=True)
class _Place:
    """Where a number is: its owner, an element or the mechanism, and the path in it."""

    owner: Element | Mechanism
    path: tuple[str, ...]


class Nearby:
    """A function of settings, which are fields by their names; `values`: those that they have."""

    def __init__(self, mechanism: Mechanism, names: Sequence[str]) -> None:
        self.mechanism = mechanism
        elements = {element.name: element for element in mechanism.elements()}
        self.values: dict[str, float] = {}
        self._places: dict[str, _Place] = {}
        for name in names:
            owner, path, self.values[name] = number_at(mechanism, elements, name)
            self._places[name] = _Place(owner, path)
        self._kept: dict[str, bool] = {}

    def __call__(self, settings: Mapping[str, float]) -> Mechanism:
        """The mechanism with other numbers."""
        moved = {name: float(x) for name, x in settings.items() if x != self.values[name]}
        far = {name for name, x in moved.items() if not self._is_near(name, x)}
        of_owners: dict[int, list[str]] = {}
        for name in moved:
            of_owners.setdefault(id(self._places[name].owner), []).append(name)
        head, elements = dict[str, Any](), dict[str, Element]()
        for names in of_owners.values():
            owner, values = self._places[names[0]].owner, {name: moved[name] for name in names}
            if isinstance(owner, Mechanism):
                head = self._moved(owner, values)
            elif far.intersection(names):
                elements[owner.name] = self._made_anew(owner, values)
            else:
                elements[owner.name] = _made(owner, self._moved(owner, values))
        found = self._with_elements(elements, head)
        if far:
            self._check(found)
        return found

    def _moved(self, owner: Element | Mechanism, values: Mapping[str, float]) -> dict[str, Any]:
        """The fields of an owner, with some numbers replaced."""
        fields = _fields(owner)
        for name, x in values.items():
            path = self._places[name].path
            fields[path[0]] = _with(fields[path[0]], path[1:], x)
        return fields

    @staticmethod
    def _check(found: Mechanism) -> None:
        try:
            check_elements(found)
        except ValueError as failure:
            raise ModelError(str(failure)) from None

    def _with_elements(self, moved: Mapping[str, Any], head: Mapping[str, Any]) -> Mechanism:
        kinds = {element.key: type(element) for element in moved.values()}
        lists = {key: tuple(moved.get(one.name, one) for one in getattr(self.mechanism, key)) for key in kinds}
        return self.mechanism.model_copy(update={**head, **lists})

    def _is_near(self, name: str, x: float) -> bool:
        value = self.values[name]
        if abs(value) <= NOTHING:
            return self._has_either_sign(name, abs(x))
        if abs(x - value) > NEAR * abs(value):
            return False
        if name not in self._kept:
            self._kept[name] = self._kept_as_given(name)
        return self._kept[name]

    def _kept_as_given(self, name: str) -> bool:
        """Whether an element with this field moved is, when checked, the same; seen at one element of each kind."""
        place = self._places[name]
        if isinstance(place.owner, Mechanism):  # its gravity
            return True
        key = _field_of(place)
        for share in (NEAR, -NEAR):  # one of them may be beyond an edge
            if key not in _AS_GIVEN:
                values = {name: self.values[name] * (1.0 + share)}
                with suppress(LinkworkError):
                    made = _made(place.owner, self._moved(place.owner, values))
                    _AS_GIVEN[key] = self._made_anew(place.owner, values) == made
        return _AS_GIVEN.get(key, False)

    def _has_either_sign(self, name: str, x: float) -> bool:
        """Whether an element of which this number is 0 is, when checked, the same with x and -x; seen at one element of
        each kind.
        """
        place = self._places[name]
        if isinstance(place.owner, Mechanism):
            return True
        key = _field_of(place)
        known = _ABOUT_ZERO.get(key, 0.0)
        if 0.0 <= known < x:
            known = -1.0
            with suppress(LinkworkError):
                both = ({name: x}, {name: -x})
                if all(
                    self._made_anew(place.owner, v) == _made(place.owner, self._moved(place.owner, v)) for v in both
                ):
                    known = x
            _ABOUT_ZERO[key] = known
        return x <= known

    @staticmethod
    def _made_anew(owner: Element, values: Mapping[str, float]) -> Element:
        return element_with(owner, {name.partition(".")[2]: x for name, x in values.items()})


def _field_of(place: _Place) -> Field:
    """The field in which a number is, whichever of several it is there."""
    return type(place.owner), tuple("0" if part.isdigit() else part for part in place.path)


def _fields(declaration: BaseModel) -> dict[str, Any]:
    return {name: getattr(declaration, name) for name in type(declaration).model_fields}


def _made(declaration: BaseModel, fields: dict[str, Any]) -> Any:
    return type(declaration).model_construct(declaration.model_fields_set, **fields)


def _with(value: Any, path: tuple[str, ...], x: float) -> Any:
    """A value with one number in it replaced."""
    if not path:
        return x
    if isinstance(value, BaseModel):
        fields = _fields(value)
        fields[path[0]] = _with(fields[path[0]], path[1:], x)
        return _made(value, fields)
    k, entries = int(path[0]), list(value)
    entries[k] = _with(entries[k], path[1:], x)
    return type(value)(entries)
