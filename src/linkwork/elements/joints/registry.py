"""The kinds of joints that there are: a line each here; others are registered from outside the package."""

from __future__ import annotations

from typing import TypeVar

from linkwork.elements.joints.kind import JointKind, check_contract
from linkwork.elements.joints.kinds.constant_velocity import ConstantVelocity
from linkwork.elements.joints.kinds.cylindrical import Cylindrical
from linkwork.elements.joints.kinds.fixed import Fixed
from linkwork.elements.joints.kinds.free import Free
from linkwork.elements.joints.kinds.planar import Planar
from linkwork.elements.joints.kinds.prismatic import Prismatic
from linkwork.elements.joints.kinds.revolute import Revolute
from linkwork.elements.joints.kinds.screw import Screw
from linkwork.elements.joints.kinds.spherical import Spherical
from linkwork.elements.joints.kinds.universal import Universal
from linkwork.elements.plugins import load_plugins
from linkwork.errors import ModelError, nearest

K = TypeVar("K", bound=type[JointKind])

BUILT_IN: tuple[JointKind, ...] = (
    Free(),
    Fixed(),
    Revolute(),
    Prismatic(),
    Spherical(),
    Planar(),
    Cylindrical(),
    Screw(),
    Universal(),
    ConstantVelocity(),
)
JOINTS: dict[str, JointKind] = {kind.name: kind for kind in BUILT_IN}


def register_joint(kind: K) -> K:
    """Make a kind of joint known, by its name; a decorator of a subclass of JointKind.

    Examples:
        >>> @lw.register_joint
        ... class SlottedPin(lw.JointKind):
        ...     name = "slotted-pin"
        ...     motions = ((SLIDE, 0), (ROTATE, 2))
    """
    answers = kind()
    if any(answers.name == known.name for known in BUILT_IN):
        raise ModelError(f"joint kind '{answers.name}': this name belongs to a joint of linkwork; choose another")
    try:
        check_contract(answers)
    except ValueError as failure:
        raise ModelError(str(failure)) from None
    JOINTS[answers.name] = answers
    return kind


def joint_kind(name: str) -> JointKind:
    """The kind of this name; plugins are loaded if it is not among those known so far."""
    if name not in JOINTS:
        load_plugins()
    if name not in JOINTS:
        raise ValueError(f"is {name!r}; {nearest(name, JOINTS)}")
    return JOINTS[name]


def floating_kind(plane: str | None) -> JointKind:
    """On which a body moves that no joint holds."""
    return JOINTS["free" if plane is None else "planar"]
