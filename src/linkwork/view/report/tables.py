"""A mechanism and a run as rows of tables: bodies, joints, elements; how the run went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.declaration.base import Element
from linkwork.elements.joints.joint import Joint
from linkwork.elements.solids.composite import Composite
from linkwork.elements.solids.shapes import Box
from linkwork.expressions.quantities import units_in
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.view.summary import run_facts


def vector_text(values: Sequence[float]) -> str:
    """Three numbers."""
    return ", ".join(f"{value:.5g}" for value in values)


def shape_text(body: Body) -> str:
    """What a body is made of."""
    if body.shape is None:
        return "mass and inertia"
    if isinstance(body.shape, Composite):
        kinds = Counter(part.shape.kind for part in body.shape.parts)
        return " + ".join(kind if n == 1 else f"{n} {_several(kind)}" for kind, n in kinds.items())
    if isinstance(body.shape, Box):
        return f"box: {' x '.join(map(_number, body.shape.size))} m"
    sizes = ", ".join(f"{name} {_number(value)} m" for name, value in body.shape.sizes().items())
    return f"{body.shape.kind}: {sizes}"


def _several(kind: str) -> str:
    return f"{kind}es" if kind.endswith(("x", "sh")) else f"{kind}s"


def body_rows(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Name, mass (kg), principal moments of inertia (kg m2), shape, place at the start (m)."""
    return [
        (b.name, f"{b.mass_kg:.5g}", vector_text([b.J_C[k, k] for k in range(3)]), shape_text(b), vector_text(b.at))
        for b in mechanism.body
    ]


def joint_rows(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Name, kind, bodies, place."""
    return [
        (j.name, j.kind, " - ".join(j.between),
         f"at {vector_text(j.at)}" if j.at is not None else f"frames {' - '.join(j.frames or ())}")
        for j in mechanism.joint
    ]  # fmt: skip


def element_rows(mechanism: Mechanism) -> list[tuple[str, str, str]]:
    """Everything but bodies, frames and joints: name, what it is, its fields that are not at their default."""
    return [
        (element.name, element.key.replace("_", " "), _fields_text(element))
        for element in mechanism.elements()
        if not isinstance(element, (Body, Frame, Joint))
    ]


def _fields_text(element: Element) -> str:
    """Field by field with its SI unit: 'between shaft, slider; stiffness 1000 N/m'."""
    texts = []
    for name, value in element.model_dump(mode="json", exclude_defaults=True, exclude={"name", "function"}).items():
        units = units_in(type(element).model_fields[name].description)
        texts.append(f"{name.replace('_', ' ')} {_value_text(value)} {units[0] if len(units) == 1 else ''}".rstrip())
    return "; ".join(texts)


def _value_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"({_value_text(item)})" if isinstance(item, list) else _value_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value_text(item)}" for key, item in value.items())
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    """Four digits, without an exponent below 10 million: 28000."""
    return f"{float(f'{value:.4g}'):.7g}"


def run_rows(result: Result) -> list[tuple[str, str]]:
    """How the run went."""
    warnings = [("warning", text) for text in result.certificate.warnings]
    return [*run_facts(result), ("samples", f"{len(result.t)}"), *warnings]
