"""Forces as numbers that measures, expressions and events may ask for: force(NAME), force(NAME, x), torque(NAME, x).

The effort of an element with a law (a spring, a motor, a friction) is one number, and so is that of a Python function
along a joint coordinate.  A bushing, a beam, a contact, an applied force and a Python function on a body have a vector
on their body B (the body that touches, the body to which the force is applied), in world axes; without an axis its size
is meant.  Torques are about the element's point on B.  What a Python function gives is known only after the forces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.joint_forces import Friction, OnCoordinate
from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import ModelError, nearest
from linkwork.mechanism import GROUND, Mechanism, against_all_motion, one_coordinate

if TYPE_CHECKING:
    from linkwork.system.places import Places

AXES = ("x", "y", "z")


def force_signal(places: Places, function: str, names: tuple[str, ...], who: str) -> int:
    """The signal that force(...) or torque(...) stands for."""
    m, name = places.mechanism, names[0]
    between_frames = [element.name for kind in (m.bushing, m.beam, m.contact) for element in kind]
    applied = {force.name: force for force in m.applied_force}
    on_body = [force.name for force in m.python_force if force.joint is None]
    if name in between_frames or name in applied or name in on_body:
        if function == "torque" and any(contact.name == name for contact in m.contact):
            raise ModelError(f"{who}: contact '{name}' has no torque, only forces at points", element=who)
        if name in applied:
            parts = _applied(places, applied[name])
        else:
            parts = _python(places, name) if name in on_body else _between_frames(places, name)
        return _component(places, parts[3:] if function == "torque" else parts[:3], names[1:], who)
    places.make(name)
    along = [force.name for force in m.python_force if force.joint is not None]
    if name not in (*places.efforts, *places.pulls, *along):
        known = [*between_frames, *applied, *on_body, *along, *places.efforts, *places.pulls, *places.to_make]
        raise ModelError(f"{who}: '{name}' has no force to measure; {nearest(name, known)}", element=who)
    if function == "torque" or len(names) > 1:
        raise ModelError(f"{who}: the force of '{name}' is one number; write force({name})", element=who)
    if name in along:
        return _python(places, name)[0]
    return places.pulls[name]() if name in places.pulls else places.efforts[name]


def _python(places: Places, name: str) -> list[int]:
    """Force and torque that a function gives, or its one number (elements/forces/python_force.py): six signals."""
    key = (name, "python force")
    if key not in places.told:
        places.told[key] = places.room(6, late=True)
    return [places.told[key] + i for i in range(6)]


def _between_frames(places: Places, name: str) -> list[int]:
    """Force and torque of an element between frames, six signals (elements/signals/force_probes.py)."""
    if name not in places.shown:
        places.shown[name] = places.room(6, late=False)
    return [places.shown[name] + i for i in range(6)]


def _applied(places: Places, force: AppliedForce) -> list[int]:
    """Force and torque that are given by expressions, turned into world axes; six signals."""
    who = f"applied force '{force.name}'"
    with places.asked_for(force.name, "applied force"):
        given = [places.expression(said, who) for said in (*force.force, *force.torque)]
    if force.axes == "world":
        return given
    turned = []
    for half in (given[:3], given[3:]):
        for axis in AXES:
            own = {f"part{j}": half[j] for j in range(3)}
            own |= {f"turn{j}": places.signal(("cosine", (GROUND, axis, force.body, AXES[j])), who) for j in range(3)}
            turned.append(places.expression("turn0*part0 + turn1*part1 + turn2*part2", who, own))
    return turned


def _component(places: Places, parts: list[int], axis: tuple[str, ...], who: str) -> int:
    """The component named, or the size of the vector."""
    if not axis:
        return places.expression("sqrt(fx^2 + fy^2 + fz^2)", who, dict(zip(("fx", "fy", "fz"), parts, strict=True)))
    if axis[0] not in AXES:
        raise ModelError(f"{who}: '{axis[0]}' is no axis; force(NAME, x) names x, y or z", element=who)
    return parts[AXES.index(axis[0])]


def force_unit(m: Mechanism, name: str) -> str:
    """Unit of force(NAME): N, or N m of what acts along an angle."""
    if any(torsion.name == name for torsion in m.torsional_spring_damper):
        return "N m"
    python = [force for force in m.python_force if force.joint is not None]
    on_joints: tuple[OnCoordinate | PythonForce, ...] = (*m.joint_forces(), *python)
    force = next((force for force in on_joints if force.name == name), None)
    if force is None:
        return "N"
    joint = next(joint for joint in m.joint if joint.name == force.joint)
    if isinstance(force, Friction) and against_all_motion(force, joint):
        return "N m" if joint.type.friction_turns(None) else "N"
    return "N m" if joint.type.turns(one_coordinate(joint, force.coordinate, name)) else "N"
