"""Joint coordinates by name: 'joint' where it has one, 'joint.coordinate' otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.elements.joints.joint import Joint
from linkwork.errors import nearest


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
            raise ValueError(f"{who}: joint '{joint.name}' has the coordinates {', '.join(known)}; name one of them")
        return next(iter(known))
    if coordinate not in known:
        raise ValueError(f"{who}: joint '{joint.name}' has no coordinate '{coordinate}'; {nearest(coordinate, known)}")
    return coordinate


def coordinate_named(named: str, joints: Mapping[str, Joint], who: str) -> tuple[Joint, str]:
    """The joint and coordinate that 'joint' or 'joint.coordinate' means."""
    name, _, coordinate = named.partition(".")
    if name not in joints:
        raise ValueError(f"{who}: there is no joint '{name}'; {nearest(name, joints)}")
    return joints[name], one_coordinate(joints[name], coordinate or None, who)


def need_angle(joint: Joint, coordinate: str, who: str) -> None:
    """The coordinate turns."""
    if not joint.type.turns(coordinate):
        raise ValueError(f"{who}: '{joint.name}.{coordinate}' slides ({joint.kind}); it needs a coordinate that turns")


def need_different(named: Sequence[str], joints: Mapping[str, Joint], who: str) -> None:
    """Each coordinate is named once."""
    found = [coordinate_named(name, joints, who) for name in named]
    for k, (joint, name) in enumerate(found):
        if (joint, name) in found[:k]:
            raise ValueError(f"{who}: names '{joint.name}.{name}' twice; name different coordinates")
