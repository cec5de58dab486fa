"""What every declaration shares: plain numbers, vectors and names, checked when they are given."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from linkwork.elements.declaration.quantities import Substitutions, plain

if TYPE_CHECKING:
    from linkwork.elements.context import Attachment, Context
    from linkwork.elements.declaration.changes import Change
    from linkwork.elements.declaration.surroundings import Surroundings
    from linkwork.elements.joints.joint import Joint
    from linkwork.elements.solids.pictures import Line

LARGEST = 1e50  # of any number of a model, in SI units: products of a few of them are still numbers
LONGEST_NAME = 200  # characters
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"is {value}; it must be a finite number")
    if abs(value) > LARGEST:
        raise ValueError(f"is {value:g}; it must be a number up to {LARGEST:g} in size")
    return value


def _plain_number(value: Any) -> Any:
    if isinstance(value, (bool, str)):
        raise ValueError(f"is {value!r}; it must be a number")
    return value.item() if isinstance(value, (np.integer, np.floating)) else value


def _not_negative(value: float) -> float:
    if value < 0.0:
        raise ValueError(f"is {value:g}; it must be >= 0")
    return value


def _is_positive(value: float) -> float:
    if value <= 0.0:
        raise ValueError(f"is {value:g}; it must be > 0")
    return value


def _axis(value: Any) -> Any:
    if isinstance(value, str):
        sign, name = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if name not in AXES:
            raise ValueError(f"is '{value}'; name an axis 'x', 'y', 'z' (or '-x' ...) or give three numbers")
        return tuple(sign * c for c in AXES[name])
    return listed(value)


def _unit(value: tuple[float, float, float]) -> tuple[float, float, float]:
    length = math.hypot(*value)
    if length == 0.0:
        raise ValueError(f"is {list(value)}: a zero axis has no direction; give three numbers that are not all zero")
    if abs(length - 1.0) < 1e-15:
        return value  # so that what was written to a file is read as it was
    return (value[0] / length, value[1] / length, value[2] / length)


def listed(value: Any) -> Any:
    """An array as lists; others as they are."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _name(value: str) -> str:
    if not value or any(c.isspace() and c != " " for c in value) or value != value.strip():
        raise ValueError(f"is {value!r}; a name has at least one character and no blanks at its ends")
    if len(value) > LONGEST_NAME:
        raise ValueError(f"has {len(value)} characters; a name has at most {LONGEST_NAME}")
    if not value.isprintable():
        raise ValueError(f"is {value!r}; a name has no characters that cannot be seen")
    if "." in value:
        raise ValueError(f"is '{value}'; a name has no '.', which separates an element from its channel")
    return value


def numbers_schema(count: int) -> dict[str, Any]:
    """The JSON schema of so many numbers."""
    return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}


Number = Annotated[float, BeforeValidator(_plain_number), AfterValidator(_finite)]
NonNegative = Annotated[Number, AfterValidator(_not_negative)]
Positive = Annotated[Number, AfterValidator(_is_positive)]
Vector = Annotated[tuple[Number, Number, Number], BeforeValidator(listed)]
Matrix = Annotated[tuple[Vector, Vector, Vector], BeforeValidator(listed)]
Axis = Annotated[
    tuple[Number, Number, Number],
    BeforeValidator(_axis),
    AfterValidator(_unit),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": "^-?[xyz]$"}, numbers_schema(3)]}),
]


def _expression(value: Any) -> Any:
    return value.item() if isinstance(value, (np.integer, np.floating)) else value


Expression = Annotated[str | Number, BeforeValidator(_expression)]  # parsed with its element (mechanism/checks.py)
Name = Annotated[str, AfterValidator(_name)]


class Declaration(BaseModel):
    """Plain data, immutable, no unknown keys; quantities such as '25.4 mm' are taken wherever a number is."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _in_si(cls, given: Any, info: ValidationInfo) -> Any:
        substitutions = info.context["substitutions"] if info.context else Substitutions()
        return plain(cls, given, substitutions) if isinstance(given, dict) else given


class Element(Declaration):
    """A named declaration.  Its answers below are all that the checks of a mechanism know of it."""

    key: ClassVar[str] = ""  # in files and on a Mechanism; by default the class's name: SpringDamper, spring_damper
    plural: ClassVar[str] = ""  # what a list of them is, in the schema; by default the first line of the docstring
    in_files: ClassVar[bool] = True  # whether model files can hold it
    own: ClassVar[tuple[str, ...]] = ()  # names with a meaning of their own in its expressions
    replaces: ClassVar[dict[str, str]] = {}  # keys that become another field when they are read: key -> that field
    of_parts: ClassVar[tuple[str, ...]] = ()  # fields that a part (a shape) has in place of the element, if it is given

    name: Name = Field(description="unique name of the element")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Key and plural, where the class does not give them."""
        if "key" not in cls.__dict__:
            cls.key = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if "plural" not in cls.__dict__:
            cls.plural = (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def title(cls) -> str:
        """Its kind in words, for messages: "spring damper"."""
        return cls.key.replace("_", " ")

    @property
    def who(self) -> str:
        """How messages name it: "spring damper 'strut'"."""
        return f"{self.title()} '{self.name}'"

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names: (key of a kind of element, name).

        Besides keys: `moving body` is a body and not ground, `point` a body or a frame, `coordinate` a joint or
        'joint.coordinate'.
        """
        return ()

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions, each with the names of its own that it may use; None: it may depend on t alone."""
        return ()

    def conditions(self) -> tuple[str, ...]:
        """Its expressions that are true or false."""
        return ()

    def check(self, surroundings: Surroundings) -> None:
        """Refuse with a ValueError what does not fit the rest of the model; what it refers to exists."""

    def begins_like(self, other: Self) -> bool:
        """Whether a mechanism with `other` in its place is assembled with the same positions and velocities: all that
        differs acts on the motion that follows.
        """
        return self == other

    def line(self) -> Line | None:
        """What is drawn of it between two points; None: nothing."""
        return None

    def transmits(self, joints: Mapping[str, Joint]) -> tuple[str, float] | None:
        """What its one constraint row transmits: "force" (N) or "torque" (N m), and how many times its multiplier."""
        return None

    # -- what it contributes while the mechanism is compiled (elements/context.py) --------------------------------
    def attachments(self) -> tuple[Attachment, ...]:
        """Points of bodies at which it is attached, besides joints and named frames: nodes of flexible bodies."""
        return ()

    def loaded_joints(self) -> tuple[str, ...]:
        """Joints whose load it needs: these are always cut."""
        return ()

    def break_times(self) -> tuple[float, ...]:
        """Times (s) at which it begins, ends or strikes; those of its expressions are found without it."""
        return ()

    def changes(self) -> tuple[Change, ...]:
        """What it lets happen at an instant; at known times these are break times too."""
        return ()

    def period(self) -> float | None:
        """Time (s) between instants at which it exchanges numbers with others; None: it does not."""
        return None

    def constrain(self, context: Context) -> None:
        """Add its constraint rows."""

    def drive(self, context: Context) -> None:
        """Add the rows by which it prescribes a motion; they stand behind all other constraints."""
