"""Mechanism: what the user said - the elements of one model with their names, in SI units, validated.  Plain data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, Self, TypeVar

import numpy as np
from pydantic import BaseModel, Field, ValidationError, model_validator

from linkwork.elements.bodies.flexibility import BeamFlexibility, ModalFlexibility
from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.links import Constraint, Coupler, Distance, Gear, RackAndPinion, RollingDisc
from linkwork.elements.declaration.base import Declaration, Element, Name, Vector
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.declaration.quantities import keys_at
from linkwork.elements.declaration.tables import ValueTable
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.beam import Beam
from linkwork.elements.forces.bushing import Bushing
from linkwork.elements.forces.contact import Contact
from linkwork.elements.forces.joint_forces import (
    JOINT_FORCES,
    Controller,
    Friction,
    JointForce,
    Motor,
    OnCoordinate,
    Stop,
)
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.forces.torsional_spring_damper import TorsionalSpringDamper
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import JOINTS, floating_kind
from linkwork.elements.signals.measures import Event, Impulse, Measure
from linkwork.elements.signals.signals import ENERGIES, FUNCTIONS
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import ModelError, nearest
from linkwork.expressions import Scope, Table, parse, parse_condition
from linkwork.numerics.rotations import rotation_matrix

GROUND = "ground"
T = TypeVar("T")


class Mechanism(Declaration):
    """The elements of one model.  Lists in the order in which they were said."""

    format: Literal["linkwork-model-1"] = Field(default="linkwork-model-1", description="version of this format")
    name: Name = Field(default="mechanism", description="title of the model")
    gravity: Vector = Field(description="m/s2, always said; (0, 0, 0) for none")
    plane: Literal["xy", "xz", "yz"] | None = Field(
        default=None, description="a plane mechanism: motion in this plane only"
    )
    duration: float | None = Field(default=None, description="s, how long a run lasts unless it is told")
    from_equilibrium: bool = Field(
        default=False, description="start where the forces are in balance at rest, with the velocities that are said"
    )
    body: tuple[Body, ...] = Field(default=(), description="rigid bodies")
    frame: tuple[Frame, ...] = Field(default=(), description="named frames on bodies")
    joint: tuple[Joint, ...] = Field(default=(), description="joints")
    driver: tuple[Driver, ...] = Field(default=(), description="joint coordinates given as functions of time")
    spring_damper: tuple[SpringDamper, ...] = Field(default=(), description="spring-dampers between points")
    torsional_spring_damper: tuple[TorsionalSpringDamper, ...] = Field(default=(), description="on revolute joints")
    applied_force: tuple[AppliedForce, ...] = Field(default=(), description="forces and torques on bodies")
    joint_force: tuple[JointForce, ...] = Field(default=(), description="forces and torques along joint coordinates")
    friction: tuple[Friction, ...] = Field(default=(), description="viscous and Coulomb friction in joints")
    stop: tuple[Stop, ...] = Field(default=(), description="ends of the travel of joints")
    motor: tuple[Motor, ...] = Field(default=(), description="motors with torque-speed curves")
    controller: tuple[Controller, ...] = Field(default=(), description="PID-controlled actuators")
    bushing: tuple[Bushing, ...] = Field(default=(), description="6 x 6 stiffness and damping between two frames")
    beam: tuple[Beam, ...] = Field(default=(), description="elastic beams between two frames")
    contact: tuple[Contact, ...] = Field(default=(), description="points, spheres and boxes that touch a plane")
    road: tuple[Road, ...] = Field(default=(), description="surfaces for tyres")
    tyre: tuple[Tyre, ...] = Field(default=(), description="wheels on a road")
    python_force: tuple[PythonForce, ...] = Field(default=(), description="forces by Python functions")
    distance: tuple[Distance, ...] = Field(default=(), description="massless links")
    constraint: tuple[Constraint, ...] = Field(default=(), description="points on lines or planes, axes at an angle")
    coupler: tuple[Coupler, ...] = Field(default=(), description="linear relations between joint coordinates")
    gear: tuple[Gear, ...] = Field(default=(), description="pairs of gears")
    rack_and_pinion: tuple[RackAndPinion, ...] = Field(default=(), description="racks with their pinions")
    rolling_disc: tuple[RollingDisc, ...] = Field(default=(), description="discs that roll on a plane")
    table: tuple[ValueTable, ...] = Field(default=(), description="values over an argument, for expressions")
    measure: tuple[Measure, ...] = Field(default=(), description="numbers with names")
    event: tuple[Event, ...] = Field(default=(), description="what happens when a condition becomes true")
    impulse: tuple[Impulse, ...] = Field(default=(), description="blows at known times")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_names(self)
        check_references(self)
        check_plane(self)
        check_expressions(self)
        return self

    def by_kind(self) -> list[tuple[str, tuple[Element, ...]]]:
        """The elements, kind by kind."""
        return [(kind, getattr(self, kind)) for kind in ELEMENT_KINDS]

    def elements(self) -> list[Element]:
        """Every element of every kind."""
        return [element for _, elements in self.by_kind() for element in elements]

    def joint_forces(self) -> list[OnCoordinate]:
        """Forces along joint coordinates, of every kind."""
        return [force for kind in JOINT_FORCES for force in getattr(self, kind)]

    def coordinate_units(self) -> dict[str, str]:
        """SI units of the coordinates and velocities of all joints, and of bodies that none holds, by name."""
        floating = floating_kind(self.plane)
        moving = [(body.name, floating) for body in self.body] + [(joint.name, joint.type) for joint in self.joint]
        return {f"{name}.{what}": unit for name, kind in moving for what, unit in kind.units.items()}

    def tables(self) -> dict[str, Table]:
        """Tables by name, ready to be looked up."""
        return {table.name: table.compiled for table in self.table}

    def scope(self, variables: tuple[str, ...] | None, tables: Mapping[str, Table]) -> Scope:
        """What an expression may speak of: of t alone (None), or of measures and of `variables` of its own element."""
        if variables is None:
            of_state = [*FUNCTIONS, *ENERGIES, *(measure.name for measure in self.measure)]
            return Scope(tables, of_state=frozenset(of_state))
        named = {name: ("energy", (name,)) for name in ENERGIES}
        named |= {measure.name: ("measure", (measure.name,)) for measure in self.measure}
        named |= {name: ("own", (name,)) for name in variables}
        return Scope(tables, named, FUNCTIONS)


ELEMENT_KINDS: dict[str, type[Element]] = {
    "body": Body,
    "frame": Frame,
    "joint": Joint,
    "driver": Driver,
    "spring_damper": SpringDamper,
    "torsional_spring_damper": TorsionalSpringDamper,
    "applied_force": AppliedForce,
    **JOINT_FORCES,
    "bushing": Bushing,
    "beam": Beam,
    "contact": Contact,
    "road": Road,
    "tyre": Tyre,
    "python_force": PythonForce,
    "distance": Distance,
    "constraint": Constraint,
    "coupler": Coupler,
    "gear": Gear,
    "rack_and_pinion": RackAndPinion,
    "rolling_disc": RollingDisc,
    "table": ValueTable,
    "measure": Measure,
    "event": Event,
    "impulse": Impulse,
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
    for measure in m.measure:
        if measure.name in ("t", "pi", *ENERGIES):
            raise ValueError(f"measure '{measure.name}': in expressions this name means something else; choose another")


def check_references(m: Mechanism) -> None:
    """Every name that an element refers to exists and is of the right kind."""
    bodies = {b.name for b in m.body}
    frames = {f.name: f for f in m.frame}
    joints = {j.name: j for j in m.joint}
    known: dict[str, Collection[str]] = {
        "body": bodies | {GROUND},
        "moving body": bodies,
        "frame": frames,
        "joint": joints,
        "driver": [d.name for d in m.driver],
        "distance": [d.name for d in m.distance],
        "point": bodies | {GROUND} | set(frames),
        "table": [table.name for table in m.table],
        "road": [road.name for road in m.road],
    }
    for kind, elements in m.by_kind():
        for element in elements:
            who = f"{kind.replace('_', ' ')} '{element.name}'"
            for what, name in element.refers():
                if what == "coordinate":
                    coordinate_named(name, joints, who)
                elif name not in known[what]:
                    if name == GROUND:
                        raise ValueError(f"{who}: '{GROUND}' does not move; name another body")
                    said = what.removeprefix("moving ")
                    raise ValueError(f"{who}: there is no {said} '{name}'; {nearest(name, known[what])}")
    with_frames: tuple[Joint | Bushing | Beam, ...] = (*m.joint, *m.bushing, *m.beam)
    for held in with_frames:
        for name, body in zip(held.frames or (), held.between, strict=False):
            if frames[name].body != body:
                who = f"{kind_of(m, held)} '{held.name}'"
                raise ValueError(f"{who}: frame '{name}' is on '{frames[name].body}', not on '{body}'; swap the frames")
    check_coordinates(m, joints)


def check_coordinates(m: Mechanism, joints: dict[str, Joint]) -> None:
    """Joint coordinates that are driven, coupled or acted against exist, fit, and are driven once."""
    for torsion in m.torsional_spring_damper:
        who = f"torsional spring damper '{torsion.name}'"
        name = one_coordinate(joints[torsion.joint], torsion.coordinate, who)
        need_angle(joints[torsion.joint], name, who)
    for force in m.joint_forces():
        if not (isinstance(force, Friction) and against_all_motion(force, joints[force.joint])):
            one_coordinate(joints[force.joint], force.coordinate, f"{kind_of(m, force)} '{force.name}'")
    for friction in m.friction:
        check_friction(friction, joints[friction.joint])
    for gear in m.gear:
        for named in gear.joints:
            need_angle(*coordinate_named(named, joints, f"gear '{gear.name}'"), f"gear '{gear.name}'")
    coupled_ones: tuple[Gear | Coupler, ...] = (*m.gear, *m.coupler)
    for coupled in coupled_ones:
        need_different(coupled.joints, joints, f"{kind_of(m, coupled)} '{coupled.name}'")
    for rack in m.rack_and_pinion:
        who = f"rack and pinion '{rack.name}'"
        need_angle(*coordinate_named(rack.pinion, joints, who), who)
        joint, name = coordinate_named(rack.rack, joints, who)
        if joint.type.turns(name):
            raise ValueError(f"{who}: '{joint.name}.{name}' turns; the rack needs a coordinate that slides")
    driven: dict[tuple[str, str], list[Driver]] = {}
    for driver in m.driver:
        who = f"driver '{driver.name}'"
        key = (driver.joint or driver.body or driver.distance or "", driver.coordinate or "")
        if driver.joint is not None:
            key = (driver.joint, driven_coordinate(driver, joints[driver.joint]))
        for other in driven.setdefault(key, []):
            if _overlap(driver, other):
                what = ".".join(part for part in key if part)
                by = f"already driven by '{other.name}' at that time"
                raise ValueError(f"{who}: '{what}' is {by}; keep one of the two")
        driven[key].append(driver)


def check_friction(friction: Friction, joint: Joint) -> None:
    """Friction with the joint's load: its joint has one, and a bearing radius where it turns."""
    who = f"friction '{friction.name}'"
    if not friction.coefficient:
        return
    if not joint.type.bears_load:
        bearing = ", ".join(name for name, kind in JOINTS.items() if kind.bears_load)
        raise ValueError(
            f"{who}: coefficient is for joints of the kinds {bearing}, and '{joint.name}' is {joint.kind}; "
            "give coulomb instead"
        )
    coordinate = None if against_all_motion(friction, joint) else one_coordinate(joint, friction.coordinate, who)
    turns = joint.type.friction_turns(coordinate)
    if joint.type.bearing(coordinate, friction.radius or 0.0, joint.advance) is None:
        raise ValueError(f"{who}: friction on a plane resists all sliding; drop coordinate '{friction.coordinate}'")
    if turns and not friction.radius:
        raise ValueError(f"{who}: '{joint.name}' turns; give the radius (m) at which friction acts, > 0")
    if not turns and friction.radius is not None:
        raise ValueError(f"{who}: '{joint.name}' slides there; a radius is for coordinates that turn, drop it")


def against_all_motion(friction: Friction, joint: Joint) -> bool:
    """Whether friction has no line of its own: against the turning of a ball, or all sliding on a plane."""
    return friction.coordinate is None and joint.type.friction_without_coordinate


def _overlap(a: Driver, b: Driver) -> bool:
    """Whether two drivers act at one time."""
    return a.since < (math.inf if b.until is None else b.until) and b.since < (math.inf if a.until is None else a.until)


def kind_of(m: Mechanism, element: Element) -> str:
    """What an element is called: 'spring damper'."""
    return next(kind for kind, elements in m.by_kind() if element in elements).replace("_", " ")


def one_coordinate(joint: Joint, coordinate: str | None, who: str) -> str:
    """The coordinate of a joint that is meant: the one named, or the only one that there is."""
    known = joint.type.measured
    if not known:
        raise ValueError(
            f"{who}: joint '{joint.name}' is {joint.kind} and has no coordinate that is one number; name a joint of "
            "another kind"
        )
    if coordinate is None:
        if len(known) > 1:
            raise ValueError(f"{who}: joint '{joint.name}' has the coordinates {', '.join(known)}; say which")
        return next(iter(known))
    if coordinate not in known:
        raise ValueError(f"{who}: joint '{joint.name}' has no coordinate '{coordinate}'; {nearest(coordinate, known)}")
    return coordinate


def coordinate_named(named: str, joints: dict[str, Joint], who: str) -> tuple[Joint, str]:
    """The joint and coordinate that 'joint' or 'joint.coordinate' means."""
    name, _, coordinate = named.partition(".")
    if name not in joints:
        raise ValueError(f"{who}: there is no joint '{name}'; {nearest(name, joints)}")
    return joints[name], one_coordinate(joints[name], coordinate or None, who)


def need_different(named: Sequence[str], joints: dict[str, Joint], who: str) -> None:
    """Each coordinate is named once."""
    found = [coordinate_named(name, joints, who) for name in named]
    for k, (joint, name) in enumerate(found):
        if (joint, name) in found[:k]:
            raise ValueError(f"{who}: names '{joint.name}.{name}' twice; name different coordinates")


def need_angle(joint: Joint, coordinate: str, who: str) -> None:
    """The coordinate turns."""
    if not joint.type.turns(coordinate):
        raise ValueError(f"{who}: '{joint.name}.{coordinate}' slides ({joint.kind}); it needs a coordinate that turns")


def driven_coordinate(driver: Driver, joint: Joint) -> str:
    """The coordinate that a driver takes: the one it names, or the only one there is."""
    return one_coordinate(joint, driver.coordinate, f"driver '{driver.name}'")


def check_plane(m: Mechanism) -> None:
    """In a plane mechanism axes fit the plane: rotation about its normal, sliding within it."""
    if m.plane is None:
        return
    normal = np.array(PLANES[m.plane])
    for joint in m.joint:
        who = f"joint '{joint.name}'"
        if joint.type.planar_rows is None:
            raise ValueError(f"{who}: a {joint.kind} joint has no place in a plane mechanism; use revolute")
        wanted = 1.0 if joint.type.planar_normal == 2 else 0.0
        where = "along the normal of" if wanted else "within"
        if joint.axis is not None and abs(abs(float(normal @ np.array(joint.axis))) - wanted) > 1e-9:
            raise ValueError(f"{who}: axis {list(joint.axis)} must be {where} the plane '{m.plane}'")
        for name in joint.frames or ():
            axes = _axes_in_world(m, name)
            if joint.type.needs_axis and abs(abs(float(normal @ axes[:, 2])) - wanted) > 1e-6:
                raise ValueError(f"{who}: the z axis of frame '{name}' must be {where} the plane '{m.plane}'")
            if not wanted and abs(abs(float(normal @ axes[:, 1])) - 1.0) > 1e-6:
                raise ValueError(f"{who}: the y axis of frame '{name}' must be the normal of the plane '{m.plane}'")
    for friction in m.friction:
        if friction.coefficient and any(j.name == friction.joint and not j.type.planar_rows for j in m.joint):
            raise ValueError(
                f"friction '{friction.name}': in a plane mechanism the planar joint '{friction.joint}' bears no load; "
                "give coulomb instead of coefficient, or leave plane out"
            )
    for disc in m.rolling_disc:
        along = next(body for body in m.body if body.name == disc.body).R_WB @ np.array(disc.axis)
        if abs(abs(float(normal @ along)) - 1.0) > 1e-9 or abs(float(normal @ np.array(disc.normal))) > 1e-9:
            raise ValueError(f"rolling disc '{disc.name}': its axis must be the normal of the plane '{m.plane}'")
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
    tables = m.tables()
    for kind, elements in m.by_kind():
        for element in elements:
            who = f"{kind.replace('_', ' ')} '{element.name}'"
            for text, variables in element.expressions():
                parse(text, element=who, scope=m.scope(variables, tables))
    for event in m.event:
        parse_condition(event.when, f"event '{event.name}'", m.scope((), tables))


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
    named = [part for part in first["loc"] if isinstance(part, str)]
    where = [part for part in named if part not in ("str", "float") and "[" not in part]  # those are types
    field = where[-1] if where else ""
    kind, value = first["type"], first.get("input")
    shown = f" is {value!r}" if isinstance(value, (str, int, float, bool, list, tuple)) else ""
    if kind == "extra_forbidden":
        return f"{what}: unknown key '{field}'; {nearest(field, keys_at(_MODELS[failure.title], first['loc'][:-1]))}"
    if kind in ("missing", "too_short", "too_long") and (count := _entries(failure, first)):
        return f"{what}: {field}{shown}; give {count} entries"
    if kind in ("tuple_type", "list_type"):
        return f"{what}: {field}{shown}; give a list, [...]"
    if first["loc"] and first["loc"][-1] == "str":
        return f"{what}: {field}{shown}; it must be a finite number or an expression"
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
        if message.startswith("is "):
            return f"{what} {message}"
        return message if "'" in message.split(":")[0] else f"{what}: {message}"
    return f"{what}: {field}{shown}; {message[0].lower()}{message[1:]}"


def _entries(failure: ValidationError, first: Any) -> str:
    """How many entries a list needs that has too few or too many; "": it is not about the entries of a list."""
    if first["type"] == "too_short":
        return f"at least {first['ctx']['min_length']}"
    if first["type"] == "too_long":
        return str(first["ctx"]["max_length"])
    *owner, last = first["loc"]
    same = [entry["loc"][-1] for entry in failure.errors() if list(entry["loc"][:-1]) == owner]
    return str(1 + max(k for k in same if isinstance(k, int))) if isinstance(last, int) else ""


_MODELS: dict[str, type[BaseModel]] = {
    "Mechanism": Mechanism, "BeamFlexibility": BeamFlexibility, "ModalFlexibility": ModalFlexibility,
    **{e.__name__: e for e in ELEMENT_KINDS.values()},
}  # fmt: skip


def size(m: Mechanism) -> float:
    """A length typical of the mechanism, m: the largest distance between places that it names, or 1."""
    points = [body.at for body in m.body] + [joint.at for joint in m.joint if joint.at is not None]
    if not points:
        return 1.0
    spread = float(np.linalg.norm(np.ptp(np.array(points), axis=0)))
    shapes = [s for body in m.body if body.shape is not None for s in body.shape.sizes().values()]
    shapes += [float(np.ptp(body.modal.nodes.x, axis=0).max()) for body in m.body if body.modal is not None]
    largest = max([spread, *shapes])
    return largest if largest > 0.0 and math.isfinite(largest) else 1.0
