"""Builder: a mechanism under construction.  Verbs add elements, each validated at once; `mechanism` is the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.calls import Verbs, calling_line, explained, line_in_words
from linkwork.elements.declarations import DECLARATIONS
from linkwork.errors import ModelError, nearest
from linkwork.files.as_given import AsGiven
from linkwork.files.writing import given_fields
from linkwork.mechanism import GROUND, Mechanism, checked
from linkwork.mechanism.checks import check_expressions_of, check_name
from linkwork.mechanism.collector import collector_waits
from linkwork.mechanism.registration import declaration
from linkwork.model.origin import Origin

Quantity = float | str  # an SI number, or a text such as '25.4 mm'
Expression = float | str  # a number, or an expression of t and of what the element allows
Point = Sequence[Quantity] | np.ndarray  # three lengths, or three components of another vector
Direction = str | Sequence[float] | np.ndarray  # 'x', '-y' ..., or three numbers of any length
# Euler parameters (scalar first), a rotation matrix, or {angle, axis}, {roll_pitch_yaw}, {x, y} (two directions)
Orientation = Sequence[float] | Sequence[Sequence[float]] | np.ndarray | Mapping[str, object]

P = ParamSpec("P")
R = TypeVar("R")
VERBS = Path(__file__).parent
NAMES_ELSEWHERE = {  # what other programs call verbs
    "add_body": "body", "rigid_body": "body", "part": "body", "bar": "link", "rod": "link",
    "hinge": "revolute", "pin": "revolute", "slider": "prismatic", "translational": "prismatic", "ball": "spherical",
    "weld": "fixed", "rigid": "fixed", "hooke": "universal", "add_joint": "joint", "marker": "frame", "point": "frame",
    "spring": "spring_damper", "damper": "spring_damper", "torsion_spring": "torsional_spring_damper",
    "bushing_force": "bushing", "force": "applied_force", "torque": "applied_force", "actuator": "joint_force",
    "motion": "driver", "drive": "driver", "pid": "controller", "sensor": "measure", "request": "measure",
    "run": "simulate", "solve": "simulate", "integrate": "simulate", "dynamics": "simulate",
    "static": "equilibrium", "statics": "equilibrium", "modes": "linearize().modes", "eigenvalues": "linearize().modes",
    "dof": "check().dof", "write": "save", "export": "save", "load": "read", "plot": "simulate(...).plot",
    "view": "simulate(...).view", "show": "simulate(...).view", "animate": "simulate(...).view",
    "report": "simulate(...).report", "campbell": "sweep",
}  # fmt: skip


class Builder(Verbs):
    """The head of a model and its elements by kind."""

    ground = GROUND
    _called = "model"
    _elsewhere = NAMES_ELSEWHERE

    @explained("model")
    def __init__(
        self, name: str = "mechanism", *, gravity: Point, plane: str | None = None, duration: float | None = None,
        from_equilibrium: bool = False, loop_tolerance: float | None = None, literal: bool = False,
    ) -> None:  # fmt: skip
        self._head = {
            "name": name, "gravity": gravity, "plane": plane, "duration": duration,
            "from_equilibrium": from_equilibrium, "loop_tolerance": loop_tolerance,
            "literal": literal,
        }  # fmt: skip
        self._elements: dict[str, list[Element]] = {}
        self._lines: dict[str, tuple[str, int]] = {}  # where in someone's program elements were added, by name
        self._kinds: dict[str, str] = {}  # of the elements by name
        self._mechanism: Mechanism | None = None
        _ = self.mechanism  # what the head cannot be is refused at once
        self._mechanism = None
        self._as_given: AsGiven | None = None  # of the file from which it was read
        self._origin: Origin | None = None  # of its parameters, until elements are added, removed or replaced

    def add(self, kind: str | type[Element], name: str, /, **fields: object) -> str:
        """Add an element of any kind, also of one that was registered from outside; returns its name.

        `kind`: its key as in files ("spring_damper"), or its class; `fields` as in files.
        """
        known = declaration(kind) if isinstance(kind, str) else kind
        if known is None:
            raise ModelError(f"'{name}': there is no element '{kind}'; {nearest(str(kind), DECLARATIONS)}")
        return self._add(known, name, **fields)

    def _add(self, kind: type[Element], /, name: str, **fields: object) -> str:
        """Add an element; fields that are None are left to their defaults.

        A name that is taken is refused here.  What an element names may still be to come: where it never does, the
        first analysis refuses it with the line that added it.
        """
        given = {"name": name} | {key: value for key, value in fields.items() if value is not None}
        element = checked(lambda: kind.model_validate(given), f"{kind.title()} '{name}'")
        self._check_name(element)
        self._check_expressions(element)
        self._elements.setdefault(kind.key, []).append(element)
        self._kinds[element.name] = kind.title()
        self._lines[f"{kind.title()} '{name}'"] = calling_line(VERBS)
        self._mechanism = self._origin = None
        return name

    def _check_name(self, element: Element) -> None:
        """Refuse a name that is taken."""
        try:
            check_name(element, self._kinds)
        except ValueError as failure:
            raise ModelError(str(failure), element=element.name) from None

    def _check_expressions(self, element: Element) -> None:
        """Refuse an expression that cannot be read at once; what it names may still be to come."""
        if not any(element.expressions()) and not any(element.conditions()):
            return
        parts: dict[str, Any] = {key: tuple(elements) for key, elements in self._elements.items()}
        so_far = Mechanism.model_construct(name=str(self._head["name"]), **parts)
        check_expressions_of(so_far, element)

    def remove(self, *names: str) -> None:
        """Take elements out of the model, by name."""
        for name in names:
            key, k = self._place(name)
            del self._elements[key][k]
            del self._kinds[name]
        self._mechanism = self._origin = None

    def replace(self, name: str, **fields: object) -> None:
        """Change fields of an element, by its name and as in files: `replace("spring", stiffness=2e4)`.

        What is not given stays as it is; `with_settings` gives a changed copy of the model instead.
        """
        key, k = self._place(name)
        old = self._elements[key][k]
        kept = given_fields(old)
        for field in fields:
            kept.pop(old.replaces.get(field, ""), None)
        given = kept | fields
        kind = type(old)
        self._elements[key][k] = checked(lambda: kind.model_validate(given), f"{kind.title()} '{name}'")
        self._mechanism = self._origin = None

    def _place(self, name: str) -> tuple[str, int]:
        """Where an element is: its kind, and which of these it is."""
        for key, elements in self._elements.items():
            for k, element in enumerate(elements):
                if element.name == name:
                    return key, k
        known = [element.name for elements in self._elements.values() for element in elements]
        raise ModelError(f"there is no element '{name}'; {nearest(name, known)}", element=name)

    @property
    def mechanism(self) -> Mechanism:
        """The model as plain, validated data."""
        if self._mechanism is None:
            head = {key: value for key, value in self._head.items() if value is not None}
            parts = {key: tuple(elements) for key, elements in self._elements.items()}
            try:
                with collector_waits():
                    self._mechanism = checked(
                        lambda: Mechanism.model_validate(head | parts), f"model '{self._head['name']}'"
                    )
            except ModelError as error:
                line = self._lines.get(error.message.partition(": ")[0])
                where = line_in_words(line) if line else ""
                raise error.located(where) if where else error from None
        return self._mechanism

    def __repr__(self) -> str:
        """Its name and how many elements it has of each kind."""
        counts = [f"{key}: {len(self._elements[key])}" for key in DECLARATIONS if self._elements.get(key)]
        return f"<Model '{self._head['name']}', {', '.join(counts) or 'empty'}>"


def adds(kind: type[Element]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Marks a verb that adds elements of a kind; keywords that it does not have are refused like keys in a file."""

    def marked(verb: Callable[P, R]) -> Callable[P, R]:
        explaining = explained(kind.title())(verb)
        vars(explaining)["adds"] = kind
        return explaining

    return marked
