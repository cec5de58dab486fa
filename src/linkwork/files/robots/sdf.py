"""SDF: links and joints of a model (Gazebo) as data of a model file; loops are joints like all others.

Every link is a body at its link frame, moving freely where no joint holds it; `world` is the ground.  Poses are given
relative to the model or to another frame, by name; a joint's relative to its child.  revolute, continuous -> revolute;
prismatic; ball -> spherical; universal; screw; fixed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from linkwork.elements.declaration.base import AXES
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import FileError, nearest
from linkwork.files.limits import too_deep
from linkwork.files.robots.builder import Builder
from linkwork.files.source import Source, read_text
from linkwork.numerics.rotations import axis_rotation, euler_parameters, rotation_matrix
from linkwork.system.frames import HERE, Pose

Xml = ElementTree.Element
KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "ball": "spherical",
         "universal": "universal", "screw": "screw", "fixed": "fixed"}  # fmt: skip
UNLIMITED = 1e15  # a limit beyond is none
LEFT_OUT = ("plugin", "sensor", "collision", "gripper", "include")  # what has no part in the model


def sdf_source(path: Path, stops: float = 0.0) -> Source:
    """The data of an SDF file; `stops`: stiffness of stops at the limits of joints, 0: none."""
    try:
        root = ElementTree.fromstring(read_text(path))
    except ElementTree.ParseError as failure:
        raise FileError(f"'{path.name}' is not valid XML: {failure}; fix that line") from None
    except RecursionError:
        raise too_deep(path.name) from None
    models = list(root.iter("model")) if root.tag == "sdf" else []
    if len(models) != 1:
        raise FileError(f"'{path.name}' holds {len(models)} models of SDF; give a file with one <model>")
    builder = Builder(path, models[0].get("name", ""), stops)
    try:
        _Model(builder, models[0]).build()
    except (ValueError, KeyError) as failure:
        raise FileError(f"'{path.name}' cannot be read as SDF ({failure}); fix the file") from None
    gravity = root.find("./world/gravity")
    if gravity is not None:
        builder.data["gravity"] = _numbers(gravity, 3).tolist()
    for tag in LEFT_OUT:
        if (count := sum(1 for _ in root.iter(tag))) and tag != "collision":
            builder.left_out(f"its {count} <{tag}> have no part")
    return builder.source()


class _Model:
    """One model: first its frames, then bodies, then joints."""

    def __init__(self, builder: Builder, model: Xml) -> None:
        self.builder, self.model = builder, model
        self.links = {_name(link): link for link in model.findall("link")}
        self.joints = {_name(joint): joint for joint in model.findall("joint")}
        self.framed = self.links | self.joints | {_name(frame): frame for frame in model.findall("frame")}
        self.made: dict[str, str] = {"world": "ground"}  # the bodies of the links
        if (model.findtext("static") or "").strip().lower() in ("true", "1"):
            raise builder.refusal("it is static: nothing in it moves")

    def build(self) -> None:
        """Bodies and joints."""
        for name, link in self.links.items():
            self.add_link(name, link)
        for name, joint in self.joints.items():
            self.add_joint(name, joint)

    # -- frames -------------------------------------------------------------------------------------------------
    def pose(self, name: str, waiting: tuple[str, ...] = ()) -> Pose:
        """Of a link, joint or frame in the world, as modelled."""
        if name in ("", "__model__"):
            return _pose(self.model.find("pose"))
        if name == "world":
            return HERE
        if name not in self.framed or name in waiting:
            what = "depend on each other in a cycle" if name in waiting else f"name '{name}', which is not there"
            raise self.builder.refusal(f"frames {what}; {nearest(name, self.framed)}")
        element = self.framed[name]
        given = element.find("pose")
        to = "" if given is None else given.get("relative_to", given.get("frame", ""))
        if not to:
            to = self.end(element, "child") if element.tag == "joint" else element.get("attached_to", "")
        return self.pose(to, (*waiting, name)) @ _pose(given)

    def end(self, joint: Xml, which: str) -> str:
        """The link that a joint names as its parent or child."""
        name = (joint.findtext(which) or "").strip()
        if name not in self.links and (name != "world" or which == "child"):
            hint = nearest(name, self.links)
            raise self.builder.refusal(f"joint '{_name(joint)}': there is no {which} link '{name}'; {hint}")
        return name

    # -- bodies -------------------------------------------------------------------------------------------------
    def add_link(self, name: str, link: Xml) -> None:
        """Mass, inertia and pictures of a link; 1 kg and 1 kg m2 where SDF gives nothing."""
        made, pose, inertial = self.builder.name(name, "link"), self.pose(name), link.find("inertial")
        inertial = inertial if inertial is not None else ElementTree.Element("inertial")
        on = _pose(inertial.find("pose"))
        mass = _number(inertial, "mass", 1.0)
        xx, yy, zz = (_number(inertial, f"inertia/i{a}{a}", 1.0) for a in "xyz")
        xy, yz, xz = (_number(inertial, f"inertia/i{pair}", 0.0) for pair in ("xy", "yz", "xz"))
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        pictures = [picture for visual in link.findall("visual") for picture in self.picture(visual)]
        self.builder.body(made, pose, mass, on.p, on.R @ J @ on.R.T, pictures)
        self.made[name] = made

    def picture(self, visual: Xml) -> list[dict[str, Any]]:
        """What a link looks like."""
        on, geometry = _pose(visual.find("pose")), visual.find("geometry")
        made: dict[str, Any] = {"at": on.p.tolist(), "orientation": euler_parameters(on.R).tolist()}
        shape = None if geometry is None else next(iter(geometry), None)
        if shape is None:
            return []
        if shape.tag == "box":
            return [made | {"kind": "box", "size": _numbers(shape.find("size"), 3).tolist()}]
        if shape.tag in ("cylinder", "capsule"):
            return [made | {"kind": shape.tag, "size": [_number(shape, "radius", 0.0), _number(shape, "length", 0.0)]}]
        if shape.tag == "sphere":
            return [made | {"kind": "sphere", "size": [_number(shape, "radius", 0.0)]}]
        file = self.builder.mesh_file((shape.findtext("uri") or "").strip()) if shape.tag == "mesh" else None
        if file is None:
            return []
        scale = shape.find("scale")
        return [
            made | {"kind": "mesh", "file": file, "scale": [1.0] * 3 if scale is None else _numbers(scale, 3).tolist()}
        ]

    # -- joints -------------------------------------------------------------------------------------------------
    def add_joint(self, name: str, joint: Xml) -> None:
        """A joint where its pose is, with its axes, friction and limits."""
        given = joint.get("type", "")
        if given not in KINDS:
            raise self.builder.refusal(f"joint '{name}' is '{given}'; {nearest(given, KINDS)}")
        kind, pose = JOINTS[KINDS[given]], self.pose(name)
        made = self.builder.name(name, "joint")
        between = [self.made[self.end(joint, "parent")], self.made[self.end(joint, "child")]]
        fields: dict[str, Any] = {"at": pose.p} if kind.needs_place else {}
        if kind.needs_axis:
            fields["axis"] = self.axis(joint, "axis", pose)
        if kind.takes_second_axis and joint.find("axis2") is not None:
            fields["second_axis"] = self.axis(joint, "axis2", pose)
        if kind.needs_pitch:
            fields["pitch"] = _number(joint, "screw_thread_pitch", 0.0) or self.old_pitch(name, joint)
        self.builder.add("joint", name=made, kind=kind.name, between=between, **fields)
        if len(kind.coordinates) == 1:
            self.act(name, made, joint)

    def old_pitch(self, name: str, joint: Xml) -> float:
        """<thread_pitch>: radians for a metre, the other way round."""
        turns = _number(joint, "thread_pitch", 0.0)
        if turns == 0.0:
            raise self.builder.refusal(f"joint '{name}' is a screw without <screw_thread_pitch>; give it, m/turn")
        return float(-2.0 * np.pi / turns)

    def axis(self, joint: Xml, which: str, pose: Pose) -> np.ndarray:
        """The direction of an axis in the world."""
        xyz = joint.find(f"{which}/xyz")
        if xyz is None:
            return np.asarray(pose.R @ np.array(AXES["z"]))
        named = xyz.get("expressed_in", "")
        old = (joint.findtext(f"{which}/use_parent_model_frame") or "").strip().lower() in ("true", "1")
        R = self.pose(named).R if named else self.pose("").R if old else pose.R
        return np.asarray(R @ _numbers(xyz, 3))

    def act(self, name: str, made: str, joint: Xml) -> None:
        """Friction and limits."""
        viscous, coulomb = (_number(joint, f"axis/dynamics/{key}", 0.0) for key in ("damping", "friction"))
        if viscous or coulomb:
            force = self.builder.name(f"{name} friction", "force")
            self.builder.add("friction", name=force, joint=made, viscous=viscous, coulomb=coulomb)
        ends = [_number(joint, f"axis/limit/{key}", sign * np.inf) for key, sign in (("lower", -1.0), ("upper", 1.0))]
        lower, upper = (None if abs(end) > UNLIMITED else end for end in ends)
        if lower is not None or upper is not None:
            self.builder.limits(name, made, lower, upper)


def _name(element: Xml) -> str:
    name = element.get("name", "")
    if not name:
        raise ValueError(f"a <{element.tag}> without a name")
    return name


def _number(element: Xml, path: str, default: float) -> float:
    text = (element.findtext(path) or "").strip()
    return float(text) if text else default


def _numbers(element: Xml | None, count: int) -> np.ndarray:
    words = (element.text or "").split() if element is not None else []
    if len(words) != count:
        tag = "size" if element is None else element.tag
        raise ValueError(f"<{tag}> has {len(words)} numbers, and needs {count}")
    return np.array([float(word) for word in words])


def _pose(element: Xml | None) -> Pose:
    """x y z, then roll pitch yaw about fixed axes, or Euler parameters with their scalar last."""
    if element is None or not (element.text or "").strip():
        return HERE
    if element.get("rotation_format") == "quat_xyzw":
        values = _numbers(element, 7)
        return Pose(rotation_matrix(values[[6, 3, 4, 5]]), values[:3])
    values = _numbers(element, 6)
    angles = np.radians(values[3:]) if element.get("degrees") in ("true", "1") else values[3:]
    roll, pitch, yaw = (axis_rotation(np.array(axis), angle) for axis, angle in zip(AXES.values(), angles, strict=True))
    return Pose(yaw @ pitch @ roll, values[:3])
