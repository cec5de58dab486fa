"""Mechanism: what the user said - the elements of one model with their names, in SI units, validated.  Plain data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Literal, Self, TypeVar

import numpy as np
from pydantic import BaseModel, Field, ValidationError, model_validator

from linkwork.elements.applied_force import AppliedForce
from linkwork.elements.base import Declaration, Element, Name, Vector
from linkwork.elements.drivers import DRIVABLE, Driver
from linkwork.elements.joints import Joint
from linkwork.elements.rigid_body import Body, Frame
from linkwork.elements.said import keys_at
from linkwork.elements.spring_damper import SpringDamper
from linkwork.elements.torsional_spring_damper import TorsionalSpringDamper
from linkwork.errors import ModelError, nearest
from linkwork.expressions import parse
from linkwork.numerics.rotations import rotation_matrix

GROUND = "ground"
T = TypeVar("T")
PLANES = {
    "xy": (0.0, 0.0, 1.0),
    "xz": (0.0, -1.0, 0.0),
    "yz": (1.0, 0.0, 0.0),
}  # normals; x to y, x to z, y to z positive


class Mechanism(Declaration):
    """The elements of one model.  Lists in the order in which they were said."""

    format: Literal["linkwork-model-1"] = Field(default="linkwork-model-1", description="version of this format")
    name: Name = Field(default="mechanism", description="title of the model")
    gravity: Vector = Field(description="m/s2, always said; (0, 0, 0) for none")
    plane: Literal["xy", "xz", "yz"] | None = Field(
        default=None, description="a plane mechanism: motion in this plane only"
    )
    duration: float | None = Field(default=None, description="s, how long a run lasts unless it is told")
    body: tuple[Body, ...] = Field(default=(), description="rigid bodies")
    frame: tuple[Frame, ...] = Field(default=(), description="named frames on bodies")
    joint: tuple[Joint, ...] = Field(default=(), description="joints")
    driver: tuple[Driver, ...] = Field(default=(), description="joint coordinates given as functions of time")
    spring_damper: tuple[SpringDamper, ...] = Field(default=(), description="spring-dampers between points")
    torsional_spring_damper: tuple[TorsionalSpringDamper, ...] = Field(default=(), description="on revolute joints")
    applied_force: tuple[AppliedForce, ...] = Field(default=(), description="forces and torques on bodies")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_names(self)
        check_references(self)
        check_plane(self)
        check_expressions(self)
        return self

    def elements(self) -> list[Element]:
        """Every element of every kind."""
        return [element for kind in ELEMENT_KINDS for element in getattr(self, kind)]


ELEMENT_KINDS: dict[str, type[Element]] = {
    "body": Body,
    "frame": Frame,
    "joint": Joint,
    "driver": Driver,
    "spring_damper": SpringDamper,
    "torsional_spring_damper": TorsionalSpringDamper,
    "applied_force": AppliedForce,
}


def check_names(m: Mechanism) -> None:
    """Names are unique within the model, and none is 'ground'."""
    seen: dict[str, str] = {}
    for kind in ELEMENT_KINDS:
        for element in getattr(m, kind):
            label = kind.replace("_", " ")
            if element.name == GROUND:
                raise ValueError(f"{label} '{GROUND}': this name belongs to the world; choose another")
            if element.name in seen:
                other = seen[element.name]
                raise ValueError(f"{label} '{element.name}': this name is taken by a {other}; names must be unique")
            seen[element.name] = label


def check_references(m: Mechanism) -> None:
    """Every name that an element refers to exists and is of the right kind."""
    bodies = {b.name for b in m.body} | {GROUND}
    frames = {f.name: f for f in m.frame}
    joints = {j.name: j for j in m.joint}

    def need(who: str, what: str, name: str, known: Any) -> None:
        if name not in known:
            raise ValueError(f"{who}: there is no {what} '{name}'; {nearest(name, known)}")

    for frame in m.frame:
        need(f"frame '{frame.name}'", "body", frame.body, bodies)
    for joint in m.joint:
        who = f"joint '{joint.name}'"
        for name in joint.between:
            need(who, "body", name, bodies)
        for name, body in zip(joint.frames or (), joint.between, strict=False):
            need(who, "frame", name, frames)
            if frames[name].body != body:
                raise ValueError(f"{who}: frame '{name}' is on '{frames[name].body}', not on '{body}'; swap the frames")
    for spring in m.spring_damper:
        for name in spring.between:
            need(f"spring damper '{spring.name}'", "body", name, bodies)
    for torsion in m.torsional_spring_damper:
        who = f"torsional spring damper '{torsion.name}'"
        need(who, "joint", torsion.joint, joints)
        if joints[torsion.joint].kind != "revolute":
            kind = joints[torsion.joint].kind
            raise ValueError(f"{who}: joint '{torsion.joint}' is {kind}; it needs a revolute joint")
    for force in m.applied_force:
        need(f"applied force '{force.name}'", "body", force.body, bodies - {GROUND})
    driven: dict[tuple[str, str], str] = {}
    for driver in m.driver:
        who = f"driver '{driver.name}'"
        need(who, "joint", driver.joint, joints)
        key = (driver.joint, driven_coordinate(driver, joints[driver.joint]))
        if key in driven:
            raise ValueError(f"{who}: '{key[0]}.{key[1]}' is already driven by '{driven[key]}'; keep one of the two")
        driven[key] = driver.name


def driven_coordinate(driver: Driver, joint: Joint) -> str:
    """The coordinate that a driver takes: the one it names, or the only one there is."""
    known = DRIVABLE[joint.kind]
    who = f"driver '{driver.name}'"
    if not known:
        raise ValueError(f"{who}: joint '{joint.name}' is {joint.kind} and has no coordinate that can be driven")
    if driver.coordinate is None:
        if len(known) > 1:
            raise ValueError(f"{who}: joint '{joint.name}' has the coordinates {', '.join(known)}; say which to drive")
        return next(iter(known))
    if driver.coordinate not in known:
        raise ValueError(
            f"{who}: joint '{joint.name}' has no coordinate '{driver.coordinate}' to drive; "
            f"{nearest(driver.coordinate, known)}"
        )
    return driver.coordinate


def check_plane(m: Mechanism) -> None:
    """In a plane mechanism axes fit the plane: rotation about its normal, sliding within it."""
    if m.plane is None:
        return
    normal = np.array(PLANES[m.plane])
    for joint in m.joint:
        who = f"joint '{joint.name}'"
        if joint.joint.planar_rows is None:
            raise ValueError(f"{who}: a {joint.kind} joint has no place in a plane mechanism; use revolute")
        wanted = 1.0 if joint.joint.planar_normal == 2 else 0.0
        where = "along the normal of" if wanted else "within"
        if joint.axis is not None and abs(abs(float(normal @ np.array(joint.axis))) - wanted) > 1e-9:
            raise ValueError(f"{who}: axis {list(joint.axis)} must be {where} the plane '{m.plane}'")
        for name in joint.frames or ():
            axes = _axes_in_world(m, name)
            if joint.joint.needs_axis and abs(abs(float(normal @ axes[:, 2])) - wanted) > 1e-6:
                raise ValueError(f"{who}: the z axis of frame '{name}' must be {where} the plane '{m.plane}'")
            if not wanted and abs(abs(float(normal @ axes[:, 1])) - 1.0) > 1e-6:
                raise ValueError(f"{who}: the y axis of frame '{name}' must be the normal of the plane '{m.plane}'")
    for body in m.body:
        if body.velocity is not None and abs(float(normal @ np.array(body.velocity))) > 1e-12:
            raise ValueError(f"body '{body.name}': velocity {list(body.velocity)} leaves the plane '{m.plane}'")


def _axes_in_world(m: Mechanism, frame: str) -> np.ndarray:
    """Axes of a named frame, with its body where it is said to be."""
    said = next(f for f in m.frame if f.name == frame)
    on_body = rotation_matrix(np.array(said.orientation))
    body = next((b for b in m.body if b.name == said.body), None)
    return on_body if body is None else body.R_WB @ on_body


def check_expressions(m: Mechanism) -> None:
    """Every expression can be read; ModelError marks the position."""
    for driver in m.driver:
        parse(driver.motion, element=f"driver '{driver.name}'")
    for force in m.applied_force:
        for value in (*force.force, *force.torque):
            parse(value, element=f"applied force '{force.name}'")


def checked(build: Callable[[], T], what: str) -> T:
    """Build a declaration; a failed validation becomes one sentence: the element, the value and the remedy."""
    try:
        return build()
    except ValidationError as failure:
        raise ModelError(sentence(failure, what), element=what or None) from None


def finding(failure: ValidationError) -> Any:
    """What to tell of a failed validation: an unknown key, which may be what is missing elsewhere, or the first."""
    found = failure.errors()
    return next((entry for entry in found if entry["type"] == "extra_forbidden"), found[0])


def sentence(failure: ValidationError, what: str) -> str:
    """The finding of a failed validation, as a sentence."""
    first = finding(failure)
    message = first["msg"].removeprefix("Value error, ")
    where = [part for part in first["loc"] if isinstance(part, str)]
    field = where[-1] if where else ""
    kind, value = first["type"], first.get("input")
    if kind == "extra_forbidden":
        return f"{what}: unknown key '{field}'; {nearest(field, keys_at(_MODELS[failure.title], first['loc'][:-1]))}"
    if kind == "missing":
        return f"{what}: '{field}' is missing; give it"
    if kind in ("literal_error", "union_tag_invalid"):
        context = first["ctx"]
        known = re.findall(r"'([^']*)'", str(context.get("expected", context.get("expected_tags"))))
        said = value.get("kind") if isinstance(value, dict) else value
        return f"{what}: {field} is {said!r}; {nearest(str(said), known)}"
    if kind == "union_tag_not_found":
        return f"{what}: {field} has no kind; give it"
    if kind == "value_error":
        if message.startswith(("is ", "'")) and field:
            return f"{what}: {field} {message}"
        return message if "'" in message.split(":")[0] else f"{what}: {message}"
    shown = f" is {value!r}" if isinstance(value, (str, int, float, bool, list, tuple)) else ""
    return f"{what}: {field}{shown}; {message[0].lower()}{message[1:]}"


_MODELS: dict[str, type[BaseModel]] = {"Mechanism": Mechanism, **{e.__name__: e for e in ELEMENT_KINDS.values()}}


def size(m: Mechanism) -> float:
    """A length typical of the mechanism, m: the largest distance between places that it names, or 1."""
    points = [body.at for body in m.body] + [joint.at for joint in m.joint if joint.at is not None]
    if not points:
        return 1.0
    spread = float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    shapes = [s for body in m.body if body.shape is not None for s in body.shape.sizes().values()]
    largest = max([spread, *shapes])
    return largest if largest > 0.0 and math.isfinite(largest) else 1.0
