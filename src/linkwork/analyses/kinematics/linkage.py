"""From the poses at the samples: the path of a point, the transmission angle of a linkage."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.elements.joints.joint import Joint
from linkwork.errors import OptionError, nearest
from linkwork.mechanism import GROUND, Mechanism
from linkwork.results.flexible import body_axes, node_positions, node_rotations
from linkwork.results.result import Result
from linkwork.system.frames import HERE, Frames, Pose, frame_pose, joint_frames, node_at


def path(result: Result, of: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Positions of a point of a body or of a named frame, given in its axes (m): [sample, 3], m, world.

    On a flexible body the point is on a node, or is carried by the node of its frame; without a frame and a point it is
    the origin of the body frame.
    """
    mechanism = result.mechanism
    frame = next((frame for frame in mechanism.frame if frame.name == of), None)
    pose = frame_pose(mechanism, frame) if frame is not None else HERE
    name, point = of if frame is None else frame.body, pose.p + pose.R @ np.array(at, float)
    known = result.names["bodies"]
    if name not in (*known, GROUND):
        raise OptionError(f"there is no body or frame '{of}'; {nearest(of, known)}", element=of)
    body = next((body for body in mechanism.body if body.name == name), None)
    if body is None or body.modal is None or (frame is None and not np.any(point)):
        return np.asarray(_in_world(result, name, point) + _origin(result, name))
    nodes = body.modal.nodes
    n = nodes.index(frame.node) if frame is not None and frame.node is not None else node_at(body, point)
    arm = node_rotations(result, name)[:, n] @ (point - nodes.x[n])
    return np.asarray(node_positions(result, name)[:, n] + _in_world(result, name, arm))


def _origin(result: Result, body: str) -> np.ndarray:
    """Of the body frame: [sample, 3] or, of ground, [3]; m, world."""
    return np.zeros(3) if body == GROUND else np.asarray(result.moved(body).position)


def _in_world(result: Result, body: str, vector: np.ndarray) -> np.ndarray:
    """A vector of a body, one for all samples or one for each, in world axes."""
    vectors = np.broadcast_to(vector, (len(result.t), 3))
    return vectors.copy() if body == GROUND else np.einsum("tab,tb->ta", body_axes(result, body), vectors)


def transmission_angle(result: Result, joint: str) -> np.ndarray:
    """The angle between the two links that meet at a joint, at every sample; rad, 0 to pi/2; best near pi/2.

    The line of a link goes from this joint to the other joint of its body; where that other joint slides, it is the
    normal of the slide.  In a four-bar with crank a, coupler b, rocker c and base d the angle at the pin of coupler and
    rocker is cos mu = |b^2 + c^2 - a^2 - d^2 + 2 a d cos(crank)| / (2 b c)   (Alt 1932).
    """
    mechanism = result.mechanism
    joints = {j.name: j for j in mechanism.joint}
    if joint not in joints:
        raise OptionError(f"there is no joint '{joint}'; {nearest(joint, joints)}", element=joint)
    frames = joint_frames(mechanism)
    a, b = (_line(result, mechanism, frames, joints[joint], body) for body in joints[joint].between)
    cosine = np.abs(np.sum(a * b, axis=1)) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    sine = np.linalg.norm(np.cross(a, b), axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return np.asarray(np.arctan2(sine, cosine))


def _line(result: Result, mechanism: Mechanism, frames: Mapping[str, Frames], joint: Joint, body: str) -> np.ndarray:
    """Direction of a link at a joint, [sample, 3], world axes."""
    others = [j for j in mechanism.joint if j.name != joint.name and body in j.between]
    if len(others) != 1:
        raise OptionError(
            f"transmission angle at '{joint.name}': body '{body}' has {len(others)} other joints; it needs one, "
            "which gives the line of the link",
            element=joint.name,
        )
    here, there = _on(frames[joint.name], body), _on(frames[others[0].name], body)
    line = np.cross(here.R[:, 2], there.R[:, 2]) if others[0].type.only_slides else there.p - here.p
    if not np.linalg.norm(line) > 0.0:
        raise OptionError(
            f"transmission angle at '{joint.name}': on body '{body}' joint '{others[0].name}' gives no direction",
            element=joint.name,
        )
    return _in_world(result, body, line)


def _on(frames: Frames, body: str) -> Pose:
    return frames.on_a if frames.a == body else frames.on_b
