"""The scene of a run: what its mechanism looks like, how it moves, its forces, and the facts shown with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwork.analyses.loads.cases.contact_forces import contact_forces
from linkwork.analyses.loads.loads import joint_loads
from linkwork.analyses.loads.reactions import Reaction
from linkwork.analyses.vehicles.vehicle_loads import tyre_forces
from linkwork.elements.forces.contact import Contact
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import LinkworkError, OptionError
from linkwork.mechanism import GROUND, Mechanism
from linkwork.results.flexible import flexible_bodies, modal_coordinates, modal_rates
from linkwork.results.result import Result
from linkwork.system.frames import given_poses, joint_frames
from linkwork.view.scene.drawing import Drawing
from linkwork.view.scene.nodes import Modal
from linkwork.view.scene.scene import Arrow, Event, Scene, rotations
from linkwork.view.scene.shown_channels import channels_of, first_plots, joint_numbers, link_channels
from linkwork.view.summary import rank_text, violation_text

MOST_NUMBERS = 1_600_000  # of motion and channels; above it samples are left out evenly


def scene_of(result: Result, loads: bool = True) -> Scene:
    """What to draw of a run; `loads`: with the joints' forces."""
    if not len(result.t):
        raise OptionError(
            f"the result of '{result.model}' has no samples; there is nothing to view", element=result.model
        )
    kept = result.part(_kept_samples(result))
    reactions = _reactions(kept) if loads else {}
    forces = [*_arrows(kept, reactions), *_tyre_arrows(kept), *_contact_arrows(kept)] if loads else []
    drawing = Drawing(result.mechanism, kept.position, kept.orientation)
    modal = {
        name: (modal_coordinates(kept, body), modal_rates(kept, body)) for name, body in flexible_bodies(kept).items()
    }
    channels = channels_of(kept, reactions) + (link_channels(kept) if loads else [])
    scene = drawing.scene(
        modal, name=result.model, status=result.certificate.status, headline=_headline(result), facts=_facts(result),
        t=kept.t, position=kept.position, orientation=kept.orientation,
        velocity=kept.velocity, angular_velocity=kept.angular_velocity, channels=channels,
        arrows=[_carried(drawing, arrow) for arrow in forces], events=_events(result),
        plots=first_plots(kept, channels, reactions, drawing.viewpoint.farthest()),
    )  # fmt: skip
    numbers = {joint.name: joint_numbers(joint, reactions) for joint in result.mechanism.joint}
    return replace(scene, joints=[replace(joint, numbers=numbers[joint.name]) for joint in scene.joints])


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


def _kept_samples(result: Result) -> slice:
    """So many that the page stays small."""
    mechanism = result.mechanism
    points = sum(len(contact.points()) for contact in mechanism.of(Contact))
    arrows = len(mechanism.joint) + len(mechanism.of(Tyre)) + points
    own = result.q.shape[1] + 2 * result.v.shape[1] + result.lam.shape[1]
    numbers = len(result.t) * (13 * len(result.names["bodies"]) + own + 3 * arrows)
    return slice(0, None, max(1, -(-numbers // MOST_NUMBERS)))


# -- numbers and words ------------------------------------------------------------------------------------------------
def _headline(result: Result) -> str:
    dof = result.certificate.dof
    return f"{dof} degree{'' if dof == 1 else 's'} of freedom · {result.certificate.t_end:g} s"


def _facts(result: Result) -> dict[str, str]:
    c = result.certificate
    facts = {
        "status": f"{c.status} at t = {c.t_end:g} s", "degrees of freedom": f"{c.dof}",
        "formulation": c.formulation, "method": c.method, "integrator": c.integrator, "why": c.why,
        "steps": f"{c.steps} ({c.rejected} rejected)", "energy drift": f"{c.energy_drift:.1e}",
        "worst violation": violation_text(c),
    }  # fmt: skip
    return facts | ({"warnings": "; ".join(c.warnings)} if c.warnings else {})


def _events(result: Result) -> list[Event]:
    c = result.certificate
    singular = [Event(float(e["t"]), "singular", f"singular position, {rank_text(e)}") for e in c.singular]
    switches = [
        Event(float(e["t"]), "switch", f"{e.get('from', '')} to {e.get('to', '')}: {e.get('why', '')}".strip(": "))
        for e in c.switches
    ]
    events = [Event(float(e["t"]), "event", f"{e.get('name', '')}: {e.get('action', '')}") for e in c.events]
    return sorted([*singular, *switches, *events], key=lambda event: event.t)


def _reactions(result: Result) -> Mapping[str, Reaction]:
    """Loads of the joints; none if they cannot be computed for this run: a page without arrows is still a page."""
    names = result.names["joints"]
    try:
        return joint_loads(result, names) if names else {}
    except LinkworkError:
        return {}


def _arrows(result: Result, reactions: Mapping[str, Reaction]) -> list[Arrow]:
    """Forces of the joints."""
    frames, bodies = joint_frames(result.mechanism), [GROUND, *result.names["bodies"]]
    arrows = []
    for name, reaction in reactions.items():
        force = reaction.force
        lost = [f"f{axis}" for axis, unknown in zip("xyz", np.isnan(force).any(axis=0), strict=True) if unknown]
        note = f"{', '.join(lost)} not unique, left out" if lost else ""
        if len(lost) < 3:
            b, at = frames[name].b, tuple(map(float, frames[name].on_b.p))
            arrows.append(Arrow(name, bodies.index(b), at, np.nan_to_num(force), note))
    return arrows


def _carried(drawing: Drawing, arrow: Arrow) -> Arrow:
    """An arrow on what carries its point: of a flexible body a node."""
    body, at = drawing.nodes.carrier(drawing.motion.names[arrow.body], np.array(arrow.at))
    return replace(arrow, body=body, at=tuple(map(float, at)))


def _tyre_arrows(result: Result) -> list[Arrow]:
    """Forces of the road, at the lowest points of the unloaded tyres."""
    mechanism, bodies = result.mechanism, [GROUND, *result.names["bodies"]]
    arrows = []
    for tyre, force in zip(mechanism.of(Tyre), tyre_forces(result).values(), strict=True):
        axis = rotations(result.moved(tyre.body).orientation) @ np.array(tyre.axis)
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
    on_body = normal @ given_poses(result.mechanism)[contact.against].R
    turned = rotations(result.moved(contact.against).orientation) @ on_body
    down: np.ndarray = -contact.radius * turned
    return down
