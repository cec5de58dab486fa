"""MJCF: rigid models of MuJoCo, compiled by MuJoCo itself (defaults, inertias of geometries), as data of a model file.

Several joints of one body are a chain with carriers between; sites are named frames; equalities `connect` and `weld`
close loops, as rigid joints (in MuJoCo they are soft).  What would change the motion and has no counterpart is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import FileError
from linkwork.files.limits import too_deep
from linkwork.files.robots.builder import Builder
from linkwork.files.robots.mujoco_files import check_robot_files
from linkwork.files.source import Source
from linkwork.installation import install_hint
from linkwork.numerics.rotations import euler_parameters, rotation_matrix
from linkwork.system.frames import HERE, Pose

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
KINDS = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}
CONNECT, WELD, JOINT = range(3)  # mjtEq
BODY = 1  # mjtObj: the equality names bodies; otherwise sites
SOLIDS = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}  # mjtGeom
NO_CONTACT, NO_GRAVITY = "mjDSBL_CONTACT", "mjDSBL_GRAVITY"
APART = 1e-9  # m, frames further apart than this at the start are given one by one


def mjcf_source(path: Path, stops: float = 0.0) -> Source:
    """The data of an MJCF file; `stops`: stiffness of stops at the limits of joints, 0: none."""
    mujoco, model = _compiled(path)
    builder = Builder(path, path.stem, stops)
    _refuse_what_moves(builder, model)
    tree = _Tree(builder, model)
    tree.build()
    off = model.opt.disableflags & getattr(mujoco.mjtDisableBit, NO_GRAVITY)
    builder.data["gravity"] = [0.0, 0.0, 0.0] if off else model.opt.gravity.tolist()
    _tell_what_is_left_out(builder, mujoco, model, tree.joints)
    return builder.source()


def _compiled(path: Path) -> tuple[Any, Any]:
    """MuJoCo and its model of the file."""
    try:
        import mujoco
    except ImportError:
        raise FileError(f"'{path.name}': MJCF files need mujoco; {install_hint('mjcf')}") from None
    try:
        check_robot_files(path)
        return mujoco, mujoco.MjModel.from_xml_path(str(path))
    except ElementTree.ParseError as failure:
        raise FileError(f"'{path.name}' is not valid XML: {failure}; fix that line") from None
    except RecursionError:
        raise too_deep(path.name) from None
    except (ValueError, RuntimeError, mujoco.FatalError) as failure:
        reason = " ".join(str(failure).split())
        raise FileError(f"'{path.name}' is refused by MuJoCo: {reason}; fix the file") from None


def _refuse_what_moves(builder: Builder, model: Any) -> None:
    """What MuJoCo would compute and linkwork would not."""
    ball = model.jnt_type < SLIDE
    for joints, what in (
        (np.flatnonzero((model.jnt_stiffness != 0.0) & ball), "a spring, and is not a hinge or slide"),
        (model.dof_jntid[(model.dof_damping != 0.0) & ball[model.dof_jntid]], "damping, and is not a hinge or slide"),
        (model.dof_jntid[model.dof_armature != 0.0], "armature, which is not read"),
        (model.dof_jntid[model.dof_frictionloss != 0.0], "frictionloss, which is not read"),
    ):
        for joint in joints:
            raise builder.refusal(f"joint '{model.joint(int(joint)).name}' has {what}; set it to 0")
    for found, what in (
        (model.ntendon, "tendons"),
        (model.nflex, "flexible parts"),
        (model.nplugin, "plugins"),
        (model.body_gravcomp, "bodies with gravcomp"),
        ((model.opt.density, model.opt.viscosity), "a fluid around it"),
        (getattr(model, "jnt_stiffnesspoly", 0.0), "nonlinear springs"),
        (getattr(model, "dof_dampingpoly", 0.0), "nonlinear damping"),
    ):
        if np.any(found):
            raise builder.refusal(f"it has {what}, which a rigid model does not have; take them out")


def _tell_what_is_left_out(builder: Builder, mujoco: Any, model: Any, joints: dict[int, str]) -> None:
    """What acts only sometimes, or from outside."""
    for j in np.flatnonzero(model.jnt_limited):
        if model.jnt_type[j] >= SLIDE:
            lower, upper = (float(end) for end in model.jnt_range[j])
            builder.limits(model.joint(j).name or joints[int(j)], joints[int(j)], lower, upper)
        else:
            builder.left_out(f"the limits of ball joint '{model.joint(j).name}' do not stop it")
    touching = np.count_nonzero(model.geom_contype | model.geom_conaffinity)
    if touching > 1 and not model.opt.disableflags & getattr(mujoco.mjtDisableBit, NO_CONTACT):
        builder.left_out(f"its {touching} geometries do not touch each other")
    if model.nu:
        builder.left_out(f"its {model.nu} actuators do not act")


class _Tree:
    """Bodies in MuJoCo's order: parents before children."""

    def __init__(self, builder: Builder, model: Any) -> None:
        self.builder = builder
        self.model = model
        self.mass = float(model.body_mass.sum())
        self.pose = [HERE]  # of each body in the world, at the start
        self.joints: dict[int, str] = {}
        self.sites: list[str] = []  # names of their frames
        self.part = [("ground", HERE)]  # the body that it is or belongs to, and that one's pose

    def build(self) -> None:
        """Bodies and joints, springs, frames, loops."""
        for index in range(1, self.model.nbody):
            self.place(index)
        self.sites = [self.add_frame(f"site {s}", self.model.site(s).name, int(self.model.site_bodyid[s]),
                                     _pose(self.model.site_pos[s], self.model.site_quat[s]))
                      for s in range(self.model.nsite)]  # fmt: skip
        for equality in np.flatnonzero(self.model.eq_active0):
            self.close(int(equality))

    def place(self, index: int) -> None:
        """One body and its joints."""
        m = self.model
        parent = int(m.body_parentid[index])
        self.pose.append(self.pose[parent] @ _pose(m.body_pos[index], m.body_quat[index]))
        first, count = int(m.body_jntadr[index]), int(m.body_jntnum[index])
        if count == 0 and m.body_mass[index] == 0.0:
            self.part.append(self.part[parent])
            self.add_frame(f"body {index}", m.body(index).name, index, HERE)
            return
        name = self.builder.name(m.body(index).name or f"body {index}", "body")
        inboard = self.part[parent][0]
        for joint in range(first, first + count - 1):  # all but the last lead to a carrier
            carrier = self.builder.name(f"{name} carrier {joint - first + 1}", "body")
            self.builder.carrier(carrier, self.pose[index], self.mass)
            self.connect(joint, inboard, carrier, self.pose[index])
            inboard = carrier
        self.add_body(index, name)
        if count == 0:
            weld = self.builder.name(f"{name} mount", "joint")
            self.builder.add("joint", name=weld, kind="fixed", between=[inboard, name], at=self.pose[index].p)
        else:
            self.connect(first + count - 1, inboard, name, self.pose[index])

    def add_body(self, index: int, name: str) -> None:
        """Mass, inertia (turned from its principal axes) and pictures of a body."""
        m, pose = self.model, self.pose[index]
        self.part.append((name, pose))
        if m.body_mass[index] == 0.0:
            self.builder.carrier(name, pose, self.mass)
            return
        R = rotation_matrix(m.body_iquat[index])
        J_C = R @ np.diag(m.body_inertia[index]) @ R.T
        geoms = range(int(m.body_geomadr[index]), int(m.body_geomadr[index] + m.body_geomnum[index]))
        pictures = [_picture(m, g) for g in geoms if int(m.geom_type[g]) in SOLIDS]
        self.builder.body(name, pose, float(m.body_mass[index]), m.body_ipos[index], (J_C + J_C.T) / 2.0, pictures)

    def connect(self, joint: int, a: str, b: str, pose: Pose) -> None:
        """A joint, with its spring and damper."""
        m, kind = self.model, JOINTS[KINDS[int(self.model.jnt_type[joint])]]
        name = self.builder.name(m.joint(joint).name or f"joint {joint}", "joint")
        self.joints[joint] = name
        self.builder.add("joint", name=name, kind=kind.name, between=[a, b],
                         at=pose.p + pose.R @ m.jnt_pos[joint] if kind.needs_place else None,
                         axis=pose.R @ m.jnt_axis[joint] if kind.needs_axis else None)  # fmt: skip
        stiffness, damping = float(m.jnt_stiffness[joint]), float(m.dof_damping[m.jnt_dofadr[joint]])
        if stiffness or damping:
            q = int(m.jnt_qposadr[joint])
            self.spring(name, kind, stiffness, damping, float(m.qpos_spring[q] - m.qpos0[q]))

    def spring(self, joint: str, kind: JointKind, stiffness: float, damping: float, free: float) -> None:
        """A linear law on a joint coordinate; `free` is where the spring rests (rad or m)."""
        name = self.builder.name(f"{joint} spring", "force")
        if kind.turns(kind.coordinates[0]):
            law = {"stiffness": stiffness, "damping": damping, "free_angle": free}
            self.builder.add("torsional_spring_damper", name=name, joint=joint, **law)
        else:
            force = f"-({stiffness!r}*(q - ({free!r})) + {damping!r}*v)"
            self.builder.add("joint_force", name=name, joint=joint, force=force)

    def add_frame(self, default: str, wanted: str, index: int, on: Pose) -> str:
        """A named frame at `on` of a body; its name."""
        body, pose = self.part[index]
        placed = pose.inverse() @ self.pose[index] @ on
        name = self.builder.name(wanted or default, "frame")
        self.builder.add("frame", name=name, body=body, at=placed.p, orientation=euler_parameters(placed.R))
        return name

    def close(self, index: int) -> None:
        """An equality as a joint that is cut: a point in common, or a whole frame."""
        m, kind = self.model, int(self.model.eq_type[index])
        name = self.builder.name(m.equality(index).name or f"loop {index + 1}", "equality")
        if kind == JOINT:
            self.couple(index, name)
            return
        if kind not in (CONNECT, WELD):
            raise self.builder.refusal(
                f"equality '{name}' is not a connect, weld or joint, and is not read; take it out"
            )
        joint = "spherical" if kind == CONNECT else "fixed"
        one, two = int(m.eq_obj1id[index]), int(m.eq_obj2id[index])
        if int(m.eq_objtype[index]) != BODY:
            ends = [self.part[int(m.site_bodyid[site])][0] for site in (one, two)]
            frames = [self.sites[one], self.sites[two]]
            self.builder.add("joint", name=name, kind=joint, between=ends, frames=frames, cut=True)
            return
        data = m.eq_data[index]
        on_one = Pose(np.eye(3), data[:3]) if kind == CONNECT else _pose(data[3:6], data[6:10])
        on_two = Pose(np.eye(3), data[3:6]) if kind == CONNECT else HERE
        ends = [self.part[one][0], self.part[two][0]]
        first, second = self.pose[one] @ on_one, self.pose[two] @ on_two
        apart = np.linalg.norm(first.p - second.p) + (np.linalg.norm(first.R - second.R) if kind == WELD else 0.0)
        if apart <= APART:
            self.builder.add("joint", name=name, kind=joint, between=ends, at=first.p, cut=True)
            return
        frames = [self.add_frame("", f"{name} {n}", body, on) for n, body, on in ((1, one, on_one), (2, two, on_two))]
        self.builder.add("joint", name=name, kind=joint, between=ends, frames=frames, cut=True)

    def couple(self, index: int, name: str) -> None:
        """y - y0 = a0 + a1 (x - x0) between two joints, or y - y0 = a0 for one."""
        m, data = self.model, self.model.eq_data[index]
        if data[2:5].any():
            raise self.builder.refusal(f"equality '{name}' is a polynomial of higher degree than 1; make it linear")
        joints = [self.joints[j] for j in (int(m.eq_obj1id[index]), int(m.eq_obj2id[index])) if j >= 0]
        factors = [1.0, -float(data[1])][: len(joints)]
        self.builder.add("coupler", name=name, joints=joints, factors=factors, constant=float(data[0]))


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    return Pose(rotation_matrix(quaternion), np.array(position))


def _mesh_file(model: Any, mesh: int) -> str:
    """Where MuJoCo read the mesh; one written out in the model itself only has a name."""
    place = int(model.mesh_pathadr[mesh])
    if place < 0:
        return str(model.mesh(mesh).name)
    return str(Path(model.paths[place:].partition(b"\0")[0].decode()).resolve())


def _picture(model: Any, g: int) -> dict[str, Any]:
    """A geometry; MuJoCo counts half lengths."""
    kind, size, on = SOLIDS[int(model.geom_type[g])], model.geom_size[g], _pose(model.geom_pos[g], model.geom_quat[g])
    made: dict[str, Any] = {"kind": kind, "colour": [float(c) for c in model.geom_rgba[g]]}
    if kind == "mesh":
        mesh = int(model.geom_dataid[g])
        on = on @ _pose(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()  # MuJoCo moves a mesh to its centre
        made |= {"file": _mesh_file(model, mesh), "scale": model.mesh_scale[mesh].tolist()}
    else:
        lengths = {"sphere": [size[0]], "ellipsoid": size, "box": 2.0 * size}.get(kind, [size[0], 2.0 * size[1]])
        made["size"] = [float(length) for length in lengths]
    return made | {"at": on.p.tolist(), "orientation": euler_parameters(on.R).tolist()}
