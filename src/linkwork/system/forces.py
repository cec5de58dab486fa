"""Forces of a mechanism as records: linear springs and loads of time have tables of their own, all else is a law."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.joint_forces import Controller, Friction, OnCoordinate, Stop
from linkwork.elements.forces.python_force import python_record
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.forces.torsional_spring_damper import TorsionalSpringDamper
from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.signals.frame_pairs import DISTANCE
from linkwork.elements.signals.signals import RATE, VALUE
from linkwork.expressions import parse
from linkwork.mechanism import against_all_motion, kind_of, one_coordinate
from linkwork.system.frames import Pose

if TYPE_CHECKING:
    from linkwork.system.places import Number, Places


def put_forces(places: Places) -> None:
    """Records of all forces of the mechanism; those whose effort another one uses come before it."""
    m = places.mechanism
    places.to_make |= {spring.name: partial(_spring, places, spring) for spring in m.spring_damper}
    places.to_make |= {torsion.name: partial(_torsion, places, torsion) for torsion in m.torsional_spring_damper}
    places.to_make |= {force.name: partial(_joint_force, places, force) for force in m.joint_forces()}
    for name in list(places.to_make):
        places.make(name)
    for load in m.applied_force:
        _applied_force(places, load)
    places.python_forces = [python_record(places, force) for force in m.python_force]


def _spring(places: Places, spring: SpringDamper) -> None:
    who = f"spring damper '{spring.name}'"
    a, b = spring.between
    number = places.points_number(DISTANCE, a, b, spring.points)
    if spring.force is not None:
        own = _own_signals(places, number, "l", 0.0)
        _law(places, spring.name, number, spring.force, who, own, -1.0)
        return
    free = spring.length() if spring.free_length is None else spring.free_length
    shift = spring.preload / spring.stiffness if spring.stiffness else 0.0
    law = f"{spring.stiffness!r}*(l - {free!r}) + {spring.damping!r}*v + ({spring.preload!r})"
    places.pulls[spring.name] = partial(_pull, places, number, "l", 0.0, law, who)
    places.owners["springs"].append(spring.name)
    places.springs.append(
        (*number.pair[:2], number.pair[3], number.pair[5], spring.stiffness, spring.damping, free - shift)
    )  # fmt: skip
    if spring.preload and not spring.stiffness:
        _law(places, spring.name, number, spring.preload, who, {}, -1.0)


def _torsion(places: Places, torsion: TorsionalSpringDamper) -> None:
    who = f"torsional spring damper '{torsion.name}'"
    number = places.coordinate(torsion.joint, torsion.coordinate, who)
    coordinate = one_coordinate(places.joints[torsion.joint], torsion.coordinate, who)
    start = places.start_coordinate(torsion.joint, coordinate)
    if torsion.torque is not None:
        _law(places, torsion.name, number, torsion.torque, who, _own_signals(places, number, "q", start), -1.0)
        return
    law = f"{torsion.stiffness!r}*(q - ({torsion.free_angle!r})) + {torsion.damping!r}*v"
    places.pulls[torsion.name] = partial(_pull, places, number, "q", start, law, who)
    body_a, body_b, R_AF, _, R_BM, _ = number.pair
    places.owners["torsions"].append(torsion.name)
    places.torsions.append(
        (body_a, body_b, places.new_angle(start, f"{torsion.joint}.{coordinate}"), R_AF, R_BM, torsion.stiffness,
         torsion.damping, torsion.free_angle)
    )  # fmt: skip


def _pull(places: Places, number: Number, name: str, start: float, law: str, who: str) -> int:
    """The signal of a linear spring's force, for those who ask for it."""
    return places.expression(law, who, _own_signals(places, number, name, start))


def _joint_force(places: Places, force: OnCoordinate) -> None:
    who = f"{kind_of(places.mechanism, force)} '{force.name}'"
    if isinstance(force, Friction) and against_all_motion(force, places.joints[force.joint]):
        _friction_against_all_motion(places, force)
        return
    coordinate = one_coordinate(places.joints[force.joint], force.coordinate, who)
    number = places.coordinate(force.joint, coordinate, who)
    start = places.start_coordinate(force.joint, coordinate) if number.kind == ANGLE else 0.0
    own = _own_signals(places, number, "q", start)
    if isinstance(force, Controller):
        state = places.new_state(0.0)
        own["integral"] = places.state_signal(state)
        rate = force.error() if force.i else 0.0  # of an integral that has no part it would run on in an equilibrium
        places.state_rates.append((state, places.needed_now(places.expression(rate, who, own), who)))
    _law(places, force.name, number, force.drive(), who, own, 1.0)
    if isinstance(force, Stop):
        for _, depth, _ in force.depths():
            places.new_kink(places.expression(depth, who, own), own["v"], number.kind == ANGLE)
    if isinstance(force, Friction) and force.coefficient:
        _load_friction(places, force, coordinate, number, own["v"], who)


def _load_friction(places: Places, friction: Friction, coordinate: str, number: Number, rate: int, who: str) -> None:
    """Friction that the joint's load makes: which rows are the load, and where the friction acts."""
    joint = places.joints[friction.joint]
    bearing = joint.type.bearing(coordinate, friction.radius or 0.0, joint.advance)
    assert bearing is not None
    effort = places.room(3, late=True)
    places.owners["load friction"].append(friction.name)
    places.load_frictions.append(
        (effort, rate, bearing.direction, load_rows(places, joint.name, bearing), bearing.across,
         friction.coefficient * bearing.factor, 0.0, 0.0, friction.smoothing, bearing.along, bearing.about,
         *number.pair)
    )  # fmt: skip
    turns = joint.type.turns(coordinate)
    arm = f"{bearing.about + bearing.along * joint.advance if turns else bearing.along!r}"
    own = {"law": places.efforts[friction.name], "loaded": effort}
    places.efforts[friction.name] = places.expression(f"law - {arm}*loaded", who, own)


def load_rows(places: Places, joint: str, bearing: Bearing) -> list[int]:
    """The rows of a cut joint whose multipliers are its load, three places; -1: there is none."""
    rows = {name.equation: r for r, name in enumerate(places.row_names) if name.element == joint}
    found = [rows.get(row.equation, -1) for row in bearing.rows]
    return found + [-1] * (3 - len(found))


def _friction_against_all_motion(places: Places, friction: Friction) -> None:
    """Of a ball, or on a plane."""
    joint = places.joints[friction.joint]
    bearing = joint.type.bearing(None, friction.radius or 0.0, joint.advance)
    assert bearing is not None
    effort = places.room(3, late=True)
    frames = places.said[joint.name]
    places.owners["load friction"].append(friction.name)
    places.load_frictions.append(
        (effort, effort, bearing.direction, load_rows(places, joint.name, bearing), 0,
         friction.coefficient * bearing.factor, friction.coulomb, friction.viscous, friction.smoothing, bearing.along,
         bearing.about, *places.pair(frames.a, frames.on_a, frames.b, frames.on_b))
    )  # fmt: skip
    places.efforts[friction.name] = effort


def _own_signals(places: Places, number: Number, name: str, start: float) -> dict[str, int]:
    """The number and its rate, under the names by which an element's own expression knows them."""
    return {name: places.number_signal(VALUE, number, start), "v": places.number_signal(RATE, number)}


def _law(
    places: Places, name: str, number: Number, text: str | float, who: str, own: dict[str, int], sign: float
) -> None:
    """An effort against a number; sign -1 where the expression is a pull (a spring's), +1 where it pushes onwards."""
    place = places.needed_now(places.expression(text, who, own), who)
    places.efforts[name] = place
    places.owners["laws"].append(name)
    places.laws.append((place, number.kind, number.i, -sign, *number.pair))


def _applied_force(places: Places, force: AppliedForce) -> None:
    who = f"applied force '{force.name}'"
    owner, point = places.owner(force.body, Pose(np.eye(3), np.array(force.at)))
    scope = places.mechanism.scope((), places.tables)
    programs = [parse(c, element=who, scope=scope) for c in (*force.force, *force.torque)]
    body, in_body_axes = places.index[owner], force.axes == "body"
    if any(program.references for program in programs):
        signals = [places.needed_now(places.expression(c, who), who) for c in (*force.force, *force.torque)]
        places.owners["measured"].append(force.name)
        places.measured_loads.append((body, in_body_axes, signals, point.p, point.R))
        return
    ops = [places.put(program, ()) for program in programs]
    places.owners["loads"].append(force.name)
    places.loads.append((body, in_body_axes, [o[0] for o in ops], [o[1] for o in ops], point.p, point.R))
