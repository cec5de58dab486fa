"""Floating parts in steady motion: to which body a part without joints is attached, so that it can rotate with it.

The balance at constant speeds is sought at z = 0, where the independent coordinates are constant (reduction.py).  A
part that no joint connects to ground has its coordinates relative to ground: constant means at rest in the world, even
if springs tie it to a rotating hub.  A free joint is not a constraint, so it may as well start from the hub: its
coordinates are then relative to the hub, and constant means rotating with it.

A part is attached so if what ties it (springs, bushings, beams, contacts, directly or over other floating parts) leads
to bodies on the far side of the running joints only.  Tied to bodies at rest as well, it keeps ground as its reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import floating_kind
from linkwork.elements.tyres.tyre import Tyre
from linkwork.mechanism import GROUND, Mechanism

Neighbours = Mapping[str, Iterable[str]]
NO_FORCES = ("body", "frame", "joint", "driver", "table", "measure", "event", "impulse", "road")  # they tie nothing
BODIES = ("body", "moving body", "point")  # kinds of names that mean a body


def attach_floating_parts(mechanism: Mechanism, running: Iterable[str]) -> Mechanism:
    """The mechanism with a free (in a planar mechanism: planar) joint to each floating part from the body it rides on.

    `running` names the joints whose coordinates run.
    """
    runs = set(running)
    if not runs:
        return mechanism
    at_rest = reached(GROUND, _joined(mechanism, [j for j in mechanism.joint if j.name not in runs]))
    held = reached(GROUND, _joined(mechanism, mechanism.joint))
    joints, ties = _joined(mechanism, mechanism.joint), _tied(mechanism)
    added: list[Joint] = []
    floating = [body.name for body in mechanism.body if body.name not in held]
    while floating:
        part = reached(floating[0], joints)
        floating = [body for body in floating if body not in part]
        supports = _supports(part, joints, ties, held)
        if supports and not any(support in at_rest for _, support in supports):
            added.append(_free_joint(mechanism, *supports[0]))
    return mechanism.model_copy(update={"joint": (*mechanism.joint, *added)}) if added else mechanism


def reached(first: str, near: Neighbours) -> list[str]:
    """All that neighbours lead to, the nearest first."""
    found = [first]
    for name in found:
        found += [other for other in near[name] if other not in found]
    return found


def _joined(mechanism: Mechanism, joints: Sequence[Joint]) -> Neighbours:
    return _pairs(mechanism, [joint.between for joint in joints])


def _tied(mechanism: Mechanism) -> Neighbours:
    """Bodies between which something acts that is not a joint."""
    frames = {frame.name: frame.body for frame in mechanism.frame}
    ties: list[tuple[str, str]] = [(tyre.body, GROUND) for tyre in mechanism.of(Tyre)]
    for element in mechanism.elements():
        if element.key not in NO_FORCES:
            named = [frames.get(name, name) for what, name in element.refers() if what in BODIES]
            ties += [(named[0], other) for other in named[1:]]
    return _pairs(mechanism, ties)


def _pairs(mechanism: Mechanism, pairs: Iterable[Sequence[str]]) -> Neighbours:
    near: dict[str, list[str]] = {name: [] for name in (GROUND, *(body.name for body in mechanism.body))}
    for a, b in pairs:
        if a != b:
            near[a].append(b)
            near[b].append(a)
    return near


def _supports(part: Sequence[str], joints: Neighbours, ties: Neighbours, held: Sequence[str]) -> list[tuple[str, str]]:
    """(body of the part, held body) for every held body that ties lead to, over other floating parts too."""
    supports: list[tuple[str, str]] = []
    origin = {body: body for body in part}  # body: that of the part from which it was reached
    waiting = list(part)
    for body in waiting:
        for other in (*ties[body], *joints[body]):
            if other in held:
                supports.append((origin[body], other))
            elif other not in origin:
                origin[other] = origin[body]
                waiting.append(other)
    return supports


def _free_joint(mechanism: Mechanism, body: str, carrier: str) -> Joint:
    plane = mechanism.plane
    at = next(b.at for b in mechanism.body if b.name == body)
    fields = {"name": f"{body} on {carrier}", "kind": floating_kind(plane).name, "between": (carrier, body), "at": at}
    return Joint.model_validate(fields if plane is None else fields | {"axis": PLANES[plane]})
