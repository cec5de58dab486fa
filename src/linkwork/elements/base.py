"""What every declaration shares: plain numbers, vectors and names, checked when they are said."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"is {value}; it must be a finite number")
    return value


def _plain_number(value: Any) -> Any:
    if isinstance(value, (bool, str)):
        raise ValueError(f"is {value!r}; it must be a number")
    return value.item() if isinstance(value, (np.integer, np.floating)) else value


def _not_negative(value: float) -> float:
    if value < 0.0:
        raise ValueError(f"is {value:g}; it must be >= 0")
    return value


def _axis(value: Any) -> Any:
    if isinstance(value, str):
        sign, name = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if name not in AXES:
            raise ValueError(f"is '{value}'; name an axis 'x', 'y', 'z' (or '-x' ...) or give three numbers")
        return tuple(sign * c for c in AXES[name])
    return _listed(value)


def _unit(value: tuple[float, float, float]) -> tuple[float, float, float]:
    length = math.hypot(*value)
    if length == 0.0:
        raise ValueError(f"is {list(value)}: a zero axis has no direction; give three numbers that are not all zero")
    return (value[0] / length, value[1] / length, value[2] / length)


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def _name(value: str) -> str:
    if not value or any(c.isspace() and c != " " for c in value) or value != value.strip():
        raise ValueError(f"is {value!r}; a name has at least one character and no blanks at its ends")
    if "." in value:
        raise ValueError(f"is '{value}'; a name has no '.', which separates an element from its channel")
    return value


Number = Annotated[float, BeforeValidator(_plain_number), AfterValidator(_finite)]
NonNegative = Annotated[Number, AfterValidator(_not_negative)]
Vector = Annotated[tuple[Number, Number, Number], BeforeValidator(_listed)]
Matrix = Annotated[tuple[Vector, Vector, Vector], BeforeValidator(_listed)]
Axis = Annotated[
    tuple[Number, Number, Number],
    BeforeValidator(_axis),
    AfterValidator(_unit),
    Field(json_schema_extra={"anyOf": [{"type": "string"}, {"type": "array"}]}),
]


def _expression(value: Any) -> Any:
    return value.item() if isinstance(value, (np.integer, np.floating)) else value


Expression = Annotated[str | Number, BeforeValidator(_expression)]  # parsed with its element (mechanism.py)
Name = Annotated[str, AfterValidator(_name)]
Quaternion = Annotated[tuple[Number, Number, Number, Number], BeforeValidator(_listed)]


class Element(BaseModel):
    """A named declaration: pure data, immutable, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=False)

    name: Name = Field(description="unique name of the element")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names: (kind of element, name); `point` is a body or a frame, `coordinate` is 'joint.coordinate'."""
        return ()

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions, each with the names of its own that it may use; None: it may depend on t alone."""
        return ()
