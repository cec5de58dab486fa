"""URDF: a robot's links and joints (yourdfpy reads the XML) as data of a model file.

Links become bodies at their link frames, links without mass named frames (or carriers, where others move on them);
the root link is fixed on the ground.  revolute, continuous -> revolute; prismatic; fixed; floating -> free; planar.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import FileError, nearest
from linkwork.files.limits import too_deep
from linkwork.files.robots.builder import Builder, listed
from linkwork.files.source import Source, read_text
from linkwork.installation import install_hint
from linkwork.numerics.rotations import euler_parameters
from linkwork.system.frames import HERE, Pose

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed",
         "floating": "free", "planar": "planar"}  # fmt: skip


def urdf_source(path: Path, stops: float = 0.0) -> Source:
    """The data of a URDF file; `stops`: stiffness of stops at the limits of joints, 0: none."""
    robot = _robot(path)
    builder = Builder(path, robot.name, stops)
    try:
        _Tree(builder, robot, _checked_root(builder, robot)).build()
    except (
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
    ) as failure:  # two numbers for three
        raise _unreadable(path, failure) from None
    return builder.source()


def _robot(path: Path) -> Any:
    """The file as yourdfpy reads it; nothing but links and joints."""
    try:
        import yourdfpy
    except ImportError:
        raise FileError(f"'{path.name}': URDF files need yourdfpy; {install_hint('urdf')}") from None
    try:
        ElementTree.fromstring(read_text(path))
        logging.getLogger("yourdfpy").setLevel(logging.CRITICAL)
        return yourdfpy.URDF.load(str(path), build_scene_graph=False, load_meshes=False).robot
    except FileError:
        raise
    except RecursionError:
        raise too_deep(path.name) from None
    except ElementTree.ParseError as failure:
        raise FileError(f"'{path.name}' is not valid XML: {failure}; fix that line") from None
    except Exception as failure:  # a missing attribute or a word in place of a number, in any of a dozen ways
        raise _unreadable(path, failure) from None


def _unreadable(path: Path, failure: Exception) -> FileError:
    reason = f"{type(failure).__name__}: {failure}"
    return FileError(f"'{path.name}' cannot be read as URDF ({reason}); fix the file")


def _checked_root(builder: Builder, robot: Any) -> str:
    """The one link on which all others hang."""
    links = [link.name for link in robot.links]
    children: dict[str, str] = {}
    for joint in robot.joints:
        if joint.type not in KINDS:
            raise builder.refusal(f"joint '{joint.name}' is '{joint.type}'; {nearest(joint.type, KINDS)}")
        for end in (joint.parent, joint.child):
            if end not in links:
                raise builder.refusal(f"joint '{joint.name}': there is no link '{end}'; {nearest(end, links)}")
        if joint.child in children:
            raise builder.refusal(
                f"link '{joint.child}' hangs on two joints, '{children[joint.child]}' and '{joint.name}'; "
                "close loops in a model file that includes this one"
            )
        children[joint.child] = joint.name
    roots: list[str] = [name for name in links if name not in children]
    if len(roots) != 1:
        raise builder.refusal(f"it has {len(roots)} links that hang on no joint ({listed(roots)}); there must be one")
    return roots[0]


class _Tree:
    """Walks from the root outward, parents before children."""

    def __init__(self, builder: Builder, robot: Any, root: str) -> None:
        self.builder = builder
        self.root = root
        self.links = {link.name: link for link in robot.links}
        self.joints = list(robot.joints)
        self.outward: dict[str, list[Any]] = {name: [] for name in self.links}
        for joint in robot.joints:
            self.outward[joint.parent].append(joint)
        self.mass = sum(_mass(link) for link in robot.links)  # kg
        self.pose = {root: HERE}  # of each link in the world
        self.part: dict[str, tuple[str, Pose]] = {}  # the body that a link belongs to, and its pose in the world
        self.names: dict[str, str] = {}  # names of joints

    def build(self) -> None:
        """Bodies and joints, then what acts in the joints."""
        self.set_root()
        waiting = list(self.outward[self.root])
        while waiting:
            joint = waiting.pop(0)
            self.pose[joint.child] = self.pose[joint.parent] @ _pose(joint.origin)
            self.place(joint)
            waiting += self.outward[joint.child]
        loose = [name for name in self.links if name not in self.pose]
        if loose:
            raise self.builder.refusal(f"links {listed(loose)} hang on each other, not on '{self.root}'; fix it")
        for joint in self.joints:
            self.act(joint)

    def set_root(self) -> None:
        """The root is the ground, or a body fixed on it."""
        self.part[self.root] = ("ground", HERE)
        if _mass(self.links[self.root]) != 0.0:
            self.add_body(self.root)
            name = self.builder.name(f"{self.root} base", "joint")
            ends = ["ground", self.part[self.root][0]]
            self.builder.add("joint", name=name, kind="fixed", between=ends, at=[0.0, 0.0, 0.0])

    def place(self, joint: Any) -> None:
        """One link and the joint on which it hangs."""
        name, (parent, parent_pose) = joint.child, self.part[joint.parent]
        if _mass(self.links[name]) != 0.0:
            self.add_body(name)
        elif joint.type == "fixed":
            on = parent_pose.inverse() @ self.pose[name]
            self.builder.add("frame", name=self.builder.name(name, "frame"), body=parent, at=on.p,
                             orientation=euler_parameters(on.R))  # fmt: skip
            self.part[name] = self.part[joint.parent]
            return
        else:
            self.add_carrier(name, joint)
        self.connect(joint, parent)

    def add_body(self, name: str) -> None:
        """A link with mass."""
        link, made = self.links[name], self.builder.name(name, "link")
        com, J_C = _inertia(link.inertial)
        self.builder.body(made, self.pose[name], link.inertial.mass, com, J_C, self.pictures(link))
        self.part[name] = (made, self.pose[name])

    def pictures(self, link: Any) -> list[dict[str, Any]]:
        """What the link looks like; meshes by their files."""
        found = [picture for visual in link.visuals if visual.geometry is not None for picture in _picture(visual)]
        placed = [p | {"file": self.builder.mesh_file(p["file"])} if p["kind"] == "mesh" else p for p in found]
        return [p for p in placed if p.get("file", "") is not None]

    def add_carrier(self, name: str, joint: Any) -> None:
        """A link without mass that moves: it must carry others that have some."""
        if not self.carries_mass(name):
            raise self.builder.refusal(
                f"link '{name}' moves in joint '{joint.name}' and has no mass, nor has what hangs on it; "
                "give it an <inertial>"
            )
        made = self.builder.name(name, "link")
        self.builder.carrier(made, self.pose[name], self.mass)
        self.part[name] = (made, self.pose[name])

    def carries_mass(self, name: str) -> bool:
        """Whether a link further out has mass."""
        waiting = [joint.child for joint in self.outward[name]]
        while waiting:
            outer = waiting.pop()
            if _mass(self.links[outer]) != 0.0:
                return True
            waiting += [joint.child for joint in self.outward[outer]]
        return False

    def connect(self, joint: Any, parent: str) -> None:
        """The joint between a link and the body before it."""
        child, pose = self.part[joint.child][0], self.pose[joint.child]
        kind = JOINTS[KINDS[joint.type]]
        self.names[joint.name] = self.builder.name(joint.name, "joint")
        self.builder.add("joint", name=self.names[joint.name], kind=kind.name, between=[parent, child],
                         at=pose.p if kind.needs_place else None,
                         axis=pose.R @ joint.axis if kind.needs_axis else None)  # fmt: skip

    def act(self, joint: Any) -> None:
        """Damping, friction, mimicry and limits of a joint."""
        viscous, coulomb = (getattr(joint.dynamics, key, None) or 0.0 for key in ("damping", "friction"))
        moves = len(JOINTS[KINDS[joint.type]].coordinates) == 1
        if moves and (viscous or coulomb):
            name = self.builder.name(f"{joint.name} friction", "force")
            self.builder.add("friction", name=name, joint=self.names[joint.name], viscous=viscous, coulomb=coulomb)
        if joint.mimic is not None:
            self.mimic(joint)
        if moves and joint.limit is not None and (joint.limit.lower or joint.limit.upper):
            lower, upper = float(joint.limit.lower or 0.0), float(joint.limit.upper or 0.0)
            self.builder.limits(joint.name, self.names[joint.name], lower, upper)

    def mimic(self, joint: Any) -> None:
        """coordinate = multiplier * other + offset."""
        other = joint.mimic.joint
        if other not in self.names:
            raise self.builder.refusal(f"joint '{joint.name}' mimics '{other}'; {nearest(other, self.names)}")
        multiplier = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
        name = self.builder.name(f"{joint.name} mimic", "coupler")
        self.builder.add("coupler", name=name, joints=[self.names[joint.name], self.names[other]],
                         factors=[1.0, -multiplier], constant=float(joint.mimic.offset or 0.0))  # fmt: skip


def _mass(link: Any) -> float:
    return float(link.inertial.mass or 0.0) if link.inertial is not None else 0.0


def _pose(matrix: np.ndarray | None) -> Pose:
    return HERE if matrix is None else Pose(matrix[:3, :3], matrix[:3, 3])


def _inertia(inertial: Any) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass (m) and inertia about it (kg m2), in the axes of the link."""
    on = _pose(inertial.origin)
    J = np.zeros((3, 3)) if inertial.inertia is None else inertial.inertia
    return on.p, on.R @ J @ on.R.T


def _picture(visual: Any) -> list[dict[str, Any]]:
    geometry, on = visual.geometry, _pose(visual.origin)
    made: dict[str, Any] = {"at": on.p.tolist(), "orientation": euler_parameters(on.R).tolist()}
    if visual.material is not None and visual.material.color is not None:
        made["colour"] = [float(c) for c in visual.material.color.rgba]
    if geometry.box is not None:
        return [made | {"kind": "box", "size": [float(s) for s in geometry.box.size]}]
    if geometry.cylinder is not None:
        return [made | {"kind": "cylinder", "size": [geometry.cylinder.radius, geometry.cylinder.length]}]
    if geometry.sphere is not None:
        return [made | {"kind": "sphere", "size": [geometry.sphere.radius]}]
    if geometry.mesh is not None:
        scale = 1.0 if geometry.mesh.scale is None else geometry.mesh.scale
        return [made | {"kind": "mesh", "file": geometry.mesh.filename, "scale": np.broadcast_to(scale, 3).tolist()}]
    return []
