"""The scene of a run: what its mechanism looks like, how it moves, its forces, and the facts shown with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.analyses.loads.contact_forces import contact_forces
from linkwork.analyses.loads.loads import joint_loads
from linkwork.analyses.loads.replay import model_of
from linkwork.analyses.vehicles.vehicle_loads import tyre_forces
from linkwork.elements.forces.contact import Contact
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import LinkworkError, OptionError
from linkwork.mechanism import GROUND, Mechanism
from linkwork.results.channels import body_motion_channels
from linkwork.results.flexible import flexible_bodies, modal_coordinates, modal_rates
from linkwork.results.result import Result
from linkwork.system.frames import given_poses, joint_frames
from linkwork.view.scene.drawing import Drawing
from linkwork.view.scene.nodes import Modal
from linkwork.view.scene.scene import Arrow, Channel, Event, Scene, rotations
from linkwork.view.summary import violation_text

MOST_NUMBERS = 1_600_000  # of motion and channels; above it samples are left out evenly


def scene_of(result: Result, loads: bool = True) -> Scene:
    """What to draw of a run; `loads`: with the joints' forces."""
    if not len(result.t):
        raise OptionError(
            f"the result of '{result.model}' has no samples; there is nothing to view", element=result.model
        )
    forces = [*_arrows(result), *_tyre_arrows(result), *_contact_arrows(result)] if loads else []
    keep = _kept_samples(result, len(forces))
    kept = result.part(keep)
    drawing = Drawing(model_of(result), kept.position, kept.orientation)
    modal = {
        name: (modal_coordinates(kept, body), modal_rates(kept, body)) for name, body in flexible_bodies(kept).items()
    }
    arrows = [_carried(drawing, arrow, keep) for arrow in forces]
    return drawing.scene(
        modal, name=result.model, status=result.certificate.status, headline=_headline(result), facts=_facts(result),
        t=kept.t, position=kept.position, orientation=kept.orientation,
        velocity=kept.velocity, angular_velocity=kept.angular_velocity, channels=_channels(kept),
        arrows=arrows, events=_events(result),
        plots=_first_plots(kept, drawing.viewpoint.farthest()),
    )  # fmt: skip


def scene_at_start(mechanism: Mechanism) -> Scene:
    """What to draw of a mechanism that has not moved yet: its bodies where the model has them."""
    position = np.array([[body.at for body in mechanism.body]], float).reshape(1, -1, 3)
    orientation = np.array([[body.orientation for body in mechanism.body]], float).reshape(1, -1, 4)
    still = np.zeros_like(position)
    return scene_of_motion(mechanism, "start", "", np.zeros(1), position, orientation, still, still)


def scene_of_motion(
    mechanism: Mechanism, status: str, headline: str, t: np.ndarray, position: np.ndarray, orientation: np.ndarray,
    velocity: np.ndarray, angular_velocity: np.ndarray, modal: Modal | None = None,
) -> Scene:  # fmt: skip
    """What to draw of a motion that is not a run: arrays as in Scene; `modal`: how flexible bodies bend."""
    drawing = Drawing(mechanism, position, orientation)
    body = drawing.viewpoint.farthest()
    return drawing.scene(
        modal, name=mechanism.name, status=status, headline=headline, facts={}, t=t, position=position,
        orientation=orientation, velocity=velocity, angular_velocity=angular_velocity, channels=[], arrows=[],
        events=[], plots=[[f"{body}.position.{axis}" for axis in "xyz"]] if body is not None else [],
    )  # fmt: skip


def _kept_samples(result: Result, arrows: int) -> slice:
    own = result.q.shape[1] + 2 * result.v.shape[1] + result.lam.shape[1]
    numbers = len(result.t) * (13 * len(result.names["bodies"]) + own + 3 * arrows)
    return slice(0, None, max(1, -(-numbers // MOST_NUMBERS)))


# -- numbers and words ------------------------------------------------------------------------------------------------
def _headline(result: Result) -> str:
    c = result.certificate
    return f"{c.dof} DOF · {c.formulation} · {c.method} · {c.integrator} · drift {c.energy_drift:.1e}"


def _facts(result: Result) -> dict[str, str]:
    c = result.certificate
    facts = {
        "status": f"{c.status} at t = {c.t_end:g} s", "degrees of freedom": f"{c.dof}",
        "formulation": c.formulation, "method": c.method, "integrator": c.integrator, "why": c.why,
        "steps": f"{c.steps} ({c.rejected} rejected)", "energy drift": f"{c.energy_drift:.1e}",
        "worst violation": violation_text(c),
    }  # fmt: skip
    return facts | ({"warnings": "; ".join(c.warnings)} if c.warnings else {})


def _channels(result: Result) -> list[Channel]:
    """Energies, coordinates, velocities, accelerations; those of the bodies are their motion."""
    own = {channel.name for body in result.names["bodies"] for channel in body_motion_channels(body, 0)}
    return [Channel(name, result.unit(name), result.channel(name)) for name in result.recorded() if name not in own]


def _first_plots(result: Result, body: str | None) -> list[list[str]]:
    """Energies; up to three joint coordinates, or where a body is."""
    moving = [n for n in result.names["q"] if np.ptp(result.channel(n)) > 1e-9]
    held = [joint for joint in model_of(result).joint if not joint.type.holds_nothing]
    of_joints = {f"{joint.name}.{c}" for joint in held for c in joint.type.measured}
    shown = [n for n in moving if n in of_joints or result.unit(n) == "rad"]
    unit = result.unit(shown[0]) if shown else ""
    coordinates = [n for n in shown if result.unit(n) == unit][:3]
    places = [f"{body}.position.{axis}" for axis in "xyz"] if body is not None else []
    return [["energy.kinetic", "energy.potential", "energy"], coordinates or places]


def _events(result: Result) -> list[Event]:
    c = result.certificate
    singular = [Event(float(e["t"]), "singular", f"singular position, rank {e.get('rank', '?')}") for e in c.singular]
    switches = [
        Event(float(e["t"]), "switch", f"{e.get('from', '')} to {e.get('to', '')}: {e.get('why', '')}".strip(": "))
        for e in c.switches
    ]
    events = [Event(float(e["t"]), "event", f"{e.get('name', '')}: {e.get('action', '')}") for e in c.events]
    return sorted([*singular, *switches, *events], key=lambda event: event.t)


def _arrows(result: Result) -> list[Arrow]:
    """Forces of the joints; none if they cannot be computed for this run: a page without arrows is still a page."""
    names = result.names["joints"]
    if not names:
        return []
    try:
        loads = joint_loads(result, names)
    except LinkworkError:
        return []
    held, bodies = joint_frames(model_of(result)), [GROUND, *result.names["bodies"]]
    arrows = []
    for name in names:
        force = loads[name].force
        lost = [f"f{axis}" for axis, unknown in zip("xyz", np.isnan(force).any(axis=0), strict=True) if unknown]
        note = f"{', '.join(lost)} not unique, left out" if lost else ""
        if len(lost) < 3:
            b, at = held[name].b, tuple(map(float, held[name].on_b.p))
            arrows.append(Arrow(name, bodies.index(b), at, np.nan_to_num(force), note))
    return arrows


def _carried(drawing: Drawing, arrow: Arrow, keep: slice) -> Arrow:
    """The samples kept of an arrow, on what carries its point: of a flexible body a node."""
    body, at = drawing.nodes.carrier(drawing.motion.names[arrow.body], np.array(arrow.at))
    return replace(arrow, body=body, at=tuple(map(float, at)), force=arrow.force[keep],
                   aside=None if arrow.aside is None else arrow.aside[keep])  # fmt: skip


def _tyre_arrows(result: Result) -> list[Arrow]:
    """Forces of the road, at the lowest points of the unloaded tyres."""
    mechanism, bodies = model_of(result), [GROUND, *result.names["bodies"]]
    arrows = []
    for tyre, force in zip(mechanism.of(Tyre), tyre_forces(result).values(), strict=True):
        axis = rotations(result.orientation[:, bodies.index(tyre.body) - 1]) @ np.array(tyre.axis)
        down = axis * axis[:, 2:] - np.array([0.0, 0.0, 1.0])
        foot = tyre.radius * down / np.linalg.norm(down, axis=1, keepdims=True)
        arrows.append(Arrow(tyre.name, bodies.index(tyre.body), tuple(map(float, tyre.at)), force, "", foot))
    return arrows


def _contact_arrows(result: Result) -> list[Arrow]:
    """Forces of planes on what touches them, where it does."""
    bodies = [GROUND, *result.names["bodies"]]
    return [
        Arrow(touch.name, bodies.index(touch.body), tuple(map(float, touch.at)), touch.force, "",
              _down(result, touch.contact))
        for touch in contact_forces(result)
        if touch.force.any()
    ]  # fmt: skip


def _down(result: Result, contact: Contact) -> np.ndarray | None:
    """From the centre of a sphere to where it touches, m, world axes; the plane turns with the body that has it."""
    if contact.radius is None:
        return None
    normal = np.array(contact.normal)
    if contact.against == GROUND:
        return np.tile(-contact.radius * normal, (len(result.t), 1))
    on_body = normal @ given_poses(model_of(result))[contact.against].R
    turned = rotations(result.orientation[:, result.names["bodies"].index(contact.against)]) @ on_body
    down: np.ndarray = -contact.radius * turned
    return down
